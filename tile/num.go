package tile

import (
	"cmp"
	"encoding/binary"
	"math/big"
	"math/bits"
	"unique"
)

// scratch is how many words fit the stack: addresses to about level 4,000 are handled without garbage of ours. Deeper ones
// are right but allocate.
const scratch = 64

func words(buf *[scratch]uint64, n int) []uint64 {
	if n <= len(buf) {
		return buf[:n]
	}
	return make([]uint64, n)
}

// num is a coord opened for reading: endless two's complement words, the sign repeated for ever.
type num struct {
	lo  uint64
	hi  string
	ext uint64 // 0 or ^0: what follows the words
}

func (c coord) num() num {
	n := num{lo: uint64(c.lo), ext: uint64(c.lo >> 63)}
	if !c.small() {
		n.hi = c.hi.Value()
		n.ext = uint64(int64(int8(n.hi[len(n.hi)-1])) >> 63)
	}
	return n
}

// len is the number of words that say it all, the sign included.
func (n num) len() int { return 1 + len(n.hi)/8 }

func (n num) word(i int) uint64 {
	switch {
	case i == 0:
		return n.lo
	case i < 0:
		return 0
	case 8*i <= len(n.hi):
		return load(n.hi, 8*(i-1))
	}
	return n.ext
}

func load(s string, i int) uint64 {
	_ = s[i+7]
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
		uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
}

// shifted is word i of floor(n · 2^s), s = 64·q + r.
func (n num) shifted(q int, r uint, i int) uint64 {
	if r == 0 {
		return n.word(i - q)
	}
	return n.word(i-q)<<r | n.word(i-q-1)>>(64-r)
}

// fromWords interns little-endian two's complement words.
func fromWords(w []uint64) coord {
	for len(w) > 1 && w[len(w)-1] == uint64(int64(w[len(w)-2])>>63) {
		w = w[:len(w)-1]
	}
	c := coord{lo: int64(w[0])}
	if len(w) == 1 {
		return c
	}
	var buf [8 * scratch]byte
	b := buf[:0]
	for _, v := range w[1:] {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	c.hi = unique.Make(string(b))
	return c
}

func fromBig(v *big.Int) coord {
	if v.IsInt64() {
		return coord{lo: v.Int64()}
	}
	var buf [scratch]uint64
	w := words(&buf, v.BitLen()/64+1)
	b := make([]byte, 8*len(w))
	m := v
	if v.Sign() < 0 {
		m = new(big.Int).Not(v) // -v-1: its bits inverted are v's
	}
	m.FillBytes(b)
	for i := range w {
		w[i] = binary.BigEndian.Uint64(b[len(b)-8*(i+1):])
		if v.Sign() < 0 {
			w[i] = ^w[i]
		}
	}
	return fromWords(w)
}

func (c coord) big() *big.Int {
	if c.small() {
		return big.NewInt(c.lo)
	}
	n := c.num()
	b := make([]byte, 8*n.len())
	for i := range n.len() {
		binary.BigEndian.PutUint64(b[len(b)-8*(i+1):], n.word(i)^n.ext)
	}
	v := new(big.Int).SetBytes(b)
	if n.ext != 0 {
		v.Not(v)
	}
	return v
}

func (c coord) negative() bool { return c.num().ext != 0 }

// bits is how many bits the magnitude needs; for a negative number that of -v-1, so that |v| ≤ 2^bits.
func (c coord) bits() int {
	n := c.num()
	for i := n.len() - 1; i >= 0; i-- {
		if l := bits.Len64(n.word(i) ^ n.ext); l > 0 {
			return 64*i + l
		}
	}
	return 0
}

// outOfBounds says that |c| ≥ 2^maxBits.
func (c coord) outOfBounds() bool {
	if c.small() {
		return false
	}
	b := c.bits()
	return b > maxBits || b == maxBits && c.negative() && !c.lowBits(maxBits)
}

// shift is floor(c · 2^s) + add.
func (c coord) shift(s int, add int64) coord {
	if c.small() {
		switch {
		case s <= 0:
			v := c.lo >> min(-s, 63)
			if sum := v + add; (sum > v) == (add > 0) {
				return coord{lo: sum}
			}
		case s < 63 && bits.Len64(uint64(c.lo^c.lo>>63))+s < 63:
			v := c.lo << s
			if sum := v + add; (sum > v) == (add > 0) {
				return coord{lo: sum}
			}
		}
	}
	n, q, r := c.num(), s>>6, uint(s&63)
	var buf [scratch]uint64
	w := words(&buf, max(n.len()+q+2, 2))
	a, ext, carry := uint64(add), uint64(add>>63), uint64(0)
	prev := n.word(-q - 1)
	for i := range w {
		v := n.word(i - q)
		w[i], carry = bits.Add64(v<<r|prev>>1>>(63-r), a, carry)
		a, prev = ext, v
	}
	return fromWords(w)
}

// equalShifted says whether floor(a · 2^s) = b, for s ≤ 0.
func equalShifted(a coord, s int, b coord) bool {
	if a.small() && b.small() {
		return a.lo>>min(-s, 63) == b.lo
	}
	n, m, q, r := a.num(), b.num(), s>>6, uint(s&63)
	if n.ext != m.ext {
		return false
	}
	i := max(n.len()+q, m.len()) // from here on both repeat their sign
	for v := n.word(i - q); i >= 0; i-- {
		next := n.word(i - q - 1)
		if v<<r|next>>1>>(63-r) != m.word(i) {
			return false
		}
		v = next
	}
	return true
}

// differing is how many low bits must go until floor(a · 2^sa) and floor(b · 2^sb), of one sign, are equal.
func differing(a coord, sa int, b coord, sb int) int {
	n, qa, ra := a.num(), sa>>6, uint(sa&63)
	m, qb, rb := b.num(), sb>>6, uint(sb&63)
	for i := max(n.len()+qa, m.len()+qb, 0); i >= 0; i-- {
		if l := bits.Len64(n.shifted(qa, ra, i) ^ m.shifted(qb, rb, i)); l > 0 {
			return 64*i + l
		}
	}
	return 0
}

func (c coord) compare(d coord) int {
	if c.small() && d.small() {
		return cmp.Compare(c.lo, d.lo)
	}
	if c == d {
		return 0
	}
	_, sign, _ := difference(c, 0, 0, d, 0)
	return sign
}

// difference is floor(a · 2^sa) + add - floor(b · 2^sb): its low 64 bits, its sign, and whether the low bits are all of it.
func difference(a coord, sa int, add int64, b coord, sb int) (low int64, sign int, fits bool) {
	n, qa, ra := a.num(), sa>>6, uint(sa&63)
	m, qb, rb := b.num(), sb>>6, uint(sb&63)
	ext, carry, borrow := uint64(add>>63), uint64(0), uint64(0)
	var top, any uint64
	fits = true
	for i := range max(n.len()+qa+1, m.len()+qb+1, 1) + 1 {
		v := ext
		if i == 0 {
			v = uint64(add)
		}
		v, carry = bits.Add64(n.shifted(qa, ra, i), v, carry)
		v, borrow = bits.Sub64(v, m.shifted(qb, rb, i), borrow)
		if i == 0 {
			low = int64(v)
		} else if v != uint64(low>>63) {
			fits = false
		}
		top, any = v, any|v
	}
	switch {
	case int64(top) < 0:
		return low, -1, fits
	case any != 0:
		return low, 1, fits
	}
	return 0, 0, true
}

// gap is a·2^s − b for 0 ≤ s < 64, as difference gives it: the case that every look at a deep canvas asks for, at a tenth of
// the price.
func gap(a coord, s int, b coord) (low int64, sign int, fits bool) {
	n, m := a.num(), b.num()
	l, r := uint(s)&63, 63-uint(s)&63
	d, borrow := bits.Sub64(n.lo<<l, m.lo, 0)
	low = int64(d)
	ext, prev, odd := uint64(low>>63), n.lo, uint64(0)
	i := 0
	for ; i+8 <= min(len(n.hi), len(m.hi)); i += 8 {
		v := load(n.hi, i)
		d, borrow = bits.Sub64(v<<l|prev>>1>>r, load(m.hi, i), borrow)
		odd, prev = odd|(d^ext), v
	}
	for j := i/8 + 1; j < max(n.len(), m.len())+2; j++ {
		v := n.word(j)
		d, borrow = bits.Sub64(v<<l|prev>>1>>r, m.word(j), borrow)
		odd, prev = odd|(d^ext), v
	}
	switch {
	case int64(d) < 0:
		return low, -1, odd == 0
	case odd|uint64(low) != 0:
		return low, 1, odd == 0
	}
	return 0, 0, true
}

// lowBits says whether any of the lowest s bits is set.
func (c coord) lowBits(s int) bool {
	n := c.num()
	for i := 0; i < s>>6; i++ {
		if n.word(i) != 0 {
			return true
		}
	}
	return n.word(s>>6)&(1<<(s&63)-1) != 0
}
