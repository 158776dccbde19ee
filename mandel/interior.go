package mandel

import "math"

// cycle watches the rebases of one sample for signs that it is drawn to a cycle: in a component of period p the orbit comes
// back to 0 nearer than ever before at step p, and a sample near the component's nucleus rebases there.
type cycle struct {
	low    float64  // |z|² of the last candidate
	period [2]int64 // the last two candidates; 0: none
	test   int      // tick after which to test; 0: firstWalk
}

// firstWalk is how many steps and runs a sample takes before it is first tested. Below it testing costs more than it saves:
// samples that escape take 50 to 1,700 at most places.
const firstWalk = 1 << 11

// rebased notes that z(n) with |z|² = zz became the delta, and says whether a test is due.
func (c *cycle) rebased(n int64, zz float64, tick int) bool {
	if c.period[0] == 0 || zz < 0.25*c.low { // not every small step nearer on the way to the cycle itself
		c.low = zz
		c.period[1], c.period[0] = c.period[0], n
	}
	if tick < max(c.test, firstWalk) {
		return false
	}
	c.test = 4 * tick
	return true
}

// inSet says whether the sample with δ = z = (x, y) at the start of home is drawn to a cycle of one of the candidates.
func (w *walker) inSet(c *cycle, x, y, cr, ci float64, n int64) bool {
	if w.julia || w.limit-n < n {
		return false // little is left to save
	}
	budget := c.test / (4 * testShare)
	for _, p := range [...]int64{w.period, c.period[0], c.period[1]} {
		if p > 0 && p <= n && w.attracted(x, y, cr, ci, p, &budget) {
			w.period = p
			return true
		}
	}
	return false
}

// testShare is the part of its steps and runs so far that a test of a sample may take: together with those before it is a third more.
const testShare = 32

// attracted says whether Newton's method finds, from z, a cycle of period p that attracts: then the sample is in the set.
func (w *walker) attracted(x, y, cr, ci float64, p int64, budget *int) bool {
	for range 10 {
		zr, zi, ar, ai, ok := w.lap(x, y, cr, ci, p, budget)
		if !ok || !(float64(ar*ar)+float64(ai*ai) < nearParabolic) {
			return false
		}
		sr, si, ok := newton(zr-x, zi-y, ar-1, ai)
		if !ok {
			return false
		}
		x, y = x-sr, y-si
		// Runs are good to Eps a step, so the cycle is not found more exactly than that.
		if float64(sr*sr)+float64(si*si) <= 0x1p-30*(float64(x*x)+float64(y*y)) {
			return float64(ar*ar)+float64(ai*ai) < 1-0x1p-8
		}
		if !(float64(x*x)+float64(y*y) < 8) {
			return false
		}
	}
	return false
}

// lap takes δ = z once around, p steps from the start of home, and returns z after it and its derivative, within a budget of steps
// and runs.
func (w *walker) lap(x, y, cr, ci float64, p int64, budget *int) (zr, zi, ar, ai float64, ok bool) {
	re, im := w.home.p.Re, w.home.p.Im
	last := len(re) - 1
	dr, di, m := x, y, 0
	ar, ai = 1, 0
	n := int64(0)
	for ; ; *budget-- {
		zr, zi = re[m]+dr, im[m]+di
		zz, dd := float64(zr*zr)+float64(zi*zi), float64(dr*dr)+float64(di*di)
		if n == p {
			return zr, zi, ar, ai, true
		}
		if *budget <= 0 || !(zz < Radius*Radius) || dd < 0x1p-900 {
			return 0, 0, 0, 0, false
		}
		if zz < dd || m == last {
			dr, di, m, dd = zr, zi, 0, zz
		}
		if run, steps := w.home.t.find(m, math.Sqrt(dd)); steps > 0 && n+int64(steps) <= p {
			// The derivative of A·δ/(1 + C·δ) is A/(1 + C·δ)².
			u, v := 1+(float64(run.Cr*dr)-float64(run.Ci*di)), float64(run.Cr*di)+float64(run.Ci*dr)
			u, v = float64(u*u)-float64(v*v), float64(2*u*v)
			k := 1 / (float64(u*u) + float64(v*v))
			u, v = float64((float64(run.Ar*u)+float64(run.Ai*v))*k), float64((float64(run.Ai*u)-float64(run.Ar*v))*k)
			ar, ai = float64(u*ar)-float64(v*ai), float64(u*ai)+float64(v*ar)
			dr, di = run.of(dr, di, cr, ci)
			m += steps
			n += int64(steps)
			continue
		}
		// δ' = (2Z + δ)·δ + dc; its derivative by δ is 2(Z + δ).
		zr, zi = 2*(re[m]+dr), 2*(im[m]+di)
		ar, ai = float64(zr*ar)-float64(zi*ai), float64(zr*ai)+float64(zi*ar)
		tr, ti := 2*re[m]+dr, 2*im[m]+di
		dr, di = float64(tr*dr)-float64(ti*di)+cr, float64(tr*di)+float64(ti*dr)+ci
		m++
		n++
	}
}

// newton is the step of Newton's method towards a cycle: f(z) − z over its derivative A − 1. It is false where there is none.
func newton(fr, fi, gr, gi float64) (sr, si float64, ok bool) {
	gg := float64(gr*gr) + float64(gi*gi)
	if !(gg > 0) || math.IsInf(gg, 1) {
		return 0, 0, false
	}
	return (float64(fr*gr) + float64(fi*gi)) / gg, (float64(fi*gr) - float64(fr*gi)) / gg, true
}
