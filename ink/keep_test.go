package ink

import (
	"runtime"
	"testing"

	"fractal/raster"
	"fractal/tile"
)

// prepared counts the outlines that are with strokes.
func outlines(strokes []*Stroke) (n int, bytes int64) {
	for _, s := range strokes {
		if ready := s.ready.Load(); ready != nil {
			for i := range ready.lods {
				if o := ready.lods[i].Load(); o != nil {
					n++
					bytes += int64(o.size())
				}
			}
		}
	}
	return n, bytes
}

func TestWhatIsPreparedIsBoundedAndChangesNoPixel(t *testing.T) {
	var strokes []*Stroke
	for i := range int64(300) {
		s, err := New(tile.At(0, 0, 0), Pen, 0x2040_80c0, []Point{{X: 50 * i, Y: 3000, D: 600}, {X: 9000, Y: 40 * i, D: 900}, {X: 3000, Y: 16000 - 20*i, D: 300}})
		if err != nil {
			t.Fatal(err)
		}
		strokes = append(strokes, s)
	}
	want, got := new(raster.Image), new(raster.Image)
	NewPainter().Cell(want, tile.At(0, 0, 0), strokes)
	all, bytes := outlines(strokes)
	for _, s := range strokes {
		s.ready.Store(nil)
	}
	keep := NewKeep(bytes / 3)
	p := NewPainterWithin(keep)
	for range 3 {
		p.Cell(got, tile.At(0, 0, 0), strokes)
		if *got != *want {
			t.Fatal("pixels differ where outlines were forgotten")
		}
		if n, b := outlines(strokes); b > bytes/3 || n < all/8 {
			t.Errorf("%d outlines of %d bytes are kept; %d were %d bytes and a third may stay", n, b, all, bytes)
		}
	}
	if !keep.Full() {
		t.Error("it is not full")
	}
	// What is used again and again stays.
	hot := strokes[:10]
	for i := range strokes[10:] {
		p.Cell(got, tile.At(0, 0, 0), hot)
		p.Cell(got, tile.At(0, 0, 0), strokes[10+i:11+i])
	}
	p.Cell(got, tile.At(0, 0, 0), hot)
	if n, _ := outlines(hot); n != len(hot) {
		t.Errorf("of %d strokes in use %d are kept", len(hot), n)
	}
	// Nor does it hold strokes that are gone.
	strokes, hot = nil, nil
	runtime.GC()
	runtime.GC()
	for _, e := range keep.queue[keep.head:] {
		if e.stroke.Value() != nil {
			t.Fatal("it keeps a stroke alive")
		}
	}
}
