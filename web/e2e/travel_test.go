package e2e_test

import (
	"image"
	"strings"
	"testing"

	"fractal/web/webtest"
)

// fit presses the key that shows everything.
func fit(p *webtest.Page) {
	webtest.Eval[bool](p, `dispatchEvent(new KeyboardEvent("keydown", { key: "!", code: "Digit1", shiftKey: true }))`)
}

// has says that there is ink in a picture.
func has(img *image.NRGBA) bool { return inked(img, img.Rect) > 100 }

const lost = `!document.querySelector(".top > .primary").hidden`

// What others draw after one has come counts: for showing everything, and for whether there is anything to go back to.
func TestShowingEverythingShowsWhatOthersDrew(t *testing.T) {
	s := start(t)
	ana, ben := s.open("a", ""), s.open("a", "")
	ben.Mouse(wave(200, 700, 250, 60, 30)...)
	ben.Settled()
	ana.Wait(`document.querySelector(".welcome").classList.contains("gone")`)
	before := place(ana)
	fit(ana)
	ana.Wait(js(`location.hash !== %q`, before))
	if said := webtest.Eval[string](ana, `document.querySelector(".toasts").textContent`); strings.Contains(said, "Nothing") {
		t.Errorf("the page says %q", said)
	}
	ana.Settled()
	if img := picture(ana); inked(img, box(60, 60, 1220, 720)) < 2*inked(picture(ben), box(60, 60, 1220, 720)) {
		t.Error("Ben's stroke does not fill the view")
	}
}

func TestNoWayBackIsOfferedWhereInkIsSeen(t *testing.T) {
	s := start(t)
	ana := s.open("a", "")
	ana.Mouse(wave(200, 700, 250, 60, 30)...)
	ana.Settled()
	ben := s.open("a", "")
	const far = "#v=3,40.8,22.1,1"
	goTo(ben, far)
	ben.Wait(lost)
	ben.Mouse(wave(200, 700, 250, 60, 30)...)
	ben.Settled()
	ben.Wait("!(" + lost + ")")
	goTo(ana, far)
	if _, seen := comes(ana, has); !seen {
		t.Fatal("Ana does not see what Ben drew")
	}
	ana.Settled()
	if webtest.Eval[bool](ana, lost) {
		t.Error("Ana is offered a way back from what she sees")
	}
	goTo(ana, "#v=3,-400.8,22.1,1")
	ana.Wait(lost)
	webtest.Eval[bool](ana, `document.querySelector(".top > .primary").click(), true`)
	ana.Wait("!(" + lost + ")")
}

// Who comes without a place in the address sees all there is, unless that is no more than specks.
func TestACanvasOpensOnWhatIsDrawn(t *testing.T) {
	s := start(t)
	p := s.open("a", "")
	if got := place(p); got != "#v=0,0,0,1" {
		t.Errorf("an empty canvas opens at %s", got)
	}
	p.Mouse(wave(300, 900, 300, 60, 30)...)
	p.Settled()
	if got := place(s.open("a", "")); got != "#v=0,0,0,1" {
		t.Errorf("a drawing that is seen from home opens at %s", got)
	}
	goTo(p, "#v=-1,0,0,1")
	p.Mouse(wave(100, 1200, 400, 200, 30)...)
	p.Hover(toolbar)
	p.Settled()
	if img := picture(s.open("a", "")); inked(img, box(0, 0, 60, 800)) > 0 || inked(img, box(1220, 0, 1280, 800)) > 0 || !has(img) {
		t.Errorf("a drawing wider than the view is cut")
	}
	far := s.open("b", "#v=9,12345.8,-54321.8,1")
	far.Mouse(wave(300, 900, 300, 60, 30)...)
	far.Settled()
	if !has(picture(s.open("b", ""))) {
		t.Error("a drawing far away is not seen by who comes")
	}
}
