package ink

import (
	"math"
	"math/bits"

	"fractal/raster"
	"fractal/tile"
)

// CellSoon is Cell without waiting for outlines: strokes whose outline for that cell is not prepared are painted from their
// circles, within the same bounds of error but not with the same bytes. settled says that there were none: then it is what
// Cell paints.
func (p *Painter) CellSoon(dst *raster.Image, id tile.ID, strokes []*Stroke) (settled bool) {
	dst.Clear()
	p.id, p.here = id, false
	p.soon, p.unsettled = true, false
	for _, s := range strokes {
		p.stroke(dst, s)
	}
	p.soon = false
	return !p.unsettled
}

// Missing returns how many samples the strokes have, together, whose outline for a cell is not prepared.
func (p *Painter) Missing(id tile.ID, strokes []*Stroke) (samples int) {
	for _, s := range strokes {
		z := id.Level() - s.home.Level()
		if z < -faintest || z > nearest {
			continue
		}
		ready := s.ready.Load()
		if ready == nil || s.corner(0, 0, z).small() && ready.area.Load() == 0 ||
			!s.corner(0, 0, z).small() && !p.has(s, ready, z) {
			samples += int(s.n)
		}
	}
	return samples
}

// has says whether the outline of a stroke for cells z levels finer is prepared.
func (p *Painter) has(s *Stroke, ready *prepared, z int) bool {
	slot := &ready.lods[max(detailAt(z), ready.least)-coarsest]
	if slot.Load() == nil {
		s.unpack(ready, p.work.keep)
	}
	return slot.Load() != nil
}

// early paints a stroke from its circles if its outline is not prepared and it is not too large.
func (p *Painter) early(dst *raster.Image, s *Stroke, paint *raster.Paint, z int, cx, cy int64) bool {
	if ready := s.ready.Load(); ready != nil && p.has(s, ready, z) {
		return false
	}
	p.fromCircles(s, z, cx, cy)
	if p.union.Full() { // then its outline is as slow to make
		p.union.Drop()
		p.crowd(dst, s, paint, z, cx, cy)
		return true
	}
	p.union.Fill(dst, paint)
	return true
}

// roughArea is the area of a stroke as roughLines lines through its reach meet it, at places rounded to a 64th of its width.
// That is within a few hundredths, of what is a quarter of a pixel at most.
func (p *Painter) roughArea(s *Stroke, ready *prepared) float64 {
	if a := math.Float64frombits(ready.rough.Load()); a != 0 {
		return a
	}
	w := &p.work
	r := s.reach
	wide, high := float64(r.MaxX-r.MinX), float64(r.MaxY-r.MinY)
	kx, ky := 64/wide, roughLines/high
	x, y := float64(r.MinX), float64(r.MinY)
	w.circles = s.CirclesAt(w.circles[:0], coarseFor(detailAt(6-bits.Len64(uint64(max(r.MaxX-r.MinX, r.MaxY-r.MinY))>>roughBits))))
	var lines [roughLines]uint64
	a := w.circles[0]
	a.X, a.Y = a.X-x, a.Y-y
	last := len(w.circles) - 1
	for i, b := range w.circles {
		b.X, b.Y = b.X-x, b.Y-y
		dx, dy := b.X-a.X, b.Y-a.Y
		if i < last && math.Abs(dx)*kx < 1 && math.Abs(dy)*ky < 1 && i > 0 {
			continue
		}
		from := max(int(math.Ceil(min(a.Y-a.R, b.Y-b.R)*ky-0.5)), 0)
		to := min(int(math.Floor(max(a.Y+a.R, b.Y+b.R)*ky-0.5)), roughLines-1)
		if from > to {
			a = b
			continue
		}
		// The tangents, if there are any.
		dd, dr := float64(dx*dx)+float64(dy*dy), a.R-b.R
		var nx, ny, mx, my float64 // the normals of both
		tangents := dd > float64(dr*dr)
		if tangents {
			inv := 1 / dd
			q := math.Sqrt(dd-float64(dr*dr)) * inv
			c := dr * inv
			nx, ny = float64(c*dx)-float64(q*dy), float64(c*dy)+float64(q*dx)
			mx, my = float64(c*dx)+float64(q*dy), float64(c*dy)-float64(q*dx)
		}
		for l := from; l <= to; l++ {
			h := (float64(l) + 0.5) / ky
			lo, hi := math.Inf(1), math.Inf(-1)
			if v := h - a.Y; v > -a.R && v < a.R {
				v = math.Sqrt(float64(a.R*a.R) - float64(v*v))
				lo, hi = a.X-v, a.X+v
			}
			if v := h - b.Y; v > -b.R && v < b.R {
				v = math.Sqrt(float64(b.R*b.R) - float64(v*v))
				lo, hi = min(lo, b.X-v), max(hi, b.X+v)
			}
			if tangents {
				for _, n := range [2][2]float64{{nx, ny}, {mx, my}} {
					y0, y1 := a.Y+float64(a.R*n[1]), b.Y+float64(b.R*n[1])
					if (y0 <= h) != (y1 <= h) {
						x0, x1 := a.X+float64(a.R*n[0]), b.X+float64(b.R*n[0])
						v := x0 + float64((h-y0)/(y1-y0)*(x1-x0))
						lo, hi = min(lo, v), max(hi, v)
					}
				}
			}
			if lo < hi {
				f, t := min(int(lo*kx+0.5), 64), min(int(hi*kx+0.5), 64)
				lines[l] |= 1<<t - 1<<f
			}
		}
		a = b
	}
	n := 0
	for _, l := range lines {
		n += bits.OnesCount64(l)
	}
	area := max(float64(n), 0.5) * (wide * high / (64 * roughLines))
	ready.rough.Store(math.Float64bits(area))
	return area
}

const (
	roughLines = 16
	roughBits  = 5 // curves are drawn as if the stroke were 2^5 px wide
)

const (
	// soonLodPx and soonFlat are how far, in px, a shape painted from its circles may lie from the true one for circles left
	// out, and its outline from that.
	soonLodPx = 0.016
	soonFlat  = 0.012

	// soonRadius bounds both in radii.
	soonRadius = 0.12
)

// fromCircles adds the shape of a stroke to the rasterizer, scaled by 2^(z−6) px per unit, (cx, cy) at the image's corner.
func (p *Painter) fromCircles(s *Stroke, z int, cx, cy int64) {
	w := &p.work
	k := math.Ldexp(raster.One, z-6)
	x, y := float64(cx), float64(cy)
	w.circles = s.CirclesAt(w.circles[:0], coarseFor(detailAt(z)))
	sum := 0.0
	for i, c := range w.circles {
		c = Circle{(c.X - x) * k, (c.Y - y) * k, c.R * k}
		sum += c.R
		w.circles[i] = c
	}
	mean := sum / float64(len(w.circles))
	f := &p.flow
	f.union, f.tag, f.turned = &p.union, 0, append(f.turned[:0], 0)
	f.tol = min(soonFlat*raster.One, mean*soonRadius)
	tol := min(soonLodPx*raster.One, mean*soonRadius)
	// Stretches that are beside the cell are left out: what is left are closed shapes all the same.
	c := w.circles
	if len(c) == 1 {
		f.chain(c)
		return
	}
	from := 0
	for i := 1; i < len(c); i++ {
		if beside(c[i-1], c[i]) {
			if from < i-1 {
				f.chain(fan(c[from:i], tol))
			}
			from = i
		}
	}
	if from < len(c)-1 {
		f.chain(fan(c[from:], tol))
	}
}

// fan leaves circles out in one pass, such that they lie within tol of the hull of those that stay: from each that stays, as
// long as there are a direction and a change of radius along it that pass all that follow.
func fan(c []Circle, tol float64) []Circle {
	if len(c) < 3 {
		return c
	}
	out := c[:1]
	a, b := c[0], c[0] // b is the last that may end the chord from a
	open := false      // directions and slopes are known
	var lx, ly, rx, ry, low, high, far float64
	tol, third := tol*0.75, tol/4 // of places and of radii
	tt := float64(tol * tol)
	for i := 1; i < len(c); i++ {
		n := c[i]
		dx, dy, dr := n.X-a.X, n.Y-a.Y, n.R-a.R
		dd := float64(dx*dx) + float64(dy*dy)
		if open {
			// Within the fan, no way back, and the radius where it is expected?
			d := math.Sqrt(dd)
			if !(dd >= far && float64(lx*dy)-float64(ly*dx) <= 0 && float64(rx*dy)-float64(ry*dx) >= 0 &&
				dr >= float64(low*d) && dr <= float64(high*d)) {
				out = append(out, b)
				a = b
				dx, dy, dr = n.X-a.X, n.Y-a.Y, n.R-a.R
				dd = float64(dx*dx) + float64(dy*dy)
				open = false
			}
		}
		b = n
		if dd <= 1.01*tt {
			// Too near to tell a direction; the next one may be the one.
			if open || math.Abs(dr) > third {
				out = append(out, b)
				a, open = b, false
			}
			continue
		}
		// The directions that pass n within tol: the tangents from a to the circle of tol around it.
		q := math.Sqrt(dd - tt)
		qx, qy, tx, ty := float64(q*dx), float64(q*dy), float64(tol*dx), float64(tol*dy)
		inv := 1 / q
		if !open {
			lx, ly, rx, ry = qx-ty, qy+tx, qx+ty, qy-tx
			low, high, open = (dr-third)*inv, (dr+third)*inv, true
		} else {
			if x, y := qx-ty, qy+tx; float64(lx*y)-float64(ly*x) < 0 {
				lx, ly = x, y
			}
			if x, y := qx+ty, qy-tx; float64(rx*y)-float64(ry*x) > 0 {
				rx, ry = x, y
			}
			low, high = max(low, (dr-third)*inv), min(high, (dr+third)*inv)
		}
		far = dd
	}
	return append(out, b)
}

// flow adds the contours of a chain of circles to a Union edge by edge, both sides of a segment at a time: so neighbours in the
// chain are known to be that, and only where it meets itself again has it to be resolved. Where the contours go, huller.chain
// tells, with the same words.
type flow struct {
	union *raster.Union
	tol   float64
	in    side // of the segment that leads to the newest circle
	open  bool
	right raster.Point // where the contour has come to
	left  raster.Point // where its way back has come from

	tag, since int32
	turned     []float64 // how far the chain has turned before each segment, about, in radians or more
}

// chain adds a chain of circles, after those added before.
func (f *flow) chain(circles []Circle) {
	f.open = false
	a := circles[0]
	covered := false
	for i := 1; i < len(circles); i++ {
		if f.union.Full() {
			return // whatever follows, it will be dropped
		}
		b := circles[i]
		dx, dy := b.X-a.X, b.Y-a.Y
		d, dr := math.Sqrt(float64(dx*dx)+float64(dy*dy)), a.R-b.R
		if d == 0 && dr == 0 || i < len(circles)-1 && d+math.Abs(dr) <= f.tol/2 {
			continue
		}
		if d <= math.Abs(dr) {
			if f.open {
				f.finish(a)
			} else if !covered && dr >= 0 {
				f.disc(a)
			}
			covered = dr >= 0
			a = b
			continue
		}
		var s side
		inv := 1 / d
		s.ux, s.uy = dx*inv, dy*inv
		c := dr * inv
		q := math.Sqrt(max(0, 1-float64(c*c)))
		s.t = float64(d * q)
		s.lx, s.ly = float64(c*s.ux)-float64(q*s.uy), float64(c*s.uy)+float64(q*s.ux)
		s.rx, s.ry = float64(c*s.ux)+float64(q*s.uy), float64(c*s.uy)-float64(q*s.ux)
		if f.open && !f.in.joins(&s) {
			f.finish(a)
		}
		if f.open {
			f.joint(a, s)
		} else {
			f.begin(a, s)
		}
		f.in, covered = s, false
		a = b
	}
	if f.open {
		f.finish(a)
	} else if !covered && !beside(a, a) {
		f.disc(a)
	}
}

// beside says that the hull of two circles does not meet the image.
func beside(a, b Circle) bool {
	return max(a.X+a.R, b.X+b.R) < -raster.One || min(a.X-a.R, b.X-b.R) > cellSide+raster.One ||
		max(a.Y+a.R, b.Y+b.R) < -raster.One || min(a.Y-a.R, b.Y-b.R) > cellSide+raster.One
}

// mostTurn is how far a stretch of the chain may turn to be taken for one that does not overlap itself: less than a half turn,
// so that its borders move away from each other, while no joint in it has to go through the centre. The sum is of sines,
// of angles below a right one: it is at least 2/π of the sum of the angles.
const mostTurn = 2

// next begins the next part of the shape, which may overlap with all before it or only with those beyond a bend.
func (f *flow) next(fresh bool, turn float64) {
	f.tag++
	f.turned = append(f.turned, f.turned[f.tag-1]+turn)
	if fresh {
		f.since = f.tag
	} else {
		for f.turned[f.tag]-f.turned[f.since] > mostTurn {
			f.since++
		}
	}
	f.union.Pass(f.tag, f.since)
}

func (f *flow) at(a Circle, nx, ny float64) raster.Point {
	return raster.Point{X: int64(snap(a.X + float64(a.R*nx))), Y: int64(snap(a.Y + float64(a.R*ny)))}
}

func (f *flow) goRight(p raster.Point) {
	f.union.Edge(f.right, p)
	f.right = p
}

func (f *flow) goLeft(p raster.Point) {
	f.union.Edge(p, f.left)
	f.left = p
}

func (f *flow) begin(a Circle, s side) {
	f.open = true
	f.next(true, 0)
	f.left = f.at(a, s.lx, s.ly)
	f.right = f.left
	f.arc(a, s.lx, s.ly, -s.ux, -s.uy, true)
	f.arc(a, -s.ux, -s.uy, s.rx, s.ry, true)
	f.goRight(f.at(a, s.rx, s.ry))
}

func (f *flow) finish(a Circle) {
	f.open = false
	s := &f.in
	f.goRight(f.at(a, s.rx, s.ry))
	f.arc(a, s.rx, s.ry, s.ux, s.uy, true)
	f.arc(a, s.ux, s.uy, s.lx, s.ly, true)
	f.goRight(f.at(a, s.lx, s.ly))
	f.union.Edge(f.right, f.left)
}

func (f *flow) joint(a Circle, s side) {
	in := &f.in
	short := float64(0.475 * min(in.t, s.t))
	turn := max(math.Abs(float64(in.ux*s.uy)-float64(in.uy*s.ux)),
		math.Abs(float64(in.rx*s.ry)-float64(in.ry*s.rx)), math.Abs(float64(in.lx*s.ly)-float64(in.ly*s.lx)))
	rightOpens := float64(in.rx*s.ry)-float64(in.ry*s.rx) > 0
	leftOpens := float64(in.lx*s.ly)-float64(in.ly*s.lx) < 0
	rm, rOK := f.middle(a, short, in.rx, in.ry, s.rx, s.ry, !rightOpens)
	lm, lOK := f.middle(a, short, in.lx, in.ly, s.lx, s.ly, !leftOpens)
	if rOK {
		f.goRight(rm)
	} else {
		f.goRight(f.at(a, in.rx, in.ry))
	}
	if lOK {
		f.goLeft(lm)
	} else {
		f.goLeft(f.at(a, in.lx, in.ly))
	}
	overlaps := !rOK && !rightOpens || !lOK && !leftOpens
	if overlaps {
		centre := raster.Point{X: int64(snap(a.X)), Y: int64(snap(a.Y))}
		if !rOK && !rightOpens {
			f.goRight(centre)
		}
		if !lOK && !leftOpens {
			f.goLeft(centre)
		}
	}
	f.next(overlaps, turn)
	if !rOK {
		if rightOpens {
			f.arc(a, in.rx, in.ry, s.rx, s.ry, true)
		}
		f.goRight(f.at(a, s.rx, s.ry))
	}
	if !lOK {
		if leftOpens {
			f.arc(a, in.lx, in.ly, s.lx, s.ly, false)
		}
		f.goLeft(f.at(a, s.lx, s.ly))
	}
}

// middle: see huller.middle. With φ between the normals n and m, the tangents meet at (n+m)/(1+n·m), r·tan(φ/2) beyond where
// they touch, and the arc is r·(1−cos(φ/2)) ≤ r·(1−n·m)/3.4 high for φ below a right angle.
func (f *flow) middle(a Circle, short, x1, y1, x2, y2 float64, closes bool) (raster.Point, bool) {
	dot := float64(x1*x2) + float64(y1*y2)
	if !closes && float64(a.R*(1-dot)) > 3.4*f.tol || float64(a.R*math.Abs(float64(x1*y2)-float64(y1*x2))) > float64(short*(1+dot)) {
		return raster.Point{}, false
	}
	inv := 1 / (1 + dot)
	return f.at(a, float64((x1+x2)*inv), float64((y1+y2)*inv)), true
}

func (f *flow) disc(a Circle) {
	f.next(true, 0)
	f.right = f.at(a, 1, 0)
	start := f.right
	f.arc(a, 1, 0, 0, 1, true)
	f.arc(a, 0, 1, -1, 0, true)
	f.arc(a, -1, 0, 0, -1, true)
	f.arc(a, 0, -1, 1, 0, true)
	f.union.Edge(f.right, start)
}

// arc: see huller.arcTo.
func (f *flow) arc(a Circle, x1, y1, x2, y2 float64, right bool) {
	mx, my := x1+x2, y1+y2
	inv := 1 / math.Sqrt(float64(mx*mx)+float64(my*my))
	mx, my = mx*inv, my*inv
	if c := float64(x1*mx) + float64(y1*my); float64(a.R*(1-c)) <= f.tol {
		out := 1 + float64(2.0/3*(1-c))
		if p := f.at(a, float64(mx*out), float64(my*out)); right {
			f.goRight(p)
		} else {
			f.goLeft(p)
		}
		return
	}
	f.arc(a, x1, y1, mx, my, right)
	f.arc(a, mx, my, x2, y2, right)
}
