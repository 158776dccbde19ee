// Package ink owns strokes: what they are, the brushes, their exact shape, and the pixels they make. It refuses to know
// canvases, logs and sockets.
//
// The shape of a stroke is defined once: its samples, joined as its brush says, give a chain of circles (Circles), and the
// shape is the union of the hulls of consecutive circles. A lone sample is a disc. A stroke never changes once it is made:
// everybody shares pointers to it.
package ink

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"fractal/tile"
	"fractal/wire"
)

const (
	MaxPoints   = 131072  // samples of a stroke
	MaxBytes    = 1 << 20 // of its packed samples
	MaxDiameter = 1 << 20 // units; the least is 1
)

// ErrStroke is what every refused stroke wraps; the rest of the message is for a person.
var ErrStroke = errors.New("ink: bad stroke")

// Point is one sample: its place in units of the stroke's home tile, and the diameter of the ink there, also in units.
type Point struct {
	X, Y int64
	D    int32
}

// Stroke is one line of ink. It is immutable and valid.
type Stroke struct {
	home   tile.ID
	reach  tile.Box
	points []byte // zig-zag varints as in wire.Stroke
	leaps  []leap // of a long stroke
	color  uint32
	width  int32 // diameter of all samples; 0: each has its own
	n      int32
	brush  BrushID

	ready atomic.Pointer[prepared] // how it is drawn, once it has been; never part of what it is
}

// New makes a stroke of samples, refusing what breaks a bound.
func New(home tile.ID, brush BrushID, color uint32, pts []Point) (*Stroke, error) {
	if len(pts) > MaxPoints {
		return nil, fmt.Errorf("%w: %d points, %d are allowed", ErrStroke, len(pts), MaxPoints)
	}
	s := &Stroke{home: home, brush: brush, color: color}
	if len(pts) > 0 {
		s.width = pts[0].D
	}
	for _, p := range pts {
		if err := p.check(); err != nil {
			return nil, err
		}
		if p.D != s.width {
			s.width = 0
		}
	}
	s.points = appendPoints(make([]byte, 0, 4*len(pts)+8), pts, s.width)
	return s, s.validate()
}

// FromWire makes a stroke of a message, refusing what breaks a bound. It keeps the message's bytes of points; nobody may
// write to them any more.
func FromWire(w *wire.Stroke) (*Stroke, error) {
	id := w.GetHome()
	if id == nil {
		return nil, fmt.Errorf("%w: no home tile", ErrStroke)
	}
	home, err := tile.FromWire(id.Level, id.X, id.Y)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStroke, err)
	}
	if w.Brush > 255 {
		return nil, fmt.Errorf("%w: brush %d is not known", ErrStroke, w.Brush)
	}
	if w.Width > MaxDiameter {
		return nil, fmt.Errorf("%w: width of %d units, %d are allowed", ErrStroke, w.Width, MaxDiameter)
	}
	s := &Stroke{home: home, brush: BrushID(w.Brush), color: w.Color, width: int32(w.Width), points: w.Points}
	return s, s.validate()
}

// Wire is the stroke as a message. One that came by FromWire gives the same bytes again.
func (s *Stroke) Wire() *wire.Stroke {
	level, x, y := s.home.Wire()
	return &wire.Stroke{
		Home:   &wire.Tile{Level: level, X: x, Y: y},
		Brush:  uint32(s.brush),
		Color:  s.color,
		Width:  uint32(s.width),
		Points: s.points,
	}
}

// Home is the tile the samples are local to. They may leave it.
func (s *Stroke) Home() tile.ID { return s.home }

// Brush is the row of the brushes table.
func (s *Stroke) Brush() BrushID { return s.brush }

// Color is 0xRRGGBBAA, straight alpha.
func (s *Stroke) Color() uint32 { return s.color }

// Len is the number of samples, at least 1.
func (s *Stroke) Len() int { return int(s.n) }

// Bytes is about what the stroke costs to keep or send.
func (s *Stroke) Bytes() int { return len(s.points) }

// Reach is a box, in units of home, that the whole shape lies in: radii and the curve's swings included.
func (s *Stroke) Reach() tile.Box { return s.reach }

// Touches says whether the reach and the tile share a point.
func (s *Stroke) Touches(id tile.ID) bool { return tile.Touches(s.home, s.reach, id) }

// Points appends the samples to dst.
func (s *Stroke) Points(dst []Point) []Point {
	r := reader{b: s.points, width: s.width}
	for range s.n {
		r.next()
		dst = append(dst, r.p)
	}
	return dst
}

func (p Point) check() error {
	if p.X < -tile.MaxLocal || p.X > tile.MaxLocal || p.Y < -tile.MaxLocal || p.Y > tile.MaxLocal {
		return fmt.Errorf("%w: point (%d, %d) is further than 2^40 units from its tile", ErrStroke, p.X, p.Y)
	}
	if p.D < 1 || p.D > MaxDiameter {
		return fmt.Errorf("%w: width of %d units, 1 to %d are allowed", ErrStroke, p.D, MaxDiameter)
	}
	return nil
}

// validate reads all samples once, counts them and measures the reach. After it the bytes can be read without checks.
func (s *Stroke) validate() error {
	brush, ok := s.brush.Brush()
	if !ok {
		return fmt.Errorf("%w: brush %d is not known", ErrStroke, s.brush)
	}
	if len(s.points) > MaxBytes {
		return fmt.Errorf("%w: %d bytes of points, %d are allowed", ErrStroke, len(s.points), MaxBytes)
	}
	r := reader{b: s.points, width: s.width}
	if s.width != 0 {
		r.p.D = s.width
	}
	m := measure{join: brush.Join, long: len(s.points) >= leapFrom}
	for len(r.b) > 0 {
		if s.n == MaxPoints {
			return fmt.Errorf("%w: more than %d points", ErrStroke, MaxPoints)
		}
		if err := r.checked(); err != nil {
			return err
		}
		m.add(sample{r.p, len(s.points) - len(r.b)})
		s.n++
	}
	if s.n == 0 {
		return fmt.Errorf("%w: no points", ErrStroke)
	}
	m.finish()
	s.reach, s.leaps = m.all.box(), slices.Clip(m.leaps)
	return nil
}

// reader walks packed samples. p is the sample read last.
type reader struct {
	b     []byte
	width int32
	p     Point
}

// next reads one sample of bytes that were validated.
func (r *reader) next() {
	b := r.b
	dx, n := varint(b)
	dy, m := varint(b[n:])
	n += m
	r.p.X += dx
	r.p.Y += dy
	if r.width == 0 {
		dd, m := varint(b[n:])
		n += m
		r.p.D += int32(dd)
	} else {
		r.p.D = r.width
	}
	r.b = b[n:]
}

// checked reads one sample of bytes that nobody has validated.
func (r *reader) checked() error {
	planes := 3
	if r.width != 0 {
		planes = 2
	}
	b := r.b
	for range planes {
		n := 0
		for n < len(b) && b[n]&0x80 != 0 {
			n++
		}
		// 2^41 as a zig-zag is 43 bits: 7 bytes. A last byte of 0 is a longer way to write the same number.
		if n >= len(b) || n >= 7 || n > 0 && b[n] == 0 {
			return fmt.Errorf("%w: points are cut off or garbled", ErrStroke)
		}
		b = b[n+1:]
	}
	if r.width == 0 {
		_, n := varint(r.b)
		_, m := varint(r.b[n:])
		if d, _ := varint(r.b[n+m:]); d < -MaxDiameter || d > MaxDiameter {
			return fmt.Errorf("%w: width out of bounds", ErrStroke)
		}
	}
	r.next() // seven bytes hold 49 bits, so no sum overflows
	return r.p.check()
}

// varint reads a zig-zag varint of valid bytes.
func varint(b []byte) (v int64, n int) {
	u := uint64(b[0])
	if u < 0x80 {
		return int64(u>>1) ^ -int64(u&1), 1
	}
	u &= 0x7f
	for n = 1; ; n++ {
		c := uint64(b[n])
		u |= c & 0x7f << (7 * n)
		if c < 0x80 {
			return int64(u>>1) ^ -int64(u&1), n + 1
		}
	}
}

func appendVarint(b []byte, v int64) []byte {
	u := uint64(v)<<1 ^ uint64(v>>63)
	for u >= 0x80 {
		b = append(b, byte(u)|0x80)
		u >>= 7
	}
	return append(b, byte(u))
}

// appendPoints packs samples; a width of 0 packs their diameters too.
func appendPoints(b []byte, pts []Point, width int32) []byte {
	var last Point
	for _, p := range pts {
		b = appendVarint(b, p.X-last.X)
		b = appendVarint(b, p.Y-last.Y)
		if width == 0 {
			b = appendVarint(b, int64(p.D-last.D))
		}
		last = p
	}
	return b
}

func abs(v int64) int64 { return max(v, -v) }
