package sqlite

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"fractal/journal"
)

// explain gives an error of SQLite the sentinel callers branch on, in a sentence that says what to do.
func explain(path string, err error) error {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	switch {
	case e.Code() == lib.SQLITE_IOERR_SHMSIZE: // growing the WAL's index
		return fmt.Errorf("journal: %w: free some space beside %s and it goes on by itself (%w)", journal.ErrFull, path, err)
	}
	switch e.Code() & 0xff { // the rest is detail
	case lib.SQLITE_FULL:
		return fmt.Errorf("journal: %w: free some space beside %s and it goes on by itself (%w)", journal.ErrFull, path, err)
	case lib.SQLITE_READONLY, lib.SQLITE_PERM, lib.SQLITE_CANTOPEN:
		return fmt.Errorf("journal: %w: let this user write to %s and to its folder (%w)", journal.ErrReadOnly, path, err)
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return damaged(path, err)
	}
	return fmt.Errorf("journal: %s: %w", path, err)
}

func damaged(path string, err error) error {
	return fmt.Errorf("journal: %w: %s cannot be read: stop Fractal, keep a copy of the data folder, and restore a backup (%w)", journal.ErrCorrupt, path, err)
}
