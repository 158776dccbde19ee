package room

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fractal/ink"
	"fractal/tile"
	"fractal/wire"
)

// handwriting is a stroke as a flood of people makes them: 100 points, some 150 px long, somewhere on a screen.
func handwriting(rng *rand.Rand) *ink.Stroke {
	pts := make([]ink.Point, 100)
	x, y := rng.Int64N(5*tile.Units), rng.Int64N(3*tile.Units)
	for i := range pts {
		pts[i] = ink.Point{X: x, Y: y, D: int32(100 + rng.IntN(60))}
		x += rng.Int64N(160) - 50
		y += rng.Int64N(160) - 80
	}
	s, err := ink.New(tile.At(0, 0, 0), 1, 0x203040ff, pts)
	if err != nil {
		panic(err)
	}
	return s
}

// screen is what a window of 1280 × 768 px wants: its squares, a margin around them, and the level above.
func screen() (tiles []tile.ID) {
	for y := range int64(3) {
		for x := range int64(5) {
			tiles = append(tiles, tile.At(0, x, y))
		}
	}
	for y := int64(-1); y < 4; y++ {
		for x := int64(-1); x < 6; x++ {
			if x < 0 || y < 0 || x > 4 || y > 2 {
				tiles = append(tiles, tile.At(0, x, y))
			}
		}
	}
	for y := range int64(2) {
		for x := range int64(3) {
			tiles = append(tiles, tile.At(-1, x, y))
		}
	}
	return tiles
}

// TestPullsAreAnsweredAtTheDisplaysRate has pages of several displays pull once a frame in a flood: each pull gets its cycle in
// that very frame, and nobody gets more.
func TestPullsAreAnsweredAtTheDisplaysRate(t *testing.T) {
	for _, hz := range []int{60, 120, 144} {
		synctest.Test(t, func(t *testing.T) {
			r := open(t, Config{})
			defer closeRoom(t, r)
			writer := join(t, r, "writer")
			pages := []*page{join(t, r, "a"), join(t, r, "b")}
			for _, p := range pages {
				p.look(screen()...)
			}
			asleep := join(t, r, "asleep") // pulls once and never paints
			asleep.look(screen()...)
			asleep.pull(1 << 20)
			synctest.Wait()
			asleep.read()
			before := asleep.frames
			rng := rand.New(rand.NewPCG(9, 9))
			frame := time.Second / time.Duration(hz)
			for f := range hz {
				for range 1000 / hz {
					writer.op(handwriting(rng))
				}
				synctest.Wait()
				for i, p := range pages {
					p.pull(1 << 20)
					synctest.Wait()
					if n := p.read(); n != 1 {
						t.Fatalf("%d Hz, frame %d, page %d: %d cycles for a pull", hz, f, i, n)
					}
					if behind := uint64(r.Canvas().Seq()) - p.end.Through; behind != 0 {
						t.Fatalf("%d Hz, frame %d: %d ops behind", hz, f, behind)
					}
				}
				time.Sleep(frame)
			}
			if asleep.frames != before {
				t.Errorf("%d frames for a page that does not pull", asleep.frames-before)
			}
			asleep.painted = asleep.end.GetCycle()
			asleep.pull(4 << 20)
			synctest.Wait()
			asleep.read()
			if asleep.end.Through != uint64(r.Canvas().Seq()) {
				t.Errorf("one pull later the sleeper is at %d of %d", asleep.end.Through, r.Canvas().Seq())
			}
			asleep.equalsTruth()
			pages[0].equalsTruth()
		})
	}
}

// TestIdleRoomHasNoTimers lets a year pass over a room with viewers whose pulls are armed.
func TestIdleRoomHasNoTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		a := join(t, r, "a")
		a.look(screen()...)
		a.op(dot())
		a.settle()
		a.pull(1 << 20)
		synctest.Wait()
		before := r.Stats().Attempts
		time.Sleep(365 * 24 * time.Hour)
		synctest.Wait()
		if n := r.Stats().Attempts - before; n != 0 || a.read() != 0 {
			t.Errorf("%d attempts in a year of nothing", n)
		}
	})
}

// TestPullInAFloodOnOneProcessor is answered although writers, sequencer and other viewers never rest. It counts turns, not
// time: how many records go by between the pull and its cycle.
func TestPullInAFloodOnOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	r := open(t, Config{})
	defer closeRoom(t, r)
	writer, busy, p := join(t, r, "writer"), join(t, r, "busy"), join(t, r, "p")
	arrived := make(chan struct{}, 1)
	p.v.send = notify{p, arrived}
	rng := rand.New(rand.NewPCG(5, 5))
	strokes := make([]*wire.Stroke, 64)
	for i := range strokes {
		strokes[i] = handwriting(rng).Wire()
	}
	busy.look(screen()...)
	p.look(screen()...)
	stop, stopped := make(chan struct{}), make(chan struct{})
	var answered atomic.Int64
	busy.v.send = pulling{busy.v, &answered}
	busy.pull(1 << 20)
	go func() { // a socket's reader with a full buffer
		defer close(stopped)
		for i := uint64(1); ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			writer.v.Handle(&wire.ClientMessage{Kind: &wire.ClientMessage_Op{Op: &wire.Op{
				Session: writer.session[:], Number: i, Body: &wire.Op_Stroke{Stroke: strokes[i%64]}}}})
			if i%64 == 0 {
				writer.mu.Lock()
				writer.inbox = nil
				writer.mu.Unlock()
				runtime.Gosched() // the read that found nothing
			}
		}
	}()
	worst := uint64(0)
	for range 60 {
		before := r.stats.records.Load()
		p.pull(1 << 20)
		for p.read() == 0 {
			<-arrived
		}
		worst = max(worst, r.stats.records.Load()-before)
	}
	close(stop)
	<-stopped
	if worst > 50 {
		t.Errorf("%d records went by before a pull was answered", worst)
	}
	t.Logf("at most %d records between a pull and its cycle; the busy viewer got %d cycles", worst, answered.Load())
}

// pulling is a page that pulls as soon as a cycle ends.
type pulling struct {
	v *Viewer
	n *atomic.Int64
}

func (p pulling) Send(b []byte) {
	const cycleEnd = 8<<3 | 2
	if b[0] == cycleEnd {
		p.n.Add(1)
		p.v.Handle(&wire.ClientMessage{Kind: &wire.ClientMessage_Pull{Pull: &wire.Pull{Painted: 1 << 40, Credit: 1 << 20}}})
	}
}

// BenchmarkFlood is one frame of 50 viewers at 60 Hz who watch the same screen while 1,000 strokes a second of 100 points are
// drawn on it: 17 strokes in, 50 cycles out. The frame must take less than 16 ms of both cores.
func BenchmarkFlood(b *testing.B) {
	r := open(b, Config{})
	defer r.Close()
	writer := join(b, r, "writer")
	arrived := make(chan struct{}, 64)
	var viewers []*Viewer
	for i := range 50 {
		p := join(b, r, string(rune('A'+i)))
		p.look(screen()...)
		p.v.send = cycles{arrived}
		viewers = append(viewers, p.v)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	strokes := make([]*wire.Stroke, 1024)
	for i := range strokes {
		strokes[i] = handwriting(rng).Wire()
	}
	n := uint64(0)
	frame := func() {
		for range 17 {
			n++
			writer.v.Handle(&wire.ClientMessage{Kind: &wire.ClientMessage_Op{Op: &wire.Op{
				Session: writer.session[:], Number: n, Body: &wire.Op_Stroke{Stroke: strokes[n%1024]}}}})
		}
		for _, v := range viewers {
			v.Handle(&wire.ClientMessage{Kind: &wire.ClientMessage_Pull{Pull: &wire.Pull{Painted: 1 << 40, Credit: 1 << 18}}})
		}
		for range viewers {
			<-arrived
		}
		writer.mu.Lock()
		writer.inbox = nil
		writer.mu.Unlock()
	}
	frame()
	before := r.Stats()
	b.ReportAllocs()
	for b.Loop() {
		frame()
	}
	s := r.Stats()
	b.ReportMetric(float64(s.Bytes-before.Bytes)/float64(b.N)/50, "B/cycle")
	b.ReportMetric(float64(s.StrokeSquares-before.StrokeSquares)/float64(b.N)/50, "squares/cycle")
}

type cycles struct{ arrived chan struct{} }

func (c cycles) Send(b []byte) {
	const cycleEnd = 8<<3 | 2
	if b[0] == cycleEnd {
		c.arrived <- struct{}{}
	}
}

// TestViewerAtRestIsSmall has viewers load a full screen, follow a flood and come to rest; what each of them costs the room
// is counted in live heap and stacks.
func TestViewerAtRestIsSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("collects garbage")
	}
	const viewers, bound = 100, 40 << 10
	r := open(t, Config{})
	defer closeRoom(t, r)
	writer := join(t, r, "writer")
	rng := rand.New(rand.NewPCG(6, 6))
	for range 500 {
		writer.op(handwriting(rng))
	}
	used := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	before := used()
	var all []*Viewer
	for i := range viewers {
		arrived := make(chan struct{}, 8)
		v, err := r.Join(&wire.Hello{Protocol: 1, Key: keyOf(string(rune(i)))}, Seat{}, cycles{arrived})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
		view := &wire.View{Generation: 1, Origin: &wire.Tile{}}
		for i, id := range screen() {
			view.Wants = append(view.Wants, &wire.Want{Id: uint32(i + 1), Dlevel: int32(id.Level()), Dx: id.X().Int64(), Dy: id.Y().Int64()})
		}
		v.Handle(&wire.ClientMessage{Kind: &wire.ClientMessage_View{View: view}})
		for n := range uint64(5) {
			writer.op(handwriting(rng))
			v.Handle(&wire.ClientMessage{Kind: &wire.ClientMessage_Pull{Pull: &wire.Pull{Painted: n, Credit: 1 << 20}}})
			<-arrived
		}
	}
	writer.mu.Lock()
	writer.inbox = nil
	writer.mu.Unlock()
	r.pieces.clear()
	grown := int64(used()) - int64(before)
	t.Logf("%d bytes a viewer", grown/viewers)
	if grown/viewers > bound {
		t.Errorf("%d bytes a viewer at rest, at most %d are fine", grown/viewers, bound)
	}
	runtime.KeepAlive(all)
}
