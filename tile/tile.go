// Package tile owns the names of squares at any depth: a signed level and two unbounded integers, the relations between
// squares (parent, child, ancestor, containment), and the exact maps between their local coordinates. It refuses to know
// what lies on a square.
//
// Tile (level, x, y) is the half-open square [x, x+1) × [y, y+1) in units of 2^-level root tiles, y pointing down. The side
// of a tile is 256 px = 16,384 units; a position is a tile and a small local integer in units. Big numbers never enter a
// render loop: the difference of two addresses is taken exactly, then rounded once.
package tile

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unique"
)

const (
	MaxLevel = 65536   // levels of addresses from outside are within ±MaxLevel
	Size     = 256     // side of a tile in px
	Units    = 1 << 14 // side of a tile in units; 1 unit is 1/64 px
	MaxLocal = 1 << 40 // local coordinates from outside are within ±MaxLocal units

	maxBits = MaxLevel + 64 // |x|, |y| < 2^maxBits for addresses from outside
	maxWire = maxBits/8 + 1 // bytes of the longest coordinate on the wire
	maxHex  = maxBits/4 + 1 // characters of the longest coordinate in text, sign included
	maxText = 2*maxHex + 8  // and of a whole address
	shifts  = 2 * MaxLevel  // no two addresses from outside are further apart in level
)

// ErrAddress is what every refused address wraps.
var ErrAddress = errors.New("tile: bad address")

// ID is the address of a tile. It is comparable, cheap to hash and to copy at any depth; the zero value is the root tile
// (0, 0, 0).
//
// Only addresses from outside (New, FromWire, Parse, Shift) are held to the bounds: Parent, Child and Ancestor of a tile at
// the edge of what is allowed step beyond it rather than fail.
type ID struct {
	level int
	x, y  coord
}

// coord is one unbounded integer: lo is its lowest 64 bits. hi is the rest, floor(v / 2^64), as little-endian words in the
// shortest two's complement, or the zero handle when that is just the sign of lo; so equal numbers are equal coords.
type coord struct {
	lo int64
	hi unique.Handle[string]
}

func (c coord) small() bool { return c.hi == unique.Handle[string]{} }

// New makes an address, refusing one out of bounds.
func New(level int, x, y *big.Int) (ID, error) {
	if level < -MaxLevel || level > MaxLevel {
		return ID{}, fmt.Errorf("%w: level %d is not within ±%d", ErrAddress, level, MaxLevel)
	}
	if x.BitLen() > maxBits || y.BitLen() > maxBits {
		return ID{}, fmt.Errorf("%w: coordinate of %d bits, %d are allowed", ErrAddress, max(x.BitLen(), y.BitLen()), maxBits)
	}
	return ID{level, fromBig(x), fromBig(y)}, nil
}

// At is the tile of small coordinates at a level within bounds.
func At(level int, x, y int64) ID { return ID{level, coord{lo: x}, coord{lo: y}} }

// FromWire reads an address as it travels (see wire.Tile): coordinates in the shortest two's complement, big endian, empty
// for 0. Length is checked before anything is allocated; a longer form of the same number is refused, so that an address has
// one form.
func FromWire(level int32, x, y []byte) (ID, error) {
	if level < -MaxLevel || level > MaxLevel {
		return ID{}, fmt.Errorf("%w: level %d is not within ±%d", ErrAddress, level, MaxLevel)
	}
	cx, err := coordFromWire(x)
	if err != nil {
		return ID{}, err
	}
	cy, err := coordFromWire(y)
	if err != nil {
		return ID{}, err
	}
	return ID{int(level), cx, cy}, nil
}

func coordFromWire(b []byte) (coord, error) {
	if len(b) > maxWire {
		return coord{}, fmt.Errorf("%w: coordinate of %d bytes, %d are allowed", ErrAddress, len(b), maxWire)
	}
	if len(b) == 0 {
		return coord{}, nil
	}
	neg := b[0]&0x80 != 0
	if b[0] == 0 && (len(b) == 1 || b[1]&0x80 == 0) || b[0] == 0xff && len(b) > 1 && b[1]&0x80 != 0 {
		return coord{}, fmt.Errorf("%w: coordinate is not in its shortest form", ErrAddress)
	}
	if len(b) == maxWire && b[0] != 0 && b[0] != 0xff || len(b) == maxWire && neg && isZero(b[1:]) {
		return coord{}, fmt.Errorf("%w: coordinate of more than %d bits", ErrAddress, maxBits)
	}
	fill := byte(0)
	if neg {
		fill = 0xff
	}
	var buf [scratch]uint64
	w := words(&buf, (len(b)+7)/8)
	for i := range w {
		var word [8]byte
		for j := range word {
			word[j] = fill
			if k := len(b) - 8*(i+1) + j; k >= 0 {
				word[j] = b[k]
			}
		}
		w[i] = binary.BigEndian.Uint64(word[:])
	}
	return fromWords(w), nil
}

func isZero(b []byte) bool {
	for _, v := range b {
		if v != 0 {
			return false
		}
	}
	return true
}

// Wire is the address as it travels; FromWire reads it back.
func (id ID) Wire() (level int32, x, y []byte) { return int32(id.level), id.x.wire(), id.y.wire() }

func (c coord) wire() []byte {
	n := c.num()
	b := make([]byte, 8*n.len())
	for i := range n.len() {
		binary.BigEndian.PutUint64(b[len(b)-8*(i+1):], n.word(i))
	}
	for len(b) > 1 && (b[0] == 0 && b[1]&0x80 == 0 || b[0] == 0xff && b[1]&0x80 != 0) {
		b = b[1:]
	}
	if len(b) == 1 && b[0] == 0 {
		return nil
	}
	return b
}

// Parse reads an address in text, as String writes it.
func Parse(s string) (ID, error) {
	if len(s) > maxText {
		return ID{}, fmt.Errorf("%w: text of %d bytes, %d are allowed", ErrAddress, len(s), maxText)
	}
	l, rest, ok := strings.Cut(s, "/")
	xs, ys, ok2 := strings.Cut(rest, "/")
	if !ok || !ok2 {
		return ID{}, fmt.Errorf("%w: %q is not level/x/y", ErrAddress, clip(s))
	}
	level, err := strconv.Atoi(l)
	if err != nil || strconv.Itoa(level) != l {
		return ID{}, fmt.Errorf("%w: level %q is not a number", ErrAddress, clip(l))
	}
	x, err := parseHex(xs)
	if err != nil {
		return ID{}, err
	}
	y, err := parseHex(ys)
	if err != nil {
		return ID{}, err
	}
	return New(level, x, y)
}

// parseHex reads lower-case signed hex without leading zeros: the one form String writes.
func parseHex(s string) (*big.Int, error) {
	digits := strings.TrimPrefix(s, "-")
	ok := digits != "" && (digits[0] != '0' || s == "0")
	for _, r := range []byte(digits) {
		ok = ok && (r >= '0' && r <= '9' || r >= 'a' && r <= 'f')
	}
	v := new(big.Int)
	if ok {
		_, ok = v.SetString(s, 16)
	}
	if !ok {
		return nil, fmt.Errorf("%w: coordinate %q is not signed hex", ErrAddress, clip(s))
	}
	return v, nil
}

// clip keeps what strangers wrote short in messages.
func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// String is the address as "level/x/y": level in decimal, coordinates in signed hex, which is linear at any depth.
func (id ID) String() string {
	return strconv.Itoa(id.level) + "/" + id.x.hex() + "/" + id.y.hex()
}

func (c coord) hex() string {
	if c.small() {
		return strconv.FormatInt(c.lo, 16)
	}
	return c.big().Text(16)
}

// Level is the depth: one more halves the side.
func (id ID) Level() int { return id.level }

// X is a fresh copy of the horizontal coordinate.
func (id ID) X() *big.Int { return id.x.big() }

// Y is a fresh copy of the vertical coordinate, growing downwards.
func (id ID) Y() *big.Int { return id.y.big() }

// Small gives the coordinates when both fit 64 bits.
func (id ID) Small() (x, y int64, ok bool) {
	return id.x.lo, id.y.lo, id.x.small() && id.y.small()
}

// Parent is the tile one level up that contains this one.
func (id ID) Parent() ID { return ID{id.level - 1, id.x.shift(-1, 0), id.y.shift(-1, 0)} }

// Child is quarter i of the tile: bit 0 is right, bit 1 is lower.
func (id ID) Child(i int) ID {
	return ID{id.level + 1, id.x.shift(1, int64(i&1)), id.y.shift(1, int64(i>>1&1))}
}

// Ancestor is the tile at a level not below this one's that contains it. At the same level it is the tile itself.
func (id ID) Ancestor(level int) ID {
	d := level - id.level
	if d == 0 {
		return id
	}
	if d > 0 {
		panic(fmt.Sprintf("tile: ancestor at level %d of a tile at level %d", level, id.level))
	}
	return ID{level, id.x.shift(d, 0), id.y.shift(d, 0)}
}

// Contains says whether other lies within the tile; a tile contains itself.
func (id ID) Contains(other ID) bool {
	d := other.level - id.level
	return d >= 0 && equalShifted(other.x, -d, id.x) && equalShifted(other.y, -d, id.y)
}

// Common is the smallest tile that contains both. There is none, and ok is false, across the axes: no tile reaches over
// x = 0 or y = 0.
func Common(a, b ID) (id ID, ok bool) {
	if a.x.negative() != b.x.negative() || a.y.negative() != b.y.negative() {
		return ID{}, false
	}
	level := min(a.level, b.level)
	up := max(differing(a.x, level-a.level, b.x, level-b.level), differing(a.y, level-a.level, b.y, level-b.level))
	return a.Ancestor(level - up), true
}

// Shift is the tile at level+dlevel whose coordinates are this one's taken to that level (shifted left, or right rounding
// down) plus dx, dy. It is how a client names squares relative to one of them. ok is false when the result is out of bounds.
func (id ID) Shift(dlevel int, dx, dy int64) (to ID, ok bool) {
	if dlevel < -shifts || dlevel > shifts {
		return ID{}, false
	}
	to.level = id.level + dlevel
	if to.level < -MaxLevel || to.level > MaxLevel || id.x.bits()+dlevel > maxBits || id.y.bits()+dlevel > maxBits {
		return ID{}, false
	}
	to.x, to.y = id.x.shift(dlevel, dx), id.y.shift(dlevel, dy)
	return to, !to.x.outOfBounds() && !to.y.outOfBounds()
}

// Compare is a total order: by level, then y, then x.
func (id ID) Compare(other ID) int {
	if c := cmp.Compare(id.level, other.level); c != 0 {
		return c
	}
	if c := id.y.compare(other.y); c != 0 {
		return c
	}
	return id.x.compare(other.x)
}
