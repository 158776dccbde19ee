package cell

// idle is work that nobody waits for: a slot takes a piece of it when it would sleep, one slot at a time, so that another is
// always free for what comes. Guarded by Pool.mu.
type idle struct {
	busy    bool
	waiting []*Cells // rooms whose work is due, in the order of their turns
}

// Idle says what a room's slots may do while nothing is wanted of anybody: piece does a little of it, about a millisecond, and
// says whether there is more. It is called after Due, again and again while there is more.
func (c *Cells) Idle(piece func(*Scratch) (more bool)) {
	c.pool.mu.Lock()
	c.piece = piece
	c.pool.mu.Unlock()
	c.Due()
}

// Due says that there is idle work. It never blocks.
func (c *Cells) Due() {
	p := c.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.closed || c.due || c.piece == nil {
		return
	}
	c.due = true
	p.idle.waiting = append(p.idle.waiting, c)
	if !p.idle.busy {
		p.wake.Signal()
	}
}

func (q *idle) next() func(*Scratch) {
	for !q.busy && len(q.waiting) > 0 {
		c := q.waiting[0]
		q.waiting = append(q.waiting[:0], q.waiting[1:]...)
		c.due = false
		if c.closed {
			continue
		}
		q.busy = true
		return func(s *Scratch) {
			more := c.piece(s)
			c.pool.mu.Lock()
			q.busy = false
			if more && !c.due && !c.closed && !c.pool.closed {
				c.due = true
				q.waiting = append(q.waiting, c)
			}
			if len(q.waiting) > 0 {
				c.pool.wake.Signal() // this slot may get something better to do
			}
			c.pool.mu.Unlock()
		}
	}
	return nil
}
