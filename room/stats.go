package room

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"
)

// Histogram counts durations in buckets that grow by √2 from 16 µs. Safe for concurrent use; the zero value is empty.
type Histogram struct {
	buckets [histogramBuckets]atomic.Uint64
	sum     atomic.Int64 // ns
	max     atomic.Int64
}

const (
	histogramBuckets = 48 // up to 16 µs · 2^24 = 4.5 min
	histogramFirst   = 16 * time.Microsecond
)

func (h *Histogram) observe(d time.Duration) {
	d = max(d, 0)
	h.buckets[bucketOf(d)].Add(1)
	h.sum.Add(int64(d))
	for {
		m := h.max.Load()
		if int64(d) <= m || h.max.CompareAndSwap(m, int64(d)) {
			return
		}
	}
}

func bucketOf(d time.Duration) int {
	if d <= histogramFirst {
		return 0
	}
	n := uint64((d - 1) / histogramFirst) // ≥ 0
	e := bits.Len64(n)                    // d ≤ first · 2^e
	b := 2 * e
	if e > 0 && time.Duration(float64(histogramFirst)*math.Ldexp(math.Sqrt2, e-1)) >= d {
		b--
	}
	return min(b, histogramBuckets-1)
}

func bucketUpper(b int) time.Duration {
	if b%2 == 0 {
		return histogramFirst << (b / 2)
	}
	return time.Duration(float64(histogramFirst) * math.Ldexp(math.Sqrt2, b/2))
}

// Latency is what a Histogram has counted.
type Latency struct {
	Count   uint64
	Sum     time.Duration
	Max     time.Duration
	Upper   []time.Duration // bounds of the buckets, inclusive
	Buckets []uint64        // Buckets[i] were ≤ Upper[i] and above the bound before; the last has no bound
}

func (h *Histogram) latency() Latency {
	l := Latency{Sum: time.Duration(h.sum.Load()), Max: time.Duration(h.max.Load())}
	for i := range h.buckets {
		n := h.buckets[i].Load()
		l.Count += n
		l.Buckets = append(l.Buckets, n)
		l.Upper = append(l.Upper, bucketUpper(i))
	}
	return l
}

// Quantile is an upper bound of the q-quantile, 0 ≤ q ≤ 1: within a factor of √2.
func (l Latency) Quantile(q float64) time.Duration {
	rank := uint64(math.Ceil(q * float64(l.Count)))
	for i, n := range l.Buckets {
		if n >= rank && rank > 0 {
			return min(l.Upper[i], l.Max)
		}
		rank -= n
	}
	return l.Max
}

// counters are what a room counts, from its beginning.
type counters struct {
	pulls, cycles, attempts                                      atomic.Uint64
	newsLocks, crowdLocks, canvasLocks, pieceLocks, cellLocks    atomic.Uint64
	strokeSquares, imageSquares, emptySquares                    atomic.Uint64
	bytes, pieces, piecesShared                                  atomic.Uint64
	opsEntered, opsAcked, opsRejected, opsDuplicate              atomic.Uint64
	records, recordBytes, quarantined                            atomic.Uint64
	unknown, malformed, wetDropped, resyncs                      atomic.Uint64
	snapshots, refusals                                          atomic.Uint64
	programLocks, termLocks, termFrames, termShared, termRefused atomic.Uint64
	pullCycle, opAck, strokeSeen, appends, marshals              Histogram
}

// Stats is what a room has done since it was opened, for people who watch servers.
type Stats struct {
	Viewers, Armed, Owed int // now
	InkBytes             int // of memory that the canvas takes, now

	Pulls    uint64
	Cycles   uint64 // sent
	Attempts uint64 // to compose a cycle, the ones that found nothing to send included

	// Acquisitions of each lock by attempts: never more than Attempts (the pieces': twice that).
	NewsLocks, CrowdLocks, CanvasLocks, PieceLocks, CellLocks uint64

	StrokeSquares, ImageSquares, EmptySquares uint64 // sent: with pieces alone, with an image, with nothing
	Pieces, PiecesShared                      uint64 // sent; of them taken from what another viewer's cycle had made
	Bytes                                     uint64 // sent, acks included

	OpsEntered, OpsAcked, OpsRejected, OpsDuplicate uint64
	OpsWaiting, BytesWaiting                        int // now
	Records, RecordBytes                            uint64
	Quarantined                                     uint64 // ops in the log that cannot be understood
	Unknown, Malformed                              uint64 // messages that were ignored
	WetDropped                                      uint64 // news of wet strokes that did not fit
	Resyncs                                         uint64 // viewers so far behind that they looked at everything again
	Snapshots, Refusals                             uint64 // kept; appends that failed
	TermFrames, TermShared                          uint64 // frames of terminals sent; of them taken from what another viewer's cycle had written
	TermLocks, TermRefused                          uint64 // locks of sessions taken for frames; what was typed and not taken
	Seq                                             uint64

	PullCycle  Latency // from the pull, or what woke an armed one, to its cycle given to the socket
	OpAck      Latency // from an op's arrival to its ack
	StrokeSeen Latency // from an op's arrival to the pull that says it is painted, the oldest of each cycle
	Append     Latency // of one record
	Marshal    Latency // of the squares of one cycle: cutting and framing, after the canvas was asked
}

// Stats counts. It takes no lock that delivery needs for longer than a copy.
func (r *Room) Stats() Stats {
	c := &r.stats
	s := Stats{
		Pulls: c.pulls.Load(), Cycles: c.cycles.Load(), Attempts: c.attempts.Load(),
		NewsLocks: c.newsLocks.Load(), CrowdLocks: c.crowdLocks.Load(), CanvasLocks: c.canvasLocks.Load(), PieceLocks: c.pieceLocks.Load(), CellLocks: c.cellLocks.Load(),
		StrokeSquares: c.strokeSquares.Load(), ImageSquares: c.imageSquares.Load(), EmptySquares: c.emptySquares.Load(),
		Pieces: c.pieces.Load(), PiecesShared: c.piecesShared.Load(), Bytes: c.bytes.Load(),
		OpsEntered: c.opsEntered.Load(), OpsAcked: c.opsAcked.Load(), OpsRejected: c.opsRejected.Load(), OpsDuplicate: c.opsDuplicate.Load(),
		Records: c.records.Load(), RecordBytes: c.recordBytes.Load(), Quarantined: c.quarantined.Load(),
		Unknown: c.unknown.Load(), Malformed: c.malformed.Load(), WetDropped: c.wetDropped.Load(), Resyncs: c.resyncs.Load(),
		Snapshots: c.snapshots.Load(), Refusals: c.refusals.Load(), TermFrames: c.termFrames.Load(), TermShared: c.termShared.Load(), TermLocks: c.termLocks.Load(), TermRefused: c.termRefused.Load(), Seq: uint64(r.canvas.Seq()),
		PullCycle: c.pullCycle.latency(), OpAck: c.opAck.latency(), StrokeSeen: c.strokeSeen.latency(), Append: c.appends.latency(), Marshal: c.marshals.latency(),
	}
	s.InkBytes = r.canvas.Stats().Memory
	for _, v := range *r.viewers.Load() {
		s.Viewers++
		if v.armed.Load() {
			s.Armed++
		}
		s.Owed += int(v.owed.Load())
	}
	r.queue.mu.Lock()
	s.OpsWaiting, s.BytesWaiting = len(r.queue.waiting), r.queue.bytes
	r.queue.mu.Unlock()
	return s
}
