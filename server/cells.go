package server

import (
	"encoding/json"
	"net/http"
	"runtime"

	"fractal/cell"
)

// stageJSON is one stage of drawing cells in /debug/cells.
type stageJSON struct {
	Stage  string  `json:"stage"`
	Count  uint64  `json:"count"`
	SumMS  float64 `json:"sum_ms"`
	MeanUS float64 `json:"mean_us"`
	P50US  int64   `json:"p50_us"` // upper bounds, within a factor of two
	P99US  int64   `json:"p99_us"`
}

// debugCells tells what the cells of all canvases have cost so far, as JSON: where the time of a cell goes, what went into them,
// and how full the caches are.
func (s *Server) debugCells(w http.ResponseWriter, r *http.Request) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	answer := map[string]any{"alloc_bytes": m.TotalAlloc, "gc_cycles": m.NumGC}
	if s.config.Pool != nil {
		p := s.config.Pool.Stats()
		var stages []stageJSON
		for i, h := range p.Stages {
			j := stageJSON{Stage: cell.Stage(i).String(), Count: h.Count, SumMS: h.Sum.Seconds() * 1000, P50US: h.Quantile(.5).Microseconds(), P99US: h.Quantile(.99).Microseconds()}
			if h.Count > 0 {
				j.MeanUS = h.Sum.Seconds() * 1e6 / float64(h.Count)
			}
			stages = append(stages, j)
		}
		answer["stages"] = stages
		answer["cells"] = map[string]uint64{"drawn": p.Drawn, "drafts": p.Drafts, "cancelled": p.Cancelled, "failed": p.Failed, "strokes": p.Strokes, "points": p.Points}
		answer["cache"] = map[string]uint64{"pictures": uint64(p.Pictures), "bytes": uint64(p.Bytes), "hits": p.Hits, "misses": p.Misses, "evicted": p.Evicted}
		answer["drawing"] = p.Drawing
	}
	files, bytes, limit := s.config.Shelf.Stats()
	answer["disk"] = map[string]int64{"quarters": int64(files), "bytes": bytes, "limit": limit}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // a reader that has gone wants no answer
}
