package bench

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"fractal/canvas"
	"fractal/remote"
)

// Flood says what load to put on a server: writers who draw, and viewers who look as a browser does.
type Flood struct {
	Writers int
	Rate    float64 // strokes of 100 points a writer sends in a second
	Viewers int
	Hz      float64 // of the viewers' displays
	Seconds float64 // measured; some more pass before, while everybody loads what there is
	Slow    int     // of the viewers paint at 10 Hz and sit behind a link of 200 kB/s and 20 ms
	Strokes int     // that are there before
	Screens int     // the writers' ink is spread over so many screens; the viewers look at the first
	Runs    int
	Server  string // address of a running one; empty: one is started for each run
	Procs   int    // GOMAXPROCS of servers that are started; 0: as it comes
	Against string // another program to compare with, in alternating order; empty: none
	Profile string // write a CPU profile of the server's last run to this file; empty: none
	Browser bool   // a page in Chromium is one more viewer, in which a person draws
}

// Bounds of a flood: it is to be measured, not to take the machine away.
const (
	maxFloodSockets = 2000
	maxFloodRate    = 20_000 // strokes/s of all
	maxFloodSeconds = 3600
)

// Check says what is wrong with a flood, in words for a person.
func (f Flood) Check() error {
	switch {
	case f.Writers < 0 || f.Viewers < 0 || f.Writers+f.Viewers == 0 && !f.Browser || f.Writers+f.Viewers > maxFloodSockets:
		return fmt.Errorf("writers and viewers together are 1 to %d", maxFloodSockets)
	case f.Rate < 0 || f.Rate*float64(f.Writers) > maxFloodRate:
		return fmt.Errorf("all writers together send at most %d strokes/s", maxFloodRate)
	case f.Hz < 1 || f.Hz > 1000:
		return errors.New("--hz is 1 to 1000")
	case f.Seconds <= 0 || f.Seconds > maxFloodSeconds:
		return fmt.Errorf("--seconds is at most %d", maxFloodSeconds)
	case f.Slow < 0 || f.Slow > f.Viewers:
		return errors.New("--slow are some of the viewers")
	case f.Strokes < 0 || f.Strokes > 1_000_000 || f.Screens < 1 || f.Runs < 1 || f.Runs > 100 || f.Procs < 0:
		return errors.New("--strokes is at most 1000000, --screens and --runs (at most 100) are at least 1")
	case f.Server != "" && (f.Against != "" || f.Procs > 0):
		return errors.New("--against and --procs are for servers that are started, not for --server")
	}
	return nil
}

// Measure puts the load on fresh servers of the program, or on the one given, and measures. log hears of progress.
func (f Flood) Measure(ctx context.Context, program string, log io.Writer) (*FloodResult, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	r := &FloodResult{flood: f}
	for run := range f.Runs {
		programs := []struct {
			name string
			into *[]FloodRun
		}{{program, &r.Runs}, {f.Against, &r.Against}}
		if f.Against == "" {
			programs = programs[:1]
		} else if run%2 == 1 {
			slices.Reverse(programs) // what comes first finds the machine otherwise than what comes second
		}
		for _, p := range programs {
			one, err := f.run(ctx, p.name, log)
			if err != nil {
				return nil, fmt.Errorf("run %d: %w", run+1, err)
			}
			*p.into = append(*p.into, one)
			fmt.Fprintf(log, "run %d of %d: %.1f pulls/s (least of all viewers), pull to cycle p99 %.1f ms, stroke to seen p99 %.1f ms, %s\n",
				run+1, f.Runs, one.Pulls.Min, one.PullCycle.P99, one.StrokeSeen.P99, load())
		}
	}
	return r, nil
}

// run is one server's life under the flood.
func (f Flood) run(ctx context.Context, program string, log io.Writer) (one FloodRun, err error) {
	var p *Process
	var target remote.Target
	dir := ""
	if f.Server != "" {
		if target, err = loopback(f.Server); err != nil {
			return one, err
		}
	} else {
		if dir, err = os.MkdirTemp("", "fractal-bench-"); err != nil {
			return one, fmt.Errorf("bench: %w", err)
		}
		defer os.RemoveAll(dir)
		if p, err = f.start(ctx, program, dir, log); err != nil {
			return one, err
		}
		defer func() { p.Kill() }() // p is always the newest
		target = p.Target(fmt.Sprintf("flood-%d", time.Now().UnixNano()))
	}
	d := &deluge{flood: f, target: target, gauge: newGauge(p, target)}
	if one, err = d.run(ctx); err != nil {
		return one, err
	}
	if p == nil {
		return one, nil
	}
	before, kept, err := exported(ctx, p, target.Canvas)
	if err != nil {
		return one, err
	}
	p.Kill() // as a power cut does: what comes back is what the log held
	if p, err = f.start(ctx, program, dir, log); err != nil {
		return one, err
	}
	target = p.Target(target.Canvas)
	after, _, err := exported(ctx, p, target.Canvas)
	if err == nil && (before != after || kept < one.drawn+f.Strokes || kept > one.drawn+f.Strokes && !f.Browser) {
		err = fmt.Errorf("bench: memory held %d strokes (%.8x), the log %.8x, and %d were acknowledged", kept, before, after, one.drawn+f.Strokes)
	}
	return one, err
}

func (f Flood) start(ctx context.Context, program, dir string, log io.Writer) (*Process, error) {
	var env []string
	if f.Procs > 0 {
		env = []string{fmt.Sprintf("GOMAXPROCS=%d", f.Procs)}
	}
	return startWith(ctx, program, env, dir, log)
}

// loopback takes the address of a server on this machine, and no other: a flood is not for other people's.
func loopback(server string) (remote.Target, error) {
	t, err := remote.ParseTarget(server, fmt.Sprintf("flood-%d", time.Now().UnixNano()))
	if err != nil {
		return t, err
	}
	if ip := net.ParseIP(t.Server.Hostname()); (ip == nil || !ip.IsLoopback()) && t.Server.Hostname() != "localhost" {
		return t, fmt.Errorf("%s is not an address of this machine: a flood is for loopback only", t.Server.Host)
	}
	return t, nil
}

// exported is the sum and the number of the strokes of a canvas.
func exported(ctx context.Context, p *Process, name string) (sum [32]byte, strokes int, err error) {
	t := p.Target(name)
	u := t.Server.JoinPath("c", name, "export")
	u.RawQuery = "format=strokes"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return sum, 0, fmt.Errorf("bench: %w", err)
	}
	req.Header = t.Header()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return sum, 0, fmt.Errorf("bench: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotFound {
		return sum, 0, nil // nothing was drawn
	}
	h, lines := sha256.New(), &lineCounter{}
	if _, err := io.Copy(io.MultiWriter(h, lines), resp.Body); err != nil {
		return sum, 0, fmt.Errorf("bench: export: %w", err)
	}
	return [32]byte(h.Sum(nil)), lines.n - 1, nil // the first line is a header
}

type lineCounter struct{ n int }

func (l *lineCounter) Write(p []byte) (int, error) {
	for _, b := range p {
		if b == '\n' {
			l.n++
		}
	}
	return len(p), nil
}

// deluge is a flood under way.
type deluge struct {
	flood  Flood
	target remote.Target
	gauge  *gauge

	viewers []*watcher
	writers []*writer
}

func (d *deluge) run(ctx context.Context) (FloodRun, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop(nil)
	fail := func(err error) {
		if err != nil {
			stop(err)
		}
	}
	f := d.flood
	if err := d.preload(ctx); err != nil {
		return FloodRun{}, err
	}
	var person *artist
	if f.Browser {
		var err error
		if person, err = openArtist(ctx, d.target, fmt.Sprintf("v=0,%x,%x,1", screenWide/2, screenHigh/2)); err != nil {
			return FloodRun{}, err
		}
		defer person.close()
	}
	var link *slowLink
	if f.Slow > 0 {
		var err error
		if link, err = newSlowLink(d.target.Server.Host, slowBytesPerSecond, slowDelay); err != nil {
			return FloodRun{}, err
		}
		defer link.close()
	}
	for i := range f.Viewers {
		w := &watcher{hz: f.Hz, phase: float64(i) / float64(f.Viewers), slow: i < f.Slow}
		if w.slow {
			w.hz = slowHz
			w.through = link.addr()
		}
		if err := w.dial(ctx, d.target); err != nil {
			return FloodRun{}, err
		}
		defer w.conn.CloseNow()
		d.viewers = append(d.viewers, w)
		running.Go(func() { fail(w.run(ctx)) })
	}
	for i := range f.Writers {
		w, err := openWriter(ctx, d.target, i, f)
		if err != nil {
			return FloodRun{}, err
		}
		defer w.session.Close()
		d.writers = append(d.writers, w)
	}
	length := time.Duration(f.Seconds * float64(time.Second))
	if err := pause(ctx, min(2*time.Second, 2*length)); err != nil { // everybody has what was there; connections are past their start
		return FloodRun{}, cmp.Or(context.Cause(ctx), err)
	}

	began := time.Now()
	lead := min(2*time.Second, length) // the flood is on before it is measured
	if f.Writers == 0 {
		lead = time.Second
	}
	var writing sync.WaitGroup
	for _, w := range d.writers {
		writing.Go(func() { fail(w.run(ctx, began, lead+length)) })
	}
	if err := pause(ctx, lead); err != nil {
		return FloodRun{}, cmp.Or(context.Cause(ctx), err)
	}
	from := time.Now()
	d.gauge.begin(ctx)
	drawn := make(chan error, 1)
	var seen BrowserRun
	if person != nil {
		go func() {
			var err error
			seen, err = person.draw(length)
			drawn <- err
		}()
	} else {
		drawn <- nil
	}
	if err := d.gauge.watch(ctx, length, f.Profile); err != nil {
		return FloodRun{}, cmp.Or(context.Cause(ctx), err)
	}
	to := time.Now()
	used, err := d.gauge.end(ctx)
	if err != nil {
		return FloodRun{}, err
	}
	writing.Wait()
	if err := <-drawn; err != nil {
		return FloodRun{}, cmp.Or(context.Cause(ctx), err)
	}
	last := canvas.Seq(0)
	for _, w := range d.writers {
		w.flush(ctx)
		last = max(last, w.newest())
	}
	settle, cancel := context.WithTimeout(ctx, 20*time.Second)
	for _, v := range d.viewers {
		v.await(settle, last)
	}
	cancel()
	if cause := context.Cause(ctx); cause != nil {
		return FloodRun{}, cause
	}
	stop(nil)
	running.Wait()
	one := d.result(from, to, used)
	if person != nil {
		one.Browser = &seen
	}
	return one, nil
}

// preload draws what is there before.
func (d *deluge) preload(ctx context.Context) error {
	if d.flood.Strokes == 0 {
		return nil
	}
	w, err := openWriter(ctx, d.target, maxFloodSockets, d.flood)
	if err != nil {
		return err
	}
	defer w.session.Close()
	for range d.flood.Strokes {
		if err := w.send(); err != nil {
			return err
		}
	}
	return w.session.Flush()
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
