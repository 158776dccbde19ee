// Package sqlite keeps the logs of all canvases in one SQLite database on disk: one machine, one process, no cgo.
//
// One goroutine writes. It commits everything that waits, of all canvases, in one transaction with one fsync (WAL mode,
// synchronous=FULL), so the cost of durability is shared by whoever is busy. Tails get fresh records from memory and fall
// back to short reads of the disk when they are slow. While nothing happens nothing runs: no timer, no poll.
//
// A data folder holds `log.db` (with `-wal` and `-shm` beside it), `lock`, and `heads`: where every log ended when it was
// last written (see heads).
//
// Settings and their reasons follow https://www.sqlite.org/wal.html and https://www.sqlite.org/pragma.html.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	_ "modernc.org/sqlite"

	"fractal/journal"
)

const (
	logFile   = "log.db"
	lockFile  = "lock"
	headsFile = "heads"

	applicationID = 0x46524143 // "FRAC": PRAGMA application_id, so that another program's file is never written to
	schemaVersion = 1          // PRAGMA user_version

	// posBits is how many bits of a row's key are its position; the rest is the canvas's number. One clustered tree in
	// the order of reading, no second index: 2^40 records a canvas, 2^23 canvases.
	posBits = 40

	// readers is how many connections read at once. Each is idle between two chunks of a Tail; more would only hold memory.
	readers = 4
)

const schema = `
CREATE TABLE canvas (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE record (key INTEGER PRIMARY KEY, canvas INTEGER NOT NULL, id BLOB NOT NULL, body BLOB NOT NULL) STRICT;
CREATE UNIQUE INDEX record_id ON record (canvas, id);
`

// Journal is a journal.Journal in a data folder.
type Journal struct {
	dir      string         // constant
	lock     *os.File       // constant; held locked
	write    *sql.DB        // constant; one connection, used by the writer alone
	read     *sql.DB        // constant
	requests chan *request  // unbuffered: what is accepted is answered
	stop     chan struct{}  // closed by Close
	stopped  sync.WaitGroup // the writer
	close    func() error   // constant; runs once

	mu    sync.Mutex // guards all below; never held across disk
	feeds map[string]*feed
}

// Open opens the log in dir, which is created where it is missing, and takes it for this process alone.
func Open(dir string) (*Journal, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("journal: data folder: %w", err)
	}
	lock, err := takeFolder(dir)
	if err != nil {
		return nil, err
	}
	j := &Journal{dir: dir, lock: lock, requests: make(chan *request), stop: make(chan struct{}), feeds: map[string]*feed{}}
	j.close = sync.OnceValue(j.shut)
	if err := j.open(); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

func (j *Journal) open() error {
	path := filepath.Join(j.dir, logFile)
	// Nobody else's to read, also in a folder that others may enter. SQLite gives the files beside it the same rights.
	if f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err == nil {
		f.Close()
	}
	var err error
	// fullfsync asks macOS for what fsync means elsewhere. The WAL shrinks to the limit after a storm. auto_vacuum lets
	// Trim give pages back; it counts only before the first table is made, and journal_mode after it.
	if j.write, err = openDB(path, "busy_timeout(10000)", "auto_vacuum(INCREMENTAL)", "journal_mode(WAL)", "synchronous(FULL)",
		"fullfsync(1)", "checkpoint_fullfsync(1)", "journal_size_limit(67108864)", "wal_autocheckpoint(1000)"); err != nil {
		return explain(path, err)
	}
	j.write.SetMaxOpenConns(1)
	w := &writer{journal: j, path: path, logs: map[string]*log{}}
	if err := w.open(); err != nil {
		return errors.Join(explain(path, err), w.close())
	}
	if j.read, err = openDB(path, "busy_timeout(10000)", "query_only(1)"); err != nil {
		return errors.Join(explain(path, err), w.close())
	}
	j.read.SetMaxOpenConns(readers)
	j.read.SetMaxIdleConns(readers)
	j.stopped.Go(w.run)
	return nil
}

// openDB opens path with pragmas for every connection, in their order.
func openDB(path string, pragmas ...string) (*sql.DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/… as a URI
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{"_pragma": pragmas}.Encode()}
	return sql.Open("sqlite", u.String())
}

// Append implements journal.Journal.
func (j *Journal) Append(ctx context.Context, canvas string, id journal.ID, body []byte) (journal.Pos, error) {
	if err := journal.Check(canvas, body); err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if body == nil {
		body = []byte{} // NULL is no body
	}
	r := &request{canvas: canvas, id: id, body: body, done: make(chan struct{})}
	if err := j.ask(ctx, r); err != nil {
		return 0, err
	}
	return r.pos, r.err
}

// Trim implements journal.Journal. It goes in steps, so that appends get their turn between them.
func (j *Journal) Trim(ctx context.Context, canvas string, through journal.Pos) error {
	if err := journal.Check(canvas, nil); err != nil {
		return err
	}
	for {
		var more bool
		err := j.run(ctx, func(w *writer) (err error) {
			more, err = w.trim(canvas, through)
			return err
		})
		if err != nil || !more {
			return err
		}
	}
}

// Canvases implements journal.Journal.
func (j *Journal) Canvases(ctx context.Context) ([]string, error) {
	select {
	case <-j.stop:
		return nil, journal.ErrClosed
	default:
	}
	rows, err := j.read.QueryContext(ctx, "SELECT name FROM canvas ORDER BY name")
	if err != nil {
		return nil, j.explain(err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, j.explain(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		return nil, j.explain(err)
	}
	return names, nil
}

// Verify reads the whole database and reports damage that SQLite can see in its own structure. It takes seconds a
// gigabyte and delays nobody.
func (j *Journal) Verify(ctx context.Context) error {
	rows, err := j.read.QueryContext(ctx, "PRAGMA quick_check(10)")
	if err != nil {
		return j.explain(err)
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return j.explain(err)
		}
		if s != "ok" {
			found = append(found, s)
		}
	}
	if err := rows.Err(); err != nil {
		return j.explain(err)
	}
	if found != nil {
		return damaged(filepath.Join(j.dir, logFile), errors.New(strings.Join(found, "; ")))
	}
	return nil
}

// Close implements journal.Journal.
func (j *Journal) Close() error { return j.close() }

func (j *Journal) shut() error {
	close(j.stop)
	j.stopped.Wait()
	var errs []error
	// The last connection to close moves what is in the WAL into the database: the writer's, which may write.
	if j.read != nil {
		errs = append(errs, j.read.Close())
	}
	if j.write != nil {
		errs = append(errs, j.write.Close())
	}
	return errors.Join(append(errs, j.lock.Close())...)
}

// run has the writer call f between two transactions.
func (j *Journal) run(ctx context.Context, f func(*writer) error) error {
	r := &request{do: f, done: make(chan struct{})}
	if err := j.ask(ctx, r); err != nil {
		return err
	}
	return r.err
}

// ask hands r to the writer and waits until it is answered.
func (j *Journal) ask(ctx context.Context, r *request) error {
	select {
	case j.requests <- r:
	case <-ctx.Done():
		return ctx.Err()
	case <-j.stop:
		return journal.ErrClosed
	}
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (j *Journal) explain(err error) error { return explain(filepath.Join(j.dir, logFile), err) }
