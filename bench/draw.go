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
	paint := func(id tile.ID) (time.Duration, int) {
		if crowd, _ := c.Crowd(id, c.Seq()); crowd.Crowded() {
			s := new(cell.Scratch)
			begin := threadCPU()
			err = source.Ink{Canvas: c}.Draw(ctx, id, s, func(cell.Picture) {})
			*image = s.Image
			return threadCPU() - begin, crowd.Beneath
		}
		items := c.CellSnapshot(id).Items
		strokes = strokes[:0]
		for _, i := range items {
			strokes = append(strokes, i.Stroke)
		}
		begin := threadCPU()
		painter.Cell(image, id, strokes)
		return threadCPU() - begin, len(strokes)
	}
	var rounds [drawRounds + 1][2]time.Duration
	var cells [viewCols * viewRows]Spread
	var counts [viewCols * viewRows]int
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
			took, n := paint(id)
			if err != nil {
				return err
			}
			begin := threadCPU()
			_, data = cell.Encode(data[:0], image)
			rounds[round][0] += took
			rounds[round][1] += threadCPU() - begin
			counts[i] = n
			if round > 0 {
				cells[i].Add(float64(took.Nanoseconds()) / 1e6)
			}
		}
		runtime.ReadMemStats(&m)
		allocated = m.TotalAlloc - before
	}
	r.UnreadyCPU.Add(ms(unready))
	r.DrawAlloc.Add(float64(allocated))
	var all, worst, sparse float64
	few := 0
	for i, s := range cells {
		_, median, _ := s.Figures()
		all += median
		worst = max(worst, median)
		if counts[i] > 0 && counts[i] <= 5 {
			sparse += median
			few++
		}
	}
	var encode Spread
	for _, round := range rounds[1:] {
		encode.Add(ms(round[1]))
	}
	_, median, _ := encode.Figures()
	r.RasterCPU.Add(all)
	r.EncodeCPU.Add(median)
	r.WorstCPU.Add(worst)
	if few > 0 {
		r.SparseCPU.Add(1000 * sparse / float64(few))
	}
	return nil
}
