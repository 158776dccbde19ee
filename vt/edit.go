package vt

// index moves the cursor down, scrolling at the bottom margin.
func (t *Terminal) index() {
	if t.y != t.bottom {
		if t.y < t.rows-1 {
			t.y++
		}
		return
	}
	if t.x < t.left || t.x > t.right {
		return
	}
	if t.bottom-t.top == t.rows-1 && t.right-t.left == t.cols-1 {
		t.scrollScreen()
		return
	}
	t.scrollUp(t.top, t.bottom, 1)
}

// scrollScreen moves the whole screen up by one row: the one scroll that must cost nothing.
func (t *Terminal) scrollScreen() {
	s := t.scr
	r := &s.rows[s.ring[s.head]]
	if s == t.main {
		t.push(r)
	}
	if s.head++; s.head == len(s.ring) {
		s.head = 0
	}
	s.base++
	r.used, r.seq = 0, t.seq
	r.wrapped, r.cont, r.rich, r.wide, r.mark = false, false, false, false, 0
	if t.pen.Bg != 0 {
		t.work -= t.cols
		r.fill(0, t.cols, t.blank())
	}
}

// reverseIndex moves the cursor up, scrolling at the top margin.
func (t *Terminal) reverseIndex() {
	if t.y != t.top {
		t.y = max(t.y-1, 0)
		return
	}
	if t.x >= t.left && t.x <= t.right {
		t.scrollDown(t.top, t.bottom, 1)
	}
}

// scrollUp moves rows [y0, y1] up by n within the left and right margins. What leaves at the top of the main screen goes
// into the history, also where only a part of the screen below moves.
func (t *Terminal) scrollUp(y0, y1, n int) {
	n = min(n, y1-y0+1)
	if n <= 0 {
		return
	}
	s := t.scr
	if t.left > 0 || t.right < t.cols-1 {
		for y := y0; y <= y1; y++ {
			t.moveCells(y, y+n, y1)
		}
		return
	}
	if y0 == 0 && y1 == t.rows-1 {
		for range n {
			t.scrollScreen()
		}
		return
	}
	if y0 == 0 && s == t.main {
		// The rows below the region stay on the screen, but get new numbers.
		for y := range n {
			t.push(s.row(y))
		}
		s.base += int64(n)
		for y := y1 + 1; y < t.rows; y++ {
			s.row(y).seq = t.seq
		}
	}
	s.rotate(y0, y1+1, n)
	for y := y1 - n + 1; y <= y1; y++ {
		t.clearRow(y)
	}
	t.touch(y0, y1)
}

// scrollDown moves rows [y0, y1] down by n within the left and right margins.
func (t *Terminal) scrollDown(y0, y1, n int) {
	n = min(n, y1-y0+1)
	if n <= 0 {
		return
	}
	if t.left > 0 || t.right < t.cols-1 {
		for y := y1; y >= y0; y-- {
			t.moveCells(y, y-n, y0)
		}
		return
	}
	t.scr.rotate(y0, y1+1, -n)
	for y := y0; y < y0+n; y++ {
		t.clearRow(y)
	}
	t.touch(y0, y1)
}

// touch says that rows [y0, y1] have changed.
func (t *Terminal) touch(y0, y1 int) {
	for y := y0; y <= y1; y++ {
		t.scr.row(y).seq = t.seq
	}
}

func (t *Terminal) clearRow(y int) {
	t.work -= t.cols
	r := t.scr.row(y)
	r.reset(t.seq)
	if t.pen.Bg != 0 {
		r.fill(0, t.cols, t.blank())
	}
}

// moveCells copies what lies between the margins from row src to row y; beyond the last row that moves it is blank.
func (t *Terminal) moveCells(y, src, last int) {
	if src > last == (src > y) && src != last {
		t.erase(y, t.left, t.right+1)
		return
	}
	t.copyCells(y, t.left, src, t.left, t.right-t.left+1)
}

// copyCells copies n cells between rows, wide glyphs at the edges cut.
func (t *Terminal) copyCells(y, x, srcY, srcX, n int) {
	t.work -= n
	dst, src := t.scr.row(y), t.scr.row(srcY)
	if src.wide {
		src.cut(srcX)
		src.cut(srcX + n)
	}
	if dst.wide {
		dst.cut(x)
		dst.cut(x + n)
	}
	if src.used <= srcX && dst.used <= x {
		return
	}
	src.reach(min(srcX+n, t.cols))
	dst.reach(x + n)
	copy(dst.cells[x:x+n], src.cells[srcX:srcX+n])
	dst.rich = dst.rich || src.rich
	dst.wide = dst.wide || src.wide
	dst.seq = t.seq
}

// erase blanks columns [x0, x1) of row y.
func (t *Terminal) erase(y, x0, x1 int) {
	t.work -= x1 - x0
	r := t.scr.row(y)
	if x1 >= t.cols {
		if r.wrapped || x0 <= 0 && r.mark != 0 {
			r.seq = t.seq
		}
		r.wrapped = false
		if x0 <= 0 {
			r.mark = 0
		}
	}
	if x0 <= 0 {
		r.cont = false
	}
	blank := t.blank()
	if blank == 0 && x0 >= r.used {
		return
	}
	r.seq = t.seq
	if t.isoErase {
		t.eraseUnprotected(r, x0, x1, blank)
		return
	}
	r.fill(x0, x1, blank)
}

// eraseUnprotected blanks the cells of [x0, x1) that are not protected.
func (t *Terminal) eraseUnprotected(r *row, x0, x1 int, blank Cell) {
	for x := x0; x < min(x1, r.used); x++ {
		if r.cells[x]&cellProtected == 0 {
			if r.wide {
				r.cut(x)
				r.cut(x + 1)
			}
			r.cells[x] = blank
		}
	}
	if blank != 0 {
		r.rich = true
		if r.used < x1 {
			r.fill(max(r.used, x0), x1, blank)
		}
	}
	r.seq = t.seq
}

// selectiveErase blanks what is not protected and keeps the styles (DECSEL, DECSED).
func (t *Terminal) selectiveErase(y, x0, x1 int) {
	t.work -= x1 - x0
	r := t.scr.row(y)
	for x := x0; x < min(x1, r.used); x++ {
		if c := r.cells[x]; c&cellProtected == 0 && c&cellGlyph != 0 {
			if r.wide {
				r.cut(x)
				r.cut(x + 1)
			}
			r.cells[x] = c & cellStyle
			r.seq = t.seq
		}
	}
}

// eraseRows blanks rows [y0, y1).
func (t *Terminal) eraseRows(y0, y1 int) {
	for y := y0; y < y1; y++ {
		t.erase(y, 0, t.cols)
	}
}

// eraseFrom is the first column an erase to the right takes. A cursor that waits to wrap stands, so to say, behind the
// last column: programs end coloured text with such an erase, and its last letter must not fall to it.
func (t *Terminal) eraseFrom() int {
	if t.wrapNext {
		return t.x + 1
	}
	return t.x
}

// eraseInDisplay is ED and, selectively, DECSED.
func (t *Terminal) eraseInDisplay(how int, selective bool) {
	erase := t.erase
	if selective {
		erase = t.selectiveErase
	}
	switch how {
	case 0:
		erase(t.y, t.eraseFrom(), t.cols)
		for y := t.y + 1; y < t.rows; y++ {
			erase(y, 0, t.cols)
		}
	case 1:
		for y := range t.y {
			erase(y, 0, t.cols)
		}
		erase(t.y, 0, t.x+1)
	case 2:
		for y := range t.rows {
			erase(y, 0, t.cols)
		}
	case 3:
		if !selective && t.history.rows > 0 {
			t.history.clear()
			t.metaSeq = t.seq
		}
	}
}

// eraseInLine is EL and, selectively, DECSEL.
func (t *Terminal) eraseInLine(how int, selective bool) {
	erase := t.erase
	if selective {
		erase = t.selectiveErase
	}
	switch how {
	case 0:
		erase(t.y, t.eraseFrom(), t.cols)
	case 1:
		erase(t.y, 0, t.x+1)
	case 2:
		erase(t.y, 0, t.cols)
	}
}

// insertCells moves the cells from column x to the right margin by n to the right.
func (t *Terminal) insertCells(x, n int) {
	if x < t.left || x > t.right {
		return
	}
	end := t.right + 1
	n = min(n, end-x)
	r := t.scr.row(t.y)
	if r.wide {
		r.cut(x)
		r.cut(end - n)
		r.cut(end)
	}
	if r.used > x {
		r.reach(min(end, r.used+n))
		stop := min(end, r.used)
		copy(r.cells[min(x+n, stop):stop], r.cells[x:stop])
	}
	r.wrapped = r.wrapped && end < t.cols
	r.fillRaw(x, x+n, t.blank())
	r.seq = t.seq
}

// fillRaw is fill where the glyphs at the edges were cut already.
func (r *row) fillRaw(x0, x1 int, c Cell) {
	wide := r.wide
	r.wide = false
	r.fill(x0, x1, c)
	r.wide = wide
}

// deleteCells moves the cells right of column x by n to the left, up to the right margin.
func (t *Terminal) deleteCells(x, n int) {
	if x < t.left || x > t.right {
		return
	}
	end := t.right + 1
	n = min(n, end-x)
	r := t.scr.row(t.y)
	if r.wide {
		r.cut(x)
		r.cut(x + n)
		r.cut(end)
	}
	blank := t.blank()
	if r.used > x || blank != 0 {
		r.reach(min(end, t.cols))
		copy(r.cells[x:end-n], r.cells[x+n:end])
		r.fillRaw(end-n, end, blank)
		r.seq = t.seq
	}
	r.wrapped = r.wrapped && end < t.cols
}

// insertLines is IL, deleteLines DL: the cursor's row and those below it move within the margins.
func (t *Terminal) insertLines(n int) {
	if t.y >= t.top && t.y <= t.bottom && t.x >= t.left && t.x <= t.right {
		t.scrollDown(t.y, t.bottom, n)
		t.x, t.wrapNext = t.left, false
	}
}

func (t *Terminal) deleteLines(n int) {
	if t.y >= t.top && t.y <= t.bottom && t.x >= t.left && t.x <= t.right {
		if y := t.y; y == 0 && t.scr == t.main {
			t.dropRows(n)
		} else {
			t.scrollUp(y, t.bottom, n)
		}
		t.x, t.wrapNext = t.left, false
	}
}

// dropRows deletes rows at the top of the screen without keeping them: deleted is not scrolled away.
func (t *Terminal) dropRows(n int) {
	n = min(n, t.bottom+1)
	if t.left > 0 || t.right < t.cols-1 {
		t.scrollUp(0, t.bottom, n)
		return
	}
	t.scr.rotate(0, t.bottom+1, n)
	for y := t.bottom - n + 1; y <= t.bottom; y++ {
		t.clearRow(y)
	}
	t.touch(0, t.bottom)
}

// shiftColumns moves whole columns within the margins: n cells to the right from column x on in every row of the
// region, to the left where n is negative (DECIC, DECDC, SL, SR).
func (t *Terminal) shiftColumns(x, n int) {
	if x < t.left || x > t.right || t.y < t.top || t.y > t.bottom {
		return
	}
	y := t.y
	for t.y = t.top; t.y <= t.bottom; t.y++ {
		if n > 0 {
			t.insertCells(x, n)
		} else {
			t.deleteCells(x, -n)
		}
	}
	t.y = y
}
