package ink

import (
	"math"

	"fractal/raster"
	"fractal/tile"
)

// Painter paints cells. It is the scratch of one worker (about 2 MiB) and not safe for concurrent use; what it prepares of a
// stroke stays with the stroke, for all painters.
type Painter struct {
	union raster.Union
	work  workshop
	deep  deep
	mask  *raster.Mask // made when a tangle needs it
	flow  flow

	soon      bool // strokes that are not prepared are painted from their circles
	unsettled bool // one was

	home tile.ID  // of the stroke painted last: most have the same
	id   tile.ID  // of the cell
	to   tile.Map // from home to the cell
	here bool     // home, id and to are set
}

// NewPainter makes a Painter that leaves all it prepares with the strokes.
func NewPainter() *Painter { return new(Painter) }

// NewPainterWithin makes a Painter that leaves with the strokes what keep has room for.
func NewPainterWithin(keep *Keep) *Painter {
	p := new(Painter)
	p.work.keep = keep
	return p
}

const (
	// nearest is how many levels finer than a stroke a cell may be to be drawn from a prepared outline.
	nearest = 2 * finest

	// deepest is how many levels finer than a stroke a cell may be for its circles to be drawn as polygons; beyond, only what
	// is near the cell is cut out of them.
	deepest = 7

	// faintest is how many levels coarser a cell may be to show anything of a stroke: the largest, 2^41 by 2^20 units, then
	// covers 2^-23 px.
	faintest = 36
)

// Cell clears dst and paints the strokes on it in order, as they lie on the tile. The bytes are a function of the strokes'
// shapes and of where they lie relative to the tile, whatever was painted before and whoever prepared the strokes.
func (p *Painter) Cell(dst *raster.Image, id tile.ID, strokes []*Stroke) {
	dst.Clear()
	p.Onto(dst, id, strokes)
}

// Onto paints more strokes on a cell that Cell painted: the bytes are those of painting all at once.
func (p *Painter) Onto(dst *raster.Image, id tile.ID, strokes []*Stroke) {
	p.id, p.here = id, false
	for _, s := range strokes {
		p.stroke(dst, s)
	}
	p.work.trim()
}

func (p *Painter) stroke(dst *raster.Image, s *Stroke) {
	brush, _ := s.brush.Brush()
	var paint raster.Paint
	switch {
	case s.color&0xff == 0:
		return
	case brush.Mode == Erase:
		paint = raster.Erase(uint8(s.color))
	default:
		paint = raster.Over(s.color)
	}
	z := p.id.Level() - s.home.Level()
	if z < -faintest {
		return
	}
	if !p.here || s.home != p.home {
		p.home, p.here = s.home, true
		p.to = tile.Between(s.home, p.id)
	}
	if z > deepest {
		p.inside(dst, s, &paint, z)
		return
	}
	cx, cy, ok := p.to.Corner()
	if !ok {
		return // further away than any stroke reaches
	}
	if z > nearest {
		p.near(dst, s, &paint, z, cx, cy)
		return
	}
	if at := s.corner(cx, cy, z); at.small() {
		at.splat(dst, &paint, p.area(s), z)
		return
	} else if p.soon && p.early(dst, s, &paint, z, cx, cy) {
		p.unsettled = true
		return
	}
	o := p.outline(s, z)
	if o.far {
		p.near(dst, s, &paint, z, cx, cy)
		return
	}
	at := o.place(s.reach.MinX-cx, s.reach.MinY-cy, z)
	at.draw(&p.union.Rasterizer)
	p.union.Rasterizer.Fill(dst, &paint)
}

// outline returns the outline of a stroke for cells z levels finer, made now if nobody has needed it before.
func (p *Painter) outline(s *Stroke, z int) *outline {
	ready := s.prepare()
	detail := max(detailAt(z), ready.least)
	slot := &ready.lods[detail-coarsest]
	o := slot.Load()
	if o == nil {
		s.unpack(ready, p.work.keep)
		o = slot.Load()
	}
	if o == nil {
		o = p.work.outlineOf(s, detail)
		if slot.CompareAndSwap(nil, o) {
			p.work.keep.add(s, detail, o.size())
		}
	} else if !ready.used.Load() {
		ready.used.Store(true)
	}
	return o
}

// area returns the area of a stroke's shape, measured now if nobody has needed it before.
func (p *Painter) area(s *Stroke) float64 {
	ready := s.prepare()
	a := math.Float64frombits(ready.area.Load())
	if a == 0 && p.soon {
		p.unsettled = true
		return p.roughArea(s, ready)
	}
	if a == 0 {
		a = p.work.areaOf(s)
		ready.area.Store(math.Float64bits(a))
	}
	return a
}

// PrepareAll makes what Cell will need to draw the stroke where it was drawn and on every coarser cell.
func (p *Painter) PrepareAll(s *Stroke) {
	for z := 0; z > -faintest; z -= 2 {
		p.Prepare(s, s.home.Level()+z)
		if s.corner(0, 0, z).small() || detailAt(z) <= s.prepare().least {
			return
		}
	}
}

// Prepare makes what Cell will need to draw the stroke on cells of that level, unless it is there.
func (p *Painter) Prepare(s *Stroke, level int) {
	z := level - s.home.Level()
	switch {
	case z < -faintest || z > nearest:
	case s.corner(0, 0, z).small():
		p.area(s)
	default:
		p.outline(s, z)
	}
	p.work.trim()
}
