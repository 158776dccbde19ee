package mandel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// down is a view of l's point, k doublings below the whole set.
func (l location) down(t testing.TB, k, w, h int) (Grid, Fixed, Fixed) {
	t.Helper()
	_, re, im := l.view(t, w, h)
	_, hb := math.Frexp(float64(h - 1))
	g := around(re, im, 2-k-hb, w, h)
	return g, re, im
}

// Runs move a picture a little: how far is told from the smooth count and how it changes from sample to sample.
func TestRunsDrawWhatStepsDraw(t *testing.T) {
	const eps = 0x1p-28
	for _, c := range []struct {
		name              string
		depth, lag, limit int
	}{
		{"e14", 44, 7, 4096}, {"e50", 42, 7, 8192}, {"e50", 91, 7, 65536}, {"leaded_glass", 155, 11, 32768}, {"e227", 75, 7, 65536},
		{"dragon", 63, 7, 50000}, {"flake", 200, 11, 16384}, {"liiiines", 600, 16, 12500}, {"hard", 400, 11, 65536}, {"e533", 900, 16, 65536},
	} {
		const w, h = 32, 32
		g, re, im := locations(t)[c.name].down(t, c.depth, w, h)
		g = around(re, im, g.Pitch-3, w, h)                                         // as fine as a cell
		g.Re, g.Im = g.Re.Add(Dyadic(5, g.Pitch-4)), g.Im.Add(Dyadic(3, g.Pitch-4)) // no sample on a line through the location
		steps := shot(t, Formula{}, g, re, im, c.limit, 0)
		for _, lag := range []int{0, 4, c.lag} {
			off := Dyadic(1, g.Pitch+8+lag)
			runs := shot(t, Formula{}, g, re.Add(off), im.Sub(off), c.limit, eps)
			all, calm := differ(steps, runs, w)
			moved := movedBy(steps, runs, w)
			t.Logf("%s at 2^%d, lag %d: %d of %d samples differ, moved by %.2g samples", c.name, c.depth, lag, all, len(runs), moved)
			if calm > 0 || !(moved < 0.01) {
				t.Errorf("%s at 2^%d, lag %d: moved by %g samples; %d of %d differ, %d among equals", c.name, c.depth, lag, moved, all, len(runs), calm)
			}
		}
	}
}

// movedBy is by how many samples b is moved against a, in the median of all.
func movedBy(a, b []Sample, w int) float64 {
	smooth := func(s Sample) float64 { return float64(s.N) - float64(s.Frac) }
	var all []float64
	for k := w + 1; k < len(a)-w-1; k++ {
		if a[k].State != Escaped || b[k].State != Escaped || k%w == 0 || k%w == w-1 {
			continue
		}
		slope := math.Hypot(smooth(a[k+1])-smooth(a[k-1]), smooth(a[k+w])-smooth(a[k-w])) / 2
		all = append(all, math.Abs(smooth(b[k])-smooth(a[k]))/(slope+1e-9))
	}
	if len(all) == 0 {
		return math.NaN()
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// A run must err less than its steps may: eps each, of what the sum of their parts is.
func TestARunIsItsSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const eps = 0x1p-22
	for _, name := range []string{"e14", "e50", "e113", "dragon"} {
		l := locations(t)[name]
		g, re, im := l.down(t, 40, 16, 16)
		o := NewOrbit(Formula{}, re, im, Precision(g.Pitch))
		p, err := o.Extend(background, 20000)
		if err != nil {
			t.Fatal(err)
		}
		maxDC := 0x1p-38
		tab, err := NewTable(background, p, maxDC, eps)
		if err != nil {
			t.Fatal(err)
		}
		tried := 0
		for level := minLevel; level < len(tab.Levels); level++ {
			for range 300 {
				i := rng.IntN(len(tab.Levels[level]))
				run := &tab.Levels[level][i]
				if run.R == 0 {
					continue
				}
				tried++
				a, b := rng.Float64()*2*math.Pi, rng.Float64()*2*math.Pi
				dr, di := run.R*0.99*math.Cos(a), run.R*0.99*math.Sin(a)
				cr, ci := maxDC*0.99*math.Cos(b), maxDC*0.99*math.Sin(b)
				gotR, gotI := run.of(dr, di, cr, ci)
				err := 0.0 // what the steps so far may have put wrong
				for k := range 1 << level {
					m := 1 + i<<level + k
					zr, zi := p.Re[m], p.Im[m]
					tr, ti := 2*zr+dr, 2*zi+di
					// An error goes on as the difference itself; each step adds eps of its own, and so does the part in dc.
					err = err*math.Hypot(2*(zr+dr), 2*(zi+di)) + 4*eps*math.Hypot(tr*dr-ti*di, tr*di+ti*dr)
					dr, di = tr*dr-ti*di+cr, tr*di+ti*dr+ci
				}
				if d := math.Hypot(gotR-dr, gotI-di); d > err+0x1p-40*math.Hypot(dr, di) {
					t.Fatalf("%s: run %d of 2^%d steps: off by %g, may be %g (of %g)", name, i, level, d, err, math.Hypot(dr, di))
				}
			}
		}
		if tried < 100 {
			t.Errorf("%s: only %d runs to try", name, tried)
		}
	}
}

// On the way to a location, where samples leave their reference and pass parabolic points, direct iteration is the judge: of
// steps it finds no fault, of runs none but where neighbours differ anyhow.
func TestSamplesOnTheWayEqualDirectIteration(t *testing.T) {
	for _, c := range []struct {
		name              string
		depth, lag, limit int
	}{{"e14", 44, 7, 4096}, {"e50", 45, 7, 8192}, {"dragon", 63, 7, 30_000}, {"e227", 60, 7, 65536}, {"leaded_glass", 155, 11, 32768}, {"flake", 200, 11, 16384}} {
		const w, h = 24, 24
		g, re, im := locations(t)[c.name].down(t, c.depth, w, h)
		g.Re, g.Im = g.Re.Add(Dyadic(5, g.Pitch-4)), g.Im.Add(Dyadic(3, g.Pitch-4))
		off := Dyadic(1, g.Pitch+8+c.lag)
		steps := shot(t, Formula{}, g, re, im, c.limit, 0)
		runs := shot(t, Formula{}, g, re.Add(off), im.Sub(off), c.limit, 0x1p-28)
		all, wrong := 0, 0
		direct := slices.Clone(runs)
		for k := w + 1; k < len(runs)-w-1; k += 11 {
			all++
			direct[k] = slow(g, k%w, k/w, int64(c.limit))
			if s := steps[k]; s.N != direct[k].N || (s.State == Escaped) != (direct[k].State == Escaped) {
				wrong++
			}
		}
		differs, calm := differ(runs, direct, w)
		t.Logf("%s at 2^%d: of %d samples %d steps differ from direct iteration, and %d runs", c.name, c.depth, all, wrong, differs)
		if wrong*20 > all || calm > 0 {
			t.Errorf("%s at 2^%d: of %d samples %d steps differ from direct iteration, and %d runs, %d of them among equals", c.name, c.depth, all, wrong, differs, calm)
		}
	}
}
