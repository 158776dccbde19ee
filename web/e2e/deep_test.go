package e2e_test

import (
	"image"
	"strings"
	"testing"

	"fractal/web/webtest"
)

// deep is a place 2,000 levels down, somewhere.
var deep = "#v=2000," + strings.Repeat("9e3779b97f4a7c15", 31) + ".8,-" + strings.Repeat("f39cc0605cedc834", 31) + ".4,1"

func TestDrawAt2000LevelsAndFindItAgain(t *testing.T) {
	s := start(t)
	p := s.open("a", deep)
	if got := read(p); got != "2^2000" {
		t.Errorf("the page says it is at %s", got)
	}
	p.Mouse(wave(200, 900, 300, 80, 40)...)
	p.Settled()
	all := s.strokes("a")
	if len(all) != 1 || all[0].Level != 2000 {
		t.Fatalf("logged %d strokes, the first at level %d", len(all), all[0].Level)
	}
	there := place(p)
	if there != deep {
		t.Errorf("the address became %.60s…", there)
	}
	drawn := picture(p)
	p.Reload()
	webtest.Same(t, picture(p), drawn, 0)
	other := s.open("a", there)
	webtest.Same(t, picture(other), drawn, 0)

	// Home, and back with the browser's button.
	webtest.Eval[bool](p, `dispatchEvent(new KeyboardEvent("keydown", { key: ")", code: "Digit0", shiftKey: true })), true`)
	p.Wait(`document.querySelector(".read").textContent === "2^0"`)
	if n := inked(picture(p), box(0, 0, 1280, 800)); n > 60 { // the marker of what lies below
		t.Errorf("at home %d pixels are inked by something 2^2000 times smaller", n)
	}
	webtest.Eval[bool](p, `history.back(), true`)
	p.Wait(`document.querySelector(".read").textContent === "2^2000"`)
	webtest.Same(t, picture(p), drawn, 0)
	webtest.Eval[bool](p, `history.forward(), true`)
	p.Wait(`document.querySelector(".read").textContent === "2^0"`)
}

// A wheel turned 2,000 levels out at one place, and back in, is where it was: to the pixel.
func TestZoomOut2000LevelsAndBack(t *testing.T) {
	s := start(t)
	p := s.open("a", deep)
	p.Mouse(wave(200, 900, 300, 80, 40)...)
	drawn, there := picture(p), place(p)
	spin := func(sign int) {
		webtest.Eval[bool](p, js(`(() => {
			const s = document.querySelector("#stage");
			for (let i = 0; i < 2320; i++) s.dispatchEvent(new WheelEvent("wheel", { deltaY: %d * 60, ctrlKey: true, clientX: 500, clientY: 320, bubbles: true, cancelable: true }));
			return true;
		})()`, sign))
	}
	spin(1)
	p.Settled()
	if got := read(p); !strings.HasPrefix(got, "2^−") {
		t.Errorf("after 2,320 steps out the page says %s", got)
	}
	spin(-1)
	if got := place(p); got[:400] != there[:400] {
		t.Errorf("back at %.80s…, want %.80s…", got, there)
	}
	d, _ := webtest.Compare(picture(p), drawn, 24)
	if d.Pixels > 20 {
		t.Errorf("%d pixels differ from what was there before", d.Pixels)
	}
}

func TestZoomKeysAnimateToTheirGoal(t *testing.T) {
	s := start(t)
	p := s.open("a", "")
	p.Mouse(wave(500, 800, 400, 30, 20)...)
	p.Settled()
	p.Keys("=")
	p.Settled()
	if got := place(p); got != "#v=1,0,0,1" {
		t.Errorf("+ led to %s", got)
	}
	p.Keys("-")
	p.Settled()
	p.Keys("-")
	if got := place(p); got != "#v=-1,0,0,1" {
		t.Errorf("− twice led to %s", got)
	}
	wheel(p, 0, -100)
	wheel(p, 0, -100)
	wheel(p, 0, -100)
	p.Settled()
	if got := read(p); got != "2^0" {
		t.Errorf("three notches of the wheel led to %s", got)
	}
	webtest.Eval[bool](p, `new Promise(r => setTimeout(() => r(true), 300))`) // another hand than the wheel's
	wheel(p, 30, 12)
	p.Settled()
	if got := read(p); got != "2^0" {
		t.Errorf("two fingers that move zoomed to %s", got)
	}
}

func TestBadLinksSayThatAndLeadHome(t *testing.T) {
	s := start(t)
	p := s.open("a", "#v=everywhere")
	p.Wait(`/does not lead to a place/.test(document.querySelector(".toasts").textContent)`)
	if got := place(p); got != "#v=0,0,0,1" {
		t.Errorf("it led to %s", got)
	}
	// The address of a page that is open is followed too.
	webtest.Eval[bool](p, `location.hash = "#v=3,1,2,1", true`)
	p.Wait(`document.querySelector(".read").textContent === "2^3"`)
}

// The deepest and the highest places are places: they open, are drawn on and found again.
func TestTheLastLevels(t *testing.T) {
	s := start(t)
	for name, at := range map[string]string{
		"bottom": "#v=65536," + strings.Repeat("a5", 8000) + ",-" + strings.Repeat("1e", 8000) + ",1",
		"top":    "#v=-65536,0,0,1",
	} {
		p := s.open(name, at)
		p.Mouse(wave(300, 900, 300, 40, 20)...)
		p.Settled()
		if all := s.strokes(name); len(all) != 1 {
			t.Errorf("%s: %d strokes were logged", name, len(all))
			continue
		}
		p.Keys("+")
		p.Keys("-")
		p.Wheel(webtest.Point{X: 640, Y: 400}, 1, 1, 0)
		p.Settled()
		p.Go(s.url + "/c/" + name + at)
		p.Reload()
		if n := inked(picture(p), box(290, 250, 910, 350)); n < 1500 {
			t.Errorf("%s: %d pixels are inked after loading it again", name, n)
		}
	}
}

// What one person drew far from home, somebody who comes later finds with one key, and comes back with the browser's button.
func TestShowEverythingFindsTheDrawing(t *testing.T) {
	s := start(t)
	ana := s.open("a", "#v=60,3ffffffffff.8,-2ffffffffff.8,1")
	ana.Mouse(wave(200, 1100, 300, 150, 30)...)
	ana.Hover(toolbar)
	ana.Settled()
	p := s.open("a", "#v=0,0,0,1")
	fit(p)
	img, found := comes(p, func(img *image.NRGBA) bool { return inked(img, box(60, 60, 1220, 700)) > 1000 })
	if !found {
		t.Errorf("%d pixels are inked at %s", inked(img, img.Rect), place(p))
	}
	if n := inked(img, box(0, 0, 60, 800)) + inked(img, box(1220, 0, 1280, 800)); n > 0 {
		t.Error("the drawing reaches over the edge")
	}
	webtest.Eval[bool](p, `history.back(), true`)
	p.Wait(`document.querySelector(".read").textContent === "2^0"`)
	p.Wait(`[...document.querySelectorAll(".top .primary")].some(b => !b.hidden)`) // back to the drawing
}
