package raster

// Full is the weight of a wholly covered pixel.
const Full = 1 << 16

// Paint is what covers a pixel: a colour laid over what is there, or nothing but its removal.
type Paint struct {
	even, odd uint64 // premultiplied channels R, B and G, A in 32-bit lanes; 0 for an eraser
	alpha     uint64 // 0 … 65536, above the alpha in odd unless 0
}

// Over is a paint that lays a straight-alpha colour 0xRRGGBBAA over the image.
func Over(color uint32) Paint {
	a := uint64(color&0xff) * 257
	pre := func(c uint32) uint64 { return (uint64(c&0xff)*257*a + 32767) / 65535 }
	return Paint{
		even:  pre(color>>24) | pre(color>>8)<<32,
		odd:   pre(color>>16) | a<<32,
		alpha: a + min(a, 1),
	}
}

// Erase is a paint that takes the share alpha/255 of what is there away (destination-out).
func Erase(alpha uint8) Paint {
	a := uint64(alpha) * 257
	return Paint{alpha: a + a>>15}
}

// opaque paint replaces what it wholly covers.
func (p *Paint) opaque() bool { return p.alpha == Full }

// pixel is the paint as a pixel of its own.
func (p *Paint) pixel() Pixel { return Pixel(p.even | p.odd<<16) }

const (
	lanes = 0x0000ffff_0000ffff
	halve = 0x00008000_00008000
)

// blend returns d with the share w (0 … Full) of the paint on it:
//
//	d' = round((d·(2^16 − alpha·w) + c·w) / 2^16)
//
// for all channels alike. It is monotone in d and c, so a colour never exceeds its alpha. No lane can carry into the next:
// with c < alpha (Over sees to it) the sum stays below 65536·2^16 however alpha·w is rounded.
func (p *Paint) blend(d Pixel, w uint64) Pixel {
	t := Full - (p.alpha*w+Full/2)>>16
	even := (uint64(d)&lanes)*t + p.even*w + halve
	odd := (uint64(d)>>16&lanes)*t + p.odd*w + halve
	return Pixel(even>>16&lanes | odd&^lanes)
}

// Blend lays the share w (0 … Full) of paint on one pixel of the image.
func (m *Image) Blend(x, y int, p *Paint, w uint32) {
	i := y*Size + x
	m.Pix[i] = p.blend(m.Pix[i], uint64(w))
}

// Cover lays paint on every pixel of the image, wholly.
func (m *Image) Cover(p *Paint) { span(m.Pix[:], p, Full) }

// span blends the same share of a paint onto neighbouring pixels.
func span(pix []Pixel, p *Paint, w uint64) {
	if w == Full && p.opaque() {
		c := p.pixel()
		for i := range pix {
			pix[i] = c
		}
		return
	}
	t := Full - (p.alpha*w+Full/2)>>16
	even, odd := p.even*w+halve, p.odd*w+halve
	for i, d := range pix {
		e := (uint64(d)&lanes)*t + even
		o := (uint64(d)>>16&lanes)*t + odd
		pix[i] = Pixel(e>>16&lanes | o&^lanes)
	}
}
