package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"time"

	"github.com/chromedp/chromedp"

	"fractal/tile"
)

// Chromium finds one.
func Chromium() (string, error) {
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"}
	if own := os.Getenv("FRACTAL_CHROMIUM"); own != "" {
		names = []string{own}
	}
	for _, n := range names {
		if p, err := exec.LookPath(n); err == nil {
			return p, nil
		}
	}
	return "", errors.New("there is no Chromium: install it (Debian: apt-get install chromium) or name one in FRACTAL_CHROMIUM")
}

// browse opens the overview in a browser that has just been started, twice, each time with no picture on the server, and measures
// in the page, from navigating on, by its own clock: first to the last cell in view, and to the last of margins and stand-ins; then
// to the first ink. To look for that takes the page time, so it is not done while the others are measured. The same look at a page
// of one canvas that is painted at once is the floor: what the browser itself takes.
func (r *OverviewResult) browse(ctx context.Context, chromium string, p *Process, origin tile.ID, forget func() error) error {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("hide-scrollbars", true))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium's sandbox refuses root
	}
	ctx, stop := context.WithTimeout(ctx, 2*time.Minute)
	defer stop()
	alloc, end := chromedp.NewExecAllocator(ctx, options...)
	defer end()
	tab, endTab := chromedp.NewContext(alloc)
	defer endTab()
	floor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, floorPage) // the browser may have left
	}))
	defer floor.Close()

	page := *p.URL
	page.Path = "/c/bench"
	middleX := new(big.Int).Add(origin.X(), big.NewInt(viewCols/2))
	middleY := new(big.Int).Add(origin.Y(), big.NewInt(viewRows/2))
	page.Fragment = fmt.Sprintf("v=0,%x,%x,1", middleX, middleY)
	if err := chromedp.Do(tab, chromedp.EmulateViewport(viewCols*tile.Size, viewRows*tile.Size)); err != nil {
		return fmt.Errorf("bench: Chromium: %w", err)
	}
	for _, m := range []struct {
		url  string
		to   []*Spread
		done string
	}{
		{page.String(), []*Spread{r.BrowserMS, r.BrowserAllMS}, shownWhole},
		{page.String(), []*Spread{r.BrowserFirstMS}, shownInk},
		{floor.URL, []*Spread{r.BrowserFloorMS}, shownInk},
	} {
		if err := forget(); err != nil {
			return err
		}
		if err := chromedp.Do(tab, chromedp.Navigate("about:blank"), chromedp.Navigate(m.url)); err != nil {
			return fmt.Errorf("bench: Chromium: %w", err)
		}
		took, err := chromedp.Run(tab, chromedp.Evaluate[[]float64](`(async () => {
			const took = [], wait = async (done) => { while (!done()) await new Promise(requestAnimationFrame); took.push(performance.now()); };
			`+m.done+`
			return took;
		})()`, chromedp.EvalAwaitPromise))
		if err != nil {
			return fmt.Errorf("bench: Chromium: %w", err)
		}
		for i, ms := range took[len(took)-len(m.to):] {
			m.to[i].Add(ms)
		}
	}
	return nil
}

const (
	floorPage = `<!doctype html><title>floor</title><canvas width="1536" height="1024"></canvas>
<script>const c = document.querySelector("canvas").getContext("2d"); c.fillRect(99, 99, 99, 99);</script>`

	shownWhole = `await wait(() => globalThis.fractal);
		took.push(await fractal.shown); await fractal.settled(); took.push(performance.now());`

	shownInk = `const small = new OffscreenCanvas(48, 32).getContext("2d", { willReadFrequently: true });
		await wait(() => {
			small.clearRect(0, 0, 48, 32);
			for (const c of document.querySelectorAll("canvas")) small.drawImage(c, 0, 0, 48, 32);
			return new Uint32Array(small.getImageData(0, 0, 48, 32).data.buffer).some((p, _, all) => p !== all[0]);
		});`
)
