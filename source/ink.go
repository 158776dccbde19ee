package source

import (
	"bytes"
	"context"
	"errors"
	"math"
	"time"
	"weak"

	"fractal/canvas"
	"fractal/cell"
	"fractal/ink"
	"fractal/raster"
	"fractal/tile"
)

// Ink draws the strokes of a canvas.
type Ink struct {
	Canvas *canvas.Canvas
	Halves *cell.Halves // where cells at half their size are kept between drawings; nil: nowhere
}

// inkScratch is what a slot keeps to draw ink with.
type inkScratch struct {
	painter *ink.Painter
	strokes []*ink.Stroke
	quarter raster.Quarter
}

func inkOf(s *cell.Scratch) *inkScratch {
	return cell.Own(s, func() *inkScratch { return &inkScratch{painter: ink.NewPainterWithin(outlines)} })
}

// paint draws strokes on the scratch's image, and lets go of them: a slot at rest holds no canvas in memory.
func (own *inkScratch) paint(s *cell.Scratch, id tile.ID, items []canvas.Item) {
	s.Image.Clear()
	own.paintOnto(s, id, items)
}

// paintOnto paints more strokes on the image.
func (own *inkScratch) paintOnto(s *cell.Scratch, id tile.ID, items []canvas.Item) {
	points := own.take(items)
	own.painter.Onto(&s.Image, id, own.strokes)
	clear(own.strokes)
	s.Painted(len(items), points)
	s.Lap(cell.StageRaster)
}

// take puts strokes on the scratch.
func (own *inkScratch) take(items []canvas.Item) (points int) {
	own.strokes = own.strokes[:0]
	for _, i := range items {
		own.strokes = append(own.strokes, i.Stroke)
		points += i.Stroke.Len()
	}
	return points
}

// soonFrom is how many samples without an outline make a cell worth two pictures: to prepare them takes about 5 ms.
const soonFrom = 4096

// draft emits a provisional picture, if there is much to prepare for the settled one and none was emitted before, and then
// prepares that. ErrLater: others have their turn.
func (own *inkScratch) draft(ctx context.Context, id tile.ID, items []canvas.Item, p cell.Picture, s *cell.Scratch, emit func(cell.Picture)) error {
	points := own.take(items)
	defer func() { clear(own.strokes) }()
	if !s.Drafted() {
		if own.painter.Missing(id, own.strokes) < soonFrom || own.painter.CellSoon(&s.Image, id, own.strokes) {
			return nil
		}
		s.Painted(len(items), points)
		s.Lap(cell.StageRaster)
		p.Provisional = true
		if err := encode(ctx, p, s, emit); err != nil {
			return err
		}
		if s.Waiting() {
			return cell.ErrLater
		}
	}
	begun := s.Now()
	for _, stroke := range own.strokes {
		if err := ctx.Err(); err != nil {
			return err
		}
		own.painter.Prepare(stroke, id.Level())
		if s.Now()-begun > turnTime && s.Waiting() {
			return cell.ErrLater
		}
	}
	return nil
}

// snapshot asks the canvas for all a cell shows.
func snapshot(c *canvas.Canvas, id tile.ID, s *cell.Scratch) canvas.Snapshot {
	snap := c.CellSnapshot(id)
	s.Lap(cell.StageSnapshot)
	s.Took(cell.StageWait, time.Duration(snap.Waited))
	s.Took(cell.StageHeld, time.Duration(snap.Held))
	return snap
}

// Version implements cell.Source: the newest op that concerns the tile.
func (k Ink) Version(id tile.ID) uint64 { return uint64(k.Canvas.Version(id)) }

// newest is later than any op.
const newest = canvas.Seq(math.MaxUint64)

// Draw implements cell.Source. The picture depends on the strokes that reach the tile and on nothing else.
func (k Ink) Draw(ctx context.Context, id tile.ID, s *cell.Scratch, emit func(cell.Picture)) error {
	own := inkOf(s)
	s.Start()
	if crowd, _ := k.Canvas.Crowd(id, newest); !crowd.Crowded() {
		snap := snapshot(k.Canvas, id, s)
		if snap.Beneath <= canvas.MaxBeneath { // else it has just become too many
			p := cell.Picture{Version: uint64(snap.Version), Below: snap.Below}
			if len(snap.Items) == 0 { // most cells of most views
				p.Format, p.Data = cell.FormatSolid, make([]byte, 4)
				emit(p)
				return nil
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			key := hotKey{weak.Make(k.Canvas), id}
			if n := hots.take(key, snap.Items, &s.Image); n > 0 {
				own.paintOnto(s, id, snap.Items[n:])
			} else {
				if err := own.draft(ctx, id, snap.Items, p, s, emit); err != nil {
					return err
				}
				own.paint(s, id, snap.Items)
			}
			hots.keep(key, snap.Items, &s.Image)
			return encode(ctx, p, s, emit)
		}
	}
	for {
		d := derivation{k, own, s, k.Canvas.Seq(), s.Now()}
		crowd, ok := k.Canvas.Crowd(id, d.at)
		if !ok {
			continue
		}
		if err := d.draw(ctx, id, crowd); errors.Is(err, errPast) {
			continue
		} else if err != nil {
			return err
		}
		return encode(ctx, cell.Picture{Version: uint64(crowd.Version), Below: crowd.Below}, s, emit)
	}
}

// encode emits the picture that is on the scratch's image.
func encode(ctx context.Context, p cell.Picture, s *cell.Scratch, emit func(cell.Picture)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.Format, s.Data = cell.Encode(s.Data[:0], &s.Image)
	p.Data = bytes.Clone(s.Data) // of its exact size: it stays in the cache
	s.Lap(cell.StageEncode)
	emit(p)
	return nil
}
