package bench

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/chromedp/chromedp"

	"fractal/remote"
)

// HeldPage is what a page in Chromium measured of itself while the zoom key was held in it.
type HeldPage struct {
	Doublings float64   `json:"doublings_per_s"`
	Frames    float64   `json:"frames_per_s"`
	Frame     PageTimes `json:"frame_ms"`       // from one frame of the main thread to the next
	Main      PageTimes `json:"main_thread_ms"` // how long each task held the main thread
	CPU       float64   `json:"main_thread_cpu_percent"`
}

// browse flies to a location, zooms out of it and holds the key until it is back, as deep as h says.
func (h *Hold) browse(ctx context.Context, t remote.Target) (r HeldPage, err error) {
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	defer stop()
	a, err := openArtist(ctx, t, "")
	if err != nil {
		return r, err
	}
	defer a.close()
	for _, step := range []string{
		`dispatchEvent(new ClipboardEvent("paste", { clipboardData: pasted, bubbles: true })); await until(() => level() >= deep);`,
		`hold("o"); await until(() => level() <= high); release("o");`,
	} {
		if _, err := chromedp.Run(a.tab, chromedp.Evaluate[bool](h.script(step+`await fractal.settled(); return true;`), chromedp.EvalAwaitPromise)); err != nil {
			return r, fmt.Errorf("bench: Chromium: %w", err)
		}
	}
	if err := a.tasks.begin(a.tab); err != nil {
		return r, fmt.Errorf("bench: Chromium: %w", err)
	}
	type self struct {
		Frames     []float64
		Took, Down float64
	}
	m, err := chromedp.Run(a.tab, chromedp.Evaluate[self](h.script(`
		const frames = [], from = performance.now(), top = level();
		let last = from;
		hold("i");
		await until(() => {
			const now = performance.now();
			frames.push(now - last);
			last = now;
			return level() >= deep;
		});
		release("i");
		return { Frames: frames, Took: last - from, Down: level() - top };`), chromedp.EvalAwaitPromise))
	if err != nil {
		return r, fmt.Errorf("bench: Chromium: %w", err)
	}
	held, cpu, err := a.tasks.end(a.tab)
	if err != nil {
		return r, fmt.Errorf("bench: Chromium: %w", err)
	}
	seconds := m.Took / 1000
	return HeldPage{
		Doublings: m.Down / seconds, Frames: float64(len(m.Frames)) / seconds, Frame: pageTimes(m.Frames), Main: pageTimes(held), CPU: cpu,
	}, nil
}

// script runs in the page, which looks at a place as large as the root tile.
func (h *Hold) script(body string) string {
	zoom := fmt.Sprintf("1e%d", int(float64(h.From+h.Doublings)*math.Log10(2)))
	location := fmt.Sprintf("Re: %s\nIm: %s\nZoom: %s\nIterations: 1000\n", h.stop.Re, h.stop.Im, zoom)
	return fmt.Sprintf(`(async () => {
		const deep = %d, high = %d;
		const level = () => Number(document.querySelector(".read").dataset.level.replace("−", "-"));
		const until = async (done) => { while (!done()) await new Promise(requestAnimationFrame); };
		const key = (type) => (k) => dispatchEvent(new KeyboardEvent(type, { key: k, code: "Key" + k.toUpperCase(), bubbles: true }));
		const hold = key("keydown"), release = key("keyup");
		const pasted = new DataTransfer();
		pasted.setData("text/plain", %q);
		document.querySelector("#stage").dispatchEvent(new PointerEvent("pointermove", { clientX: 640, clientY: 384, pointerId: 1, pointerType: "mouse", bubbles: true }));
		%s
	})()`, h.From+h.Doublings-4, h.From, location, body)
}
