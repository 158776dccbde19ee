package mandel

import "golang.org/x/sys/cpu"

func available() map[string][2]any {
	m := map[string][2]any{"go": {stepGo, leapGo}}
	if cpu.X86.HasAVX2 {
		m["avx2"] = [2]any{stepAVX2, leapAVX2}
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ {
		m["avx512"] = [2]any{stepAVX512, leapAVX512}
	}
	return m
}
