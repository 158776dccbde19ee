package mandel

import "golang.org/x/sys/cpu"

// kernels are all that this machine can run, by name.
func kernels() map[string][4]any {
	m := map[string][4]any{"go": {stepGo, leapGo, iterateGo, marchGo}}
	if cpu.X86.HasAVX2 {
		m["avx2"] = [4]any{stepAVX2, leapAVX2, iterateAVX2, marchAVX2}
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ {
		m["avx512"] = [4]any{stepAVX512, leapAVX512, iterateAVX512, marchAVX512}
	}
	return m
}
