package mandel

import "math"

// maxGain bounds |A| and |B| of a merged run: beyond it a run would leave float64's range at depths past 2^1000, and
// forty such runs already reach 2^16,000.
const maxGain = 0x1p400

// Run is a stretch of steps as one linear map of a small delta: δ(n+len) ≈ A·δ(n) + B·dc, true to Eps while |δ(n)| < R.
type Run struct {
	Ar, Ai, Br, Bi float64
	R              float64 // 0: never
}

// Table is the bilinear approximation of an orbit: for every level l the runs of 2^l steps that start at
// 1, 1 + 2^l, 1 + 2·2^l, … It is immutable. A table built for a larger |dc| stays valid for a smaller one.
type Table struct {
	Levels [][]Run // Levels[0] holds single steps and is nil: they are cheaper done exactly
	Eps    float64
	MaxDC  float64 // the largest |dc| it is valid for; 0 when that is below float64's range
	Length int     // entries of the orbit it was built from
}

// NewTable builds the runs of p for |dc| ≤ maxDC. eps is the relative error allowed per step: 2⁻²² while moving, 2⁻³² for a
// picture that is kept. About 80 bytes an entry of the orbit; runs shorter than four steps are not kept.
func NewTable(p *Prefix, maxDC, eps float64) *Table {
	n := len(p.Re)
	t := &Table{Eps: eps, MaxDC: maxDC, Length: n}
	steps := n - 2 // a run may start at 1 and end at n − 1
	if steps < 2 {
		return t
	}
	level := make([]Run, steps)
	for i := range level {
		level[i] = single(p, i+1, eps)
	}
	t.Levels = append(t.Levels, nil)
	for len(level) > 1 {
		half := make([]Run, len(level)/2)
		alive := false
		for i := range half {
			half[i] = merge(level[2*i], level[2*i+1], maxDC)
			alive = alive || half[i].R > 0
		}
		if !alive {
			break
		}
		level = half
		if len(t.Levels) < minLevel {
			t.Levels = append(t.Levels, nil)
		} else {
			t.Levels = append(t.Levels, level)
		}
	}
	return t
}

// minLevel is the shortest run kept: 2² steps. A look at the table costs about two exact steps.
const minLevel = 2

// single is one step: δ' = 2Z·δ + dc, which leaves out δ²: small against 2Z·δ while |δ| < eps·|2Z|.
func single(p *Prefix, n int, eps float64) Run {
	x, y := 2*p.Re[n], 2*p.Im[n]
	return Run{Ar: x, Ai: y, Br: 1, R: float64(eps * math.Sqrt(float64(x*x)+float64(y*y)))}
}

// merge is x, then y.
func merge(x, y Run, maxDC float64) Run {
	m := Run{
		Ar: float64(y.Ar*x.Ar) - float64(y.Ai*x.Ai),
		Ai: float64(y.Ar*x.Ai) + float64(y.Ai*x.Ar),
		Br: float64(y.Ar*x.Br) - float64(y.Ai*x.Bi) + y.Br,
		Bi: float64(y.Ar*x.Bi) + float64(y.Ai*x.Br) + y.Bi,
	}
	ax := math.Sqrt(float64(x.Ar*x.Ar) + float64(x.Ai*x.Ai))
	bx := math.Sqrt(float64(x.Br*x.Br) + float64(x.Bi*x.Bi))
	if x.R == 0 || y.R == 0 || ax == 0 {
		return m
	}
	m.R = min(x.R, (y.R-float64(bx*maxDC))/ax)
	if !(m.R > 0x1p-880) || max(math.Abs(m.Ar), math.Abs(m.Ai), math.Abs(m.Br), math.Abs(m.Bi)) > maxGain {
		m.R = 0
	}
	return m
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

// bytes is about what the table takes of memory.
func (t *Table) bytes() int {
	n := 0
	for _, l := range t.Levels {
		n += 40 * len(l)
	}
	return n
}
