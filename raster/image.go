// Package raster turns edges into exact pixel coverage and coverage into premultiplied pixels.
//
// It owns the 256 × 256 image, the accumulation of signed areas and the blending; it refuses to know strokes and tiles.
// The method is the signed-area accumulation of libart, FreeType and font-rs, kept in integers: sums of integers do not
// depend on the order of the edges, so the same shape gives the same bytes however it was cut into pieces. It is exact
// for outlines that do not overlap themselves; who hands over a shape removes its overlaps first.
package raster

// Size is the side of an Image in pixels.
const Size = 256

// Pixel is one premultiplied pixel, 16 bits a channel: R | G<<16 | B<<32 | A<<48. Sixteen bits because a coverage of
// 1/500 must leave a trace: hundreds of them are a scene seen from far away.
type Pixel uint64

// RGBA returns the premultiplied channels.
func (p Pixel) RGBA() (r, g, b, a uint16) {
	return uint16(p), uint16(p >> 16), uint16(p >> 32), uint16(p >> 48)
}

// Straight8 returns the pixel with 8 bits a channel, not premultiplied, as R | G<<8 | B<<16 | A<<24. Whatever rounds to
// alpha 0 is 0, so that invisible pixels are all alike.
func (p Pixel) Straight8() uint32 {
	a := uint32(p >> 48)
	if a == 0xffff {
		r, g, b := uint32(p&0xffff), uint32(p>>16&0xffff), uint32(p>>32&0xffff)
		return to8(r) | to8(g)<<8 | to8(b)<<16 | 0xff<<24
	}
	a8 := to8(a)
	if a8 == 0 {
		return 0
	}
	// round(c · 255 / a) by one division: with c ≤ a < 2^16 the product is wrong by less than 2^-24, upwards.
	inv := 255<<40/uint64(a) + 1
	r := (uint64(p&0xffff)*inv + 1<<39) >> 40
	g := (uint64(p>>16&0xffff)*inv + 1<<39) >> 40
	b := (uint64(p>>32&0xffff)*inv + 1<<39) >> 40
	return uint32(r | g<<8 | b<<16 | uint64(a8)<<24)
}

// to8 is round(v · 255 / 65535) for v ≤ 65535.
func to8(v uint32) uint32 { return (v*255 + 32895) >> 16 }

// Image is a square of premultiplied pixels, row by row from the top.
type Image struct {
	Pix [Size * Size]Pixel
}

// Clear makes every pixel transparent.
func (m *Image) Clear() { clear(m.Pix[:]) }

// Straight8 converts the whole image; see Pixel.Straight8.
func (m *Image) Straight8(dst *[Size * Size]uint32) {
	last, was := Pixel(0), uint32(0)
	for i, p := range &m.Pix {
		if p != last { // flat colour comes in runs, and the division is the dear part
			last, was = p, p.Straight8()
		}
		dst[i] = was
	}
}

// AppendStraight8 appends the image as 8-bit R, G, B, A bytes, not premultiplied.
func AppendStraight8(dst []byte, m *Image) []byte {
	for _, p := range &m.Pix {
		s := p.Straight8()
		dst = append(dst, byte(s), byte(s>>8), byte(s>>16), byte(s>>24))
	}
	return dst
}
