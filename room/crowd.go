package room

import (
	"cmp"
	"slices"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"fractal/canvas"
	"fractal/tile"
	"fractal/wire"
)

const (
	maxName = 64 // bytes

	// maxPeers is how many others one viewer is told of: those who moved last.
	maxPeers = 64
	// maxPeersBytes bounds one Peers message; cursors beyond it stay away. Deep down, an address alone is some kilobytes.
	maxPeersBytes = 16 << 10

	maxWets      = 8        // strokes in the making of one viewer; the oldest gives way
	maxWetPoints = 16384    // of one; it stops growing there, the dry stroke has them all
	maxWetBytes  = 64 << 10 // of one
)

// crowd is what does not last: who is here, where their cursors are, what they are drawing. Everything is kept as its newest
// state; viewers compare with what they were told.
type crowd struct {
	mu      sync.Mutex // guards all below and the fields of every wet
	moves   uint64     // counts changes of peers
	mover   uint32     // who changed last; 0: somebody who left
	before  uint64     // moves at the last change by anybody but mover
	peers   map[uint32]*peer
	wets    []*wet // in the making
	scratch []*peer
}

// peer is one viewer as the others see it, in the bytes of a field of wire.Peers, with the cursor and without.
type peer struct {
	id          uint32
	moved       uint64 // crowd.moves at its last move
	n           uint64 // which of its faces this is
	full, plain []byte
}

// wet is a stroke in the making. A viewer that was told of it keeps it until it has told the end.
type wet struct {
	viewer uint32       // constant
	id     uint64       // constant: the op number the stroke will have
	head   *wire.Stroke // constant, without points

	points  []byte // only grows, so that a part of it may be read without the lock
	n       int    // points
	last    [3]int64
	restart int // how often it began again
	entered bool
	over    bool       // gone
	dry     canvas.Seq // logged as; 0 when over: it never will be
}

func (c *crowd) init() { c.peers = map[uint32]*peer{} }

// move sets how others see a viewer, unless a later face of it is known. The fields are encoded before the lock.
func (c *crowd) move(id uint32, n uint64, plain, full []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.peers[id]
	if p == nil {
		p = &peer{id: id}
		c.peers[id] = p
	}
	if n < p.n {
		return
	}
	p.n, p.plain, p.full = n, plain, full
	c.moved(id)
	p.moved = c.moves
}

func (c *crowd) moved(id uint32) {
	if id != c.mover {
		c.mover, c.before = id, c.moves
	}
	c.moves++
}

const fieldPeers = 1 // of wire.Peers

func peerField(p *wire.Peer) []byte {
	size := proto.Size(p)
	b := make([]byte, 0, size+8)
	b = protowire.AppendTag(b, fieldPeers, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(size))
	b, err := proto.MarshalOptions{UseCachedSize: true}.MarshalAppend(b, p)
	if err != nil {
		panic("room: a peer of ours cannot be written: " + err.Error())
	}
	return b
}

func (c *crowd) leave(id uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.peers, id)
	c.moved(0)
	for _, w := range slices.Clone(c.wets) {
		if w.viewer == id && !w.entered { // what is on its way to the log ends when it is dry
			c.finish(w, 0)
		}
	}
}

// draw takes news of a stroke in the making. It says whether anything changed.
func (c *crowd) draw(viewer uint32, m *wire.WetIn) (changed, fits bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.wets, func(w *wet) bool { return w.viewer == viewer && w.id == m.Id })
	if m.Cancelled {
		if at >= 0 && !c.wets[at].entered {
			c.finish(c.wets[at], 0)
		}
		return at >= 0, true
	}
	var w *wet
	switch {
	case at >= 0:
		w = c.wets[at]
		if m.From == 0 && w.n > 0 && m.Head != nil { // begun again, for example after its points were thinned
			w.points, w.n, w.last = nil, 0, [3]int64{}
			w.restart++
		}
	case m.Head == nil || m.From != 0:
		return false, false
	default:
		w = &wet{viewer: viewer, id: m.Id, head: m.Head}
	}
	if w.entered || int(m.From) != w.n || !w.grow(m.Points) {
		return false, false
	}
	if at < 0 {
		c.wets = append(c.wets, w)
		c.crowdOut(viewer)
	}
	return true, true
}

// grow appends points, checking each; on a fault nothing changes.
func (w *wet) grow(points []byte) bool {
	if len(w.points)+len(points) > maxWetBytes {
		return false
	}
	axes := 2
	if w.head.Width == 0 {
		axes = 3
	}
	n, last := w.n, w.last
	for b := points; len(b) > 0; n++ {
		for k := range axes {
			u, size := protowire.ConsumeVarint(b)
			if size < 0 {
				return false
			}
			b = b[size:]
			d := protowire.DecodeZigZag(u)
			if d > 2*tile.MaxLocal || d < -2*tile.MaxLocal {
				return false
			}
			last[k] += d
			if last[k] > tile.MaxLocal || last[k] < -tile.MaxLocal || k == 2 && (last[k] < 1 || last[k] > 1<<20) {
				return false
			}
		}
		if n >= maxWetPoints {
			return false
		}
	}
	w.points = append(w.points, points...)
	w.n, w.last = n, last
	return true
}

// crowdOut drops the oldest strokes of a viewer that began too many.
func (c *crowd) crowdOut(viewer uint32) {
	n := 0
	for i := len(c.wets) - 1; i >= 0; i-- {
		if w := c.wets[i]; w.viewer == viewer {
			if n++; n > maxWets {
				c.finish(w, 0)
			}
		}
	}
}

// enters finds the wet form of a stroke that is entered to be kept.
func (c *crowd) enters(viewer uint32, id uint64) *wet {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.wets {
		if w.viewer == viewer && w.id == id {
			w.entered = true
			return w
		}
	}
	return nil
}

// end takes a wet stroke away: it is dry, or with seq 0 never will be.
func (c *crowd) end(w *wet, seq canvas.Seq) {
	if w == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finish(w, seq)
}

func (c *crowd) finish(w *wet, seq canvas.Seq) {
	if w.over {
		return
	}
	w.over, w.dry, w.points = true, seq, nil
	c.wets = slices.DeleteFunc(c.wets, func(o *wet) bool { return o == w })
}

// told is what a viewer knows of a wet stroke. It belongs to the viewer's goroutine.
type told struct {
	*wet
	n, bytes, restart int
}

// hubbub is what one cycle learns of the crowd. Its bytes are to be read only.
type hubbub struct {
	moves uint64
	peers [][]byte // fields of wire.Peers; nil: nothing changed
	wets  []wetNews
}

type wetNews struct {
	wet    *wet
	head   *wire.Stroke
	from   int
	points []byte
	over   bool
	dry    canvas.Seq
}

// read gives what a viewer has not been told, and notes in knows that it was. It stops at about `credit` bytes; the rest is
// news next time.
func (c *crowd) read(viewer uint32, moves uint64, knows *[]told, credit int) hubbub {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := hubbub{moves: c.moves}
	if c.mover != viewer && c.moves > moves || c.before > moves || moves == 0 {
		h.peers = c.others(viewer)
	}
	kept := (*knows)[:0]
	for _, k := range *knows {
		if k.over {
			h.wets = append(h.wets, wetNews{wet: k.wet, over: true, dry: k.dry})
			continue
		}
		kept = append(kept, k)
	}
	clear((*knows)[len(kept):])
	*knows = kept
	for _, w := range c.wets {
		if w.viewer == viewer {
			continue
		}
		if credit <= 0 {
			break
		}
		i := slices.IndexFunc(*knows, func(k told) bool { return k.wet == w })
		if i < 0 {
			i = len(*knows)
			*knows = append(*knows, told{wet: w, restart: -1})
		}
		k := &(*knows)[i]
		if k.restart == w.restart && k.n == w.n {
			continue
		}
		n := wetNews{wet: w, from: k.n, points: w.points[k.bytes:]}
		if k.restart != w.restart {
			n = wetNews{wet: w, head: w.head, points: w.points}
		}
		n.points = n.points[:len(n.points):len(n.points)]
		k.n, k.bytes, k.restart = w.n, len(w.points), w.restart
		credit -= len(n.points) + 64
		h.wets = append(h.wets, n)
	}
	return h
}

// others lists everybody else, those who moved last if there are too many.
func (c *crowd) others(viewer uint32) [][]byte {
	c.scratch = c.scratch[:0]
	for _, p := range c.peers {
		if p.id != viewer {
			c.scratch = append(c.scratch, p)
		}
	}
	if len(c.scratch) > maxPeers {
		slices.SortFunc(c.scratch, func(a, b *peer) int { return cmp.Compare(b.moved, a.moved) })
		c.scratch = c.scratch[:maxPeers]
	}
	slices.SortFunc(c.scratch, func(a, b *peer) int { return cmp.Compare(a.id, b.id) })
	list, size := make([][]byte, 0, len(c.scratch)), 0
	for _, p := range c.scratch {
		b := p.full
		if size+len(b) > maxPeersBytes {
			b = p.plain
		}
		size += len(b)
		list = append(list, b)
	}
	return list
}
