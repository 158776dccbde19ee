package mandel

import "math"

// prefix is what all samples of a grid have in common at first: while their deltas are so small that only the part of them that
// is linear in dc counts, δ(m) = (b.re + i·b.im)·2^b.exp · dc.
type prefix struct {
	b num
	m int // 0: there is none
	n int64
}

// shared follows the runs of the reference for as long as they hold for every |dc| up to far·2^pitch. What deep places spend
// on the way up from 2^-pitch is spent once.
func (w *walker) shared(far float64, pitch int) prefix {
	p, t := w.first.p, w.first.t
	if w.julia || len(p.Re) < 8 || w.limit < 4 || t.Eps <= 0 {
		return prefix{}
	}
	at := prefix{b: newNum(1, 0, 0), m: 1, n: 1} // δ(1) = dc
	reach := newNum(far*math.Sqrt2, 0, pitch)
	for at.m < len(p.Re)-2 {
		d := at.b.mul(reach)
		size := math.Ldexp(math.Hypot(d.re, d.im), d.exp) // 0 below range: smaller than every radius
		if run, steps := t.find(at.m, size); steps > 0 && at.m+steps < len(p.Re)-1 && at.n+int64(steps) < w.limit {
			at.b = newNum(run.Ar, run.Ai, 0).mul(at.b).add(newNum(run.Br, run.Bi, 0))
			at.m += steps
			at.n += int64(steps)
			continue
		}
		// One step without δ²: small against 2Z·δ while |δ| < Eps·|2Z|.
		z := p.at(at.m)
		two := newNum(2*z.Re, 2*z.Im, z.Exp)
		if at.n+1 >= w.limit || !(d.log2() < two.log2()+math.Log2(t.Eps)) {
			break
		}
		at.b = two.mul(at.b).add(newNum(1, 0, 0))
		at.m++
		at.n++
	}
	if at.m < 4 {
		return prefix{} // not worth a start of its own
	}
	return at
}

// begin puts the deltas of a group where the prefix leads them.
func (g *group) begin(at prefix, size float64) {
	_, e := math.Frexp(size)
	e += at.b.exp + g.pitch + 1 // |δ| < 2^e in every lane
	if e > plainExp {
		e = 0
	}
	g.m, g.n = at.m, at.n
	g.scale(e)
	re, im := math.Ldexp(at.b.re, at.b.exp+g.pitch-e), math.Ldexp(at.b.im, at.b.exp+g.pitch-e)
	g.each(func(k int) {
		g.b.wr[k] = float64(re*g.ur[k]) - float64(im*g.ui[k])
		g.b.wi[k] = float64(re*g.ui[k]) + float64(im*g.ur[k])
	})
}
