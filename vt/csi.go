package vt

// key names a control sequence: private marker, intermediate and final byte.
func key(prefix, inter, final byte) uint32 {
	return uint32(prefix)<<16 | uint32(inter)<<8 | uint32(final)
}

// csi executes the control sequence whose parameters the parser holds.
func (t *Terminal) csi(c byte) {
	ps := &t.parser
	if ps.prefix == 0 && ps.inter == 0 {
		if c == 'm' {
			t.sgr()
			return
		}
		t.stopJoining()
		t.csiPlain(c)
		return
	}
	t.stopJoining()
	switch key(ps.prefix, ps.inter, c) {
	case '?'<<16 | 'h':
		t.privateModes(true)
	case '?'<<16 | 'l':
		t.privateModes(false)
	case '?'<<16 | 'J':
		t.eraseInDisplay(ps.param(0, 0), true)
	case '?'<<16 | 'K':
		t.eraseInLine(ps.param(0, 0), true)
	case '?'<<16 | 'W':
		if ps.param(0, 0) == 5 {
			t.resetTabs()
		}
	case '?'<<16 | 'n':
		t.deviceStatus(true)
	case '?'<<16 | 'r':
		t.restoreModes()
	case '?'<<16 | 's':
		t.saveModes()
	case '?'<<16 | 'm':
		t.queryKeyModifiers()
	case '?'<<16 | 'u':
		t.kittyQuery()
	case '>'<<16 | 'u':
		t.kittyPush(ps.param(0, 0))
	case '<'<<16 | 'u':
		t.kittyPop(ps.param(0, 1))
	case '='<<16 | 'u':
		t.kittySet(ps.param(0, 0), ps.param(1, 1))
	case '>'<<16 | 'm':
		t.setKeyModifiers()
	case '>'<<16 | 'n':
		if ps.param(0, 0) == 4 {
			t.modOther = 0
			t.metaSeq = t.seq
		}
	case '>'<<16 | 'c':
		t.reply("\x1b[>41;390;0c")
	case '='<<16 | 'c':
		t.reply("\x1bP!|00000000\x1b\\")
	case '>'<<16 | 'q':
		t.reply("\x1bP>|", t.cfg.Name, "\x1b\\")
	case '!'<<8 | 'p':
		t.softReset()
	case '$'<<8 | 'p':
		t.requestMode(false)
	case '?'<<16 | '$'<<8 | 'p':
		t.requestMode(true)
	case ' '<<8 | 'q':
		t.setCursorShape(ps.param(0, 0))
	case '"'<<8 | 'q':
		switch ps.param(0, 0) {
		case 1:
			t.protect, t.isoErase = cellProtected, false
		case 0, 2:
			t.protect = 0
		}
	case '"'<<8 | 'p': // DECSCL
		t.softReset()
	case ' '<<8 | '@':
		t.shiftColumns(t.left, -ps.param(0, 1))
	case ' '<<8 | 'A':
		t.shiftColumns(t.left, ps.param(0, 1))
	case '\''<<8 | '}':
		t.shiftColumns(t.x, ps.param(0, 1))
	case '\''<<8 | '~':
		t.shiftColumns(t.x, -ps.param(0, 1))
	case '$'<<8 | 'w':
		t.presentationReport(ps.param(0, 0))
	case '*'<<8 | 'x':
		t.rectExact = ps.param(0, 0) == 2
	case '*'<<8 | 'y':
		t.checksum()
	case '$'<<8 | 'r':
		t.changeAttributes(false)
	case '$'<<8 | 't':
		t.changeAttributes(true)
	case '$'<<8 | 'v':
		t.copyRect()
	case '$'<<8 | 'x':
		t.fillRect()
	case '$'<<8 | 'z':
		t.eraseRect(false)
	case '$'<<8 | '{':
		t.eraseRect(true)
	}
}

func (t *Terminal) csiPlain(c byte) {
	ps := &t.parser
	last := t.last
	t.last = 0 // REP repeats only what was printed just before
	n := ps.param(0, 1)
	switch c {
	case '@':
		t.wrapNext = false
		t.insertCells(t.x, n)
	case 'A':
		t.cursorUp(n)
	case 'B':
		t.cursorDown(n)
	case 'C':
		t.cursorRight(n)
	case 'D':
		t.cursorLeft(n)
	case 'E':
		t.cursorDown(n)
		t.carriageReturn()
	case 'F':
		t.cursorUp(n)
		t.carriageReturn()
	case 'G', '`':
		t.moveX(n - 1)
	case 'H', 'f':
		t.moveTo(ps.param(1, 1)-1, n-1)
	case 'I':
		t.tab(n)
	case 'J':
		t.eraseInDisplay(ps.param(0, 0), false)
	case 'K':
		t.eraseInLine(ps.param(0, 0), false)
	case 'L':
		t.insertLines(n)
	case 'M':
		t.deleteLines(n)
	case 'P':
		t.wrapNext = false
		t.deleteCells(t.x, n)
	case 'S':
		t.scrollUp(t.top, t.bottom, n)
	case 'T':
		if ps.n <= 1 { // with five it is mouse highlighting
			t.scrollDown(t.top, t.bottom, n)
		}
	case '^':
		t.scrollDown(t.top, t.bottom, n)
	case 'X':
		t.wrapNext = false
		t.erase(t.y, t.x, min(t.x+n, t.cols))
	case 'Z':
		t.backTab(n)
	case 'a':
		t.wrapNext = false
		t.x = min(t.x+n, t.cols-1)
	case 'e':
		t.wrapNext = false
		t.y = min(t.y+n, t.rows-1)
	case 'b':
		t.repeat(last, n)
	case 'c':
		if ps.param(0, 0) == 0 {
			t.deviceAttributes()
		}
	case 'd':
		t.moveY(n - 1)
	case 'g':
		switch ps.param(0, 0) {
		case 0:
			t.tabs[t.x] = false
		case 3:
			clear(t.tabs)
		}
	case 'h':
		t.ansiModes(true)
	case 'l':
		t.ansiModes(false)
	case 'n':
		t.deviceStatus(false)
	case 'r':
		t.setTopBottom(ps.param(0, 1)-1, ps.param(1, t.rows)-1)
	case 's':
		if t.modes.leftRight {
			t.setLeftRight(ps.param(0, 1)-1, ps.param(1, t.cols)-1)
		} else {
			t.saveCursor()
		}
	case 't':
		t.windowOp()
	case 'u':
		t.restoreCursor()
	case 'x':
		if p := ps.param(0, 0); p <= 1 {
			t.replyf("\x1b[%d;1;1;128;128;1;0x", p+2)
		}
	}
}

// moveTo puts the cursor in a place counted from the margins in origin mode.
func (t *Terminal) moveTo(x, y int) {
	t.wrapNext = false
	if t.modes.origin {
		t.x, t.y = min(max(x, 0)+t.left, t.right), min(max(y, 0)+t.top, t.bottom)
		return
	}
	t.x, t.y = min(max(x, 0), t.cols-1), min(max(y, 0), t.rows-1)
}

func (t *Terminal) moveX(x int) {
	t.wrapNext = false
	if t.modes.origin {
		t.x = min(x+t.left, t.right)
		return
	}
	t.x = min(x, t.cols-1)
}

func (t *Terminal) moveY(y int) {
	t.wrapNext = false
	if t.modes.origin {
		t.y = min(y+t.top, t.bottom)
		return
	}
	t.y = min(y, t.rows-1)
}

func (t *Terminal) cursorUp(n int) {
	t.wrapNext = false
	top := 0
	if t.y >= t.top {
		top = t.top
	}
	t.y = max(t.y-n, top)
}

func (t *Terminal) cursorDown(n int) {
	t.wrapNext = false
	bottom := t.rows - 1
	if t.y <= t.bottom {
		bottom = t.bottom
	}
	t.y = min(t.y+n, bottom)
}

func (t *Terminal) cursorRight(n int) {
	t.wrapNext = false
	right := t.cols - 1
	if t.x <= t.right {
		right = t.right
	}
	t.x = min(t.x+n, right)
}

// setTopBottom is DECSTBM.
func (t *Terminal) setTopBottom(top, bottom int) {
	bottom = min(bottom, t.rows-1)
	if top >= bottom {
		return
	}
	t.top, t.bottom = top, bottom
	t.moveTo(0, 0)
}

// setLeftRight is DECSLRM.
func (t *Terminal) setLeftRight(left, right int) {
	right = min(right, t.cols-1)
	if left >= right {
		return
	}
	t.left, t.right = left, right
	t.moveTo(0, 0)
}

// sgr is Select Graphic Rendition.
func (t *Terminal) sgr() {
	ps := &t.parser
	t.penKnown = false
	s := &t.pen
	if ps.n == 0 {
		*s = Style{link: s.link}
		return
	}
	for i := 0; i < ps.n; i++ {
		if ps.sub>>i&1 != 0 {
			continue // a part of something unknown
		}
		switch p := ps.params[i]; p {
		case 0:
			*s = Style{link: s.link}
		case 1:
			s.Attr |= Bold
		case 2:
			s.Attr |= Faint
		case 3:
			s.Attr |= Italic
		case 4:
			u := Single
			if i+1 < ps.n && ps.sub>>(i+1)&1 != 0 {
				if u = Underline(min(ps.params[i+1], 255)); u > Dashed {
					u = Single
				}
			}
			s.Attr = s.Attr.underlined(u)
		case 5:
			s.Attr |= Blink
		case 6:
			s.Attr |= RapidBlink
		case 7:
			s.Attr |= Inverse
		case 8:
			s.Attr |= Hidden
		case 9:
			s.Attr |= Strike
		case 21:
			s.Attr = s.Attr.underlined(Double)
		case 22:
			s.Attr &^= Bold | Faint
		case 23:
			s.Attr &^= Italic
		case 24:
			s.Attr = s.Attr.underlined(NoUnderline)
		case 25:
			s.Attr &^= Blink | RapidBlink
		case 27:
			s.Attr &^= Inverse
		case 28:
			s.Attr &^= Hidden
		case 29:
			s.Attr &^= Strike
		case 30, 31, 32, 33, 34, 35, 36, 37:
			s.Fg = colorIndex | Color(p-30)
		case 38:
			i = ps.color(i, &s.Fg)
		case 39:
			s.Fg = 0
		case 40, 41, 42, 43, 44, 45, 46, 47:
			s.Bg = colorIndex | Color(p-40)
		case 48:
			i = ps.color(i, &s.Bg)
		case 49:
			s.Bg = 0
		case 53:
			s.Attr |= Overline
		case 55:
			s.Attr &^= Overline
		case 58:
			i = ps.color(i, &s.Line)
		case 59:
			s.Line = 0
		case 90, 91, 92, 93, 94, 95, 96, 97:
			s.Fg = colorIndex | Color(p-90+8)
		case 100, 101, 102, 103, 104, 105, 106, 107:
			s.Bg = colorIndex | Color(p-100+8)
		}
	}
}

// color reads the colour that parameter i announces, in either spelling (38:2::r:g:b, 38:2:r:g:b, 38;2;r;g;b), and
// returns the last parameter it used.
func (p *parser) color(i int, c *Color) int {
	n := 0 // parts hung on by colons
	for i+n+1 < p.n && p.sub>>(i+n+1)&1 != 0 {
		n++
	}
	at := func(k int) uint8 { return uint8(min(p.params[i+k], 255)) }
	if n > 0 {
		switch {
		case p.params[i+1] == 5 && n >= 2:
			*c = Indexed(at(2))
		case p.params[i+1] == 2 && n >= 5: // with a colour space
			*c = RGB(at(3), at(4), at(5))
		case p.params[i+1] == 2 && n == 4:
			*c = RGB(at(2), at(3), at(4))
		}
		return i + n
	}
	switch {
	case i+2 < p.n && p.params[i+1] == 5:
		if p.params[i+2] <= 255 {
			*c = Indexed(at(2))
		}
		return i + 2
	case i+4 < p.n && p.params[i+1] == 2:
		if p.params[i+2] <= 255 && p.params[i+3] <= 255 && p.params[i+4] <= 255 {
			*c = RGB(at(2), at(3), at(4))
		}
		return i + 4
	}
	return p.n // cut short: what follows cannot be told from its parts
}
