package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fractal/journal"
)

func openBlobs(t *testing.T, dir string) *journal.Blobs {
	t.Helper()
	b, err := journal.OpenBlobs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func snapshot(pos journal.Pos, body string) journal.Snapshot {
	return journal.Snapshot{Pos: pos, Link: journal.Link{0: byte(pos), 1: 9}, Body: []byte(body)}
}

func put(t *testing.T, b *journal.Blobs, canvas string, s journal.Snapshot) journal.Pos {
	t.Helper()
	trim, err := b.Put(canvas, s)
	if err != nil {
		t.Fatal(err)
	}
	return trim
}

func files(t *testing.T, dir string) (paths []string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			paths = append(paths, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestNewestSnapshotWinsAndTwoAreKept(t *testing.T) {
	dir := t.TempDir()
	b := openBlobs(t, dir)
	if _, ok, err := b.Newest("x"); ok || err != nil {
		t.Errorf("a canvas without snapshots: %v, %v", ok, err)
	}
	// The log may go only through what a second valid snapshot stands for.
	for i, want := range []journal.Pos{0, 5, 90, 700} {
		pos := []journal.Pos{5, 90, 700, 1 << 40}[i]
		if trim := put(t, b, "x", snapshot(pos, fmt.Sprint("at ", pos))); trim != want {
			t.Errorf("after the snapshot at %d the log may be trimmed through %d, want %d", pos, trim, want)
		}
	}
	s, ok, err := b.Newest("x")
	if !ok || err != nil || s.Pos != 1<<40 || string(s.Body) != "at 1099511627776" || s.Link != snapshot(1<<40, "").Link {
		t.Errorf("got %+v, %v, %v", s, ok, err)
	}
	if got := files(t, dir); len(got) != 2 {
		t.Errorf("kept %d files: %q", len(got), got)
	}
	if trim := put(t, b, "x", s); trim != 700 {
		t.Errorf("the same snapshot again: trim %d", trim)
	}
}

func TestDamagedSnapshotIsSkippedAndTold(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for round := range 60 {
		dir := t.TempDir()
		b := openBlobs(t, dir)
		put(t, b, "x", snapshot(1, "old"))
		put(t, b, "x", snapshot(2, "new"))
		newest := files(t, dir)[1]
		file, err := os.ReadFile(newest)
		if err != nil {
			t.Fatal(err)
		}
		if round%2 == 0 {
			file[rng.IntN(len(file))] ^= 1 << rng.IntN(8)
		} else {
			file = file[:rng.IntN(len(file))]
		}
		if err := os.WriteFile(newest, file, 0o600); err != nil {
			t.Fatal(err)
		}
		s, ok, err := b.Newest("x")
		if !ok || string(s.Body) != "old" || !errors.Is(err, journal.ErrCorrupt) || !strings.Contains(err.Error(), newest) {
			t.Fatalf("seed %d round %d: got %q, %v, %v", seed, round, s.Body, ok, err)
		}
		// The damaged one does not count among the two that are kept.
		if trim := put(t, b, "x", snapshot(3, "newer")); trim != 1 {
			t.Fatalf("seed %d round %d: trim through %d, want 1", seed, round, trim)
		}
	}
}

func TestSnapshotOfAnotherCanvasOrPlaceIsSkipped(t *testing.T) {
	dir := t.TempDir()
	b := openBlobs(t, dir)
	put(t, b, "x", snapshot(1, "of x"))
	put(t, b, "y", snapshot(2, "of y"))
	f := files(t, dir)
	for _, to := range []string{filepath.Base(f[1]), strings.Replace(filepath.Base(f[0]), "01-", "07-", 1)} {
		from := f[0]
		if to == filepath.Base(f[1]) {
			from = f[1]
		}
		file, _ := os.ReadFile(from)
		path := filepath.Join(filepath.Dir(f[0]), to)
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, ok, err := b.Newest("x"); !ok || string(s.Body) != "of x" || !errors.Is(err, journal.ErrCorrupt) {
			t.Errorf("%s: got %q, %v, %v", to, s.Body, ok, err)
		}
		os.Remove(path)
	}
}

func TestHalfWrittenSnapshotIsNoSnapshot(t *testing.T) {
	dir := t.TempDir()
	b := openBlobs(t, dir)
	put(t, b, "x", snapshot(1, "one"))
	f := files(t, dir)[0]
	half := strings.Replace(f, "01-", "02-", 1) + ".new"
	if err := os.WriteFile(half, []byte("FRAC"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, ok, err := b.Newest("x"); !ok || err != nil || s.Pos != 1 {
		t.Errorf("got %+v, %v, %v", s, ok, err)
	}
	put(t, b, "x", snapshot(3, "three"))
	put(t, b, "x", snapshot(4, "four"))
	if got := files(t, dir); len(got) != 2 {
		t.Errorf("what a crash left stays: %q", got)
	}
}

func TestCanvasNamesStayInTheirFolder(t *testing.T) {
	outer := t.TempDir()
	b := openBlobs(t, filepath.Join(outer, "a", "b"))
	long := strings.Repeat("Ä", journal.MaxName/2)
	names := []string{"x", "X", ".", "..", "../x", "../../x", "/etc/passwd", "a/b", `a\b`, "=58", "=2e", "con:", "\x01", "a b", long, long[:len(long)-2] + "ä", "=long-0", "漢字"}
	for _, n := range names {
		put(t, b, n, snapshot(1, n))
	}
	for _, n := range names {
		if s, ok, err := b.Newest(n); !ok || err != nil || string(s.Body) != n {
			t.Errorf("canvas %q: got %q, %v, %v", n, s.Body, ok, err)
		}
	}
	folders := map[string]bool{}
	for _, f := range files(t, outer) {
		rel, err := filepath.Rel(filepath.Join(outer, "a", "b"), f)
		if err != nil || strings.Count(rel, string(filepath.Separator)) != 1 || strings.HasPrefix(rel, ".") {
			t.Errorf("a snapshot landed at %q", f)
		}
		folders[strings.ToLower(filepath.Dir(f))] = true
	}
	if len(folders) != len(names) {
		t.Errorf("%d names share %d folders", len(names), len(folders))
	}
	if _, err := b.Put("", snapshot(1, "")); err == nil {
		t.Error("a canvas without a name was accepted")
	}
}

func TestCopiedSnapshotsAreWhole(t *testing.T) {
	dir := t.TempDir()
	from, to := openBlobs(t, filepath.Join(dir, "from")), openBlobs(t, filepath.Join(dir, "to"))
	put(t, from, "x", snapshot(1, "one"))
	put(t, from, "x", snapshot(2, "two"))
	put(t, from, "../y", snapshot(3, "three"))
	bad := files(t, filepath.Join(dir, "from"))[2]
	if err := os.Truncate(bad, 20); err != nil {
		t.Fatal(err)
	}
	if err := from.Copy(to); err != nil {
		t.Errorf("a damaged snapshot stopped the copy: %v", err)
	}
	for canvas, want := range map[string]string{"x": "one", "../y": "three"} {
		if s, ok, err := to.Newest(canvas); !ok || err != nil || string(s.Body) != want {
			t.Errorf("%q: got %q, %v, %v", canvas, s.Body, ok, err)
		}
	}
}

// Version 1 of the snapshot file is readable for ever.
func TestSnapshotOfVersion1(t *testing.T) {
	dir := filepath.Join("testdata", "v1", "snapshots")
	want := journal.Snapshot{Pos: 30, Link: journal.Link{1, 2, 3}, Body: []byte("the state of the sample")}
	if *update {
		put(t, openBlobs(t, dir), "sample", want)
	}
	s, ok, err := openBlobs(t, dir).Newest("sample")
	if !ok || err != nil || s.Pos != want.Pos || s.Link != want.Link || !bytes.Equal(s.Body, want.Body) {
		t.Errorf("got %+v, %v, %v", s, ok, err)
	}
}
