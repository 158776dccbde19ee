package ink

import (
	"runtime"
	"testing"
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
