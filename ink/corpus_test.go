package ink

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"

	"fractal/raster"
	"fractal/tile"
)

// corpus reads the strokes of the file that FRACTAL_CORPUS names (stroke JSON lines, gzipped), or skips the test.
func corpus(tb testing.TB) []*Stroke {
	tb.Helper()
	name := os.Getenv("FRACTAL_CORPUS")
	if name == "" {
		tb.Skip("FRACTAL_CORPUS names no corpus")
	}
	f, err := os.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	gz, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	var all []*Stroke
	lines := bufio.NewScanner(gz)
	lines.Buffer(nil, 8<<20)
	lines.Scan() // the header
	for lines.Scan() {
		var l struct {
			Level  int
			X, Y   string
			Color  string
			Width  float64
			Widths []float64
			Points []float64
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			tb.Fatal(err)
		}
		x, _ := new(big.Int).SetString(l.X, 10)
		y, _ := new(big.Int).SetString(l.Y, 10)
		id, err := tile.New(l.Level, x, y)
		if err != nil {
			tb.Fatal(err)
		}
		pts := make([]Point, len(l.Points)/2)
		for i := range pts {
			d := l.Width
			if l.Widths != nil {
				d = l.Widths[i]
			}
			pts[i] = px(l.Points[2*i], l.Points[2*i+1], d)
		}
		color, _ := strconv.ParseUint(strings.TrimPrefix(l.Color, "#"), 16, 32)
		s, err := New(id, Liner, uint32(color), pts)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// overview is the 24 cells of the corpus' first view, each with the strokes that reach it.
func overview(all []*Stroke) (ids []tile.ID, strokes [][]*Stroke) {
	for y := range int64(4) {
		for x := range int64(6) {
			id := tile.At(0, x, y)
			var on []*Stroke
			for _, s := range all {
				if s.Touches(id) {
					on = append(on, s)
				}
			}
			ids, strokes = append(ids, id), append(strokes, on)
		}
	}
	return ids, strokes
}

// BenchmarkCorpusIsTrue holds every fifth stroke of a corpus to the reference: run it with -benchtime 1x.
func BenchmarkCorpusIsTrue(b *testing.B) {
	corpusIsTrue(b, func(p *Painter, id tile.ID, s *Stroke) *[refSize * refSize]float64 { return alpha(p, id, s) })
}

// corpusIsTrue measures what paint makes of the overview of a corpus. The mean is over the pixels the stroke or the reference
// touches: a corpus of thin lines has more borders among them than one of wide lines.
//
// The reference cuts a pixel into scan lines. With 256 its own error was half of the mean found on the Earth corpus.
func corpusIsTrue(b *testing.B, paint func(*Painter, tile.ID, *Stroke) *[refSize * refSize]float64) {
	ids, strokes := overview(corpus(b))
	p := NewPainter()
	var most, sum, bias, n float64
	for i, id := range ids {
		for k, s := range strokes[i] {
			if k%5 != 0 {
				continue
			}
			s, _ = New(s.Home(), Liner, 0xffffffff, s.Points(nil))
			got, want := paint(p, id, s), reference(local(s, id), 2048)
			m, _, at, _ := difference(got, want)
			if m > most {
				b.Logf("cell %v stroke %d level %d: %.2f at %d", id, k, s.Home().Level(), m, at)
				most = m
			}
			for i := range got {
				if got[i] != 0 || want[i] != 0 {
					sum += math.Abs(got[i]-want[i]) * 255
					bias += (got[i] - want[i]) * 255
					n++
				}
			}
		}
	}
	b.ReportMetric(most, "max/255")
	b.ReportMetric(sum/n, "mean/255")
	b.Logf("max %.2f/255, mean %.4f/255, bias %.4f over %.0f px", most, sum/n, bias/n, n)
	if most > 5 || sum/n > 0.03 {
		b.Error("beyond 5/255 or a mean of 0.03/255")
	}
}

func BenchmarkOverview(b *testing.B) {
	ids, strokes := overview(corpus(b))
	p := NewPainter()
	var img raster.Image
	for i := range ids {
		p.Cell(&img, ids[i], strokes[i])
	}
	b.ReportAllocs()
	cpu(b, func() {
		for i := range ids {
			p.Cell(&img, ids[i], strokes[i])
		}
	})
}

func BenchmarkOverviewUnprepared(b *testing.B) {
	ids, strokes := overview(corpus(b))
	p := NewPainter()
	var img raster.Image
	b.ReportAllocs()
	cpu(b, func() {
		for i := range ids {
			for _, s := range strokes[i] {
				s.ready.Store(nil)
			}
		}
		for i := range ids {
			p.Cell(&img, ids[i], strokes[i])
		}
	})
}
