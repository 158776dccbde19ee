package room

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"fractal/journal/memory"
	"fractal/tile"
	"fractal/wire"
)

func TestStrokeIsAckedAndShownToBoth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		a, b := join(t, r, "a"), join(t, r, "b")
		a.look(grid(0, 0, 0, 2)...)
		b.look(grid(1, 0, 0, 2)...)
		a.settle()
		b.settle()
		n := a.op(line(tile.At(0, 0, 0), 10, 10, 200, 200))
		synctest.Wait()
		a.read()
		if a.acks[n] != 1 {
			t.Fatalf("acks: %v", a.acks)
		}
		a.settle()
		b.settle()
		a.equalsTruth()
		b.equalsTruth()
		if len(b.squares[1].pieces) != 1 {
			t.Fatal("b does not see the stroke")
		}
		if !a.state.CanUndo || b.state.CanUndo {
			t.Fatalf("undo: a %v, b %v", a.state.CanUndo, b.state.CanUndo)
		}
	})
}

// TestPagesConverge has pages draw, undo and pull at random, look elsewhere and come back over new sockets; whenever one is
// settled it must hold exactly what the canvas is.
func TestPagesConverge(t *testing.T) {
	for seed := range uint64(6) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			t.Logf("seed %d", seed)
			r := open(t, Config{})
			defer closeRoom(t, r)
			pages := []*page{join(t, r, "a"), join(t, r, "b"), join(t, r, "c")}
			for _, p := range pages {
				p.look(grid(rng.IntN(3), 0, 0, 3)...)
			}
			for range 400 {
				p := pages[rng.IntN(len(pages))]
				p.read()
				switch k := rng.IntN(20); {
				case k < 9:
					p.op(randomStroke(rng))
				case k < 11:
					p.op(&wire.Undo{})
				case k < 12:
					p.op(&wire.Redo{})
				case k < 15:
					if p.end.GetCycle() >= p.painted {
						p.pull(uint32(rng.IntN(3000)))
					}
				case k < 17:
					p.look(grid(rng.IntN(4), rng.Int64N(2), rng.Int64N(2), 3)...)
				case k < 18:
					p.v.Leave()
					p.read()
					p.connect(r)
					p.look(grid(0, 0, 0, 2)...)
				case k < 19:
					p.settle()
					p.equalsTruth()
				default:
					synctest.Wait()
				}
			}
			for _, p := range pages {
				p.settle()
				p.equalsTruth()
			}
		})
	}
}

func TestPullWithNothingOwedIsAnsweredByTheNextChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		a, b := join(t, r, "a"), join(t, r, "b")
		b.look(tile.At(0, 0, 0))
		b.settle()
		b.pull(1 << 20)
		synctest.Wait()
		if n := b.read(); n != 0 {
			t.Fatalf("%d cycles without news", n)
		}
		a.op(line(tile.At(0, 9, 9), 10, 10, 20, 20)) // elsewhere
		synctest.Wait()
		if n := b.read(); n != 0 {
			t.Fatal("a change outside its view woke the page")
		}
		a.op(line(tile.At(0, 0, 0), 10, 10, 20, 20))
		synctest.Wait()
		if n := b.read(); n != 1 || b.end.Through != 2 || !b.end.Settled {
			t.Fatalf("%d cycles, %v", n, b.end)
		}
		a.op(line(tile.At(0, 0, 0), 10, 10, 20, 20))
		synctest.Wait()
		if n := b.read(); n != 0 {
			t.Fatal("a cycle without a pull")
		}
		b.pull(1 << 20)
		synctest.Wait()
		if n := b.read(); n != 1 {
			t.Fatal("the pull was not answered")
		}
		b.equalsTruth()
	})
}

func TestAcksNeedNoPull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		a := join(t, r, "a")
		for range 300 {
			a.op(line(tile.At(0, 0, 0), 1, 1, 2, 2))
		}
		synctest.Wait()
		if n := a.read(); n != 0 || len(a.acks) != 300 {
			t.Fatalf("%d cycles, %d acks", n, len(a.acks))
		}
	})
}

// TestOpsThatWaitTogetherShareARecord holds the first append until 299 more ops wait: they fit one record.
func TestOpsThatWaitTogetherShareARecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &stuck{Journal: memory.New(), release: make(chan struct{})}
		r := open(t, Config{Journal: j})
		defer closeRoom(t, r)
		a := join(t, r, "a")
		a.op(dot())
		synctest.Wait() // it is on its way
		for range 299 {
			a.op(dot())
		}
		close(j.release)
		synctest.Wait()
		a.read()
		if n := r.Stats().Records; n != 2 || len(a.acks) != 300 {
			t.Errorf("%d records, %d acks", n, len(a.acks))
		}
	})
}

func TestHiddenViewerIsSentNothingButAcks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		a, b := join(t, r, "a"), join(t, r, "b")
		a.look(tile.At(0, 0, 0))
		a.settle()
		a.pull(1 << 20)
		a.hide(true)
		synctest.Wait()
		a.read()
		before := a.frames
		for range 20 {
			b.op(line(tile.At(0, 0, 0), 1, 1, 90, 90))
		}
		synctest.Wait()
		if a.frames != before {
			t.Fatalf("%d frames for a hidden page", a.frames-before)
		}
		a.op(line(tile.At(0, 0, 0), 1, 1, 90, 90))
		synctest.Wait()
		a.read()
		if a.frames != before+1 || len(a.acks) != 1 {
			t.Fatalf("%d frames, %d acks", a.frames-before, len(a.acks))
		}
		a.hide(false) // its pull is still armed
		synctest.Wait()
		if a.read() != 1 {
			t.Fatal("nothing came when the page was shown again")
		}
		a.settle()
		a.equalsTruth()
	})
}

// TestViewerThatNeverPullsOwesItsView floods a viewer that does not pull. What is kept for it must not grow, and who pulls beside it is
// served all the while.
func TestViewerThatNeverPullsOwesItsView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		a, b, healthy := join(t, r, "a"), join(t, r, "b"), join(t, r, "healthy")
		a.look(grid(0, 0, 0, 4)...)
		a.settle()
		healthy.look(grid(0, 0, 0, 4)...)
		healthy.settle()
		rng := rand.New(rand.NewPCG(1, 1))
		before := a.frames
		for i := range 3 * maxNews {
			b.op(randomStroke(rng))
			a.handle(&wire.ClientMessage{Kind: &wire.ClientMessage_View{View: a.view}})
			b.handle(&wire.ClientMessage{Kind: &wire.ClientMessage_Cursor{Cursor: &wire.CursorIn{Tile: &wire.Tile{}, X: int64(i)}}})
			if i%8 == 0 {
				synctest.Wait()
				healthy.pull(1 << 20)
				synctest.Wait()
				if healthy.read(); healthy.end.GetThrough() < uint64(r.canvas.Seq()) {
					t.Fatalf("the healthy page is complete through %d of %d", healthy.end.GetThrough(), r.canvas.Seq())
				}
			}
			if i%200 == 0 {
				b.read()
			}
		}
		synctest.Wait()
		if a.frames != before {
			t.Fatalf("%d frames for a page that does not pull", a.frames-before)
		}
		if n := len(r.news.ring); n > maxNews {
			t.Errorf("the room remembers %d changes", n)
		}
		d := &a.v.debt
		if n := len(d.flight) + len(d.wants) + len(d.wets) + len(a.v.inbox.fresh) + cap(d.bulletin); n > 200 {
			t.Errorf("%d things are kept for it", n)
		}
		a.pull(1 << 20)
		a.settle()
		a.equalsTruth()
		if n := r.Stats().Resyncs; n != 1 {
			t.Errorf("%d resyncs, want one: of the page that did not pull", n)
		}
		healthy.settle()
		healthy.equalsTruth()
	})
}

// TestLocksAreTakenOnceACycle counts: nothing in a cycle may take a lock by square.
func TestLocksAreTakenOnceACycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		a, b := join(t, r, "a"), join(t, r, "b")
		rng := rand.New(rand.NewPCG(2, 2))
		a.look(grid(2, 0, 0, 8)...)
		for range 30 {
			for range 20 {
				b.op(randomStroke(rng))
			}
			synctest.Wait()
			a.pull(1 << 20)
			synctest.Wait()
			a.read()
		}
		s := r.Stats()
		if s.Cycles < 20 || s.StrokeSquares < 100 {
			t.Fatalf("too little happened: %+v", s)
		}
		for name, n := range map[string]uint64{"news": s.NewsLocks, "crowd": s.CrowdLocks, "canvas": s.CanvasLocks, "pieces": (s.PieceLocks + 1) / 2} {
			if n > s.Attempts {
				t.Errorf("%d acquisitions of the %s lock in %d attempts", n, name, s.Attempts)
			}
		}
	})
}

func TestCreditIsRespectedAndOneItemAlwaysSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		a, b := join(t, r, "a"), join(t, r, "b")
		rng := rand.New(rand.NewPCG(3, 3))
		for range 300 {
			b.op(randomStroke(rng))
		}
		synctest.Wait()
		tiles := grid(1, 0, 0, 5)
		a.look(tiles...)
		var order []tile.ID
		for {
			a.pull(0)
			synctest.Wait()
			have := len(a.squares)
			if a.read() != 1 {
				t.Fatal("no cycle")
			}
			if len(a.squares) != have+1 {
				t.Fatalf("%d squares in a cycle without credit", len(a.squares)-have)
			}
			for id := range a.squares {
				if !slices.Contains(order, a.tiles[id]) {
					order = append(order, a.tiles[id])
				}
			}
			if a.end.Settled {
				break
			}
			if a.end.Through != 0 {
				t.Fatalf("complete through %d before every square was sent", a.end.Through)
			}
		}
		if !slices.Equal(order, tiles) {
			t.Errorf("sent in the order %v, needed in %v", order, tiles)
		}
		a.equalsTruth()
	})
}
