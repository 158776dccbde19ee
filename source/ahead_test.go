package source

import (
	"context"
	"math/big"
	"reflect"
	"testing"

	"fractal/canvas"
	"fractal/mandel"
	"fractal/tile"
	"fractal/wire"
)

// TestWhatIsMadeAheadIsWhatCellsAsFor makes orbit and tables of an anchor while nobody waits: the cells below it find all of them,
// and they are those that are made on demand.
func TestWhatIsMadeAheadIsWhatCellsAskFor(t *testing.T) {
	p, err := canvas.NewPlace(&wire.Place{
		Home: &wire.Tile{}, Box: &wire.Box{MaxX: tile.Units, MaxY: tile.Units},
		Re: &wire.Dyadic{Mantissa: []byte{0xf5}, Exp: -2}, Im: &wire.Dyadic{Mantissa: []byte{2}}, Unit: -12,
	})
	if err != nil {
		t.Fatal(err)
	}
	id, _, _, err := Shows(p, mandel.NewFixed(big.NewInt(-1), 0), mandel.Fixed{}, 70)
	if err != nil {
		t.Fatal(err)
	}
	v := lookAt(p, id)
	next, ok := v.ahead()
	if !ok {
		t.Fatal("nothing lies ahead")
	}
	const limit = 1 << 14
	ahead, asked := newStore(200<<20), newStore(200<<20)
	ahead.soon(v, limit)
	for n := 0; ahead.piece(); n++ {
		if n > 1000 {
			t.Fatal("a thousand pieces do not make an orbit of 16,384 steps and its tables")
		}
	}
	first, ok := next.Shift(refAbove, 0, 0)
	if !ok {
		t.Fatal("no cell below the anchor")
	}
	below := lookAt(p, first)
	if below.anchor() != next {
		t.Fatalf("the reference of %v is that of %v, not %v", below.id, below.anchor(), next)
	}
	key := orbitKey{p.Map(), next}
	for n := below.rule.First(below.grid.Pitch); n <= limit; n *= 2 {
		k := ahead.item(refKey{key, ahead.item(key).steps(below, n)})
		if k.ref == nil {
			t.Fatalf("no table for the limit %d", n)
		}
		got, err := ahead.get(context.Background(), below, n)
		if err != nil || got != k.ref {
			t.Fatalf("limit %d: a cell gets another reference than what was made ahead (%v)", n, err)
		}
		want, err := asked.get(context.Background(), below, n)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Table, want.Table) {
			t.Errorf("limit %d: what is made ahead is not what is made on demand", n)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := asked.get(ctx, below, 2*limit); err == nil {
		t.Error("a cancelled cell got its reference")
	}
}
