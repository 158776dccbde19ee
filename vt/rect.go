package vt

// rect reads a rectangle from parameters i to i+3 (top, left, bottom, right), as columns [x0, x1) and rows [y0, y1).
func (t *Terminal) rect(i int) (x0, y0, x1, y1 int, ok bool) {
	p := &t.parser
	ox, oy, right, bottom := 0, 0, t.cols, t.rows
	if t.modes.origin {
		ox, oy, right, bottom = t.left, t.top, t.right+1, t.bottom+1
	}
	y0, x0 = p.param(i, 1)-1+oy, p.param(i+1, 1)-1+ox
	y1, x1 = min(p.param(i+2, bottom-oy)+oy, bottom), min(p.param(i+3, right-ox)+ox, right)
	return x0, y0, x1, y1, x0 < x1 && y0 < y1
}

// fillRect is DECFRA.
func (t *Terminal) fillRect() {
	c := t.parser.param(0, 0)
	x0, y0, x1, y1, ok := t.rect(1)
	if !ok || !(c >= 0x20 && c < 0x7f || c >= 0xa0 && c <= 0xff) {
		return
	}
	t.work -= (x1 - x0) * (y1 - y0)
	cell := t.penCell() | Cell(c)
	for y := y0; y < y1; y++ {
		r := t.scr.row(y)
		r.fill(x0, x1, cell)
		r.rich, r.seq = true, t.seq
	}
}

// eraseRect is DECERA and, selectively, DECSERA.
func (t *Terminal) eraseRect(selective bool) {
	x0, y0, x1, y1, ok := t.rect(0)
	if !ok {
		return
	}
	for y := y0; y < y1; y++ {
		if selective {
			t.selectiveErase(y, x0, x1)
		} else {
			t.erase(y, x0, x1)
		}
	}
}

// copyRect is DECCRA. Pages are not ours: there is one.
func (t *Terminal) copyRect() {
	x0, y0, x1, y1, ok := t.rect(0)
	p := &t.parser
	y, x := p.param(5, 1)-1, p.param(6, 1)-1
	right, bottom := t.cols, t.rows
	if t.modes.origin {
		x, y, right, bottom = x+t.left, y+t.top, t.right+1, t.bottom+1
	}
	w, h := min(x1-x0, right-x), min(y1-y0, bottom-y)
	if !ok || w <= 0 || h <= 0 {
		return
	}
	for i := range h {
		if y > y0 {
			i = h - 1 - i
		}
		t.copyCells(y+i, x, y0+i, x0, w)
	}
}

// changeAttributes is DECCARA, or with invert DECRARA.
func (t *Terminal) changeAttributes(invert bool) {
	p := &t.parser
	x0, y0, x1, y1, ok := t.rect(0)
	if !ok {
		return
	}
	first, last := 0, t.cols
	if t.modes.origin {
		first, last = t.left, t.right+1
	}
	for y := y0; y < y1; y++ {
		a, b := x0, x1
		if !t.rectExact { // a stream of text from the first place to the last
			if y > y0 {
				a = first
			}
			if y < y1-1 {
				b = last
			}
		}
		t.changeRow(t.scr.row(y), a, b, p.params[min(4, p.n):p.n], invert)
	}
}

// changeRow changes the attributes of columns [x0, x1).
func (t *Terminal) changeRow(r *row, x0, x1 int, how []int32, invert bool) {
	r.reach(x1)
	t.work -= x1 - x0
	// Neighbours mostly look alike; both numbers are safe from sweeps, being on the screen.
	was, is := Cell(1), Cell(0)
	for x := x0; x < x1; x++ {
		c := r.cells[x]
		if c&cellGlyph == 0 {
			c |= ' '
		}
		if c&cellStyle == was {
			r.cells[x] = c&^cellStyle | is
			continue
		}
		was = c & cellStyle
		st := t.styles.list[c.style()]
		if len(how) == 0 && !invert {
			st.Attr = 0
		}
		for _, n := range how {
			bit := Attr(0)
			switch n % 20 {
			case 0:
				if n == 0 {
					bit = Bold | Blink | Inverse | Hidden | Attr(Single)<<underlineShift
				}
			case 1, 2:
				bit = Bold
			case 4:
				bit = Attr(Single) << underlineShift
			case 5:
				bit = Blink
			case 7:
				bit = Inverse
			case 8:
				bit = Hidden
			}
			switch {
			case invert:
				st.Attr ^= bit
			case n == 0 || n >= 20:
				st.Attr &^= bit
			default:
				st.Attr |= bit
			}
		}
		is = Cell(t.styleID(st)) << 32
		r.cells[x] = c&^cellStyle | is
	}
	r.rich, r.seq = true, t.seq
}

// checksum is DECRQCRA: the negated sum of the characters of a rectangle, as xterm adds them up.
func (t *Terminal) checksum() {
	id := t.parser.param(0, 0)
	if !t.cfg.Checksums {
		return
	}
	sum := 0
	if x0, y0, x1, y1, ok := t.rect(2); ok {
		t.work -= (x1 - x0) * (y1 - y0)
		for y := y0; y < y1; y++ {
			r := t.scr.row(y)
			for x := x0; x < x1; x++ {
				c := r.at(x)
				if c&cellCluster != 0 {
					for _, r := range string(t.clusters.text(uint32(c & cellContent))) {
						sum += int(r)
					}
				} else {
					sum += int(c & cellContent)
				}
			}
		}
	}
	t.replyf("\x1bP%d!~%04X\x1b\\", id, uint16(-sum))
}
