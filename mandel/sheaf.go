package mandel

import "math"

// sheaf is a rectangle of samples that walk as one, while their orbits lie so near each other that the one in the middle
// tells of all: the sample u pitches from the middle has
//
//	δ(u) = δ + b·h/(1 + c·h), h = u + t·u³.
//
// The fraction is exact for a chain of maps of its form, as runs are; t is a sixth of the Schwarzian derivative, which is the
// next term of any map, and fractions leave it alone. Where that does not do the rectangle is cut in four, down to what fits into
// a block or few. So what neighbours have in common is walked once, be it near the reference or far from it.
type sheaf struct {
	leg
	i0, j0, nx, ny int // its samples: nx columns from i0 on, ny rows from j0 on, a stride apart

	wr, wi float64 // sample 0, 0, in pitches from the reference
	ur, ui float64 // the middle
	far    float64 // the largest |u|
	m      int
	n      int64
	e      int     // δ = d·2^e and the same for b; 0 in plain form
	s      float64 // 2^e, 0 below range
	dr, di float64
	br, bi float64
	cr, ci float64
	tr, ti float64
	off    float64 // what the terms beyond t may come to, for |u| = 1, of b
	cycle  cycle
	test   int64 // without a reference: steps after which the middle is tested for being in the set
	tick   int
}

const (
	// leaf is the side of the smallest sheaf, in samples.
	leaf = 8
	// strayed is by how much of a pitch a sample may stray by what a sheaf leaves out. Runs take up to a hundredth; with 2^-12 a
	// twentieth of the colours of a cell are no longer those of the cell above, for a twentieth less work.
	strayed = 0x1p-15
	// bent bounds |c·u|.
	bent = 0.5
	// outside is the |z|² from which samples are looked at one by one, as they may escape.
	outside = 16
)

// sheaf is the rectangle of all samples of a grid, at the start.
func (w *walker) sheaf(g Grid, ur, ui float64, stride int) (s sheaf, ok bool) {
	s = wide(g, stride)
	s.leg, s.wr, s.wi = w.first, ur, ui
	s.place(stride)
	if w.julia || w.limit < 2 || len(s.p.Re) < 4 || s.t.Eps <= 0 {
		return s, false
	}
	_, e := math.Frexp(max(math.Abs(s.ur), math.Abs(s.ui), s.far))
	at := w.start
	if at.m == 0 {
		at = prefix{b: newNum(1, 0, 0), m: 1, n: 1} // δ(1) = dc
	}
	s.m, s.n = at.m, at.n
	if s.e = e + at.b.exp + g.Pitch; s.e > plainExp {
		s.e = 0
	}
	s.s = math.Ldexp(1, s.e)
	k := at.b.exp + g.Pitch - s.e
	s.br, s.bi = math.Ldexp(at.b.re, k), math.Ldexp(at.b.im, k)
	s.cr, s.ci = math.Ldexp(at.c.re, at.c.exp+g.Pitch), math.Ldexp(at.c.im, at.c.exp+g.Pitch)
	// The prefix goes by the reference, u = 0: from there to the middle.
	s.shift(s.ur, s.ui)
	return s, true
}

func wide(g Grid, stride int) sheaf {
	return sheaf{nx: (g.W + stride - 1) / stride, ny: (g.H + stride - 1) / stride}
}

// place finds the middle.
func (s *sheaf) place(stride int) {
	x, y := float64(stride*(s.nx-1))/2, float64(stride*(s.ny-1))/2
	s.ur, s.ui = s.wr+float64(s.i0)+x, s.wi-float64(s.j0)-y
	s.far = math.Sqrt(float64(x*x) + float64(y*y))
}

// at is δ of the sample at u from the middle, in units of 2^e.
func (s *sheaf) at(x, y float64) (dr, di float64) {
	hr, hi := s.bow(x, y)
	own := Run{Ar: s.br, Ai: s.bi, Cr: s.cr, Ci: s.ci}
	dr, di = own.of(hr, hi, 0, 0)
	return s.dr + dr, s.di + di
}

// bow is h = u + t·u³.
func (s *sheaf) bow(x, y float64) (hr, hi float64) {
	qr, qi := times(x, y, x, y)
	qr, qi = times(qr, qi, s.tr, s.ti)
	qr, qi = times(x, y, 1+qr, qi)
	return qr, qi
}

// shift makes the sample at u the one that all others are told by.
func (s *sheaf) shift(x, y float64) {
	hr, hi := s.bow(x, y)
	qr, qi := times(x, y, s.tr, s.ti)
	kr, ki := times(x, y, 3*qr, 3*qi)
	kr++ // dh/du
	lr, li := times(s.cr, s.ci, hr, hi)
	lr, li = inverse(1+lr, li) // 1/(1 + c·h)
	dr, di := times(s.br, s.bi, hr, hi)
	dr, di = times(dr, di, lr, li)
	s.dr, s.di = s.dr+dr, s.di+di
	fr, fi := times(lr, li, kr, ki)
	s.cr, s.ci = times(s.cr, s.ci, fr, fi)
	fr, fi = times(fr, fi, lr, li)
	s.br, s.bi = times(s.br, s.bi, fr, fi)
	kr, ki = inverse(kr, ki)
	qr, qi = times(qr, qi, kr, ki)
	s.cr, s.ci = s.cr-3*qr, s.ci-3*qi
}

func times(ar, ai, br, bi float64) (float64, float64) {
	return float64(ar*br) - float64(ai*bi), float64(ar*bi) + float64(ai*br)
}

func inverse(ar, ai float64) (float64, float64) {
	k := 1 / (float64(ar*ar) + float64(ai*ai))
	return float64(ar * k), -float64(ai * k)
}

// end says why a sheaf walks no further.
type end uint8

const (
	lost  end = iota // nobody wants it any more
	spent            // the limit is reached
	apart            // its samples part, or must be looked at one by one
)

// walk goes on for as long as the middle tells of all.
func (s *sheaf) walk(w *walker, pitch int, cancelled func() bool) end {
	var (
		p, t   = s.p, s.t
		last   = len(p.Re) - 1
		u      = math.Ldexp(1, pitch-s.e) // a pitch in units of 2^e
		gr, gi = shifter(pitch - s.e).of(s.ur), shifter(pitch - s.e).of(s.ui)
		slack  = strayed / (s.far * s.far * s.far * s.far)
		room   = bent / s.far
	)
	for ; ; s.tick++ {
		if s.tick&(maxMarch-1) == 0 && cancelled() {
			return lost
		}
		if s.n >= w.limit {
			return spent
		}
		if s.m >= last {
			return apart
		}
		zr, zi := p.Re[s.m], p.Im[s.m]
		dd := float64(s.dr*s.dr) + float64(s.di*s.di)
		if s.e == 0 {
			xr, xi := zr+s.dr, zi+s.di
			zz := float64(xr*xr) + float64(xi*xi)
			if zz > outside || dd < tinyDD {
				return apart
			}
			if zz < dd && s.m > 0 {
				s.cycle.rebased(s.n, zz, s.tick)
				s.dr, s.di, dd, s.m, s.leg = xr, xi, zz, 0, w.home
				p, t, last = s.p, s.t, len(s.p.Re)-1
				zr, zi = p.Re[0], p.Im[0]
			}
		} else {
			if dd > 0x1p400 || dd < 0x1p-400 {
				if !(dd > 0) {
					return apart
				}
				_, k := math.Frexp(dd)
				k = s.e + k/2
				if k > plainExp {
					k = 0
				}
				v := shifter(s.e - k)
				s.dr, s.di, s.br, s.bi = v.of(s.dr), v.of(s.di), v.of(s.br), v.of(s.bi)
				s.e, s.s = k, math.Ldexp(1, k)
				u = math.Ldexp(1, pitch-k)
				gr, gi = shifter(pitch-k).of(s.ur), shifter(pitch-k).of(s.ui)
				continue
			}
			if s.m == 0 || max(math.Abs(zr), math.Abs(zi)) <= float64(8*math.Sqrt(dd)*s.s) {
				return apart // an entry as small as δ: it takes care
			}
		}
		bm := math.Abs(s.br) + math.Abs(s.bi)
		run, steps := t.find(s.m, float64((math.Sqrt(dd)+float64(2*bm*s.far))*s.s))
		// What is new of δ and of w = b·(u + p·u² + q·u³ + o·u⁴), after the map and with the share of dc.
		var dr, di, br, bi, pr, pi, qr, qi, or, oi float64
		tr, ti, off := s.tr, s.ti, s.off
		if steps > 0 && s.n+int64(steps) <= w.limit {
			kr, ki := float64(run.Cr*s.s), float64(run.Ci*s.s)
			lr, li := times(kr, ki, s.dr, s.di)
			lr, li = inverse(1+lr, li)
			fr, fi := times(run.Ar, run.Ai, lr, li)
			dr, di = times(fr, fi, s.dr, s.di)
			fr, fi = times(fr, fi, lr, li)
			br, bi = times(fr, fi, s.br, s.bi)
			kr, ki = times(kr, ki, lr, li)
			kr, ki = times(kr, ki, s.br, s.bi)
			cr, ci := s.cr+kr, s.ci+ki
			kr, ki = times(run.Br, run.Bi, gr, gi)
			dr, di = dr+kr, di+ki
			vr, vi := float64(run.Br*u), float64(run.Bi*u)
			if math.Abs(vr)+math.Abs(vi) <= 0x1p-60*(math.Abs(br)+math.Abs(bi)) {
				if !(math.Abs(cr)+math.Abs(ci) <= room) {
					return apart
				}
				s.dr, s.di, s.br, s.bi, s.cr, s.ci = dr, di, br, bi, cr, ci
				s.m += steps
				s.n += int64(steps)
				continue
			}
			fr, fi = inverse(br+vr, bi+vi)
			ar, ai := times(br, bi, fr, fi)
			pr, pi = times(ar, ai, -cr, -ci)
			kr, ki = times(cr, ci, cr, ci)
			qr, qi = times(ar, ai, kr+tr, ki+ti)
			or, oi = times(pr, pi, kr+2*tr, ki+2*ti)
			br, bi = br+vr, bi+vi
			off = float64(off * math.Sqrt(float64(ar*ar)+float64(ai*ai)))
		} else {
			steps = 1
			xr, xi := 2*zr+float64(s.s*s.dr), 2*zi+float64(s.s*s.di)
			dr, di = times(xr, xi, s.dr, s.di)
			dr, di = dr+gr, di+gi
			xr, xi = xr+float64(s.s*s.dr), xi+float64(s.s*s.di) // 2z
			xr, xi = times(xr, xi, s.br, s.bi)
			br, bi = xr+u, xi
			fr, fi := inverse(br, bi)
			ar, ai := times(xr, xi, fr, fi) // of w: 2z·b/b'
			fr, fi = times(fr, fi, s.br, s.bi)
			fr, fi = times(fr, fi, float64(s.br*s.s), float64(s.bi*s.s)) // of w²: b²/b'
			kr, ki := times(s.cr, s.ci, s.cr, s.ci)
			pr, pi = times(ar, ai, -s.cr, -s.ci)
			pr, pi = pr+fr, pi+fi
			qr, qi = times(ar, ai, kr+tr, ki+ti)
			lr, li := times(fr, fi, s.cr, s.ci)
			qr, qi = qr-2*lr, qi-2*li
			or, oi = times(s.cr, s.ci, kr+2*tr, ki+2*ti)
			or, oi = times(ar, ai, -or, -oi)
			lr, li = times(fr, fi, 3*kr+2*tr, 3*ki+2*ti)
			or, oi = or+lr, oi+li
			off = float64(off * math.Sqrt(float64(ar*ar)+float64(ai*ai)))
		}
		// The fraction of the same p, the t of the same q, and what they say of o.
		kr, ki := times(pr, pi, pr, pi)
		tr, ti = qr-kr, qi-ki
		kr, ki = times(pr, pi, kr+2*tr, ki+2*ti)
		off += math.Abs(or-kr) + math.Abs(oi-ki)
		if !(math.Abs(pr)+math.Abs(pi) <= room && off <= slack) {
			return apart
		}
		s.dr, s.di, s.br, s.bi, s.cr, s.ci, s.tr, s.ti, s.off = dr, di, br, bi, -pr, -pi, tr, ti, off
		s.m += steps
		s.n += int64(steps)
	}
}
