package sqlite

import (
	"syscall"
	"testing"
)

// smallDisk mounts a file system of 3 MiB, where this process may.
func smallDisk(t *testing.T) (dir string, ok bool) {
	dir = t.TempDir()
	if syscall.Mount("none", dir, "tmpfs", 0, "size=3m") != nil {
		return "", false
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir, true
}

func readOnly(t *testing.T, dir string) {
	if err := syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
}
