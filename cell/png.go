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
	pix  [pixels + 1]uint32 // straight R | G<<8 | B<<16 | A<<24; palette indices in palette images
	like [size]likeness
	sums [size]rowSum
	runs []run // of the rows that are not as the one above, filter byte and all
	pal  palette
	freq [4][256]uint32     // of literals, by channel: four counters do not wait for each other
	long [size*4 + 4]uint32 // of matches, by bytes
	lit  huffman            // literals and lengths
	cl   huffman            // code lengths of the tree above

	codes   [257]uint32            // of literals and the end: code | bits<<16
	matches [2][longest + 1]uint64 // of matches from the left and from above, extra bits and distance included: code | bits<<56
}

// run is a stretch of pixels of one row: some as they are, then some copied from the left or from above.
//
//	 0 pixels as they are
//	16 bytes copied after them; 0 at the end of a row
//	32 pixels that are copied wholly
//	48 1: from above
//	49 1: the pixel after those is copied but for its alpha, which follows as it is
type run uint64

func (e *encoder) encode(dst []byte, img *raster.Image) (uint8, []byte) {
	pix := (*[pixels]uint32)(e.pix[:])
	and, or := convert(pix, &img.Pix)
	if and == or {
		return FormatSolid, binary.LittleEndian.AppendUint32(dst, e.pix[0])
	}
	compare(&e.like, pix)
	dst = append(dst, "\x89PNG\r\n\x1a\n"...)
	head := [13]byte{2: size >> 8, 6: size >> 8, 8: 8, 9: 6}
	bpp := 4
	switch {
	case e.pal.index(pix, &e.like):
		head[9], bpp = 3, 1
	case and >= 0xff<<24: // opaque
		head[9], bpp = 2, 3
	}
	dst = chunk(dst, "IHDR", head[:])
	if bpp == 1 {
		dst = e.pal.append(dst)
	}
	return FormatPNG, e.appendData(dst, bpp)
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
	dst = binary.BigEndian.AppendUint32(dst, e.adler(bpp))
	binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-8))
	dst = binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[at+4:]))
	return append(dst, "\x00\x00\x00\x00IEND\xae\x42\x60\x82"...)
}

// enough is a copy from the left that is taken without looking whether one from above would be longer.
const enough = 16

// split cuts the image into runs, and counts what they will be written with. There are ten thousand runs in a dense cell, and no
// telling what they are like: so there is hardly a branch on it.
func (e *encoder) split(bpp int) {
	e.lit.reset(286)
	e.freq = [4][256]uint32{}
	e.long = [len(e.long)]uint32{}
	runs := e.runs[:0]
	for y := range size {
		l := &e.like[y]
		if l.whole() {
			e.long[1+size*bpp]++
			continue
		}
		e.freq[0][0]++ // the filter byte of a row
		copied := l.copied(bpp)
		row := e.pix[y*size : (y+1)*size+1]
		for x := 0; ; {
			n := copied.gap(x)
			if bpp == 1 {
				for _, p := range row[x : x+n] {
					e.freq[0][p&0xff]++
				}
			}
			if x += n; x == size {
				runs = append(runs, run(n))
				break
			}
			k, up := l.same[fromLeft].run(x), l.same[fromAbove].run(x)
			higher := less(k, up) & less(k, enough)
			k += (up - k) & -higher
			above := higher | less(k, 1)&(1^l.hue[fromLeft].has(x))
			x += k
			// The pixel that ends the run, or is none.
			tail := l.hue[above&1].has(x)
			length := k*bpp + 3*tail
			runs = append(runs, run(n|length<<16|k<<32|above<<48|tail<<49))
			e.long[length]++
			e.freq[3][row[x]>>24] += uint32(tail)
			x += tail
		}
		if bpp > 1 {
			e.literals(row, &copied, bpp)
		}
	}
	f := &e.lit.freq
	f[256] = 1
	for _, channel := range &e.freq {
		for i, n := range &channel {
			f[i] += n
		}
	}
	for length, n := range &e.long {
		for n > 0 && length > 0 {
			k := piece(length)
			f[257+int(lengthCode[k])] += n
			length -= k
		}
	}
	e.runs = runs
}

// less is 1 where a < b, and 0 elsewhere.
func less(a, b int) int { return int(uint(a-b) >> 63) }

// copied is the set of pixels that may be in a match.
func (l *likeness) copied(bpp int) (m mask) {
	if bpp == 1 { // deflate has no match of less than 3; and indices have no alpha
		for i := 0; i < size/8; i += 8 {
			for _, s := range &l.same {
				w, next := s.word(i), uint64(s[i+8])
				m.put(i, m.word(i)|w&(w>>1|next<<63)&(w>>2|next<<62))
			}
		}
		l.hue = [2]mask{}
		return m
	}
	for i := 0; i < size/8; i += 8 {
		m.put(i, l.hue[fromLeft].word(i)|l.hue[fromAbove].word(i))
	}
	return m
}

// literals counts the pixels of a row that are written as they are.
func (e *encoder) literals(row []uint32, copied *mask, bpp int) {
	f := &e.freq
	for i := 0; i < size/8; i += 8 {
		pix := (*[64]uint32)(row[8*i:])
		w := ^copied.word(i)
		if bpp == 3 {
			for ; w != 0; w &= w - 1 {
				p := pix[bits.TrailingZeros64(w)&63]
				f[0][p&0xff]++
				f[1][p>>8&0xff]++
				f[2][p>>16&0xff]++
			}
		}
		for ; w != 0; w &= w - 1 {
			p := pix[bits.TrailingZeros64(w)&63]
			f[0][p&0xff]++
			f[1][p>>8&0xff]++
			f[2][p>>16&0xff]++
			f[3][p>>24]++
		}
	}
}

// adler is the checksum of the rows as they are before compression (RFC 1950).
func (e *encoder) adler(bpp int) uint32 {
	sum(&e.sums, (*[pixels]uint32)(e.pix[:]), &e.like)
	a := adler{s1: 1}
	for y := range &e.sums {
		a.add(&e.sums[y], bpp)
	}
	return a.value()
}

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
