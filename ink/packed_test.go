package ink

import (
	"bytes"
	"encoding/binary"
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
	// Small strokes: the fuzzer makes thousands of a second out of what they are prepared to, and finds its way into it.
	small := func(tb testing.TB, i int64) *Stroke {
		pts := []Point{{0, 0, 300}, {2000, 500 * i, 400}, {4000, 0, 300}, {500, 900, 2000}}[:2+i]
		s, err := New(tile.At(0, 0, 0), Liner, 0xff, pts)
		if err != nil {
			tb.Fatal(err)
		}
		return s
	}
	for i := range int64(3) {
		s := small(f, i)
		NewPainter().PrepareAll(s)
		f.Add(uint8(i), s.AppendPrepared(nil)[8:])
	}
	p, img := NewPainter(), new(raster.Image)
	f.Fuzz(func(t *testing.T, i uint8, b []byte) {
		s := small(t, int64(i%3))
		whole := binary.LittleEndian.AppendUint64(nil, s.check())
		if s.TakePrepared(append(whole, b...)) {
			p.Cell(img, s.Home(), []*Stroke{s}) // whatever it is, it is drawn
			p.Cell(img, s.Home().Ancestor(-3), []*Stroke{s})
		}
	})
}
