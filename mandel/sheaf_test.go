package mandel

import (
	"math"
	"testing"
)

// What a sheaf says of the samples at its rim is what they come to by themselves, but for a small part of what tells them apart.
func TestASheafTellsOfAllItsSamples(t *testing.T) {
	const (
		eps  = 0x1p-28
		side = 33
		lag  = 6
	)
	for _, c := range []struct {
		name         string
		depth, limit int
	}{
		{"e14", 44, 4096}, {"e50", 91, 65536}, {"dragon", 63, 50_000}, {"dragon", 300, 400_000}, {"e227", 75, 65536}, {"leaded_glass", 155, 32768},
		{"liiiines", 400, 12500}, {"liiiines", 1060, 12500}, {"e1000", 3000, 32000},
	} {
		g, re, im := locations(t)[c.name].down(t, c.depth, side, side)
		off := Dyadic(1, g.Pitch+8+lag)
		re, im = re.Add(off), im.Sub(off)
		o := NewOrbit(Formula{}, re, im, Precision(g.Pitch))
		if _, err := o.Extend(background, c.limit); err != nil {
			t.Fatal(err)
		}
		ref := refOf(t, o, c.limit, MaxDC(g, re, im), eps)
		w, ur, ui, err := reference(Formula{}, g, ref, int64(c.limit))
		if err != nil {
			t.Fatal(err)
		}
		s, ok := w.sheaf(g, ur, ui, 1)
		if !ok {
			t.Fatalf("%s at 2^%d: no sheaf", c.name, c.depth)
		}
		begun := s.n
		s.walk(w, g.Pitch, func() bool { return false })
		// The same way in steps, good to the last bits, with no more than that in common.
		worst := 0.0
		for _, at := range [][2]float64{{-16, -16}, {16, -16}, {3, 16}, {16, 1}} {
			lone := newNum(0, 0, 0)
			dc := newNum(s.ur+at[0], s.ui+at[1], g.Pitch)
			p := o.Prefix()
			m := 0
			for n := int64(0); n < s.n; n++ {
				z := p.at(m)
				two := newNum(2*z.Re, 2*z.Im, z.Exp)
				lone = two.add(lone).mul(lone).add(dc)
				m++
				// It follows its own rebases: the sheaf may be at another entry.
				z = p.at(m)
				if sum := lone.add(newNum(z.Re, z.Im, z.Exp)); sum.log2() < lone.log2() {
					lone, m = sum, 0
				}
			}
			z, to := p.at(m), s.p.at(s.m)
			lone = lone.add(newNum(z.Re, z.Im, z.Exp)).add(newNum(to.Re, to.Im, to.Exp).neg())
			dr, di := s.at(at[0], at[1])
			apart := newNum(dr, di, s.e).add(lone.neg())
			per := newNum(s.br, s.bi, s.e)
			if lone.re != 0 || lone.im != 0 {
				worst = max(worst, math.Exp2(apart.log2()-per.log2()))
			}
		}
		t.Logf("%s at 2^%d: %d steps after the first %d, then off by %.2g pitches at the most", c.name, c.depth, s.n-begun, begun, worst)
		if !(worst < 0.01) {
			t.Errorf("%s at 2^%d: a sheaf is off by %g pitches after %d steps", c.name, c.depth, worst, s.n)
		}
	}
}
