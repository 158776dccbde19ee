package canvas

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"fractal/tile"
	"fractal/wire"
)

func terminalNamed(name string) *wire.Op {
	return &wire.Op{Body: &wire.Op_Terminal{Terminal: &wire.Terminal{Home: &wire.Tile{}, Box: &wire.Box{MaxX: 8192, MaxY: 6144}, Name: name, Cols: 100, Rows: 30}}}
}

func names(c *Canvas) (list []string) {
	items, _ := c.Terminals()
	for _, i := range items {
		list = append(list, i.Terminal.Name())
	}
	return list
}

func TestTerminalsAreUndoneLikeStrokesAndKeepTheirNamesApart(t *testing.T) {
	c := New()
	in, out := tile.At(3, 1, 1), tile.At(3, 8, 0)
	undo, redo := &wire.Op{Body: &wire.Op_Undo{Undo: &wire.Undo{}}}, &wire.Op{Body: &wire.Op_Redo{Redo: &wire.Redo{}}}
	r := say(t, c, 1, terminalNamed("build"))
	if r.Outcome != Applied || r.Terminal == nil || !r.Damage.Touches(in) || r.Damage.Touches(out) {
		t.Fatalf("%v %q, damage %+v", r.Outcome, r.Reason, r.Damage)
	}
	if r := say(t, c, 2, terminalNamed("build")); r.Outcome != Quarantined || !strings.Contains(r.Reason, "named build") {
		t.Fatalf("a second one of the name: %v %q", r.Outcome, r.Reason)
	}
	say(t, c, 3, terminalNamed("log"))
	say(t, c, 4, undo)
	if r := say(t, c, 5, undo); !r.Damage.Terminal || r.Damage.Ink {
		t.Errorf("damage of an undo %+v", r.Damage)
	}
	if items, v := c.TerminalsAt(in); len(items) != 0 || v != 5 {
		t.Fatalf("after two undos %d terminals of version %d", len(items), v)
	}
	if items, v := c.TerminalsAt(out); len(items) != 0 || v != 0 {
		t.Fatalf("beside it: %d terminals of version %d", len(items), v)
	}
	say(t, c, 6, redo)
	restored, err := Restore(c.Checkpoint())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Canvas{c, restored} {
		// Somebody else takes the name of the one that is hidden.
		op := terminalNamed("log")
		op.Session, op.Number = bytes.Repeat([]byte{9}, 16), 1
		b, _ := proto.Marshal(op)
		if r := c.Apply(&wire.Entry{Person: bytes.Repeat([]byte{8}, 16), Op: b}); r.Outcome != Applied {
			t.Fatalf("%v %q", r.Outcome, r.Reason)
		}
		if r := say(t, c, 7, redo); r.Damage.Terminal || !slices.Equal(names(c), []string{"build", "log"}) {
			t.Fatalf("shown again beside its namesake: %v", names(c))
		}
		if s := c.Stats(); s.Terminals != 2 || s.Strokes != 0 || s.Hidden != 0 {
			t.Errorf("stats %+v", s)
		}
		if _, changed := c.Terminals(); changed != 7 {
			t.Errorf("the list changed with %d, want 7", changed)
		}
		if id, ok := c.Home(); !ok || id.Level() > 1 {
			t.Errorf("home %v, %v", id, ok)
		}
		for range c.All() {
			t.Error("a terminal is exported as a stroke")
		}
	}
	if !bytes.Equal(restored.Checkpoint(), c.Checkpoint()) {
		t.Fatal("a restored canvas goes on otherwise")
	}
}

func TestTerminalsThatCannotBeAreRefusedInWords(t *testing.T) {
	for what, spoil := range map[string]func(*wire.Terminal){
		"no home":     func(m *wire.Terminal) { m.Home = nil },
		"no box":      func(m *wire.Terminal) { m.Box = nil },
		"no size":     func(m *wire.Terminal) { m.Box.MaxX = 0 },
		"inside out":  func(m *wire.Terminal) { m.Box.MinY = 9000 },
		"far away":    func(m *wire.Terminal) { m.Box.MaxX = tile.MaxLocal + 1 },
		"no name":     func(m *wire.Terminal) { m.Name = "" },
		"long name":   func(m *wire.Terminal) { m.Name = strings.Repeat("x", 65) },
		"path":        func(m *wire.Terminal) { m.Name = "a/b" },
		"dots":        func(m *wire.Terminal) { m.Name = ".." },
		"flag":        func(m *wire.Terminal) { m.Name = "--x" },
		"blank":       func(m *wire.Terminal) { m.Name = "a b" },
		"not ASCII":   func(m *wire.Terminal) { m.Name = "größe" },
		"escape":      func(m *wire.Terminal) { m.Name = "a\x1b" },
		"many cols":   func(m *wire.Terminal) { m.Cols = 1025 },
		"many rows":   func(m *wire.Terminal) { m.Rows = 1 << 31 },
		"level":       func(m *wire.Terminal) { m.Home.Level = 1 << 30 },
		"coordinates": func(m *wire.Terminal) { m.Home.X = bytes.Repeat([]byte{1}, 20000) },
	} {
		m := terminalNamed("fine").GetTerminal()
		spoil(m)
		if _, err := NewTerminal(m); !errors.Is(err, ErrTerminal) {
			t.Errorf("%s: %v", what, err)
		}
	}
	c := New()
	for i := range MaxTerminals {
		say(t, c, uint64(i+1), terminalNamed(fmt.Sprint("t", i)))
	}
	if r := say(t, c, 1000, terminalNamed("more")); r.Outcome != Quarantined || !strings.Contains(r.Reason, "as many as it can") || len(names(c)) != MaxTerminals {
		t.Errorf("one too many: %v %q", r.Outcome, r.Reason)
	}
}

func TestTheNewestGrantCounts(t *testing.T) {
	c := New()
	ada, bob := Person(bytes.Repeat([]byte{5}, 16)), Person(bytes.Repeat([]byte{6}, 16))
	give := func(n uint64, who []byte, role uint32) Result {
		return say(t, c, n, &wire.Op{Body: &wire.Op_Grant{Grant: &wire.Grant{Person: who, Role: role}}})
	}
	give(1, ada[:], 1)
	give(2, bob[:], 2)
	give(3, ada[:], 2)
	give(4, bob[:], 0)
	if r := give(5, ada[:15], 0); r.Outcome != Quarantined {
		t.Errorf("a grant to nobody: %v", r.Outcome)
	}
	if r := give(6, ada[:], 3); r.Outcome != Quarantined {
		t.Errorf("a role there is not: %v", r.Outcome)
	}
	restored, err := Restore(c.Checkpoint())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Canvas{c, restored} {
		if c.Role(ada) != RoleOwn || c.Role(bob) != RoleView || c.Role(Person{}) != RoleView {
			t.Errorf("roles %d, %d, %d", c.Role(ada), c.Role(bob), c.Role(Person{}))
		}
	}
	if !bytes.Equal(restored.Checkpoint(), c.Checkpoint()) {
		t.Error("a restored canvas has another checkpoint")
	}
	// An undo takes back what is seen, not a right.
	say(t, c, 7, &wire.Op{Body: &wire.Op_Undo{Undo: &wire.Undo{}}})
	if c.Role(ada) != RoleOwn {
		t.Error("an undo took a right")
	}
}

func TestCheckpointsWithTerminalsThatCannotBeAreRefused(t *testing.T) {
	c := New()
	say(t, c, 1, terminalNamed("a"))
	say(t, c, 2, terminalNamed("b"))
	say(t, c, 3, &wire.Op{Body: &wire.Op_Grant{Grant: &wire.Grant{Person: bytes.Repeat([]byte{5}, 16), Role: 1}}})
	for what, spoil := range map[string]func(*wire.Checkpoint){
		"two of a name":   func(m *wire.Checkpoint) { m.Items[1].Terminal = m.Items[0].Terminal },
		"two things":      func(m *wire.Checkpoint) { m.Items[1].Place = []byte{1} },
		"garbage":         func(m *wire.Checkpoint) { m.Items[0].Terminal = []byte{1} },
		"a role there is": func(m *wire.Checkpoint) { m.Grants[0].Role = 9 },
		"nobody":          func(m *wire.Checkpoint) { m.Grants[0].Person = nil },
		"twice":           func(m *wire.Checkpoint) { m.Grants = append(m.Grants, m.Grants[0]) },
	} {
		var m wire.Checkpoint
		if err := proto.Unmarshal(c.Checkpoint(), &m); err != nil {
			t.Fatal(err)
		}
		spoil(&m)
		b, _ := proto.Marshal(&m)
		if _, err := Restore(b); !errors.Is(err, ErrCheckpoint) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestTerminalsAreRemovedWhoeverPlacedThem(t *testing.T) {
	c := New()
	other := func(n uint64, body *wire.Op) Result {
		t.Helper()
		body.Session, body.Number = bytes.Repeat([]byte{9}, 16), n
		b, err := proto.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		return c.Apply(&wire.Entry{Person: bytes.Repeat([]byte{8}, 16), Op: b})
	}
	undo, redo := &wire.Op{Body: &wire.Op_Undo{Undo: &wire.Undo{}}}, &wire.Op{Body: &wire.Op_Redo{Redo: &wire.Redo{}}}
	remove := func(seq uint64) *wire.Op { return &wire.Op{Body: &wire.Op_Remove{Remove: &wire.Remove{Seq: seq}}} }
	shows := func(want ...string) {
		t.Helper()
		restored, err := Restore(c.Checkpoint())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(restored.Checkpoint(), c.Checkpoint()) {
			t.Fatal("a restored canvas has another checkpoint")
		}
		for i, c := range []*Canvas{c, restored} {
			if got := names(c); !slices.Equal(got, want) {
				t.Fatalf("canvas %d shows %v, want %v", i, got, want)
			}
			here := make([]TerminalsHere, 2)
			c.TerminalsAtEach([]tile.ID{tile.At(3, 1, 1), tile.At(0, 1<<40, 0)}, here)
			if n := len(here[0].Items); n != len(want) || len(here[1].Items) != 0 {
				t.Fatalf("%d terminals at one of two tiles, not %d; %d at the other", n, len(want), len(here[1].Items))
			}
			if items, _ := c.TerminalsAt(tile.At(3, 1, 1)); len(items) != len(want) {
				t.Fatalf("canvas %d: %d terminals on the tile, want %d", i, len(items), len(want))
			}
			if s := c.Stats(); s.Terminals != len(want) || s.Strokes != 0 || s.Hidden != 0 {
				t.Fatalf("canvas %d: stats %+v", i, s)
			}
			if _, _, ok := c.Extent(); ok != (len(want) > 0) {
				t.Fatalf("canvas %d: an extent %v with %d terminals", i, ok, len(want))
			}
		}
	}
	place := say(t, c, 1, terminalNamed("build"))
	if r := other(1, remove(uint64(place.Seq))); r.Outcome != Applied || !r.Damage.Terminal {
		t.Fatalf("%v %q %+v", r.Outcome, r.Reason, r.Damage)
	}
	shows()
	if r := other(2, remove(uint64(place.Seq))); r.Outcome != Quarantined {
		t.Errorf("what is gone was removed: %v", r.Outcome)
	}
	for i, seq := range []uint64{0, 999, 2} {
		if r := other(uint64(3+i), remove(seq)); r.Outcome != Quarantined {
			t.Errorf("number %d was removed: %v", seq, r.Outcome)
		}
	}
	other(2000, undo)
	shows("build")
	other(2001, redo)
	shows()
	say(t, c, 2, undo) // the placer takes it back too: nothing is seen of it
	shows()
	say(t, c, 3, redo)
	shows()
	// The name is free, and while it is taken the removal cannot be taken back.
	say(t, c, 4, terminalNamed("build"))
	shows("build")
	other(2002, undo)
	shows("build")
	say(t, c, 5, undo)
	shows()
	other(2003, undo)
	shows("build")
}
