package ink

import (
	"math"
	"slices"
	"unsafe"

	"fractal/raster"
)

// outline is the border of a stroke's shape without overlaps, in chains of edges that go down: the winding beside each is 0
// and 1. It is exact to draw by signed areas, at any place, for ever.
type outline struct {
	grid   int // vertices are multiples of 2^-grid units from the least corner of the stroke's reach
	deltas []int16
	chunks []chunk
	far    bool // not to be prepared as a whole, but cell by cell; all else is empty
}

// chunk is a stretch of one chain: dx, dy of its edges are in deltas, dy ≥ 0.
type chunk struct {
	x, y       int32
	minX, maxX int32
	y1         int32 // where it ends
	first      int32 // index into deltas
	n          int16 // edges
	side       int16 // +1: the inside is at the right
}

// chunkEdges is how many edges are looked at together when most of an outline is outside of a cell.
const chunkEdges = 31

// workshop is the scratch in which outlines are made.
type workshop struct {
	circles  []Circle
	contours Outline
	dec      decimator
	sweep    sweeper
	chains   packer
	all      chain
	line     []raster.Point
	keep     *Keep // of what is left with strokes
}

// keepScratch is how many bytes of one kind of scratch a workshop keeps for the next stroke. What the largest strokes need
// would stay with every worker for ever.
const keepScratch = 16 << 20

// trim lets go of scratch that an uncommon stroke has made large.
func (w *workshop) trim() {
	w.circles, w.all.circles = held(w.circles), held(w.all.circles)
	w.contours.XY, w.contours.left, w.contours.Ends = held(w.contours.XY), held(w.contours.left), held(w.contours.Ends)
	w.dec.keep = held(w.dec.keep)
	w.chains.deltas, w.chains.chunks, w.chains.chain = held(w.chains.deltas), held(w.chains.chunks), held(w.chains.chain)
	s := &w.sweep
	clear(s.active[:cap(s.active)]) // they point into edges that may go
	s.edges, s.order, s.active = held(s.edges), held(s.order), held(s.active)
	s.ended, s.pieces = held(s.ended), held(s.pieces)
}

// held is a scratch for the next use, or nil if it is too large to be kept.
func held[T any](s []T) []T {
	var one T
	if uintptr(cap(s))*unsafe.Sizeof(one) > keepScratch {
		return nil
	}
	return s
}

// outlineOf prepares the outline of a stroke at a detail.
func (w *workshop) outlineOf(s *Stroke, detail int) *outline {
	w.circles = s.CirclesAt(w.circles[:0], coarseFor(detail))
	tol := tolerance(detail, lodPx)
	if len(w.circles) > mostNear { // Douglas and Peucker's method may take long where many stay
		w.circles = fan(w.circles, tol/8)
		tol *= 7.0 / 8
	}
	if len(w.circles) > mostStay {
		return &outline{far: true}
	}
	w.circles = w.dec.decimate(w.circles, tol)
	o := &outline{grid: gridPx - 6 + 2*detail}
	r := s.Reach()
	scale := math.Ldexp(1, o.grid)
	wide := float64(max(r.MaxX-r.MinX, r.MaxY-r.MinY)) * scale
	if len(w.circles) > manyCircles && wide > manyPx*pxGrid && detail > s.prepare().least || wide > 1<<29 ||
		length2(w.circles)*scale > 1<<31 { // deltas hold 2^15
		return &outline{far: true}
	}
	for i, c := range w.circles {
		w.circles[i] = Circle{(c.X - float64(r.MinX)) * scale, (c.Y - float64(r.MinY)) * scale, c.R * scale}
	}
	if !w.union(w.circles, flatLod*pxGrid) {
		return &outline{far: true}
	}
	o.pack(w.sweep.pieces, &w.chains)
	return o
}

// union removes the overlaps of circles' hulls, in grid units, flattened to tol; it is false if there is too much to do.
func (w *workshop) union(circles []Circle, tol float64) bool {
	if len(circles) > mostCircles {
		return false
	}
	w.contours.Reset()
	fairHull(&w.contours, circles, tol)
	w.sweep.reset()
	w.sweep.edges = slices.Grow(w.sweep.edges, len(w.contours.XY)/2)
	from := 0
	for _, end := range w.contours.Ends {
		xy := w.contours.XY[from:end]
		from = end
		lx, ly := snap(xy[len(xy)-2]), snap(xy[len(xy)-1])
		for i := 0; i < len(xy); i += 2 {
			x, y := snap(xy[i]), snap(xy[i+1])
			w.sweep.add(lx, ly, x, y)
			lx, ly = x, y
		}
	}
	return w.sweep.run()
}

// length2 is about the length of a chain of circles, there and back.
func length2(c []Circle) float64 {
	sum := 0.0
	for i := 1; i < len(c); i++ {
		sum += math.Abs(c[i].X-c[i-1].X) + math.Abs(c[i].Y-c[i-1].Y)
	}
	return 2 * sum
}

// coarseFor is the coarsest expansion of curves that a detail can be decimated from: its chords err by 2^coarse/4 units.
func coarseFor(detail int) int {
	// A tenth of the tolerance: lodPx is for decimation alone.
	for c := 0; ; c++ {
		if c == 24 || math.Ldexp(1, c+1)/4 > tolerance(detail, lodPx)/8 {
			return c
		}
	}
}

// snap rounds to the grid.
func snap(v float64) float64 { return math.Floor(v + 0.5) }

// pack puts pieces into chains.
func (o *outline) pack(pieces []piece, k *packer) {
	k.deltas, k.chunks = k.deltas[:0], k.chunks[:0]
	for i := range pieces {
		p := &pieces[i]
		if p.follows {
			continue
		}
		k.chain = append(k.chain[:0], corner{p.x0, p.y0})
		side := p.side
		for {
			k.chain = append(k.chain, corner{p.x1, p.y1})
			if p.next < 0 {
				break
			}
			p = &pieces[p.next]
		}
		k.thin(chainPx * pxGrid)
		k.begin(int32(k.chain[0].x), int32(k.chain[0].y), int16(side))
		for _, c := range k.chain[1:] {
			k.to(int32(c.x), int32(c.y))
		}
	}
	o.deltas, o.chunks = append(o.deltas, k.deltas...), append(o.chunks, k.chunks...)
}

// packer writes chains into an outline.
type packer struct {
	deltas []int16
	chunks []chunk
	x, y   int32 // where the chain has come to
	chain  []corner
	stack  [][2]int32
	keep   []bool
}

type corner struct{ x, y float64 }

// thin leaves out corners of the chain that lie within tol of the line between those that stay. Its ends stay, so a shape
// stays closed.
func (k *packer) thin(tol float64) {
	c := k.chain
	if len(c) < 3 {
		return
	}
	k.keep = append(k.keep[:0], make([]bool, len(c))...)
	k.keep[0], k.keep[len(c)-1] = true, true
	k.stack = k.stack[:0]
	for from := 0; from < len(c)-1; from += block {
		to := min(from+block, len(c)-1)
		k.keep[to] = true
		k.stack = append(k.stack, [2]int32{int32(from), int32(to)})
	}
	for len(k.stack) > 0 {
		top := k.stack[len(k.stack)-1]
		k.stack = k.stack[:len(k.stack)-1]
		a, b := c[top[0]], c[top[1]]
		dx, dy := b.x-a.x, b.y-a.y
		dd := float64(dx*dx) + float64(dy*dy)
		worst, at := 0.0, int32(0) // square of the distance, times dd
		for i := top[0] + 1; i < top[1]; i++ {
			x, y := c[i].x-a.x, c[i].y-a.y
			e := float64(x*dy) - float64(y*dx)
			e *= e
			if t := float64(x*dx) + float64(y*dy); t < 0 {
				e = (float64(x*x) + float64(y*y)) * dd
			} else if t > dd {
				x, y = x-dx, y-dy
				e = (float64(x*x) + float64(y*y)) * dd
			}
			if e > worst {
				worst, at = e, i
			}
		}
		if worst > float64(tol*tol)*dd {
			k.keep[at] = true
			k.stack = append(k.stack, [2]int32{top[0], at}, [2]int32{at, top[1]})
		}
	}
	k.chain = c[:0]
	for i, keep := range k.keep {
		if keep {
			k.chain = append(k.chain, c[i])
		}
	}
}

func (k *packer) begin(x, y int32, side int16) {
	k.x, k.y = x, y
	k.chunks = append(k.chunks, chunk{x, y, x, x, y, int32(len(k.deltas)), 0, side})
}

// to adds an edge to the chain begun last, in several where the deltas do not fit.
func (k *packer) to(x, y int32) {
	dx, dy := x-k.x, y-k.y
	if dx != int32(int16(dx)) || dy != int32(int16(dy)) {
		k.to(k.x+dx/2, k.y+dy/2)
		k.to(x, y)
		return
	}
	c := &k.chunks[len(k.chunks)-1]
	if c.n == chunkEdges {
		k.begin(k.x, k.y, c.side)
		c = &k.chunks[len(k.chunks)-1]
	}
	k.deltas = append(k.deltas, int16(dx), int16(dy))
	c.n++
	k.x, k.y = x, y
	c.minX, c.maxX, c.y1 = min(c.minX, x), max(c.maxX, x), y
}

// placed is an outline as it lies on a cell: it takes vertices to fixed points.
type placed struct {
	o      *outline
	up     uint  // vertices are shifted up to the finer of grid and unit,
	x, y   int64 // set off,
	down   uint  // and shifted to 1/65536 px
	higher uint
}

// place puts an outline on a cell z levels finer than the stroke. x, y is the least corner of the stroke's reach seen from
// the cell's corner, in units of home.
func (o *outline) place(x, y int64, z int) placed {
	fine := max(o.grid, 0)
	p := placed{o: o, up: uint(fine - o.grid), x: x << fine, y: y << fine}
	if b := fine - z - 10; b > 0 {
		p.down = uint(b)
		p.x += 1 << (b - 1)
		p.y += 1 << (b - 1)
	} else {
		p.higher = uint(-b)
	}
	return p
}

func (p *placed) atX(v int32) int64 { return (int64(v)<<p.up + p.x) << p.higher >> p.down }
func (p *placed) atY(v int32) int64 { return (int64(v)<<p.up + p.y) << p.higher >> p.down }

// cellSide is the side of a cell in 1/65536 px.
const cellSide = raster.Size * raster.One

// draw adds the outline's edges to the rasterizer.
func (p *placed) draw(z *raster.Rasterizer) {
	var buf [chunkEdges + 1]raster.Point
	for i := range p.o.chunks {
		c := &p.o.chunks[i]
		y0, y1 := p.atY(c.y), p.atY(c.y1)
		if y1 <= 0 || y0 >= cellSide || p.atX(c.minX) >= cellSide {
			continue
		}
		if p.atX(c.maxX) <= 0 {
			buf[0], buf[1] = raster.Point{X: 0, Y: y0}, raster.Point{X: 0, Y: y1}
			z.Lines(buf[:2], int64(c.side))
			continue
		}
		x, y := c.x, c.y
		buf[0] = raster.Point{X: p.atX(x), Y: y0}
		d := p.o.deltas[c.first : c.first+2*int32(c.n)]
		for k := 1; len(d) >= 2; k++ {
			x += int32(d[0])
			y += int32(d[1])
			d = d[2:]
			buf[k&31] = raster.Point{X: p.atX(x), Y: p.atY(y)}
		}
		z.Lines(buf[:c.n+1], int64(c.side))
	}
}
