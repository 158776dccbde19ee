package e2e_test

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"fractal/web/webtest"
)

// explore opens a canvas as the start page's button does: it is the complex plane. There 256 px are 1, and the middle is -3/4.
func (s *site) explore() *webtest.Page {
	s.t.Helper()
	p := s.open("set", "?mandelbrot")
	p.Wait(`location.search === ""`)
	p.Settled()
	return p
}

func TestTheStartPageLeadsToTheMandelbrotSet(t *testing.T) {
	s := start(t)
	home := webtest.Open(t, s.url+"/", webtest.Desktop)
	if !webtest.Eval[bool](home, `document.querySelector("#explore").offsetParent !== null`) {
		t.Error("the start page has no such button")
	}
	p := s.explore()
	img := picture(p)
	at := func(re, im float64) [3]uint32 {
		r, g, b, _ := img.At(640+int((re+0.75)*256), 400-int(im*256)).RGBA()
		return [3]uint32{r >> 8, g >> 8, b >> 8}
	}
	for _, c := range [][2]float64{{0, 0}, {-1, 0}, {-0.12, 0.74}, {0.2, -0.3}} {
		if got := at(c[0], c[1]); got != [3]uint32{} {
			t.Errorf("%v is %v, want black: it is in the set", c, got)
		}
	}
	for _, c := range [][2]float64{{0.5, 0.5}, {-2.1, 0.3}, {-0.75, 1.2}} {
		if got := at(c[0], c[1]); got == [3]uint32{} || got == [3]uint32{255, 255, 255} {
			t.Errorf("%v is %v, want a colour: it is not in the set", c, got)
		}
	}
	// Ink lies above, and everybody sees the same.
	p.Mouse(wave(500, 900, 100, 20, 40)...)
	p.Reload() // takes the cursor away
	other := s.open("set", "")
	webtest.Same(t, picture(other), picture(p), 0)
}

// Whoever holds the key falls towards -2, the tip of the needle, and sees the set in every frame.
func TestHoldingTheKeyForSixtyDoublingsLeavesNoFrameBlank(t *testing.T) {
	s := start(t)
	p := s.explore()
	type seen struct {
		Frames, Blank int
		P95           float64
		Level         string
	}
	got := webtest.Eval[seen](p, `new Promise((done) => {
		const stage = document.querySelector("#stage");
		const dry = document.querySelector("#dry");
		const read = () => Number(document.querySelector(".read").dataset.level.replace("−", "-"));
		const small = new OffscreenCanvas(32, 20);
		const ctx = small.getContext("2d", { willReadFrequently: true });
		ctx.imageSmoothingEnabled = false;
		stage.dispatchEvent(new PointerEvent("pointermove", { clientX: 320, clientY: 400, pointerId: 1, pointerType: "mouse", bubbles: true }));
		dispatchEvent(new KeyboardEvent("keydown", { key: "i", code: "KeyI", bubbles: true }));
		let frames = 0, blank = 0, last = performance.now();
		const times = [];
		const frame = (now) => {
			times.push(now - last);
			last = now;
			ctx.clearRect(0, 0, 32, 20);
			ctx.drawImage(dry, 0, 0, 32, 20);
			const d = ctx.getImageData(0, 0, 32, 20).data;
			let white = 0;
			for (let i = 0; i < d.length; i += 4) if (d[i + 3] === 0 || (d[i] === 255 && d[i + 1] === 255 && d[i + 2] === 255)) white++;
			frames++;
			if (white > 0) blank++;
			if (read() < 60) return requestAnimationFrame(frame);
			dispatchEvent(new KeyboardEvent("keyup", { key: "i", code: "KeyI", bubbles: true }));
			times.sort((a, b) => a - b);
			done({ Frames: frames, Blank: blank, P95: times[Math.floor(times.length * 0.95)], Level: document.querySelector(".read").dataset.level });
		};
		requestAnimationFrame(frame);
	})`)
	t.Logf("%d frames to 2^%s, %d with a blank, 95 of 100 within %.1f ms", got.Frames, got.Level, got.Blank, got.P95)
	if got.Blank > 0 || got.Frames < 60 {
		t.Errorf("%d of %d frames have a blank", got.Blank, got.Frames)
	}
	p.Settled()
	if n := inked(picture(p), box(0, 0, 1280, 800)); n == 0 {
		t.Error("at the end there is nothing to see")
	}
}

// Where one is can be copied exactly, and a pasted location is flown to.
func TestLocationsAreShownAndFlownTo(t *testing.T) {
	s := start(t)
	p := s.explore()
	facts := func() []string {
		webtest.Eval[bool](p, `dispatchEvent(new KeyboardEvent("keydown", { key: "c", code: "KeyC", bubbles: true })), true`)
		p.Wait(`document.querySelectorAll(".facts dd button").length === 4`)
		f := webtest.Eval[[]string](p, `[...document.querySelectorAll(".facts dd button")].map((b) => b.dataset.value)`)
		webtest.Eval[bool](p, `document.querySelector("dialog").close(), true`)
		return f
	}
	if f := facts(); f[0] != "-0.75" || f[1] != "0" {
		t.Errorf("the page says it is at %q", f)
	}
	const kfr = "Re: -1.74876455\nIm: 0.00000001\nZoom: 1e60\nIterations: 1000\n"
	webtest.Eval[bool](p, js(`(() => {
		const d = new DataTransfer();
		d.setData("text/plain", %q);
		dispatchEvent(new ClipboardEvent("paste", { clipboardData: d, bubbles: true }));
		return true;
	})()`, kfr))
	p.Wait(`Number(document.querySelector(".read").dataset.level) > 190`)
	p.Settled()
	f := facts()
	if len(f[0]) < 60 || f[0][:12] != "-1.748764549" && f[0][:11] != "-1.74876455" || f[2][:2] != "1." && f[2][:2] != "9." {
		t.Errorf("after the flight it says %.80q", f)
	}
	// Nonsense is answered with a sentence, and nothing moves.
	before := place(p)
	webtest.Eval[bool](p, `(() => {
		const d = new DataTransfer();
		d.setData("text/plain", "Re: over there\nIm: 0\nZoom: 1\n");
		dispatchEvent(new ClipboardEvent("paste", { clipboardData: d, bubbles: true }));
		return true;
	})()`)
	p.Wait(`document.body.textContent.includes("over there")`)
	p.Forgive("422")
	if after := place(p); after != before {
		t.Errorf("nonsense moved the view from %.60s to %.60s", before, after)
	}
}

func TestTheJuliaSetOfAPointIsPutOnTheCanvas(t *testing.T) {
	s := start(t)
	p := s.explore()
	before := picture(p)
	webtest.Eval[bool](p, `dispatchEvent(new KeyboardEvent("keydown", { key: "c", code: "KeyC", bubbles: true })), true`)
	p.Wait(`[...document.querySelectorAll("dialog button")].some((b) => b.textContent.startsWith("Put the Julia set"))`)
	webtest.Eval[bool](p, `[...document.querySelectorAll("dialog button")].find((b) => b.textContent.startsWith("Put the Julia set")).click(), true`)
	p.Settled()
	after := picture(p)
	d, _ := webtest.Compare(after, before, 24)
	if d.Pixels < 10_000 { // of 320 × 320
		t.Errorf("only %d pixels changed", d.Pixels)
	}
	webtest.Eval[bool](p, `dispatchEvent(new KeyboardEvent("keydown", { key: "z", code: "KeyZ", ctrlKey: true, bubbles: true })), true`)
	p.Settled()
	webtest.Same(t, picture(p), before, 0)
}

// Colours are tried on one page, given to the place for everybody, and move with nothing more being sent.
func TestColoursOfAPlaceAreTriedGivenAndMove(t *testing.T) {
	s := start(t)
	p := s.explore()
	other := s.open("set", "")
	before := picture(p)
	webtest.Eval[bool](p, `dispatchEvent(new KeyboardEvent("keydown", { key: "c", code: "KeyC", bubbles: true })), true`)
	button := func(text string) {
		t.Helper()
		p.Wait(js(`[...document.querySelectorAll("dialog button")].some((b) => b.textContent.startsWith(%q))`, text))
		webtest.Eval[bool](p, js(`[...document.querySelectorAll("dialog button")].find((b) => b.textContent.startsWith(%q)).click(), true`, text))
	}
	set := func(selector, value string) {
		t.Helper()
		webtest.Eval[bool](p, js(`(() => {
			const e = document.querySelector(%q);
			e.value = %q;
			e.dispatchEvent(new Event(e.tagName === "SELECT" ? "change" : "input", { bubbles: true }));
			return true;
		})()`, selector, value))
	}
	button("Colours…")
	p.Wait(`document.querySelectorAll("dialog.colours .stop").length === 5`)
	set(".colours .stop input", "#ff0000")
	set("#inside", "#00ff00")
	green := func(p *webtest.Page) bool {
		r, g, b, _ := picture(p).At(640, 400).RGBA() // −3/4
		return r>>8 == 0 && g>>8 == 255 && b>>8 == 0
	}
	for n := 0; !green(p); n++ {
		if n == 50 {
			t.Fatal("what is tried is not seen")
		}
	}
	if f, err := os.Create(filepath.Join(t.ArtifactDir(), "colours.png")); err == nil {
		_ = png.Encode(f, p.Screenshot())
		_ = f.Close()
	}
	webtest.Same(t, picture(other), before, 0) // nobody else sees what is tried
	button("Give them")
	p.Settled()
	other.Settled()
	for n := 0; !green(other) || !green(p); n++ {
		if n == 50 {
			t.Fatal("what was given is not seen by both")
		}
		other.Settled()
	}

	// They move: two frames apart the picture is another one, on a page that gets nothing from the server.
	webtest.Eval[bool](p, `dispatchEvent(new KeyboardEvent("keydown", { key: "c", code: "KeyC", bubbles: true })), true`)
	button("Colours…")
	set("#speed", "16384")
	button("Give them")
	p.Settled()
	first := picture(other)
	for n := 0; ; n++ {
		if d, _ := webtest.Compare(picture(other), first, 24); d.Pixels > 10_000 {
			break
		}
		if n == 200 {
			t.Fatal("the colours do not move")
		}
	}
}
