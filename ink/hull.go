package ink

import "math"

// Outline is a set of closed contours.
type Outline struct {
	XY   []float64 // x, y of one vertex after the other
	Ends []int     // per contour, the length of XY where it ends

	left []float64 // the way back of the contour being made, in reverse
}

// Reset empties the outline and keeps its memory.
func (o *Outline) Reset() { o.XY, o.Ends = o.XY[:0], o.Ends[:0] }

// flatPx is how far, in px, a contour may be from the true outline.
const flatPx = 0.1

// thinLine bounds what may be left out of lines thinner than a pixel, in radii: a scene seen from afar is made of them, and
// each has to tint its pixel by its area.
const thinLine = 4

// Hull appends the union of the hulls of consecutive circles, as contours to be filled non-zero, flattened to 0.1 px at
// `scale` px per unit.
//
// Every contour is a sum of positively turning parts (x to the right, y down: Σ x·y' − x'·y > 0), so no winding number is
// ever below 0 and none is 0 inside: per pair of circles the hexagon between the tangents (with both centres as corners), per
// joint the sectors that open between two hexagons, per end a cap. Where a joint closes on one side instead of opening, the
// contour goes through the centre, which adds nothing to the sum. (Without the centre the winding number would count how
// often the circle passes over a point, which is as good, but not once arcs are flattened.) Where the chain turns sharply, or
// one circle holds the next, the contour ends in a cap and another begins: then every sector is below a half turn and its
// side is certain.
//
// Only + − × ÷ √, products rounded before they are added: TypeScript gives the same bits.
func Hull(dst *Outline, circles []Circle, scale float64) {
	h := huller{out: dst, tol: flatPx / 2 / scale} // half for flattened arcs, half for circles left out
	h.chain(circles)
}

// fairHull is Hull within tol, and with corners outside of the arcs by as much as the chords between them are inside:
// where Hull's contours are everywhere a little within the shape, these have its area.
func fairHull(dst *Outline, circles []Circle, tol float64) {
	h := huller{out: dst, tol: tol, fair: true}
	h.chain(circles)
}

func (h *huller) chain(circles []Circle) {
	if len(circles) == 0 {
		return
	}
	a := circles[0]  // the newest circle of the chain
	covered := false // a lone circle `a` would lie within its neighbour's hull
	for i := 1; i < len(circles); i++ {
		b := circles[i]
		dx, dy := b.X-a.X, b.Y-a.Y
		d, dr := math.Sqrt(float64(dx*dx)+float64(dy*dy)), a.R-b.R
		if d == 0 && dr == 0 || i < len(circles)-1 && d+math.Abs(dr) <= min(h.tol, thinLine*a.R) {
			continue // too little has changed to be seen; the last circle always counts
		}
		if d <= math.Abs(dr) {
			// One holds the other: their hull is the larger. The chain breaks; it is the larger one that must not be lost.
			if h.open {
				h.finish(a)
			} else if !covered && dr >= 0 {
				h.disc(a)
			}
			covered = dr >= 0
			a = b
			continue
		}
		var s side
		s.ux, s.uy = dx/d, dy/d
		c := dr / d // cosine between u and the normals: below 1 by half an ulp at least, so no arc is a half turn
		q := math.Sqrt(max(0, 1-float64(c*c)))
		s.t = float64(d * q)
		s.lx, s.ly = float64(c*s.ux)-float64(q*s.uy), float64(c*s.uy)+float64(q*s.ux)
		s.rx, s.ry = float64(c*s.ux)+float64(q*s.uy), float64(c*s.uy)-float64(q*s.ux)
		if h.open && !h.in.joins(&s) {
			h.finish(a)
		}
		if h.open {
			h.joint(a, s)
		} else {
			h.begin(a, s)
		}
		h.in, covered = s, false
		a = b
	}
	if h.open {
		h.finish(a)
	} else if !covered {
		h.disc(a)
	}
}

// side is the hull of two circles, seen from either: the direction u from one to the other, and the normals of the two
// tangents. Positive turning puts the side with normal l to the "left" (u turned by +90° when radii are equal), r opposite.
type side struct {
	ux, uy float64
	lx, ly float64
	rx, ry float64
	t      float64 // length of the tangents
}

type huller struct {
	out  *Outline
	tol  float64
	in   side // the side that leads to the newest circle
	open bool // a contour has begun
	fair bool // see fairHull
}

// joins says whether the next side may go on in the same contour: all turns well below a right angle.
func (in *side) joins(s *side) bool {
	return float64(in.ux*s.ux)+float64(in.uy*s.uy) > 0 &&
		float64(in.lx*s.lx)+float64(in.ly*s.ly) > 0 &&
		float64(in.rx*s.rx)+float64(in.ry*s.ry) > 0
}

// begin opens a contour at circle a with the cap behind it, from the left tangent round the back to the right one.
func (h *huller) begin(a Circle, s side) {
	h.open = true
	h.out.left = h.out.left[:0]
	h.at(a, s.lx, s.ly)
	h.arcTo(a, s.lx, s.ly, -s.ux, -s.uy)
	h.arcTo(a, -s.ux, -s.uy, s.rx, s.ry)
	if h.fair {
		h.at(a, s.rx, s.ry)
	}
}

// finish closes the contour at circle a with the cap ahead, from the right tangent to the left one, and the way back.
func (h *huller) finish(a Circle) {
	h.open = false
	s := &h.in
	h.at(a, s.rx, s.ry)
	h.arcTo(a, s.rx, s.ry, s.ux, s.uy)
	h.arcTo(a, s.ux, s.uy, s.lx, s.ly)
	if h.fair {
		h.at(a, s.lx, s.ly)
	}
	o := h.out
	for i := len(o.left) - 2; i >= 0; i -= 2 {
		o.XY = append(o.XY, o.left[i], o.left[i+1])
	}
	o.Ends = append(o.Ends, len(o.XY))
}

// joint goes on from the side that led to circle a to side s.
func (h *huller) joint(a Circle, s side) {
	in, o := &h.in, h.out
	short := float64(0.25 * min(in.t, s.t))
	if h.fair {
		short *= 1.9
	}

	// On the right, forward is towards positive turning; the left is made forward too, and reversed in finish.
	opens := float64(in.rx*s.ry)-float64(in.ry*s.rx) > 0
	if mx, my, ok := h.middle(a.R, short, in.rx, in.ry, s.rx, s.ry, !opens); ok {
		h.at(a, mx, my)
	} else if h.at(a, in.rx, in.ry); opens {
		h.arcTo(a, in.rx, in.ry, s.rx, s.ry)
		if h.fair {
			h.at(a, s.rx, s.ry)
		}
	} else {
		o.XY = append(o.XY, a.X, a.Y)
		h.at(a, s.rx, s.ry)
	}

	o.XY, o.left = o.left, o.XY
	opens = float64(in.lx*s.ly)-float64(in.ly*s.lx) < 0
	if mx, my, ok := h.middle(a.R, short, in.lx, in.ly, s.lx, s.ly, !opens); ok {
		h.at(a, mx, my)
	} else if h.at(a, in.lx, in.ly); opens {
		h.arcTo(a, in.lx, in.ly, s.lx, s.ly)
		if h.fair {
			h.at(a, s.lx, s.ly)
		}
	} else {
		o.XY = append(o.XY, a.X, a.Y)
		h.at(a, s.lx, s.ly)
	}
	o.XY, o.left = o.left, o.XY
}

// middle is the one normal that can stand for two, where nobody sees the difference, nor do the corners of a hexagon slide
// past each other. In fair contours it is longer: it leads to where the two tangents meet. Where the joint closes that is the
// true corner, at any angle.
func (h *huller) middle(r, short, x1, y1, x2, y2 float64, closes bool) (mx, my float64, ok bool) {
	mx, my = x1+x2, y1+y2
	l := math.Sqrt(float64(mx*mx) + float64(my*my))
	mx, my = mx/l, my/l
	c := float64(x1*mx) + float64(y1*my)
	ok = float64(r*(1-c)) <= h.tol
	if h.fair {
		ok = (ok || closes) && float64(r*math.Abs(float64(x1*my)-float64(y1*mx))) <= float64(short*c)
		return mx / c, my / c, ok
	}
	ok = ok && float64(r*math.Abs(float64(x1*my)-float64(y1*mx))) <= short
	return mx, my, ok
}

// disc is a contour of its own.
func (h *huller) disc(a Circle) {
	h.arcTo(a, 1, 0, 0, 1)
	h.arcTo(a, 0, 1, -1, 0)
	h.arcTo(a, -1, 0, 0, -1)
	h.arcTo(a, 0, -1, 1, 0)
	h.out.Ends = append(h.out.Ends, len(h.out.XY))
}

// at adds the point of circle a in direction n.
func (h *huller) at(a Circle, nx, ny float64) {
	h.out.XY = append(h.out.XY, a.X+float64(a.R*nx), a.Y+float64(a.R*ny))
}

// arcTo adds the arc of circle a from direction 1 (not its point) to direction 2 (its point), less than half a turn away, by
// halving until the arc is flat. In float64 that ends after 28 halvings at the latest.
func (h *huller) arcTo(a Circle, x1, y1, x2, y2 float64) {
	mx, my := x1+x2, y1+y2
	l := math.Sqrt(float64(mx*mx) + float64(my*my))
	mx, my = mx/l, my/l
	if c := float64(x1*mx) + float64(y1*my); float64(a.R*(1-c)) <= h.tol {
		if h.fair { // in the middle: R·√(φ / sin φ·cos φ) for an arc of 2φ
			out := 1 + float64(2.0/3*(1-c))
			h.at(a, float64(mx*out), float64(my*out))
			return
		}
		h.at(a, x2, y2)
		return
	}
	h.arcTo(a, x1, y1, mx, my)
	h.arcTo(a, mx, my, x2, y2)
}
