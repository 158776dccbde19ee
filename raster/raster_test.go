package raster

import (
	"math"
	"math/rand/v2"
	"testing"
)

func seeded(t testing.TB) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

// cut clips a polygon to one side of a line: the slow and obvious way to a pixel's coverage.
func cut(poly [][2]float64, axis int, at, sign float64) [][2]float64 {
	var out [][2]float64
	for i, b := range poly {
		a := poly[(i+len(poly)-1)%len(poly)]
		da, db := (a[axis]-at)*sign, (b[axis]-at)*sign
		if (da < 0) != (db < 0) {
			t := da / (da - db)
			out = append(out, [2]float64{a[0] + t*(b[0]-a[0]), a[1] + t*(b[1]-a[1])})
		}
		if db >= 0 {
			out = append(out, b)
		}
	}
	return out
}

func area(poly [][2]float64) (sum float64) {
	for i, b := range poly {
		a := poly[(i+len(poly)-1)%len(poly)]
		sum += (a[0]*b[1] - b[0]*a[1]) / 2
	}
	return sum
}

// ring is a star-shaped polygon around a middle: it does not overlap itself.
func ring(r *rand.Rand, n int, x, y, radius float64) [][2]float64 {
	out := make([][2]float64, n)
	for i := range out {
		a := 2 * math.Pi * (float64(i) + r.Float64()*0.9) / float64(n)
		l := radius * (0.2 + r.Float64())
		out[i] = [2]float64{math.Round((x+l*math.Cos(a))*One) / One, math.Round((y+l*math.Sin(a))*One) / One}
	}
	return out
}

// points takes a polygon to a closed polyline, moved by whole pixels.
func points(poly [][2]float64, dx, dy int64) []Point {
	var out []Point
	for i := range len(poly) + 1 {
		p := poly[i%len(poly)]
		out = append(out, Point{int64(p[0]*One) + dx*One, int64(p[1]*One) + dy*One})
	}
	return out
}

func TestCoverageIsTheAreaWithinEachPixel(t *testing.T) {
	r := seeded(t)
	var z Rasterizer
	var img Image
	white := Over(0xffffffff)
	for round := range 300 {
		radius := math.Exp2(r.Float64()*14 - 5)
		poly := ring(r, 3+r.IntN(12), r.Float64()*300-20, r.Float64()*300-20, radius)
		if radius > 200 && r.IntN(2) == 0 { // pass by far away
			poly = poly[:3]
			poly[0][0] += 1e6
			if area(poly) < 0 {
				poly[1], poly[2] = poly[2], poly[1]
			}
		}
		z.Lines(points(poly, 0, 0), -1)
		img.Clear()
		z.Fill(&img, &white)
		for k := range 300 {
			x, y := r.IntN(Size), r.IntN(Size)
			if k < 100 { // where the polygon is
				p := poly[r.IntN(len(poly))]
				x, y = int(p[0])+r.IntN(3)-1, int(p[1])+r.IntN(3)-1
				if x < 0 || y < 0 || x >= Size || y >= Size {
					continue
				}
			}
			in := cut(cut(cut(cut(poly, 0, float64(x), 1), 0, float64(x+1), -1), 1, float64(y), 1), 1, float64(y+1), -1)
			want := area(in)
			if got := float64(img.Pix[y*Size+x]>>48) / 65535; math.Abs(got-want) > 0.0003 {
				t.Fatalf("round %d, pixel %d, %d: coverage %.5f, want %.5f of %v", round, x, y, got, want, poly)
			}
		}
	}
}

func TestCutsOrderAndPlaceChangeNoByte(t *testing.T) {
	r := seeded(t)
	var z Rasterizer
	paint := Over(0x3366cc99)
	for range 100 {
		poly := ring(r, 3+r.IntN(20), 128, 128, 200*r.Float64())
		var one, two, moved Image
		line := points(poly, 0, 0)
		z.Lines(line, -1)
		z.Fill(&one, &paint)
		for _, i := range r.Perm(len(line) - 1) { // edge by edge, some backwards
			if e := []Point{line[i], line[i+1]}; r.IntN(2) == 0 {
				z.Lines(e, -1)
			} else {
				z.Lines([]Point{e[1], e[0]}, 1)
			}
		}
		z.Fill(&two, &paint)
		if one != two {
			t.Fatalf("edge by edge, other bytes: %v", poly)
		}
		dx, dy := int64(r.IntN(300)-150), int64(r.IntN(300)-150)
		z.Lines(points(poly, dx, dy), -1)
		z.Fill(&moved, &paint)
		for y := max(0, -dy); y < min(Size, Size-dy); y++ {
			for x := max(0, -dx); x < min(Size, Size-dx); x++ {
				if one.Pix[y*Size+x] != moved.Pix[(y+dy)*Size+x+dx] {
					t.Fatalf("moved by %d, %d: pixel %d, %d is another; %v", dx, dy, x, y, poly)
				}
			}
		}
	}
}

func TestNothingIsLeftForTheNextShape(t *testing.T) {
	r := seeded(t)
	var z, fresh Rasterizer
	paint := Over(0xff0000ff)
	for range 200 {
		// Shapes within a pixel, on its borders, and across the image's corners.
		poly := ring(r, 3+r.IntN(6), float64(r.IntN(4)*85), float64(r.IntN(4)*85), math.Exp2(r.Float64()*12-8))
		z.Lines(points(poly, 0, 0), -1)
		var img Image
		z.Fill(&img, &paint)
	}
	if z.y0 != 0 || z.y1 != 0 || z.acc != fresh.acc || z.marks != fresh.marks {
		t.Error("edges are left over")
	}
}

func TestSquareOnTheGridIsWhole(t *testing.T) {
	var z Rasterizer
	var img Image
	paint := Over(0x112233ff)
	z.Lines(points([][2]float64{{10, 20}, {30, 20}, {30, 50}, {10, 50}}, 0, 0), -1)
	z.Fill(&img, &paint)
	for i, p := range img.Pix {
		x, y := i%Size, i/Size
		if in := x >= 10 && x < 30 && y >= 20 && y < 50; in && p.Straight8() != 0xff332211 || !in && p != 0 {
			t.Fatalf("pixel %d, %d is %016x", x, y, p)
		}
	}
}

func TestHundredsOfFaintSharesAddUp(t *testing.T) {
	for _, share := range []float64{1. / 500, 1. / 2000, 1. / 4096} {
		for _, color := range []uint32{0xffffffff, 0x804020ff, 0xffffff80} {
			var img Image
			p := Over(color)
			n := int(0.7 / share)
			for range n {
				img.Blend(3, 3, &p, uint32(share*Full))
			}
			a := float64(color&0xff) / 255
			want := 1 - math.Pow(1-a*math.Trunc(share*Full)/Full, float64(n))
			if got := float64(img.Pix[3*Size+3]>>48) / 65535; math.Abs(got-want) > 0.03 {
				t.Errorf("%d shares of %.5f of %08x: alpha %.4f, want %.4f", n, share, color, got, want)
			}
		}
	}
}

func TestStraight8RoundsToNearest(t *testing.T) {
	for a := uint64(1); a <= 65535; a += 13 {
		for _, f := range []uint64{0, 1, 3, 7, 10} {
			c := a * f / 10
			got := Pixel(c | c<<16 | c<<32 | a<<48).Straight8()
			wantA := uint32(math.Round(float64(a) * 255 / 65535))
			want := uint32(math.Floor(float64(c)*255/float64(a) + 0.5))
			if wantA == 0 {
				want = 0
			}
			if got>>24 != wantA || got&0xff != want || got>>8&0xff != want || got>>16&0xff != want {
				t.Fatalf("colour %d, alpha %d: %08x, want %d, alpha %d", c, a, got, want, wantA)
			}
		}
	}
}

func TestBytesAreStraightPixels(t *testing.T) {
	r := seeded(t)
	var img Image
	var words [Size * Size]uint32
	for i := range img.Pix {
		a := r.Uint64N(65536)
		img.Pix[i] = Pixel(r.Uint64N(a+1) | r.Uint64N(a+1)<<16 | r.Uint64N(a+1)<<32 | a<<48)
	}
	img.Straight8(&words)
	b := AppendStraight8(nil, &img)
	for i, w := range words {
		if got := uint32(b[4*i]) | uint32(b[4*i+1])<<8 | uint32(b[4*i+2])<<16 | uint32(b[4*i+3])<<24; got != w {
			t.Fatalf("pixel %d: %08x and %08x", i, got, w)
		}
	}
}

func TestEdgesFarAwayAreHarmless(t *testing.T) {
	var z Rasterizer
	var img Image
	paint := Over(0xffffffff)
	const far = 1 << 56 // 2^40 px
	z.Lines([]Point{{-far, -far}, {far, -far}, {far, far}, {-far, far}, {-far, -far}}, -1)
	z.Fill(&img, &paint)
	for i, p := range img.Pix {
		if p != 0xffff_ffff_ffff_ffff {
			t.Fatalf("pixel %d is %016x in a square that holds everything", i, p)
		}
	}
}

func BenchmarkDisc(b *testing.B) {
	var z Rasterizer
	var img Image
	paint := Over(0x3366ccff)
	var line []Point
	for i := range 129 {
		a := 2 * math.Pi * float64(i%128) / 128
		line = append(line, Point{int64((128 + 100*math.Cos(a)) * One), int64((128 + 100*math.Sin(a)) * One)})
	}
	b.ReportAllocs()
	for b.Loop() {
		z.Lines(line, -1)
		z.Fill(&img, &paint)
	}
}
