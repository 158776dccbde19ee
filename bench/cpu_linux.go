package bench

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadCPU is the processor time this thread has used.
func threadCPU() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic("bench: the thread's clock cannot be read: " + err.Error())
	}
	return time.Duration(t.Nano())
}
