package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"fractal/remote"
	"fractal/vt/payload"
	"fractal/wire"
)

// Term says how to measure terminals: the core alone, a server whose terminals flood while others look, and a long file printed
// through one.
type Term struct {
	Floods  int     // programs that print pictures without end, in terminals of payload.Cols × payload.Rows
	Viewers int     // people who look at each
	Hz      float64 // of their displays
	Seconds float64 // measured, of the floods and of being idle
	Cat     int     // megabytes printed through a session and through tmux; 0: not measured
	Runs    int
	Procs   int    // GOMAXPROCS of the servers; 0: as it comes
	Profile string // write a CPU profile of the flooded server to this file; empty: none
}

// Check says what is wrong, in words for a person.
func (b Term) Check() error {
	switch {
	case b.Floods < 1 || b.Floods > 32 || b.Viewers < 1 || b.Floods*b.Viewers > maxFloodSockets:
		return errors.New("--floods is 1 to 32, --viewers at least 1 and not thousands")
	case b.Hz < 1 || b.Hz > 1000:
		return errors.New("--hz is 1 to 1000")
	case b.Seconds <= 0 || b.Seconds > maxFloodSeconds:
		return fmt.Errorf("--seconds is at most %d", maxFloodSeconds)
	case b.Cat < 0 || b.Cat > 4000 || b.Runs < 1 || b.Runs > 100 || b.Procs < 0:
		return errors.New("--cat is at most 4000 megabytes, --runs 1 to 100")
	}
	return nil
}

// TermRun is what one run measured.
type TermRun struct {
	Core    map[string]float64 `json:"core_mb_per_cpu_s"` // by payload
	Floods  int                `json:"floods"`
	Viewers int                `json:"viewers"` // of each flood
	Pulls   struct {
		Min    float64 `json:"min"` // of all viewers
		Median float64 `json:"median"`
	} `json:"pulls_per_s"`
	Frame struct { // from a pull to the end of the cycle that answers it
		P50 float64 `json:"p50"`
		P99 float64 `json:"p99"`
		Max float64 `json:"max"`
	} `json:"pull_frame_ms"`
	Fps struct { // that the flooding programs reach, the mean of them
		Without float64 `json:"without"` // while nobody looks
		With    float64 `json:"with"`
	} `json:"flood_fps"`
	Cat     map[string]*float64 `json:"cat_vs_tmux"` // our user and system time as a share of tmux's; null: there is no tmux
	Bytes   float64             `json:"bytes_per_terminal"`
	Wakeups float64             `json:"wakeups_per_s"` // 10 idle terminals, 3 viewers whom nothing is owed

	CatSeconds map[string]catSeconds `json:"cat_cpu_s,omitempty"`
	CPU        float64               `json:"server_cpu_percent"` // of one core, while flooded and looked at
	Load       string                `json:"load"`
}

type catSeconds struct {
	Ours float64  `json:"ours"`
	Tmux *float64 `json:"tmux"`
}

// TermResult is all runs; as JSON the middle of each figure, and the runs.
type TermResult struct {
	TermRun
	Runs []TermRun `json:"runs,omitempty"`
}

// Measure does all runs. log hears of progress.
func (b Term) Measure(ctx context.Context, program string, log io.Writer) (*TermResult, error) {
	if err := b.Check(); err != nil {
		return nil, err
	}
	r := &TermResult{}
	for n := range b.Runs {
		one, err := b.run(ctx, program, log)
		if err != nil {
			return nil, fmt.Errorf("run %d: %w", n+1, err)
		}
		r.Runs = append(r.Runs, one)
		fmt.Fprintf(log, "run %d of %d: %.1f pulls/s (least of all viewers), pull to frame p99 %.1f ms, floods at %.0f frames/s, %.0f while nobody looks; %s\n",
			n+1, b.Runs, one.Pulls.Min, one.Frame.P99, one.Fps.With, one.Fps.Without, one.Load)
	}
	r.middle()
	if len(r.Runs) == 1 {
		r.Runs = nil
	}
	return r, nil
}

// middle takes the median of every figure.
func (r *TermResult) middle() {
	mid := func(of func(*TermRun) float64) float64 {
		var s Spread
		for i := range r.Runs {
			s.Add(of(&r.Runs[i]))
		}
		_, m, _ := s.Figures()
		return m
	}
	m := &r.TermRun
	m.Floods, m.Viewers, m.Load = r.Runs[0].Floods, r.Runs[0].Viewers, r.Runs[len(r.Runs)-1].Load
	m.Core, m.Cat = map[string]float64{}, map[string]*float64{}
	for _, k := range payload.Kinds {
		m.Core[k] = mid(func(t *TermRun) float64 { return t.Core[k] })
	}
	for _, k := range catKinds {
		m.Cat[k] = nil
		if r.Runs[0].Cat[k] != nil {
			v := mid(func(t *TermRun) float64 { return *t.Cat[k] })
			m.Cat[k] = &v
		}
	}
	if r.Runs[0].CatSeconds != nil {
		m.CatSeconds = map[string]catSeconds{}
		for _, k := range catKinds {
			c := catSeconds{Ours: mid(func(t *TermRun) float64 { return t.CatSeconds[k].Ours })}
			if m.Cat[k] != nil {
				v := mid(func(t *TermRun) float64 { return *t.CatSeconds[k].Tmux })
				c.Tmux = &v
			}
			m.CatSeconds[k] = c
		}
	}
	m.Pulls.Min = mid(func(t *TermRun) float64 { return t.Pulls.Min })
	m.Pulls.Median = mid(func(t *TermRun) float64 { return t.Pulls.Median })
	m.Frame.P50 = mid(func(t *TermRun) float64 { return t.Frame.P50 })
	m.Frame.P99 = mid(func(t *TermRun) float64 { return t.Frame.P99 })
	m.Frame.Max = mid(func(t *TermRun) float64 { return t.Frame.Max })
	m.Fps.Without = mid(func(t *TermRun) float64 { return t.Fps.Without })
	m.Fps.With = mid(func(t *TermRun) float64 { return t.Fps.With })
	m.Bytes = mid(func(t *TermRun) float64 { return t.Bytes })
	m.Wakeups = mid(func(t *TermRun) float64 { return t.Wakeups })
	m.CPU = mid(func(t *TermRun) float64 { return t.CPU })
}

// Table is the result for people.
func (r *TermResult) Table() string {
	var b strings.Builder
	for _, k := range payload.Kinds {
		fmt.Fprintf(&b, "  core, %-18s %8.0f MB per user second\n", k, r.Core[k])
	}
	fmt.Fprintf(&b, "  %d floods, %d viewers of each: least %.1f pulls/s, median %.1f; pull to frame p50 %.2f, p99 %.2f, max %.2f ms; server %.0f %% of a core\n",
		r.Floods, r.Viewers, r.Pulls.Min, r.Pulls.Median, r.Frame.P50, r.Frame.P99, r.Frame.Max, r.CPU)
	fmt.Fprintf(&b, "  the floods' own frames/s: %.0f while nobody looks, %.0f with viewers (%.2f)\n", r.Fps.Without, r.Fps.With, r.Fps.With/max(r.Fps.Without, 1))
	for _, k := range catKinds {
		if v := r.Cat[k]; v != nil {
			fmt.Fprintf(&b, "  cat, %-19s %8.2f of tmux's processor time (%.2f s of %.2f)\n", k, *v, r.CatSeconds[k].Ours, *r.CatSeconds[k].Tmux)
		} else {
			fmt.Fprintf(&b, "  cat, %-19s nothing to compare with (no tmux, or --cat 0)\n", k)
		}
	}
	fmt.Fprintf(&b, "  a terminal with 10,000 lines: %.2f MB\n", r.Bytes/1e6)
	fmt.Fprintf(&b, "  10 idle terminals and 3 viewers: %.1f wake-ups/s\n", r.Wakeups)
	return b.String()
}

func (b Term) run(ctx context.Context, program string, log io.Writer) (one TermRun, err error) {
	one.Floods, one.Viewers, one.Load = b.Floods, b.Viewers, load()
	one.Core = coreThroughput()
	one.Bytes = bytesPerTerminal()
	if one.Wakeups, err = b.idle(ctx, program, log); err != nil {
		return one, err
	}
	if err = b.flood(ctx, program, log, &one); err != nil {
		return one, err
	}
	one.Cat = map[string]*float64{}
	for _, k := range catKinds {
		one.Cat[k] = nil
	}
	if b.Cat > 0 {
		err = b.cat(ctx, program, log, &one)
	}
	return one, err
}

// stage is a server with terminals on one canvas.
type stage struct {
	*Process
	target remote.Target
	dir    string
	drawer *remote.Session
	seqs   chan uint64
}

func (b Term) stage(ctx context.Context, program string, log io.Writer) (s *stage, err error) {
	s = &stage{seqs: make(chan uint64, 1)}
	if s.dir, err = os.MkdirTemp("", "fractal-bench-"); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	var env []string
	if b.Procs > 0 {
		env = []string{fmt.Sprintf("GOMAXPROCS=%d", b.Procs)}
	}
	if s.Process, err = startWith(ctx, program, env, filepath.Join(s.dir, "data"), log, "--terminals"); err != nil {
		os.RemoveAll(s.dir)
		return nil, err
	}
	s.target = s.Target("terminals")
	s.drawer, err = remote.Open(ctx, s.target, remote.Who{Name: "bench"}, func(a remote.Answer) {
		if a.Reject == "" {
			s.seqs <- a.Seq
		} else {
			fmt.Fprintln(log, a.Reject)
			s.seqs <- 0
		}
	})
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *stage) close() {
	if s.drawer != nil {
		s.drawer.Close()
	}
	_ = s.Stop() // its children end with it
	os.RemoveAll(s.dir)
}

// start runs a command in a terminal on the canvas, and says by which number the terminal goes.
func (s *stage) start(ctx context.Context, name string, command ...string) (uint64, error) {
	body, err := json.Marshal(map[string]any{"canvas": s.target.Canvas, "name": name, "command": command, "cols": payload.Cols, "rows": payload.Rows})
	if err != nil {
		return 0, fmt.Errorf("bench: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.target.Server.JoinPath("api/terminals").String(), bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("bench: %w", err)
	}
	req.Header = s.target.Header()
	resp, err := s.target.Client().Do(req)
	if err != nil {
		return 0, fmt.Errorf("bench: %w", err)
	}
	said, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || resp.StatusCode != http.StatusCreated {
		return 0, fmt.Errorf("bench: the server starts no program: %s %s %w", resp.Status, said, err)
	}
	if _, err := s.drawer.Send(&wire.Op{Body: &wire.Op_Terminal{Terminal: remote.Place(s.drawer.Welcome(), name, payload.Cols, payload.Rows)}}); err != nil {
		return 0, err
	}
	select {
	case seq := <-s.seqs:
		if seq == 0 {
			return 0, errors.New("bench: the server takes no terminals")
		}
		return seq, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// textOf is the view of somebody who shows terminals as text and nothing else.
func textOf(terminals ...uint64) *wire.View {
	v := &wire.View{Generation: 1}
	for _, t := range terminals {
		v.Terms = append(v.Terms, &wire.TermWant{Terminal: t})
	}
	return v
}

// idle counts the wake-ups of a server with 10 terminals that wait for input, and 3 viewers of all of them.
func (b Term) idle(ctx context.Context, program string, log io.Writer) (float64, error) {
	s, err := b.stage(ctx, program, log)
	if err != nil {
		return 0, err
	}
	defer s.close()
	var terminals []uint64
	for i := range 10 {
		seq, err := s.start(ctx, fmt.Sprintf("idle-%d", i), "cat")
		if err != nil {
			return 0, err
		}
		terminals = append(terminals, seq)
	}
	looking, stop := context.WithCancel(ctx)
	defer stop()
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	for i := range 3 {
		w := &watcher{hz: b.Hz, phase: float64(i) / 3, view: textOf(terminals...)}
		if err := w.dial(ctx, s.target); err != nil {
			return 0, err
		}
		defer w.conn.CloseNow()
		group.Go(func() { _ = w.run(looking) }) // it is ended by us, or the figure is zero for another reason
	}
	if err := pause(ctx, 2*time.Second); err != nil { // until all is told
		return 0, err
	}
	begun, before := time.Now(), s.wakeUps()
	if err := pause(ctx, seconds(b.Seconds)); err != nil {
		return 0, err
	}
	return (s.wakeUps() - before) / time.Since(begun).Seconds(), nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// flood measures pulls while programs flood.
func (b Term) flood(ctx context.Context, program string, log io.Writer, one *TermRun) error {
	s, err := b.stage(ctx, program, log)
	if err != nil {
		return err
	}
	defer s.close()
	var terminals []uint64
	var counts []string
	for i := range b.Floods {
		count := filepath.Join(s.dir, fmt.Sprintf("frames-%d", i))
		seq, err := s.start(ctx, fmt.Sprintf("flood-%d", i), program, "bench", "term", "print", "--count", count)
		if err != nil {
			return err
		}
		terminals, counts = append(terminals, seq), append(counts, count)
	}
	for _, c := range counts { // all have begun
		for framesOf(c) == 0 {
			if err := pause(ctx, 10*time.Millisecond); err != nil {
				return err
			}
		}
	}
	fps := func(during func() error) (float64, error) {
		begun, before := time.Now(), 0.0
		for _, c := range counts {
			before += framesOf(c)
		}
		err := during()
		after := 0.0
		for _, c := range counts {
			after += framesOf(c)
		}
		return (after - before) / time.Since(begun).Seconds() / float64(b.Floods), err
	}
	if one.Fps.Without, err = fps(func() error { return pause(ctx, seconds(b.Seconds)) }); err != nil {
		return err
	}

	looking, stop := context.WithCancel(ctx)
	defer stop()
	var watchers []*watcher
	errs := make(chan error, b.Floods*b.Viewers)
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	for i, t := range terminals {
		for j := range b.Viewers {
			w := &watcher{hz: b.Hz, phase: float64(i*b.Viewers+j) / float64(b.Floods*b.Viewers), view: textOf(t)}
			if err := w.dial(ctx, s.target); err != nil {
				return err
			}
			defer w.conn.CloseNow()
			watchers = append(watchers, w)
			group.Go(func() { errs <- w.run(looking) })
		}
	}
	if err := pause(ctx, time.Second); err != nil {
		return err
	}
	g := newGauge(s.Process, s.target)
	g.begin(ctx)
	from := time.Now()
	if one.Fps.With, err = fps(func() error { return g.watch(ctx, seconds(b.Seconds), b.Profile) }); err != nil {
		return err
	}
	to := time.Now()
	used, err := g.end(ctx)
	if err != nil {
		return err
	}
	one.CPU = used.cpuPercent
	stop()
	group.Wait()
	for range watchers {
		if err := <-errs; err != nil {
			return err
		}
	}
	var rates Spread
	var took []float64
	for _, w := range watchers {
		n := 0
		for _, p := range w.pulls {
			if p.painted.After(from) && p.painted.Before(to) {
				n++
				took = append(took, p.came.Sub(p.asked).Seconds()*1e3)
			}
		}
		rates.Add(float64(n) / to.Sub(from).Seconds())
	}
	one.Pulls.Min, one.Pulls.Median, _ = rates.Figures()
	if n := len(took); n > 0 {
		slices.Sort(took)
		one.Frame.P50, one.Frame.P99, one.Frame.Max = took[n/2], took[n*99/100], took[n-1]
	}
	return nil
}
