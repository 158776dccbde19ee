package cell

import (
	"bytes"
	"encoding/binary"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"testing"

	"fractal/raster"
)

// decode reads an encoded image back as packed straight pixels, by image/png.
func decode(t testing.TB, format uint8, data []byte) (pix [pixels]uint32) {
	t.Helper()
	if format == FormatSolid {
		if len(data) != 4 {
			t.Fatalf("one colour in %d bytes", len(data))
		}
		for i := range pix {
			pix[i] = binary.LittleEndian.Uint32(data)
		}
		return pix
	}
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("image/png: %v", err)
	}
	if m.Bounds().Dx() != size || m.Bounds().Dy() != size {
		t.Fatalf("bounds %v", m.Bounds())
	}
	for i := range pix {
		c := color.NRGBAModel.Convert(m.At(i%size, i/size)).(color.NRGBA)
		pix[i] = uint32(c.R) | uint32(c.G)<<8 | uint32(c.B)<<16 | uint32(c.A)<<24
	}
	return pix
}

// check encodes an image and compares every pixel after decoding.
func check(t testing.TB, img *raster.Image) (format uint8, data []byte) {
	t.Helper()
	format, data = Encode([]byte("before"), img)
	if string(data[:6]) != "before" {
		t.Fatal("what was in dst is gone")
	}
	data = data[6:]
	var want [pixels]uint32
	img.Straight8(&want)
	got := decode(t, format, data)
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("pixel %d, %d: decoded %08x, want %08x", i%size, i/size, got[i], want[i])
		}
	}
	return format, data
}

// pixel makes a premultiplied pixel of straight 8-bit channels.
func pixel(r, g, b, a uint8) raster.Pixel {
	pre := func(c uint8) uint64 { return (uint64(c)*257*uint64(a) + 127) / 255 }
	return raster.Pixel(pre(r) | pre(g)<<16 | pre(b)<<32 | uint64(a)*257<<48)
}

// images are the kinds of cells there are, and some there are not.
func images() map[string]*raster.Image {
	rng := rand.New(rand.NewPCG(1, 2))
	all := map[string]*raster.Image{}
	add := func(name string, f func(x, y int) raster.Pixel) {
		m := new(raster.Image)
		for i := range m.Pix {
			m.Pix[i] = f(i%size, i/size)
		}
		all[name] = m
	}
	add("empty", func(x, y int) raster.Pixel { return 0 })
	add("one colour", func(x, y int) raster.Pixel { return pixel(200, 10, 30, 128) })
	add("invisibly different", func(x, y int) raster.Pixel { return raster.Pixel(uint64(x&1) << 48) })
	add("one pixel", func(x, y int) raster.Pixel {
		if x == 255 && y == 255 {
			return pixel(255, 255, 255, 255)
		}
		return 0
	})
	add("two halves", func(x, y int) raster.Pixel { return pixel(uint8(y/128*255), 0, 0, 255) })
	add("columns", func(x, y int) raster.Pixel { return pixel(uint8(x), uint8(255-x), 7, 255) })
	add("256 colours", func(x, y int) raster.Pixel { return pixel(uint8(x^y), 1, 2, 255) })
	add("257 colours", func(x, y int) raster.Pixel {
		if x == 200 && y == 100 {
			return pixel(9, 9, 9, 255)
		}
		return pixel(uint8(x^y), 1, 2, 255)
	})
	add("noise", func(x, y int) raster.Pixel {
		v := rng.Uint32()
		return pixel(uint8(v), uint8(v>>8), uint8(v>>16), uint8(v>>24))
	})
	add("sparse noise", func(x, y int) raster.Pixel {
		v := rng.Uint32()
		if v&31 != 0 {
			return pixel(90, 100, 120, 255)
		}
		return pixel(uint8(v>>8), uint8(v>>16), uint8(v>>16), 255)
	})
	add("disc", func(x, y int) raster.Pixel {
		d := (x-128)*(x-128) + (y-128)*(y-128)
		return pixel(20, 40, 220, uint8(min(max(255-(d-6000)/8, 0), 255)))
	})
	add("257 opaque colours of noise", func(x, y int) raster.Pixel { return pixel(uint8(rng.Uint32()), uint8(x), uint8(y), 255) })
	add("edges of one colour", func(x, y int) raster.Pixel { return pixel(uint8(y/8), 9, 250, uint8(max(0, 255-5*(x%60)*(y%7)))) })
	add("gradient", func(x, y int) raster.Pixel { return pixel(uint8(x), uint8(y), uint8(x+y), uint8(x*y>>8)) })
	return all
}

func TestDecodedImageEqualsDrawnOne(t *testing.T) {
	for name, img := range images() {
		t.Run(name, func(t *testing.T) {
			format, data := check(t, img)
			if wantSolid := name == "empty" || name == "one colour" || name == "invisibly different"; wantSolid != (format == FormatSolid) {
				t.Errorf("format %d", format)
			}
			if len(data) > pixels*4+pixels/8 {
				t.Errorf("%d bytes: more than the pixels themselves", len(data))
			}
			t.Logf("%d bytes", len(data))
		})
	}
}

func TestSkewedImageKeepsCodesShort(t *testing.T) {
	// Fibonacci frequencies make Huffman's code as deep as there are symbols; deflate allows 15 bits.
	img := new(raster.Image)
	a, b, at := 1, 1, 0
	for k := uint8(0); at < pixels; k++ {
		for range a {
			if at < pixels {
				// spread so that no two neighbours are alike
				img.Pix[at*40503%pixels] = pixel(k*9, k*9, k*9, 255)
				at++
			}
		}
		a, b = b, a+b
	}
	check(t, img)
}

func TestSamePixelsGiveSameBytes(t *testing.T) {
	all := images()
	_, first := Encode(nil, all["gradient"])
	Encode(nil, all["noise"])
	Encode(nil, all["256 colours"])
	if _, again := Encode(nil, all["gradient"]); !bytes.Equal(first, again) {
		t.Error("the encoder remembers the image before")
	}
}

func TestEncodingAllocatesNothing(t *testing.T) {
	// With an encoder of its own: the pool of them forgets some on purpose under the race detector.
	img, e := images()["disc"], new(encoder)
	buf := make([]byte, 0, 1<<20)
	e.encode(buf, img)
	// The least of some: whatever else the process allocates meanwhile counts too.
	least := math.Inf(1)
	for range 10 {
		least = min(least, testing.AllocsPerRun(1, func() { e.encode(buf, img) }))
	}
	if least > 0 {
		t.Errorf("%v allocations an image", least)
	}
}

// random is an image of some colours, of runs and of rows that are nearly alike; an odd seed gives an opaque one.
func random(seed uint64, colors, repeat uint8, bytes []byte) *raster.Image {
	rng := rand.New(rand.NewPCG(seed, 0))
	table := make([]raster.Pixel, int(colors)+1)
	for i := range table {
		v := rng.Uint32()
		switch {
		case seed&1 != 0: // opaque
			v |= 0xff << 24
		case i > 0 && v>>29 < 5: // another alpha of the colour before
			v = v&(0xff<<24) | table[i-1].Straight8()&0xffffff
		}
		table[i] = pixel(uint8(v), uint8(v>>8), uint8(v>>16), uint8(v>>24))
	}
	img := new(raster.Image)
	for i := range img.Pix {
		switch v := uint8(rng.Uint32()); {
		case v < repeat && i > 0:
			img.Pix[i] = img.Pix[i-1]
		case v < repeat*2 && i >= size:
			img.Pix[i] = img.Pix[i-size]
		default:
			k := int(rng.Uint32())
			if len(bytes) > 0 {
				k = int(bytes[i%len(bytes)]) ^ k&1
			}
			img.Pix[i] = table[k%len(table)]
		}
	}
	return img
}

func FuzzEncode(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(200), []byte{1, 2, 3, 4})
	f.Add(uint64(7), uint8(255), uint8(0), []byte("abcabcabcabc"))
	f.Add(uint64(6), uint8(255), uint8(40), []byte(nil))
	f.Add(uint64(8), uint8(2), uint8(90), []byte(nil))
	f.Fuzz(func(t *testing.T, seed uint64, colors, repeat uint8, bytes []byte) {
		check(t, random(seed, colors, repeat, bytes))
	})
}

func BenchmarkEncode(b *testing.B) {
	all := images()
	for _, name := range []string{"disc", "sparse noise", "gradient", "noise"} {
		b.Run(name, func(b *testing.B) {
			buf := make([]byte, 0, 1<<20)
			var n int
			for b.Loop() {
				_, data := Encode(buf, all[name])
				n = len(data)
			}
			b.ReportMetric(float64(n), "bytes")
		})
	}
}
