package cell

import (
	"encoding/binary"
	"math/bits"

	"fractal/raster"
)

// The loops over all pixels. A processor may have faster ones, which give the same.
var (
	// convert makes straight pixels of 8 bits, and the conjunction and disjunction of all of them.
	convert = convertGo
	// compare finds which pixels are like their neighbours.
	compare = compareGo
	// sum finds what a checksum needs to know of the rows; the likeness is only to be faster.
	sum = sumGo
)

// mask is a set of pixels of one row: 8 a byte, and nothing in the last 8 bytes, which end every run.
type mask [size/8 + 8]byte

// from is the set of the pixels from x ≤ size on, at least 57 of them.
func (m *mask) from(x int) uint64 { return m.word(x>>3) >> (x & 7) }

func (m *mask) word(i int) uint64 { return binary.LittleEndian.Uint64(m[i:]) }

func (m *mask) put(i int, v uint64) { binary.LittleEndian.PutUint64(m[i:], v) }

// has is 1 when the pixel is in the set.
func (m *mask) has(x int) int { return int(m[x>>3] >> (x & 7) & 1) }

// full is whether all pixels are in the set.
func (m *mask) full() bool { return m.word(0)&m.word(8)&m.word(16)&m.word(24) == ^uint64(0) }

// run is how many of the pixels from x ≤ size on are in the set.
func (m *mask) run(x int) int {
	n := bits.TrailingZeros64(^m.word(x>>3) >> (x & 7))
	if n == 64 {
		return m.runOn(x)
	}
	return n
}

func (m *mask) runOn(x int) int {
	for at := x; ; at = at&^7 + 64 {
		if n := bits.TrailingZeros64(^m.word(at>>3) >> (at & 7)); n < 64 {
			return at + n - x
		}
	}
}

// gap is how many of the pixels from x ≤ size on are not in the set.
func (m *mask) gap(x int) int {
	n := bits.TrailingZeros64(m.from(x))
	if n == 64 {
		return m.gapOn(x)
	}
	return n
}

func (m *mask) gapOn(x int) int {
	for at := x; at < size; at = at&^7 + 64 {
		if n := bits.TrailingZeros64(m.from(at)); n < 64 {
			return at + n - x
		}
	}
	return size - x
}

// Where a pixel is copied from.
const (
	fromLeft  = 0
	fromAbove = 1
)

// likeness says which pixels of a row are as the one at the left and the one above: wholly, or in hue, that is but for the
// alpha, which may be the same, too. What is beyond the image is like nothing.
type likeness struct {
	same, hue [2]mask
}

// whole is whether the row is as the one above.
func (l *likeness) whole() bool { return l.same[fromAbove].full() }

func convertGo(dst *[pixels]uint32, src *[pixels]raster.Pixel) (and, or uint32) {
	and = ^uint32(0)
	for i := 0; i < pixels; {
		last := src[i]
		c := last.Straight8() // flat colour comes in runs, and the division is the dear part
		and, or = and&c, or|c
		for ; i < pixels && src[i] == last; i++ {
			dst[i] = c
		}
	}
	return and, or
}

func compareGo(like *[size]likeness, pix *[pixels]uint32) {
	compareFirst(&like[0], (*[size]uint32)(pix[:]))
	for y := 1; y < size; y++ {
		above, row := (*[size]uint32)(pix[(y-1)*size:]), (*[size]uint32)(pix[y*size:])
		l := &like[y]
		if *row == *above {
			for i := 0; i < size/8; i += 8 {
				l.same[fromLeft].put(i, like[y-1].same[fromLeft].word(i))
				l.hue[fromLeft].put(i, like[y-1].hue[fromLeft].word(i))
				l.same[fromAbove].put(i, ^uint64(0))
				l.hue[fromAbove].put(i, ^uint64(0))
			}
			continue
		}
		left := ^row[0]
		for i := range size / 64 {
			var same, sameHue, up, upHue uint64
			row, above := (*[64]uint32)(row[64*i:]), (*[64]uint32)(above[64*i:])
			for x, p := range row { // from the top down: it is faster than a shift by x
				d, u := p^left, p^above[x]
				left = p
				same = same>>1 | zero(d)<<63
				up = up>>1 | zero(u)<<63
				sameHue = sameHue>>1 | zero(d<<8)<<63
				upHue = upHue>>1 | zero(u<<8)<<63
			}
			l.same[fromLeft].put(8*i, same)
			l.same[fromAbove].put(8*i, up)
			l.hue[fromLeft].put(8*i, sameHue)
			l.hue[fromAbove].put(8*i, upHue)
		}
	}
}

// zero is 1 for 0.
func zero(v uint32) uint64 {
	if v == 0 {
		return 1
	}
	return 0
}

// compareFirst is compare of the first row.
func compareFirst(l *likeness, row *[size]uint32) {
	*l = likeness{}
	left, leftHue := &l.same[fromLeft], &l.hue[fromLeft]
	for x := 1; x < size; x++ {
		d := row[x] ^ row[x-1]
		left[x>>3] |= byte(zero(d) << (x & 7))
		leftHue[x>>3] |= byte(zero(d<<8) << (x & 7))
	}
}

// rowSum is what a checksum needs to know of the bytes R, G, B, A of a row.
type rowSum struct {
	sum     uint32
	weighed uint32 // each as often as pixels follow its own, itself included
	inner   uint32 // each as often as bytes precede it in its pixel
	_       uint32
}

func sumGo(sums *[size]rowSum, pix *[pixels]uint32, like *[size]likeness) {
	for y := range size {
		if like[y].whole() {
			sums[y] = sums[y-1]
			continue
		}
		// Two pixels a step, in lanes of 16 bits, of which none comes to 65,536 in a row.
		const lanes, wide = 0x00ff00ff00ff00ff, 0x0000ffff0000ffff
		var even, odd, all, low, high uint64 // bytes R and B; G and A; all; and those as often as steps follow their own
		row := (*[size]uint32)(pix[y*size:])
		for x := 0; x < size; x += 2 {
			p := uint64(row[x]) | uint64(row[x+1])<<32
			e, o := p&lanes, p>>8&lanes
			even += e
			odd += o
			all += e + o
			low += all & wide
			high += all >> 16 & wide
		}
		total := func(v uint64) uint32 { return uint32(v) + uint32(v>>32) }
		b, a := total(even>>16&wide), total(odd>>16&wide)
		sums[y] = rowSum{
			sum:     total(all&wide) + total(all>>16&wide),
			weighed: 2*(total(low)+total(high)) - uint32(all>>32&0xffff) - uint32(all>>48), // the second pixel once less
			inner:   total(odd&wide) + 2*b + 3*a,
		}
	}
}

// adler is the checksum of the rows as they are before compression (RFC 1950).
type adler struct{ s1, s2 uint64 }

// add adds a row of bpp bytes a pixel, and the filter byte before it. The k-th byte before the row's end counts k-fold in s2.
func (a *adler) add(r *rowSum, bpp int) {
	const prime = 65521
	sum, weighed := uint64(r.sum), uint64(r.weighed)*uint64(bpp)-uint64(r.inner)
	if bpp == 3 { // the pixels are opaque, and their alpha is not written
		sum -= 255 * size
		weighed -= 255 * (3*size*(size+1)/2 - 3*size)
	}
	a.s2 = (a.s2 + a.s1*uint64(1+size*bpp) + weighed) % prime
	a.s1 = (a.s1 + sum) % prime
}

func (a *adler) value() uint32 { return uint32(a.s2<<16 | a.s1) }
