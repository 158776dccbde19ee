package cell

import (
	"context"
	"runtime/pprof"
	"sync"
	"sync/atomic"
)

// Pool is the machine's share for heavy work: as many slots as cores, for all rooms, and the cache of what they drew. One more slot
// takes only what is short (Soon). While nothing is wanted its goroutines sleep, and nothing wakes them but a want.
type Pool struct {
	stages          stages
	strokes, points atomic.Uint64  // painted
	done            sync.WaitGroup // the slots

	mu        sync.Mutex // guards all below, and all rooms; never held while drawing, or calling a source or a room
	wake      sync.Cond  // there may be something in turns
	turns     []turn     // who has work, next first
	tasks     tasks
	short     tasks     // of Soon
	shortWake sync.Cond // there may be something in short
	shortIdle bool      // the slot that takes nothing else waits for that
	idle      idle
	rooms     map[*Cells]struct{}
	cache     cache
	drawing   int
	drawn     uint64
	drafts    uint64
	cancelled uint64
	failed    uint64
	hits      uint64
	misses    uint64
	closed    bool
}

// turn is one who shares the slots: a room, or those who call Do.
type turn interface {
	// next returns work, or nil where there is nothing to do now. Called with Pool.mu held.
	next() func(*Scratch)
	// inTurns is where the pool keeps whether it is in Pool.turns.
	inTurns() *bool
}

// NewPool starts a pool of so many slots whose cache holds about so many bytes.
func NewPool(slots int, cacheBytes int64) *Pool {
	p := &Pool{rooms: map[*Cells]struct{}{}}
	p.wake.L, p.shortWake.L = &p.mu, &p.mu
	p.cache.init(cacheBytes)
	for range max(slots, 1) {
		p.done.Go(p.slot)
	}
	p.done.Go(p.shortSlot)
	return p
}

// Close ends all drawings and waits until no slot is at work.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	var cancels []context.CancelFunc
	for _, t := range p.turns {
		*t.inTurns() = false
	}
	p.turns = nil
	p.tasks.drop()
	p.short.drop()
	p.idle.waiting = nil
	for c := range p.rooms {
		cancels = append(cancels, c.drop()...)
	}
	p.wake.Broadcast()
	p.shortWake.Broadcast()
	p.mu.Unlock()
	for _, cancel := range cancels {
		cancel()
	}
	p.done.Wait()
}

// slot works until the pool closes.
func (p *Pool) slot() {
	s := &Scratch{pool: p}
	// Profiles tell cells from the rest of the server. Set once: it costs nothing a cell.
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("work", "cells")))
	giveWay()
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed {
		work := p.next()
		if work == nil {
			work = p.idle.next()
		}
		if work == nil {
			p.wake.Wait()
			continue
		}
		p.drawing++
		p.mu.Unlock()
		work(s)
		p.mu.Lock()
		p.drawing--
	}
}

// shortSlot does short work until the pool closes.
func (p *Pool) shortSlot() {
	giveWay()
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed {
		work := p.short.next()
		if p.shortIdle = work == nil; p.shortIdle {
			p.shortWake.Wait()
			continue
		}
		p.mu.Unlock()
		work(nil)
		p.mu.Lock()
	}
}

// next takes work from whose turn it is. Everybody with work gets one drawing before anybody gets a second.
func (p *Pool) next() func(*Scratch) {
	for len(p.turns) > 0 {
		t := p.turns[0]
		p.turns = append(p.turns[:0], p.turns[1:]...)
		if work := t.next(); work != nil {
			p.turns = append(p.turns, t)
			return work
		}
		*t.inTurns() = false
	}
	return nil
}

// offer puts t at the end of the turns where it is not among them, and wakes slots for n pieces of work.
func (p *Pool) offer(t turn, n int) {
	if p.closed || n == 0 {
		return
	}
	if in := t.inTurns(); !*in {
		*in = true
		p.turns = append(p.turns, t)
	}
	if n == 1 {
		p.wake.Signal()
	} else {
		p.wake.Broadcast()
	}
}

// Stats returns what the pool has done so far.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{
		Drawn: p.drawn, Drafts: p.drafts, Cancelled: p.cancelled, Failed: p.failed, Hits: p.hits, Misses: p.misses,
		Evicted: p.cache.evicted, Pictures: p.cache.n, Bytes: p.cache.bytes, Drawing: p.drawing, Stages: p.stages.read(),
		Strokes: p.strokes.Load(), Points: p.points.Load(),
	}
}
