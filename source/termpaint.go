package source

import (
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"

	"fractal/raster"
	"fractal/tile"
	"fractal/vt"
)

// nearPx is how wide a grid cell is, in pixels, from which on its glyphs are drawn; below, their mean ink is.
const nearPx = 2.5

// maxDeep is how many doublings beyond one pixel a terminal's box may be in a cell that is drawn from its outlines: places are summed
// in float64 and then in 1/65536 px. Below, a cell is one pixel of its ancestor at that depth.
const maxDeep = 38

// frame is where a terminal lies in a cell, in pixels.
type frame struct {
	x0, y0, x1, y1 float64 // its box
	gridX, gridY   float64 // the corner of its grid
	k              float64 // pixels a unit of grid cells' proportions
}

// place finds where a box with a grid of that size in it lies. ok is false where the cell is too deep below it.
func place(home tile.ID, b tile.Box, cols, rows int, id tile.ID) (f frame, ok bool) {
	if id.Level() > deepest(home, b) {
		return f, false
	}
	m := tile.Between(home, id)
	scale, dx, dy, _ := m.Affine()
	at := func(v int64, d float64) float64 { return (float64(v)*scale + d) / 64 }
	f.x0, f.y0, f.x1, f.y1 = at(b.MinX, dx), at(b.MinY, dy), at(b.MaxX, dx), at(b.MaxY, dy)
	w, h := (float64(b.MaxX)-float64(b.MinX))*scale/64, (float64(b.MaxY)-float64(b.MinY))*scale/64
	f.k = min(w/(cellWide*float64(cols)), h/(cellHigh*float64(rows)))
	f.gridX = f.x0 + (w-f.k*cellWide*float64(cols))/2
	f.gridY = f.y0 + (h-f.k*cellHigh*float64(rows))/2
	return f, true
}

// deepest is the last level whose cells a box is drawn in from its outlines.
func deepest(home tile.ID, b tile.Box) int {
	return home.Level() + maxDeep - (bits.Len64(uint64(max(b.MaxX-b.MinX, b.MaxY-b.MinY, -b.MinX, -b.MinY, b.MaxX, b.MaxY))) - 6)
}

// paint lays a terminal on the image. small says that it is too small to be seen.
func (own *termScratch) paint(dst *raster.Image, g *glass, home tile.ID, box tile.Box, id tile.ID) (small bool) {
	f, ok := place(home, box, g.cols, g.rows, id)
	if !ok {
		own.deep(dst, g, home, box, id)
		return false
	}
	if f.k*cellWide >= nearPx {
		own.near(dst, g, &f)
	} else {
		own.far(dst, g, &f)
	}
	return f.small()
}

// deep paints a cell far below a terminal with the pixel of an ancestor in which it lies.
func (own *termScratch) deep(dst *raster.Image, g *glass, home tile.ID, box tile.Box, id tile.ID) {
	level := min(id.Level()-8, deepest(home, box))
	above, spot := id.Ancestor(level), id.Ancestor(level+8)
	x, y, ok := tile.Between(spot, above).Apply(0, 0)
	if !ok {
		return
	}
	if own.aside == nil {
		own.aside = new(raster.Image)
	}
	own.aside.Clear()
	own.paint(own.aside, g, home, box, above)
	p := own.aside.Pix[y/64*raster.Size+x/64]
	for i := range dst.Pix {
		dst.Pix[i] = over(dst.Pix[i], p)
	}
}

// margins lays the part of a band beside the grid.
func (s *sheet) margins(f *frame, right float64, paper light) {
	s.span(f.x0, f.gridX, paper)
	s.span(right, f.x1, paper)
}

// far lays the mosaic, of the level whose texels are as large as a pixel or a little smaller.
func (own *termScratch) far(dst *raster.Image, g *glass, f *frame) {
	g.makeMosaic(own)
	level, size := 0, f.k*cellWide
	for level+1 < len(g.mosaic) && size <= 0.5 {
		level, size = level+1, 2*size
	}
	m := &g.mosaic[level]
	s, paper := &own.sheet, lightOf(g.theme.paper())
	right, bottom := f.gridX+f.k*cellWide*float64(g.cols), f.gridY+f.k*cellHigh*float64(g.rows)
	s.begin(dst, f.x0, f.x1)
	s.span(f.x0, f.x1, paper)
	s.band(f.y0, f.gridY)
	first := max(0, int((0-f.gridY)/size)-1)
	for y := first; y < m.h; y++ {
		from, to := f.gridY+float64(y)*size, min(f.gridY+float64(y+1)*size, bottom)
		if to <= 0 {
			continue
		}
		if from >= raster.Size {
			break
		}
		s.margins(f, right, paper)
		row := m.at[y*m.w:][:m.w]
		for x := max(0, int((0-f.gridX)/size)-1); x < len(row); {
			at := f.gridX + float64(x)*size
			if at >= raster.Size {
				break
			}
			n := x + 1
			for n < len(row) && row[n] == row[x] {
				n++
			}
			s.span(at, min(f.gridX+float64(n)*size, right), row[x].light())
			x = n
		}
		s.band(from, to)
	}
	s.span(f.x0, f.x1, paper)
	s.band(bottom, f.y1)
	s.flush()
}

// near lays backgrounds and blocks, and the glyphs on top.
func (own *termScratch) near(dst *raster.Image, g *glass, f *frame) {
	s, paper := &own.sheet, lightOf(g.theme.paper())
	w, h := f.k*cellWide, f.k*cellHigh
	right, bottom := f.gridX+w*float64(g.cols), f.gridY+h*float64(g.rows)
	s.begin(dst, f.x0, f.x1)
	s.span(f.x0, f.x1, paper)
	s.band(f.y0, f.gridY)
	// Grid cells that reach the image: glyphs may hang over by a cell.
	clampTo := func(v float64, n int) int { return int(min(max(v, 0), float64(n))) }
	y0, y1 := clampTo(math.Floor(-f.gridY/h), g.rows), clampTo(math.Ceil((raster.Size-f.gridY)/h), g.rows)
	x0, x1 := clampTo(math.Floor(-f.gridX/w)-1, g.cols), clampTo(math.Ceil((raster.Size-f.gridX)/w)+1, g.cols)
	own.cells = slices.Grow(own.cells[:0], g.cols)[:g.cols]
	for y := y0; y < y1; y++ {
		if data := g.lines[y].data; data != nil {
			g.theme.read(data, &own.row, own.cells)
			own.backgrounds(f, y, x0, x1, right, paper)
		} else {
			s.span(f.x0, f.x1, paper)
			s.band(f.gridY+float64(y)*h, f.gridY+float64(y+1)*h)
		}
	}
	s.span(f.x0, f.x1, paper)
	s.band(bottom, f.y1)
	s.flush()
	for y := max(y0-1, 0); y < min(y1+1, g.rows); y++ {
		if data := g.lines[y].data; data != nil {
			g.theme.read(data, &own.row, own.cells)
			own.text(dst, f, y, x0, x1)
		}
	}
	clear(own.cells)
}

// backgrounds lays the backgrounds of a row, and what of it is blocks, in as many bands as those need.
func (own *termScratch) backgrounds(f *frame, y, x0, x1 int, right float64, paper light) {
	cuts := uint32(1 | 1<<24) // of the row's height, in 24ths
	for x := x0; x < x1; x++ {
		if b := own.cells[x].block(); b != nil {
			for _, r := range b.rects {
				cuts |= 1<<r.y0 | 1<<r.y1
			}
		}
	}
	w, h := f.k*cellWide, f.k*cellHigh
	top := f.gridY + float64(y)*h
	s := &own.sheet
	for from := 0; from < 24; {
		to := from + 1 + bits.TrailingZeros32(cuts>>(from+1))
		s.margins(f, right, paper)
		at := f.gridX + float64(x0)*w
		run := at
		now, first := uint32(0), true
		put := func(to float64, c uint32) {
			if first {
				now, first = c, false
			}
			if c != now {
				s.span(run, at, lightOf(now))
				run, now = at, c
			}
			at = to
		}
		for x := x0; x < x1; x++ {
			c := &own.cells[x]
			left := f.gridX + float64(x)*w
			b := c.block()
			if b == nil {
				put(left+w, c.bg)
				continue
			}
			mask := 0 // of the eighths of its width that are inked in this band
			for _, r := range b.rects {
				if int(r.y0) <= from && to <= int(r.y1) {
					mask |= 1<<r.x1 - 1<<r.x0
				}
			}
			ink := mix(c.bg, c.fg, 64*uint32(b.share))
			for i := 0; i < 8; {
				n := i + 1
				for n < 8 && mask>>n&1 == mask>>i&1 {
					n++
				}
				color := c.bg
				if mask>>i&1 != 0 {
					color = ink
				}
				put(left+w*float64(n)/8, color)
				i = n
			}
		}
		if !first {
			s.span(run, at, lightOf(now))
		}
		s.band(top+h*float64(from)/24, top+h*float64(to)/24)
		from = to
	}
}

// block is the block element in a grid cell, nil if there is none.
func (c *gridCell) block() *blocks {
	if len(c.text) < 3 {
		return nil
	}
	if r, _ := utf8.DecodeRune(c.text); isBlock(r) {
		return block(r)
	}
	return nil
}

// text draws the glyphs of a row and the lines under, over and through them, a colour at a time.
func (own *termScratch) text(dst *raster.Image, f *frame, y, x0, x1 int) {
	w := f.k * cellWide
	top := f.gridY + float64(y)*f.k*cellHigh
	size := sizeOf(f.k)
	for x := x0; x < x1; {
		ink := own.cells[x].fg
		some := false
		for ; x < x1 && (own.cells[x].fg == ink || len(own.cells[x].text) == 0); x++ {
			c := &own.cells[x]
			if c.second || c.block() != nil {
				continue
			}
			missing := false
			for text := c.text; len(text) > 0; {
				r, n := rune(text[0]), 1
				if r >= utf8.RuneSelf {
					r, n = utf8.DecodeRune(text)
				}
				text = text[n:]
				o := own.glyphs.get(r, c.face, c.wide, size)
				if o == nil || missing {
					continue
				}
				if missing = o.missing; missing {
					if some { // a paint of its own
						own.fill(dst, ink, 255)
						some = false
					}
					own.points = o.edges(&own.z, own.points, f.gridX+float64(x)*w, top, f.k)
					own.fill(dst, ink, 112)
					continue
				}
				own.points = o.edges(&own.z, own.points, f.gridX+float64(x)*w, top, f.k)
				some = true
			}
		}
		if some {
			own.fill(dst, ink, 255)
		}
	}
	for x := x0; x < x1; {
		c := &own.cells[x]
		n := x + 1
		for n < x1 && own.cells[n].attr == c.attr && own.cells[n].line == c.line && own.cells[n].fg == c.fg {
			n++
		}
		left, right := f.gridX+float64(x)*w, f.gridX+float64(n)*w
		if u := c.attr.Underline(); u != vt.NoUnderline {
			own.underline(u, left, right, top, f.k)
			own.fill(dst, c.line, 255)
		}
		if c.attr&vt.Strike != 0 {
			own.bar(left, right, top+8.4*f.k, 0.9*f.k)
			own.fill(dst, c.fg, 255)
		}
		if c.attr&vt.Overline != 0 {
			own.bar(left, right, top+0.3*f.k, 0.9*f.k)
			own.fill(dst, c.fg, 255)
		}
		x = n
	}
}

func (own *termScratch) fill(dst *raster.Image, rgb uint32, alpha uint32) {
	p := raster.Over(rgb<<8 | alpha)
	own.z.Fill(dst, &p)
}

// bar gives a line to the rasterizer.
func (own *termScratch) bar(left, right, top, thick float64) {
	at := func(x, y float64) raster.Point {
		return raster.Point{X: int64(x * raster.One), Y: int64(y * raster.One)}
	}
	own.points = append(own.points[:0], at(left, top), at(left, top+thick), at(right, top+thick), at(right, top), at(left, top))
	own.z.Lines(own.points, 1)
}

// underline gives a line beneath a row to the rasterizer.
func (own *termScratch) underline(u vt.Underline, left, right, top, k float64) {
	y := top + 13.7*k
	pieces := func(step, part float64) {
		if k*step < 0.5 {
			own.bar(left, right, y, 0.9*k*part)
			return
		}
		for x := left; x < right; x += step * k {
			if x+step*k >= 0 && x < raster.Size {
				own.bar(x, min(x+part*step*k, right), y, 0.9*k)
			}
		}
	}
	switch u {
	case vt.Double:
		own.bar(left, right, y-0.6*k, 0.7*k)
		own.bar(left, right, y+0.9*k, 0.7*k)
	case vt.Dotted:
		pieces(2, 0.5)
	case vt.Dashed:
		pieces(4, 0.65)
	case vt.Curly:
		// Up and down once a grid cell.
		for x := left; x < right-k; x += cellWide * k {
			if x+cellWide*k < 0 || x >= raster.Size {
				continue
			}
			at := func(dx, dy float64) raster.Point {
				return raster.Point{X: int64((x + dx*k) * raster.One), Y: int64((y + dy*k) * raster.One)}
			}
			own.points = append(own.points[:0], at(0, 0), at(0, 1), at(2, 2.3), at(4, 1), at(6, -0.3), at(8, 1), at(8, 0), at(6, -1.3), at(4, 0), at(2, 1.3), at(0, 0))
			own.z.Lines(own.points, 1)
		}
	default:
		own.bar(left, right, y, 0.9*k)
	}
}
