package mandel

import (
	"context"
	"math"
	"math/big"
	"math/bits"
	"sync"
	"sync/atomic"
)

// tinyExp is where an entry of an orbit leaves the plain arrays: below 2^tinyExp its square and its products with deltas
// would underflow, so it is kept with an exponent of its own.
const tinyExp = -900

// extendSlice is how many iterations Extend runs between two looks at its context and two publications. At 16,000 bits
// a slice is about 8 ms.
const extendSlice = 256

// Orbit is the reference: Z(n+1) = Z(n)² + c for one c and one Z(0) of any precision, iterated once and shared by all
// samples near it. It grows by Extend while others read what Prefix published.
type Orbit struct {
	Re, Im Fixed // the point it was made for: c, or Z(0) in a Julia set; constant
	Prec   int   // bits after the point; constant

	pub atomic.Pointer[Prefix]

	mu     sync.Mutex // guards the iteration below; held for a slice at a time
	cr, ci *big.Int
	zr, zi *big.Int
	t      [3]*big.Int
	next   Prefix // grows; what lies below a published length never changes
}

// Prefix is an immutable stretch of an orbit from its start.
type Prefix struct {
	Re, Im  []float64    // Z(n); both 0 where the entry is in Tiny
	Tiny    map[int]Tiny // entries below 2^tinyExp but for a Z(0) of 0
	Escaped bool         // the last entry lies outside Radius: the orbit ends here
}

// Tiny is an entry (Re + i·Im)·2^Exp.
type Tiny struct {
	Re, Im float64
	Exp    int
}

// Precision returns the bits an orbit needs for samples 2^pitch apart: 80 beyond the pitch keep the error of a million
// steps below a thousandth of a sample.
func Precision(pitch int) int { return max(128, -pitch+80) }

// NewOrbit starts the orbit that samples near re + i·im are compared with, with prec bits after the point.
func NewOrbit(f Formula, re, im Fixed, prec int) *Orbit {
	if f.Julia {
		return start(re, im, re, im, f.Re, f.Im, prec)
	}
	return start(re, im, Fixed{}, Fixed{}, re, im, prec)
}

// Zero starts the orbit of 0 under a Julia set's formula.
func Zero(f Formula, prec int) *Orbit {
	return start(Fixed{}, Fixed{}, Fixed{}, Fixed{}, f.Re, f.Im, prec)
}

func start(re, im, zr, zi, cr, ci Fixed, prec int) *Orbit {
	o := &Orbit{Re: re, Im: im, Prec: prec, cr: cr.Scaled(prec), ci: ci.Scaled(prec), zr: zr.Scaled(prec), zi: zi.Scaled(prec)}
	for i := range o.t {
		o.t[i] = new(big.Int)
	}
	o.keep()
	first := o.next
	o.pub.Store(&first)
	return o
}

// Prefix returns what is computed so far: at least Z(0).
func (o *Orbit) Prefix() *Prefix { return o.pub.Load() }

// Bytes is about what the orbit takes of memory.
func (o *Orbit) Bytes() int {
	p := o.pub.Load()
	return 8*(cap(p.Re)+cap(p.Im)) + o.Prec/2
}

// Extend iterates until the orbit has n + 1 entries or escapes, or ctx ends. Several may call it; one works at a time.
func (o *Orbit) Extend(ctx context.Context, n int) (*Prefix, error) {
	for {
		p := o.pub.Load()
		if p.Escaped || len(p.Re) > n {
			return p, nil
		}
		if err := ctx.Err(); err != nil {
			return p, err
		}
		o.slice(n)
	}
}

// slice runs up to extendSlice iterations and publishes them.
func (o *Orbit) slice(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for range extendSlice {
		if o.next.Escaped || len(o.next.Re) > n {
			break
		}
		o.step()
	}
	p := o.next
	o.pub.Store(&p)
}

// step appends Z(n+1). Two multiplications: (x+y)(x−y) and xy.
func (o *Orbit) step() {
	sum, dif, xy := o.t[0], o.t[1], o.t[2]
	sum.Add(o.zr, o.zi)
	dif.Sub(o.zr, o.zi)
	xy.Mul(o.zr, o.zi)
	o.zr.Mul(sum, dif)
	o.zr.Rsh(o.zr, uint(o.Prec))
	o.zr.Add(o.zr, o.cr)
	xy.Rsh(xy, uint(o.Prec-1))
	o.zi.Add(xy, o.ci)

	o.keep()
}

// keep appends the Z it stands at.
func (o *Orbit) keep() {
	re, reExp := top(o.zr, o.Prec)
	im, imExp := top(o.zi, o.Prec)
	n := len(o.next.Re)
	e := max(reExp, imExp)
	if re == 0 {
		e = imExp
	} else if im == 0 {
		e = reExp
	}
	if e < tinyExp && (re != 0 || im != 0) {
		grown := make(map[int]Tiny, len(o.next.Tiny)+1) // readers hold the old one; there are a dozen entries
		for k, v := range o.next.Tiny {
			grown[k] = v
		}
		grown[n] = Tiny{math.Ldexp(re, reExp-e), math.Ldexp(im, imExp-e), e}
		o.next.Tiny = grown
		o.next.Re, o.next.Im = append(o.next.Re, 0), append(o.next.Im, 0)
		return
	}
	x, y := math.Ldexp(re, reExp), math.Ldexp(im, imExp)
	o.next.Re, o.next.Im = append(o.next.Re, x), append(o.next.Im, y)
	o.next.Escaped = float64(x*x)+float64(y*y) > Radius*Radius
}

// Cut is the prefix up to entry n: what its readers do is the same however far the orbit has grown since.
func (p *Prefix) Cut(n int) *Prefix {
	if len(p.Re) <= n+1 {
		return p
	}
	return &Prefix{Re: p.Re[: n+1 : n+1], Im: p.Im[: n+1 : n+1], Tiny: p.Tiny}
}

// top returns v·2^-prec as r·2^e with 0.5 ≤ |r| < 1 (0, 0 for 0), without allocating.
func top(v *big.Int, prec int) (r float64, e int) {
	w := v.Bits()
	if len(w) == 0 {
		return 0, 0
	}
	n := v.BitLen()
	hi := uint64(w[len(w)-1])
	lead := bits.LeadingZeros64(hi)
	hi <<= lead
	if len(w) > 1 && lead > 0 {
		hi |= uint64(w[len(w)-2]) >> (64 - lead)
	}
	r = float64(hi>>1) * (1.0 / (1 << 63)) // 63 bits: float64 rounds the same everywhere
	e = n - prec
	if r >= 1 {
		r, e = r/2, e+1
	}
	if v.Sign() < 0 {
		r = -r
	}
	return r, e
}

// at returns entry n with an exponent of its own, 0.5 ≤ max(|re|, |im|) < 1 not promised.
func (p *Prefix) at(n int) Tiny {
	if t, ok := p.Tiny[n]; ok {
		return t
	}
	return Tiny{p.Re[n], p.Im[n], 0}
}
