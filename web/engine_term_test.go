package web_test

import (
	"bytes"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fractal/term"
	"fractal/tile"
	"fractal/vt/payload"
	"fractal/web/webtest"
	"fractal/wire"
)

// asciiRow is a row of plain text as it travels.
func asciiRow(text string) []byte {
	row := []byte{0, byte(len(text))}
	if text != "" {
		row = append(row, uvarint(uint64(len(text))<<3)...)
	}
	return append(row, text...)
}

func uvarint(v uint64) (b []byte) {
	for ; v > 127; v >>= 7 {
		b = append(b, byte(v)|128)
	}
	return append(b, byte(v))
}

// terminalAt is a terminal of cols × rows grid cells of 8 × 16 px at level 0.
func terminalAt(seq uint64, x, y int64, cols, rows uint32) *wire.TermItem {
	const px = tile.Units / 256
	level, tx, ty := tile.At(0, 0, 0).Wire()
	return &wire.TermItem{Seq: seq, Terminal: &wire.Terminal{Name: fmt.Sprint("t", seq), Cols: cols, Rows: rows, Home: &wire.Tile{Level: level, X: tx, Y: ty},
		Box: &wire.Box{MinX: x * px, MinY: y * px, MaxX: (x + 8*int64(cols)) * px, MaxY: (y + 16*int64(rows)) * px}}}
}

// bright counts light pixels.
func bright(img *image.NRGBA, r image.Rectangle) (n int) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if c := img.NRGBAAt(x, y); c.R > 150 && c.G > 150 {
				n++
			}
		}
	}
	return n
}

func TestATerminalThatIsNearIsShownAsText(t *testing.T) {
	at := uint64(1)
	r := &fakeRoom{t: t, terms: []*wire.TermItem{terminalAt(7, 100, 100, 40, 4)}}
	r.frame = func(w *wire.TermWant) *wire.TermFrame {
		f := &wire.TermFrame{Terminal: 7, Life: 3, Seq: at, Cols: 40, Rows: 4, Cursor: &wire.TermCursor{}}
		switch {
		case w.Life != 3:
			f.Full, f.Facts = true, &wire.TermFacts{Title: "first"}
			f.Changed = []*wire.TermRow{{Y: 0, Data: asciiRow("HHHHHHHHHH")}, {Y: 1, Data: asciiRow("")}, {Y: 2, Data: asciiRow("")}, {Y: 3, Data: asciiRow("")}}
		case w.Seq >= at:
			return nil
		}
		if at > 1 {
			f.Changed = append(f.Changed, &wire.TermRow{Y: 2, Data: asciiRow("MMMMMMMM")})
		}
		return f
	}
	p := webtest.Open(t, r.serve(), webtest.Desktop)
	look(p, 0, 0, 0, 0, 0, 256)
	p.Wait(`fractal.heard("term-state").length === 1`)
	webtest.Eval[int](p, "fractal.settled()")
	img := p.Screenshot()
	row := func(y int) image.Rectangle { return image.Rect(100, 100+16*y, 100+8*40, 116+16*y) }
	if n := bright(img, row(0)); n < 100 {
		t.Errorf("the first row has %d light pixels", n)
	}
	if n := bright(img, row(2)); n != 0 {
		t.Errorf("the third row is not blank: %d light pixels", n)
	}
	if c := img.NRGBAAt(300, 130); c.R != 0x10 {
		t.Errorf("its paper is %s", webtest.Hex(c))
	}
	for _, v := range heard[*wire.ClientMessage_View](r) {
		for _, w := range v.View.Wants {
			if w.Without != 1<<3 {
				t.Fatalf("square %d is wanted without %b, and no terminal is far", w.Id, w.Without)
			}
		}
	}

	r.mu.Lock()
	at = 2
	for _, c := range r.conns {
		c.compose()
	}
	r.mu.Unlock()
	waitFor(t, p, func() bool { return bright(p.Screenshot(), row(2)) > 50 })

	// A new socket states what is held, and is sent only what is new.
	heard[*wire.ClientMessage_View](r)
	r.cut()
	var held []*wire.TermWant
	waitFor(t, p, func() bool {
		for _, v := range heard[*wire.ClientMessage_View](r) {
			held = v.View.Terms
		}
		return len(held) > 0
	})
	if w := held[0]; w.Terminal != 7 || w.Life != 3 || w.Seq != 2 {
		t.Errorf("after a new connection it states %v", w)
	}

	// Far away it is a picture, and no text is wanted.
	look(p, 0, 0, 0, 0.3, 0.3, 60)
	var last *wire.View
	waitFor(t, p, func() bool {
		for _, v := range heard[*wire.ClientMessage_View](r) {
			last = v.View
		}
		return last != nil && len(last.Terms) == 0
	})
	pictures := 0
	for _, w := range last.Wants {
		if w.Without == 0 {
			pictures++
		}
	}
	if pictures == 0 || pictures == len(last.Wants) {
		t.Errorf("%d of %d squares are wanted with pictures of terminals", pictures, len(last.Wants))
	}
}

func TestRowsOfTheHistoryAreFetchedForThoseWhoLookAndCopy(t *testing.T) {
	r := &fakeRoom{t: t, terms: []*wire.TermItem{terminalAt(7, 100, 100, 40, 4)}}
	r.frame = func(w *wire.TermWant) *wire.TermFrame {
		if w.Life == 3 {
			return nil
		}
		f := &wire.TermFrame{Terminal: 7, Life: 3, Seq: 1, Full: true, Cols: 40, Rows: 4, Base: 1000, Cursor: &wire.TermCursor{}, Facts: &wire.TermFacts{}}
		for y := range int64(4) {
			f.Changed = append(f.Changed, &wire.TermRow{Y: y, Data: asciiRow("now")})
		}
		return f
	}
	asked := 0
	r.rows = func(h *wire.HistoryAsk) *wire.TermAnswer {
		asked++
		a := &wire.TermAnswer{First: 10, End: 1000}
		for n := max(h.From, 10); n < min(h.From+int64(h.Count), 1000); n++ {
			a.Rows = append(a.Rows, &wire.TermRow{Y: n, Data: asciiRow(fmt.Sprint("row ", n))})
		}
		return a
	}
	p := webtest.Open(t, r.serve(), webtest.Desktop)
	look(p, 0, 0, 0, 0, 0, 256)
	p.Wait(`fractal.heard("term-state").length === 1`)
	text := func(from, to int) string {
		id := from*10000 + to
		webtest.Eval[bool](p, fmt.Sprintf(`fractal.send({ kind: "term-text", terminal: 7, from: { row: %d, x: 0 }, to: { row: %d, x: 40 }, by: "cell", block: false, id: %d }), true`, from, to, id))
		p.Wait(fmt.Sprintf(`fractal.heard("term-text").some((m) => m.id === %d)`, id))
		return webtest.Eval[string](p, fmt.Sprintf(`fractal.heard("term-text").find((m) => m.id === %d).text`, id))
	}
	got := strings.Split(text(300, 1001), "\n")
	if len(got) != 702 || got[0] != "row 300" || got[699] != "row 999" || got[701] != "now" {
		t.Errorf("%d rows were copied: %q … %q", len(got), got[0], got[len(got)-1])
	}
	if got := text(5, 10); got != "\n\n\n\n\nrow 10" {
		t.Errorf("where the history begins %q was copied", got)
	}
	r.mu.Lock()
	asked = 0
	r.mu.Unlock()
	webtest.Eval[bool](p, `fractal.send({ kind: "term-focus", terminal: 7 }), fractal.send({ kind: "term-scroll", terminal: 7, row: 20 }), true`)
	p.Wait(`fractal.heard("term-state").some((m) => m.first === 10)`)
	webtest.Eval[int](p, "fractal.settled()")
	waitFor(t, p, func() bool { return bright(p.Screenshot(), image.Rect(100, 100, 200, 116)) > 30 })
}

// recorded is what a page would be sent of a program that prints each of these, a frame each; the first is full.
func recorded(t testing.TB, cols, rows int, prints [][]byte) (frames []*wire.TermFrame) {
	dir := t.TempDir()
	for i, b := range prints {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), fmt.Appendf(b, "\x1b]2;%d\a", i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shells := term.New(term.Config{})
	defer shells.Close()
	news := make(chan struct{}, 1)
	script := fmt.Sprintf(`stty -echo; i=0; while [ $i -lt %d ]; do cat %s/$i; i=$((i+1)); read x; done; cat`, len(prints), dir)
	s, err := shells.Start(term.Spec{Name: "a", Shell: "/bin/sh", Args: []string{"-c", script}, Cols: cols, Rows: rows, Fixed: true, Dirty: func() {
		select {
		case news <- struct{}{}:
		default:
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	var held term.Held
	for i := range prints {
		var changed []*wire.TermRow
		at := map[int]*wire.TermRow{}
		var base int64
		for {
			f, ok := s.Frame(held)
			if !ok {
				<-news
				continue
			}
			if i > 0 && f.Full {
				t.Fatal("a full frame in the middle")
			}
			held = f.Holds
			if base != 0 && f.Base != base { // rows of parts of a print have moved up
				moved := map[int]*wire.TermRow{}
				for y, r := range at {
					if y -= int(f.Base - base); y >= 0 {
						r.Y = int64(y)
						moved[y] = r
					}
				}
				at = moved
			}
			base = f.Base
			for _, r := range f.Changed {
				at[r.Y] = &wire.TermRow{Y: int64(r.Y), Data: r.Data}
			}
			if f.Facts != nil && f.Facts.Title == fmt.Sprint(i) {
				break
			}
		}
		for _, r := range at {
			changed = append(changed, r)
		}
		w := &wire.TermFrame{Terminal: 7, Life: 1, Seq: uint64(i + 1), Cols: uint32(cols), Rows: uint32(rows), Base: base, Changed: changed, Cursor: &wire.TermCursor{Visible: true}}
		if i == 0 {
			w.Full, w.Facts = true, &wire.TermFacts{}
		}
		frames = append(frames, w)
		if err := s.Input(1, []byte("\n")); err != nil {
			t.Fatal(err)
		}
	}
	return frames
}

// BenchmarkTerm measures what a page spends on a terminal of 188 × 82 that is near, a frame a pull: a flood in which every grid
// cell changes its colours, and text that scrolls, 3 rows and 300 a frame.
func BenchmarkTerm(t *testing.B) {
	const cols, rows = 188, 82
	doom := payload.Frames(24<<20, 1) // by then the fire burns
	doom = append([][]byte{bytes.Join(doom[:len(doom)-20], nil)}, doom[len(doom)-20:]...)
	lines := func(n int) (prints [][]byte) {
		text := bytes.SplitAfter(payload.Make("ascii", 2<<20, 1), []byte("\n"))
		for i := range 20 {
			var p []byte
			for j, l := range text[i*n:][:n] {
				p = append(fmt.Appendf(p, "\x1b[%dm%s\x1b[1;%dm", 30+(i+j)%8, l[:9], 31+j%7), l[9:]...)
			}
			prints = append(prints, p)
		}
		return prints
	}
	for _, k := range []struct {
		name   string
		prints [][]byte
	}{{"flood of colours", doom}, {"3 rows a frame", lines(3)}, {"300 rows a frame", lines(300)}} {
		frames := recorded(t, cols, rows, k.prints)
		size := 0
		for _, f := range frames {
			for _, r := range f.Changed {
				size += len(r.Data)
			}
		}
		next := 0
		r := &fakeRoom{t: t, terms: []*wire.TermItem{terminalAt(7, 8, 8, cols, rows)}}
		r.frame = func(*wire.TermWant) *wire.TermFrame { next++; return frames[(next-1)%len(frames)] }
		p := webtest.Open(t, r.serve(), webtest.Screen{Width: 1536, Height: 1328, Scale: 1})
		look(p, 0, 0, 0, 0, 0, 256)
		painted := func() (n uint64) {
			for _, pull := range heard[*wire.ClientMessage_Pull](r) {
				n = max(n, pull.Pull.Painted)
			}
			return n
		}
		waitFor(t, p, func() bool { return painted() > 60 })
		for range 3 {
			from, cpu := painted(), p.CPU()
			for from == 0 {
				from = painted()
			}
			took := webtest.Eval[float64](p, `new Promise((r) => { let n = 0, t; const f = (now) => { t ??= now; n++ < 180 ? requestAnimationFrame(f) : r(now - t) }; requestAnimationFrame(f) })`)
			n := float64(painted() - from)
			t.Logf("%s (%d kB a frame): %.1f CPU-ms a frame of all of Chromium, %.0f frames a second", k.name, size/len(frames)>>10, 1000*(p.CPU()-cpu)/n, 1000*n/took)
		}
		r.mu.Lock()
		r.mute = true // the next is measured alone
		r.mu.Unlock()
	}
}
