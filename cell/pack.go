package cell

import (
	"encoding/binary"

	"fractal/raster"
)

// A packed quarter is runs of pixels in order, until all are there: a varint 2n says that n pixels follow, 2n+1 that n are
// as the one before (transparent at the beginning). Flat colour and emptiness are most of a drawing; the rest is kept as it
// is, because it is read more often than it is written, and never travels.

// PackQuarter appends the packed form of q.
func PackQuarter(dst []byte, q *raster.Quarter) []byte {
	last := raster.Pixel(0)
	for i := 0; i < len(q.Pix); {
		n := i
		for n < len(q.Pix) && q.Pix[n] == last {
			n++
		}
		if n > i {
			dst = binary.AppendUvarint(dst, uint64(n-i)<<1|1)
			i = n
		}
		// Pixels as they are, up to where two in a row are alike.
		for n < len(q.Pix) && q.Pix[n] != last {
			last = q.Pix[n]
			n++
		}
		if n > i {
			dst = binary.AppendUvarint(dst, uint64(n-i)<<1)
			for _, p := range q.Pix[i:n] {
				dst = binary.LittleEndian.AppendUint64(dst, uint64(p))
			}
			i = n
		}
	}
	return dst
}

// UnpackQuarter makes q of its packed form, and says whether it was one.
func UnpackQuarter(q *raster.Quarter, b []byte) bool {
	last := raster.Pixel(0)
	i := 0
	for i < len(q.Pix) {
		v, k := binary.Uvarint(b)
		n := int(min(v>>1, raster.Half*raster.Half+1))
		if k <= 0 || n == 0 || n > len(q.Pix)-i {
			return false
		}
		b = b[k:]
		if v&1 == 1 {
			for k := range q.Pix[i : i+n] {
				q.Pix[i+k] = last
			}
			i += n
			continue
		}
		if len(b) < 8*n {
			return false
		}
		for k := range q.Pix[i : i+n] {
			q.Pix[i+k] = raster.Pixel(binary.LittleEndian.Uint64(b[8*k:]))
		}
		b = b[8*n:]
		i += n
		last = q.Pix[i-1]
	}
	return len(b) == 0
}
