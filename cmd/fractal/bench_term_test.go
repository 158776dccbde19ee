package main

import (
	"strings"
	"testing"
)

func TestBenchTermTellsWhatItPromises(t *testing.T) {
	r := fractal(t, "bench", "term", "--floods", "2", "--viewers", "2", "--seconds", "0.5", "--cat", "1", "--json")
	if r.code != 0 {
		t.Fatalf("%d: %s", r.code, r.stderr)
	}
	got := r.lastLine(t)
	for key, parts := range map[string][]string{
		"core_mb_per_cpu_s": {"ascii", "unicode", "csi", "doom", "scroll"}, "floods": nil, "viewers": nil, "pulls_per_s": {"min", "median"},
		"pull_frame_ms": {"p50", "p99", "max"}, "flood_fps": {"without", "with"}, "bytes_per_terminal": nil, "wakeups_per_s": nil, "cat_vs_tmux": nil,
	} {
		v, ok := got[key]
		if !ok {
			t.Errorf("%s is missing", key)
		}
		for _, part := range parts {
			if n, ok := v.(map[string]any)[part].(float64); !ok || n <= 0 {
				t.Errorf("%s.%s is %v", key, part, v)
			}
		}
	}
	for _, kind := range []string{"ascii", "csi", "unicode"} { // null where there is no tmux
		if _, ok := got["cat_vs_tmux"].(map[string]any)[kind]; !ok {
			t.Errorf("cat_vs_tmux.%s is missing", kind)
		}
	}
}

func TestConformanceIsToldBySuite(t *testing.T) {
	r := fractal(t, "bench", "term", "conformance")
	if r.code != 0 || !strings.HasPrefix(r.stdout, "fractal ") || !strings.Contains(r.stdout, "/") {
		t.Fatalf("%d: %s %s", r.code, r.stdout, r.stderr)
	}
	if r := fractal(t, "bench", "term", "conformance", "--data", t.TempDir()+"/none"); r.code != 1 {
		t.Fatalf("a folder that is not there: %d", r.code)
	}
}
