package canvas

import "fractal/tile"

// MaxBeneath is how many strokes may lie beneath a tile for its cell to be drawn stroke by stroke. With more, the cell is
// defined by those of the tile's four children. The number is part of what a canvas looks like: a change of it changes
// pixels, so whoever keeps cells must forget them.
const MaxBeneath = 16384

// Crowd says how much lies in and beneath a tile. A stroke lies beneath it when its place (key.go) does: it is no larger
// than the tile and begins there. So of the strokes beneath a tile none lies beneath two of its children.
type Crowd struct {
	Version Seq  // newest op that concerned a stroke that reaches the tile
	Beneath int  // strokes beneath, hidden ones counted; exact where it is more than a node of the index holds
	Core    int  // level of the smallest tile that they all lie beneath; of use only where there are many
	Below   bool // see Snapshot.Below
}

// Crowded says that the cell is defined by the cells of the tile's children.
func (c Crowd) Crowded() bool { return c.Beneath > MaxBeneath }

// Crowd looks at a tile as it was after the op `at`. It is false when that cannot be told any more, because a stroke that
// reaches the tile was hidden or shown since. It looks one by one only at strokes that came after `at`, and at a few along
// the tile's borders.
func (c *Canvas) Crowd(id tile.ID, at Seq) (Crowd, bool) {
	var t key
	t.of(id, 0, 0, 0)
	c.mu.RLock()
	defer c.mu.RUnlock()
	var room [32]hit
	hits := c.index.reach(&t, id.Level(), room[:0])
	var crowd Crowd
	for i := range hits {
		if h := &hits[i]; h.inside { // one at most
			s := h.asOf(at)
			if s.flipped {
				return Crowd{}, false
			}
			crowd = Crowd{s.newest, s.strokes, s.core, s.deepest >= id.Level()+tooSmall}
		}
	}
	for i := range hits {
		if h := &hits[i]; !h.inside && !h.around(id, at, &crowd) {
			return Crowd{}, false
		}
	}
	return crowd, true
}

// around takes in a node's own strokes, each of which may touch the tile or not.
func (h *hit) around(id tile.ID, at Seq, crowd *Crowd) (ok bool) {
	finest := id.Level() + tooSmall
	tiny := h.finest() >= finest
	if h.own <= crowd.Version && (crowd.Below || !tiny) {
		return true
	}
	for k, own := range [...][]entry{h.shown, h.hidden} {
		for i := range own {
			e := &own[i]
			small := k == 0 && tiny && !crowd.Below && levelOf(e.stroke) >= finest
			if e.seq > at || e.news() <= crowd.Version && !small || !h.may(e) || !e.stroke.Touches(id) {
				continue
			}
			if e.changed > at {
				return false
			}
			crowd.Version = max(crowd.Version, e.news())
			crowd.Below = crowd.Below || small
		}
	}
	return true
}

// past is a node's sums as they were.
type past struct {
	newest  Seq
	strokes int
	deepest int
	core    int  // level of the smallest tile that holds the places of all strokes
	flipped bool // they cannot be told: a stroke was hidden or shown since
}

// asOf undoes what came after an op. Nodes without news since then are not looked into.
func (n *node) asOf(at Seq) past {
	if n.newest <= at {
		return past{n.newest, n.strokes, n.deepest, n.level, false}
	}
	s := past{deepest: nowhere, core: nowhere}
	for k, own := range [...][]entry{n.shown, n.hidden} {
		for i := range own {
			e := &own[i]
			if e.seq > at {
				continue
			}
			if e.changed > at {
				return past{flipped: true}
			}
			s.newest = max(s.newest, e.news())
			s.strokes++
			s.core = n.level
			if k == 0 {
				s.deepest = max(s.deepest, levelOf(e.stroke))
			}
		}
	}
	for _, k := range n.kids {
		if k == nil {
			continue
		}
		below := k.asOf(at)
		switch {
		case below.flipped:
			return below
		case below.strokes == 0:
			continue
		case s.strokes == 0:
			s.core = below.core
		default:
			s.core = n.level
		}
		s.newest = max(s.newest, below.newest)
		s.strokes += below.strokes
		s.deepest = max(s.deepest, below.deepest)
	}
	return s
}

// Around is CellSnapshot without the strokes beneath the tile: what covers it, crosses it, or reaches in from beside it.
func (c *Canvas) Around(id tile.ID) Snapshot { return c.snapshot(id, false) }
