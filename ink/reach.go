package ink

import "fractal/tile"

// span is a box in sixths of a unit: there the control points of a curve's Bézier form and half diameters are whole.
type span struct{ minX, minY, maxX, maxY int64 }

// segmentSpan bounds the hulls of the circles between P1 and P2. A Catmull-Rom segment is the Bézier cubic P1,
// P1+(P2−P0)/6, P2−(P3−P1)/6, P2 and never leaves the hull of those; its radii lie between those of P1 and P2.
func segmentSpan(join Join, p0, p1, p2, p3 Point) span {
	ax, ay, bx, by := 6*p1.X, 6*p1.Y, 6*p2.X, 6*p2.Y
	r, q := 3*int64(p1.D), 3*int64(p2.D)
	s := span{min(ax-r, bx-q), min(ay-r, by-q), max(ax+r, bx+q), max(ay+r, by+q)}
	if join == Curve {
		cx, cy, dx, dy := ax+p2.X-p0.X, ay+p2.Y-p0.Y, bx-p3.X+p1.X, by-p3.Y+p1.Y
		r = max(r, q)
		s = s.union(span{min(cx, dx) - r, min(cy, dy) - r, max(cx, dx) + r, max(cy, dy) + r})
	}
	return s
}

func (s span) union(t span) span {
	return span{min(s.minX, t.minX), min(s.minY, t.minY), max(s.maxX, t.maxX), max(s.maxY, t.maxY)}
}

func (s span) intersects(t span) bool {
	return s.minX <= t.maxX && t.minX <= s.maxX && s.minY <= t.maxY && t.minY <= s.maxY
}

// box rounds outwards to whole units. Cuts of a curve are rounded by up to 1/128 unit, which this covers: a bound that is
// not whole is at least 1/6 from the next whole one.
func (s span) box() tile.Box {
	return tile.Box{MinX: floor6(s.minX), MinY: floor6(s.minY), MaxX: -floor6(-s.maxX), MaxY: -floor6(-s.maxY)}
}

// sixths is a box of whole units.
func sixths(b tile.Box) span { return span{6 * b.MinX, 6 * b.MinY, 6 * b.MaxX, 6 * b.MaxY} }

func floor6(v int64) int64 {
	q := v / 6
	if q*6 > v {
		q--
	}
	return q
}

// sample is one sample and where its bytes end.
type sample struct {
	p   Point
	end int
}

// leap is a stretch of segments of a long stroke that can be passed over as one: what they span, and the samples around the
// start of its first segment, which lies between p1 and p2.
type leap struct {
	span       span
	p0, p1, p2 sample
}

const (
	leapLen  = 256     // segments of a leap: it costs 128 bytes, half a byte a sample
	leapFrom = 2 << 10 // bytes of samples that make a stroke long
)

// measure finds the span of a stroke's shape, and its leaps if it is long, from samples as they come.
type measure struct {
	join       Join
	long       bool
	n          int
	p0, p1, p2 sample // the newest is p2
	all        span
	leaps      []leap
}

func (m *measure) add(p sample) {
	switch m.n {
	case 0:
		m.p1, m.p2 = p, p
		m.all = segmentSpan(Straight, p.p, p.p, p.p, p.p)
	case 1:
		m.p0, m.p1, m.p2 = m.p2, m.p2, p
	default:
		m.segment(p)
		m.p0, m.p1, m.p2 = m.p1, m.p2, p
	}
	m.n++
}

// segment takes in the segment between p1 and p2.
func (m *measure) segment(p3 sample) {
	s := segmentSpan(m.join, m.p0.p, m.p1.p, m.p2.p, p3.p)
	m.all = m.all.union(s)
	if !m.long {
		return
	}
	if (m.n-2)%leapLen == 0 {
		m.leaps = append(m.leaps, leap{s, m.p0, m.p1, m.p2})
	} else {
		l := &m.leaps[len(m.leaps)-1]
		l.span = l.span.union(s)
	}
}

// finish takes in the last segment.
func (m *measure) finish() {
	if m.n > 1 {
		m.segment(m.p2)
	}
}
