package vt

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
)

// maxReplies bounds the answers nobody has fetched; a program that asks on without reading gets no more.
const maxReplies = 64 << 10

// TakeReplies appends to dst what the program is owed as input (answers to its questions) and forgets it.
func (t *Terminal) TakeReplies(dst []byte) []byte {
	dst = append(dst, t.replies...)
	t.replies = t.replies[:0]
	return dst
}

func (t *Terminal) reply(parts ...string) {
	n := len(t.replies)
	for _, s := range parts {
		t.replies = append(t.replies, s...)
	}
	if len(t.replies) > maxReplies {
		t.replies = t.replies[:n] // whole answers only
	}
}

func (t *Terminal) replyf(format string, args ...any) {
	n := len(t.replies)
	t.replies = fmt.Appendf(t.replies, format, args...)
	if len(t.replies) > maxReplies {
		t.replies = t.replies[:n]
	}
}

// deviceAttributes is DA1: a VT420 with selective erase, rectangles, horizontal scrolling, colour, and the clipboard
// where it may be written.
func (t *Terminal) deviceAttributes() {
	clip := ""
	if t.cfg.Clipboard {
		clip = ";52"
	}
	t.reply("\x1b[?64;1;6;21;22;28", clip, "c")
}

// deviceStatus is DSR.
func (t *Terminal) deviceStatus(private bool) {
	n := t.parser.param(0, 0)
	x, y := t.x+1, t.y+1
	if t.modes.origin {
		x, y = x-t.left, y-t.top
	}
	switch {
	case !private && n == 5:
		t.reply("\x1b[0n")
	case !private && n == 6:
		t.replyf("\x1b[%d;%dR", y, x)
	case !private:
	case n == 6:
		t.replyf("\x1b[?%d;%d;1R", y, x)
	case n == 15:
		t.reply("\x1b[?13n") // no printer
	case n == 25:
		t.reply("\x1b[?20n") // user keys unlocked
	case n == 26:
		t.reply("\x1b[?27;1;0;0n") // North American keyboard
	case n == 53 || n == 55:
		t.reply("\x1b[?53n") // no locator
	case n == 56:
		t.reply("\x1b[?57;0n")
	case n == 62:
		t.reply("\x1b[0*{") // no room for macros
	case n == 63:
		t.replyf("\x1bP%d!~0000\x1b\\", t.parser.param(1, 0))
	case n == 75:
		t.reply("\x1b[?70n")
	case n == 85:
		t.reply("\x1b[?83n")
	case n == 996:
		t.reportScheme()
	}
}

// reportScheme says whether the colours are dark (1) or light (2).
func (t *Terminal) reportScheme() {
	bg, scheme := t.color(dynamicBackground), 1
	if 299*(bg>>16&255)+587*(bg>>8&255)+114*(bg&255) > 128_000 {
		scheme = 2
	}
	t.replyf("\x1b[?997;%dn", scheme)
}

// reportSize is the report of mode 2048.
func (t *Terminal) reportSize() {
	t.replyf("\x1b[48;%d;%d;%d;%dt", t.rows, t.cols, t.rows*t.cfg.CellHeight, t.cols*t.cfg.CellWidth)
}

// windowOp is XTWINOPS: what can be told is told, nothing is moved.
func (t *Terminal) windowOp() {
	w, h := t.cfg.CellWidth, t.cfg.CellHeight
	switch t.parser.param(0, 0) {
	case 11:
		t.reply("\x1b[1t")
	case 13:
		t.reply("\x1b[3;0;0t")
	case 14:
		t.replyf("\x1b[4;%d;%dt", t.rows*h, t.cols*w)
	case 15:
		t.replyf("\x1b[5;%d;%dt", t.rows*h, t.cols*w)
	case 16:
		t.replyf("\x1b[6;%d;%dt", h, w)
	case 18:
		t.replyf("\x1b[8;%d;%dt", t.rows, t.cols)
	case 19:
		t.replyf("\x1b[9;%d;%dt", t.rows, t.cols)
	case 20:
		t.reply("\x1b]L\x1b\\") // a title a program could choose is never typed back
	case 21:
		t.reply("\x1b]l\x1b\\")
	case 22:
		t.facts.pushTitle()
	case 23:
		t.facts.popTitle()
		t.metaSeq = t.seq
	}
}

// presentationReport is DECRQPSR: the cursor (1) or the tab stops (2).
func (t *Terminal) presentationReport(n int) {
	switch n {
	case 1:
		var rend, flags byte = '@', '@'
		a := t.pen.Attr
		for i, on := range [...]bool{a&Bold != 0, a.Underline() != 0, a&Blink != 0, a&Inverse != 0} {
			if on {
				rend |= 1 << i
			}
		}
		for i, on := range [...]bool{t.modes.origin, t.charsets.single == 2, t.charsets.single == 3, t.wrapNext} {
			if on {
				flags |= 1 << i
			}
		}
		protect := '@'
		if t.protect != 0 {
			protect = 'A'
		}
		x, y := t.x+1, t.y+1
		if t.modes.origin {
			x, y = x-t.left, y-t.top
		}
		var sets strings.Builder
		for _, g := range t.charsets.g {
			sets.WriteByte("B0A4CRQKY`ZH="[g])
		}
		t.replyf("\x1bP1$u%d;%d;1;%c;%c;%c;%d;2;@;%s\x1b\\", y, x, rend, protect, flags, t.charsets.gl, sets.String())
	case 2:
		var stops []string
		for x, set := range t.tabs {
			if set {
				stops = append(stops, fmt.Sprint(x+1))
			}
		}
		t.reply("\x1bP2$u", strings.Join(stops, "/"), "\x1b\\")
	}
}

// dcs executes a device control string.
func (t *Terminal) dcs(s []byte) {
	ps := &t.parser
	switch key(ps.prefix, ps.inter, ps.final) {
	case '$'<<8 | 'q':
		t.requestSetting(string(s[:min(len(s), 8)]))
	case '+'<<8 | 'q':
		t.requestTermcap(s)
	case '$'<<8 | 't':
		if ps.param(0, 0) == 2 {
			t.restoreTabs(s)
		}
	}
}

func (t *Terminal) restoreTabs(s []byte) {
	clear(t.tabs)
	for f := range bytes.SplitSeq(s, []byte("/")) {
		if x, ok := number(f); ok && x >= 1 && x <= t.cols {
			t.tabs[x-1] = true
		}
	}
}

// requestSetting is DECRQSS.
func (t *Terminal) requestSetting(what string) {
	m := &t.modes
	ok := func(format string, args ...any) { t.replyf("\x1bP1$r"+format+what+"\x1b\\", args...) }
	switch what {
	case "m":
		ok("%s", t.pen.sgr())
	case "r":
		ok("%d;%d", t.top+1, t.bottom+1)
	case "s":
		ok("%d;%d", t.left+1, t.right+1)
	case "\"q":
		n := 0
		if t.protect != 0 && !t.isoErase {
			n = 1
		}
		ok("%d", n)
	case "\"p":
		ok("64;1")
	case " q":
		n := 0
		if m.cursorShape != ShapeDefault {
			if n = int(m.cursorShape) * 2; m.cursorBlink {
				n--
			}
		}
		ok("%d", n)
	case "t":
		ok("%d", t.rows)
	case "*|":
		ok("%d", t.rows)
	case "$|":
		ok("%d", t.cols)
	case "*x":
		n := 1
		if t.rectExact {
			n = 2
		}
		ok("%d", n)
	default:
		t.reply("\x1bP0$r\x1b\\")
	}
}

// sgr is the style as parameters of SGR.
func (s Style) sgr() string {
	b := []byte("0")
	for i, n := range [...]int{1, 2, 3, 5, 6, 7, 8, 9, 53} {
		if s.Attr>>i&1 != 0 {
			b = fmt.Appendf(b, ";%d", n)
		}
	}
	switch u := s.Attr.Underline(); u {
	case NoUnderline:
	case Single:
		b = append(b, ";4"...)
	default:
		b = fmt.Appendf(b, ";4:%d", u)
	}
	for i, c := range [...]Color{s.Fg, s.Bg, s.Line} {
		base := 30 + 10*i
		if i == 2 {
			base = 50
		}
		if n, ok := c.Index(); ok {
			switch {
			case n < 8 && i < 2:
				b = fmt.Appendf(b, ";%d", base+int(n))
			case n < 16 && i < 2:
				b = fmt.Appendf(b, ";%d", base+52+int(n))
			default:
				b = fmt.Appendf(b, ";%d:5:%d", base+8, n)
			}
		} else if v, ok := c.RGB(); ok {
			b = fmt.Appendf(b, ";%d:2::%d:%d:%d", base+8, v>>16, v>>8&255, v&255)
		}
	}
	return string(b)
}

// termcap are the capabilities told by XTGETTCAP; strings as terminfo writes them, already decoded.
var termcap = map[string]string{
	"TN": "xterm-256color", "name": "xterm-256color",
	"Co": "256", "colors": "256", "RGB": "8/8/8", "Tc": "",
	"Su": "", "Smulx": "\x1b[4:%p1%dm", "Setulc": "\x1b[58:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m",
	"Ss": "\x1b[%p1%d q", "Se": "\x1b[2 q", "Sync": "\x1b[?2026%?%p1%{1}%-%tl%eh%;",
	"bce": "", "BE": "\x1b[?2004h", "BD": "\x1b[?2004l", "PS": "\x1b[200~", "PE": "\x1b[201~",
	"fe": "\x1b[?1004h", "fd": "\x1b[?1004l", "kxIN": "\x1b[I", "kxOUT": "\x1b[O",
	"ku": "\x1bOA", "kd": "\x1bOB", "kr": "\x1bOC", "kl": "\x1bOD", "kh": "\x1bOH", "@7": "\x1bOF",
	"k1": "\x1bOP", "k2": "\x1bOQ", "k3": "\x1bOR", "k4": "\x1bOS", "k5": "\x1b[15~", "k6": "\x1b[17~",
	"k7": "\x1b[18~", "k8": "\x1b[19~", "k9": "\x1b[20~", "k;": "\x1b[21~", "F1": "\x1b[23~", "F2": "\x1b[24~",
	"kI": "\x1b[2~", "kD": "\x1b[3~", "kP": "\x1b[5~", "kN": "\x1b[6~", "kb": "\x7f", "kB": "\x1b[Z",
}

// requestTermcap is XTGETTCAP: names in hexadecimal, divided by semicolons; each gets an answer of its own.
func (t *Terminal) requestTermcap(s []byte) {
	names := 0
	for f := range bytes.SplitSeq(s, []byte(";")) {
		if names++; names > 64 || len(f) > 64 {
			return
		}
		name, err := hex.DecodeString(string(f))
		v, ok := termcap[string(name)]
		if err != nil || !ok {
			if f = bytes.ToUpper(f); err != nil {
				f = nil
			}
			t.reply("\x1bP0+r", string(f), "\x1b\\")
			continue
		}
		n := strings.ToUpper(hex.EncodeToString(name))
		if v == "" {
			t.reply("\x1bP1+r", n, "\x1b\\")
		} else {
			t.reply("\x1bP1+r", n, "=", strings.ToUpper(hex.EncodeToString([]byte(v))), "\x1b\\")
		}
	}
}
