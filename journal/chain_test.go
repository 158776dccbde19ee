package journal_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fractal/journal"
)

var update = flag.Bool("update", false, "write testdata anew")

func id(n int) journal.ID { return journal.ID{15: byte(n), 14: byte(n >> 8)} }

// write returns a log of n records, and its bodies. behind says how many records an author may lag.
func write(t testing.TB, canvas string, n, behind int, rng *rand.Rand) (records []journal.Record, bodies [][]byte) {
	t.Helper()
	reader := journal.NewChain(canvas)
	authors := []*journal.Chain{journal.NewChain(canvas), journal.NewChain(canvas)}
	read := make([]int, len(authors)) // how many records each has opened
	for i := range n {
		a := rng.IntN(len(authors))
		for read[a] < i-rng.IntN(behind+1) {
			if _, err := authors[a].Open(records[read[a]]); err != nil {
				t.Fatalf("an author cannot open record %d: %v", read[a], err)
			}
			read[a]++
		}
		body := make([]byte, rng.IntN(40))
		for k := range body {
			body[k] = byte(rng.Uint32())
		}
		pos := journal.Pos(3*i + 1) // not consecutive
		r := journal.Record{Pos: pos, ID: id(i), Body: authors[a].Seal(id(i), body)}
		records, bodies = append(records, r), append(bodies, body)
		if got, err := reader.Open(r); err != nil || !bytes.Equal(got, body) {
			t.Fatalf("record %d: got %x, %v; want %x", i, got, err, body)
		}
	}
	return records, bodies
}

// served returns the bodies a reader is given before it finds damage.
func served(c *journal.Chain, records []journal.Record) (bodies [][]byte, err error) {
	for _, r := range records {
		body, err := c.Open(r)
		if err != nil {
			return bodies, err
		}
		bodies = append(bodies, body)
	}
	return bodies, nil
}

func TestDamageIsFoundAndNeverServed(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	others, _ := write(t, "another canvas", 30, 0, rng)
	for round := range 300 {
		behind := []int{0, 0, 5}[round%3]
		n := 10 + rng.IntN(30)
		records, bodies := write(t, "x", n, behind, rng)
		i := rng.IntN(n - 8) // followed by records whose authors had it
		r := &records[i]
		what := ""
		switch round % 7 {
		case 0:
			what = "a flipped bit"
			r.Body = bytes.Clone(r.Body)
			r.Body[rng.IntN(len(r.Body))] ^= 1 << rng.IntN(8)
		case 1:
			what = "a cut record"
			r.Body = r.Body[:rng.IntN(len(r.Body))]
		case 2:
			what = "another id"
			r.ID[3] ^= 1
		case 3:
			what = "a lost record"
			records = slices.Delete(records, i, i+1)
		case 4:
			what = "two records exchanged"
			records[i].ID, records[i+1].ID = records[i+1].ID, records[i].ID
			records[i].Body, records[i+1].Body = records[i+1].Body, records[i].Body
			if behind > 0 {
				continue // a legal order of authors who did not know of each other
			}
		case 5:
			what = "a record of another canvas"
			r.ID, r.Body = others[i%30].ID, others[i%30].Body
		case 6:
			what = "a record twice"
			records = slices.Insert(records, i+1, records[i])
		}
		got, err := served(journal.NewChain("x"), records)
		if !errors.Is(err, journal.ErrCorrupt) {
			t.Errorf("seed %d round %d: %s at %d of %d was not found: %v", seed, round, what, i, n, err)
		}
		// With authors lagging behind, a loss shows when the first record arrives whose author knew better.
		if what == "a lost record" || what == "a record of another canvas" || behind > 0 {
			continue
		}
		for k := range got {
			if !bytes.Equal(got[k], bodies[k]) {
				t.Errorf("seed %d round %d: %s at %d: record %d was served altered", seed, round, what, i, k)
			}
		}
	}
}

func TestResumedChainGoesOnWhereTheSnapshotWas(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	records, _ := write(t, "x", 20, 0, rng)
	c := journal.NewChain("x")
	if _, err := served(c, records[:10]); err != nil {
		t.Fatal(err)
	}
	if _, err := served(journal.ResumeChain(c.Head()), records[10:]); err != nil {
		t.Errorf("resumed at the right place: %v", err)
	}
	pos, link := c.Head()
	link[0] ^= 1
	if _, err := served(journal.ResumeChain(pos, link), records[10:]); !errors.Is(err, journal.ErrCorrupt) {
		t.Errorf("resumed from another history: %v, want ErrCorrupt", err)
	}
	if _, err := served(journal.NewChain("x"), records[10:]); !errors.Is(err, journal.ErrCorrupt) {
		t.Errorf("a log whose beginning is gone: %v, want ErrCorrupt", err)
	}
	if _, err := served(c, records[12:]); !errors.Is(err, journal.ErrCorrupt) {
		t.Errorf("a gap after the snapshot: %v, want ErrCorrupt", err)
	}
	if at, _ := c.Head(); at != pos {
		t.Errorf("a chain moved from %d to %d by a record it refused", pos, at)
	}
}

// Version 1 of the frame is readable for ever. One line a record: position, id, frame.
func TestFramesOfVersion1(t *testing.T) {
	path := filepath.Join("testdata", "v1", "log.txt")
	want := []string{"", "a", "the third record"}
	if *update {
		c := journal.NewChain("sample")
		var b strings.Builder
		for i, body := range want {
			r := journal.Record{Pos: journal.Pos(10 * (i + 1)), ID: id(i), Body: c.Seal(id(i), []byte(body))}
			if _, err := c.Open(r); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%d %x %x\n", r.Pos, r.ID, r.Body)
		}
		_, link := c.Head()
		fmt.Fprintf(&b, "link %x\n", link)
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(file)), "\n")
	c := journal.NewChain("sample")
	for i, w := range want {
		var r journal.Record
		var rid, body string
		if _, err := fmt.Sscan(lines[i], &r.Pos, &rid, &body); err != nil {
			t.Fatal(err)
		}
		b, _ := hex.DecodeString(rid)
		copy(r.ID[:], b)
		r.Body, _ = hex.DecodeString(body)
		if sealed := c.Seal(r.ID, []byte(w)); !bytes.Equal(sealed, r.Body) {
			t.Errorf("record %d is sealed as\n%x, the sample is\n%x", i, sealed, r.Body)
		}
		if got, err := c.Open(r); err != nil || string(got) != w {
			t.Errorf("record %d: got %q, %v; want %q", i, got, err, w)
		}
	}
	if _, link := c.Head(); lines[len(want)] != fmt.Sprintf("link %x", link) {
		t.Errorf("got link %x, the sample has %s", link, lines[len(want)])
	}
}

func FuzzOpenAcceptsOnlyWhatWasSealed(f *testing.F) {
	c := journal.NewChain("x")
	f.Add(c.Seal(id(1), []byte("body")))
	f.Add([]byte{})
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, frame []byte) {
		c := journal.NewChain("x")
		body, err := c.Open(journal.Record{Pos: 1, ID: id(1), Body: frame})
		if err != nil {
			if !errors.Is(err, journal.ErrCorrupt) {
				t.Fatalf("got %v, want ErrCorrupt", err)
			}
			return
		}
		if again := journal.NewChain("x").Seal(id(1), body); !bytes.Equal(again, frame) {
			t.Fatalf("accepted %x, but sealing its body gives %x", frame, again)
		}
	})
}

func BenchmarkSealAndOpen1KiB(b *testing.B) {
	c, body := journal.NewChain("x"), make([]byte, 1<<10)
	b.SetBytes(1 << 10)
	b.ReportAllocs()
	for i := 1; b.Loop(); i++ {
		if _, err := c.Open(journal.Record{Pos: journal.Pos(i), ID: id(1), Body: c.Seal(id(1), body)}); err != nil {
			b.Fatal(err)
		}
	}
}
