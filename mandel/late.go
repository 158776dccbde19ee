package mandel

import "math"

// Samples that have parted from all others walk alone, where neither lock step nor runs help, and at places that are nearly
// parabolic they walk for tens of thousands of steps. Once their delta is large, the last bits of z tell as much of it as it
// holds itself: such samples go on as z, in the seats of the direct kernel, eight times as fast.

const (
	// large is the |δ|² from which a sample may leave its reference: 2^-53 of z is then 2^-45 of δ, and what tells neighbours
	// apart is at least a part in 2^(MaxLag+8) of it.
	large = 0x1p-16
	// near is the |z|² below which a sample comes back to the reference: δ = z there, and its square would lose bits beside c.
	near = 0x1p-12
	// patience is how many steps without a run a sample, or a group, takes before it leaves. Most end sooner.
	patience = 128
)

// late is a sample that goes on by itself: z after n steps.
type late struct {
	at     int // index of the sample
	zr, zi float64
	ur, ui float64 // dc in units of 2^pitch
	n      int64
}

// leaves puts lane k among the late ones, if it may go.
func (g *group) leaves(k int) bool {
	if g.e != 0 || !g.w.loose(g.p.Re[g.m], g.p.Im[g.m], g.b.wr[k], g.b.wi[k]) {
		return false
	}
	g.w.late = append(g.w.late, late{k, g.p.Re[g.m] + g.b.wr[k], g.p.Im[g.m] + g.b.wi[k], g.ur[k], g.ui[k], g.n})
	g.idle(k)
	return true
}

// loose says whether a sample with δ = (x, y) may leave Z = (zr, zi).
func (w *walker) loose(zr, zi, x, y float64) bool {
	if w.julia || !(float64(x*x)+float64(y*y) >= large) {
		return false
	}
	zr, zi = zr+x, zi+y
	return float64(zr*zr)+float64(zi*zi) >= near
}

// finish iterates the late samples to their end. It returns false when cancelled; what it did not reach stays Pending.
func (w *walker) finish(pitch int, out []Sample, cancelled func() bool) bool {
	if len(w.late) == 0 {
		return true
	}
	// c as a float64: what is lost of it weighs as little as the last bits of z.
	cr, ci := w.home.p.Re[1], w.home.p.Im[1]
	f := &w.seats
	var at [seats]late
	alive := uint32(0)
	left := w.late
	defer func() { w.late = w.late[:0] }() // of no use to anybody when cancelled
	for work := 0; ; {
		for k := 0; len(left) > 0 && k < seats; k++ {
			if alive>>k&1 == 0 {
				l := left[len(left)-1]
				left = left[:len(left)-1]
				at[k] = l
				f.zr[k], f.zi[k], f.n[k] = l.zr, l.zi, float64(l.n)
				f.cr[k], f.ci[k] = cr+math.Ldexp(l.ur, pitch), ci+math.Ldexp(l.ui, pitch)
				alive |= 1 << k
			}
		}
		if alive == 0 {
			return true
		}
		// A stretch is short while many will end soon, and never longer than what is taken back when one comes near 0.
		steps := int64(look)
		for k := range seats {
			if alive>>k&1 != 0 {
				f.low[k] = 1
				steps = min(steps, w.limit-int64(f.n[k]), max(firstLook, int64(f.n[k])-at[k].n))
			}
		}
		if work += int(steps); work > look/2 {
			if work = 0; cancelled() {
				return false
			}
		}
		was, old := alive, *f
		alive = iterate(f, int(steps), alive)
		for k := range seats {
			if was>>k&1 == 0 {
				continue
			}
			n, x, y := int64(f.n[k]), f.zr[k], f.zi[k]
			zz := float64(x*x) + float64(y*y)
			switch l := &at[k]; {
			case f.low[k] < near:
				alive &^= 1 << k
				st := old.back(k)
				st.leg, st.ur, st.ui, st.pitch, st.loose = w.home, l.ur, l.ui, pitch, true
				if out[l.at] = w.from(&st, cancelled); st.left {
					left = append(left, st.late(l.at))
				} else if out[l.at].State == Pending {
					return false
				}
			case alive>>k&1 == 0 || zz > Radius*Radius:
				alive &^= 1 << k
				out[l.at] = escaped(n, zz)
			case n >= w.limit:
				alive &^= 1 << k
				out[l.at] = Sample{N: w.limit, State: Unknown}
			}
		}
	}
}

// back follows a seat to where it comes near 0: there z is the delta against the start of the orbit of 0.
func (f *flock) back(k int) state {
	x, y, n := f.zr[k], f.zi[k], int64(f.n[k])
	for {
		rr, ii := float64(x*x), float64(y*y)
		if rr+ii < near {
			return state{n: n, dr: x, di: y}
		}
		x, y = (rr-ii)+f.cr[k], float64((x+x)*y)+f.ci[k]
		n++
	}
}

// late is the state of a sample that left.
func (st *state) late(at int) late {
	return late{at, st.p.Re[st.m] + st.dr, st.p.Im[st.m] + st.di, st.ur, st.ui, st.n}
}
