package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fractal/exchange"
	"fractal/ink"
	"fractal/remote"
	"fractal/tile"
	"fractal/wire"
)

// OverviewResult is what `fractal bench overview` prints. CPU figures are what the drawing slots spent in a stage, by the
// clock.
type OverviewResult struct {
	Corpus   string            `json:"corpus"`
	Runs     int               `json:"runs"`
	View     string            `json:"view"` // its first tile
	Strokes  int               `json:"strokes"`
	Points   int               `json:"points"`
	Cells    int               `json:"cells"`
	FirstMS  Spread            `json:"first_ms"`  // from the view to the first square with ink
	WallMS   Spread            `json:"wall_ms"`   // from the view to the cycle after which nothing is owed
	AgainMS  Spread            `json:"again_ms"`  // the same for a second viewer: everything is cached
	StrokeMS Spread            `json:"stroke_ms"` // from sending one more stroke to the cycle that holds it
	RasterMS Spread            `json:"raster_cpu_ms"`
	EncodeMS Spread            `json:"encode_cpu_ms"`
	Stages   map[string]Spread `json:"stages"` // ms, by stage
	Alloc    Spread            `json:"alloc_bytes"`
	GC       Spread            `json:"gc_cycles"`
	Bytes    Spread            `json:"bytes"` // sent to the first viewer
	Images   Spread            `json:"images"`
	Drafts   Spread            `json:"provisional"`
	Pieces   Spread            `json:"pieces"`
	RSSBytes Spread            `json:"rss_bytes"`
}

// viewCredit is what a pull asks for: more than any overview, so that the server's work is measured and not our pulling.
const viewCredit = 32 << 20

// Overview measures the first look at a corpus, once each run: a fresh server, the corpus replayed through the socket, one
// cold view of 1536 × 1024 px.
func Overview(ctx context.Context, program, corpus string, runs int, log io.Writer) (*OverviewResult, error) {
	r := &OverviewResult{Corpus: filepath.Base(corpus), Runs: runs, Cells: viewCols * viewRows, Stages: map[string]Spread{}}
	for run := range runs {
		if err := r.once(ctx, program, corpus, log); err != nil {
			return nil, fmt.Errorf("run %d: %w", run+1, err)
		}
	}
	return r, nil
}

func (r *OverviewResult) once(ctx context.Context, program, corpus string, log io.Writer) error {
	dir, err := os.MkdirTemp("", "fractal-bench-")
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	defer os.RemoveAll(dir)
	file, err := os.Open(corpus)
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	defer file.Close()
	p, err := Start(ctx, program, dir, log)
	if err != nil {
		return err
	}
	defer func() { p.Kill() }()

	busy := crowd{}
	var middle *ink.Stroke // somewhere on the view: a copy of it is the stroke that is added
	records := func(yield func(exchange.Record, error) bool) {
		for rec, err := range exchange.ReadStrokes(file) {
			if rec.Stroke != nil {
				busy.add(rec.Stroke)
				if rec.Stroke.Home().Level() == 0 {
					middle = rec.Stroke
				}
			}
			if !yield(rec, err) {
				return
			}
		}
	}
	target := p.Target("bench")
	in, err := remote.Import(ctx, target, remote.Who{Name: "bench"}, records, nil, nil)
	if err != nil {
		return err
	}
	r.Strokes, r.Points = in.Strokes, in.Points
	origin := busy.view()
	r.View = origin.String()

	// The importer has left, so the canvas is closed; what is measured is the look, not the opening.
	artist, err := remote.Open(ctx, target, remote.Who{Name: "artist"}, nil)
	if err != nil {
		return err
	}
	defer artist.Close()
	before, err := p.Metrics(ctx)
	if err != nil {
		return err
	}
	first, err := look(ctx, target, origin)
	if err != nil {
		return err
	}
	defer first.viewer.Close()
	after, err := p.Metrics(ctx)
	if err != nil {
		return err
	}
	scrape, err := p.Metrics(ctx)
	if err != nil {
		return err
	}
	r.FirstMS.Add(ms(first.first))
	r.WallMS.Add(ms(first.settled))
	r.Bytes.Add(float64(first.bytes))
	r.Images.Add(float64(first.images))
	r.Drafts.Add(float64(first.drafts))
	r.Pieces.Add(float64(first.pieces))
	r.RSSBytes.Add(p.RSS())
	const allocated, collected = "go_memstats_alloc_bytes_total", "go_gc_duration_seconds_count"
	r.Alloc.Add(after[allocated] - before[allocated] - (scrape[allocated] - after[allocated])) // less what being asked costs
	r.GC.Add(after[collected] - before[collected])
	for name := range after {
		if stage, ok := strings.CutPrefix(name, `fractal_cell_stage_seconds_sum{stage="`); ok {
			stage = strings.TrimSuffix(stage, `"}`)
			spent := (after[name] - before[name]) * 1000
			s := r.Stages[stage]
			s.Add(spent)
			r.Stages[stage] = s
			switch stage {
			case "raster":
				r.RasterMS.Add(spent)
			case "encode":
				r.EncodeMS.Add(spent)
			}
		}
	}
	again, err := look(ctx, target, origin)
	if err != nil {
		return err
	}
	again.viewer.Close()
	r.AgainMS.Add(ms(again.settled))
	if middle != nil {
		took, err := first.seen(ctx, artist, middle)
		if err != nil {
			return err
		}
		r.StrokeMS.Add(ms(took))
	}
	return p.Stop()
}

// sight is one look at a view until nothing is owed.
type sight struct {
	viewer                 *remote.Watcher
	first, settled         time.Duration
	bytes                  int
	images, drafts, pieces int
	through                uint64
}

// look opens a viewer and looks at the cells from origin on, the middle first.
func look(ctx context.Context, t remote.Target, origin tile.ID) (*sight, error) {
	w, err := remote.Watch(ctx, t, remote.Who{Name: "viewer"})
	if err != nil {
		return nil, err
	}
	s := &sight{viewer: w}
	level, x, y := origin.Wire()
	view := &wire.View{Generation: 1, Origin: &wire.Tile{Level: level, X: x, Y: y}}
	for i := range int64(viewCols * viewRows) {
		view.Wants = append(view.Wants, &wire.Want{Id: uint32(i + 1), Dx: i % viewCols, Dy: i / viewCols})
	}
	fromMiddle := func(w *wire.Want) int64 {
		dx, dy := 2*w.Dx-(viewCols-1), 2*w.Dy-(viewRows-1)
		return dx*dx + dy*dy
	}
	slices.SortStableFunc(view.Wants, func(a, b *wire.Want) int { return int(fromMiddle(a) - fromMiddle(b)) })
	begin := time.Now()
	if err := w.Look(ctx, view); err != nil {
		w.Close()
		return nil, err
	}
	for {
		c, err := w.Pull(ctx, viewCredit)
		if err != nil {
			w.Close()
			return nil, err
		}
		s.bytes += c.Bytes
		for _, q := range c.Squares {
			if (q.Image != nil || len(q.Pieces) > 0) && s.first == 0 {
				s.first = time.Since(begin)
			}
			if q.Image != nil {
				s.images++
			}
			if q.Provisional {
				s.drafts++
			}
			s.pieces += len(q.Pieces)
		}
		if c.End.Settled && c.End.Generation == view.Generation {
			s.settled, s.through = time.Since(begin), c.End.Through
			return s, nil
		}
	}
}

// seen draws one stroke and waits for the cycle that brings it.
func (s *sight) seen(ctx context.Context, artist *remote.Session, stroke *ink.Stroke) (time.Duration, error) {
	begin := time.Now()
	if _, err := artist.Send(&wire.Op{Body: &wire.Op_Stroke{Stroke: stroke.Wire()}}); err != nil {
		return 0, err
	}
	for {
		c, err := s.viewer.Pull(ctx, viewCredit)
		if err != nil {
			return 0, err
		}
		if c.End.Through > s.through {
			return time.Since(begin), nil
		}
	}
}

// crowd counts strokes by the tile of level 0 their home lies in.
type crowd map[[2]int64]int

func (c crowd) add(s *ink.Stroke) {
	if home := s.Home(); home.Level() >= 0 {
		if x, y, ok := home.Ancestor(0).Small(); ok {
			c[[2]int64{x, y}]++
		}
	}
}

// view is the first tile of the overview that shows most of it; among equals the one nearest to the origin's corner.
func (c crowd) view() tile.ID {
	best, at := -1, [2]int64{}
	for corner := range c {
		for dx := range int64(viewCols) {
			for dy := range int64(viewRows) {
				x, y, n := corner[0]-dx, corner[1]-dy, 0
				for i := range int64(viewCols * viewRows) {
					n += c[[2]int64{x + i%viewCols, y + i/viewCols}]
				}
				if n > best || n == best && nearer([2]int64{x, y}, at) {
					best, at = n, [2]int64{x, y}
				}
			}
		}
	}
	return tile.At(0, at[0], at[1])
}

func nearer(a, b [2]int64) bool {
	da, db := max(a[0], -a[0])+max(a[1], -a[1]), max(b[0], -b[0])+max(b[1], -b[1])
	return da < db || da == db && (a[1] < b[1] || a[1] == b[1] && a[0] < b[0])
}

// Table is the result for people.
func (r *OverviewResult) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d strokes, %d points, %d cells from %s, %d runs (min / median / max)\n", r.Corpus, r.Strokes, r.Points, r.Cells, r.View, r.Runs)
	rows := []row{
		{"first square, ms", r.FirstMS, 1}, {"all cells, ms", r.WallMS, 1}, {"all cells again, ms", r.AgainMS, 1},
		{"one more stroke, ms", r.StrokeMS, 1}, {"raster, ms of the slots", r.RasterMS, 1}, {"encode, ms of the slots", r.EncodeMS, 1},
		{"allocated, MB", r.Alloc, 1e6}, {"collections", r.GC, 1}, {"sent, KB", r.Bytes, 1e3}, {"images", r.Images, 1},
		{"of them provisional", r.Drafts, 1}, {"pieces of strokes", r.Pieces, 1}, {"resident, MB", r.RSSBytes, 1e6},
	}
	table(&b, rows)
	return b.String()
}
