package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"fractal/exchange"
	"fractal/ink"
)

// Spread is one figure measured several times. As JSON it is {"min":…,"median":…,"max":…}.
type Spread []float64

// Add adds one measurement.
func (s *Spread) Add(v float64) { *s = append(*s, v) }

// Figures are the least, the middle and the greatest; the middle of an even number is the mean of two.
func (s Spread) Figures() (least, median, most float64) {
	if len(s) == 0 {
		return 0, 0, 0
	}
	v := slices.Sorted(slices.Values(s))
	n := len(v)
	return v[0], (v[(n-1)/2] + v[n/2]) / 2, v[n-1]
}

// MarshalJSON implements json.Marshaler.
func (s Spread) MarshalJSON() ([]byte, error) {
	least, median, most := s.Figures()
	return json.Marshal(struct {
		Min    float64 `json:"min"`
		Median float64 `json:"median"`
		Max    float64 `json:"max"`
	}{least, median, most})
}

// row is one line of a table for people.
type row struct {
	name string
	s    Spread
	per  float64 // what the figure is divided by
}

func table(b *strings.Builder, rows []row) {
	for _, r := range rows {
		least, median, most := r.s.Figures()
		fmt.Fprintf(b, "  %-24s %10.2f / %10.2f / %10.2f\n", r.name, least/r.per, median/r.per, most/r.per)
	}
}

// WriteCorpus writes the strokes of a shape as stroke lines.
func WriteCorpus(ctx context.Context, w io.Writer, shape Shape, seed uint64) error {
	err := exchange.WriteStrokes(w, func(yield func(*ink.Stroke) bool) {
		for s := range Corpus(shape, seed) {
			if ctx.Err() != nil || !yield(s) {
				return
			}
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	return err
}
