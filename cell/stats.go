package cell

import (
	"math"
	mathbits "math/bits"
	"sync/atomic"
	"time"
)

// Stage is a part of a drawing that is timed.
type Stage uint8

// The stages.
const (
	StageSnapshot Stage = iota // asking the canvas
	StageRaster
	StageEncode
	StageDerive     // making cells of smaller ones, keeping those
	StageWait       // for the canvas's lock, within StageSnapshot
	StageHeld       // holding it, likewise
	stageCount  int = iota
)

// String returns the stage's name in metrics.
func (s Stage) String() string {
	return [stageCount]string{"snapshot", "raster", "encode", "derive", "lock_wait", "lock_held"}[s]
}

// Histogram counts durations. Buckets[i] counts those below 2^i µs that are not below 2^(i-1) µs; the last one all that
// are longer.
type Histogram struct {
	Count   uint64
	Sum     time.Duration
	Buckets [bucketCount]uint64
}

// Quantile is an upper bound of the q-quantile, within a factor of two; 0 when nothing was counted.
func (h Histogram) Quantile(q float64) time.Duration {
	rank := uint64(math.Ceil(q * float64(h.Count)))
	for i, n := range h.Buckets {
		if n >= rank && rank > 0 {
			return time.Microsecond << i
		}
		rank -= n
	}
	return 0
}

const bucketCount = 20 // the last whole one ends at 0.26 s

// Stats is what a pool has done since it began.
type Stats struct {
	Drawn     uint64 // settled pictures
	Drafts    uint64 // provisional pictures
	Cancelled uint64 // drawings that ended because nobody wanted them any more
	Failed    uint64 // drawings whose source gave an error
	Hits      uint64 // Newest had a picture
	Misses    uint64
	Evicted   uint64 // pictures forgotten because the cache was full
	Pictures  int    // in the cache now
	Bytes     int64  // of them, with what it costs to keep them
	Drawing   int    // slots at work now
	Strokes   uint64 // that were painted, on all cells together
	Points    uint64 // of those
	Stages    [stageCount]Histogram
}

// stages is the live form of Stats.Stages. A sample costs three atomic additions and one look at the clock.
type stages [stageCount]struct {
	sum     atomic.Int64
	buckets [bucketCount]atomic.Uint64
}

func (s *stages) add(stage Stage, d time.Duration) {
	h := &s[stage]
	h.sum.Add(int64(d))
	h.buckets[min(mathbits.Len64(uint64(d.Microseconds())), len(h.buckets)-1)].Add(1)
}

func (s *stages) read() (out [stageCount]Histogram) {
	for i := range s {
		out[i].Sum = time.Duration(s[i].sum.Load())
		for k := range s[i].buckets {
			n := s[i].buckets[k].Load()
			out[i].Buckets[k] = n
			out[i].Count += n
		}
	}
	return out
}

var epoch = time.Now() // of the monotonic clock below

// Now is the pool's clock, from an arbitrary beginning.
func (s *Scratch) Now() time.Duration { return time.Since(epoch) }

// Took counts a duration to a stage that lies within another.
func (s *Scratch) Took(stage Stage, d time.Duration) {
	if s.pool != nil {
		s.pool.stages.add(stage, d)
	}
}

// Painted counts what went into a cell.
func (s *Scratch) Painted(strokes, points int) {
	if s.pool != nil {
		s.pool.strokes.Add(uint64(strokes))
		s.pool.points.Add(uint64(points))
	}
}

// Start begins the time of a stage.
func (s *Scratch) Start() { s.lapped = s.Now() }

// Lap counts the time since Start, or the Lap before, to a stage.
func (s *Scratch) Lap(stage Stage) {
	now := s.Now()
	if s.pool != nil {
		s.pool.stages.add(stage, now-s.lapped)
	}
	s.lapped = now
}
