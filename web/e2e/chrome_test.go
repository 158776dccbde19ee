package e2e_test

import (
	"testing"

	"fractal/web/webtest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestEveryToolByKeyboardAlone(t *testing.T) {
	s := start(t)
	p := s.open("a", "")
	tool := func() string {
		return webtest.Eval[string](p, `document.querySelector(".dock [data-tool][aria-checked=true]").dataset.tool`)
	}
	for _, k := range []struct{ key, want string }{{"e", "eraser"}, {"h", "hand"}, {"m", "highlighter"}, {"p", "pen"}, {"e", "eraser"}, {"\x1b", "pen"}} {
		p.Keys(k.key)
		if got := tool(); got != k.want {
			t.Errorf("%q gives the %s, want the %s", k.key, got, k.want)
		}
	}
	// The bar is one stop of Tab; arrows move in it.
	webtest.Eval[bool](p, `document.querySelector(".dock [tabindex='0']").focus(), true`)
	if n := webtest.Eval[int](p, `[...document.querySelectorAll(".dock .bar *")].filter(e => e.tabIndex === 0 && e.offsetParent).length`); n != 1 {
		t.Errorf("the bar has %d stops of Tab", n)
	}
	p.Keys(kb.ArrowRight + kb.ArrowRight)
	if got := webtest.Eval[string](p, `document.activeElement.dataset.tool`); got != "eraser" {
		t.Errorf("two arrows to the right of the pen is %q", got)
	}
	p.Keys(kb.Enter)
	if got := tool(); got != "eraser" {
		t.Errorf("Enter gives the %s", got)
	}
}

func TestHelpListsEveryCommand(t *testing.T) {
	s := start(t)
	p := s.open("a", "")
	p.Keys("?")
	p.Wait(`document.querySelector("dialog[open]") !== null`)
	listed := webtest.Eval[[]string](p, `[...document.querySelectorAll("dialog dd[data-commands]")].flatMap(d => d.dataset.commands.split(" "))`)
	if len(listed) < 40 {
		t.Errorf("help lists %d commands", len(listed))
	}
	seen := map[string]bool{}
	for _, id := range listed {
		if seen[id] {
			t.Errorf("help lists %s twice", id)
		}
		seen[id] = true
	}
	p.Keys("\x1b")
	p.Wait(`document.querySelector("dialog") === null`)
	if got := webtest.Eval[string](p, `document.querySelector(".dock [data-tool][aria-checked=true]").dataset.tool`); got != "pen" {
		t.Errorf("Escape closed help and took the %s", got)
	}
}

func TestStartPageMakesACanvasAndListsIt(t *testing.T) {
	s := start(t)
	p := webtest.Open(t, s.url+"/", webtest.Desktop)
	p.Wait(`document.querySelector("#list").ariaBusy !== "true"`)
	webtest.Eval[bool](p, `document.querySelector("#make-name").focus(), true`)
	p.Keys("Floor plan 2" + kb.Enter)
	p.Do(chromedp.WaitReady("#stage"))
	if got := webtest.Eval[string](p, `location.pathname`); got != "/c/floor-plan-2" {
		t.Errorf("it led to %s", got)
	}
	p.Settled()
	p.Mouse(wave(300, 500, 300, 0, 5)...)
	p.Settled()
	p.Go(s.url + "/")
	p.Wait(`document.querySelector("#list a b")?.textContent === "floor-plan-2"`)
}

// Whatever asks for a name with buttons has one; nothing that fingers press is smaller than 44 px.
func TestControlsHaveNamesAndRoomForFingers(t *testing.T) {
	s := start(t)
	p := s.openOn(webtest.Screen{Width: 390, Height: 780, Scale: 2, Touch: true}, "a", "")
	for _, wrong := range webtest.Eval[[]string](p, `[...document.querySelectorAll("button, [role=radio], input")].filter(e => {
		const name = e.getAttribute("aria-label") || e.textContent.trim() || (e.id && document.querySelector("label[for=" + e.id + "]")) || e.closest("label");
		return !name;
	}).map(e => e.outerHTML.slice(0, 120))`) {
		t.Errorf("without a name: %s", wrong)
	}
	coarse := webtest.Eval[bool](p, `matchMedia("(pointer: coarse)").matches`)
	if !coarse {
		t.Fatal("the screen is not one for fingers")
	}
	for _, wrong := range webtest.Eval[[]string](p, `[...document.querySelectorAll(".dock .bar > .press, .dock .group > .press, .corner .press, .corner .primary")].filter(e => e.offsetParent).map(e => [e, e.getBoundingClientRect()])
		.filter(([, r]) => r.width < 43.5 || r.height < 43.5).map(([e, r]) => r.width + " x " + r.height + ": " + (e.ariaLabel || e.title))`) {
		t.Errorf("too small for a finger: %s", wrong)
	}
	if over := webtest.Eval[[]string](p, `[...document.querySelectorAll(".corner, .dock")].filter(e => { const r = e.getBoundingClientRect(); return r.width && (r.left < 0 || r.right > innerWidth || r.bottom > innerHeight); }).map(e => e.className)`); len(over) > 0 {
		t.Errorf("outside of the screen: %v", over)
	}
	if n := webtest.Eval[int](p, `document.documentElement.scrollWidth - innerWidth`); n > 0 {
		t.Errorf("the page is %d px wider than the phone", n)
	}
}

func TestCalmPeopleGetNoAnimation(t *testing.T) {
	s := start(t)
	p := s.open("a", "")
	p.Prefer("prefers-reduced-motion", "reduce")
	p.Keys("+")
	if got := webtest.Eval[string](p, `new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(document.querySelector(".read").textContent))))`); got != "2^1" {
		t.Errorf("two frames after + the page is at %s", got)
	}
}

// After a click on a tool, space moves the canvas: the button must not keep the keys.
func TestSpaceAfterAClickOnATool(t *testing.T) {
	s := start(t)
	p := s.open("a", "")
	eraser := webtest.Eval[[]float64](p, `(() => { const r = document.querySelector(".dock [data-tool=eraser]").getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`)
	p.Mouse(webtest.Point{X: eraser[0], Y: eraser[1]})
	if got := webtest.Eval[string](p, `document.activeElement.tagName`); got != "BODY" {
		t.Errorf("the keys go to %s", got)
	}
	before := place(p)
	webtest.Eval[bool](p, `dispatchEvent(new KeyboardEvent("keydown", { key: " ", code: "Space" })), true`)
	p.Mouse(wave(300, 400, 300, 0, 8)...)
	webtest.Eval[bool](p, `dispatchEvent(new KeyboardEvent("keyup", { key: " ", code: "Space" })), true`)
	if place(p) == before {
		t.Error("space and drag did not move the canvas")
	}
	if n := len(s.strokes("a")); n != 0 {
		t.Errorf("%d strokes were drawn", n)
	}
}

func TestTheMiddleStaysWhenTheWindowChanges(t *testing.T) {
	s := start(t)
	p := s.open("a", "#v=7,-12.8,5.4,1.25")
	p.Screen(webtest.Screen{Width: 700, Height: 900, Scale: 1})
	p.Wait(`innerWidth === 700`)
	if got := place(p); got != "#v=7,-12.8,5.4,1.25" {
		t.Errorf("the view went to %s", got)
	}
	p.Mouse(wave(100, 600, 450, 20, 10)...)
	small := picture(p)
	p.Screen(webtest.Screen{Width: 700, Height: 900, Scale: 2})
	p.Wait(`devicePixelRatio === 2`)
	if a, b := inked(small, small.Rect), inked(picture(p), box(0, 0, 1400, 1800)); b < 3*a {
		t.Errorf("%d pixels are inked at one pixel per px, %d at two", a, b)
	}
}

// A tool is where it was when another was taken, and a colour taken with the eraser or the hand is the pen's.
func TestToolsStayWhereTheyAre(t *testing.T) {
	s := start(t)
	p := s.open("a", "")
	spots := func() string {
		return webtest.Eval[string](p, `[...document.querySelectorAll(".dock .bar .press")].map(b => { const r = b.getBoundingClientRect(); return r.x + "," + r.y; }).join(" ")`)
	}
	tool := func() string {
		return webtest.Eval[string](p, `document.querySelector(".dock [data-tool][aria-checked=true]").dataset.tool`)
	}
	want := spots()
	for _, k := range []string{"m", "e", "h"} {
		p.Keys(k)
		if got := spots(); got != want {
			t.Errorf("after %s the tools are at %s, were at %s", k, got, want)
		}
		if k == "m" {
			continue
		}
		webtest.Eval[bool](p, `document.querySelector(".dock .bar [data-hue='5']").click(), true`)
		if got := tool(); got != "pen" {
			t.Errorf("a colour taken after %s is the %s's", k, got)
		}
	}
	p.Keys("e")
	webtest.Eval[bool](p, `document.querySelector(".dock .bar [data-width='2']").click(), true`)
	if got := tool(); got != "eraser" {
		t.Errorf("a width of the eraser takes the %s", got)
	}
}

func TestNamesOfCanvasesAreSpelledOut(t *testing.T) {
	s := start(t)
	for typed, want := range map[string]string{"Grüße an Zoë": "/c/gruesse-an-zoe", "  _plan (2)! ": "/c/plan-2", "Ærø": "/c/aeroe"} {
		p := webtest.Open(t, s.url+"/", webtest.Desktop)
		webtest.Eval[bool](p, `document.querySelector("#make-name").focus(), true`)
		p.Keys(typed + kb.Enter)
		p.Do(chromedp.WaitReady("#stage"))
		if got := webtest.Eval[string](p, `location.pathname`); got != want {
			t.Errorf("%q led to %s, want %s", typed, got, want)
		}
	}
}

func TestAPictureOfTheViewIsSaved(t *testing.T) {
	s := start(t)
	p := s.open("a", "")
	p.Mouse(wave(200, 700, 300, 60, 30)...)
	p.Settled()
	got := webtest.Eval[string](p, `new Promise(done => {
		HTMLAnchorElement.prototype.click = async function () {
			const image = Object.assign(new Image(), { src: this.href });
			await image.decode();
			const ctx = new OffscreenCanvas(image.width, image.height).getContext("2d");
			ctx.drawImage(image, 0, 0);
			const { data } = ctx.getImageData(0, 0, image.width, image.height);
			let dark = 0, clear = 0;
			for (let i = 0; i < data.length; i += 4) { dark += data[i] < 128; clear += data[i + 3] < 255; }
			done([this.download, image.width, image.height, dark > 1000, clear].join(" "));
		};
		dispatchEvent(new KeyboardEvent("keydown", { key: "E", code: "KeyE", ctrlKey: true, shiftKey: true }));
	})`)
	if want := "a.png 1280 800 true 0"; got != want {
		t.Errorf("saved %q, want %q", got, want)
	}
}
