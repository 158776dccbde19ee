package room

import (
	"sync"
	"time"

	"fractal/canvas"
)

// maxNews is how many damages a room remembers. A viewer that pulls less often than they come has its whole view looked at
// again, which costs less than holding each of its squares against more damages than these. At 1,000 strokes a second it is
// half a second.
const maxNews = 512

// item is one change of the canvas.
type item struct {
	seq    canvas.Seq
	damage canvas.Damage
	undone bool      // it hid or showed what was there, rather than adding on top
	at     time.Time // when its op was entered here; zero: elsewhere
}

// shared is what the State message says to everybody alike.
type shared struct {
	paper    uint32
	strokes  int
	grants   int // counts changes of rights
	readOnly string
}

type undo struct {
	viewers int
	at      canvas.Seq // what the two below are as of
	can     [2]bool    // undo, redo
}

// news is what changed lately, for viewers to check their squares against, as of one seq.
type news struct {
	mu      sync.Mutex // guards all below
	seq     canvas.Seq // everything up to here is told
	ring    []item     // by seq; the oldest at start once it is full
	start   int
	lost    canvas.Seq // of the newest item that was overwritten
	state   shared
	persons map[canvas.Person]*undo // of those here
}

func (n *news) shared() shared {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.state
}

// push tells what a record changed. The persons whose ops were in it come with what they may undo now.
func (n *news) push(seq canvas.Seq, items []item, paper uint32, strokes, grants int, persons []personUndo) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, it := range items {
		if len(n.ring) < maxNews {
			n.ring = append(n.ring, it)
			continue
		}
		n.lost = n.ring[n.start].seq
		n.ring[n.start] = it
		n.start = (n.start + 1) % maxNews
	}
	n.seq = seq
	n.state.paper, n.state.strokes = paper, strokes
	n.state.grants += grants
	for _, p := range persons {
		n.set(p.person, seq, p.can)
	}
}

// begin forgets what a canvas was before it had viewers.
func (n *news) begin(seq canvas.Seq) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.seq, n.lost = seq, seq
}

type personUndo struct {
	person canvas.Person
	can    [2]bool
}

func (n *news) set(p canvas.Person, at canvas.Seq, can [2]bool) {
	if u := n.persons[p]; u != nil && u.at <= at {
		u.at, u.can = at, can
	}
}

func (n *news) setReadOnly(why string) (changed bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	changed = n.state.readOnly != why
	n.state.readOnly = why
	return changed
}

// meet and part count the viewers of a person.
func (n *news) meet(p canvas.Person) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.persons == nil {
		n.persons = map[canvas.Person]*undo{}
	}
	if n.persons[p] == nil {
		n.persons[p] = new(undo)
	}
	n.persons[p].viewers++
}

func (n *news) part(p canvas.Person) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if u := n.persons[p]; u != nil {
		if u.viewers--; u.viewers == 0 {
			delete(n.persons, p)
		}
	}
}

func (n *news) undo(p canvas.Person, at canvas.Seq, canUndo, canRedo bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.set(p, at, [2]bool{canUndo, canRedo})
}

// bulletin is what one cycle learns.
type bulletin struct {
	seq    canvas.Seq
	items  []item // after what the viewer knew
	all    bool   // some of them are forgotten: look at everything again
	state  shared
	can    [2]bool
	oldest time.Time // entered here; zero: none
}

// read gives what came after a seq. items is scratch to append to.
func (n *news) read(after canvas.Seq, who canvas.Person, items []item) bulletin {
	n.mu.Lock()
	defer n.mu.Unlock()
	b := bulletin{seq: n.seq, state: n.state, items: items, all: after < n.lost}
	if u := n.persons[who]; u != nil {
		b.can = u.can
	}
	if b.all {
		return b
	}
	// Newest first until known, then in order: most readers are a record or two behind.
	k := len(n.ring)
	for k > 0 && n.ring[(n.start+k-1)%len(n.ring)].seq > after {
		k--
	}
	for ; k < len(n.ring); k++ {
		b.items = append(b.items, n.ring[(n.start+k)%len(n.ring)])
	}
	return b
}
