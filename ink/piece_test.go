package ink

import (
	"math/big"
	"testing"

	"fractal/tile"
	"fractal/wire"
)

// expandRun gives the circles of one run as a client does.
func expandRun(p *wire.Piece, run *wire.Run, coarse int) (out []Circle) {
	brush, _ := BrushID(p.Brush).Brush()
	e := expander{brush.Join, coarse}
	var pts []Point
	for r := (reader{b: run.Points, width: int32(p.Width)}); len(r.b) > 0; {
		r.next()
		pts = append(pts, r.p)
	}
	from, to := 0, len(pts)-1
	if run.Lead {
		from++
	}
	if run.Tail {
		to--
	}
	out = append(out, circle(pts[from]))
	for i := from; i < to; i++ {
		out = e.segment(out, pts[max(i-1, 0)], pts[i], pts[i+1], pts[min(i+2, len(pts)-1)])
	}
	return out
}

func TestPieceIsTheStrokeNearItsSquare(t *testing.T) {
	r := seeded(t)
	sent, cut, several := 0, 0, 0
	for range 3000 {
		brush := BrushID(1 + r.IntN(4))
		x := new(big.Int).Lsh(big.NewInt(r.Int64()), uint(r.IntN(300)))
		home, err := tile.New(r.IntN(200)-100, x, new(big.Int).Neg(x))
		if err != nil {
			t.Fatal(err)
		}
		d := MinPiece + r.IntN(MaxPiece-MinPiece+1)
		if r.IntN(2) == 0 {
			d = MinPiece + r.IntN(9)
		}
		n := 1 + r.IntN(80)
		if r.IntN(40) == 0 {
			n = 700 + r.IntN(2000) // long enough for leaps
		}
		s, err := New(home, brush, 7, scribble(r, n, 1500*r.Float64(), 1+300*r.Float64()*r.Float64()))
		if err != nil {
			t.Fatal(err)
		}
		// A square about one of the samples, or beside it.
		pts := s.Points(nil)
		at := pts[r.IntN(len(pts))]
		unit, _ := home.Shift(14, at.X, at.Y)
		id, _ := unit.Shift(-14-d, 0, 0)
		id, _ = id.Shift(0, r.Int64N(3)-1, r.Int64N(3)-1)
		if id.Level() != home.Level()-d {
			t.Fatal("the square is at the wrong level")
		}
		cx, cy, _ := tile.Between(home, id).Corner()
		side := int64(1) << (14 + d)

		type pair struct{ a, b Circle }
		have := map[pair]bool{}
		p, ok := s.Piece(id, 42)
		if ok {
			sent++
			if p.Seq != 42 || p.Brush != uint32(brush) || p.Color != 7 || p.Dlevel != int32(d) {
				t.Fatalf("piece %v", p)
			}
			if len(p.Runs) > 1 {
				several++
			}
			bytes := 0
			for _, run := range p.Runs {
				bytes += len(run.Points)
				c := expandRun(p, run, 0)
				have[pair{c[0], c[0]}] = true
				for i := range c[1:] {
					have[pair{c[i], c[i+1]}] = true
				}
			}
			if bytes < len(s.points)/2 {
				cut++
			}
		}
		whole := s.Circles(nil)
		local := func(c Circle) Circle { return Circle{c.X - float64(cx), c.Y - float64(cy), c.R} }
		in := func(a, b Circle) bool {
			return min(a.X-a.R, b.X-b.R) <= float64(side) && max(a.X+a.R, b.X+b.R) >= 0 &&
				min(a.Y-a.R, b.Y-b.R) <= float64(side) && max(a.Y+a.R, b.Y+b.R) >= 0
		}
		known := map[pair]bool{}
		near := 0
		for i := range whole {
			a, b := local(whole[i]), local(whole[min(i+1, len(whole)-1)])
			known[pair{a, b}], known[pair{a, a}] = true, true
			if (len(whole) == 1 || i+1 < len(whole)) && s.Touches(id) && in(a, b) {
				near++
				if !have[pair{a, b}] {
					t.Fatalf("circles %v, %v of stroke %v lack in the piece of %v for %v", a, b, pts, home, id)
				}
			}
		}
		for p := range have {
			if !known[p] {
				t.Fatalf("circles %v of the piece are not in the stroke", p)
			}
		}
		if near > 0 && !ok {
			t.Fatalf("no piece of %v for %v", home, id)
		}
	}
	if sent < 700 || cut < 200 || several < 100 {
		t.Errorf("%d pieces, %d of them cut short, %d in several runs: the cases are lopsided", sent, cut, several)
	}
}

func TestNoPieceWhereItCannotTravel(t *testing.T) {
	s, err := New(tile.At(10, 0, 0), Liner, 1, []Point{{100, 100, 64}, {100, 9000, 64}, {9000, 9000, 64}})
	if err != nil {
		t.Fatal(err)
	}
	for d := -12; d <= 30; d++ {
		id, _ := tile.At(10, 0, 0).Shift(-d, 0, 0)
		if _, ok := s.Piece(id, 1); ok != (d >= MinPiece && d <= MaxPiece) {
			t.Errorf("stroke %d levels below its square: %v", d, ok)
		}
	}
	if _, ok := s.Piece(tile.At(10, 1, 0), 1); ok {
		t.Error("a piece for a square it does not reach")
	}
	if _, ok := s.Piece(tile.At(11, 1, 0), 1); ok {
		t.Error("a piece for a corner of the reach that the shape does not touch")
	}
}

func TestCoarserCirclesAreASubset(t *testing.T) {
	r := seeded(t)
	for range 300 {
		s := stroke(t, Pen, scribble(r, 1+r.IntN(40), 800*r.Float64(), 100))
		fine := s.Circles(nil)
		for coarse := 0; coarse < 24; coarse += 1 + r.IntN(5) {
			i := 0
			for _, c := range s.CirclesAt(nil, coarse) {
				for i < len(fine) && fine[i] != c {
					i++
				}
				if i == len(fine) {
					t.Fatalf("circle %v at %d is not among the finest of %v", c, coarse, s.Points(nil))
				}
			}
		}
	}
}

func TestChordsKeepToTheCurve(t *testing.T) {
	r := seeded(t)
	for range 300 {
		s := stroke(t, Pen, scribble(r, 2+r.IntN(10), 40, 10))
		pts, circles := s.Points(nil), s.Circles(nil)
		at := func(i int) Point { return pts[max(0, min(i, len(pts)-1))] }
		for i := range len(pts) - 1 {
			for _, u := range []float64{0.03, 0.2, 0.41, 0.5, 0.77, 0.93} {
				f := func(a, b, c, d int64) float64 {
					p0, p1, p2, p3 := float64(a), float64(b), float64(c), float64(d)
					return (2*p1 + (p2-p0)*u + (2*p0-5*p1+4*p2-p3)*u*u + (3*p1-p0-3*p2+p3)*u*u*u) / 2
				}
				x := f(at(i-1).X, at(i).X, at(i+1).X, at(i+2).X)
				y := f(at(i-1).Y, at(i).Y, at(i+1).Y, at(i+2).Y)
				best := 1e9
				for j := range circles {
					a, b := circles[j], circles[min(j+1, len(circles)-1)]
					a.R, b.R = 0, 0
					best = min(best, capsule(a, b, x, y))
				}
				if best > 0.25+1.0/64 {
					t.Fatalf("the curve at %d + %v is %v units from its chords: %v", i, u, best, pts)
				}
			}
		}
	}
}

func BenchmarkPiece(b *testing.B) {
	long, err := New(tile.At(0, 0, 0), Liner, 1, handwriting(68000))
	if err != nil {
		b.Fatal(err)
	}
	pts := long.Points(nil)
	unit, _ := tile.At(0, 0, 0).Shift(14, pts[30000].X, pts[30000].Y)
	far, _ := unit.Shift(-14, 0, 0)
	b.Run("of68000", func(b *testing.B) {
		for b.Loop() {
			long.Piece(far, 1)
		}
	})
	short := stroke(b, Pen, handwriting(110))
	b.Run("of110", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			short.Piece(short.Home(), 1)
		}
	})
}

func TestMostBoundsAPiece(t *testing.T) {
	r := seeded(t)
	pts := make([]Point, 20_000) // a coast of 80 tiles
	for i := range pts {
		pts[i] = Point{X: int64(i) * 64, Y: r.Int64N(4000), D: 128}
	}
	s, err := New(tile.At(0, 0, 0), Liner, 0xff, pts)
	if err != nil {
		t.Fatal(err)
	}
	for x := range int64(82) {
		id := tile.At(0, x-1, 0)
		samples := 0
		if p, ok := s.Piece(id, 1); ok {
			for _, run := range p.Runs {
				rd := reader{b: run.Points, width: s.width}
				for ; len(rd.b) > 0; samples++ {
					rd.next()
				}
			}
		}
		most := s.Most(id)
		if samples > most+1 {
			t.Errorf("tile %d: a piece of %d samples, at most %d were told", x-1, samples, most)
		}
		if most > 3*leapLen && s.Touches(id) {
			t.Errorf("tile %d: %d samples told of %d", x-1, most, len(pts))
		}
	}
}
