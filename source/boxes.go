package source

import "math"

// Lines, blocks and dots are drawn as geometry that meets at the borders of grid cells; a font's do not.

// Line weights of an arm of a box drawing character.
const (
	armNone = iota
	armLight
	armHeavy
	armDouble
)

// arms are the weights of the lines from the middle of U+2500 + i to the left, right, top and bottom, as digits; what is drawn
// otherwise is empty.
var arms = [128]string{
	"1100", "2200", "0011", "0022", "", "", "", "", "", "", "", "", "0101", "0201", "0102", "0202",
	"1001", "2001", "1002", "2002", "0110", "0210", "0120", "0220", "1010", "2010", "1020", "2020", "0111", "0211", "0121", "0112",
	"0122", "0221", "0212", "0222", "1011", "2011", "1021", "1012", "1022", "2021", "2012", "2022", "1101", "2101", "1201", "2201",
	"1102", "2102", "1202", "2202", "1110", "2110", "1210", "2210", "1120", "2120", "1220", "2220", "1111", "2111", "1211", "2211",
	"1121", "1112", "1122", "2121", "1221", "2112", "1212", "2221", "2212", "2122", "1222", "2222", "", "", "", "",
	"3300", "0033", "0301", "0103", "0303", "3001", "1003", "3003", "0310", "0130", "0330", "3010", "1030", "3030", "0311", "0133",
	"0333", "3011", "1033", "3033", "3301", "1103", "3303", "3310", "1130", "3330", "3311", "1133", "3333", "", "", "",
	"", "", "", "", "1000", "0010", "0100", "0001", "2000", "0020", "0200", "0002", "1200", "0012", "2100", "0021",
}

// Half of a line's thickness in a grid cell of 8 × 16, and how far a double line's two are from the middle.
const (
	lightHalf  = 0.5
	heavyHalf  = 1.0
	doubleAway = 1.25
	midX       = cellWide / 2
	midY       = cellHigh / 2
)

// shape is the outline of a character that is geometry. k is the px of a unit for which curves are good.
func shape(r rune, k float64) (contours [][]spot, ok bool) {
	switch {
	case r >= 0x2500 && r < 0x2580:
		if a := arms[r-0x2500]; a != "" {
			return box(a), true
		}
		return boxElse(r, k), true
	case r >= 0x2580 && r < 0x25a0 || r >= 0x1fb00 && r < 0x1fb3c:
		for _, b := range block(r).rects {
			contours = append(contours, rect(float32(b.x0), float32(b.y0)*2/3, float32(b.x1), float32(b.y1)*2/3))
		}
		return contours, true
	case r > 0x2800 && r < 0x2900:
		return braille(r, k), true
	case r >= 0xe0b0 && r <= 0xe0b3:
		return arrow(r), true
	}
	return nil, false
}

// box draws the four arms. Straight lines go through in one piece; where lines cross, the horizontal one stays whole.
func box(a string) (c [][]spot) {
	l, r, u, d := a[0]-'0', a[1]-'0', a[2]-'0', a[3]-'0'
	half := func(w byte) float32 {
		switch w {
		case armNone:
			return 0
		case armHeavy:
			return heavyHalf
		case armDouble:
			return doubleAway + lightHalf
		}
		return lightHalf
	}
	thick := max(half(u), half(d)) // of what stands upright, for the ends of what lies
	for _, arm := range [...]struct {
		w     byte
		right bool
	}{{l, false}, {r, true}} {
		if arm.w == armNone {
			continue
		}
		other := l
		if !arm.right {
			other = r
		}
		add := func(y0, y1, in float32) { // in: how far beyond the middle it reaches
			if arm.right {
				c = append(c, rect(midX-in, y0, cellWide, y1))
			} else {
				c = append(c, rect(0, y0, midX+in, y1))
			}
		}
		if arm.w != armDouble {
			in := thick
			switch {
			case other != armNone:
				in = 0 // the other arm goes on
			case (u == armDouble || d == armDouble) && u != armNone && d != armNone:
				in = -doubleAway + lightHalf // it ends at the nearer one
			}
			add(midY-half(arm.w), midY+half(arm.w), in)
			continue
		}
		for _, upper := range [...]bool{true, false} {
			y, near, far := float32(midY+doubleAway), d, u
			if upper {
				y, near, far = midY-doubleAway, u, d
			}
			in := float32(0)
			switch {
			case near == armDouble:
				in = -doubleAway + lightHalf
			case other != armNone:
			case far == armDouble:
				in = doubleAway + lightHalf
			case near != armNone || far != armNone:
				in = lightHalf
			}
			add(y-lightHalf, y+lightHalf, in)
		}
	}
	for _, arm := range [...]struct {
		w    byte
		down bool
	}{{u, false}, {d, true}} {
		if arm.w == armNone {
			continue
		}
		other := u
		if !arm.down {
			other = d
		}
		add := func(x0, x1, in float32) {
			if arm.down {
				c = append(c, rect(x0, midY-in, x1, cellHigh))
			} else {
				c = append(c, rect(x0, 0, x1, midY+in))
			}
		}
		lying := max(half(l), half(r))
		if arm.w != armDouble {
			in := -lying // up to the line that lies
			switch {
			case lying == 0:
				in = 0
			case l == armDouble || r == armDouble:
				if other == armNone {
					in = doubleAway - lightHalf // to the further one
					if l != armNone && r != armNone {
						in = -doubleAway - lightHalf
					}
				} else {
					in = 0
				}
			}
			add(midX-half(arm.w), midX+half(arm.w), in)
			continue
		}
		for _, left := range [...]bool{true, false} {
			x, near, far := float32(midX+doubleAway), r, l
			if left {
				x, near, far = midX-doubleAway, l, r
			}
			in := float32(0)
			switch {
			case near == armDouble:
				in = -doubleAway - lightHalf
			case near != armNone:
				in = -half(near)
			case other != armNone:
			case far == armDouble:
				in = doubleAway - lightHalf
			case far != armNone:
				in = -half(far)
			}
			add(x-lightHalf, x+lightHalf, in)
		}
	}
	return c
}

// boxElse draws dashes, arcs and diagonals.
func boxElse(r rune, k float64) (c [][]spot) {
	dashes := func(n int, heavy, upright bool) {
		half, length := float32(lightHalf), float32(cellWide)
		if heavy {
			half = heavyHalf
		}
		if upright {
			length = cellHigh
		}
		step := length / float32(n)
		for i := range n {
			from, to := (float32(i)+0.2)*step, (float32(i)+0.8)*step
			if upright {
				c = append(c, rect(midX-half, from, midX+half, to))
			} else {
				c = append(c, rect(from, midY-half, to, midY+half))
			}
		}
	}
	switch {
	case r >= 0x2504 && r <= 0x250b:
		dashes(3+int(r-0x2504)/4, r&1 != 0, (r-0x2504)&2 != 0)
	case r >= 0x254c && r <= 0x254f:
		dashes(2, r&1 != 0, r&2 != 0)
	case r >= 0x256d && r <= 0x2570:
		c = append(c, arc(r == 0x256d || r == 0x2570, r <= 0x256e, k))
	case r >= 0x2571 && r <= 0x2573:
		const h = lightHalf * 1.118 // a line of that thickness, measured along x
		if r != 0x2572 {
			c = append(c, []spot{{cellWide - h, 0}, {-h, cellHigh}, {h, cellHigh}, {cellWide + h, 0}, {cellWide - h, 0}})
		}
		if r != 0x2571 {
			c = append(c, []spot{{-h, 0}, {cellWide - h, cellHigh}, {cellWide + h, cellHigh}, {h, 0}, {-h, 0}})
		}
	}
	return c
}

// arc is a quarter of a circle of radius midX between a side and the top or bottom, with a straight line for the rest.
func arc(right, down bool, k float64) []spot {
	n := max(4, min(64, int(math.Ceil(2*math.Sqrt(k)))))
	var l []spot
	add := func(x, y float32) {
		if !right {
			x = cellWide - x
		}
		if !down {
			y = cellHigh - y
		}
		l = append(l, spot{x, y})
	}
	// Of the arc that goes right and down: its middle lies at (cellWide, midY + midX).
	side := func(rad float64, from, to int) {
		step := 1
		if from > to {
			step = -1
		}
		for i := from; i != to+step; i += step {
			a := math.Pi / 2 * float64(i) / float64(n)
			add(float32(cellWide-rad*math.Cos(a)), float32(midY+midX-rad*math.Sin(a)))
		}
	}
	add(midX-lightHalf, cellHigh)
	add(midX+lightHalf, cellHigh)
	side(midX-lightHalf, 0, n)
	side(midX+lightHalf, n, 0)
	add(midX-lightHalf, cellHigh)
	if right != down { // turned over once: the other way round
		for i, j := 0, len(l)-1; i < j; i, j = i+1, j-1 {
			l[i], l[j] = l[j], l[i]
		}
	}
	return l
}

// braille draws the dots of U+2800.
func braille(r rune, k float64) (c [][]spot) {
	n := max(6, min(32, int(4*math.Sqrt(k))))
	for i, at := range [8][2]float32{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}} {
		if r>>i&1 == 0 {
			continue
		}
		l := make([]spot, 0, n+1)
		for j := range n + 1 {
			a := -2 * math.Pi * float64(j%n) / float64(n)
			l = append(l, spot{2 + 4*at[0] + 1.3*float32(math.Cos(a)), 2 + 4*at[1] + 1.3*float32(math.Sin(a))})
		}
		c = append(c, l)
	}
	return c
}

// arrow draws the triangles of prompts (U+E0B0 …).
func arrow(r rune) [][]spot {
	const t = 1.2 // thickness of the hollow ones along x
	switch r {
	case 0xe0b0:
		return [][]spot{{{0, 0}, {0, cellHigh}, {cellWide, midY}, {0, 0}}}
	case 0xe0b2:
		return [][]spot{{{cellWide, 0}, {0, midY}, {cellWide, cellHigh}, {cellWide, 0}}}
	case 0xe0b1:
		return [][]spot{{{0, 0}, {cellWide - t, midY}, {0, cellHigh}, {t, cellHigh}, {cellWide, midY}, {t, 0}, {0, 0}}}
	}
	return [][]spot{{{cellWide, 0}, {cellWide - t, 0}, {0, midY}, {cellWide - t, cellHigh}, {cellWide, cellHigh}, {t, midY}, {cellWide, 0}}}
}

// blockRect is a rectangle in eighths of a grid cell's width and 24ths of its height: halves, thirds and eighths are whole.
type blockRect struct{ x0, y0, x1, y1 uint8 }

// blocks is a block element: where it is inked, and how much, of 4.
type blocks struct {
	rects []blockRect
	share uint8
}

// isBlock is whether a rune is painted with the backgrounds, so that no seam can be seen between those side by side.
func isBlock(r rune) bool { return r >= 0x2580 && r < 0x25a0 || r >= 0x1fb00 && r < 0x1fb3c }

var blockTable = func() (t [0x20 + 0x3c]blocks) {
	one := func(x0, y0, x1, y1 int) []blockRect {
		return []blockRect{{uint8(x0), uint8(y0), uint8(x1), uint8(y1)}}
	}
	for i := range 0x20 {
		b := blocks{share: 4}
		switch {
		case i == 0: // upper half
			b.rects = one(0, 0, 8, 12)
		case i <= 8: // lower eighths
			b.rects = one(0, 24-3*i, 8, 24)
		case i <= 0xf: // left eighths
			b.rects = one(0, 0, 0x10-i, 24)
		case i == 0x10:
			b.rects = one(4, 0, 8, 24)
		case i <= 0x13: // shades
			b.rects, b.share = one(0, 0, 8, 24), uint8(i-0x10)
		case i == 0x14:
			b.rects = one(0, 0, 8, 3)
		case i == 0x15:
			b.rects = one(7, 0, 8, 24)
		default: // quadrants: upper left 1, upper right 2, lower left 4, lower right 8
			set := [...]int{4, 8, 1, 13, 9, 7, 11, 2, 6, 14}[i-0x16]
			for q := range 4 {
				if set>>q&1 != 0 {
					b.rects = append(b.rects, one(q%2*4, q/2*12, q%2*4+4, q/2*12+12)...)
				}
			}
		}
		t[i] = b
	}
	n := 0
	for set := 1; set < 63; set++ { // two by three; the left and the right half are above
		if set == 21 || set == 42 {
			continue
		}
		b := blocks{share: 4}
		for q := range 6 {
			if set>>q&1 != 0 {
				b.rects = append(b.rects, one(q%2*4, q/2*8, q%2*4+4, q/2*8+8)...)
			}
		}
		t[0x20+n] = b
		n++
	}
	return t
}()

// block is what a block element covers.
func block(r rune) *blocks {
	if r >= 0x1fb00 {
		return &blockTable[0x20+r-0x1fb00]
	}
	return &blockTable[r-0x2580]
}
