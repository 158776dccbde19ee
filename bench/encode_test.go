package bench

import (
	"os"
	"runtime"
	"testing"

	"google.golang.org/protobuf/proto"

	"fractal/canvas"
	"fractal/cell"
	"fractal/ink"
	"fractal/raster"
	"fractal/tile"
	"fractal/wire"
)

// BenchmarkEncodeOverview encodes the 24 cells of the overview of the corpus that FRACTAL_CORPUS names (a file), or of the
// deep drawing the generator makes.
func BenchmarkEncodeOverview(b *testing.B) {
	images := overviewImages(b)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var data []byte
	bytes := 0
	begin := threadCPU()
	for b.Loop() {
		bytes = 0
		for _, m := range images {
			_, data = cell.Encode(data[:0], m)
			bytes += len(data)
		}
	}
	cells := float64(len(images))
	b.ReportMetric(float64((threadCPU()-begin).Nanoseconds())/1e6/cells/float64(b.N), "cpu-ms/cell")
	b.ReportMetric(float64(bytes)/cells, "bytes/cell")
}

// overviewImages paints the overview.
func overviewImages(b *testing.B) []*raster.Image {
	c := canvas.New()
	n := uint64(0)
	if name := os.Getenv("FRACTAL_CORPUS"); name != "" {
		var err error
		if c, err = readCanvas(name); err != nil {
			b.Fatal(err)
		}
	} else {
		shape, _ := ShapeNamed("nested-1869")
		for s := range Corpus(shape, 1) {
			n++
			op, err := proto.Marshal(&wire.Op{Session: make([]byte, 16), Number: n, Body: &wire.Op_Stroke{Stroke: s.Wire()}})
			if err != nil {
				b.Fatal(err)
			}
			c.Apply(&wire.Entry{Person: make([]byte, 16), Op: op})
		}
	}
	painter := ink.NewPainter()
	var images []*raster.Image
	for i := range int64(viewCols * viewRows) {
		var strokes []*ink.Stroke
		for _, it := range c.CellSnapshot(tile.At(0, i%viewCols, i/viewCols)).Items {
			strokes = append(strokes, it.Stroke)
		}
		m := new(raster.Image)
		painter.Cell(m, tile.At(0, i%viewCols, i/viewCols), strokes)
		images = append(images, m)
	}
	return images
}
