package canvas

import (
	"math/big"

	"fractal/tile"
)

// home remembers the bounds of all that is visible, up to where it has looked.
type home struct {
	changes uint64 // how often something was hidden or shown again, which it may have seen
	at      uint64 // changes when bounds began
	seen    int    // items
	bounds  bounds
}

// outdated says that something was hidden or shown again: all must be looked at once more.
func (h *home) outdated() { h.changes++ }

// homePart is how many items are looked at under one lock.
const homePart = 4096

// bounds is a rectangle of tiles of one level that holds the reach of some strokes, rounded outwards.
type bounds struct {
	level      int
	loX, loY   *big.Int
	hiX, hiY   *big.Int
	coarsest   int // home level of the strokes
	notNothing bool
}

// Precision of bounds: a stroke alone is 2^fineBits tiles wide, all together at most 2^(fineBits+coarseBits).
const (
	fineBits   = 8
	coarseBits = 24
)

// Home is a tile that shows all that is visible: the finest in the middle of it that is as large and, with a quarter of
// its side around it, holds everything. (No tile at all holds what lies on both sides of an axis.) It is not finer than where
// the coarsest stroke was drawn, so that one dot does not fill the screen, and not coarser than -tile.MaxLevel. ok is false
// while nothing is visible.
func (c *Canvas) Home() (id tile.ID, ok bool) {
	id, _, ok = c.Extent()
	return id, ok
}

// Extent is Home and the box that holds all that is visible, in units of that tile: what a view has to show to show it all.
// It is up to 1/256 larger than what is drawn. What is hidden, or shown again, while it looks may be in it or not.
func (c *Canvas) Extent() (id tile.ID, box tile.Box, ok bool) {
	c.mu.RLock()
	h := c.home
	if h.at != h.changes {
		h = home{changes: h.changes, at: h.changes}
	}
	b := h.bounds.clone()
	part := make([]*record, 0, min(homePart, len(c.items)-h.seen))
	for more := true; more; {
		part = part[:0]
		for ; h.seen < len(c.items) && len(part) < homePart; h.seen++ {
			if r := &c.items[h.seen]; r.shown() {
				part = append(part, r)
			}
		}
		more = h.seen < len(c.items)
		c.mu.RUnlock()
		for _, r := range part {
			switch {
			case r.place != nil:
				b.add(r.place.home, r.place.reach(), r.place.level())
			case r.terminal != nil:
				b.add(r.terminal.home, r.terminal.reach(), r.terminal.level())
			case r.stroke != nil:
				b.add(r.stroke.Home(), r.stroke.Reach(), levelOf(r.stroke))
			}
		}
		if more {
			c.mu.RLock()
		}
	}
	h.bounds = b
	c.mu.Lock()
	if c.home.changes == h.at {
		c.home = h
	}
	c.mu.Unlock()
	if id, ok = b.tile(); ok {
		box = b.box(id)
	}
	return id, box, ok
}

func (b bounds) clone() bounds {
	if b.notNothing {
		for _, v := range []**big.Int{&b.loX, &b.loY, &b.hiX, &b.hiY} {
			*v = new(big.Int).Set(*v)
		}
	}
	return b
}

// add takes the box r, in units of id; level is that of the tiles about as large.
func (b *bounds) add(id tile.ID, r tile.Box, level int) {
	fine := level + fineBits
	if !b.notNothing {
		b.level, b.coarsest = fine, id.Level()
	}
	b.coarsest = min(b.coarsest, id.Level())
	if b.level > fine {
		b.coarsen(uint(b.level - fine))
	}
	if !b.holds(id, r) {
		b.grow(id, r)
	}
}

// grow is add without looking first whether the box is within the bounds, whose tiles are as small as it needs.
func (b *bounds) grow(id tile.ID, r tile.Box) {
	at := func(corner *big.Int, v int64) *big.Int {
		corner.Lsh(corner, unitBits)
		corner.Add(corner, big.NewInt(v))
		if d := b.level - id.Level() - unitBits; d > 0 {
			return corner.Lsh(corner, uint(d))
		} else {
			return corner.Rsh(corner, uint(-d)) // rounds down
		}
	}
	loX, loY, hiX, hiY := at(id.X(), r.MinX), at(id.Y(), r.MinY), at(id.X(), r.MaxX), at(id.Y(), r.MaxY)
	if !b.notNothing {
		b.loX, b.loY, b.hiX, b.hiY, b.notNothing = loX, loY, hiX, hiY, true
		return
	}
	b.loX, b.loY = least(b.loX, loX), least(b.loY, loY)
	b.hiX, b.hiY = most(b.hiX, hiX), most(b.hiY, hiY)
	if n := b.span().BitLen(); n > fineBits+coarseBits {
		b.coarsen(uint(n - fineBits - coarseBits))
	}
}

// holds says that the box is within the bounds already, which is so of nearly all. It may say no where big numbers are needed to know.
func (b *bounds) holds(id tile.ID, r tile.Box) bool {
	x, y, small := id.Small()
	if !small || !b.notNothing || !b.loX.IsInt64() || !b.loY.IsInt64() || !b.hiX.IsInt64() || !b.hiY.IsInt64() {
		return false
	}
	d := b.level - id.Level() - unitBits
	up, down := uint(max(d, 0)), uint(min(max(-d, 0), 63))
	if up > 16 {
		return false
	}
	far := int64(1) << (47 - up) // all below stays within 2^62
	if x <= -far || x >= far || y <= -far || y >= far {
		return false
	}
	x, y = x<<unitBits, y<<unitBits
	return (x+r.MinX)<<up>>down >= b.loX.Int64() && (y+r.MinY)<<up>>down >= b.loY.Int64() &&
		(x+r.MaxX)<<up>>down <= b.hiX.Int64() && (y+r.MaxY)<<up>>down <= b.hiY.Int64()
}

func least(a, b *big.Int) *big.Int {
	if a.Cmp(b) <= 0 {
		return a
	}
	return b
}

func most(a, b *big.Int) *big.Int {
	if a.Cmp(b) >= 0 {
		return a
	}
	return b
}

// coarsen makes the tiles of the bounds 2^n times as large.
func (b *bounds) coarsen(n uint) {
	b.level -= int(n)
	if b.notNothing {
		for _, v := range []*big.Int{b.loX, b.loY, b.hiX, b.hiY} {
			v.Rsh(v, n)
		}
	}
}

// span is how many tiles the longer side has.
func (b *bounds) span() *big.Int {
	w := new(big.Int).Sub(b.hiX, b.loX)
	h := new(big.Int).Sub(b.hiY, b.loY)
	w = most(w, h)
	return w.Add(w, big.NewInt(1))
}

func (b *bounds) tile() (id tile.ID, ok bool) {
	if !b.notNothing {
		return id, false
	}
	span := b.span()
	span.Sub(span, big.NewInt(1))
	up := max(span.BitLen(), b.level-b.coarsest, b.level-tile.MaxLevel) // levels, until a tile is as large
	for up < b.level+tile.MaxLevel && !(spans(b.loX, b.hiX, up) && spans(b.loY, b.hiY, up)) {
		up++
	}
	up = min(up, b.level+tile.MaxLevel)
	id, err := tile.New(b.level-up, middle(b.loX, b.hiX, up), middle(b.loY, b.hiY, up))
	return id, err == nil
}

// box is the bounds in units of a tile.
func (b *bounds) box(id tile.ID) tile.Box {
	up := b.level - id.Level()
	units := func(v, corner *big.Int) int64 {
		return shifted(new(big.Int).Sub(v, shifted(corner, up)), unitBits-up).Int64() // the tile is no smaller than a 1/6 of them
	}
	x, y := id.X(), id.Y()
	one := big.NewInt(1)
	return tile.Box{
		MinX: units(b.loX, x), MinY: units(b.loY, y),
		MaxX: units(new(big.Int).Add(b.hiX, one), x) + 1, MaxY: units(new(big.Int).Add(b.hiY, one), y) + 1,
	}
}

// middle is the tile, levels up, in the middle of the tiles from lo to hi.
func middle(lo, hi *big.Int, up int) *big.Int {
	m := new(big.Int).Add(lo, hi)
	return shifted(m, -up-1)
}

// spans says whether that tile, with a quarter on both sides, holds them all.
func spans(lo, hi *big.Int, up int) bool {
	first := middle(lo, hi, up)
	first.Lsh(first, 2).Sub(first, big.NewInt(1))
	last := new(big.Int).Add(first, big.NewInt(5))
	return shifted(lo, 2-up).Cmp(first) >= 0 && shifted(hi, 2-up).Cmp(last) <= 0
}

func shifted(v *big.Int, by int) *big.Int {
	if by >= 0 {
		return new(big.Int).Lsh(v, uint(by))
	}
	return new(big.Int).Rsh(v, uint(-by))
}
