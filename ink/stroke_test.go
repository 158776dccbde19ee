package ink

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"fractal/tile"
	"fractal/wire"
)

func seeded(t testing.TB) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

// scribble is a random hand: n samples about `step` units apart, turning, changing pressure, sometimes resting, sometimes
// turning back.
func scribble(r *rand.Rand, n int, step, d float64) []Point {
	x, y, a := r.Float64()*16384, r.Float64()*16384, r.Float64()*2*math.Pi
	pts := make([]Point, n)
	for i := range pts {
		w := d * (0.5 + r.Float64())
		pts[i] = Point{int64(math.Round(x)), int64(math.Round(y)), int32(max(1, math.Round(w)))}
		switch r.IntN(20) {
		case 0: // rests
			continue
		case 1:
			a += math.Pi
		default:
			a += r.NormFloat64() * 0.4
		}
		l := step * r.Float64() * 2
		x, y = x+l*math.Cos(a), y+l*math.Sin(a)
	}
	return pts
}

func stroke(t testing.TB, brush BrushID, pts []Point) *Stroke {
	t.Helper()
	s, err := New(tile.At(5, 3, -7), brush, 0x123456ff, pts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStrokeKeepsItsSamplesAndBytes(t *testing.T) {
	r := seeded(t)
	for range 500 {
		pts := scribble(r, 1+r.IntN(50), 300, 200)
		if r.IntN(2) == 0 {
			for i := range pts {
				pts[i].D = pts[0].D
			}
		}
		if r.IntN(5) == 0 {
			pts[0].X, pts[0].Y = tile.MaxLocal, -tile.MaxLocal
		}
		s := stroke(t, BrushID(1+r.IntN(4)), pts)
		if got := s.Points(nil); !slices.Equal(got, pts) || s.Len() != len(pts) {
			t.Fatalf("%v became %v", pts, got)
		}
		b, err := proto.Marshal(s.Wire())
		if err != nil {
			t.Fatal(err)
		}
		var w wire.Stroke
		if err := proto.Unmarshal(b, &w); err != nil {
			t.Fatal(err)
		}
		again, err := FromWire(&w)
		if err != nil {
			t.Fatal(err)
		}
		if b2, _ := proto.Marshal(again.Wire()); !bytes.Equal(b, b2) {
			t.Fatalf("%x became %x", b, b2)
		}
		if again.Home() != s.Home() || again.Brush() != s.Brush() || again.Color() != s.Color() || again.Reach() != s.Reach() ||
			!slices.Equal(again.Points(nil), pts) {
			t.Fatalf("%+v became %+v", s, again)
		}
	}
}

func TestBadStrokesAreRefused(t *testing.T) {
	home := tile.At(0, 0, 0)
	ok := []Point{{0, 0, 64}}
	for _, c := range []struct {
		name  string
		brush BrushID
		pts   []Point
	}{
		{"no points", Pen, nil},
		{"no brush", 0, ok},
		{"unknown brush", 200, ok},
		{"too far right", Pen, []Point{{tile.MaxLocal + 1, 0, 64}}},
		{"too far up", Pen, []Point{{0, -tile.MaxLocal - 1, 64}}},
		{"further than 64 bits know", Pen, []Point{{math.MinInt64, math.MaxInt64, 64}}},
		{"no width", Pen, []Point{{0, 0, 0}}},
		{"negative width", Pen, []Point{{0, 0, 5}, {0, 0, -5}}},
		{"huge width", Pen, []Point{{0, 0, MaxDiameter + 1}}},
		{"a million points", Pen, make([]Point, 1<<20)},
		{"too many points", Liner, slices.Repeat(ok, MaxPoints+1)},
	} {
		if s, err := New(home, c.brush, 0, c.pts); !errors.Is(err, ErrStroke) {
			t.Errorf("%s: %v, %v", c.name, s, err)
		}
	}
	good := func() *wire.Stroke {
		return &wire.Stroke{Home: &wire.Tile{}, Brush: 1, Width: 64, Points: []byte{2, 2, 2, 2}}
	}
	if _, err := FromWire(good()); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*wire.Stroke){
		"no home":             func(w *wire.Stroke) { w.Home = nil },
		"address of 10 MB":    func(w *wire.Stroke) { w.Home.X = make([]byte, 10<<20) },
		"level out of bounds": func(w *wire.Stroke) { w.Home.Level = 1 << 20 },
		"brush 257":           func(w *wire.Stroke) { w.Brush = 257 },
		"no points":           func(w *wire.Stroke) { w.Points = nil },
		"half a point":        func(w *wire.Stroke) { w.Points = []byte{2, 2, 2} },
		"cut in a number":     func(w *wire.Stroke) { w.Points = []byte{2, 0x82} },
		"endless number":      func(w *wire.Stroke) { w.Points = append(bytes.Repeat([]byte{0xff}, 40), 1, 2) },
		"overlong number":     func(w *wire.Stroke) { w.Points = []byte{0x82, 0, 2} },
		"ever further":        func(w *wire.Stroke) { w.Points = bytes.Repeat([]byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0x3f, 0}, 9) },
		"width of 2^31":       func(w *wire.Stroke) { w.Width = 1 << 31 },
		"no width anywhere":   func(w *wire.Stroke) { w.Width = 0; w.Points = []byte{2, 2, 0} },
		"width of 2^32 + 1":   func(w *wire.Stroke) { w.Width = 0; w.Points = appendVarint([]byte{2, 2}, 1<<32+1) },
		"more than a MiB":     func(w *wire.Stroke) { w.Points = make([]byte, MaxBytes+2) },
		"too many points":     func(w *wire.Stroke) { w.Points = make([]byte, 2*MaxPoints+2) },
	} {
		w := good()
		spoil(w)
		if s, err := FromWire(w); !errors.Is(err, ErrStroke) {
			t.Errorf("%s: %v, %v", name, s, err)
		} else if len(err.Error()) > 200 || strings.Contains(err.Error(), "%!") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, pts := range [][]Point{ok, slices.Repeat(ok, 500), slices.Repeat(ok, MaxPoints)} {
		if _, err := New(home, Pen, 0, pts); err != nil {
			t.Errorf("%d equal points: %v", len(pts), err)
		}
	}
}

func TestCirclesLieWithinReach(t *testing.T) {
	r := seeded(t)
	for range 500 {
		for _, brush := range []BrushID{Pen, Liner} {
			s := stroke(t, brush, scribble(r, 1+r.IntN(30), 1+1000*r.Float64(), 1+300*r.Float64()))
			b, tight := s.Reach(), [4]float64{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
			for _, c := range s.Circles(nil) {
				if c.X-c.R < float64(b.MinX) || c.Y-c.R < float64(b.MinY) || c.X+c.R > float64(b.MaxX) || c.Y+c.R > float64(b.MaxY) {
					t.Fatalf("circle %v of %v leaves %v", c, s.Points(nil), b)
				}
				tight = [4]float64{min(tight[0], c.X-c.R), min(tight[1], c.Y-c.R), max(tight[2], c.X+c.R), max(tight[3], c.Y+c.R)}
			}
			if brush == Liner && (tight[0] >= float64(b.MinX)+1 || tight[3] <= float64(b.MaxY)-1) {
				t.Fatalf("reach %v of straight lines within %v is loose", b, tight)
			}
		}
	}
}

func FuzzFromWire(f *testing.F) {
	f.Add(uint32(1), uint32(0), []byte{2, 2, 128, 1, 4, 4, 1})
	f.Add(uint32(4), uint32(64), []byte{2, 2, 128, 1, 4, 4})
	f.Fuzz(func(t *testing.T, brush, width uint32, points []byte) {
		s, err := FromWire(&wire.Stroke{Home: &wire.Tile{Level: 3}, Brush: brush, Width: width, Points: points})
		if err != nil {
			return
		}
		pts := s.Points(nil)
		again, err := New(s.Home(), s.Brush(), s.Color(), pts)
		if err != nil || !slices.Equal(again.Points(nil), pts) || again.Reach() != s.Reach() {
			t.Fatalf("%v made again: %v", pts, err)
		}
		if width != 0 && !bytes.Equal(again.points, points) {
			t.Fatalf("%x packed again is %x", points, again.points)
		}
		b := s.Reach()
		circles := s.Circles(nil)
		for _, c := range circles {
			if !(c.X-c.R >= float64(b.MinX) && c.Y-c.R >= float64(b.MinY) && c.X+c.R <= float64(b.MaxX) && c.Y+c.R <= float64(b.MaxY)) {
				t.Fatalf("circle %v of %v leaves %v", c, pts, b)
			}
		}
		var o Outline
		Hull(&o, circles, 1.0/64)
		for _, v := range o.XY {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%v has %v in its outline", pts, v)
			}
		}
	})
}
