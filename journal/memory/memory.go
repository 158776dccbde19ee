// Package memory keeps logs in memory, for tests and benchmarks: what it calls durable ends with the process.
package memory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"fractal/journal"
)

// Journal is a journal.Journal in memory.
type Journal struct {
	mu     sync.Mutex // guards all below
	logs   map[string]*log
	refuse error
	closed bool
}

type log struct {
	records []journal.Record // consecutive positions
	ids     map[journal.ID]journal.Pos
	grown   chan struct{} // closed and replaced when records grow or the journal closes
}

// New returns an empty journal.
func New() *Journal { return &Journal{logs: map[string]*log{}} }

// Refuse makes every Append fail with err until it is called with nil: a full or read-only disk, for tests.
func (j *Journal) Refuse(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.refuse = err
}

// Append implements journal.Journal.
func (j *Journal) Append(ctx context.Context, canvas string, id journal.ID, body []byte) (journal.Pos, error) {
	if err := journal.Check(canvas, body); err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return 0, journal.ErrClosed
	}
	l := j.log(canvas)
	if pos, ok := l.ids[id]; ok {
		return pos, nil
	}
	if j.refuse != nil {
		return 0, j.refuse
	}
	pos := l.head() + 1
	if body == nil {
		body = []byte{} // only the sign of Tail has no body
	}
	l.records = append(l.records, journal.Record{Pos: pos, ID: id, Body: body})
	l.ids[id] = pos
	l.wake()
	return pos, nil
}

// Tail implements journal.Journal.
func (j *Journal) Tail(ctx context.Context, canvas string, after journal.Pos, fn func(journal.Record) error) error {
	if err := journal.Check(canvas, nil); err != nil {
		return err
	}
	for caughtUp := false; ; {
		j.mu.Lock()
		if j.closed {
			j.mu.Unlock()
			return journal.ErrClosed
		}
		l := j.log(canvas)
		news, head, grown := l.after(after), l.head(), l.grown
		j.mu.Unlock()
		if head < after {
			return fmt.Errorf("%w: the log of canvas %q ends at record %d, before record %d that was read from it earlier", journal.ErrCorrupt, canvas, head, after)
		}
		for _, r := range news {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := fn(r); err != nil {
				return err
			}
			after = r.Pos
		}
		if !caughtUp {
			caughtUp = true
			if err := fn(journal.Record{}); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-grown:
		}
	}
}

// Trim implements journal.Journal.
func (j *Journal) Trim(ctx context.Context, canvas string, through journal.Pos) error {
	if err := journal.Check(canvas, nil); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return journal.ErrClosed
	}
	l := j.log(canvas)
	kept := l.after(min(through, max(l.head(), 1)-1))
	for _, r := range l.records[:len(l.records)-len(kept)] {
		delete(l.ids, r.ID)
	}
	l.records = slices.Clone(kept) // tails may still read the old array
	return nil
}

// Canvases implements journal.Journal.
func (j *Journal) Canvases(ctx context.Context) ([]string, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil, journal.ErrClosed
	}
	names := slices.Sorted(maps.Keys(j.logs))
	return slices.DeleteFunc(names, func(n string) bool { return len(j.logs[n].records) == 0 }), nil
}

// Close implements journal.Journal.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.closed {
		j.closed = true
		for _, l := range j.logs {
			l.wake()
		}
	}
	return nil
}

func (j *Journal) log(canvas string) *log {
	l := j.logs[canvas]
	if l == nil {
		l = &log{ids: map[journal.ID]journal.Pos{}, grown: make(chan struct{})}
		j.logs[canvas] = l
	}
	return l
}

func (l *log) head() journal.Pos {
	if len(l.records) == 0 {
		return 0
	}
	return l.records[len(l.records)-1].Pos
}

// after returns the records past pos. The slice is only ever appended to beyond its length, so it may be read unlocked.
func (l *log) after(pos journal.Pos) []journal.Record {
	i, found := slices.BinarySearchFunc(l.records, pos, func(r journal.Record, p journal.Pos) int {
		return cmp.Compare(r.Pos, p)
	})
	if found {
		i++
	}
	return l.records[i:]
}

func (l *log) wake() {
	close(l.grown)
	l.grown = make(chan struct{})
}
