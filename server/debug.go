package server

import (
	"bytes"
	_ "embed" // the page below
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"runtime"
	rm "runtime/metrics"
	"runtime/trace"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fractal/cell"
	"fractal/room"
)

// The owner's page: what delivery does, now and since it was last looked at. It is made when it is asked for; nothing is
// sampled meanwhile, so a server that nobody looks at does nothing for it.

//go:embed debug.html
var debugHTML string

var debugPage = template.Must(template.New("debug").Parse(debugHTML))

// maxTrace bounds a runtime trace, in seconds: one of a flooded server grows by megabytes a second.
const maxTrace = 10

// glance is what the counters said at some moment.
type glance struct {
	at      time.Time
	rooms   map[string]room.Stats
	cells   cell.Stats
	runtime runtimeCounts
}

// glances remembers the last one, which the next is compared with.
type glances struct {
	mu   sync.Mutex // guards last
	last glance
}

type runtimeCounts struct {
	collections     uint64
	waits           float64 // seconds goroutines waited for locks, all together
	pauses, latency *rm.Float64Histogram
	goroutines      int
	heap            uint64
}

func (s *Server) debug(w http.ResponseWriter, r *http.Request) {
	css, err := s.config.Client.Address(r.Context(), "app.css")
	icon, err2 := s.config.Client.Address(r.Context(), "icon.svg")
	if err := errors.Join(err, err2); err != nil {
		http.Error(w, "The client does not compile: "+err.Error(), http.StatusInternalServerError)
		return
	}
	now := s.glance()
	s.glances.mu.Lock()
	was := s.glances.last
	s.glances.last = now
	s.glances.mu.Unlock()
	if was.at.IsZero() {
		was.at = s.began
	}
	var page bytes.Buffer
	if err := debugPage.Execute(&page, debugView{CSS: css, Icon: icon, Trace: maxTrace, comparison: compare(was, now)}); err != nil {
		panic("server: the owner's page: " + err.Error())
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(page.Bytes())
}

func (s *Server) glance() glance {
	g := glance{at: time.Now(), rooms: s.rooms.stats(), runtime: readRuntime()}
	if s.config.Pool != nil {
		g.cells = s.config.Pool.Stats()
	}
	return g
}

func readRuntime() (c runtimeCounts) {
	samples := []rm.Sample{
		{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/sync/mutex/wait/total:seconds"},
		{Name: "/sched/pauses/total/gc:seconds"}, {Name: "/sched/latencies:seconds"}, {Name: "/gc/heap/live:bytes"},
	}
	rm.Read(samples)
	return runtimeCounts{
		collections: samples[0].Value.Uint64(), waits: samples[1].Value.Float64(),
		pauses: samples[2].Value.Float64Histogram(), latency: samples[3].Value.Float64Histogram(),
		heap: samples[4].Value.Uint64(), goroutines: runtime.NumGoroutine(),
	}
}

// stats are the counts of the rooms in memory, by name.
func (rs *rooms) stats() map[string]room.Stats {
	open := rs.inMemory()
	stats := make(map[string]room.Stats, len(open))
	for name, r := range open {
		stats[name] = r.Stats()
	}
	return stats
}

// debugView is what the page shows.
type debugView struct {
	CSS, Icon string
	Trace     int
	comparison
}

// comparison is a glance and the one before.
type comparison struct {
	Since string
	Rooms []roomView
	Facts []fact
}

type roomView struct {
	Name                 string
	Viewers, Armed, Owed int
	Pulls, Strokes, Sent string
	Cycle, Seen, Ack     string
	Resyncs, Waiting     string
}

type fact struct{ Name, Value, About string }

func compare(was, now glance) comparison {
	took := now.at.Sub(was.at)
	v := comparison{Since: took.Round(time.Second / 10).String()}
	var locks struct{ attempts, news, crowd, canvas, pieces, cells uint64 }
	for name, n := range now.rooms {
		w := was.rooms[name]
		if w.Pulls > n.Pulls { // it was closed and opened again
			w = room.Stats{}
		}
		per := func(count uint64) string { return fmt.Sprintf("%.1f", float64(count)/took.Seconds()) }
		locks.attempts += n.Attempts - w.Attempts
		locks.news += n.NewsLocks - w.NewsLocks
		locks.crowd += n.CrowdLocks - w.CrowdLocks
		locks.canvas += n.CanvasLocks - w.CanvasLocks
		locks.pieces += n.PieceLocks - w.PieceLocks
		locks.cells += n.CellLocks - w.CellLocks
		v.Rooms = append(v.Rooms, roomView{
			Name: name, Viewers: n.Viewers, Armed: n.Armed, Owed: n.Owed,
			Pulls: per(n.Pulls - w.Pulls), Strokes: per(n.OpsAcked - w.OpsAcked), Sent: bytesText(float64(n.Bytes-w.Bytes)/took.Seconds()) + "/s",
			Cycle: quantiles(n.PullCycle, w.PullCycle), Seen: quantiles(n.StrokeSeen, w.StrokeSeen), Ack: quantiles(n.OpAck, w.OpAck),
			Resyncs: strconv.FormatUint(n.Resyncs-w.Resyncs, 10), Waiting: strconv.Itoa(n.OpsWaiting),
		})
	}
	slices.SortFunc(v.Rooms, func(a, b roomView) int { return strings.Compare(a.Name, b.Name) })
	c, d := now.cells, was.cells
	r, p := now.runtime, was.runtime
	v.Facts = []fact{
		{"Cells drawn", fmt.Sprintf("%d", c.Drawn-d.Drawn), fmt.Sprintf("%d drafts, %d cancelled, %d failed; %d being drawn", c.Drafts-d.Drafts, c.Cancelled-d.Cancelled, c.Failed-d.Failed, c.Drawing)},
		{"Cell cache", bytesText(float64(c.Bytes)), fmt.Sprintf("%d pictures, %d evicted", c.Pictures, c.Evicted-d.Evicted)},
		{"Locks a cycle", ratio(locks.news, locks.attempts) + " news", fmt.Sprintf("%s crowd, %s canvas, %s pieces (at most 2), %s cells",
			ratio(locks.crowd, locks.attempts), ratio(locks.canvas, locks.attempts), ratio(locks.pieces, locks.attempts), ratio(locks.cells, locks.attempts))},
		{"Waiting for locks", fmt.Sprintf("%.1f ms/s", 1000*(r.waits-p.waits)/took.Seconds()), "of all goroutines together"},
		{"Collections", fmt.Sprintf("%d", r.collections-p.collections), "pauses p50 " + histogramText(r.pauses, p.pauses, 0.5) + ", p99 " + histogramText(r.pauses, p.pauses, 0.99)},
		{"Waiting for a processor", histogramText(r.latency, p.latency, 0.99), "p99 of goroutines that could run; p50 " + histogramText(r.latency, p.latency, 0.5)},
		{"Live heap", bytesText(float64(r.heap)), fmt.Sprintf("%d goroutines, GOMAXPROCS %d on %d cores", r.goroutines, runtime.GOMAXPROCS(0), runtime.NumCPU())},
	}
	return v
}

// quantiles of what was counted between two moments.
func quantiles(now, was room.Latency) string {
	l := room.Latency{Count: now.Count - was.Count, Max: now.Max, Upper: now.Upper, Buckets: slices.Clone(now.Buckets)}
	for i, n := range was.Buckets {
		l.Buckets[i] -= n
	}
	if l.Count == 0 {
		return "–"
	}
	return milliseconds(l.Quantile(0.5).Seconds()) + " / " + milliseconds(l.Quantile(0.99).Seconds())
}

func histogramText(now, was *rm.Float64Histogram, q float64) string {
	total, counts := uint64(0), slices.Clone(now.Counts)
	for i := range counts {
		if was != nil {
			counts[i] -= was.Counts[i]
		}
		total += counts[i]
	}
	if total == 0 {
		return "–"
	}
	left := uint64(q * float64(total-1))
	for i, n := range counts {
		if left < n {
			return milliseconds(min(now.Buckets[i+1], 1e6)) // the last has no bound
		}
		left -= n
	}
	return "–"
}

func milliseconds(s float64) string { return strconv.FormatFloat(1000*s, 'g', 3, 64) + " ms" }

func ratio(n, of uint64) string {
	if of == 0 {
		return "0"
	}
	return fmt.Sprintf("%.2f", float64(n)/float64(of))
}

func bytesText(n float64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", n/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f kB", n/1e3)
	}
	return fmt.Sprintf("%.0f B", n)
}

// trace streams a runtime trace of some seconds, one at a time.
func (s *Server) trace(w http.ResponseWriter, r *http.Request) {
	seconds, err := strconv.Atoi(r.URL.Query().Get("seconds"))
	if err != nil || seconds < 1 || seconds > maxTrace {
		http.Error(w, fmt.Sprintf("Say how many seconds, 1 to %d: /debug/trace?seconds=3", maxTrace), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="fractal.trace"`)
	w.Header().Set("Cache-Control", "no-store")
	if err := trace.Start(w); err != nil {
		w.Header().Del("Content-Disposition")
		http.Error(w, "Somebody else traces at the moment.", http.StatusConflict)
		return
	}
	t := time.NewTimer(time.Duration(seconds) * time.Second)
	defer t.Stop()
	select {
	case <-t.C:
	case <-r.Context().Done():
	}
	trace.Stop()
}
