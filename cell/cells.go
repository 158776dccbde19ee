package cell

import (
	"cmp"
	"context"
	"errors"
	"slices"
)

// Cells are the pictures of one room. Its methods may be called by anybody at any time, and never block.
type Cells struct {
	pool    *Pool     // constant
	sources Sources   // constant
	ready   func(Key) // constant

	// Guarded by pool.mu.
	entries map[Key]*entry
	jobs    map[Key]*job
	viewers map[uint64]*viewer
	kinds   []*queue // in the order of their turns
	in      bool     // in Pool.turns
	piece   func(*Scratch) (more bool)
	due     bool // in Pool.idle
	closed  bool
}

// Want says that a picture of a cell is wanted that is settled and of version Least or later.
type Want struct {
	Key
	Least uint64
	Rank  int // lower first
}

// job is one cell that somebody wants and the cache does not have.
type job struct {
	key     Key
	demands map[uint64]*demand // by viewer
	drawing bool
	later   bool               // a provisional picture is there: others first
	cancel  context.CancelFunc // of the drawing under way; nil once called
}

// demand is what one viewer wants of one cell.
type demand struct {
	least uint64
	round uint64 // of the viewer's Want that last asked for it
	early bool   // asked before the drawing under way began: whatever that gives is what was asked for
}

type viewer struct {
	id    uint64
	round uint64 // counts calls of Want
	keys  []Key  // that it demands
}

// queue holds the wants of one kind, a list for each viewer, in the order of their turns.
type queue struct {
	kind  Kind
	lists []*list
}

// list is what a viewer wants of one kind, by rank. Keys that are no longer demanded stay until the next look at it.
type list struct {
	viewer uint64
	keys   []Key
}

// Room opens the cells of a room. ready is called, with no lock held, when Newest has something better for a key: it must
// not block. It may be called once more by every slot at work while the room closes.
func (p *Pool) Room(sources Sources, ready func(Key)) *Cells {
	c := &Cells{
		pool: p, sources: sources, ready: ready,
		entries: map[Key]*entry{}, jobs: map[Key]*job{}, viewers: map[uint64]*viewer{},
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c.closed = p.closed
	if !p.closed {
		p.rooms[c] = struct{}{}
	}
	return c
}

// Want replaces what a viewer wants. Cells that the cache has in that version are not drawn again, and not announced
// either: ask Newest first. A kind the room has no source for is ignored.
func (c *Cells) Want(viewerID uint64, wants []Want) {
	wants = slices.Clone(wants)
	slices.SortStableFunc(wants, func(a, b Want) int { return cmp.Compare(a.Rank, b.Rank) })
	p := c.pool
	p.mu.Lock()
	if c.closed {
		p.mu.Unlock()
		return
	}
	v := c.viewers[viewerID]
	if v == nil {
		if len(wants) == 0 {
			p.mu.Unlock()
			return
		}
		v = &viewer{id: viewerID}
		c.viewers[viewerID] = v
	}
	v.round++
	before := v.keys
	v.keys = nil
	work := 0
	for _, q := range c.kinds {
		q.take(viewerID)
	}
	for _, w := range wants {
		if c.sources[w.Kind] == nil {
			continue
		}
		if e := c.entries[w.Key]; e != nil && e.hasSettled && e.settled.Version >= w.Least {
			continue
		}
		j := c.jobs[w.Key]
		if j == nil {
			j = &job{key: w.Key, demands: map[uint64]*demand{}}
			c.jobs[w.Key] = j
		}
		d := j.demands[viewerID]
		if d == nil {
			d = &demand{least: w.Least}
			j.demands[viewerID] = d
		}
		if w.Least > d.least {
			d.least, d.early = w.Least, false
		}
		if d.round == v.round {
			continue // said twice
		}
		d.round = v.round
		v.keys = append(v.keys, w.Key)
		c.queue(w.Kind).list(viewerID, w.Key)
		if !j.drawing {
			work++
		}
	}
	var cancels []context.CancelFunc
	for _, k := range before {
		if j := c.jobs[k]; j != nil {
			if d := j.demands[viewerID]; d != nil && d.round != v.round {
				cancels = c.undemand(j, viewerID, cancels)
			}
		}
	}
	if len(v.keys) == 0 {
		delete(c.viewers, viewerID)
		for _, q := range c.kinds {
			q.lists = slices.DeleteFunc(q.lists, func(l *list) bool { return l.viewer == viewerID })
		}
	}
	p.offer(c, work)
	p.mu.Unlock()
	for _, cancel := range cancels {
		cancel()
	}
}

// Forget takes back all a viewer wants.
func (c *Cells) Forget(viewer uint64) { c.Want(viewer, nil) }

// Newest returns the newest picture of a cell there is, whatever its version, and counts as use. A provisional one is
// there only while its settled successor is being drawn.
func (c *Cells) Newest(key Key) (Picture, bool) {
	c.pool.mu.Lock()
	defer c.pool.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		c.pool.misses++
		return Picture{}, false
	}
	c.pool.hits++
	return c.pool.cache.newest(e), true
}

// Pictures is Newest for many cells at one taking of the lock: dst[i] is of keys[i], without Data where there is none.
func (c *Cells) Pictures(keys []Key, dst []Picture) {
	p := c.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, k := range keys {
		e := c.entries[k]
		if e == nil {
			p.misses++
			dst[i] = Picture{}
			continue
		}
		p.hits++
		dst[i] = p.cache.newest(e)
	}
}

// Close forgets the room's wants and pictures and cancels its drawings.
func (c *Cells) Close() {
	c.pool.mu.Lock()
	cancels := c.drop()
	delete(c.pool.rooms, c)
	c.pool.mu.Unlock()
	for _, cancel := range cancels {
		cancel()
	}
}

// drop empties the room. The caller calls what it returns when it holds no lock any more.
func (c *Cells) drop() (cancels []context.CancelFunc) {
	c.closed = true
	for _, j := range c.jobs {
		if j.cancel != nil {
			cancels = append(cancels, j.cancel)
			j.cancel = nil
		}
	}
	clear(c.jobs)
	clear(c.viewers)
	c.kinds = nil
	for _, e := range c.entries {
		c.pool.cache.remove(e)
	}
	return cancels
}

// undemand takes a viewer's demand away; without any the job ends.
func (c *Cells) undemand(j *job, viewer uint64, cancels []context.CancelFunc) []context.CancelFunc {
	delete(j.demands, viewer)
	if len(j.demands) > 0 {
		return cancels
	}
	if !j.drawing {
		delete(c.jobs, j.key)
		if e := c.entries[j.key]; e != nil {
			c.pool.cache.dropDraft(e)
		}
	} else if j.cancel != nil {
		cancels = append(cancels, j.cancel)
		j.cancel = nil
	}
	return cancels
}

// next implements turn: the next kind's next viewer's most urgent cell that is not being drawn already.
func (c *Cells) next() func(*Scratch) {
	for n := len(c.kinds); n > 0; n-- {
		q := c.kinds[0]
		c.kinds = append(c.kinds[:0], c.kinds[1:]...)
		j := q.next(c)
		if len(q.lists) > 0 {
			c.kinds = append(c.kinds, q)
		}
		if j != nil {
			return c.begin(j)
		}
	}
	return nil
}

func (c *Cells) inTurns() *bool { return &c.in }

func (q *queue) next(c *Cells) *job {
	for n := len(q.lists); n > 0; n-- {
		l := q.lists[0]
		q.lists = append(q.lists[:0], q.lists[1:]...)
		j := l.next(c)
		if len(l.keys) > 0 {
			q.lists = append(q.lists, l)
		}
		if j != nil {
			return j
		}
	}
	return nil
}

func (l *list) next(c *Cells) *job {
	done := 0
	var later *job
	for i, k := range l.keys {
		j := c.jobs[k]
		switch {
		case j == nil || j.demands[l.viewer] == nil:
			if i == done {
				done++
			}
		case j.drawing:
		case !j.later:
			l.keys = l.keys[done:]
			return j
		case later == nil:
			later = j
		}
	}
	l.keys = l.keys[done:]
	return later
}

func (c *Cells) queue(kind Kind) *queue {
	for _, q := range c.kinds {
		if q.kind == kind {
			return q
		}
	}
	q := &queue{kind: kind}
	c.kinds = append(c.kinds, q)
	return q
}

// list puts a key at the end of a viewer's list. A viewer that is new here comes last.
func (q *queue) list(viewer uint64, key Key) {
	for _, l := range q.lists {
		if l.viewer == viewer {
			l.keys = append(l.keys, key)
			return
		}
	}
	q.lists = append(q.lists, &list{viewer: viewer, keys: []Key{key}})
}

// take empties a viewer's list, but not its place: asking again must not cost the turn, nor win one.
func (q *queue) take(viewer uint64) {
	for _, l := range q.lists {
		if l.viewer == viewer {
			l.keys = nil
		}
	}
}

// begin marks a job as being drawn and returns the drawing of it.
func (c *Cells) begin(j *job) func(*Scratch) {
	for _, d := range j.demands {
		d.early = true
	}
	ctx, cancel := context.WithCancel(context.Background())
	j.drawing, j.cancel = true, cancel
	drafted := j.later
	return func(s *Scratch) {
		defer cancel()
		s.draft = drafted
		err := c.sources[j.key.Kind].Draw(ctx, j.key.ID, s, func(p Picture) { c.emit(j, p) })
		c.end(j, err, ctx.Err() != nil)
	}
}

// emit takes a picture of a job's cell.
func (c *Cells) emit(j *job, p Picture) {
	pool := c.pool
	pool.mu.Lock()
	if c.closed {
		pool.mu.Unlock()
		return
	}
	news := pool.cache.put(c, j.key, p)
	if p.Provisional {
		pool.drafts++
	} else {
		pool.drawn++
		for viewer, d := range j.demands {
			if d.early || d.least <= p.Version {
				delete(j.demands, viewer)
			}
		}
	}
	pool.mu.Unlock()
	if news {
		c.ready(j.key)
	}
}

// end closes a drawing. Who asked for a later version meanwhile gets the next.
func (c *Cells) end(j *job, err error, cancelled bool) {
	pool := c.pool
	pool.mu.Lock()
	defer pool.mu.Unlock()
	j.drawing, j.cancel = false, nil
	if c.closed {
		return
	}
	e := c.entries[j.key]
	j.later = e != nil && e.hasDraft && errors.Is(err, ErrLater) && len(j.demands) > 0
	if e != nil && !j.later {
		pool.cache.dropDraft(e)
	}
	switch {
	case cancelled:
		pool.cancelled++
	case errors.Is(err, ErrLater): // its key is still in the lists
		for _, d := range j.demands {
			d.early = false
		}
	default:
		if err != nil {
			pool.failed++
		}
		// Nothing more can be had for those it was drawn for: to try again at once would never end.
		for viewer, d := range j.demands {
			if d.early {
				delete(j.demands, viewer)
			}
		}
	}
	if len(j.demands) == 0 {
		delete(c.jobs, j.key)
		return
	}
	pool.offer(c, 1)
}
