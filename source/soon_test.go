package source_test

import (
	"math/rand/v2"
	"testing"

	"fractal/canvas"
	"fractal/cell"
	"fractal/source"
	"fractal/tile"
)

// fresh is a canvas of many strokes none of which is prepared, and the tile they are on.
func fresh(t testing.TB, seed uint64) (*canvas.Canvas, tile.ID) {
	home := tile.At(0, 0, 0)
	w := &world{rng: rand.New(rand.NewPCG(seed, 5)), place: at(t, home)}
	c := canvas.New()
	for range 2500 {
		c.Apply(w.entry(t))
	}
	return c, home
}

func TestUnpreparedCellComesProvisionalFirstAndThenAsEver(t *testing.T) {
	c, id := fresh(t, 1)
	var got []cell.Picture
	draw := func(c *canvas.Canvas) {
		if err := (source.Ink{Canvas: c}).Draw(t.Context(), id, new(cell.Scratch), func(p cell.Picture) { got = append(got, p) }); err != nil {
			t.Fatal(err)
		}
	}
	draw(c)
	if len(got) != 2 || !got[0].Provisional || got[1].Provisional || got[0].Version != got[1].Version {
		t.Fatalf("%d pictures, want a provisional and a settled one of one version", len(got))
	}
	draw(c)
	if len(got) != 3 || !same(got[1], got[2]) {
		t.Fatalf("%d pictures, want one more, of the same bytes", len(got))
	}
	again, _ := fresh(t, 1)
	s := new(cell.Scratch)
	for p := source.NewPreparer(again); p.Piece(s); {
	}
	draw(again)
	if len(got) != 4 || !same(got[1], got[3]) {
		t.Errorf("%d pictures; prepared when nobody waited it has other bytes, or is provisional", len(got))
	}
}

func TestProvisionalCellsAreSettledInThePool(t *testing.T) {
	c, id := fresh(t, 2)
	pool := cell.NewPool(1, 1<<20)
	defer pool.Close()
	ready := make(chan cell.Key, 64)
	cells := pool.Room(source.Of(c, source.With{}), func(k cell.Key) { ready <- k })
	want := map[cell.Key]bool{}
	var wants []cell.Want
	for _, up := range []int{0, 3, 6} {
		k := cell.Key{Kind: cell.KindInk, ID: id.Ancestor(-up)}
		wants = append(wants, cell.Want{Key: k, Least: uint64(c.Version(k.ID))})
		want[k] = true
	}
	cells.Want(1, wants)
	drafts := 0
	for len(want) > 0 {
		k := <-ready
		p, ok := cells.Newest(k)
		switch {
		case !ok:
			t.Fatalf("nothing of %v", k)
		case p.Provisional:
			drafts++
		default:
			delete(want, k)
		}
	}
	if s := pool.Stats(); s.Drafts == 0 || s.Drawn != 3 {
		t.Errorf("%d drafts, %d drawn", s.Drafts, s.Drawn)
	}
	if drafts == 0 {
		t.Error("no provisional picture could be fetched")
	}
}
