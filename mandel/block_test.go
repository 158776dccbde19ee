package mandel

import (
	"math/rand/v2"
	"testing"
)

func TestEveryKernelGivesTheSameBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, k := range kernels() {
		stepK := k[0].(func(*block, float64, float64, float64, float64, float64) (float64, uint32, uint32))
		leapK := k[1].(func(*block, *Run, float64, float64, float64) (float64, uint32, uint32))
		for round := range 2000 {
			var a block
			f := func() float64 { return (rng.Float64() - 0.5) * []float64{1, 1e-3, 1e3, 1e-160, 0}[rng.IntN(5)] }
			for k := range lanes {
				a.wr[k], a.wi[k], a.cr[k], a.ci[k] = f(), f(), f(), f()
			}
			b := a
			zr, zi, s, nr, ni := f(), f(), f(), f(), f()
			run := Run{Ar: f(), Ai: f(), Br: f(), Bi: f(), Cr: f(), Ci: f()}
			var d1, d2 float64
			var o1, l1, o2, l2 uint32
			if round%2 == 0 {
				d1, o1, l1 = stepGo(&a, zr, zi, s, nr, ni)
				d2, o2, l2 = stepK(&b, zr, zi, s, nr, ni)
			} else {
				d1, o1, l1 = leapGo(&a, &run, s, nr, ni)
				d2, o2, l2 = leapK(&b, &run, s, nr, ni)
			}
			if a != b || d1 != d2 || o1 != o2 || l1 != l2 {
				t.Fatalf("%s, round %d: got\n%+v %g %b %b, want\n%+v %g %b %b", name, round, b, d2, o2, l2, a, d1, o1, l1)
			}
		}
		iterateK := k[2].(func(*flock, int, uint32) uint32)
		for round := range 300 {
			var a flock
			for k := range seats {
				a.cr[k], a.ci[k], a.zr[k], a.low[k] = rng.Float64()*3-2, rng.Float64()*2-1, float64(round%3), 8
			}
			b := a
			alive, steps := rng.Uint32()&(1<<seats-1), rng.IntN(200)
			l1, l2 := iterateGo(&a, steps, alive), iterateK(&b, steps, alive)
			for k := range seats {
				if alive>>k&1 == 0 {
					a.low[k], b.low[k] = 0, 0 // of no meaning
				}
			}
			if a != b || l1 != l2 {
				t.Fatalf("%s, %d steps of seats %b: got\n%+v %b, want\n%+v %b", name, steps, alive, b, l2, a, l1)
			}
		}
		marchK := k[3].(func(*block, *float64, *float64, *Run, int, int) (int, float64, uint32, uint32))
		for range 2000 {
			var a block
			size := []float64{1e-3, 1e-8, 1e-160}[rng.IntN(3)]
			f := func() float64 { return (rng.Float64() - 0.5) * size }
			for k := range lanes {
				a.wr[k], a.wi[k], a.cr[k], a.ci[k] = f(), f(), f(), f()
			}
			b := a
			var re, im [41]float64
			for i := range re {
				re[i], im[i] = rng.Float64()-0.5, rng.Float64()-0.5
			}
			runs := make([]Run, 11)
			for i := range runs {
				runs[i].R = []float64{0, 1e-9, 1e-4, 1e-30}[rng.IntN(4)]
			}
			phase, n := 1+rng.IntN(4), 1+rng.IntN(40)
			s1, d1, o1, l1 := marchGo(&a, &re[0], &im[0], &runs[0], phase, n)
			s2, d2, o2, l2 := marchK(&b, &re[0], &im[0], &runs[0], phase, n)
			if a != b || s1 != s2 || d1 != d2 || o1 != o2 || l1 != l2 {
				t.Fatalf("%s, %d steps, phase %d: got %d\n%+v %g %b %b, want %d\n%+v %g %b %b", name, n, phase, s2, b, d2, o2, l2, s1, a, d1, o1, l1)
			}
		}
		t.Logf("%s agrees", name)
	}
}
