package canvas

import (
	"bytes"
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	"fractal/tile"
	"fractal/wire"
)

// TestCheckpointIsTheWholeState cuts a log anywhere: what a restored canvas does with the rest is what the first one does.
func TestCheckpointIsTheWholeState(t *testing.T) {
	for n := range uint64(6) {
		w := newWorld(source(t, 100+n))
		w.terminals = n%2 == 0
		whole, m := New(), newModel()
		var cut *Canvas
		at := w.IntN(300)
		for i := range 300 {
			if i == at {
				b := whole.Checkpoint()
				var err error
				if cut, err = Restore(b); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(cut.Checkpoint(), b) {
					t.Fatal("a restored canvas is another")
				}
				checkSums(t, &cut.index.root)
			}
			a := w.act(t, m)
			m.apply(a)
			want := whole.Apply(a.entry(t))
			if cut == nil {
				continue
			}
			got := cut.Apply(a.entry(t))
			if got.Stroke != nil && want.Stroke != nil {
				got.Stroke = want.Stroke
			}
			if got.Terminal != nil && want.Terminal != nil {
				got.Terminal = want.Terminal
			}
			if got != want {
				t.Fatalf("cut at %d, op %d: got %+v, want %+v", at, i, got, want)
			}
			checkLook(t, cut, m, []Ask{{w.near(), Seq(w.IntN(i + 2)), 1000, true}, {w.near(), 0, 10, false}})
			checkSnapshot(t, cut, m, w.near())
			checkTerminals(t, cut, m, w.near())
		}
		if cut.Hash() != whole.Hash() {
			t.Fatalf("cut at %d: the ends differ", at)
		}
		checkBooks(t, cut, m)
	}
}

func sample(t testing.TB) *Canvas {
	w := newWorld(source(t, 50))
	c, m := New(), newModel()
	for range 60 {
		a := w.act(t, m)
		m.apply(a)
		c.Apply(a.entry(t))
	}
	for id, s := range m.sessions { // so that everybody could redo
		c.Apply(act{who: s.who, session: id, number: s.highest + 1, verb: "undo"}.entry(t))
	}
	return c
}

// TestCheckpointIsProtobuf reads the hand-written bytes with the library.
func TestCheckpointIsProtobuf(t *testing.T) {
	c := sample(t)
	b := c.Checkpoint()
	var m wire.Checkpoint
	if err := proto.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	again, err := proto.MarshalOptions{Deterministic: true}.Marshal(&m)
	if err != nil || !bytes.Equal(again, b) {
		t.Fatalf("the library writes %d bytes, we %d; %v", len(again), len(b), err)
	}
	if len(m.ProtoReflect().GetUnknown()) > 0 || len(m.Items) != len(c.items) || len(m.Redo) == 0 {
		t.Fatalf("%d strokes, %d redo stacks", len(m.Items), len(m.Redo))
	}
}

func TestRestoreRefusesWhatCannotBe(t *testing.T) {
	b := sample(t).Checkpoint()
	for name, spoil := range map[string]func(*wire.Checkpoint){
		"a stroke of nobody":           func(m *wire.Checkpoint) { m.Items[0].Person = 99 },
		"strokes out of order":         func(m *wire.Checkpoint) { m.Items[0], m.Items[1] = m.Items[1], m.Items[0] },
		"a stroke from the future":     func(m *wire.Checkpoint) { m.Seq = m.Items[len(m.Items)-1].Seq - 1 },
		"a stroke hidden at no time":   func(m *wire.Checkpoint) { m.Items[0].Hidden, m.Items[0].Changed = true, 0 },
		"a change before the stroke":   func(m *wire.Checkpoint) { m.Items[2].Changed = m.Items[1].Seq },
		"a stroke that is not one":     func(m *wire.Checkpoint) { m.Items[0].Stroke = m.Items[0].Stroke[:3] },
		"a person twice":               func(m *wire.Checkpoint) { m.Persons[1] = m.Persons[0] },
		"a person of 15 bytes":         func(m *wire.Checkpoint) { m.Persons[0] = m.Persons[0][:15] },
		"a session twice":              func(m *wire.Checkpoint) { m.Sessions[1].Session = m.Sessions[0].Session },
		"a session of nobody":          func(m *wire.Checkpoint) { m.Sessions[0].Person = 99 },
		"redo of a stroke not there":   func(m *wire.Checkpoint) { m.Redo[0].Seqs[0] = m.Seq + 1 },
		"redo twice":                   func(m *wire.Checkpoint) { m.Redo[0].Seqs = append(m.Redo[0].Seqs, m.Redo[0].Seqs[0]) },
		"redo of somebody else":        func(m *wire.Checkpoint) { m.Redo[0].Person = (m.Redo[0].Person + 1) % uint32(len(m.Persons)) },
		"a quarantined op of the past": func(m *wire.Checkpoint) { m.Quarantined[0].Seq = 0 },
		"translucent paper":            func(m *wire.Checkpoint) { m.Paper = 0 },
	} {
		var m wire.Checkpoint
		if err := proto.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		spoil(&m)
		bad, err := proto.Marshal(&m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Restore(bad); !errors.Is(err, ErrCheckpoint) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for cut := range len(b) {
		if cut%7 == 0 {
			if c, err := Restore(b[:cut]); err == nil && bytes.Equal(c.Checkpoint(), b) {
				t.Errorf("%d of %d bytes are enough", cut, len(b))
			}
		}
	}
}

func FuzzRestore(f *testing.F) {
	f.Add(New().Checkpoint())
	c := New()
	c.Apply(act{who: Person{1}, session: Session{1}, number: 1, verb: "draw", stroke: dot(f, tile.At(5, -1, 1))}.entry(f))
	c.Apply(act{who: Person{1}, session: Session{1}, number: 2, verb: "undo"}.entry(f))
	c.Apply(act{who: Person{1}, session: Session{1}, number: 3, verb: "bad"}.entry(f))
	f.Add(c.Checkpoint())
	for i, op := range []*wire.Op{terminalNamed("x"), terminalNamed("y"), {Body: &wire.Op_Remove{Remove: &wire.Remove{Seq: 4}}}, {Body: &wire.Op_Place{Place: homePlace()}},
		{Body: &wire.Op_Grant{Grant: &wire.Grant{Person: make([]byte, len(Person{})), Role: uint32(RoleType)}}}, {Body: &wire.Op_Undo{Undo: &wire.Undo{}}}} {
		op.Session, op.Number = make([]byte, len(Session{})), uint64(i+1)
		body, err := proto.Marshal(op)
		if err != nil {
			f.Fatal(err)
		}
		c.Apply(&wire.Entry{Person: append([]byte{1}, make([]byte, len(Person{})-1)...), Op: body})
	}
	f.Add(c.Checkpoint())
	undo := act{who: Person{1}, session: Session{9}, number: 1, verb: "undo"}.entry(f)
	redo := act{who: Person{1}, session: Session{9}, number: 2, verb: "redo"}.entry(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Restore(b)
		if err != nil {
			return
		}
		one := c.Checkpoint()
		d, err := Restore(one)
		if err != nil || !bytes.Equal(d.Checkpoint(), one) {
			t.Fatalf("what was restored cannot be kept: %v", err)
		}
		c.Apply(undo)
		c.Apply(redo)
		c.Home()
		c.Terminals()
		c.TerminalsAt(tile.ID{})
		c.CellSnapshot(tile.ID{})
	})
}

// FuzzApply reads a log of two people from the fuzzer and holds the canvas to replay, checkpoint and its own sums.
func FuzzApply(f *testing.F) {
	for _, verb := range []string{"draw", "undo", "bad"} {
		f.Add(act{who: Person{1}, session: Session{1}, number: 1, verb: verb, stroke: dot(f, tile.At(0, -1, 0))}.entry(f).Op, uint8(1))
	}
	f.Fuzz(func(t *testing.T, op []byte, n uint8) {
		c := New()
		c.Apply(act{who: Person{1}, session: Session{1}, number: 1, verb: "draw", stroke: dot(t, tile.ID{})}.entry(t))
		for i := range n%8 + 1 {
			c.Apply(&wire.Entry{Person: append([]byte{i % 2}, make([]byte, 15)...), Op: op})
		}
		checkSums(t, &c.index.root)
		b := c.Checkpoint()
		d, err := Restore(b)
		if err != nil || !bytes.Equal(d.Checkpoint(), b) {
			t.Fatalf("a canvas that cannot be kept: %v", err)
		}
		if id, ok := c.Home(); ok && len(c.CellSnapshot(id).Items) == 0 {
			t.Fatalf("home %v shows nothing", id)
		}
	})
}
