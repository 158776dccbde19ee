package vt

// control executes a C0 control.
func (t *Terminal) control(c byte) {
	t.last = 0
	switch c {
	case '\r':
		t.carriageReturn()
	case '\n', '\v', '\f':
		t.lineFeed()
	case '\b':
		t.stopJoining()
		t.backspace()
	case '\t':
		t.stopJoining()
		t.tab(1)
	case 0x07:
		t.facts.bells++
		t.metaSeq = t.seq
	case 0x0e:
		t.charsets.gl = 1
		t.setSpecial()
	case 0x0f:
		t.charsets.gl = 0
		t.setSpecial()
	}
}

func (t *Terminal) carriageReturn() {
	t.seg = segNone
	t.wrapNext = false
	switch {
	case t.x >= t.left:
		t.x = t.left
	case t.modes.origin:
		t.x = t.left
	default:
		t.x = 0
	}
}

func (t *Terminal) lineFeed() {
	t.seg = segNone
	t.wrapNext = false
	t.index()
	if t.modes.newline {
		t.carriageReturn()
	}
}

// backspace moves left by one, around the margin in reverse wrap.
func (t *Terminal) backspace() { t.cursorLeft(1) }

// cursorLeft is CUB and, by one, BS.
func (t *Terminal) cursorLeft(n int) {
	m := &t.modes
	wraps := m.autowrap && (m.reverseWrap || m.reverseWrapX)
	if wraps && t.wrapNext { // a cursor that waits to wrap stands, so to say, one further
		n--
	}
	t.wrapNext = false
	if !wraps {
		left := 0
		if t.x >= t.left {
			left = t.left
		}
		t.x = max(t.x-n, left)
		return
	}
	for n = min(n, t.cols*t.rows); n > 0; n-- {
		left := 0
		if t.x >= t.left {
			left = t.left
		}
		if t.x > left {
			t.x--
			continue
		}
		switch {
		case t.y == t.top:
			if !m.reverseWrapX {
				return
			}
			t.y = t.bottom
		case t.y == 0:
			return
		case !m.reverseWrapX && !t.scr.row(t.y-1).wrapped:
			return
		default:
			t.y--
		}
		t.x = t.right
	}
}

func (t *Terminal) tab(n int) { // a cursor that waits to wrap goes on waiting: it has nowhere to go
	end := t.cols - 1
	if t.x <= t.right && t.modes.leftRight {
		end = t.right
	}
	for ; n > 0 && t.x < end; n-- {
		t.x++
		for t.x < end && !t.tabs[t.x] {
			t.x++
		}
	}
}

func (t *Terminal) backTab(n int) {
	t.wrapNext = false
	begin := 0
	if t.modes.origin && t.x >= t.left {
		begin = t.left
	}
	for ; n > 0 && t.x > begin; n-- {
		t.x--
		for t.x > begin && !t.tabs[t.x] {
			t.x--
		}
	}
}

// esc executes an escape sequence that ends in c.
func (t *Terminal) esc(c byte) {
	t.stopJoining()
	t.last = 0
	if inter := t.parser.inter; inter != 0 {
		t.escInter(inter, c)
		return
	}
	switch c {
	case 'D':
		t.wrapNext = false
		t.index()
	case 'E':
		t.wrapNext = false
		t.index()
		t.carriageReturn()
	case 'H':
		t.tabs[t.x] = true
	case 'M':
		t.wrapNext = false
		t.reverseIndex()
	case 'N':
		t.charsets.single = 2
		t.setSpecial()
	case 'O':
		t.charsets.single = 3
		t.setSpecial()
	case 'V':
		t.protect, t.isoErase = cellProtected, true
	case 'W':
		t.protect = 0
	case 'Z':
		t.deviceAttributes()
	case '6':
		t.backIndex()
	case '7':
		t.saveCursor()
	case '8':
		t.restoreCursor()
	case '9':
		t.forwardIndex()
	case '=':
		t.modes.appKeypad = true
		t.metaSeq = t.seq
	case '>':
		t.modes.appKeypad = false
		t.metaSeq = t.seq
	case 'c':
		t.fullReset()
	case 'n':
		t.charsets.gl = 2
		t.setSpecial()
	case 'o':
		t.charsets.gl = 3
		t.setSpecial()
	}
}

func (t *Terminal) escInter(inter, c byte) {
	switch inter {
	case '(', ')', '*', '+':
		t.charsets.g[inter-'('] = charset94(c)
		t.setSpecial()
	case '-', '.', '/':
		t.charsets.g[inter-'-'+1] = charsetASCII // the sets of 96 lie in the upper half, which UTF-8 has taken
		t.setSpecial()
	case '#':
		if c == '8' {
			t.alignment()
		}
	}
}

// alignment is DECALN: the screen full of E.
func (t *Terminal) alignment() {
	t.resetMargins()
	t.modes.origin = false
	t.x, t.y, t.wrapNext = 0, 0, false
	t.work -= t.cols * t.rows
	for y := range t.rows {
		r := t.scr.row(y)
		r.reset(t.seq)
		r.fill(0, t.cols, 'E')
		r.rich = false
	}
}

// backIndex is DECBI, forwardIndex DECFI: the cursor moves a column, or the region does at its edge.
func (t *Terminal) backIndex() {
	t.wrapNext = false
	if t.x == t.left && t.y >= t.top && t.y <= t.bottom {
		t.shiftColumns(t.left, 1)
	} else if t.x > 0 {
		t.x--
	}
}

func (t *Terminal) forwardIndex() {
	t.wrapNext = false
	if t.x == t.right && t.y >= t.top && t.y <= t.bottom {
		t.shiftColumns(t.left, -1)
	} else if t.x < t.cols-1 {
		t.x++
	}
}

func (t *Terminal) saveCursor() {
	t.saved[t.which()] = cursor{
		x: t.x, y: t.y, wrapNext: t.wrapNext, pen: t.pen, protect: t.protect,
		origin: t.modes.origin, charsets: t.charsets, set: true,
	}
}

func (t *Terminal) restoreCursor() {
	c := t.saved[t.which()]
	t.setPen(c.pen)
	t.protect, t.modes.origin, t.charsets = c.protect, c.origin, c.charsets
	t.x, t.y = min(c.x, t.cols-1), min(c.y, t.rows-1)
	if t.modes.origin {
		t.x, t.y = min(max(t.x, t.left), t.right), min(max(t.y, t.top), t.bottom)
	}
	t.wrapNext = c.wrapNext && c.x < t.cols
	t.setSpecial()
}

// fullReset is RIS: a new terminal but for the history.
func (t *Terminal) fullReset() {
	t.showAlt(false)
	t.reset()
	t.eachRow(func(r *row) { r.reset(t.seq) })
	t.history.open = false
	t.epoch++
}

// softReset is DECSTR.
func (t *Terminal) softReset() {
	m := &t.modes
	m.hidden, m.origin, m.insert, m.keyboardLocked = false, false, false, false
	m.appCursor, m.appKeypad, m.leftRight = false, false, false
	m.autowrap, m.reverseWrap, m.reverseWrapX = true, false, false
	m.cursorShape, m.cursorBlink = ShapeDefault, true
	t.resetMargins()
	t.setPen(Style{})
	t.protect, t.isoErase, t.rectExact = 0, false, false
	t.charsets = charsets{}
	t.wrapNext = false
	t.saved[t.which()] = cursor{}
	t.kitty[t.which()] = kitty{}
	t.modOther = 0
	t.setSpecial()
	t.metaSeq = t.seq
}
