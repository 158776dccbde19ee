package ink

import (
	"math"
	"slices"
)

// sweeper removes the overlaps of a shape: edges of closed contours in, however they overlap and cross, and out come edges
// that separate winding numbers below 1 from those of at least 1, in each of which the winding is 0 or 1.
//
// The plane is cut into bands at every height where an edge begins, ends or crosses another. Within a band the edges have
// one order from left to right, and the winding numbers are counted along it. All heights are whole numbers of the grid,
// those of crossings rounded, so no band is lower than 1. Every band gives as many left as right borders of the same
// height: that makes the outcome closed by construction, and lets the places of edges be plain float64. A wrong order can
// only come from edges that are within rounding of each other, where it makes no difference that could be seen. There is
// no exact predicate because none is needed.
//
// It costs about as much as there are edges side by side, for every band.
type sweeper struct {
	edges  []sweepEdge
	order  []uint64 // edges by their upper end
	active []*sweepEdge
	ended  []int32 // pieces that ended at the current height
	pieces []piece
	work   int // what is left to do before it is too much
}

// sweepEdge is an edge with y0 < y1, all whole numbers.
type sweepEdge struct {
	x0, y0, x1, y1 float64
	slope          float64
	xa, xb         float64 // where it is at the top and at the bottom of the current band
	px, py         float64 // where its open piece began
	wind           int32   // what crossing it from left to right adds to the winding number
	side           int8    // what its open piece is: +1 a left border, −1 a right one, 0 there is none
	next           int8    // what it is from the current height on
	prev           int32   // the piece that its open piece goes on from, or −1
}

// piece is a part of the outcome: from (x0, y0) down to (x1, y1), with the inside at its right for side = +1.
type piece struct {
	x0, y0, x1, y1 float64
	side           int8
	follows        bool  // another piece ends where it begins
	next           int32 // the piece that begins where it ends, on the same side, or −1
}

// edgeBits is for the number of an edge in a sort key; the rest is for its height.
const edgeBits = 24

func (w *sweeper) reset() {
	w.edges = w.edges[:0]
}

// add adds a directed edge of a contour that turns positively (Σ x·y' − x'·y > 0 with y down: its right side goes down, its
// left side up). Coordinates are whole numbers within ±2^45, together not further apart in height than 2^40.
func (w *sweeper) add(x0, y0, x1, y1 float64) {
	switch {
	case y0 > y1:
		w.edges = append(w.edges, sweepEdge{x0: x1, y0: y1, x1: x0, y1: y0, wind: 1})
	case y0 < y1:
		w.edges = append(w.edges, sweepEdge{x0: x0, y0: y0, x1: x1, y1: y1, wind: -1})
	}
}

// The work of one sweep is bounded, in edges times bands and in places that edges are moved by to be in order: a few hundred
// for every edge, a second at most. Only strokes of many long lines that all cross each other come near it.
const (
	sweepLeast = 1 << 22
	sweepEach  = 256
	sweepMost  = 1 << 26

	// Every sweepLook steps it is asked whether that would do, going on as before: with hopeless times as many steps.
	sweepLook = 1 << 19
	hopeless  = 3

	// mostEdges is how many edges a sweep takes: 88 MiB. A stroke of the most samples that crosses itself everywhere has
	// twenty times as many.
	mostEdges = 1 << 20
)

// full tells whether there are more edges already than run would take.
func (w *sweeper) full() bool { return len(w.edges) > mostEdges }

// run does the work and leaves the outcome in w.pieces; it is false if there is too much to do.
func (w *sweeper) run() bool {
	w.pieces, w.active, w.order = w.pieces[:0], w.active[:0], w.order[:0]
	if len(w.edges) == 0 {
		return true
	}
	if w.full() {
		return false
	}
	all := min(sweepLeast+sweepEach*len(w.edges), sweepMost)
	w.work = all
	look := max(all-sweepLook, 0)
	top := math.Inf(1)
	for i := range w.edges {
		top = min(top, w.edges[i].y0)
	}
	for i := range w.edges {
		e := &w.edges[i]
		e.slope = (e.x1 - e.x0) / (e.y1 - e.y0)
		e.prev = -1
		w.order = append(w.order, uint64(e.y0-top)<<edgeBits|uint64(i))
	}
	slices.Sort(w.order)

	ya, next, ends := top, 0.0, math.Inf(1) // ends is where the next edge ends that does not end at ya
	for begun := 0; ; ya = next {
		next = ends
		for ; begun < len(w.order); begun++ {
			e := &w.edges[w.order[begun]&(1<<edgeBits-1)]
			if e.y0 > ya {
				next = min(next, e.y0)
				break
			}
			e.xb = e.x0 // where the band above would have ended
			next = min(next, e.y1)
			w.active = append(w.active, e)
		}
		if !w.begin(ya, next) {
			return false
		}
		if len(w.active) == 0 {
			if begun == len(w.order) {
				return true
			}
			continue
		}
		if w.work -= len(w.active); w.work < look {
			// Too much by far, if it goes on like this?
			if done := all - w.work; w.work < 0 || done/begun*len(w.order) > hopeless*all {
				return false
			}
			look = max(w.work-sweepLook, 0)
		}
		crossed, changed, after := w.wind(next)
		if crossed {
			next = w.cross(ya, next)
			_, changed, after = w.wind(next)
		}
		ends = after
		if changed || len(w.ended) > 0 {
			w.turn(ya)
		}
	}
}

// at is where the edge is at a height it reaches.
func (e *sweepEdge) at(y float64) float64 {
	if y == e.y1 {
		return e.x1
	}
	return e.x0 + float64((y-e.y0)*e.slope)
}

// begin takes the edges out that end at ya, and puts the others in order for the band from there to yb: by where they are at
// its top, and those of equal place by where they are going. They nearly are in order; it is false where they are not and
// that is too much to do.
func (w *sweeper) begin(ya, yb float64) bool {
	w.ended = w.ended[:0]
	a, n := w.active, 0
	for _, e := range a {
		if e.y1 <= ya {
			if e.side != 0 {
				w.close(e, e.x1, ya)
			}
			continue
		}
		e.xa, e.xb = e.xb, e.at(yb)
		j := n
		for j > 0 && (a[j-1].xa > e.xa || a[j-1].xa == e.xa && a[j-1].xb > e.xb) {
			a[j] = a[j-1]
			j--
		}
		a[j] = e
		if w.work -= (n - j) / 4; w.work < 0 {
			return false
		}
		n++
	}
	w.active = a[:n]
	return true
}

// cross ends the band at the height of the first crossing in it, rounded, if that is above yb. Crossings that round to the top
// of the band are done with: their edges change places at once.
func (w *sweeper) cross(ya, yb float64) float64 {
	a := w.active
	first := yb
	for i := 1; i < len(a); i++ {
		l, r := a[i-1], a[i]
		if l.xb <= r.xb {
			continue
		}
		gap, over := max(r.xa-l.xa, 0), l.xb-r.xb
		y := math.Floor(ya + float64((yb-ya)*(gap/(gap+over))) + 0.5)
		if y > ya {
			first = min(first, y)
			continue
		}
		a[i-1], a[i] = r, l
		w.work--
		if i > 1 {
			i -= 2
		}
	}
	if first < yb {
		for _, e := range a {
			e.xb = e.at(first)
		}
	}
	return first
}

// wind decides for every active edge what border it is in the band, and tells whether edges cross in it and whether any is
// another border than in the band above. Of edges in the very same place only the first is one. after is where the next
// edge ends below the band's bottom yb.
func (w *sweeper) wind(yb float64) (crossed, changed bool, after float64) {
	after = math.Inf(1)
	n, was := int32(0), int32(0) // the winding at the right and at the left of first
	first := &sweepEdge{xa: math.Inf(-1), xb: math.Inf(-1)}
	for _, e := range w.active {
		if e.y1 > yb {
			after = min(after, e.y1)
		}
		if first.xa == e.xa && first.xb == e.xb {
			// Together they are one edge, and what that is is known when all are counted.
			e.next = 0
			changed = changed || e.side != 0
		} else {
			crossed = crossed || first.xb > e.xb
			first, was = e, n
		}
		n += e.wind
		first.next = sideOf(was, n)
		changed = changed || first.next != first.side
	}
	return crossed, changed, after
}

// sideOf is what lies between two winding numbers.
func sideOf(l, r int32) int8 {
	switch {
	case l < 1 && r >= 1:
		return 1
	case l >= 1 && r < 1:
		return -1
	}
	return 0
}

// turn closes and opens pieces where the borders are others than in the band before.
func (w *sweeper) turn(y float64) {
	for _, e := range w.active {
		if e.next != e.side && e.side != 0 {
			w.close(e, math.Floor(e.xa+0.5), y)
		}
	}
	for _, e := range w.active {
		if e.side != e.next {
			e.side, e.px, e.py = e.next, math.Floor(e.xa+0.5), y
			e.prev = w.follow(e.px, e.side)
		}
	}
}

// close ends an edge's open piece.
func (w *sweeper) close(e *sweepEdge, x, y float64) {
	i := int32(len(w.pieces))
	w.pieces = append(w.pieces, piece{e.px, e.py, x, y, e.side, e.prev >= 0, -1})
	if e.prev >= 0 {
		w.pieces[e.prev].next = i
	}
	w.ended = append(w.ended, i)
	e.side, e.prev = 0, -1
}

// follow takes the piece of that side that ended at x at the current height, or −1.
func (w *sweeper) follow(x float64, side int8) int32 {
	for k, i := range w.ended {
		if p := &w.pieces[i]; p.x1 == x && p.side == side {
			w.ended[k] = w.ended[len(w.ended)-1]
			w.ended = w.ended[:len(w.ended)-1]
			return i
		}
	}
	return -1
}
