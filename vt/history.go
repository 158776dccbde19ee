package vt

import (
	"slices"
	"unicode/utf8"
)

// history is what has left the screen at the top, packed: not rows but the lines a program printed, whatever the width
// was, so that a resize has nothing to rewrite. A line is a stream of glyphs in UTF-8 among which the bytes below stand
// for what is not text; plain ASCII is itself. Lines lie in pages that are dropped, and used again, as a whole.
type history struct {
	cols     int
	maxLines int
	maxBytes int

	pages []*page
	end   int64 // number of the row after the last; the screen's rows go on from here
	rows  int   // rows held, at the present width
	lines int
	bytes int
	spare *page // an evicted page, to be filled again

	// The line at the end may still grow.
	open bool  // its last row was wrapped
	col  int   // cells in its last row
	last Style // style its stream ends in
}

// Bytes of a stream that are not text.
const (
	packEmpty   = 0x00 // a cell never printed on
	packStyle   = 0x01 // a style follows
	packCluster = 0x02 // one glyph of several runes: length, text
	packWide    = 0x03 // the same, taking two cells
	packNarrow  = 0x04 // the next rune takes one cell though the table says two
	packBroad   = 0x05 // the next rune takes two cells though the table says one
)

const (
	pageLines = 128
	pageBytes = 64 << 10 // a page with this much takes no new line
	// maxLine is how many cells one line gathers before it is cut in two, to bound what one look at it costs.
	maxLine = 1<<13 - 1

	lineCells lineInfo = 1<<13 - 1
	lineWide  lineInfo = 1 << 13 // holds wide glyphs: its rows depend on them
	lineMarks          = 14      // prompt and output marks
)

// lineInfo is the length of a line and what is known of it, in 16 bits.
type lineInfo uint16

type line struct {
	off  uint32 // where in the page's data
	info lineInfo
	rows uint16 // at the present width
}

type page struct {
	data  []byte
	lines []line
	id    int64 // number of its first line
	row   int64 // number of its first row
	rows  int
	links []*Link

	linkBytes int
}

func (h *history) init(cols, lines, bytes int) {
	*h = history{cols: cols, maxLines: max(lines, 0), maxBytes: bytes}
}

// first is the number of the oldest row held.
func (h *history) first() int64 { return h.end - int64(h.rows) }

// lineEnd is the number after the newest line's.
func (h *history) lineEnd() int64 {
	if len(h.pages) == 0 {
		return 0
	}
	p := h.pages[len(h.pages)-1]
	return p.id + int64(len(p.lines))
}

// push takes a row that leaves the screen.
func (t *Terminal) push(r *row) {
	h := &t.history
	h.end++
	if h.maxLines == 0 {
		return
	}
	n := len(h.pages)
	joined := h.open && r.cont && n > 0 && (r.used > 0 || r.wrapped) && (h.col == h.cols || h.col == h.cols-1 && r.at(0)&cellWide != 0)
	var p *page
	if n > 0 {
		p = h.pages[n-1]
		if joined && int(p.lines[len(p.lines)-1].info&lineCells)+h.cols > maxLine {
			joined = false
		}
	}
	if !joined {
		if p == nil || len(p.lines) == pageLines || p.weight() >= pageBytes {
			p = t.newPage()
		}
		p.lines = append(p.lines, line{off: uint32(len(p.data))})
		h.lines++
		h.last = Style{}
	}
	l := &p.lines[len(p.lines)-1]
	used := r.used
	if r.wrapped && used < h.cols {
		r.reach(h.cols)
		used = h.cols
	}
	before := len(p.data)
	if used > 0 {
		if !r.rich && h.last == (Style{}) {
			if need := len(p.data) + used; need > cap(p.data) {
				p.grow(need)
			}
			p.data = packPlain(p.data, r.cells[:used])
		} else {
			used = t.packRich(p, r.cells[:used])
		}
	}
	l.info = l.info + lineInfo(used)
	if r.wide {
		l.info |= lineWide
	}
	if r.mark != 0 {
		l.info |= lineInfo(r.mark&MarkPrompt)<<lineMarks | lineInfo(r.mark&MarkOutput>>2)<<(lineMarks+1)
	}
	l.rows++
	p.rows++
	h.rows++
	h.bytes += len(p.data) - before
	h.open, h.col = r.wrapped, used
}

// grow makes room for need bytes and little more: most of the history is full pages.
func (p *page) grow(need int) {
	p.data = append(make([]byte, 0, need+need/16+256), p.data...)
}

// packPlain appends cells that hold nothing but ASCII.
func packPlain(dst []byte, cells []Cell) []byte {
	n := len(dst)
	dst = dst[:n+len(cells)]
	out := dst[n:]
	for len(cells) >= 8 && len(out) >= 8 {
		c := (*[8]Cell)(cells)
		o := (*[8]byte)(out)
		o[0], o[1], o[2], o[3] = byte(c[0]), byte(c[1]), byte(c[2]), byte(c[3])
		o[4], o[5], o[6], o[7] = byte(c[4]), byte(c[5]), byte(c[6]), byte(c[7])
		cells, out = cells[8:], out[8:]
	}
	for i, c := range cells {
		out[i] = byte(c)
	}
	return dst
}

// packRich appends cells of any kind and returns how many cells it stands for.
func (t *Terminal) packRich(p *page, cells []Cell) int {
	h := &t.history
	dst := t.packed[:0]
	if n := len(cells); cells[n-1]&cellSpacer != 0 {
		cells = cells[:n-1]
	}
	if len(cells) == 0 {
		return 0
	}
	style := cells[0].style()
	if st := t.styles.list[style]; st != h.last {
		dst = t.packStyle(p, dst, st)
	}
	for i := 0; i < len(cells); i++ {
		c := cells[i]
		if c.style() != style {
			style = c.style()
			dst = t.packStyle(p, dst, t.styles.list[style])
		}
		if c&(cellCluster|cellWide) == cellWide && c&cellContent-firstHan < hans { // Han: most of what is rich in bytes
			dst = append(dst, 0xe0|byte(c>>12)&0x0f, 0x80|byte(c>>6)&0x3f, 0x80|byte(c)&0x3f)
			i++
			continue
		}
		content := c & cellContent
		switch {
		case c&cellCluster != 0:
			kind := byte(packCluster)
			if c&cellWide != 0 {
				kind = packWide
				i++
			}
			text := t.clusters.text(uint32(content))
			dst = append(dst, kind, byte(len(text)))
			dst = append(dst, text...)
		case content < 0x80: // also what is empty, and a tail that lost its head
			if c&cellTail != 0 {
				content = packEmpty
			}
			if c&cellWide != 0 {
				dst = append(dst, packBroad)
				i++
			}
			dst = append(dst, byte(content))
		default:
			if wide := c&cellWide != 0; wide != (propOf(rune(content)).width() == 2) {
				if wide {
					dst = append(dst, packBroad)
				} else {
					dst = append(dst, packNarrow)
				}
			}
			if c&cellWide != 0 {
				i++
			}
			dst = utf8.AppendRune(dst, rune(content))
		}
	}
	t.packed = dst
	if need := len(p.data) + len(dst); need > cap(p.data) {
		p.grow(need)
	}
	p.data = append(p.data, dst...)
	return len(cells)
}

// packStyle appends a change of style: a byte that says which parts follow, then those.
func (t *Terminal) packStyle(p *page, dst []byte, s Style) []byte {
	t.history.last = s
	at := len(dst) + 1
	dst = append(dst, packStyle, 0)
	kinds := byte(0)
	for i, c := range [...]Color{s.Fg, s.Bg, s.Line} {
		kinds |= byte(c>>24) << (2 * i)
		switch c >> 24 {
		case 1:
			dst = append(dst, byte(c))
		case 2:
			dst = append(dst, byte(c>>16), byte(c>>8), byte(c))
		}
	}
	if s.Attr != 0 {
		kinds |= 1 << 6
		dst = append(dst, byte(s.Attr), byte(s.Attr>>8))
	}
	if l := t.links.list[s.link]; l != nil {
		// Looking a little back is enough: links that lie far apart stand twice.
		i := len(p.links) - 1
		for near := max(0, i-8); i >= near && p.links[i] != l; i-- {
		}
		if i < 0 || p.links[i] != l {
			i = -1
		}
		if i < 0 && len(p.links) < 1<<16 {
			i = len(p.links)
			p.links = append(p.links, l)
			p.linkBytes += l.weight()
			t.history.bytes += l.weight()
		}
		if i >= 0 {
			kinds |= 1 << 7
			dst = append(dst, byte(i), byte(i>>8))
		}
	}
	dst[at] = kinds
	return dst
}

// newPage begins a page, dropping the oldest ones that are not needed any more.
func (t *Terminal) newPage() *page {
	h := &t.history
	if n := len(h.pages); n > 0 {
		// The page that is full keeps little room it will not use; enough that one used again rarely has to move.
		if p := h.pages[n-1]; cap(p.data)-len(p.data) > len(p.data)/8+512 {
			p.data = slices.Clone(p.data)
		}
	}
	id := h.lineEnd()
	for len(h.pages) > 1 && (h.lines-len(h.pages[0].lines) >= h.maxLines || h.bytes > h.maxBytes) {
		h.drop()
	}
	p := h.spare
	h.spare = nil
	if p == nil {
		p = &page{lines: make([]line, 0, pageLines)}
	}
	p.data, p.lines, p.links = p.data[:0], p.lines[:0], nil
	p.linkBytes = 0
	p.id, p.row, p.rows = id, h.end-1, 0
	h.pages = append(h.pages, p)
	return p
}

// drop forgets the oldest page.
func (h *history) drop() {
	p := h.pages[0]
	h.lines -= len(p.lines)
	h.rows -= p.rows
	h.bytes -= p.weight()
	h.spare = p
	h.pages = slices.Delete(h.pages, 0, 1)
}

func (p *page) weight() int { return len(p.data) + p.linkBytes }

// weight is about what a link takes, in bytes, with what points at it.
func (l *Link) weight() int { return len(l.URI) + len(l.ID) + 96 }

// clear forgets everything (ED 3); rows go on being counted from where they were.
func (h *history) clear() {
	h.pages, h.spare = nil, nil
	h.rows, h.lines, h.bytes, h.open = 0, 0, 0, false
}

// resize counts the rows anew for another width.
func (h *history) resize(cols int) {
	first := h.first()
	h.cols, h.rows = cols, 0
	for _, p := range h.pages {
		p.row, p.rows = first+int64(h.rows), 0
		for i := range p.lines {
			l := &p.lines[i]
			n := 1
			if cells := int(l.info & lineCells); l.info&lineWide == 0 || cols < 2 {
				n = max(1, (cells+cols-1)/cols)
			} else {
				n = p.countRows(i, cols)
			}
			l.rows = uint16(n)
			p.rows += n
		}
		h.rows += p.rows
	}
	h.end = first + int64(h.rows)
	h.open = false
}

// stream is the bytes of line i.
func (p *page) stream(i int) []byte {
	end := len(p.data)
	if i+1 < len(p.lines) {
		end = int(p.lines[i+1].off)
	}
	return p.data[p.lines[i].off:end]
}

// countRows walks a line with wide glyphs. A resize walks the whole history: what needs no look is stepped over here.
func (p *page) countRows(i, cols int) int {
	rows, col := 1, 0
	s := unpacker{data: p.stream(i), page: p}
	for len(s.data) > 0 {
		w := 1
		switch c := s.data[0]; {
		case c >= 0x20 && c < 0x80 || c == packEmpty:
			s.data = s.data[1:]
		case c >= 0xe5 && c < 0xe9: // Han
			w, s.data = 2, s.data[3:]
		case c == packCluster || c == packWide:
			w, s.data = 1+int(c-packCluster), s.data[2+int(s.data[1]):]
		default:
			if !s.next() {
				return rows
			}
			w = s.width
		}
		if col += w; col > cols {
			rows, col = rows+1, w
		}
	}
	return rows
}

// unpacker walks the glyphs of a line.
type unpacker struct {
	data  []byte
	page  *page
	style packed
	glyph []byte // text of the glyph; empty for a cell never printed on
	width int
}

// packed is a style as it lies in a page.
type packed struct {
	Style
	Link *Link
}

// next goes to the next glyph.
func (u *unpacker) next() bool {
	for len(u.data) > 0 && u.data[0] == packStyle {
		u.data = u.style.read(u.data[1:], u.page)
	}
	d := u.data
	if len(d) == 0 {
		return false
	}
	forced := 0
	switch c := d[0]; {
	case c >= 0x20 && c < 0x80:
		u.glyph, u.width, u.data = d[:1], 1, d[1:]
		return true
	case c == packEmpty:
		u.glyph, u.width, u.data = nil, 1, d[1:]
		return true
	case c == packCluster || c == packWide:
		n := 2 + int(d[1])
		u.glyph, u.width, u.data = d[2:n], 1+int(c-packCluster), d[n:]
		return true
	case c == packNarrow || c == packBroad:
		forced = 1 + int(c-packNarrow)
		d = d[1:]
	}
	if d[0] == packEmpty { // a broad nothing
		u.glyph, u.width, u.data = nil, forced, d[1:]
		return true
	}
	r, n := utf8.DecodeRune(d)
	u.glyph, u.data = d[:n], d[n:]
	if u.width = forced; forced == 0 {
		u.width = 1
		if propOf(r).width() == 2 {
			u.width = 2
		}
	}
	return true
}

// read takes a style from d and returns what follows.
func (s *packed) read(d []byte, p *page) []byte {
	kinds := d[0]
	d = d[1:]
	*s = packed{}
	for i, c := range [...]*Color{&s.Fg, &s.Bg, &s.Line} {
		switch kinds >> (2 * i) & 3 {
		case 1:
			*c, d = Indexed(d[0]), d[1:]
		case 2:
			*c, d = RGB(d[0], d[1], d[2]), d[3:]
		}
	}
	if kinds&(1<<6) != 0 {
		s.Attr, d = Attr(d[0])|Attr(d[1])<<8, d[2:]
	}
	if kinds&(1<<7) != 0 {
		s.Link, d = p.links[int(d[0])|int(d[1])<<8], d[2:]
	}
	return d
}

// pop takes the newest line back, as cells with their styles numbered anew.
func (t *Terminal) pop(dst []Cell) ([]Cell, Mark, bool) {
	h := &t.history
	n := len(h.pages)
	if n == 0 {
		return dst, 0, false
	}
	p := h.pages[n-1]
	i := len(p.lines) - 1
	l := p.lines[i]
	var style packed
	var pen Cell
	for s := (unpacker{data: p.stream(i), page: p}); s.next(); {
		if s.style != style {
			style = s.style
			st := style.Style
			if style.Link != nil {
				st.link = t.link(*style.Link)
			}
			pen = Cell(t.styleID(st)) << 32
		}
		c := pen
		if len(s.glyph) > 0 {
			if r, n := utf8.DecodeRune(s.glyph); n == len(s.glyph) {
				c |= Cell(r)
			} else if k := t.clusters.find(s.glyph); k != 0 {
				c |= cellCluster | Cell(k)
			} else {
				c |= Cell(r)
			}
		}
		if s.width == 2 {
			dst = append(dst, c|cellWide, pen|cellTail)
		} else {
			dst = append(dst, c)
		}
	}
	mark := l.info.mark()
	h.bytes -= len(p.data) - int(l.off)
	p.data, p.lines = p.data[:l.off], p.lines[:i]
	p.rows -= int(l.rows)
	h.rows -= int(l.rows)
	h.end -= int64(l.rows)
	h.lines--
	h.open = false
	if i == 0 {
		h.bytes -= p.weight()
		h.pages = h.pages[:n-1]
	}
	return dst, mark, true
}
