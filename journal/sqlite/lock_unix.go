//go:build unix

package sqlite

import (
	"errors"
	"os"
	"syscall"
)

func lockExclusively(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
