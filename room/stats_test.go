package room

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestQuantilesAreWithinTheirBucket compares with the sorted durations themselves.
func TestQuantilesAreWithinTheirBucket(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var h Histogram
	var all []time.Duration
	for range 5000 {
		d := time.Duration(1 << rng.IntN(36))
		d += time.Duration(rng.Int64N(int64(d)))
		h.observe(d)
		all = append(all, d)
	}
	slices.Sort(all)
	l := h.latency()
	if l.Count != uint64(len(all)) || l.Max != all[len(all)-1] {
		t.Fatalf("count %d, max %v", l.Count, l.Max)
	}
	for _, q := range []float64{0.01, 0.1, 0.5, 0.9, 0.99, 1} {
		exact := all[int(q*float64(len(all)))-1]
		if got := l.Quantile(q); got < exact || float64(got) > 1.4143*float64(max(exact, histogramFirst)) {
			t.Errorf("quantile %v: got %v, want %v or at most √2 more", q, got, exact)
		}
	}
	if got := (Latency{}).Quantile(0.5); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
	for i := 1; i < histogramBuckets; i++ {
		if bucketUpper(i) <= bucketUpper(i-1) || bucketOf(bucketUpper(i)) != i || bucketOf(bucketUpper(i-1)+1) != i {
			t.Errorf("bucket %d: up to %v, which is in %d", i, bucketUpper(i), bucketOf(bucketUpper(i)))
		}
	}
}
