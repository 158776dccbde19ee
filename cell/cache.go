package cell

// cache bounds the bytes of all pictures of all rooms: what was used longest ago goes first. Rooms hold their own entries
// by key, so no key of one room ever finds a picture of another. Guarded by Pool.mu.
type cache struct {
	limit   int64
	bytes   int64
	n       int
	evicted uint64
	root    entry // of a ring: next is the newest, prev the oldest
}

// entry is what is kept of one cell: the newest settled picture, and while a better one is drawn, a draft.
type entry struct {
	room           *Cells
	key            Key
	settled, draft Picture
	hasSettled     bool
	hasDraft       bool
	bytes          int64
	prev, next     *entry
}

// overhead is about what an entry costs beside its picture's data.
const overhead = 320

func (c *cache) init(limit int64) {
	c.limit = limit
	c.root.prev, c.root.next = &c.root, &c.root
}

// put keeps a picture of a cell. What is older than what is kept, or a draft of a version that is settled, is dropped.
func (c *cache) put(room *Cells, key Key, p Picture) bool {
	e := room.entries[key]
	if e == nil {
		e = &entry{room: room, key: key}
		room.entries[key] = e
		c.n++
	} else {
		c.unlink(e)
	}
	kept := false
	switch {
	case p.Provisional:
		if kept = !e.hasSettled || p.Version > e.settled.Version; kept {
			e.draft, e.hasDraft = p, true
		}
	case !e.hasSettled || p.Version >= e.settled.Version:
		kept = true
		e.settled, e.hasSettled = p, true
		if e.draft.Version <= p.Version {
			e.draft, e.hasDraft = Picture{}, false
		}
	}
	c.link(e)
	for c.bytes > c.limit && c.n > 1 { // the newest stays, however large: somebody was just told of it
		c.evicted++
		c.remove(c.root.prev)
	}
	return kept
}

// newest returns the picture of the highest version, and counts as use.
func (c *cache) newest(e *entry) Picture {
	c.unlink(e)
	c.link(e)
	if e.hasDraft && (!e.hasSettled || e.draft.Version > e.settled.Version) {
		return e.draft
	}
	return e.settled
}

// dropDraft forgets a draft whose drawing ended before it was settled.
func (c *cache) dropDraft(e *entry) {
	if !e.hasDraft {
		return
	}
	if !e.hasSettled {
		c.remove(e)
		return
	}
	c.unlink(e)
	e.draft, e.hasDraft = Picture{}, false
	c.link(e)
}

func (c *cache) remove(e *entry) {
	c.unlink(e)
	c.n--
	delete(e.room.entries, e.key)
}

func (c *cache) link(e *entry) {
	e.bytes = overhead + int64(len(e.settled.Data)+len(e.draft.Data))
	c.bytes += e.bytes
	e.prev, e.next = &c.root, c.root.next
	e.prev.next, e.next.prev = e, e
}

func (c *cache) unlink(e *entry) {
	c.bytes -= e.bytes
	e.prev.next, e.next.prev = e.next, e.prev
}
