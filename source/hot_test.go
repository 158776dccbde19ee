package source_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"fractal/canvas"
	"fractal/cell"
	"fractal/ink"
	"fractal/source"
	"fractal/tile"
	"fractal/wire"
)

// TestHotCellGivesTheSameAsARedraw changes a heavy cell again and again: what is painted on top of the image kept, and what is
// painted anew because something was hidden or shown, is what a canvas that never kept any paints.
func TestHotCellGivesTheSameAsARedraw(t *testing.T) {
	id := tile.At(0, 0, 0)
	rng := rand.New(rand.NewPCG(16, 61))
	c := canvas.New()
	var entries []*wire.Entry
	number := uint64(0)
	apply := func(op *wire.Op) {
		number++
		op.Session, op.Number = make([]byte, 16), number
		b, err := proto.Marshal(op)
		if err != nil {
			t.Fatal(err)
		}
		e := &wire.Entry{Person: make([]byte, 16), Op: b}
		entries = append(entries, e)
		c.Apply(e)
	}
	draw := func() {
		pts := make([]ink.Point, 4)
		for i := range pts {
			pts[i] = ink.Point{X: rng.Int64N(tile.Units), Y: rng.Int64N(tile.Units), D: 1 + rng.Int32N(900)}
		}
		s, err := ink.New(id, ink.BrushID(1+rng.IntN(4)), rng.Uint32()|0x20, pts)
		if err != nil {
			t.Fatal(err)
		}
		apply(&wire.Op{Body: &wire.Op_Stroke{Stroke: s.Wire()}})
	}
	for range 300 {
		draw()
	}
	var scratch, other cell.Scratch
	last := func(c *canvas.Canvas, s *cell.Scratch) (last cell.Picture) {
		if err := (source.Ink{Canvas: c}).Draw(context.Background(), id, s, func(p cell.Picture) { last = p }); err != nil {
			t.Fatal(err)
		}
		return last
	}
	last(c, &scratch)
	last(c, &scratch)
	if n := source.HotStrokes(c, id); n < 256 {
		t.Fatalf("drawn twice, %d strokes are kept", n)
	}
	for step := range 16 {
		switch {
		case step%5 == 3:
			apply(&wire.Op{Body: &wire.Op_Undo{Undo: &wire.Undo{}}})
		case step%5 == 4:
			apply(&wire.Op{Body: &wire.Op_Redo{Redo: &wire.Redo{}}})
		default:
			for range 1 + rng.IntN(3) {
				draw()
			}
		}
		got := last(c, &scratch)
		cold := canvas.New()
		for _, e := range entries {
			cold.Apply(e)
		}
		want := last(cold, &other)
		if source.HotStrokes(cold, id) != 0 {
			t.Fatal("a cell drawn once is kept")
		}
		if got.Version != want.Version || got.Format != want.Format || !bytes.Equal(got.Data, want.Data) {
			t.Fatalf("step %d: not what a redraw gives", step)
		}
		if n, all := source.HotStrokes(c, id), len(c.CellSnapshot(id).Items); n != all {
			t.Fatalf("step %d: %d strokes of %d are kept", step, n, all)
		}
	}
}
