package vt

// Line is a line as a program printed it, whatever rows it takes: what a search looks through. It is a buffer: filled
// again it keeps its memory.
type Line struct {
	ID   int64 // stays the same while the line is kept, unless a resize takes it back to the screen
	Row  int64 // number of its first row
	Mark Mark
	Text []byte  // UTF-8; what was never printed on is spaces
	Cell []int32 // for each byte of Text, the grid cell of the line it lies in

	starts []int32 // the grid cell each of its rows begins with
	cells  int32
}

// Place is the row and column of a grid cell of the line.
func (l *Line) Place(cell int32) (row int64, x int) {
	i := len(l.starts) - 1
	for i > 0 && l.starts[i] > cell {
		i--
	}
	if i < 0 {
		return l.Row, int(cell)
	}
	return l.Row + int64(i), int(cell - l.starts[i])
}

// Cells is how many grid cells the line takes.
func (l *Line) Cells() int32 { return l.cells }

func (l *Line) add(glyph []byte, width int) {
	if len(glyph) == 0 {
		glyph = []byte{' '}
	}
	for range glyph {
		l.Cell = append(l.Cell, l.cells)
	}
	l.Text = append(l.Text, glyph...)
	l.cells += int32(width)
}

// Lines are the numbers of the lines of the history and the main screen: [first, end).
func (t *Terminal) Lines() (first, end int64) {
	h := &t.history
	first = h.lineEnd()
	if len(h.pages) > 0 {
		first = h.pages[0].id
	}
	end = t.screenLines()
	last := t.rows - 1
	for last > 0 && t.main.row(last).used == 0 {
		last--
	}
	for y := 0; y <= last; y++ {
		if !t.main.joined(y) || y == 0 {
			end++
		}
	}
	return first, end
}

// screenLines is the number of the line the main screen's first row belongs to.
func (t *Terminal) screenLines() int64 {
	end := t.history.lineEnd()
	if t.history.open && t.main.row(0).cont && end > 0 {
		end--
	}
	return end
}

// joined reports that row y goes on with the line of the row above it on the screen.
func (s *screen) joined(y int) bool { return y > 0 && s.row(y).cont && s.row(y-1).wrapped }

// Line fills dst with line id of the history or the main screen and reports whether it is there.
func (t *Terminal) Line(id int64, dst *Line) bool {
	*dst = Line{ID: id, Text: dst.Text[:0], Cell: dst.Cell[:0], starts: dst.starts[:0]}
	h := &t.history
	found := false
	if id < h.lineEnd() {
		if found = h.line(id, dst); !found {
			return false
		}
	}
	at := t.screenLines()
	if id < at {
		return found
	}
	for y := 0; y < t.rows; y++ {
		if y > 0 && !t.main.joined(y) {
			at++
		}
		if at > id {
			break
		}
		if at < id {
			continue
		}
		r := t.main.row(y)
		if !found {
			found, dst.Row, dst.Mark = true, t.main.base+int64(y), r.mark
		}
		dst.starts = append(dst.starts, dst.cells)
		n := r.used
		if n == t.cols && r.cells[n-1]&cellSpacer != 0 {
			n--
		}
		for x := 0; x < n; x++ {
			c := r.cells[x]
			w := 1
			if c&cellWide != 0 {
				w = 2
				x++
			}
			t.glyph = t.appendGlyph(t.glyph[:0], c)
			dst.add(t.glyph, w)
		}
	}
	return found
}

// line fills dst with a line of the history.
func (h *history) line(id int64, dst *Line) bool {
	lo, hi := 0, len(h.pages)
	if hi == 0 || id < h.pages[0].id {
		return false
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; h.pages[mid].id <= id {
			lo = mid
		} else {
			hi = mid
		}
	}
	p := h.pages[lo]
	i := int(id - p.id)
	if i >= len(p.lines) {
		return false
	}
	dst.Row = p.row
	for _, l := range p.lines[:i] {
		dst.Row += int64(l.rows)
	}
	dst.Mark = p.lines[i].info.mark()
	dst.starts = append(dst.starts, 0)
	col := 0
	for s := (unpacker{data: p.stream(i), page: p}); s.next(); {
		if col+s.width > h.cols && col > 0 {
			dst.starts = append(dst.starts, dst.cells)
			col = 0
		}
		col += s.width
		dst.add(s.glyph, s.width)
	}
	return true
}

// Prompt is the number of the nearest row above row, or below it, on which a prompt begins.
func (t *Terminal) Prompt(row int64, above bool) (int64, bool) {
	best, ok := int64(0), false
	try := func(n int64) {
		if above && n < row && (!ok || n > best) || !above && n > row && (!ok || n < best) {
			best, ok = n, true
		}
	}
	for y := range t.rows {
		if t.main.row(y).mark&MarkPrompt != 0 {
			try(t.main.base + int64(y))
		}
	}
	if above && ok {
		return best, ok
	}
	pages := t.history.pages
	for i := range pages {
		if above {
			i = len(pages) - 1 - i
		}
		p := pages[i]
		if ok && (above || p.row > best) {
			break
		}
		n := p.row
		for _, l := range p.lines {
			if l.info.mark()&MarkPrompt != 0 {
				try(n)
			}
			n += int64(l.rows)
		}
	}
	return best, ok
}
