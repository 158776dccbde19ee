package vt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// check says what is wrong inside a terminal; empty: nothing.
func (t *Terminal) check() string {
	if t.x < 0 || t.x >= t.cols || t.y < 0 || t.y >= t.rows {
		return fmt.Sprintf("cursor at %d,%d of %d×%d", t.x, t.y, t.cols, t.rows)
	}
	if t.top < 0 || t.bottom >= t.rows || t.top > t.bottom || t.left < 0 || t.right >= t.cols || t.left > t.right {
		return fmt.Sprintf("margins %d %d %d %d", t.top, t.bottom, t.left, t.right)
	}
	for _, s := range []*screen{t.main, t.alt} {
		if s == nil {
			continue
		}
		seen := make([]bool, len(s.rows))
		for _, i := range s.ring {
			if seen[i] {
				return "a row stands in two places"
			}
			seen[i] = true
		}
		for y := range s.rows {
			if bad := t.checkRow(s.row(y)); bad != "" {
				return fmt.Sprintf("row %d: %s", y, bad)
			}
		}
	}
	if t.main.base != t.history.end {
		return fmt.Sprintf("screen begins at row %d, history ends at %d", t.main.base, t.history.end)
	}
	return t.history.check()
}

func (t *Terminal) checkRow(r *row) string {
	if r.used < 0 || r.used > len(r.cells) || len(r.cells) != t.cols {
		return fmt.Sprintf("uses %d of %d cells", r.used, len(r.cells))
	}
	if r.seq > t.seq {
		return "changed in the future"
	}
	for x, c := range r.cells[:r.used] {
		if int(c.style()) >= len(t.styles.list) {
			return fmt.Sprintf("column %d: no style %d", x, c.style())
		}
		if n := c.style(); n != 0 && t.styles.list[n] == (Style{}) {
			return fmt.Sprintf("column %d: style %d was forgotten", x, n)
		}
		if c&cellCluster != 0 && len(t.clusters.text(uint32(c&cellContent))) == 0 {
			return fmt.Sprintf("column %d: cluster %d was forgotten", x, c&cellContent)
		}
		if c&^0x7f != 0 && !r.rich {
			return fmt.Sprintf("column %d: more than ASCII in a plain row", x)
		}
		if c&(cellWide|cellTail) != 0 && !r.wide {
			return fmt.Sprintf("column %d: a wide glyph in a narrow row", x)
		}
		if c&cellWide != 0 && (x+1 >= r.used || r.cells[x+1]&cellTail == 0) {
			return fmt.Sprintf("column %d: a wide glyph without its second half", x)
		}
		if c&cellTail != 0 && (x == 0 || r.cells[x-1]&cellWide == 0) {
			return fmt.Sprintf("column %d: the second half of nothing", x)
		}
	}
	return ""
}

func (h *history) check() string {
	rows, lines, bytes := 0, 0, 0
	at := h.first()
	for i, p := range h.pages {
		if i > 0 && p.id != h.pages[i-1].id+int64(len(h.pages[i-1].lines)) {
			return "pages are not numbered on"
		}
		if p.row != at {
			return fmt.Sprintf("page %d begins at row %d, not %d", i, p.row, at)
		}
		n := 0
		for k, l := range p.lines {
			if walked := p.countRows(k, h.cols); walked != int(l.rows) && h.cols > 1 {
				return fmt.Sprintf("page %d line %d: %d rows, counted %d", i, k, l.rows, walked)
			}
			n += int(l.rows)
		}
		if n != p.rows {
			return fmt.Sprintf("page %d: %d rows, counted %d", i, p.rows, n)
		}
		rows, lines, bytes, at = rows+n, lines+len(p.lines), bytes+p.weight(), at+int64(n)
	}
	if rows != h.rows || lines != h.lines || bytes != h.bytes {
		return fmt.Sprintf("history holds %d rows %d lines %d bytes, counted %d %d %d", h.rows, h.lines, h.bytes, rows, lines, bytes)
	}
	return ""
}

// dump is all a viewer could see, and what decides what it will see next.
func (t *Terminal) dump() string {
	var b strings.Builder
	fmt.Fprintln(&b, t.x, t.y, t.wrapNext, t.pen.Attr, t.pen.Fg, t.pen.Bg, t.pen.Line, t.protect, t.left, t.right, t.top, t.bottom,
		t.modes, t.seg, t.charsets, t.onAlt(), t.kitty, t.modOther)
	f := t.facts
	fmt.Fprintf(&b, "%q %q %q %d %q %v %v\n%q\n", f.title, f.icon, f.cwd, f.bells, f.clip.Data, f.notice, f.command, t.replies)
	var row Row
	show := func() {
		fmt.Fprint(&b, row.Wrapped, row.Mark)
		for _, run := range row.Runs {
			fmt.Fprintf(&b, " %d+%d %v %v %v %q", run.X, run.Cells, run.Wide, run.Cluster, run.Style, run.Text)
			if run.Link != nil {
				fmt.Fprint(&b, *run.Link)
			}
		}
		b.WriteByte('\n')
	}
	for n := t.history.first(); n < t.history.end; n++ {
		t.HistoryRow(n, &row)
		show()
	}
	for _, s := range []*screen{t.main, t.alt} {
		if s == nil {
			continue
		}
		now := t.scr
		t.scr = s
		for y := range t.rows {
			t.Screen(y, &row)
			show()
		}
		t.scr = now
	}
	return b.String()
}

// pieces are what random input is made of: what parsers and screens trip over.
var pieces = []string{
	"\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1b_", "\x9b", "\u009b", "\x18", "\x1a", "\x07", "\x1b\\", "\r", "\n", "\r\n", "\t", "\b",
	"m", "H", "J", "K", "L", "M", "@", "P", "X", "S", "T", "r", "s", "h", "l", "q", "t", "u", "b", "n", "c", "1", "9", "99999999", ";", ":", "?", ">", "=",
	"<", "!", "$", " ", "'", "\"", "*", "abc", "hello world ", "橋", "漢字", "é", "e\u0301", "\u0301", "\u200d", "\ufe0f", "❤", "😀", "👩‍👩‍👧‍👦", "🇩🇪", "🇩",
	"\xff", "\xe6", "\xe6\xa9", "\xf0\x9f", "\u0600", "\u1100\u1161\u11a8", "\u0e33", "1\ufe0f\u20e3",
	"\x1b[?1049h", "\x1b[?1049l", "\x1b[?47h", "\x1b[?47l", "\x1b[?69h", "\x1b[3;9s", "\x1b[2;5r", "\x1b[r", "\x1b[?6h", "\x1b[?6l", "\x1b[?7l", "\x1b[?7h", "\x1b[4h", "\x1b[4l",
	"\x1b[?2027l", "\x1b[?2027h", "\x1b[?45h", "\x1b[?1045h", "\x1bc", "\x1b[!p", "\x1b#8", "\x1b(0", "\x1b(B", "\x0e", "\x0f", "\x1bN", "\x1bD", "\x1bM", "\x1bE", "\x1b7", "\x1b8", "\x1bH",
	"\x1b[1;31m", "\x1b[38;2;1;2;3m", "\x1b[48:5:9m", "\x1b[4:3m", "\x1b[0m", "\x1b[44m", "\x1b[5;5H", "\x1b[99;99H", "\x1b[H", "\x1b[2J", "\x1b[3J", "\x1b[K", "\x1b[1K", "\x1b[3@", "\x1b[2P",
	"\x1b[2L", "\x1b[2M", "\x1b[7b", "\x1b[3S", "\x1b[3T", "\x1b[2 @", "\x1b[2 A", "\x1b[2'}", "\x1b[2'~", "\x1b6", "\x1b9", "\x1b[1\"q", "\x1b[0\"q", "\x1b[?J", "\x1bV", "\x1bW",
	"\x1b[1;1;3;3;1;2;2;1$v", "\x1b[88;1;1;3;3$x", "\x1b[1;1;3;3$z", "\x1b[1;1;3;3;1$r", "\x1b[1;1;3;3;7$t", "\x1b[6n", "\x1b[c", "\x1bP$qm\x1b\\", "\x1bP+q544e\x1b\\",
	"\x1b]0;title\x07", "\x1b]8;;http://x\x07", "\x1b]8;;\x07", "\x1b]133;A\x07", "\x1b]133;C\x07", "\x1b]133;D;1\x07", "\x1b]4;1;?\x07", "\x1b]52;c;aGk=\x07", "\x1b[>1u", "\x1b[<u", "\x1b[?2026h",
	"a long line of text that wraps around the end of the row, more than once on a narrow screen\r\n",
}

// rounds is how many seeds each of the random tests takes.
const rounds = 200

func randomInput(r *rand.Rand, n int) []byte {
	var b []byte
	for range n {
		if r.IntN(20) == 0 {
			b = append(b, byte(r.IntN(256)))
		} else {
			b = append(b, pieces[r.IntN(len(pieces))]...)
		}
	}
	return b
}

func TestAnySplitGivesTheSameScreen(t *testing.T) {
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 1))
		in := randomInput(r, 300)
		cfg := Config{Cols: 1 + r.IntN(30), Rows: 1 + r.IntN(10), Clipboard: true}
		whole, parts := New(cfg), New(cfg)
		whole.Write(in)
		for p := in; len(p) > 0; {
			n := min(len(p), 1+r.IntN(5))
			parts.Write(p[:n])
			p = p[n:]
		}
		if a, b := whole.dump(), parts.dump(); a != b {
			t.Fatalf("seed %d, %d×%d: %q\nwhole:\n%s\nin parts:\n%s", seed, cfg.Cols, cfg.Rows, in, a, b)
		}
	}
}

func TestNoInputBreaksTheScreen(t *testing.T) {
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 2))
		term := New(Config{Cols: 1 + r.IntN(30), Rows: 1 + r.IntN(10), History: 20, Checksums: true})
		for step := range 60 {
			in := randomInput(r, 10)
			term.Write(in)
			what := fmt.Sprintf("%q", in)
			if r.IntN(6) == 0 {
				cols, rows := 1+r.IntN(40), 1+r.IntN(12)
				term.Resize(cols, rows)
				what += fmt.Sprintf(" and a resize to %d×%d", cols, rows)
			}
			if bad := term.check(); bad != "" {
				t.Fatalf("seed %d step %d: %s after %s", seed, step, bad, what)
			}
			term.dump()
		}
	}
}

// FuzzWrite looks for input that panics, breaks the screen, or is taken otherwise in parts.
func FuzzWrite(f *testing.F) {
	// What random input has broken once: rows that went on from the one above and were emptied, a row of nothing but the
	// room a wide glyph did not find.
	f.Add([]byte("0123456789\x1b[9 @\r\n\n\n\n\n\n"), uint8(4), uint8(3), uint8(2))
	f.Add([]byte("\x1b[44m橋橋a橋\n\n\n\n\x1b[1;1H橋"), uint8(2), uint8(2), uint8(1))
	r := rand.New(rand.NewPCG(1, 3))
	for range 20 {
		f.Add(randomInput(r, 40), uint8(r.IntN(40)), uint8(r.IntN(10)), uint8(r.IntN(9)))
	}
	f.Fuzz(func(t *testing.T, in []byte, cols, rows, cut uint8) {
		if len(in) > 4096 {
			return
		}
		cfg := Config{Cols: 1 + int(cols)%60, Rows: 1 + int(rows)%20, History: 30}
		whole, parts := New(cfg), New(cfg)
		whole.Write(in)
		for p := in; len(p) > 0; {
			n := min(len(p), 1+int(cut))
			parts.Write(p[:n])
			p = p[n:]
		}
		if bad := whole.check(); bad != "" {
			t.Fatal(bad)
		}
		if a, b := whole.dump(), parts.dump(); a != b {
			t.Fatalf("whole:\n%s\nin parts:\n%s", a, b)
		}
		whole.Resize(1+int(rows)%50, 1+int(cols)%20)
		if bad := whole.check(); bad != "" {
			t.Fatalf("resized: %s", bad)
		}
		whole.Write(in)
		if bad := whole.check(); bad != "" {
			t.Fatalf("resized and written again: %s", bad)
		}
		whole.dump()
	})
}
