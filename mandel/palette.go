package mandel

import "math"

// Palette turns samples into colours. It looks at the count and its fraction alone, so that colouring anew needs no iteration.
// Colours are 0xRRGGBB.
type Palette struct {
	Name   string
	Colors []uint32 // evenly spaced around a cycle, at least one
	Inside uint32   // of what is in the set, and of what is not known to leave it
	Cycle  float64  // how far √(smooth count) goes in one cycle; > 0
	Offset float64  // of the cycle, in cycles; growing, the colours move
}

// Palettes are those that come with Fractal. A place names its colours itself, so a row may change without changing places.
var Palettes = []Palette{
	{"Classic", []uint32{0x000764, 0x206bcb, 0xedffff, 0xffaa00, 0x310230}, 0x000000, 8, 0},
	{"Fire", []uint32{0x0a0000, 0x7a0c02, 0xe8480c, 0xffc22e, 0xfff7d6, 0xd8590f, 0x4a0503}, 0x000000, 8, 0},
	{"Ice", []uint32{0x020817, 0x0b3c68, 0x3fa7d6, 0xe7fbff, 0x8fd3e8, 0x145374}, 0x00030a, 8, 0},
	{"Forest", []uint32{0x07140b, 0x1f4d2b, 0x6fa34b, 0xe8efb4, 0xb98b3e, 0x4b2e12}, 0x040604, 8, 0},
	{"Dusk", []uint32{0x0d0221, 0x3b1c6b, 0x9b3d8f, 0xff7a6b, 0xffd29d, 0x5a4a9c}, 0x05010d, 8, 0},
	{"Gold", []uint32{0x120a02, 0x5c3a0a, 0xc98b1b, 0xffe9a3, 0xfffdf2, 0x8a5a12}, 0x000000, 8, 0},
	{"Ink on paper", []uint32{0xfbf8f0, 0xd9d3c3, 0x8d8778, 0x2b2a28, 0x8d8778, 0xd9d3c3}, 0x14140f, 8, 0},
	{"Grey", []uint32{0x000000, 0xffffff}, 0x000000, 8, 0},
	{"Rainbow", []uint32{0xe5243b, 0xf7941d, 0xffe14d, 0x4caf50, 0x2196f3, 0x5e35b1}, 0x000000, 8, 0},
	{"Coral reef", []uint32{0x03263a, 0x06626b, 0x2ec4b6, 0xfdfcdc, 0xff9f7a, 0xc44569}, 0x01121c, 8, 0},
	{"Lagoon", []uint32{0x001a2c, 0x00587a, 0x00b8a9, 0xf8f3d4, 0x5fc9c0, 0x083d56}, 0x000a12, 8, 0},
	{"Violet glass", []uint32{0x10002b, 0x3c096c, 0x7b2cbf, 0xe0aaff, 0xfff0ff, 0x5a189a}, 0x06000f, 8, 0},
	{"Zebra", []uint32{0xf5f5f5, 0xf5f5f5, 0x111111, 0x111111}, 0x5b1e1e, 1, 0},
	{"Copper and teal", []uint32{0x081c1f, 0x1f6f78, 0xbfe3dd, 0xf3d9b1, 0xc26a3d, 0x4a1f14}, 0x030809, 8, 0},
}

// shades is how many steps a cycle is looked up in: four for every level of a channel that runs its whole range twice.
const shades = 2048

// Shader is a palette made ready for many samples. It is immutable.
type Shader struct {
	table  [shades]uint32
	inside uint32
	scale  float64
	offset float64
}

// Shader prepares the palette. Missing colours are grey and a cycle that is no positive number is 8, whatever was read from a file.
func (p Palette) Shader() *Shader {
	colors := p.Colors
	if len(colors) == 0 {
		colors = []uint32{0x000000, 0xffffff}
	}
	cycle, offset := p.Cycle, p.Offset
	if !(cycle > 1e-6 && cycle < 1e12) {
		cycle = 8
	}
	if offset -= math.Floor(offset); !(offset >= 0 && offset < 1) {
		offset = 0
	}
	s := &Shader{inside: p.Inside & 0xffffff, scale: shades / cycle, offset: float64(offset * shades)}
	for i := range s.table {
		at := float64(i) * float64(len(colors)) / shades
		k := int(at)
		s.table[i] = mix(colors[k], colors[(k+1)%len(colors)], at-float64(k))
	}
	return s
}

func mix(a, b uint32, t float64) uint32 {
	var c uint32
	for _, shift := range [...]uint{16, 8, 0} {
		x, y := float64(a>>shift&0xff), float64(b>>shift&0xff)
		c |= uint32(x+float64((y-x)*t)+0.5) << shift
	}
	return c
}

// Phases is how many steps a cycle has: a Shader tells no finer ones apart.
const Phases = shades

// Phase is the step of the cycle that a sample which escaped is at. It depends on the palette's Cycle and Offset alone, so that
// pictures made of phases can be given other colours, or have them move, without computing anything again.
func (s *Shader) Phase(a Sample) int {
	v := float64(a.N) + (1 - float64(a.Frac))
	t := float64(math.Sqrt(max(v, 0))*s.scale) + s.offset
	return int(int64(t) & (shades - 1))
}

// At is the colour of a phase, 0xRRGGBB.
func (s *Shader) At(phase int) uint32 { return s.table[phase] }

// Inside is the colour of what does not escape.
func (s *Shader) Inside() uint32 { return s.inside }

// Color returns 0xRRGGBB. A sample that is Pending is shown as if it were inside: ask before.
func (s *Shader) Color(a Sample) uint32 {
	if a.State != Escaped {
		return s.inside
	}
	return s.table[s.Phase(a)]
}
