package main

import (
	"maps"
	"slices"
	"testing"
)

func TestFloodTellsWhatItPromises(t *testing.T) {
	r := fractal(t, "bench", "flood", "--writers", "2", "--rate", "20", "--viewers", "3", "--slow", "1", "--seconds", "1", "--json") // less, and a busy machine has no pull in it
	if r.code != 0 {
		t.Fatalf("%d: %s", r.code, r.stderr)
	}
	got := r.lastLine(t)
	for key, parts := range map[string][]string{
		"viewers": nil, "writers": nil, "pulls_per_s": {"median", "min"}, "pull_cycle_ms": {"max", "p50", "p99"},
		"stroke_seen_ms": {"max", "p50", "p99"}, "op_ack_ms": {"p50", "p99"}, "ops_acked": nil, "ops_rejected": nil, "ops_lost": nil,
		"bytes_sent": nil, "cpu_percent": nil, "rss_bytes": nil, "wakeups_per_s": nil,
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
	if n, _ := got["ops_acked"].(float64); n < 5 || got["ops_lost"] != 0.0 || got["ops_rejected"] != 0.0 {
		t.Errorf("%v acknowledged, %v lost, %v rejected", got["ops_acked"], got["ops_lost"], got["ops_rejected"])
	}
	if got["slow"] == nil || got["runs"] != nil {
		t.Errorf("keys that depend on flags: %v", slices.Sorted(maps.Keys(got)))
	}
	for _, args := range [][]string{
		{"--server", "http://192.0.2.1:80"}, {"--writers", "-1"}, {"--slow", "9"}, {"--rate", "100000"}, {"--hz", "0"},
	} {
		if r := fractal(t, append([]string{"bench", "flood"}, args...)...); r.code == 0 {
			t.Errorf("%v was taken", args)
		}
	}
}
