package term

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fractal/vt"
	"fractal/vt/payload"
)

func newScreen(cfg vt.Config, dirty func()) *screen {
	s := new(screen)
	s.init(7, cfg, dirty)
	return s
}

// onlooker is a shadow that pulls when the test says so, and was told once that there is nothing.
type onlooker struct {
	shadow
	holds Held
}

func (o *onlooker) pull(t *testing.T, s *screen) bool {
	t.Helper()
	f, ok := s.Frame(o.holds)
	if !ok {
		return false
	}
	before := o.shadow
	before.screen = append([]Row(nil), o.screen...)
	if err := o.apply(f); err != nil {
		t.Fatal(err)
	}
	o.holds = f.Holds
	if !f.Full && f.Base == before.base && f.Cursor == before.cursor && f.Facts == nil && len(f.Changed) == 0 {
		t.Fatal("an empty frame")
	}
	return true
}

// noise is bytes of all kinds, many of them meant for a screen of that size.
func noise(r *rand.Rand, cols, rows int) []byte {
	var b []byte
	for range 1 + r.IntN(12) {
		switch r.IntN(22) {
		case 0:
			b = fmt.Appendf(b, "\x1b[%d;%dH", 1+r.IntN(rows+1), 1+r.IntN(cols+1))
		case 1:
			b = fmt.Appendf(b, "\x1b[%d;%dr", 1+r.IntN(rows), 1+r.IntN(rows))
		case 2:
			b = fmt.Appendf(b, "\x1b[%d%c", r.IntN(5), "LMSTPX@KJ"[r.IntN(9)])
		case 3:
			b = append(b, []string{"\x1b[?1049h", "\x1b[?1049l", "\x1bM", "\x1bD", "\x1b[?6h", "\x1b[?6l", "\x1b[?5h", "\x1b[?5l"}[r.IntN(8)]...)
		case 4:
			b = append(b, []string{"\x1b[?2026h", "\x1b[?2026l", "\x1b[?2026l"}[r.IntN(3)]...)
		case 5:
			b = append(b, []string{"\x1b]8;;http://a/\x1b\\", "\x1b]8;id=x;http://b/\x1b\\", "\x1b]8;;\x1b\\"}[r.IntN(3)]...)
		case 6:
			b = fmt.Appendf(b, "\x1b]2;title %d\a", r.IntN(3))
		case 7:
			b = fmt.Appendf(b, "\x1b[%d;38;2;%d;0;9;4:%dm", r.IntN(10), r.IntN(3), r.IntN(6))
		case 8:
			b = fmt.Appendf(b, "\x1b[%d;58;5;%d;4%dm", r.IntN(10), r.IntN(256), r.IntN(8))
		case 9:
			b = append(b, "\x1b[0m"...)
		case 10:
			b = append(b, []string{"\x1b[3J", "\x1bc", "\x1b[!p", "\x1b[?69h\x1b[3;9s", "\x1b[?69l", "\x1b]133;A\a$ ", "\x1b]133;C\a", "\a"}[r.IntN(8)]...)
		case 11:
			b = append(b, strings.Repeat("▀", r.IntN(cols))...)
		case 12:
			b = append(b, "┌──┐世界👩‍🚀é🇩🇪x"...)
		case 13:
			b = append(b, payload.Make(payload.Kinds[r.IntN(len(payload.Kinds))], 1+r.IntN(400), r.Uint64())...)
		case 14, 15, 16, 17:
			b = append(b, "\r\n"...)
		default:
			for range r.IntN(30) {
				b = append(b, byte(' '+r.IntN(95)))
			}
		}
	}
	return b
}

func TestShadowsAreTheGridUnderAnyInterleaving(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for round := range 60 {
		cols, rows := 1+r.IntN(40), 1+r.IntN(14)
		told := 0
		s := newScreen(vt.Config{Cols: cols, Rows: rows, History: 50}, func() { told++ })
		all := make([]onlooker, 4)
		for step := range 120 {
			switch r.IntN(14) {
			case 0:
				cols, rows = 1+r.IntN(40), 1+r.IntN(14)
				s.mu.Lock()
				s.term.Resize(cols, rows)
				s.ownChange()
				s.mu.Unlock()
			case 1:
				s.ring2()
			case 2:
				all[r.IntN(len(all))] = onlooker{} // comes anew
			case 3:
				all[r.IntN(len(all))] = all[r.IntN(len(all))].clone() // comes back, holding what it held then
			case 4, 5, 6, 7, 8, 9:
				b := noise(r, cols, rows)
				for len(b) > 0 {
					n := 1 + r.IntN(len(b))
					s.parse(b[:n], nil)
					b = b[n:]
				}
			default:
				o := &all[r.IntN(len(all))]
				o.pull(t, s)
				if o.pull(t, s) {
					t.Fatalf("round %d step %d: two frames, and nothing between them", round, step)
				}
				if s.syncing {
					continue
				}
				if bad := o.differs(s.term); bad != "" {
					t.Fatalf("round %d step %d: %s", round, step, bad)
				}
			}
		}
		s.ring2()
		for i := range all {
			all[i].pull(t, s)
			if bad := all[i].differs(s.term); bad != "" {
				t.Fatalf("round %d: onlooker %d at the end: %s", round, i, bad)
			}
		}
	}
}

// ring2 ends a synchronized frame as if its time were up.
func (s *screen) ring2() {
	s.mu.Lock()
	s.since = time.Time{}
	s.mu.Unlock()
	s.ring()
}

func (o *onlooker) clone() onlooker {
	c := *o
	c.screen = append([]Row(nil), o.screen...)
	return c
}

func TestAShadowWithinASynchronizedFrameIsAWholeOne(t *testing.T) {
	// Each frame writes the same letter everywhere; whoever sees two letters sees half a frame.
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 2))
	news := true
	s := newScreen(vt.Config{Cols: 20, Rows: 5}, func() { news = true })
	var o onlooker
	var flood []byte
	for i := range 300 {
		flood = append(flood, "\x1b[?2026h\x1b[?2026h\x1b[H"...)
		for range 5 {
			flood = append(flood, bytes.Repeat([]byte{byte('a' + i%26)}, 20)...)
		}
		flood = append(flood, "\x1b[?2026l\x1b[?2026l"...)
	}
	pieces, seen := 0, 0
	for len(flood) > 0 {
		n := min(300+r.IntN(400), len(flood)) // ends within a frame, as a rule, and holds the end of another one
		pieces++
		s.parse(flood[:n], nil)
		flood = flood[n:]
		if !news {
			continue
		}
		news = false
		if !o.pull(t, s) {
			continue
		}
		text := o.text()
		if text[0] == '\n' {
			continue
		}
		if strings.Count(text, text[:1]) != 100 {
			t.Fatalf("seed %d: half a frame is shown:\n%s", seed, text)
		}
		seen++
	}
	if seen < pieces*3/4 {
		t.Errorf("seed %d: %d frames were seen in %d pieces of a flood", seed, seen, pieces)
	}
}

func TestASynchronizedFrameIsHeldForItsTimeAndNoLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		news := make(chan struct{}, 1)
		s := newScreen(vt.Config{Cols: 20, Rows: 5}, func() { news <- struct{}{} })
		s.parse([]byte("before"), nil)
		<-news
		var o onlooker
		o.pull(t, s)
		began := time.Now()
		s.parse([]byte("\x1b[?2026hafter\x1b[?2026h"), nil)
		for range 10 { // a flood does not extend it
			if o.pull(t, s) {
				t.Fatal("what is being built is shown")
			}
			s.parse([]byte("\x1b[?2026h more"), nil)
		}
		var late onlooker
		if !late.pull(t, s) || strings.TrimSpace(late.text()) != "before" {
			t.Errorf("who comes meanwhile is shown %q", late.text())
		}
		<-news
		if waited := time.Since(began); waited != maxSync {
			t.Errorf("shown after %v, want %v", waited, maxSync)
		}
		if !o.pull(t, s) || !strings.Contains(o.text(), "beforeafter more") {
			t.Errorf("shown at last: %q", o.text())
		}
		wakes := s.wakes.Load()
		time.Sleep(time.Hour) // of the bubble's time
		if n := s.wakes.Load(); n != wakes {
			t.Errorf("%d wake-ups while nothing happened", n-wakes)
		}
	})
}

func TestNewsIsToldOnceForEachFrame(t *testing.T) {
	told := 0
	s := newScreen(vt.Config{Cols: 20, Rows: 5}, func() { told++ })
	var o, p onlooker
	for range 100 {
		s.parse([]byte("x"), nil)
	}
	if told != 1 {
		t.Errorf("told %d times of what nobody asks for", told)
	}
	o.pull(t, s)
	p.pull(t, s)
	if o.pull(t, s) {
		t.Error("a frame without news")
	}
	s.parse([]byte("\x1b[m"), nil)
	if told != 1 {
		t.Error("told of nothing")
	}
	s.parse([]byte("y"), nil)
	s.parse([]byte("y"), nil)
	if told != 2 || !o.pull(t, s) || !p.pull(t, s) {
		t.Errorf("told %d times", told)
	}
}

func TestWhatIsPaintedAnewAlikeIsNoNews(t *testing.T) {
	s := newScreen(vt.Config{Cols: 20, Rows: 5}, nil)
	var o, p onlooker
	s.parse([]byte("\x1b[Hone\x1b[2;1Htwo\x1b]2;t\a"), nil)
	o.pull(t, s)
	p.pull(t, s)
	s.parse([]byte("\x1b[2J\x1b[Hone\x1b[2;1Htwo\x1b]2;t\a"), nil)
	if o.pull(t, s) {
		t.Error("the same again is a frame")
	}
	s.parse([]byte("\x1b[2;1Htoo"), nil)
	if f, ok := s.Frame(o.holds); !ok || len(f.Changed) != 1 || f.Changed[0].Y != 1 || f.Facts != nil {
		t.Errorf("one row changed: %+v", f)
	}
	o.pull(t, s)
	s.parse([]byte("\x1b[2;1Htwo"), nil) // as p has it, but o does not
	if !o.pull(t, s) {
		t.Error("an edit taken back between two pulls of somebody else is lost")
	}
	p.pull(t, s)
	for _, w := range []*onlooker{&o, &p} {
		if bad := w.differs(s.term); bad != "" {
			t.Error(bad)
		}
	}
}

func TestAFrameTakesTheLockOnceAndRowsAreEncodedOnceForAll(t *testing.T) {
	s := newScreen(vt.Config{Cols: 80, Rows: 24}, nil)
	all := make([]onlooker, 8)
	for range 20 {
		s.parse([]byte("\r\nline"), nil)
		holds, encoded := s.frameHolds, s.encoded
		for i := range all {
			all[i].pull(t, s)
		}
		if n := s.frameHolds - holds; n != 8 {
			t.Errorf("%d holds for 8 frames", n)
		}
		if n := s.encoded - encoded; n > 24 {
			t.Errorf("%d rows encoded for 8 frames of 24 rows", n)
		}
		if all[0].base > 0 && s.encoded-encoded > 2 {
			t.Errorf("%d rows encoded for one new row", s.encoded-encoded)
		}
	}
}

func TestWhatAViewerCannotHoldIsAnsweredWhole(t *testing.T) {
	s := newScreen(vt.Config{Cols: 20, Rows: 5}, nil)
	s.parse([]byte("hello"), nil)
	f, _ := s.Frame(Held{})
	for _, h := range []Held{{}, {Life: 7}, {Life: 8, Seq: f.Holds.Seq}, {Life: 7, Seq: f.Holds.Seq + 1}} {
		if f, ok := s.Frame(h); !ok || !f.Full || len(f.Changed) != 5 {
			t.Errorf("holding %+v: %+v", h, f)
		}
	}
}

func TestAPainterMakesAnotherTerminalShowTheSame(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 3))
	s := newScreen(vt.Config{Cols: 30, Rows: 8}, nil)
	other := vt.New(vt.Config{Cols: 34, Rows: 11}) // a larger one
	var p Painter
	var o onlooker
	for step := range 400 {
		s.parse(noise(r, 30, 8), nil)
		s.parse([]byte([]string{"", "", "\x1b[?1;2004h", "\x1b[?1;2004l", "\x1b[?1000;1006h", "\x1b[?1003h", "\x1b[?1003l", "\x1b[?1006l\x1b[?1015h", "\x1b[>5u",
			"\x1b[<u", "\x1b[>4;2m", "\x1b=\x1b[?1004;67h", "\x1b>\x1b[?1004;67l", "\x1b[?9h"}[r.IntN(14)]), nil)
		if s.syncing || r.IntN(3) > 0 {
			continue
		}
		f, ok := s.Frame(o.holds)
		if !ok {
			continue
		}
		o.apply(f)
		o.holds = f.Holds
		other.Write(p.Append(nil, f))
		for y := range 8 {
			for x := range 30 {
				a, aw, as := s.term.Cell(x, y)
				b, bw, bs := other.Cell(x, y)
				if a == "" && aw == 1 {
					a = " "
				}
				if b == "" && bw == 1 {
					b = " "
				}
				if a != b || aw != bw || as != bs {
					t.Fatalf("seed %d step %d: column %d of row %d: %q %+v, want %q %+v", seed, step, x, y, b, bs, a, as)
				}
			}
		}
		am, bm := s.term.Modes(), other.Modes()
		am.Alt, am.AltScroll, am.Newline, am.ColorScheme, am.Sync = bm.Alt, bm.AltScroll, bm.Newline, bm.ColorScheme, bm.Sync // not what is sent
		if am != bm {
			t.Fatalf("seed %d step %d: modes %+v, want %+v", seed, step, bm, am)
		}
		a, b2 := s.term.Cursor(), other.Cursor()
		if a.X != b2.X || a.Y != b2.Y || a.Visible != b2.Visible || a.Shape != b2.Shape {
			t.Fatalf("seed %d step %d: cursor %+v, want %+v", seed, step, b2, a)
		}
	}
}

func TestAPainterGivesTheTerminalBackAsItWas(t *testing.T) {
	s := newScreen(vt.Config{Cols: 20, Rows: 5}, nil)
	s.parse([]byte("\x1b[?1;5;66;67;1003;1006;1004;2004h\x1b[>5u\x1b[>4;2m\x1b[31;4mred\x1b[3 q\x1b[?25l"), nil)
	other := vt.New(vt.Config{Cols: 30, Rows: 9})
	was := other.Modes()
	var p Painter
	f, _ := s.Frame(Held{})
	other.Write(p.Append(nil, f))
	if other.Modes() == was {
		t.Fatal("the terminal has none of the modes")
	}
	other.Write(p.Restore(nil))
	if m := other.Modes(); m != was {
		t.Errorf("modes %+v, want %+v", m, was)
	}
	other.Write([]byte("\x1b[9;1H\n" + strings.Repeat("x", 31)))
	if c := other.Cursor(); c.X != 1 || c.Y != 8 || !c.Visible {
		t.Errorf("cursor %+v after a line of 31 on the last row: want column 1 of it, shown", c)
	}
}

func TestARecordingBegunInTheMiddleWrapsAsTheSessionDoes(t *testing.T) {
	s := newScreen(vt.Config{Cols: 20, Rows: 5}, nil)
	s.parse([]byte("a\r\nb"), nil)
	f, _ := s.Frame(Held{})
	other := vt.New(vt.Config{Cols: 20, Rows: 5})
	other.Write([]byte(beginning(f)))
	for _, w := range []interface{ Write([]byte) (int, error) }{writer{s}, other} {
		_, _ = w.Write([]byte(strings.Repeat("x", 25) + "\r\n\n\n"))
	}
	for y := range 5 {
		for x := range 20 {
			a, _, _ := s.term.Cell(x, y)
			b, _, _ := other.Cell(x, y)
			if strings.TrimSpace(a) != strings.TrimSpace(b) {
				t.Fatalf("column %d of row %d: %q, want %q", x, y, b, a)
			}
		}
	}
}

// A server that lies must not reach the terminal somebody attaches from.
func TestAPainterLetsNoControlsThrough(t *testing.T) {
	evil := "a\x1b]52;c;ZXZpbA==\x07b\x9bc\u009dd\x00\r\n\x7f"
	row := []byte{0, byte(len(evil))}
	row = append(binary.AppendUvarint(row, uint64(len(evil))<<3), evil...)
	for _, kind := range []uint64{glyphsASCII, glyphsNarrow, glyphNarrow, glyphWide} {
		row := binary.AppendUvarint([]byte{0, 1}, uint64(len("\x1b[9999X"))<<3|kind)
		row = append(row, "\x1b[9999X"...)
		f := &Frame{Full: true, Cols: 10, Rows: 2, Changed: []FrameRow{{0, row}, {1, row}}, Facts: &Facts{Title: evil, Clipboards: 1, ClipboardSelection: evil}}
		var p Painter
		out := p.Append(nil, f)
		f.Full, f.Facts = false, &Facts{Title: evil + "x", Clipboards: 2, ClipboardSelection: evil, Clipboard: evil}
		out = p.Append(out, f)
		for _, bad := range []string{"9999X", "\x1b]52;c;ZXZpbA", "\x9b", "\u009d", "\x00", "\x7f"} {
			if bytes.Contains(out, []byte(bad)) {
				t.Errorf("kind %d: %q came through: %q", kind, bad, out)
			}
		}
	}
	f := &Frame{Full: true, Cols: 30, Rows: 1, Changed: []FrameRow{{0, row}}}
	if out := new(Painter).Append(nil, f); bytes.Contains(out, []byte("\x1b]52")) {
		t.Errorf("a row came through: %q", out)
	}
}

type writer struct{ *screen }

func (w writer) Write(p []byte) (int, error) { w.parse(p, nil); return len(p), nil }

func FuzzRowDecode(f *testing.F) {
	s := newScreen(vt.Config{Cols: 40, Rows: 10}, nil)
	r := rand.New(rand.NewPCG(1, 1))
	for range 40 {
		s.parse(noise(r, 40, 10), nil)
	}
	s.ring2()
	frame, _ := s.Frame(Held{})
	for _, c := range frame.Changed {
		f.Add(c.Data)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var row Row
		if row.Decode(b) != nil {
			return
		}
		if row.Cells > vt.MaxCols || len(row.Glyphs) > row.Cells {
			t.Fatalf("%d glyphs in %d cells", len(row.Glyphs), row.Cells)
		}
		x := 0
		for _, g := range row.Glyphs {
			if g.X != x || g.Width < 1 || g.Width > 2 || len(g.Text) == 0 {
				t.Fatalf("a glyph at %d of width %d, want %d", g.X, g.Width, x)
			}
			x += g.Width
		}
		if x != row.Cells {
			t.Fatalf("glyphs cover %d of %d cells", x, row.Cells)
		}
	})
}

// A program may put half a MiB into the clipboard, and whistle or change its title with every line it prints.
func TestTheClipboardIsToldOnce(t *testing.T) {
	s := new(screen)
	s.init(1, vt.Config{Cols: 20, Rows: 5, Clipboard: true}, nil)
	s.parse([]byte("before"), nil)
	first, _ := s.Frame(Held{})
	s.parse([]byte("\x1b]52;c;aGk=\a"), nil)
	told, _ := s.Frame(first.Holds)
	if told.Facts == nil || told.Facts.Clipboard != "hi" {
		t.Fatalf("told %+v", told.Facts)
	}
	s.parse([]byte("\a\x1b]2;title\a"), nil)
	if f, ok := s.Frame(told.Holds); !ok || f.Facts == nil || f.Facts.Title != "title" || f.Facts.Clipboard != "" || f.Facts.Clipboards != 1 {
		t.Errorf("told again: %+v", f.Facts)
	}
	for _, held := range []Held{{}, first.Holds, {Life: 99, Seq: told.Holds.Seq}} {
		if f, ok := s.Frame(held); !ok || f.Facts == nil || f.Facts.Clipboard != "hi" {
			t.Errorf("who holds %v is not told", held)
		}
	}
}
