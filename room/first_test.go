package room

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"fractal/cell"
	"fractal/tile"
)

func TestFirstLookGivesThePicturesASeatWillBeSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := cell.NewPool(2, 1<<20)
		defer pool.Close()
		r := open(t, Config{Pool: pool})
		defer closeRoom(t, r)
		a, b := join(t, r, "a"), join(t, r, "b")
		rng := rand.New(rand.NewPCG(7, 7))
		ids := []tile.ID{tile.At(0, 0, 0), tile.At(0, 5, 5), tile.At(0, 9, 9)}
		for range 10 {
			b.op(scribble(rng, ids[0], 1000))
			b.op(scribble(rng, ids[2], 1000))
		}
		b.op(line(ids[1], 10, 10, 99, 99)) // travels as a stroke
		synctest.Wait()
		given := map[int]cell.Picture{}
		paper := uint32(0)
		if err := r.First(t.Context(), ids, func(p uint32) { paper = p }, func(i int, p cell.Picture) { given[i] = p }); err != nil {
			t.Fatal(err)
		}
		if paper != r.canvas.Paper() || len(given) != 2 {
			t.Fatalf("paper %08x and %d pictures", paper, len(given))
		}
		a.look(ids...)
		a.settle()
		a.equalsPictures()
		for i, p := range given {
			h := a.squares[uint32(i+1)]
			if h.version != p.Version || h.image.GetFormat() != uint32(p.Format) || !bytes.Equal(h.image.GetData(), p.Data) {
				t.Errorf("square %v: the first look had version %d, the seat has %d", ids[i], p.Version, h.version)
			}
		}
		if drawn := pool.Stats().Drawn; drawn != 2 {
			t.Errorf("%d cells were drawn for 2", drawn)
		}
	})
}

func TestFirstLookThatEndsIsWantedNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := cell.NewPool(1, 1<<20)
		defer pool.Close()
		r := open(t, Config{Pool: pool})
		b := join(t, r, "b")
		rng := rand.New(rand.NewPCG(8, 8))
		ids := []tile.ID{tile.At(0, 0, 0)}
		for range 10 {
			b.op(scribble(rng, ids[0], 1000))
		}
		synctest.Wait()
		release := holdUp(t, pool)
		ctx, leave := context.WithCancel(t.Context())
		ended := make(chan error, 2)
		for _, c := range []context.Context{ctx, t.Context()} {
			go func() { // ends with its look
				ended <- r.First(c, ids, func(uint32) {}, func(int, cell.Picture) { t.Error("a picture of a pool that draws nothing") })
			}()
		}
		synctest.Wait()
		leave()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("who left: %v", err)
		}
		closeRoom(t, r)
		if err := <-ended; !errors.Is(err, ErrClosed) {
			t.Errorf("a room that closed: %v", err)
		}
		release()
		synctest.Wait()
		if drawn := pool.Stats().Drawn; drawn != 0 {
			t.Errorf("%d cells were drawn for nobody", drawn)
		}
	})
}

func TestFirstLookLeavesToThePageWhatHasToBePutTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := cell.NewPool(1, 1<<20)
		defer pool.Close()
		r := open(t, Config{Pool: pool})
		defer closeRoom(t, r)
		b := join(t, r, "b")
		rng := rand.New(rand.NewPCG(9, 9))
		ids := []tile.ID{tile.At(0, 0, 0)}
		for range 10 {
			b.op(scribble(rng, ids[0], 1000))
		}
		b.op(wholeSet(0))
		synctest.Wait()
		paper := uint32(1)
		if err := r.First(t.Context(), ids, func(p uint32) { paper = p }, func(int, cell.Picture) { t.Error("a picture") }); err != nil || paper != 0 {
			t.Errorf("paper %08x, %v", paper, err)
		}
	})
}
