package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fractal/journal"
	"fractal/journal/journaltest"
)

func (j *Journal) pragma(t *testing.T, text string) {
	t.Helper()
	if err := j.run(t.Context(), func(w *writer) error {
		_, err := w.conn.ExecContext(context.Background(), "PRAGMA "+text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestFullDiskRefusesAndGoesOnWhenThereIsSpace(t *testing.T) {
	j := open(t, t.TempDir())
	full := func(t *testing.T, j *Journal) (kept int) {
		for n := range 3000 {
			_, err := j.Append(t.Context(), "x", journaltest.ID(n), make([]byte, 4000))
			if errors.Is(err, journal.ErrFull) {
				return n
			}
			if err != nil {
				t.Fatalf("append %d: got %v, want ErrFull", n, err)
			}
		}
		t.Fatal("never full")
		return 0
	}
	check := func(t *testing.T, j *Journal, kept int) {
		if got := len(journaltest.Read(t, j, "x", 0)); got != kept {
			t.Errorf("reading while the disk is full: %d records, %d were kept", got, kept)
		}
	}
	t.Run("a limit of pages", func(t *testing.T) {
		j.pragma(t, "max_page_count=300")
		kept := full(t, j)
		check(t, j, kept)
		if _, err := j.Append(t.Context(), "another", journaltest.ID(1), make([]byte, 9000)); !errors.Is(err, journal.ErrFull) {
			t.Errorf("another canvas: got %v, want ErrFull", err)
		}
		j.pragma(t, "max_page_count=100000")
		if pos := journaltest.Append(t, j, "x", kept, "fits now"); pos != journal.Pos(kept+1) {
			t.Errorf("got position %d after %d records", pos, kept)
		}
		journaltest.Append(t, j, "another", 1, "fits too")
		check(t, j, kept+1)
	})
	dir, ok := smallDisk(t)
	if !ok {
		t.Log("no small disk can be mounted here: only the limit of pages was tried")
		return
	}
	t.Run("a small disk", func(t *testing.T) {
		ballast := filepath.Join(dir, "ballast")
		if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		j := open(t, filepath.Join(dir, "data"))
		kept := full(t, j)
		check(t, j, kept)
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		if pos := journaltest.Append(t, j, "x", kept, "fits now"); pos != journal.Pos(kept+1) {
			t.Errorf("got position %d after %d records", pos, kept)
		}
		check(t, j, kept+1)
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("a folder that cannot be written", func(t *testing.T) {
		readOnly(t, dir)
		for _, d := range []string{"data", "new"} {
			if _, err := Open(filepath.Join(dir, d)); !errors.Is(err, journal.ErrReadOnly) {
				t.Errorf("%s: got %v, want ErrReadOnly", d, err)
			}
		}
	})
}

func TestReadOnlyDatabaseSaysSoAndRecovers(t *testing.T) {
	j := open(t, t.TempDir())
	journaltest.Append(t, j, "x", 1, "one")
	j.pragma(t, "query_only=1")
	if _, err := j.Append(t.Context(), "x", journaltest.ID(2), nil); !errors.Is(err, journal.ErrReadOnly) {
		t.Errorf("got %v, want ErrReadOnly", err)
	}
	j.pragma(t, "query_only=0")
	if pos := journaltest.Append(t, j, "x", 2, "two"); pos != 2 {
		t.Errorf("got position %d", pos)
	}
}

func TestDataFolderBelongsToOneProcess(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	_, err := Open(dir)
	if !errors.Is(err, journal.ErrInUse) || !strings.Contains(err.Error(), fmt.Sprint("process ", os.Getpid())) || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v, want ErrInUse with the process and the folder", err)
	}
	journaltest.Append(t, j, "x", 1, "the first is unharmed")
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
}

func TestFilesOfOthersAreLeftAlone(t *testing.T) {
	for name, content := range map[string]string{"no database": strings.Repeat("not a database ", 100), "": ""} {
		dir := t.TempDir()
		path := filepath.Join(dir, logFile)
		if name != "" {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(dir); !errors.Is(err, journal.ErrCorrupt) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: got %v, want ErrCorrupt", name, err)
			}
			continue
		}
		db, err := openDB(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec("CREATE TABLE theirs (x)"); err != nil {
			t.Fatal(err)
		}
		db.Close()
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "another program") {
			t.Errorf("another program's database: got %v", err)
		}
	}
	dir := t.TempDir()
	j := open(t, dir)
	j.pragma(t, "user_version=2")
	j.Close()
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "another version") {
		t.Errorf("a newer format: got %v", err)
	}
}

func TestLogSurvivesReopening(t *testing.T) {
	dir := t.TempDir()
	for n := range 5 {
		j := open(t, dir)
		if pos := journaltest.Append(t, j, "x", n, fmt.Sprint(n)); pos != journal.Pos(n+1) {
			t.Errorf("opened %d times: position %d", n, pos)
		}
		if pos := journaltest.Append(t, j, "x", 0, "again"); pos != 1 {
			t.Errorf("the first id is at %d after reopening", pos)
		}
		if err := j.Verify(t.Context()); err != nil {
			t.Errorf("verify: %v", err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(journaltest.Read(t, open(t, dir), "x", 0)); got != 5 {
		t.Errorf("%d of 5 records", got)
	}
}

func TestLostTailRefusesAppendsUntilItIsAccepted(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	for n := range 3 {
		journaltest.Append(t, j, "x", n, "x")
	}
	journaltest.Append(t, j, "y", 0, "y")
	if err := j.run(t.Context(), func(w *writer) error {
		_, err := w.conn.ExecContext(context.Background(), "DELETE FROM record WHERE body = CAST('x' AS BLOB) AND key & 0xff = 3")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	j.Close()
	j = open(t, dir)
	got := 0
	err := j.Tail(t.Context(), "x", 0, func(journal.Record) error { got++; return nil })
	if !errors.Is(err, journal.ErrCorrupt) || got != 2 || !strings.Contains(err.Error(), headsFile) {
		t.Errorf("tail: %d records and %v", got, err)
	}
	if _, err := j.Append(t.Context(), "x", journaltest.ID(9), nil); !errors.Is(err, journal.ErrCorrupt) {
		t.Errorf("append: got %v, want ErrCorrupt", err)
	}
	journaltest.Append(t, j, "y", 1, "others are unharmed")
	j.Close()
	if err := os.Remove(filepath.Join(dir, headsFile)); err != nil {
		t.Fatal(err)
	}
	j = open(t, dir)
	if pos := journaltest.Append(t, j, "x", 9, "goes on"); pos != 3 {
		t.Errorf("got position %d", pos)
	}
}

func TestBackupWhileServingIsADataFolder(t *testing.T) {
	root := t.TempDir()
	dir, to := filepath.Join(root, "data"), filepath.Join(root, "copy")
	j := open(t, dir)
	blobs, err := journal.OpenBlobs(filepath.Join(dir, SnapshotFolder))
	if err != nil {
		t.Fatal(err)
	}
	for n := range 100 {
		journaltest.Append(t, j, "x", n, fmt.Sprint(n))
	}
	for _, pos := range []journal.Pos{40, 80} {
		trim, err := blobs.Put("x", journal.Snapshot{Pos: pos, Body: []byte("state")})
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Trim(t.Context(), "x", trim); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var storm sync.WaitGroup
	storm.Go(func() {
		for n := 100; ctx.Err() == nil; n++ {
			j.Append(ctx, "x", journaltest.ID(n), []byte(fmt.Sprint(n)))
		}
	})
	err = Backup(t.Context(), dir, to)
	cancel()
	storm.Wait()
	if err != nil {
		t.Fatal(err)
	}
	copied := open(t, to)
	records := journaltest.Read(t, copied, "x", 0)
	if len(records) < 60 || records[0].Pos != 41 {
		t.Fatalf("the copy has %d records from %d", len(records), records[0].Pos)
	}
	for i, r := range records {
		if r.Pos != journal.Pos(41+i) || string(r.Body) != fmt.Sprint(40+i) {
			t.Fatalf("record %d of the copy: %d %q", i, r.Pos, r.Body)
		}
	}
	b, err := journal.OpenBlobs(filepath.Join(to, SnapshotFolder))
	if err != nil {
		t.Fatal(err)
	}
	if s, ok, err := b.Newest("x"); !ok || err != nil || s.Pos != 80 {
		t.Errorf("the snapshot of the copy: %+v, %v, %v", s, ok, err)
	}
	if err := Backup(t.Context(), dir, to); err == nil {
		t.Error("a backup overwrote another")
	}
	damage := func(pos int) {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(dir, SnapshotFolder, "x", fmt.Sprintf("%016x-*", pos)))
		if err != nil || len(found) != 1 {
			t.Fatalf("snapshot at %d: %q, %v", pos, found, err)
		}
		if err := os.Truncate(found[0], 30); err != nil {
			t.Fatal(err)
		}
	}
	damage(80)
	if err := Backup(t.Context(), dir, filepath.Join(root, "one left")); err != nil {
		t.Errorf("the older snapshot would do: %v", err)
	}
	damage(40)
	if err := Backup(t.Context(), dir, filepath.Join(root, "none left")); !errors.Is(err, journal.ErrCorrupt) || !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("a canvas without its beginning: got %v, want ErrCorrupt that names it", err)
	}
	if _, err := os.Stat(filepath.Join(root, "none left", logFile)); err != nil {
		t.Errorf("what is left was not copied: %v", err)
	}
	if err := Backup(t.Context(), filepath.Join(root, "nothing"), filepath.Join(root, "c2")); err == nil {
		t.Error("a backup of nothing succeeded")
	}
	if _, err := os.Stat(to + ".part"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
}

// Readers that stay in a transaction keep SQLite from starting its write-ahead log over; a Tail must not be one.
func TestWriteAheadLogStaysBoundedBesideASlowTail(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	for n := range 600 {
		journaltest.Append(t, j, "x", n, strings.Repeat("x", 1000))
	}
	held, release := make(chan struct{}), make(chan struct{})
	var slow sync.WaitGroup
	slow.Go(func() {
		j.Tail(t.Context(), "x", 0, func(r journal.Record) error {
			if r.Pos == 1 {
				close(held)
				<-release
			}
			return fs.SkipAll
		})
	})
	<-held // in the middle of reading what is on the disk
	for n := range 2000 {
		if _, err := j.Append(t.Context(), "y", journaltest.ID(n), make([]byte, 8000)); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(filepath.Join(dir, logFile+"-wal"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 8<<20 { // 16 MB went through; a checkpoint comes every 4 MiB
		t.Errorf("the write-ahead log grew to %d bytes", info.Size())
	}
	close(release)
	slow.Wait()
}

// TestRelativePathsAreFromHere backs up by the paths a person types.
func TestRelativePathsAreFromHere(t *testing.T) {
	t.Chdir(t.TempDir())
	j, err := Open("data")
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err := j.Append(t.Context(), "x", journal.ID{1}, []byte("kept")); err != nil {
		t.Fatal(err)
	}
	if err := Backup(t.Context(), "data", "copy"); err != nil {
		t.Fatal(err)
	}
	k, err := Open("copy")
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	if names, err := k.Canvases(t.Context()); err != nil || len(names) != 1 {
		t.Errorf("the copy holds %v, %v", names, err)
	}
}

// TestFilesAreTheOwnersAlone also holds where the folder is open to others.
func TestFilesAreTheOwnersAlone(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	j, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err := j.Append(t.Context(), "x", journal.ID{1}, []byte("kept")); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if i, err := f.Info(); err != nil || !f.IsDir() && i.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", f.Name(), i.Mode(), err)
		}
	}
}
