package room

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"fractal/canvas"
	"fractal/cell"
	"fractal/ink"
	"fractal/raster"
	"fractal/tile"
	"fractal/wire"
)

// scribble is a stroke of many points within a tile, to and fro from top to bottom.
func scribble(rng *rand.Rand, home tile.ID, points int) *ink.Stroke {
	pts := make([]ink.Point, points)
	for i := range pts {
		pts[i] = ink.Point{X: int64(i%2)<<13 + rng.Int64N(1<<13), Y: int64(i) << 14 / int64(points), D: 16}
	}
	s, err := ink.New(home, 4, rng.Uint32()|0x80, pts)
	if err != nil {
		panic(err)
	}
	return s
}

// equalsPictures compares each image the page holds with the cell drawn from nothing.
func (p *page) equalsPictures() {
	p.t.Helper()
	painter, img := ink.NewPainter(), new(raster.Image)
	for _, w := range p.view.Wants {
		n, h := w.Id, p.squares[w.Id]
		if h.version == 0 {
			continue
		}
		id := p.tiles[n]
		var strokes []*ink.Stroke
		for _, it := range p.room.canvas.CellSnapshot(id).Items {
			if it.Seq <= canvas.Seq(h.version) {
				strokes = append(strokes, it.Stroke)
			}
		}
		painter.Cell(img, id, strokes)
		format, data := cell.Encode(nil, img)
		if h.image.GetFormat() != uint32(format) || !bytes.Equal(h.image.GetData(), data) {
			p.t.Fatalf("square %v: its image of %d is not the cell drawn from nothing", id, h.version)
		}
	}
}

func TestHeavySquareArrivesAsAnImageAndGoesOnAsStrokes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := cell.NewPool(2, 1<<20)
		defer pool.Close()
		r := open(t, Config{Pool: pool})
		defer closeRoom(t, r)
		a, b := join(t, r, "a"), join(t, r, "b")
		rng := rand.New(rand.NewPCG(4, 4))
		home := tile.At(0, 0, 0)
		for range 10 {
			b.op(scribble(rng, home, 1000))
		}
		synctest.Wait()
		a.look(home, tile.At(0, 5, 5))
		a.settle()
		if h := a.squares[1]; h.version != 10 || len(h.pieces) != 0 {
			t.Fatalf("got image of %d and %d strokes", h.version, len(h.pieces))
		}
		if h := a.squares[2]; h == nil || h.version != 0 {
			t.Fatalf("the empty square: %+v", h)
		}
		images := a.images
		b.op(line(home, 10, 10, 99, 99))
		a.settle()
		if h := a.squares[1]; h.version != 10 || len(h.pieces) != 1 || a.images != images {
			t.Fatalf("after one more: image of %d and %d strokes", h.version, len(h.pieces))
		}
		for range 40 { // so much on top that a newer image is baked
			b.op(scribble(rng, home, 1000))
		}
		a.settle()
		if h := a.squares[1]; h.version <= 10 || a.images == images {
			t.Fatalf("after much more: image of %d and %d strokes", h.version, len(h.pieces))
		}
		for range 3 { // hides what is in the image
			b.op(&wire.Undo{})
		}
		a.settle()
		a.equalsTruth()
		a.equalsPictures()
	})
}

// holdUp keeps the one slot of a pool from drawing until release is called.
func holdUp(t *testing.T, pool *cell.Pool) (release func()) {
	let, held := make(chan struct{}), make(chan struct{})
	go func() { // ends with release
		if err := pool.Do(context.Background(), func() { close(held); <-let }); err != nil {
			t.Error(err)
		}
	}()
	<-held
	return func() { close(let) }
}

// TestStrokeIsDryWhileAStandInWaits holds the drawing of cells up, as a flood does: what is on the screen is complete all the same,
// and nobody's stroke stays wet for a square that only stands in for others.
func TestStrokeIsDryWhileAStandInWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := cell.NewPool(1, 1<<20)
		defer pool.Close()
		r := open(t, Config{Pool: pool})
		defer closeRoom(t, r)
		a, b := join(t, r, "a"), join(t, r, "b")
		rng := rand.New(rand.NewPCG(5, 5))
		for x := range int64(10) {
			b.op(scribble(rng, tile.At(3, x%4, 4+x%3), 1000))
		}
		synctest.Wait()
		release := holdUp(t, pool)
		a.shown = 1
		a.look(tile.At(3, 0, 0), tile.At(0, 0, 0)) // the second holds all the scribbles
		n := a.op(line(tile.At(3, 0, 0), 10, 10, 99, 99))
		for range 10 {
			synctest.Wait()
			a.read()
			a.pull(1 << 20)
		}
		if a.acks[n] == 0 || a.end.GetThrough() < a.acks[n] || a.end.GetSettled() {
			t.Fatalf("acked as %d, the cycle is complete through %d, settled %v; want it complete and not settled", a.acks[n], a.end.GetThrough(), a.end.GetSettled())
		}
		release()
		a.settle()
		a.equalsTruth()
		a.equalsPictures()
	})
}

// TestFallenBehindCatchesUpWhereNoPictureIsFastEnough stops a page for so long that what it lacks of a heavy square is more than one
// cycle brings, while pictures wait: pull by pull it must come nearer all the same.
func TestFallenBehindCatchesUpWhereNoPictureIsFastEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := cell.NewPool(1, 1<<20)
		defer pool.Close()
		r := open(t, Config{Pool: pool})
		defer closeRoom(t, r)
		a, b := join(t, r, "a"), join(t, r, "b")
		rng := rand.New(rand.NewPCG(6, 6))
		home := tile.At(0, 0, 0)
		for range 10 {
			b.op(scribble(rng, home, 1000))
		}
		synctest.Wait()
		a.look(home)
		a.settle()
		if a.squares[1].version != 10 {
			t.Fatalf("got an image of %d", a.squares[1].version)
		}
		release := holdUp(t, pool)
		for range 90 {
			b.op(scribble(rng, home, 1000))
		}
		synctest.Wait()
		cycles, before := 0, uint64(0)
		for ; a.end.GetThrough() < uint64(r.canvas.Seq()); cycles++ {
			a.pull(1 << 20)
			synctest.Wait()
			if a.read(); a.end.GetThrough() <= before || cycles > 10 {
				t.Fatalf("cycle %d: complete through %d of %d", cycles, a.end.GetThrough(), r.canvas.Seq())
			}
			before = a.end.GetThrough()
		}
		if cycles < 3 {
			t.Errorf("it took %d cycles: this shows nothing", cycles)
		}
		a.equalsTruth()
		release()
		a.settle()
		a.equalsTruth()
		a.equalsPictures()
	})
}

// TestStrokeMuchCoarserThanTheSquareIsAnImage looks at a stroke from far below, where no piece can travel.
func TestStrokeMuchCoarserThanTheSquareIsAnImage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := cell.NewPool(1, 1<<20)
		defer pool.Close()
		r := open(t, Config{Pool: pool})
		defer closeRoom(t, r)
		a := join(t, r, "a")
		deep := tile.At(0, 0, 0)
		for range 20 {
			deep = deep.Child(0) // the corner at (0, 0)
		}
		a.look(deep)
		a.settle()
		a.op(line(tile.At(0, 0, 0), -10, -10, 20, 20))
		a.settle()
		if h := a.squares[1]; h.version != 1 || h.image == nil {
			t.Fatalf("got %+v", h)
		}
		a.equalsPictures()
		a.op(&wire.Undo{})
		a.settle()
		if h := a.squares[1]; len(h.pieces) != 0 || h.image != nil && !bytes.Equal(h.image.Data, make([]byte, 4)) {
			t.Fatalf("after undo: %+v", h)
		}
	})
}

// TestPagesConvergeWithPictures is TestPagesConverge where squares are heavy.
func TestPagesConvergeWithPictures(t *testing.T) {
	for seed := range uint64(3) {
		synctest.Test(t, func(t *testing.T) {
			t.Logf("seed %d", seed)
			rng := rand.New(rand.NewPCG(seed, 2))
			pool := cell.NewPool(2, 200<<10) // too small for all of them
			defer pool.Close()
			r := open(t, Config{Pool: pool})
			defer closeRoom(t, r)
			pages := []*page{join(t, r, "a"), join(t, r, "b")}
			for _, p := range pages {
				p.look(grid(0, 0, 0, 2)...)
			}
			for range 90 {
				p := pages[rng.IntN(len(pages))]
				p.read()
				switch k := rng.IntN(20); {
				case k < 8:
					p.op(scribble(rng, tile.At(0, rng.Int64N(2), rng.Int64N(2)), 1+rng.IntN(2500)))
				case k < 10:
					p.op(&wire.Undo{})
				case k < 11:
					p.op(&wire.Redo{})
				case k < 15:
					if p.end.GetCycle() >= p.painted {
						p.pull(uint32(rng.IntN(60000)))
					}
				case k < 17:
					p.look(grid(rng.IntN(2), rng.Int64N(2), rng.Int64N(2), 2)...)
				case k < 18:
					p.v.Leave()
					p.read()
					p.connect(r)
					p.look(grid(0, 0, 0, 2)...)
				default:
					synctest.Wait()
				}
			}
			for _, p := range pages {
				p.settle()
				p.equalsTruth()
				p.equalsPictures()
			}
			if pages[0].images+pages[1].images == 0 {
				t.Error("no image was sent: the test shows nothing")
			}
		})
	}
}
