package mandel

import "golang.org/x/sys/cpu"

func available() map[string][3]any {
	m := map[string][3]any{"go": {stepGo, leapGo, iterateGo}}
	if cpu.X86.HasAVX2 {
		m["avx2"] = [3]any{stepAVX2, leapAVX2, iterateAVX2}
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ {
		m["avx512"] = [3]any{stepAVX512, leapAVX512, iterateAVX512}
	}
	return m
}
