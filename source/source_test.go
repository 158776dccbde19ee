package source_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"google.golang.org/protobuf/proto"

	"fractal/canvas"
	"fractal/cell"
	"fractal/ink"
	"fractal/source"
	"fractal/tile"
	"fractal/wire"
)

// world writes random ops on and around a place.
type world struct {
	rng   *rand.Rand
	place func(dlevel int, dx, dy int64) tile.ID
	n     [3]uint64 // ops of each session; each is a person of its own
}

func (w *world) entry(t testing.TB) *wire.Entry {
	t.Helper()
	who := w.rng.IntN(len(w.n))
	w.n[who]++
	op := &wire.Op{Session: bytes.Repeat([]byte{byte(who)}, 16), Number: w.n[who]}
	switch roll := w.rng.IntN(10); {
	case roll < 6:
		op.Body = &wire.Op_Stroke{Stroke: w.stroke(t).Wire()}
	case roll < 8:
		op.Body = &wire.Op_Undo{Undo: &wire.Undo{}}
	default:
		op.Body = &wire.Op_Redo{Redo: &wire.Redo{}}
	}
	b, err := proto.Marshal(op)
	if err != nil {
		t.Fatal(err)
	}
	return &wire.Entry{Person: bytes.Repeat([]byte{byte(100 + who)}, 16), Op: b}
}

func (w *world) stroke(t testing.TB) *ink.Stroke {
	t.Helper()
	dlevel := []int{-30, -9, -3, -1, 0, 0, 0, 1, 2, 5, 13, 40}[w.rng.IntN(12)]
	pts := make([]ink.Point, 1+w.rng.IntN(12))
	at := ink.Point{X: w.rng.Int64N(tile.Units), Y: w.rng.Int64N(tile.Units)}
	for i := range pts {
		at.X += w.rng.Int64N(4000) - 2000
		at.Y += w.rng.Int64N(4000) - 2000
		at.D = 1 + w.rng.Int32N(2000)
		pts[i] = at
	}
	brush := ink.BrushID(1 + w.rng.IntN(4))
	spread := int64(1)
	if dlevel > 0 {
		spread = 1 << min(dlevel, 20) // somewhere in the place
	}
	s, err := ink.New(w.place(dlevel, w.rng.Int64N(spread), w.rng.Int64N(spread)), brush, w.rng.Uint32()|0x20, pts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// at returns places relative to a tile.
func at(t testing.TB, home tile.ID) func(dlevel int, dx, dy int64) tile.ID {
	return func(dlevel int, dx, dy int64) tile.ID {
		id, ok := home.Shift(dlevel, dx, dy)
		if !ok {
			t.Fatalf("no place %d levels from %v", dlevel, home)
		}
		return id
	}
}

// fromNothing is the oracle: the ops replayed, the cells painted by painters that never painted anything.
func fromNothing(t testing.TB, entries []*wire.Entry, ids []tile.ID) []cell.Picture {
	t.Helper()
	c := canvas.New()
	for _, e := range entries {
		c.Apply(e)
	}
	var pictures []cell.Picture
	for _, id := range ids {
		if err := source.Of(c, source.With{})[cell.KindInk].Draw(t.Context(), id, new(cell.Scratch), func(p cell.Picture) {
			pictures = append(pictures, p)
		}); err != nil {
			t.Fatal(err)
		}
	}
	return pictures
}

func same(a, b cell.Picture) bool {
	return a.Version == b.Version && a.Format == b.Format && a.Below == b.Below && a.Provisional == b.Provisional && bytes.Equal(a.Data, b.Data)
}

func TestCachedCellsEqualARedrawFromNothing(t *testing.T) {
	for seed := range uint64(4) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			place := at(t, tile.At(int(seed)*100-100, 7, -3))
			w := &world{rng: rng, place: place}
			ids := []tile.ID{
				place(0, 0, 0), place(0, 1, 0), place(0, 0, -1), place(-1, 0, 0), place(-2, 0, 0), place(-9, 0, 0),
				place(1, 0, 0), place(1, 1, 1), place(2, 1, 2), place(6, 30, 33), place(13, 4000, 4001), place(40, 1, 1),
			}
			p := cell.NewPool(2, 1<<26)
			defer p.Close()
			c := canvas.New()
			cells := p.Room(source.Of(c, source.With{}), func(cell.Key) {})
			var entries []*wire.Entry
			for step := range 24 {
				for range 1 + rng.IntN(4) {
					e := w.entry(t)
					entries = append(entries, e)
					c.Apply(e)
				}
				var wants []cell.Want
				for i, id := range ids {
					wants = append(wants, cell.Want{Key: cell.Key{Kind: cell.KindInk, ID: id}, Least: uint64(c.Version(id)), Rank: i})
				}
				cells.Want(1, wants)
				if step%2 == 0 {
					continue // the next ops meet drawings under way
				}
				synctest.Wait()
				if step%6 != 5 {
					continue
				}
				for i, want := range fromNothing(t, entries, ids) {
					got, ok := cells.Newest(wants[i].Key)
					if !ok || !same(got, want) {
						t.Fatalf("seed %d step %d: cell %v is version %d format %d %d bytes below %v; from nothing version %d format %d %d bytes below %v", seed, step, ids[i],
							got.Version, got.Format, len(got.Data), got.Below, want.Version, want.Format, len(want.Data), want.Below)
					}
				}
			}
		})
	}
}

// The homes are corners of squares 30 levels up, so that those lie alike around all of them.
func TestSameDrawingGivesTheSameBytesAnywhere(t *testing.T) {
	var first []cell.Picture
	for i, home := range []tile.ID{tile.At(0, 0, 0), tile.At(60, 1<<60, -1<<60), tile.At(2000, 5<<40, 3<<40), tile.At(-4000, -1<<40, -1<<40)} {
		place := at(t, home)
		w := &world{rng: rand.New(rand.NewPCG(9, 9)), place: place}
		var entries []*wire.Entry
		for range 40 {
			entries = append(entries, w.entry(t))
		}
		var ids []tile.ID
		for _, d := range []int{0, 1, 3, 8, 20} {
			ids = append(ids, place(d, int64(1)<<d/2, int64(1)<<d/3))
		}
		got := fromNothing(t, entries, ids)
		if i == 0 {
			first = got
			continue
		}
		for k := range got {
			if !same(got[k], first[k]) {
				t.Errorf("cell %d at %v differs from the one at the root", k, home)
			}
		}
	}
}

func TestEmptyCellsAreFourBytesAndSayWhatIsBelow(t *testing.T) {
	c := canvas.New()
	draw := func(id tile.ID) (p cell.Picture) {
		if err := (source.Ink{Canvas: c}).Draw(t.Context(), id, new(cell.Scratch), func(q cell.Picture) { p = q }); err != nil {
			t.Fatal(err)
		}
		return p
	}
	blank := cell.Picture{Data: []byte{0, 0, 0, 0}}
	if got := draw(tile.At(0, 0, 0)); !same(got, blank) {
		t.Errorf("an empty canvas: %+v", got)
	}
	s, err := ink.New(tile.At(30, 5, 5), 1, 0x112233ff, []ink.Point{{X: 8000, Y: 8000, D: 3000}})
	if err != nil {
		t.Fatal(err)
	}
	op, err := proto.Marshal(&wire.Op{Session: make([]byte, 16), Number: 1, Body: &wire.Op_Stroke{Stroke: s.Wire()}})
	if err != nil {
		t.Fatal(err)
	}
	c.Apply(&wire.Entry{Person: make([]byte, 16), Op: op})
	blank.Version, blank.Below = 1, true
	if got := draw(tile.At(0, 0, 0)); !same(got, blank) {
		t.Errorf("a stroke 30 levels down: %+v", got)
	}
	if got := draw(tile.At(30, 5, 5)); got.Format != cell.FormatPNG || got.Below || got.Version != 1 {
		t.Errorf("the stroke itself: version %d, format %d, below %v", got.Version, got.Format, got.Below)
	}
	if got := draw(tile.At(0, 1, 0)); got.Version != 0 || got.Below {
		t.Errorf("the square beside it: version %d, below %v", got.Version, got.Below)
	}
}

func TestCancelledDrawingEmitsNothing(t *testing.T) {
	c := canvas.New()
	w := &world{rng: rand.New(rand.NewPCG(1, 1)), place: at(t, tile.At(0, 0, 0))}
	for range 20 {
		c.Apply(w.entry(t))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := (source.Ink{Canvas: c}).Draw(ctx, tile.At(0, 0, 0), new(cell.Scratch), func(cell.Picture) { t.Error("a picture nobody wants") })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestEveryKindHasOneRow(t *testing.T) {
	seen := map[cell.Kind]bool{}
	for _, k := range source.Kinds {
		if seen[k.Kind] {
			t.Errorf("two rows for %v", k.Kind)
		}
		seen[k.Kind] = true
	}
	if got := len(source.Of(canvas.New(), source.With{})); got != len(seen) {
		t.Errorf("%d sources for %d kinds", got, len(seen))
	}
}

func BenchmarkDrawDenseCell(b *testing.B) {
	c := canvas.New()
	w := &world{rng: rand.New(rand.NewPCG(1, 1)), place: at(b, tile.At(0, 0, 0))}
	for range 500 {
		c.Apply(w.entry(b))
	}
	s, ink := new(cell.Scratch), source.Ink{Canvas: c}
	b.ReportAllocs()
	for b.Loop() {
		if err := ink.Draw(b.Context(), tile.At(0, 0, 0), s, func(cell.Picture) {}); err != nil {
			b.Fatal(err)
		}
	}
}
