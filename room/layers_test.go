package room

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"fractal/cell"
	"fractal/source"
	"fractal/tile"
	"fractal/wire"
)

func wholeSet(offset uint32) *wire.Place {
	return &wire.Place{
		Home: &wire.Tile{}, Box: &wire.Box{MaxX: tile.Units, MaxY: tile.Units},
		Re: &wire.Dyadic{Mantissa: []byte{0xf5}, Exp: -2}, Im: &wire.Dyadic{Mantissa: []byte{2}}, Unit: -12,
		Palette: &wire.Palette{Colors: []byte{0, 0, 99, 255, 255, 255}, Inside: 0xff, Offset: offset},
	}
}

// equalsPlaces compares each layer the page holds with the cell drawn from nothing.
func (p *page) equalsPlaces() {
	p.t.Helper()
	for _, w := range p.view.Wants {
		id, l := p.tiles[w.Id], p.layers[w.Id]
		var want cell.Picture
		source.Mandel{Canvas: p.room.canvas}.Draw(context.Background(), id, new(cell.Scratch), func(c cell.Picture) { want = c })
		if l == nil || l.Version == 0 {
			if want.Version != 0 {
				p.t.Fatalf("square %v: no layer came, want version %d", id, want.Version)
			}
			continue
		}
		if l.Version != want.Version || l.Provisional || l.Image.GetFormat() != uint32(want.Format) || !bytes.Equal(l.Image.GetData(), want.Data) {
			p.t.Fatalf("square %v: its layer of version %d (provisional %v) is not the cell of version %d drawn from nothing", id, l.Version, l.Provisional, want.Version)
		}
	}
}

func TestPlacesArriveBeneathTheInk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := cell.NewPool(2, 4<<20)
		defer pool.Close()
		r := open(t, Config{Pool: pool})
		defer closeRoom(t, r)
		a, b := join(t, r, "a"), join(t, r, "b")
		view := []tile.ID{tile.At(1, 0, 0), tile.At(1, 1, 1), tile.At(2, 5, 0), tile.At(7, 70, 60)}
		a.look(view...)
		a.settle()
		if a.layered != 0 {
			t.Fatalf("%d layers of an empty canvas", a.layered)
		}
		b.op(wholeSet(0))
		a.settle()
		a.equalsPlaces()
		if a.layered == 0 {
			t.Fatal("no layer came")
		}

		// A stroke above does not send the set again.
		before := a.layered
		b.op(scribble(rand.New(rand.NewPCG(1, 1)), tile.At(1, 0, 0), 20))
		a.settle()
		a.equalsTruth()
		if a.layered != before {
			t.Fatalf("a stroke brought %d layers", a.layered-before)
		}

		// Who comes back with all of it is sent nothing of it.
		a.v.Leave()
		a.connect(r)
		a.look(view...)
		a.settle()
		if a.layered != before {
			t.Fatalf("coming back brought %d layers", a.layered-before)
		}

		b.op(wholeSet(30000))
		a.settle()
		a.equalsPlaces()
		b.op(&wire.Undo{})
		b.op(&wire.Undo{}) // the stroke
		a.settle()
		a.equalsPlaces()
		b.op(&wire.Undo{})
		a.settle()
		a.equalsPlaces()

		n := b.op(&wire.Place{})
		synctest.Wait()
		b.read()
		if rej := b.rejects[n]; rej == nil || !strings.Contains(rej.Reason, "where it is") {
			t.Fatalf("a place of nothing: %v", rej)
		}
	})
}
