package vt

import (
	"hash/maphash"
	"unicode/utf8"
)

// Bounds of grapheme clusters: marks beyond maxCluster bytes are dropped (the glyph stays), and so is what would need
// more different clusters than maxClusters.
const (
	maxCluster  = 128
	maxClusters = 1 << 17
	minClusters = 4096 // kept before anybody looks for unused ones
	joinSlots   = 1 << 11
)

// clusters numbers the grapheme clusters of more than one rune that are on the screens. Texts lie in one arena, so the
// garbage collector sees two slices however many there are.
type clusters struct {
	arena []byte
	at    []span   // by number; number 0 is not used
	free  []uint32 // numbers nobody uses
	slots []uint32 // open addressing by hash of the text; 0 is empty
	limit int
	wait  int             // joins to let pass before the next sweep, when the last one freed little
	joins [joinSlots]join // what was joined lately
}

type span struct{ from, to uint32 }

// join remembers that content (as in a Cell) followed by r is cluster n.
type join struct {
	content Cell
	r       rune
	n       uint32 // 0: empty
}

var clusterSeed = maphash.MakeSeed()

func newClusters() *clusters {
	return &clusters{at: make([]span, 1), slots: make([]uint32, 128), limit: minClusters}
}

func (c *clusters) live() int { return len(c.at) - len(c.free) }

func (c *clusters) text(n uint32) []byte {
	if n >= uint32(len(c.at)) {
		return nil
	}
	s := c.at[n]
	return c.arena[s.from:s.to]
}

// find returns the number of a text, giving it one; 0 when there are too many.
func (c *clusters) find(text []byte) uint32 {
	mask := uint64(len(c.slots) - 1)
	i := maphash.Bytes(clusterSeed, text) & mask
	for c.slots[i] != 0 {
		if n := c.slots[i]; string(c.text(n)) == string(text) {
			return n
		}
		i = (i + 1) & mask
	}
	if c.live() >= maxClusters {
		return 0
	}
	from := uint32(len(c.arena))
	c.arena = append(c.arena, text...)
	s := span{from, uint32(len(c.arena))}
	var n uint32
	if k := len(c.free); k > 0 {
		n, c.free = c.free[k-1], c.free[:k-1]
		c.at[n] = s
	} else {
		n = uint32(len(c.at))
		c.at = append(c.at, s)
	}
	c.slots[i] = n
	if 2*c.live() > len(c.slots) {
		c.index(2 * len(c.slots))
	}
	return n
}

func (c *clusters) index(size int) {
	if size == len(c.slots) {
		clear(c.slots)
	} else {
		c.slots = make([]uint32, size)
	}
	mask := uint64(size - 1)
	for n, s := range c.at {
		if s.from == s.to {
			continue
		}
		i := maphash.Bytes(clusterSeed, c.arena[s.from:s.to]) & mask
		for c.slots[i] != 0 {
			i = (i + 1) & mask
		}
		c.slots[i] = uint32(n)
	}
}

// keep forgets the clusters not marked and closes the gaps of the arena.
func (c *clusters) keep(marked []bool) {
	c.free = c.free[:0]
	arena := make([]byte, 0, len(c.arena)/2)
	for n := range c.at {
		if n == 0 {
			continue
		}
		if !marked[n] {
			c.at[n] = span{}
			c.free = append(c.free, uint32(n))
			continue
		}
		from := uint32(len(arena))
		arena = append(arena, c.text(uint32(n))...)
		c.at[n] = span{from, uint32(len(arena))}
	}
	c.arena = arena
	c.limit, c.wait = max(minClusters, min(2*c.live(), maxClusters)), 0
	if c.live() > c.limit-c.limit/8 {
		c.wait = minClusters
	}
	clear(c.joins[:])
	c.index(len(c.slots))
}

// joined is the content of a cell that holds content and is given r too; content itself where there is no room.
func (t *Terminal) joined(content Cell, r rune) Cell {
	c := t.clusters
	slot := &c.joins[(uint32(content)*0x9e3779b1^uint32(r)*0x85ebca6b)>>21&(joinSlots-1)]
	if slot.n != 0 && slot.content == content && slot.r == r {
		return cellCluster | Cell(slot.n)
	}
	if c.live() >= c.limit && !t.holdSweeps {
		if c.wait--; c.wait < 0 {
			t.sweepClusters()
		}
	}
	text := t.appendGlyph(t.glyph[:0], content)
	if content&(cellContent|cellCluster) == 0 {
		text = append(text, ' ') // a mark over a cell nobody printed on
	}
	text = utf8.AppendRune(text, r)
	t.glyph = text
	if len(text) > maxCluster {
		return content
	}
	n := c.find(text)
	if n == 0 {
		return content
	}
	*slot = join{content, r, n}
	return cellCluster | Cell(n)
}

// appendGlyph appends the text of a cell; nothing for a blank one.
func (t *Terminal) appendGlyph(dst []byte, c Cell) []byte {
	switch {
	case c&cellCluster != 0:
		return append(dst, t.clusters.text(uint32(c&cellContent))...)
	case c&cellContent != 0:
		return utf8.AppendRune(dst, rune(c&cellContent))
	}
	return dst
}

func (t *Terminal) sweepClusters() {
	marked := t.marks(len(t.clusters.at))
	t.eachRow(func(r *row) {
		if !r.rich {
			return
		}
		for _, c := range r.cells[:r.used] {
			if c&cellCluster != 0 {
				marked[c&cellContent] = true
			}
		}
	})
	t.clusters.keep(marked)
}
