package source_test

import (
	"testing"

	"fractal/canvas"
	"fractal/cell"
	"fractal/source"
	"fractal/tile"
)

func TestOutlinesAreKeptBetweenOpenings(t *testing.T) {
	c := newCrowd(t, 9, 600)
	draw := func(c *canvas.Canvas) (p cell.Picture) {
		if err := (source.Ink{Canvas: c}).Draw(t.Context(), tile.At(7, -3, 40), new(cell.Scratch), func(q cell.Picture) { p = q }); err != nil {
			t.Fatal(err)
		}
		return p
	}
	want := draw(c.Canvas)
	dir := t.TempDir()
	h := shelf(t, dir)
	source.KeepOutlines(c.Canvas, h, 0)
	again := func() *canvas.Canvas {
		r, err := canvas.Restore(c.Checkpoint())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := again()
	h.Stamp([16]byte{}, 0)
	h = shelf(t, dir)
	n := source.TakeOutlines(r, h)
	if n < 500 {
		t.Errorf("outlines of %d of 600 strokes came back", n)
	}
	if got := draw(r); !same(got, want) {
		t.Error("pixels differ")
	}
	before := h.ReadFile("outlines")
	h.WriteFile("outlines", nil)
	if source.KeepOutlines(r, h, n); len(h.ReadFile("outlines")) > 0 {
		t.Error("it is written although there is nothing new")
	}
	for i := 0; i < len(before); i += len(before) / 50 {
		bad := append([]byte{}, before...)
		bad[i] ^= 4
		h.WriteFile("outlines", bad)
		if n := source.TakeOutlines(again(), h); n > 0 {
			t.Fatalf("outlines of %d strokes are taken from a file damaged at %d", n, i)
		}
	}
	// Another drawing of the same name takes none of them.
	other := newCrowd(t, 10, 600)
	h.WriteFile("outlines", before)
	if n := source.TakeOutlines(other.Canvas, h); n > 0 {
		t.Errorf("outlines of %d strokes are taken by others", n)
	}
}
