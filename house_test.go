// Package fractal holds no code: its test keeps the house in order.
package fractal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// house says who may import whom: imports only run down the floors, and only along these rows. `go list` is asked for
// the truth. A new package or arrow is a row here, and a reason in its commit.
var house = map[string][]string{
	// floor 1
	"tile": {}, "raster": {}, "vt": {}, "vt/payload": {}, "vt/conformance": {"vt"}, "wire": {}, "journal": {}, "web": {},
	"journal/memory":      {"journal"},
	"journal/sqlite":      {"journal"},
	"journal/journaltest": {"journal"},
	"wire/gen":            {},
	"web/e2e":             {}, // tests only
	"web/webtest":         {},
	// floor 2
	"ink":    {"tile", "raster", "wire"},
	"cell":   {"tile", "raster"},
	"mandel": {},
	"term":   {"vt"},
	// floor 3
	"canvas": {"tile", "ink", "wire"},
	// floor 4
	"source": {"tile", "raster", "ink", "mandel", "wire", "vt", "term", "cell", "canvas"},
	// floor 5
	"room":              {"tile", "ink", "wire", "journal", "vt", "term", "cell", "canvas", "source"},
	"exchange":          {"tile", "ink", "wire", "canvas"},
	"exchange/movie":    {"mandel"},
	"exchange/demo":     {"ink", "wire", "exchange"},
	"exchange/demo/gen": {"tile", "ink", "exchange"},
	"remote":            {"ink", "wire", "vt", "term", "exchange"},
	// floor 6
	"server": {"tile", "ink", "mandel", "wire", "journal", "web", "vt", "term", "cell", "canvas", "source", "room", "exchange"},
	"bench":  {"tile", "raster", "ink", "mandel", "vt", "vt/payload", "vt/conformance", "term", "wire", "journal", "journal/sqlite", "journal/memory", "cell", "canvas", "source", "room", "exchange", "remote", "server"},
	// floor 7
	"cmd/fractal": {"wire", "journal", "journal/sqlite", "journal/memory", "cell", "source", "room", "exchange", "exchange/demo", "exchange/movie", "mandel", "vt", "term", "remote", "server", "bench", "web"},
}

func TestImportsOnlyRunDown(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	type pkg struct {
		ImportPath string
		Imports    []string
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name, ours := strings.CutPrefix(p.ImportPath, "fractal/")
		if !ours {
			continue // the root holds this test alone
		}
		allowed, known := house[name]
		if !known {
			t.Errorf("package %s has no row in the house: say what floor it stands on", name)
			continue
		}
		for _, i := range p.Imports {
			if below, ours := strings.CutPrefix(i, "fractal/"); ours && !slices.Contains(allowed, below) {
				t.Errorf("%s imports %s: not in its row of the house", name, below)
			}
		}
	}
}
