package raster

import (
	"math/rand/v2"
	"testing"
)

func TestHalvedPixelsAreMeansOfFour(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := new(Image)
	for i := range m.Pix {
		switch rng.IntN(4) {
		case 0:
			m.Pix[i] = 0xffff_ffff_ffff_ffff
		case 1:
			m.Pix[i] = Pixel(rng.Uint64())
		case 2:
			m.Pix[i] = m.Pix[max(i-1, 0)]
		}
	}
	var q Quarter
	q.Halve(m)
	for y := range Half {
		for x := range Half {
			for lane := range 4 {
				sum := uint64(2)
				for _, i := range []int{2*y*Size + 2*x, 2*y*Size + 2*x + 1, (2*y+1)*Size + 2*x, (2*y+1)*Size + 2*x + 1} {
					sum += uint64(m.Pix[i]) >> (16 * lane) & 0xffff
				}
				if got := uint64(q.Pix[y*Half+x]) >> (16 * lane) & 0xffff; got != sum/4 {
					t.Fatalf("pixel %d, %d channel %d is %d, want %d", x, y, lane, got, sum/4)
				}
			}
		}
	}
}

func TestQuartersMakeAnImage(t *testing.T) {
	m := new(Image)
	for i := range 4 {
		q := new(Quarter)
		for k := range q.Pix {
			q.Pix[k] = Pixel(i<<16 | k)
		}
		m.Place(i, q)
	}
	for y := range Size {
		for x := range Size {
			want := Pixel((x/Half|y/Half<<1)<<16 | y%Half*Half + x%Half)
			if got := m.Pix[y*Size+x]; got != want {
				t.Fatalf("pixel %d, %d is %x, want %x", x, y, got, want)
			}
		}
	}
}

func BenchmarkHalve(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	m, q := new(Image), new(Quarter)
	for i := range m.Pix {
		m.Pix[i] = Pixel(rng.Uint64())
	}
	for b.Loop() {
		q.Halve(m)
	}
}
