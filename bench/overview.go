package bench

import (
	"context"
	"fmt"
	"io"
	"maps"
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

// OverviewResult is what `fractal bench overview` prints. Figures called CPU are of one thread that draws the cells in this
// process, by the processor time of that thread: what else the machine does changes them little. The others are of a server
// in a process of its own, by the clock.
type OverviewResult struct {
	Corpus  string `json:"corpus"`
	Runs    int    `json:"runs"`
	View    string `json:"view"` // its first tile
	Strokes int    `json:"strokes"`
	Points  int    `json:"points"`
	Cells   int    `json:"cells"`

	RasterCPU  Spread `json:"raster_cpu_ms"`            // of all cells, outlines prepared
	EncodeCPU  Spread `json:"encode_cpu_ms"`            // of those
	UnreadyCPU Spread `json:"raster_unprepared_cpu_ms"` // of all cells, provisional: no outline is prepared
	WorstCPU   Spread `json:"worst_cell_cpu_ms"`        // raster of the slowest, outlines prepared
	SparseCPU  Spread `json:"sparse_cell_cpu_us"`       // mean raster of cells of one to five strokes, those nearest below the view
	DrawAlloc  Spread `json:"draw_alloc_bytes"`         // by drawing and encoding them all, outlines prepared

	WallMS      Spread             `json:"wall_ms"`             // from the view to the cycle after which nothing is owed, outlines prepared
	FirstMS     Spread             `json:"first_ms"`            // there, to the first square with ink
	UnreadyMS   Spread             `json:"wall_unprepared_ms"`  // the same straight after the import
	UnreadyShow Spread             `json:"shown_unprepared_ms"` // there, until every square has a picture, provisional or not
	AgainMS     Spread             `json:"again_ms"`            // the same for a second viewer: everything is cached
	StrokeMS    Spread             `json:"stroke_ms"`           // from sending one more stroke to the cycle that holds it
	UndoMS      Spread             `json:"undo_ms"`             // one that the pictures hold is taken back: to a view without it
	UndoCells   Spread             `json:"undo_cells"`          // drawn for that: those, and what they are made of
	LockWaitMS  Spread             `json:"lock_wait_ms"`        // of all snapshots for WallMS
	LockHeldMS  Spread             `json:"lock_held_ms"`
	Stages      map[string]*Spread `json:"stages"`      // of WallMS: ms of the slots, by stage
	Alloc       Spread             `json:"alloc_bytes"` // of UnreadyMS: the first view there ever was
	GC          Spread             `json:"gc_cycles"`
	Bytes       Spread             `json:"bytes"` // sent for WallMS
	Images      Spread             `json:"images"`
	Drafts      Spread             `json:"provisional"`
	Pieces      Spread             `json:"pieces"`
	OpenMS      Spread             `json:"restarted_open_ms"` // of a restarted server: from dialling to the welcome
	RestartedMS Spread             `json:"restarted_wall_ms"` // the view there
	RSSBytes    Spread             `json:"rss_bytes"`         // after it

	BrowserMS      *Spread `json:"browser_ms,omitempty"`       // from navigating to the last cell in view
	BrowserAllMS   *Spread `json:"browser_all_ms,omitempty"`   // and to the last of margins and stand-ins
	BrowserFirstMS *Spread `json:"browser_first_ms,omitempty"` // to the first ink on the screen
	BrowserFloorMS *Spread `json:"browser_floor_ms,omitempty"` // the same of a page that has nothing but one painted canvas
}

// viewCredit is what a pull asks for: more than any overview, so that the server's work is measured and not our pulling.
const viewCredit = 32 << 20

// Overview measures the first look at a corpus, once each run: a fresh server, the corpus replayed through the socket, cold
// views of 1536 × 1024 px, a restart. browser is a Chromium that opens the page too; empty: none does.
func Overview(ctx context.Context, program, corpus, browser string, runs int, log io.Writer) (*OverviewResult, error) {
	r := &OverviewResult{Corpus: filepath.Base(corpus), Runs: runs, Cells: viewCols * viewRows, Stages: map[string]*Spread{}}
	if browser != "" {
		r.BrowserMS, r.BrowserAllMS, r.BrowserFirstMS, r.BrowserFloorMS = new(Spread), new(Spread), new(Spread), new(Spread)
	}
	for run := range runs {
		if err := r.once(ctx, program, corpus, browser, log); err != nil {
			return nil, fmt.Errorf("run %d: %w", run+1, err)
		}
	}
	return r, nil
}

func (r *OverviewResult) once(ctx context.Context, program, corpus, browser string, log io.Writer) error {
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
	defer func() { p.Kill() }() // p is always the newest; killing one that has ended does nothing

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
	defer func() { artist.Close() }()

	if err := across(artist, origin); err != nil {
		return err
	}
	if err := r.unprepared(ctx, p, origin); err != nil {
		return err
	}
	if err := r.prepared(ctx, p, origin, artist, middle); err != nil {
		return err
	}
	if browser != "" {
		if err := r.browse(ctx, browser, p, origin, func() error {
			if err := across(artist, origin); err != nil {
				return err
			}
			w, err := look(ctx, target, origin) // in which it is
			if err != nil {
				return err
			}
			w.viewer.Close()
			return do(artist, &wire.Op{Body: &wire.Op_Undo{Undo: &wire.Undo{}}})
		}); err != nil {
			return err
		}
	}
	artist.Close()
	if err := p.Stop(); err != nil {
		return err
	}
	if p, err = Start(ctx, program, dir, log); err != nil {
		return err
	}
	begin := time.Now()
	if artist, err = remote.Open(ctx, p.Target("bench"), remote.Who{Name: "artist"}, nil); err != nil {
		return err
	}
	r.OpenMS.Add(ms(time.Since(begin)))
	again, err := look(ctx, p.Target("bench"), origin)
	if err != nil {
		return err
	}
	again.viewer.Close()
	r.RestartedMS.Add(ms(again.settled))
	r.RSSBytes.Add(p.RSS())
	artist.Close()
	if err := p.Stop(); err != nil {
		return err
	}
	return r.draw(ctx, corpus, origin) // last: it takes memory, and the processor of nobody else
}

// unprepared looks straight after the import.
func (r *OverviewResult) unprepared(ctx context.Context, p *Process, origin tile.ID) error {
	before, err := p.Metrics(ctx)
	if err != nil {
		return err
	}
	first, err := look(ctx, p.Target("bench"), origin)
	if err != nil {
		return err
	}
	first.viewer.Close()
	after, err := p.Metrics(ctx)
	if err != nil {
		return err
	}
	scrape, err := p.Metrics(ctx)
	if err != nil {
		return err
	}
	const allocated, collected = "go_memstats_alloc_bytes_total", "go_gc_duration_seconds_count"
	r.UnreadyMS.Add(ms(first.settled))
	r.UnreadyShow.Add(ms(first.shown))
	r.Alloc.Add(after[allocated] - before[allocated] - (scrape[allocated] - after[allocated])) // less what being asked costs
	r.GC.Add(after[collected] - before[collected])
	return nil
}

// prepared looks when every outline is prepared and every picture must be drawn again.
func (r *OverviewResult) prepared(ctx context.Context, p *Process, origin tile.ID, artist *remote.Session, middle *ink.Stroke) error {
	// No picture is true any more.
	if err := do(artist, &wire.Op{Body: &wire.Op_Undo{Undo: &wire.Undo{}}}); err != nil {
		return err
	}
	if middle != nil { // in the pictures that follow, to be taken back in the end
		if err := do(artist, &wire.Op{Body: &wire.Op_Stroke{Stroke: middle.Wire()}}); err != nil {
			return err
		}
	}
	before, err := p.Metrics(ctx)
	if err != nil {
		return err
	}
	first, err := look(ctx, p.Target("bench"), origin)
	if err != nil {
		return err
	}
	defer first.viewer.Close()
	after, err := p.Metrics(ctx)
	if err != nil {
		return err
	}
	r.FirstMS.Add(ms(first.first))
	r.WallMS.Add(ms(first.settled))
	r.Bytes.Add(float64(first.bytes))
	r.Images.Add(float64(first.images))
	r.Drafts.Add(float64(first.drafts))
	r.Pieces.Add(float64(first.pieces))
	for name := range after {
		stage, ok := strings.CutPrefix(name, `fractal_cell_stage_seconds_sum{stage="`)
		switch stage = strings.TrimSuffix(stage, `"}`); {
		case name == "fractal_cycle_marshal_seconds_sum":
			stage = "marshal"
		case name == "fractal_socket_write_seconds_sum":
			stage = "socket_write"
		case !ok:
			continue
		}
		if r.Stages[stage] == nil {
			r.Stages[stage] = new(Spread)
		}
		spent := (after[name] - before[name]) * 1000
		r.Stages[stage].Add(spent)
		switch stage {
		case "lock_wait":
			r.LockWaitMS.Add(spent)
		case "lock_held":
			r.LockHeldMS.Add(spent)
		}
	}
	again, err := look(ctx, p.Target("bench"), origin)
	if err != nil {
		return err
	}
	again.viewer.Close()
	r.AgainMS.Add(ms(again.settled))
	if middle == nil {
		return nil
	}
	var took Spread
	for range more {
		one, err := first.seen(ctx, artist, middle)
		if err != nil {
			return err
		}
		took.Add(ms(one))
	}
	_, median, _ := took.Figures()
	r.StrokeMS.Add(median)
	return r.undone(ctx, p, origin, artist)
}

// more is how many strokes are added after the pictures were drawn.
const more = 5

// undone takes back the strokes that were added, and then one that the pictures hold.
func (r *OverviewResult) undone(ctx context.Context, p *Process, origin tile.ID, artist *remote.Session) error {
	const drawn = `fractal_cells_total{what="drawn"}`
	for range more {
		if err := do(artist, &wire.Op{Body: &wire.Op_Undo{Undo: &wire.Undo{}}}); err != nil {
			return err
		}
	}
	before, err := p.Metrics(ctx)
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := do(artist, &wire.Op{Body: &wire.Op_Undo{Undo: &wire.Undo{}}}); err != nil {
		return err
	}
	w, err := look(ctx, p.Target("bench"), origin)
	if err != nil {
		return err
	}
	r.UndoMS.Add(ms(time.Since(begin)))
	w.viewer.Close()
	after, err := p.Metrics(ctx)
	if err != nil {
		return err
	}
	r.UndoCells.Add(after[drawn] - before[drawn])
	return nil
}

// across draws a stroke that reaches every cell of the view, so that taking it back makes all pictures untrue.
func across(artist *remote.Session, origin tile.ID) error {
	far := int64(tile.Units)
	s, err := ink.New(origin, ink.Liner, 0xff, []ink.Point{{X: 99, Y: 99, D: 64}, {X: viewCols*far - 99, Y: viewRows*far - 99, D: 64}, {X: 99, Y: viewRows*far - 99, D: 64}})
	if err != nil {
		return err
	}
	return do(artist, &wire.Op{Body: &wire.Op_Stroke{Stroke: s.Wire()}})
}

func do(artist *remote.Session, op *wire.Op) error {
	if _, err := artist.Send(op); err != nil {
		return err
	}
	return artist.Flush()
}

// sight is one look at a view until nothing is owed.
type sight struct {
	viewer                 *remote.Watcher
	first, settled         time.Duration
	shown                  time.Duration // to the last square that had nothing before
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
	begin, has := time.Now(), map[uint32]bool{}
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
			if !has[q.Id] {
				has[q.Id] = true
				s.shown = time.Since(begin)
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
			s.through = c.End.Through
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
		{"raster CPU, prepared, ms", r.RasterCPU, 1}, {"encode CPU, ms", r.EncodeCPU, 1}, {"raster CPU, unprepared, ms", r.UnreadyCPU, 1},
		{"worst cell CPU, ms", r.WorstCPU, 1}, {"sparse cell CPU, µs", r.SparseCPU, 1}, {"allocated by drawing, KB", r.DrawAlloc, 1e3},
		{"all cells, prepared, ms", r.WallMS, 1}, {"  first square, ms", r.FirstMS, 1}, {"all cells, unprepared, ms", r.UnreadyMS, 1}, {"  shown, provisional or not, ms", r.UnreadyShow, 1},
		{"all cells again, ms", r.AgainMS, 1}, {"one more stroke, ms", r.StrokeMS, 1},
		{"one taken back, ms", r.UndoMS, 1}, {"cells drawn for it", r.UndoCells, 1},
		{"allocated by first view, MB", r.Alloc, 1e6}, {"collections", r.GC, 1}, {"sent, KB", r.Bytes, 1e3}, {"images", r.Images, 1},
		{"of them provisional", r.Drafts, 1}, {"pieces of strokes", r.Pieces, 1},
		{"restarted: canvas open, ms", r.OpenMS, 1}, {"restarted: all cells, ms", r.RestartedMS, 1}, {"resident, MB", r.RSSBytes, 1e6},
	}
	for _, stage := range slices.Sorted(maps.Keys(r.Stages)) {
		rows = append(rows, row{"stage " + stage + ", ms", *r.Stages[stage], 1})
	}
	if r.BrowserMS != nil {
		rows = append(rows, row{"Chromium: first ink, ms", *r.BrowserFirstMS, 1}, row{"  of a page of one painted canvas, ms", *r.BrowserFloorMS, 1}, row{"Chromium: last cell, ms", *r.BrowserMS, 1}, row{"  and of margins, ms", *r.BrowserAllMS, 1})
	}
	table(&b, rows)
	return b.String()
}
