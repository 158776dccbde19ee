package mandel

import "math"

// Sheaves without a reference: δ is z itself.

const (
	// patch is the side of the smallest sheaf of the direct kernel: a step of a sheaf costs as much as one of 40 samples in seats.
	patch = 16
	// shortest is how many steps must be shared to be worth telling samples apart.
	shortest = 24
)

// sheaf is the rectangle of all samples of the grid, at the start.
func (d *direct) sheaf(stride int) sheaf {
	s := wide(d.grid, stride)
	s.place(stride)
	s.dr, s.di = d.re+float64(s.ur*d.pitch), d.im+float64(s.ui*d.pitch)
	s.br, s.test = d.pitch, firstTest
	if !d.formula.Julia {
		s.n = 1
	}
	return s
}

// walk goes on for as long as the middle tells of all. Where the middle is in the set it fills what is around it.
func (d *direct) walk(s *sheaf) end {
	u, c, e := d.pitch, d.re+float64(s.ur*d.pitch), d.im+float64(s.ui*d.pitch)
	if d.formula.Julia {
		u, c, e = 0, d.jr, d.ji
	} else if inMain(c, e) {
		return apart
	}
	slack := strayed / (s.far * s.far * s.far * s.far)
	room := bent / s.far
	for ; ; s.tick++ {
		if s.tick&(maxMarch-1) == 0 && d.cancelled() {
			return lost
		}
		if s.n >= d.limit {
			return spent
		}
		zr, zi := s.dr, s.di
		if !(float64(zr*zr)+float64(zi*zi) <= outside) {
			return apart
		}
		if s.n >= s.test {
			s.test *= 4
			if p, r, ok := d.inSet(zr, zi, c, e, s.n); ok && !d.formula.Julia {
				if d.period = p; r > d.pitch {
					d.fill(s.ur, -s.ui, r)
					s.test = s.n // those outside are tested at once
					return apart
				}
			}
		}
		if !s.step(2*zr, 2*zi, u, room, slack) {
			return apart
		}
		s.dr, s.di = (float64(zr*zr)-float64(zi*zi))+c, float64((zr+zr)*zi)+e
		s.n++
	}
}

// step takes w to x·w + w² + v·u, unless the middle would no longer tell of all.
func (s *sheaf) step(xr, xi, v, room, slack float64) bool {
	xr, xi = times(xr, xi, s.br, s.bi)
	br, bi := xr+v, xi
	fr, fi := inverse(br, bi)
	ar, ai := times(xr, xi, fr, fi) // of w: x·b/b'
	fr, fi = times(fr, fi, s.br, s.bi)
	fr, fi = times(fr, fi, s.br, s.bi) // of w²: b²/b'
	kr, ki := times(s.cr, s.ci, s.cr, s.ci)
	pr, pi := times(ar, ai, -s.cr, -s.ci)
	pr, pi = pr+fr, pi+fi
	qr, qi := times(ar, ai, kr+s.tr, ki+s.ti)
	lr, li := times(fr, fi, s.cr, s.ci)
	qr, qi = qr-2*lr, qi-2*li
	or, oi := times(s.cr, s.ci, kr+2*s.tr, ki+2*s.ti)
	or, oi = times(ar, ai, -or, -oi)
	lr, li = times(fr, fi, 3*kr+2*s.tr, 3*ki+2*s.ti)
	or, oi = or+lr, oi+li
	off := float64(s.off * math.Sqrt(float64(ar*ar)+float64(ai*ai)))
	kr, ki = times(pr, pi, pr, pi)
	tr, ti := qr-kr, qi-ki
	kr, ki = times(pr, pi, kr+2*tr, ki+2*ti)
	off += math.Abs(or-kr) + math.Abs(oi-ki)
	if !(math.Abs(pr)+math.Abs(pi) <= room && off <= slack) {
		return false
	}
	s.br, s.bi, s.cr, s.ci, s.tr, s.ti, s.off = br, bi, -pr, -pi, tr, ti, off
	return true
}
