package bench

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"fractal/remote"
)

// BrowserRun is what a page in Chromium measured of itself while a person drew in it and others flooded the canvas.
type BrowserRun struct {
	Frames float64   `json:"frames_per_s"`
	Frame  PageTimes `json:"frame_ms"`       // from one frame of the main thread to the next
	Main   PageTimes `json:"main_thread_ms"` // how long each task held the main thread
	CPU    float64   `json:"main_thread_cpu_percent"`
	Ink    PageTimes `json:"own_ink_ms"`   // from a pointer event to its ink on the canvas
	Late   float64   `json:"own_ink_late"` // events whose ink was not there in the next frame
	Long   float64   `json:"long_tasks"`   // of the main thread, 50 ms or more
	Wet    float64   `json:"wet_at_end"`   // 1: some stroke of one's own was not dry 5 s after the last
}

// PageTimes are milliseconds.
type PageTimes struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	Max float64 `json:"max"`
}

func pageTimes(ms []float64) (t PageTimes) {
	if n := len(ms); n > 0 {
		slices.Sort(ms)
		t = PageTimes{ms[n/2], ms[n*95/100], ms[n-1]}
	}
	return t
}

// artist is a page in a Chromium of its own, and a person who draws in it.
type artist struct {
	tab   context.Context
	ends  []func()
	tasks *tasks
}

// openArtist opens the canvas in a window of 1280 × 768 px.
func openArtist(ctx context.Context, t remote.Target, fragment string) (a *artist, err error) {
	chromium, err := Chromium()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("hide-scrollbars", true))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium's sandbox refuses root
	}
	a = &artist{tasks: newTasks()}
	defer func() {
		if err != nil {
			a.close()
		}
	}()
	alloc, end := chromedp.NewExecAllocator(ctx, options...)
	a.ends = append(a.ends, end)
	tab, end := chromedp.NewContext(alloc, chromedp.WithListener(a.tasks.listen))
	a.ends = append(a.ends, end)
	a.tab = tab
	page := t.Server.JoinPath("c", t.Canvas)
	page.Fragment = fragment
	if err := chromedp.Do(tab, chromedp.EmulateViewport(1280, 768), chromedp.Navigate(page.String())); err != nil {
		return nil, fmt.Errorf("bench: Chromium: %w", err)
	}
	_, err = chromedp.Run(tab, chromedp.Evaluate[float64](`(async () => {
		while (!globalThis.fractal) await new Promise(requestAnimationFrame);
		return fractal.settled();
	})()`, chromedp.EvalAwaitPromise))
	if err != nil {
		return nil, fmt.Errorf("bench: the page does not load: %w", err)
	}
	return a, nil
}

// close ends the browser.
func (a *artist) close() {
	for i := len(a.ends) - 1; i >= 0; i-- {
		a.ends[i]()
	}
}

// watching is evaluated in the page. The person's own ink is what is filled on the canvas #wet.
const watching = `(() => {
	const m = globalThis.measured = { frames: [], ink: [], long: 0, late: 0, from: performance.now(), on: true };
	let event = 0, inked = true, last = 0;
	addEventListener("pointermove", (e) => {
		if (e.buttons === 0 || !m.on) return;
		event = e.timeStamp;
		inked = false;
	}, { capture: true });
	const fill = CanvasRenderingContext2D.prototype.fill;
	CanvasRenderingContext2D.prototype.fill = function (...a) {
		fill.apply(this, a);
		if (this.canvas.id === "wet" && !inked) {
			inked = true;
			m.ink.push(performance.now() - event);
		}
	};
	const frame = (now) => {
		if (!m.on) return;
		if (last > 0) m.frames.push(now - last);
		last = now;
		if (!inked && now > event + 20) { m.late++; inked = true; }
		requestAnimationFrame(frame);
	};
	requestAnimationFrame(frame);
	new PerformanceObserver((l) => { if (m.on) m.long += l.getEntries().length; }).observe({ type: "longtask" });
	return true;
})()`

// selfMeasured is what watching found.
type selfMeasured struct {
	Frames, Ink           []float64
	Long, Late, Wet, Took float64
}

// draw draws waves for so long, at 60 moves a second, and tells what the page saw of itself.
func (a *artist) draw(length time.Duration) (r BrowserRun, err error) {
	do := func(js string) error {
		_, err := chromedp.Run(a.tab, chromedp.Evaluate[bool](js, chromedp.EvalAwaitPromise))
		return err
	}
	if err := do(watching); err != nil {
		return r, fmt.Errorf("bench: Chromium: %w", err)
	}
	if err := a.tasks.begin(a.tab); err != nil {
		return r, fmt.Errorf("bench: Chromium: %w", err)
	}
	began := time.Now()
	down := false
	for n := 0; time.Since(began) < length; n++ {
		at := began.Add(time.Duration(n) * time.Second / 60)
		if pause(a.tab, time.Until(at)) != nil {
			return r, a.tab.Err()
		}
		k := n % 60 // a stroke a second, a pause of a tenth
		x, y := 300+10*float64(k), 384+120*math.Sin(float64(k)/8+float64(n/60))
		kind := input.DispatchMouseEventTypeMouseMoved
		switch {
		case k == 0:
			kind, down = input.DispatchMouseEventTypeMousePressed, true
		case k == 54:
			kind, down = input.DispatchMouseEventTypeMouseReleased, false
		case k > 54:
			continue
		}
		if err := a.mouse(kind, x, y); err != nil {
			return r, fmt.Errorf("bench: Chromium: %w", err)
		}
	}
	if down {
		if err := a.mouse(input.DispatchMouseEventTypeMouseReleased, 640, 384); err != nil {
			return r, fmt.Errorf("bench: Chromium: %w", err)
		}
	}
	held, cpu, err := a.tasks.end(a.tab)
	if err != nil {
		return r, fmt.Errorf("bench: Chromium: %w", err)
	}
	m, err := chromedp.Run(a.tab, chromedp.Evaluate[selfMeasured](`(async () => {
		const m = globalThis.measured;
		m.on = false;
		const took = performance.now() - m.from;
		const end = performance.now() + 5000;
		while (fractal.wet() > 0 && performance.now() < end) await new Promise(requestAnimationFrame);
		const dry = fractal.wet() > 0 ? 1 : 0;
		return { Frames: m.frames, Ink: m.ink, Long: m.long, Late: m.late, Wet: dry, Took: took };
	})()`, chromedp.EvalAwaitPromise))
	if err != nil {
		return r, fmt.Errorf("bench: Chromium: %w", err)
	}
	return BrowserRun{
		Frames: float64(len(m.Frames)) / m.Took * 1000, Frame: pageTimes(m.Frames), Main: pageTimes(held), CPU: cpu, Ink: pageTimes(m.Ink),
		Long: m.Long, Late: m.Late, Wet: m.Wet,
	}, nil
}

func (a *artist) mouse(kind input.DispatchMouseEventType, x, y float64) error {
	p := input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1}
	_, err := chromedp.Call(a.tab, input.DispatchMouseEvent, p)
	return err
}
