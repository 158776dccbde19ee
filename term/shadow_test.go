package term

import (
	"fmt"
	"runtime"
	"strings"

	"fractal/vt"
)

// shadow is the screen as somebody has it who sees nothing but frames: what the page does, slow and obvious.
type shadow struct {
	cols, rows int
	base       int64
	screen     []Row
	cursor     vt.Cursor
	facts      Facts
}

func (w *shadow) apply(f *Frame) error {
	if f.Full {
		*w = shadow{cols: f.Cols, rows: f.Rows, base: f.Base, screen: make([]Row, f.Rows)}
		if len(f.Changed) != f.Rows || f.Facts == nil {
			return fmt.Errorf("a full frame of %d rows, %d given", f.Rows, len(f.Changed))
		}
	}
	if f.Cols != w.cols || f.Rows != w.rows || f.Base < w.base {
		return fmt.Errorf("a frame of %d × %d from row %d for a shadow of %d × %d from row %d", f.Cols, f.Rows, f.Base, w.cols, w.rows, w.base)
	}
	for ; w.base < f.Base; w.base++ {
		w.screen = append(w.screen[1:], Row{})
	}
	for _, c := range f.Changed {
		var r Row
		if err := r.Decode(c.Data); err != nil {
			return err
		}
		w.screen[c.Y] = r
	}
	w.cursor = f.Cursor
	if f.Facts != nil {
		had := w.facts
		w.facts = *f.Facts
		if had.Clipboards == w.facts.Clipboards && w.facts.Clipboard == "" {
			w.facts.Clipboard = had.Clipboard
		}
	}
	return nil
}

func rowText(r *Row) string {
	var b strings.Builder
	for _, g := range r.Glyphs {
		b.Write(g.Text)
	}
	return strings.TrimRight(b.String(), " ")
}

func (w *shadow) text() string {
	var b strings.Builder
	for i := range w.screen {
		b.WriteString(rowText(&w.screen[i]))
		b.WriteByte('\n')
	}
	return b.String()
}

// differs says where the shadow is not what the terminal is.
func (w *shadow) differs(t *vt.Terminal) string {
	cols, rows := t.Size()
	if w.cols != cols || w.rows != rows {
		return fmt.Sprintf("the shadow is %d × %d, the terminal %d × %d", w.cols, w.rows, cols, rows)
	}
	if w.cursor != t.Cursor() {
		return fmt.Sprintf("the cursor is %+v, want %+v", w.cursor, t.Cursor())
	}
	if m := t.Modes(); w.facts.Modes != m || w.facts.Title != t.Title() || w.facts.Bells != t.Bells() {
		return fmt.Sprintf("the facts are %+v, want %+v %q %d", w.facts, m, t.Title(), t.Bells())
	}
	var row vt.Row
	for y := range rows {
		t.Screen(y, &row)
		r := &w.screen[y]
		if r.Wrapped != row.Wrapped || r.Mark != row.Mark {
			return fmt.Sprintf("row %d: wrapped %v mark %v, want %v %v", y, r.Wrapped, r.Mark, row.Wrapped, row.Mark)
		}
		var want vt.Link
		links := map[int]vt.Link{}
		for _, run := range row.Runs {
			if run.Link != nil {
				want = *run.Link
				for x := run.X; x < run.X+run.Cells; x++ {
					links[x] = want
				}
			}
		}
		i := 0
		for x := range cols {
			text, width, style := t.Cell(x, y)
			if width == 0 {
				continue
			}
			if i == len(r.Glyphs) {
				if text != " " && text != "" || style != (vt.Style{}) {
					return fmt.Sprintf("column %d of row %d: nothing, want %q %+v", x, y, text, style)
				}
				continue
			}
			g := r.Glyphs[i]
			i++
			if text == "" {
				text = " "
			}
			if g.X != x || g.Width != width || string(g.Text) != text || g.Style != style || g.Link != links[x] {
				return fmt.Sprintf("column %d of row %d: %q %+v, want %q wide %d %+v %v", x, y, g.Text, g, text, width, style, links[x])
			}
		}
	}
	return ""
}

// sessionGoroutines counts the goroutines of sessions.
func sessionGoroutines() int {
	buf := make([]byte, 1<<20)
	return strings.Count(string(buf[:runtime.Stack(buf, true)]), "term.(*Session)")
}
