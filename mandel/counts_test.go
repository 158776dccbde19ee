package mandel

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"testing"
)

var (
	updateCounts = flag.Bool("update-counts", false, "iterate samples of the deepest places in big numbers and write testdata/counts.json anew: minutes")
	allCounts    = flag.Bool("all-counts", false, "hold also those places to testdata/counts.json whose reference takes seconds")
)

// counted is a sample that was iterated directly, in big numbers.
type counted struct {
	X, Y int
	N    int64
	Frac float32
}

type countedFile struct {
	Command string
	Side    int // of the grid
	Places  map[string][]counted
}

// counts are how many samples of a place are iterated: a sample takes 0.7 s (e227) to 20 s (olbaid5).
var counts = map[string]int{"e50": 8, "leaded_glass": 8, "e227": 6, "dragon": 3, "hard": 6, "e533": 8, "e1086": 4, "e1298": 3, "wfs": 2, "olbaid5": 1, "glitch7": 4}

// slowCounts have references of a second and more.
var slowCounts = map[string]bool{"dragon": true, "hard": true, "e1086": true, "e1298": true, "wfs": true, "olbaid5": true, "glitch7": true}

func TestDeepestPlacesHaveTheCountsOfDirectIteration(t *testing.T) {
	const path, side = "testdata/counts.json", 64
	if *updateCounts {
		f := countedFile{"go test ./mandel -run DeepestPlaces -update-counts -timeout 2h", side, map[string][]counted{}}
		for name, n := range counts {
			l := locations(t)[name]
			g, _, _ := l.view(t, side, side)
			for k := range n {
				c := counted{X: (k*37 + 11) % side, Y: (k*53 + 7) % side}
				s := slow(g, c.X, c.Y, l.Iterations)
				c.N, c.Frac = s.N, s.Frac
				f.Places[name] = append(f.Places[name], c)
				t.Logf("%s: %+v", name, c)
			}
		}
		b, err := json.MarshalIndent(f, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(b, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var f countedFile
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	all, wrong := 0, 0
	for name, want := range f.Places {
		if slowCounts[name] && !*allCounts && !*updateCounts {
			continue
		}
		l := locations(t)[name]
		g, re, im := l.view(t, f.Side, f.Side)
		got := shot(t, Formula{}, g, re, im, int(l.Iterations), 0x1p-32)
		for _, c := range want {
			all++
			s := got[c.Y*f.Side+c.X]
			if s.N != c.N || math.Abs(float64(s.Frac-c.Frac)) > 1e-2 {
				t.Logf("%s: sample %d,%d is %+v, by direct iteration %+v", name, c.X, c.Y, s, c)
				wrong++
			}
		}
	}
	if all == 0 || wrong*20 > all {
		t.Errorf("%d of %d samples differ", wrong, all)
	}
}
