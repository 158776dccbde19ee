package mandel

import "math"

// DirectPitch is the finest spacing the direct kernel serves: below it neighbours differ in fewer than 12 bits of a float64.
const DirectPitch = -40

// seats is how many samples the direct kernel iterates side by side. They share nothing but the instructions: a sample that
// is done gives its seat to the next, and what a sample becomes does not depend on who sits beside it.
const seats = 16

// flock is the state of the samples under way.
type flock struct {
	zr, zi, cr, ci [seats]float64
	n              [seats]float64 // steps taken; a float64 counts exactly far beyond MaxLimit
	low            [seats]float64 // the least |z|² that was met
}

// iterate runs up to steps iterations of the seats in alive and returns those that are still within Radius. A seat that leaves
// keeps z and n of the moment: |z| > Radius after n steps.
var iterate func(f *flock, steps int, alive uint32) uint32 = iterateGo

func iterateGo(f *flock, steps int, alive uint32) uint32 {
	for k := range seats {
		if alive>>k&1 == 0 {
			continue
		}
		x, y, c, d := f.zr[k], f.zi[k], f.cr[k], f.ci[k]
		n, out := 0, false
		for ; n < steps; n++ {
			rr, ii := float64(x*x), float64(y*y)
			f.low[k] = min(f.low[k], rr+ii)
			if rr+ii > Radius*Radius {
				out = true
				break
			}
			x, y = (rr-ii)+c, float64((x+x)*y)+d
		}
		f.zr[k], f.zi[k], f.n[k] = x, y, f.n[k]+float64(n)
		if out {
			alive &^= 1 << k
		}
	}
	return alive
}

// How often samples under way are looked at. A stretch between two looks costs the kernel about 40 µs for a flock at most.
const (
	firstLook = 64      // steps after which seats are first given on
	look      = 1 << 12 // steps between two looks later
	firstTest = 1 << 11 // steps after which a sample is first tested for being in the set
	maxTest   = 1 << 15 // steps a test may follow an orbit for a period
)

// direct renders what is Pending of a grid whose pitch doubles can tell apart: what samples share as a sheaf, and then each in a
// seat of its own.
type direct struct {
	formula       Formula
	grid          Grid
	limit         int64
	out           []Sample
	cancelled     func() bool
	re, im, pitch float64 // of the grid
	jr, ji        float64 // c of a Julia set

	queue  []begun // samples that wait for a seat, the next at the end
	f      flock
	at     [seats]int   // index of the sample in out
	test   [seats]int64 // steps after which the seat is tested again
	alive  uint32
	work   int // steps since cancelled was asked
	period int // of the last sample found to be in the set: its neighbours are likely of the same
}

// begun is a sample under way without a seat: z after n steps.
type begun struct {
	at     int // index of the sample
	zr, zi float64
	n      int64
}

// renderDirect fills what is Pending at every stride-th column of every stride-th row. It returns false when cancelled.
func renderDirect(f Formula, g Grid, limit int64, stride int, out []Sample, cancelled func() bool) bool {
	d := &direct{
		formula: f, grid: g, limit: limit, out: out, cancelled: cancelled,
		re: g.Re.Float(), im: g.Im.Float(), pitch: math.Ldexp(1, g.Pitch), jr: f.Re.Float(), ji: f.Im.Float(),
	}
	r := rendering{width: g.W, stride: stride, limit: limit, least: patch, few: patch * patch / 4, out: out, walk: d.walk, leaf: d.leaf}
	s := d.sheaf(stride)
	return r.draw(&s, limit > shortest) && d.run(false)
}

// leaf gives seats to what is Pending of a small sheaf.
func (d *direct) leaf(r *rendering, s *sheaf, walks bool) bool {
	r.each(s, func(x, y int) bool {
		b := begun{at: y*r.width + x}
		switch c, e := d.point(x, y); {
		case walks && s.n >= shortest:
			b.zr, b.zi = s.at(float64(x)-s.ur, -float64(y)-s.ui)
			b.n = s.n
		case d.formula.Julia:
			b.zr, b.zi = c, e
		}
		d.queue = append(d.queue, b)
		return true
	})
	return d.run(true)
}

// point is where column x of row y lies.
func (d *direct) point(x, y int) (re, im float64) {
	return d.re + float64(float64(x)*d.pitch), d.im - float64(float64(y)*d.pitch)
}

// run iterates what has and waits for a seat: to the end, or, if there is more to come, for as long as all seats are taken. It returns
// false when cancelled.
func (d *direct) run(more bool) bool {
	for {
		for k := 0; len(d.queue) > 0 && k < seats; k++ {
			if d.alive>>k&1 == 0 {
				d.seat(k)
			}
		}
		if d.alive == 0 || more && d.alive != 1<<seats-1 {
			return true
		}
		steps := int64(look)
		for k := range seats {
			if d.alive>>k&1 == 0 {
				continue
			}
			n := int64(d.f.n[k])
			steps = min(steps, d.limit-n, max(firstLook, n))
		}
		was := d.alive
		if d.work += int(steps); d.work > look/2 {
			if d.work = 0; d.cancelled() {
				return false
			}
		}
		d.alive = iterate(&d.f, int(steps), d.alive)
		for k := range seats {
			if was>>k&1 == 0 {
				continue
			}
			n := int64(d.f.n[k])
			out := &d.out[d.at[k]]
			switch x, y := d.f.zr[k], d.f.zi[k]; {
			case out.State != Pending: // it lies in a disc that was found meanwhile
				d.alive &^= 1 << k
			case d.alive>>k&1 == 0:
				*out = escaped(n, float64(x*x)+float64(y*y))
			case n >= d.limit: // one more look at |z|: the limit counts steps, not tests
				d.alive &^= 1 << k
				if zz := float64(x*x) + float64(y*y); zz > Radius*Radius {
					*out = escaped(n, zz)
				} else {
					*out = Sample{N: d.limit, State: Unknown}
				}
			case n >= d.test[k]:
				d.test[k] = 4 * d.test[k]
				if p, r, ok := d.inSet(x, y, d.f.cr[k], d.f.ci[k], n); ok {
					d.alive &^= 1 << k
					*out = Sample{N: d.limit, State: Interior}
					d.period = p
					d.fill(float64(d.at[k]%d.grid.W), float64(d.at[k]/d.grid.W), r)
				}
			}
		}
	}
}

// seat gives seat k to a sample that waits and is still Pending, if there is one.
func (d *direct) seat(k int) {
	for len(d.queue) > 0 {
		b := d.queue[len(d.queue)-1]
		d.queue = d.queue[:len(d.queue)-1]
		if d.out[b.at].State != Pending {
			continue
		}
		c, e := d.point(b.at%d.grid.W, b.at/d.grid.W)
		if d.formula.Julia {
			c, e = d.jr, d.ji
		} else if inMain(c, e) {
			d.out[b.at] = Sample{N: d.limit, State: Interior}
			continue
		}
		d.f.zr[k], d.f.zi[k], d.f.cr[k], d.f.ci[k], d.f.n[k] = b.zr, b.zi, c, e, float64(b.n)
		d.at[k], d.test[k] = b.at, firstTest
		for d.test[k] <= b.n {
			d.test[k] *= 4
		}
		d.alive |= 1 << k
		return
	}
}

// fill says that all that is Pending within a distance of column x, row y is in the set.
func (d *direct) fill(x, y, radius float64) {
	if d.formula.Julia {
		return // the samples of a Julia set do not differ in c
	}
	r := math.Min(radius/d.pitch*0.999, float64(d.grid.W+d.grid.H))
	if !(r >= 1) {
		return
	}
	for j := max(0, int(math.Ceil(y-r))); j <= min(d.grid.H-1, int(y+r)); j++ {
		half := math.Sqrt(max(0, float64(r*r)-float64((float64(j)-y)*(float64(j)-y))))
		for i := max(0, int(math.Ceil(x-half))); i <= min(d.grid.W-1, int(x+half)); i++ {
			if s := &d.out[j*d.grid.W+i]; s.State == Pending {
				*s = Sample{N: d.limit, State: Interior}
			}
		}
	}
}

// inSet says whether the orbit of c = c + i·e, which is at z = x + i·y after n steps, is drawn to a cycle: the cycle's period, and the radius of a
// disc around c that is in the set.
//
// A step of a test costs as much as 32 of a seat; with an eighth of them, and four times as long to the next, the sum stays small
// against the samples that do escape.
func (d *direct) inSet(x, y, c, e float64, n int64) (p int, radius float64, ok bool) {
	if d.limit-n <= n {
		return 0, 0, false // little is left to save
	}
	span := int(min(n/8, maxTest))
	left := 2 * span
	if d.period > 0 && d.period <= span {
		if u, v, ok := attracted(x, y, c, e, d.period, &left); ok {
			return d.period, inside(u, v, c, e, d.period), true
		}
	}
	if u, v, p := findCycle(x, y, c, e, span, &left); p > 0 {
		return p, inside(u, v, c, e, p), true
	}
	return 0, 0, false
}

// inside returns a radius around c = c + i·e within which all is in the set, for a cycle of period p that attracts and goes through
// z = x + i·y. The multiplier λ maps the component of the set that c lies in to the unit disc, so that (1 − |λ|²)/|dλ/dc| is its conformal
// radius, and a quarter of that is inside (Koebe; the derivatives as in mathr.co.uk/mandelbrot/book-draft, interior distance).
func inside(x, y, c, e float64, p int) float64 {
	type num = complex128
	mul := func(a, b num) num {
		return num(complex(float64(real(a)*real(b))-float64(imag(a)*imag(b)), float64(real(a)*imag(b))+float64(imag(a)*real(b))))
	}
	z, dz, dc, dzdz, dcdz := num(complex(x, y)), num(1), num(0), num(0), num(0)
	for range p {
		dcdz = 2 * (mul(z, dcdz) + mul(dz, dc))
		dzdz = 2 * (mul(dz, dz) + mul(z, dzdz))
		dc = 2*mul(z, dc) + 1
		dz = 2 * mul(z, dz)
		z = mul(z, z) + num(complex(c, e))
		// p may be a multiple of the cycle's own period, and λ then a power: no map to all of the disc. Only a step of Newton's tells
		// a cycle from one that nearly closes earlier.
		u, v, gr, gi := real(z)-x, imag(z)-y, real(dz)-1, imag(dz)
		if float64(u*u)+float64(v*v) < 0x1p-72*(float64(gr*gr)+float64(gi*gi)) {
			break
		}
	}
	gr, gi := 1-real(dz), -imag(dz)
	gg := float64(gr*gr) + float64(gi*gi)
	way := mul(mul(dzdz, dc), num(complex(gr/gg, -gi/gg)))
	l := modulus(real(dcdz+way), imag(dcdz+way))
	r := (1 - (float64(real(dz)*real(dz)) + float64(imag(dz)*imag(dz)))) / l / 4
	if !(r > 0) || r > 2 {
		return 0
	}
	return r
}

// findCycle returns the period of the cycle that the orbit of (x, y) is drawn to, and a point of it, if it shows within span steps;
// else 0. An orbit that is drawn to a cycle comes back near where it was after every period.
func findCycle(x, y, c, e float64, span int, left *int) (u, v float64, p int) {
	near := 0x1p-16
	zr, zi := x, y
	for n, tries := 1, 0; n <= span && tries < 6; n++ {
		zr, zi = float64(zr*zr)-float64(zi*zi)+c, float64(2*zr*zi)+e
		gr, gi := zr-x, zi-y
		if d := float64(gr*gr) + float64(gi*gi); d < near {
			if u, v, ok := attracted(x, y, c, e, n, left); ok {
				return u, v, n
			}
			near = d / 4
			tries++
		}
	}
	return 0, 0, 0
}

// nearParabolic bounds |A|² of a lap worth following with Newton's method.
const nearParabolic = 2

// attracted says whether Newton's method finds, from (x, y), a cycle of period p of z² + c that attracts, and a point of it, with
// what is left of the steps a test may take. Every attracting cycle attracts the critical point, so that c is in the set.
func attracted(x, y, c, e float64, p int, left *int) (u, v float64, ok bool) {
	for range 12 {
		if *left -= p; *left < 0 {
			break
		}
		zr, zi, ar, ai := x, y, 1.0, 0.0
		for range p {
			ar, ai = float64(zr*ar)-float64(zi*ai), float64(zr*ai)+float64(zi*ar)
			ar, ai = ar+ar, ai+ai
			zr, zi = float64(zr*zr)-float64(zi*zi)+c, float64(2*zr*zi)+e
		}
		// An orbit that has come near a cycle that attracts has its derivative already, or nearly. All others end here.
		if !(float64(ar*ar)+float64(ai*ai) < nearParabolic) {
			return 0, 0, false
		}
		sr, si, ok := newton(zr-x, zi-y, ar-1, ai)
		if !ok {
			return 0, 0, false
		}
		size := float64(sr*sr) + float64(si*si)
		if size < 0x1p-80 {
			return x, y, float64(ar*ar)+float64(ai*ai) < 1-0x1p-16
		}
		if x, y = x-sr, y-si; !(float64(x*x)+float64(y*y) < 8) {
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// inMain says whether c lies inside the main cardioid or the disc of period 2.
func inMain(cr, ci float64) bool {
	x := cr - 0.25
	yy := float64(ci * ci)
	q := float64(x*x) + yy
	if float64(q*(q+x)) < 0.25*yy {
		return true
	}
	return float64((cr+1)*(cr+1))+yy < 0.0625 && !math.IsNaN(cr)
}
