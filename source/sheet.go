package source

import (
	"math"

	"fractal/raster"
)

// sheet lays bands of colour on an image, from the top, each weighted by the exact area it covers of a pixel: where two share one,
// nothing shows between them.
type sheet struct {
	dst   *raster.Image
	y     int // the row of pixels being gathered
	some  bool
	x0    int // columns in use: x0 ≤ x < x1
	x1    int
	sum   [raster.Size]light
	strip [raster.Size]light // the band being made
	flat  [raster.Size]raster.Pixel
}

// light is red, green, blue and alpha, premultiplied, of 65535.
type light [4]float32

func (s *sheet) begin(dst *raster.Image, x0, x1 float64) {
	s.dst, s.some = dst, false
	s.x0 = int(max(0, math.Floor(x0)))
	s.x1 = int(min(raster.Size, math.Ceil(x1)))
	clear(s.strip[:])
	clear(s.sum[:])
}

func (t texel) light() light { return light{float32(t[0]), float32(t[1]), float32(t[2]), 65535} }

func lightOf(rgb uint32) light {
	return light{float32(rgb >> 16 & 255 * 257), float32(rgb >> 8 & 255 * 257), float32(rgb & 255 * 257), 65535}
}

func (l *light) add(c light, w float32) {
	l[0] += c[0] * w
	l[1] += c[1] * w
	l[2] += c[2] * w
	l[3] += c[3] * w
}

// span adds a colour between two places of the strip.
func (s *sheet) span(from, to float64, c light) {
	from, to = max(from, float64(s.x0)), min(to, float64(s.x1))
	if from >= to {
		return
	}
	x, end := int(from), int(to)
	if x == end {
		s.strip[x].add(c, float32(to-from))
		return
	}
	if w := float64(x+1) - from; w < 1 {
		s.strip[x].add(c, float32(w))
		x++
	}
	for ; x < end; x++ {
		s.strip[x].add(c, 1)
	}
	if w := to - float64(end); w > 0 {
		s.strip[end].add(c, float32(w))
	}
}

// band lays the strip from one height to another, and empties it.
func (s *sheet) band(from, to float64) {
	from, to = max(from, 0), min(to, raster.Size)
	made := false
	for y := int(from); float64(y) < to; y++ {
		h := min(to, float64(y+1)) - max(from, float64(y))
		if h == 1 {
			s.flush()
			if !made {
				made = true
				for x := s.x0; x < s.x1; x++ {
					s.flat[x] = s.strip[x].pixel()
				}
			}
			row := s.dst.Pix[y*raster.Size:][:raster.Size]
			for x := s.x0; x < s.x1; x++ {
				row[x] = over(row[x], s.flat[x])
			}
			continue
		}
		if y != s.y || !s.some {
			s.flush()
			s.y, s.some = y, true
		}
		for x := s.x0; x < s.x1; x++ {
			s.sum[x].add(s.strip[x], float32(h))
		}
	}
	clear(s.strip[s.x0:max(s.x0, s.x1)])
}

// flush paints the row of pixels that was gathered.
func (s *sheet) flush() {
	if !s.some {
		return
	}
	s.some = false
	row := s.dst.Pix[s.y*raster.Size:][:raster.Size]
	for x := s.x0; x < s.x1; x++ {
		row[x] = over(row[x], s.sum[x].pixel())
	}
	clear(s.sum[s.x0:max(s.x0, s.x1)])
}

func (l light) pixel() raster.Pixel {
	a := min(raster.Pixel(l[3]+0.5), 65535)
	p := a << 48
	for i := range 3 {
		p |= min(raster.Pixel(l[i]+0.5), a) << (16 * i)
	}
	return p
}

// over is a premultiplied pixel over another.
func over(under, p raster.Pixel) raster.Pixel {
	a := p >> 48
	if a == 65535 || under == 0 {
		return p
	}
	out := raster.Pixel(0)
	for i := 0; i < 64; i += 16 {
		v := under >> i & 0xffff
		out |= min((v*(65535-a)+32767)/65535+p>>i&0xffff, 65535) << i
	}
	return out
}
