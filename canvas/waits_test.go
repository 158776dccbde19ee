package canvas

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"fractal/wire"
)

// BenchmarkLockWaits says how long those who draw and those who look wait for the canvas's lock while 50 writers commit to
// 20,000 strokes, each from a goroutine of its own: harder than a room, where one goroutine applies for all. One iteration is a
// snapshot of the cell that shows everything, a look at some squares, and a bare look whether the lock is free.
func BenchmarkLockWaits(b *testing.B) {
	data := drawn(b, 20_000).Checkpoint()
	const writers = 50
	for _, pace := range []time.Duration{time.Second / 200, time.Second / 20} {
		b.Run(fmt.Sprintf("%d strokes a second each", time.Second/pace), func(b *testing.B) {
			c, err := Restore(data)
			if err != nil {
				b.Fatal(err)
			}
			began := time.Now()
			c.Clock = func() int64 { return int64(time.Since(began)) }
			id, asks := overview(b), near(b, c)
			looks := make([]Look, len(asks))
			all := strokes(b)
			var stop atomic.Bool
			var applied atomic.Int64
			var wg sync.WaitGroup
			for w := range writers {
				session := make([]byte, 16)
				session[0], session[1] = 7, byte(w)
				wg.Go(func() {
					tick := time.NewTicker(pace)
					defer tick.Stop()
					for n := uint64(1); !stop.Load(); n++ {
						op, err := proto.Marshal(&wire.Op{Session: session, Number: n, Body: &wire.Op_Stroke{Stroke: all[(int(n)*writers+w)%len(all)]}})
						if err != nil {
							panic(err)
						}
						c.Apply(&wire.Entry{Person: session, Op: op})
						applied.Add(1)
						<-tick.C
					}
				})
			}
			var bare, snapshots, held, look []int64
			for b.Loop() {
				begin := c.now()
				c.mu.RLock()
				bare = append(bare, c.now()-begin)
				c.mu.RUnlock()
				s := c.CellSnapshot(id)
				snapshots, held = append(snapshots, s.Waited), append(held, s.Held)
				begin = c.now()
				c.Look(asks, looks)
				look = append(look, c.now()-begin)
				runtime.Gosched()
			}
			rate := float64(applied.Load()) / b.Elapsed().Seconds()
			stop.Store(true)
			wg.Wait()
			b.ReportMetric(rate, "strokes/s")
			for _, f := range []struct {
				name  string
				times []int64
			}{{"bare", bare}, {"snapshot-waits", snapshots}, {"snapshot-holds", held}, {"look", look}} {
				slices.Sort(f.times)
				at := func(q float64) float64 { return float64(f.times[int(q*float64(len(f.times)-1))]) / 1000 }
				b.Logf("%s: p50 %.1f, p90 %.1f, p99 %.1f, max %.1f µs", f.name, at(0.5), at(0.9), at(0.99), at(1))
				b.ReportMetric(at(0.99), f.name+"-p99-µs")
			}
		})
	}
}
