package ink

import (
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"fractal/raster"
	"fractal/tile"
)

// scene is a few strokes of every brush around a tile, at levels up to seven coarser and twenty finer.
func scene(t testing.TB, r *rand.Rand, at func(level int, x, y int64) tile.ID) []*Stroke {
	var all []*Stroke
	for level := -12; level <= 20; level += 2 {
		k := math.Ldexp(1, min(level, 0))
		for range 3 {
			pts := scribble(r, 2+r.IntN(40), 500, 600)
			for i := range pts { // below 0, the tile at the corner is seen in the corner of the stroke's
				pts[i].X, pts[i].Y = int64(float64(pts[i].X)*k), int64(float64(pts[i].Y)*k)
			}
			x := int64(0)
			if level > 0 {
				x = r.Int64N(1 << level)
			}
			s, err := New(at(level, x, x/2), BrushID(1+r.IntN(4)), r.Uint32()|0x40, pts)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
	}
	return all
}

func TestSameInkHasSameBytesAnywhere(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	big60 := new(big.Int).Lsh(big.NewInt(1), 60)
	far := new(big.Int).Lsh(big.NewInt(3), 3000)
	var first raster.Image
	p := NewPainter()
	for i, home := range []struct {
		level int
		x, y  *big.Int
	}{
		{0, big.NewInt(0), big.NewInt(0)},
		{0, big60, new(big.Int).Neg(big60)},
		{2000, big.NewInt(0), big.NewInt(0)},
		{2000, far, new(big.Int).Neg(far)},
		{-3000, big60, big60},
	} {
		// The tile of a level relative to the home: its descendants, or its ancestor moved by x, y.
		at := func(level int, x, y int64) tile.ID {
			shift := func(v *big.Int, d int64) *big.Int {
				if level < 0 {
					return new(big.Int).Add(new(big.Int).Rsh(v, uint(-level)), big.NewInt(d))
				}
				return new(big.Int).Add(new(big.Int).Lsh(v, uint(level)), big.NewInt(d))
			}
			id, err := tile.New(home.level+level, shift(home.x, x), shift(home.y, y))
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		strokes := scene(t, rand.New(rand.NewPCG(seed, 7)), at)
		var img raster.Image
		p.Cell(&img, at(0, 0, 0), strokes)
		if i == 0 {
			first = img
			if img == (raster.Image{}) {
				t.Fatal("nothing was painted")
			}
		} else if img != first {
			t.Errorf("other bytes at level %d", home.level)
		}
	}
}

func TestStrokesMovedByPixelsMakeTheSamePixels(t *testing.T) {
	r := seeded(t)
	p := NewPainter()
	home := tile.At(0, 0, 0)
	for z := -8; z <= nearest; z++ {
		unit := int64(math.Ldexp(64, max(-z, 0))) // px of the cell in units of home, for z ≤ 0
		if z > 0 {
			unit = 64 >> z
		}
		for range 4 {
			pts := scribble(r, 1+r.IntN(60), 300*math.Ldexp(1, -z)/2, 300*math.Ldexp(1, -z)/2)
			dx, dy := int64(r.IntN(200)-100), int64(r.IntN(200)-100)
			moved := make([]Point, len(pts))
			for i, q := range pts {
				pts[i].D = max(1, min(q.D, MaxDiameter))
				moved[i] = Point{q.X + dx*unit, q.Y + dy*unit, pts[i].D}
			}
			a, b := line(t, home, 0x336699aa, pts...), line(t, home, 0x336699aa, moved...)
			id := tile.At(z, 0, 0)
			var one, two raster.Image
			p.Cell(&one, id, []*Stroke{a})
			p.Cell(&two, id, []*Stroke{b})
			for y := range int64(raster.Size) {
				for x := range int64(raster.Size) {
					u, v := x+dx, y+dy
					if u >= 0 && u < raster.Size && v >= 0 && v < raster.Size && one.Pix[y*raster.Size+x] != two.Pix[v*raster.Size+u] {
						t.Fatalf("z %d, moved by %d, %d px: pixel %d, %d is another", z, dx, dy, x, y)
					}
				}
			}
		}
	}
}

func TestPainterRemembersNothing(t *testing.T) {
	r := seeded(t)
	a := scene(t, r, tile.At)
	b := scene(t, r, tile.At)
	id := tile.At(0, 0, 0)
	p := NewPainter()
	var first, again, other raster.Image
	p.Cell(&first, id, a)
	p.Cell(&other, tile.At(3, 2, 1), b)
	p.Cell(&again, id, a)
	if first != again {
		t.Error("A, B, A: the second A differs")
	}
	for _, s := range a {
		s.ready.Store(nil)
	}
	NewPainter().Cell(&again, id, a)
	if first != again {
		t.Error("prepared anew by another painter, other bytes")
	}
	for _, s := range a {
		s.ready.Store(nil)
	}
	var wg sync.WaitGroup
	images := make([]raster.Image, 4)
	for i := range images {
		wg.Go(func() { NewPainter().Cell(&images[i], id, a) })
	}
	wg.Wait()
	for i := range images {
		if images[i] != first {
			t.Error("painted by four at once, other bytes")
		}
	}
}

func TestPaintingAllocatesNothing(t *testing.T) {
	r := seeded(t)
	var strokes []*Stroke
	for range 6 {
		for _, s := range scene(t, r, tile.At) {
			if s.Home().Level() >= -7 {
				strokes = append(strokes, s)
			}
		}
	}
	p := NewPainter()
	var img raster.Image
	p.Cell(&img, tile.At(0, 0, 0), strokes)
	if n := testing.AllocsPerRun(5, func() { p.Cell(&img, tile.At(0, 0, 0), strokes) }); n > 0 {
		t.Errorf("%v allocations a cell", n)
	}
}

func TestRetracedStrokeEqualsSinglePass(t *testing.T) {
	p := NewPainter()
	pts := cases(rand.New(rand.NewPCG(1, 1)))["retraced ten times"]
	home := tile.At(0, 0, 0)
	for _, z := range []int{0, -1, 2, 5, -3} {
		id := tile.At(z, 0, 0)
		if z > 0 {
			id = tile.At(z, 1<<z/3, 1<<z/3)
		}
		once, ten := alpha(p, id, line(t, home, 0xff, pts[:20]...)), alpha(p, id, line(t, home, 0xff, pts...))
		if most, _, at, _ := difference(once, ten); most > 1 {
			t.Errorf("z %d: %.2f/255 at %d, %d", z, most, at%refSize, at/refSize)
		}
	}
}

func TestHighlighterIsFilledOnce(t *testing.T) {
	r := seeded(t)
	p := NewPainter()
	for range 20 {
		s, err := New(tile.At(0, 0, 0), Highlighter, 0xffff0080, scribble(r, 60, 800, 900))
		if err != nil {
			t.Fatal(err)
		}
		most := 0.0
		for _, a := range alpha(p, cellOn(r, s, r.IntN(6)-2), s) {
			most = max(most, a)
		}
		if math.Abs(most-128.0/255) > 0.0001 {
			t.Errorf("alpha up to %.4f, want %.4f", most, 128.0/255)
		}
	}
}

func TestEraserTakesAwayWhatLiesBeneath(t *testing.T) {
	p := NewPainter()
	home := tile.At(0, 0, 0)
	ink := line(t, home, 0x2040c0ff, px(128, 128, 200))
	rub, err := New(home, Eraser, 0x000000ff, []Point{px(20, 128, 40), px(236, 128, 40)})
	if err != nil {
		t.Fatal(err)
	}
	after := line(t, home, 0xff0000ff, px(60, 128, 10))
	var img raster.Image
	p.Cell(&img, home, []*Stroke{ink, rub, after})
	for _, c := range []struct {
		x, y int
		want uint32
	}{{128, 128, 0}, {60, 128, 0xff0000ff}, {128, 60, 0xffc04020}, {5, 5, 0}} {
		if got := img.Pix[c.y*refSize+c.x].Straight8(); got != c.want {
			t.Errorf("pixel %d, %d is %08x, want %08x", c.x, c.y, got, c.want)
		}
	}
	half, _ := New(home, Eraser, 0x00000080, []Point{px(128, 128, 40)})
	p.Cell(&img, home, []*Stroke{ink, half})
	if got := img.Pix[128*refSize+128].Straight8() >> 24; got != 127 {
		t.Errorf("half erased to %d", got)
	}
}

func TestFaintStrokesAddUp(t *testing.T) {
	p := NewPainter()
	// Seen from six levels above, a line of 3.2 px by 2 is 1/640 px.
	var strokes []*Stroke
	for range 2000 {
		strokes = append(strokes, line(t, tile.At(6, 5, 5), 0xffffffff, px(100, 100, 2), px(101.6292, 100, 2)))
	}
	area := (math.Pi + 1.6292*2) / 4096
	want := 1 - math.Pow(1-area, 2000)
	sum := 0.0
	for _, a := range alpha(p, tile.At(0, 0, 0), strokes...) {
		sum += a
	}
	if math.Abs(sum-want) > 0.01 {
		t.Errorf("2,000 strokes of %.6f px make %.4f, want %.4f", area, sum, want)
	}
}

func TestCoverageSumsToArea(t *testing.T) {
	r := seeded(t)
	p := NewPainter()
	for range 30 {
		// Within the cell at every zoom: a scribble in the middle.
		pts := scribble(r, 1+r.IntN(20), 40, 200)
		for i := range pts {
			pts[i].X, pts[i].Y = 8192+(pts[i].X-pts[0].X)/2, 8192+(pts[i].Y-pts[0].Y)/2
		}
		s := line(t, tile.At(0, 0, 0), 0xff, pts...)
		want := 0.0
		for _, a := range reference(local(s, tile.At(0, 0, 0)), 256) {
			want += a
		}
		for z := 0; z >= -4; z-- {
			got := 0.0
			for _, a := range alpha(p, tile.At(z, 0, 0), s) {
				got += a
			}
			got = math.Ldexp(got, -2*z)
			if math.Abs(got-want) > 0.02*want+0.05 {
				t.Errorf("z %d: area %.4f px, want %.4f; %v", z, got, want, pts)
			}
		}
	}
}

func TestDeepEdgesStayWhereTheyWereDrawn(t *testing.T) {
	p := NewPainter()
	home := tile.At(7, -3, 5)
	// Of a line between two circles, the left tangent; of a dot, the border at some angle: in 9,000 bits.
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(9000).SetFloat64(v) }
	op := func(f func(z, x, y *big.Float) *big.Float, x, y *big.Float) *big.Float {
		return f(new(big.Float).SetPrec(9000), x, y)
	}
	add := func(x, y *big.Float) *big.Float { return op((*big.Float).Add, x, y) }
	mul := func(x, y *big.Float) *big.Float { return op((*big.Float).Mul, x, y) }
	quo := func(x, y *big.Float) *big.Float { return op((*big.Float).Quo, x, y) }
	sqrt := func(x *big.Float) *big.Float { return new(big.Float).SetPrec(9000).Sqrt(x) }
	neg := func(x *big.Float) *big.Float { return new(big.Float).Neg(x) }

	type edge struct {
		name   string
		s      *Stroke
		x, y   *big.Float // a point of the border, in units of home
		nx, ny float64    // outward
	}
	var edges []edge
	for _, c := range []struct{ a, b Point }{
		{Point{1000, 2000, 700}, Point{9001, 5003, 301}},
		{Point{-100000, 2001, 65}, Point{90010, 50030, 30001}},
		{Point{1 << 39, -1 << 39, 1 << 20}, Point{-1 << 39, 1<<38 + 12345, 1 << 19}},
	} {
		s := line(t, home, 0xff, c.a, c.b)
		dx, dy, dr := num(float64(c.b.X-c.a.X)), num(float64(c.b.Y-c.a.Y)), num(float64(c.a.D-c.b.D)/2)
		dd := add(mul(dx, dx), mul(dy, dy))
		h := sqrt(add(dd, neg(mul(dr, dr))))
		nx := quo(add(mul(dr, dx), neg(mul(h, dy))), dd)
		ny := quo(add(mul(dr, dy), mul(h, dx)), dd)
		r := num(float64(c.a.D) / 2)
		// A third of the way along the tangent.
		third := quo(h, mul(num(3), dd)) // times the tangent's direction, d·h/|d|² is near it but not it
		tx, ty := mul(ny, mul(third, sqrt(dd))), neg(mul(nx, mul(third, sqrt(dd))))
		if fx, _ := add(mul(tx, dx), mul(ty, dy)).Float64(); fx < 0 {
			tx, ty = neg(tx), neg(ty)
		}
		half := num(float64(c.b.X-c.a.X) / 4)
		_ = half
		length := sqrt(dd)
		x := add(add(num(float64(c.a.X)), mul(r, nx)), mul(tx, quo(length, num(2))))
		y := add(add(num(float64(c.a.Y)), mul(r, ny)), mul(ty, quo(length, num(2))))
		fx, _ := nx.Float64()
		fy, _ := ny.Float64()
		edges = append(edges, edge{"tangent", s, x, y, fx, fy})
	}
	for _, c := range []Point{{5000, 6000, 3001}, {5000, 6000, 1 << 20}, {-1 << 40, 1 << 40, 77}} {
		s := line(t, home, 0xff, c)
		u, v := num(-0.3), num(1.1)
		l := sqrt(add(mul(u, u), mul(v, v)))
		u, v = quo(u, l), quo(v, l)
		r := num(float64(c.D) / 2)
		fx, _ := u.Float64()
		fy, _ := v.Float64()
		edges = append(edges, edge{"dot", s, add(num(float64(c.X)), mul(r, u)), add(num(float64(c.Y)), mul(r, v)), fx, fy})
	}
	for _, e := range edges {
		for _, z := range []int{8, 13, 14, 20, 40, 64, 300, 1100, 4000} {
			// The cell that holds the point, and where on it.
			scale := new(big.Float).SetMantExp(num(1), z-14)
			split := func(v *big.Float, corner *big.Int) (*big.Int, float64) {
				w := mul(v, scale)
				i, _ := w.Int(nil)
				if w.Sign() < 0 {
					i.Sub(i, big.NewInt(1))
				}
				f, _ := add(w, neg(new(big.Float).SetPrec(9000).SetInt(i))).Float64()
				return i.Add(i, new(big.Int).Lsh(corner, uint(z))), f * 256
			}
			cx, u := split(e.x, home.X())
			cy, v := split(e.y, home.Y())
			id, err := tile.New(home.Level()+z, cx, cy)
			if err != nil {
				t.Fatal(err)
			}
			got := alpha(p, id, e.s)
			k := 0.5 / (float64(e.s.Points(nil)[0].D) / 2 / 64 * math.Ldexp(1, min(z, 60))) // curvature: of a dot at most
			if e.name == "tangent" {
				k = 0
			}
			for i, a := range got {
				x, y := float64(i%refSize)+0.5-u, float64(i/refSize)+0.5-v
				d := x*e.nx + y*e.ny + k*(x*x+y*y)
				if k*(x*x+y*y) > 8 {
					continue // not nearly straight here
				}
				want := min(max(0.5-d/(math.Abs(e.nx)+math.Abs(e.ny)), 0), 1) // right to 0.09 for any angle
				if math.Abs(a-want) > 0.16 {
					t.Errorf("%s, z %d: pixel %d, %d at %.3f px from the edge has %.3f", e.name, z, i%refSize, i/refSize, d, a)
					break
				}
				// Where the edge passes the pixel's middle the coverage is a half for any angle.
				if math.Abs(d) < 0.02 && math.Abs(a-0.5) > 0.06 {
					t.Errorf("%s, z %d: pixel %d, %d with the edge in its middle has %.3f", e.name, z, i%refSize, i/refSize, a)
					break
				}
			}
		}
	}
}

func TestCellDeepWithinIsSolidAndOutsideEmpty(t *testing.T) {
	p := NewPainter()
	s := line(t, tile.At(0, 0, 0), 0xff8000ff, px(30, 30, 40), px(200, 100, 30))
	x := new(big.Int).Lsh(big.NewInt(100), 4000-8)
	y := new(big.Int).Lsh(big.NewInt(60), 4000-8)
	var img raster.Image
	id, _ := tile.New(4000, x, y)
	p.Cell(&img, id, []*Stroke{s})
	for _, q := range img.Pix {
		if q.Straight8() != 0xff0080ff {
			t.Fatalf("inside there is %08x", q.Straight8())
		}
	}
	id, _ = tile.New(4000, x, x)
	p.Cell(&img, id, []*Stroke{s})
	if img != (raster.Image{}) {
		t.Error("outside there is something")
	}
}

func TestLongStrokeIsTrue(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	pts := make([]Point, 68000)
	x, y, a := 0.0, 0.0, 0.0
	for i := range pts {
		a = 0.7*a + r.NormFloat64()*0.9 // a coast: it wriggles, and gets on
		x, y = x+90*math.Cos(a), y+90*math.Sin(a)
		pts[i] = Point{int64(x), int64(y), 40 + int32(r.IntN(60))}
	}
	s := line(t, tile.At(0, 0, 0), 0xff, pts...)
	p := NewPainter()
	for _, z := range []int{-8, -1, 2, 5, 9} {
		compare(t, p, s, cellOn(r, s, z), 64)
	}
}

func TestTangleIsPaintedInBoundedTime(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	pts := make([]Point, 3000)
	for i := range pts {
		pts[i] = Point{r.Int64N(16384), r.Int64N(16384), 4}
	}
	s := line(t, tile.At(0, 0, 0), 0xff, pts...)
	got, want := alpha(NewPainter(), tile.At(0, 0, 0), s), reference(local(s, tile.At(0, 0, 0)), 32)
	_, mean, _, _ := difference(got, want)
	if mean > 8 {
		t.Errorf("mean error %.2f/255", mean)
	}
	t.Logf("mean error %.2f/255", mean)
}

func FuzzShape(f *testing.F) {
	f.Add(uint8(0), []byte{100, 100, 20, 150, 150, 40})
	f.Add(uint8(3), []byte{100, 100, 20, 150, 150, 40, 100, 100, 20, 90, 200, 1, 90, 201, 80})
	f.Add(uint8(11), []byte{100, 100, 20, 101, 100, 60, 103, 100, 21, 100, 100, 100})
	f.Fuzz(func(t *testing.T, zoom uint8, bytes []byte) {
		var pts []Point
		for i := 0; i+2 < len(bytes) && len(pts) < 40; i += 3 {
			pts = append(pts, Point{int64(bytes[i]) * 64, int64(bytes[i+1]) * 64, int32(bytes[i+2])*23 + 1})
		}
		if len(pts) == 0 {
			return
		}
		s, err := New(tile.At(0, 0, 0), Liner, 0xff, pts)
		if err != nil {
			t.Fatal(err)
		}
		z := int(zoom%16) - 5
		id := tile.At(z, int64(math.Floor(math.Ldexp(float64(pts[0].X), z-14))), int64(math.Floor(math.Ldexp(float64(pts[0].Y), z-14))))
		compare(t, NewPainter(), s, id, 64)
	})
}
