package ink

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"fractal/raster"
	"fractal/tile"
)

// The reference knows nothing of outlines, windings, grids or levels of detail: the hull of two circles is cut by many
// lines, on each of which the union is a union of intervals.

const refSize = raster.Size

// interval of the hull of two circles at height y.
func hullAt(a, b Circle, y float64) (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	see := func(x float64) { lo, hi = min(lo, x), max(hi, x) }
	for _, c := range []Circle{a, b} {
		if h := c.R*c.R - (y-c.Y)*(y-c.Y); h >= 0 {
			see(c.X - math.Sqrt(h))
			see(c.X + math.Sqrt(h))
		}
	}
	dx, dy := b.X-a.X, b.Y-a.Y
	d := math.Hypot(dx, dy)
	if d > math.Abs(a.R-b.R) {
		c := (a.R - b.R) / d
		q := math.Sqrt(1 - c*c)
		for _, s := range []float64{-1, 1} {
			nx, ny := (c*dx-s*q*dy)/d, (c*dy+s*q*dx)/d
			x0, y0, x1, y1 := a.X+a.R*nx, a.Y+a.R*ny, b.X+b.R*nx, b.Y+b.R*ny
			if y0 != y1 && min(y0, y1) <= y && y <= max(y0, y1) {
				see(x0 + (y-y0)/(y1-y0)*(x1-x0))
			}
		}
	}
	return lo, hi, lo <= hi
}

// reference is the coverage of the pixels of a cell by the shape of circles, in px from its corner.
func reference(circles []Circle, lines int) *[refSize * refSize]float64 {
	out := new([refSize * refSize]float64)
	type iv struct{ lo, hi float64 }
	rows := make([][]int, refSize) // segments by row
	if len(circles) == 1 {
		circles = []Circle{circles[0], circles[0]}
	}
	for i := 0; i+1 < len(circles); i++ {
		a, b := circles[i], circles[i+1]
		lo := max(0, int(math.Floor(max(-1, min(a.Y-a.R, b.Y-b.R)))))
		hi := min(refSize-1, int(math.Floor(min(refSize, max(a.Y+a.R, b.Y+b.R)))))
		for y := lo; y <= hi; y++ {
			rows[y] = append(rows[y], i)
		}
	}
	var all []iv
	for y, segs := range rows {
		if len(segs) == 0 {
			continue
		}
		for l := range lines {
			h := float64(y) + (float64(l)+0.5)/float64(lines)
			all = all[:0]
			for _, i := range segs {
				if lo, hi, ok := hullAt(circles[i], circles[i+1], h); ok && hi > 0 && lo < refSize {
					all = append(all, iv{max(lo, 0), min(hi, refSize)})
				}
			}
			slices.SortFunc(all, func(a, b iv) int {
				if a.lo < b.lo {
					return -1
				}
				return 1
			})
			end := 0.0
			for _, v := range all {
				from := max(v.lo, end)
				if v.hi <= from {
					continue
				}
				end = v.hi
				for x := int(from); x < refSize && float64(x) < v.hi; x++ {
					out[y*refSize+x] += (min(v.hi, float64(x+1)) - max(from, float64(x))) / float64(lines)
				}
			}
		}
	}
	return out
}

// local takes a stroke's circles to px of a cell.
func local(s *Stroke, id tile.ID) []Circle {
	scale, dx, dy, _ := tile.Between(s.Home(), id).Affine()
	c := s.Circles(nil)
	for i := range c {
		c[i] = Circle{(c[i].X*scale + dx) / 64, (c[i].Y*scale + dy) / 64, c[i].R * scale / 64}
	}
	return c
}

// alpha paints strokes on a cell and gives the coverage that comes out.
func alpha(p *Painter, id tile.ID, strokes ...*Stroke) *[refSize * refSize]float64 {
	var img raster.Image
	p.Cell(&img, id, strokes)
	out := new([refSize * refSize]float64)
	for i, px := range img.Pix {
		_, _, _, a := px.RGBA()
		out[i] = float64(a) / 65535
	}
	return out
}

// difference of two coverages in 1/255: the largest, where it is, and the mean over the n pixels either touches.
func difference(a, b *[refSize * refSize]float64) (most, mean float64, at, n int) {
	for i := range a {
		if a[i] == 0 && b[i] == 0 {
			continue
		}
		n++
		d := math.Abs(a[i]-b[i]) * 255
		mean += d
		if d > most {
			most, at = d, i
		}
	}
	return most, mean / float64(max(n, 1)), at, n
}

// compare holds a painted stroke against the reference and reports a picture of words if they differ.
func compare(t testing.TB, p *Painter, s *Stroke, id tile.ID, lines int) (most, mean float64) {
	t.Helper()
	got, want := alpha(p, id, s), reference(local(s, id), lines)
	most, mean, at, n := difference(got, want)
	if most > 5 || n > 100 && mean > 0.6 {
		msg := ""
		for y := max(at/refSize-2, 0); y <= min(at/refSize+2, refSize-1); y++ {
			for x := max(at%refSize-2, 0); x <= min(at%refSize+2, refSize-1); x++ {
				msg += fmt.Sprintf(" %5.3f/%5.3f", got[y*refSize+x], want[y*refSize+x])
			}
			msg += "\n"
		}
		t.Errorf("level %d on cell %v: max %.2f/255 at %d, %d, mean %.4f/255; painted/true around it:\n%s%d points %v", s.Home().Level(), id, most, at%refSize, at/refSize, mean, msg, s.Len(), clipPoints(s.Points(nil)))
	}
	return most, mean
}

func clipPoints(p []Point) []Point { return p[:min(len(p), 12)] }
