package ink

import (
	"math"

	"fractal/raster"
)

// splatSize is the largest side, in 1/65536 px, of a stroke's reach that is drawn by its area alone.
const splatSize = raster.One / 2

// speck is the reach of a stroke as it lies on a cell, in 1/65536 px.
type speck struct{ x0, y0, x1, y1 int64 }

// corner places the reach on a cell z ≤ 14 levels finer, whose corner is at (cx, cy) in units of home.
func (s *Stroke) corner(cx, cy int64, z int) speck {
	r := &s.reach
	o := outline{} // on the grid of units
	p := o.place(-cx, -cy, z)
	at := func(v, off int64) int64 { return (v + off) << p.higher >> p.down }
	return speck{at(r.MinX, p.x), at(r.MinY, p.y), at(r.MaxX, p.x), at(r.MaxY, p.y)}
}

// small tells whether the stroke is drawn by its area alone.
func (p speck) small() bool { return p.x1-p.x0 <= splatSize && p.y1-p.y0 <= splatSize }

// splat blends a small stroke: its area in square units, spread evenly over its reach, falls on one to four pixels.
func (p speck) splat(dst *raster.Image, paint *raster.Paint, area float64, z int) {
	weight := math.Ldexp(area, 2*(z-6)+16)
	cols, nx := split(p.x0, p.x1)
	rows, ny := split(p.y0, p.y1)
	for _, r := range rows[:ny] {
		for _, c := range cols[:nx] {
			w := uint32(float64(weight*float64(r.share*c.share)) + 0.5)
			if w > 0 && uint(r.at) < raster.Size && uint(c.at) < raster.Size {
				dst.Blend(c.at, r.at, paint, min(w, raster.Full))
			}
		}
	}
}

// part is the share of an interval that falls on a pixel.
type part struct {
	at    int
	share float64
}

// split cuts an interval not longer than a pixel at the pixels' borders.
func split(a, b int64) (parts [2]part, n int) {
	p, q := a>>16, b>>16
	if border := q << 16; p != q && b > border {
		f := float64(border-a) / float64(b-a)
		return [2]part{{int(p), f}, {int(q), 1 - f}}, 2
	}
	return [2]part{{int(p), 1}}, 1
}

// areaOf measures a stroke's shape, in square units, to half a per cent: circles that lie within a fifth of the mean radius
// of their neighbours' hull are left out.
func (w *workshop) areaOf(s *Stroke) float64 {
	const (
		fine = 0.2
		grid = 256 // to the mean radius
	)
	w.circles = s.Circles(w.circles[:0])
	sum := 0.0
	for _, c := range w.circles {
		sum += c.R
	}
	r := sum / float64(len(w.circles))
	w.circles = w.dec.decimate(w.circles, r*fine)
	k := grid / r
	for i, c := range w.circles {
		w.circles[i] = Circle{(c.X - float64(s.reach.MinX)) * k, (c.Y - float64(s.reach.MinY)) * k, c.R * k}
	}
	area := 0.0
	if w.union(w.circles, grid*fine/4) {
		for _, p := range w.sweep.pieces {
			area -= float64(p.side) * (p.x0 + p.x1) / 2 * (p.y1 - p.y0)
		}
	} else { // a tangle is as large as its parts laid at random
		all := float64(s.reach.MaxX-s.reach.MinX) * float64(s.reach.MaxY-s.reach.MinY) * k * k
		area = all * (1 - math.Exp(-length2(w.circles)*grid/all))
	}
	return max(area, 1) / (k * k)
}
