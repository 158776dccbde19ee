package mandel

import "math"

// Two number types carry a sample's delta. While |δ| > 2^deepExp it is a plain pair of float64 (its square stays in range);
// below, the pair w and a shared exponent e with δ = w·2^e. The gap between entering and leaving keeps a sample from
// changing back and forth.
const (
	deepExp  = -450 // go deep below
	plainExp = -440 // come back above
)

// leg is an orbit to walk along, with its runs.
type leg struct {
	p *Prefix
	t *Table
}

// walker iterates samples against a reference: alone, or up to lanes together. It serves one goroutine. A sample starts at
// first and, when it rebases, goes on from the start of home, the orbit of 0. For z² + c the two are one; in a Julia set first
// is the orbit of a point, and samples differ from it by where they start, not by c.
type walker struct {
	first, home leg
	julia       bool
	limit       int64
	start       prefix
	period      int64 // of the last sample found to be in the set
	g           group // scratch of walk
	late        []late
	seats       flock // scratch of finish
}

// sample returns what the point at (ur + i·ui)·2^pitch from the reference does. cancelled is asked every 4,096 steps.
func (w *walker) sample(ur, ui float64, pitch int, cancelled func() bool) Sample {
	st := state{leg: w.first, ur: ur, ui: ui, pitch: pitch}
	if w.julia {
		st.ur, st.ui = 0, 0
		st.dr, st.di = ur, ui
		_, e := math.Frexp(max(math.Abs(ur), math.Abs(ui)))
		if st.deep = e+pitch < deepExp && (ur != 0 || ui != 0); st.deep {
			st.e = pitch
		} else {
			st.dr, st.di = math.Ldexp(ur, pitch), math.Ldexp(ui, pitch)
		}
		return w.from(&st, cancelled)
	}
	st.begin()
	if st.deep = st.tinyC; st.deep {
		st.e = st.ce
	}
	return w.from(&st, cancelled)
}

// from goes on where st stands. st.ur, ui, pitch, n, m, δ and its form must be set. A sample that may leave its reference may
// come back Pending, with st.left set.
func (w *walker) from(st *state, cancelled func() bool) Sample {
	st.begin()
	for {
		var s Sample
		var done bool
		if st.deep {
			s, done = w.deep(st, cancelled)
		} else {
			s, done = w.plain(st, cancelled)
		}
		if done {
			return s
		}
	}
}

// state is a sample between two stretches: δ(m) with |δ| plain or deep, after n steps.
type state struct {
	leg
	ur, ui float64 // dc in units of 2^pitch
	pitch  int
	cr, ci float64 // dc, plain
	ce     int     // |dc| < 2^ce
	tinyC  bool    // dc is not 0, and only deep deltas can hold it
	n      int64
	m      int

	dr, di float64 // δ, or w when deep
	deep   bool
	e      int     // δ = w·2^e
	s      float64 // 2^e, 0 below range
	wr, wi float64 // dc·2^-e
	loose  bool    // it may leave its reference
	left   bool    // it has: see late
}

// begin fills what follows from dc and the form.
func (st *state) begin() {
	// dc in plain form is 0 below float64's range, where only the deep form is used.
	st.cr, st.ci = math.Ldexp(st.ur, st.pitch), math.Ldexp(st.ui, st.pitch)
	_, e := math.Frexp(max(math.Abs(st.ur), math.Abs(st.ui)))
	st.ce = e + st.pitch
	st.tinyC = st.ce < deepExp && (st.ur != 0 || st.ui != 0)
	if st.deep {
		st.rescale(st.e)
	}
}

// rescale makes e the shared exponent.
func (st *state) rescale(e int) {
	st.dr, st.di = math.Ldexp(st.dr, st.e-e), math.Ldexp(st.di, st.e-e)
	st.e, st.s = e, math.Ldexp(1, e)
	st.wr, st.wi = math.Ldexp(st.ur, st.pitch-e), math.Ldexp(st.ui, st.pitch-e)
}

// plain iterates while δ is a pair of float64. It ends with a verdict (true) or because δ became too small (false).
func (w *walker) plain(st *state, cancelled func() bool) (Sample, bool) {
	re, im, t := st.p.Re, st.p.Im, st.t
	last := len(re) - 1
	dr, di, cr, ci, m, n := st.dr, st.di, st.cr, st.ci, st.m, st.n
	var c cycle
	stay := patience
	for tick := 1; ; tick++ {
		if tick&4095 == 0 && cancelled() {
			return Sample{}, true
		}
		zr, zi := re[m]+dr, im[m]+di
		zz := float64(zr*zr) + float64(zi*zi)
		dd := float64(dr*dr) + float64(di*di)
		if zz > Radius*Radius {
			return escaped(n, zz), true
		}
		if n >= w.limit {
			return Sample{N: w.limit, State: Unknown}, true
		}
		if zz < dd || m == last {
			dr, di, m, dd = zr, zi, 0, zz
			st.leg = w.home
			re, im, t = st.p.Re, st.p.Im, st.t
			last = len(re) - 1
			if c.rebased(n, zz, tick) && w.inSet(&c, dr, di, cr, ci, n) {
				return Sample{N: w.limit, State: Interior}, true
			}
		}
		if dd < 0x1p-900 && (dd > 0 || st.tinyC) {
			st.dr, st.di, st.m, st.n, st.deep, st.e = dr, di, m, n, true, 0
			_, e := math.Frexp(max(math.Abs(dr), math.Abs(di)))
			if dr == 0 && di == 0 {
				e = st.ce
			}
			st.rescale(e)
			return Sample{}, false
		}
		if run, steps := t.find(m, math.Sqrt(dd)); steps > 0 && n+int64(steps) <= w.limit {
			dr, di = run.of(dr, di, cr, ci)
			m += steps
			n += int64(steps)
			stay = patience
			continue
		}
		if stay--; stay < 0 && st.loose && w.loose(re[m], im[m], dr, di) {
			st.dr, st.di, st.m, st.n, st.left = dr, di, m, n, true
			return Sample{}, true
		}
		// δ' = (2Z + δ)·δ + dc
		tr, ti := 2*re[m]+dr, 2*im[m]+di
		dr, di = float64(tr*dr)-float64(ti*di)+cr, float64(tr*di)+float64(ti*dr)+ci
		m++
		n++
	}
}

// deep iterates while δ needs an exponent of its own. A sample this close to its reference cannot escape by itself, but
// the reference may: then it comes back to plain and is judged there.
func (w *walker) deep(st *state, cancelled func() bool) (Sample, bool) {
	for tick := 1; ; tick++ {
		if tick&4095 == 0 && cancelled() {
			return Sample{}, true
		}
		re, im := st.p.Re, st.p.Im
		last := len(re) - 1
		size := max(math.Abs(st.dr), math.Abs(st.di))
		if size > 0x1p200 || (size < 0x1p-200 && size > 0) {
			_, k := math.Frexp(size)
			st.rescale(st.e + k)
			size = max(math.Abs(st.dr), math.Abs(st.di))
		}
		if size > 0 {
			if _, k := math.Frexp(size); st.e+k > plainExp {
				st.toPlain()
				return Sample{}, false
			}
		}
		if st.m == last {
			// The end of the reference: z becomes the delta. It is judged in plain form unless it is tiny too.
			w.rebase(st)
			if !st.deep {
				return Sample{}, false
			}
		} else if zs := max(math.Abs(re[st.m]), math.Abs(im[st.m])); st.m > 0 && zs <= float64(4*size*st.s) {
			// Only an entry about as small as δ can make |Z + δ| < |δ|. Entries in Tiny read as 0 here.
			z := st.p.at(st.m)
			zr, zi := math.Ldexp(z.Re, z.Exp-st.e)+st.dr, math.Ldexp(z.Im, z.Exp-st.e)+st.di
			if float64(zr*zr)+float64(zi*zi) < float64(st.dr*st.dr)+float64(st.di*st.di) {
				st.dr, st.di, st.m, st.leg = zr, zi, 0, w.home
				continue
			}
		}
		if st.n >= w.limit {
			return Sample{N: w.limit, State: Unknown}, true
		}
		if run, steps := st.t.find(st.m, float64(size*math.Sqrt2)*st.s); steps > 0 && st.n+int64(steps) <= w.limit {
			own := *run
			own.Cr, own.Ci = float64(st.s*run.Cr), float64(st.s*run.Ci)
			st.dr, st.di = own.of(st.dr, st.di, st.wr, st.wi)
			st.m += steps
			st.n += int64(steps)
			continue
		}
		if _, tiny := st.p.Tiny[st.m]; tiny || st.m == 0 {
			st.smallStep(st.p.at(st.m))
			continue
		}
		dr, di := st.dr, st.di
		tr, ti := 2*re[st.m]+float64(dr*st.s), 2*im[st.m]+float64(di*st.s)
		st.dr = float64(tr*dr) - float64(ti*di) + st.wr
		st.di = float64(tr*di) + float64(ti*dr) + st.wi
		st.m++
		st.n++
	}
}

func (st *state) toPlain() {
	st.dr, st.di = math.Ldexp(st.dr, st.e), math.Ldexp(st.di, st.e)
	st.e, st.deep = 0, false
}

// rebase makes z = Z(m) + δ the delta against Z(0).
func (w *walker) rebase(st *state) {
	z := st.p.at(st.m)
	_, k := math.Frexp(max(math.Abs(z.Re), math.Abs(z.Im)))
	if (z.Re != 0 || z.Im != 0) && z.Exp+k > plainExp {
		// Leave m at the end: plain judges z = Z + δ and rebases by itself.
		st.toPlain()
		return
	}
	e := max(st.e, z.Exp+k)
	if st.dr == 0 && st.di == 0 {
		e = z.Exp + k
	}
	st.rescale(e)
	st.dr += math.Ldexp(z.Re, z.Exp-e)
	st.di += math.Ldexp(z.Im, z.Exp-e)
	st.m, st.leg = 0, w.home
}

// smallStep is one exact step where Z itself may be outside float64's range: δ' = (2Z + δ)·δ + dc.
func (st *state) smallStep(z Tiny) {
	// In units of 2^e: t = 2Z + δ; then δ' = t·w·2^2e + dc.
	tr, ti, te := 2*z.Re, 2*z.Im, z.Exp
	if z.Re == 0 && z.Im == 0 {
		te = st.e
	}
	e := max(te, st.e)
	tr = math.Ldexp(tr, te-e) + math.Ldexp(st.dr, st.e-e)
	ti = math.Ldexp(ti, te-e) + math.Ldexp(st.di, st.e-e)
	pr, pi := float64(tr*st.dr)-float64(ti*st.di), float64(tr*st.di)+float64(ti*st.dr)
	pe := e + st.e // δ' = p·2^pe + u·2^pitch
	_, k := math.Frexp(max(math.Abs(pr), math.Abs(pi)))
	_, ku := math.Frexp(max(math.Abs(st.ur), math.Abs(st.ui)))
	ne := st.pitch + ku
	if (pr != 0 || pi != 0) && (pe+k > ne || (st.ur == 0 && st.ui == 0)) {
		ne = pe + k
	}
	st.e, st.dr, st.di = ne, math.Ldexp(pr, pe-ne), math.Ldexp(pi, pe-ne)
	st.rescale(ne)
	st.dr += st.wr
	st.di += st.wi
	st.m++
	st.n++
}

// escaped is the verdict for |z|² = zz after n steps.
func escaped(n int64, zz float64) Sample {
	// log2 of how often |z| squared itself past Radius: in [0, 1) as Radius < |z| ≤ Radius² + |c|.
	f := log2(log2(zz) * (1.0 / 16)) // log2(Radius²) = 16
	return Sample{N: n, Frac: float32(f), State: Escaped}
}

// log2 returns log2 of a positive x to 2⁻³⁰, with the same bits on every machine: math.Log2 may be compiled to fused
// multiply-adds.
func log2(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = m*2, e-1
	}
	s := (m - 1) / (m + 1) // |s| < 0.172
	q := float64(s * s)
	p := float64(q*(1.0/11)) + 1.0/9
	p = float64(q*p) + 1.0/7
	p = float64(q*p) + 1.0/5
	p = float64(q*p) + 1.0/3
	p = float64(q*p) + 1
	return float64(float64(2*math.Log2E)*float64(s*p)) + float64(e)
}
