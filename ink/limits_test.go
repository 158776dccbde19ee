package ink

import (
	"math"
	"math/rand/v2"
	"testing"

	"fractal/raster"
	"fractal/tile"
)

// A drawing cut into cells elsewhere has the same pixels: a cell in the middle of four is made of a quarter of each.
func TestFourCellsAreTheDrawingAcrossThem(t *testing.T) {
	r := seeded(t)
	p := NewPainter()
	const half = raster.Size / 2
	for z := -6; z <= 4; z++ {
		px := int64(64) << 6 >> (z + 6) // units of a px of the cells
		var strokes, moved []*Stroke
		for range 12 {
			pts := scribble(r, 1+r.IntN(40), 200*float64(px)/8, 20*float64(px))
			other := make([]Point, len(pts))
			from := Point{(r.Int64N(512)) * px, (r.Int64N(512)) * px, 0}
			first := pts[0]
			for i, q := range pts {
				pts[i] = Point{q.X - first.X + from.X, q.Y - first.Y + from.Y, min(max(q.D, 1), MaxDiameter)}
				other[i] = Point{pts[i].X - half*px, pts[i].Y - half*px, pts[i].D}
			}
			brush, color := BrushID(1+r.IntN(4)), r.Uint32()|0x80
			for _, both := range []struct {
				into *[]*Stroke
				pts  []Point
			}{{&strokes, pts}, {&moved, other}} {
				s, err := New(tile.At(0, 0, 0), brush, color, both.pts)
				if err != nil {
					t.Fatal(err)
				}
				*both.into = append(*both.into, s)
			}
		}
		var across raster.Image
		p.Cell(&across, tile.At(z, 0, 0), moved)
		if across == (raster.Image{}) {
			t.Errorf("z %d: nothing was painted", z)
		}
		for i := range 4 {
			var img raster.Image
			cx, cy := i&1, i>>1
			p.Cell(&img, tile.At(z, int64(cx), int64(cy)), strokes)
			for y := range half {
				for x := range half {
					if u, v := x+half*(1-cx), y+half*(1-cy); img.Pix[v*raster.Size+u] != across.Pix[(y+half*cy)*raster.Size+x+half*cx] {
						t.Fatalf("z %d, cell %d: pixel %d, %d is another than in the drawing across", z, i, u, v)
					}
				}
			}
		}
	}
}

// Between two zooms a stroke changes from one level of detail to the next. The same shape kept one or two levels finer is drawn
// from other details: what an eye sees at the switch is their difference. 0.02 px along an edge is 5.1/255.
func TestNothingPopsWhereTheDetailChanges(t *testing.T) {
	r := seeded(t)
	p := NewPainter()
	worst, differ := 0.0, false
	for range 30 {
		pts := scribble(r, 20+r.IntN(100), 200, 400)
		for z := -7; z <= 4; z++ {
			first := line(t, tile.At(0, 0, 0), 0xff, pts...)
			id := cellOn(r, first, z)
			was := alpha(p, id, first)
			for up := 1; up <= 2; up++ {
				finer := make([]Point, len(pts))
				for i, q := range pts {
					finer[i] = Point{q.X << up, q.Y << up, q.D << up}
				}
				is := alpha(p, id, line(t, tile.At(up, 0, 0), 0xff, finer...))
				most, _, at, _ := difference(was, is)
				worst, differ = max(worst, most), differ || most > 0
				if most > 0.02*255 {
					t.Errorf("z %d, %d finer: pixel %d, %d changes by %.2f/255", z, up, at%refSize, at/refSize, most)
				}
			}
		}
	}
	if !differ {
		t.Error("no two details differ: this test compares nothing")
	}
	t.Logf("worst %.2f/255", worst)
}

func TestEightThousandStrokesInACellAllCount(t *testing.T) {
	r := seeded(t)
	strokes := make([]*Stroke, 8000)
	left := new([refSize * refSize]float64)
	for i := range left {
		left[i] = 1
	}
	for i := range strokes {
		x, y := 20+r.Float64()*20, 20+r.Float64()*20
		pts := []Point{px(x, y, 0.05+r.Float64()*0.1), px(x+r.NormFloat64(), y+r.NormFloat64(), 0.05+r.Float64()*0.1)}
		strokes[i] = line(t, tile.At(0, 0, 0), 0xff, pts...)
		box := reference(local(strokes[i], tile.At(0, 0, 0)), 256)
		for row := 10; row < 50; row++ {
			for at := row*refSize + 10; at < row*refSize+50; at++ {
				left[at] *= 1 - box[at]
			}
		}
	}
	for i := range left {
		left[i] = 1 - left[i]
	}
	most, mean, at, _ := difference(alpha(NewPainter(), tile.At(0, 0, 0), strokes...), left)
	if most > 5 {
		t.Errorf("pixel %d, %d is wrong by %.2f/255", at%refSize, at/refSize, most)
	}
	t.Logf("max %.3f mean %.4f", most, mean)
}

// A diagonal of 2^50 tiles of the cell: its edge lies at x − y = r·√2, which 1/16 px of the cell is 10^-19 of.
func TestStrokeOfTwoToTheFiftyTilesHasItsEdge(t *testing.T) {
	const z = 23
	s := line(t, tile.At(0, 0, 0), 0xff, Point{-tile.MaxLocal, -tile.MaxLocal, 1}, Point{tile.MaxLocal, tile.MaxLocal, 1})
	c := math.Ldexp(math.Sqrt2/2, z-6) // px
	cx := math.Floor(c / raster.Size)
	got := alpha(NewPainter(), tile.At(z, int64(cx), 0), s)
	edge := c - cx*raster.Size
	// The share of a pixel where x − y ≤ d, d from its corner.
	share := func(d float64) float64 {
		switch {
		case d <= -1:
			return 0
		case d <= 0:
			return (1 + d) * (1 + d) / 2
		case d <= 1:
			return 1 - (1-d)*(1-d)/2
		}
		return 1
	}
	want := new([refSize * refSize]float64)
	for i := range want {
		want[i] = share(edge - float64(i%refSize) + float64(i/refSize))
	}
	if most, _, at, _ := difference(got, want); most > 255.0/16*math.Sqrt2 {
		t.Errorf("pixel %d, %d is wrong by %.2f/255", at%refSize, at/refSize, most)
	} else {
		t.Logf("max %.3f/255", most)
	}
}

// Whether a stroke is a tangle is decided by each cell: beside one that decides otherwise it may be neither lighter nor darker.
// This holds the mean of the columns at the seam only. Single pixels of a tangle are NOT within the 5/255 that hold elsewhere:
// its hulls are put together as if they lay at random, and the test logs how far off that is (89/255 at a diameter of 30).
func TestATangleHasNoSeamBesideACellThatIsNone(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	p := NewPainter()
	for _, d := range []int32{4, 30, 200} {
		pts := make([]Point, 4000)
		for i := range pts { // crowded in the left cell, thinning out far into the right one
			x := int64(tile.Units - 1500 + r.NormFloat64()*700)
			if i%40 == 0 {
				x = tile.Units + r.Int64N(6000)
			}
			pts[i] = Point{x, r.Int64N(tile.Units), d}
		}
		s := line(t, tile.At(0, 0, 0), 0xff, pts...)
		for side := range int64(2) {
			id := tile.At(0, side, 0)
			p.fromCircles(s, 0, side*tile.Units, 0)
			if p.union.Full() != (side == 0) {
				t.Fatalf("diameter %d: cell %d is a tangle: %t", d, side, p.union.Full())
			}
			p.union.Drop()
			got, want := alpha(p, id, s), reference(local(s, id), 32)
			bias, mean, most := 0.0, 0.0, 0.0
			at := 0
			if side == 0 {
				at = refSize - 1
			}
			for y := range refSize {
				e := (got[y*refSize+at] - want[y*refSize+at]) * 255
				bias, mean, most = bias+e/refSize, mean+math.Abs(e)/refSize, max(most, math.Abs(e))
			}
			t.Logf("diameter %d, side %d: bias %.2f mean %.2f max %.2f /255", d, side, bias, mean, most)
			if math.Abs(bias) > 5 {
				t.Errorf("diameter %d, side %d: the column at the seam is wrong by %.2f/255 one way", d, side, bias)
			}
			if side == 1 && most > 5 {
				t.Errorf("diameter %d: beside the tangle, a pixel is wrong by %.2f/255", d, most)
			}
		}
	}
}
