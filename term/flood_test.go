package term

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"fractal/vt"
)

// floods starts n programs that print without end, each with somebody who looks on.
func floods(t testing.TB, h *Shells, n int) []*viewer {
	var all []*viewer
	for range n {
		all = append(all, open(t, h, Spec{Cols: 188, Rows: 82}, "exec yes 0123456789abcdefghijklmnopqrstuvwxyz"))
	}
	return all
}

func TestAPullDuringAFloodIsAnsweredSoon(t *testing.T) {
	for _, c := range []struct{ procs, floods int }{{1, 1}, {1, 3}, {4, 4}} {
		t.Run(fmt.Sprintf("floods %d processors %d", c.floods, c.procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.procs))
			h := newShells(t, Config{})
			var wg sync.WaitGroup
			for _, v := range floods(t, h, c.floods) {
				wg.Go(func() {
					worst := uint64(0)
					ctx := bound(t)
					for frames := 0; frames < 60; {
						at := v.s.chunks.Load()
						f, ok := v.s.Frame(v.holds)
						worst = max(worst, v.s.chunks.Load()-at)
						if ok {
							frames++
							v.holds = f.Holds
							continue
						}
						select {
						case <-v.news:
						case <-ctx.Done():
							t.Error("a flood without frames")
							return
						}
					}
					if worst > 20 {
						t.Errorf("%d pieces parsed before a pull was answered", worst)
					}
				})
			}
			wg.Wait()
		})
	}
}

func TestAFloodNobodyLooksAtTellsOnce(t *testing.T) {
	h := newShells(t, Config{})
	v := floods(t, h, 1)[0]
	for v.s.chunks.Load() < 50 {
		runtime.Gosched()
	}
	if n := v.s.wakes.Load(); n > 1 {
		t.Errorf("told %d times", n)
	}
}

func TestParsingTakesItsTurn(t *testing.T) {
	const slots = 2
	free, busy := make(chan struct{}, slots), errors.New("busy")
	var mu sync.Mutex
	running, most, taken := 0, 0, 0
	h := newShells(t, Config{Slots: func(ctx context.Context, f func()) error {
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			return busy
		}
		mu.Lock()
		running++
		taken++
		most = max(most, running)
		mu.Unlock()
		f()
		mu.Lock()
		running--
		mu.Unlock()
		<-free
		return nil
	}})
	all := floods(t, h, 4)
	for _, v := range all {
		for v.s.chunks.Load() < 20 {
			runtime.Gosched()
		}
	}
	h.Close()
	chunks := 0
	for _, v := range all {
		chunks += int(v.s.chunks.Load())
	}
	if most > slots || taken != chunks {
		t.Errorf("%d parsed at once in %d slots; %d turns for %d pieces", most, slots, taken, chunks)
	}
}

func TestIdleSessionsWakeNobody(t *testing.T) {
	h := newShells(t, Config{})
	var idle []*viewer
	for range 10 {
		v := open(t, h, Spec{}, `printf '\033[?2026hready\033[?2026l'; exec cat`)
		v.shows("ready")
		for v.pull() { // and what is not answered stays armed
		}
		idle = append(idle, v)
	}
	before := make([][3]uint64, len(idle))
	counts := func(v *viewer) [3]uint64 {
		return [3]uint64{v.s.chunks.Load(), v.s.wakes.Load(), uint64(v.s.Version())}
	}
	for i, v := range idle {
		before[i] = counts(v)
	}
	open(t, h, Spec{}, "sleep 0.4").end() // something else takes a while
	for i, v := range idle {
		if now := counts(v); now != before[i] {
			t.Errorf("session %d: pieces, wake-ups, version %v, then %v", i, before[i], now)
		}
	}
}

func TestSearchFindsNewestFirst(t *testing.T) {
	h := newShells(t, Config{})
	v := open(t, h, Spec{Cols: 20, Rows: 5}, `i=0; while [ $i -lt 2000 ]; do echo "line $i of Many 世界"; i=$((i+1)); done`)
	v.end()
	search := func(q Query, most int) []Hit {
		t.Helper()
		var hits []Hit
		if err := v.s.Search(bound(t), q, func(h Hit) bool { hits = append(hits, h); return len(hits) < most }); err != nil {
			t.Fatal(err)
		}
		return hits
	}
	hits := search(Query{Text: "many", Fold: true}, 1<<30)
	if len(hits) != 2000 || hits[0].Text != "Many" || hits[0].Before != "line 1999 of " || hits[0].After != " 世界" {
		t.Fatalf("%d hits, the first %+v", len(hits), hits[0])
	}
	for i := 1; i < len(hits); i++ {
		if hits[i].Line >= hits[i-1].Line {
			t.Fatalf("hit %d is in line %d, the one before in line %d", i, hits[i].Line, hits[i-1].Line)
		}
	}
	if n := len(search(Query{Text: "many"}, 1<<30)); n != 0 {
		t.Errorf("%d hits in the wrong case", n)
	}
	if hits := search(Query{Text: `line 7\d\d of`, Regexp: true}, 1<<30); len(hits) != 100 {
		t.Errorf("%d hits of an expression", len(hits))
	}
	// Across a wrap: "line 1234 of Many 世界" is 22 cells on 20 columns.
	wide := search(Query{Text: "y 世界"}, 1)
	if len(wide) != 1 || wide[0].X != 16 || wide[0].EndRow != wide[0].Row+1 || wide[0].EndX != 2 {
		t.Errorf("a hit across rows: %+v", wide)
	}
	first := search(Query{Text: "line"}, 3)
	next := search(Query{Text: "line", Before: first[2].Line}, 1)
	if next[0].Line != first[2].Line-1 {
		t.Errorf("going on after line %d: %+v", first[2].Line, next[0])
	}
	if n := len(search(Query{Text: "line", Before: 1}, 9)); n != 1 {
		t.Errorf("%d hits before line 1", n)
	}
	long := open(t, h, Spec{}, `printf '%0100d%0100d界here%0100d界界\n' 0 0 0; printf 'éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééhereééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé\n'`)
	long.end()
	if err := long.s.Search(bound(t), Query{Text: "here"}, func(h Hit) bool {
		if len(h.Before) > maxAround || len(h.After) > maxAround || len(h.Before) < maxAround-3 || !utf8.ValidString(h.Before+h.After) {
			t.Errorf("around a hit: %q, %q", h.Before, h.After)
		}
		return true
	}); err != nil {
		t.Error(err)
	}
	if err := v.s.Search(bound(t), Query{Text: "(", Regexp: true}, nil); err == nil {
		t.Error("no expression, and no error")
	}
	for _, costly := range []string{".{0,1000}.{0,1000}.{0,1000}", "(\\pL{100}){9}(\\pN{500}){2}x{1000}"} {
		if err := v.s.Search(bound(t), Query{Text: costly, Regexp: true}, func(Hit) bool { return true }); err == nil {
			t.Errorf("%q is searched for: each byte would cost thousands of steps", costly)
		}
	}
	for _, fine := range []string{"x{1000}", ".{0,500}nowhere", strings.Repeat("a", 1000)} {
		if err := v.s.Search(bound(t), Query{Text: fine, Regexp: true, Fold: true}, func(Hit) bool { return true }); err != nil {
			t.Errorf("%.20q: %v", fine, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := v.s.Search(ctx, Query{Text: "line"}, func(Hit) bool { n++; cancel(); return true })
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("called off: %v, %d hits", err, n)
	}
}

func TestSearchDuringAFloodEnds(t *testing.T) {
	h := newShells(t, Config{})
	v := floods(t, h, 1)[0]
	for v.s.chunks.Load() < 20 {
		runtime.Gosched()
	}
	if err := v.s.Search(bound(t), Query{Text: "nothing like it"}, func(Hit) bool { return true }); err != nil {
		t.Fatal(err)
	}
}

func TestPromptsAreFound(t *testing.T) {
	h := newShells(t, Config{})
	v := open(t, h, Spec{Cols: 20, Rows: 5}, `for i in 1 2 3; do printf '\033]133;A\007$ \033]133;C\007\n'; seq 1 30; done`)
	v.end()
	var rows []int64
	for row, ok := v.s.Prompt(1<<40, true); ok; row, ok = v.s.Prompt(row, true) {
		rows = append(rows, row)
	}
	if fmt.Sprint(rows) != "[62 31 0]" {
		t.Errorf("prompts in rows %v", rows)
	}
	if row, ok := v.s.Prompt(0, false); !ok || row != 31 {
		t.Errorf("the prompt below the first is in row %d", row)
	}
}

func TestARecordingPlayedIsTheScreen(t *testing.T) {
	h := newShells(t, Config{})
	v := open(t, h, Spec{Cols: 40, Rows: 8}, `printf 'before \033[31mred\033[0m\n'; read x; i=0; while [ $i -lt 300 ]; do echo "é世 $i"; i=$((i+1)); done; printf '\377bad\n'; read x; echo end`)
	v.shows("red")
	var cast bytes.Buffer
	_, stop, err := v.s.Record(&cast)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := v.s.Record(io.Discard); !errors.Is(err, ErrRecording) {
		t.Errorf("recording twice: %v", err)
	}
	v.types(1, "\n")
	v.shows("bad")
	v.s.Resize(50, 10)
	v.types(1, "\n")
	v.end()
	if err := stop(); err != nil {
		t.Fatal(err)
	}

	dec := json.NewDecoder(&cast)
	var head struct{ Version, Width, Height int }
	if err := dec.Decode(&head); err != nil || head.Version != 2 || head.Width != 40 || head.Height != 8 {
		t.Fatalf("head %+v, %v", head, err)
	}
	played := vt.New(vt.Config{Cols: head.Width, Rows: head.Height})
	last := 0.0
	for {
		var event [3]any
		if err := dec.Decode(&event); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		at, data := event[0].(float64), event[2].(string)
		if at < last {
			t.Errorf("an event at %v after one at %v", at, last)
		}
		last = at
		switch event[1] {
		case "o":
			played.Write([]byte(data))
		case "r":
			var c, r int
			fmt.Sscanf(data, "%dx%d", &c, &r)
			played.Resize(c, r)
		}
	}
	for v.pull() {
	}
	if c, r := played.Size(); c != 50 || r != 10 {
		t.Errorf("played it is %d × %d", c, r)
	}
	for y := range 10 {
		if got, want := played.Text(y), rowText(&v.screen[y]); got != want {
			t.Errorf("row %d played is %q, want %q", y, got, want)
		}
	}
}

// stuck is a writer that never returns until it is let.
type stuck chan struct{}

func (w stuck) Write(p []byte) (int, error) { <-w; return len(p), nil }

func TestARecordingThatDoesNotKeepUpEndsAndStopsNothing(t *testing.T) {
	h := newShells(t, Config{})
	v := floods(t, h, 1)[0]
	w := make(stuck)
	_, stop, err := v.s.Record(w)
	if err != nil {
		t.Fatal(err)
	}
	for n := v.s.chunks.Load() + 400; v.s.chunks.Load() < n; {
		runtime.Gosched()
	}
	close(w)
	if err := stop(); !errors.Is(err, ErrSlow) {
		t.Errorf("ended with %v", err)
	}
}

func TestARecordingEndsWithItsSessionAndHoldsNobodyUp(t *testing.T) {
	h := newShells(t, Config{})
	v := open(t, h, Spec{}, `echo ready; read x`)
	v.shows("ready")
	w := make(stuck)
	done, stop, err := v.s.Record(w)
	if err != nil {
		t.Fatal(err)
	}
	h.End(v.s) // although w takes nothing
	close(w)
	select {
	case <-done:
	case <-bound(t).Done():
		t.Fatal("the recording of a session that is no more goes on")
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if _, _, err := v.s.Record(io.Discard); !errors.Is(err, ErrClosed) {
		t.Errorf("recording what has ended: %v", err)
	}
}

func TestWhoIsToldMayCallBack(t *testing.T) {
	h := newShells(t, Config{})
	var s atomic.Pointer[Session]
	got := make(chan string, 100)
	started, err := h.Start(Spec{Shell: "/bin/sh", Args: []string{"-c", "read x; echo hello"}, Dirty: func() {
		if s := s.Load(); s != nil {
			if f, ok := s.Frame(Held{}); ok {
				var w shadow
				w.apply(f)
				s.Offer(1, 80, 24)
				got <- w.text()
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	s.Store(started)
	started.Frame(Held{})
	if err := started.Input(1, []byte("x\n")); err != nil {
		t.Fatal(err)
	}
	ctx := bound(t)
	for text := ""; !strings.Contains(text, "hello"); {
		select {
		case text = <-got:
		case <-ctx.Done():
			t.Fatal("never told")
		}
	}
}
