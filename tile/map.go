package tile

import (
	"math"
	"math/big"
	"math/bits"
)

// Map takes local units of one tile to local units of another, exactly: p_to = p_from · 2^Shift + offset.
type Map struct {
	shift int
	x, y  axis
}

// axis is from's corner minus to's corner, in whole tiles of the finer of both levels.
type axis struct {
	n   int64
	big *big.Int // the same when n cannot hold it, else nil
}

// Between is the map from local units of one tile to those of another.
func Between(from, to ID) Map {
	s := to.level - from.level
	return Map{s, between(from.x, to.x, s), between(from.y, to.y, s)}
}

func between(a, b coord, s int) axis {
	sa, sb := max(s, 0), max(-s, 0)
	if n, ok := quick(a, sa, b, sb); ok {
		return axis{n: n}
	}
	switch {
	case sb == 0 && sa < 64:
		if n, _, fits := gap(a, sa, b); fits {
			return axis{n: n}
		}
	case sa == 0 && sb < 64:
		if n, _, fits := gap(b, sb, a); fits && n != math.MinInt64 {
			return axis{n: -n}
		}
	default:
		if n, _, fits := difference(a, sa, 0, b, sb); fits {
			return axis{n: n}
		}
	}
	va, vb := a.big(), b.big()
	va.Lsh(va, uint(sa))
	return axis{big: va.Sub(va, vb.Lsh(vb, uint(sb)))}
}

// quick is a·2^sa − b·2^sb in plain arithmetic, where it is surely enough.
func quick(a coord, sa int, b coord, sb int) (int64, bool) {
	if a.hi != b.hi || sa > 40 || sb > 40 {
		return 0, false
	}
	if !a.small() {
		// The same high words: the difference is that of the low ones, if the level is the same.
		d := uint64(a.lo) - uint64(b.lo)
		return int64(d), sa|sb == 0 && (uint64(a.lo) >= uint64(b.lo)) == (int64(d) >= 0)
	}
	if bits.Len64(uint64(a.lo^a.lo>>63))+sa > 61 || bits.Len64(uint64(b.lo^b.lo>>63))+sb > 61 {
		return 0, false
	}
	return a.lo<<sa - b.lo<<sb, true
}

// Shift is the level of the target minus that of the origin.
func (m Map) Shift() int { return m.shift }

// Affine is the map in float64: p_to = p_from·scale + (dx, dy), each of the three rounded once. exact says that none needed
// rounding. Far apart in level the scale is 0 or infinite.
func (m Map) Affine() (scale, dx, dy float64, exact bool) {
	e := 14 + min(m.shift, 0)
	dx, okX := m.x.float(e)
	dy, okY := m.y.float(e)
	exact = okX && okY && m.shift >= -1022 && m.shift <= 1023
	return math.Ldexp(1, m.shift), dx, dy, exact
}

// float is the axis times 2^e.
func (a axis) float(e int) (v float64, exact bool) {
	if a.big == nil {
		v = math.Ldexp(float64(a.n), e)
		return v, a.n == 0 || e > -900 && a.n >= -1<<53 && a.n <= 1<<53
	}
	f := new(big.Float).SetInt(a.big) // as many bits as the number has
	f.SetMantExp(f, e)
	v, acc := f.Float64()
	return v, acc == big.Exact
}

// Offset is the exact offset: (x · 2^exp, y · 2^exp) units of the target. The numbers are the caller's.
func (m Map) Offset() (x, y *big.Int, exp int) { return m.x.int(), m.y.int(), 14 + min(m.shift, 0) }

func (a axis) int() *big.Int {
	if a.big == nil {
		return big.NewInt(a.n)
	}
	return new(big.Int).Set(a.big)
}

// Corner is the target's upper left corner in units of the origin. ok is false when that is not a whole number (the target
// is more than 14 levels finer) or beyond 2^53.
func (m Map) Corner() (x, y int64, ok bool) {
	e := 14 - max(m.shift, 0)
	x, okX := m.x.corner(e)
	y, okY := m.y.corner(e)
	return x, y, okX && okY
}

func (a axis) corner(e int) (int64, bool) {
	if a.n == 0 && a.big == nil {
		return 0, true
	}
	if a.big != nil || e < 0 || bits.Len64(uint64(a.n^a.n>>63))+e > 53 {
		return 0, false
	}
	return -a.n << e, true
}

// Apply maps a point, exactly; ok is false when the result is not whole or needs more than 62 bits.
func (m Map) Apply(x, y int64) (toX, toY int64, ok bool) {
	toX, okX := m.x.apply(x, m.shift)
	toY, okY := m.y.apply(y, m.shift)
	return toX, toY, okX && okY
}

func (a axis) apply(v int64, s int) (int64, bool) {
	if a.big != nil || s > 62 || s < -62 {
		return 0, false
	}
	// In units of the origin or of the target, whichever is finer.
	up := max(s, 0)
	if bits.Len64(uint64(v^v>>63))+up > 61 || bits.Len64(uint64(a.n^a.n>>63))+14 > 61 {
		return 0, false
	}
	fine := v<<up + a.n<<14
	down := max(-s, 0)
	return fine >> down, fine>>down<<down == fine
}

// Box is a closed rectangle in local units of some tile.
type Box struct{ MinX, MinY, MaxX, MaxY int64 }

// Union is the smallest box that holds both.
func (b Box) Union(c Box) Box {
	return Box{min(b.MinX, c.MinX), min(b.MinY, c.MinY), max(b.MaxX, c.MaxX), max(b.MaxY, c.MaxY)}
}

// Intersects says whether the boxes, of one tile's units, share a point.
func (b Box) Intersects(c Box) bool {
	return b.MinX <= c.MaxX && c.MinX <= b.MaxX && b.MinY <= c.MaxY && c.MinY <= b.MaxY
}

// Touches says whether box b, in units of home, and the half-open square of id share a point: exactly, at any distance and
// any difference of levels. Coordinates of b are within ±2^44.
func Touches(home ID, b Box, id ID) bool {
	k := id.level - home.level
	return touches(home.x, b.MinX, b.MaxX, id.x, k) && touches(home.y, b.MinY, b.MaxY, id.y, k)
}

// touches asks on one axis, with k the level of the tile t minus that of home h, whether t is one of the tiles of its level
// in which points of [lo, hi] lie: floor(lo·2^(k−14)) ≤ t − h·2^k ≤ floor(hi·2^(k−14)).
func touches(h coord, lo, hi int64, t coord, k int) bool {
	const safe = 1 << 46
	switch {
	case k >= 0 && k <= 14:
		lo, hi = lo>>(14-k), hi>>(14-k)
		if h.small() && t.small() && h.lo > -safe && h.lo < safe {
			base := h.lo << k
			return base+lo <= t.lo && t.lo <= base+hi
		}
		if k == 0 && h.hi == t.hi {
			d := uint64(t.lo) - uint64(h.lo) // whether it wrapped is clear from the order
			return uint64(t.lo) >= uint64(h.lo) == (int64(d) >= 0) && lo <= int64(d) && int64(d) <= hi
		}
		d, _, fits := gap(h, k, t)
		return fits && -hi <= d && d <= -lo
	case k < 0:
		// lo and hi in whole tiles of home; the rest of the way up floors again.
		lo, hi = lo>>14, hi>>14
		if h.small() && t.small() && h.lo > -1<<62 && h.lo < 1<<62 {
			m := min(-k, 63)
			return (h.lo+lo)>>m <= t.lo && t.lo <= (h.lo+hi)>>m
		}
		if k >= -60 {
			d, _, fits := gap(t, -k, h) // the tile's corner, in tiles of home
			return fits && d <= hi && d+1<<-k > lo
		}
		return h.shift(0, lo).above(k, t) <= 0 && h.shift(0, hi).above(k, t) >= 0
	default:
		// Finer than a unit: compare the tile's corner, rounded down to units of home, and remember what was cut off.
		s := k - 14
		d, fits := int64(0), false
		if h.small() && t.small() && h.lo > -safe && h.lo < safe {
			c := t.lo >> min(s, 63)
			d, fits = c-h.lo<<14, c > -1<<62 && c < 1<<62
		}
		if !fits {
			if d, _, fits = difference(t, -s, 0, h, 14); !fits {
				return false
			}
		}
		return lo <= d && (d < hi || d == hi && !t.lowBits(s))
	}
}

// above compares floor(c · 2^s) with t.
func (c coord) above(s int, t coord) int {
	_, sign, _ := difference(c, s, 0, t, 0)
	return sign
}
