package ink

// Circle is one disc of the chain whose hulls are the stroke's shape, in units of its home tile. Centres are multiples of
// 1/64 unit and radii of 1/32, so that float64 holds them exactly.
type Circle struct{ X, Y, R float64 }

// Curves are expanded by one fixed rule in integers, the same in Go and TypeScript, bit for bit:
//
// Between samples P1 and P2, with neighbours P0 and P3 (at an end, the end itself), runs the uniform Catmull-Rom cubic; with
// d0 = P0−P1, d2 = P2−P1, d3 = P3−P1 and a = d2−d0, b = 2·d0+4·d2−d3, c = 3·(−d2)−d0+d3 it is
//
//	P(t) = P1 + (a·t + b·t² + c·t³)/2
//
// It is cut at t = j/2^k, k ≤ maxCut. Its second derivative b+3c·t is linear, so that 2^k chords err by at most
// max(|b|, |b+3c|)/(8·4^k) units: k is the least that makes it ≤ 2^coarse/4. Cuts are rounded to 1/64 unit (half up), and
// the diameter is linear in t. A coarser cut is a subset of a finer one, to the bit.
const (
	maxCut = 4       // at most 16 chords a segment
	maxHop = 1 << 36 // a segment with a longer coordinate difference stays straight: so all sums stay below 2^53
)

// cuts is k for the segment with the given second derivatives at its ends.
func cuts(bx, by, ex, ey int64, coarse int) int {
	m := max(length(bx, by), length(ex, ey)) >> coarse
	k := 0
	for m > 2 && k < maxCut {
		m = (m + 3) >> 2
		k++
	}
	return k
}

// length is at least the length of (x, y), and at most 12 % more.
func length(x, y int64) int64 {
	x, y = abs(x), abs(y)
	return max(x, y) + min(x, y)>>1
}

// expander turns samples into circles, one segment at a time.
type expander struct {
	join   Join
	coarse int
}

// circle is the disc of a sample.
func circle(p Point) Circle { return Circle{float64(p.X), float64(p.Y), float64(p.D) / 2} }

// segment appends the circles after P1 up to and including P2.
func (e expander) segment(dst []Circle, p0, p1, p2, p3 Point) []Circle {
	if e.join == Straight {
		return append(dst, circle(p2))
	}
	d0x, d0y := p0.X-p1.X, p0.Y-p1.Y
	d2x, d2y := p2.X-p1.X, p2.Y-p1.Y
	d3x, d3y := p3.X-p1.X, p3.Y-p1.Y
	if max(abs(d0x), abs(d0y), abs(d2x), abs(d2y), abs(d3x), abs(d3y)) > maxHop {
		return append(dst, circle(p2))
	}
	bx, by := 2*d0x+4*d2x-d3x, 2*d0y+4*d2y-d3y
	cx, cy := -d0x-3*d2x+d3x, -d0y-3*d2y+d3y
	k := cuts(bx, by, bx+3*cx, by+3*cy, e.coarse)
	if k > 0 {
		ax, ay := d2x-d0x, d2y-d0y
		n := int64(1) << k
		ux, uy, dd := p1.X<<6, p1.Y<<6, int64(p2.D-p1.D)
		for j := int64(1); j < n; j++ {
			// 2·8^k·(P(t)−P1), then in 1/64 units.
			x := j * (ax<<(2*k) + j*(bx<<k+j*cx))
			y := j * (ay<<(2*k) + j*(by<<k+j*cy))
			dst = append(dst, Circle{
				float64(ux+sixtyFourths(x, k)) / 64,
				float64(uy+sixtyFourths(y, k)) / 64,
				float64(int64(p1.D)<<k+dd*j) / float64(2*n),
			})
		}
	}
	return append(dst, circle(p2))
}

// sixtyFourths is v·32/8^k, rounded half up.
func sixtyFourths(v int64, k int) int64 {
	if k == 1 {
		return v << 2
	}
	s := 3*k - 5
	return (v + 1<<(s-1)) >> s
}

// Circles appends the circles of the whole stroke to dst.
func (s *Stroke) Circles(dst []Circle) []Circle { return s.CirclesAt(dst, 0) }

// CirclesAt appends circles whose chords err by up to 2^coarse/4 units: all that can be seen where 2^coarse units are small.
// It is a subset of Circles.
func (s *Stroke) CirclesAt(dst []Circle, coarse int) []Circle {
	brush, _ := s.brush.Brush()
	e := expander{brush.Join, coarse}
	r := reader{b: s.points, width: s.width}
	r.next()
	p0, p1 := r.p, r.p
	dst = append(dst, circle(p1))
	if s.n == 1 {
		return dst
	}
	r.next()
	p2 := r.p
	for i := int32(2); i < s.n; i++ {
		r.next()
		dst = e.segment(dst, p0, p1, p2, r.p)
		p0, p1, p2 = p1, p2, r.p
	}
	return e.segment(dst, p0, p1, p2, p2)
}
