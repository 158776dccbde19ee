package raster

import (
	"math"
	"math/bits"
)

// Union is a Rasterizer for shapes that may overlap themselves: it paints where the winding number is not 0. That needs no
// preparation of the shape, and costs a little for every edge and more for every pixel in which parts of the shape meet
// that do not follow each other; those are resolved from the edges within them.
//
// Its zero value is ready. It is scratch of one worker: 800 KiB, and up to maxShreds·24 bytes for the largest shape seen.
type Union struct {
	Rasterizer // in use for one shape at a time, like the Union

	twice  [Size * Size / 64]uint64 // pixels in which the shape may overlap itself
	newest [Size * Size]uint32      // for every pixel base plus the number of its newest shred, counted from 1; not above base: none
	base   uint32
	shreds []shred

	tag, since int32 // see Pass

	in      []shred // of the pixel being resolved
	heights [2*fewShreds + 2]int32
	cut     []line
	changes []change
	across  []crossing
	lines   [denseLines + 1][denseCols + 1]int32
}

// shred is the part of an edge within a pixel, in 1/65536 px from the pixel's corner, y0 ≤ y1. Those that are level are kept:
// they may be all that is seen of an edge.
type shred struct {
	x0, y0, x1, y1 int32
	next           uint32 // what newest was before: the one before it in the same pixel
	first          int32  // the least tag in the pixel up to here, doubled; + 1 where the winding to the right is less by 1
}

// maxShreds bounds the memory of one shape.
const maxShreds = 1 << 18

// Pass says of the edges that follow that they are part number tag of the shape, and that they do not overlap with those of
// parts from number since on. Numbers rise.
func (u *Union) Pass(tag, since int32) { u.tag, u.since = tag, since }

// Full says that the shape has too many edges; it must be dropped.
func (u *Union) Full() bool { return len(u.shreds) > maxShreds }

// Edge adds an edge of a contour, the inside at the right of those that go up. Contours are closed, turn
// positively (Σ x·y' − x'·y > 0), and nowhere is the sum of their winding numbers negative. Level edges count too.
func (u *Union) Edge(a, b Point) {
	s := int64(-1)
	x0, y0, x1, y1 := a.X, a.Y, b.X, b.Y
	if y0 > y1 {
		x0, y0, x1, y1, s = x1, y1, x0, y0, 1
	}
	if y1 <= 0 || y0 >= Size*One || (x0 >= Size*One && x1 >= Size*One) {
		return
	}
	if r := y0 >> 16; x0>>16 == x1>>16 && uint64(x0) < Size*One && y0 >= 0 && r == max(y1-1, y0)>>16 {
		u.reach(int(r), int(r)+1)
		u.shred(int(r)<<8|int(x0>>16), x0&(One-1), y0, x1&(One-1), y1, s)
		return
	}
	if y0 == y1 {
		if y0&(One-1) != 0 { // on the border of a row it is seen in neither
			u.reach(int(y0>>16), int(y0>>16)+1)
			u.row(x0, y0, x1, y1, x0, y0, 0, s)
		}
		return
	}
	slope := float64(x1-x0) / float64(y1-y0)
	steep := 0.0
	if x0 != x1 {
		steep = float64(y1-y0) / float64(x1-x0)
	}
	xa, ya := x0, y0
	if ya < 0 {
		xa, ya = x0+int64(float64(-y0)*slope), 0
	}
	end := min(y1, Size*One)
	u.reach(int(ya>>16), int((end-1)>>16)+1)
	for ya < end {
		yb := ya&^(One-1) + One
		xb := x1
		if yb < y1 {
			xb = x0 + int64(float64(yb-y0)*slope)
		} else {
			yb = y1
		}
		u.row(xa, ya, xb, yb, x0, y0, steep, s)
		xa, ya = xb, yb
	}
}

// row adds the part of an edge in one row. The edge's start and steepness give the heights at the pixels' borders.
func (u *Union) row(xa, ya, xb, yb, x0, y0 int64, steep float64, s int64) {
	row := int(ya>>16) << 8
	ca, cb := xa>>16, xb>>16
	at := func(c int64) int64 { return min(max(y0+int64(float64(c<<16-x0)*steep), ya), yb) }
	switch {
	case ca == cb:
		if uint64(ca) < Size {
			u.shred(row|int(ca), xa&(One-1), ya, xb&(One-1), yb, s)
		} else if ca < 0 {
			u.add(row, yb-ya, 0, s)
		}
	case ca < cb:
		fx := xa & (One - 1)
		if ca < 0 {
			y := yb
			if cb >= 0 {
				y = at(0)
			}
			u.add(row, y-ya, 0, s)
			ca, fx, ya = 0, 0, y
		}
		for c := ca; c < Size && c <= cb; c++ {
			if c == cb {
				u.shred(row|int(c), fx, ya, xb&(One-1), yb, s)
				return
			}
			y := at(c + 1)
			u.shred(row|int(c), fx, ya, One, y, s)
			fx, ya = 0, y
		}
	default:
		fx := xa & (One - 1)
		if ca >= Size {
			if cb >= Size {
				return
			}
			ca, fx, ya = Size-1, One, at(Size)
		}
		for c := ca; c >= 0; c-- {
			if c == cb {
				u.shred(row|int(c), fx, ya, xb&(One-1), yb, s)
				return
			}
			y := at(c)
			u.shred(row|int(c), fx, ya, 0, y, s)
			fx, ya = One, y
		}
		u.add(row, yb-ya, 0, s)
	}
}

// shred adds the part of an edge within pixel i.
func (u *Union) shred(i int, xa, ya, xb, yb, s int64) {
	dy := yb - ya
	u.acc[i] += s * (dy<<32 + dy*(2*One-xa-xb)>>(33-areaBits))
	u.marks[i>>6] |= 1 << (i & 63)
	if len(u.shreds) > maxShreds {
		return
	}
	next := u.newest[i]
	first := u.tag
	if next > u.base {
		if was := u.shreds[next-u.base-1].first >> 1; was < first {
			first = was
			if was < u.since {
				u.twice[i>>6] |= 1 << (i & 63)
			}
		}
	}
	top := ya &^ (One - 1)
	u.shreds = append(u.shreds, shred{int32(xa), int32(ya - top), int32(xb), int32(yb - top), next, first<<1 | int32(1-s)>>1})
	u.newest[i] = u.base + uint32(len(u.shreds))
}

// Fill paints the shape and forgets it.
func (u *Union) Fill(dst *Image, p *Paint) {
	for y := u.y0; y < u.y1; y++ {
		acc := (*[Size]int64)(u.acc[y<<8:])
		pix := (*[Size]Pixel)(dst.Pix[y<<8:])
		cover, x := int64(0), 0
		for k := range Size / 64 {
			m := u.marks[y<<2|k]
			if m == 0 {
				continue
			}
			twice := u.twice[y<<2|k]
			u.marks[y<<2|k], u.twice[y<<2|k] = 0, 0
			for ; m != 0; m &= m - 1 {
				b := bits.TrailingZeros64(m)
				i := (k<<6 | b) & (Size - 1)
				if i > x {
					if w := weight(cover << (areaBits - 16)); w > 0 {
						span(pix[x:i], p, w)
					}
				}
				v := acc[i]
				acc[i] = 0
				area := int64(int32(v))
				next := cover + (v-area)>>32
				w := uint64(0)
				if twice>>b&1 == 0 {
					w = weight(cover<<(areaBits-16) + area)
				} else {
					w = u.resolve(y<<8|i, next, cover<<(areaBits-16)+area)
				}
				if w > 0 {
					pix[i] = p.blend(pix[i], w)
				}
				cover, x = next, i+1
			}
		}
		if w := weight(cover << (areaBits - 16)); w > 0 {
			span(pix[x:], p, w)
		}
	}
	u.forget()
}

// Area returns the area of the shape on the image, in pixels, and forgets it.
func (u *Union) Area() float64 {
	sum := uint64(0)
	u.sweep(func(_, x0, x1 int, w uint64) { sum += uint64(x1-x0) * w })
	return float64(sum) / Full
}

// Drop forgets the shape.
func (u *Union) Drop() {
	for y := u.y0; y < u.y1; y++ {
		for k := y << 2; k < y<<2+Size/64; k++ {
			for m := u.marks[k]; m != 0; m &= m - 1 {
				u.acc[k<<6|bits.TrailingZeros64(m)] = 0
			}
			u.marks[k], u.twice[k] = 0, 0
		}
	}
	u.forget()
}

// sweep tells of all pixels with a share, by rows and from the left, and forgets the shape.
func (u *Union) sweep(f func(y, x0, x1 int, w uint64)) {
	for y := u.y0; y < u.y1; y++ {
		acc := (*[Size]int64)(u.acc[y<<8:])
		cover, x := int64(0), 0
		for k := range Size / 64 {
			m, twice := u.marks[y<<2|k], u.twice[y<<2|k]
			u.marks[y<<2|k], u.twice[y<<2|k] = 0, 0
			for ; m != 0; m &= m - 1 {
				b := bits.TrailingZeros64(m)
				i := (k<<6 | b) & (Size - 1)
				if w := weight(cover << (areaBits - 16)); w > 0 && i > x {
					f(y, x, i, w)
				}
				v := acc[i]
				acc[i] = 0
				area := int64(int32(v))
				w := uint64(0)
				next := cover + (v-area)>>32
				if twice>>b&1 != 0 {
					w = u.resolve(y<<8|i, next, cover<<(areaBits-16)+area)
				} else {
					w = weight(cover<<(areaBits-16) + area)
				}
				if w > 0 {
					f(y, i, i+1, w)
				}
				cover = next
				x = i + 1
			}
		}
		if w := weight(cover << (areaBits - 16)); w > 0 {
			f(y, x, Size, w)
		}
	}
	u.forget()
}

func (u *Union) forget() {
	u.y0, u.y1 = 0, 0
	u.base += uint32(len(u.shreds))
	u.shreds = u.shreds[:0]
	if u.base > 1<<31 {
		clear(u.newest[:])
		u.base = 0
	}
}

// A pixel with more than fewShreds is looked at along denseLines lines, on which places are rounded to 1/denseCols px: in the
// middle of such a crowd both are finer than can be seen. The others are cut into bands.
const (
	fewShreds  = 32
	denseLines = 64
	denseCols  = 64
	mostCuts   = 4 // of a band, where it is not known exactly how its edges cross
)

// line is a shred that is not level, ready to be cut into bands.
type line struct {
	y0, y1 int32
	s      int32
	slope  float64
	x      float64 // at y = 0
}

// change is what the winding along the left side of a pixel changes by at a height.
type change struct{ y, s int32 }

// crossing is where a line passes the middle of a band.
type crossing struct {
	x, slope float64
	s        int32
}

// resolve returns the share of pixel i that the shape covers. cover is the sum of the windings along the pixel's right side,
// in 1/65536 of its height, signed the share where nothing overlaps.
//
// The winding along the left side is cover less what lies within the pixel, and it changes where edges
// come in or go out there. Of every end of a shred on the left side half of such a change is told: what it would be if
// the edge went on to the left. Where it turns back within the pixel the two halves add up to nothing.
func (u *Union) resolve(i int, cover, signed int64) uint64 {
	in := u.in[:0]
	left := cover // sum of the windings along the left side, less the changes told of
	up, down := int64(0), int64(0)
	for k := u.newest[i]; k > u.base; {
		c := u.shreds[k-u.base-1]
		k = c.next
		c.first = 1 - c.first&1*2
		s := int64(c.first)
		left -= s * int64(c.y1-c.y0)
		if c.x0 == 0 {
			left -= s * int64(c.y0)
		}
		if c.x1 == 0 {
			left -= s * int64(One-c.y1)
		}
		if s > 0 {
			up++
		} else {
			down++
		}
		in = append(in, c)
	}
	u.in = in
	wind := int32((left + One/2) >> 16) // whole but for rounding beyond the image's left side
	switch {
	case int64(wind)-down > 0:
		return Full
	case int64(wind)+up <= 0:
		return 0
	case len(in) <= mostInOrder:
		switch order(in, wind) {
		case sideBySide:
			return weight(signed)
		case onTop:
			return Full
		}
	case len(in) > fewShreds:
		return u.dense(wind)
	}
	heights := &u.heights
	heights[0], heights[1] = 0, One
	n := 2
	lines, changes := u.cut[:0], u.changes[:0]
	for k := range in {
		c := &in[k]
		if c.x0 == 0 && c.y0 > 0 {
			wind += c.first
			changes = append(changes, change{c.y0, -c.first})
			n = u.height(n, c.y0)
		}
		if c.x1 == 0 && c.y1 < One {
			changes = append(changes, change{c.y1, c.first})
			n = u.height(n, c.y1)
		}
		if c.y0 < c.y1 {
			n = u.height(n, c.y0)
			n = u.height(n, c.y1)
			slope := float64(c.x1-c.x0) / float64(c.y1-c.y0)
			lines = append(lines, line{c.y0, c.y1, c.first, slope, float64(c.x0) - float64(slope*float64(c.y0))})
		}
	}
	u.cut, u.changes = lines, changes
	sum := 0.0 // in 2^-32 px²
	for a := 1; a < n; a++ {
		from := wind
		for _, c := range changes {
			if c.y <= heights[a-1] {
				from += c.s
			}
		}
		sum += u.band(from, heights[a-1], heights[a], mostCuts)
	}
	return uint64(min(max(sum, 0)/One+0.5, Full))
}

// run is a stretch of a contour in a pixel that goes up or down all the way.
type run struct {
	x0, y0, x1, y1 int32 // where it begins and ends
	left, right    int32
	s              int32
	n              int32 // shreds
}

// mostInOrder is how many shreds in a pixel are looked at for whether they overlap at all.
const mostInOrder = 12

// What order can tell of a pixel.
const (
	unclear    = iota
	sideBySide // no winding is above 1: signed areas are the truth
	onTop      // no winding is below 1: all is covered
)

// order tells what it can of how the edges in a pixel lie to each other. More than half of the pixels in which parts of a shape
// meet are such where those only lie side by side, or where one wholly covers what another leaves.
//
// Wherever a place is, each run adds to its winding or not; so with few that add there cannot be more. And where of two
// runs the first goes out, as a whole at the left of the second that goes in, they make a gap.
func order(in []shred, wind int32) int {
	var runs [3]run
	n, up := 0, int32(0)
next:
	for k := range in {
		c := &in[k]
		if c.y0 == c.y1 {
			return unclear
		}
		for j := range n {
			r := &runs[j]
			switch {
			case r.s != c.first:
				continue
			case r.y0 == c.y1 && r.x0 == c.x1 && r.x0 != 0:
				r.x0, r.y0 = c.x0, c.y0
			case r.y1 == c.y0 && r.x1 == c.x0 && r.x1 != 0:
				r.x1, r.y1 = c.x1, c.y1
			default:
				continue
			}
			r.left, r.right, r.n = min(r.left, c.x0, c.x1), max(r.right, c.x0, c.x1), r.n+1
			continue next
		}
		if n == len(runs) {
			return unclear
		}
		runs[n] = run{c.x0, c.y0, c.x1, c.y1, min(c.x0, c.x1), max(c.x0, c.x1), c.first, 1}
		n++
		if c.first > 0 {
			up++
		}
	}
	if wind+up <= 1 {
		return sideBySide
	}
	if n != 2 || wind != 1 || up != 1 {
		return unclear
	}
	out, into := &runs[0], &runs[1]
	if out.s > 0 {
		out, into = into, out
	}
	// Lines that are in order where they begin and end side by side are so between.
	lines := out.n == 1 && into.n == 1
	y0, y1 := max(out.y0, into.y0), min(out.y1, into.y1)
	if out.right <= into.left || lines && y0 < y1 && out.at(y0) <= into.at(y0) && out.at(y1) <= into.at(y1) {
		return sideBySide
	}
	// On the left side an end counts as going on.
	if (into.y0 <= out.y0 || into.x0 == 0) && (into.y1 >= out.y1 || into.x1 == 0) &&
		(into.right <= out.left || lines && y0 < y1 && into.at(y0) <= out.at(y0) && into.at(y1) <= out.at(y1)) {
		return onTop
	}
	return unclear
}

// at is where a run of one shred is at a height it reaches.
func (r *run) at(y int32) float64 {
	return float64(r.x0) + float64(r.x1-r.x0)*float64(y-r.y0)/float64(r.y1-r.y0)
}

// height adds a height to the n there are, in order, unless it is there.
func (u *Union) height(n int, y int32) int {
	h := &u.heights
	b := n - 1
	for h[b] > y {
		b--
	}
	if h[b] == y {
		return n
	}
	copy(h[b+2:n+1], h[b+1:n])
	h[b+1] = y
	return n + 1
}

// band returns the area covered between two heights between which no shred begins or ends.
//
// With edges in order that is the width in the middle times the height. Where two of them cross, they are taken to be in the
// order of the middle all the way, and what that is wrong by is the triangle beyond the crossing.
func (u *Union) band(wind, y0, y1 int32, cuts int) float64 {
	across := u.across[:0]
	mid, high := float64(y0+y1)/2, float64(y1-y0)
	for i := range u.cut {
		l := &u.cut[i]
		if l.y0 > y0 || l.y1 < y1 {
			continue
		}
		x := l.x + float64(l.slope*mid)
		across = append(across, crossing{})
		k := len(across) - 1
		for ; k > 0 && across[k-1].x > x; k-- {
			across[k] = across[k-1]
		}
		across[k] = crossing{x, l.slope, l.s}
	}
	u.across = across[:0]
	sum, from, mended, w := 0.0, 0.0, 0.0, wind
	for k := range across {
		c := &across[k]
		if w > 0 {
			sum += c.x - from
		}
		if k > 0 {
			l := &across[k-1]
			if over := l.over(c, high); over > 1 {
				if cuts > 0 && y1-y0 > 1 && (k > 1 && across[k-2].over(c, high) > 1 || k+1 < len(across) && l.over(&across[k+1], high) > 1) {
					y := int32(mid + (c.x-l.x)/(l.slope-c.slope))
					y = min(max(y, y0+1), y1-1)
					return u.band(wind, y0, y, cuts-1) + u.band(wind, y, y1, cuts-1)
				}
				was := w - l.s
				if f := inside(w) + inside(was+c.s) - inside(was) - inside(w+c.s); f != 0 {
					// It is over wide, and as high as over is of what they come nearer by, in half the height.
					mended += f * float64(over*over) / math.Abs(l.slope-c.slope) / 2
				}
			}
		}
		from = c.x
		w += c.s
	}
	if w > 0 {
		sum += One - from
	}
	return float64(sum*high) + mended
}

// over is by how much two lines that are in order in the middle of a band are out of order at its top or bottom.
func (l *crossing) over(c *crossing, high float64) float64 {
	return math.Abs(l.slope-c.slope)*high/2 - (c.x - l.x)
}

func inside(w int32) float64 {
	if w > 0 {
		return 1
	}
	return 0
}

// dense returns the share that many shreds cover.
func (u *Union) dense(wind int32) uint64 {
	const step = One / denseLines
	line := func(y int32) int { return int(y+step/2-1) / step } // the first whose height is not above y
	lines := &u.lines
	clear(lines[:])
	// In column 0, changes from one line to the next, until they are summed up.
	lines[0][0] = wind
	for i := range u.in {
		c := &u.in[i]
		from, to := line(c.y0), line(c.y1)
		if c.x0 == 0 {
			lines[0][0] += c.first
			lines[from][0] -= c.first
		}
		if c.x1 == 0 {
			lines[to][0] += c.first
		}
		if from == to {
			continue
		}
		slope := float64(c.x1-c.x0) / float64(c.y1-c.y0)
		for l := from; l < to; l++ {
			x := int(c.x0) + int(float64(l*step+step/2-int(c.y0))*slope)
			if k := (x + One/denseCols/2) / (One / denseCols); k > 0 {
				lines[l][k] += c.first
			} else {
				lines[l][0] += c.first
				lines[l+1][0] -= c.first
			}
		}
	}
	n, start := uint64(0), int32(0)
	for l := range denseLines {
		start += lines[l][0]
		w := start
		if w > 0 {
			n++
		}
		for _, d := range lines[l][1:denseCols] {
			if w += d; w > 0 {
				n++
			}
		}
	}
	return n * (Full / (denseLines * denseCols))
}
