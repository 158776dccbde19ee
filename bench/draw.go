package bench

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"google.golang.org/protobuf/proto"

	"fractal/canvas"
	"fractal/cell"
	"fractal/exchange"
	"fractal/ink"
	"fractal/raster"
	"fractal/source"
	"fractal/tile"
	"fractal/wire"
)

// drawRounds is how often the prepared cells are drawn; a cell's figure is the median. A cell is shorter than a slice of the
// scheduler's, so most rounds are undisturbed.
const drawRounds = 7

// maxDrawn is how many strokes are drawn in this process.
const maxDrawn = 100_000

// readCanvas reads a corpus into a canvas of its own.
func readCanvas(corpus string) (*canvas.Canvas, error) {
	file, err := os.Open(corpus)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	defer file.Close()
	c := canvas.New()
	n := uint64(0)
	for rec, err := range exchange.ReadStrokes(file) {
		if err != nil {
			return nil, err
		}
		if rec.Stroke == nil {
			continue
		}
		n++
		b, err := proto.Marshal(&wire.Op{Session: make([]byte, 16), Number: n, Body: &wire.Op_Stroke{Stroke: rec.Stroke.Wire()}})
		if err != nil {
			return nil, fmt.Errorf("bench: %w", err)
		}
		if r := c.Apply(&wire.Entry{Person: make([]byte, 16), Op: b}); r.Outcome != canvas.Applied {
			return nil, fmt.Errorf("bench: stroke %d: %s", n, r.Reason)
		}
	}
	return c, nil
}

// draw draws the cells in this process, on one thread. Cells defined by their children are made from the bottom, with nothing
// kept, and count as raster as a whole.
func (r *OverviewResult) draw(ctx context.Context, corpus string, origin tile.ID) error {
	if r.Strokes > maxDrawn {
		return nil // hours, and all of it raster
	}
	c, err := readCanvas(corpus)
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	painter, image := ink.NewPainter(), new(raster.Image)
	var strokes []*ink.Stroke
	paint := func(id tile.ID) time.Duration {
		if crowd, _ := c.Crowd(id, c.Seq()); crowd.Crowded() {
			s := new(cell.Scratch)
			begin := threadCPU()
			err = source.Ink{Canvas: c}.Draw(ctx, id, s, func(cell.Picture) {})
			*image = s.Image
			return threadCPU() - begin
		}
		items := c.CellSnapshot(id).Items
		strokes = strokes[:0]
		for _, i := range items {
			strokes = append(strokes, i.Stroke)
		}
		begin := threadCPU()
		painter.Cell(image, id, strokes)
		return threadCPU() - begin
	}
	var rounds [drawRounds + 1][2]time.Duration
	var cells [viewCols * viewRows]Spread
	var data []byte
	var allocated uint64
	var unready time.Duration
	for round := range rounds {
		if round == 1 && rounds[0][0] > 10*time.Second {
			break // a corpus far beyond the table
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		before := m.TotalAlloc
		for i := range cells {
			id, _ := origin.Shift(0, int64(i%viewCols), int64(i/viewCols))
			if crowd, _ := c.Crowd(id, c.Seq()); round == 0 && !crowd.Crowded() {
				strokes = strokes[:0]
				for _, i := range c.CellSnapshot(id).Items {
					strokes = append(strokes, i.Stroke)
				}
				begin := threadCPU()
				painter.CellSoon(image, id, strokes)
				unready += threadCPU() - begin
			}
			took := paint(id)
			if err != nil {
				return err
			}
			begin := threadCPU()
			_, data = cell.Encode(data[:0], image)
			rounds[round][0] += took
			rounds[round][1] += threadCPU() - begin
			if round > 0 {
				cells[i].Add(float64(took.Nanoseconds()) / 1e6)
			}
		}
		runtime.ReadMemStats(&m)
		allocated = m.TotalAlloc - before
	}
	r.UnreadyCPU.Add(ms(unready))
	r.DrawAlloc.Add(float64(allocated))
	var all, worst float64
	for _, s := range cells {
		_, median, _ := s.Figures()
		all += median
		worst = max(worst, median)
	}
	var encode Spread
	for _, round := range rounds[1:] {
		encode.Add(ms(round[1]))
	}
	_, median, _ := encode.Figures()
	r.RasterCPU.Add(all)
	r.EncodeCPU.Add(median)
	r.WorstCPU.Add(worst)
	r.sparse(c, origin, painter, image)
	return nil
}

const (
	fewStrokes   = 5   // a cell of no more is sparse
	sparseCells  = 64  // how many are measured
	sparseRounds = 200 // paintings of each under one look at the clock, which is itself no shorter than a painting's hundredth
	sparseLevels = 16  // how far below the view one is looked for
)

// sparse measures the cells in, around and nearest below the view that show few strokes: an overview itself rarely has one.
func (r *OverviewResult) sparse(c *canvas.Canvas, origin tile.ID, painter *ink.Painter, image *raster.Image) {
	var level []tile.ID
	for y := int64(-viewRows); y < 2*viewRows; y++ { // and a view around it
		for x := int64(-viewCols); x < 2*viewCols; x++ {
			if id, ok := origin.Shift(0, x, y); ok {
				level = append(level, id)
			}
		}
	}
	var total time.Duration
	found := 0
	for depth := 0; depth <= sparseLevels && found < sparseCells; depth++ {
		var next []tile.ID
		for _, id := range level {
			crowd, _ := c.Crowd(id, c.Seq())
			if found == sparseCells {
				break
			}
			var strokes []*ink.Stroke
			if !crowd.Crowded() {
				for _, i := range c.CellSnapshot(id).Items {
					strokes = append(strokes, i.Stroke)
				}
				if len(strokes) == 0 {
					continue
				}
			}
			if n := len(strokes); n == 0 || n > fewStrokes {
				if crowd.Beneath > 0 && len(next) < 4*sparseCells {
					for i := range 4 {
						next = append(next, id.Child(i))
					}
				}
				continue
			}
			painter.Cell(image, id, strokes) // prepares them
			begin := threadCPU()
			for range sparseRounds {
				painter.Cell(image, id, strokes)
			}
			total += threadCPU() - begin
			found++
		}
		level = next
	}
	if found > 0 {
		r.SparseCPU.Add(float64(total.Nanoseconds()) / 1e3 / float64(found*sparseRounds))
	}
}
