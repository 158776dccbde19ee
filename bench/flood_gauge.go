package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"fractal/remote"
)

// gauge reads what the server uses, from outside where it is ours: asking it would wake it.
type gauge struct {
	process *Process // nil: given, not started
	asked   *Process // to ask for metrics

	at      time.Time
	cpu     float64 // seconds
	wakes   float64
	bytes   float64
	rss     []float64 // once a second
	minutes []minute  // of a long run
	profile chan error
}

// minute is the server's memory at the end of one, in bytes.
type minute struct {
	RSS  float64 `json:"rss_bytes"`
	Live float64 `json:"live_heap_bytes"` // after a collection
	Ink  float64 `json:"ink_bytes"`       // of that, what is on the canvas
}

// usage is what the server used between two moments.
type usage struct {
	cpuPercent float64 // of one core
	rss        []float64
	minutes    []minute
	wakes      float64 // a second; 0 where it cannot be known
	bytes      float64 // sent
}

func newGauge(p *Process, t remote.Target) *gauge {
	g := &gauge{process: p, asked: p}
	if p == nil {
		u := *t.Server
		if t.Token != "" {
			u.RawQuery = "key=" + t.Token
		}
		g.asked = &Process{URL: &u}
	}
	return g
}

func (g *gauge) begin(ctx context.Context) {
	m, _ := g.asked.Metrics(ctx) // end says what is wrong
	g.bytes = m["fractal_sent_bytes_total"]
	g.at = time.Now()
	if g.process != nil {
		g.cpu, g.wakes = g.process.cpuSeconds(), g.process.wakeUps()
	} else {
		g.cpu = m["process_cpu_seconds_total"]
	}
}

// watch lets time pass, looking at the memory, and takes a profile meanwhile where one is wished for.
func (g *gauge) watch(ctx context.Context, length time.Duration, profile string) error {
	if profile != "" {
		g.profile = make(chan error, 1)
		go func() { g.profile <- g.takeProfile(ctx, profile, length) }()
	}
	until := time.Now().Add(length)
	next := time.Now().Add(time.Minute)
	for {
		if g.process != nil && length > 2*time.Minute && time.Now().After(next) {
			if err := g.weigh(ctx); err != nil {
				return err
			}
			next = next.Add(time.Minute)
		}
		if g.process != nil {
			g.rss = append(g.rss, g.process.RSS())
		}
		left := time.Until(until)
		if left <= 0 {
			return nil
		}
		if err := pause(ctx, min(left, time.Second)); err != nil {
			return err
		}
	}
}

// weigh takes what a minute's memory is of.
func (g *gauge) weigh(ctx context.Context) error {
	w := minute{RSS: g.process.RSS()}
	var err error
	if w.Live, err = g.process.LiveHeap(ctx); err != nil {
		return err
	}
	m, err := g.process.Metrics(ctx)
	w.Ink = m["fractal_ink_bytes"]
	g.minutes = append(g.minutes, w)
	return err
}

func (g *gauge) takeProfile(ctx context.Context, file string, length time.Duration) error {
	body, err := g.asked.get(ctx, fmt.Sprintf("debug/pprof/profile?seconds=%d", max(1, int(length.Seconds()))))
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(body), 0o600)
}

func (g *gauge) end(ctx context.Context) (u usage, err error) {
	took := time.Since(g.at).Seconds()
	if g.process != nil { // before the server is asked
		u.cpuPercent = 100 * (g.process.cpuSeconds() - g.cpu) / took
		u.wakes = (g.process.wakeUps() - g.wakes) / took
	}
	if g.profile != nil {
		if err := <-g.profile; err != nil {
			return u, err
		}
	}
	m, err := g.asked.Metrics(ctx)
	if err != nil {
		return u, err
	}
	u.bytes = m["fractal_sent_bytes_total"] - g.bytes
	if g.process == nil {
		u.cpuPercent = 100 * (m["process_cpu_seconds_total"] - g.cpu) / took
		g.rss = append(g.rss, m["process_resident_memory_bytes"])
	}
	u.rss, u.minutes = g.rss, g.minutes
	return u, nil
}

// cpuSeconds is what the process has used, user and system; 0 where the system does not tell.
func (p *Process) cpuSeconds() float64 { return processSeconds(p.cmd.Process.Pid) }

// processSeconds is cpuSeconds of any process.
func processSeconds(pid int) float64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), ") ") // a name may hold blanks
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	const ticks = 100 // USER_HZ, the same on every Linux that Go runs on
	return (user + system) / ticks
}

// wakeUps is how often its threads went to sleep of themselves, and so were woken; 0 where the system does not tell.
func (p *Process) wakeUps() (n float64) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", p.cmd.Process.Pid))
	for _, t := range threads {
		b, err := os.ReadFile(t)
		if err != nil {
			continue // it has ended
		}
		if _, rest, ok := strings.Cut(string(b), "\nvoluntary_ctxt_switches:"); ok {
			line, _, _ := strings.Cut(rest, "\n")
			v, _ := strconv.ParseFloat(strings.TrimSpace(line), 64)
			n += v
		}
	}
	return n
}

// load says how busy the machine was: figures of a shared machine mean little without it.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "load unknown"
	}
	one, _, _ := strings.Cut(string(b), " ")
	return "load " + one
}
