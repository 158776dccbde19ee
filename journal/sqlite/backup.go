package sqlite

import (
	"context"
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
// good as the first. It may run while a server uses dir, from any process, and delays nobody. It returns what it had to
// skip together with success: errors that are not a *fs.PathError of `to`.
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
	if err := os.RemoveAll(part); err != nil {
		return fmt.Errorf("journal: backup: %w", err)
	}
	for attempt := 1; ; attempt++ {
		skipped, whole, err := backup(ctx, dir, part)
		if err != nil {
			return errors.Join(fmt.Errorf("journal: backup: %w", err), os.RemoveAll(part))
		}
		if !whole && attempt < 3 {
			if err := os.RemoveAll(part); err != nil {
				return fmt.Errorf("journal: backup: %w", err)
			}
			continue
		}
		if !whole {
			skipped = errors.Join(skipped, fmt.Errorf("journal: backup: %w: some canvas lacks the snapshot its log continues", journal.ErrCorrupt))
		}
		if err := os.Rename(part, to); err != nil {
			return fmt.Errorf("journal: backup: %w", err)
		}
		return errors.Join(skipped, syncPath(filepath.Dir(to)))
	}
}

// backup makes one attempt. skipped tells of damaged snapshots; whole: every log continues its snapshot.
func backup(ctx context.Context, dir, part string) (skipped error, whole bool, err error) {
	to, err := journal.OpenBlobs(filepath.Join(part, SnapshotFolder))
	if err != nil {
		return nil, false, err
	}
	if _, err := os.Stat(filepath.Join(dir, SnapshotFolder)); err == nil {
		from, err := journal.OpenBlobs(filepath.Join(dir, SnapshotFolder))
		if err != nil {
			return nil, false, err
		}
		if skipped = from.Copy(to); errors.Is(skipped, journal.ErrFull) || errors.Is(skipped, journal.ErrReadOnly) {
			return nil, false, skipped
		}
	}
	path := filepath.Join(part, logFile)
	db, err := openDB(filepath.Join(dir, logFile), "busy_timeout(10000)")
	if err != nil {
		return nil, false, err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		return nil, false, explain(filepath.Join(dir, logFile), err)
	}
	if err := errors.Join(syncPath(path), syncPath(part)); err != nil { // VACUUM INTO does not
		return nil, false, err
	}
	whole, err = continues(ctx, path, to)
	return skipped, whole, err
}

// continues reports whether every log in the database at path begins at 1 or right after a snapshot.
func continues(ctx context.Context, path string, blobs *journal.Blobs) (bool, error) {
	db, err := openDB(path, "query_only(1)")
	if err != nil {
		return false, err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, "SELECT name, (SELECT min(key) FROM record WHERE key >= number << ?1 AND key < (number + 1) << ?1) FROM canvas", posBits)
	if err != nil {
		return false, explain(path, err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var key int64
		if err := rows.Scan(&name, &key); err != nil {
			return false, explain(path, err)
		}
		first := journal.Pos(key & (1<<posBits - 1))
		if first == 1 {
			continue
		}
		if s, ok, _ := blobs.Newest(name); !ok || s.Pos+1 < first {
			return false, nil
		}
	}
	return true, explain(path, rows.Err())
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
