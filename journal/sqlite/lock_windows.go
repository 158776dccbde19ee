package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockExclusively locks a byte far behind the process number, which others may still read.
func lockExclusively(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{Offset: 1 << 20})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errLocked
	}
	return err
}
