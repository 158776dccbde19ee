package cell

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"sync"

	"fractal/raster"
)

// Formats of an encoded image, as in wire.Image.
const (
	FormatSolid uint8 = 0 // one colour: R, G, B, A straight
	FormatPNG   uint8 = 1 // 256 × 256 pixels
	// FormatPhases is a palette and where in its cycle each pixel lies: see package source, which writes it.
	FormatPhases uint8 = 2
)

// Encode appends the image to dst and says in which format: four bytes when all pixels are alike, a PNG otherwise. It
// loses nothing but what 8 bits of straight alpha cannot hold. The same pixels always give the same bytes.
//
// The PNG is our own: no row filters (they hurt flat colour with smooth edges), matches only with the pixel at the left
// and the pixel above, wholly or but for the alpha (the edge of a stroke on nothing), one dynamic Huffman block, a palette
// where 256 colours suffice, no alpha where all is opaque. That is 20 times faster than image/png and smaller.
func Encode(dst []byte, img *raster.Image) (format uint8, data []byte) {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	return e.encode(dst, img)
}

// encoders keeps the 400 KiB of scratch an encoding needs; there are about as many as drawing slots.
var encoders = sync.Pool{New: func() any { return new(encoder) }}

const (
	size   = raster.Size
	pixels = size * size
)

// encoder is the scratch of one encoding.
type encoder struct {
	pix   [pixels + 1]uint32 // straight R | G<<8 | B<<16 | A<<24; palette indices in palette images, no A in opaque ones
	same  [size]mask         // pixels that are as the one at the left
	runs  []run
	whole [size]bool // rows that are as the one above, filter byte and all: they have no runs
	sum   adler
	pal   palette
	lit   huffman // literals and lengths
	cl    huffman // code lengths of the tree above

	codes   [257]uint32         // of literals and the end: code | bits<<16
	matches [longest + 1]uint32 // of match lengths, extra bits included: code | bits<<24
}

// mask is a set of pixels of one row.
type mask [size/64 + 1]uint64 // the last word is 0: it ends every run

// add puts the pixels from x up to end into the set.
func (m *mask) add(x, end int) {
	for x < end {
		n := min(end-x, 64-x&63)
		m[x>>6] |= ^uint64(0) >> (64 - n) << (x & 63)
		x += n
	}
}

// run is how many of the pixels from x on are in the set.
func (m *mask) run(x int) int {
	w := ^m[x>>6] >> (x & 63)
	if w != 0 {
		return bits.TrailingZeros64(w)
	}
	n := 64 - x&63
	for _, w := range m[x>>6+1:] {
		if w != ^uint64(0) {
			return n + bits.TrailingZeros64(^w)
		}
		n += 64
	}
	panic("cell: a mask without an end")
}

// run is a stretch of pixels of one row: some as they are, then some copied from the left or from above.
type run struct {
	plain  uint16 // pixels as they are
	length uint16 // bytes copied after them; 0 at the end of a row
	count  uint16 // pixels that are copied wholly
	above  uint8  // 1: from above
	tail   uint8  // 1: the pixel after those is copied but for its alpha, which follows as it is
}

func (e *encoder) encode(dst []byte, img *raster.Image) (uint8, []byte) {
	opaque, alike := e.convert(img)
	if alike {
		return FormatSolid, binary.LittleEndian.AppendUint32(dst, e.pix[0])
	}
	dst = append(dst, "\x89PNG\r\n\x1a\n"...)
	head := [13]byte{2: size >> 8, 6: size >> 8, 8: 8, 9: 6}
	bpp := 4
	switch {
	case e.pal.index((*[pixels]uint32)(e.pix[:])):
		head[9], bpp = 3, 1
	case opaque:
		head[9], bpp = 2, 3
		for i := range e.pix {
			e.pix[i] &= 0xffffff
		}
	}
	dst = chunk(dst, "IHDR", head[:])
	if bpp == 1 {
		dst = e.pal.append(dst)
	}
	return FormatPNG, e.appendData(dst, bpp)
}

// convert makes straight pixels of 8 bits of the image, and finds which are as the one at the left.
func (e *encoder) convert(img *raster.Image) (opaque, alike bool) {
	and, or := ^uint32(0), uint32(0) // of all pixels
	for y := range size {
		from, to := (*[size]raster.Pixel)(img.Pix[y*size:]), (*[size]uint32)(e.pix[y*size:])
		same := mask{}
		c := uint32(0)
		for x := 0; x < size; {
			last, was, begin := from[x], c, x
			c = last.Straight8() // flat colour comes in runs, and the division is the dear part
			and, or = and&c, or|c
			to[x] = c
			for x++; x < size && from[x] == last; x++ {
				to[x] = c
			}
			if c != was || begin == 0 { // 8 bits may be alike where 16 differ
				begin++
			}
			same.add(begin, x)
		}
		e.same[y] = same
	}
	return and >= 0xff<<24, and == or
}

// chunk appends one PNG chunk.
func chunk(dst []byte, kind string, body []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(body)))
	from := len(dst)
	dst = append(append(dst, kind...), body...)
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[from:]))
}

// appendData appends the pixels and the end of the file.
func (e *encoder) appendData(dst []byte, bpp int) []byte {
	at := len(dst)
	dst = append(dst, "\x00\x00\x00\x00IDAT\x78\x01"...)
	e.split(bpp)
	dst = e.deflate(dst, bpp)
	dst = binary.BigEndian.AppendUint32(dst, e.sum.value())
	binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-8))
	dst = binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[at+4:]))
	return append(dst, "\x00\x00\x00\x00IEND\xae\x42\x60\x82"...)
}

// enough is a copy from the left that is taken without looking whether one from above would be longer.
const enough = 16

// split cuts the image into runs, counts what they will be written with, and sums them up.
func (e *encoder) split(bpp int) {
	runs := e.runs[:0]
	e.lit.reset(286)
	e.sum = adler{s1: 1}
	f := &e.lit.freq
	f[256] = 1
	shortest := 1
	if bpp == 1 {
		shortest = 3 // deflate has no shorter match
	}
	var sum rowSum
	for y := range size {
		row, left := (*[size]uint32)(e.pix[y*size:]), &e.same[y]
		above := row
		if y > 0 {
			above = (*[size]uint32)(e.pix[(y-1)*size:])
			if *row == *above {
				e.whole[y] = true
				e.count(1 + size*bpp)
				e.sum.add(&sum, bpp)
				continue
			}
		}
		e.whole[y] = false
		f[0]++ // the filter byte of a row
		sum = rowSum{}
		r := run{}
		for x := 0; x < size; {
			p := row[x]
			n := 0
			if left[x>>6]>>(x&63)&1 != 0 {
				n = left.run(x)
			}
			r.above = 0
			if n < enough && p == above[x] && y > 0 {
				m := 1
				for x+m < size && row[x+m] == above[x+m] {
					m++
				}
				if m > n {
					n, r.above = m, 1
				}
			}
			if n < shortest {
				n = 0
			}
			if r.above != 0 {
				for i := x; i < x+n; {
					k := min(1+left.run(i+1), x+n-i)
					sum.repeat(row[i], k)
					i += k
				}
			} else if n > 0 {
				sum.repeat(p, n)
			}
			r.count, r.length, r.tail = uint16(n), uint16(n*bpp), 0
			if x += n; x < size {
				// The pixel that ends the run, or is none.
				p := row[x]
				if bpp == 4 {
					if n > 0 {
						was := row[x-1]
						if r.above != 0 {
							was = above[x]
						}
						if (p^was)<<8 == 0 {
							r.tail = 1
						}
					} else if x > 0 && (p^row[x-1])<<8 == 0 {
						r.tail = 1
					} else if (p^above[x])<<8 == 0 && y > 0 {
						r.above, r.tail = 1, 1
					}
				}
				if r.tail != 0 {
					f[p>>24]++
					sum.add(p)
					r.length += 3
					x++
				} else if n == 0 {
					sum.add(p)
					f[p&0xff]++
					if bpp != 1 {
						f[p>>8&0xff]++
						f[p>>16&0xff]++
						if bpp == 4 {
							f[p>>24]++
						}
					}
					r.plain++
					x++
					continue
				}
			}
			runs = append(runs, r)
			e.count(int(r.length))
			r.plain = 0
		}
		runs = append(runs, run{plain: r.plain})
		e.sum.add(&sum, bpp)
	}
	e.runs = runs
}

// rowSum is what a checksum needs to know of the pixels of a row.
type rowSum struct {
	sum, weighed uint64 // of the bytes; and each as often as pixels follow its own, itself included
	even, odd    uint64 // of the bytes R and B, G and A, in lanes of 16 bits: no row is more than 65,280
}

func (s *rowSum) add(p uint32) {
	even, odd := p&0xff00ff, p>>8&0xff00ff
	s.sum += uint64((even + odd) * 0x10001 >> 16)
	s.weighed += s.sum
	s.even += uint64(even)
	s.odd += uint64(odd)
}

// repeat adds n pixels alike.
func (s *rowSum) repeat(p uint32, n int) {
	even, odd, k := p&0xff00ff, p>>8&0xff00ff, uint64(n)
	all := uint64((even + odd) * 0x10001 >> 16)
	s.weighed += s.sum*k + all*(k*(k+1)/2)
	s.sum += all * k
	s.even += uint64(even) * k
	s.odd += uint64(odd) * k
}

// adler is the checksum of the rows as they are before compression (RFC 1950).
type adler struct{ s1, s2 uint64 }

// add adds a row of bpp bytes a pixel, and the filter byte before it. The k-th byte before the row's end counts k-fold in s2.
func (a *adler) add(r *rowSum, bpp int) {
	const prime = 65521
	inner := r.odd&0xffff + r.odd>>16*3 + r.even>>16*2
	weighed := r.weighed*uint64(bpp) - inner
	a.s2 = (a.s2 + a.s1*uint64(1+size*bpp) + weighed) % prime
	a.s1 = (a.s1 + r.sum) % prime
}

func (a *adler) value() uint32 { return uint32(a.s2<<16 | a.s1) }

// longest is the longest match deflate can say.
const longest = 258

// piece is how many bytes of a match of n go into the next code: as many as possible, but never so many that one or two
// are left, which no code could say.
func piece(n int) int {
	if n <= longest {
		return n
	}
	return min(longest, n-3)
}

func (e *encoder) count(n int) {
	for n > 0 {
		k := piece(n)
		e.lit.freq[257+int(lengthCode[k])]++
		n -= k
	}
}

// palette numbers the colours of an image in order of appearance.
type palette struct {
	colors [256]uint32
	n      int
	key    [1024]uint32 // open hash table: colour and
	num    [1024]uint16 // its number + 1; 0 is free
}

// index replaces the pixels by their numbers, or leaves them alone and reports false when there are more than 256.
func (p *palette) index(pix *[pixels]uint32) bool {
	clear(p.num[:])
	p.n = 0
	last, num := pix[0], p.find(pix[0])
	for _, c := range pix {
		if c != last {
			if last, num = c, p.find(c); num < 0 {
				return false
			}
		}
	}
	for i, c := range pix {
		if c != last {
			last, num = c, p.find(c)
		}
		pix[i] = uint32(num)
	}
	return true
}

func (p *palette) find(c uint32) int {
	for h := c * 0x9e3779b1 >> 22; ; h = (h + 1) & 1023 {
		switch {
		case p.num[h] == 0:
			if p.n == len(p.colors) {
				return -1
			}
			p.colors[p.n] = c
			p.n++
			p.key[h], p.num[h] = c, uint16(p.n)
			return p.n - 1
		case p.key[h] == c:
			return int(p.num[h]) - 1
		}
	}
}

// append appends the PLTE and tRNS chunks.
func (p *palette) append(dst []byte) []byte {
	var rgb [768]byte
	var alpha [256]byte
	for i, c := range p.colors[:p.n] {
		rgb[3*i], rgb[3*i+1], rgb[3*i+2], alpha[i] = byte(c), byte(c>>8), byte(c>>16), byte(c>>24)
	}
	dst = chunk(dst, "PLTE", rgb[:3*p.n])
	n := p.n
	for n > 0 && alpha[n-1] == 0xff {
		n--
	}
	if n > 0 {
		dst = chunk(dst, "tRNS", alpha[:n])
	}
	return dst
}
