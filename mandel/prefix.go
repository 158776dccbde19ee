package mandel

import "math"

// prefix is what all samples of a grid have in common at first: δ(m) = b·dc/(1 + c·dc).
type prefix struct {
	b, c num
	m    int // 0: there is none
	n    int64
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
		// |δ| is at most |b|·reach/(1 − |c|·reach).
		bent := at.c.mul(reach).size()
		if !(bent < 0.25) {
			break
		}
		d := at.b.mul(reach)
		size := d.size() / (1 - bent) // 0 below range: smaller than every radius
		if run, steps := t.find(at.m, size); steps > 0 && at.m+steps < len(p.Re)-1 && at.n+int64(steps) < w.limit {
			next, ok := at.then(newNum(run.Ar, run.Ai, 0), newNum(run.Br, run.Bi, 0), newNum(run.Cr, run.Ci, 0), reach, t.Eps)
			if ok {
				next.m, next.n = at.m+steps, at.n+int64(steps)
				at = next
				continue
			}
		}
		// One step of the same form: see single.
		z := p.at(at.m)
		two := newNum(2*z.Re, 2*z.Im, z.Exp)
		if at.n+1 >= w.limit || !(d.log2()+1 < two.log2()+math.Log2(t.Eps)/2) {
			break
		}
		next, ok := at.then(two, newNum(1, 0, 0), two.inverse().neg(), reach, t.Eps)
		if !ok {
			break
		}
		next.m, next.n = at.m+1, at.n+1
		at = next
	}
	if at.m < 4 {
		return prefix{} // not worth a start of its own
	}
	return at
}

// then is the prefix followed by A·δ/(1 + C·δ) + B·dc, with the same terms in dc and dc². It is false where those in dc³ are not
// small.
func (at prefix) then(a, b, c, reach num, eps float64) (prefix, bool) {
	from := a.mul(at.b)
	bend := at.c.add(c.mul(at.b))
	out := prefix{b: from.add(b)}
	if out.b == (num{}) {
		return prefix{}, false
	}
	per := out.b.inverse()
	out.c = bend.mul(from).mul(per)
	turn := bend.mul(reach).size()
	return out, float64(float64(turn*turn)*b.mul(per).size()) <= eps
}
