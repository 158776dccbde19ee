package canvas

import (
	"math/big"
	"testing"

	"fractal/ink"
	"fractal/tile"
)

// TestHomeShowsEverything holds the home tile to the reach of every visible stroke, with a quarter around it.
func TestHomeShowsEverything(t *testing.T) {
	for n := range uint64(8) {
		w := newWorld(source(t, 200+n))
		if n < 3 {
			w.tiles = w.tiles[n+4 : n+5 : n+5]
		}
		c, m := New(), newModel()
		if _, ok := c.Home(); ok {
			t.Fatal("an empty canvas has a home")
		}
		for i := range 80 {
			a := w.act(t, m)
			m.apply(a)
			c.Apply(a.entry(t))
			if i%4 != 0 {
				continue
			}
			id, box, ok := c.Extent()
			if ok != (len(m.visible()) > 0) {
				t.Fatalf("seq %d: home %v with %d strokes", m.seq, ok, len(m.visible()))
			}
			if !ok {
				continue
			}
			for _, s := range m.visible() {
				if id.Level() == -tile.MaxLevel {
					break // no tile is large enough
				}
				around, _ := aroundTile(id)
				if !within(s.Stroke, around) {
					t.Fatalf("seq %d: home %.80v does not show stroke %d of %.80v %+v", m.seq, id, s.Seq, s.Stroke.Home(), s.Stroke.Reach())
				}
				if !boxed(s.Stroke, id, box) {
					t.Fatalf("seq %d: box %+v of %.80v does not hold stroke %d of %.80v %+v", m.seq, box, id, s.Seq, s.Stroke.Home(), s.Stroke.Reach())
				}
			}
		}
	}
}

// aroundTile is the box of a tile with a quarter around it, in units two levels finer, so that it is whole.
func aroundTile(id tile.ID) (quarters []tile.ID, ok bool) {
	for y := int64(-1); y <= 4; y++ {
		for x := int64(-1); x <= 4; x++ {
			q, ok := id.Shift(2, x, y)
			if !ok {
				return nil, false
			}
			quarters = append(quarters, q)
		}
	}
	return quarters, true
}

// within says whether no corner of the reach lies outside of all the tiles.
func within(s *ink.Stroke, tiles []tile.ID) bool {
	r := s.Reach()
	for _, p := range []tile.Box{
		{MinX: r.MinX, MinY: r.MinY, MaxX: r.MinX, MaxY: r.MinY},
		{MinX: r.MaxX, MinY: r.MaxY, MaxX: r.MaxX, MaxY: r.MaxY},
	} {
		in := false
		for _, q := range tiles {
			in = in || tile.Touches(s.Home(), p, q)
		}
		if !in {
			return false
		}
	}
	return true
}

// boxed says whether the box, in units of id, holds the reach of a stroke.
func boxed(s *ink.Stroke, id tile.ID, box tile.Box) bool {
	home, r := s.Home(), s.Reach()
	finest := max(home.Level(), id.Level())
	at := func(t tile.ID, corner *big.Int, v int64) *big.Int {
		p := corner.Lsh(corner, unitBits)
		return p.Add(p, big.NewInt(v)).Lsh(p, uint(finest-t.Level()))
	}
	return at(id, id.X(), box.MinX).Cmp(at(home, home.X(), r.MinX)) <= 0 && at(id, id.X(), box.MaxX).Cmp(at(home, home.X(), r.MaxX)) >= 0 &&
		at(id, id.Y(), box.MinY).Cmp(at(home, home.Y(), r.MinY)) <= 0 && at(id, id.Y(), box.MaxY).Cmp(at(home, home.Y(), r.MaxY)) >= 0
}

func TestHomeIsAsSmallAsTheDrawing(t *testing.T) {
	c := New()
	n := uint64(0)
	draw := func(id tile.ID) {
		n++
		c.Apply(act{who: Person{1}, session: Session{1}, number: n, verb: "draw", stroke: dot(t, id)}.entry(t))
	}
	for _, step := range []struct{ draw, want tile.ID }{
		{tile.At(5, 10, 10), tile.At(5, 10, 10)},    // a dot is shown where it was drawn
		{tile.At(40, 11<<35, 0), tile.ID{}},         // in the tile below it
		{tile.At(5, 31, 31), tile.ID{}},             // in the far corner
		{tile.At(5, -1, 0), tile.At(-1, 0, 0)},      // across an axis
		{tile.At(-30, 0, -1), tile.At(-30, 0, -1)},  // a stroke of another scale
		{tile.At(2000, 5, 5), tile.At(-30, 0, -1)},  // a grain of dust
		{tile.At(-30, 1, -1), tile.At(-31, 0, -1)},  // beside it
		{tile.At(-30, 0, -2), tile.At(-31, 0, -1)},  // above it
		{tile.At(-30, -1, -1), tile.At(-32, 0, -1)}, // beside it, across the axis
	} {
		draw(step.draw)
		if got, ok := c.Home(); !ok || step.want != (tile.ID{}) && got != step.want {
			t.Errorf("after a stroke in %v: home is %v, want %v", step.draw, got, step.want)
		}
	}
	before, _ := c.Home()
	draw(tile.At(-60000, 3, 3))
	if wide, _ := c.Home(); wide.Level() > -50000 {
		t.Errorf("home %v does not show a stroke of level -60000", wide)
	}
	n++
	c.Apply(act{who: Person{1}, session: Session{1}, number: n, verb: "undo"}.entry(t))
	if after, _ := c.Home(); after != before {
		t.Errorf("home is %v after an undo, was %v", after, before)
	}
	n++
	c.Apply(act{who: Person{1}, session: Session{1}, number: n, verb: "redo"}.entry(t))
	if wide, _ := c.Home(); wide.Level() > -50000 {
		t.Errorf("home %v does not show what a redo brought back", wide)
	}
}
