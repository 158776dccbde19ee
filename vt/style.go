package vt

import "math/bits"

// Color is a colour of text: the default (0), one of the palette, or red, green and blue.
type Color uint32

const (
	colorIndex Color = 1 << 24
	colorRGB   Color = 2 << 24
)

// Indexed is colour i of the palette.
func Indexed(i uint8) Color { return colorIndex | Color(i) }

// RGB is a colour by its parts.
func RGB(r, g, b uint8) Color { return colorRGB | Color(r)<<16 | Color(g)<<8 | Color(b) }

// Default reports the colour that is not set.
func (c Color) Default() bool { return c == 0 }

// Index is the place in the palette, if the colour has one.
func (c Color) Index() (uint8, bool) { return uint8(c), c>>24 == 1 }

// RGB is the colour as 0xRRGGBB, if it is given by its parts.
func (c Color) RGB() (uint32, bool) { return uint32(c) & 0xffffff, c>>24 == 2 }

// Attr is the set of a text's attributes; three of its bits say how it is underlined.
type Attr uint16

const (
	Bold Attr = 1 << iota
	Faint
	Italic
	Blink
	RapidBlink
	Inverse
	Hidden
	Strike
	Overline

	underlineShift      = 9
	underlineMask  Attr = 7 << underlineShift
)

// Underline is the way a text is underlined.
type Underline uint8

const (
	NoUnderline Underline = iota
	Single
	Double
	Curly
	Dotted
	Dashed
)

// Underline is how the text is underlined.
func (a Attr) Underline() Underline { return Underline(a & underlineMask >> underlineShift) }

func (a Attr) underlined(u Underline) Attr { return a&^underlineMask | Attr(u)<<underlineShift }

// Style is how a grid cell looks, and where it leads.
type Style struct {
	Fg, Bg, Line Color // Line: of the underline; default: as the text
	Attr         Attr
	link         uint32 // number in the terminal's links; 0: none
}

// styles numbers the styles in use. Numbers stay while a cell uses them; the rest are found by marking and used again,
// so that random colours cost a small table and not memory without end.
type styles struct {
	list  []Style  // by number; 0 is the default style
	free  []uint32 // numbers nobody uses
	slots []uint32 // open addressing by hash; 0 is empty
	limit int      // live styles at which the next sweep is due
}

// minStyles is how many styles are kept before anybody looks for unused ones: the table and its index then fit the
// processor's second cache; a sweep costs a look at every grid cell, spread over this many new styles.
const minStyles = 4096

func newStyles() styles {
	return styles{list: make([]Style, 1, 64), slots: make([]uint32, 128), limit: minStyles}
}

func (s Style) hash() uint64 {
	a := uint64(s.Fg) | uint64(s.Bg)<<32
	b := uint64(s.Line) | uint64(s.Attr)<<32 | uint64(s.link)<<48
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd6e8feb86659fd93)
	return hi ^ lo
}

func (s *styles) live() int { return len(s.list) - len(s.free) }

// find returns the number of st, giving it one if it has none.
func (s *styles) find(st Style) uint32 {
	if st == (Style{}) {
		return 0
	}
	mask := uint64(len(s.slots) - 1)
	i := st.hash() & mask
	for s.slots[i] != 0 {
		if n := s.slots[i]; s.list[n] == st {
			return n
		}
		i = (i + 1) & mask
	}
	var n uint32
	if k := len(s.free); k > 0 {
		n, s.free = s.free[k-1], s.free[:k-1]
		s.list[n] = st
	} else {
		n = uint32(len(s.list))
		s.list = append(s.list, st)
	}
	s.slots[i] = n
	if 2*s.live() > len(s.slots) {
		s.index(2 * len(s.slots))
	}
	return n
}

// index rebuilds the slots from the list; unused numbers hold the default style and are not found.
func (s *styles) index(size int) {
	if size == len(s.slots) {
		clear(s.slots)
	} else {
		s.slots = make([]uint32, size)
	}
	mask := uint64(size - 1)
	for n, st := range s.list[1:] {
		if st == (Style{}) {
			continue
		}
		i := st.hash() & mask
		for s.slots[i] != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = uint32(n + 1)
	}
}

// keep forgets every style whose number is not marked.
func (s *styles) keep(marked []bool) {
	s.free = s.free[:0]
	for n := len(s.list) - 1; n > 0; n-- {
		if !marked[n] {
			s.list[n] = Style{}
			s.free = append(s.free, uint32(n))
		}
	}
	s.limit = max(minStyles, 2*s.live())
	s.index(max(128, 1<<bits.Len(uint(2*s.limit))))
}

// styleID numbers st for use in cells, sweeping first when many unused numbers may have gathered.
func (t *Terminal) styleID(st Style) uint32 {
	if t.styles.live() >= t.styles.limit && !t.holdSweeps {
		t.sweepStyles()
	}
	return t.styles.find(st)
}

// sweepStyles looks at every grid cell for the styles, and through them the links, still in use.
func (t *Terminal) sweepStyles() {
	marked := t.marks(len(t.styles.list))
	t.eachRow(func(r *row) {
		for _, c := range r.cells[:r.used] {
			marked[c.style()] = true
		}
	})
	marked[t.penID] = true
	t.styles.keep(marked)
	t.sweepLinks()
}

// marks is a cleared scratch of n facts.
func (t *Terminal) marks(n int) []bool {
	if cap(t.marked) < n {
		t.marked = make([]bool, n+n/2)
	}
	t.marked = t.marked[:n]
	clear(t.marked)
	return t.marked
}

// eachRow visits the rows of both screens.
func (t *Terminal) eachRow(f func(*row)) {
	for _, s := range [...]*screen{t.main, t.alt} {
		if s == nil {
			continue
		}
		for i := range s.rows {
			f(&s.rows[i])
		}
	}
}
