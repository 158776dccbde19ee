package webtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"
)

// patience bounds every single step. It is no expectation: a machine with eight other jobs still passes.
const patience = 60 * time.Second

// Page is one tab with its own cookies and storage.
type Page struct {
	t   testing.TB
	ctx context.Context

	mu      sync.Mutex // guards all below
	console []string
	wrong   []string
	forgive []string

	fingers int // of the test alone: how many the last Touch reported
}

// Screen is what a page is shown on, in CSS px.
type Screen struct {
	Width, Height int
	Scale         float64 // device pixels per CSS px
	Touch         bool
}

// Desktop is the screen of a page unless said otherwise.
var Desktop = Screen{Width: 1280, Height: 800, Scale: 1}

// Open opens url in a new tab that shares nothing with others. The test fails at its end if the page complained.
func Open(t testing.TB, url string, s Screen) *Page {
	t.Helper()
	p := &Page{t: t}
	ctx, end := chromedp.NewContext(start(t), chromedp.WithNewBrowserContext(), chromedp.WithListener(p.listen))
	p.ctx = ctx
	if err := chromedp.Do(ctx); err != nil { // without a deadline: it would become the tab's
		end()
		t.Fatalf("open a tab: %v", err)
	}
	t.Cleanup(func() {
		end()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, w := range p.wrong {
			forgiven := false
			for _, f := range p.forgive {
				forgiven = forgiven || strings.Contains(w, f)
			}
			if !forgiven {
				t.Errorf("the page complained: %s", w)
			}
		}
		if t.Failed() && len(p.console) > 0 {
			t.Logf("console:\n%s", strings.Join(p.console, "\n"))
		}
	})
	p.Screen(s)
	p.Go(url)
	return p
}

// listen runs in the loop of the tab.
func (p *Page) listen(ev any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch ev := ev.(type) {
	case *runtime.EventConsoleAPICalled:
		var words []string
		for _, a := range ev.Args {
			if a.Description != "" {
				words = append(words, a.Description)
			} else {
				words = append(words, strings.Trim(string(a.Value), `"`))
			}
		}
		line := strings.Join(words, " ")
		p.console = append(p.console, string(ev.Type)+": "+line)
		if ev.Type == runtime.ConsoleAPICalledTypeError || ev.Type == runtime.ConsoleAPICalledTypeAssert {
			p.wrong = append(p.wrong, line)
		}
	case *runtime.EventExceptionThrown:
		line := ev.ExceptionDetails.Text
		if x := ev.ExceptionDetails.Exception; x != nil {
			line += " " + x.Description
		}
		p.wrong = append(p.wrong, line)
	case *log.EventEntryAdded:
		line := ev.Entry.Text + " " + ev.Entry.URL
		p.console = append(p.console, string(ev.Entry.Level)+": "+line)
		if ev.Entry.Level == log.EntryLevelError {
			p.wrong = append(p.wrong, line)
		}
	}
}

// Forgive names complaints this test provokes on purpose, such as a socket it cuts.
func (p *Page) Forgive(part string) {
	p.mu.Lock()
	p.forgive = append(p.forgive, part)
	p.mu.Unlock()
}

// Do runs actions in the tab, or fails the test.
func (p *Page) Do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, done := context.WithTimeout(p.ctx, patience)
	defer done()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// run is Do for one action with a value.
func run[T any](p *Page, a chromedp.Action[T]) T {
	p.t.Helper()
	ctx, done := context.WithTimeout(p.ctx, patience)
	defer done()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		p.t.Fatal(explain(err))
	}
	return v
}

// explain gives the page's own words about an exception.
func explain(err error) error {
	if x, ok := errors.AsType[*chromedp.ExceptionError](err); ok {
		return fmt.Errorf("in the page: %s", x.Error())
	}
	return err
}

// Eval evaluates JavaScript in the page, awaiting a promise, and gives its value. Void: none.
func Eval[T any](p *Page, js string) T {
	p.t.Helper()
	return run(p, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
}

// Go loads an address.
func (p *Page) Go(url string) { p.t.Helper(); p.Do(chromedp.Navigate(url)); p.made() }

// Reload loads the page again.
func (p *Page) Reload() { p.t.Helper(); p.Do(chromedp.Reload()); p.made() }

// made waits for the main script of a canvas's page, which runs after the page is loaded: what is done next would otherwise
// take its end for that of its own loading.
func (p *Page) made() {
	p.t.Helper()
	p.Wait("window.fractalWorker === undefined || window.fractal !== undefined")
}

// Wait waits until a JavaScript expression is true, looking once a frame.
func (p *Page) Wait(js string) {
	p.t.Helper()
	run(p, chromedp.Poll[chromedp.Void](js, chromedp.WithPollingTimeout(patience)))
}

// Settled waits until the page shows everything there is: nothing owed, unsaved, wet or undecoded.
func (p *Page) Settled() {
	p.t.Helper()
	p.Wait("window.fractal !== undefined")
	Eval[chromedp.Void](p, "window.fractal.settled()")
}

// Screen resizes what the page is shown on.
func (p *Page) Screen(s Screen) {
	p.t.Helper()
	var o []chromedp.EmulateViewportOption
	if s.Scale != 0 {
		o = append(o, chromedp.EmulateScale(s.Scale))
	}
	if s.Touch {
		o = append(o, chromedp.EmulateTouch)
	}
	p.Do(chromedp.EmulateViewport(int64(s.Width), int64(s.Height), o...))
}

// Prefer sets what the system asks of pages: Prefer("prefers-color-scheme", "dark").
func (p *Page) Prefer(feature, value string) {
	p.t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: feature, Value: value}}}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, media); err != nil {
		p.t.Fatal(err)
	}
}

// CPU is the processor time all of Chromium has used, in seconds.
func (p *Page) CPU() float64 {
	p.t.Helper()
	info, err := chromedp.CallBrowser(p.ctx, systeminfo.GetProcessInfo, struct{}{})
	if err != nil {
		p.t.Fatal(err)
	}
	var sum float64
	for _, i := range info.ProcessInfo {
		sum += i.CPUTime
	}
	return sum
}
