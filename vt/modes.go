package vt

// Mouse is which events of the mouse a program wants.
type Mouse uint8

const (
	MouseNone   Mouse = iota
	MouseX10          // presses
	MouseNormal       // presses and releases
	MouseButton       // and motion while a button is down
	MouseAny          // and all motion
)

// MouseFormat is how mouse events are written.
type MouseFormat uint8

const (
	MouseDefault   MouseFormat = iota
	MouseUTF8                  // 1005
	MouseSGR                   // 1006
	MouseURXVT                 // 1015
	MouseSGRPixels             // 1016
)

// Shape is the look of the cursor.
type Shape uint8

const (
	ShapeDefault Shape = iota
	ShapeBlock
	ShapeUnderline
	ShapeBar
)

func (t *Terminal) setCursorShape(n int) {
	m := &t.modes
	switch {
	case n == 0:
		m.cursorShape, m.cursorBlink = ShapeDefault, true
	case n <= 6:
		m.cursorShape, m.cursorBlink = Shape((n+1)/2), n%2 == 1
	}
	t.metaSeq = t.seq
}

// ansiMode is the switch of SM, RM and DECRQM; nil where there is none.
func (m *modes) ansiMode(n int) *bool {
	switch n {
	case 2:
		return &m.keyboardLocked
	case 4:
		return &m.insert
	case 12:
		return &m.echoOff
	case 20:
		return &m.newline
	}
	return nil
}

func (t *Terminal) ansiModes(on bool) {
	ps := &t.parser
	for i := range ps.n {
		if b := t.modes.ansiMode(int(ps.params[i])); b != nil {
			*b = on
		}
	}
	t.setSpecial()
}

// privateMode is the switch of those private modes that are no more than that.
func (m *modes) privateMode(n int) *bool {
	switch n {
	case 1:
		return &m.appCursor
	case 4:
		return &m.smoothScroll
	case 5:
		return &m.reverse
	case 7:
		return &m.autowrap
	case 8:
		return &m.autoRepeat
	case 12:
		return &m.blink
	case 40:
		return &m.allow132
	case 42:
		return &m.nrcs
	case 45:
		return &m.reverseWrap
	case 66:
		return &m.appKeypad
	case 67:
		return &m.backarrow
	case 95:
		return &m.noClear132
	case 1004:
		return &m.focus
	case 1007:
		return &m.altScroll
	case 1034:
		return &m.meta
	case 1036:
		return &m.metaEsc
	case 1037:
		return &m.delete
	case 1039:
		return &m.altEsc
	case 1042:
		return &m.bellUrgent
	case 1043:
		return &m.bellPop
	case 1045:
		return &m.reverseWrapX
	case 2004:
		return &m.paste
	case 2026:
		return &m.sync
	case 2027:
		return &m.graphemes
	case 2031:
		return &m.colorScheme
	}
	return nil
}

var mouseModes = map[int]Mouse{9: MouseX10, 1000: MouseNormal, 1002: MouseButton, 1003: MouseAny}
var mouseFormats = map[int]MouseFormat{1005: MouseUTF8, 1006: MouseSGR, 1015: MouseURXVT, 1016: MouseSGRPixels}

// privateModeIs reports a private mode and whether it exists.
func (t *Terminal) privateModeIs(n int) (on, known bool) {
	m := &t.modes
	if b := m.privateMode(n); b != nil {
		return *b, true
	}
	if v, ok := mouseModes[n]; ok {
		return m.mouse == v, true
	}
	if v, ok := mouseFormats[n]; ok {
		return m.mouseFormat == v, true
	}
	switch n {
	case 3:
		return m.column132, true
	case 6:
		return m.origin, true
	case 25:
		return !m.hidden, true
	case 69:
		return m.leftRight, true
	case 47, 1047, 1049:
		return t.onAlt(), true
	case 1048:
		return t.saved[t.which()].set, true
	case 2048:
		return m.inBandSize, true
	}
	return false, false
}

func (t *Terminal) privateModes(on bool) {
	ps := &t.parser
	for i := range ps.n {
		t.setPrivate(int(ps.params[i]), on)
	}
}

func (t *Terminal) setPrivate(n int, on bool) {
	m := &t.modes
	// The cursor's modes are seen in the cursor, and a frame's begin and end are no news of their own.
	if n != 25 && n != 12 && n != 2026 {
		t.metaSeq = t.seq
	}
	if b := m.privateMode(n); b != nil {
		*b = on
		if n == 7 && !on {
			t.wrapNext = false
		}
		return
	}
	if v, ok := mouseModes[n]; ok {
		if m.mouse = v; !on {
			m.mouse = MouseNone
		}
		return
	}
	if v, ok := mouseFormats[n]; ok {
		if on {
			m.mouseFormat = v
		} else if m.mouseFormat == v {
			m.mouseFormat = MouseDefault
		}
		return
	}
	switch n {
	case 3:
		t.columnMode(on)
	case 6:
		m.origin = on
		t.moveTo(0, 0)
	case 25:
		m.hidden = !on
	case 69:
		if m.leftRight = on; !on {
			t.left, t.right = 0, t.cols-1
		}
	case 47:
		t.showAlt(on)
	case 1047:
		if !on && t.onAlt() {
			t.eraseRows(0, t.rows)
		}
		t.showAlt(on)
	case 1048:
		if on {
			t.saveCursor()
		} else {
			t.restoreCursor()
		}
	case 1049:
		if on {
			if !t.onAlt() {
				t.saveCursor()
			}
			t.showAlt(true)
			t.eraseRows(0, t.rows)
		} else if t.onAlt() {
			t.showAlt(false)
			t.restoreCursor()
		}
	case 2048:
		if m.inBandSize = on; on {
			t.reportSize()
		}
	}
}

// showAlt shows the alternate screen, or the main one again.
func (t *Terminal) showAlt(on bool) {
	if on == t.onAlt() {
		return
	}
	if on {
		if t.alt == nil {
			t.alt = newScreen(t.cols, t.rows)
		}
		t.scr = t.alt
	} else {
		t.scr = t.main
	}
	t.touch(0, t.rows-1)
	t.epoch++
}

// columnMode is DECCOLM. The size is the viewers', so all that remains is what it does to the screen.
func (t *Terminal) columnMode(on bool) {
	if !t.modes.allow132 {
		return
	}
	t.modes.column132 = on
	t.modes.leftRight = false
	t.resetMargins()
	t.x, t.y, t.wrapNext = 0, 0, false
	if !t.modes.noClear132 {
		t.eraseRows(0, t.rows)
	}
}

// saveModes is XTSAVE, restoreModes XTRESTORE.
func (t *Terminal) saveModes() {
	ps := &t.parser
	for i := range ps.n {
		n := int(ps.params[i])
		if on, known := t.privateModeIs(n); known {
			if t.savedMode == nil {
				t.savedMode = map[int]bool{}
			}
			t.savedMode[n] = on
		}
	}
}

func (t *Terminal) restoreModes() {
	ps := &t.parser
	for i := range ps.n {
		if on, ok := t.savedMode[int(ps.params[i])]; ok {
			t.setPrivate(int(ps.params[i]), on)
		}
	}
}

// requestMode is DECRQM.
func (t *Terminal) requestMode(private bool) {
	n := t.parser.param(0, 0)
	mark, on, known := "", false, false
	if private {
		mark = "?"
		on, known = t.privateModeIs(n)
	} else if b := t.modes.ansiMode(n); b != nil {
		on, known = *b, true
	}
	state := 0
	switch {
	case known && on:
		state = 1
	case known:
		state = 2
	case !private && n >= 1 && n <= 19: // of ECMA-48, never to be set
		state = 4
	}
	t.replyf("\x1b[%s%d;%d$y", mark, n, state)
}

// kitty is the state of the Kitty keyboard protocol of one screen
// (https://sw.kovidgoyal.net/kitty/keyboard-protocol/).
type kitty struct {
	flags uint8
	stack [8]uint8
	n     int
}

const kittyFlags = 31

func (t *Terminal) kittyQuery() { t.replyf("\x1b[?%du", t.kitty[t.which()].flags) }

func (t *Terminal) kittyPush(flags int) {
	k := &t.kitty[t.which()]
	if k.n == len(k.stack) { // the oldest is forgotten
		copy(k.stack[:], k.stack[1:])
		k.n--
	}
	k.stack[k.n] = k.flags
	k.n++
	k.flags = uint8(flags & kittyFlags)
	t.metaSeq = t.seq
}

func (t *Terminal) kittyPop(n int) {
	k := &t.kitty[t.which()]
	for ; n > 0; n-- {
		if k.n == 0 {
			k.flags = 0
			break
		}
		k.n--
		k.flags = k.stack[k.n]
	}
	t.metaSeq = t.seq
}

func (t *Terminal) kittySet(flags, how int) {
	k := &t.kitty[t.which()]
	f := uint8(flags & kittyFlags)
	switch how {
	case 1:
		k.flags = f
	case 2:
		k.flags |= f
	case 3:
		k.flags &^= f
	}
	t.metaSeq = t.seq
}

// setKeyModifiers is XTMODKEYS; of its resources modifyOtherKeys alone does something.
func (t *Terminal) setKeyModifiers() {
	ps := &t.parser
	if ps.n == 0 || ps.params[0] == 4 {
		t.modOther = min(ps.param(1, 0), 2)
		t.metaSeq = t.seq
	}
}

func (t *Terminal) queryKeyModifiers() {
	if t.parser.param(0, 0) == 4 {
		t.replyf("\x1b[>4;%dm", t.modOther)
	}
}
