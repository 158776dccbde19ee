package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"fractal/journal"
)

var errLocked = errors.New("locked")

// takeFolder creates dir where it is missing and locks it for this process until the file it returns is closed, or the
// process dies in whatever way.
func takeFolder(dir string) (*os.File, error) {
	readOnly := func(err error) error {
		if errors.Is(err, syscall.ENOSPC) {
			return fmt.Errorf("journal: %w: free some space beside %s and start again (%w)", journal.ErrFull, dir, err)
		}
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
			return fmt.Errorf("journal: %w: let this user write to %s, or choose another folder (%w)", journal.ErrReadOnly, dir, err)
		}
		return fmt.Errorf("journal: data folder %s: %w", dir, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, readOnly(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, readOnly(err)
	}
	if err := lockExclusively(f); errors.Is(err, errLocked) {
		defer f.Close()
		var owner [32]byte
		n, _ := f.ReadAt(owner[:], 0)
		if _, err := strconv.Atoi(strings.TrimSpace(string(owner[:n]))); err != nil {
			return nil, fmt.Errorf("journal: %w: another Fractal uses %s; stop it, or choose another folder", journal.ErrInUse, dir)
		}
		return nil, fmt.Errorf("journal: %w: process %s uses %s; stop it, or choose another folder", journal.ErrInUse, strings.TrimSpace(string(owner[:n])), dir)
	} else if err != nil {
		f.Close()
		return nil, readOnly(err)
	}
	// Only for the sentence above: a full disk must not keep anybody out.
	f.Truncate(0)
	f.WriteAt(strconv.AppendInt(nil, int64(os.Getpid()), 10), 0)
	return f, nil
}
