package mandel

import "golang.org/x/sys/cpu"

func init() {
	switch {
	case cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ:
		step, leap, march, iterate, Kernel = stepAVX512, leapAVX512, marchAVX512, iterateAVX512, "avx512"
	case cpu.X86.HasAVX2:
		step, leap, march, iterate, Kernel = stepAVX2, leapAVX2, marchAVX2, iterateAVX2, "avx2"
	}
}

//go:noescape
func stepAVX512(b *block, zr, zi, s, nr, ni float64) (maxDD float64, out, low uint32)

//go:noescape
func leapAVX512(b *block, r *Run, s, nr, ni float64) (maxDD float64, out, low uint32)

//go:noescape
func stepAVX2(b *block, zr, zi, s, nr, ni float64) (maxDD float64, out, low uint32)

//go:noescape
func leapAVX2(b *block, r *Run, s, nr, ni float64) (maxDD float64, out, low uint32)

//go:noescape
func marchAVX512(b *block, re, im *float64, runs *Run, phase, n int) (steps int, maxDD float64, out, low uint32)

//go:noescape
func marchAVX2(b *block, re, im *float64, runs *Run, phase, n int) (steps int, maxDD float64, out, low uint32)
