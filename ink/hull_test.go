package ink

import (
	"math"
	"math/rand/v2"
	"testing"
)

// capsule is the signed distance of a point from the hull of two circles: the slow and obvious way to know the shape.
func capsule(a, b Circle, x, y float64) float64 {
	if a.R < b.R {
		a, b = b, a
	}
	h := math.Hypot(b.X-a.X, b.Y-a.Y)
	if h <= a.R-b.R {
		return math.Hypot(x-a.X, y-a.Y) - a.R
	}
	ux, uy := (b.X-a.X)/h, (b.Y-a.Y)/h
	along := (x-a.X)*ux + (y-a.Y)*uy
	off := math.Abs((y-a.Y)*ux - (x-a.X)*uy)
	s := (a.R - b.R) / h
	q := math.Sqrt(1 - s*s)
	switch k := along*q - off*s; {
	case k < 0:
		return math.Hypot(off, along) - a.R
	case k > q*h:
		return math.Hypot(off, along-h) - b.R
	}
	return off*q + along*s - a.R
}

func distance(circles []Circle, x, y float64) float64 {
	d := math.Inf(1)
	for i, c := range circles {
		d = min(d, capsule(c, circles[min(i+1, len(circles)-1)], x, y))
	}
	return d
}

// winding counts how often the contours turn around the point.
func winding(o *Outline, x, y float64) int {
	w, from := 0, 0
	for _, end := range o.Ends {
		c := o.XY[from:end]
		from = end
		for i := 0; i < len(c); i += 2 {
			j := (i + 2) % len(c)
			ax, ay, bx, by := c[i]-x, c[i+1]-y, c[j]-x, c[j+1]-y
			if ay <= 0 != (by <= 0) {
				if side := ax*by - ay*bx; by > 0 && side > 0 {
					w++
				} else if by <= 0 && side < 0 {
					w--
				}
			}
		}
	}
	return w
}

// checkHull throws points at a hull, most of them near its edge.
func checkHull(t *testing.T, r *rand.Rand, name string, circles []Circle, scale float64) {
	t.Helper()
	var o Outline
	Hull(&o, circles, scale)
	if len(o.Ends) == 0 || o.Ends[len(o.Ends)-1] != len(o.XY) {
		t.Fatalf("%s: contours end at %v of %d", name, o.Ends, len(o.XY))
	}
	tol := 1.01 * 0.1 / scale
	bad := 0
	for range 400 {
		c := circles[r.IntN(len(circles))]
		a, l := r.Float64()*2*math.Pi, c.R*(0.5+r.Float64())+3*tol*r.NormFloat64()
		x, y := c.X+l*math.Cos(a), c.Y+l*math.Sin(a)
		d, w := distance(circles, x, y), winding(&o, x, y)
		if w < 0 || d < -tol && w == 0 || d > tol && w != 0 {
			if bad++; bad <= 3 {
				t.Errorf("%s at %v px a unit: winding %d at distance %v (tolerance %v)\ncircles %v", name, scale, w, d, tol, clipped(circles))
			}
		}
	}
}

func clipped(c []Circle) []Circle { return c[:min(len(c), 12)] }

func TestHullIsTheUnionOfHulls(t *testing.T) {
	r := seeded(t)
	for i := range 1500 {
		pts := scribble(r, 1+r.IntN(25), 1+400*r.Float64()*r.Float64(), 1+600*r.Float64()*r.Float64())
		s := stroke(t, BrushID(1+3*r.IntN(2)), pts)
		scale := math.Ldexp(1, r.IntN(14)-12)
		checkHull(t, r, "scribble", s.Circles(nil), scale)
		if t.Failed() {
			t.Fatalf("scribble %d: %v", i, pts)
		}
	}
}

func TestHullOfAwkwardCircles(t *testing.T) {
	r := seeded(t)
	for name, c := range map[string][]Circle{
		"a disc":                  {{5, 5, 100}},
		"equal circles":           {{5, 5, 100}, {5, 5, 100}, {5, 5, 100}},
		"one in the next":         {{5, 5, 10}, {8, 8, 100}},
		"one in the one before":   {{5, 5, 100}, {8, 8, 10}},
		"a string of smaller":     {{5, 5, 100}, {8, 8, 50}, {8, 8, 20}, {9, 9, 1}},
		"a string of larger":      {{5, 5, 1}, {8, 8, 20}, {8, 8, 50}, {9, 9, 100}},
		"in and out on one side":  {{0, 0, 100}, {10, 0, 10}, {300, 0, 20}},
		"in and out on the other": {{0, 0, 100}, {10, 0, 10}, {-300, 50, 20}},
		"into a larger one":       {{300, 0, 20}, {10, 0, 10}, {0, 0, 100}},
		"touching from inside":    {{0, 0, 100}, {50, 0, 50}, {200, 0, 50}},
		"nearly inside":           {{0, 0, 100}, {50, 1. / 64, 50}, {200, 0, 50}},
		"there and back":          {{0, 0, 50}, {200, 0, 50}, {0, 0, 50}},
		"there and back, growing": {{0, 0, 10}, {200, 0, 50}, {0, 0, 90}},
		"back, narrower":          {{0, 0, 90}, {200, 0, 90}, {100, 0, 5}, {400, 0, 90}},
		"a right angle":           {{0, 0, 50}, {200, 0, 50}, {200, 200, 50}},
		"a peak of width":         {{0, 0, 5}, {60, 0, 60}, {120, 0, 5}},
		"a waist":                 {{0, 0, 60}, {60, 0, 5}, {120, 0, 60}},
		"thick and dense":         {{0, 0, 500}, {8, 1, 500}, {16, 4, 500}, {23, 9, 500}, {29, 15, 500}, {33, 22, 500}},
		"a circle of dense steps": ring(500, 30, 200),
		"a tight circle":          ring(20, 100, 200),
		"three tight turns":       ring(20, 100, 200*3),
		"a hump round a corner":   {{0, 0, 1}, {100, 0, 99.5}, {117.5, 98.5, 1}},
		"and round the other":     {{0, 0, 1}, {100, 0, 99.5}, {117.5, -98.5, 1}},
		"inside but for a hair":   {{0, 0, 1 << 19}, {1<<19 - 1, 1. / 64, 1}, {1 << 20, 0, 1}},
		"far away":                {{1 << 40, -1 << 40, 50}, {1<<40 + 200, -1 << 40, 60}, {1<<40 + 200, -1<<40 + 77, 40}},
	} {
		for _, scale := range []float64{1. / 4096, 1. / 64, 1, 8} {
			checkHull(t, r, name, c, scale)
		}
	}
	var o Outline
	if Hull(&o, nil, 1); len(o.XY)+len(o.Ends) != 0 {
		t.Error("no circles have a hull")
	}
}

func ring(radius, r float64, n int) (c []Circle) {
	for i := range n {
		a := 2 * math.Pi * float64(i) / float64(min(n, 200))
		c = append(c, Circle{math.Round(64*radius*math.Cos(a)) / 64, math.Round(64*radius*math.Sin(a)) / 64, r})
	}
	return c
}

func TestThinLinesKeepTheirArea(t *testing.T) {
	r := seeded(t)
	for range 100 {
		pts := scribble(r, 60, 200, 40)
		for i := range pts {
			pts[i].D = 40
		}
		circles := stroke(t, Pen, pts).Circles(nil)
		length := 0.0
		for i, c := range circles[1:] {
			length += math.Hypot(c.X-circles[i].X, c.Y-circles[i].Y)
		}
		var o Outline
		Hull(&o, circles, 1.0/64/1024) // 1/1024 of its natural size: a hundredth of a pixel wide
		area, from := 0.0, 0
		for _, end := range o.Ends {
			c := o.XY[from:end]
			from = end
			for i := 0; i < len(c); i += 2 {
				j := (i + 2) % len(c)
				area += (c[i]*c[j+1] - c[j]*c[i+1]) / 2
			}
		}
		if want := 40 * length; area < 0.8*want || area > 1.2*want+40*40 {
			t.Fatalf("a line of area %v has a hull of %v", want, area)
		}
	}
}

// handwriting is a stroke like those people make: n samples some pixels apart.
func handwriting(n int) []Point {
	r := rand.New(rand.NewPCG(7, 7))
	pts := make([]Point, n)
	x, y, a, turn := 8000.0, 8000.0, 0.0, 0.0
	for i := range pts {
		pts[i] = Point{int64(x), int64(y), int32(200 + 60*math.Sin(float64(i)/9))}
		turn = 0.8*turn + 0.08*r.NormFloat64()
		a += turn
		x, y = x+190*math.Cos(a), y+190*math.Sin(a)
	}
	return pts
}

func BenchmarkStroke110(b *testing.B) {
	s := stroke(b, Pen, handwriting(110))
	var circles []Circle
	var o Outline
	b.Run("Circles", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			circles = s.Circles(circles[:0])
		}
		b.ReportMetric(float64(len(circles)), "circles")
	})
	b.Run("CirclesAtOwnScale", func(b *testing.B) {
		for b.Loop() {
			circles = s.CirclesAt(circles[:0], 4)
		}
		b.ReportMetric(float64(len(circles)), "circles")
	})
	b.Run("Hull", func(b *testing.B) {
		b.ReportAllocs()
		circles = s.Circles(circles[:0])
		for b.Loop() {
			o.Reset()
			Hull(&o, circles, 1.0/64)
		}
		b.ReportMetric(float64(len(o.XY)/2), "vertices")
	})
	b.Run("HullAtOwnScale", func(b *testing.B) {
		circles = s.CirclesAt(circles[:0], 4)
		for b.Loop() {
			o.Reset()
			Hull(&o, circles, 1.0/64)
		}
		b.ReportMetric(float64(len(o.XY)/2), "vertices")
	})
}
