package canvas

import (
	"math"

	"fractal/ink"
)

// index finds the strokes that may reach a tile. It is a path-compressed quadtree over all levels and all of the plane: a
// node exists where strokes are, not where levels are, and every stroke is in one node. The root is above everything, its
// children are the four quadrants. A node is a tile; all under it have their place (key.go) in that tile, so what they
// reach lies within the tile and the ones right of it, below it, and right below it. Therefore
//   - all strokes under a node inside of a tile touch that tile: no stroke of them is looked at one by one, and the sums of
//     the node are theirs;
//   - other strokes can touch it only from nodes that hold the tile or its neighbours to the left and above, or that lie
//     in those along the edge.
//
// What a look costs is the nodes on the way down, the strokes of a size with the tile or larger near it, and the answer.
// Depth by itself costs comparing digits, 64 a step.
type index struct {
	root node
	path []*node // scratch of flip
}

// node is a leaf with up to leafSize strokes of any place below it, or an inner node with the strokes whose place is
// its own tile. Its level is the finest that holds all it has, except that an inner node only ever gets new nodes above.
type node struct {
	at    *key // a point in the tile; shared, constant
	level int
	leaf  bool
	kids  [4]*node

	// Sums of all below.
	newest  Seq // newest seq or change
	flipped Seq // newest change of a stroke that was there: one was hidden or shown
	strokes int // hidden ones counted
	visible int // strokes
	points  int // of visible strokes
	deepest int // finest level of a visible stroke's place; else nowhere
	floor   int // the same of all strokes, hidden ones counted

	shown, hidden []entry // its own
	own           Seq     // newest seq or change of those
}

const (
	// leafSize is how many strokes a node holds before it splits. Smaller, and an overview walks more nodes under the lock
	// than strokes; larger, and a look near tests more strokes that do not reach it.
	leafSize = 32

	nowhere = math.MinInt
)

// entry is a stroke as a node keeps it: all that readers need under the lock, in one place.
type entry struct {
	seq     Seq
	changed Seq
	stroke  *ink.Stroke
	box     window // its reach, seen from the node's tile
}

// news is the seq of the last op that concerned the stroke.
func (e *entry) news() Seq { return max(e.seq, e.changed) }

func (ix *index) init() {
	ix.root = node{at: new(key), level: rootLevel, deepest: nowhere, floor: nowhere}
}

// slot is the child of n that a point in n lies in.
func (n *node) slot(at *key) int {
	return at.x.digit(n.level+1) | at.y.digit(n.level+1)<<1
}

// count adds an entry to the sums.
func (n *node) count(e *entry, level int, hidden bool) {
	n.newest = max(n.newest, e.news())
	n.flipped = max(n.flipped, e.changed)
	n.strokes++
	n.floor = max(n.floor, level)
	if !hidden {
		n.visible++
		n.points += e.stroke.Len()
		n.deepest = max(n.deepest, level)
	}
}

// keep adds an entry to the node's own.
func (n *node) keep(e entry, p *place, hidden bool) {
	e.box = p.box.from(&p.at, p.level, n.level)
	n.own = max(n.own, e.news())
	if hidden {
		n.hidden = append(n.hidden, e)
	} else {
		n.shown = append(n.shown, e)
	}
}

func leaf(e entry, p *place, hidden bool) *node {
	at := p.at
	n := &node{at: &at, level: p.level, leaf: true, deepest: nowhere, floor: nowhere}
	n.count(&e, p.level, hidden)
	n.keep(e, p, hidden)
	return n
}

// loosen makes the tile of a leaf larger.
func (n *node) loosen(level int) {
	for _, own := range [...][]entry{n.shown, n.hidden} {
		for i := range own {
			own[i].box = own[i].box.from(n.at, n.level, level)
		}
	}
	n.level = level
}

// insert adds a stroke that was never here.
func (ix *index) insert(e entry, p *place, hidden bool) {
	n := &ix.root
	for {
		// n holds the place.
		n.count(&e, p.level, hidden)
		if n.leaf || n.level == p.level {
			n.keep(e, p, hidden)
			if n.leaf && len(n.shown)+len(n.hidden) > leafSize {
				n.split()
			}
			return
		}
		at := &n.kids[n.slot(&p.at)]
		kid := *at
		if kid == nil {
			*at = leaf(e, p, hidden)
			return
		}
		level := shared(&p.at, kid.at, n.level, min(p.level, kid.level))
		switch {
		case level == kid.level:
		case kid.leaf:
			kid.loosen(level) // it has room for more than its tile
		default:
			above := *kid // its sums
			above.level, above.kids, above.shown, above.hidden, above.own = level, [4]*node{}, nil, nil, 0
			above.kids[above.slot(kid.at)] = kid
			kid = &above
			*at = kid
		}
		n = kid
	}
}

// shared is the level of the smallest tile, no finer than to, that holds both points, which share one at level from.
func shared(a, b *key, from, to int) int {
	return common(&a.y, &b.y, from, common(&a.x, &b.x, from, to))
}

// split turns a leaf into an inner node. Its level was the finest that holds all it has, so that no child gets all of it:
// none is too full in turn.
func (n *node) split() {
	shown, hidden := n.shown, n.hidden
	n.leaf, n.shown, n.hidden, n.own = false, nil, nil, 0
	n.deal(shown, false)
	n.deal(hidden, true)
}

// deal gives entries that n counts already to n itself or its leaves.
func (n *node) deal(entries []entry, hidden bool) {
	for _, e := range entries {
		var p place
		p.of(e.stroke)
		if p.level == n.level {
			n.keep(e, &p, hidden)
			continue
		}
		kid := &n.kids[n.slot(&p.at)]
		if *kid == nil {
			*kid = leaf(e, &p, hidden)
			continue
		}
		k := *kid
		if level := shared(&p.at, k.at, n.level, min(p.level, k.level)); level < k.level {
			k.loosen(level)
		}
		k.count(&e, p.level, hidden)
		k.keep(e, &p, hidden)
	}
}

// flip hides or shows a stroke that is here.
func (ix *index) flip(seq Seq, s *ink.Stroke, hide bool, now Seq) {
	var p place
	p.of(s)
	n := &ix.root
	ix.path = append(ix.path[:0], n)
	for !n.leaf && n.level != p.level {
		n = n.kids[n.slot(&p.at)]
		ix.path = append(ix.path, n)
	}
	from, to := &n.hidden, &n.shown
	if hide {
		from, to = to, from
	}
	for i, e := range *from {
		if e.seq == seq {
			last := len(*from) - 1
			(*from)[i] = (*from)[last]
			(*from)[last] = entry{} // keeps nothing alive
			*from = (*from)[:last]
			break
		}
	}
	*to = append(*to, entry{seq, now, s, p.box.from(&p.at, p.level, n.level)})
	n.own = now
	for i := len(ix.path) - 1; i >= 0; i-- {
		n := ix.path[i]
		n.newest, n.flipped = now, now
		if hide {
			n.visible--
			n.points -= s.Len()
			if n.deepest == p.level {
				n.deepest = n.findDeepest()
			}
		} else {
			n.visible++
			n.points += s.Len()
			n.deepest = max(n.deepest, p.level)
		}
	}
	clear(ix.path)
}

func (n *node) findDeepest() int {
	level := nowhere
	for _, e := range n.shown {
		level = max(level, levelOf(e.stroke))
	}
	for _, k := range n.kids {
		if k != nil {
			level = max(level, k.deepest)
		}
	}
	return level
}

// hit is a node that matters to a tile: with all below it, where it is inside of the tile; else its own strokes, of which
// some may touch: none but those whose boxes meet t.
type hit struct {
	*node
	inside bool
	t      window
}

// may says whether a stroke of the node's own may touch the tile.
func (h *hit) may(e *entry) bool { return h.t.meets(e.box) }

// finest is at least the level of every stroke of the node's own.
func (h *hit) finest() int {
	if h.leaf {
		return h.deepest
	}
	return h.level
}

// reach appends the nodes whose strokes may touch the tile t of a level.
func (ix *index) reach(t *key, level int, hits []hit) []hit {
	type step struct {
		n    *node
		x, y side
	}
	room := [64]step{{n: &ix.root}}
	for stack := room[:1]; len(stack) > 0; {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := s.n
		if n.level >= level && s.x == same && s.y == same {
			hits = append(hits, hit{node: n, inside: true})
			continue
		}
		if len(n.shown)+len(n.hidden) > 0 {
			h := hit{node: n}
			h.t.minX, h.t.maxX = extent(s.x, &t.x, level, n.level)
			h.t.minY, h.t.maxY = extent(s.y, &t.y, level, n.level)
			hits = append(hits, h)
		}
		for _, k := range n.kids {
			if k == nil {
				continue
			}
			x := follow(s.x, &t.x, &k.at.x, n.level, k.level, level)
			if x == gone {
				continue
			}
			if y := follow(s.y, &t.y, &k.at.y, n.level, k.level, level); y != gone {
				stack = append(stack, step{k, x, y})
			}
		}
	}
	return hits
}
