package ink

import (
	"fractal/tile"
	"fractal/wire"
)

// The levels a piece may travel: its stroke's minus its square's. Outside them a square gets an image.
const (
	MinPiece = -7
	MaxPiece = 24
)

const (
	// pieceMargin is how far outside its square, in parts of its side, ink still belongs to the piece: 4 px, so that a
	// square painted up to the device pixels around it, antialiased, has no seam.
	pieceMargin = 64

	// runGap is how many segments outside the square a run goes on for. Beginning another one takes about as many bytes as
	// four samples, two of which the curve needs anyway.
	runGap = 4
)

// Piece is the part of the stroke that can touch the square: the samples of every segment whose hull comes near, and for
// curves one more at either side. Expanded, its circles are those of the whole stroke, to the bit. It is nil, false when
// nothing of the stroke reaches the square, or the square is not between MinPiece and MaxPiece.
func (s *Stroke) Piece(id tile.ID, seq uint64) (*wire.Piece, bool) {
	cut, d, ok := s.cutter(id)
	if !ok {
		return nil, false
	}
	runs := cut.runs()
	if runs == nil {
		return nil, false
	}
	return &wire.Piece{
		Seq:    seq,
		Brush:  uint32(s.brush),
		Color:  s.color,
		Dlevel: int32(d),
		Width:  uint32(s.width),
		Runs:   runs,
	}, true
}

// Most is at most how many samples a piece for the square holds, leads and tails aside: what decides whether strokes are cheap
// to send. It looks at long strokes by stretches, and at short ones not at all.
func (s *Stroke) Most(id tile.ID) int {
	if s.leaps == nil {
		return int(s.n)
	}
	cut, _, ok := s.cutter(id)
	if !ok {
		return int(s.n)
	}
	most := 0
	for i := range s.leaps {
		if s.leaps[i].span.intersects(cut.square) {
			most += leapLen
		}
	}
	return min(most, int(s.n))
}

// cutter starts a piece; d is the stroke's level minus the square's.
func (s *Stroke) cutter(id tile.ID) (c cutter, d int, ok bool) {
	d = s.home.Level() - id.Level()
	if d < MinPiece || d > MaxPiece || !s.Touches(id) {
		return c, d, false
	}
	cx, cy, ok := tile.Between(s.home, id).Corner()
	if !ok {
		return c, d, false
	}
	side := int64(1) << (14 + d)
	margin := side / pieceMargin
	square := sixths(tile.Box{MinX: cx - margin, MinY: cy - margin, MaxX: cx + side + margin, MaxY: cy + side + margin})
	return cutter{s: s, cx: cx, cy: cy, square: square}, d, true
}

// cutter finds the runs of one stroke that come near one square.
type cutter struct {
	s      *Stroke
	square span
	cx, cy int64 // the square's corner, in units of home

	out   []*wire.Run
	open  bool
	last  int32 // the run's last segment that hit
	first Point // its first sample, the lead included
	from  int   // where the bytes after that sample begin
	to    int   // where the bytes of its last sample end, the tail included
	lead  bool
	tail  bool
}

func (c *cutter) runs() []*wire.Run {
	s := c.s
	brush, _ := s.brush.Brush()
	r := reader{b: s.points, width: s.width}
	read := func() sample {
		r.next()
		return sample{r.p, len(s.points) - len(r.b)}
	}
	p1 := read()
	p0, p2 := p1, p1
	if s.n == 1 {
		if segmentSpan(Straight, p1.p, p1.p, p1.p, p1.p).intersects(c.square) {
			c.open, c.first, c.from, c.to = true, p1.p, p1.end, p1.end
		}
	} else {
		p2 = read()
	}
	for i := int32(0); i < s.n-1; i++ { // segment i joins samples i (p1) and i+1 (p2)
		if s.leaps != nil && i%leapLen == 0 && !s.leaps[i/leapLen].span.intersects(c.square) {
			k := int(i / leapLen)
			for k++; k < len(s.leaps) && !s.leaps[k].span.intersects(c.square); k++ {
			}
			if k == len(s.leaps) {
				break
			}
			l := &s.leaps[k]
			i, p0, p1, p2 = int32(k)*leapLen, l.p0, l.p1, l.p2
			r.b, r.p = s.points[p2.end:], p2.p
		}
		p3 := p2
		if i+2 < s.n {
			p3 = read()
		}
		if segmentSpan(brush.Join, p0.p, p1.p, p2.p, p3.p).intersects(c.square) {
			c.hit(i, brush.Join, p0, p1, p2, p3)
		}
		p0, p1, p2 = p1, p2, p3
	}
	c.close()
	return c.out
}

func (c *cutter) hit(i int32, join Join, p0, p1, p2, p3 sample) {
	if c.open && i > c.last+runGap {
		c.close()
	}
	if !c.open {
		c.open, c.lead = true, join == Curve && i > 0
		if c.lead {
			c.first, c.from = p0.p, p0.end
		} else {
			c.first, c.from = p1.p, p1.end
		}
	}
	c.last, c.to, c.tail = i, p2.end, join == Curve && i+2 < c.s.n
	if c.tail {
		c.to = p3.end
	}
}

// close writes the run: its first sample afresh, against the square's corner, the others as they are.
func (c *cutter) close() {
	if !c.open {
		return
	}
	c.open = false
	b := make([]byte, 0, 24+c.to-c.from)
	b = appendPoints(b, []Point{{c.first.X - c.cx, c.first.Y - c.cy, c.first.D}}, c.s.width)
	b = append(b, c.s.points[c.from:c.to]...)
	c.out = append(c.out, &wire.Run{Points: b, Lead: c.lead, Tail: c.tail})
}
