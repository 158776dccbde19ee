// Package webtest lets a Go test use a real Chromium: one browser a test binary, an isolated page a test, real pointers
// and keys, and pictures to compare. Whatever a page says on console.error, and every exception nobody caught, fails the
// test that opened it. It refuses to know what the pages are.
//
// A test binary that uses it says
//
//	func TestMain(m *testing.M) { os.Exit(webtest.Main(m)) }
package webtest

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// Main runs the tests of a binary and ends its browser.
func Main(m *testing.M) int {
	defer func() {
		if browser.end != nil {
			browser.end()
		}
	}()
	return m.Run()
}

// browser is the one of this binary, started by the first test that wants it.
var browser struct {
	once sync.Once
	ctx  context.Context
	end  func()
	err  error
}

// Path finds Chromium, or skips the test; with CI set in the environment its absence is a failure.
func Path(t testing.TB) string {
	t.Helper()
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"}
	if own := os.Getenv("FRACTAL_CHROMIUM"); own != "" {
		names = []string{own}
	}
	for _, n := range names {
		if p, err := exec.LookPath(n); err == nil {
			return p
		}
	}
	const hint = "no Chromium: install it (Debian: apt-get install chromium) or name one in FRACTAL_CHROMIUM"
	if os.Getenv("CI") != "" {
		t.Fatal(hint)
	}
	t.Skip(hint)
	return ""
}

// start gives the context of the running browser.
func start(t testing.TB) context.Context {
	t.Helper()
	path := Path(t)
	browser.once.Do(func() {
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path),
			chromedp.DisableGPU,
			chromedp.Flag("disable-quic", true),
			chromedp.Flag("disable-component-update", true),
			chromedp.Flag("hide-scrollbars", true),
			chromedp.Flag("lang", "en-GB"),
		)
		if os.Geteuid() == 0 {
			options = append(options, chromedp.NoSandbox) // Chromium's sandbox refuses root
		}
		alloc, endAlloc := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, end := chromedp.NewContext(alloc)
		browser.ctx = ctx
		browser.end = func() { end(); endAlloc() }
		browser.err = chromedp.Do(ctx) // without a deadline: the first run binds the browser's life to its context
	})
	if browser.err != nil {
		t.Fatalf("start Chromium: %v", browser.err)
	}
	return browser.ctx
}
