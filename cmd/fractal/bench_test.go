package main

import (
	"bytes"
	"os"
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

func TestTheKeyIsHeldOverTheSocket(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace")
	r := fractal(t, "bench", "hold", "--location", "e14", "--from", "20", "--doublings", "6", "--every", "150", "--trace", trace, "--browser", "--json")
	if r.code != 0 {
		t.Fatalf("exit %d: %s", r.code, r.stderr)
	}
	v := r.lastLine(t)
	for _, key := range []string{"first_ms", "shown_ms", "cpu_percent"} {
		if figure, _ := v[key].(map[string]any); figure == nil || !(figure["min"].(float64) > 0) {
			t.Errorf("%s is %v", key, v[key])
		}
	}
	page := v["browser"].([]any)[0].(map[string]any)
	for _, key := range []string{"doublings_per_s", "frames_per_s"} {
		if n, _ := page[key].(float64); !(n > 0) {
			t.Errorf("%s of the page is %v", key, page[key])
		}
	}
	if b, err := os.ReadFile(trace); err != nil || !bytes.HasPrefix(b, []byte("go 1.")) {
		t.Errorf("the trace has %d bytes, %v", len(b), err)
	}
	for _, args := range [][]string{{"--location", "nowhere"}, {"--location", "all"}, {"--every", "NaN"}, {"--every", "1"}, {"--doublings", "0"}, {"--from", "-1"}} {
		if r := fractal(t, append([]string{"bench", "hold"}, args...)...); r.code == 0 || r.stderr == "" {
			t.Errorf("%v: exit %d, %q", args, r.code, r.stderr)
		}
	}
}
