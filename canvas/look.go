package canvas

import (
	"cmp"
	"slices"

	"fractal/ink"
	"fractal/tile"
)

// Item is a stroke in its place in the order of paint.
type Item struct {
	Seq    Seq
	Stroke *ink.Stroke
}

// Ask says what somebody wants to know of a tile: what came after a seq, as long as it is cheap.
type Ask struct {
	Tile   tile.ID
	After  Seq
	Budget int  // points; of a long stroke those count that may come near the tile
	Part   bool // where there are more and After is not 0, the oldest of them will do
}

// Look is the answer.
type Look struct {
	Version Seq    // newest op that concerned a stroke that reaches the tile; 0: there never was one
	Items   []Item // visible strokes after Ask.After, in the order of paint; empty when Heavy
	Broken  bool   // a stroke up to Ask.After was hidden or shown since: an image of that version is no longer true
	Heavy   bool   // there are more than Budget points in what would be Items
	Upto    Seq    // Items are all up to this seq, the budget's worth or one (Ask.Part), of what is Heavy; 0: they are all, or none
	Coarse  bool   // one of Items is too coarse or too fine to travel as a piece
	Below   bool   // see Snapshot.Below
}

// A piece of a stroke can travel between levels that differ by no more than this (wire.Piece).
const (
	maxCoarser = 7
	maxFiner   = 24
)

// A stroke whose place is so many levels below a tile fits a square of 1/16 px: it covers less than 1/256 of a pixel, less
// than one step of an 8-bit channel.
const tooSmall = 12

// Snapshot is all that a cell shows.
type Snapshot struct {
	Version Seq
	Items   []Item // visible strokes that reach the tile and are not too small to count (deepWindow), in the order of paint
	Beneath int    // see Crowd
	Reach   int    // all strokes that reach it, hidden ones counted
	Below   bool   // some visible stroke is too small to tint a pixel of the tile

	Waited, Held int64 // for and of the lock, on the canvas's Clock
}

// Look answers all asks as of one seq, which it returns. looks[i] answers asks[i]; the Items it has are written over.
func (c *Canvas) Look(asks []Ask, looks []Look) Seq {
	keys := make([]key, len(asks))
	for i, a := range asks {
		keys[i].of(a.Tile, 0, 0, 0)
	}
	c.mu.RLock()
	for i, a := range asks {
		looks[i] = Look{Items: looks[i].Items[:0]}
		c.index.look(&keys[i], a, &looks[i])
	}
	seq := c.seq
	c.mu.RUnlock()
	for i := range asks {
		order(looks[i].Items)
		if looks[i].Heavy {
			looks[i].cut(asks[i])
		}
	}
	return seq
}

// cut leaves the oldest items of what is heavy, within the budget.
func (l *Look) cut(a Ask) {
	points := 0
	for i, it := range l.Items {
		if points += it.Stroke.Most(a.Tile); points > a.Budget && i > 0 {
			clear(l.Items[i:])
			l.Items = l.Items[:i]
			break
		}
		l.Upto = it.Seq
	}
}

// maxPart bounds the strokes that are gathered to find the oldest: one that has fallen further behind is better off with a picture.
const maxPart = 8192

func order(items []Item) {
	slices.SortFunc(items, func(a, b Item) int { return cmp.Compare(a.Seq, b.Seq) })
}

func (ix *index) look(t *key, a Ask, l *Look) {
	a.Part = a.Part && a.After > 0
	var room [32]hit
	hits := ix.reach(t, a.Tile.Level(), room[:0])
	g := gather{Ask: a, Look: l, level: a.Tile.Level()}
	for _, h := range hits {
		if h.inside {
			g.all(h.node)
		}
	}
	for i := range hits {
		if h := &hits[i]; !h.inside {
			g.some(h)
		}
	}
	if l.Heavy && (!a.Part || g.full) {
		l.Items, l.Coarse = l.Items[:0], false
	}
}

// gather fills one look.
type gather struct {
	Ask
	*Look
	level  int // of the tile
	points int
	full   bool // nothing more is gathered
}

// all takes a node inside of the tile: every stroke under it touches.
func (g *gather) all(n *node) {
	g.Version = max(g.Version, n.newest)
	g.Below = g.Below || n.deepest >= g.level+tooSmall
	if g.After == 0 && n.points > g.Budget-g.points {
		g.Heavy, g.full = true, true // all of them are news: no need to walk
	}
	var room [64]*node
	room[0] = n
	for stack := room[:1]; len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		// What is news is gathered while it is cheap; what is hidden or shown again can only break an image.
		news := !g.full && n.newest > g.After
		breaks := !g.Broken && g.After > 0 && n.flipped > g.After
		if !news && !breaks {
			continue
		}
		for i := range n.shown {
			e := &n.shown[i]
			if e.seq > g.After {
				g.add(e)
			} else if e.changed > g.After {
				g.Broken = true
			}
		}
		for i := 0; breaks && i < len(n.hidden); i++ {
			if e := &n.hidden[i]; e.seq <= g.After && e.changed > g.After {
				g.Broken = true
			}
		}
		for _, k := range n.kids {
			if k != nil {
				stack = append(stack, k)
			}
		}
	}
}

// some takes a node's own strokes, each of which may touch the tile or not. It is asked only where it matters.
func (g *gather) some(n *hit) {
	tiny := n.finest() >= g.level+tooSmall
	if n.own <= min(g.Version, g.After) && (g.Below || !tiny) {
		return
	}
	for i := range n.shown {
		e := &n.shown[i]
		news := e.seq > g.After && !g.full
		breaks := e.seq <= g.After && e.changed > g.After && !g.Broken
		small := tiny && !g.Below && levelOf(e.stroke) >= g.level+tooSmall
		if (news || breaks || small || e.news() > g.Version) && n.may(e) && e.stroke.Touches(g.Tile) {
			g.Version = max(g.Version, e.news())
			g.Broken = g.Broken || breaks
			g.Below = g.Below || small
			if news {
				g.add(e)
			}
		}
	}
	for i := range n.hidden {
		e := &n.hidden[i]
		breaks := e.seq <= g.After && e.changed > g.After && !g.Broken
		if (breaks || e.news() > g.Version) && n.may(e) && e.stroke.Touches(g.Tile) {
			g.Version = max(g.Version, e.news())
			g.Broken = g.Broken || breaks
		}
	}
}

// add takes a stroke that is news.
func (g *gather) add(e *entry) {
	if g.full {
		return
	}
	if g.points += e.stroke.Most(g.Tile); g.points > g.Budget {
		g.Heavy = true
		if g.full = !g.Part || len(g.Items) >= maxPart; g.full {
			return
		}
	}
	d := e.stroke.Home().Level() - g.level
	g.Coarse = g.Coarse || d < -maxCoarser || d > maxFiner
	g.Items = append(g.Items, Item{e.seq, e.stroke})
}

// Version is the newest op that concerned a stroke that reaches the tile, 0 when there never was one: the version of its
// cell.
func (c *Canvas) Version(id tile.ID) Seq {
	var t key
	t.of(id, 0, 0, 0)
	c.mu.RLock()
	defer c.mu.RUnlock()
	var room [32]hit
	hits := c.index.reach(&t, id.Level(), room[:0])
	var v Seq
	for _, h := range hits {
		if h.inside {
			v = max(v, h.newest)
		}
	}
	for i := range hits {
		h := &hits[i]
		if h.inside || h.own <= v {
			continue
		}
		for _, own := range [...][]entry{h.shown, h.hidden} {
			for i := range own {
				if e := &own[i]; e.news() > v && h.may(e) && e.stroke.Touches(id) {
					v = e.news()
				}
			}
		}
	}
	return v
}

// CellSnapshot is all that the cell of a tile shows. The lock is held for copying pointers; testing and sorting follow.
func (c *Canvas) CellSnapshot(id tile.ID) Snapshot {
	var t key
	t.of(id, 0, 0, 0)
	var s Snapshot
	var maybe copied
	// Memory is made outside of the lock, by the measure of a first try; a second that found still more would be rare luck.
	for room := 0; ; {
		begin := c.now()
		c.mu.RLock()
		locked := c.now()
		need, done := c.index.snapshot(&t, id.Level(), &s, &maybe, room)
		c.mu.RUnlock()
		s.Waited += locked - begin
		s.Held += c.now() - locked
		if done {
			break
		}
		room = need + need/16
		s.Items = make([]Item, 0, room)
	}
	maybe.settle(id, &s)
	order(s.Items)
	return s
}

// After puts the next visible strokes after a seq into dst, in the order of paint, and says how many there were.
func (c *Canvas) After(seq Seq, dst []Item) (n int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	i, _ := slices.BinarySearchFunc(c.items, seq+1, func(r record, seq Seq) int { return cmp.Compare(r.seq, seq) })
	for ; i < len(c.items) && n < len(dst); i++ {
		if r := &c.items[i]; !r.hidden && r.stroke != nil { // else it is a place
			dst[n] = Item{r.seq, r.stroke}
			n++
		}
	}
	return n
}

func (c *Canvas) now() int64 {
	if c.Clock == nil {
		return 0
	}
	return c.Clock()
}

// copied holds entries to be tested after the lock.
type copied struct{ shown, hidden []entry }

// snapshot copies what may be of the tile, when there is room for the Items that surely are; else it says how much they need.
func (ix *index) snapshot(t *key, level int, s *Snapshot, maybe *copied, room int) (need int, done bool) {
	var buf [64]hit
	hits := ix.reach(t, level, buf[:0])
	to := level + deepWindow
	for _, h := range hits {
		switch {
		case !h.inside:
			need += len(h.shown)
		case h.deepest < to:
			need += h.visible
		default:
			h.each(to, func(n *node) bool { need += len(n.shown); return true })
		}
	}
	if need > room {
		return need, false
	}
	for i := range hits {
		h := &hits[i]
		if !h.inside {
			maybe.shown = h.pick(maybe.shown, h.shown)
			maybe.hidden = h.pick(maybe.hidden, h.hidden)
			continue
		}
		s.Version = max(s.Version, h.newest)
		s.Beneath += h.beneath(to, s.Version)
		s.Reach += h.strokes
		s.Below = s.Below || h.deepest >= level+tooSmall
		h.each(to, func(n *node) bool {
			for i := range n.shown {
				if e := &n.shown[i]; !n.leaf || n.deepest < to || levelOf(e.stroke) < to {
					s.Items = append(s.Items, Item{e.seq, e.stroke})
				}
			}
			return true
		})
	}
	return need, true
}

func (h *hit) pick(dst, own []entry) []entry {
	for i := range own {
		if h.may(&own[i]) {
			dst = append(dst, own[i])
		}
	}
	return dst
}

func (m *copied) settle(id tile.ID, s *Snapshot) {
	for i := range m.shown {
		if e := &m.shown[i]; e.stroke.Touches(id) {
			s.Version = max(s.Version, e.news())
			s.Below = s.Below || levelOf(e.stroke) >= id.Level()+tooSmall
			s.Reach++
			if levelOf(e.stroke) < id.Level()+deepWindow {
				s.Items = append(s.Items, Item{e.seq, e.stroke})
			}
		}
	}
	for i := range m.hidden {
		if e := &m.hidden[i]; e.stroke.Touches(id) {
			s.Version = max(s.Version, e.news())
			s.Reach++
		}
	}
}
