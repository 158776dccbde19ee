package term

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"fractal/vt"
)

// Painter turns frames into what makes another terminal show them, and behave like the session's: for a session attached from a
// real terminal, and for the beginning of a recording. It holds what its terminal shows.
type Painter struct {
	base   int64
	row    Row
	modes  vt.Modes // as its terminal has them
	pushed bool     // flags of the Kitty protocol are set on top of its own
	bells  uint64
	clips  uint64
	title  string
	begun  bool
}

// Append appends what brings the terminal from the frame before to this one. The first one must be full. The terminal must have
// the frame's rows at least.
func (p *Painter) Append(dst []byte, f *Frame) []byte {
	dst = append(dst, "\x1b[?2026h\x1b[?25l\x1b[0m"...)
	switch {
	case f.Full:
		dst = fmt.Appendf(dst, "\x1b[?7l\x1b[1;%dr\x1b[H\x1b[2J", max(f.Rows, 2)) // where it has more rows they must not scroll
	case f.Base > p.base:
		dst = fmt.Appendf(dst, "\x1b[%d;1H", f.Rows)
		for range min(f.Base-p.base, int64(f.Rows)) {
			dst = append(dst, '\n')
		}
	}
	p.base = f.Base
	for _, c := range f.Changed {
		if p.row.Decode(c.Data) != nil {
			continue
		}
		dst = fmt.Appendf(dst, "\x1b[%d;1H", c.Y+1)
		dst = p.appendRow(dst, f.Cols)
	}
	if f.Facts != nil {
		dst = p.appendFacts(dst, f.Facts)
	}
	dst = fmt.Appendf(dst, "\x1b[%d;%dH", f.Cursor.Y+1, f.Cursor.X+1)
	if s := f.Cursor.Shape; s == vt.ShapeDefault {
		dst = append(dst, "\x1b[0 q"...)
	} else {
		n := int(s) * 2
		if f.Cursor.Blink {
			n--
		}
		dst = fmt.Appendf(dst, "\x1b[%d q", n)
	}
	if f.Cursor.Visible {
		dst = append(dst, "\x1b[?25h"...)
	}
	return append(dst, "\x1b[?2026l"...)
}

// appendFacts gives the terminal the title and the modes that decide what it sends for a key, a paste or the mouse.
func (p *Painter) appendFacts(dst []byte, f *Facts) []byte {
	if f.Title != p.title {
		p.title = f.Title
		dst = fmt.Appendf(dst, "\x1b]2;%s\x07", harmless(f.Title))
	}
	if f.Bells > p.bells && p.begun {
		dst = append(dst, 7)
	}
	if f.Clipboards > p.clips && p.begun {
		dst = fmt.Appendf(dst, "\x1b]52;%s;%s\x07", harmless(f.ClipboardSelection), base64.StdEncoding.EncodeToString([]byte(f.Clipboard)))
	}
	p.bells, p.clips, p.begun = f.Bells, f.Clipboards, true
	return p.appendModes(dst, f.Modes)
}

func (p *Painter) appendModes(dst []byte, m vt.Modes) []byte {
	was := p.modes
	p.modes = m
	for _, c := range []struct {
		mode     int
		was, now bool
	}{
		{1, was.AppCursor, m.AppCursor}, {5, was.Reverse, m.Reverse}, {66, was.AppKeypad, m.AppKeypad}, {67, was.Backarrow, m.Backarrow},
		{1004, was.Focus, m.Focus}, {2004, was.Paste, m.Paste},
	} {
		if c.was != c.now {
			dst = fmt.Appendf(dst, "\x1b[?%d%c", c.mode, setReset(c.now))
		}
	}
	if was.Mouse != m.Mouse {
		for i, mode := range mouseModes {
			if vt.Mouse(i) == was.Mouse && mode > 0 {
				dst = fmt.Appendf(dst, "\x1b[?%dl", mode)
			}
		}
		if mode := mouseModes[m.Mouse]; mode > 0 {
			dst = fmt.Appendf(dst, "\x1b[?%dh", mode)
		}
	}
	if was.MouseFormat != m.MouseFormat {
		if mode := mouseFormats[was.MouseFormat]; mode > 0 {
			dst = fmt.Appendf(dst, "\x1b[?%dl", mode)
		}
		if mode := mouseFormats[m.MouseFormat]; mode > 0 {
			dst = fmt.Appendf(dst, "\x1b[?%dh", mode)
		}
	}
	if was.Kitty != m.Kitty {
		if !p.pushed {
			dst, p.pushed = append(dst, "\x1b[>0u"...), true
		}
		dst = fmt.Appendf(dst, "\x1b[=%du", m.Kitty)
	}
	if was.OtherKeys != m.OtherKeys {
		dst = fmt.Appendf(dst, "\x1b[>4;%dm", m.OtherKeys)
	}
	return dst
}

// What sets the modes of the mouse, by vt.Mouse and vt.MouseFormat.
var (
	mouseModes   = [...]int{vt.MouseX10: 9, vt.MouseNormal: 1000, vt.MouseButton: 1002, vt.MouseAny: 1003}
	mouseFormats = [...]int{vt.MouseUTF8: 1005, vt.MouseSGR: 1006, vt.MouseURXVT: 1015, vt.MouseSGRPixels: 1016}
)

func setReset(on bool) byte {
	if on {
		return 'h'
	}
	return 'l'
}

// Restore appends what gives the terminal the modes back that it began with.
func (p *Painter) Restore(dst []byte) []byte {
	dst = p.appendModes(dst, vt.Modes{})
	if p.pushed {
		dst = append(dst, "\x1b[<u"...)
	}
	*p = Painter{}
	return append(dst, "\x1b[0m\x1b[r\x1b[?7h\x1b[0 q\x1b[?25h"...)
}

func (p *Painter) appendRow(dst []byte, cols int) []byte {
	var style vt.Style
	var link vt.Link
	for _, g := range p.row.Glyphs {
		if g.Style != style {
			style = g.Style
			dst = appendStyle(dst, style)
		}
		if g.Link != link {
			link = g.Link
			dst = append(dst, "\x1b]8;"...)
			if link.ID != "" {
				dst = append(append(dst, "id="...), harmless(link.ID)...)
			}
			dst = append(append(append(dst, ';'), harmless(link.URI)...), "\x1b\\"...)
		}
		if hasControls(g.Text) {
			dst = append(dst, "  "[:g.Width]...)
			continue
		}
		dst = append(dst, g.Text...)
	}
	if link != (vt.Link{}) {
		dst = append(dst, "\x1b]8;;\x1b\\"...)
	}
	if style != (vt.Style{}) {
		dst = append(dst, "\x1b[0m"...)
	}
	if p.row.Cells < cols {
		dst = fmt.Appendf(dst, "\x1b[%dG\x1b[K", p.row.Cells+1)
	}
	return dst
}

// appendStyle appends SGR that gives a style whatever came before.
func appendStyle(dst []byte, s vt.Style) []byte {
	dst = append(dst, "\x1b[0"...)
	for i, n := range []int{1, 2, 3, 5, 6, 7, 8, 9, 53} { // in the order of vt's attributes
		if s.Attr&(1<<i) != 0 {
			dst = fmt.Appendf(dst, ";%d", n)
		}
	}
	if u := s.Attr.Underline(); u != vt.NoUnderline {
		dst = fmt.Appendf(dst, ";4:%d", u)
	}
	for _, c := range []struct {
		code int
		c    vt.Color
	}{{38, s.Fg}, {48, s.Bg}, {58, s.Line}} {
		if i, ok := c.c.Index(); ok {
			dst = fmt.Appendf(dst, ";%d:5:%d", c.code, i)
		} else if v, ok := c.c.RGB(); ok {
			dst = fmt.Appendf(dst, ";%d:2::%d:%d:%d", c.code, v>>16, v>>8&255, v&255)
		}
	}
	return append(dst, 'm')
}

// What comes over a wire may say anything. A terminal core of ours gives out no control characters; nobody else's may reach the
// terminal somebody sits at.

func hasControls[T string | []byte](s T) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == 0x7f || c == 0xc2 && i+1 < len(s) && s[i+1] < 0xa0 { // C0, DEL, C1 as UTF-8
			return true
		}
	}
	return !utf8.Valid([]byte(s)) // lone bytes 0x80 to 0x9f are C1 to some
}

func harmless(s string) string {
	if !hasControls(s) {
		return s
	}
	return strings.Map(func(c rune) rune {
		if c == utf8.RuneError || unicode.IsControl(c) {
			return -1
		}
		return c
	}, s)
}
