package sqlite

import (
	"context"
	"fmt"
	"path/filepath"

	"fractal/journal"
)

// feed carries the newest records of one canvas from the writer to its tails. It exists while there are tails. Guarded
// by Journal.mu.
type feed struct {
	number int64 // of the canvas; 0: it has no record yet
	head   journal.Pos
	lost   error
	recent []journal.Record // consecutive, up to head; only appended to, so that a tail may read it unlocked
	bytes  int
	tails  map[chan struct{}]struct{} // each with room for one token: there is news
}

// What a feed remembers. A tail that is further behind reads the disk. Too small costs a live room an extra read of some
// 50 µs a record; too large is memory times open canvases.
const (
	maxRecent      = 64
	maxRecentBytes = 256 << 10
)

// What one read of the disk takes: short transactions, because a reader that stays holds up the checkpoint and lets the
// WAL grow.
const (
	maxChunk      = 512
	maxChunkBytes = 1 << 20
)

// Tail implements journal.Journal.
func (j *Journal) Tail(ctx context.Context, canvas string, after journal.Pos, fn func(journal.Record) error) error {
	if err := journal.Check(canvas, nil); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	news := make(chan struct{}, 1)
	defer j.unwatch(canvas, news)
	if err := j.run(ctx, func(w *writer) error { return w.watch(canvas, news) }); err != nil {
		return err
	}
	for caughtUp := false; ; {
		j.mu.Lock()
		f := j.feeds[canvas]
		number, head, lost, records := f.number, f.head, f.lost, f.after(after)
		j.mu.Unlock()
		if head < after && lost == nil {
			return fmt.Errorf("%w: the log of canvas %q ends at record %d, before record %d that was read from it earlier: restore a backup of the whole data folder", journal.ErrCorrupt, canvas, head, after)
		}
		if after < head && records == nil {
			var err error
			if records, err = j.chunk(ctx, number, after, head); err != nil {
				return err
			}
			if len(records) == 0 {
				j.mu.Lock()
				grown := f.head > head
				j.mu.Unlock()
				if !grown { // the last record is never trimmed
					return damaged(filepath.Join(j.dir, logFile), fmt.Errorf("the records of canvas %q from %d to %d are missing", canvas, after+1, head))
				}
				after = head // trimmed before we got there
			}
		}
		for _, r := range records {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-j.stop:
				return journal.ErrClosed
			default:
			}
			if err := fn(r); err != nil {
				return err
			}
			after = r.Pos
		}
		if after < head {
			continue
		}
		if lost != nil {
			return lost
		}
		if !caughtUp {
			caughtUp = true
			if err := fn(journal.Record{}); err != nil {
				return err
			}
		}
		select {
		case <-news:
		case <-ctx.Done():
			return ctx.Err()
		case <-j.stop:
			return journal.ErrClosed
		}
	}
}

// chunk reads records with after < position ≤ head from the disk.
func (j *Journal) chunk(ctx context.Context, number int64, after, head journal.Pos) ([]journal.Record, error) {
	rows, err := j.read.QueryContext(ctx, "SELECT key, id, body FROM record WHERE key > ? AND key <= ? ORDER BY key LIMIT ?",
		number<<posBits|int64(after), number<<posBits|int64(head), maxChunk)
	if err != nil {
		return nil, j.readError(ctx, err)
	}
	defer rows.Close()
	var records []journal.Record
	for size := 0; size < maxChunkBytes && rows.Next(); {
		var key int64
		var id, body []byte
		if err := rows.Scan(&key, &id, &body); err != nil {
			return nil, j.readError(ctx, err)
		}
		if body == nil {
			body = []byte{} // how the driver gives an empty blob
		}
		r := journal.Record{Pos: journal.Pos(key & (1<<posBits - 1)), Body: body}
		copy(r.ID[:], id) // of another length only when damaged: the chain above will tell
		records = append(records, r)
		size += len(body)
	}
	if err := rows.Err(); err != nil {
		return nil, j.readError(ctx, err)
	}
	return records, nil
}

func (j *Journal) readError(ctx context.Context, err error) error {
	select {
	case <-j.stop:
		return journal.ErrClosed
	default:
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return j.explain(err)
}

// watch lets news know of every record that is appended from now on.
func (w *writer) watch(canvas string, news chan struct{}) error {
	l, err := w.log(canvas)
	if err != nil {
		return explain(w.path, err)
	}
	j := w.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	f := j.feeds[canvas]
	if f == nil {
		f = &feed{number: l.number, head: l.head, lost: l.lost, tails: map[chan struct{}]struct{}{}}
		j.feeds[canvas] = f
	}
	f.tails[news] = struct{}{}
	return nil
}

func (j *Journal) unwatch(canvas string, news chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if f := j.feeds[canvas]; f != nil {
		if delete(f.tails, news); len(f.tails) == 0 {
			delete(j.feeds, canvas)
		}
	}
}

// feed tells the tails what a transaction has kept.
func (j *Journal) feed(w *writer, batch []*request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range batch {
		f := j.feeds[r.canvas]
		if f == nil || r.err != nil || r.body == nil {
			continue
		}
		f.number, f.head = w.logs[r.canvas].number, r.pos
		f.remember(journal.Record{Pos: r.pos, ID: r.id, Body: r.body})
		for news := range f.tails {
			select {
			case news <- struct{}{}:
			default:
			}
		}
	}
}

func (f *feed) remember(r journal.Record) {
	if len(f.recent) == maxRecent || f.bytes+len(r.Body) > maxRecentBytes {
		keep := append([]journal.Record(nil), f.recent[len(f.recent)/2:]...) // a new array: tails may read the old one
		f.recent, f.bytes = keep, 0
		for _, k := range keep {
			f.bytes += len(k.Body)
		}
		if f.bytes+len(r.Body) > maxRecentBytes {
			f.recent, f.bytes = nil, 0
		}
	}
	f.recent = append(f.recent, r)
	f.bytes += len(r.Body)
}

// after returns the records that follow pos if the feed remembers the very next one.
func (f *feed) after(pos journal.Pos) []journal.Record {
	if len(f.recent) == 0 || pos+1 < f.recent[0].Pos || pos >= f.head {
		return nil
	}
	return f.recent[pos+1-f.recent[0].Pos:]
}
