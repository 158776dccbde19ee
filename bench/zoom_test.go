package bench

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

func TestZoomMeasuresViewsOnTheWay(t *testing.T) {
	z := Zoom{Locations: []string{"e14"}, Samples: 3, Runs: 1, Deepest: 30, Budget: 1e9, Stderr: io.Discard}
	if err := z.Check(); err != nil {
		t.Fatal(err)
	}
	r, err := z.Measure(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	p := r.Paths[0]
	if len(p.Samples) != 3 || p.Samples[1].Level != 15 || p.HeldDoublings != 30 || p.Samples[2].Limit < 1024 {
		t.Errorf("%+v", p)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{`"paths":`, `"location":"e14"`, `"held_doublings":30`, `"level":15`, `"cpu_ms":{"min":`, `"wall_ms":`, `"first_ms":`, `"first_wall_ms":`, `"complete":true`, `"kernel":`} {
		if !strings.Contains(string(b), key) {
			t.Errorf("%s has no %s", b, key)
		}
	}
	if err := (&Zoom{Locations: []string{"nowhere"}, Samples: 1, Runs: 1}).Check(); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("a location that is not there: %v", err)
	}
}
