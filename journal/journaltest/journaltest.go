// Package journaltest says what every journal.Journal must do, whatever stands below it.
package journaltest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"fractal/journal"
)

// Run runs the conformance suite; open returns a new empty journal.
func Run(t *testing.T, open func(t *testing.T) journal.Journal) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, j journal.Journal)
	}{
		{"records come back in order", inOrder},
		{"the same id keeps its position and its first body", sameID},
		{"ids of different canvases do not meet", idsPerCanvas},
		{"many writers and tails see one order", oneOrder},
		{"a tail that starts anywhere misses nothing", startsAnywhere},
		{"a slow tail delays nobody and misses nothing", slowTail},
		{"a tail beyond the end is told the log is damaged", beyondTheEnd},
		{"trim keeps the last record and the positions", trimKeepsLast},
		{"the error of fn ends its tail alone", fnError},
		{"an ended context ends its tail alone", cancelledTail},
		{"an ended context keeps nothing", cancelledAppend},
		{"canvases are listed by name", listed},
		{"strange names and bodies", strange},
		{"a closed journal says so", closed},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := open(t)
			defer j.Close()
			test.run(t, j)
		})
	}
}

// ID returns the n-th id.
func ID(n int) (id journal.ID) {
	binary.BigEndian.PutUint64(id[8:], uint64(n))
	return id
}

// Append appends and fails the test where it cannot.
func Append(t testing.TB, j journal.Journal, canvas string, n int, body string) journal.Pos {
	t.Helper()
	pos, err := j.Append(t.Context(), canvas, ID(n), []byte(body))
	if err != nil {
		t.Fatalf("append %d to %q: %v", n, canvas, err)
	}
	return pos
}

var errEnough = errors.New("enough")

// Read returns all records after a position that exist now.
func Read(t testing.TB, j journal.Journal, canvas string, after journal.Pos) []journal.Record {
	t.Helper()
	var records []journal.Record
	err := j.Tail(t.Context(), canvas, after, func(r journal.Record) error {
		if r.CaughtUp() {
			return errEnough
		}
		records = append(records, r)
		return nil
	})
	if !errors.Is(err, errEnough) {
		t.Fatalf("tail of %q after %d: %v", canvas, after, err)
	}
	return records
}

func bodies(records []journal.Record) string {
	var b []string
	for _, r := range records {
		b = append(b, string(r.Body))
	}
	return strings.Join(b, " ")
}

func inOrder(t *testing.T, j journal.Journal) {
	var last journal.Pos
	for i, body := range []string{"a", "b", "c"} {
		pos := Append(t, j, "x", i, body)
		if pos <= last {
			t.Errorf("append %d got position %d after %d", i, pos, last)
		}
		last = pos
	}
	records := Read(t, j, "x", 0)
	if got := bodies(records); got != "a b c" {
		t.Errorf("read %q, want a b c", got)
	}
	if got := bodies(Read(t, j, "x", records[1].Pos)); got != "c" {
		t.Errorf("read after the second %q, want c", got)
	}
	if got := Read(t, j, "never written", 0); len(got) != 0 {
		t.Errorf("a canvas without records has %d", len(got))
	}
}

func sameID(t *testing.T, j journal.Journal) {
	first := Append(t, j, "x", 1, "one")
	Append(t, j, "x", 2, "two")
	if again := Append(t, j, "x", 1, "another body"); again != first {
		t.Errorf("the same id got %d, then %d", first, again)
	}
	// All at once, as a client that lost its connection may.
	var wait sync.WaitGroup
	pos := make([]journal.Pos, 20)
	for i := range pos {
		wait.Go(func() { pos[i], _ = j.Append(t.Context(), "x", ID(3), []byte("three")) })
	}
	wait.Wait()
	if len(slices.Compact(pos)) != 1 || pos[0] == 0 {
		t.Errorf("one id got positions %v", pos)
	}
	if got := bodies(Read(t, j, "x", 0)); got != "one two three" {
		t.Errorf("read %q, want one two three", got)
	}
}

func idsPerCanvas(t *testing.T, j journal.Journal) {
	Append(t, j, "x", 1, "in x")
	Append(t, j, "y", 1, "in y")
	if x, y := bodies(Read(t, j, "x", 0)), bodies(Read(t, j, "y", 0)); x != "in x" || y != "in y" {
		t.Errorf("read %q and %q", x, y)
	}
}

func oneOrder(t *testing.T, j journal.Journal) {
	const canvases, writers, each = 3, 4, 60
	name := func(c int) string { return fmt.Sprint("canvas ", c) }
	var mu sync.Mutex
	acked := map[string]map[journal.Pos]string{}
	orders := make([][]journal.Record, 2*canvases)
	var writing, reading sync.WaitGroup
	for c := range canvases {
		acked[name(c)] = map[journal.Pos]string{}
		for i := range 2 { // one tail from the beginning, and one that may begin in the middle
			reading.Go(func() {
				err := j.Tail(t.Context(), name(c), 0, func(r journal.Record) error {
					if r.CaughtUp() {
						return nil
					}
					orders[2*c+i] = append(orders[2*c+i], r)
					if len(orders[2*c+i]) == writers*each {
						return errEnough
					}
					return nil
				})
				if !errors.Is(err, errEnough) {
					t.Errorf("tail: %v", err)
				}
			})
		}
		for w := range writers {
			writing.Go(func() {
				for i := range each {
					body := fmt.Sprintf("%d/%d/%d", c, w, i)
					pos, err := j.Append(t.Context(), name(c), ID(w*each+i), []byte(body))
					if err != nil {
						t.Errorf("append: %v", err)
						return
					}
					mu.Lock()
					acked[name(c)][pos] = body
					mu.Unlock()
				}
			})
		}
	}
	writing.Wait()
	if t.Failed() {
		t.FailNow() // the tails wait for records that will not come; their context ends with the test
	}
	reading.Wait()
	for c := range canvases {
		a, b := orders[2*c], orders[2*c+1]
		if bodies(a) != bodies(b) {
			t.Errorf("two tails of %q saw different orders", name(c))
		}
		if len(acked[name(c)]) != writers*each {
			t.Errorf("%q: %d positions for %d records", name(c), len(acked[name(c)]), writers*each)
		}
		next := [writers]int{}
		for i, r := range a {
			if i > 0 && r.Pos <= a[i-1].Pos {
				t.Errorf("%q: position %d after %d", name(c), r.Pos, a[i-1].Pos)
			}
			if acked[name(c)][r.Pos] != string(r.Body) {
				t.Errorf("%q: position %d was acked as %q and read as %q", name(c), r.Pos, acked[name(c)][r.Pos], r.Body)
			}
			var c, w, n int
			fmt.Sscanf(string(r.Body), "%d/%d/%d", &c, &w, &n)
			if n != next[w] {
				t.Errorf("writer %d: record %d where %d was due", w, n, next[w])
			}
			next[w] = n + 1
		}
	}
}

// startsAnywhere begins tails while records are appended: the change from catching up to live must lose and repeat none.
func startsAnywhere(t *testing.T, j journal.Journal) {
	const n = 400
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	var tails sync.WaitGroup
	for i := range n {
		Append(t, j, "x", i, fmt.Sprint(i))
		if i%20 != 0 {
			continue
		}
		from := rng.IntN(i + 1) // the tail expects the bodies from..n-1
		var after journal.Pos
		if from > 0 {
			after = Append(t, j, "x", from-1, "repeated to learn the position")
		}
		tails.Go(func() {
			next := from
			err := j.Tail(t.Context(), "x", after, func(r journal.Record) error {
				if r.CaughtUp() {
					return nil
				}
				if string(r.Body) != fmt.Sprint(next) {
					return fmt.Errorf("got %q where %d was due", r.Body, next)
				}
				if next++; next == n {
					return errEnough
				}
				return nil
			})
			if !errors.Is(err, errEnough) {
				t.Errorf("seed %d: tail from %d: %v", seed, from, err)
			}
		})
	}
	tails.Wait()
}

func slowTail(t *testing.T, j journal.Journal) {
	const n = 1500 // more than an adapter would remember
	started, goOn := make(chan struct{}), make(chan struct{})
	var slow sync.WaitGroup
	next := 0
	slow.Go(func() {
		err := j.Tail(t.Context(), "x", 0, func(r journal.Record) error {
			if r.CaughtUp() {
				close(started)
				<-goOn
				return nil
			}
			if r.ID != ID(next) {
				return fmt.Errorf("got id %x where %d was due", r.ID, next)
			}
			if next++; next == n {
				return errEnough
			}
			return nil
		})
		if !errors.Is(err, errEnough) {
			t.Errorf("slow tail: %v", err)
		}
	})
	<-started
	body := bytes.Repeat([]byte{7}, 2000)
	var writers sync.WaitGroup
	var turn sync.Mutex
	i := 0
	for range 8 {
		writers.Go(func() {
			for {
				turn.Lock()
				k := i
				if k < n-1 {
					i++
				}
				turn.Unlock()
				if k >= n-1 {
					return
				}
				if _, err := j.Append(t.Context(), "y", ID(k), body); err != nil {
					t.Errorf("append beside a slow tail: %v", err)
				}
			}
		})
	}
	for k := range n {
		if _, err := j.Append(t.Context(), "x", ID(k), body); err != nil {
			t.Fatalf("append before a slow tail: %v", err)
		}
	}
	writers.Wait()
	close(goOn)
	slow.Wait()
}

func beyondTheEnd(t *testing.T, j journal.Journal) {
	pos := Append(t, j, "x", 1, "one")
	for canvas, after := range map[string]journal.Pos{"x": pos + 1, "y": 1} {
		err := j.Tail(t.Context(), canvas, after, func(r journal.Record) error {
			t.Errorf("%q: got %+v after the end", canvas, r)
			return errEnough
		})
		if !errors.Is(err, journal.ErrCorrupt) {
			t.Errorf("%q: tail after %d: got %v, want ErrCorrupt", canvas, after, err)
		}
	}
}

func trimKeepsLast(t *testing.T, j journal.Journal) {
	const n = 1200
	for i := range n {
		if i%2 == 0 {
			Append(t, j, "y", i, "y")
		}
	}
	var pos []journal.Pos
	for i := range n {
		pos = append(pos, Append(t, j, "x", i, fmt.Sprint(i)))
	}
	trim := func(through journal.Pos) {
		t.Helper()
		if err := j.Trim(t.Context(), "x", through); err != nil {
			t.Fatal(err)
		}
	}
	trim(0)
	trim(pos[n-4])
	if got, want := bodies(Read(t, j, "x", 0)), fmt.Sprint(n-3, " ", n-2, " ", n-1); got != want {
		t.Errorf("after a trim: read %q, want %q", got, want)
	}
	trim(pos[0]) // again, and less
	if again := Append(t, j, "x", n-1, ""); again != pos[n-1] {
		t.Errorf("a kept id moved from %d to %d", pos[n-1], again)
	}
	trim(pos[n-1] + 1000)
	if got, want := bodies(Read(t, j, "x", 0)), fmt.Sprint(n-1); got != want {
		t.Errorf("after a trim of all: read %q, want the last, %q", got, want)
	}
	if next := Append(t, j, "x", n, "next"); next <= pos[n-1] {
		t.Errorf("positions went back from %d to %d", pos[n-1], next)
	}
	if got := len(Read(t, j, "y", 0)); got != n/2 {
		t.Errorf("trimming x left %d of %d records of y", got, n/2)
	}
	if err := j.Trim(t.Context(), "never written", 5); err != nil {
		t.Errorf("trim of an empty canvas: %v", err)
	}
}

func fnError(t *testing.T, j journal.Journal) {
	Append(t, j, "x", 1, "one")
	boom := errors.New("boom")
	for _, at := range []bool{false, true} {
		err := j.Tail(t.Context(), "x", 0, func(r journal.Record) error {
			if r.CaughtUp() == at {
				return boom
			}
			return nil
		})
		if !errors.Is(err, boom) {
			t.Errorf("got %v, want the error of fn", err)
		}
	}
	if got := bodies(Read(t, j, "x", 0)); got != "one" {
		t.Errorf("read %q", got)
	}
}

func cancelledTail(t *testing.T, j journal.Journal) {
	Append(t, j, "x", 1, "one")
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	err := j.Tail(ctx, "x", 0, func(r journal.Record) error {
		if calls++; r.CaughtUp() {
			cancel() // it waits for news when this ends it
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || calls != 2 {
		t.Errorf("got %v after %d calls", err, calls)
	}
	if err := j.Tail(ctx, "x", 0, func(journal.Record) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a tail that begins cancelled: %v", err)
	}
	if got := bodies(Read(t, j, "x", 0)); got != "one" {
		t.Errorf("read %q", got)
	}
}

func cancelledAppend(t *testing.T, j journal.Journal) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := j.Append(ctx, "x", ID(1), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got := Read(t, j, "x", 0); len(got) != 0 {
		t.Errorf("kept %d records", len(got))
	}
}

func listed(t *testing.T, j journal.Journal) {
	for i, c := range []string{"b", "a", "c", "a"} {
		Append(t, j, c, i, "")
	}
	Read(t, j, "only read", 0)
	got, err := j.Canvases(t.Context())
	if err != nil || !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("got %q, %v", got, err)
	}
}

func strange(t *testing.T, j journal.Journal) {
	for i, c := range []string{"../../etc/passwd", "a/b", ".", "..", "A", "a", "ä 漢字", "x'; DROP TABLE record; --", "a%2fb", "\x01\x7f", strings.Repeat("n", journal.MaxName)} {
		Append(t, j, c, i, c)
		if got := bodies(Read(t, j, c, 0)); got != c {
			t.Errorf("canvas %q: read %q", c, got)
		}
	}
	for _, c := range []string{"", "\xff", strings.Repeat("n", journal.MaxName+1)} {
		if _, err := j.Append(t.Context(), c, ID(1), nil); err == nil {
			t.Errorf("canvas name %.20q was accepted", c)
		}
		if err := j.Tail(t.Context(), c, 0, func(journal.Record) error { return errEnough }); err == nil || errors.Is(err, errEnough) {
			t.Errorf("canvas name %.20q was tailed", c)
		}
	}
	for i, body := range [][]byte{nil, {}, {0}, bytes.Repeat([]byte{0xff}, 3<<20)} {
		c := fmt.Sprint("body ", i)
		if _, err := j.Append(t.Context(), c, ID(i), bytes.Clone(body)); err != nil {
			t.Fatal(err)
		}
		if got := Read(t, j, c, 0); len(got) != 1 || !bytes.Equal(got[0].Body, body) || got[0].Body == nil {
			t.Errorf("a body of %d bytes did not come back", len(body))
		}
	}
	if _, err := j.Append(t.Context(), "large", ID(1), make([]byte, journal.MaxBody+1)); err == nil {
		t.Error("a body beyond MaxBody was accepted")
	}
}

func closed(t *testing.T, j journal.Journal) {
	Append(t, j, "x", 1, "one")
	waiting := make(chan struct{})
	ended := make(chan error)
	go func() {
		ended <- j.Tail(context.Background(), "x", 0, func(r journal.Record) error {
			if r.CaughtUp() {
				close(waiting)
			}
			return nil
		})
	}()
	<-waiting
	if err := errors.Join(j.Close(), j.Close()); err != nil {
		t.Errorf("close: %v", err)
	}
	if err := <-ended; !errors.Is(err, journal.ErrClosed) {
		t.Errorf("tail: got %v, want ErrClosed", err)
	}
	_, appendErr := j.Append(context.Background(), "x", ID(2), nil)
	_, listErr := j.Canvases(context.Background())
	for what, err := range map[string]error{
		"append": appendErr, "canvases": listErr, "trim": j.Trim(context.Background(), "x", 1),
		"tail": j.Tail(context.Background(), "x", 0, func(journal.Record) error { return nil }),
	} {
		if !errors.Is(err, journal.ErrClosed) {
			t.Errorf("%s: got %v, want ErrClosed", what, err)
		}
	}
}

// Bench measures appends of 500 bytes.
func Bench(b *testing.B, open func(b *testing.B) journal.Journal) {
	for _, writers := range []int{1, 32} {
		b.Run(fmt.Sprint(writers, " writers"), func(b *testing.B) {
			j := open(b)
			defer j.Close()
			ids := make(chan int, writers)
			b.ReportAllocs()
			b.ResetTimer()
			var wait sync.WaitGroup
			for w := range writers {
				wait.Go(func() {
					for n := range ids {
						if _, err := j.Append(b.Context(), fmt.Sprint("canvas ", w), ID(n), make([]byte, 500)); err != nil {
							b.Error(err)
						}
					}
				})
			}
			for n := range b.N {
				ids <- n
			}
			close(ids)
			wait.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "acks/s")
		})
	}
}
