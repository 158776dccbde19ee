package term

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode/utf8"

	"fractal/vt"
)

// Bounds of one hold of the lock by who reads the history: rows unpacked, and bytes of lines copied.
const (
	maxRows  = 256
	maxLines = 128
	maxText  = 64 << 10

	// maxSteps bounds what matching may take between two looks at whether anybody still waits for it: instructions of the
	// expression times bytes of text.
	maxSteps = 8 << 20
	maxInsts = 2048
	// maxLineSteps is for one line. Only lines of piled up marks are that long: their end is not looked at by a costly expression.
	maxLineSteps = 64 << 20

	maxAround = 120 // bytes of a line shown on either side of a hit
)

// HistoryRow is a row of the history, as Row.Decode reads it.
type HistoryRow struct {
	N    int64 // its number
	Data []byte
}

// History is up to count rows from row number from on, and the numbers of the rows there are: [first, end), the
// screen's first row being number end. No more than 256 are given at once. Numbers stay until Facts or a full Frame
// tells of another size.
func (s *screen) History(from int64, count int) (rows []HistoryRow, first, end int64) {
	var row vt.Row
	var enc rowEncoder
	s.mu.Lock()
	defer s.mu.Unlock()
	first, end = s.term.History()
	from = max(from, first)
	to := min(end, from+int64(min(max(count, 0), maxRows)))
	for n := from; n < to; n++ {
		if s.term.HistoryRow(n, &row) {
			rows = append(rows, HistoryRow{n, bytes.Clone(enc.encode(&row))})
		}
	}
	return rows, first, end
}

// Prompt is the number of the nearest row above a row, or below it, on which a prompt begins (OSC 133). Rows of the
// screen are numbered on from those of the history.
func (s *screen) Prompt(row int64, above bool) (int64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.term.Prompt(row, above)
}

// Query is what to look for.
type Query struct {
	Text   string
	Regexp bool  // Text is a regular expression (RE2)
	Fold   bool  // whatever the case
	Before int64 // lines from this number on are passed over, to go on where an earlier search ended; 0: none
}

// Hit is a place where a query was found.
type Hit struct {
	Line   int64 // number of the line; see Query.Before
	Row    int64 // the row it begins in, numbered as in History, and the column
	X      int
	EndRow int64 // the row its last grid cell is in, and the column right of it
	EndX   int
	Text   string // what was found
	Before string // what stands in the line before and after it, but at most maxAround bytes
	After  string
}

// Search looks through the history and the main screen, newest first, a line as a program printed it at a time, and
// calls tell with each hit until that says false. It holds the lock for a slice of lines and takes its turn among the
// slots for each. It ends with ctx.
func (s *Session) Search(ctx context.Context, q Query, tell func(Hit) bool) error {
	pattern := q.Text
	if !q.Regexp {
		pattern = regexp.QuoteMeta(pattern)
	}
	if q.Fold {
		pattern = "(?i)" + pattern
	}
	re, insts, err := compile(pattern)
	if err != nil {
		return fmt.Errorf("term: search: %w", err)
	}
	most := min(maxText, maxSteps/insts)
	var slice [maxLines]vt.Line
	next := q.Before - 1 // the line to look at
	if q.Before == 0 {
		next = -1
	}
	for begun := false; ; begun = true {
		var found [maxLines][][]int
		n, over := 0, false
		if err := s.slots(ctx, func() {
			s.mu.Lock()
			first, end := s.term.Lines()
			if !begun && q.Before == 0 || next >= end {
				next = end - 1
			}
			for text := 0; n < len(slice) && text < most && next >= first; next-- {
				if s.term.Line(next, &slice[n]) {
					text += len(slice[n].Text)
					n++
				}
			}
			over = next < first
			s.mu.Unlock()
			for i := range n {
				if ctx.Err() != nil {
					return
				}
				found[i] = re.FindAllIndex(upTo(slice[i].Text, maxLineSteps/insts), -1)
			}
		}); err != nil {
			return err
		}
		for i := range n {
			for _, at := range slices.Backward(found[i]) {
				if err := ctx.Err(); err != nil {
					return err
				}
				if at[0] < at[1] && !tell(hitAt(&slice[i], at[0], at[1])) { // of nothing there is nothing to show
					return nil
				}
			}
		}
		if over {
			return nil
		}
	}
}

// compile compiles an expression and counts its instructions. Each byte of text may cost all of them, and a thousand need but a few
// letters.
func compile(pattern string) (*regexp.Regexp, int, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, 0, err
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, 0, err
	}
	if len(prog.Inst) > maxInsts {
		return nil, 0, errors.New("it repeats too much")
	}
	re, err := regexp.Compile(pattern)
	return re, len(prog.Inst), err
}

// lastOf and firstOf are the parts of a text next to what was found in it.
func lastOf(p []byte) string {
	if len(p) > maxAround {
		p = p[len(p)-maxAround:]
		for len(p) > 0 && !utf8.RuneStart(p[0]) {
			p = p[1:]
		}
	}
	return string(p)
}

func firstOf(p []byte) string { return string(upTo(p, maxAround)) }

// upTo is the whole runes of p within its first n bytes.
func upTo(p []byte, n int) []byte {
	if len(p) <= n {
		return p
	}
	for n > 0 && !utf8.RuneStart(p[n]) {
		n--
	}
	return p[:n]
}

// hitAt is what was found in bytes [from, to) of a line.
func hitAt(l *vt.Line, from, to int) Hit {
	h := Hit{Line: l.ID, Text: string(l.Text[from:to]), Before: lastOf(l.Text[:from]), After: firstOf(l.Text[to:])}
	h.Row, h.X = l.Place(l.Cell[from])
	h.EndRow, h.EndX = l.Place(l.Cell[to-1])
	next := to // byte of the next glyph: a hit may end within one
	for next < len(l.Cell) && l.Cell[next] == l.Cell[to-1] {
		next++
	}
	if next < len(l.Cell) {
		h.EndX += int(l.Cell[next] - l.Cell[to-1])
	} else {
		h.EndX += int(l.Cells() - l.Cell[to-1])
	}
	return h
}
