package canvas

import (
	"fmt"
	"math/bits"

	"fractal/tile"
	"fractal/wire"
)

// rectangle is where something lies that is no ink: a box of a tile's own units.
type rectangle struct {
	home tile.ID
	box  tile.Box // of home; max is outside
}

// newRectangle checks where something lies. refused is wrapped by every refusal.
func newRectangle(h *wire.Tile, b *wire.Box, refused error) (r rectangle, err error) {
	if h == nil || b == nil {
		return r, fmt.Errorf("%w: it says not where it is", refused)
	}
	if r.home, err = tile.FromWire(h.Level, h.X, h.Y); err != nil {
		return r, fmt.Errorf("%w: %w", refused, err)
	}
	for _, v := range [...]int64{b.MinX, b.MinY, b.MaxX, b.MaxY} {
		if v < -tile.MaxLocal || v > tile.MaxLocal {
			return r, fmt.Errorf("%w: it reaches too far from its tile", refused)
		}
	}
	if b.MinX >= b.MaxX || b.MinY >= b.MaxY {
		return r, fmt.Errorf("%w: it has no size", refused)
	}
	r.box = tile.Box{MinX: b.MinX, MinY: b.MinY, MaxX: b.MaxX, MaxY: b.MaxY}
	return r, nil
}

// Home is the tile the box is local to.
func (r *rectangle) Home() tile.ID { return r.home }

// Box is where it is, in units of its home; its maximum is outside.
func (r *rectangle) Box() tile.Box { return r.box }

// Touches says whether it reaches the tile.
func (r *rectangle) Touches(id tile.ID) bool { return tile.Touches(r.home, r.reach(), id) }

// reach is the closed box.
func (r *rectangle) reach() tile.Box {
	b := r.box
	b.MaxX--
	b.MaxY--
	return b
}

// level is that of the tiles about as large.
func (r *rectangle) level() int {
	b := r.reach()
	return r.home.Level() + unitBits - bits.Len64(uint64(max(b.MaxX-b.MinX, b.MaxY-b.MinY)))
}
