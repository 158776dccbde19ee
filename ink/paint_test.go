package ink

import (
	"math"
	"math/rand/v2"
	"testing"

	"fractal/tile"
)

func line(t testing.TB, home tile.ID, color uint32, pts ...Point) *Stroke {
	t.Helper()
	s, err := New(home, Liner, color, pts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// px makes a point of px and a diameter in px.
func px(x, y, d float64) Point {
	return Point{int64(math.Round(x * 64)), int64(math.Round(y * 64)), int32(max(1, math.Round(d*64)))}
}

// cases are the shapes that have broken rasterizers before.
func cases(r *rand.Rand) map[string][]Point {
	all := map[string][]Point{
		"dot":                         {px(100.3, 77.7, 5)},
		"dot of a pixel":              {px(100.3, 77.7, 1)},
		"dot within a pixel":          {px(100.5, 77.5, 0.3)},
		"dot on a corner":             {px(100, 77, 0.4)},
		"dot larger than the cell":    {px(128, 128, 400)},
		"equal points":                {px(50, 50, 9), px(50, 50, 9), px(50, 50, 9)},
		"line":                        {px(20.3, 30.1, 7), px(200.2, 130.9, 7)},
		"horizontal on the grid":      {px(20, 30, 4), px(200, 30, 4)},
		"vertical on the grid":        {px(20, 30, 4), px(20, 200, 4)},
		"hair line":                   {px(20.3, 30.1, 0.05), px(200.2, 130.9, 0.05)},
		"taper":                       {px(20.3, 30.1, 1), px(200.2, 130.9, 40)},
		"taper to a point":            {px(20.3, 30.1, 60), px(100.2, 60.9, 0.02)},
		"contained circles":           {px(100, 100, 50), px(105, 103, 10), px(100, 100, 80), px(90, 100, 20), px(200, 100, 20)},
		"touching inside":             {px(100, 100, 40), px(110, 100, 20), px(150, 100, 20)},
		"reversal":                    {px(30, 30, 8), px(180, 80, 8), px(50, 36, 8)},
		"reversal on itself":          {px(30, 30, 8), px(180, 80, 8), px(30, 30, 8)},
		"reversal, growing":           {px(30, 30, 4), px(120, 60, 30), px(60, 40, 70)},
		"reversal, shrinking":         {px(30, 100, 60), px(120, 100, 30), px(60, 100, 4)},
		"sharp turns":                 {px(30, 30, 10), px(100, 40, 14), px(32, 50, 8), px(110, 61, 12), px(30, 70, 9)},
		"crossing at a vertex":        {px(20, 20, 6), px(100, 100, 6), px(180, 180, 6), px(180, 20, 6), px(100, 100, 6), px(20, 180, 6)},
		"crossing on the grid":        {px(0, 0, 2), px(256, 256, 2), px(256, 0, 2), px(0, 256, 2)},
		"loop with a hole":            {px(50, 50, 12), px(200, 60, 12), px(190, 200, 12), px(60, 190, 12), px(50, 50, 12)},
		"passes the cell":             {px(-3000, -2000, 50), px(3000, 2400, 30)},
		"beside the cell":             {px(-50, 10, 10), px(-50, 200, 10)},
		"from the left":               {px(-500, 30, 20), px(100, 60, 10), px(-500, 90, 20)},
		"from the right":              {px(900, 30, 20), px(100, 60, 10), px(900, 90, 20)},
		"from above and below":        {px(30, -900, 20), px(60, 100, 10), px(90, 1900, 20)},
		"hidden start":                {px(100, 100, 1), px(101, 100, 30), px(160, 100, 3)},
		"growing where it stands":     {px(100, 100, 4), px(100, 100, 30), px(100.5, 100, 60), px(180, 100, 2)},
		"end caps inside one another": {px(100, 100, 30), px(104, 100, 28), px(109, 100, 31)},
	}
	var points []Point
	for range 700 { // all in one pixel, and sticking out a little
		points = append(points, px(100.5+r.NormFloat64()*0.2, 50.5+r.NormFloat64()*0.2, 0.05+0.2*r.Float64()))
	}
	all["700 points in a pixel"] = points
	var hatch []Point
	for i := range 60 {
		hatch = append(hatch, px(40+float64(i%2)*120, 40+float64(i)*1.5, 1.5))
	}
	all["hatching, edges touching"] = hatch
	var retrace []Point
	for range 10 {
		for i := range 20 {
			retrace = append(retrace, px(40+float64(i)*7, 80+20*math.Sin(float64(i)/3), 5))
		}
		for i := 19; i >= 0; i-- {
			retrace = append(retrace, px(40+float64(i)*7, 80+20*math.Sin(float64(i)/3), 5))
		}
	}
	all["retraced ten times"] = retrace
	var spiral []Point
	for i := range 400 {
		a := float64(i) / 10
		spiral = append(spiral, px(128+a*2*math.Cos(a), 128+a*2*math.Sin(a), 3+2*math.Sin(a/3)))
	}
	all["spiral"] = spiral
	var curl []Point // turns tighter than it is wide
	for i := range 60 {
		a := float64(i) / 3
		curl = append(curl, px(128+4*math.Cos(a)+float64(i)*0.3, 128+4*math.Sin(a), 24))
	}
	all["curl tighter than wide"] = curl
	return all
}

func TestShapesAreTrue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	p := NewPainter()
	for name, pts := range cases(r) {
		t.Run(name, func(t *testing.T) {
			s := line(t, tile.At(0, 0, 0), 0xffffffff, pts...)
			most, mean := compare(t, p, s, tile.At(0, 0, 0), 128)
			t.Logf("max %.2f mean %.4f", most, mean)
		})
	}
}

func TestRandomStrokesAreTrueAtEveryZoom(t *testing.T) {
	r := seeded(t)
	p := NewPainter()
	var worst, sum, n float64
	for range 60 {
		pts := scribble(r, 1+r.IntN(60), 200*math.Exp2(4*r.Float64()-2), 100*math.Exp2(5*r.Float64()-3))
		z := r.IntN(24) - 8
		brush := []BrushID{Pen, Liner}[r.IntN(2)]
		s, err := New(tile.At(0, 0, 0), brush, 0xffffffff, pts)
		if err != nil {
			t.Fatal(err)
		}
		id := cellOn(r, s, z)
		most, mean := compare(t, p, s, id, 64)
		worst, sum, n = max(worst, most), sum+mean, n+1
	}
	t.Logf("worst %.2f, mean of means %.4f", worst, sum/n)
}

// cellOn picks a cell z levels finer than a stroke that shows the border of one of its circles.
func cellOn(r *rand.Rand, s *Stroke, z int) tile.ID {
	c := s.Circles(nil)
	k := c[r.IntN(len(c))]
	a := 2 * math.Pi * r.Float64()
	x := math.Floor((k.X + k.R*math.Cos(a)) * math.Ldexp(1, z-14))
	y := math.Floor((k.Y + k.R*math.Sin(a)) * math.Ldexp(1, z-14))
	return tile.At(z, int64(x), int64(y))
}

func BenchmarkOutline(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 3))
	s, err := New(tile.At(0, 0, 0), Pen, 0xff, hand(r))
	if err != nil {
		b.Fatal(err)
	}
	var w workshop
	b.ReportAllocs()
	var o *outline
	for b.Loop() {
		o = w.outlineOf(s, 0)
	}
	b.ReportMetric(float64(len(o.deltas)/2), "edges")
	b.ReportMetric(float64(2*len(o.deltas)+28*len(o.chunks)), "bytes")
}
