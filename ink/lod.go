package ink

import (
	"math"
	"sync/atomic"
)

// A stroke seen from afar is drawn from fewer circles. Levels of detail are two zooms apart: detail d is made for cells 2d
// levels finer than the stroke, and serves those one level coarser too.
const (
	finest   = 2  // detail for cells up to four levels finer; beyond, shapes are cut locally
	coarsest = -9 // no brush is so wide that a coarser one would differ

	// lodPx is how far, in px, a shape of fewer circles may lie from the true one, flatLod how far a flattened outline from
	// that, and chainPx how far one of fewer edges from that: 0.012 px together, a coverage of 3/255 along a straight
	// edge at the very worst.
	lodPx   = 0.006
	flatLod = 0.004
	chainPx = 0.002

	// lodRadius bounds all in parts of the mean radius, so that thin lines keep their area at any distance.
	lodRadius = 0.2

	// gridPx is the grid of outlines in px at the finest zoom they serve.
	gridPx = 10

	// A stroke left with more than manyCircles is not prepared as a whole where it is wider than manyPx at the finest zoom
	// served: a cell then shows a small part of it, and the work of removing overlaps grows faster than their number.
	manyCircles = 4096
	manyPx      = 8 * 256

	// mostStay is how many circles may be told apart for a stroke to be prepared as a whole. The longest coast line of the Earth
	// corpus has 67,985, before any is left out.
	mostStay = 100_000

	// mostCircles is how many circles, of those that can be told apart, a shape may have for its overlaps to be removed.
	// No line of straight joins has more; the longest coast line of the Earth corpus has 67,985. Painted as a tangle, its cells
	// would take three times as long.
	mostCircles = MaxPoints
)

// detailAt is the detail that serves cells z levels finer than the stroke (coarser if negative).
func detailAt(z int) int {
	return max((z+1)>>1, coarsest)
}

// prepared is what is worked out of a stroke when it is first drawn, and kept with it. Everything in it is a function of the
// stroke alone: two workers that prepare the same at once make the same, and one is dropped.
type prepared struct {
	least int // the coarsest detail that differs from the next finer one; coarser cells use it too
	lods  [finest - coarsest + 1]atomic.Pointer[outline]
	area  atomic.Uint64         // of the shape in square units, as the bits of a float64; 0: not yet known
	rough atomic.Uint64         // the same as painted from its circles
	far   atomic.Pointer[chain] // all circles of a long stroke, to find those near a cell
	used  atomic.Bool           // since the Keep looked

	packed atomic.Pointer[[]byte] // what was kept of another time, until somebody needs it (packed.go)
}

// prepare returns the stroke's prepared part.
func (s *Stroke) prepare() *prepared {
	if p := s.ready.Load(); p != nil {
		return p
	}
	p := &prepared{least: s.least()}
	if s.ready.CompareAndSwap(nil, p) {
		return p
	}
	return s.ready.Load()
}

// least is the coarsest detail whose tolerance keeps to lodRadius.
func (s *Stroke) least() int {
	sum := 0.0
	r := reader{b: s.points, width: s.width}
	for range s.n {
		r.next()
		sum += float64(r.p.D)
	}
	limit := sum / float64(s.n) / 2 * lodRadius
	d := coarsest
	for d < finest && tolerance(d, lodPx+flatLod+chainPx) > limit {
		d++
	}
	return d
}

// tolerance takes px at the finest zoom of a detail to units of home.
func tolerance(detail int, px float64) float64 { return math.Ldexp(px, 6-2*detail) }

// decimator leaves circles out.
type decimator struct {
	keep  []bool
	stack [][2]int32
}

// block is how many circles are looked at together: it bounds the time for strokes made to be slow.
const block = 512

// decimate removes circles in place such that the shape stays within tol of what it was, everywhere and in both
// directions.
//
// It is Douglas and Peucker's method on (x, y, r): a circle may go when it lies within tol of the circle that the chord
// has beside it, distance of centres plus difference of radii; the latter counts threefold, as a long thin line lives by its
// radius. Every circle left out, and by convexity every circle
// between two of them, is then within tol of the new hull; and as the chord's circles are passed in order without a
// gap, every one of them is within tol of the old.
func (d *decimator) decimate(c []Circle, tol float64) []Circle {
	if len(c) > 2*block {
		c = d.pass(c, tol/2) // blocks begin and end with a circle that stays: thin those out in a second pass
		tol /= 2
	}
	return d.pass(c, tol)
}

func (d *decimator) pass(c []Circle, tol float64) []Circle {
	n := len(c)
	if n < 3 {
		return c
	}
	if cap(d.keep) < n {
		d.keep = make([]bool, n+n/2)
	}
	keep := d.keep[:n]
	clear(keep)
	keep[0], keep[n-1] = true, true
	for from := 0; from < n-1; from += block {
		to := min(from+block, n-1)
		keep[to] = true
		d.stack = append(d.stack[:0], [2]int32{int32(from), int32(to)})
		for len(d.stack) > 0 {
			top := d.stack[len(d.stack)-1]
			d.stack = d.stack[:len(d.stack)-1]
			worst, at := furthest(c[top[0]:top[1]+1], tol)
			if worst > tol {
				k := top[0] + int32(at)
				keep[k] = true
				d.stack = append(d.stack, [2]int32{top[0], k}, [2]int32{k, top[1]})
			}
		}
	}
	out := c[:0]
	for i, k := range keep {
		if k {
			out = append(out, c[i])
		}
	}
	return out
}

// furthest finds the circle that is furthest from the chord between the first and the last.
func furthest(c []Circle, tol float64) (worst float64, at int) {
	a, b := c[0], c[len(c)-1]
	dx, dy, dr := b.X-a.X, b.Y-a.Y, b.R-a.R
	dd := float64(dx*dx) + float64(dy*dy)
	inv := 0.0
	if dd > 0 {
		inv = 1 / dd
	}
	for i := 1; i < len(c)-1; i++ {
		x, y, r := c[i].X-a.X, c[i].Y-a.Y, c[i].R-a.R
		t := min(max((float64(x*dx)+float64(y*dy))*inv, 0), 1)
		x -= float64(t * dx)
		y -= float64(t * dy)
		r = math.Abs(r - float64(t*dr))
		if e := math.Sqrt(float64(x*x)+float64(y*y)) + 3*r; e > worst {
			worst, at = e, i
		}
	}
	return worst, at
}
