package raster

import "math/bits"

// One is a pixel in the fixed point of Point.
const One = 1 << 16

// Point is a place in 1/65536 px from the image's corner. Places outside the image are welcome up to 2^46 px away.
type Point struct{ X, Y int64 }

// areaBits is how finely the area within a pixel is summed: 2^28 is a whole pixel, which leaves room for windings of ±7.
const areaBits = 28

// Rasterizer sums the edges of one shape and then paints it. Its zero value is ready; it is empty again after Fill.
// It is scratch of one worker: 520 KiB, no more is ever allocated.
type Rasterizer struct {
	// acc holds for every pixel the edges that pass through it: the rows they cross, signed, in 1/65536 (upper half), and
	// the area to their right within the pixel in 2^-areaBits (lower half, borrowing from the upper when negative).
	acc    [Size * Size]int64
	marks  [Size * Size / 64]uint64 // one bit for every pixel of acc that an edge touched
	y0, y1 int                      // rows y0 ≤ y < y1 may hold marks
}

// Lines adds the edges of a polyline. With wind = +1 an edge going down has the inside at its right; −1 turns that round.
// Together the edges of a shape must cross every horizontal line as often down as up. Horizontal edges count for nothing
// and may be left out.
//
// Every number below is computed from the edge's own ends, never carried on from pixel to pixel: an edge gives the
// same numbers wherever the image's borders cut it.
func (z *Rasterizer) Lines(pts []Point, wind int64) {
	if len(pts) < 2 {
		return
	}
	b := pts[0]
	for _, next := range pts[1:] {
		a := b
		b = next
		s := wind
		x0, y0, x1, y1 := a.X, a.Y, b.X, b.Y
		if y0 >= y1 {
			if y0 == y1 {
				continue
			}
			x0, y0, x1, y1, s = x1, y1, x0, y0, -s
		}
		if y1 <= 0 || y0 >= Size*One || (x0 >= Size*One && x1 >= Size*One) {
			continue
		}
		r0, r1 := y0>>16, (y1-1)>>16
		if r0 == r1 && x0>>16 == x1>>16 && uint64(x0) < Size*One { // most edges of a distant stroke
			z.reach(int(r0), int(r0)+1)
			z.add(int(r0)<<8|int(x0>>16), y1-y0, x0&(One-1)+x1&(One-1), s)
			continue
		}
		z.edge(x0, y0, x1, y1, s)
	}
}

// reach makes room for marks in rows y0 ≤ y < y1.
func (z *Rasterizer) reach(y0, y1 int) {
	if z.y1 == 0 {
		z.y0 = Size
	}
	z.y0 = min(z.y0, y0)
	z.y1 = max(z.y1, y1)
}

// add notes that an edge crosses dy of pixel i's height at a mean distance of fx/2 from its left side.
func (z *Rasterizer) add(i int, dy, fx, s int64) {
	z.acc[i] += s * (dy<<32 + dy*(2*One-fx)>>(33-areaBits))
	z.marks[i>>6] |= 1 << (i & 63)
}

// edge adds one edge with y0 < y1 that meets the image's rows.
func (z *Rasterizer) edge(x0, y0, x1, y1, s int64) {
	slope := 0.0
	if x0 != x1 {
		slope = float64(x1-x0) / float64(y1-y0)
	}
	xa, ya := x0, y0
	if ya < 0 {
		xa, ya = x0+int64(float64(-y0)*slope), 0
	}
	end := min(y1, Size*One)
	z.reach(int(ya>>16), int((end-1)>>16)+1)
	if x0 <= 0 && x1 <= 0 { // left of the image: it only tells the rows that they are inside
		for ya < end {
			yb := min(ya&^(One-1)+One, end)
			z.add(int(ya>>16)<<8, yb-ya, 0, s)
			ya = yb
		}
		return
	}
	for ya < end {
		yb := ya&^(One-1) + One
		xb := x1
		if yb < y1 {
			xb = x0 + int64(float64(yb-y0)*slope)
		} else {
			yb = y1
		}
		row := int(ya>>16) << 8
		ca, cb := xa>>16, xb>>16
		switch {
		case ca == cb:
			if uint64(ca) < Size {
				z.add(row|int(ca), yb-ya, xa&(One-1)+xb&(One-1), s)
			} else if ca < 0 {
				z.add(row, yb-ya, 0, s)
			}
		case ca < cb:
			z.right(row, xa, ya, xb, yb, x0, y0, 1/slope, s)
		default:
			z.left(row, xa, ya, xb, yb, x0, y0, 1/slope, s)
		}
		xa, ya = xb, yb
	}
}

// right walks the pixels of one row from xa to xb > xa. The edge's own start (x0, y0) gives the heights at the pixels'
// borders.
func (z *Rasterizer) right(row int, xa, ya, xb, yb, x0, y0 int64, steep float64, s int64) {
	ca, cb := xa>>16, xb>>16
	at := func(c int64) int64 { return min(max(y0+int64(float64(c<<16-x0)*steep), ya), yb) }
	if ca < 0 {
		y := yb
		if cb >= 0 {
			y = at(0)
		}
		z.add(row, y-ya, 0, s)
		ca, xa, ya = 0, 0, y
	}
	for c := ca; c < Size && c <= cb; c++ {
		if c == cb {
			z.add(row|int(c), yb-ya, xa&(One-1)+xb&(One-1), s)
			return
		}
		y := at(c + 1)
		z.add(row|int(c), y-ya, xa&(One-1)+One, s)
		xa, ya = 0, y
	}
}

// left walks the pixels of one row from xa to xb < xa.
func (z *Rasterizer) left(row int, xa, ya, xb, yb, x0, y0 int64, steep float64, s int64) {
	ca, cb := xa>>16, xb>>16
	at := func(c int64) int64 { return min(max(y0+int64(float64(c<<16-x0)*steep), ya), yb) }
	fx := xa & (One - 1)
	if ca >= Size {
		if cb >= Size {
			return
		}
		ca, fx, ya = Size-1, One, at(Size)
	}
	for c := ca; c >= 0; c-- {
		if c == cb {
			z.add(row|int(c), yb-ya, fx+xb&(One-1), s)
			return
		}
		y := at(c)
		z.add(row|int(c), y-ya, fx, s)
		fx, ya = One, y
	}
	z.add(row, yb-ya, 0, s)
}

// Fill paints the shape on the image and forgets it. A winding beyond 0 and 1 is taken as 1.
func (z *Rasterizer) Fill(dst *Image, p *Paint) {
	for y := z.y0; y < z.y1; y++ {
		acc := (*[Size]int64)(z.acc[y<<8:])
		pix := (*[Size]Pixel)(dst.Pix[y<<8:])
		cover := int64(0) // how much of the row's height is inside, in 1/65536
		x := 0            // pixels left of it are done
		for k := range Size / 64 {
			m := z.marks[y<<2|k]
			if m == 0 {
				continue
			}
			z.marks[y<<2|k] = 0
			for m != 0 {
				i := (k<<6 | bits.TrailingZeros64(m)) & (Size - 1)
				m &= m - 1
				if i > x {
					if w := weight(cover << (areaBits - 16)); w > 0 {
						span(pix[x:i], p, w)
					}
				}
				v := acc[i]
				acc[i] = 0
				area := int64(int32(v))
				w := weight(cover<<(areaBits-16) + area)
				if w > 0 {
					pix[i] = p.blend(pix[i], w)
				}
				cover += (v - area) >> 32
				x = i + 1
			}
		}
		if w := weight(cover << (areaBits - 16)); w > 0 {
			span(pix[x:], p, w)
		}
	}
	z.y0, z.y1 = 0, 0
}

// Mask is a share of Full for every pixel.
type Mask [Size * Size]uint32

// Join adds the shape to a mask as if shares of a pixel were laid at random (a and b make a + b − a·b), and forgets it.
func (z *Rasterizer) Join(m *Mask) {
	z.Sweep(func(y, x0, x1 int, w uint64) {
		for i := y*Size + x0; i < y*Size+x1; i++ {
			m[i] += uint32((Full - uint64(m[i])) * w >> 16)
		}
	})
}

// Join adds a share w ≤ Full to one pixel of the mask as if it were laid at random.
func (m *Mask) Join(x, y int, w uint64) {
	i := y*Size + x
	m[i] += uint32((Full - uint64(m[i])) * w >> 16)
}

// CoveredIn is Covered for the pixels from (x0, y0) to before (x1, y1).
func (m *Mask) CoveredIn(x0, y0, x1, y1 int) bool {
	for y := y0; y < y1; y++ {
		for _, w := range m[y*Size+x0 : y*Size+x1] {
			if w < Full-Full/512 {
				return false
			}
		}
	}
	return true
}

// Covered tells whether no pixel of the mask lacks more than half a step of 8 bits: joining more would not be seen.
func (m *Mask) Covered() bool {
	for _, w := range m {
		if w < Full-Full/512 {
			return false
		}
	}
	return true
}

// Fill paints the shares of a mask on the image and clears it.
func (m *Mask) Fill(dst *Image, p *Paint) {
	for i, w := range m {
		if w > 0 {
			dst.Pix[i] = p.blend(dst.Pix[i], uint64(w))
			m[i] = 0
		}
	}
}

// Sweep tells of all pixels with a share, by rows and from the left, and forgets the shape.
func (z *Rasterizer) Sweep(f func(y, x0, x1 int, w uint64)) {
	for y := z.y0; y < z.y1; y++ {
		cover, x := int64(0), 0
		for k := range Size / 64 {
			m := z.marks[y<<2|k]
			z.marks[y<<2|k] = 0
			for ; m != 0; m &= m - 1 {
				i := k<<6 | bits.TrailingZeros64(m)
				if w := weight(cover << (areaBits - 16)); w > 0 && i > x {
					f(y, x, i, w)
				}
				v := z.acc[y<<8|i]
				z.acc[y<<8|i] = 0
				area := int64(int32(v))
				if w := weight(cover<<(areaBits-16) + area); w > 0 {
					f(y, i, i+1, w)
				}
				cover += (v - area) >> 32
				x = i + 1
			}
		}
		if w := weight(cover << (areaBits - 16)); w > 0 {
			f(y, x, Size, w)
		}
	}
	z.y0, z.y1 = 0, 0
}

// weight takes an area in 2^-areaBits to a share of Full.
func weight(area int64) uint64 {
	return uint64(min(max(area+1<<(areaBits-17), 0)>>(areaBits-16), Full))
}
