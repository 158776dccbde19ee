package e2e_test

import (
	"testing"

	"fractal/web/webtest"

	"github.com/chromedp/chromedp"
)

func TestMouseDraws(t *testing.T) {
	s := start(t)
	p := s.open("a", "")
	p.Mouse(wave(200, 700, 300, 60, 30)...)
	p.Settled()
	all := s.strokes("a")
	if len(all) != 1 {
		t.Fatalf("%d strokes were logged, want 1", len(all))
	}
	if n := len(all[0].Points) / 2; n < 100 || n > 600 {
		t.Errorf("a stroke of some 550 px has %d samples", n)
	}
	if all[0].Brush != "pen" || all[0].Color != "#1e1e1eff" {
		t.Errorf("drawn with %s in %s", all[0].Brush, all[0].Color)
	}
	if n := inked(picture(p), box(190, 230, 710, 370)); n < 1500 {
		t.Errorf("%d pixels are inked", n)
	}
}

func TestAClickIsADot(t *testing.T) {
	s := start(t)
	p := s.open("a", "")
	p.Mouse(webtest.Point{X: 400, Y: 400})
	p.Settled()
	if all := s.strokes("a"); len(all) != 1 || len(all[0].Points) != 2 {
		t.Errorf("logged %+v, want one stroke of one point", all)
	}
	if n := inked(picture(p), box(390, 390, 410, 410)); n < 6 {
		t.Errorf("%d pixels are inked", n)
	}
}

func TestPenDrawsItsPressure(t *testing.T) {
	s := start(t)
	p := s.open("a", "")
	p.Keys("]]") // wide enough to tell
	var points []webtest.PenPoint
	for i, at := range wave(200, 700, 300, 0, 50) {
		points = append(points, webtest.PenPoint{X: at.X, Y: at.Y, Force: 0.05 + 0.9*float64(i)/49})
	}
	p.Pen(points...)
	p.Settled()
	all := s.strokes("a")
	if len(all) != 1 || len(all[0].Widths) == 0 {
		t.Fatalf("logged %d strokes, with widths of their own: %v", len(all), len(all) == 1 && len(all[0].Widths) > 0)
	}
	w := all[0].Widths
	if first, last := w[0], w[len(w)-1]; last < 2.5*first {
		t.Errorf("it is %.2f px wide where the pen pressed 5 %%, %.2f px where it pressed 95 %%", first, last)
	}
	img := picture(p)
	thin, thick := inked(img, box(230, 270, 231, 330)), inked(img, box(680, 270, 681, 330))
	if thick < thin+4 {
		t.Errorf("on the screen it is %d px wide at first, %d px at last", thin, thick)
	}
}

// After a pen has touched, fingers move the canvas, and a button says so and ends it.
func TestPenModeAndItsExit(t *testing.T) {
	s := start(t)
	p := s.openOn(webtest.Screen{Width: 900, Height: 700, Scale: 1, Touch: true}, "a", "")
	p.Pen(webtest.PenPoint{X: 300, Y: 300, Force: 0.5}, webtest.PenPoint{X: 320, Y: 320, Force: 0.5})
	p.Wait(`[...document.querySelectorAll(".chip")].some(c => !c.hidden)`)
	before := place(p)
	p.Touch(webtest.Point{X: 500, Y: 400})
	p.Touch(webtest.Point{X: 530, Y: 420})
	p.Touch(webtest.Point{X: 600, Y: 450})
	p.Touch()
	if after := place(p); after == before {
		t.Error("the finger did not move the canvas")
	}
	if n := len(s.strokes("a")); n != 1 {
		t.Errorf("%d strokes after pen and finger, want the pen's", n)
	}
	webtest.Eval[bool](p, `document.querySelector(".chip button").click(), true`)
	p.Touch(webtest.Point{X: 500, Y: 400})
	p.Touch(webtest.Point{X: 540, Y: 420})
	p.Touch()
	p.Settled()
	if n := len(s.strokes("a")); n != 2 {
		t.Errorf("%d strokes after leaving pen mode, want 2", n)
	}
}

func TestFingerDrawsAndFingersDoNot(t *testing.T) {
	s := start(t)
	p := s.openOn(webtest.Screen{Width: 390, Height: 780, Scale: 2, Touch: true}, "a", "")
	for _, at := range wave(80, 300, 300, 40, 20) {
		p.Touch(at)
	}
	p.Touch()
	p.Settled()
	if n := len(s.strokes("a")); n != 1 {
		t.Fatalf("%d strokes after one finger drew, want 1", n)
	}
	before := place(p)
	for i := range 12 {
		d := float64(8 * i)
		p.Touch(webtest.Point{X: 190 - d, Y: 400}, webtest.Point{X: 210 + d, Y: 400})
	}
	p.Touch(webtest.Point{X: 102, Y: 400}) // one finger stays a moment longer
	p.Touch()
	if after := place(p); after == before {
		t.Error("the pinch did not zoom")
	}
	// A stroke that becomes a pinch is none either.
	p.Touch(webtest.Point{X: 100, Y: 200})
	p.Touch(webtest.Point{X: 150, Y: 220})
	p.Touch(webtest.Point{X: 150, Y: 220}, webtest.Point{X: 250, Y: 500})
	p.Touch(webtest.Point{X: 140, Y: 220}, webtest.Point{X: 260, Y: 520})
	p.Touch()
	p.Settled()
	if n := len(s.strokes("a")); n != 1 {
		t.Errorf("%d strokes after pinching, want 1", n)
	}
}

func TestTwoFingersTapUndoAndThreeRedo(t *testing.T) {
	s := start(t)
	p := s.openOn(webtest.Screen{Width: 390, Height: 780, Scale: 2, Touch: true}, "a", "")
	p.Touch(webtest.Point{X: 100, Y: 300})
	p.Touch(webtest.Point{X: 200, Y: 300})
	p.Touch()
	p.Settled()
	a, b, c := webtest.Point{X: 100, Y: 400}, webtest.Point{X: 200, Y: 410}, webtest.Point{X: 300, Y: 400}
	p.Touch(a, b)
	p.Touch()
	p.Wait(`document.querySelector("[data-act=redo]").getAttribute("aria-disabled") === "false"`)
	if n := len(s.strokes("a")); n != 0 {
		t.Errorf("%d strokes after undo, want 0", n)
	}
	p.Touch(a, b, c)
	p.Touch()
	p.Wait(`document.querySelector("[data-act=redo]").getAttribute("aria-disabled") === "true"`)
	if n := len(s.strokes("a")); n != 1 {
		t.Errorf("%d strokes after redo, want 1", n)
	}
}

func TestHighlighterIsTranslucentOnceAndEraserErases(t *testing.T) {
	s := start(t)
	p := s.open("a", "")
	p.Keys("m")
	p.Mouse(webtest.Point{X: 200, Y: 300}, webtest.Point{X: 500, Y: 300}, webtest.Point{X: 500, Y: 300.5}, webtest.Point{X: 200, Y: 300.5}) // over itself
	p.Settled()
	img := picture(p)
	if c := img.NRGBAAt(350, 300); c.B < 100 || c.B > 220 || c.R < 240 {
		t.Errorf("where the highlighter crossed itself it is %s: want it filled once", webtest.Hex(c))
	}
	p.Keys("e")
	p.Down(webtest.Point{X: 350, Y: 250})
	for y := 250.0; y <= 360; y += 5 {
		p.Move(webtest.Point{X: 350, Y: y})
	}
	// While the eraser is down what will go is gone already.
	p.Wait(js(`new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))`))
	if n := inked(p.Screenshot(), box(347, 290, 354, 310)); n != 0 {
		t.Errorf("%d inked pixels under the moving eraser", n)
	}
	p.Up(webtest.Point{X: 350, Y: 360})
	img = picture(p)
	if n := inked(img, box(347, 290, 354, 310)); n != 0 {
		t.Errorf("%d inked pixels where the eraser was", n)
	}
	if n := inked(img, box(300, 290, 320, 310)); n == 0 {
		t.Error("the eraser took more than it touched")
	}
}

// Own ink is on the screen in the frame of the pointer event: the page itself paints it, before the worker or the server
// know. Here the wire is cut.
func TestOwnInkNeedsNobody(t *testing.T) {
	s := start(t)
	p := s.open("a", "")
	forgiving(p)
	to := s.wire.target()
	s.wire.cut()
	offline(p)
	p.Down(webtest.Point{X: 200, Y: 300})
	for _, at := range wave(200, 500, 300, 0, 20) {
		p.Move(at)
	}
	got := webtest.Eval[int](p, `new Promise(r => requestAnimationFrame(() => {
		const c = document.querySelector("#wet"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
		let n = 0;
		for (let i = 3; i < d.length; i += 4) n += d[i] > 0;
		r(n);
	}))`)
	if got < 600 {
		t.Errorf("%d pixels of wet ink for a line of 300 px", got)
	}
	p.Up(webtest.Point{X: 500, Y: 300})
	s.wire.lead(to)
	online(p)
	p.Settled()
	if n := webtest.Eval[int](p, `document.querySelector("#wet").getContext("2d").getImageData(0, 0, 1280, 800).data.filter((v, i) => i % 4 === 3 && v > 0).length`); n != 0 {
		t.Errorf("%d pixels of wet ink are left when it is dry", n)
	}
}

func TestEscapeDropsTheStroke(t *testing.T) {
	s := start(t)
	p := s.open("a", "")
	p.Down(webtest.Point{X: 200, Y: 300})
	p.Move(webtest.Point{X: 300, Y: 300})
	p.Move(webtest.Point{X: 400, Y: 320})
	p.Keys("\x1b")
	p.Up(webtest.Point{X: 400, Y: 320})
	p.Settled()
	if n := len(s.strokes("a")); n != 0 {
		t.Errorf("%d strokes were logged", n)
	}
	if n := inked(picture(p), box(150, 250, 450, 350)); n != 0 {
		t.Errorf("%d pixels of it are left", n)
	}
}

func TestWidthsAndColoursFromTheBar(t *testing.T) {
	s := start(t)
	p := s.open("a", "")
	for _, key := range []string{"3", "]"} {
		p.Keys(key)
	}
	p.Mouse(wave(200, 400, 300, 0, 10)...)
	webtest.Eval[bool](p, `document.querySelector(".dock .bar [data-hue='5']").click(), document.querySelector(".dock .bar [data-width='0']").click(), true`)
	p.Mouse(wave(200, 400, 400, 0, 10)...)
	p.Settled()
	all := s.strokes("a")
	if len(all) != 2 || all[0].Color != "#e03131ff" || all[1].Color != "#1971c2ff" {
		t.Fatalf("logged %+v", all)
	}
	if all[0].Widths[0] < 3*all[1].Widths[0] {
		t.Errorf("large is %.1f px, small %.1f px", all[0].Widths[0], all[1].Widths[0])
	}
	p.Reload()
	p.Settled()
	if got := webtest.Eval[string](p, `document.querySelector(".dock .bar [data-hue][aria-checked=true]").dataset.hue`); got != "5" {
		t.Errorf("after loading the page again colour %s is in hand, want 5", got)
	}
}

func TestSpaceMiddleAndRightButtonMove(t *testing.T) {
	s := start(t)
	p := s.open("a", "")
	before := place(p)
	down := func(button string, buttons int64) {
		webtest.Eval[bool](p, js(`(() => {
			const s = document.querySelector("#stage");
			const go = (type, x, b) => s.dispatchEvent(new PointerEvent(type, { pointerId: 7, pointerType: "mouse", clientX: x, clientY: 300, button: type === "pointermove" ? -1 : %s, buttons: b, bubbles: true }));
			go("pointerdown", 300, %d); go("pointermove", 340, %d); go("pointermove", 380, %d); go("pointerup", 380, 0);
			return true;
		})()`, button, buttons, buttons, buttons))
	}
	for _, b := range []struct {
		name, button string
		buttons      int64
	}{{"middle", "1", 4}, {"right", "2", 2}} {
		down(b.button, b.buttons)
		after := place(p)
		if after == before {
			t.Errorf("the %s button did not move the canvas", b.name)
		}
		before = after
	}
	p.Do(chromedp.KeyEvent("h"))
	p.Mouse(wave(300, 400, 300, 0, 5)...)
	if after := place(p); after == before {
		t.Error("the hand did not move the canvas")
	}
	if n := len(s.strokes("a")); n != 0 {
		t.Errorf("%d strokes were drawn", n)
	}
}
