package source

import (
	"bytes"
	"context"

	"fractal/canvas"
	"fractal/cell"
	"fractal/ink"
	"fractal/tile"
)

// Ink draws the strokes of a canvas.
type Ink struct {
	Canvas *canvas.Canvas
}

// inkScratch is what a slot keeps to draw ink with.
type inkScratch struct {
	painter *ink.Painter
	strokes []*ink.Stroke
}

// Version implements cell.Source: the newest op that concerns the tile.
func (k Ink) Version(id tile.ID) uint64 { return uint64(k.Canvas.Version(id)) }

// Draw implements cell.Source. The picture depends on the strokes that reach the tile and on nothing else.
func (k Ink) Draw(ctx context.Context, id tile.ID, s *cell.Scratch, emit func(cell.Picture)) error {
	s.Start()
	snap := k.Canvas.CellSnapshot(id)
	s.Lap(cell.StageSnapshot)
	p := cell.Picture{Version: uint64(snap.Version), Below: snap.Below}
	if len(snap.Items) == 0 { // most cells of most views
		p.Format, p.Data = cell.FormatSolid, make([]byte, 4)
		emit(p)
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	own := cell.Own(s, func() *inkScratch { return &inkScratch{painter: ink.NewPainter()} })
	own.strokes = own.strokes[:0]
	for _, i := range snap.Items {
		own.strokes = append(own.strokes, i.Stroke)
	}
	own.painter.Cell(&s.Image, id, own.strokes)
	clear(own.strokes) // a slot at rest holds no canvas in memory
	s.Lap(cell.StageRaster)
	if err := ctx.Err(); err != nil {
		return err
	}
	p.Format, s.Data = cell.Encode(s.Data[:0], &s.Image)
	p.Data = bytes.Clone(s.Data) // of its exact size: it stays in the cache
	s.Lap(cell.StageEncode)
	emit(p)
	return nil
}
