package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"fractal/canvas"
	"fractal/mandel"
	"fractal/remote"
	"fractal/tile"
	"fractal/wire"
)

// Hold holds the zoom key: a viewer of a fresh server goes one doubling deeper into a location of the Mandelbrot set again and
// again, in step with a clock as a key that repeats does, whether or not the view before is there. What comes over the socket is
// measured, with everything a server does for it: references, tables, slots, cancelling what is left.
type Hold struct {
	Location  string
	From      int     // doublings at which the key goes down, everything there settled
	Doublings int     // that it is held for
	Every     float64 // ms from one to the next
	Runs      int
	Trace     string // a file for a runtime trace of the server, of at most its first ten seconds; empty: none
	Browser   bool   // a page in Chromium does the same, then
	Stderr    io.Writer

	stop mandel.Stop
}

// HoldResult is what `fractal bench hold` prints. Times are by the clock, from the key's repeat.
type HoldResult struct {
	Location  string  `json:"location"`
	From      int     `json:"from"`
	Doublings int     `json:"doublings"`
	Every     float64 `json:"every_ms"`
	Runs      int     `json:"runs"`

	Shown   Spread `json:"shown_in_time"`   // views that had a picture in every cell before the next came
	Settled Spread `json:"settled_in_time"` // views that were complete before the next came
	FirstMS Spread `json:"first_ms"`        // to the first cell's first picture, of each view
	ShownMS Spread `json:"shown_ms"`        // to a picture in every cell
	WholeMS Spread `json:"settled_ms"`      // of those that were
	CPU     Spread `json:"cpu_percent"`     // of one processor, by the server
	Stopped Spread `json:"cancelled"`       // cells left while they were drawn

	Pages []HeldPage `json:"browser,omitempty"` // one a run
}

// Check says what cannot be measured, in words for a person.
func (h *Hold) Check() error {
	z := Zoom{Locations: []string{h.Location}, Samples: 1, Runs: 1}
	if err := z.Check(); err != nil {
		return err
	}
	switch {
	case len(z.stops) != 1:
		return errors.New("--location is one location")
	case h.From < 0 || h.Doublings < 1 || h.Doublings > 10_000 || h.Runs < 1:
		return errors.New("--from is at least 0, --runs at least 1, and --doublings 1 to 10000")
	case !(h.Every >= 20 && h.Every <= 60_000):
		return errors.New("--every is 20 to 60000 ms")
	}
	h.stop = z.stops[0]
	return nil
}

// Measure does it.
func (h *Hold) Measure(ctx context.Context, program string) (*HoldResult, error) {
	r := &HoldResult{Location: h.Location, From: h.From, Doublings: h.Doublings, Every: h.Every, Runs: h.Runs}
	for range h.Runs {
		if err := h.once(ctx, program, r); err != nil {
			return nil, fmt.Errorf("bench: hold: %w", err)
		}
	}
	return r, nil
}

func (h *Hold) once(ctx context.Context, program string, r *HoldResult) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l, err := h.stop.Location()
	if err != nil {
		return err
	}
	place, err := homePlace()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "fractal-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := Start(ctx, program, dir, h.Stderr)
	if err != nil {
		return err
	}
	defer p.Kill()
	artist, err := remote.Open(ctx, p.Target("bench"), remote.Who{Name: "artist"}, nil)
	if err != nil {
		return err
	}
	defer artist.Close()
	if err := do(artist, &wire.Op{Body: &wire.Op_Place{Place: place.Wire()}}); err != nil {
		return err
	}
	w, err := remote.Watch(ctx, p.Target("bench"), remote.Who{Name: "viewer"})
	if err != nil {
		return err
	}
	defer w.Close()

	eye := &eye{w: w, views: make([]held, h.Doublings+1), settled: make(chan struct{}), cells: holdWide * holdHigh}
	done := make(chan error, 1)
	go func() { done <- eye.look(ctx) }()
	turn := func(i int) error {
		ids, err := around(place, l, h.From+i, holdWide, holdHigh)
		if err != nil {
			return err
		}
		return eye.turn(ctx, i, ids)
	}
	if err := turn(0); err != nil {
		return err
	}
	select {
	case <-eye.settled: // where the key goes down everything is there
	case err := <-done:
		return err
	}
	before, err := p.Metrics(ctx)
	if err != nil {
		return err
	}
	var tracing sync.WaitGroup
	var traceErr error
	if h.Trace != "" {
		seconds := min(10, int(float64(h.Doublings)*h.Every/1000)+1)
		tracing.Go(func() {
			var body string
			if body, traceErr = p.get(ctx, fmt.Sprintf("debug/trace?seconds=%d", seconds)); traceErr == nil {
				traceErr = os.WriteFile(h.Trace, []byte(body), 0o644)
			}
		})
	}
	begun := time.Now()
	every := time.Duration(h.Every * float64(time.Millisecond))
	for i := 1; i <= h.Doublings; i++ {
		if err := turn(i); err != nil {
			return err
		}
		if err := pause(ctx, time.Until(begun.Add(time.Duration(i)*every))); err != nil { // the key's own clock
			return err
		}
		select {
		case err := <-done:
			return err
		default:
		}
	}
	took := time.Since(begun)
	after, err := p.Metrics(ctx)
	if err != nil {
		return err
	}
	tracing.Wait()
	if traceErr != nil {
		return traceErr
	}
	eye.report(r, every)
	const cpu, cancelled = "process_cpu_seconds_total", `fractal_cells_total{what="cancelled"}`
	r.CPU.Add(100 * (after[cpu] - before[cpu]) / took.Seconds())
	r.Stopped.Add(after[cancelled] - before[cancelled])
	w.Close()
	<-done // ended by that
	if h.Browser {
		page, err := h.browse(ctx, p.Target("bench"))
		if err != nil {
			return err
		}
		r.Pages = append(r.Pages, page)
	}
	return nil
}

// What is looked at: 768 × 512 px.
const holdWide, holdHigh = 3, 2

// homePlace is the root tile with the whole set in it: 4 wide, and -3/4 in its middle.
func homePlace() (*canvas.Place, error) {
	return canvas.NewPlace(&wire.Place{
		Home: &wire.Tile{}, Box: &wire.Box{MaxX: tile.Units, MaxY: tile.Units},
		Re: &wire.Dyadic{Mantissa: []byte{0xf5}, Exp: -2}, Im: &wire.Dyadic{Mantissa: []byte{2}}, Unit: -12,
	})
}

// eye is a viewer whose view changes while it pulls.
type eye struct {
	w       *remote.Watcher
	cells   int
	settled chan struct{} // closed when the view in which all begins is complete

	mu    sync.Mutex // guards views
	views []held
}

// held is one view on the way, with times from when it was asked for; 0: never.
type held struct {
	asked                 time.Time
	has                   []uint32
	first, shown, settled time.Duration
}

// turn looks at other tiles. View i has generation i + 1, and the ids of its squares follow those of the view before.
func (e *eye) turn(ctx context.Context, i int, ids []tile.ID) error {
	level, x, y := ids[0].Wire()
	v := &wire.View{Generation: uint64(i + 1), Origin: &wire.Tile{Level: level, X: x, Y: y}}
	for j := range ids {
		v.Wants = append(v.Wants, &wire.Want{Id: uint32(i*e.cells + j + 1), Dx: int64(j % holdWide), Dy: int64(j / holdWide)})
	}
	// The middle first.
	slices.SortStableFunc(v.Wants, func(a, b *wire.Want) int {
		far := func(w *wire.Want) int64 { d := 2*w.Dx - (holdWide - 1); return d * d }
		return int(far(a) - far(b))
	})
	e.mu.Lock()
	e.views[i].asked = time.Now()
	e.mu.Unlock()
	return e.w.Look(ctx, v)
}

// look pulls until ctx ends.
func (e *eye) look(ctx context.Context) error {
	for {
		c, err := e.w.Pull(ctx, viewCredit)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		e.mu.Lock()
		for _, q := range c.Layers {
			v := &e.views[int(q.Id-1)/e.cells]
			if q.Image == nil || slices.Contains(v.has, q.Id) {
				continue
			}
			v.has = append(v.has, q.Id)
			since := time.Since(v.asked)
			if len(v.has) == 1 {
				v.first = since
			}
			if len(v.has) == e.cells {
				v.shown = since
			}
		}
		if g := c.End.Generation; c.End.Settled && g >= 1 && int(g) <= len(e.views) {
			if v := &e.views[g-1]; v.settled == 0 {
				v.settled = time.Since(v.asked)
				if g == 1 {
					close(e.settled)
				}
			}
		}
		e.mu.Unlock()
	}
}

func (e *eye) report(r *HoldResult, every time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	shown, settled := 0, 0
	for i := range e.views[1:] {
		v := &e.views[i+1]
		if v.first > 0 {
			r.FirstMS.Add(ms(v.first))
		}
		if v.shown > 0 {
			r.ShownMS.Add(ms(v.shown))
			if v.shown <= every {
				shown++
			}
		}
		if v.settled > 0 {
			r.WholeMS.Add(ms(v.settled))
			if v.settled <= every {
				settled++
			}
		}
	}
	r.Shown.Add(float64(shown))
	r.Settled.Add(float64(settled))
}

// Table is for people.
func (r *HoldResult) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, the key held from 2^%d for %d doublings, one every %.0f ms\n", r.Location, r.From, r.Doublings, r.Every)
	table(&b, []row{
		{"views shown in time", r.Shown, 1},
		{"views complete in time", r.Settled, 1},
		{"first picture, ms", r.FirstMS, 1},
		{"a picture everywhere, ms", r.ShownMS, 1},
		{"complete, ms", r.WholeMS, 1},
		{"server, % of a processor", r.CPU, 1},
		{"cells left half drawn", r.Stopped, 1},
	})
	for _, p := range r.Pages {
		fmt.Fprintf(&b, "  Chromium: %.1f doublings and %.1f frames a second, p95 %.1f ms; main thread p95 %.1f, longest %.1f ms, %.0f %% of a processor\n",
			p.Doublings, p.Frames, p.Frame.P95, p.Main.P95, p.Main.Max, p.CPU)
	}
	return b.String()
}
