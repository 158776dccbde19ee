package ink

import (
	"math"
	"slices"

	"fractal/raster"
)

// chain is the circles of a stroke with boxes around stretches of them, to find the few that are near a cell.
type chain struct {
	circles []Circle
	boxes   []bounds // of circles 64·i … 64·i+64, both included: a segment belongs to where it begins
}

type bounds struct{ minX, minY, maxX, maxY float64 }

const (
	stretch = 64

	// keepFrom is how many samples make it worth keeping a stroke's circles; below, unpacking them is as fast as looking.
	keepFrom = 1024
	// keepTo is how many circles are kept at most: 6 MiB.
	keepTo = 1 << 18
)

// around returns all circles of a stroke, kept with it if it is long.
func (w *workshop) around(s *Stroke) *chain {
	ready := (*prepared)(nil)
	if s.n >= keepFrom {
		ready = s.prepare()
		if c := ready.far.Load(); c != nil {
			ready.used.Store(true)
			return c
		}
	}
	w.all.circles = s.Circles(w.all.circles[:0])
	w.all.measure()
	if ready == nil || len(w.all.circles) > keepTo {
		return &w.all
	}
	c := &chain{append([]Circle(nil), w.all.circles...), append([]bounds(nil), w.all.boxes...)}
	if ready.far.CompareAndSwap(nil, c) {
		w.keep.add(s, circlesKept, 24*len(c.circles)+32*len(c.boxes))
	}
	return c
}

// coarse returns the circles of a stroke as cells z levels finer need them, until the next use of w.
func (w *workshop) coarse(s *Stroke, z int) *chain {
	w.all.circles = s.CirclesAt(slices.Grow(w.all.circles[:0], int(s.n)), coarseFor(detailAt(z)))
	w.all.measure()
	return &w.all
}

func (c *chain) measure() {
	c.boxes = c.boxes[:0]
	for from := 0; from < len(c.circles); from += stretch {
		b := bounds{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
		for _, k := range c.circles[from:min(from+stretch+1, len(c.circles))] {
			b = bounds{min(b.minX, k.X-k.R), min(b.minY, k.Y-k.R), max(b.maxX, k.X+k.R), max(b.maxY, k.Y+k.R)}
		}
		c.boxes = append(c.boxes, b)
	}
}

// meets tells whether two boxes share a point.
func (b *bounds) meets(c *bounds) bool {
	return b.minX <= c.maxX && c.minX <= b.maxX && b.minY <= c.maxY && c.minY <= b.maxY
}

// segments calls f for every segment whose box meets b, by the number of its first circle. A lone circle is a segment with
// itself.
func (c *chain) segments(b *bounds, f func(i int)) {
	n := len(c.circles)
	if n == 1 {
		if c.boxes[0].meets(b) {
			f(0)
		}
		return
	}
	for k := range c.boxes {
		if !c.boxes[k].meets(b) {
			continue
		}
		from := k * stretch
		to := min(from+stretch, n-1)
		prev := c.circles[from]
		for i := from; i < to; i++ {
			next := c.circles[i+1]
			if min(prev.X-prev.R, next.X-next.R) <= b.maxX && max(prev.X+prev.R, next.X+next.R) >= b.minX &&
				min(prev.Y-prev.R, next.Y-next.R) <= b.maxY && max(prev.Y+prev.R, next.Y+next.R) >= b.minY {
				f(i)
			}
			prev = next
		}
	}
}

const (
	// Shapes near a cell are cut on a grid of 2^-gridPx px, at a border outside of the cell.
	pxGrid   = 1 << gridPx
	least    = -2 * pxGrid
	most     = (raster.Size + 2) * pxGrid
	mostNear = 1 << 15 // circles in a row on one cell whose overlaps are worth removing: there is one for every two pixels already
	runGaps  = 4       // segments that are not near are drawn along when fewer: cheaper than two caps
)

// near paints a stroke from the circles near the cell: for cells so fine that they show a small part of it, and for strokes of
// so many circles that no cell needs them all.
func (p *Painter) near(dst *raster.Image, s *Stroke, paint *raster.Paint, z int, cx, cy int64) {
	w := &p.work
	var c *chain
	if z <= nearest && s.n > mostNear {
		c = w.coarse(s, z)
	} else {
		c = w.around(s)
	}
	side := math.Ldexp(1, 14-z)
	margin := side / 64
	x, y := float64(cx), float64(cy)
	box := bounds{x - margin, y - margin, x + side + margin, y + side + margin}
	k := math.Ldexp(1, z-6+gridPx)

	w.sweep.reset()
	tangled := false
	from, to := -1, -1 // the run of circles that is open
	flush := func() {
		if from < 0 || tangled {
			return
		}
		if tangled = to-from > mostNear; tangled {
			return
		}
		run := w.circles[:0]
		for _, c := range c.circles[from:min(to+1, len(c.circles))] {
			run = append(run, Circle{(c.X - x) * k, (c.Y - y) * k, c.R * k})
		}
		run = w.dec.decimate(run, math.Ldexp(lodPx, gridPx))
		w.circles = run[:0]
		if len(run) > mostCircles {
			tangled = true
			return
		}
		w.contours.Reset()
		fairHull(&w.contours, run, math.Ldexp(flatLod, gridPx))
		w.addNear(&w.contours)
		tangled = w.sweep.full()
	}
	solid := false
	within := side*math.Sqrt2/2 + margin // a disc around the middle that holds the cell
	c.segments(&box, func(i int) {
		if solid {
			return
		}
		dist, err := roundCone(c.circles[i], c.circles[min(i+1, len(c.circles)-1)], x+side/2, y+side/2)
		if solid = dist+err < -within; solid {
			return
		}
		if from >= 0 && i > to+runGaps {
			flush()
			from = -1
		}
		if from < 0 {
			from = i
		}
		to = i + 1
	})
	if solid {
		dst.Cover(paint)
		return
	}
	flush()
	if tangled || !p.paintSweep(dst, paint) {
		p.tangled(dst, s, paint, z, cx, cy)
	}
}

// fixed takes grid units of the cell to a point of the rasterizer.
func fixed(x, y float64) raster.Point {
	const up = raster.One / pxGrid
	return raster.Point{X: int64(snap(x)) * up, Y: int64(snap(y)) * up}
}

// addNear adds contours in grid units of the cell to the sweeper, without what lies beyond the border.
func (w *workshop) addNear(o *Outline) {
	from := 0
	for _, end := range o.Ends {
		xy := o.XY[from:end]
		from = end
		lx, ly := snap(xy[len(xy)-2]), snap(xy[len(xy)-1])
		for i := 0; i < len(xy); i += 2 {
			x, y := snap(xy[i]), snap(xy[i+1])
			w.addCut(lx, ly, x, y)
			lx, ly = x, y
		}
	}
}

// addCut adds an edge as far as it tells the cell anything: nothing above, below or at the right, and at the left only which
// rows it passes.
func (w *workshop) addCut(x0, y0, x1, y1 float64) {
	if max(y0, y1) <= least || min(y0, y1) >= most || min(x0, x1) >= most {
		return
	}
	if max(x0, x1) <= least {
		w.sweep.add(least, min(max(y0, least), most), least, min(max(y1, least), most))
		return
	}
	if min(y0, y1) < least || max(y0, y1) > most {
		slope := (x1 - x0) / (y1 - y0)
		cut := func(x, y float64) (float64, float64) {
			if t := min(max(y, least), most); t != y {
				return snap(x0 + float64((t-y0)*slope)), t
			}
			return x, y
		}
		ax, ay := cut(x0, y0)
		bx, by := cut(x1, y1)
		x0, y0, x1, y1 = ax, ay, bx, by
	}
	w.sweep.add(x0, y0, x1, y1)
}

// paintSweep removes the overlaps of what was added to the sweeper and paints it, unless they are too many.
func (p *Painter) paintSweep(dst *raster.Image, paint *raster.Paint) bool {
	w := &p.work.sweep
	if !w.run() {
		return false
	}
	var line [2]raster.Point
	for i := range w.pieces {
		c := &w.pieces[i]
		line[0], line[1] = fixed(c.x0, c.y0), fixed(c.x1, c.y1)
		p.union.Rasterizer.Lines(line[:], int64(c.side))
	}
	p.union.Rasterizer.Fill(dst, paint)
	return true
}
