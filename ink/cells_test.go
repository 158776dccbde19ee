package ink

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fractal/raster"
	"fractal/tile"
)

// TestCellsAreAsEver holds the bytes of many cells to those of before: a change that is not meant to move a pixel must not,
// and no machine may paint others. A change that is meant to rewrites the file (-update) and says why.
func TestCellsAreAsEver(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	shapes := cases(rand.New(rand.NewPCG(1, 1)))
	p := NewPainter()
	var img raster.Image
	var got bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		pts := shapes[name]
		fmt.Fprintf(&got, "%s:", name)
		for z := -9; z <= 12; z += 3 {
			if z > 0 && len(pts) > 500 {
				continue // half a second each, and all in one place
			}
			brush := []BrushID{Liner, Pen, Highlighter}[r.IntN(3)]
			s, err := New(tile.At(0, 0, 0), brush, 0x3380f0c0, pts)
			if err != nil {
				t.Fatal(err)
			}
			id := tile.At(z, 0, 0)
			if z > 0 { // at the right border of a circle
				c := s.Circles(nil)
				k := c[r.IntN(len(c))]
				x, y := int64(k.X+k.R), int64(k.Y)
				id = tile.At(z, x>>(14-z), y>>(14-z))
			}
			p.Cell(&img, id, []*Stroke{s})
			h := sha256.New()
			binary.Write(h, binary.LittleEndian, img.Pix[:])
			fmt.Fprintf(&got, " %x", h.Sum(nil)[:4])
		}
		got.WriteByte('\n')
	}
	file := filepath.Join("testdata", "cells.txt")
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	g, w := bytes.Split(got.Bytes(), []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || !bytes.Equal(g[i], w[i]) {
			t.Fatalf("line %d:\n%s\nwas\n%s", i+1, g[min(i, len(g)-1)], w[min(i, len(w)-1)])
		}
	}
}

// hand is 110 samples of handwriting: 4 px apart, turning smoothly, 3 px wide.
func hand(r *rand.Rand) []Point {
	x, y, a, turn, d := 4000., 8000., 0., 0., 3.
	pts := make([]Point, 110)
	for i := range pts {
		turn = turn*0.8 + r.NormFloat64()*0.12
		a += turn
		x, y = x+256*math.Cos(a), y+256*math.Sin(a)
		d = min(max(d+r.NormFloat64()*0.15, 1.5), 5)
		pts[i] = Point{int64(x), int64(y), int32(d * 64)}
	}
	return pts
}

// BenchmarkFewStrokes paints cells of one to five strokes of 110 samples, prepared: such cells are to take 40 µs.
func BenchmarkFewStrokes(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	var strokes []*Stroke
	for n := 1; n <= 5; n++ {
		s, err := New(tile.At(0, 0, 0), Pen, 0xff, hand(r))
		if err != nil {
			b.Fatal(err)
		}
		strokes = append(strokes, s)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := NewPainter()
			var img raster.Image
			p.Cell(&img, tile.At(0, 0, 0), strokes)
			cpu(b, func() { p.Cell(&img, tile.At(0, 0, 0), strokes) })
		})
	}
}

// BenchmarkSparse paints one stroke of 110 samples, as most cells near people's work have a few of.
func BenchmarkSparse(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	s, err := New(tile.At(0, 0, 0), Pen, 0xff, hand(r))
	if err != nil {
		b.Fatal(err)
	}
	for _, z := range []int{-6, -2, 0, 3, 6, 9, 50, 4000} {
		b.Run(fmt.Sprintf("z%+d", z), func(b *testing.B) {
			id := cellOn(rand.New(rand.NewPCG(1, 2)), s, min(z, 30))
			if z > 30 {
				id, _ = id.Shift(z-30, 5, 5)
			}
			p := NewPainter()
			var img raster.Image
			b.ReportAllocs()
			for b.Loop() {
				p.Cell(&img, id, []*Stroke{s})
			}
		})
	}
}
