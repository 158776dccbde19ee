package vt

import "encoding/binary"

// limit is the first column the cursor does not print in: one past the right margin, or past the screen where the
// cursor is already beyond the margin.
func (t *Terminal) limit() int {
	if t.x > t.right {
		return t.cols
	}
	return t.right + 1
}

// printASCII prints a run of printable ASCII.
func (t *Terminal) printASCII(p []byte) {
	if t.special || t.seg == seg(classPrepend) {
		for _, c := range p {
			t.print(rune(c))
		}
		return
	}
	pen := t.penCell()
	for {
		if t.wrapNext {
			t.wrap()
		}
		end := t.limit()
		n := min(len(p), end-t.x)
		r := t.scr.row(t.y)
		if t.x > r.used {
			r.reach(t.x)
		}
		if r.wide {
			r.cut(t.x)
			r.cut(t.x + n)
		}
		spread(r.cells[t.x:t.x+n], p[:n], pen)
		t.x += n
		if t.x > r.used {
			r.used = t.x
		}
		if pen != 0 {
			r.rich = true
		}
		r.seq = t.seq
		p = p[n:]
		if t.x == end {
			t.x = end - 1
			t.lastX = t.x
			t.wrapNext = t.modes.autowrap
			if len(p) > 0 {
				if !t.wrapNext { // all that follows is printed over the last column: its last byte stays
					p = p[len(p)-1:]
				}
				continue
			}
		} else {
			t.lastX = t.x - 1
		}
		t.last = rune(r.cells[t.lastX] & cellContent)
		t.seg = seg(classOther)
		return
	}
}

// spread makes cells of bytes.
func spread(dst []Cell, p []byte, pen Cell) {
	for len(p) >= 8 && len(dst) >= 8 {
		v := Cell(binary.LittleEndian.Uint64(p))
		d := (*[8]Cell)(dst)
		d[0] = pen | v&0xff
		d[1] = pen | v>>8&0xff
		d[2] = pen | v>>16&0xff
		d[3] = pen | v>>24&0xff
		d[4] = pen | v>>32&0xff
		d[5] = pen | v>>40&0xff
		d[6] = pen | v>>48&0xff
		d[7] = pen | v>>56
		p, dst = p[8:], dst[8:]
	}
	for i, c := range p {
		dst[i] = pen | Cell(c)
	}
}

// wrap goes to the next row because the last one is full.
func (t *Terminal) wrap() {
	t.wrapNext = false
	if !t.modes.autowrap {
		return
	}
	whole := t.left == 0 && t.right == t.cols-1
	if whole {
		r := t.scr.row(t.y)
		r.wrapped, r.seq = true, t.seq
	}
	if t.x <= t.right && t.x >= t.left {
		t.x = t.left
	} else {
		t.x = 0
	}
	y := t.y
	t.index()
	if whole && (t.y != y || y == t.bottom) {
		t.scr.row(t.y).cont = true
	}
}

// The Han block: each of its runes takes two cells and joins nothing, so it can be told without a look at the table.
const firstHan, hans = 0x4e00, 0x5200

// han is the rune of three bytes p begins with, if it is of the Han block.
func han(p []byte) (rune, bool) {
	if len(p) < 3 || p[1]&0xc0 != 0x80 || p[2]&0xc0 != 0x80 {
		return 0, false
	}
	r := rune(p[0])<<12 | rune(p[1]&63)<<6 | rune(p[2]&63)
	return r - 0xe<<16, uint32(r)-(0xe<<16|firstHan) < hans
}

// printHan prints a run of such runes as far as the row goes and returns how many bytes that took.
func (t *Terminal) printHan(p []byte) int {
	r, ok := han(p)
	if !ok || t.special || t.seg == seg(classPrepend) {
		return 0
	}
	if t.wrapNext {
		t.wrap()
	}
	end := t.limit()
	x := t.x
	if x+2 > end {
		return 0
	}
	pen := t.penCell()
	row := t.scr.row(t.y)
	if x > row.used {
		row.reach(x)
	}
	i := 0
	for ok && x+2 <= end {
		if x < row.used && row.wide {
			row.cut(x)
			row.cut(x + 2)
		}
		c := row.cells[x : x+2 : x+2]
		c[0], c[1] = pen|Cell(r)|cellWide, pen|cellTail
		x += 2
		i += 3
		t.last = r
		r, ok = han(p[i:])
		row.wide = true
	}
	t.lastX = x - 2
	if x > row.used {
		row.used = x
	}
	row.rich, row.seq = true, t.seq
	t.seg = seg(classOther)
	if t.x = x; x >= end {
		t.x = end - 1
		t.wrapNext = t.modes.autowrap
	}
	return i
}

// print prints one rune, joining it to the cluster before it where it belongs there.
func (t *Terminal) print(r rune) {
	if t.special {
		r = t.charsets.translate(r)
		t.setSpecial()
	}
	p := propOf(r)
	c := p.class()
	if c != classOther || t.seg == seg(classPrepend) {
		if t.join(r, p) {
			return
		}
	} else {
		t.seg = seg(classOther)
	}
	w := p.width()
	if w != 1 {
		if w == 0 {
			if c == classControl {
				return // nothing to see: marks of direction, a zero width space
			}
			w = 1
		} else if c == classRegional && !t.modes.graphemes {
			w = 1
		}
	}
	t.put(Cell(r), w)
	t.last = r
}

// put prints a glyph of w cells in a place of its own.
func (t *Terminal) put(glyph Cell, w int) {
	if t.wrapNext {
		t.wrap()
	}
	pen := t.penCell()
	end := t.limit()
	if w == 2 && t.x+2 > end {
		room := end
		if t.x <= t.right && t.x >= t.left {
			room -= t.left
		}
		switch {
		case t.modes.autowrap && room >= 2:
			row := t.scr.row(t.y)
			row.fill(t.x, end, t.blank()|cellSpacer)
			row.seq, row.rich = t.seq, true
			t.wrap()
			end = t.limit()
		case room >= 2: // it takes the last two columns
			t.x = end - 2
		default: // no row is wide enough
			glyph, w = 0xfffd, 1
		}
	}
	r := t.scr.row(t.y)
	if t.modes.insert {
		t.insertCells(t.x, w)
	}
	if t.x > r.used {
		r.reach(t.x)
	}
	if r.wide {
		r.cut(t.x)
		r.cut(t.x + w)
	}
	t.lastX = t.x
	if w == 2 {
		r.cells[t.x] = pen | glyph | cellWide
		r.cells[t.x+1] = pen | cellTail
		r.wide = true
	} else {
		r.cells[t.x] = pen | glyph
	}
	t.x += w
	if t.x > r.used {
		r.used = t.x
	}
	r.rich = true
	r.seq = t.seq
	if t.x >= end {
		t.x = end - 1
		t.wrapNext = t.modes.autowrap
	}
}

// join adds r to the cluster before it and reports whether it did; it remembers what the next rune must know.
func (t *Terminal) join(r rune, p prop) bool {
	c := p.class()
	known := t.seg != segNone
	joins, next := t.seg.joins(c)
	if !t.modes.graphemes {
		// One rune, one cell: only what has no width of its own joins.
		joins = known && p.width() == 0 && c != classControl && c != classPrepend
	}
	x := t.lastX
	if !known && p.width() == 0 && (c == classExtend || c == classZWJ || c == classSpacingMark) {
		// The cursor has moved since: the mark goes on the glyph left of it.
		if x = t.x - 1; t.wrapNext {
			x = t.x
		}
		if joins = x >= 0; joins {
			if x > 0 && t.scr.row(t.y).at(x)&cellTail != 0 {
				x--
			}
			if !t.modes.graphemes {
				next = seg(classOther)
			}
		}
		t.lastX = max(x, 0)
	}
	t.seg = next
	if !joins {
		return false
	}
	row := t.scr.row(t.y)
	row.reach(x + 1)
	old := row.cells[x]
	content := t.joined(old&(cellContent|cellCluster), r)
	if content != old&(cellContent|cellCluster) {
		row.cells[x] = old&^(cellContent|cellCluster|cellSpacer) | content
		row.rich, row.seq = true, t.seq
	}
	if t.modes.graphemes && old&cellWide == 0 && known && t.widens(old, r, p) {
		t.widen(x)
	}
	return true
}

// widens reports whether the glyph of cell takes two cells once r has joined it.
func (t *Terminal) widens(cell Cell, r rune, p prop) bool {
	switch {
	case r == 0xfe0f:
		return cell&cellCluster == 0 && propOf(rune(cell&cellContent))&propWidens != 0
	case p&propModifier != 0:
		return cell&cellCluster == 0 && propOf(rune(cell&cellContent)).class() == classPictographic
	case p.class() == classExtend || p.class() == classZWJ:
		return false
	}
	return p.width() == 2
}

// widen gives the glyph in column x, just printed, a second cell.
func (t *Terminal) widen(x int) {
	row := t.scr.row(t.y)
	c := row.cells[x]
	end := t.limit()
	if x+2 > end {
		if !t.modes.autowrap || end < 2 || !t.wrapNext {
			return
		}
		// It no longer fits: it moves to the next row as a whole.
		row.fill(x, end, t.blank()|cellSpacer)
		row.seq, row.rich = t.seq, true
		t.wrap()
		if row, x = t.scr.row(t.y), t.x; x+2 > t.limit() {
			return
		}
		row.reach(x)
	}
	if t.modes.insert && x+1 == t.x {
		t.insertCells(x+1, 1)
	}
	if row.wide {
		row.cut(x)
		row.cut(x + 2)
	}
	row.cells[x] = c | cellWide
	row.cells[x+1] = c&^cellGlyph | cellTail
	row.used = max(row.used, x+2)
	row.wide, row.rich, row.seq = true, true, t.seq
	t.lastX, t.x, t.wrapNext = x, x+2, false
	if t.x >= end {
		t.x, t.wrapNext = end-1, t.modes.autowrap
	}
}

// repeat prints last n times more (REP).
func (t *Terminal) repeat(last rune, n int) {
	if last == 0 {
		return
	}
	n = min(n, t.cols*t.rows)
	t.work -= n
	if last < 0x7f && !t.special {
		var same [256]byte
		for i := range same[:min(n, len(same))] {
			same[i] = byte(last)
		}
		for ; n > 0; n -= len(same) {
			t.printASCII(same[:min(n, len(same))])
		}
		return
	}
	for range n {
		t.print(last)
	}
}
