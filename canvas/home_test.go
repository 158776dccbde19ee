package canvas

import (
	"math/big"
	"math/bits"
	"math/rand/v2"
	"sync"
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

// What small numbers say to be within the bounds, big ones do not move.
func TestBoundsHoldWhatDoesNotMoveThem(t *testing.T) {
	rnd := rand.New(source(t, 900))
	held := 0
	for range 400 {
		var b bounds
		base := rnd.IntN(60) - 30
		for range 60 {
			long := rnd.IntN(50)
			at := func() int64 { return rnd.Int64N(1<<long) - 1<<long/2 }
			level := base + rnd.IntN(24) - 12
			id := tile.At(level, at(), at())
			x, y := rnd.Int64N(1<<30)-1<<29, rnd.Int64N(1<<30)-1<<29
			box := tile.Box{MinX: x, MinY: y, MaxX: x + rnd.Int64N(1<<rnd.IntN(40)), MaxY: y + rnd.Int64N(1<<rnd.IntN(40))}
			fine := level + unitBits - bits.Len64(uint64(max(box.MaxX-box.MinX, box.MaxY-box.MinY))) // as large as the box
			probe := b.clone()
			if b.level > fine+fineBits && b.notNothing {
				probe.coarsen(uint(b.level - fine - fineBits))
			}
			holds := probe.holds(id, box)
			b.add(id, box, fine)
			if !holds {
				continue
			}
			held++
			slow := probe.clone()
			slow.grow(id, box)
			if slow.loX.Cmp(probe.loX) != 0 || slow.loY.Cmp(probe.loY) != 0 || slow.hiX.Cmp(probe.hiX) != 0 || slow.hiY.Cmp(probe.hiY) != 0 || slow.level != probe.level {
				t.Fatalf("%v %+v moves bounds that hold it: %+v to %+v", id, box, probe, slow)
			}
		}
	}
	if held < 1000 {
		t.Errorf("only %d boxes were held", held)
	}
}

// Many strokes are looked at in parts; what is hidden meanwhile is looked at again by the next who asks.
func TestHomeOfManyStrokesThatComeAndGo(t *testing.T) {
	c := New()
	n := uint64(0)
	say := func(verb string, s *ink.Stroke) {
		n++
		c.Apply(act{who: Person{1}, session: Session{1}, number: n, verb: verb, stroke: s}.entry(t))
	}
	for i := range int64(2*homePart + 9) {
		say("draw", dot(t, tile.At(5, i%64, i/64)))
	}
	before, ok := c.Home()
	say("draw", dot(t, tile.At(-40, 5, 5)))
	if far, _ := c.Home(); !ok || far == before {
		t.Fatalf("home is %v with a stroke far away, and %v without", far, before)
	}
	say("undo", nil)
	if after, _ := c.Home(); after != before {
		t.Errorf("home is %v after it was taken back, not %v", after, before)
	}
	var busy sync.WaitGroup
	busy.Go(func() {
		for range 40 {
			say("redo", nil)
			say("undo", nil)
		}
	})
	for range 40 {
		if id, ok := c.Home(); !ok || id.Level() > before.Level() {
			t.Errorf("home %v does not show what is always there", id)
		}
	}
	busy.Wait()
	if after, _ := c.Home(); after != before {
		t.Errorf("home is %v in the end, not %v", after, before)
	}
}
