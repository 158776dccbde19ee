package canvas

import (
	"math/big"
	"math/bits"

	"fractal/ink"
	"fractal/tile"
)

// key is a point of the plane: the upper left corner of a tile, or of a stroke's reach.
type key struct{ x, y coord }

// coord is one coordinate as a binary number in root tiles, of endless two's complement digits. The digit of weight
// 2^-level is called the digit of that level, because it says which half of the parent a tile of that level is. Digits come
// in words of 64 that begin at the same levels in every coord, so that two are compared without shifting: word i holds levels
// 64i+1 … 64i+64, the coarsest in its highest bit.
type coord struct {
	sign  uint64    // every word before first: 0 or all ones
	first int32     // index of the first word that is kept
	n     int32     // how many are; behind them all are 0
	few   [3]uint64 // the words, where n ≤ 3: no garbage at everyday depths
	many  []uint64  // else
}

// unitBits is how many levels below its tile a unit is.
const unitBits = 14

// rootLevel is coarser than every digit that is not mere sign: tiles lie within ±2^(MaxLevel+64) at levels of ±MaxLevel, and
// strokes leave their home tile by less than 2^28.
const rootLevel = -1 << 18

func (c *coord) word(i int) uint64 {
	j := i - int(c.first)
	switch {
	case j < 0:
		return c.sign
	case j >= int(c.n):
		return 0
	case c.many != nil:
		return c.many[j]
	}
	return c.few[j]
}

// digit is that of one level.
func (c *coord) digit(level int) int {
	return int(c.word((level-1)>>6) >> (63 - uint(level-1)&63) & 1)
}

// of sets k to the point (x, y), in tiles of id's size · 2^-shift, from id's corner.
func (k *key) of(id tile.ID, shift uint, x, y int64) {
	level := id.Level() + int(shift)
	if ix, iy, ok := id.Small(); ok {
		k.x.small(ix, shift, x, level)
		k.y.small(iy, shift, y, level)
		return
	}
	k.x.large(id.X(), shift, x, level)
	k.y.large(id.Y(), shift, y, level)
}

// bits are the n ≤ 63 digits after a level.
func (c *coord) bits(level, n int) uint64 {
	if n == 0 {
		return 0
	}
	i, skip := level>>6, uint(level&63)
	w := c.word(i) << skip
	if skip > 0 {
		w |= c.word(i+1) >> (64 - skip)
	}
	return w >> (64 - uint(n))
}

// small sets c to (v·2^shift + add)·2^-level, |add| < 2^62.
func (c *coord) small(v int64, shift uint, add int64, level int) {
	last := (level - 1) >> 6
	up := 63 - uint(level-1)&63 // from the lowest digit to the end of its word
	lo, carry := bits.Add64(uint64(v)<<shift, uint64(add), 0)
	hi := v>>(64-shift) + add>>63 + int64(carry)
	c.few = [3]uint64{uint64(hi >> (64 - up)), uint64(hi)<<up | lo>>(64-up), lo << up}
	c.many, c.n = nil, 3
	c.sign = uint64(hi >> 63)
	for c.n > 0 && c.few[0] == c.sign {
		c.few = [3]uint64{c.few[1], c.few[2]}
		c.n--
	}
	c.first = int32(last) - c.n + 1
}

// large is small for numbers of any size.
func (c *coord) large(x *big.Int, shift uint, add int64, level int) {
	last := (level - 1) >> 6
	up := 63 - uint(level-1)&63
	v := new(big.Int).Lsh(x, shift)
	v.Lsh(v.Add(v, big.NewInt(add)), up)
	c.sign = 0
	if v.Sign() < 0 {
		c.sign = ^c.sign
		v.Not(v)
	}
	b := v.FillBytes(make([]byte, (v.BitLen()+63)/64*8))
	c.n = int32(len(b) / 8)
	c.first = int32(last) - c.n + 1
	c.many = make([]uint64, c.n)
	for i := range c.many {
		var w uint64
		for _, d := range b[8*i : 8*i+8] {
			w = w<<8 | uint64(d)
		}
		c.many[i] = w ^ c.sign
	}
}

// place is where the index keeps a stroke: under the tile of `level` that holds the upper left corner `at` of its reach.
// The level is the finest whose tiles are no smaller than the reach, so that the stroke leaves that tile only to the right
// and down, and never by a whole one.
type place struct {
	at    key
	level int
	box   window // the reach
}

// window is a box of quanta, both ends included, seen from the corner of a tile that is 2^quantumBits of them wide: it may
// reach into the next tile. It is rounded outwards, so that windows that do not meet settle most questions cheaply.
type window struct{ minX, minY, maxX, maxY uint16 }

const (
	quantumBits = 15
	quanta      = 1 << quantumBits
)

func (w window) meets(v window) bool {
	return w.minX <= v.maxX && v.minX <= w.maxX && w.minY <= v.maxY && v.minY <= w.maxY
}

// from is the same window seen from the tile of a coarser level `to` that holds the tile of level `from` at a point.
func (w window) from(at *key, from, to int) window {
	if from == to {
		return w
	}
	minX, maxX := coarser(&at.x, w.minX, w.maxX, from, to)
	minY, maxY := coarser(&at.y, w.minY, w.maxY, from, to)
	return window{minX, minY, maxX, maxY}
}

func coarser(c *coord, lo, hi uint16, from, to int) (uint16, uint16) {
	k := from - to
	if k > quantumBits {
		q := uint16(c.bits(to, quantumBits)) // the tile lies in this quantum, its neighbour perhaps in the next
		return q, q + 1
	}
	corner := uint32(c.bits(to, k)) << quantumBits
	return uint16((corner + uint32(lo)) >> k), uint16((corner + uint32(hi)) >> k)
}

func (p *place) of(s *ink.Stroke) {
	r := s.Reach()
	p.at.of(s.Home(), unitBits, r.MinX, r.MinY)
	p.level = levelOf(s)
	side := s.Home().Level() + unitBits - p.level // of the tile: 2^side units
	x, y := p.at.x.bits(p.level, side), p.at.y.bits(p.level, side)
	p.box = window{
		quantum(x, side), quantum(y, side),
		quantum(x+uint64(r.MaxX-r.MinX), side), quantum(y+uint64(r.MaxY-r.MinY), side),
	}
}

func quantum(v uint64, side int) uint16 {
	if side < quantumBits {
		return uint16(v << (quantumBits - side))
	}
	return uint16(v >> (side - quantumBits))
}

// extent is the part of the windows of a node of a level that the tile t, of level tl, takes on one axis.
func extent(s side, t *coord, tl, level int) (lo, hi uint16) {
	if s == next {
		lo = quanta
	}
	switch k := tl - level; {
	case k <= 0:
		return lo, 2*quanta - 1
	case k <= quantumBits:
		lo += uint16(t.bits(level, k) << (quantumBits - k))
		return lo, lo + uint16(1<<(quantumBits-k)-1)
	default:
		lo += uint16(t.bits(level, quantumBits))
		return lo, lo
	}
}

// levelOf is the level of a stroke's place. It may lie a little outside of ±MaxLevel.
func levelOf(s *ink.Stroke) int {
	r := s.Reach()
	span := max(r.MaxX-r.MinX, r.MaxY-r.MinY, 1)
	return s.Home().Level() + unitBits - bits.Len64(uint64(span-1))
}

// common is the finest level ≤ to such that all digits in (from, common] agree.
func common(a, b *coord, from, to int) int {
	if a.sign != b.sign {
		return from // only below the root: elsewhere the signs agreed long before
	}
	first := max(from>>6, int(min(a.first, b.first)))
	for i := first; i <= (to-1)>>6; i++ {
		d := a.word(i) ^ b.word(i)
		if i == from>>6 {
			d &= ^uint64(0) >> uint(from&63)
		}
		if d != 0 {
			return min(to, 64*i+64-bits.Len64(d))
		}
	}
	return to
}

// side is where a tile t lies on one axis, seen from the tile n of a node that is no finer: at the level of n.
type side uint8

const (
	same side = iota // n holds t
	next             // t lies in the tile after n: strokes of n may reach it
	gone             // they cannot
)

// follow takes the side of t, a tile of level tl, from the node at level `from` to its child n at level `to`. Where n is
// finer than t: same says that t holds n, next that n is the last before t.
func follow(s side, t, n *coord, from, to, tl int) side {
	if from == rootLevel {
		switch {
		case t.sign == n.sign:
			s = same
		case t.sign == 0:
			s = next // -1 is the neighbour of 0
		default:
			return gone
		}
	}
	if s == same {
		to, tl = min(to, tl), to // beyond its level t holds whatever n is
		if s = run(s, t, n, from, to); s == same || tl <= to {
			return s
		}
		from, to = max(from, to), tl
	}
	// Now n is before t: its other digits must be ones, and t's zeros, as they are beyond its level.
	return run(s, t, n, from, to)
}

func run(s side, t, n *coord, from, to int) side {
	for i := max(from>>6, int(min(t.first, n.first))); i <= (to-1)>>6 && s != gone; i++ {
		mask := ^uint64(0)
		if i == from>>6 {
			mask >>= uint(from & 63)
		}
		if i == (to-1)>>6 {
			mask &= ^uint64(0) << (63 - uint(to-1)&63)
		}
		a, b := t.word(i)&mask, n.word(i)&mask
		if s == next {
			if a != 0 || b != mask {
				s = gone
			}
		} else if a != b {
			d := uint(bits.Len64(a^b)) - 1
			low := (uint64(1)<<d - 1) & mask
			if s = gone; a>>d&1 == 1 && a&low == 0 && b&low == low {
				s = next
			}
		}
	}
	return s
}
