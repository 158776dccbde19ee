package ink

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"fractal/raster"
	"fractal/tile"
)

// scribbles are strokes of all brushes, some of them large.
func scribbles(t testing.TB, seed uint64, n int) (strokes []*Stroke) {
	rng := rand.New(rand.NewPCG(seed, 8))
	for range n {
		pts := make([]Point, 1+rng.IntN(40))
		at := Point{rng.Int64N(tile.Units), rng.Int64N(tile.Units), 1 + rng.Int32N(1<<(2+rng.IntN(12)))}
		for i := range pts {
			pts[i] = at
			at.X, at.Y = at.X+rng.Int64N(2001)-1000, at.Y+rng.Int64N(2001)-1000
			at.D = max(1, at.D+rng.Int32N(65)-32)
		}
		s, err := New(tile.At(rng.IntN(7), 0, 0), BrushID(1+rng.IntN(4)), rng.Uint32()|0x30, pts)
		if err != nil {
			t.Fatal(err)
		}
		strokes = append(strokes, s)
	}
	return strokes
}

func TestKeptOutlinesAreThoseThatWereMade(t *testing.T) {
	made, taken := scribbles(t, 1, 200), scribbles(t, 1, 200)
	p := NewPainter()
	want, got := new(raster.Image), new(raster.Image)
	total := 0
	for _, s := range made {
		p.PrepareAll(s)
	}
	p.Cell(want, tile.At(0, 0, 0), made)
	for i, s := range made {
		b := s.AppendPrepared(nil)
		total += len(b)
		if !taken[i].TakePrepared(b) {
			t.Fatalf("stroke %d is not taken", i)
		}
		if again := taken[i].AppendPrepared(nil); !bytes.Equal(again, b) {
			t.Fatalf("stroke %d is not given on as it came", i)
		}
	}
	t.Log(total/len(made), "bytes a stroke")
	p.Cell(got, tile.At(0, 0, 0), taken)
	if *got != *want {
		t.Error("pixels differ")
	}
	for i, s := range made {
		a, b := s.ready.Load(), taken[i].ready.Load()
		taken[i].unpack(b, nil)
		for k := range a.lods {
			if o := a.lods[k].Load(); o != nil {
				q := b.lods[k].Load()
				if q == nil || o.far != q.far || o.grid != q.grid || !(len(o.chunks) == 0 && len(q.chunks) == 0) && !reflect.DeepEqual(o.chunks, q.chunks) ||
					!(len(o.deltas) == 0 && len(q.deltas) == 0) && !reflect.DeepEqual(o.deltas, q.deltas) {
					t.Fatalf("stroke %d, outline %d differs", i, k)
				}
			}
		}
		if b.packed.Load() != nil || a.least != b.least || a.area.Load() != b.area.Load() {
			t.Fatalf("stroke %d differs", i)
		}
	}
	if other := scribbles(t, 2, 1)[0]; other.TakePrepared(made[0].AppendPrepared(nil)) {
		t.Error("another stroke takes it")
	}
}

func FuzzTakePrepared(f *testing.F) {
	for _, s := range scribbles(f, 3, 4) {
		NewPainter().PrepareAll(s)
		f.Add(s.AppendPrepared(nil)[8:])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s := scribbles(t, 3, 1)[0]
		whole := append([]byte{}, make([]byte, 8)...)
		for i := range 8 {
			whole[i] = byte(s.check() >> (8 * i))
		}
		if s.TakePrepared(append(whole, b...)) {
			NewPainter().Cell(new(raster.Image), s.Home(), []*Stroke{s}) // whatever it is, it is drawn
		}
	})
}
