package main

import (
	"path/filepath"
	"testing"
)

func TestBenchmarksMeasureAFreshServer(t *testing.T) {
	corpus := filepath.Join(t.TempDir(), "corpus.jsonl.gz")
	if r := fractal(t, "bench", "corpus", "--shape", "nested-1869", "--seed", "7", "--out", corpus, "--json"); r.code != 0 || r.lastLine(t)["busiest"] != 499.0 {
		t.Fatalf("exit %d, %s%s", r.code, r.stdout, r.stderr)
	}
	for name, keys := range map[string][]string{
		"import":   {"strokes_per_s", "start_ms", "open_ms", "open_after_crash_ms", "live_heap_bytes", "rss_bytes"},
		"overview": {"first_ms", "wall_ms", "stroke_ms", "raster_cpu_ms", "encode_cpu_ms", "alloc_bytes", "bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			r := fractal(t, "bench", name, "--corpus", corpus, "--runs", "1", "--json")
			if r.code != 0 {
				t.Fatalf("exit %d: %s", r.code, r.stderr)
			}
			v := r.lastLine(t)
			if v["strokes"] != 1869.0 || v["points"] != 211085.0 {
				t.Errorf("measured %v strokes, %v points", v["strokes"], v["points"])
			}
			for _, key := range keys {
				figure, _ := v[key].(map[string]any)
				if least, ok := figure["min"].(float64); !ok || least <= 0 || figure["median"] != least || figure["max"] != least {
					t.Errorf("%s of one run is %v", key, v[key])
				}
			}
		})
	}
}
