package exchange

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strconv"

	"fractal/ink"
)

// strokesHeader is the first line of every file written: the same for every drawing, so that a file written from what a
// file was read into is that file.
const strokesHeader = `{"format":"fractal-strokes","version":1,"units":"px of a 256 px tile at level; x, y: home tile, decimal; points may leave it"}` + "\n"

// WriteStrokes writes strokes in the one canonical form: exact decimals, a width when all points share it, a brush when it
// is not the liner. Reading it gives the same strokes, and writing those the same bytes.
func WriteStrokes(w io.Writer, strokes iter.Seq[*ink.Stroke]) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	if _, err := bw.WriteString(strokesHeader); err != nil {
		return fmt.Errorf("exchange: write strokes: %w", err)
	}
	var line []byte
	var pts []ink.Point
	for s := range strokes {
		pts = s.Points(pts[:0])
		line = appendStroke(line[:0], s, pts)
		if _, err := bw.Write(line); err != nil {
			return fmt.Errorf("exchange: write strokes: %w", err)
		}
	}
	if err := bw.Flush(); err != nil {
		return fmt.Errorf("exchange: write strokes: %w", err)
	}
	return nil
}

func appendStroke(b []byte, s *ink.Stroke, pts []ink.Point) []byte {
	home := s.Home()
	b = append(b, `{"level":`...)
	b = strconv.AppendInt(b, int64(home.Level()), 10)
	b = append(b, `,"x":"`...)
	b = home.X().Append(b, 10)
	b = append(b, `","y":"`...)
	b = home.Y().Append(b, 10)
	b = append(b, `",`...)
	if one, same := sameWidth(pts); same {
		b = append(b, `"width":`...)
		b = appendPx(b, int64(one))
	} else {
		b = append(b, `"widths":[`...)
		for i, p := range pts {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendPx(b, int64(p.D))
		}
		b = append(b, ']')
	}
	b = fmt.Appendf(b, `,"color":"#%08x",`, s.Color())
	if name := brushName(s.Brush()); name != plain {
		b = append(b, `"brush":`...)
		b = strconv.AppendQuote(b, name)
		b = append(b, ',')
	}
	b = append(b, `"points":[`...)
	for i, p := range pts {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendPx(b, p.X)
		b = append(b, ',')
		b = appendPx(b, p.Y)
	}
	return append(b, "]}\n"...)
}

func sameWidth(pts []ink.Point) (int32, bool) {
	for _, p := range pts {
		if p.D != pts[0].D {
			return 0, false
		}
	}
	return pts[0].D, true // a stroke has a point
}

// fractions is the decimal of every 64th, exact: ".015625" is one unit.
var fractions = func() (f [unitsPx]string) {
	for i := 1; i < unitsPx; i++ {
		f[i] = strconv.FormatFloat(float64(i)/unitsPx, 'f', -1, 64)[1:]
	}
	return f
}()

// appendPx writes units as px, exactly and as short as that allows.
func appendPx(b []byte, units int64) []byte {
	if units < 0 {
		b, units = append(b, '-'), -units
	}
	b = strconv.AppendInt(b, units/unitsPx, 10)
	return append(b, fractions[units%unitsPx]...)
}

func brushName(id ink.BrushID) string {
	b, _ := id.Brush() // a stroke's brush is a row of the table
	return b.Name
}
