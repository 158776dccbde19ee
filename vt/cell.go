package vt

// Cell is one grid cell of the live screen: bits 0-20 a rune or the number of a cluster (0: nothing was ever printed
// here), then the flags below, and the number of its style in bits 32-63. Styles and clusters are numbered by the
// Terminal the cell belongs to.
type Cell uint64

const (
	cellContent   Cell = 1<<21 - 1
	cellCluster   Cell = 1 << 21 // the content is the number of a cluster
	cellWide      Cell = 1 << 22 // the glyph takes this cell and the next
	cellTail      Cell = 1 << 23 // second half of a wide glyph
	cellSpacer    Cell = 1 << 24 // left blank at the end of a row because a wide glyph did not fit
	cellProtected Cell = 1 << 25 // not erased by selective erase

	cellGlyph = cellContent | cellCluster | cellWide | cellTail | cellSpacer
	cellStyle = ^Cell(1<<32 - 1)
)

func (c Cell) style() uint32 { return uint32(c >> 32) }

// blank is the cell without its glyph, its colours kept.
func (c Cell) blank() Cell { return c & cellStyle }

// Mark says what begins on a row, as told by the shell (OSC 133).
type Mark uint8

const (
	MarkPrompt Mark = 1 << iota // a prompt begins
	MarkInput                   // what the person types begins
	MarkOutput                  // a command's output begins
	markBits   = 3
)

// row is one row of a screen. Cells at and beyond used are blank in the default style whatever they hold: most rows are
// short, and clearing, scrolling and packing cost what is there.
type row struct {
	cells []Cell // as long as the screen is wide
	seq   uint64 // the write that last changed it
	used  int

	wrapped bool // the text goes on in the next row
	cont    bool // the text comes from the row above; only both together join two rows
	rich    bool // may hold more than ASCII in the default style
	wide    bool // may hold wide glyphs
	mark    Mark
}

// reset makes the row blank.
func (r *row) reset(seq uint64) {
	*r = row{cells: r.cells, seq: seq}
}

// reach makes cells up to x real.
func (r *row) reach(x int) {
	if r.used < x {
		clear(r.cells[r.used:x])
		r.used = x
	}
}

// cut blanks the wide glyph, if any, that lies across the boundary left of column x.
func (r *row) cut(x int) {
	if x > 0 && x < r.used && r.cells[x]&cellTail != 0 {
		r.cells[x-1] = r.cells[x-1].blank()
		r.cells[x] = r.cells[x].blank()
	}
}

// fill writes c over columns [x0, x1).
func (r *row) fill(x0, x1 int, c Cell) {
	if x0 >= x1 {
		return
	}
	if r.wide {
		r.cut(x0)
		r.cut(x1)
	}
	if c == 0 && x1 >= r.used {
		r.used = min(r.used, x0)
		if r.used == 0 {
			r.rich, r.wide = false, false
		}
		return
	}
	r.reach(x0)
	cells := r.cells[x0:x1]
	for i := range cells {
		cells[i] = c
	}
	r.used = max(r.used, x1)
	if c != 0 {
		r.rich = true
	}
}

// at is the cell of column x.
func (r *row) at(x int) Cell {
	if x < r.used {
		return r.cells[x]
	}
	return 0
}

// screen is rows in an order: scrolling moves numbers, not cells.
type screen struct {
	cols int
	rows []row    // storage, in no order
	ring []uint16 // ring[(head+y) mod len] is the place of row y in rows
	head int
	base int64 // how many rows have left at the top since the terminal began
}

func newScreen(cols, rows int) *screen {
	s := &screen{cols: cols, rows: make([]row, rows), ring: make([]uint16, rows)}
	cells := make([]Cell, cols*rows)
	for i := range s.rows {
		s.rows[i].cells, cells = cells[:cols:cols], cells[cols:]
		s.ring[i] = uint16(i)
	}
	return s
}

func (s *screen) row(y int) *row {
	i := s.head + y
	if i >= len(s.ring) {
		i -= len(s.ring)
	}
	return &s.rows[s.ring[i]]
}

// level turns the ring so that it begins at 0, for moves within part of the screen.
func (s *screen) level() {
	if s.head == 0 {
		return
	}
	reverse(s.ring[:s.head])
	reverse(s.ring[s.head:])
	reverse(s.ring)
	s.head = 0
}

func reverse(p []uint16) {
	for i, j := 0, len(p)-1; i < j; i, j = i+1, j-1 {
		p[i], p[j] = p[j], p[i]
	}
}

// rotate moves the rows of [y0, y1) up by n places, those that leave at the top coming back at the bottom; down where n
// is negative.
func (s *screen) rotate(y0, y1, n int) {
	s.level()
	part := s.ring[y0:y1]
	if n < 0 {
		n += len(part)
	}
	reverse(part[:n])
	reverse(part[n:])
	reverse(part)
}
