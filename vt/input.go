package vt

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// Mods are the modifier keys held down, as the Kitty protocol numbers them.
type Mods uint8

const (
	Shift Mods = 1 << iota
	Alt
	Ctrl
	Super
	Hyper
	Meta
	CapsLock
	NumLock
)

// Press is what happened to a key.
type Press uint8

const (
	Pressed  Press = 1
	Repeated Press = 2
	Released Press = 3
)

// Keys without a character have codes of their own, those of the Kitty protocol where it has one and otherwise from its
// reach of private runes.
const (
	KeyEscape    rune = 27
	KeyEnter     rune = 13
	KeyTab       rune = 9
	KeyBackspace rune = 127

	KeyUp rune = 0xf0000 + iota
	KeyDown
	KeyRight
	KeyLeft
	KeyHome
	KeyEnd
	KeyInsert
	KeyDelete
	KeyPageUp
	KeyPageDown
	KeyF1  // to KeyF1 + 11
	KeyF12 = KeyF1 + 11
)

// functional says how the keys above are written: CSI number ~, or, where number is 1, CSI letter.
var functional = map[rune]struct {
	number int
	letter byte
}{
	KeyUp: {1, 'A'}, KeyDown: {1, 'B'}, KeyRight: {1, 'C'}, KeyLeft: {1, 'D'}, KeyHome: {1, 'H'}, KeyEnd: {1, 'F'},
	KeyInsert: {2, '~'}, KeyDelete: {3, '~'}, KeyPageUp: {5, '~'}, KeyPageDown: {6, '~'},
	KeyF1: {1, 'P'}, KeyF1 + 1: {1, 'Q'}, KeyF1 + 2: {13, '~'}, KeyF1 + 3: {1, 'S'}, KeyF1 + 4: {15, '~'}, KeyF1 + 5: {17, '~'},
	KeyF1 + 6: {18, '~'}, KeyF1 + 7: {19, '~'}, KeyF1 + 8: {20, '~'}, KeyF1 + 9: {21, '~'}, KeyF1 + 10: {23, '~'}, KeyF12: {24, '~'},
}

// Key is a key as a keyboard tells it.
type Key struct {
	Code    rune   // what the key gives without modifiers, lower case, or one of the codes above, or one of the protocol's (57344 …)
	Shifted rune   // what it gives with shift; 0: unknown
	Base    rune   // what is there on a standard keyboard; 0: unknown
	Text    string // what it types
	Mods    Mods
	Press   Press // 0 is Pressed
}

// The flags of the Kitty keyboard protocol.
const (
	kittyDisambiguate = 1 << iota
	kittyEvents
	kittyAlternates
	kittyAll
	kittyText
)

// AppendKey appends what the program is to read for a key, in the encoding it has asked for; nothing for keys it cannot
// be told of.
func (t *Terminal) AppendKey(dst []byte, k Key) []byte {
	if k.Press == 0 {
		k.Press = Pressed
	}
	if flags := t.kitty[t.which()].flags; flags != 0 {
		return t.appendKitty(dst, k, flags)
	}
	if k.Press == Released {
		return dst
	}
	return t.appendLegacy(dst, k)
}

func (t *Terminal) appendLegacy(dst []byte, k Key) []byte {
	mods := k.Mods &^ (CapsLock | NumLock)
	if f, ok := functional[k.Code]; ok {
		if k.Code == KeyF1+2 {
			f.number, f.letter = 1, 'R'
		}
		switch {
		case f.number != 1 && mods == 0:
			return fmt.Appendf(dst, "\x1b[%d~", f.number)
		case mods != 0:
			return fmt.Appendf(dst, "\x1b[%d;%d%c", f.number, mods+1, f.letter)
		case f.letter >= 'P' || t.modes.appCursor:
			return append(dst, 0x1b, 'O', f.letter)
		}
		return append(dst, 0x1b, '[', f.letter)
	}
	if k.Code >= 57344 && k.Code <= 63743 { // a lone modifier, a media key
		return dst
	}
	if t.modOther > 0 && t.otherKey(k, mods) {
		code := k.Code
		if mods&Shift != 0 && k.Shifted != 0 {
			code = k.Shifted
		}
		return fmt.Appendf(dst, "\x1b[27;%d;%d~", mods+1, code)
	}
	start := len(dst)
	if mods&Alt != 0 {
		dst = append(dst, 0x1b)
	}
	switch k.Code {
	case KeyEnter:
		dst = append(dst, '\r')
		if t.modes.newline {
			dst = append(dst, '\n')
		}
		return dst
	case KeyEscape:
		return append(dst, 0x1b)
	case KeyTab:
		if mods&Shift != 0 {
			return append(dst, "\x1b[Z"...)
		}
		return append(dst, '\t')
	case KeyBackspace:
		if t.modes.backarrow != (mods&Ctrl != 0) {
			return append(dst, '\b')
		}
		return append(dst, 0x7f)
	}
	if mods&Ctrl != 0 {
		if c, ok := controlOf(k); ok {
			return append(dst, c)
		}
	}
	if k.Text != "" {
		return append(dst, k.Text...)
	}
	if mods&(Alt|Ctrl) != 0 && k.Code > 0 {
		c := k.Code
		if mods&Shift != 0 && k.Shifted != 0 {
			c = k.Shifted
		}
		return utf8.AppendRune(dst, c)
	}
	return dst[:start]
}

// otherKey reports that modifyOtherKeys writes a key in full: at 1 what has no code of its own, at 2 all with modifiers.
func (t *Terminal) otherKey(k Key, mods Mods) bool {
	if mods == 0 || mods == Shift && k.Text != "" && k.Code != KeyEnter && k.Code != KeyTab && k.Code != KeyBackspace {
		return false
	}
	if t.modOther == 2 {
		return k.Code != KeyTab || mods != Shift
	}
	switch k.Code {
	case KeyEscape, KeyBackspace:
		return false
	case KeyEnter, KeyTab:
		return mods&^Shift != 0 && mods != Alt
	}
	if mods == Alt {
		return false
	}
	_, ok := controlOf(k)
	return mods&Ctrl != 0 && !ok
}

// controlOf is the C0 control a key gives with Ctrl.
func controlOf(k Key) (byte, bool) {
	c := k.Code
	if k.Mods&Shift != 0 && k.Shifted != 0 && (c < 'a' || c > 'z') {
		c = k.Shifted
	}
	if c > 0x7f && k.Base != 0 { // another alphabet: what is there on a standard keyboard
		c = k.Base
	}
	switch {
	case c >= 'a' && c <= 'z':
		return byte(c) - 0x60, true
	case c >= '@' && c <= '_':
		return byte(c) - 0x40, true
	case c == ' ' || c == '2':
		return 0, true
	case c >= '3' && c <= '7':
		return byte(c) - '3' + 0x1b, true
	case c == '8' || c == '?':
		return 0x7f, true
	case c == '/':
		return 0x1f, true
	}
	return 0, false
}

// appendKitty writes a key as the Kitty protocol does under the flags set.
func (t *Terminal) appendKitty(dst []byte, k Key, flags uint8) []byte {
	all := flags&kittyAll != 0
	if k.Press == Released && flags&kittyEvents == 0 {
		return dst
	}
	locks := k.Mods & (CapsLock | NumLock)
	mods := k.Mods &^ locks
	f, special := functional[k.Code]
	switch {
	case special || all:
	case k.Code == KeyEnter || k.Code == KeyTab || k.Code == KeyBackspace:
		// They stay what they were, so that a shell is usable after a program crashed with the protocol on.
		if mods == 0 {
			if k.Press == Released {
				return dst
			}
			return t.appendLegacy(dst, k)
		}
	case k.Code == KeyEscape && flags&kittyDisambiguate != 0:
	case k.Code >= 57344 && k.Code <= 63743: // lone modifiers are reported with all keys only, others always
		if k.Code >= 57441 && k.Code <= 57454 || k.Code >= 57358 && k.Code <= 57360 {
			return dst
		}
	case mods&^Shift == 0 && k.Text != "" || flags&(kittyDisambiguate|kittyEvents) == 0:
		if k.Press == Released {
			return dst
		}
		return t.appendLegacy(dst, k)
	}
	number, letter := int(k.Code), byte('u')
	if special {
		number, letter = f.number, f.letter
	}
	dst = append(dst, 0x1b, '[')
	m, event := int(k.Mods)+1, flags&kittyEvents != 0 && k.Press != Pressed
	text := flags&kittyText != 0 && all && k.Press != Released && printable(k.Text)
	if number != 1 || m != 1 || event || text {
		dst = fmt.Appendf(dst, "%d", number)
	}
	if flags&kittyAlternates != 0 && letter == 'u' {
		shifted := k.Shifted != 0 && mods&Shift != 0
		if shifted {
			dst = fmt.Appendf(dst, ":%d", k.Shifted)
		}
		if k.Base != 0 && k.Base != k.Code {
			if !shifted {
				dst = append(dst, ':')
			}
			dst = fmt.Appendf(dst, ":%d", k.Base)
		}
	}
	if m != 1 || event || text {
		dst = append(dst, ';')
		if m != 1 || event {
			dst = fmt.Appendf(dst, "%d", m)
		}
		if event {
			dst = fmt.Appendf(dst, ":%d", k.Press)
		}
	}
	if text {
		sep := byte(';')
		for _, r := range k.Text {
			dst = fmt.Appendf(append(dst, sep), "%d", r)
			sep = ':'
		}
	}
	return append(dst, letter)
}

func printable(s string) bool {
	for _, r := range s {
		if unicode.IsControl(r) {
			return false
		}
	}
	return s != ""
}

// AppendPaste appends pasted text, between brackets where the program wants them. The text cannot leave them: controls
// but tabs and line ends are dropped.
func (t *Terminal) AppendPaste(dst []byte, text []byte) []byte {
	if t.modes.paste {
		dst = append(dst, "\x1b[200~"...)
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\r"))
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1: // a lone byte could be a control to somebody
		case r == '\n':
			dst = append(dst, '\r')
		case r == '\r' || r == '\t' || !unicode.IsControl(r):
			dst = append(dst, text[:n]...)
		}
		text = text[n:]
	}
	if t.modes.paste {
		dst = append(dst, "\x1b[201~"...)
	}
	return dst
}

// AppendFocus appends that the terminal has got the keyboard, or lost it, if the program wants to know.
func (t *Terminal) AppendFocus(dst []byte, in bool) []byte {
	if !t.modes.focus {
		return dst
	}
	if in {
		return append(dst, "\x1b[I"...)
	}
	return append(dst, "\x1b[O"...)
}

// Button is a button of the mouse, or a step of its wheel.
type Button uint8

const (
	ButtonNone Button = iota
	ButtonLeft
	ButtonMiddle
	ButtonRight
	WheelUp
	WheelDown
	WheelLeft
	WheelRight
)

// MouseEvent is something done with the mouse: a button pressed or released, or a motion, with a button held or none.
type MouseEvent struct {
	Button         Button
	Press          Press // Pressed or Released; of a motion no matter
	Motion         bool
	Mods           Mods
	X, Y           int // grid cell
	XPixel, YPixel int // from the screen's corner
}

// AppendMouse appends a mouse event, if the program wants it.
func (t *Terminal) AppendMouse(dst []byte, e MouseEvent) []byte {
	m := t.modes.mouse
	wheel := e.Button >= WheelUp
	released := e.Press == Released && !e.Motion
	switch {
	case m == MouseNone,
		e.Motion && (m < MouseButton || m == MouseButton && e.Button == ButtonNone),
		m == MouseX10 && (released || wheel),
		wheel && released,
		e.X < 0 || e.Y < 0 || e.X >= t.cols || e.Y >= t.rows:
		return dst
	}
	code := 3
	switch {
	case wheel:
		code = 64 + int(e.Button-WheelUp)
	case e.Button != ButtonNone:
		code = int(e.Button - ButtonLeft)
	}
	if m != MouseX10 {
		for i, mod := range [...]Mods{Shift, Alt, Ctrl} {
			if e.Mods&mod != 0 {
				code += 4 << i
			}
		}
	}
	if e.Motion {
		code += 32
	}
	x, y := e.X+1, e.Y+1
	switch t.modes.mouseFormat {
	case MouseSGR, MouseSGRPixels:
		if t.modes.mouseFormat == MouseSGRPixels {
			x, y = max(e.XPixel, 0)+1, max(e.YPixel, 0)+1
		}
		end := byte('M')
		if released {
			end = 'm'
		}
		return fmt.Appendf(dst, "\x1b[<%d;%d;%d%c", code, x, y, end)
	}
	if released {
		code |= 3
	}
	switch t.modes.mouseFormat {
	case MouseURXVT:
		return fmt.Appendf(dst, "\x1b[%d;%d;%dM", code+32, x, y)
	case MouseUTF8:
		dst = append(dst, "\x1b[M"...)
		for _, v := range [...]int{code, min(x, 2015), min(y, 2015)} {
			dst = utf8.AppendRune(dst, rune(v+32))
		}
		return dst
	}
	if x > 223 || y > 223 { // no byte can say so
		return dst
	}
	return append(dst, 0x1b, '[', 'M', byte(code+32), byte(x+32), byte(y+32))
}
