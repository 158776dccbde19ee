package canvas

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"fractal/tile"
	"fractal/wire"
)

var update = flag.Bool("update", false, "write samples that are not there yet; what is there stays as it is")

// keptOps is a small canvas of two people: what the files of testdata/v1 were made of.
func keptOps(t testing.TB, c *Canvas, terminals bool) {
	n := map[byte]uint64{}
	do := func(who byte, verb string, set func(*act)) {
		n[who]++
		a := act{who: Person{who}, session: Session{who}, number: n[who], verb: verb}
		if set != nil {
			set(&a)
		}
		if r := c.Apply(a.entry(t)); r.Outcome != Applied && verb != "bad" {
			t.Fatalf("%s: %+v", verb, r)
		}
	}
	draw := func(at tile.ID) func(*act) { return func(a *act) { a.stroke = dot(t, at) } }
	do(1, "draw", draw(tile.At(0, 0, 0)))
	do(1, "draw", draw(tile.At(300, -5, 7)))
	do(2, "draw", draw(tile.At(-9, 1, -1)))
	do(2, "paper", func(a *act) { a.paper = 0x203040ff })
	do(2, "bad", nil)
	do(1, "undo", nil)
	if !terminals {
		return
	}
	place := func(name string) func(*act) {
		return func(a *act) {
			a.terminal = &wire.Terminal{Home: &wire.Tile{Level: 2}, Box: &wire.Box{MinX: -5, MinY: 7, MaxX: 20000, MaxY: 9000}, Name: name, Cols: 100, Rows: 30}
		}
	}
	do(2, "terminal", place("build"))
	do(2, "terminal", place("log-2.x"))
	do(2, "undo", nil)
	do(2, "grant", func(a *act) { a.grant = &wire.Grant{Person: bytes.Repeat([]byte{7}, 16), Role: 1} })
}

// Files of testdata/v1 are never written again: what was kept once is read for ever, also what was kept before there were terminals.
func TestCheckpointsKeptByVersion1AreReadForEver(t *testing.T) {
	for file, terminals := range map[string]bool{"checkpoint.bin": false, "checkpoint-terminals.bin": true} {
		made := New()
		keptOps(t, made, terminals)
		name := filepath.Join("testdata", "v1", file)
		b, err := os.ReadFile(name)
		if os.IsNotExist(err) && *update {
			b = made.Checkpoint()
			os.MkdirAll(filepath.Dir(name), 0o755)
			err = os.WriteFile(name, b, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		c, err := Restore(b)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if got, want := c.Stats(), made.Stats(); got != want {
			t.Errorf("%s holds %+v, want %+v", file, got, want)
		}
		if c.Hash() != made.Hash() {
			t.Errorf("%s is another canvas than its ops make", file)
		}
		list, at := c.Terminals()
		if terminals != (len(list) == 1 && list[0].Terminal.Name() == "build" && at == 9) || !terminals && at != 0 {
			t.Errorf("%s: %d terminals as of %d", file, len(list), at)
		}
		if role := c.Role(Person(bytes.Repeat([]byte{7}, 16))); terminals != (role == RoleType) {
			t.Errorf("%s: role %d", file, role)
		}
	}
}
