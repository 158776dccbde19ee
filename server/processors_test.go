package server

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"fractal/wire"
)

var spun atomic.Uint64 // keeps the compiler from leaving out the work below

// TestPullIsReadWhileEverySlotDraws pulls over a socket while drawing takes all it can get, as if there were one processor. It
// counts the turns of drawing, of a few hundred microseconds, that go by between a pull and the end of its cycle: with the
// scheduler told of one processor only, it looks at sockets when it interrupts the drawing, dozens of turns later.
func TestPullIsReadWhileEverySlotDraws(t *testing.T) {
	was := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(was)
	if slots := Processors(); slots != 1 {
		t.Fatalf("%d slots", slots)
	}
	h := newHouse(t)
	writer, viewer := h.draws("plane"), h.draws("plane")
	viewer.send(&wire.ClientMessage{Kind: &wire.ClientMessage_View{View: &wire.View{Generation: 1, Origin: &wire.Tile{},
		Wants: []*wire.Want{{Id: 1}}}}})
	cycle := func(painted uint64) uint64 {
		viewer.send(&wire.ClientMessage{Kind: &wire.ClientMessage_Pull{Pull: &wire.Pull{Painted: painted, Credit: 1 << 20}}})
		return viewer.next(func(m *wire.ServerMessage) bool { return m.GetCycleEnd() != nil }).GetCycleEnd().Cycle
	}
	painted := cycle(0)

	var turns atomic.Int64
	stop := make(chan struct{})
	drawn := make(chan error, 2)
	for range cap(drawn) { // newHouse has two slots
		go func() {
			drawn <- h.server.config.Pool.Do(t.Context(), func() {
				rng := rand.New(rand.NewPCG(1, 1))
				for {
					select {
					case <-stop:
						return
					default:
					}
					sum := uint64(0)
					for range 100_000 {
						sum += rng.Uint64()
					}
					spun.Store(sum)
					turns.Add(1)
				}
			})
		}()
	}
	var went []int64
	for range 15 {
		writer.draw() // so that there is something to send
		before := turns.Load()
		painted = cycle(painted)
		went = append(went, turns.Load()-before)
	}
	close(stop)
	for range cap(drawn) {
		if err := <-drawn; err != nil {
			t.Error(err)
		}
	}
	slices.Sort(went)
	t.Logf("turns between a pull and its cycle: %v", went)
	if middle := went[len(went)/2]; middle > 30 {
		t.Errorf("%d turns of drawing went by between a pull and its cycle: %v", middle, went)
	}
}
