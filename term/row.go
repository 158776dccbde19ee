package term

import (
	"encoding/binary"
	"errors"
	"unicode/utf8"

	"fractal/vt"
)

// A row travels as bytes that mean the same for everybody and never change, so that all viewers share them:
//
//	flags   1 byte: 1 the text goes on in the next row, 2 a prompt begins, 4 input begins, 8 output begins
//	cells   uvarint: columns covered; the columns right of them are blank
//	glyphs  until the cells are covered: uvarint (n << 3 | kind), then by kind
//	        0  n bytes of ASCII, one cell each
//	        1  n bytes of UTF-8, each rune a glyph of one cell
//	        2  n bytes of UTF-8, each rune a glyph of two cells
//	        3  n bytes of UTF-8, one glyph of one cell
//	        4  n bytes of UTF-8, one glyph of two cells
//	        5  a rune as uvarint, n times, one cell each
//	styles  until the end: uvarint (cells << 5 | what << 4 | bg << 2 | fg), then what changes, in this order. Cells that
//	        no style is left for have the last one; the first one is plain.
//	        fg, bg  0 as before, 1 default, 2 of the palette (1 byte), 3 red green blue (3 bytes)
//	        what    attributes (uvarint, vt.Attr), the underline's colour (1 byte 1, 2 or 3, then as above), and the link: address and
//	                id, each a uvarint length and its bytes; both empty: no link
const (
	rowWrapped = 1 << iota
	rowPrompt
	rowInput
	rowOutput
)

const (
	glyphsASCII = iota
	glyphsNarrow
	glyphsWide
	glyphNarrow
	glyphWide
	glyphRepeated
)

const (
	colorSame = iota
	colorDefault
	colorIndexed
	colorRGB
)

// rowEncoder writes rows. It is scratch of one session.
type rowEncoder struct {
	dst   []byte
	kind  int
	text  []byte
	last  rune // of text
	count int  // of glyphRepeated
}

// encode writes a row into the encoder's own buffer.
func (e *rowEncoder) encode(r *vt.Row) []byte {
	e.dst, e.text, e.kind, e.last, e.count = e.dst[:0], e.text[:0], glyphsASCII, 0, 0
	flags := byte(r.Mark&7) << 1
	if r.Wrapped {
		flags |= rowWrapped
	}
	cells := 0
	if n := len(r.Runs); n > 0 {
		cells = r.Runs[n-1].X + r.Runs[n-1].Cells
	}
	e.dst = append(e.dst, flags)
	e.dst = binary.AppendUvarint(e.dst, uint64(cells))
	for i := range r.Runs {
		e.glyphs(&r.Runs[i])
	}
	e.flush()
	e.styles(r.Runs)
	return e.dst
}

func (e *rowEncoder) glyphs(run *vt.Run) {
	switch {
	case run.Cluster && run.Wide:
		e.become(glyphWide)
		e.text = append(e.text, run.Text...)
		e.flush()
	case run.Cluster:
		e.become(glyphNarrow)
		e.text = append(e.text, run.Text...)
		e.flush()
	case run.Wide:
		e.become(glyphsWide)
		e.text = append(e.text, run.Text...)
	default:
		for text := run.Text; len(text) > 0; {
			n := 0
			for n < len(text) && text[n] < utf8.RuneSelf {
				n++
			}
			if n > 0 {
				e.become(glyphsASCII)
				e.text = append(e.text, text[:n]...)
				text = text[n:]
				continue
			}
			c, n := utf8.DecodeRune(text)
			e.narrow(c, text[:n])
			text = text[n:]
		}
	}
}

// narrow adds a rune that is not ASCII. Frames, bars and half blocks repeat it often.
func (e *rowEncoder) narrow(c rune, text []byte) {
	switch {
	case e.kind == glyphRepeated && c == e.last:
		e.count++
	case e.kind == glyphsNarrow && len(e.text) > 0 && c == e.last:
		e.text = e.text[:len(e.text)-len(text)]
		e.flush()
		e.kind, e.count = glyphRepeated, 2
	default:
		e.become(glyphsNarrow)
		e.text = append(e.text, text...)
		e.last = c
	}
}

func (e *rowEncoder) become(kind int) {
	if e.kind != kind {
		e.flush()
		e.kind = kind
	}
}

func (e *rowEncoder) flush() {
	switch {
	case e.kind == glyphRepeated && e.count > 0:
		e.dst = binary.AppendUvarint(e.dst, uint64(e.count)<<3|glyphRepeated)
		e.dst = binary.AppendUvarint(e.dst, uint64(e.last))
	case e.kind != glyphRepeated && len(e.text) > 0:
		e.dst = binary.AppendUvarint(e.dst, uint64(len(e.text))<<3|uint64(e.kind))
		e.dst = append(e.dst, e.text...)
	}
	e.text, e.count, e.kind = e.text[:0], 0, glyphsASCII
}

func (e *rowEncoder) styles(runs []vt.Run) {
	var before vt.Style
	var link *vt.Link
	for i := 0; i < len(runs); {
		r := &runs[i]
		cells := r.Cells
		for i++; i < len(runs) && runs[i].Style == r.Style && runs[i].Link == r.Link; i++ {
			cells += runs[i].Cells
		}
		if i == len(runs) && r.Style == before && r.Link == link {
			return // the rest is as before
		}
		head := uint64(cells)<<5 | colorKind(r.Style.Fg, before.Fg) | colorKind(r.Style.Bg, before.Bg)<<2
		what := r.Style.Attr != before.Attr || r.Style.Line != before.Line || r.Link != link
		if what {
			head |= 1 << 4
		}
		e.dst = binary.AppendUvarint(e.dst, head)
		if r.Style.Fg != before.Fg {
			e.dst = appendColor(e.dst, r.Style.Fg)
		}
		if r.Style.Bg != before.Bg {
			e.dst = appendColor(e.dst, r.Style.Bg)
		}
		if what {
			e.dst = binary.AppendUvarint(e.dst, uint64(r.Style.Attr))
			e.dst = append(e.dst, byte(colorKind(r.Style.Line, ^r.Style.Line)))
			e.dst = appendColor(e.dst, r.Style.Line)
			var l vt.Link
			if r.Link != nil {
				l = *r.Link
			}
			for _, s := range []string{l.URI, l.ID} {
				e.dst = binary.AppendUvarint(e.dst, uint64(len(s)))
				e.dst = append(e.dst, s...)
			}
		}
		before, link = r.Style, r.Link
	}
}

func colorKind(c, before vt.Color) uint64 {
	if c == before {
		return colorSame
	}
	if c.Default() {
		return colorDefault
	}
	if _, ok := c.Index(); ok {
		return colorIndexed
	}
	return colorRGB
}

func appendColor(dst []byte, c vt.Color) []byte {
	if i, ok := c.Index(); ok {
		return append(dst, i)
	}
	if v, ok := c.RGB(); ok {
		return append(dst, byte(v>>16), byte(v>>8), byte(v))
	}
	return dst
}

// errRow is what is said of bytes that are no row.
var errRow = errors.New("term: not a row")

// Glyph is what stands in one grid cell, or in two.
type Glyph struct {
	X, Width int
	Text     []byte // of the row's bytes, or made; never changed
	Style    vt.Style
	Link     vt.Link // zero: none
}

// Row is a row read back. It is a buffer: filled again it keeps its memory.
type Row struct {
	Wrapped bool
	Mark    vt.Mark
	Cells   int // columns covered; what is right of them is blank
	Glyphs  []Glyph
}

// Decode reads a row's bytes.
func (r *Row) Decode(b []byte) error {
	*r = Row{Glyphs: r.Glyphs[:0]}
	if len(b) == 0 {
		return errRow
	}
	r.Wrapped, r.Mark = b[0]&rowWrapped != 0, vt.Mark(b[0]>>1&7)
	d := decoder{b: b[1:]}
	if n := d.uvarint(); n > vt.MaxCols {
		return errRow
	} else {
		r.Cells = int(n)
	}
	for x := 0; x < r.Cells && !d.bad; {
		head := d.uvarint()
		n, kind := head>>3, int(head&7)
		if kind == glyphRepeated {
			c := d.uvarint()
			if n == 0 || n > uint64(r.Cells-x) || c > utf8.MaxRune || !utf8.ValidRune(rune(c)) {
				return errRow
			}
			text := utf8.AppendRune(nil, rune(c))
			for range n {
				r.Glyphs = append(r.Glyphs, Glyph{X: x, Width: 1, Text: text})
				x++
			}
			continue
		}
		text := d.bytes(n)
		if len(text) == 0 {
			return errRow
		}
		width := 1
		if kind == glyphsWide || kind == glyphWide {
			width = 2
		}
		switch kind {
		case glyphNarrow, glyphWide:
			r.Glyphs = append(r.Glyphs, Glyph{X: x, Width: width, Text: text})
			x += width
		case glyphsASCII, glyphsNarrow, glyphsWide:
			for len(text) > 0 {
				n := 1
				if kind != glyphsASCII {
					_, n = utf8.DecodeRune(text)
				}
				if x += width; x > r.Cells {
					return errRow
				}
				r.Glyphs = append(r.Glyphs, Glyph{X: x - width, Width: width, Text: text[:n:n]})
				text = text[n:]
			}
		default:
			return errRow
		}
		if x > r.Cells {
			return errRow
		}
	}
	return r.styles(&d)
}

func (r *Row) styles(d *decoder) error {
	var s vt.Style
	var l vt.Link
	i, to := 0, 0
	for len(d.b) > 0 && !d.bad {
		head := d.uvarint()
		s.Fg = d.color(int(head&3), s.Fg)
		s.Bg = d.color(int(head>>2&3), s.Bg)
		if head>>4&1 != 0 {
			s.Attr = vt.Attr(d.uvarint())
			kind := d.bytes(1)
			if len(kind) == 0 || kind[0] == colorSame || kind[0] > colorRGB {
				return errRow
			}
			s.Line = d.color(int(kind[0]), 0)
			l.URI = string(d.bytes(d.uvarint()))
			l.ID = string(d.bytes(d.uvarint()))
		}
		if n := head >> 5; n == 0 || n > uint64(r.Cells-to) {
			return errRow
		} else {
			to += int(n)
		}
		for ; i < len(r.Glyphs) && r.Glyphs[i].X < to; i++ {
			r.Glyphs[i].Style, r.Glyphs[i].Link = s, l
		}
	}
	for ; i < len(r.Glyphs); i++ {
		r.Glyphs[i].Style, r.Glyphs[i].Link = s, l
	}
	if d.bad {
		return errRow
	}
	return nil
}

// decoder reads what it can and remembers that it could not.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.b, d.bad = nil, true
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.b, d.bad = nil, true
		return nil
	}
	b := d.b[:n:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) color(kind int, before vt.Color) vt.Color {
	switch kind {
	case colorDefault:
		return 0
	case colorIndexed:
		if b := d.bytes(1); len(b) == 1 {
			return vt.Indexed(b[0])
		}
	case colorRGB:
		if b := d.bytes(3); len(b) == 3 {
			return vt.RGB(b[0], b[1], b[2])
		}
	}
	return before
}
