package ink

import (
	"math"

	"fractal/raster"
)

const (
	// lookEach is how many hulls of a tangle are painted between two looks at whether more would be seen: one costs as much as
	// a few dozen hulls.
	lookEach = 256

	// fewPixels is how many pixels a hull's box may have to be painted by distances.
	fewPixels = 64
)

// tangled paints a stroke whose overlaps are too many to be removed: the pixels in which they are are resolved one by one, and
// where even those are too many, as a tangle. Which it is depends on the stroke and the cell alone.
func (p *Painter) tangled(dst *raster.Image, s *Stroke, paint *raster.Paint, z int, cx, cy int64) {
	p.fromCircles(s, z, cx, cy)
	if !p.union.Full() {
		p.union.Fill(dst, paint)
		return
	}
	p.union.Drop()
	p.crowd(dst, s, paint, z, cx, cy)
}

// crowd paints a stroke as a tangle.
func (p *Painter) crowd(dst *raster.Image, s *Stroke, paint *raster.Paint, z int, cx, cy int64) {
	c := p.work.coarse(s, z)
	side := math.Ldexp(1, 14-z)
	margin := side / 64
	x, y := float64(cx), float64(cy)
	p.tangle(dst, paint, c, &bounds{x - margin, y - margin, x + side + margin, y + side + margin}, x, y, math.Ldexp(1, z-6))
}

// tangle paints a stroke hull by hull, their shares of a pixel put together as if they lay at random: among so many they nearly
// do. k is px per unit. Its cost is bounded by pixels where hulls lie in crowds: what falls on pixels that are covered is
// left out, and hulls smaller than pixels are their area.
func (p *Painter) tangle(dst *raster.Image, paint *raster.Paint, c *chain, box *bounds, x, y, k float64) {
	if p.mask == nil {
		p.mask = new(raster.Mask)
	}
	// Wide strokes of a million hulls cover the cell with the first few hundred.
	large, covered := 0, false
	c.segments(box, func(i int) {
		if covered {
			return
		}
		a, b := c.circles[i], c.circles[min(i+1, len(c.circles)-1)]
		a = Circle{float64((a.X - x) * k), float64((a.Y - y) * k), float64(a.R * k)}
		b = Circle{float64((b.X - x) * k), float64((b.Y - y) * k), float64(b.R * k)}
		minX, maxX := min(a.X-a.R, b.X-b.R), max(a.X+a.R, b.X+b.R)
		minY, maxY := min(a.Y-a.R, b.Y-b.R), max(a.Y+a.R, b.Y+b.R)
		x0, x1 := pixels(minX, maxX)
		y0, y1 := pixels(minY, maxY)
		switch n := (x1 - x0) * (y1 - y0); {
		case x0 >= x1 || y0 >= y1 || n <= fewPixels && p.mask.CoveredIn(x0, y0, x1, y1):
		case maxX-minX <= 0.5 && maxY-minY <= 0.5:
			p.dab(a, b, minX, minY, maxX, maxY)
		case n <= fewPixels:
			p.smear(a, b, x0, y0, x1, y1)
		default:
			if large++; large%lookEach == 0 {
				covered = p.mask.Covered()
			}
			if !covered {
				p.hull(a, b)
			}
		}
	})
	p.mask.Fill(dst, paint)
}

// pixels is the range of an image's pixels between two places.
func pixels(from, to float64) (int, int) {
	return int(math.Floor(max(from, 0))), int(math.Ceil(min(to, raster.Size)))
}

// dab joins a hull of two circles that is smaller than a pixel to the mask, spread evenly over its box.
func (p *Painter) dab(a, b Circle, minX, minY, maxX, maxY float64) {
	dx, dy, r := b.X-a.X, b.Y-a.Y, a.R+b.R
	area := float64(r*r)*(math.Pi/4) + float64(r*math.Sqrt(float64(dx*dx)+float64(dy*dy)))
	fix := func(v float64) int64 { return int64(math.Floor(v * raster.One)) }
	cols, nx := split(fix(minX), fix(maxX)+1)
	rows, ny := split(fix(minY), fix(maxY)+1)
	for _, r := range rows[:ny] {
		for _, c := range cols[:nx] {
			if uint(r.at) < raster.Size && uint(c.at) < raster.Size {
				p.mask.Join(c.at, r.at, uint64(min(float64(float64(area*raster.Full)*float64(r.share*c.share)), raster.Full)))
			}
		}
	}
}

// smear joins a hull of a few pixels to the mask, each pixel by its distance to the middle line.
func (p *Painter) smear(a, b Circle, x0, y0, x1, y1 int) {
	dx, dy, dr := b.X-a.X, b.Y-a.Y, b.R-a.R
	inv := 0.0
	if dd := float64(dx*dx) + float64(dy*dy); dd > 0 {
		inv = 1 / dd
	}
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			px, py := float64(x)+0.5-a.X, float64(y)+0.5-a.Y
			t := min(max((float64(px*dx)+float64(py*dy))*inv, 0), 1)
			px, py = px-float64(t*dx), py-float64(t*dy)
			r := a.R + float64(t*dr)
			if w := min(r+0.5-math.Sqrt(float64(px*px)+float64(py*py)), 2*r, 1); w > 0 {
				p.mask.Join(x, y, uint64(w*raster.Full))
			}
		}
	}
}

// hull joins a hull of two circles to the mask.
func (p *Painter) hull(a, b Circle) {
	w := &p.work
	w.circles = append(w.circles[:0], a, b)
	for i, c := range w.circles {
		w.circles[i] = Circle{c.X * pxGrid, c.Y * pxGrid, c.R * pxGrid}
	}
	w.contours.Reset()
	fairHull(&w.contours, w.circles, math.Ldexp(flatLod, gridPx)*16)
	from := 0
	for _, end := range w.contours.Ends {
		w.line = w.line[:0]
		for ; from < end; from += 2 {
			w.line = append(w.line, fixed(w.contours.XY[from], w.contours.XY[from+1]))
		}
		p.union.Rasterizer.Lines(append(w.line, w.line[0]), -1)
		p.union.Rasterizer.Join(p.mask)
	}
}
