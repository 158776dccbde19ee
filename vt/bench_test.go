package vt_test

import (
	"syscall"
	"testing"
	"time"

	"fractal/vt"
	"fractal/vt/payload"
)

// BenchmarkWrite is what the core takes in, on one processor, in writes of 32 KiB.
func BenchmarkWrite(b *testing.B) {
	for _, kind := range payload.Kinds {
		b.Run(kind, func(b *testing.B) {
			data := payload.Make(kind, 8<<20, 1)
			term := vt.New(vt.Config{Cols: payload.Cols, Rows: payload.Rows})
			term.Write(data) // fills the history
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			start, n := userTime(), 0
			for b.Loop() {
				n++
				for p := data; len(p) > 0; {
					n := min(len(p), 32<<10)
					term.Write(p[:n])
					p = p[n:]
				}
			}
			b.ReportMetric(float64(n*len(data))/1e6/(userTime()-start).Seconds(), "MB/cpu-s")
		})
	}
}

// userTime is the processor time this process has spent outside the kernel: the machine may be busy with other things.
func userTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano())
}
