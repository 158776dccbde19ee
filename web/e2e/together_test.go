package e2e_test

import (
	"image"
	"sync/atomic"
	"testing"

	"fractal/web/webtest"

	"github.com/chromedp/chromedp"
)

func TestTwoPagesConverge(t *testing.T) {
	s := start(t)
	ana, ben := s.open("a", ""), s.open("a", "")
	ana.Mouse(wave(200, 700, 250, 60, 30)...)
	ben.Keys("m")
	ben.Mouse(wave(250, 650, 260, 40, 30)...)
	ben.Keys("p5")
	ben.Mouse(wave(300, 900, 330, -80, 30)...)
	ana.Settled()
	ana.Keys("e")
	ana.Mouse(wave(400, 420, 400, 200, 30)...)
	ana.Settled()
	ben.Settled()
	alike(t, ana, ben)
	late := s.open("a", "")
	alike(t, ben, late)
	if n := len(s.strokes("a")); n != 4 {
		t.Errorf("%d strokes were logged, want 4", n)
	}
}

// Another person sees the ink before the hand is lifted, and whose it is.
func TestOthersSeeWetInkAndCursor(t *testing.T) {
	s := start(t)
	ana, ben := s.open("a", ""), s.open("a", "")
	webtest.Eval[bool](ben, `document.body.classList.add("zen"), true`)
	ana.Down(webtest.Point{X: 300, Y: 300})
	for _, at := range wave(300, 600, 300, 0, 20) {
		ana.Move(at)
	}
	for i := 0; inked(ben.Screenshot(), box(320, 295, 500, 305)) < 300; i++ {
		if i == looks {
			t.Fatal("Ben sees no wet ink")
		}
	}
	name := webtest.Eval[string](ana, `JSON.parse(localStorage.getItem("fractal.prefs")).name`)
	ben.Wait(js(`[...document.querySelectorAll(".avatar")].some(a => a.title.startsWith(%q))`, name))
	ana.Keys("\x1b")
	ana.Up(webtest.Point{X: 600, Y: 300})
	ana.Hover(toolbar)
	if _, gone := comes(ben, func(img *image.NRGBA) bool { return inked(img, box(280, 280, 620, 320)) == 0 }); !gone {
		t.Error("a dropped stroke stays with Ben")
	}
}

func TestUndoIsOnesOwn(t *testing.T) {
	s := start(t)
	ana, ben := s.open("a", ""), s.open("a", "")
	ana.Mouse(wave(200, 700, 200, 0, 20)...)
	ana.Settled()
	for i := range 5 {
		ben.Mouse(wave(200, 700, 300+30*float64(i), 0, 10)...)
	}
	ben.Settled()
	ana.Settled()
	ana.Keys("z", chromedp.ModifierCtrl)
	ana.Wait(`document.querySelector("[data-act=redo]").getAttribute("aria-disabled") === "false"`)
	ana.Hover(toolbar)
	if n := len(s.strokes("a")); n != 5 {
		t.Errorf("%d strokes are left, want Ben's 5", n)
	}
	img, gone := comes(ben, func(img *image.NRGBA) bool { return inked(img, box(190, 190, 710, 210)) == 0 })
	if !gone {
		t.Error("Ben still sees Ana's stroke")
	}
	if n := inked(img, box(190, 290, 710, 310)); n == 0 {
		t.Error("Ben's own stroke is gone")
	}
	ana.Keys("y", chromedp.ModifierCtrl)
	ana.Wait(`document.querySelector("[data-act=undo]").getAttribute("aria-disabled") === "false"`)
	ana.Settled()
	if n := len(s.strokes("a")); n != 6 {
		t.Errorf("%d strokes after redo, want 6", n)
	}
	alike(t, ana, ben)
}

// The wire is cut in the middle of a stroke and mended before its end: it is one stroke, whole, for everybody.
func TestReconnectInTheMiddleOfAStroke(t *testing.T) {
	s := start(t)
	ana, ben := s.open("a", ""), s.open("a", "")
	forgiving(ana)
	forgiving(ben)
	way := wave(200, 900, 300, 80, 60)
	ana.Down(way[0])
	for i, at := range way[1:] {
		ana.Move(at)
		if i == 20 {
			to := s.wire.target()
			s.wire.cut()
			offline(ana)
			s.wire.lead(to)
		}
	}
	ana.Up(way[len(way)-1])
	online(ana)
	online(ben)
	ana.Settled()
	ben.Settled()
	if n := len(s.strokes("a")); n != 1 {
		t.Errorf("%d strokes were logged, want 1", n)
	}
	alike(t, ana, ben)
}

// What is drawn without a connection is kept, said to be, and sent once, also when the page was loaded again meanwhile.
func TestOfflineStrokesAreSentOnce(t *testing.T) {
	s := start(t)
	p := s.open("a", "")
	forgiving(p)
	to := s.wire.target()
	s.wire.cut()
	offline(p)
	p.Mouse(wave(200, 700, 200, 40, 20)...)
	p.Mouse(wave(200, 700, 400, 40, 20)...)
	p.Wait(`/2 kept here/.test(document.querySelector(".state").textContent)`)
	s.wire.lead(to)
	online(p)
	p.Wait(`document.querySelector(".state").textContent === ""`)
	p.Settled()
	if n := len(s.strokes("a")); n != 2 {
		t.Errorf("%d strokes were logged, want 2", n)
	}
	q := s.open("a", "")
	alike(t, p, q)
}

// A server that is stopped and started again with the same folder has everything anybody was shown as saved.
func TestServerRestart(t *testing.T) {
	w := newWire(t)
	s := &site{t: t, url: "http://" + w.addr(), wire: w, full: new(atomic.Bool)}
	dir := t.TempDir()
	stop := s.serve(dir)
	p := s.open("a", "")
	forgiving(p)
	p.Mouse(wave(200, 700, 200, 40, 20)...)
	p.Settled()
	stop()
	offline(p)
	p.Mouse(wave(200, 700, 400, 40, 20)...)
	s.serve(dir)
	online(p)
	p.Wait(`document.querySelector(".state").textContent === ""`)
	p.Settled()
	if n := len(s.strokes("a")); n != 2 {
		t.Errorf("%d strokes after the restart, want 2", n)
	}
	alike(t, p, s.open("a", ""))
}

// On a full disk the page says that the canvas is read only, keeps what is drawn, and saves it when there is room again.
func TestAFullDiskLosesNothing(t *testing.T) {
	s := start(t)
	ana, ben := s.open("a", ""), s.open("a", "")
	s.full.Store(true)
	ana.Mouse(wave(200, 700, 300, 60, 30)...)
	const banner = `!document.querySelector(".banner").hidden`
	ana.Wait(banner)
	ben.Wait(banner)
	ana.Wait(`document.querySelector(".state").textContent.startsWith("saving")`)
	if n := len(s.strokes("a")); n != 0 {
		t.Errorf("%d strokes were logged on a full disk", n)
	}
	s.full.Store(false)
	ana.Wait(`document.querySelector(".banner").hidden`)
	ana.Wait(`document.querySelector(".state").textContent === ""`)
	ana.Settled()
	if n := len(s.strokes("a")); n != 1 {
		t.Errorf("%d strokes were logged when there was room again, want 1", n)
	}
	alike(t, ana, ben)
}

func TestPaperBelongsToTheCanvas(t *testing.T) {
	s := start(t)
	ana, ben := s.open("a", ""), s.open("a", "")
	ana.Keys(",", chromedp.ModifierCtrl)
	webtest.Eval[bool](ana, `document.querySelector("dialog [title=Night]").click(), document.querySelector("dialog").close(), true`)
	ben.Wait(`document.querySelector(".dock .bar [data-hue='0']").getAttribute("aria-label") === "White"`)
	ana.Settled()
	ben.Settled()
	if img, dark := comes(ben, func(img *image.NRGBA) bool { return img.NRGBAAt(640, 100).R < 40 }); !dark {
		t.Errorf("Ben's paper is %s", webtest.Hex(img.NRGBAAt(640, 100)))
	}
	alike(t, ana, ben)
}
