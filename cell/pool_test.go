package cell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"fractal/tile"
)

func key(kind Kind, n int) Key { return Key{kind, tile.At(20, int64(n), 0)} }

// fake is a source whose drawings are what the test says.
type fake struct {
	draw func(ctx context.Context, id tile.ID, emit func(Picture)) error
}

func (f fake) Version(tile.ID) uint64 { return 0 }
func (f fake) Draw(ctx context.Context, id tile.ID, _ *Scratch, emit func(Picture)) error {
	return f.draw(ctx, id, emit)
}

func drawing(f func(ctx context.Context, id tile.ID, emit func(Picture)) error) Sources {
	return Sources{KindInk: fake{f}}
}

// hold occupies one slot until the function it returns is called.
func hold(t *testing.T, p *Pool) (release func()) {
	t.Helper()
	started, end := make(chan struct{}), make(chan struct{})
	go p.Do(t.Context(), func() { close(started); <-end })
	<-started
	return func() { close(end) }
}

// With one slot, and everything wanted before it is free, the order of drawings must be fair on every floor: whoever
// still has work gets a drawing before anybody beside them gets a second.
func TestEverybodyWithWorkIsServedBeforeAnybodyTwice(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			p := NewPool(1, 1<<20)
			defer p.Close()
			release := hold(t, p)
			type drawn struct {
				room, kind, viewer, rank int
			}
			var order []drawn
			total := 0
			for room := range 1 + rng.IntN(3) {
				sources := Sources{}
				who := map[Key]drawn{}
				for kind := 1; kind <= 2; kind++ {
					sources[Kind(kind)] = fake{func(_ context.Context, id tile.ID, emit func(Picture)) error {
						order = append(order, who[Key{Kind(kind), id}]) // one slot: no race
						emit(Picture{})
						return nil
					}}
				}
				c := p.Room(sources, func(Key) {})
				for viewer := range 1 + rng.IntN(3) {
					var wants []Want
					for range rng.IntN(30) { // a giant overview or a single cell
						total++
						kind := 1 + rng.IntN(2)
						w := Want{Key: key(Kind(kind), total), Rank: rng.IntN(10)}
						who[w.Key] = drawn{room, kind, viewer, w.Rank}
						wants = append(wants, w)
					}
					c.Want(uint64(viewer), wants)
				}
			}
			release()
			synctest.Wait()
			if len(order) != total {
				t.Fatalf("seed %d: %d drawings of %d wants", seed, len(order), total)
			}
			for _, floor := range []struct {
				name    string
				among   func(drawn) any // who shares
				between func(drawn) any // what
			}{
				{"room", func(drawn) any { return 0 }, func(d drawn) any { return d.room }},
				{"kind", func(d drawn) any { return d.room }, func(d drawn) any { return d.kind }},
				{"viewer", func(d drawn) any { return [2]int{d.room, d.kind} }, func(d drawn) any { return d.viewer }},
			} {
				for i, d := range order {
					seen := map[any]bool{}
					for k := i + 1; k < len(order); k++ {
						e := order[k]
						if floor.among(e) != floor.among(d) {
							continue
						}
						if floor.between(e) == floor.between(d) { // the next of the same: who was passed over?
							for _, later := range order[k:] {
								if o := floor.between(later); floor.among(later) == floor.among(d) && o != floor.between(d) && !seen[o] {
									t.Fatalf("seed %d: %s %v was served at %d and %d while %v waited", seed, floor.name, floor.between(d), i, k, o)
								}
							}
							break
						}
						seen[floor.between(e)] = true
					}
				}
			}
			last := map[[3]int]int{}
			for i, d := range order {
				of := [3]int{d.room, d.kind, d.viewer}
				if d.rank < last[of] {
					t.Fatalf("seed %d: drawing %d of %v has rank %d after rank %d", seed, i, of, d.rank, last[of])
				}
				last[of] = d.rank
			}
		})
	}
}

func TestSingleCellIsNextAmongAGiantOverview(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(1, 1<<20)
		defer p.Close()
		step := make(chan struct{})
		var order []tile.ID
		sources := drawing(func(_ context.Context, id tile.ID, emit func(Picture)) error {
			<-step
			order = append(order, id)
			emit(Picture{})
			return nil
		})
		c := p.Room(sources, func(Key) {})
		var overview []Want
		for n := range 500 {
			overview = append(overview, Want{Key: key(KindInk, n)})
		}
		c.Want(1, overview)
		for range 10 {
			step <- struct{}{}
		}
		synctest.Wait() // the eleventh is under way
		c.Want(2, []Want{{Key: key(KindInk, 9999), Rank: 1000}})
		c.Want(1, overview) // asking again wins no turn
		for range 3 {
			step <- struct{}{}
		}
		synctest.Wait()
		if at := slices.Index(order, key(KindInk, 9999).ID); at < 0 || at > 12 {
			t.Errorf("the single cell was drawn at %d", at)
		}
		c.Forget(1)
		step <- struct{}{} // the one under way
		synctest.Wait()
		if got := p.Stats(); got.Drawn != 14 || got.Drawing != 0 {
			t.Errorf("%d drawn, %d at work; nobody wants more than 14", got.Drawn, got.Drawing)
		}
	})
}

func TestWhatNobodyWantsAnyMoreIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(2, 1<<20)
		defer p.Close()
		var began, ended atomic.Int32
		c := p.Room(drawing(func(ctx context.Context, id tile.ID, emit func(Picture)) error {
			began.Add(1)
			emit(Picture{Version: 1, Provisional: true})
			<-ctx.Done()
			ended.Add(1)
			return ctx.Err()
		}), func(Key) {})
		c.Want(1, []Want{{Key: key(KindInk, 1)}, {Key: key(KindInk, 2)}, {Key: key(KindInk, 3)}})
		c.Want(2, []Want{{Key: key(KindInk, 1)}})
		synctest.Wait()
		if began.Load() != 2 {
			t.Fatalf("%d drawings began in 2 slots", began.Load())
		}
		if _, ok := c.Newest(key(KindInk, 1)); !ok {
			t.Error("no provisional picture while the settled one is drawn")
		}
		c.Want(1, []Want{{Key: key(KindInk, 4)}})
		synctest.Wait()
		// 1 is still wanted by viewer 2; 2 was cancelled; 3 was never begun; 4 took the slot of 2.
		if began.Load() != 3 || ended.Load() != 1 || p.Stats().Cancelled != 1 {
			t.Errorf("%d began, %d ended, %d cancelled; want 3, 1, 1", began.Load(), ended.Load(), p.Stats().Cancelled)
		}
		if _, ok := c.Newest(key(KindInk, 2)); ok {
			t.Error("a provisional picture outlives its drawing")
		}
		c.Forget(1)
		c.Forget(2)
		synctest.Wait()
		if s := p.Stats(); s.Drawing != 0 || s.Pictures != 0 || s.Bytes != 0 || s.Drawn != 0 {
			t.Errorf("left: %+v", s)
		}
		if len(c.viewers) != 0 || len(c.jobs) != 0 {
			t.Errorf("left: %d viewers, %d jobs", len(c.viewers), len(c.jobs))
		}
	})
}

func TestLaterVersionAskedWhileDrawingIsDrawnAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(4, 1<<20)
		defer p.Close()
		step := make(chan uint64)
		at := 0
		var ready []Key
		c := p.Room(drawing(func(_ context.Context, _ tile.ID, emit func(Picture)) error {
			if at++; at > 1 {
				t.Error("one key is drawn twice at once")
			}
			v := <-step
			at--
			emit(Picture{Version: v})
			return nil
		}), func(k Key) { ready = append(ready, k) })
		k := key(KindInk, 1)
		c.Want(1, []Want{{Key: k, Least: 5}})
		synctest.Wait()
		c.Want(1, []Want{{Key: k, Least: 7}})
		c.Want(2, []Want{{Key: k, Least: 5}})
		step <- 5
		synctest.Wait()
		if got, _ := c.Newest(k); got.Version != 5 || len(ready) != 1 {
			t.Errorf("version %d, ready %d times, want 5 once", got.Version, len(ready))
		}
		step <- 7
		synctest.Wait()
		if got, _ := c.Newest(k); got.Version != 7 || len(ready) != 2 {
			t.Errorf("version %d, ready %d times, want 7 twice", got.Version, len(ready))
		}
		c.Want(1, []Want{{Key: k, Least: 6}}) // there already
		c.Want(3, []Want{{Key: k, Least: 9}})
		synctest.Wait()
		// A tile that nothing touched stays at its version, whatever seq somebody asks for: no endless drawing.
		step <- 8
		synctest.Wait()
		if got, _ := c.Newest(k); got.Version != 8 || p.Stats().Drawing != 0 || len(c.jobs) != 0 {
			t.Errorf("version %d, %d at work", got.Version, p.Stats().Drawing)
		}
	})
}

func TestDraftNeverHidesOrBecomesASettledPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(1, 1<<20)
		defer p.Close()
		step := make(chan Picture)
		fail := errors.New("out of ink")
		c := p.Room(drawing(func(_ context.Context, _ tile.ID, emit func(Picture)) error {
			for {
				pic := <-step
				if pic.Data == nil {
					return fail
				}
				emit(pic)
				if !pic.Provisional {
					return nil
				}
			}
		}), func(Key) {})
		k := key(KindInk, 1)
		sees := func(want string) {
			t.Helper()
			synctest.Wait()
			if got, _ := c.Newest(k); string(got.Data) != want || got.Provisional != (len(want) > 1 && want[0] == 'd') {
				t.Errorf("got %q (provisional %v), want %q", got.Data, got.Provisional, want)
			}
		}
		c.Want(1, []Want{{Key: k, Least: 1}})
		step <- Picture{Version: 1, Data: []byte("draft 1"), Provisional: true}
		sees("draft 1")
		step <- Picture{Version: 1, Data: []byte("1")}
		sees("1")
		c.Want(1, []Want{{Key: k, Least: 2}})
		step <- Picture{Version: 1, Data: []byte("draft of what is settled"), Provisional: true}
		sees("1")
		step <- Picture{Version: 2, Data: []byte("draft 2"), Provisional: true}
		sees("draft 2")
		step <- Picture{} // the source gives up
		sees("1")
		if s := p.Stats(); s.Failed != 1 || s.Drawing != 0 {
			t.Errorf("%d failed, %d at work: a source that fails must not be asked again at once", s.Failed, s.Drawing)
		}
		c.Want(1, []Want{{Key: k, Least: 2}})
		step <- Picture{Version: 2, Data: []byte("2")}
		sees("2")
	})
}

// Random wants of several rooms in several slots: every cell ends as it was wanted, no key is drawn twice at once, no room
// sees another's picture, and the cache's book-keeping is true.
func TestRandomWantsEndSatisfied(t *testing.T) {
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			p := NewPool(3, 1<<30)
			defer p.Close()
			const rooms, keys = 3, 12
			var mu sync.Mutex
			busy := map[string]bool{}
			var versions [rooms][keys]atomic.Uint64
			var cells [rooms]*Cells
			for room := range rooms {
				cells[room] = p.Room(drawing(func(ctx context.Context, id tile.ID, emit func(Picture)) error {
					n := int(id.X().Int64())
					name := fmt.Sprint(room, "/", n)
					mu.Lock()
					if busy[name] {
						t.Errorf("seed %d: %s is drawn twice at once", seed, name)
					}
					busy[name] = true
					early := rng.IntN(3)
					mu.Unlock()
					if early == 0 {
						emit(Picture{Version: versions[room][n].Load(), Data: []byte(name), Provisional: true})
					}
					defer func() {
						mu.Lock()
						busy[name] = false
						mu.Unlock()
					}()
					if err := ctx.Err(); err != nil {
						return err
					}
					emit(Picture{Version: versions[room][n].Load(), Data: []byte(name)})
					return nil
				}), func(Key) {})
			}
			wanted := map[[2]int][]Want{}
			for range 200 {
				mu.Lock()
				room, viewer := rng.IntN(rooms), rng.IntN(3)
				var wants []Want
				for range rng.IntN(6) {
					n := rng.IntN(keys)
					wants = append(wants, Want{Key: key(KindInk, n), Least: versions[room][n].Load(), Rank: rng.IntN(5)})
				}
				versions[room][rng.IntN(keys)].Add(uint64(rng.IntN(2)))
				pause := rng.IntN(4) == 0
				mu.Unlock()
				cells[room].Want(uint64(viewer), wants)
				wanted[[2]int{room, viewer}] = wants
				if pause {
					synctest.Wait()
				}
			}
			synctest.Wait()
			for who, wants := range wanted {
				for _, w := range wants {
					got, ok := cells[who[0]].Newest(w.Key)
					if !ok || got.Provisional || got.Version < w.Least {
						t.Errorf("seed %d: room %d viewer %d wants %d of %v, got %+v", seed, who[0], who[1], w.Least, w.ID, got)
					}
				}
			}
			count, size := 0, int64(0)
			for room, c := range cells {
				for k, e := range c.entries {
					count++
					size += overhead + int64(len(e.settled.Data))
					if want := fmt.Sprint(room, "/", k.ID.X()); string(e.settled.Data) != want || e.hasDraft {
						t.Errorf("seed %d: room %d has %q for %q (draft: %v)", seed, room, e.settled.Data, want, e.hasDraft)
					}
				}
				if len(c.jobs) != 0 {
					t.Errorf("seed %d: room %d: %d jobs left", seed, room, len(c.jobs))
				}
			}
			if s := p.Stats(); s.Pictures != count || s.Bytes != size || s.Drawing != 0 || s.Failed != 0 {
				t.Errorf("seed %d: %+v; want %d pictures of %d bytes", seed, s, count, size)
			}
			for _, c := range cells {
				c.Close()
			}
			if s := p.Stats(); s.Pictures != 0 || s.Bytes != 0 {
				t.Errorf("seed %d: closed rooms keep %d pictures of %d bytes", seed, s.Pictures, s.Bytes)
			}
		})
	}
}

func TestCacheForgetsWhatWasUsedLongestAgo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const data, room = 1000, 7
		p := NewPool(1, room*(data+overhead)+500)
		defer p.Close()
		cells := [2]*Cells{}
		for i := range cells {
			cells[i] = p.Room(drawing(func(_ context.Context, id tile.ID, emit func(Picture)) error {
				emit(Picture{Data: make([]byte, data)})
				return nil
			}), func(Key) {})
		}
		type name struct{ room, n int }
		var used []name // the model: newest last
		use := func(n name) {
			used = append(slices.DeleteFunc(used, func(o name) bool { return o == n }), n)
			used = used[max(0, len(used)-room):]
		}
		rng := rand.New(rand.NewPCG(5, 6))
		for step := range 2000 {
			n := name{rng.IntN(2), rng.IntN(8)}
			k := key(KindInk, n.n)
			_, have := cells[n.room].Newest(k)
			if want := slices.Contains(used, n); have != want {
				t.Fatalf("step %d: the cache has %v: %v, want %v", step, n, have, want)
			}
			if !have {
				cells[n.room].Want(1, []Want{{Key: k}})
				synctest.Wait()
			}
			use(n)
			if s := p.Stats(); s.Bytes > room*(data+overhead)+500 || s.Pictures != len(used) {
				t.Fatalf("step %d: %d bytes, %d pictures", step, s.Bytes, s.Pictures)
			}
		}
	})
}

func TestPictureLargerThanTheCacheCanStillBeFetched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(1, 10)
		defer p.Close()
		c := p.Room(drawing(func(_ context.Context, _ tile.ID, emit func(Picture)) error {
			emit(Picture{Data: bytes.Repeat([]byte{1}, 100)})
			return nil
		}), func(Key) {})
		for n := range 3 {
			c.Want(1, []Want{{Key: key(KindInk, n)}})
			synctest.Wait()
			if got, ok := c.Newest(key(KindInk, n)); !ok || len(got.Data) != 100 {
				t.Errorf("picture %d is gone", n)
			}
		}
		if p.Stats().Pictures != 1 {
			t.Errorf("%d pictures kept", p.Stats().Pictures)
		}
	})
}

func TestOtherHeavyWorkTakesTurnsWithCells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(1, 1<<20)
		defer p.Close()
		release := hold(t, p)
		var order []string
		c := p.Room(drawing(func(_ context.Context, _ tile.ID, emit func(Picture)) error {
			order = append(order, "cell")
			emit(Picture{})
			return nil
		}), func(Key) {})
		c.Want(1, []Want{{Key: key(KindInk, 1)}, {Key: key(KindInk, 2)}, {Key: key(KindInk, 3)}})
		ctx, cancel := context.WithCancel(t.Context())
		var wait sync.WaitGroup
		for range 2 {
			wait.Go(func() {
				if err := p.Do(t.Context(), func() { order = append(order, "task") }); err != nil {
					t.Errorf("do: %v", err)
				}
			})
		}
		synctest.Wait()
		wait.Go(func() {
			if err := p.Do(ctx, func() { t.Error("a cancelled task ran") }); !errors.Is(err, context.Canceled) {
				t.Errorf("do: got %v", err)
			}
		})
		synctest.Wait()
		cancel()
		synctest.Wait()
		release()
		wait.Wait()
		synctest.Wait()
		if got := fmt.Sprint(order); got != "[task cell task cell cell]" && got != "[cell task cell task cell]" {
			t.Errorf("order %v", got)
		}
	})
}

func TestClosingEndsEverythingAndWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(2, 1<<20)
		var at atomic.Int32
		c := p.Room(drawing(func(ctx context.Context, _ tile.ID, emit func(Picture)) error {
			at.Add(1)
			<-ctx.Done()
			emit(Picture{}) // too late: dropped
			at.Add(-1)
			return ctx.Err()
		}), func(Key) { t.Error("ready after the pool closed") })
		c.Want(1, []Want{{Key: key(KindInk, 1)}, {Key: key(KindInk, 2)}, {Key: key(KindInk, 3)}})
		synctest.Wait()
		ended := make(chan error)
		go func() { ended <- p.Do(context.Background(), func() { t.Error("ran") }) }()
		synctest.Wait()
		p.Close()
		if err := <-ended; !errors.Is(err, ErrClosed) {
			t.Errorf("do: got %v, want ErrClosed", err)
		}
		if at.Load() != 0 {
			t.Errorf("%d drawings outlive the pool", at.Load())
		}
		if err := p.Do(context.Background(), func() {}); !errors.Is(err, ErrClosed) {
			t.Errorf("do: got %v, want ErrClosed", err)
		}
		c.Want(1, []Want{{Key: key(KindInk, 1)}})
		p.Room(nil, nil).Want(1, []Want{{Key: key(KindInk, 1)}})
		c.Close()
	})
}

func TestStagesAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(1, 1<<20)
		defer p.Close()
		c := p.Room(Sources{KindInk: lapping{}}, func(Key) {})
		c.Want(1, []Want{{Key: key(KindInk, 1)}, {Key: key(KindInk, 2)}})
		synctest.Wait()
		s := p.Stats().Stages
		for stage, h := range s {
			sum := uint64(0)
			for _, n := range h.Buckets {
				sum += n
			}
			if h.Count != 2 || sum != 2 {
				t.Errorf("stage %v: %d samples, %d in buckets, want 2", Stage(stage), h.Count, sum)
			}
		}
	})
}

type lapping struct{ fake }

func (lapping) Draw(_ context.Context, _ tile.ID, s *Scratch, emit func(Picture)) error {
	s.Start()
	for stage := range stageCount {
		s.Lap(Stage(stage))
	}
	emit(Picture{})
	return nil
}

func TestScratchKeepsOneOfEachType(t *testing.T) {
	var s Scratch
	a := Own(&s, func() *int { return new(int) })
	b := Own(&s, func() *int { t.Error("made twice"); return nil })
	c := Own(&s, func() *string { return new(string) })
	if a != b || c == nil || len(slices.Collect(maps.Keys(s.own))) != 2 {
		t.Error("scratch is not kept by type")
	}
}

func BenchmarkWantAndDrawNothing(b *testing.B) {
	p := NewPool(2, 1<<20)
	defer p.Close()
	done := make(chan struct{}, 100)
	c := p.Room(drawing(func(_ context.Context, _ tile.ID, emit func(Picture)) error {
		emit(Picture{})
		return nil
	}), func(Key) { done <- struct{}{} })
	wants := make([]Want, 24)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		for i := range wants {
			wants[i] = Want{Key: key(KindInk, n*24+i), Rank: i}
		}
		c.Want(1, wants)
		for range wants {
			<-done
		}
	}
}
