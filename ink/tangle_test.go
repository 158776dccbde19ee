package ink

import (
	"math/rand"
	"runtime"
	"testing"
	"unsafe"

	"fractal/raster"
	"fractal/tile"
)

// mess is the worst a stroke can be: as many samples as are allowed, each anywhere on the tile.
func mess(t *testing.T, brush BrushID, d int32) *Stroke {
	t.Helper()
	rnd := rand.New(rand.NewSource(1))
	points := make([]Point, MaxPoints)
	for i := range points {
		points[i] = Point{rnd.Int63n(tile.Units), rnd.Int63n(tile.Units), d}
	}
	s, err := New(tile.At(0, 0, 0), brush, 0x3366cc80, points)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// One scribble once cost 100 s and 4 GB, of which every worker kept 800 MB for ever.
func TestAScribbleLeavesNoScratchBehind(t *testing.T) {
	for _, brush := range []BrushID{1, 4} {
		s := mess(t, brush, 100)
		for _, level := range []int{-4, -12, 10, 30} {
			p := NewPainter()
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			img := new(raster.Image)
			p.Cell(img, tile.At(level, 0, 0), []*Stroke{s})
			if level < 0 && *img == (raster.Image{}) {
				t.Errorf("brush %d, level %d: nothing was painted", brush, level)
			}
			runtime.ReadMemStats(&after)
			if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 1200 {
				t.Errorf("brush %d, level %d: %d MB were allocated", brush, level, mb)
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			if mb := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) >> 20; mb > 32 {
				t.Errorf("brush %d, level %d: %d MB are kept", brush, level, mb)
			}
			runtime.KeepAlive(p)
		}
	}
}

// Edges that all begin at one height come in no order; to sort them by moving each past most others is work too.
func TestSortingEdgesIsBounded(t *testing.T) {
	var w sweeper
	rnd := rand.New(rand.NewSource(2))
	const n = 200_000
	for range n {
		w.add(float64(rnd.Intn(1<<30)), 0, float64(rnd.Intn(1<<30)), 1000)
	}
	if w.run() {
		t.Error("it claims to have crossed 10^10 edges")
	}
	if w.work < -n {
		t.Errorf("it went on %d steps after its work was done", -w.work)
	}
	for range mostEdges {
		w.add(0, 0, 1, 1)
	}
	if !w.full() || w.run() {
		t.Errorf("%d edges of %d bytes are taken", len(w.edges), unsafe.Sizeof(w.edges[0]))
	}
}

// A scribble wider than a pixel covers the cell: the tangle's early end may not be seen.
func TestATangleCoversItsCell(t *testing.T) {
	s := mess(t, 4, 2000)
	img := new(raster.Image)
	NewPainter().Cell(img, s.Home(), []*Stroke{s})
	all := new(raster.Image)
	paint := raster.Over(s.Color())
	all.Cover(&paint)
	_, _, _, want := all.Pix[0].RGBA()
	for i, px := range img.Pix {
		if _, _, _, a := px.RGBA(); int(a) < int(want)-128 || a > want {
			t.Fatalf("pixel %d is opaque by %d, not by %d", i, a, want)
		}
	}
}
