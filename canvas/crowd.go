package canvas

import (
	"fractal/tile"
)

// These numbers are part of what a canvas looks like: a change of one changes pixels, so whoever keeps cells must forget
// them.
const (
	// MaxBeneath is how many strokes may lie beneath a tile for its cell to be drawn stroke by stroke. With more, the cell
	// is defined by those of the tile's four children.
	MaxBeneath = 16384

	// deepWindow is how many levels below a tile a stroke's place must be to be left out of its cell, and not to be counted as
	// beneath it. Such a stroke covers less than 2^-28 px: a million of them less than one step of an 8-bit channel.
	// Without it a drawing of a few thousand strokes could make a cell depend on its children, and those on theirs, through
	// all the levels there are; with it, all tiles together that are crowded have at most deepWindow strokes beneath for each
	// stroke drawn.
	deepWindow = 22
)

// Crowd says how much lies in and beneath a tile. A stroke lies beneath it when its place (key.go) does, less than deepWindow
// levels down: it is no larger than the tile, begins there, and is not too small to count. Of the strokes beneath a tile none
// lies beneath two of its children, and some level down there are none.
type Crowd struct {
	Version Seq  // newest op that concerned a stroke that reaches the tile
	Beneath int  // strokes beneath, hidden ones counted, as long as it matters: few may be 0, many MaxBeneath+1
	Below   bool // see Snapshot.Below
}

// Crowded says that the cell is defined by the cells of the tile's children.
func (c Crowd) Crowded() bool { return c.Beneath > MaxBeneath }

// Crowd looks at a tile as it was after the op `at`. It is false when that cannot be told any more, because a stroke that
// reaches the tile was hidden or shown since.
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
			crowd = Crowd{s.newest, h.beneath(id.Level()+deepWindow, at), s.deepest >= id.Level()+tooSmall}
		}
	}
	for i := range hits {
		if h := &hits[i]; !h.inside && !h.around(id, at, &crowd) {
			return Crowd{}, false
		}
	}
	return crowd, true
}

// beneath counts the strokes up to a seq whose place is coarser than the level `to`, and stops where that is more than
// MaxBeneath. Where nothing came since, and nothing lies too deep, it looks at one node.
func (n *node) beneath(to int, at Seq) int {
	switch {
	case n.level >= to:
		return 0
	case n.newest <= at && n.floor < to:
		return min(n.strokes, MaxBeneath+1)
	}
	count := 0
	for _, own := range [...][]entry{n.shown, n.hidden} {
		for i := range own {
			if e := &own[i]; e.seq <= at && (!n.leaf || levelOf(e.stroke) < to) {
				count++
			}
		}
	}
	for _, k := range n.kids {
		if k != nil && count <= MaxBeneath {
			count += k.beneath(to, at)
		}
	}
	return min(count, MaxBeneath+1)
}

// each visits the nodes coarser than the level `to`, n itself first, until f is false.
func (n *node) each(to int, f func(*node) bool) {
	var room [64]*node
	room[0] = n
	for stack := room[:1]; len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n.level >= to {
			continue
		}
		if !f(n) {
			return
		}
		for _, k := range n.kids {
			if k != nil {
				stack = append(stack, k)
			}
		}
	}
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
	deepest int
	flipped bool // they cannot be told: a stroke was hidden or shown since
}

// asOf undoes what came after an op. Nodes without news since then are not looked into.
func (n *node) asOf(at Seq) past {
	if n.newest <= at {
		return past{n.newest, n.deepest, false}
	}
	s := past{deepest: nowhere}
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
			if k == 0 {
				s.deepest = max(s.deepest, levelOf(e.stroke))
			}
		}
	}
	for _, k := range n.kids {
		if k != nil {
			below := k.asOf(at)
			if below.flipped {
				return below
			}
			s.newest = max(s.newest, below.newest)
			s.deepest = max(s.deepest, below.deepest)
		}
	}
	return s
}
