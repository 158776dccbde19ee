package source

import (
	"bytes"
	"context"
	"errors"
	"math"
	"time"

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
	own.strokes = own.strokes[:0]
	points := 0
	for _, i := range items {
		own.strokes = append(own.strokes, i.Stroke)
		points += i.Stroke.Len()
	}
	own.painter.Cell(&s.Image, id, own.strokes)
	clear(own.strokes)
	s.Painted(len(items), points)
	s.Lap(cell.StageRaster)
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
			own.paint(s, id, snap.Items)
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
