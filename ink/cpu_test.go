package ink

import (
	"runtime"
	"syscall"
	"testing"
	"time"
)

// cpu runs a benchmark's loop on one thread and reports the processor time of that thread: it holds on a busy machine too.
func cpu(b *testing.B, f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := threadTime(b)
	for b.Loop() {
		f()
	}
	took := (threadTime(b) - start).Seconds() * 1000 / float64(b.N)
	if took < 1 {
		b.ReportMetric(took*1000, "cpu-µs/op")
	} else {
		b.ReportMetric(took, "cpu-ms/op")
	}
}

func threadTime(tb testing.TB) time.Duration {
	const thread = 1 // RUSAGE_THREAD of Linux
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		tb.Skip(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
