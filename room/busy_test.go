package room

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"fractal/cell"
	"fractal/term"
	"fractal/tile"
	"fractal/wire"
)

// flooded is a room whose terminals print without end, in the slots of the pool that draws its cells. chunks counts what was parsed.
func flooded(t *testing.T, slots, floods int) (r *Room, pool *cell.Pool, owner *desk, terminals []uint64, chunks *atomic.Int64) {
	t.Helper()
	pool = cell.NewPool(slots, 8<<20)
	t.Cleanup(pool.Close)
	chunks = new(atomic.Int64)
	shells := term.New(term.Config{Slots: func(ctx context.Context, f func()) error {
		chunks.Add(1)
		return pool.Soon(ctx, f)
	}})
	t.Cleanup(shells.Close)
	r = open(t, Config{Name: "room", Pool: pool, Shells: shells, Shell: term.Spec{
		Shell: "/bin/sh", Args: []string{"-c", "exec yes 0123456789abcdefghijklmnopqrstuvwxyz"},
	}})
	t.Cleanup(func() { closeRoom(t, r) })
	owner = sit(t, r, "owner", Seat{Owner: true})
	for i := range floods {
		terminals = append(terminals, owner.place(fmt.Sprint("flood", i)))
	}
	return r, pool, owner, terminals, chunks
}

// TestPullsAreAnsweredWhileTerminalsFlood counts what is parsed between a pull and its cycle, also where there is one processor and
// more floods than that.
func TestPullsAreAnsweredWhileTerminalsFlood(t *testing.T) {
	for _, c := range []struct{ procs, slots, floods int }{{1, 1, 1}, {1, 1, 4}, {2, 2, 4}} {
		t.Run(fmt.Sprintf("floods %d processors %d", c.floods, c.procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.procs))
			r, _, owner, terminals, chunks := flooded(t, c.slots, c.floods)
			desks := []*desk{owner, sit(t, r, "b", Seat{}), sit(t, r, "c", Seat{})}
			for _, d := range desks {
				d.watch(1, terminals...)
				for _, n := range terminals {
					d.sees(n, "0123456789")
				}
			}
			worst, frames := int64(0), owner.frames
			for range 100 {
				for _, d := range desks {
					before := chunks.Load()
					d.cycle()
					worst = max(worst, chunks.Load()-before)
				}
			}
			if owner.frames == frames {
				t.Error("no frames of a flood")
			}
			most := int64(20)
			if c.procs > 1 { // each is parsed apart from the others
				most *= int64(c.floods)
			}
			if worst > most {
				t.Errorf("%d pieces of %d floods were parsed between a pull and its cycle", worst, c.floods)
			}
			t.Logf("at most %d pieces of %d floods between a pull and its cycle", worst, c.floods)
		})
	}
}

// TestCellsAreDrawnWhileTerminalsFlood counts what is parsed until a square that was drawn on has its picture, and that the floods
// go on meanwhile.
func TestCellsAreDrawnWhileTerminalsFlood(t *testing.T) {
	r, pool, owner, terminals, chunks := flooded(t, 1, 4)
	owner.watch(1, terminals...)
	for _, n := range terminals {
		owner.sees(n, "0123456789")
	}
	g := stare(t, r, "painter")
	worst := int64(0)
	for i := range int64(30) {
		g.op(uint64(i+1), &wire.Op{Body: &wire.Op_Stroke{Stroke: line(tile.At(0, 9, 0), 0, i*8, 255, 255-i*8).Wire()}})
		before, drawn := chunks.Load(), pool.Stats().Drawn
		g.look(uint64(i+1), 1<<cell.KindTerm, tile.At(9, 9<<9+100, i)) // too deep for anything but a picture
		for shown := false; !shown; {
			g.pull()
			for _, s := range g.next().squares {
				shown = shown || s.Image != nil
			}
		}
		if pool.Stats().Drawn == drawn {
			t.Fatal("a picture that nobody drew")
		}
		worst = max(worst, chunks.Load()-before)
	}
	if worst > 500 { // some 0.2 s: the slots' threads give way to all else on this machine
		t.Errorf("%d pieces were parsed before a cell was drawn", worst)
	}
	t.Logf("at most %d pieces until a picture was there", worst)
	at := chunks.Load()
	for chunks.Load() < at+100 {
		runtime.Gosched()
	}
}

// TestWhatIsTypedIsShownWhileAllSlotsDraw holds the only slot until somebody has seen what they typed.
func TestWhatIsTypedIsShownWhileAllSlotsDraw(t *testing.T) {
	pool := cell.NewPool(1, 8<<20)
	defer pool.Close()
	shells := term.New(term.Config{Slots: pool.Soon})
	defer shells.Close()
	r := open(t, Config{Name: "room", Pool: pool, Shells: shells, Shell: term.Spec{Shell: "/bin/sh", Args: []string{"-c", "cat"}}})
	defer closeRoom(t, r)
	owner := sit(t, r, "owner", Seat{Owner: true})
	n := owner.place("a")
	owner.watch(1, n)
	begun, seen, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() { ended <- pool.Do(t.Context(), func() { close(begun); <-seen }) }()
	<-begun
	owner.types(n, "hello\n")
	owner.sees(n, "hello")
	close(seen)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

func TestIdleTerminalsWakeNobody(t *testing.T) {
	r, shells := withShells(t, "stty -echo; echo ready; cat")
	owner := sit(t, r, "owner", Seat{Owner: true})
	desks := []*desk{owner, sit(t, r, "b", Seat{}), sit(t, r, "c", Seat{})}
	var terminals []uint64
	for i := range 10 {
		terminals = append(terminals, owner.place(fmt.Sprint("t", i)))
	}
	for _, d := range desks {
		d.watch(1, terminals...)
		for _, n := range terminals {
			d.sees(n, "ready")
		}
	}
	// All is told: the pulls stay armed.
	for told := false; !told; {
		told = true
		for _, d := range desks {
			d.pull()
		}
		for _, d := range desks {
			for attempts := r.Stats().Attempts; !d.v.armed.Load() && r.Stats().Attempts == attempts; {
				runtime.Gosched()
			}
			d.mu.Lock()
			told = told && len(d.in) == 0
			d.mu.Unlock()
			for d.drain() {
			}
		}
	}
	wait := func() { // something else takes a while
		t.Helper()
		s, err := shells.Start(term.Spec{Name: "elsewhere/clock", Shell: "/bin/sh", Args: []string{"-c", "sleep 0.3"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		shells.End(s)
	}
	wait() // the last looks end
	before, news := r.Stats(), r.programs.news.Load()
	wait()
	after := r.Stats()
	if after.Attempts != before.Attempts || after.TermLocks != before.TermLocks || after.Bytes != before.Bytes || r.programs.news.Load() != news {
		t.Errorf("nothing happened: %d looks, %d locks of sessions, %d bytes, %d news of programs",
			after.Attempts-before.Attempts, after.TermLocks-before.TermLocks, after.Bytes-before.Bytes, r.programs.news.Load()-news)
	}
	if after.Armed != 3 {
		t.Errorf("%d of 3 pulls are armed", after.Armed)
	}

	// A key pressed by one answers all three without another pull.
	owner.types(terminals[7], "now\n")
	for _, d := range desks {
		for {
			if d.take().GetCycleEnd() != nil {
				break
			}
		}
	}

	// Who has left or hidden the page is told nothing, and takes no lock.
	desks[1].v.Leave()
	desks[2].say(&wire.ClientMessage{Kind: &wire.ClientMessage_View{View: &wire.View{Generation: 9, Hidden: true}}})
	desks[2].pull()
	for desks[2].v.armed.Load() {
		runtime.Gosched()
	}
	owner.sees(terminals[7], "now")
	for _, d := range desks[1:] {
		for d.drain() {
		}
	}
	for i := range 20 {
		owner.types(terminals[7], fmt.Sprintf("again %d.\n", i))
		owner.sees(terminals[7], fmt.Sprintf("again %d.", i))
	}
	for _, d := range desks[1:] {
		if d.drain() {
			t.Errorf("%s was sent something", d.name)
		}
	}
}

// drain takes a message that is there already.
func (d *desk) drain() bool {
	d.mu.Lock()
	empty := len(d.in) == 0
	d.mu.Unlock()
	if !empty {
		d.take()
	}
	return !empty
}
