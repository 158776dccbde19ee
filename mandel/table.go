package mandel

import (
	"context"
	"math"
	"slices"
	"unsafe"
)

// maxGain bounds |A| and |B| of a merged run: beyond it a run would leave float64's range at depths past 2^1000, and
// forty such runs already reach 2^16,000.
const maxGain = 0x1p400

// Run is a stretch of steps as one map of a small delta: δ(n+len) ≈ A·δ/(1 + C·δ) + B·dc, true to Eps a step while |δ(n)| < R.
// The fraction holds what is quadratic in δ: 2Zδ + δ² = 2Zδ/(1 − δ/2Z), but for (δ/2Z)². Maps of this form go on as maps of this
// form, and a passage between two petals of a parabolic point, thousands of steps, is one: a shift of 1/δ.
type Run struct {
	Ar, Ai, Br, Bi float64
	R              float64 // 0: never
	Cr, Ci         float64
}

// Table is the approximation of an orbit by runs: for every level l those of 2^l steps that start at
// 1, 1 + 2^l, 1 + 2·2^l, … It is immutable. A table built for a larger |dc| stays valid for a smaller one.
type Table struct {
	Levels [][]Run // those below minLevel are nil: so few steps are as cheap done exactly
	Eps    float64
	MaxDC  float64 // the largest |dc| it is valid for; 0 when that is below float64's range
	Length int     // entries of the orbit it was built from
}

// NewTable builds the runs of p for |dc| ≤ maxDC. eps is the relative error allowed per step. It takes 14 bytes an entry of the
// orbit. It returns ctx's error when cancelled.
func NewTable(ctx context.Context, p *Prefix, maxDC, eps float64) (*Table, error) {
	b := newBuilder(p, maxDC, eps)
	for b.slice() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return b.t, nil
}

// builder makes a table little by little: level by level from the shortest runs up, tableSlice runs at a time.
type builder struct {
	p     *Prefix
	t     *Table
	level []Run // under way
	done  int   // runs of it
}

func newBuilder(p *Prefix, maxDC, eps float64) *builder {
	steps := max(0, len(p.Re)-2) // a run may start at 1 and end at n − 1
	t := &Table{Eps: eps, MaxDC: maxDC, Length: len(p.Re)}
	return &builder{p: p, t: t, level: make([]Run, steps>>minLevel)}
}

// slice does less than 1 ms of the work, and says whether there is more.
func (b *builder) slice() (more bool) {
	t := b.t
	end := min(b.done+tableSlice, len(b.level))
	for ; b.done < end; b.done++ {
		if n := len(t.Levels); n > 0 {
			below := t.Levels[n-1]
			b.level[b.done] = merge(&below[2*b.done], &below[2*b.done+1], t.MaxDC, t.Eps)
		} else {
			b.level[b.done] = grown(b.p, b.done<<minLevel+1, t.MaxDC, t.Eps)
		}
	}
	if b.done < len(b.level) {
		return true
	}
	if !slices.ContainsFunc(b.level, func(r Run) bool { return r.R > 0 }) {
		return false
	}
	for len(t.Levels) < minLevel {
		t.Levels = append(t.Levels, nil)
	}
	t.Levels = append(t.Levels, b.level)
	b.level, b.done = make([]Run, len(b.level)/2), 0
	return true
}

// grown is the run of 2^minLevel steps from entry n. Shorter runs are on the way only: they would be as much again.
func grown(p *Prefix, n int, maxDC, eps float64) Run {
	reach := math.Sqrt(eps)
	var r [grain]Run
	for k := range r {
		r[k] = single(p, n+k, reach)
	}
	for n := grain; n > 1; n /= 2 {
		for k := range n / 2 {
			r[k] = merge(&r[2*k], &r[2*k+1], maxDC, eps)
		}
	}
	return r[0]
}

const (
	// minLevel is the shortest run kept: 2³ steps. A look at the table costs about two exact steps.
	minLevel = 3
	grain    = 1 << minLevel
	// tableSlice is how many runs a slice makes: less than 1 ms.
	tableSlice = 1 << 11
)

// single is one step: 2Z·δ/(1 − δ/2Z) + dc, which errs by (δ/2Z)², small while |δ| < reach·|2Z|. Near the end of an orbit that
// escapes there is none: a sample may escape a step earlier.
func single(p *Prefix, n int, reach float64) Run {
	x, y := 2*p.Re[n], 2*p.Im[n]
	r := Run{Ar: x, Ai: y, Br: 1}
	if d := modulus(x, y); d < Radius/2 && d > 0 {
		r.Cr, r.Ci = -x/d/d, y/d/d
		r.R = float64(reach * d)
	}
	return r
}

// modulus is |x + i·y|, also where its square is out of range.
func modulus(x, y float64) float64 {
	m := max(math.Abs(x), math.Abs(y))
	if m > 0x1p-400 && m < 0x1p400 {
		return math.Sqrt(float64(x*x) + float64(y*y))
	}
	if m == 0 || !(m <= math.MaxFloat64) {
		return m
	}
	_, e := math.Frexp(m)
	x, y = math.Ldexp(x, -e), math.Ldexp(y, -e)
	return math.Ldexp(math.Sqrt(float64(x*x)+float64(y*y)), e)
}

// merge is x, then y. What it leaves out is the part of y's fraction in x's dc: a share of 2|C·B·dc| of what comes out.
func merge(x, y *Run, maxDC, eps float64) Run {
	m := Run{
		Ar: float64(y.Ar*x.Ar) - float64(y.Ai*x.Ai),
		Ai: float64(y.Ar*x.Ai) + float64(y.Ai*x.Ar),
		Br: float64(y.Ar*x.Br) - float64(y.Ai*x.Bi) + y.Br,
		Bi: float64(y.Ar*x.Bi) + float64(y.Ai*x.Br) + y.Bi,
	}
	if x.R == 0 || y.R == 0 {
		return m
	}
	m.Cr = float64(y.Cr*x.Ar) - float64(y.Ci*x.Ai) + x.Cr
	m.Ci = float64(y.Cr*x.Ai) + float64(y.Ci*x.Ar) + x.Ci
	ax, shift := modulus(x.Ar, x.Ai), float64(modulus(x.Br, x.Bi)*maxDC)
	cx, cy := modulus(x.Cr, x.Ci), modulus(y.Cr, y.Ci)
	if ax == 0 || float64(2*cy*shift) > eps {
		return m
	}
	// |A·δ/(1 + C·δ)| ≤ left while |δ| ≤ left/(|A| + left·|C|).
	left := y.R - shift
	m.R = min(x.R, left/(ax+float64(left*cx)))
	if !(m.R > 0x1p-880) || max(math.Abs(m.Ar), math.Abs(m.Ai), math.Abs(m.Br), math.Abs(m.Bi)) > maxGain {
		m.R = 0
	}
	return m
}

// of maps δ = x + i·y for dc = c + i·d.
func (r *Run) of(x, y, c, d float64) (float64, float64) {
	u, v := float64(r.Ar*x)-float64(r.Ai*y), float64(r.Ar*y)+float64(r.Ai*x)
	p, q := 1+(float64(r.Cr*x)-float64(r.Ci*y)), float64(r.Cr*y)+float64(r.Ci*x)
	k := 1 / (float64(p*p) + float64(q*q))
	return float64((float64(u*p)+float64(v*q))*k) + (float64(r.Br*c) - float64(r.Bi*d)),
		float64((float64(v*p)-float64(u*q))*k) + (float64(r.Br*d) + float64(r.Bi*c))
}

// find returns the longest run that may start at entry m for a delta of size d, and its number of steps; 0: none.
func (t *Table) find(m int, d float64) (*Run, int) {
	k := m - 1
	if k < 0 {
		return nil, 0
	}
	var best *Run
	steps := 0
	for l := minLevel; l < len(t.Levels); l++ {
		if k&(1<<l-1) != 0 {
			break
		}
		i := k >> l
		if i >= len(t.Levels[l]) || !(d < t.Levels[l][i].R) {
			break // a longer run from here has a smaller radius
		}
		best, steps = &t.Levels[l][i], 1<<l
	}
	return best, steps
}

// bytes is about what the level under way takes of memory.
func (b *builder) bytes() int { return int(unsafe.Sizeof(Run{})) * len(b.level) }

// bytes is about what the table takes of memory.
func (t *Table) bytes() int {
	n := 0
	for _, l := range t.Levels {
		n += int(unsafe.Sizeof(Run{})) * len(l)
	}
	return n
}
