package server

import (
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fractal/cell"
	"fractal/room"
)

// gather tells /metrics what rooms and the cell pool count. It asks them when it is asked; nothing is counted twice.
type gather struct {
	rooms *rooms
	pool  *cell.Pool // may be nil
}

// Describe implements prometheus.Collector: what there is is only known when looking.
func (g gather) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (g gather) Collect(out chan<- prometheus.Metric) {
	e := emitter{out}
	e.rooms(g.rooms.totals())
	if g.pool != nil {
		e.cells(g.pool.Stats())
	}
}

type emitter struct{ out chan<- prometheus.Metric }

func (e emitter) value(kind prometheus.ValueType, name, help string, v float64, label ...string) {
	var names, values []string
	if len(label) == 2 {
		names, values = label[:1], label[1:]
	}
	e.out <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, names, nil), kind, v, values...)
}

func (e emitter) count(name, help string, v uint64, label ...string) {
	e.value(prometheus.CounterValue, name, help, float64(v), label...)
}

func (e emitter) gauge(name, help string, v int) {
	e.value(prometheus.GaugeValue, name, help, float64(v))
}

func (e emitter) rooms(s room.Stats) {
	e.gauge("fractal_viewers", "Who is looking at some canvas.", s.Viewers)
	e.gauge("fractal_viewers_armed", "Viewers whose pull waits for something to happen.", s.Armed)
	e.gauge("fractal_ink_bytes", "Memory that what is on the open canvases takes, about.", s.InkBytes)
	e.gauge("fractal_squares_owed", "Squares that viewers are owed news of.", s.Owed)
	e.count("fractal_pulls_total", "Pulls received.", s.Pulls)
	e.count("fractal_cycles_total", "Cycles sent.", s.Cycles)
	e.count("fractal_cycle_attempts_total", "Times a cycle was composed, also when there was nothing to send.", s.Attempts)
	for lock, n := range map[string]uint64{"news": s.NewsLocks, "crowd": s.CrowdLocks, "canvas": s.CanvasLocks, "pieces": s.PieceLocks, "cells": s.CellLocks} {
		e.count("fractal_cycle_locks_total", "Locks taken while composing cycles.", n, "lock", lock)
	}
	for as, n := range map[string]uint64{"strokes": s.StrokeSquares, "image": s.ImageSquares, "empty": s.EmptySquares} {
		e.count("fractal_squares_sent_total", "Squares sent, by what they held.", n, "as", as)
	}
	e.count("fractal_pieces_sent_total", "Pieces of strokes sent.", s.Pieces)
	e.count("fractal_pieces_shared_total", "Pieces sent that were cut for another viewer.", s.PiecesShared)
	for what, n := range map[string]uint64{"entered": s.OpsEntered, "acknowledged": s.OpsAcked, "rejected": s.OpsRejected, "duplicate": s.OpsDuplicate} {
		e.count("fractal_ops_total", "Ops, by what became of them.", n, "what", what)
	}
	e.gauge("fractal_ops_waiting", "Ops that are not on disk yet.", s.OpsWaiting)
	e.gauge("fractal_ops_waiting_bytes", "Bytes of ops that are not on disk yet.", s.BytesWaiting)
	e.count("fractal_log_records_total", "Records appended to logs.", s.Records)
	e.count("fractal_log_bytes_total", "Bytes of records appended to logs.", s.RecordBytes)
	e.count("fractal_log_refusals_total", "Appends that failed.", s.Refusals)
	e.count("fractal_quarantined_ops_total", "Ops in logs that cannot be understood.", s.Quarantined)
	for why, n := range map[string]uint64{"unknown": s.Unknown, "malformed": s.Malformed} {
		e.count("fractal_ignored_messages_total", "Messages that were ignored, by why.", n, "why", why)
	}
	e.count("fractal_wet_dropped_total", "News of strokes in the making that did not fit.", s.WetDropped)
	e.count("fractal_term_frames_total", "Frames of terminals sent.", s.TermFrames)
	e.count("fractal_term_frames_shared_total", "Of those, taken from what another viewer's cycle had written.", s.TermShared)
	e.count("fractal_term_refused_total", "What was typed at terminals and not taken.", s.TermRefused)
	e.count("fractal_resyncs_total", "Viewers so far behind that they looked at everything again.", s.Resyncs)
	e.count("fractal_snapshots_total", "Snapshots kept.", s.Snapshots)
	e.latency("fractal_pull_cycle_seconds", "From a pull, or what woke an armed one, to its cycle given to the socket.", s.PullCycle)
	e.latency("fractal_op_ack_seconds", "From an op's arrival to its acknowledgement, which is on disk.", s.OpAck)
	e.latency("fractal_stroke_seen_seconds", "From an op's arrival to the pull that says it is painted, the oldest of each cycle.", s.StrokeSeen)
	e.latency("fractal_cycle_marshal_seconds", "Of the squares of one cycle: cutting and framing.", s.Marshal)
	e.latency("fractal_append_seconds", "Of one record, fsync included.", s.Append)
}

// latency emits every other bucket: bounds that grow by 2 are plenty for a graph.
func (e emitter) latency(name, help string, l room.Latency) {
	buckets, below := map[float64]uint64{}, uint64(0)
	for i, n := range l.Buckets {
		below += n
		if i%2 == 0 && i < len(l.Buckets)-1 { // the last has no bound
			buckets[l.Upper[i].Seconds()] = below
		}
	}
	e.out <- prometheus.MustNewConstHistogram(prometheus.NewDesc(name, help, nil, nil), l.Count, l.Sum.Seconds(), buckets)
}

func (e emitter) cells(s cell.Stats) {
	for what, n := range map[string]uint64{"drawn": s.Drawn, "draft": s.Drafts, "cancelled": s.Cancelled, "failed": s.Failed} {
		e.count("fractal_cells_total", "Cell drawings, by how they ended.", n, "what", what)
	}
	for what, n := range map[string]uint64{"hit": s.Hits, "miss": s.Misses, "evicted": s.Evicted} {
		e.count("fractal_cell_cache_total", "What happened at the cell cache.", n, "what", what)
	}
	e.gauge("fractal_cell_cache_pictures", "Pictures in the cell cache.", s.Pictures)
	e.gauge("fractal_cell_cache_bytes", "Bytes of the cell cache.", int(s.Bytes))
	e.gauge("fractal_cells_drawing", "Slots that draw at the moment.", s.Drawing)
	e.count("fractal_cell_strokes_total", "Strokes painted, once for each cell.", s.Strokes)
	e.count("fractal_cell_points_total", "Points of those.", s.Points)
	for i, h := range s.Stages {
		buckets, below := map[float64]uint64{}, uint64(0)
		for k, n := range h.Buckets {
			below += n
			if k < len(h.Buckets)-1 {
				buckets[time.Duration(math.Ldexp(float64(time.Microsecond), k)).Seconds()] = below
			}
		}
		desc := prometheus.NewDesc("fractal_cell_stage_seconds", "Of one cell, by stage of its drawing.", []string{"stage"}, nil)
		e.out <- prometheus.MustNewConstHistogram(desc, h.Count, h.Sum.Seconds(), buckets, cell.Stage(i).String())
	}
}

// totals is what all rooms have counted since the server began, those closed since included.
func (rs *rooms) totals() room.Stats {
	rs.mu.Lock()
	sum := rs.past
	sum.PullCycle, sum.OpAck = copied(sum.PullCycle), copied(sum.OpAck)
	sum.StrokeSeen, sum.Append, sum.Marshal = copied(sum.StrokeSeen), copied(sum.Append), copied(sum.Marshal)
	var open []*room.Room
	for _, l := range rs.open {
		if l.opened() {
			open = append(open, l.room)
		}
	}
	rs.mu.Unlock()
	for _, r := range open {
		add(&sum, r.Stats())
	}
	return sum
}

func copied(l room.Latency) room.Latency {
	l.Buckets = append([]uint64(nil), l.Buckets...)
	return l
}

// add adds what s has counted and what is waiting in it now.
func add(to *room.Stats, s room.Stats) {
	to.Viewers += s.Viewers
	to.Armed += s.Armed
	to.Owed += s.Owed
	to.InkBytes += s.InkBytes
	to.OpsWaiting += s.OpsWaiting
	to.BytesWaiting += s.BytesWaiting
	for _, c := range []struct {
		to *uint64
		n  uint64
	}{
		{&to.Pulls, s.Pulls}, {&to.Cycles, s.Cycles}, {&to.Attempts, s.Attempts},
		{&to.NewsLocks, s.NewsLocks}, {&to.CrowdLocks, s.CrowdLocks}, {&to.CanvasLocks, s.CanvasLocks}, {&to.PieceLocks, s.PieceLocks}, {&to.CellLocks, s.CellLocks},
		{&to.StrokeSquares, s.StrokeSquares}, {&to.ImageSquares, s.ImageSquares}, {&to.EmptySquares, s.EmptySquares},
		{&to.Pieces, s.Pieces}, {&to.PiecesShared, s.PiecesShared}, {&to.Bytes, s.Bytes},
		{&to.OpsEntered, s.OpsEntered}, {&to.OpsAcked, s.OpsAcked}, {&to.OpsRejected, s.OpsRejected}, {&to.OpsDuplicate, s.OpsDuplicate},
		{&to.Records, s.Records}, {&to.RecordBytes, s.RecordBytes}, {&to.Quarantined, s.Quarantined},
		{&to.Unknown, s.Unknown}, {&to.Malformed, s.Malformed}, {&to.WetDropped, s.WetDropped}, {&to.Resyncs, s.Resyncs},
		{&to.TermFrames, s.TermFrames}, {&to.TermShared, s.TermShared}, {&to.TermLocks, s.TermLocks}, {&to.TermRefused, s.TermRefused},
		{&to.Snapshots, s.Snapshots}, {&to.Refusals, s.Refusals},
	} {
		*c.to += c.n
	}
	addLatency(&to.PullCycle, s.PullCycle)
	addLatency(&to.OpAck, s.OpAck)
	addLatency(&to.StrokeSeen, s.StrokeSeen)
	addLatency(&to.Append, s.Append)
	addLatency(&to.Marshal, s.Marshal)
}

func addLatency(to *room.Latency, l room.Latency) {
	if to.Buckets == nil {
		to.Buckets, to.Upper = make([]uint64, len(l.Buckets)), l.Upper
	}
	for i, n := range l.Buckets {
		to.Buckets[i] += n
	}
	to.Count += l.Count
	to.Sum += l.Sum
	to.Max = max(to.Max, l.Max)
}
