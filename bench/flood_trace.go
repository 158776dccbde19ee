package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// tasks listens to a trace of Chromium for what the main thread of a page does: one event a task.
type tasks struct {
	mu     sync.Mutex // guards all below
	events []traceEvent
	done   chan struct{} // closed when all have come
}

// traceEvent is one event of a trace, as far as it matters here.
type traceEvent struct {
	Name     string  `json:"name"`
	Phase    string  `json:"ph"`
	Process  int     `json:"pid"`
	Thread   int     `json:"tid"`
	At       float64 `json:"ts"`   // µs
	Duration float64 `json:"dur"`  // µs by the clock
	CPU      float64 `json:"tdur"` // µs of the thread
	Args     struct {
		Name string `json:"name"`
	} `json:"args"`
}

func newTasks() *tasks { return &tasks{done: make(chan struct{})} }

// listen runs in the loop of the tab.
func (t *tasks) listen(ev any) {
	switch ev := ev.(type) {
	case *tracing.EventDataCollected:
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, v := range ev.Value {
			var e traceEvent
			if json.Unmarshal(v, &e) == nil && (e.Name == "RunTask" || e.Name == "thread_name") {
				t.events = append(t.events, e)
			}
		}
	case *tracing.EventTracingComplete:
		close(t.done)
	}
}

func (t *tasks) begin(tab context.Context) error {
	_, err := chromedp.Call(tab, tracing.Start, tracing.StartParams{TraceConfig: &tracing.TraceConfig{
		RecordMode:         tracing.TraceConfigRecordModeRecordAsMuchAsPossible,
		IncludedCategories: []string{"disabled-by-default-devtools.timeline", "devtools.timeline"},
	}})
	return err
}

// end gives how long each task took, in ms by the clock, and how much of a processor all of them did.
func (t *tasks) end(tab context.Context) (ms []float64, cpuPercent float64, err error) {
	if _, err := chromedp.Call(tab, tracing.End, struct{}{}); err != nil {
		return nil, 0, err
	}
	select {
	case <-t.done:
	case <-tab.Done():
		return nil, 0, tab.Err()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	type thread struct{ process, id int }
	// Of the pages' main threads the busiest is this page's: there is one more, blank.
	sums := map[thread]float64{}
	for _, e := range t.events {
		if e.Name == "thread_name" && e.Args.Name == "CrRendererMain" {
			sums[thread{e.Process, e.Thread}] = 0
		}
	}
	for _, e := range t.events {
		if k := (thread{e.Process, e.Thread}); e.Name == "RunTask" {
			if _, ok := sums[k]; ok {
				sums[k] += e.Duration
			}
		}
	}
	var main thread
	for k, sum := range sums {
		if sum > sums[main] {
			main = k
		}
	}
	first, last, cpu := 0.0, 0.0, 0.0
	for _, e := range t.events {
		if e.Name != "RunTask" || (thread{e.Process, e.Thread}) != main {
			continue
		}
		ms = append(ms, e.Duration/1000)
		cpu += e.CPU
		if first == 0 || e.At < first {
			first = e.At
		}
		last = max(last, e.At+e.Duration)
	}
	if len(ms) == 0 {
		return nil, 0, fmt.Errorf("bench: the trace has no task of the page's main thread")
	}
	return ms, 100 * cpu / (last - first), nil
}
