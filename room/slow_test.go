package room

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"fractal/tile"
)

// TestSlowLinkShowsRecentState has a page paint at 10 Hz behind a line of 200 kB/s and 20 ms, in a flood that another page
// follows at 60 Hz. What the slow one paints must be recent, whatever is missing must come, and the other must not notice.
func TestSlowLinkShowsRecentState(t *testing.T) {
	const (
		frame    = time.Second / 60
		perFrame = 200_000 / 60
		delay    = 20 * time.Millisecond
		credit   = 10_000 // what the page's rule gives for this line (web/src/credit.ts)
	)
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		writer, quick, slow := join(t, r, "writer"), join(t, r, "quick"), join(t, r, "slow")
		quick.look(screen()...)
		slow.look(screen()...)
		var (
			rng    = rand.New(rand.NewPCG(3, 3))
			sent   = []time.Time{{}} // by seq
			line   [][]byte          // on its way to the slow page
			budget int
			ready  bool // a cycle is there and waits for the page's next frame
			pulled = time.Now()
			ages   []time.Duration // of the newest stroke shown
			gaps   []time.Duration // of the oldest stroke missing somewhere in view
		)
		slow.pull(credit)
		for f := range 60 * 6 {
			for range 100/60 + f%2 {
				sent = append(sent, time.Now())
				writer.op(handwriting(rng))
			}
			synctest.Wait()
			quick.pull(1 << 20)
			synctest.Wait()
			if n := quick.read(); n != 1 || quick.end.Through != uint64(r.Canvas().Seq()) {
				t.Fatalf("frame %d: the quick page got %d cycles, through %d of %d", f, n, quick.end.Through, r.Canvas().Seq())
			}

			slow.mu.Lock()
			line = append(line, slow.inbox...)
			slow.inbox = nil
			budget = min(budget+perFrame, 2*perFrame)
			for len(line) > 0 && budget > 0 && time.Since(pulled) >= 2*delay {
				budget -= len(line[0]) // a long one keeps the line busy for the next frames too
				slow.inbox = append(slow.inbox, line[0])
				line = line[1:]
			}
			slow.mu.Unlock()
			ready = slow.read() > 0 || ready
			if ready && f%6 == 0 {
				newest, whole := uint64(0), uint64(len(sent)-1)
				for _, id := range slow.ids {
					h := slow.squares[id]
					if h != nil {
						newest = max(newest, h.seq)
					}
				}
				whole = min(whole, slow.end.Through)
				if f > 60 {
					ages = append(ages, time.Since(sent[newest]))
					if whole+1 < uint64(len(sent)) {
						gaps = append(gaps, time.Since(sent[whole+1]))
					} else {
						gaps = append(gaps, 0)
					}
				}
				ready, pulled = false, time.Now()
				slow.pull(credit)
			}
			time.Sleep(frame)
		}
		slices.Sort(ages)
		slices.Sort(gaps)
		t.Logf("%d paints; newest %v median, %v at most; complete %v median, %v at most", len(ages), ages[len(ages)/2], ages[len(ages)-1], gaps[len(gaps)/2], gaps[len(gaps)-1])
		if m := ages[len(ages)/2]; len(ages) < 20 || m > 150*time.Millisecond {
			t.Errorf("the slow page painted %d times what was %v old", len(ages), m)
		}
		if m := gaps[len(gaps)-1]; m > time.Second {
			t.Errorf("something was missing for %v", m)
		}
	})
}

// TestLargeSquareComesAlthoughNearerOnesChange has a small credit, news of the nearest square in every cycle, and a far square
// that fits beside them in none.
func TestLargeSquareComesAlthoughNearerOnesChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		writer, p := join(t, r, "writer"), join(t, r, "p")
		rng := rand.New(rand.NewPCG(8, 8))
		far := tile.At(0, 9, 9)
		for range 40 {
			writer.op(scribble(rng, far, 100))
		}
		synctest.Wait()
		p.look(tile.At(0, 0, 0), far)
		for n := range 40 {
			writer.op(line(tile.At(0, 0, 0), 10, 10, 99, 99))
			synctest.Wait()
			p.pull(2000)
			synctest.Wait()
			p.read()
			if p.squares[1] == nil {
				t.Fatal("the nearest square is not there")
			}
			if p.squares[2] != nil {
				t.Logf("it came in cycle %d", n)
				p.settle()
				p.equalsTruth()
				return
			}
		}
		t.Error("the far square did not come in 40 cycles")
	})
}
