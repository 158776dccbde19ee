package bench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fractal/canvas"
)

// FloodRun is what one run of a flood gave. Milliseconds are as clients see them.
type FloodRun struct {
	Viewers int `json:"viewers"`
	Writers int `json:"writers"`
	Pulls   struct {
		Min    float64 `json:"min"`
		Median float64 `json:"median"`
	} `json:"pulls_per_s"` // of each viewer that is not slow
	PullCycle   Times   `json:"pull_cycle_ms"`  // from a pull, sent after painting, to the end of its cycle; not of slow viewers
	StrokeSeen  Times   `json:"stroke_seen_ms"` // from sending a stroke to the frame that shows it; not of slow viewers
	OpAck       AckTime `json:"op_ack_ms"`
	OpsAcked    int     `json:"ops_acked"`
	OpsRejected int     `json:"ops_rejected"`
	OpsLost     int     `json:"ops_lost"` // neither, 10 s after the last was sent
	BytesSent   float64 `json:"bytes_sent"`
	CPUPercent  float64 `json:"cpu_percent"` // of one core, the server alone
	RSSBytes    float64 `json:"rss_bytes"`   // the most, seen once a second
	WakeUps     float64 `json:"wakeups_per_s"`

	// Minutes are of a run of more than two: what grows beside the ink is a leak.
	Minutes []minute `json:"minutes,omitempty"`

	Slow    *SlowRun    `json:"slow,omitempty"`
	Browser *BrowserRun `json:"browser,omitempty"`

	drawn int       // kept, those before the measurement included
	rss   []float64 // once a second
}

// SlowRun is what the viewers behind the slow link saw.
type SlowRun struct {
	Paints  float64 `json:"paints_per_s"`
	Age     Times   `json:"newest_age_ms"`   // of the newest stroke a frame could show, at its painting
	Through Times   `json:"complete_age_ms"` // how long ago the oldest stroke was sent that a frame lacks anywhere in view
}

// Times are milliseconds.
type Times struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// AckTime are milliseconds too.
type AckTime struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
}

func timesOf(ms []float64) (t Times) {
	if len(ms) == 0 {
		return t
	}
	slices.Sort(ms)
	at := func(q float64) float64 { return ms[min(len(ms)-1, int(math.Ceil(q*float64(len(ms))))-1)] }
	return Times{at(0.5), at(0.99), ms[len(ms)-1]}
}

func (d *deluge) result(from, to time.Time, used usage) FloodRun {
	one := FloodRun{
		Viewers: d.flood.Viewers, Writers: d.flood.Writers,
		BytesSent: used.bytes, CPUPercent: used.cpuPercent, WakeUps: used.wakes, rss: used.rss, Minutes: used.minutes,
	}
	if len(used.rss) > 0 {
		one.RSSBytes = slices.Max(used.rss)
	}
	within := func(t time.Time) bool { return !t.Before(from) && t.Before(to) }
	var acks []ack
	var answered []float64
	for _, w := range d.writers {
		one.drawn += len(w.acks)
		for _, a := range w.acks {
			acks = append(acks, a)
			if within(a.sent) {
				one.OpsAcked++
				answered = append(answered, ms(a.at.Sub(a.sent)))
			}
		}
		one.OpsRejected += w.no
		one.OpsLost += w.lost
	}
	slices.SortFunc(acks, func(a, b ack) int { return cmp.Compare(a.seq, b.seq) })
	t := timesOf(answered)
	one.OpAck = AckTime{t.P50, t.P99}

	var rates, cycles, seen, slowRates, ages, gaps []float64
	for _, v := range d.viewers {
		n := 0
		for _, p := range v.pulls {
			if within(p.painted) {
				n++
			}
			if !within(p.asked) {
				continue
			}
			if !v.slow {
				cycles = append(cycles, ms(p.came.Sub(p.asked)))
				continue
			}
			if a, ok := sentAt(acks, p.newest); ok {
				ages = append(ages, ms(p.painted.Sub(a.sent)))
			}
			if a, ok := sentAt(acks, p.through+1); ok {
				gaps = append(gaps, ms(max(0, p.painted.Sub(a.sent))))
			} else {
				gaps = append(gaps, 0)
			}
		}
		rate := float64(n) / to.Sub(from).Seconds()
		if v.slow {
			slowRates = append(slowRates, rate)
			continue
		}
		rates = append(rates, rate)
		seen = v.seen(seen, acks, within)
	}
	one.PullCycle, one.StrokeSeen = timesOf(cycles), timesOf(seen)
	if len(rates) > 0 {
		one.Pulls.Min, one.Pulls.Median, _ = Spread(rates).Figures()
	}
	if len(slowRates) > 0 {
		one.Slow = &SlowRun{Age: timesOf(ages), Through: timesOf(gaps)}
		_, one.Slow.Paints, _ = Spread(slowRates).Figures()
	}
	return one
}

// sentAt finds the stroke of a seq, or the first after it.
func sentAt(acks []ack, seq canvas.Seq) (ack, bool) {
	i, _ := slices.BinarySearchFunc(acks, seq, func(a ack, s canvas.Seq) int { return cmp.Compare(a.seq, s) })
	if i == len(acks) || seq == 0 {
		return ack{}, false
	}
	return acks[i], true
}

// seen appends how long each stroke took to the first frame of this viewer that is complete through it.
func (w *watcher) seen(ms0 []float64, acks []ack, within func(time.Time) bool) []float64 {
	k := 0
	for _, a := range acks {
		for k < len(w.pulls) && w.pulls[k].through < a.seq {
			k++
		}
		if !within(a.sent) {
			continue
		}
		at := time.Now() // never: it counts until now
		if k < len(w.pulls) {
			at = w.pulls[k].painted
		}
		ms0 = append(ms0, ms(at.Sub(a.sent)))
	}
	return ms0
}

// FloodResult is what `fractal bench flood` prints.
type FloodResult struct {
	Runs, Against []FloodRun
	flood         Flood
}

// Worse reports whether anything was lost or refused.
func (r *FloodResult) Worse() error {
	for _, one := range append(slices.Clone(r.Runs), r.Against...) {
		if one.OpsLost > 0 || one.OpsRejected > 0 {
			return fmt.Errorf("bench: %d strokes were lost and %d rejected", one.OpsLost, one.OpsRejected)
		}
	}
	return nil
}

// MarshalJSON gives the middle run for every figure, and each run where there are several.
func (r *FloodResult) MarshalJSON() ([]byte, error) {
	out := struct {
		FloodRun
		Runs    []FloodRun `json:"runs,omitempty"`
		Against []FloodRun `json:"against,omitempty"`
	}{FloodRun: r.median(), Against: r.Against}
	if len(r.Runs) > 1 || len(r.Against) > 0 {
		out.Runs = r.Runs
	}
	return json.Marshal(out)
}

// figure is one number of a run.
type figure struct {
	name string
	of   func(*FloodRun) *float64
	per  float64
}

var figures = []figure{
	{"pulls/s, least viewer", func(r *FloodRun) *float64 { return &r.Pulls.Min }, 1},
	{"pulls/s, median viewer", func(r *FloodRun) *float64 { return &r.Pulls.Median }, 1},
	{"pull to cycle p50, ms", func(r *FloodRun) *float64 { return &r.PullCycle.P50 }, 1},
	{"pull to cycle p99, ms", func(r *FloodRun) *float64 { return &r.PullCycle.P99 }, 1},
	{"pull to cycle max, ms", func(r *FloodRun) *float64 { return &r.PullCycle.Max }, 1},
	{"stroke to seen p50, ms", func(r *FloodRun) *float64 { return &r.StrokeSeen.P50 }, 1},
	{"stroke to seen p99, ms", func(r *FloodRun) *float64 { return &r.StrokeSeen.P99 }, 1},
	{"stroke to seen max, ms", func(r *FloodRun) *float64 { return &r.StrokeSeen.Max }, 1},
	{"op to ack p50, ms", func(r *FloodRun) *float64 { return &r.OpAck.P50 }, 1},
	{"op to ack p99, ms", func(r *FloodRun) *float64 { return &r.OpAck.P99 }, 1},
	{"MB sent", func(r *FloodRun) *float64 { return &r.BytesSent }, 1e6},
	{"server CPU, % of a core", func(r *FloodRun) *float64 { return &r.CPUPercent }, 1},
	{"server RSS, MB", func(r *FloodRun) *float64 { return &r.RSSBytes }, 1e6},
	{"server wake-ups/s", func(r *FloodRun) *float64 { return &r.WakeUps }, 1},
}

var slowFigures = []figure{
	{"slow: paints/s", func(r *FloodRun) *float64 { return &r.Slow.Paints }, 1},
	{"slow: newest p50, ms old", func(r *FloodRun) *float64 { return &r.Slow.Age.P50 }, 1},
	{"slow: newest p99, ms old", func(r *FloodRun) *float64 { return &r.Slow.Age.P99 }, 1},
	{"slow: newest max, ms old", func(r *FloodRun) *float64 { return &r.Slow.Age.Max }, 1},
	{"slow: complete p50, ms old", func(r *FloodRun) *float64 { return &r.Slow.Through.P50 }, 1},
	{"slow: complete p99, ms old", func(r *FloodRun) *float64 { return &r.Slow.Through.P99 }, 1},
	{"slow: complete max, ms old", func(r *FloodRun) *float64 { return &r.Slow.Through.Max }, 1},
}

var browserFigures = []figure{
	{"page: frames/s", func(r *FloodRun) *float64 { return &r.Browser.Frames }, 1},
	{"page: frame p50, ms", func(r *FloodRun) *float64 { return &r.Browser.Frame.P50 }, 1},
	{"page: frame p95, ms", func(r *FloodRun) *float64 { return &r.Browser.Frame.P95 }, 1},
	{"page: frame max, ms", func(r *FloodRun) *float64 { return &r.Browser.Frame.Max }, 1},
	{"page: main task p50, ms", func(r *FloodRun) *float64 { return &r.Browser.Main.P50 }, 1},
	{"page: main task p95, ms", func(r *FloodRun) *float64 { return &r.Browser.Main.P95 }, 1},
	{"page: main task max, ms", func(r *FloodRun) *float64 { return &r.Browser.Main.Max }, 1},
	{"page: main thread CPU, %", func(r *FloodRun) *float64 { return &r.Browser.CPU }, 1},
	{"page: own ink p50, ms", func(r *FloodRun) *float64 { return &r.Browser.Ink.P50 }, 1},
	{"page: own ink p95, ms", func(r *FloodRun) *float64 { return &r.Browser.Ink.P95 }, 1},
	{"page: own ink max, ms", func(r *FloodRun) *float64 { return &r.Browser.Ink.Max }, 1},
	{"page: own ink late, times", func(r *FloodRun) *float64 { return &r.Browser.Late }, 1},
	{"page: long tasks", func(r *FloodRun) *float64 { return &r.Browser.Long }, 1},
	{"page: own strokes wet", func(r *FloodRun) *float64 { return &r.Browser.Wet }, 1},
}

func (r *FloodResult) figures() []figure {
	all := figures
	if len(r.Runs) > 0 && r.Runs[0].Slow != nil {
		all = slices.Concat(all, slowFigures)
	}
	if len(r.Runs) > 0 && r.Runs[0].Browser != nil {
		all = slices.Concat(all, browserFigures)
	}
	return all
}

func (r *FloodResult) median() (m FloodRun) {
	if len(r.Runs) == 0 {
		return m
	}
	m = r.Runs[0]
	if m.Slow != nil {
		m.Slow = new(SlowRun)
	}
	if m.Browser != nil {
		m.Browser = new(BrowserRun)
	}
	m.OpsAcked, m.OpsRejected, m.OpsLost = 0, 0, 0
	for _, f := range r.figures() {
		_, *f.of(&m), _ = spread(r.Runs, f).Figures()
	}
	for _, one := range r.Runs {
		m.OpsAcked, m.OpsRejected, m.OpsLost = m.OpsAcked+one.OpsAcked, m.OpsRejected+one.OpsRejected, m.OpsLost+one.OpsLost
	}
	return m
}

func spread(runs []FloodRun, f figure) (s Spread) {
	for i := range runs {
		s.Add(*f.of(&runs[i]))
	}
	return s
}

// Table is the result for people.
func (r *FloodResult) Table() string {
	var b strings.Builder
	f, m := r.flood, r.median()
	fmt.Fprintf(&b, "%d viewers at %g Hz, %d writers × %g strokes/s of %d points, %g s, %d runs (min / median / max), %s\n",
		f.Viewers, f.Hz, f.Writers, f.Rate, floodPoints, f.Seconds, f.Runs, load())
	fmt.Fprintf(&b, "  strokes acknowledged %d, rejected %d, lost %d\n", m.OpsAcked, m.OpsRejected, m.OpsLost)
	for _, row := range r.figures() {
		lo, mid, hi := spread(r.Runs, row).Figures()
		fmt.Fprintf(&b, "  %-26s %10.2f / %10.2f / %10.2f", row.name, lo/row.per, mid/row.per, hi/row.per)
		if len(r.Against) > 0 {
			lo, mid, hi = spread(r.Against, row).Figures()
			fmt.Fprintf(&b, "   against %10.2f / %10.2f / %10.2f", lo/row.per, mid/row.per, hi/row.per)
		}
		b.WriteByte('\n')
	}
	if all := r.Runs[len(r.Runs)-1].Minutes; len(all) > 0 {
		b.WriteString("  server by the minute, MB: resident, live heap, of that ink, the rest\n")
		for i, m := range all {
			fmt.Fprintf(&b, "  %4d %7.0f %7.0f %7.0f %7.0f\n", i+1, m.RSS/1e6, m.Live/1e6, m.Ink/1e6, (m.Live-m.Ink)/1e6)
		}
	}
	return b.String()
}
