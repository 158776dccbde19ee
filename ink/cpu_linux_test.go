package ink

import (
	"syscall"
	"testing"
	"time"
)

// threadTime is the processor time of this thread.
func threadTime(tb testing.TB) time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		tb.Skip(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
