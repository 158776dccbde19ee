package raster

// Half is the side of a Quarter in pixels.
const Half = Size / 2

// Quarter is an image at half its size, as it appears on the image of the square that is twice as large.
type Quarter struct {
	Pix [Half * Half]Pixel
}

// Halve makes q of m: each pixel is the mean of four, in each channel (a+b+c+d+2)/4 rounded down. That is monotone, so
// a colour does not exceed its alpha.
func (q *Quarter) Halve(m *Image) {
	const twos = 0x00000002_00000002
	for y := range Half {
		upper, lower := (*[Size]Pixel)(m.Pix[2*y*Size:]), (*[Size]Pixel)(m.Pix[(2*y+1)*Size:])
		to := (*[Half]Pixel)(q.Pix[y*Half:])
		for x := range to {
			a, b, c, d := uint64(upper[2*x]), uint64(upper[2*x+1]), uint64(lower[2*x]), uint64(lower[2*x+1])
			if a == b && a == c && a == d { // most of an image is empty or flat
				to[x] = Pixel(a)
				continue
			}
			even := a&lanes + b&lanes + c&lanes + d&lanes + twos
			odd := a>>16&lanes + b>>16&lanes + c>>16&lanes + d>>16&lanes + twos
			to[x] = Pixel(even>>2&lanes | odd>>2&lanes<<16)
		}
	}
}

// Place puts q where quarter i of the image is: bit 0 is right, bit 1 is lower.
func (m *Image) Place(i int, q *Quarter) {
	at := i&1*Half + i>>1*Half*Size
	for y := range Half {
		copy(m.Pix[at+y*Size:][:Half], q.Pix[y*Half:][:Half])
	}
}
