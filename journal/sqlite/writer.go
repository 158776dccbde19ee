package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"fractal/journal"
)

// request is an append, or something else the writer does.
type request struct {
	canvas string
	id     journal.ID
	body   []byte
	do     func(*writer) error

	pos  journal.Pos
	err  error
	done chan struct{} // closed by the writer when pos and err are set
}

// writer is the one goroutine that changes the database, and what it alone touches.
type writer struct {
	journal *Journal
	path    string
	conn    *sql.Conn
	heads   *heads
	logs    map[string]*log

	begin, commit, rollback  *sql.Stmt
	insert, find, newCanvas  *sql.Stmt
	numberOf, headOf, remove *sql.Stmt
	statements               []*sql.Stmt // all of them
}

// log is what the writer knows of one canvas.
type log struct {
	number int64 // 0: it has no record yet
	head   journal.Pos
	next   journal.Pos // head once the transaction under way is committed
	lost   error       // records are missing at its end: it takes no more
}

// What one transaction takes at most. More waits for the next: a commit of 1 MiB costs a few milliseconds, and whoever
// came first waits for all of it.
const (
	maxBatch      = 1024
	maxBatchBytes = 1 << 20
)

func (w *writer) open() error {
	ctx := context.Background()
	var err error
	if w.conn, err = w.journal.write.Conn(ctx); err != nil {
		return err
	}
	var application, version, tables int64
	if err := w.conn.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)").
		Scan(&application, &version, &tables); err != nil {
		return err
	}
	switch {
	case tables == 0 && application == 0:
		if _, err := w.conn.ExecContext(ctx, fmt.Sprintf("BEGIN IMMEDIATE; %s PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT", schema, applicationID, schemaVersion)); err != nil {
			return err
		}
		// Out of the write-ahead log, so that damage there never looks like a folder nobody has used yet.
		if _, err := w.conn.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
			return err
		}
	case application != applicationID:
		return fmt.Errorf("journal: %s belongs to another program: choose another data folder", w.path)
	case version != schemaVersion:
		return fmt.Errorf("journal: %s was written by another version of Fractal (format %d, this one reads %d): use that version", w.path, version, schemaVersion)
	}
	for _, s := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&w.begin, "BEGIN IMMEDIATE"}, {&w.commit, "COMMIT"}, {&w.rollback, "ROLLBACK"},
		{&w.insert, "INSERT INTO record (key, canvas, id, body) VALUES (?, ?, ?, ?) ON CONFLICT (canvas, id) DO NOTHING"},
		{&w.find, "SELECT key FROM record WHERE canvas = ? AND id = ?"},
		{&w.newCanvas, "INSERT INTO canvas (name) VALUES (?)"},
		{&w.numberOf, "SELECT number FROM canvas WHERE name = ?"},
		{&w.headOf, "SELECT key FROM record WHERE key >= ? AND key < ? ORDER BY key DESC LIMIT 1"},
		{&w.remove, "DELETE FROM record WHERE key >= ? AND key <= ?"},
	} {
		if *s.stmt, err = w.conn.PrepareContext(ctx, s.text); err != nil {
			return err
		}
		w.statements = append(w.statements, *s.stmt)
	}
	w.heads, err = openHeads(filepath.Join(w.journal.dir, headsFile))
	return err
}

func (w *writer) close() error {
	var errs []error
	if w.heads != nil {
		errs = append(errs, w.heads.close())
	}
	for _, s := range w.statements { // one that is left open keeps the database open, and its last checkpoint away
		errs = append(errs, s.Close())
	}
	if w.conn != nil {
		errs = append(errs, w.conn.Close())
	}
	return errors.Join(errs...)
}

// run serves requests until the journal closes.
func (w *writer) run() {
	defer w.close() // the database itself reports what went wrong
	var batch []*request
	for {
		var r *request
		select {
		case r = <-w.journal.requests:
		case <-w.journal.stop:
			return
		}
		batch = batch[:0]
		size := 0
		// Whoever was answered a moment ago may be about to ask again: let them run, so that they share this fsync.
		runtime.Gosched()
	gather:
		for r != nil && r.do == nil {
			batch = append(batch, r)
			size += len(r.body)
			r = nil
			if len(batch) == maxBatch || size >= maxBatchBytes {
				break
			}
			select {
			case r = <-w.journal.requests:
			default:
				break gather
			}
		}
		if len(batch) > 0 {
			w.append(batch)
			clear(batch)
		}
		if r != nil {
			r.err = r.do(w)
			close(r.done)
		}
	}
}

// append keeps a batch in one transaction and answers everybody in it.
func (w *writer) append(batch []*request) {
	err := w.transact(func() error {
		for _, r := range batch {
			if err := w.add(r); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		for _, r := range batch {
			if l := w.logs[r.canvas]; r.err == nil && l.head != l.next {
				l.head = l.next
				w.heads.set(r.canvas, l.head)
			}
		}
		w.journal.feed(w, batch)
	} else {
		for _, r := range batch {
			// What the transaction counted, or made, did not happen: read it again when it is needed.
			if l := w.logs[r.canvas]; l != nil && l.lost == nil {
				delete(w.logs, r.canvas)
			}
			r.pos, r.err = 0, err
		}
	}
	for _, r := range batch {
		close(r.done)
	}
}

// add writes one record inside the transaction. The error is one of the transaction; one of the request stays with it.
func (w *writer) add(r *request) error {
	l, err := w.log(r.canvas)
	if err != nil {
		return err
	}
	if l.lost != nil {
		r.err = l.lost
		return nil
	}
	if l.number == 0 {
		res, err := w.newCanvas.Exec(r.canvas)
		if err != nil {
			return err
		}
		if l.number, err = res.LastInsertId(); err != nil {
			return err
		}
	}
	res, err := w.insert.Exec(l.number<<posBits|int64(l.next+1), l.number, r.id[:], r.body)
	if err != nil {
		return err
	}
	added, err := res.RowsAffected()
	if err != nil {
		return err
	}
	if added == 1 {
		l.next++
		r.pos = l.next
		return nil
	}
	var key int64
	if err := w.find.QueryRow(l.number, r.id[:]).Scan(&key); err != nil {
		return err
	}
	r.pos, r.body = journal.Pos(key&(1<<posBits-1)), nil // no body: it is no news for the tails
	return nil
}

// trim removes a step of records and reports whether there are more to remove.
func (w *writer) trim(canvas string, through journal.Pos) (more bool, err error) {
	const step = 512
	l, err := w.log(canvas)
	if err != nil {
		return false, explain(w.path, err)
	}
	if l.lost != nil {
		return false, l.lost
	}
	if l.head == 0 || through == 0 {
		return false, nil
	}
	last := l.number<<posBits | int64(min(through, l.head-1))
	err = w.transact(func() error {
		var first int64
		if err := w.conn.QueryRowContext(context.Background(), "SELECT key FROM record WHERE key >= ? ORDER BY key LIMIT 1", l.number<<posBits).Scan(&first); err != nil {
			return err
		}
		more = first+step-1 < last
		_, err := w.remove.Exec(l.number<<posBits, min(first+step-1, last))
		return err
	})
	if err != nil || more {
		return more, err
	}
	// A pragma works as it is stepped through: all rows must be read.
	rows, err := w.conn.QueryContext(context.Background(), "PRAGMA incremental_vacuum")
	if err != nil {
		return false, explain(w.path, err)
	}
	for rows.Next() {
	}
	return false, explain(w.path, errors.Join(rows.Err(), rows.Close()))
}

// transact runs f in a transaction of its own; all of it happens, or nothing.
func (w *writer) transact(f func() error) error {
	if _, err := w.begin.Exec(); err != nil {
		return explain(w.path, err)
	}
	err := f()
	if err == nil {
		_, err = w.commit.Exec()
	}
	if err != nil {
		w.rollback.Exec() // fails where SQLite has rolled back by itself
		return explain(w.path, err)
	}
	return nil
}

// log returns what is known of a canvas, reading it when it is first needed.
func (w *writer) log(canvas string) (*log, error) {
	if l := w.logs[canvas]; l != nil {
		return l, nil
	}
	l := new(log)
	switch err := w.numberOf.QueryRow(canvas).Scan(&l.number); {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return nil, err
	default:
		var key int64
		if err := w.headOf.QueryRow(l.number<<posBits, (l.number+1)<<posBits).Scan(&key); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
		l.head = journal.Pos(key & (1<<posBits - 1))
	}
	l.next = l.head
	if kept := w.heads.get(canvas); kept > l.head {
		l.lost = fmt.Errorf("%w: canvas %q has lost its newest records (it ended at %d and ends at %d now): stop Fractal and restore a backup, or delete the file %s to go on without them",
			journal.ErrCorrupt, canvas, kept, l.head, filepath.Join(w.journal.dir, headsFile))
	}
	w.logs[canvas] = l
	return l, nil
}
