package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/big"
	"strconv"
	"strings"

	"fractal/ink"
	"fractal/tile"
)

// Stroke JSON lines: a header, then one stroke a line in paint order.
//
//	{"format":"fractal-strokes","version":1,…}
//	{"level":0,"x":"-2","y":"1","width":2,"color":"#1f6f8bff","points":[173.109375,199.34375,…]}
//
// x and y are decimal strings because tiles have no end; points are x, y in px of the 256 px tile at that level and may
// leave it; width is the diameter in px at that level, or widths holds one for each point; brush is the name of a row of
// the brushes table, liner when absent. Unknown keys are skipped.
const (
	strokesFormat  = "fractal-strokes"
	strokesVersion = 1

	unitsPx     = tile.Units / tile.Size // units in one px
	maxWidth    = 1 << 20                // units; as a stroke's diameter is bounded
	maxPoints   = 131072
	maxDecimals = 19_800 // digits of the widest tile coordinate (65,536 + 64 bits), rounded up
)

// plain is the brush of a stroke that names none: straight lines between the samples, as files of other origin mean.
const plain = "liner"

// ReadStrokes reads stroke JSON lines, gzipped or not.
func ReadStrokes(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		in, err := newLines(r)
		if err != nil {
			yield(Record{}, fmt.Errorf("exchange: %w", err))
			return
		}
		if err := readHeader(in); err != nil {
			yield(Record{Line: in.number}, fmt.Errorf("exchange: %w", err))
			return
		}
		var d strokeDecoder
		for {
			line, err := in.next()
			rec := Record{Line: in.number}
			switch {
			case errors.Is(err, io.EOF):
				return
			case errors.Is(err, errLineTooLong):
				rec.Reject = err
			case err != nil:
				yield(rec, fmt.Errorf("exchange: %w", err))
				return
			case len(line) == 0:
				continue
			default:
				rec.Stroke, rec.Reject = d.decode(line)
			}
			if !yield(rec, nil) {
				return
			}
		}
	}
}

func readHeader(in *lines) error {
	const what = `the first line should be {"format":"` + strokesFormat + `","version":1}`
	var line []byte
	for len(line) == 0 {
		var err error
		if line, err = in.next(); errors.Is(err, io.EOF) {
			return errors.New("the file is empty: " + what)
		} else if err != nil {
			return err
		}
	}
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(line, &head); err != nil || head.Format != strokesFormat {
		return errors.New("not a file of strokes: " + what)
	}
	if head.Version != strokesVersion {
		return fmt.Errorf("the file is of version %d, this program reads version %d", head.Version, strokesVersion)
	}
	return nil
}

// strokeDecoder holds the scratch of one file.
type strokeDecoder struct {
	pts []ink.Point
}

// strokeLine is one line as JSON. Pointers and raw parts tell what is absent or null from what is zero.
type strokeLine struct {
	Level  *int            `json:"level"`
	X      *string         `json:"x"`
	Y      *string         `json:"y"`
	Width  *float64        `json:"width"`
	Widths json.RawMessage `json:"widths"`
	Color  *string         `json:"color"`
	Brush  *string         `json:"brush"`
	Points json.RawMessage `json:"points"`
}

func (d *strokeDecoder) decode(line []byte) (*ink.Stroke, error) {
	var l strokeLine
	if err := json.Unmarshal(line, &l); err != nil {
		if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && t.Field != "" {
			return nil, fmt.Errorf("%q is a %s, not what it should be", t.Field, t.Value)
		}
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	home, err := l.home()
	if err != nil {
		return nil, err
	}
	color, err := l.color()
	if err != nil {
		return nil, err
	}
	brush, err := l.brush()
	if err != nil {
		return nil, err
	}
	if d.pts, err = l.points(d.pts[:0]); err != nil {
		return nil, err
	}
	return ink.New(home, brush, color, d.pts)
}

func (l *strokeLine) home() (tile.ID, error) {
	if l.Level == nil {
		return tile.ID{}, errors.New(`"level" is missing`)
	}
	x, err := decimal("x", l.X)
	if err != nil {
		return tile.ID{}, err
	}
	y, err := decimal("y", l.Y)
	if err != nil {
		return tile.ID{}, err
	}
	return tile.New(*l.Level, x, y)
}

func decimal(name string, s *string) (*big.Int, error) {
	switch {
	case s == nil:
		return nil, fmt.Errorf("%q is missing", name)
	case len(*s) > maxDecimals:
		return nil, fmt.Errorf("%q has %d digits, more than any tile", name, len(*s))
	}
	digits := strings.TrimPrefix(*s, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return nil, fmt.Errorf("%q is not a whole decimal number", name)
	}
	n, ok := new(big.Int).SetString(*s, 10)
	if !ok {
		return nil, fmt.Errorf("%q is not a whole decimal number", name)
	}
	return n, nil
}

func (l *strokeLine) color() (uint32, error) {
	if l.Color == nil {
		return 0, errors.New(`"color" is missing`)
	}
	hex, ok := strings.CutPrefix(*l.Color, "#")
	if !ok || len(hex) != 6 && len(hex) != 8 || strings.ContainsAny(hex, "+-_") {
		return 0, errors.New(`"color" should be like "#1f6f8b" or "#1f6f8bff"`)
	}
	if len(hex) == 6 {
		hex += "ff"
	}
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		return 0, errors.New(`"color" should be like "#1f6f8b" or "#1f6f8bff"`)
	}
	return uint32(n), nil
}

func (l *strokeLine) brush() (ink.BrushID, error) {
	name := plain
	if l.Brush != nil {
		name = *l.Brush
	}
	id, ok := brushNamed(name)
	if !ok {
		return 0, fmt.Errorf("there is no brush %.40q", name)
	}
	return id, nil
}

// points appends the points in units.
func (l *strokeLine) points(pts []ink.Point) ([]ink.Point, error) {
	if len(l.Points) == 0 {
		return pts, errors.New(`"points" is missing`)
	}
	const far = float64(tile.MaxLocal) / unitsPx
	odd, x := false, int64(0)
	err := numbers("points", l.Points, func(i int, v float64) error {
		if math.Abs(v) > far {
			return fmt.Errorf("points[%d] is too far from the tile", i)
		}
		if i >= 2*maxPoints {
			return fmt.Errorf("a stroke has at most %d points", maxPoints)
		}
		u := int64(math.Round(v * unitsPx))
		if odd = !odd; odd {
			x = u
			return nil
		}
		pts = append(pts, ink.Point{X: x, Y: u})
		return nil
	})
	switch {
	case err != nil:
		return pts, err
	case odd:
		return pts, errors.New(`"points" has an x without its y`)
	case len(pts) == 0:
		return pts, errors.New(`"points" is empty`)
	case l.Width != nil && len(l.Widths) > 0:
		return pts, errors.New(`"width" and "widths" exclude each other`)
	case l.Width != nil:
		d, err := diameter("width", *l.Width)
		for i := range pts {
			pts[i].D = d
		}
		return pts, err
	case len(l.Widths) == 0:
		return pts, errors.New(`"width" is missing`)
	}
	n := 0
	err = numbers("widths", l.Widths, func(i int, v float64) error {
		if n++; n > len(pts) {
			return fmt.Errorf(`there are more "widths" than the %d points`, len(pts))
		}
		d, err := diameter(fmt.Sprintf("widths[%d]", i), v)
		pts[i].D = d
		return err
	})
	if err == nil && n < len(pts) {
		err = fmt.Errorf(`there are %d "widths" for %d points`, n, len(pts))
	}
	return pts, err
}

// diameter is a width in units. One that is positive but below a unit is drawn as thin as can be.
func diameter(name string, px float64) (int32, error) {
	switch {
	case !(px > 0):
		return 0, fmt.Errorf("%s is %v; it must be more than 0", name, px)
	case px > maxWidth/unitsPx:
		return 0, fmt.Errorf("%s is %g px; %d is the most", name, px, maxWidth/unitsPx)
	}
	return max(1, int32(math.Round(px*unitsPx))), nil
}

// numbers calls each for every element of a flat array of numbers. raw is valid JSON already.
func numbers(name string, raw []byte, each func(i int, v float64) error) error {
	if raw[0] != '[' {
		return fmt.Errorf("%q is not an array", name)
	}
	for i, at := 0, 1; ; i++ {
		for at < len(raw) && (raw[at] == ' ' || raw[at] == ',' || raw[at] == '\t' || raw[at] == '\r' || raw[at] == '\n') {
			at++
		}
		if at >= len(raw) || raw[at] == ']' {
			return nil
		}
		end := at
		for end < len(raw) && (raw[end] >= '0' && raw[end] <= '9' || raw[end] == '-' || raw[end] == '+' || raw[end] == '.' || raw[end] == 'e' || raw[end] == 'E') {
			end++
		}
		if end == at || raw[at] == 'e' { // true, false, null, a string, an array, an object
			return fmt.Errorf("%s[%d] is not a number", name, i)
		}
		v, err := strconv.ParseFloat(string(raw[at:end]), 64)
		if err != nil || math.IsInf(v, 0) {
			return fmt.Errorf("%s[%d] is too large", name, i)
		}
		if err := each(i, v); err != nil {
			return err
		}
		at = end
	}
}

// brushNamed finds a row of the brushes table by its name.
func brushNamed(name string) (ink.BrushID, bool) {
	for id, b := range ink.Brushes {
		if b.Name == name && name != "" {
			return ink.BrushID(id), true
		}
	}
	return 0, false
}
