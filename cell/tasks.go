package cell

import (
	"context"
	"errors"
	"slices"
)

// ErrClosed is what Do returns when the pool closes before its turn came.
var ErrClosed = errors.New("cell: pool is closed")

// tasks are those who wait in Do, or in Soon. Together they are one of those whose turn it is.
type tasks struct {
	in      bool
	waiting []*task
}

type task struct {
	f       func()
	started bool
	dropped bool
	done    chan struct{}
}

// Do runs f in a slot, when its turn has come, and returns when f has. When ctx ends before that, f is not run.
func (p *Pool) Do(ctx context.Context, f func()) error { return p.do(ctx, &p.tasks, f) }

// Soon is Do for what takes less than a millisecond and somebody waits for: what they typed, or the next frame of what a program
// shows. Where all slots draw, which may take a second each, a slot that does nothing else takes it.
func (p *Pool) Soon(ctx context.Context, f func()) error { return p.do(ctx, &p.short, f) }

func (p *Pool) do(ctx context.Context, of *tasks, f func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t := &task{f: f, done: make(chan struct{})}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return ErrClosed
	}
	of.waiting = append(of.waiting, t)
	if of == &p.short && p.shortIdle {
		p.shortIdle = false // it has been called
		p.shortWake.Signal()
	} else {
		p.offer(of, 1)
	}
	p.mu.Unlock()
	select {
	case <-t.done:
	case <-ctx.Done():
		p.mu.Lock()
		started := t.started || t.dropped
		if !started {
			of.waiting = slices.DeleteFunc(of.waiting, func(w *task) bool { return w == t })
		}
		p.mu.Unlock()
		if !started {
			return ctx.Err()
		}
		<-t.done // what f uses is the caller's: it must not go on without f
	}
	if t.dropped {
		return ErrClosed
	}
	return nil
}

func (t *tasks) next() func(*Scratch) {
	if len(t.waiting) == 0 {
		return nil
	}
	first := t.waiting[0]
	t.waiting = slices.Delete(t.waiting, 0, 1)
	first.started = true
	return func(*Scratch) {
		defer close(first.done)
		first.f()
	}
}

func (t *tasks) inTurns() *bool { return &t.in }

// drop ends what waits without running it.
func (t *tasks) drop() {
	for _, w := range t.waiting {
		w.dropped = true
		close(w.done)
	}
	t.waiting = nil
}
