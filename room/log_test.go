package room

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"math/rand/v2"

	"fractal/canvas"
	"fractal/journal"
	"fractal/journal/memory"
	"fractal/tile"
	"fractal/wire"
)

func dot() *wire.Stroke { return line(tile.At(0, 0, 0), 1, 1, 9, 9).Wire() }

// TestResentOpsAreAppliedOnce sends ops again over new sockets: while they wait, after they are applied, and in both rooms
// that ever served the canvas.
func TestResentOpsAreAppliedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := memory.New()
		r := open(t, Config{Journal: j})
		a := join(t, r, "a")
		for range 3 {
			a.op(dot())
		}
		a.v.Leave() // before any ack could be read
		a.read()
		a.connect(r)
		for n := uint64(1); n <= 4; n++ {
			a.sendOp(n, dot())
		}
		synctest.Wait()
		a.read()
		if len(a.acks) != 4 || len(a.rejects) != 0 || strokesOf(r.Canvas()) != 4 {
			t.Fatalf("acks %v, rejects %v, %d strokes", a.acks, a.rejects, strokesOf(r.Canvas()))
		}
		a.sendOp(2, dot())
		synctest.Wait()
		a.read()
		if seq, ok := a.acks[2]; !ok || seq != 0 {
			t.Errorf("an op applied long ago is acked as %d", seq)
		}
		closeRoom(t, r)

		r = open(t, Config{Journal: j})
		defer closeRoom(t, r)
		a.connect(r)
		a.sendOp(4, dot())
		a.sendOp(5, dot())
		synctest.Wait()
		a.read()
		if len(a.acks) != 2 || strokesOf(r.Canvas()) != 5 {
			t.Fatalf("acks %v, %d strokes", a.acks, strokesOf(r.Canvas()))
		}
	})
}

// TestReopenedCanvasEqualsTheOneThatWasKilled never closes the first room, with and without snapshots.
func TestReopenedCanvasEqualsTheOneThatWasKilled(t *testing.T) {
	for _, snapshots := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			j := memory.New()
			cfg := Config{Journal: j}
			if snapshots {
				cfg.Blobs = blobs(t)
			}
			r := open(t, cfg)
			a := join(t, r, "a")
			rng := rand.New(rand.NewPCG(7, 7))
			for i := range 5000 {
				switch rng.IntN(8) {
				case 0:
					a.op(&wire.Undo{})
				case 1:
					a.op(&wire.Redo{})
				default:
					a.op(randomStroke(rng))
				}
				if i%2 == 0 { // a record for every other op
					synctest.Wait()
				}
			}
			synctest.Wait()
			a.read()
			if len(a.acks) != 5000 {
				t.Fatalf("%d acks", len(a.acks))
			}
			first := len(logOf(t, j, "test"))
			if taken := r.Stats().Snapshots; snapshots != (taken > 0) {
				t.Fatalf("%d snapshots were taken", taken)
			} else if snapshots && first > 4000 {
				t.Errorf("%d records are left of the log", first)
			}
			again := open(t, cfg)
			if again.Canvas().Hash() != r.Canvas().Hash() {
				t.Error("the reopened canvas differs")
			}
			closeRoom(t, again)
			closeRoom(t, r)
		})
	}
}

func blobs(t *testing.T) *journal.Blobs {
	t.Helper()
	b, err := journal.OpenBlobs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestClosingSnapshotsWhatIsNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		b, err := journal.OpenBlobs(dir)
		if err != nil {
			t.Fatal(err)
		}
		cfg := Config{Journal: memory.New(), Blobs: b}
		files := func() int {
			all, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
			return len(all)
		}
		r := open(t, cfg)
		closeRoom(t, r)
		if n := files(); n != 0 {
			t.Fatalf("%d snapshots of nothing", n)
		}
		r = open(t, cfg)
		a := join(t, r, "a")
		a.op(dot())
		synctest.Wait()
		a.v.Leave()
		synctest.Wait()
		if n := files(); n != 1 {
			t.Fatalf("%d snapshots after the last viewer left", n)
		}
		closeRoom(t, r)
		if n := files(); n != 1 {
			t.Fatalf("%d snapshots after closing without news", n)
		}
		r = open(t, cfg)
		join(t, r, "a").sendOp(2, dot())
		closeRoom(t, r)
		if n := files(); n != 2 {
			t.Fatalf("%d snapshots after closing with news", n)
		}
		// The newest is damaged: the one before it and the log still give everything.
		all, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
		raw, err := os.ReadFile(all[1])
		if err != nil {
			t.Fatal(err)
		}
		raw[len(raw)-1] ^= 1
		if err := os.WriteFile(all[1], raw, 0o600); err != nil {
			t.Fatal(err)
		}
		told := 0
		cfg.Report = func(string) { told++ }
		r = open(t, cfg)
		defer closeRoom(t, r)
		if strokesOf(r.Canvas()) != 2 || r.ReadOnly() != "" || told != 1 {
			t.Errorf("%d strokes, read-only %q, told %d times", strokesOf(r.Canvas()), r.ReadOnly(), told)
		}
	})
}

// TestFullDiskMakesItReadOnlyAndItRecovers draws on a disk that fills up and gets room again.
func TestFullDiskMakesItReadOnlyAndItRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := memory.New()
		r := open(t, Config{Journal: j})
		defer closeRoom(t, r)
		a, b := join(t, r, "a"), join(t, r, "b")
		a.look(tile.At(0, 0, 0))
		b.look(tile.At(0, 0, 0))
		a.op(dot())
		a.settle()
		b.settle()
		b.pull(1 << 20)
		j.Refuse(journal.ErrFull)
		for range 5 {
			a.op(dot())
		}
		synctest.Wait()
		a.read()
		b.read()
		if len(a.rejects) != 5 || !a.rejects[2].Retry || !strings.Contains(b.state.GetReadOnly(), "disk is full") {
			t.Fatalf("rejects %v, state %v", a.rejects, b.state)
		}
		b.pull(1 << 20)
		records := len(logOf(t, j, "test"))
		time.Sleep(10 * time.Minute)
		j.Refuse(nil)
		time.Sleep(lastRetry)
		synctest.Wait()
		b.read()
		if b.state.GetReadOnly() != "" || r.ReadOnly() != "" {
			t.Fatalf("still read-only: %v", b.state)
		}
		if n := len(logOf(t, j, "test")); n != records+1 {
			t.Errorf("finding out took %d records", n-records)
		}
		for n := uint64(2); n <= 6; n++ {
			a.sendOp(n, dot())
		}
		a.settle()
		b.settle()
		if len(a.acks) != 6 || strokesOf(r.Canvas()) != 6 {
			t.Fatalf("acks %v, %d strokes", a.acks, strokesOf(r.Canvas()))
		}
		a.equalsTruth()
		b.equalsTruth()
		before := time.Now()
		if synctest.Wait(); time.Since(before) != 0 {
			t.Error("a timer runs although all is well")
		}
	})
}

// TestOpSentBackIsNotOvertaken: op 2 is sent back, op 3 must not be applied before it comes again, or it would look applied.
func TestOpSentBackIsNotOvertaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := memory.New()
		r := open(t, Config{Journal: j})
		defer closeRoom(t, r)
		a := join(t, r, "a")
		j.Refuse(journal.ErrReadOnly)
		a.op(dot())
		a.op(dot())
		synctest.Wait()
		j.Refuse(nil)
		a.op(dot()) // sent before the page read the rejects
		synctest.Wait()
		a.read()
		if len(a.acks) != 0 || len(a.rejects) != 3 || !a.rejects[3].Retry {
			t.Fatalf("acks %v, rejects %v", a.acks, a.rejects)
		}
		for n := uint64(1); n <= 3; n++ {
			a.sendOp(n, dot())
		}
		synctest.Wait()
		a.read()
		if len(a.acks) != 3 || strokesOf(r.Canvas()) != 3 {
			t.Fatalf("acks %v, %d strokes", a.acks, strokesOf(r.Canvas()))
		}
	})
}

func TestTooManyOpsInFlightAreSentBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &stuck{Journal: memory.New(), release: make(chan struct{})}
		r := open(t, Config{Journal: j})
		a := join(t, r, "a")
		for range maxOps + 10 {
			a.op(dot())
		}
		synctest.Wait()
		a.read()
		if len(a.rejects) != 10 || !a.rejects[maxOps+1].Retry {
			t.Fatalf("%d rejects", len(a.rejects))
		}
		close(j.release)
		synctest.Wait()
		a.read()
		if len(a.acks) != maxOps {
			t.Fatalf("%d acks", len(a.acks))
		}
		for n := uint64(maxOps + 1); n <= maxOps+10; n++ {
			a.sendOp(n, dot())
		}
		synctest.Wait()
		a.read()
		if len(a.acks) != maxOps+10 {
			t.Fatalf("%d acks", len(a.acks))
		}
		closeRoom(t, r)
	})
}

// stuck is a journal whose appends wait.
type stuck struct {
	*memory.Journal
	release chan struct{}
}

func (s *stuck) Append(ctx context.Context, name string, id journal.ID, body []byte) (journal.Pos, error) {
	select {
	case <-s.release:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	return s.Journal.Append(ctx, name, id, body)
}

// damaged is a journal that hands out one record with a flipped bit.
type damaged struct {
	*memory.Journal
	at journal.Pos
}

func (d damaged) Tail(ctx context.Context, name string, after journal.Pos, fn func(journal.Record) error) error {
	return d.Journal.Tail(ctx, name, after, func(r journal.Record) error {
		if r.Pos == d.at {
			r.Body = append([]byte(nil), r.Body...)
			r.Body[len(r.Body)/2] ^= 4
		}
		return fn(r)
	})
}

func TestDamagedLogOpensUpToTheDamageAndIsReadOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := memory.New()
		r := open(t, Config{Journal: j})
		a := join(t, r, "a")
		for range 10 {
			a.op(dot())
			synctest.Wait()
		}
		closeRoom(t, r)
		told := ""
		r = open(t, Config{Journal: damaged{j, 7}, Report: func(s string) { told += s }})
		defer closeRoom(t, r)
		if n := strokesOf(r.Canvas()); n != 6 {
			t.Errorf("%d strokes before the damage at record 7", n)
		}
		if !strings.Contains(r.ReadOnly(), "after record 6") || !strings.Contains(told, "checksum") {
			t.Errorf("read-only: %q, told: %q", r.ReadOnly(), told)
		}
		a.connect(r)
		a.look(tile.At(0, 0, 0))
		a.sendOp(11, dot())
		a.settle()
		if rej := a.rejects[11]; rej == nil || !rej.Retry || a.state.ReadOnly == "" {
			t.Errorf("reject %v, state %v", rej, a.state)
		}
		a.equalsTruth()
		if n := len(logOf(t, j, "test")); n != 10 {
			t.Errorf("the damaged log has %d records now", n)
		}
	})
}

func TestOpOfALaterSchemaIsPassedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := memory.New()
		chain := journal.NewChain("test")
		person := make([]byte, 16)
		batch := &wire.Batch{Entries: []*wire.Entry{
			{Person: person, Op: []byte{0xff, 0xff}},
			{Person: person, Op: marshalOp(t, &wire.Op{Session: person, Number: 1, Body: &wire.Op_Stroke{Stroke: dot()}})},
		}}
		id := journal.ID{1}
		if _, err := j.Append(t.Context(), "test", id, chain.Seal(id, marshalBatch(t, batch))); err != nil {
			t.Fatal(err)
		}
		told := ""
		r := open(t, Config{Journal: j, Report: func(s string) { told += s }})
		defer closeRoom(t, r)
		if r.Canvas().Seq() != 2 || strokesOf(r.Canvas()) != 1 || r.Stats().Quarantined != 1 || !strings.Contains(told, "op 1") {
			t.Errorf("seq %d, %d strokes, told %q", r.Canvas().Seq(), strokesOf(r.Canvas()), told)
		}
	})
}

// TestRoomLeavesNoGoroutines opens and closes rooms with viewers, also one whose journal is stuck.
func TestRoomLeavesNoGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	synctest.Test(t, func(t *testing.T) { // fails by itself when goroutines of the bubble are left
		r := open(t, Config{})
		join(t, r, "a").op(dot())
		join(t, r, "b").v.Leave()
		closeRoom(t, r)
		closeRoom(t, r)
		if _, err := r.Join(&wire.Hello{Protocol: 1, Key: keyOf("c")}, Seat{}, new(page)); err != ErrClosed {
			t.Errorf("joining a closed room: %v", err)
		}
		j := &stuck{Journal: memory.New(), release: make(chan struct{})}
		r = open(t, Config{Journal: j})
		a := join(t, r, "a")
		a.op(dot())
		closeRoom(t, r)
		if a.read(); len(a.rejects) != 1 || !a.rejects[1].Retry {
			t.Errorf("the op in flight was answered with %v", a.rejects)
		}
	})
	if after := runtime.NumGoroutine(); after > before+1 {
		t.Errorf("%d goroutines, %d before", after, before)
	}
}

// TestRestartFindsWhatItWasToldDry replays the log beside a canvas that got every ack.
func TestRestartFindsWhatItWasToldDry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := memory.New()
		r := open(t, Config{Journal: j})
		a := join(t, r, "a")
		for range 200 {
			a.op(dot())
		}
		closeRoom(t, r) // what was entered is kept first
		a.read()
		again := open(t, Config{Journal: j})
		defer closeRoom(t, again)
		if len(a.acks) != 200 {
			t.Errorf("%d acks of 200", len(a.acks))
		}
		highest, _, _ := again.Canvas().Mark(a.session)
		if highest != 200 || again.Canvas().Seq() != canvas.Seq(200) {
			t.Errorf("op %d, seq %d", highest, again.Canvas().Seq())
		}
	})
}

// TestUnusableSnapshotIsPassedOver leaves a snapshot that is whole as a file, and no canvas: the older one and the log open.
func TestUnusableSnapshotIsPassedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reports []string
		cfg := Config{Journal: memory.New(), Blobs: blobs(t)}
		for _, who := range []string{"a", "b"} {
			r := open(t, cfg)
			a := join(t, r, who)
			a.op(dot())
			synctest.Wait()
			closeRoom(t, r)
		}
		newest, ok, err := cfg.Blobs.Newest("test")
		if !ok || err != nil {
			t.Fatalf("no snapshot: %v", err)
		}
		newest.Pos++ // as of a later record
		newest.Body = []byte("a checkpoint of a program to come")
		if _, err := cfg.Blobs.Put("test", newest); err != nil {
			t.Fatal(err)
		}
		cfg.Report = func(s string) { reports = append(reports, s) }
		r := open(t, cfg)
		defer closeRoom(t, r)
		if n := strokesOf(r.Canvas()); n != 2 || r.ReadOnly() != "" {
			t.Errorf("%d strokes, read-only: %q", n, r.ReadOnly())
		}
		if len(reports) != 1 || !strings.Contains(reports[0], "cannot be used") {
			t.Errorf("reports: %q", reports)
		}
	})
}
