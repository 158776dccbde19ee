package source

import (
	"math"
	"sync"

	"github.com/go-fonts/dejavu/dejavusansmono"
	"github.com/go-fonts/dejavu/dejavusansmonobold"
	"github.com/go-fonts/dejavu/dejavusansmonoboldoblique"
	"github.com/go-fonts/dejavu/dejavusansmonooblique"
	"golang.org/x/image/font/sfnt"
	font26 "golang.org/x/image/math/fixed"

	"fractal/raster"
)

// The proportions of a grid cell, the same in the page: it is cellWide × cellHigh, its font such that a glyph advances by
// cellWide, on a line baseline from the top.
const (
	cellWide = 8.0
	cellHigh = 16.0
	baseline = 12.3
)

// face is one of the four styles of the font.
type face uint8

const (
	faceBold face = 1 << iota
	faceOblique
)

// fonts are the four styles, parsed when the first terminal is drawn.
var fonts = sync.OnceValue(func() (f [4]*sfnt.Font) {
	for i, data := range [...][]byte{dejavusansmono.TTF, dejavusansmonobold.TTF, dejavusansmonooblique.TTF, dejavusansmonoboldoblique.TTF} {
		var err error
		if f[i], err = sfnt.Parse(data); err != nil {
			panic("source: the font cannot be read: " + err.Error())
		}
	}
	return f
})

// spot is a place in a grid cell, from its upper left corner.
type spot struct{ x, y float32 }

// glyph is an outline in a grid cell, cellWide × cellHigh. Contours are closed; those with an inside run down at the left.
type glyph struct {
	contours [][]spot
	missing  bool      // the font has it not: a half-tone block stands for it
	ink      [2]uint16 // mean coverage of the upper and the lower half, of 65535; of a wide glyph, of a half as wide as it is
	inked    bool
}

// glyphKey names an outline, flattened for one size.
type glyphKey struct {
	r    rune
	face face
	wide bool
	size int8 // the outline is good up to 4^size px a unit
}

// maxGlyphs bounds the outlines a slot keeps: about 2 MB. Then it begins anew.
const maxGlyphs = 4096

// glyphs is what a slot keeps of the font.
type glyphs struct {
	buf  sfnt.Buffer
	seen map[glyphKey]*glyph
}

// sizeOf is the size class of so many px a unit.
func sizeOf(k float64) int8 {
	n := int8(0)
	for s := 1.0; s < k && n < 12; s *= 4 {
		n++
	}
	return n
}

// get is the outline of a rune at a size, nil for one that leaves no ink.
func (g *glyphs) get(r rune, f face, wide bool, size int8) *glyph {
	key := glyphKey{r, f, wide, size}
	if o, ok := g.seen[key]; ok {
		return o
	}
	if len(g.seen) >= maxGlyphs || g.seen == nil {
		g.seen = map[glyphKey]*glyph{}
	}
	o := g.make(key)
	g.seen[key] = o
	return o
}

func (g *glyphs) make(key glyphKey) *glyph {
	if contours, ok := shape(key.r, math.Pow(4, float64(key.size))); ok {
		return &glyph{contours: contours}
	}
	if blank(key.r) {
		return nil
	}
	font := fonts()[key.face]
	i, err := font.GlyphIndex(&g.buf, key.r)
	if i == 0 && err == nil && key.face != 0 { // the upright style has more
		font = fonts()[0]
		i, err = font.GlyphIndex(&g.buf, key.r)
	}
	width := float32(cellWide)
	if key.wide {
		width *= 2
	}
	if err == nil && i != 0 {
		em := font.UnitsPerEm()
		segments, err := font.LoadGlyph(&g.buf, i, font26.I(int(em)), nil)
		if err == nil {
			advance, err := font.GlyphAdvance(&g.buf, i, font26.I(int(em)), 0)
			if err != nil || advance == 0 {
				advance = font26.I(int(em) * 1233 / 2048)
			}
			s := float32(cellWide) / (float32(em) * 1233 / 2048)
			c := flattener{scale: s / 64, dx: (width - float32(advance)*s/64) / 2, dy: baseline, tolerance: 0.04 / float32(math.Pow(4, float64(key.size)))}
			if !key.wide {
				c.dx = 0
			}
			return &glyph{contours: c.flatten(segments)}
		}
	}
	return &glyph{missing: true, contours: [][]spot{rect(1, 2, width-1, cellHigh-2)}}
}

// blank is whether a rune leaves no ink and takes no room of its own.
func blank(r rune) bool {
	switch {
	case r <= ' ', r >= 0x7f && r <= 0xa0, r == 0xad, r == 0x3000:
		return true
	case r >= 0x2000 && r <= 0x200f, r >= 0x2028 && r <= 0x202f, r >= 0x205f && r <= 0x206f, r == 0xfeff:
		return true
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0000 && r <= 0xe0fff, r == 0x2800:
		return true
	}
	return false
}

// flattener turns a font's curves into lines no further from them than the tolerance.
type flattener struct {
	scale, dx, dy, tolerance float32
	contours                 [][]spot
	line                     []spot
}

func (c *flattener) at(p font26.Point26_6) spot {
	return spot{float32(p.X)*c.scale + c.dx, float32(p.Y)*c.scale + c.dy}
}

func (c *flattener) flatten(segments sfnt.Segments) [][]spot {
	for i := range segments {
		s := &segments[i]
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			c.end()
			c.line = append(c.line, c.at(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			c.line = append(c.line, c.at(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			c.quad(c.at(s.Args[0]), c.at(s.Args[1]))
		case sfnt.SegmentOpCubeTo: // DejaVu has none
			c.line = append(c.line, c.at(s.Args[2]))
		}
	}
	c.end()
	return c.contours
}

func (c *flattener) quad(b, d spot) {
	a := c.line[len(c.line)-1]
	bend := math.Hypot(float64(a.x-2*b.x+d.x), float64(a.y-2*b.y+d.y)) / 4
	n := max(1, int(math.Ceil(math.Sqrt(bend/float64(c.tolerance)))))
	for i := 1; i <= n; i++ {
		t := float32(i) / float32(n)
		u := 1 - t
		c.line = append(c.line, spot{u*u*a.x + 2*u*t*b.x + t*t*d.x, u*u*a.y + 2*u*t*b.y + t*t*d.y})
	}
}

// end closes a contour. A font's run up at the left of what is inside; ours run down.
func (c *flattener) end() {
	if n := len(c.line); n > 2 {
		l := make([]spot, 0, n+1)
		for i := n - 1; i >= 0; i-- {
			l = append(l, c.line[i])
		}
		if l[0] != l[n-1] {
			l = append(l, l[0])
		}
		c.contours = append(c.contours, l)
	}
	c.line = c.line[:0]
}

// rect is a contour.
func rect(x0, y0, x1, y1 float32) []spot {
	return []spot{{x0, y0}, {x0, y1}, {x1, y1}, {x1, y0}, {x0, y0}}
}

// coverage is the mean ink of a glyph's halves. z must be empty.
func (g *glyph) coverage(z *raster.Rasterizer, pts []raster.Point, wide bool) [2]uint16 {
	if g.inked {
		return g.ink
	}
	// In the middle of 24 × 48 px, so that what hangs over counts as well.
	const k = 2.0
	width := cellWide * k
	if wide {
		width *= 2
	}
	pts = g.edges(z, pts, 64, 64, k)
	var m coverage
	m.mid = 64 + cellHigh*k/2
	m.sum(z)
	for i, v := range m.halves {
		if g.missing {
			v /= 2
		}
		g.ink[i] = uint16(min(v/(width*cellHigh*k/2)*65535, 65535))
	}
	g.inked = true
	return g.ink
}

// coverage sums what a shape covers above and below a line of pixels.
type coverage struct {
	mid    int
	halves [2]float64
}

func (m *coverage) sum(z *raster.Rasterizer) {
	z.Sweep(func(y, x0, x1 int, w uint64) {
		half := 0
		if y >= m.mid {
			half = 1
		}
		m.halves[half] += float64(x1-x0) * float64(w) / raster.Full
	})
}

// edges gives the outline to a rasterizer, its cell's corner at (x, y) px and k px a unit. It returns the scratch.
func (g *glyph) edges(z *raster.Rasterizer, pts []raster.Point, x, y, k float64) []raster.Point {
	x, y, k = x*raster.One, y*raster.One, k*raster.One
	for _, c := range g.contours {
		pts = pts[:0]
		for _, s := range c {
			pts = append(pts, raster.Point{X: int64(x + float64(s.x)*k), Y: int64(y + float64(s.y)*k)})
		}
		z.Lines(pts, 1)
	}
	return pts
}
