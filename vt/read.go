package vt

import (
	"math"
	"unicode/utf8"
)

// Size is the size of the screen in grid cells.
func (t *Terminal) Size() (cols, rows int) { return t.cols, t.rows }

// Seq is the number of the last write or resize. A viewer that has been shown everything there was at Seq s needs,
// as long as Epoch is the same, the rows whose Seq is above s.
func (t *Terminal) Seq() uint64 { return t.seq }

// MetaSeq is the write that last changed, or may have changed, something beside rows, cursor and Modes().Sync: other
// modes, title, colours, bells.
func (t *Terminal) MetaSeq() uint64 { return t.metaSeq }

// Epoch changes when rows are no longer what they were under the same number: after a resize, on the other screen,
// after a reset.
func (t *Terminal) Epoch() uint64 { return t.epoch }

// Base is the number of the screen's first row: how many rows have left it at the top. Row y of the screen is the row
// that was y + n when Base was less by n.
func (t *Terminal) Base() int64 { return t.scr.base }

// RowSeq is the write that last changed row y of the screen.
func (t *Terminal) RowSeq(y int) uint64 { return t.scr.row(y).seq }

// Newer reports that a row, or what MetaSeq tells of, has changed since write seq. The cursor is for the caller to compare.
func (t *Terminal) Newer(seq uint64) bool {
	if t.metaSeq > seq {
		return true
	}
	for y := range t.rows {
		if t.scr.row(y).seq > seq {
			return true
		}
	}
	return false
}

// History is the numbers of the rows kept above the main screen: [first, end).
func (t *Terminal) History() (first, end int64) { return t.history.first(), t.history.end }

// HistoryBytes is how much the packed history holds.
func (t *Terminal) HistoryBytes() int { return t.history.bytes }

// Cursor is where the next glyph goes, and how that is shown.
type Cursor struct {
	X, Y    int
	Visible bool
	Blink   bool
	Shape   Shape
}

// Cursor is the cursor as it is now.
func (t *Terminal) Cursor() Cursor {
	m := &t.modes
	return Cursor{t.x, t.y, !m.hidden, m.blink || m.cursorShape != ShapeDefault && m.cursorBlink, m.cursorShape}
}

// Modes are the modes somebody outside must know.
type Modes struct {
	Alt         bool // the alternate screen is shown
	AltScroll   bool // there the wheel sends cursor keys
	AppCursor   bool
	AppKeypad   bool
	Backarrow   bool // the backspace key sends BS
	Newline     bool // return sends CR LF
	Paste       bool // pasted text is bracketed
	Focus       bool // focus events are wanted
	ColorScheme bool // changes of the colour scheme are to be reported
	Reverse     bool // foreground and background are exchanged on the whole screen
	Sync        bool // a frame is being built (2026): show the last one, for 150 ms at most
	Mouse       Mouse
	MouseFormat MouseFormat
	Kitty       uint8 // flags of the Kitty keyboard protocol
	OtherKeys   uint8 // XTMODKEYS modifyOtherKeys
}

// Modes is the modes as they are now.
func (t *Terminal) Modes() Modes {
	m := &t.modes
	return Modes{
		Alt: t.onAlt(), AltScroll: m.altScroll, AppCursor: m.appCursor, AppKeypad: m.appKeypad, Backarrow: m.backarrow,
		Newline: m.newline, Paste: m.paste, Focus: m.focus, ColorScheme: m.colorScheme, Reverse: m.reverse, Sync: m.sync,
		Mouse: m.mouse, MouseFormat: m.mouseFormat, Kitty: t.kitty[t.which()].flags, OtherKeys: uint8(t.modOther),
	}
}

// EndSync ends a frame that was begun (mode 2026) and not ended in time.
func (t *Terminal) EndSync() {
	if t.modes.sync {
		t.seq++
		t.metaSeq = t.seq
		t.modes.sync = false
	}
}

// Title is the window's title.
func (t *Terminal) Title() string { return t.facts.title }

// Cwd is the working directory as the shell told it: a file URL (OSC 7).
func (t *Terminal) Cwd() string { return t.facts.cwd }

// Bells is how often the bell has rung.
func (t *Terminal) Bells() uint64 { return t.facts.bells }

// Clipboard is the newest text a program wants in the clipboard.
func (t *Terminal) Clipboard() Clipboard { return t.facts.clip }

// Notice is the newest message a program wants shown.
func (t *Terminal) Notice() Notice { return t.facts.notice }

// Progress is how far a program says it is.
func (t *Terminal) Progress() Progress { return t.facts.progress }

// Pointer is the shape of the mouse pointer a program asked for (OSC 22); empty: none.
func (t *Terminal) Pointer() string { return t.facts.pointer }

// Command is what the shell told of its commands.
func (t *Terminal) Command() Command { return t.facts.command }

// Palette is colour i as the program sees it, 0xRRGGBB.
func (t *Terminal) Palette(i uint8) uint32 {
	if v, ok := t.facts.palette[i]; ok {
		return v
	}
	return t.cfg.Palette(i)
}

// Colors are the foreground, the background and the cursor's colour a program set, and whether it did.
func (t *Terminal) Colors() (fg, bg, cursor uint32, fgSet, bgSet, cursorSet bool) {
	d := &t.facts.dynamic
	return d[0] &^ dynamicSet, d[1] &^ dynamicSet, d[2] &^ dynamicSet, d[0] != 0, d[1] != 0, d[2] != 0
}

// PaletteSet calls f with each colour of the palette a program changed, in order.
func (t *Terminal) PaletteSet(f func(i uint8, rgb uint32)) {
	if len(t.facts.palette) == 0 {
		return
	}
	for i := range 256 {
		if v, ok := t.facts.palette[uint8(i)]; ok {
			f(uint8(i), v)
		}
	}
}

// Run is neighbouring glyphs of a row in one style and one width. Unless Cluster is set, each rune of Text is a glyph.
type Run struct {
	X, Cells int    // first column, and columns taken
	Style    Style  //
	Link     *Link  // nil: none
	Text     []byte // UTF-8; what was never printed on is spaces
	Wide     bool   // each glyph takes two cells
	Cluster  bool   // Text is one glyph
}

// Row is a row to be shown. It is a buffer: filled again it keeps its memory.
type Row struct {
	Seq     uint64
	Wrapped bool // the text goes on in the next row
	Mark    Mark
	Runs    []Run

	text []byte
	from []int // where each run's text begins; Text is cut when all is there
}

func (r *Row) begin() {
	r.Seq, r.Wrapped, r.Mark = 0, false, 0
	r.Runs, r.text, r.from = r.Runs[:0], r.text[:0], r.from[:0]
}

// end cuts the runs' texts, once the buffer does not move any more.
func (r *Row) end() {
	for i := range r.Runs {
		to := len(r.text)
		if i+1 < len(r.from) {
			to = r.from[i+1]
		}
		r.Runs[i].Text = r.text[r.from[i]:to:to]
	}
}

func (r *Row) add(x int, run Run) {
	run.X = x
	r.Runs = append(r.Runs, run)
	r.from = append(r.from, len(r.text))
}

// Screen fills dst with row y of the screen.
func (t *Terminal) Screen(y int, dst *Row) {
	src := t.scr.row(y)
	dst.begin()
	dst.Seq, dst.Wrapped, dst.Mark = src.seq, src.wrapped, src.mark
	cells := src.cells[:src.used]
	if n := len(cells); n > 0 && cells[n-1]&^cellContent == cellSpacer { // not a space anybody printed
		cells = cells[:n-1]
	}
	const odd = cellStyle | cellCluster | cellWide
	last := Cell(math.MaxUint64)
	for x := 0; x < len(cells); x++ {
		c := cells[x]
		if k := c & odd; k != last || k&cellCluster != 0 {
			last = k
			st := t.styles.list[c.style()]
			dst.add(x, Run{Style: st, Link: t.links.list[st.link], Wide: c&cellWide != 0, Cluster: c&cellCluster != 0})
			dst.Runs[len(dst.Runs)-1].Style.link = 0
		}
		run := &dst.Runs[len(dst.Runs)-1]
		run.Cells++
		switch content := c & cellContent; {
		case c&cellCluster != 0:
			dst.text = append(dst.text, t.clusters.text(uint32(content))...)
		case content == 0:
			dst.text = append(dst.text, ' ')
		case content < 0x80:
			dst.text = append(dst.text, byte(content))
		default:
			dst.text = utf8.AppendRune(dst.text, rune(content))
		}
		if c&cellWide != 0 {
			run.Cells++
			x++
		}
	}
	dst.end()
}

// Cell is the text, width and style of one grid cell of the screen; the second half of a wide glyph has width 0.
func (t *Terminal) Cell(x, y int) (text string, width int, style Style) {
	c := t.scr.row(y).at(x)
	style = t.styles.list[c.style()]
	style.link = 0
	switch {
	case c&cellTail != 0:
		return "", 0, style
	case c&cellWide != 0:
		width = 2
	default:
		width = 1
	}
	return string(t.appendGlyph(nil, c)), width, style
}

// Text is row y of the screen as text, without what is blank at its end.
func (t *Terminal) Text(y int) string {
	r := t.scr.row(y)
	var b []byte
	end := 0
	for _, c := range r.cells[:r.used] {
		switch {
		case c&cellTail != 0:
		case c&(cellContent|cellCluster) == 0:
			b = append(b, ' ')
		default:
			b = t.appendGlyph(b, c)
			if c&(cellContent|cellCluster) != ' ' {
				end = len(b)
			}
		}
	}
	return string(b[:end])
}

// HistoryRow fills dst with row n of the history and reports whether it is there. Its Seq is 0: history never changes.
func (t *Terminal) HistoryRow(n int64, dst *Row) bool {
	dst.begin()
	p, i, skip := t.history.find(n)
	if p == nil {
		return false
	}
	l := p.lines[i]
	cols := t.history.cols
	dst.Wrapped = skip < int(l.rows)-1
	if skip == 0 {
		dst.Mark = l.info.mark()
	}
	if n == t.history.end-1 {
		dst.Wrapped = t.history.open && t.main.row(0).cont
	}
	col, row := 0, 0
	fresh := true
	var style packed
	var wide, cluster bool
	for s := (unpacker{data: p.stream(i), page: p}); s.next(); {
		if col+s.width > cols && col > 0 {
			col = 0
			if row++; row > skip {
				break
			}
		}
		x := col
		col += s.width
		if row < skip {
			continue
		}
		isCluster := len(s.glyph) > 1 && utf8.RuneCount(s.glyph) > 1
		if fresh || isCluster || cluster || wide != (s.width == 2) || style != s.style {
			fresh, cluster, wide, style = false, isCluster, s.width == 2, s.style
			dst.add(x, Run{Style: style.Style, Link: style.Link, Wide: wide, Cluster: cluster})
		}
		dst.Runs[len(dst.Runs)-1].Cells += s.width
		if len(s.glyph) == 0 {
			dst.text = append(dst.text, ' ')
		} else {
			dst.text = append(dst.text, s.glyph...)
		}
	}
	dst.end()
	return true
}

// find is the page and line that hold row n, and which of the line's rows it is.
func (h *history) find(n int64) (p *page, i, skip int) {
	if n < h.first() || n >= h.end {
		return nil, 0, 0
	}
	lo, hi := 0, len(h.pages)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; h.pages[mid].row <= n {
			lo = mid
		} else {
			hi = mid
		}
	}
	p = h.pages[lo]
	skip = int(n - p.row)
	for i = range p.lines {
		if rows := int(p.lines[i].rows); skip >= rows {
			skip -= rows
		} else {
			return p, i, skip
		}
	}
	return nil, 0, 0
}

func (l lineInfo) mark() Mark {
	return Mark(l>>lineMarks&1)*MarkPrompt | Mark(l>>(lineMarks+1)&1)*MarkOutput
}
