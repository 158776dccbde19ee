package ink

import (
	"math"
	"math/big"

	"fractal/raster"
)

// deep is the scratch for cells far inside a stroke's levels.
//
// Seen from there a stroke's border is a few arcs and lines, most of them many times larger than the cell, and float64 could
// not say where they pass. So the hull of two circles is taken apart into its two discs and the quadrangle between the four
// points where the tangents touch, and each of these into curves whose distance from the middle of the cell is computed
// exactly before it is rounded: for a circle (|m−C|² − r²) / (|m−C| + r), for a tangent (X + Y·√G) / D in integers of any
// size, where opposite signs of X and Y·√G are resolved by (X² − Y²·G) / (X − Y·√G). What is left are polygons around the
// cell, whose union is swept like every other.
type deep struct {
	exp        int     // log2 of cell units in 1/64 unit of home
	mx, my     big.Int // the middle of the cell, in cell units, from home's corner
	t          [12]big.Int
	f          [6]big.Float
	poly, clip []vec
	seen       int // the circle whose disc was added last

	x, y, unit float64 // the middle of the cell in units of home, and px in such a unit
	ready      bool    // mx, my and exp are set
}

type vec struct{ x, y float64 }

const (
	// border is half the side of what is cut out around the middle of a cell, in px.
	border = raster.Size/2 + 4

	// straightPx is from which radius on an arc is a straight line within a cell: its height is below 2^-13 px.
	straightPx = 1 << 30
)

// inside paints a stroke on a cell more than deepest levels finer.
func (p *Painter) inside(dst *raster.Image, s *Stroke, paint *raster.Paint, z int) {
	c := p.work.around(s)
	d := &p.deep
	// The middle of the cell in units of home, as well as float64 can say.
	scale, dx, dy, _ := p.to.Affine()
	var x, y float64
	if z <= 1000 {
		x, y = (8192-dx)/scale, (8192-dy)/scale
	} else {
		x, y = d.middle(p, z)
	}
	half := math.Ldexp(8192, -z) * 1.5 // its diagonal and more
	slack := (math.Abs(x) + math.Abs(y) + 1<<20) * 0x1p-46
	reach := half*1.1 + slack
	box := bounds{x - reach, y - reach, x + reach, y + reach}

	d.x, d.y, d.unit = x, y, math.Ldexp(1, min(z-6, 1000))
	d.ready, d.seen = false, -1
	p.work.sweep.reset()
	near, solid := false, false
	c.segments(&box, func(i int) {
		if solid || p.work.sweep.full() {
			return
		}
		a, b := c.circles[i], c.circles[min(i+1, len(c.circles)-1)]
		dist, err := roundCone(a, b, x, y)
		if dist > reach+err {
			return
		}
		if dist < -reach-err {
			solid = true
			return
		}
		near = true
		var done bool
		if solid, done = d.quick(&p.work, i, a, b); done {
			return
		}
		if !d.ready {
			d.begin(p, z)
		}
		solid = d.segment(&p.work, i, a, b)
	})
	if solid {
		dst.Cover(paint)
		return
	}
	if near && !p.paintSweep(dst, paint) {
		// A tangle that deep: what is near the middle of the cell decides for all of it.
		dst.Cover(paint)
	}
}

const (
	// quickPx is how far from the middle of the cell, in px, centres may be and how large radii for float64 to place them
	// well: to 2^-15.
	quickPx = 1 << 36
	// quickHop is how far apart, in 1/64 unit, circles may be for the squares of their differences to be whole in int64.
	quickHop = 1 << 30
)

// quick is segment where float64 is enough; otherwise done is false.
func (d *deep) quick(w *workshop, i int, a, b Circle) (solid, done bool) {
	ax, ay, ar := (d.x-a.X)*d.unit, (d.y-a.Y)*d.unit, a.R*d.unit
	bx, by, br := (d.x-b.X)*d.unit, (d.y-b.Y)*d.unit, b.R*d.unit
	dx, dy, dr := sixtyFour(b.X)-sixtyFour(a.X), sixtyFour(b.Y)-sixtyFour(a.Y), sixtyFour(a.R)-sixtyFour(b.R)
	if !(max(math.Abs(ax), math.Abs(ay), ar, math.Abs(bx), math.Abs(by), br) < quickPx) ||
		max(abs(dx), abs(dy), abs(dr)) > quickHop {
		return false, false
	}
	dd := dx*dx + dy*dy
	gg := dd - dr*dr
	if gg <= 0 {
		if dr >= 0 {
			return d.quickDisc(w, ax, ay, ar), true
		}
		return d.quickDisc(w, bx, by, br), true
	}
	if d.seen != i && d.quickDisc(w, ax, ay, ar) {
		return true, true
	}
	d.seen = i + 1
	if d.quickDisc(w, bx, by, br) {
		return true, true
	}
	l, root := math.Sqrt(float64(dd)), math.Sqrt(float64(gg))
	ux, uy, c, q := float64(dx)/l, float64(dy)/l, float64(dr)/l, root/l
	d.whole()
	if !d.half(float64(ar*c)-(float64(ax*ux)+float64(ay*uy)), -ux, -uy) ||
		!d.half(float64(bx*ux)+float64(by*uy)-float64(br*c), ux, uy) {
		return false, true
	}
	for range 2 {
		nx, ny := float64(c*ux)-float64(q*uy), float64(c*uy)+float64(q*ux)
		if !d.half(float64(ax*nx)+float64(ay*ny)-ar, nx, ny) {
			return false, true
		}
		q = -q
	}
	return d.add(w), true
}

// quickDisc adds the disc of radius r px whose centre the middle of the cell is (x, y) px from.
func (d *deep) quickDisc(w *workshop, x, y, r float64) (solid bool) {
	l := math.Sqrt(float64(x*x) + float64(y*y))
	if l == 0 {
		return d.round(w, -r, vec{1, 0}, r)
	}
	return d.round(w, l-r, vec{x / l, y / l}, r)
}

// round adds the disc of radius r px whose border is a0 px from the middle of the cell, outside positive, with u pointing out.
func (d *deep) round(w *workshop, a0 float64, u vec, r float64) (solid bool) {
	if a0 > 1.5*border {
		return false
	}
	if a0 < -1.5*border {
		return true
	}
	if r >= straightPx {
		d.whole()
		return d.half(a0, u.x, u.y) && d.add(w)
	}
	d.arc(a0, u, r)
	return d.add(w)
}

// roundCone is the signed distance of a point from the hull of two circles, and what may be wrong with it beyond the usual
// rounding: where one circle all but holds the other, the slope of the tangents is known badly.
func roundCone(a, b Circle, x, y float64) (dist, err float64) {
	x, y = x-a.X, y-a.Y
	dx, dy := b.X-a.X, b.Y-a.Y
	dd := float64(dx*dx) + float64(dy*dy)
	d, dr := math.Sqrt(dd), a.R-b.R
	gg := dd - float64(dr*dr)
	if d == 0 || gg <= 0 {
		if dr < 0 {
			x, y, a = x-dx, y-dy, b
		}
		dist = math.Sqrt(float64(x*x)+float64(y*y)) - a.R
		return dist, min(a.R, b.R) * 0x1p-24
	}
	along := (float64(x*dx) + float64(y*dy)) / d
	off := math.Abs(float64(x*dy)-float64(y*dx)) / d
	c, q := dr/d, math.Sqrt(gg)/d
	err = (off + a.R + b.R) * 0x1p-50 / max(q, 0x1p-26)
	switch e := float64(along*q) - float64(off*c); {
	case e < 0:
		return math.Sqrt(float64(x*x)+float64(y*y)) - a.R, err
	case e > d*q:
		x, y = x-dx, y-dy
		return math.Sqrt(float64(x*x)+float64(y*y)) - b.R, err
	default:
		return float64(along*c) + float64(off*q) - a.R, err
	}
}

// middle is the middle of the cell in units of home, for cells so deep that their own units have no float64.
func (d *deep) middle(p *Painter, z int) (x, y float64) {
	d.begin(p, z)
	at := func(m *big.Int) float64 {
		f := d.f[0].SetPrec(64).SetInt(m)
		f.SetMantExp(f, -z)
		v, _ := f.Float64()
		return v
	}
	return at(&d.mx), at(&d.my)
}

// begin finds the middle of the cell exactly.
func (d *deep) begin(p *Painter, z int) {
	ox, oy, exp := p.to.Offset() // of home's corner from the cell's
	d.mx.Sub(big.NewInt(8192), ox.Lsh(ox, uint(exp)))
	d.my.Sub(big.NewInt(8192), oy.Lsh(oy, uint(exp)))
	d.exp, d.ready = z-6, true
}

// sixtyFour takes a coordinate or radius to its integer in 1/64 units.
func sixtyFour(v float64) int64 { return int64(v * 64) }

// from sets w to the middle of the cell seen from (x, y), in cell units.
func (d *deep) from(w, m *big.Int, x float64) *big.Int {
	w.SetInt64(sixtyFour(x))
	w.Lsh(w, uint(d.exp))
	return w.Sub(m, w)
}

// float is a big integer with 64 bits, in slot k.
func (d *deep) float(k int, v *big.Int) *big.Float { return d.f[k].SetPrec(64).SetInt(v) }

// toPx is a big float in cell units as px, ±1e9 when it is beyond.
func toPx(f *big.Float) float64 {
	if f.Sign() == 0 {
		return 0
	}
	if f.MantExp(nil) > 36 {
		return 1e9 * float64(f.Sign())
	}
	v, _ := f.Float64()
	return v / 64
}

// segment adds the hull of circles i and i+1 to the sweeper as far as it is near, or reports that it holds the cell.
func (d *deep) segment(w *workshop, i int, a, b Circle) (solid bool) {
	// Whether one holds the other, exactly, in 1/64 units.
	dx, dy := sixtyFour(b.X)-sixtyFour(a.X), sixtyFour(b.Y)-sixtyFour(a.Y)
	dr := sixtyFour(a.R) - sixtyFour(b.R)
	dd := d.t[0].Mul(d.t[0].SetInt64(dx), &d.t[0])
	dd.Add(dd, d.t[1].Mul(d.t[1].SetInt64(dy), &d.t[1]))
	gg := d.t[1].Mul(d.t[1].SetInt64(dr), &d.t[1])
	gg.Sub(dd, gg) // |d|² − δ²
	if gg.Sign() <= 0 {
		if dr >= 0 {
			return d.disc(w, a)
		}
		return d.disc(w, b)
	}
	if d.seen != i && d.disc(w, a) {
		return true
	}
	d.seen = i + 1
	if d.disc(w, b) {
		return true
	}
	return d.quad(w, a, b, dx, dy, dr, dd, gg)
}

// quad adds the quadrangle between the points where the tangents touch.
func (d *deep) quad(w *workshop, a, b Circle, dx, dy, dr int64, dd, gg *big.Int) (solid bool) {
	fd, _ := d.float(0, dd).Float64()
	fg, _ := d.float(0, gg).Float64()
	len, root := math.Sqrt(fd), math.Sqrt(fg)
	fx, fy, fr := float64(dx), float64(dy), float64(dr)

	// The middle of the cell from a's centre: along d and across it, both times |d|.
	wx, wy := d.from(&d.t[2], &d.mx, a.X), d.from(&d.t[3], &d.my, a.Y)
	bx, by := d.t[4].SetInt64(dx), d.t[5].SetInt64(dy)
	along := d.t[6].Mul(wx, bx)
	along.Add(along, d.t[7].Mul(wy, by))
	across := d.t[8].Mul(wy, bx)
	across.Sub(across, d.t[7].Mul(wx, by))

	d.whole()
	// Behind the chord of a's touching points: (w·d − r·δ·) / |d| ≥ 0, turned round.
	ra := d.t[2].SetInt64(sixtyFour(a.R))
	ra.Lsh(ra, uint(d.exp))
	rd := d.t[3].Mul(ra, d.t[4].SetInt64(dr))
	v := d.t[9].Sub(rd, along)
	if !d.half(d.over(v, len), -fx/len, -fy/len) {
		return false
	}
	// Before the chord of b's: w·d − |d|²·2^exp − rb·δ ≤ 0.
	rb := d.t[5].SetInt64(sixtyFour(b.R))
	rb.Lsh(rb, uint(d.exp))
	v.Sub(along, d.t[7].Lsh(dd, uint(d.exp)))
	v.Sub(v, d.t[7].Mul(rb, &d.t[4]))
	if !d.half(d.over(v, len), fx/len, fy/len) {
		return false
	}
	// The tangents: X = δ·(w·d) − r·|d|², Y = ±w×d.
	x := d.t[9].Mul(along, &d.t[4])
	x.Sub(x, d.t[7].Mul(ra, dd))
	for range 2 {
		n := vec{(float64(fr*fx) - float64(root*fy)) / fd, (float64(fr*fy) + float64(root*fx)) / fd}
		if !d.half(d.surd(x, across, gg, dd), n.x, n.y) {
			return false
		}
		across.Neg(across)
		root = -root
	}
	return d.add(w)
}

// over is v/|d| in px, for v in (1/64 unit) · cell unit and d in 1/64 units.
func (d *deep) over(v *big.Int, len float64) float64 {
	f := d.float(0, v)
	return toPx(f.Quo(f, d.f[1].SetPrec(64).SetFloat64(len)))
}

// surd is (X + Y·√G) / D in px without loss by cancellation.
func (d *deep) surd(x, y, g, dd *big.Int) float64 {
	root := d.float(0, g)
	root.Sqrt(root)
	den := d.float(1, dd)
	fx, fy := d.float(2, x), d.float(3, y)
	fy.Mul(fy, root)
	if x.Sign()*y.Sign() >= 0 {
		return toPx(fx.Quo(fx.Add(fx, fy), den))
	}
	n := d.t[10].Mul(x, x)
	m := d.t[11].Mul(y, y)
	n.Sub(n, m.Mul(m, g))
	num := d.float(4, n)
	den.Mul(den, fx.Sub(fx, fy))
	return toPx(num.Quo(num, den))
}

// disc adds a circle's disc.
func (d *deep) disc(w *workshop, c Circle) (solid bool) {
	wx, wy := d.from(&d.t[2], &d.mx, c.X), d.from(&d.t[3], &d.my, c.Y)
	r := d.t[4].SetInt64(sixtyFour(c.R))
	r.Lsh(r, uint(d.exp))
	fx, fy, fr := d.float(0, wx), d.float(1, wy), d.float(2, r)
	// The larger of both takes |w| near 1, where squares are safe.
	e := max(fx.MantExp(nil), fy.MantExp(nil), fr.MantExp(nil))
	nx, _ := d.f[3].SetMantExp(fx, -e).Float64()
	ny, _ := d.f[3].SetMantExp(fy, -e).Float64()
	nr, _ := d.f[3].SetMantExp(fr, -e).Float64()
	l := math.Sqrt(float64(nx*nx) + float64(ny*ny))
	n := d.t[5].Mul(wx, wx)
	n.Add(n, d.t[6].Mul(wy, wy))
	n.Sub(n, d.t[6].Mul(r, r))
	sum := d.f[4].SetPrec(64).SetFloat64(l + nr)
	sum.SetMantExp(sum, e)
	num := d.float(5, n)
	a0 := toPx(num.Quo(num, sum)) // distance of the middle from the circle, outside positive
	if l == 0 {
		nx, l = 1, 1
	}
	return d.round(w, a0, vec{nx / l, ny / l}, math.Ldexp(nr, min(e, 900)-6))
}

// arc makes poly the disc of radius r whose border is at −a0·u from the middle and turns away at both sides.
func (d *deep) arc(a0 float64, u vec, r float64) {
	d.poly = d.poly[:0]
	at := func(down, side float64) { // from the border's nearest point: towards the centre, and across
		down += a0
		d.poly = append(d.poly, vec{-down*u.x - side*u.y, -down*u.y + side*u.x})
	}
	// A point at the angle whose half has the tangent t.
	on := func(t float64) {
		q := 1 + t*t
		at(2*r*t*t/q, 2*r*t/q)
	}
	if r < 4*border {
		// Four quarters, each by tangents of halves up to 45°.
		n := 1
		for r*0.5 > flatLod*float64(n*n) { // height of the longest of the arcs
			n++
		}
		for k := -n; k < n; k++ {
			on(float64(k) / float64(n))
		}
		for k := -n; k < n; k++ { // the far half, mirrored
			t := float64(k) / float64(n)
			q := 1 + t*t
			at(2*r-2*r*t*t/q, -2*r*t/q)
		}
		return
	}
	const across = 3.5 * border
	n := int(math.Sqrt(across*across/(8*flatLod*r))) + 1
	for k := -n; k <= n; k++ {
		on(across / (2 * r) * float64(k) / float64(n))
	}
	last, first := d.poly[len(d.poly)-1], d.poly[0]
	const depth = 4 * border
	d.poly = append(d.poly, vec{last.x - depth*u.x, last.y - depth*u.y}, vec{first.x - depth*u.x, first.y - depth*u.y})
}

// whole makes poly everything around the cell.
func (d *deep) whole() {
	d.poly = append(d.poly[:0], vec{-border, -border}, vec{border, -border}, vec{border, border}, vec{-border, border})
}

// half cuts off where a0 + n·v > 0 and tells whether anything is left.
func (d *deep) half(a0, nx, ny float64) bool {
	d.clip = d.clip[:0]
	at := func(v vec) float64 { return a0 + float64(nx*v.x) + float64(ny*v.y) }
	if len(d.poly) == 0 {
		return false
	}
	last := d.poly[len(d.poly)-1]
	was := at(last)
	for _, v := range d.poly {
		is := at(v)
		if (was <= 0) != (is <= 0) {
			t := was / (was - is)
			d.clip = append(d.clip, vec{last.x + float64(t*(v.x-last.x)), last.y + float64(t*(v.y-last.y))})
		}
		if is <= 0 {
			d.clip = append(d.clip, v)
		}
		last, was = v, is
	}
	d.poly, d.clip = d.clip, d.poly
	return len(d.poly) > 2
}

// add adds poly to the sweeper, or reports that it is everything around the cell.
func (d *deep) add(w *workshop) (solid bool) {
	if len(d.poly) < 3 {
		return false
	}
	if len(d.poly) == 4 && d.poly[0] == (vec{-border, -border}) && d.poly[2] == (vec{border, border}) {
		return true
	}
	const mid = raster.Size / 2
	grid := func(v vec) (x, y float64) { return snap((v.x + mid) * pxGrid), snap((v.y + mid) * pxGrid) }
	lx, ly := grid(d.poly[len(d.poly)-1])
	for _, v := range d.poly {
		x, y := grid(v)
		w.addCut(lx, ly, x, y)
		lx, ly = x, y
	}
	return false
}
