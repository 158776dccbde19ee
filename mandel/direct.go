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

// direct renders what is Pending of a grid whose pitch doubles can tell apart. start says where z begins and c lies.
type direct struct {
	f      flock
	at     [seats]int   // index of the sample in out
	test   [seats]int64 // steps after which the seat is tested again
	alive  uint32
	period int // of the last sample found to be in the set: its neighbours are likely of the same
}

// render takes samples from next until it returns a negative index, and gives verdicts to done. It returns false when
// cancelled. julia says that next gives z(0), and that c is (jr, ji) for all.
func (d *direct) render(limit int64, julia bool, jr, ji float64, next func() (at int, re, im float64), done func(at int, s Sample), cancelled func() bool) bool {
	d.alive = 0
	more := true
	work := 0
	for {
		for k := 0; more && k < seats; k++ {
			if d.alive>>k&1 != 0 {
				continue
			}
			for {
				at, re, im := next()
				if at < 0 {
					more = false
					break
				}
				if !julia && inMain(re, im) {
					done(at, Sample{N: limit, State: Interior})
					continue
				}
				d.at[k], d.test[k] = at, firstTest
				d.f.zr[k], d.f.zi[k], d.f.cr[k], d.f.ci[k], d.f.n[k] = 0, 0, re, im, 0
				if julia {
					d.f.zr[k], d.f.zi[k], d.f.cr[k], d.f.ci[k] = re, im, jr, ji
				}
				d.alive |= 1 << k
				break
			}
		}
		if d.alive == 0 {
			return true
		}
		steps := int64(look)
		for k := range seats {
			if d.alive>>k&1 == 0 {
				continue
			}
			n := int64(d.f.n[k])
			steps = min(steps, limit-n, max(firstLook, n))
		}
		was := d.alive
		if work += int(steps); work > look/2 {
			if work = 0; cancelled() {
				return false
			}
		}
		d.alive = iterate(&d.f, int(steps), d.alive)
		for k := range seats {
			if was>>k&1 == 0 {
				continue
			}
			n := int64(d.f.n[k])
			switch x, y := d.f.zr[k], d.f.zi[k]; {
			case d.alive>>k&1 == 0:
				done(d.at[k], escaped(n, float64(x*x)+float64(y*y)))
			case n >= limit: // one more look at |z|: the limit counts steps, not tests
				d.alive &^= 1 << k
				if zz := float64(x*x) + float64(y*y); zz > Radius*Radius {
					done(d.at[k], escaped(n, zz))
				} else {
					done(d.at[k], Sample{N: limit, State: Unknown})
				}
			case n >= d.test[k]:
				// A test costs about as much as the steps it follows; waiting four times as long before the next keeps the sum
				// small against the samples that do escape.
				d.test[k] *= 4
				if limit-n > n && d.inSet(k, int(min(n, maxTest)), julia) {
					d.alive &^= 1 << k
					done(d.at[k], Sample{N: limit, State: Interior})
				}
			}
		}
	}
}

// inSet says whether the orbit of a seat is drawn to a cycle. It follows z for up to span steps from where it is.
func (d *direct) inSet(k, span int, julia bool) bool {
	x, y, c, e := d.f.zr[k], d.f.zi[k], d.f.cr[k], d.f.ci[k]
	if d.period > 0 && d.period <= span && attracted(x, y, c, e, d.period) {
		return true
	}
	if p := findCycle(x, y, c, e, span); p > 0 {
		d.period = p
		return true
	}
	return false
}

// findCycle returns the period of the cycle that the orbit of (x, y) is drawn to, if it shows within span steps; else 0. An
// orbit that is drawn to a cycle comes back near where it was after every period.
func findCycle(x, y, c, e float64, span int) int {
	near := 0x1p-16
	zr, zi := x, y
	for n, tries := 1, 0; n <= span && tries < 6; n++ {
		zr, zi = float64(zr*zr)-float64(zi*zi)+c, float64(2*zr*zi)+e
		u, v := zr-x, zi-y
		if d := float64(u*u) + float64(v*v); d < near {
			if attracted(x, y, c, e, n) {
				return n
			}
			near = d / 4
			tries++
		}
	}
	return 0
}

// nearParabolic bounds |A|² of a lap worth following with Newton's method.
const nearParabolic = 2

// attracted says whether Newton's method finds, from (x, y), a cycle of period p of z² + c that attracts. Every attracting
// cycle attracts the critical point, so that c is in the set.
func attracted(x, y, c, e float64, p int) bool {
	for range 12 {
		zr, zi, ar, ai := x, y, 1.0, 0.0
		for range p {
			ar, ai = float64(zr*ar)-float64(zi*ai), float64(zr*ai)+float64(zi*ar)
			ar, ai = ar+ar, ai+ai
			zr, zi = float64(zr*zr)-float64(zi*zi)+c, float64(2*zr*zi)+e
		}
		// An orbit that has come near a cycle that attracts has its derivative already, or nearly. All others end here.
		if !(float64(ar*ar)+float64(ai*ai) < nearParabolic) {
			return false
		}
		sr, si, ok := newton(zr-x, zi-y, ar-1, ai)
		if !ok {
			return false
		}
		size := float64(sr*sr) + float64(si*si)
		if size < 0x1p-80 {
			return float64(ar*ar)+float64(ai*ai) < 1-0x1p-16
		}
		if x, y = x-sr, y-si; !(float64(x*x)+float64(y*y) < 8) {
			return false
		}
	}
	return false
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
