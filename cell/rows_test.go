package cell

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"fractal/raster"
)

// TestConversionRoundsAsThePixelDoes tries, of every alpha and every result, the channels where it begins and ends; both
// conversions grow with the channel, so that they are the same everywhere.
func TestConversionRoundsAsThePixelDoes(t *testing.T) {
	var img raster.Image
	var got [pixels]uint32
	n := 0
	flush := func() {
		and, or := convert(&got, &img.Pix)
		wantAnd, wantOr := ^uint32(0), uint32(0)
		for i, p := range &img.Pix {
			want := p.Straight8()
			wantAnd, wantOr = wantAnd&want, wantOr|want
			if got[i] != want {
				t.Fatalf("pixel %016x is %08x, want %08x", uint64(p), got[i], want)
			}
		}
		if and != wantAnd || or != wantOr {
			t.Fatalf("all of %08x, any of %08x, want %08x and %08x", and, or, wantAnd, wantOr)
		}
		n = 0
	}
	step := uint64(1)
	if testing.Short() {
		step = 97
	}
	for a := uint64(0); a < 1<<16; a += step {
		for k := uint64(0); k <= 255; k++ {
			c := min((2*k+1)*a/510, a) // rounds to k or, just after, to k + 1
			before, after := c-min(c, 1), min(c+1, a)
			img.Pix[n] = raster.Pixel(before | c<<16 | after<<32 | a<<48)
			if n++; n == pixels {
				flush()
			}
		}
	}
	flush()
}

func TestLoopsOfTheProcessorEqualThePlainOnes(t *testing.T) {
	all := images()
	for seed := range uint64(20) {
		all[fmt.Sprint("random ", seed)] = random(seed, uint8(seed*seed*7), uint8(seed*37), nil)
		all[fmt.Sprint("discs ", seed)] = discs(seed)
	}
	white := new(raster.Image) // the greatest sums there are
	for i := range white.Pix {
		white.Pix[i] = ^raster.Pixel(0)
	}
	all["white"] = white
	var got, want struct {
		pix  [pixels]uint32
		like [size]likeness
		sums [size]rowSum
	}
	for name, img := range all {
		and, or := convert(&got.pix, &img.Pix)
		wantAnd, wantOr := convertGo(&want.pix, &img.Pix)
		if and != wantAnd || or != wantOr || got.pix != want.pix {
			t.Fatalf("%s: converted to other pixels", name)
		}
		compare(&got.like, &got.pix)
		compareGo(&want.like, &got.pix)
		for y := range size {
			if got.like[y] != want.like[y] {
				t.Fatalf("%s, row %d: alike are %x, want %x", name, y, got.like[y], want.like[y])
			}
		}
		sum(&got.sums, &got.pix, &got.like)
		sumGo(&want.sums, &got.pix, &got.like)
		for y := range size {
			got, want := got.sums[y], want.sums[y]
			if got.sum != want.sum || got.weighed != want.weighed || got.inner != want.inner {
				t.Fatalf("%s, row %d: sums %v, want %v", name, y, got, want)
			}
		}
	}
}

// TestLikenessIsTrue holds the sets against the pixels themselves.
func TestLikenessIsTrue(t *testing.T) {
	var pix [pixels]uint32
	var like [size]likeness
	for name, img := range images() {
		img.Straight8(&pix)
		compareGo(&like, &pix)
		for y := range size {
			for x := range size {
				p, l := pix[y*size+x], &like[y]
				for from, at := range [2]int{y*size + x - 1, (y-1)*size + x} {
					same, hue := 0, 0
					if from == fromLeft && x > 0 || from == fromAbove && y > 0 {
						if p == pix[at] {
							same = 1
						}
						if p<<8 == pix[at]<<8 {
							hue = 1
						}
					}
					if l.same[from].has(x) != same || l.hue[from].has(x) != hue {
						t.Fatalf("%s, pixel %d, %d: like its neighbour %d: %d %d, want %d %d", name, x, y, from, l.same[from].has(x), l.hue[from].has(x), same, hue)
					}
				}
			}
		}
	}
}

// TestPlainLoopsGiveTheGoldenBytes is that test without the processor's own loops.
func TestPlainLoopsGiveTheGoldenBytes(t *testing.T) {
	c, l, s := convert, compare, sum
	defer func() { convert, compare, sum = c, l, s }()
	convert, compare, sum = convertGo, compareGo, sumGo
	TestEncodedBytesAreTheGoldenOnes(t)
}

func TestRunsOfASet(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		var m mask
		for x, on := 0, false; x < size; on = !on {
			for end := min(size, x+int(rng.Uint32()>>(24+rng.Uint32()%8))); x < end; x++ {
				if on {
					m[x>>3] |= 1 << (x & 7)
				}
			}
		}
		for x := range size {
			run, gap := 0, 0
			for x+run < size && m.has(x+run) == 1 {
				run++
			}
			for x+gap < size && m.has(x+gap) == 0 {
				gap++
			}
			if m.run(x) != run || m.gap(x) != gap {
				t.Fatalf("from %d of %x: %d in it, %d not; want %d and %d", x, m, m.run(x), m.gap(x), run, gap)
			}
		}
	}
}
