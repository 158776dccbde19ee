package source

import (
	"context"
	"fmt"
	"time"

	"fractal/canvas"
	"fractal/cell"
	"fractal/mandel"
	"fractal/raster"
	"fractal/tile"
)

// Mandel draws the places of a canvas. A sample lies at every corner i/256 of a cell, so that every second of a level is one of
// the level above; the page draws the picture half a pixel to the left and up.
//
// A settled cell is a function of the ops: its samples come from the reference of an ancestor less than refAbove + refLevels
// above, counted from the place's own home, and the limit rises by the cell's own samples alone.
type Mandel struct {
	Canvas *canvas.Canvas
	kept   *phaseStore // pictures made lately; nil: none is remembered
}

// refLevels is how many levels share one reference at the most, and refAbove how many levels it is above the first of them: the 20
// cells of a view then share four at most. The lag is 19 doublings at most, of the mandel.MaxLag that are safe.
const (
	refLevels = 16
	refAbove  = 4
)

// maxLaid bounds the places drawn in one cell: those on top.
const maxLaid = 8

// mandelScratch is what a slot keeps to draw places with.
type mandelScratch struct {
	samples [maxLaid][]mandel.Sample
}

// Version implements cell.Source.
func (k Mandel) Version(id tile.ID) uint64 {
	_, v := k.Canvas.Places(id)
	return uint64(v)
}

// laid is a place in one cell.
type laid struct {
	*view
	id      tile.ID
	place   *canvas.Place
	shader  *mandel.Shader
	limit   int64
	samples []mandel.Sample
	clock   func() time.Duration // nil: references are not timed
	refs    time.Duration        // spent on references
	// The pixels it covers.
	x0, y0, x1, y1 int
}

// Draw implements cell.Source: every fourth, every second, then all rows and columns. Others that wait have their turn after the first.
func (k Mandel) Draw(ctx context.Context, id tile.ID, s *cell.Scratch, emit func(cell.Picture)) error {
	s.Start()
	items, version := k.Canvas.Places(id)
	p := cell.Picture{Version: uint64(version)}
	own := cell.Own(s, func() *mandelScratch { return new(mandelScratch) })
	var all []*laid
	for i := len(items) - 1; i >= 0 && len(all) < maxLaid; i-- {
		place := items[i].Place
		l := &laid{view: lookAt(place, id)}
		if l.cover(place, id); l.x0 >= l.x1 || l.y0 >= l.y1 {
			p.Below = true // it lies between two samples
			continue
		}
		l.id, l.place, l.shader = id, place, palette(place).Shader()
		l.limit = l.rule.First(l.grid.Pitch)
		all = append(all, l)
		if l.x0 == 0 && l.y0 == 0 && l.x1 == raster.Size && l.y1 == raster.Size {
			break // what lies beneath is hidden
		}
	}
	s.Lap(cell.StageSnapshot)
	if len(all) == 0 {
		p.Format, p.Data = cell.FormatSolid, make([]byte, 4)
		emit(p)
		return nil
	}
	one := len(all) == 1
	if one && all[0].recall(k.kept, &p) {
		emit(p)
		return nil
	}
	for i, l := range all {
		if own.samples[i] == nil {
			own.samples[i] = make([]mandel.Sample, raster.Size*raster.Size)
		}
		l.samples = own.samples[i]
	}
	paint := func(stride int) error {
		s.Image.Clear()
		for i := len(all) - 1; i >= 0; i-- {
			all[i].paint(&s.Image, stride, one)
		}
		s.Lap(cell.StageRaster)
		p.Provisional = stride > 1
		if one {
			return encode(ctx, p, s, func(p cell.Picture) { emit(all[0].phased(p, k.kept)) })
		}
		return encode(ctx, p, s, emit)
	}
	shown := 2 * coarse // the stride of the finest picture that was emitted
	if !s.Drafted() && inherit(all) {
		shown = coarse / 2
		if err := paint(shown); err != nil {
			return err
		}
		if s.Waiting() {
			return cell.ErrLater
		}
	}
	begin(all)
	known := false
	if s.Drafted() {
		known = true
		for _, l := range all {
			known = l.resume() && known
		}
		if shown = coarse; !known {
			shown = coarse / 2 // nothing was computed then: it was inherited
		}
	}
	for stride := coarse; stride >= 1; stride /= 2 {
		if stride == coarse && known {
			continue
		}
		for _, l := range all {
			if err := l.render(ctx, stride); err != nil {
				return err
			}
		}
		if stride >= shown {
			continue
		}
		if err := paint(stride); err != nil {
			return err
		}
		if stride == coarse && s.Waiting() {
			for _, l := range all {
				l.halt()
			}
			return cell.ErrLater
		}
	}
	for _, l := range all {
		l.hand()
	}
	for _, l := range all {
		references.soon(l.view, l.limit)
	}
	return nil
}

// begin makes all samples Pending but for those outside of the boxes.
func begin(all []*laid) {
	for _, l := range all {
		clear(l.samples)
		l.mask()
	}
}

// inherit fills every second row and column of all from the cell above, and says whether that knew them.
func inherit(all []*laid) bool {
	for _, l := range all {
		if !l.inherit() {
			return false
		}
	}
	return true
}

// cover finds the pixels whose samples lie in the place's box: those columns i with min ≤ corner + i·(side/256) < max.
func (l *laid) cover(p *canvas.Place, id tile.ID) {
	b := p.Box()
	m := tile.Between(id, p.Home()) // from units of the cell to units of the home
	x, y, exp := m.Offset()
	shift := m.Shift()
	l.x0 = column(b.MinX, x, exp, shift)
	l.x1 = column(b.MaxX, x, exp, shift)
	l.y0 = column(b.MinY, y, exp, shift)
	l.y1 = column(b.MaxY, y, exp, shift)
}

// mask gives the samples outside of the box a state, so that they are not rendered. They are not painted either.
func (l *laid) mask() {
	if l.x0 == 0 && l.y0 == 0 && l.x1 == raster.Size && l.y1 == raster.Size {
		return
	}
	for y := range raster.Size {
		for x := range raster.Size {
			if !l.has(x, y) {
				l.samples[y*raster.Size+x].State = mandel.Outside
			}
		}
	}
}

func (l *laid) has(x, y int) bool { return x >= l.x0 && x < l.x1 && y >= l.y0 && y < l.y1 }

// render computes the samples of a stride, with the limit that they ask for.
func (l *laid) render(ctx context.Context, stride int) error {
	for {
		var ref *mandel.Reference
		if !mandel.Direct(l.grid.Pitch) {
			var err error
			begun := l.now()
			if ref, err = references.get(ctx, l.view, l.limit); err != nil {
				return err
			}
			l.refs += l.now() - begun
		}
		if err := mandel.Render(ctx, l.formula, l.grid, ref, l.limit, stride, l.samples); err != nil {
			return fmt.Errorf("source: a place: %w", err)
		}
		next, more := l.rule.Next(l.limit, l.samples)
		if !more {
			return nil
		}
		l.limit = next
		mandel.Again(l.samples)
	}
}

// paint paints blocks of stride by stride pixels: in colour, or as phases.
func (l *laid) paint(dst *raster.Image, stride int, phases bool) {
	for y := l.y0; y < l.y1; y++ {
		row := y &^ (stride - 1)
		for x := l.x0; x < l.x1; x++ {
			at := row*raster.Size + x&^(stride-1)
			if !l.has(x&^(stride-1), row) {
				// The block's own sample lies outside of the box.
				at = max(row, min(l.y0+stride-1, raster.Size-1)&^(stride-1))*raster.Size + max(x&^(stride-1), min(l.x0+stride-1, raster.Size-1)&^(stride-1))
			}
			c := uint32(0)
			if phases {
				c = l.phase(l.samples[at])
			} else {
				c = l.shader.Color(l.samples[at])
			}
			r, g, b := raster.Pixel(c>>16&255), raster.Pixel(c>>8&255), raster.Pixel(c&255)
			dst.Pix[y*raster.Size+x] = r*0x101 | g*0x101<<16 | b*0x101<<32 | 0xffff<<48
		}
	}
}

// palette is a place's own.
func palette(p *canvas.Place) mandel.Palette {
	w := p.Wire().GetPalette()
	out := mandel.Palette{Inside: w.GetInside() >> 8, Cycle: float64(w.GetCycle()) / 256, Offset: float64(w.GetOffset()) / 65536}
	for c := w.GetColors(); len(c) >= 3; c = c[3:] {
		out.Colors = append(out.Colors, uint32(c[0])<<16|uint32(c[1])<<8|uint32(c[2]))
	}
	return out
}

func (l *laid) now() time.Duration {
	if l.clock == nil {
		return 0
	}
	return l.clock()
}

// Measured is what the samples of a cell took, on the clock that was given.
type Measured struct {
	Limit      int64
	References time.Duration
	Samples    time.Duration
	First      time.Duration // of Samples, until the first picture could be painted
}

// MeasureCell computes the samples of a cell of a place as Draw does, in passes down to the stride last, for benchmarks.
func MeasureCell(ctx context.Context, p *canvas.Place, id tile.ID, last int, samples []mandel.Sample, clock func() time.Duration) (m Measured, err error) {
	begun := clock()
	l := &laid{view: lookAt(p, id), samples: samples, clock: clock, x1: raster.Size, y1: raster.Size}
	l.limit = l.rule.First(l.grid.Pitch)
	clear(samples)
	for stride := coarse; stride >= last && err == nil; stride /= 2 {
		err = l.render(ctx, stride)
		if stride == coarse {
			m.First = clock() - begun - l.refs
		}
	}
	m.Limit, m.References, m.Samples = l.limit, l.refs, clock()-begun-l.refs
	return m, err
}

// Shows is the tile, levels below the place's home, that shows a point of the plane, and where in it the point lies, 0 to 1.
func Shows(p *canvas.Place, re, im mandel.Fixed, levels int) (id tile.ID, fx, fy float64, err error) {
	w := p.Wire()
	// Units of the home, and 2^14 of them a tile.
	x := re.Sub(fixed(canvas.Number(w.Re))).Shift(-int(w.Unit) - 14 + levels)
	y := fixed(canvas.Number(w.Im)).Sub(im).Shift(-int(w.Unit) - 14 + levels)
	tx, ty := x.Scaled(0), y.Scaled(0)
	fx, fy = x.Sub(fixed(tx, 0)).Float(), y.Sub(fixed(ty, 0)).Float()
	home := p.Home()
	ux, uy := home.X(), home.Y()
	if levels >= 0 {
		tx.Add(tx, ux.Lsh(ux, uint(levels)))
		ty.Add(ty, uy.Lsh(uy, uint(levels)))
	} else {
		tx.Add(tx, ux.Rsh(ux, uint(-levels)))
		ty.Add(ty, uy.Rsh(uy, uint(-levels)))
	}
	id, err = tile.New(home.Level()+levels, tx, ty)
	return id, fx, fy, err
}
