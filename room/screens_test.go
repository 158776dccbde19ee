package room

import (
	"runtime"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"fractal/cell"
	"fractal/term"
	"fractal/tile"
	"fractal/wire"
)

// gaze is a page's end of a viewer in real time: programs know no other.
type gaze struct {
	t       *testing.T
	v       *Viewer
	mu      sync.Mutex
	some    sync.Cond
	in      [][]byte
	painted uint64
}

// cycle is what one brought.
type cycle struct {
	end     *wire.CycleEnd
	layers  map[uint32]*wire.Layer
	squares map[uint32]*wire.Square
}

func (g *gaze) Send(b []byte) {
	g.mu.Lock()
	g.in = append(g.in, b)
	g.mu.Unlock()
	g.some.Signal()
}

func stare(t *testing.T, r *Room, name string) *gaze {
	g := &gaze{t: t}
	g.some.L = &g.mu
	v, err := r.Join(&wire.Hello{Protocol: 1, Key: keyOf(name), Name: name}, Seat{Owner: true}, g)
	if err != nil {
		t.Fatal(err)
	}
	g.v = v
	return g
}

// look sends a view of tiles, numbered from 1, all with the same bits of content that is not wanted.
func (g *gaze) look(generation uint64, without uint32, tiles ...tile.ID) {
	m := &wire.View{Generation: generation, Origin: &wire.Tile{}}
	for i, id := range tiles {
		x, y, _ := id.Small()
		corner, _ := tile.At(0, 0, 0).Shift(id.Level(), 0, 0)
		cx, cy, _ := corner.Small()
		m.Wants = append(m.Wants, &wire.Want{Id: uint32(i + 1), Dlevel: int32(id.Level()), Dx: x - cx, Dy: y - cy, Without: without})
	}
	if err := g.v.Handle(&wire.ClientMessage{Kind: &wire.ClientMessage_View{View: m}}); err != nil {
		g.t.Fatal(err)
	}
}

func (g *gaze) pull() {
	if err := g.v.Handle(&wire.ClientMessage{Kind: &wire.ClientMessage_Pull{Pull: &wire.Pull{Painted: g.painted, Credit: 1 << 20}}}); err != nil {
		g.t.Fatal(err)
	}
}

// op enters an op, whoever may.
func (g *gaze) op(number uint64, m *wire.Op) {
	m.Session, m.Number = make([]byte, 16), number
	body, err := proto.Marshal(m)
	if err != nil {
		g.t.Fatal(err)
	}
	key := opKey{number: number}
	if reason, err := g.v.room.queue.enter(&op{key: key, person: g.v.person, body: body, at: now(), viewer: g.v, wet: g.v.room.crowd.enters(g.v.id, number)}); reason != "" || err != nil {
		g.t.Fatal(reason, err)
	}
}

// next waits for a cycle.
func (g *gaze) next() cycle {
	c := cycle{layers: map[uint32]*wire.Layer{}, squares: map[uint32]*wire.Square{}}
	for {
		g.mu.Lock()
		for len(g.in) == 0 {
			g.some.Wait()
		}
		b := g.in[0]
		g.in = g.in[1:]
		g.mu.Unlock()
		m := new(wire.ServerMessage)
		if err := proto.Unmarshal(b, m); err != nil {
			g.t.Fatal(err)
		}
		switch k := m.Kind.(type) {
		case *wire.ServerMessage_Layer:
			c.layers[k.Layer.Id] = k.Layer
		case *wire.ServerMessage_Square:
			c.squares[k.Square.Id] = k.Square
		case *wire.ServerMessage_CycleEnd:
			c.end, g.painted = k.CycleEnd, k.CycleEnd.Cycle
			return c
		}
	}
}

func (g *gaze) quiet() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.in) == 0
}

func TestAFarViewerOfAFloodGetsAPictureAPull(t *testing.T) {
	shells := term.New(term.Config{})
	defer shells.Close()
	var r *Room
	start := func(name, script string) *term.Session {
		s, err := shells.Start(term.Spec{Name: "room/" + name, Shell: "/bin/sh", Args: []string{"-c", script}, Cols: 80, Rows: 24})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	pool := cell.NewPool(2, 8<<20)
	defer pool.Close()
	r = open(t, Config{Name: "room", Pool: pool, Shells: shells})
	defer closeRoom(t, r)
	flood := start("flood", "i=0; while :; do i=$((i+1)); echo $i $i $i; done")

	a, b := stare(t, r, "a"), stare(t, r, "b")
	terminal := &wire.Terminal{Name: "flood", Home: &wire.Tile{}, Box: &wire.Box{MaxX: tile.Units, MaxY: tile.Units}}
	b.op(1, &wire.Op{Body: &wire.Op_Terminal{Terminal: terminal}})
	const withInk, withTerm = 2, 1
	view := []tile.ID{tile.At(-1, 0, 0), tile.At(9, 9<<9+100, 100)}
	a.look(1, 0, view...)
	b.look(1, 1<<cell.KindTerm, view...) // it shows the terminal as text, if it shows it at all
	b.pull()
	last, pictures := uint64(0), 0
	pulls := 0
	for drawn, inked := false, false; pictures < 30 || !drawn; {
		a.pull()
		pulls++
		c := a.next()
		if l := c.layers[withTerm]; l != nil && l.Version > 0 {
			if l.Version <= last {
				t.Fatalf("picture %d after %d", l.Version, last)
			}
			last = l.Version
			pictures++
		}
		if pictures == 10 && !inked { // ink that only a picture can show
			inked = true
			b.op(2, &wire.Op{Body: &wire.Op_Stroke{Stroke: line(tile.At(0, 9, 0), 0, 0, 255, 255).Wire()}})
		}
		if s := c.squares[withInk]; s != nil && s.Image != nil {
			drawn = true
		}
		if pulls > 5_000 {
			t.Fatal("the ink is not drawn while the terminal floods")
		}
	}
	if n := pool.Stats().Drawn; n > uint64(pulls)+8 {
		t.Fatalf("%d pictures drawn for %d pulls", n, pulls)
	}
	b.mu.Lock()
	came := b.in
	b.mu.Unlock()
	for _, m := range came {
		s := new(wire.ServerMessage)
		if err := proto.Unmarshal(m, s); err != nil || s.GetLayer() != nil {
			t.Fatal("layers came that are not wanted", s, err)
		}
	}

	// When it has ended, and all is told, nothing moves any more.
	shells.End(flood)
	for {
		a.pull()
		c := a.next()
		if l := c.layers[withTerm]; l != nil {
			last = l.Version
		}
		if c.end.Settled && last == r.terms.Version(view[0]) {
			break
		}
	}
	drawn, attempts := pool.Stats().Drawn, r.stats.attempts.Load()
	a.pull()
	for !a.v.armed.Load() || r.stats.attempts.Load() == attempts {
		runtime.Gosched()
	}
	if attempts = r.stats.attempts.Load() - attempts; attempts > 2 || !a.quiet() || pool.Stats().Drawn != drawn {
		t.Fatalf("nothing has changed: looked %d times, drew %d, sent something: %v", attempts, pool.Stats().Drawn-drawn, !a.quiet())
	}
}
