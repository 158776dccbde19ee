package vt

// Bounds of hyperlinks (OSC 8).
const (
	maxLinkURI = 2083
	maxLinkID  = 250
	maxLinks   = 8192
)

// Link is a hyperlink. Cells with the same Link belong together.
type Link struct {
	URI string
	ID  string // given by the program; cells of one link may lie apart
}

// links numbers the hyperlinks of styles in use; number 0 is no link.
type links struct {
	list  []*Link
	free  []uint32
	known map[Link]uint32
	wait  int // links to refuse before the next sweep, when the last one freed none
}

func newLinks() links {
	return links{list: make([]*Link, 1), known: map[Link]uint32{}}
}

// link numbers l; 0 when there are too many.
func (t *Terminal) link(l Link) uint32 {
	k := &t.links
	if n, ok := k.known[l]; ok {
		return n
	}
	if len(k.list)-len(k.free) >= maxLinks {
		if k.wait--; k.wait >= 0 || t.holdSweeps {
			return 0
		}
		t.sweepStyles()
		if len(k.list)-len(k.free) >= maxLinks {
			k.wait = maxLinks / 8
			return 0
		}
		k.wait = 0
	}
	var n uint32
	if i := len(k.free); i > 0 {
		n, k.free = k.free[i-1], k.free[:i-1]
		k.list[n] = &l
	} else {
		n = uint32(len(k.list))
		k.list = append(k.list, &l)
	}
	k.known[l] = n
	return n
}

// sweepLinks forgets the links no style names.
func (t *Terminal) sweepLinks() {
	k := &t.links
	if len(k.list) == 1 {
		return
	}
	used := make([]bool, len(k.list))
	for _, s := range t.styles.list {
		used[s.link] = true
	}
	used[t.pen.link] = true
	for _, s := range t.saved {
		used[s.pen.link] = true
	}
	k.free = k.free[:0]
	for n := len(k.list) - 1; n > 0; n-- {
		if used[n] {
			continue
		}
		if l := k.list[n]; l != nil {
			delete(k.known, *l)
			k.list[n] = nil
		}
		k.free = append(k.free, uint32(n))
	}
}
