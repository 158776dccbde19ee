package mandel

import (
	"context"
	"syscall"
	"testing"
)

// settledEps is what cells that are kept are computed with.
const settledEps = 0x1p-28

// BenchmarkStill renders a still picture of 800 × 600 at a location's own depth and limit from nothing, as a program does that is
// asked for that picture: orbit, table and samples, in seconds of processor time of the process. docs/deep-zoom.md holds it
// against Fraktaler-3's.
func BenchmarkStill(b *testing.B) {
	for _, name := range []string{"e14", "e50", "e113", "flake", "e533", "e1000"} {
		b.Run(name, func(b *testing.B) {
			l := locations(b)[name]
			g, re, im := l.view(b, 800, 600)
			out := make([]Sample, g.W*g.H)
			begun := userTime(b)
			for b.Loop() {
				clear(out)
				o := NewOrbit(Formula{}, re, im, Precision(g.Pitch))
				if _, err := o.Extend(context.Background(), int(l.Iterations)); err != nil {
					b.Fatal(err)
				}
				ref := refOf(b, o, int(l.Iterations)+1, MaxDC(g, re, im), settledEps)
				if err := Render(context.Background(), Formula{}, g, ref, l.Iterations, 1, out); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((userTime(b)-begun)/float64(b.N), "cpu-s/op")
		})
	}
}

// userTime is the processor time of the process in user mode, in seconds.
func userTime(tb testing.TB) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Skip(err)
	}
	return float64(u.Utime.Nano()) / 1e9
}
