package e2e_test

import (
	"image/png"
	"os"
	"path/filepath"
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

// The pictures of the README. Without -update only that the scenes can be made is tested.
func TestScreenshots(t *testing.T) {
	s := start(t)
	save := func(p *webtest.Page, name string) {
		t.Helper()
		if !*update {
			return
		}
		webtest.Eval[bool](p, `document.querySelector(".toasts").replaceChildren(), true`)
		dir := filepath.Join("..", "..", "docs", "screenshots")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(filepath.Join(dir, name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := png.Encode(f, p.Screenshot()); err != nil {
			t.Fatal(err)
		}
	}
	ana, ben := s.open("notes", ""), s.open("notes", "")
	name := func(p *webtest.Page, n string, color uint32) {
		webtest.Eval[bool](p, js(`(() => { const k = "fractal.prefs", p = JSON.parse(localStorage.getItem(k)); p.name = %q; p.color = %d; p.greeted = true; localStorage.setItem(k, JSON.stringify(p)); return true; })()`, n, color))
		p.Reload()
		p.Settled()
	}
	name(ana, "Ana", 0x6741d9ff)
	name(ben, "Ben", 0xe8590cff)
	save(ana, "empty")
	sketch(ana, ben)
	ben.Hover(webtest.Point{X: 905, Y: 470})
	ana.Settled()
	ben.Settled()
	save(ana, "canvas")
	ana.Keys("?")
	webtest.Eval[bool](ana, `Promise.all(document.getAnimations().filter(a => a.animationName !== "pulse").map(a => a.finished)).then(() => true)`)
	save(ana, "shortcuts")
	ana.Keys("\x1b")
	phone := s.openOn(webtest.Screen{Width: 390, Height: 780, Scale: 2, Touch: true}, "notes", "")
	phone.Prefer("prefers-color-scheme", "dark")
	phone.Settled()
	save(phone, "phone")
}

// sketch is a small drawing of two hands: a house with a tree, and what is marked about it.
func sketch(ana, ben *webtest.Page) {
	line := func(p *webtest.Page, at ...float64) {
		var points []webtest.Point
		for i := 0; i+3 < len(at); i += 2 {
			for k := range 12 {
				a := float64(k) / 12
				points = append(points, webtest.Point{X: at[i] + (at[i+2]-at[i])*a, Y: at[i+1] + (at[i+3]-at[i+1])*a})
			}
		}
		points = append(points, webtest.Point{X: at[len(at)-2], Y: at[len(at)-1]})
		p.Mouse(points...)
	}
	ana.Keys("p1")
	line(ana, 380, 560, 380, 380, 620, 380, 620, 560, 380, 560)
	line(ana, 350, 390, 500, 260, 650, 390)
	ana.Keys("3")
	line(ana, 470, 560, 470, 470, 530, 470, 530, 560)
	ana.Keys("6")
	line(ana, 410, 420, 450, 420, 450, 455, 410, 455, 410, 420)
	line(ana, 550, 420, 590, 420, 590, 455, 550, 455, 550, 420)
	ana.Keys("5")
	ana.Mouse(wave(180, 1100, 575, 6, 60)...)
	ben.Keys("p5]")
	line(ben, 840, 560, 840, 440)
	ben.Mouse(wave(760, 925, 430, 46, 60)...)
	ben.Mouse(wave(775, 910, 380, 46, 60)...)
	ben.Mouse(wave(795, 890, 335, 36, 60)...)
	ben.Keys("m")
	line(ben, 375, 320, 628, 322)
	ben.Keys("p4[")
	ben.Mouse(wave(980, 1090, 210, 40, 40)...)
	ana.Do(chromedp.KeyEvent("p"))
	ana.Keys("1")
	ana.Settled()
	ben.Settled()
}
