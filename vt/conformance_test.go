package vt_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fractal/vt/conformance"
)

// floors are how many cases of other projects' suites pass: these may only rise. Their data is not part of this tree.
var floors = map[string]int{"xtermjs": 69, "alacritty text": 40, "alacritty text and style": 40, "graphemes": 415, "libvterm": 643}

func TestNoConformanceIsLost(t *testing.T) {
	dir := os.Getenv("FRACTAL_CONFORMANCE")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "conformance")
	}
	var data fs.FS
	if _, err := os.Stat(dir); err == nil {
		data = os.DirFS(dir)
	} else {
		t.Log("no data of other projects' suites here: our own cases alone")
	}
	results, err := conformance.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		t.Log(r)
		floor, theirs := floors[r.Suite]
		if !theirs {
			floor = r.Total
		}
		if os.Getenv("FRACTAL_SHOW") == r.Suite {
			t.Log(strings.Join(r.Failed, "\n"))
		}
		if r.Passed < floor || r.Total == 0 {
			t.Errorf("%s, %d did before; failed:\n%s", r, floor, strings.Join(r.Failed, "\n"))
		}
	}
}
