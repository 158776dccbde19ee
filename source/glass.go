package source

import (
	"encoding/binary"
	"slices"
	"sync"
	"unicode/utf8"

	"fractal/raster"
	"fractal/term"
	"fractal/vt"
)

// theme turns a terminal's colours into 0xRRGGBB.
type theme struct {
	foreground, background uint32
	reverse                bool // on the whole screen
	dim                    bool // its program has ended
	palette                string
	table                  [256]uint32
}

// What the page shows where a program sets no colours of its own; programs that ask are told the same (vt.Config).
const (
	plainForeground = 0xd8d8d8
	plainBackground = 0x101010
)

// newTheme is the theme of a session's facts; the one before if they leave it as it was.
func newTheme(f *term.Facts, before *theme) *theme {
	t := theme{foreground: plainForeground, background: plainBackground, reverse: f.Modes.Reverse, dim: f.Ended, palette: f.Palette}
	if f.Foreground != 0 {
		t.foreground = f.Foreground - 1
	}
	if f.Background != 0 {
		t.background = f.Background - 1
	}
	if before != nil && before.foreground == t.foreground && before.background == t.background && before.reverse == t.reverse &&
		before.dim == t.dim && before.palette == t.palette {
		return before
	}
	for i := range t.table {
		t.table[i] = vt.XtermPalette(uint8(i))
	}
	for p := f.Palette; len(p) >= 4; p = p[4:] {
		t.table[p[0]] = uint32(p[1])<<16 | uint32(p[2])<<8 | uint32(p[3])
	}
	return &t
}

func (t *theme) color(c vt.Color, plain uint32) uint32 {
	if i, ok := c.Index(); ok {
		return t.table[i]
	}
	if v, ok := c.RGB(); ok {
		return v
	}
	return plain
}

// mix is a with the share w of 256 of b.
func mix(a, b, w uint32) uint32 {
	rb := (a&0xff00ff)*(256-w) + (b&0xff00ff)*w + 0x800080
	g := (a&0xff00)*(256-w) + (b&0xff00)*w + 0x8000
	return rb>>8&0xff00ff | g>>8&0xff00
}

// shade darkens what a program left behind when it ended.
func (t *theme) shade(c uint32) uint32 {
	if t.dim {
		return mix(c, plainBackground, 128)
	}
	return c
}

// paper is what the box of a terminal is filled with.
func (t *theme) paper() uint32 {
	if t.reverse {
		return t.shade(t.foreground)
	}
	return t.shade(t.background)
}

// gridCell is how a grid cell looks.
type gridCell struct {
	text         []byte // of the glyph that begins here
	fg, bg, line uint32 // 0xRRGGBB
	attr         vt.Attr
	face         face
	wide         bool
	second       bool // of a wide glyph
}

// look is a style's looks.
func (t *theme) look(s *vt.Style) (c gridCell) {
	c.fg, c.bg = t.color(s.Fg, t.foreground), t.color(s.Bg, t.background)
	if s.Attr&vt.Inverse != 0 != t.reverse {
		c.fg, c.bg = c.bg, c.fg
	}
	if s.Attr&vt.Faint != 0 {
		c.fg = mix(c.fg, c.bg, 128)
	}
	c.line = t.color(s.Line, c.fg)
	if s.Attr&vt.Hidden != 0 {
		c.fg, c.line = c.bg, c.bg
	}
	c.fg, c.bg, c.line = t.shade(c.fg), t.shade(c.bg), t.shade(c.line)
	c.attr = s.Attr
	if s.Attr&vt.Bold != 0 {
		c.face |= faceBold
	}
	if s.Attr&vt.Italic != 0 {
		c.face |= faceOblique
	}
	return c
}

// read fills cells with a row.
func (t *theme) read(data []byte, row *term.Row, cells []gridCell) {
	blank := gridCell{fg: t.paper(), bg: t.paper(), line: t.paper()}
	x := 0
	if row.Decode(data) == nil {
		var last vt.Style
		look := t.look(&last)
		for i := range row.Glyphs {
			g := &row.Glyphs[i]
			if g.X+g.Width > len(cells) {
				break
			}
			if g.Style != last {
				last, look = g.Style, t.look(&g.Style)
			}
			for ; x < g.X; x++ {
				cells[x] = blank
			}
			c := look
			c.text, c.wide = g.Text, g.Width == 2
			cells[x] = c
			if x++; c.wide {
				c.text, c.second = nil, true
				cells[x] = c
				x++
			}
		}
	}
	for ; x < len(cells); x++ {
		cells[x] = blank
	}
}

// texel is the mean colour of half a grid cell, 16 bits a channel; of a coarser level, of four finer ones.
type texel [3]uint16

// glass is what a terminal showed when it was last looked at. It is immutable, but for the mosaic, which is made once.
type glass struct {
	held       term.Held
	cols, rows int
	base       int64
	theme      *theme
	lines      []pane

	once   sync.Once
	mosaic []tiling
}

// pane is a row of the screen, and what became of it far away.
type pane struct {
	data   []byte
	texels []texel // the upper halves of the row, then the lower; nil: not yet
}

// tiling is one level of a mosaic. The finest has a texel for each half of a grid cell.
type tiling struct {
	w, h int
	at   []texel
}

// looked is what a session shows now, given what it showed before. It is how a session's news are asked for: whoever was told
// that there is nothing new is told when there is (term.Session.Frame).
func looked(s *term.Session, before *glass) *glass {
	var held term.Held
	if before != nil {
		held = before.held
	}
	f, news := s.Frame(held)
	if !news {
		return before
	}
	g := &glass{held: f.Holds, cols: f.Cols, rows: f.Rows, base: f.Base, lines: make([]pane, f.Rows)}
	var was *theme
	if before != nil && !f.Full {
		was = before.theme
		if up := f.Base - before.base; up < int64(f.Rows) {
			copy(g.lines, before.lines[up:])
		}
	}
	if g.theme = was; f.Facts != nil {
		g.theme = newTheme(f.Facts, was)
	}
	if g.theme != was {
		for y := range g.lines {
			g.lines[y].texels = nil
		}
	}
	for _, r := range f.Changed {
		g.lines[r.Y] = pane{data: r.Data}
	}
	return g
}

// sign is what stands where no program runs: a terminal of its own whose one line is the name.
func sign(name string, wide, high float64) *glass {
	text := name
	g := &glass{cols: len(text) + 4}
	g.rows = int(max(1, min(64, high/wide*float64(g.cols)*cellWide/cellHigh)))
	g.theme = newTheme(&term.Facts{Ended: true}, nil)
	g.lines = make([]pane, g.rows)
	row := binary.AppendUvarint([]byte{0}, uint64(2+len(text)))
	row = binary.AppendUvarint(row, uint64(2+len(text))<<3) // ASCII
	g.lines[(g.rows-1)/2].data = append(append(row, "  "...), text...)
	return g
}

// makeMosaic makes the levels of a mosaic, once.
func (g *glass) makeMosaic(own *termScratch) {
	g.once.Do(func() {
		base := tiling{g.cols, 2 * g.rows, make([]texel, 2*g.cols*g.rows)}
		for y := range g.lines {
			l := &g.lines[y]
			if l.texels == nil {
				l.texels = own.texels(g, l.data)
			}
			copy(base.at[2*y*g.cols:], l.texels)
		}
		g.mosaic = append(g.mosaic, base)
		for base.w > 1 || base.h > 1 {
			base = base.half()
			g.mosaic = append(g.mosaic, base)
		}
	})
}

// half is a tiling half as fine. Where the sides are odd the last texel is that much smaller.
func (t tiling) half() tiling {
	h := tiling{(t.w + 1) / 2, (t.h + 1) / 2, nil}
	h.at = make([]texel, h.w*h.h)
	for y := range h.h {
		a := t.at[2*y*t.w:][:t.w]
		b := a
		if 2*y+1 < t.h {
			b = t.at[(2*y+1)*t.w:][:t.w]
		}
		row := h.at[y*h.w:][:h.w]
		for x := range row {
			i, j := 2*x, min(2*x+1, t.w-1)
			for c := range 3 {
				row[x][c] = uint16((uint32(a[i][c]) + uint32(a[j][c]) + uint32(b[i][c]) + uint32(b[j][c]) + 2) / 4)
			}
		}
	}
	return h
}

// texels are the mean colours of a row's grid cells.
func (own *termScratch) texels(g *glass, data []byte) []texel {
	out := make([]texel, 2*g.cols)
	own.cells = slices.Grow(own.cells[:0], g.cols)[:g.cols]
	if data == nil {
		t := tinted(g.theme.paper(), 0, 0)
		for i := range out {
			out[i] = t
		}
		return out
	}
	g.theme.read(data, &own.row, own.cells)
	for x := range own.cells {
		c := &own.cells[x]
		from := c
		if c.second {
			from = &own.cells[x-1]
		}
		upper, lower := own.inkOf(from)
		if from.attr.Underline() != vt.NoUnderline {
			lower = min(lower+65535/8, 65535)
		}
		out[x], out[g.cols+x] = tinted(c.bg, c.fg, upper), tinted(c.bg, c.fg, lower)
	}
	clear(own.cells)
	return out
}

func tinted(bg, fg uint32, ink uint32) (t texel) {
	for i := range t {
		s := 16 - 8*i
		b, f := bg>>s&255*257, fg>>s&255*257
		t[i] = uint16((b*(65535-ink)>>8 + f*ink>>8) >> 8)
		if ink == 0 {
			t[i] = uint16(b)
		}
	}
	return t
}

// inkOf is how much of a grid cell's halves its glyph covers, of 65535.
func (own *termScratch) inkOf(c *gridCell) (upper, lower uint32) {
	if len(c.text) == 0 || len(c.text) == 1 && c.text[0] == ' ' {
		return 0, 0
	}
	r := rune(c.text[0])
	if r >= utf8.RuneSelf {
		r, _ = utf8.DecodeRune(c.text)
	}
	if isBlock(r) {
		b := block(r)
		var area [2]uint32
		for _, a := range b.rects {
			w := uint32(a.x1 - a.x0)
			area[0] += w * uint32(min(a.y1, 12)-min(a.y0, 12))
			area[1] += w * uint32(max(a.y1, 12)-max(a.y0, 12))
		}
		return area[0] * uint32(b.share) * 65535 / (4 * 96), area[1] * uint32(b.share) * 65535 / (4 * 96)
	}
	key := inkKey{r, c.face, c.wide}
	ink, ok := own.ink[key]
	if !ok {
		if own.ink == nil || len(own.ink) >= maxGlyphs {
			own.ink = map[inkKey][2]uint16{}
		}
		if o := own.glyphs.get(r, c.face, c.wide, 1); o != nil {
			ink = o.coverage(&own.z, own.points[:0], c.wide)
		}
		own.ink[key] = ink
	}
	return uint32(ink[0]), uint32(ink[1])
}

type inkKey struct {
	r    rune
	face face
	wide bool
}

// termScratch is what a slot keeps to draw terminals with.
type termScratch struct {
	z      raster.Rasterizer
	glyphs glyphs
	ink    map[inkKey][2]uint16
	row    term.Row
	cells  []gridCell
	points []raster.Point
	sheet  sheet
	aside  *raster.Image // for what lies far below a terminal
}
