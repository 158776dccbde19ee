package ink

import (
	"math"
	"math/rand/v2"
	"testing"

	"fractal/raster"
	"fractal/tile"
)

// soonAlpha is alpha of a stroke that is not prepared.
func soonAlpha(p *Painter, id tile.ID, s *Stroke) *[refSize * refSize]float64 {
	var img raster.Image
	p.CellSoon(&img, id, []*Stroke{s})
	out := new([refSize * refSize]float64)
	for i, px := range img.Pix {
		_, _, _, a := px.RGBA()
		out[i] = float64(a) / 65535
	}
	return out
}

func TestShapesAreTrueSoon(t *testing.T) {
	p := NewPainter()
	for name, pts := range cases(rand.New(rand.NewPCG(1, 1))) {
		t.Run(name, func(t *testing.T) {
			s := line(t, tile.At(0, 0, 0), 0xffffffff, pts...)
			got, want := soonAlpha(p, tile.At(0, 0, 0), s), reference(local(s, tile.At(0, 0, 0)), 128)
			most, mean, at, n := difference(got, want)
			t.Logf("max %.2f mean %.4f", most, mean)
			if most > 5 || n > 100 && mean > 0.6 {
				t.Errorf("max %.2f/255 at %d, %d: %.4f for %.4f, mean %.4f/255", most, at%refSize, at/refSize, got[at], want[at], mean)
			}
		})
	}
}

// BenchmarkCorpusIsTrueSoon holds every fifth stroke of a corpus, not prepared, to the reference: run it with -benchtime 1x.
func BenchmarkCorpusIsTrueSoon(b *testing.B) { corpusIsTrue(b, soonAlpha) }

// BenchmarkOverviewSoon paints a corpus of which nothing is prepared.
func BenchmarkOverviewSoon(b *testing.B) {
	ids, strokes := overview(corpus(b))
	p := NewPainter()
	var img raster.Image
	b.ReportAllocs()
	cpu(b, func() {
		for i := range ids {
			for _, s := range strokes[i] {
				if ready := s.ready.Load(); ready != nil {
					ready.rough.Store(0)
				}
			}
		}
		for i := range ids {
			p.CellSoon(&img, ids[i], strokes[i])
		}
	})
}

func TestRandomStrokesAreTrueSoonAtEveryZoom(t *testing.T) {
	r := seeded(t)
	p := NewPainter()
	for range 60 {
		pts := scribble(r, 1+r.IntN(60), 200*math.Exp2(4*r.Float64()-2), 100*math.Exp2(5*r.Float64()-3))
		s, err := New(tile.At(0, 0, 0), []BrushID{Pen, Liner}[r.IntN(2)], 0xffffffff, pts)
		if err != nil {
			t.Fatal(err)
		}
		z := r.IntN(13) - 8
		id := cellOn(r, s, z)
		got, want := soonAlpha(p, id, s), reference(local(s, id), 128)
		if most, _, at, _ := difference(got, want); most > 5 {
			t.Errorf("z %d: %.2f/255 at %d, %d: %.4f for %.4f; %d points %v", z, most, at%refSize, at/refSize, got[at], want[at], s.Len(), clipPoints(s.Points(nil)))
		}
	}
}

func TestCellSoonIsCellOnceAllIsPrepared(t *testing.T) {
	r := seeded(t)
	strokes := scene(t, r, tile.At)
	p := NewPainter()
	var soon, cell raster.Image
	id := tile.At(0, 0, 0)
	if p.CellSoon(&soon, id, strokes) || p.Missing(id, strokes) == 0 {
		t.Error("nothing was prepared, and yet it is settled")
	}
	first := soon
	NewPainter().CellSoon(&soon, id, strokes)
	if soon != first {
		t.Error("another painter paints other bytes")
	}
	p.Cell(&cell, id, strokes)
	if !p.CellSoon(&soon, id, strokes) || soon != cell || p.Missing(id, strokes) != 0 {
		t.Error("all is prepared, and yet it is not settled, or has other bytes")
	}
}

func TestPaintingSoonAllocatesNothing(t *testing.T) {
	r := seeded(t)
	var strokes []*Stroke
	for range 6 {
		for _, s := range scene(t, r, tile.At) {
			if s.Home().Level() >= -4 {
				strokes = append(strokes, s)
			}
		}
	}
	p := NewPainter()
	var img raster.Image
	p.CellSoon(&img, tile.At(0, 0, 0), strokes)
	if n := testing.AllocsPerRun(5, func() { p.CellSoon(&img, tile.At(0, 0, 0), strokes) }); n > 0 {
		t.Errorf("%v allocations a cell", n)
	}
}
