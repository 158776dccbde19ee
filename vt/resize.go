package vt

import "slices"

// Resize gives the screen another size. Lines of the main screen, and of the history, are wrapped anew; the alternate
// screen is cropped. It begins a new Epoch.
func (t *Terminal) Resize(cols, rows int) {
	cols, rows = min(max(cols, 1), MaxCols), min(max(rows, 1), MaxRows)
	if cols == t.cols && rows == t.rows {
		return
	}
	t.seq++
	t.epoch++
	t.metaSeq = t.seq
	t.stopJoining()
	t.modes.sync = false
	t.holdSweeps = true
	t.reflow(cols, rows)
	t.holdSweeps = false
	if t.alt != nil {
		drop := 0
		if t.onAlt() {
			drop = max(0, t.y+1-rows)
			t.y -= drop
			t.x, t.y, t.wrapNext = min(t.x, cols-1), min(t.y, rows-1), false
		}
		alt := t.alt.crop(cols, rows, drop, t.seq)
		if t.onAlt() {
			t.scr = alt
		}
		t.alt = alt
	}
	tabs := slices.Clone(t.tabs)
	t.cols, t.rows = cols, rows
	t.resetMargins()
	t.resetTabs()
	copy(t.tabs, tabs)
	if t.modes.inBandSize {
		t.reportSize()
	}
}

// CellSize says how large a grid cell is on the viewers' screens, in pixels, for programs that ask.
func (t *Terminal) CellSize(width, height int) {
	if width > 0 && height > 0 && (width != t.cfg.CellWidth || height != t.cfg.CellHeight) {
		t.cfg.CellWidth, t.cfg.CellHeight = width, height
		if t.modes.inBandSize {
			t.reportSize()
		}
	}
}

// crop copies a screen into one of another size, without the first rows.
func (s *screen) crop(cols, rows, drop int, seq uint64) *screen {
	n := newScreen(cols, rows)
	n.base = s.base + int64(drop)
	for y := range min(rows, len(s.ring)-drop) {
		src, dst := s.row(y+drop), n.row(y)
		dst.used = copy(dst.cells, src.cells[:src.used])
		dst.rich, dst.wide, dst.mark = src.rich, src.wide, src.mark
		if dst.used == cols && dst.cells[cols-1]&cellWide != 0 {
			dst.cells[cols-1] = dst.cells[cols-1].blank()
		}
	}
	for i := range n.rows {
		n.rows[i].seq = seq
	}
	return n
}

// logical is a line on its way from one width to another.
type logical struct {
	cells []Cell
	mark  Mark
}

// reflow wraps the main screen anew, taking rows from the history or giving it some.
func (t *Terminal) reflow(cols, rows int) {
	s, h := t.main, &t.history
	x, y, wrapNext := t.x, t.y, t.wrapNext
	if t.onAlt() {
		c := t.saved[0]
		x, y, wrapNext = min(c.x, t.cols-1), min(c.y, t.rows-1), c.wrapNext
	} else if c := t.facts.command; c.AtPrompt && c.Redraws {
		// The shell draws its prompt again where it believes it stands; wrapped anew it would be there twice.
		for p := y; p >= 0; p-- {
			if s.row(p).mark&MarkPrompt == 0 {
				continue
			}
			for i := p; i < t.rows; i++ {
				s.row(i).reset(t.seq)
			}
			s.row(p).mark = MarkPrompt
			x, y, wrapNext = 0, p, false
			break
		}
	}
	last := t.rows - 1
	for last > y && s.row(last).length() == 0 {
		last--
	}
	full := last == t.rows-1

	// Lines, from the one the history has begun.
	var lines []logical
	if h.open && s.row(0).cont {
		cells, mark, ok := t.pop(nil)
		if ok {
			lines = append(lines, logical{cells, mark})
		}
	}
	curLine, curAt := 0, 0
	for i := 0; i <= last; i++ {
		r := s.row(i)
		joined := r.cont && (i > 0 && s.row(i-1).wrapped || i == 0 && len(lines) > 0)
		if !joined {
			lines = append(lines, logical{})
		}
		l := &lines[len(lines)-1]
		l.mark |= r.mark
		if i == y {
			curLine, curAt = len(lines)-1, len(l.cells)+x
			if wrapNext {
				curAt++
			}
		}
		n := r.length()
		if i < last && r.wrapped && s.row(i+1).cont {
			r.reach(t.cols)
			if n = t.cols; r.cells[n-1]&cellSpacer != 0 {
				n--
			}
		}
		l.cells = append(l.cells, r.cells[:n]...)
	}

	h.resize(cols)
	total := 0
	for _, l := range lines {
		total += wrapped(l.cells, cols)
	}
	if full {
		var above []logical
		for total < rows {
			cells, mark, ok := t.pop(nil)
			if !ok {
				break
			}
			above = append(above, logical{cells, mark})
			total += wrapped(cells, cols)
		}
		for i, j := 0, len(above)-1; i < j; i, j = i+1, j-1 {
			above[i], above[j] = above[j], above[i]
		}
		curLine += len(above)
		lines = append(above, lines...)
	}

	// Rows of the new width.
	var out []row
	curRow := 0
	for i, l := range lines {
		at := -1
		if i == curLine {
			at = curAt
		}
		var cr, cx int
		out, cr, cx = wrapLine(out, l, cols, at, t.seq)
		if i == curLine {
			curRow, x, wrapNext = cr, cx, false
			if x >= cols {
				x, wrapNext = cols-1, x == cols
			}
		}
	}
	top := min(max(0, len(out)-rows), curRow)
	for i := range out[:top] {
		t.push(&out[i])
	}
	out = out[top:]
	n := newScreen(cols, rows)
	n.base = h.end
	for i := range n.rows {
		if i < len(out) {
			cells := n.rows[i].cells
			copy(cells, out[i].cells)
			n.rows[i] = out[i]
			n.rows[i].cells = cells
		}
		n.rows[i].seq = t.seq
	}
	y = curRow - top
	if t.onAlt() {
		t.saved[0].x, t.saved[0].y, t.saved[0].wrapNext = x, y, wrapNext
	} else {
		t.x, t.y, t.wrapNext = x, y, wrapNext
		t.scr = n
	}
	t.main = n
}

// length is the row's cells without what is blank, in whatever colour, at its end.
func (r *row) length() int {
	n := r.used
	for n > 0 && r.cells[n-1]&(cellContent|cellCluster|cellTail) == 0 {
		n--
	}
	return n
}

// wrapped is how many rows cells take.
func wrapped(cells []Cell, cols int) int {
	rows, col := 1, 0
	for i := 0; i < len(cells); i++ {
		w := 1
		if cells[i]&cellWide != 0 {
			i++
			w = min(2, cols)
		}
		if col+w > cols {
			rows, col = rows+1, 0
		}
		col += w
	}
	return rows
}

// wrapLine appends the rows of a line; it returns also where offset at has come to, a row of out and a column, which is
// cols or more behind a full row's end.
func wrapLine(out []row, l logical, cols, at int, seq uint64) (_ []row, atRow, atCol int) {
	fresh := func(cont bool) *row {
		out = append(out, row{cells: make([]Cell, cols), seq: seq, cont: cont})
		return &out[len(out)-1]
	}
	r := fresh(false)
	r.mark = l.mark
	for i := 0; i < len(l.cells); i++ {
		c, w, begin := l.cells[i]&^cellSpacer, 1, i
		if c&cellWide != 0 && i+1 < len(l.cells) {
			i++
			if w = 2; cols < 2 {
				c, w = c&cellStyle|0xfffd, 1
			}
		}
		if r.used+w > cols {
			if r.used < cols {
				r.cells[r.used] = cellSpacer
				r.used, r.rich = cols, true
			}
			r.wrapped = true
			r = fresh(true)
		}
		if at >= begin && at <= i {
			atRow, atCol = len(out)-1, r.used
		}
		r.cells[r.used] = c
		if w == 2 {
			r.cells[r.used+1] = c&^cellGlyph | cellTail
			r.wide = true
		}
		r.used += w
		r.rich = r.rich || c > 0x7f
	}
	if at >= len(l.cells) {
		atRow, atCol = len(out)-1, r.used+at-len(l.cells)
	}
	return out, atRow, atCol
}
