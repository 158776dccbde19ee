package server

import (
	"os"
	"testing"

	"fractal/web/webtest"
)

func TestMain(m *testing.M) { os.Exit(webtest.Main(m)) }

// The policy lets the client in and nothing else: a page that it held back would complain, which fails the test.
func TestPagesLiveUnderThePolicy(t *testing.T) {
	h := newHouse(t)
	page := webtest.Open(t, "http://"+h.addr+"/c/plane", webtest.Desktop)
	h.until("fractal_sockets", 1)
	witness := h.draws("plane")
	witness.draw()
	page.Settled()
	page.Go("http://" + h.addr + "/")
	page.Wait(`document.querySelector("#list a") !== null`)
	page.Go("http://" + h.addr + "/debug/")
	page.Wait(`document.querySelector("tbody a")?.textContent === "plane"`)
	page.Wait(`getComputedStyle(document.querySelector(".card")).borderTopStyle === "solid"`) // its style came too
	if !webtest.Eval[bool](page, `fetch("https://example.com/").then(() => false, () => true)`) {
		t.Error("the page could reach another site")
	}
	page.Forgive("example.com")
	page.Forgive("Content Security Policy")
}
