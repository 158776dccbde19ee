package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"fractal/journal"
)

// SnapshotFolder is where in a data folder the snapshots of its canvases are (a journal.Blobs).
const SnapshotFolder = "snapshots"

// Backup copies the log and the snapshots of the data folder dir into the new folder `to`, which is then a data folder as
// good as the first. It may run while a server uses dir, from any process, and delays nobody. Damaged snapshot files are
// left out where the canvas can be opened without them; where it cannot, Backup makes the copy all the same and returns
// an ErrCorrupt that names the canvases.
func Backup(ctx context.Context, dir, to string) error {
	source := filepath.Join(dir, logFile)
	if _, err := os.Stat(source); err != nil {
		return fmt.Errorf("journal: backup: %s is not a data folder: %w", dir, err)
	}
	if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("journal: backup: %s exists already: choose a new name", to)
	}
	// Snapshots first: the log may be trimmed only through a snapshot that is older than the newest, so the log that is
	// copied afterwards continues the snapshots copied before. That fails only if two snapshots of a canvas and a trim
	// fell in between: then once more.
	part := to + ".part"
	var broken []string
	for range 3 {
		if err := os.RemoveAll(part); err != nil {
			return fmt.Errorf("journal: backup: %w", err)
		}
		var err error
		if broken, err = backup(ctx, dir, part); err != nil {
			return errors.Join(fmt.Errorf("journal: backup: %w", err), os.RemoveAll(part))
		}
		if broken == nil {
			break
		}
	}
	if err := os.Rename(part, to); err != nil {
		return fmt.Errorf("journal: backup: %w", err)
	}
	if broken != nil {
		return fmt.Errorf("journal: backup: %w: the snapshots of %q are damaged and their logs alone do not hold them; all others are in %s", journal.ErrCorrupt, broken, to)
	}
	return syncPath(filepath.Dir(to))
}

// backup makes one attempt, and names the canvases whose log continues no snapshot.
func backup(ctx context.Context, dir, part string) (broken []string, err error) {
	to, err := journal.OpenBlobs(filepath.Join(part, SnapshotFolder))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, SnapshotFolder)); err == nil {
		from, err := journal.OpenBlobs(filepath.Join(dir, SnapshotFolder))
		if err != nil {
			return nil, err
		}
		if err := from.Copy(to); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(part, logFile)
	db, err := openDB(filepath.Join(dir, logFile), "busy_timeout(10000)")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		return nil, explain(filepath.Join(dir, logFile), err)
	}
	if err := errors.Join(os.Chmod(path, 0o600), syncPath(path), syncPath(part)); err != nil { // VACUUM INTO does not
		return nil, err
	}
	return severed(ctx, path, to)
}

// severed names the canvases in the database at path whose log begins neither at 1 nor right after a snapshot.
func severed(ctx context.Context, path string, blobs *journal.Blobs) (names []string, err error) {
	db, err := openDB(path, "query_only(1)")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, "SELECT name, (SELECT min(key) FROM record WHERE key >= number << ?1 AND key < (number + 1) << ?1) FROM canvas ORDER BY name", posBits)
	if err != nil {
		return nil, explain(path, err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var key sql.NullInt64 // no record: only in a damaged log
		if err := rows.Scan(&name, &key); err != nil {
			return nil, explain(path, err)
		}
		first := journal.Pos(key.Int64 & (1<<posBits - 1))
		if first == 1 {
			continue
		}
		if s, ok, _ := blobs.Newest(name); !ok || s.Pos+1 < first {
			names = append(names, name)
		}
	}
	return names, explain(path, rows.Err())
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
