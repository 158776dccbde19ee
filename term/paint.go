package term

import (
	"fmt"

	"fractal/vt"
)

// Painter turns frames into what makes another terminal show them: for a session attached from a real terminal, and for
// the beginning of a recording. It holds what its terminal shows.
type Painter struct {
	base int64
	row  Row
}

// Append appends what brings the terminal from the frame before to this one. The first one must be full. It is for a
// terminal of the frame's size, or a larger one.
func (p *Painter) Append(dst []byte, f *Frame) []byte {
	dst = append(dst, "\x1b[?2026h\x1b[?25l\x1b[0m"...)
	switch {
	case f.Full:
		dst = append(dst, "\x1b[?7l\x1b[H\x1b[2J"...)
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
		dst = fmt.Appendf(dst, "\x1b]2;%s\x07", f.Facts.Title)
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
				dst = append(append(dst, "id="...), link.ID...)
			}
			dst = append(append(append(dst, ';'), link.URI...), "\x1b\\"...)
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
