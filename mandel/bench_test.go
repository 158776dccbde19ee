package mandel

import (
	"context"
	"testing"
)

// BenchmarkView renders 768 × 512 samples of a standard location at its own depth, one thread, orbit and table made beforehand.
func BenchmarkView(b *testing.B) {
	for _, name := range []string{"home", "e14", "e113", "flake", "e533", "e1000"} {
		b.Run(name, func(b *testing.B) {
			l := locations(b)[name]
			g, re, im := l.view(b, 768, 512)
			var ref *Reference
			if !Direct(g.Pitch) {
				o := NewOrbit(Formula{}, re, im, Precision(g.Pitch))
				p, err := o.Extend(context.Background(), int(l.Iterations))
				if err != nil {
					b.Fatal(err)
				}
				ref = refOf(b, o, len(p.Re), MaxDC(g, re, im), 0x1p-22)
			}
			out := make([]Sample, g.W*g.H)
			b.ReportAllocs()
			for b.Loop() {
				clear(out)
				if err := Render(context.Background(), Formula{}, g, ref, l.Iterations, 1, out); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(out)), "ns/sample")
		})
	}
}
