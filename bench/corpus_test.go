package bench

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"testing"

	"fractal/exchange"
	"fractal/ink"
	"fractal/tile"
)

// crowds counts the strokes that reach each cell of the overview, fullest first.
func crowds(strokes []*ink.Stroke) (n []int, outside int) {
	counts := make([]int, viewCols*viewRows)
	for _, s := range strokes {
		seen := false
		for i := range counts {
			if s.Touches(tile.At(0, int64(i%viewCols), int64(i/viewCols))) {
				counts[i]++
				seen = true
			}
		}
		if !seen {
			outside++
		}
	}
	slices.Sort(counts)
	slices.Reverse(counts)
	return counts, outside
}

func TestCorpusHasTheShapeItSays(t *testing.T) {
	for _, shape := range Shapes {
		if shape.Strokes > 100_000 {
			continue // the same code, and minutes
		}
		t.Run(shape.Name, func(t *testing.T) {
			strokes := slices.Collect(Corpus(shape, 1))
			points := 0
			levels := map[int]int{}
			for _, s := range strokes {
				points += s.Len()
				levels[s.Home().Level()]++
			}
			if len(strokes) != shape.Strokes || points != shape.Points {
				t.Errorf("%d strokes, %d points; want %d, %d", len(strokes), points, shape.Strokes, shape.Points)
			}
			counts, outside := crowds(strokes)
			if counts[0] != shape.Crowds[0] || counts[1] == counts[0] {
				t.Errorf("the fullest cells hold %v; want one of exactly %d", counts[:4], shape.Crowds[0])
			}
			for i, want := range shape.Crowds {
				if got := counts[i]; got < want*9/10 {
					t.Errorf("crowd %d is %d, want about %d", i, got, want)
				}
			}
			if outside > 0 {
				t.Errorf("%d strokes are outside the overview", outside)
			}
			if len(levels) != scenes {
				t.Errorf("strokes on levels %v, want %d scenes, one within the other", levels, scenes)
			}
			t.Log(counts, levels)
		})
	}
}

func TestCorpusIsTheSameForTheSameSeed(t *testing.T) {
	sum := func(seed uint64) [32]byte {
		var b bytes.Buffer
		if err := exchange.WriteStrokes(&b, Corpus(Shapes[0], seed)); err != nil {
			t.Fatal(err)
		}
		return sha256.Sum256(b.Bytes())
	}
	one := sum(1)
	if again := sum(1); again != one {
		t.Error("seed 1 gave two corpora")
	}
	if two := sum(2); two == one {
		t.Error("seeds 1 and 2 gave one corpus")
	}
}
