package e2e_test

import (
	"context"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"fractal/exchange/demo"
	"fractal/remote"
	"fractal/web/webtest"
)

// TestScreenshots makes the pictures of the README with -update, and else shows that their scenes can be drawn.
func TestScreenshots(t *testing.T) {
	s := start(t)
	if *update {
		earth(t, s)
	}

	// The same house on two screens.
	house := s.named("notes", "Ana", 0x6741d9ff)
	other := s.named("notes", "Ben", 0xe8590cff)
	sketch(house, other)
	settleAll(house, other)
	other.Hover(webtest.Point{X: 930, Y: 470})
	settleAll(house, other)
	save(t, house, "canvas")
	house.Keys("?")
	save(t, house, "shortcuts")
	house.Keys("\x1b")
	phone := s.openOn(webtest.Screen{Width: 390, Height: 780, Scale: 2, Touch: true}, "notes", "")
	phone.Prefer("prefers-color-scheme", "dark")
	phone.Settled()
	save(t, phone, "phone")
	if n := len(s.strokes("notes")); n != 12 {
		t.Errorf("the sketch is %d strokes, want 12", n)
	}
}

// earth makes the pictures of the world, and of what lies far below.
func earth(t *testing.T, s *site) {
	ana, ben := s.named("earth", "Ana", 0x6741d9ff), s.named("earth", "Ben", 0xe8590cff)
	save(t, ana, "empty")
	target, err := remote.ParseTarget(s.url, "earth")
	if err != nil {
		t.Fatal(err)
	}
	who := remote.Who{Name: "Natural Earth", Key: make([]byte, 32), Session: make([]byte, 16)}
	if _, err := remote.Import(context.Background(), target, who, demo.Earth(), nil, nil); err != nil {
		t.Fatal(err)
	}

	// The world, and two people who talk about it.
	goTo(ana, "#v=-1,0.18,0.08,1.0")
	goTo(ben, "#v=-1,0.18,0.08,1.0")
	ana.Keys("p3")
	ana.Mouse(ring(552, 208, 44, 26)...)
	ana.Mouse(line(420, 90, 470, 120, 512, 172)...)
	ana.Mouse(line(510, 146, 514, 175, 486, 166)...)
	ben.Keys("m")
	ben.Mouse(wave(650, 1075, 352, 16, 60)...)
	ben.Keys("p6")
	ben.Mouse(ring(752, 445, 30, 48)...)
	settleAll(ana, ben)
	ben.Hover(webtest.Point{X: 790, Y: 470})
	settleAll(ana, ben)
	save(t, ana, "world")

	// Far inside of the ink of one line.
	deep := "#v=22,-3b3f2.8,-63c4a.8,1"
	goTo(ana, deep)
	goTo(ben, deep)
	ana.Keys("4]")
	ana.Mouse(spiral(420, 380, 190)...)
	ben.Keys("p6")
	ben.Mouse(spiral(850, 380, 190)...)
	ana.Keys("5[")
	ana.Mouse(wave(250, 1030, 620, 22, 90)...)
	ben.Keys("m5]")
	ben.Mouse(wave(250, 1030, 626, 22, 90)...)
	settleAll(ana, ben)
	ben.Hover(webtest.Point{X: 1040, Y: 560})
	settleAll(ana, ben)
	save(t, ana, "deep")
	ana.Keys("p1")
}

// named opens a canvas as somebody who has been here before.
func (s *site) named(canvas, name string, color uint32) *webtest.Page {
	p := s.open(canvas, "")
	webtest.Eval[bool](p, js(`(() => {
		const k = "fractal.prefs", p = JSON.parse(localStorage.getItem(k));
		[p.name, p.color, p.greeted] = [%q, %d, true];
		localStorage.setItem(k, JSON.stringify(p));
		return true;
	})()`, name, color))
	p.Reload()
	p.Settled()
	return p
}

func goTo(p *webtest.Page, place string) {
	webtest.Eval[bool](p, js(`location.hash = %q, true`, place))
	p.Settled()
}

func settleAll(pages ...*webtest.Page) {
	for range 2 { // what one has settled may be news to another
		for _, p := range pages {
			p.Settled()
		}
	}
}

// save writes what a page shows, with all animations at their end.
func save(t *testing.T, p *webtest.Page, name string) {
	t.Helper()
	if !*update {
		return
	}
	webtest.Eval[bool](p, `document.querySelector(".toasts").replaceChildren(),
		Promise.all(document.getAnimations().filter(a => a.animationName !== "pulse").map(a => a.finished)).then(() => true)`)
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

// line goes through corners as a hand does: in small steps.
func line(at ...float64) []webtest.Point {
	var points []webtest.Point
	for i := 0; i+3 < len(at); i += 2 {
		n := int(math.Hypot(at[i+2]-at[i], at[i+3]-at[i+1])/7) + 1
		for k := range n {
			a := float64(k) / float64(n)
			points = append(points, webtest.Point{X: at[i] + (at[i+2]-at[i])*a, Y: at[i+1] + (at[i+3]-at[i+1])*a})
		}
	}
	return append(points, webtest.Point{X: at[len(at)-2], Y: at[len(at)-1]})
}

func ring(x, y, rx, ry float64) []webtest.Point {
	var points []webtest.Point
	for i := range 50 {
		a := 2*math.Pi*float64(i)/46 - 1
		points = append(points, webtest.Point{X: x + rx*math.Cos(a), Y: y + ry*math.Sin(a)})
	}
	return points
}

func spiral(x, y, r float64) []webtest.Point {
	var points []webtest.Point
	const n = 260
	for i := range n {
		a := math.Sqrt(float64(i) / n) // even steps
		points = append(points, webtest.Point{X: x + r*a*math.Cos(22*a), Y: y + r*a*math.Sin(22*a)})
	}
	return points
}

// sketch is a small drawing of two hands: a house with a tree.
func sketch(ana, ben *webtest.Page) {
	ana.Keys("p1")
	ana.Mouse(line(380, 560, 380, 380, 620, 380, 620, 560, 380, 560)...)
	ana.Mouse(line(350, 390, 500, 260, 650, 390)...)
	ana.Keys("3")
	ana.Mouse(line(470, 560, 470, 470, 530, 470, 530, 560)...)
	ana.Keys("6")
	ana.Mouse(line(410, 420, 450, 420, 450, 455, 410, 455, 410, 420)...)
	ana.Mouse(line(550, 420, 590, 420, 590, 455, 550, 455, 550, 420)...)
	ana.Keys("5")
	ana.Mouse(wave(180, 1100, 575, 6, 60)...)
	ben.Keys("p5]")
	ben.Mouse(line(840, 560, 840, 440)...)
	ben.Mouse(wave(760, 925, 430, 46, 60)...)
	ben.Mouse(wave(775, 910, 380, 46, 60)...)
	ben.Mouse(wave(795, 890, 335, 36, 60)...)
	ben.Keys("[4")
	ben.Mouse(spiral(1030, 190, 55)...)
	ben.Keys("m")
	ben.Mouse(line(376, 322, 628, 324)...)
	ana.Keys("p1")
}
