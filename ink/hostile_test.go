package ink

import (
	"math"
	"math/rand/v2"
	"testing"

	"fractal/raster"
	"fractal/tile"
)

// hostile are strokes and cells made to be slow: what one person may send, and what everybody else then waits for.
func hostile(tb testing.TB) map[string][]*Stroke {
	r := rand.New(rand.NewPCG(5, 5))
	all := map[string][]*Stroke{}
	add := func(name string, home tile.ID, pts []Point) {
		s, err := New(home, Pen, 0x3366ccff, pts)
		if err != nil {
			tb.Fatal(name, err)
		}
		all[name] = append(all[name], s)
	}
	many := func(n int, at func(i int) Point) []Point {
		pts := make([]Point, n)
		for i := range pts {
			pts[i] = at(i)
		}
		return pts
	}
	anywhere := func(side int64, d int32) func(int) Point {
		return func(int) Point { return Point{8000 + r.Int64N(side), 8000 + r.Int64N(side), d} }
	}
	home := tile.At(0, 0, 0)
	add("700 points in a pixel", home, many(700, anywhere(64, 20)))
	for range 8000 {
		x, y := r.Int64N(tile.Units), r.Int64N(tile.Units)
		add("8,000 strokes in a cell", home, many(20, func(i int) Point {
			return Point{x + int64(i)*50 + r.Int64N(20), y + r.Int64N(400), 60}
		}))
	}
	coast := func(i int) Point {
		a := float64(i) / 68000 * 2 * math.Pi
		d := 5000 + 1500*math.Sin(19*a) + 200*math.Sin(400*a) + 20*r.NormFloat64()
		return Point{8192 + int64(d*math.Cos(a)), 8192 + int64(d*math.Sin(a)), 64}
	}
	add("68,000 points of a coast", home, many(68000, coast))
	add("2^50 tiles long", tile.At(-24, 0, 0), []Point{{-tile.MaxLocal, 4000, 70}, {0, 5000, 90}, {tile.MaxLocal, 4000, 70}})
	add("131,072 points in one pixel", home, many(MaxPoints, anywhere(64, 30)))
	walk := func(step int64, d int32) func(int) Point {
		x, y := int64(8192), int64(8192)
		return func(int) Point {
			x, y = x+r.Int64N(2*step+1)-step, y+r.Int64N(2*step+1)-step
			return Point{x, y, d}
		}
	}
	add("random walk", home, many(MaxPoints, walk(64, 64)))
	add("20,000 points anywhere", home, many(20000, func(int) Point { return Point{r.Int64N(tile.Units), r.Int64N(tile.Units), 100} }))
	add("wide scribble", home, many(MaxPoints, func(int) Point { return Point{r.Int64N(tile.Units), r.Int64N(tile.Units), 2000} }))
	return all
}

// BenchmarkHostile tells the processor time of the first cell of each, of which nothing is prepared, and of the second: no op
// may keep a worker from others for long.
func BenchmarkHostile(b *testing.B) {
	all := hostile(b)
	for _, name := range []string{"700 points in a pixel", "8,000 strokes in a cell", "68,000 points of a coast", "2^50 tiles long",
		"131,072 points in one pixel", "random walk", "20,000 points anywhere", "wide scribble"} {
		strokes := all[name]
		for _, z := range []struct {
			name string
			z    int
		}{{"far", -5}, {"here", 0}, {"near", 6}} {
			b.Run(name+"/"+z.name, func(b *testing.B) {
				home := strokes[0].Home()
				id, ok := home.Shift(z.z, 0, 0)
				if z.z > 0 {
					id, ok = home.Shift(z.z, 8192>>(14-z.z), 8192>>(14-z.z))
				}
				if !ok {
					b.Fatal("out of range")
				}
				p := NewPainter()
				var img raster.Image
				soon := 0.0
				cpu(b, func() {
					for _, s := range strokes {
						s.ready.Store(nil)
					}
					start := threadTime(b)
					p.CellSoon(&img, id, strokes)
					soon += (threadTime(b) - start).Seconds() * 1000
					p.Cell(&img, id, strokes)
				})
				b.ReportMetric(soon/float64(b.N), "soon-ms/op")
				start := threadTime(b)
				p.Cell(&img, id, strokes)
				b.ReportMetric((threadTime(b)-start).Seconds()*1000, "again-ms")
			})
		}
	}
}
