package mandel

import (
	"context"
	"errors"
	"math"
	"math/big"
)

// ErrNoNucleus is returned when no minibrot was found near the view.
var ErrNoNucleus = errors.New("mandel: no nucleus near this view; zoom in a little and try again")

// num is a complex number (re + i·im)·2^exp with 0.5 ≤ max(|re|, |im|) < 1, or 0.
type num struct {
	re, im float64
	exp    int
}

func newNum(re, im float64, exp int) num {
	m := max(math.Abs(re), math.Abs(im))
	if m == 0 {
		return num{}
	}
	_, k := math.Frexp(m)
	return num{math.Ldexp(re, -k), math.Ldexp(im, -k), exp + k}
}

func (a num) mul(b num) num {
	return newNum(float64(a.re*b.re)-float64(a.im*b.im), float64(a.re*b.im)+float64(a.im*b.re), a.exp+b.exp)
}

func (a num) add(b num) num {
	if a.re == 0 && a.im == 0 {
		return b
	}
	if b.re == 0 && b.im == 0 {
		return a
	}
	e := max(a.exp, b.exp)
	return newNum(math.Ldexp(a.re, a.exp-e)+math.Ldexp(b.re, b.exp-e), math.Ldexp(a.im, a.exp-e)+math.Ldexp(b.im, b.exp-e), e)
}

func (a num) inverse() num {
	d := float64(a.re*a.re) + float64(a.im*a.im)
	return newNum(a.re/d, -a.im/d, -a.exp)
}

func (a num) neg() num { return num{-a.re, -a.im, a.exp} }

// size is |a|; 0 below float64's range.
func (a num) size() float64 {
	return math.Ldexp(math.Sqrt(float64(a.re*a.re)+float64(a.im*a.im)), a.exp)
}

// log2 returns log2|a|; −Inf for 0.
func (a num) log2() float64 {
	return math.Log2(math.Hypot(a.re, a.im)) + float64(a.exp)
}

// Period returns the smallest n at which a disc of radius 2^log2r around the orbit's point holds a nucleus of period n, as far
// as the linear estimate |z(n)| < r·|dz(n)/dc| can tell (the "ball method" to first order). It extends the orbit to limit at
// the most; 0: none found.
func Period(ctx context.Context, o *Orbit, log2r float64, limit int) (int, error) {
	d := num{}
	one := newNum(1, 0, 0)
	for n := 0; n < limit; {
		p, err := o.Extend(ctx, min(limit, n+4096))
		if err != nil {
			return 0, err
		}
		if len(p.Re) <= n {
			return 0, nil // escaped
		}
		for ; n < len(p.Re); n++ {
			t := p.at(n)
			z := newNum(t.Re, t.Im, t.Exp)
			if n > 0 && z.log2() < log2r+d.log2() {
				return n, nil
			}
			two := z
			two.exp++
			d = two.mul(d).add(one)
		}
		if p.Escaped {
			return 0, nil
		}
	}
	return 0, nil
}

// Nucleus is the centre of a minibrot: z(Period) = 0.
type Nucleus struct {
	Re, Im   Fixed
	Period   int
	Log2Size float64 // of its width against the whole set's
}

// FindNucleus refines (re, im) to the nucleus of the period by Newton's method. log2r is the log2 of the radius around the
// start in which it must end; bits is the precision after the point that is wanted.
func FindNucleus(ctx context.Context, re, im Fixed, period int, log2r float64, bits int) (Nucleus, error) {
	if period < 1 {
		return Nucleus{}, ErrNoNucleus
	}
	prec := bits + 64
	cr, ci := re.Scaled(prec), im.Scaled(prec)
	sr, si := new(big.Int).Set(cr), new(big.Int).Set(ci)
	r := new(big.Int)
	if s := int(math.Ceil(log2r)) + prec; s > 0 {
		r.Lsh(big.NewInt(1), uint(s))
	}
	for range 64 {
		dr, di, err := newtonStep(ctx, cr, ci, period, prec)
		if err != nil {
			return Nucleus{}, err
		}
		cr.Sub(cr, dr)
		ci.Sub(ci, di)
		if farther(cr, sr, r) || farther(ci, si, r) {
			return Nucleus{}, ErrNoNucleus
		}
		if max(dr.BitLen(), di.BitLen()) <= prec-bits {
			n := Nucleus{Re: NewFixed(cr, -prec), Im: NewFixed(ci, -prec), Period: period}
			n.Log2Size, err = size(ctx, n, prec)
			return n, err
		}
	}
	return Nucleus{}, ErrNoNucleus
}

func farther(a, b, r *big.Int) bool {
	d := new(big.Int).Sub(a, b)
	return d.CmpAbs(r) > 0
}

// newtonStep returns z/(dz/dc) after period steps, in units of 2^-prec.
func newtonStep(ctx context.Context, cr, ci *big.Int, period, prec int) (*big.Int, *big.Int, error) {
	x, y := new(big.Int), new(big.Int)
	sum, dif, xy := new(big.Int), new(big.Int), new(big.Int)
	// The derivative as mantissas with one exponent of their own, kept near prec bits.
	ar, ai, ae := new(big.Int), new(big.Int), 0
	t, u := new(big.Int), new(big.Int)
	for n := range period {
		if n&255 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		// d = 2·z·d + 1, with z in units of 2^-prec.
		t.Mul(x, ar)
		u.Mul(y, ai)
		t.Sub(t, u)
		u.Mul(x, ai)
		ai.Mul(y, ar)
		ai.Add(ai, u)
		ar, t = t, ar
		ae += 1 - prec
		ae = trim(ar, ai, ae, prec)
		addOne(ar, &ae, ai, prec)

		sum.Add(x, y)
		dif.Sub(x, y)
		xy.Mul(x, y)
		x.Mul(sum, dif)
		x.Rsh(x, uint(prec))
		x.Add(x, cr)
		xy.Rsh(xy, uint(prec-1))
		y.Add(xy, ci)
		if x.BitLen() > prec+8 || y.BitLen() > prec+8 {
			return nil, nil, ErrNoNucleus // the start lies outside the set: nothing to converge to
		}
	}
	// z/d = z·conj(d)/|d|²: units 2^-prec / 2^ae.
	num1 := new(big.Int).Add(new(big.Int).Mul(x, ar), new(big.Int).Mul(y, ai))
	num2 := new(big.Int).Sub(new(big.Int).Mul(y, ar), new(big.Int).Mul(x, ai))
	den := new(big.Int).Add(new(big.Int).Mul(ar, ar), new(big.Int).Mul(ai, ai))
	if den.Sign() == 0 {
		return nil, nil, ErrNoNucleus
	}
	if ae < 0 {
		num1.Lsh(num1, uint(-ae))
		num2.Lsh(num2, uint(-ae))
	} else {
		den.Lsh(den, uint(ae))
	}
	return num1.Quo(num1, den), num2.Quo(num2, den), nil
}

// trim keeps mantissas near prec bits.
func trim(ar, ai *big.Int, ae, prec int) int {
	if s := max(ar.BitLen(), ai.BitLen()) - prec; s > 0 {
		ar.Rsh(ar, uint(s))
		ai.Rsh(ai, uint(s))
		ae += s
	}
	return ae
}

// addOne adds 1 to (ar + i·ai)·2^ae.
func addOne(ar *big.Int, ae *int, ai *big.Int, prec int) {
	one := big.NewInt(1)
	switch {
	case *ae > 0: // below the last bit
	case *ae < -4*prec: // the number is a rounding error beside 1
		ar.SetInt64(1)
		ai.SetInt64(0)
		*ae = 0
	default:
		ar.Add(ar, one.Lsh(one, uint(-*ae)))
		*ae = trim(ar, ai, *ae, 2*prec)
	}
}

// size estimates the width of the minibrot against the whole set: 1/(β·λ²) with λ = Π 2z(k), β = 1 + Σ 1/λ(k) over one period.
func size(ctx context.Context, n Nucleus, prec int) (float64, error) {
	o := NewOrbit(Formula{}, n.Re, n.Im, prec)
	p, err := o.Extend(ctx, n.Period)
	if err != nil {
		return 0, err
	}
	l, b := newNum(1, 0, 0), newNum(1, 0, 0)
	for k := 1; k < min(n.Period, len(p.Re)); k++ {
		t := p.at(k)
		z := newNum(t.Re, t.Im, t.Exp+1)
		if z == (num{}) {
			return math.Inf(-1), nil
		}
		l = l.mul(z)
		b = b.add(l.inverse())
	}
	return -(b.log2() + 2*l.log2()), nil
}
