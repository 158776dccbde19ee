package mandel

import (
	"math"
	"math/bits"
	"unsafe"
)

// lanes is how many samples walk the reference in lock step: one AVX-512 register, two AVX2 registers, or a loop. The
// number is the same everywhere, so every machine makes the same decisions and gives the same counts.
const lanes = 8

// block is the deltas of up to lanes neighbouring samples that share the reference index m and the count n. Idle lanes hold
// zeros, which never escape and never ask to rebase.
type block struct {
	wr, wi [lanes]float64 // δ = w·2^e
	cr, ci [lanes]float64 // dc·2^-e
	zz, dd [lanes]float64 // after a step: |Z + s·w|² and |w|²
}

// step is one kernel: it maps w to (2z + s·w)·w + c, then fills zz and dd against the next entry n. It returns the largest
// dd, and bit masks of the lanes with zz > Radius² and with zz < dd.
var step func(b *block, zr, zi, s, nr, ni float64) (maxDD float64, out, low uint32) = stepGo

// leap is the kernel of a run: w becomes A·w/(1 + s·C·w) + B·c; the rest as step.
var leap func(b *block, r *Run, s, nr, ni float64) (maxDD float64, out, low uint32) = leapGo

// march is the kernel of up to n steps in plain form, s = 1, from the entry at re, im on. It stops early when a lane asks for
// something, and where a run may begin: first after phase steps, then every grain steps, for runs, runs + 1 … It returns the steps
// taken, and of the last what step returns.
var march func(b *block, re, im *float64, runs *Run, phase, n int) (steps int, maxDD float64, out, low uint32) = marchGo

// tinyDD is the |δ|² below which a delta goes deep: see small.
const tinyDD = 0x1p-900

func marchGo(b *block, re, im *float64, runs *Run, phase, n int) (steps int, maxDD float64, out, low uint32) {
	next := func(p *float64) *float64 { return (*float64)(unsafe.Add(unsafe.Pointer(p), 8)) }
	for steps < n {
		zr, zi := *re, *im
		re, im = next(re), next(im)
		maxDD, out, low = stepGo(b, zr, zi, 1, *re, *im)
		steps++
		if out|low != 0 {
			break
		}
		if phase--; phase == 0 {
			if maxDD < max(float64(runs.R*runs.R), tinyDD) {
				break
			}
			runs, phase = (*Run)(unsafe.Add(unsafe.Pointer(runs), unsafe.Sizeof(Run{}))), grain
		}
	}
	return steps, maxDD, out, low
}

// strides finds where a march from entry m may go: the runs to look at, the steps to the first of them, and how many steps
// there are at the most.
func (g *group) strides() (runs *Run, phase, n int) {
	n = min(len(g.p.Re)-1-g.m, maxMarch)
	if left := g.w.limit - g.n; left < int64(n) {
		n = int(left)
	}
	phase = grain - (g.m-1)&(grain-1)
	i := (g.m - 1 + phase) >> minLevel
	if len(g.t.Levels) <= minLevel || i >= len(g.t.Levels[minLevel]) {
		return nil, maxMarch + 1, n
	}
	level := g.t.Levels[minLevel]
	return &level[i], phase, min(n, phase+grain*(len(level)-i)-1)
}

// maxMarch bounds the steps between two looks at whether anybody still wants them.
const maxMarch = 1 << 10

// Kernel names the instructions in use: "avx512", "avx2" or "go".
var Kernel = "go"

func stepGo(b *block, zr, zi, s, nr, ni float64) (float64, uint32, uint32) {
	zr, zi = zr+zr, zi+zi
	for k := range lanes {
		x, y := b.wr[k], b.wi[k]
		tr, ti := zr+float64(s*x), zi+float64(s*y)
		b.wr[k] = (float64(tr*x) - float64(ti*y)) + b.cr[k]
		b.wi[k] = (float64(tr*y) + float64(ti*x)) + b.ci[k]
	}
	return b.judge(s, nr, ni)
}

func leapGo(b *block, r *Run, s, nr, ni float64) (float64, uint32, uint32) {
	own := *r
	own.Cr, own.Ci = float64(s*r.Cr), float64(s*r.Ci)
	for k := range lanes {
		b.wr[k], b.wi[k] = own.of(b.wr[k], b.wi[k], b.cr[k], b.ci[k])
	}
	return b.judge(s, nr, ni)
}

// judge fills zz and dd and sums them up.
func (b *block) judge(s, nr, ni float64) (maxDD float64, out, low uint32) {
	for k := range lanes {
		x, y := b.wr[k], b.wi[k]
		zr, zi := nr+float64(s*x), ni+float64(s*y)
		zz, dd := float64(zr*zr)+float64(zi*zi), float64(x*x)+float64(y*y)
		b.zz[k], b.dd[k] = zz, dd
		maxDD = max(maxDD, dd)
		if zz > Radius*Radius {
			out |= 1 << k
		}
		if zz < dd {
			low |= 1 << k
		}
	}
	return maxDD, out, low
}

// A lane that asks to rebase while others are far from it may wait: |Z + δ| is then still of δ's size and nothing is lost.
const (
	soft = 16        // lanes follow a rebase while |Z + δ|² < soft·|δ|²: two bits of precision at the most
	hard = 1.0 / 256 // a lane with |Z + δ|² below hard·|δ|² must rebase now
)

// walk iterates the samples at (ur[k] + i·ui[k])·2^pitch, k < count, and puts what they do into out: from their start, or from
// where a sheaf left them. Lanes that part from the others finish alone. It returns false when cancelled.
func (w *walker) walk(ur, ui *[lanes]float64, count, pitch int, s *sheaf, cancelled func() bool, out *[lanes]Sample) bool {
	g := &w.g
	*g = group{w: w, leg: w.first, ur: ur, ui: ui, pitch: pitch, alive: 1<<count - 1, out: out, cancelled: cancelled}
	size := 0.0
	for k := range count {
		size = max(size, math.Abs(ur[k]), math.Abs(ui[k]))
	}
	_, e := math.Frexp(size)
	g.top = e + pitch
	if size == 0 {
		g.top = pitch
	}
	if w.julia {
		// The places are differences of z(0), not of c.
		g.b.wr, g.b.wi, g.e = *ur, *ui, pitch
		*ur, *ui = [lanes]float64{}, [lanes]float64{}
		for k := range lanes {
			if k >= count {
				g.b.wr[k], g.b.wi[k] = 0, 0
			}
		}
	}
	switch {
	case s != nil:
		g.from(s)
	case g.top < deepExp:
		g.scale(g.top)
	default:
		g.scale(0)
	}
	if w.julia {
		g.top = math.MinInt / 4
	}
	return g.run()
}

// from puts the lanes where a sheaf leads them.
func (g *group) from(s *sheaf) {
	g.leg, g.m, g.n, g.tick = s.leg, s.m, s.n, s.tick
	g.scale(s.e)
	g.each(func(k int) {
		g.b.wr[k], g.b.wi[k] = s.at(g.ur[k]-s.ur, g.ui[k]-s.ui)
		g.cycles[k] = s.cycle
	})
}

// group is a block under way.
type group struct {
	b block
	leg
	w      *walker
	ur, ui *[lanes]float64 // dc in units of 2^pitch
	pitch  int
	top    int // |dc| < 2^top in every lane; hugely negative when all are 0
	m      int
	n      int64
	e      int     // δ = w·2^e; 0 in plain form
	s      float64 // 2^e, 0 below range
	alive  uint32
	tick   int
	cycles [lanes]cycle

	out       *[lanes]Sample
	cancelled func() bool
}

// scale makes e the exponent all lanes share.
func (g *group) scale(e int) {
	w, c := shifter(g.e-e), shifter(g.pitch-e)
	for k := range lanes {
		g.b.wr[k], g.b.wi[k] = w.of(g.b.wr[k]), w.of(g.b.wi[k])
		if g.alive>>k&1 != 0 {
			g.b.cr[k], g.b.ci[k] = c.of(g.ur[k]), c.of(g.ui[k])
		} else {
			g.b.cr[k], g.b.ci[k] = 0, 0
		}
	}
	g.e, g.s = e, math.Ldexp(1, e)
}

// shift multiplies by 2^n: as math.Ldexp, and quicker for many numbers.
type shift struct {
	n int
	p float64 // 2^n, where a float64 can be; else 0
}

func shifter(n int) shift {
	if n >= -1022 && n <= 1023 {
		return shift{n, math.Float64frombits(uint64(n+1023) << 52)}
	}
	return shift{n: n}
}

func (s shift) of(v float64) float64 {
	if s.p != 0 {
		return v * s.p
	}
	return math.Ldexp(v, s.n)
}

// idle takes lane k out of the group.
func (g *group) idle(k int) {
	g.alive &^= 1 << k
	g.b.wr[k], g.b.wi[k], g.b.cr[k], g.b.ci[k], g.b.dd[k] = 0, 0, 0, 0, 0
}

// alone lets lane k finish by itself from where the group stands.
func (g *group) alone(k int) bool {
	if g.leaves(k) {
		return true
	}
	st := state{leg: g.leg, ur: g.ur[k], ui: g.ui[k], pitch: g.pitch, n: g.n, m: g.m, dr: g.b.wr[k], di: g.b.wi[k], deep: g.e != 0, e: g.e, loose: true}
	g.out[k] = g.w.from(&st, g.cancelled)
	g.idle(k)
	if st.left {
		g.w.late = append(g.w.late, st.late(k))
		return true
	}
	return g.out[k].State != Pending
}

// run walks until no lane is left. m always stands below the end of the reference.
func (g *group) run() bool {
	dd := g.maxDD()
	if g.m > 0 && g.e == 0 { // a prefix may end at an entry where samples must rebase
		var out, low uint32
		dd, out, low = g.b.judge(1, g.p.Re[g.m], g.p.Im[g.m])
		if out|low != 0 {
			var ok bool
			if dd, ok = g.settle(dd, out, low); !ok {
				return false
			}
		}
	}
	look, stay := g.tick+maxMarch, patience
	for tick := g.tick + 1; g.alive != 0; tick++ {
		if tick >= look {
			if g.cancelled() {
				return false
			}
			look = tick + maxMarch
		}
		if g.n >= g.w.limit {
			g.each(func(k int) { g.out[k] = Sample{N: g.w.limit, State: Unknown} })
			return true
		}
		p, t := g.p, g.t
		if g.alive&(g.alive-1) == 0 || g.m >= len(p.Re)-1 {
			return g.rest() // one lane is quicker alone; and the end of a reference is dealt with there
		}
		if g.e != 0 {
			var ok bool
			if dd, ok = g.fit(dd); !ok {
				return false
			}
			if g.alive == 0 {
				break
			}
		} else if dd < tinyDD && g.small() {
			dd = g.maxDD()
		}
		run, steps := t.find(g.m, float64(math.Sqrt(dd)*g.s))
		var out, low uint32
		if steps > 0 && g.n+int64(steps) <= g.w.limit {
			g.m += steps
			g.n += int64(steps)
			stay = patience
			dd, out, low = leap(&g.b, run, g.s, p.Re[g.m], p.Im[g.m])
		} else {
			if _, tiny := p.Tiny[g.m]; (tiny || g.m == 0) && g.e != 0 {
				dd = g.fullStep(p.at(g.m))
				continue
			}
			if g.e == 0 {
				runs, phase, n := g.strides()
				steps, dd, out, low = march(&g.b, &p.Re[g.m], &p.Im[g.m], runs, phase, n)
				g.m += steps
				g.n += int64(steps)
				tick += steps - 1
				if stay -= steps; stay < 0 && out|low == 0 && dd >= large {
					g.each(func(k int) { g.leaves(k) })
					dd = g.maxDD()
					continue
				}
			} else {
				zr, zi := p.Re[g.m], p.Im[g.m]
				g.m++
				g.n++
				dd, out, low = step(&g.b, zr, zi, g.s, p.Re[g.m], p.Im[g.m])
			}
		}
		if g.e != 0 {
			continue // deep deltas neither escape nor, but for entries as small as they are, rebase: see fit
		}
		if out|low != 0 {
			g.tick = tick
			var ok bool
			if dd, ok = g.settle(dd, out, low); !ok {
				return false
			}
		}
	}
	return true
}

func (g *group) each(f func(k int)) {
	for k := range lanes {
		if g.alive>>k&1 != 0 {
			f(k)
		}
	}
}

// rest lets every lane finish alone.
func (g *group) rest() bool {
	ok := true
	g.each(func(k int) { ok = ok && g.alone(k) })
	return ok
}

func (g *group) maxDD() float64 {
	dd := 0.0
	for k := range lanes {
		x, y := g.b.wr[k], g.b.wi[k]
		g.b.dd[k] = float64(x*x) + float64(y*y)
		dd = max(dd, g.b.dd[k])
	}
	return dd
}

// settle takes escaped lanes out and rebases: all together when they are near enough, else the smaller part finishes alone.
func (g *group) settle(dd float64, out, low uint32) (float64, bool) {
	out &= g.alive
	for k := range lanes {
		if out>>k&1 != 0 {
			g.out[k] = escaped(g.n, g.b.zz[k])
			g.idle(k)
		}
	}
	if low &= g.alive; low == 0 {
		return g.maxDD(), true
	}
	return g.rebase(g.p.Re[g.m], g.p.Im[g.m], dd)
}

// rebase makes Z(m) + δ the delta of the lanes, as some lane asks for; (zr, zi) is Z(m) in units of 2^e, and b.zz is filled.
func (g *group) rebase(zr, zi, dd float64) (float64, bool) {
	ready, must := uint32(0), uint32(0)
	for k := range lanes {
		if g.alive>>k&1 == 0 {
			continue
		}
		if g.b.zz[k] < soft*g.b.dd[k] {
			ready |= 1 << k
		}
		if g.b.zz[k] < hard*g.b.dd[k] {
			must |= 1 << k
		}
	}
	if ready != g.alive {
		if must == 0 {
			return dd, true // wait: the others may come near in a few steps
		}
		// Part. The larger side stays together.
		leave := g.alive &^ ready
		stay := bits.OnesCount32(ready) < bits.OnesCount32(leave)
		if stay {
			leave = must
		}
		for k := range lanes {
			if leave>>k&1 != 0 && !g.alone(k) {
				return 0, false
			}
		}
		if stay {
			return g.maxDD(), true
		}
	}
	g.each(func(k int) {
		g.b.wr[k], g.b.wi[k] = zr+g.b.wr[k], zi+g.b.wi[k]
		if g.e == 0 && g.cycles[k].rebased(g.n, g.b.zz[k], g.tick) && g.w.inSet(&g.cycles[k], g.b.wr[k], g.b.wi[k], g.b.cr[k], g.b.ci[k], g.n) {
			g.out[k] = Sample{N: g.w.limit, State: Interior}
			g.idle(k)
		}
	})
	g.m, g.leg = 0, g.w.home
	return g.maxDD(), true
}

// fullStep is one exact step where Z, δ² or dc may be outside float64's range against each other: δ' = (2Z + δ)·δ + dc.
func (g *group) fullStep(z Tiny) float64 {
	e := g.e
	if z.Re != 0 || z.Im != 0 {
		e = max(e, z.Exp)
	}
	zr, zi := math.Ldexp(2*z.Re, z.Exp-e), math.Ldexp(2*z.Im, z.Exp-e)
	own := math.Ldexp(1, g.e-e)
	size := 0.0
	for k := range lanes {
		x, y := g.b.wr[k], g.b.wi[k]
		tr, ti := zr+float64(x*own), zi+float64(y*own)
		g.b.wr[k], g.b.wi[k] = float64(tr*x)-float64(ti*y), float64(tr*y)+float64(ti*x)
		size = max(size, math.Abs(g.b.wr[k]), math.Abs(g.b.wi[k]))
	}
	at := e + g.e // the products are in units of 2^at
	next := g.top
	if size > 0 {
		_, k := math.Frexp(size)
		next = max(next, at+k)
	}
	if size == 0 && g.w.julia {
		next = at
	}
	if next == 0 {
		next = -1 // 0 means plain
	}
	g.e = at
	g.scale(next)
	for k := range lanes {
		g.b.wr[k] += g.b.cr[k]
		g.b.wi[k] += g.b.ci[k]
	}
	g.m++
	g.n++
	return g.maxDD()
}

// small changes to deep form when the largest delta is below float64's comfort and something is there to keep. Its square
// may be 0 where it is not.
func (g *group) small() bool {
	size := 0.0
	for k := range lanes {
		size = max(size, math.Abs(g.b.wr[k]), math.Abs(g.b.wi[k]))
	}
	if size == 0 && (g.top >= deepExp || g.w.julia) {
		return false // only the start at Z(0), where δ is 0, or the reference itself
	}
	e := g.top
	if size > 0 {
		_, e = math.Frexp(size)
	}
	g.scale(e)
	return true
}

// fit keeps w of a deep group near 1, changes to plain form when the deltas have grown, and rebases at an entry as small as
// they are. It returns false when cancelled.
func (g *group) fit(dd float64) (float64, bool) {
	if dd > 0x1p400 || (dd < 0x1p-400 && dd > 0) {
		_, k := math.Frexp(dd)
		g.scale(g.e + k/2)
		dd = g.maxDD()
	}
	if dd > 0 {
		if _, k := math.Frexp(dd); g.e+k/2 > plainExp {
			g.scale(0)
			dd = g.maxDD()
		}
	}
	if g.m == 0 || max(math.Abs(g.p.Re[g.m]), math.Abs(g.p.Im[g.m])) > float64(8*math.Sqrt(dd)*g.s) {
		return dd, true
	}
	z := g.p.at(g.m)
	zr, zi := math.Ldexp(z.Re, z.Exp-g.e), math.Ldexp(z.Im, z.Exp-g.e)
	low := false
	for k := range lanes {
		x, y := zr+g.b.wr[k], zi+g.b.wi[k]
		g.b.zz[k] = float64(x*x) + float64(y*y)
		low = low || (g.alive>>k&1 != 0 && g.b.zz[k] < g.b.dd[k])
	}
	if !low {
		return dd, true
	}
	return g.rebase(zr, zi, dd)
}
