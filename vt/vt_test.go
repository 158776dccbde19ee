package vt_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"fractal/vt"
	"fractal/vt/payload"
)

// viewer is the shadow of a terminal as somebody keeps it who is told only what is newer than what he has seen.
type viewer struct {
	seen, epoch uint64
	base        int64
	rows        []string
}

func (v *viewer) pull(term *vt.Terminal) (sent int) {
	_, n := term.Size()
	if v.rows == nil || v.epoch != term.Epoch() {
		*v = viewer{epoch: term.Epoch(), base: term.Base(), rows: make([]string, n)}
	}
	if d := int(term.Base() - v.base); d > 0 {
		d = min(d, n)
		copy(v.rows, v.rows[d:])
		for y := n - d; y < n; y++ {
			v.rows[y] = "never sent"
		}
		v.base = term.Base()
	}
	var row vt.Row
	for y := range n {
		if term.RowSeq(y) > v.seen {
			term.Screen(y, &row)
			v.rows[y] = show(&row)
			sent++
		}
	}
	v.seen = term.Seq()
	return sent
}

func show(row *vt.Row) string {
	s := ""
	for _, run := range row.Runs {
		s += fmt.Sprintf("%d+%d %v %v %v %q ", run.X, run.Cells, run.Style, run.Wide, run.Cluster, run.Text)
	}
	return s
}

func TestRowsNewerThanSeenMakeTheScreen(t *testing.T) {
	kinds := [][]byte{payload.Make("csi", 200_000, 3), payload.Make("unicode", 50_000, 3), payload.Make("ascii", 50_000, 3), payload.Make("scroll", 5_000, 3)}
	edits := []string{"\x1b[2;20r", "\x1b[r", "\x1b[?1049h", "\x1b[?1049l", "\x1b[5;3H\x1b[2M", "\x1b[3T", "\x1b[2S", "\x1b[?69h\x1b[4;30s", "\x1b[?69l", "\x1bc", "\x1b#8", "\x1b[20;1H\n\n\n"}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 9))
		term := vt.New(vt.Config{Cols: 60, Rows: 24, History: 100})
		var often, seldom viewer
		for step := range 200 {
			p := kinds[r.IntN(len(kinds))]
			i := r.IntN(len(p) - 400)
			term.Write(p[i : i+r.IntN(400)])
			if r.IntN(3) == 0 {
				term.Write([]byte(edits[r.IntN(len(edits))]))
			}
			if r.IntN(30) == 0 {
				term.Resize(20+r.IntN(60), 10+r.IntN(30))
			}
			views := []*viewer{&often}
			if r.IntN(15) == 0 {
				views = append(views, &seldom)
			}
			for _, v := range views {
				v.pull(term)
				var row vt.Row
				for y := range v.rows {
					if term.Screen(y, &row); v.rows[y] != show(&row) {
						t.Fatalf("seed %d step %d row %d: viewer has %s, screen %s", seed, step, y, v.rows[y], show(&row))
					}
				}
			}
		}
	}
}

func TestAScrollOwesOnlyTheNewRow(t *testing.T) {
	term := vt.New(vt.Config{Cols: 80, Rows: 24})
	term.Write(payload.Make("ascii", 5000, 1))
	var v viewer
	v.pull(term)
	term.Write([]byte("one\r\n"))
	if n := v.pull(term); n != 2 {
		t.Errorf("%d rows are owed after one line, want the line and the new row", n)
	}
	term.Write([]byte("\x1b[5n"))
	if n := v.pull(term); n != 0 {
		t.Errorf("%d rows are owed after a question", n)
	}
}

func TestHistoryKeepsTenThousandLinesInAMegabyte(t *testing.T) {
	var before, after runtime.MemStats
	line := []byte(strings.Repeat("0123456789", 8) + "\r\n")
	runtime.GC()
	runtime.ReadMemStats(&before)
	term := vt.New(vt.Config{Cols: 80, Rows: 24})
	for range 25_000 {
		term.Write(line)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if first, end := term.History(); end-first < 10_000 {
		t.Errorf("%d rows are kept", end-first)
	}
	size := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("%d bytes a terminal, %d of them packed", size, term.HistoryBytes())
	if size > 1<<20 {
		t.Errorf("a terminal with 10,000 full lines takes %d bytes", size)
	}
	runtime.KeepAlive(term)
}

func TestHistoryShowsWhatWasOnTheScreen(t *testing.T) {
	for _, kind := range []string{"ascii", "unicode", "csi"} {
		size := 12_000
		if kind == "csi" {
			size = 6_000
		}
		data := payload.Make(kind, size, 5)
		tall := vt.New(vt.Config{Cols: 100, Rows: 512})
		short := vt.New(vt.Config{Cols: 100, Rows: 10})
		if kind == "csi" { // movements mean other things on other screens: styles and text alone
			data = bytes.ReplaceAll(data, []byte("H"), []byte("m"))
			for _, c := range "CXPL@K" {
				data = bytes.ReplaceAll(data, []byte(string(c)), []byte("m\x1b[49m\r\n"))
			}
		}
		tall.Write(data)
		short.Write(data)
		if tall.Base() > 0 {
			t.Fatalf("%s: too long", kind)
		}
		first, end := short.History()
		if first != 0 || end < 50 {
			t.Fatalf("%s: history [%d, %d)", kind, first, end)
		}
		var a, b vt.Row
		for n := first; n < end; n++ {
			tall.Screen(int(n), &a)
			if !short.HistoryRow(n, &b) {
				t.Fatalf("%s: no row %d", kind, n)
			}
			if got, want := rowsText(&b), rowsText(&a); got != want {
				t.Fatalf("%s row %d:\n got %s\nwant %s", kind, n, got, want)
			}
			if a.Wrapped != b.Wrapped {
				t.Fatalf("%s row %d: wrapped %v, want %v", kind, n, b.Wrapped, a.Wrapped)
			}
		}
	}
}

// rowsText is a row glyph by glyph, with styles, however it is cut into runs.
func rowsText(row *vt.Row) string {
	var b strings.Builder
	for _, run := range row.Runs {
		if run.Cluster {
			fmt.Fprintf(&b, "[%s]%v", run.Text, run.Style)
			continue
		}
		for _, r := range string(run.Text) {
			fmt.Fprintf(&b, "%c%v", r, run.Style)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

func TestReflowAndBackKeepsEverything(t *testing.T) {
	term := vt.New(vt.Config{Cols: 100, Rows: 24})
	term.Write(payload.Make("unicode", 300_000, 6))
	all := func() string {
		var b strings.Builder
		var l vt.Line
		first, end := term.Lines()
		for id := first; id < end; id++ {
			if !term.Line(id, &l) {
				t.Fatalf("no line %d of [%d, %d)", id, first, end)
			}
			fmt.Fprintf(&b, "%s\n", l.Text)
		}
		return strings.TrimRight(b.String(), "\n")
	}
	want := all()
	for _, size := range [][2]int{{31, 24}, {200, 50}, {7, 3}, {100, 24}} {
		term.Resize(size[0], size[1])
		if got := all(); got != want {
			t.Fatalf("other lines at %v: %d bytes, want %d", size, len(got), len(want))
		}
	}
}

func TestSearchFindsPlaces(t *testing.T) {
	term := vt.New(vt.Config{Cols: 20, Rows: 5})
	for i := range 200 {
		fmt.Fprintf(term, "line %d 橋 and then needle%d follows\r\n", i, i)
	}
	first, end := term.Lines()
	var l vt.Line
	var row vt.Row
	found := 0
	for id := end - 1; id >= first; id-- {
		if !term.Line(id, &l) {
			t.Fatal("no line", id)
		}
		at := bytes.Index(l.Text, []byte("needle"))
		if at < 0 {
			continue
		}
		found++
		n, x := l.Place(l.Cell[at])
		if n >= term.Base() {
			term.Screen(int(n-term.Base()), &row)
		} else if !term.HistoryRow(n, &row) {
			t.Fatal("no row", n)
		}
		glyph := ""
		for _, run := range row.Runs {
			if x >= run.X && x < run.X+run.Cells && !run.Wide {
				glyph = string(run.Text[x-run.X])
			}
		}
		if glyph != "n" {
			t.Fatalf("line %d: the needle is not at row %d column %d: %q", id, n, x, glyph)
		}
	}
	if found != 200 {
		t.Errorf("found %d needles", found)
	}
}

func TestPromptsAreFound(t *testing.T) {
	term := vt.New(vt.Config{Cols: 20, Rows: 5})
	var at []int64
	for i := range 300 {
		at = append(at, term.Base()+int64(term.Cursor().Y))
		fmt.Fprintf(term, "\x1b]133;A\x07$ \x1b]133;B\x07cmd\r\n\x1b]133;C\x07%s\x1b]133;D;%d\x07", strings.Repeat("out\r\n", i%7), i%3)
	}
	row := int64(1 << 40)
	for i := len(at) - 1; i >= 0; i-- {
		n, ok := term.Prompt(row, true)
		if !ok || n != at[i] {
			t.Fatalf("above row %d: prompt %d (%v), want %d", row, n, ok, at[i])
		}
		row = n
	}
	if _, ok := term.Prompt(row, true); ok {
		t.Error("a prompt above the first")
	}
	for i := 1; i < len(at); i++ {
		n, ok := term.Prompt(at[i-1], false)
		if !ok || n != at[i] {
			t.Fatalf("below row %d: prompt %d (%v), want %d", at[i-1], n, ok, at[i])
		}
	}
	if c := term.Command(); c.Finished != 300 || c.Exit != 299%3 {
		t.Errorf("commands: %+v", c)
	}
}

func TestRepliesNobodyReadsAreBounded(t *testing.T) {
	term := vt.New(vt.Config{})
	term.Write(bytes.Repeat([]byte("\x1b[5n\x1b[c\x1b[>q"), 100_000))
	if n := len(term.TakeReplies(nil)); n == 0 || n > 64<<10 {
		t.Errorf("%d bytes of answers", n)
	}
	term.Write([]byte("\x1b[5n"))
	if got := string(term.TakeReplies(nil)); got != "\x1b[0n" {
		t.Errorf("after the flood: %q", got)
	}
}

func TestFloodsKeepMemoryBounded(t *testing.T) {
	floods := map[string]func(i int) string{
		"random colours":     func(i int) string { return fmt.Sprintf("\x1b[38;2;%d;%d;%dmx", i&255, i>>8&255, i>>16&255) },
		"marks without end":  func(i int) string { return "\u0300" },
		"different clusters": func(i int) string { return fmt.Sprintf("%c\u0301%c", 0x4e00+i%20000, 0x300+i%70) },
		"links":              func(i int) string { return fmt.Sprintf("\x1b]8;id=%d;http://example.org/%d\x07x", i, i) },
		"an endless string":  func(i int) string { return "\x1b]0;"[:4*b2i(i == 0)] + "0123456789abcdef" },
		"bells and titles":   func(i int) string { return fmt.Sprintf("\x07\x1b]0;title %d\x07\x1b[22t", i) },
		"one endless line":   func(i int) string { return "0123456789abcdef" },
		"palettes and modes": func(i int) string { return fmt.Sprintf("\x1b]4;%d;#%06x\x07\x1b[?%dh\x1b[?%ds", i%300, i, i, i) },
	}
	for name, piece := range floods {
		t.Run(name, func(t *testing.T) {
			term := vt.New(vt.Config{Cols: 80, Rows: 24, History: 100, HistoryBytes: 1 << 20})
			var b []byte
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			for i := range 100_000 {
				b = append(b, piece(i)...)
				if len(b) > 32<<10 {
					term.Write(b)
					b = b[:0]
				}
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
				t.Errorf("the terminal grew by %d bytes", grown)
			}
			runtime.KeepAlive(term)
		})
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestSteadyFloodsDoNotAllocate(t *testing.T) {
	for _, kind := range payload.Kinds {
		data := payload.Make(kind, 1<<20, 2)
		term := vt.New(vt.Config{Cols: payload.Cols, Rows: payload.Rows, History: 1000})
		for range 4 {
			term.Write(data)
		}
		n := testing.AllocsPerRun(3, func() { term.Write(data) })
		t.Logf("%s: %v allocations a MiB", kind, n)
		if n > 100 { // pages that outgrow the ones used again, and sweeps
			t.Errorf("%s: %v allocations a MiB", kind, n)
		}
	}
}

func TestSyncEndsWithAResizeOrInTime(t *testing.T) {
	term := vt.New(vt.Config{})
	term.Write([]byte("\x1b[?2026h\x1b[?2026htext\x1b[?2026l"))
	if term.Modes().Sync {
		t.Error("one end does not end it")
	}
	term.Write([]byte("\x1b[?2026h"))
	term.EndSync()
	if term.Modes().Sync {
		t.Error("EndSync does not end it")
	}
	term.Write([]byte("\x1b[?2026h"))
	term.Resize(50, 20)
	if term.Modes().Sync {
		t.Error("a resize does not end it")
	}
}

func TestLinksReachRuns(t *testing.T) {
	term := vt.New(vt.Config{Cols: 30, Rows: 2})
	term.Write([]byte("a\x1b]8;id=1;https://example.org\x1b\\link\x1b]8;;\x1b\\b\r\n\r\n\r\n"))
	var row vt.Row
	if !term.HistoryRow(0, &row) || len(row.Runs) != 3 || row.Runs[1].Link == nil || row.Runs[1].Link.URI != "https://example.org" || row.Runs[2].Link != nil {
		t.Errorf("runs: %+v", row.Runs)
	}
}

func TestClipboardNeedsPermission(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		term := vt.New(vt.Config{Clipboard: allowed})
		term.Write([]byte("\x1b]52;c;aGVsbG8=\x07"))
		if got := string(term.Clipboard().Data); (got == "hello") != allowed {
			t.Errorf("allowed %v: clipboard %q", allowed, got)
		}
	}
}
