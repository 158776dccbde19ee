package mandel

import "math/bits"

// MaxAuto bounds the limits of a rule: an orbit and its table of this length take 150 MB. An orbit cannot be cut short of the
// limit: samples that went on from its end would have lost what tells them apart.
const MaxAuto = 1 << 22

// Rule says how far samples are iterated. The zero value is automatic.
type Rule struct {
	Fixed int64 // iterations; 0: found from the samples themselves
}

// First is the limit to begin with.
func (r Rule) First(pitch int) int64 {
	if r.Fixed > 0 {
		return min(r.Fixed, MaxAuto)
	}
	// A power of two, so that neighbouring levels share the tables of their reference.
	return 1 << bits.Len64(uint64(1023+16*max(0, -pitch-8)))
}

// Next returns the limit to go on with after all samples of a stride were rendered at limit, and whether it is higher. It
// rises, never falls: it doubles while more than one in a hundred of the samples that escape took more than half of it, and
// while nothing is known at all. So the last limit of a grid is a function of the grid.
func (r Rule) Next(limit int64, out []Sample) (int64, bool) {
	if r.Fixed > 0 || limit >= MaxAuto {
		return limit, false
	}
	escaped, late, unknown, inside := 0, 0, 0, 0
	for i := range out {
		switch s := &out[i]; s.State {
		case Escaped:
			escaped++
			if s.N > limit/2 {
				late++
			}
		case Unknown:
			unknown++
		case Interior:
			inside++
		}
	}
	if unknown == 0 {
		return limit, false
	}
	if late*100 > escaped || escaped+inside == 0 {
		return min(2*limit, MaxAuto), true
	}
	return limit, false
}

// Again makes the samples that reached the limit pending, for a render with a higher one.
func Again(out []Sample) {
	for i := range out {
		if out[i].State == Unknown {
			out[i] = Sample{}
		}
	}
}
