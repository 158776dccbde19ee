package canvas

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"fractal/ink"
	"fractal/tile"
	"fractal/wire"
)

var seed = flag.Uint64("seed", 0, "of the random tests; 0: as always")

func source(t testing.TB, n uint64) *rand.Rand {
	t.Logf("seed %d", *seed+n)
	return rand.New(rand.NewPCG(*seed, n))
}

func checkLook(t *testing.T, c *Canvas, m *model, asks []Ask) {
	t.Helper()
	looks := make([]Look, len(asks))
	if seq := c.Look(asks, looks); seq != m.seq {
		t.Fatalf("Look was of seq %d, want %d", seq, m.seq)
	}
	for i, a := range asks {
		got, want := looks[i], m.look(a)
		if got.Version != want.Version || got.Broken != want.Broken || got.Heavy != want.Heavy || got.Coarse != want.Coarse ||
			got.Below != want.Below || got.Upto != want.Upto || !sameItems(got.Items, want.Items) {
			t.Fatalf("seq %d, look at %.80v after %d with %d points:\ngot  %+v\nwant %+v", m.seq, a.Tile, a.After, a.Budget, got, want)
		}
	}
}

func checkSnapshot(t *testing.T, c *Canvas, m *model, id tile.ID) {
	t.Helper()
	got, want := c.CellSnapshot(id), m.snapshot(id)
	if got.Version != want.Version || got.Reach != want.Reach || got.Below != want.Below || !sameItems(got.Items, want.Items) {
		t.Fatalf("seq %d, snapshot of %.80v:\ngot  %+v\nwant %+v", m.seq, id, got, want)
	}
	if v := c.Version(id); v != want.Version {
		t.Fatalf("seq %d, version of %.80v is %d, want %d", m.seq, id, v, want.Version)
	}
}

// TestCanvasAgreesWithTheModel does random things everywhere in the plane and asks about random tiles after each.
func TestCanvasAgreesWithTheModel(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 3
	}
	for n := range rounds {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			w := newWorld(source(t, uint64(n)))
			w.terminals = n%2 == 0
			c, m := New(), newModel()
			if n%3 == 1 { // all in one place, so that nodes split
				w.tiles = w.tiles[:4:4]
			}
			watched := make([]tile.ID, 12)
			for i := range watched {
				watched[i] = w.near()
			}
			for range 300 {
				var before, after []Snapshot
				for _, id := range watched {
					before = append(before, c.CellSnapshot(id))
				}
				a := w.act(t, m)
				paper, listed := m.paper, m.listed
				r := c.Apply(a.entry(t))
				outcome, touched := m.apply(a)
				if r.Seq != m.seq || r.Outcome != outcome || (r.Stroke != nil) != (a.verb == "draw" && outcome == Applied) {
					t.Fatalf("seq %d, %+v: got %+v, want %v", m.seq, a, r, outcome)
				}
				if r.Damage.All != (paper != m.paper) || r.Damage.Ink != (touched != nil) || r.Damage.Terminal != (listed != m.listed) {
					t.Fatalf("seq %d, %s: damage %+v", m.seq, a.verb, r.Damage)
				}
				if a.verb != "garbage" && (r.Session != a.session || r.Number != a.number || r.Person != a.who) {
					t.Fatalf("seq %d: the result names somebody else: %+v", m.seq, r)
				}
				for i, id := range watched {
					after = append(after, c.CellSnapshot(id))
					if before[i].Version != after[i].Version && !r.Damage.Touches(id) {
						t.Fatalf("seq %d: %.80v changed outside of the damage", m.seq, id)
					}
					if touched != nil && r.Damage.Touches(id) != touches(touched, id) {
						t.Fatalf("seq %d: damage is not the reach at %.80v", m.seq, id)
					}
				}
				checkTerminals(t, c, m, watched[w.IntN(len(watched))], w.near())
				asks := make([]Ask, 4)
				for i := range asks {
					asks[i] = Ask{Tile: w.near(), After: Seq(w.Uint64N(uint64(m.seq) + 1)), Budget: 1 << w.IntN(14), Part: w.IntN(2) == 0}
					if w.IntN(3) == 0 {
						asks[i].After = 0
					}
				}
				checkLook(t, c, m, asks)
				checkSnapshot(t, c, m, watched[w.IntN(len(watched))])
				checkSnapshot(t, c, m, w.near())
			}
			checkBooks(t, c, m)
			checkSums(t, &c.index.root)
		})
	}
}

func checkTerminals(t *testing.T, c *Canvas, m *model, tiles ...tile.ID) {
	t.Helper()
	same := func(a, b TerminalItem) bool { return a.Seq == b.Seq && bytes.Equal(a.Terminal.body, b.Terminal.body) }
	got, listed := c.Terminals()
	want, _ := m.terminals(nil)
	if listed != m.listed || !slices.EqualFunc(got, want, same) {
		t.Fatalf("seq %d: %d terminals as of %d, want %d as of %d", m.seq, len(got), listed, len(want), m.listed)
	}
	for _, id := range tiles {
		got, version := c.TerminalsAt(id)
		want, newest := m.terminals(&id)
		if version != newest || !slices.EqualFunc(got, want, same) {
			t.Fatalf("seq %d: %d terminals of version %d at %.80v, want %d of %d", m.seq, len(got), version, id, len(want), newest)
		}
	}
	for who := range byte(6) {
		if got, want := c.Role(Person{who}), m.grants[Person{who}]; got != want {
			t.Fatalf("seq %d: person %d has role %d, want %d", m.seq, who, got, want)
		}
	}
}

func checkBooks(t *testing.T, c *Canvas, m *model) {
	t.Helper()
	if got := slices.Collect(c.All()); !sameItems(got, m.visible()) {
		t.Fatalf("All yields %d strokes, want %d", len(got), len(m.visible()))
	}
	points := 0
	for _, i := range m.visible() {
		points += i.Stroke.Len()
	}
	s := c.Stats()
	strokes := 0
	for _, s := range m.strokes {
		if s.stroke != nil {
			strokes++
		}
	}
	if s.Strokes != len(m.visible()) || s.Hidden != strokes-s.Strokes || s.Points != points || s.Quarantined != m.quarantined || c.Paper() != m.paper {
		t.Fatalf("stats %+v, paper %x; want %d of %d strokes, %d points, %d quarantined, paper %x", s, c.Paper(), len(m.visible()), strokes, points, m.quarantined, m.paper)
	}
	for id, want := range m.sessions {
		if n, who, ok := c.Mark(id); !ok || n != want.highest || who != want.who {
			t.Fatalf("mark of %v: %d of %v", id, n, who)
		}
		can := slices.ContainsFunc(m.strokes, func(s *modelStroke) bool { return s.who == want.who && !s.hidden })
		if c.CanUndo(want.who) != can || c.CanRedo(want.who) != (len(m.undone[want.who]) > 0) {
			t.Fatalf("%v can undo %v, redo %v", want.who, c.CanUndo(want.who), c.CanRedo(want.who))
		}
	}
	if !c.CanUndo(Person{99}) && !c.CanRedo(Person{99}) {
		return
	}
	t.Fatal("a stranger can undo")
}

// checkSums holds every node to what is below it.
func checkSums(t *testing.T, n *node) (strokes, visible, points int, newest, flipped Seq) {
	t.Helper()
	if n.leaf && len(n.shown)+len(n.hidden) > leafSize {
		t.Fatalf("a leaf of %d strokes", len(n.shown)+len(n.hidden))
	}
	for _, e := range n.shown {
		points += e.stroke.Len()
	}
	visible, strokes = len(n.shown), len(n.shown)+len(n.hidden)
	for _, e := range slices.Concat(n.shown, n.hidden) {
		newest, flipped = max(newest, e.news()), max(flipped, e.changed)
	}
	for _, k := range n.kids {
		if k == nil {
			continue
		}
		if k.level <= n.level || n.leaf {
			t.Fatalf("a node of level %d under one of %d", k.level, n.level)
		}
		s, v, p, nw, fl := checkSums(t, k)
		strokes, visible, points, newest, flipped = strokes+s, visible+v, points+p, max(newest, nw), max(flipped, fl)
	}
	if n.strokes != strokes || n.visible != visible || n.points != points || n.newest != newest || n.flipped != flipped || n.deepest != n.findDeepest() {
		t.Fatalf("a node of level %d sums up %d %d %d %d %d, has %d %d %d %d %d", n.level, n.strokes, n.visible, n.points, n.newest, n.flipped, strokes, visible, points, newest, flipped)
	}
	return
}

// TestBytesDecideAlone replays a log on another canvas.
func TestBytesDecideAlone(t *testing.T) {
	w := newWorld(source(t, 1))
	w.terminals = true
	a, b, m := New(), New(), newModel()
	for range 500 {
		do := w.act(t, m)
		m.apply(do)
		e := do.entry(t)
		a.Apply(e)
		b.Apply(proto.Clone(e).(*wire.Entry))
	}
	if a.Hash() != b.Hash() {
		t.Fatal("the same log gave two canvases")
	}
}

// TestUndoTakesBackOnesOwnStrokeOnly is the bug every rival has: A draws one stroke, B ten thousand, A undoes.
func TestUndoTakesBackOnesOwnStrokeOnly(t *testing.T) {
	c := New()
	pen := func(x int64) *ink.Stroke { return dot(t, tile.At(15, x, 0)) }
	a, b := Person{1}, Person{2}
	c.Apply(act{who: a, session: Session{1}, number: 1, verb: "draw", stroke: pen(0)}.entry(t))
	for i := range int64(10_000) {
		c.Apply(act{who: b, session: Session{2}, number: uint64(i + 1), verb: "draw", stroke: pen(i % 512)}.entry(t))
	}
	if got := c.CellSnapshot(tile.At(0, 0, 0)); len(got.Items) != 10_001 || got.Items[0].Seq != 1 {
		t.Fatalf("%d strokes before", len(got.Items))
	}
	r := c.Apply(act{who: a, session: Session{3}, number: 1, verb: "undo"}.entry(t)) // in another tab
	for _, id := range []tile.ID{tile.At(15, 0, 0), tile.At(10, 0, 0), tile.At(0, 0, 0), tile.At(-100, 0, 0)} {
		s := c.CellSnapshot(id)
		if s.Version != r.Seq || !r.Damage.Touches(id) || len(s.Items) > 0 && s.Items[0].Seq == 1 {
			t.Errorf("level %d still shows it", id.Level())
		}
	}
	if s := c.CellSnapshot(tile.At(0, 0, 0)); len(s.Items) != 10_000 || s.Reach != 10_001 {
		t.Errorf("%d of %d strokes after, want 10000 of 10001", len(s.Items), s.Reach)
	}
	if c.CanUndo(a) || !c.CanRedo(a) || !c.CanUndo(b) {
		t.Error("the stacks are somebody else's")
	}
	var looks [1]Look
	c.Look([]Ask{{tile.At(0, 0, 0), r.Seq - 1, 1 << 30, false}}, looks[:])
	if !looks[0].Broken || len(looks[0].Items) != 0 {
		t.Errorf("a look after the last stroke: %+v", looks[0])
	}
	c.Apply(act{who: a, session: Session{3}, number: 2, verb: "redo"}.entry(t))
	if s := c.CellSnapshot(tile.At(0, 0, 0)); len(s.Items) != 10_001 || s.Items[0].Seq != 1 {
		t.Error("redo did not bring it back to its place in the order")
	}
}

func dot(t testing.TB, home tile.ID) *ink.Stroke {
	t.Helper()
	s, err := ink.New(home, ink.Pen, 0xff, []ink.Point{{X: 8000, Y: 8000, D: 640}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDrawingAnewEndsRedo(t *testing.T) {
	c := New()
	n := uint64(0)
	do := func(verb string) {
		n++
		a := act{who: Person{1}, session: Session{1}, number: n, verb: verb}
		if verb == "draw" {
			a.stroke = dot(t, tile.At(0, 0, 0))
		}
		if r := c.Apply(a.entry(t)); r.Outcome != Applied {
			t.Fatalf("%s: %+v", verb, r)
		}
	}
	seqs := func() (s []Seq) {
		for i := range c.All() {
			s = append(s, i.Seq)
		}
		return s
	}
	for _, step := range []struct {
		verb string
		want []Seq
	}{
		{"undo", nil}, {"draw", []Seq{2}}, {"draw", []Seq{2, 3}}, {"draw", []Seq{2, 3, 4}}, {"undo", []Seq{2, 3}}, {"undo", []Seq{2}},
		{"redo", []Seq{2, 3}}, {"draw", []Seq{2, 3, 8}}, {"redo", []Seq{2, 3, 8}}, {"undo", []Seq{2, 3}}, {"undo", []Seq{2}}, {"undo", nil},
		{"undo", nil}, {"redo", []Seq{2}}, {"redo", []Seq{2, 3}}, {"redo", []Seq{2, 3, 8}}, {"redo", []Seq{2, 3, 8}},
	} {
		if do(step.verb); !slices.Equal(seqs(), step.want) {
			t.Fatalf("op %d, %s: shows %v, want %v", n, step.verb, seqs(), step.want)
		}
	}
}

func TestNonsenseIsQuarantinedAndTheRestGoesOn(t *testing.T) {
	good := act{who: Person{1}, session: Session{1}, number: 5, verb: "draw", stroke: dot(t, tile.ID{})}.entry(t)
	long, err := proto.Marshal(&wire.Op{Session: make([]byte, 17), Number: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]*wire.Entry{
		"nothing":                 nil,
		"an empty entry":          {},
		"a person of 3 bytes":     {Person: []byte{1, 2, 3}, Op: good.Op},
		"an op cut off":           {Person: good.Person, Op: good.Op[:len(good.Op)-1]},
		"an op of no session":     {Person: good.Person, Op: []byte{0x10, 1}},
		"a session of 17 bytes":   {Person: good.Person, Op: long},
		"an unknown brush":        act{who: Person{1}, session: Session{1}, number: 1, verb: "bad"}.entry(t),
		"a body from the future":  act{who: Person{1}, session: Session{1}, number: 1, verb: "unknown"}.entry(t),
		"an op without number":    act{who: Person{1}, session: Session{1}, verb: "undo"}.entry(t),
		"ten megabytes of 0x80 s": {Person: good.Person, Op: bytes.Repeat([]byte{0x80}, 10<<20)},
	} {
		c := New()
		r := c.Apply(e)
		if r.Outcome != Quarantined || r.Reason == "" || r.Seq != 1 || r.Damage != (Damage{}) {
			t.Errorf("%s: %+v", name, r)
		}
		if again := New().Apply(e); again != r {
			t.Errorf("%s: once %+v, once %+v", name, r, again)
		}
		if kept := len(c.Checkpoint()); kept > maxKeptOp+1000 {
			t.Errorf("%s: is kept in %d bytes", name, kept)
		}
		if r := c.Apply(good); r.Outcome != Applied || r.Seq != 2 {
			t.Errorf("after %s: %+v", name, r)
		}
		if back, err := Restore(c.Checkpoint()); err != nil || back.Hash() != c.Hash() || back.Stats().Quarantined != 1 {
			t.Errorf("%s does not survive a checkpoint: %v", name, err)
		}
	}
}

// TestAnOpIsAppliedOnce sends everything again, out of turn, and from a stranger.
func TestAnOpIsAppliedOnce(t *testing.T) {
	c := New()
	for i, step := range []struct {
		who    byte
		number uint64
		verb   string
		want   Outcome
	}{
		{1, 1, "draw", Applied}, {1, 1, "draw", Duplicate}, {2, 2, "draw", Refused}, {1, 7, "draw", Applied}, {1, 3, "draw", Duplicate},
		{1, 8, "bad", Quarantined}, {1, 8, "bad", Duplicate}, {1, 8, "draw", Duplicate}, {1, 9, "unknown", Quarantined},
		{1, 9, "undo", Duplicate}, {2, 9, "undo", Refused}, {1, 10, "redo", Applied}, {1, 10, "undo", Duplicate}, {1, 11, "undo", Applied},
	} {
		r := c.Apply(act{who: Person{step.who}, session: Session{1}, number: step.number, verb: step.verb, stroke: dot(t, tile.ID{})}.entry(t))
		if r.Outcome != step.want || r.Seq != Seq(i+1) || (r.Reason == "") != (step.want == Applied || step.want == Duplicate) {
			t.Errorf("op %d, %+v: %+v", i, step, r)
		}
	}
	if s := c.Stats(); s.Strokes != 1 || s.Hidden != 1 || s.Quarantined != 2 || s.Persons != 1 {
		t.Errorf("%+v", s)
	}
}

// TestReadersSeeWholeOps asks everything while strokes are applied; it is for the race detector, and for order.
func TestReadersSeeWholeOps(t *testing.T) {
	w := newWorld(source(t, 7))
	c, m := New(), newModel()
	var entries []*wire.Entry
	for range 1500 {
		a := w.act(t, m)
		m.apply(a)
		entries = append(entries, a.entry(t))
	}
	tiles := slices.Clone(w.tiles)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for n := range 3 {
		readers.Go(func() {
			looks := make([]Look, len(tiles))
			asks := make([]Ask, len(tiles))
			for i := n; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				for k, id := range tiles {
					asks[k] = Ask{id, c.Seq() / 2, 5000, true}
				}
				seq := c.Look(asks, looks)
				for _, l := range looks {
					if l.Version > seq || !inOrder(l.Items) || len(l.Items) > 0 && l.Items[len(l.Items)-1].Seq > l.Version {
						t.Errorf("look of seq %d: %+v", seq, l)
					}
				}
				id := tiles[i%len(tiles)]
				v := c.Version(id)
				s := c.CellSnapshot(id)
				if s.Version < v || !inOrder(s.Items) || len(s.Items) > s.Reach {
					t.Errorf("version went from %d back to %d", v, s.Version)
				}
				if i%16 == 0 {
					if _, err := Restore(c.Checkpoint()); err != nil {
						t.Error(err)
					}
					c.Home()
				}
			}
		})
	}
	for _, e := range entries {
		c.Apply(e)
	}
	close(done)
	readers.Wait()
	checkBooks(t, c, m)
}

// Who watches a server for leaks takes off what ink has to take.
func TestStatsKnowWhatInkTakes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 20_000
	entries := make([]*wire.Entry, n)
	for i := range entries {
		pts := make([]ink.Point, 100)
		x, y := rng.Int64N(5*tile.Units), rng.Int64N(3*tile.Units)
		for k := range pts {
			pts[k] = ink.Point{X: x, Y: y, D: int32(100 + rng.IntN(60))}
			x, y = x+rng.Int64N(160)-50, y+rng.Int64N(160)-80
		}
		s, err := ink.New(tile.At(0, 0, 0), 1, 0x203040ff, pts)
		if err != nil {
			t.Fatal(err)
		}
		b, err := proto.Marshal(&wire.Op{Session: make([]byte, 16), Number: uint64(i + 1), Body: &wire.Op_Stroke{Stroke: s.Wire()}})
		if err != nil {
			t.Fatal(err)
		}
		entries[i] = &wire.Entry{Person: make([]byte, 16), Op: b}
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	c := New()
	for _, e := range entries {
		c.Apply(e)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	took, said := float64(after.HeapAlloc-before.HeapAlloc), float64(c.Stats().Memory)
	if took < 0.75*said || took > 1.25*said {
		t.Errorf("%.0f strokes take %.0f bytes each, %.0f are said", float64(n), took/n, said/n)
	}
	runtime.KeepAlive(entries)
}
