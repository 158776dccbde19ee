package webtest

import (
	"cmp"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// Point is a place in the page in CSS px.
type Point struct{ X, Y float64 }

// Mouse presses the left button at the first point, moves through the others and lets go at the last.
func (p *Page) Mouse(points ...Point) {
	p.t.Helper()
	p.Down(points[0])
	for _, at := range points[1:] {
		p.Move(at)
	}
	p.Up(points[len(points)-1])
}

// Down presses the left button of the mouse; Move moves it (dragging while it is down), Up lets go.
func (p *Page) Down(at Point) {
	p.t.Helper()
	p.button(input.DispatchMouseEventTypeMousePressed, at, 1)
}

// Move moves the mouse with the left button down.
func (p *Page) Move(at Point) { p.t.Helper(); p.button(input.DispatchMouseEventTypeMouseMoved, at, 1) }

// Up lets go of the left button.
func (p *Page) Up(at Point) { p.t.Helper(); p.button(input.DispatchMouseEventTypeMouseReleased, at, 0) }

func (p *Page) button(kind input.DispatchMouseEventType, at Point, buttons int64) {
	p.t.Helper()
	p.DispatchMouse(input.DispatchMouseEventParams{Type: kind, X: at.X, Y: at.Y, Button: input.MouseButtonLeft,
		Buttons: buttons, ClickCount: 1})
}

// Hover moves the mouse with no button down.
func (p *Page) Hover(at Point) {
	p.t.Helper()
	p.DispatchMouse(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: at.X, Y: at.Y})
}

// Wheel turns the wheel; modifiers as in CDP: Alt=1, Ctrl=2, Meta=4, Shift=8.
func (p *Page) Wheel(at Point, dx, dy float64, modifiers int64) {
	p.t.Helper()
	const none = 1e-9 // a delta of 0 would be left out of the message, and Chromium refuses that
	p.DispatchMouse(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, X: at.X, Y: at.Y,
		DeltaX: cmp.Or(dx, none), DeltaY: cmp.Or(dy, none), Modifiers: modifiers})
}

// PenPoint is one report of a pen.
type PenPoint struct {
	X, Y, Force  float64
	TiltX, TiltY float64
}

// Pen draws with a pen: down at the first point, up at the last.
func (p *Page) Pen(points ...PenPoint) {
	p.t.Helper()
	for i, at := range points {
		e := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: at.X, Y: at.Y, Button: input.MouseButtonLeft,
			Buttons: 1, Force: at.Force, TiltX: at.TiltX, TiltY: at.TiltY, PointerType: input.DispatchMouseEventPointerTypePen}
		if i == 0 {
			e.Type, e.ClickCount = input.DispatchMouseEventTypeMousePressed, 1
		}
		p.DispatchMouse(e)
		if i == len(points)-1 {
			e.Type, e.Buttons, e.Force, e.ClickCount = input.DispatchMouseEventTypeMouseReleased, 0, 0, 1
			p.DispatchMouse(e)
		}
	}
}

// DispatchMouse sends any mouse or pen event.
func (p *Page) DispatchMouse(e input.DispatchMouseEventParams) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, input.DispatchMouseEvent, e); err != nil {
		p.t.Fatal(err)
	}
}

// Touch reports all fingers on the screen, in their order; none: the last has left. The first report after none is a
// start, a report with more or fewer fingers than before starts or ends some, others are moves.
func (p *Page) Touch(fingers ...Point) {
	p.t.Helper()
	e := input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchMove, TouchPoints: []*input.TouchPoint{}}
	switch {
	case len(fingers) > p.fingers:
		e.Type = input.DispatchTouchEventTypeTouchStart
	case len(fingers) < p.fingers:
		e.Type = input.DispatchTouchEventTypeTouchEnd
	}
	p.fingers = len(fingers)
	for i, f := range fingers {
		id := float64(i)
		e.TouchPoints = append(e.TouchPoints, &input.TouchPoint{X: f.X, Y: f.Y, ID: &id})
	}
	if _, err := chromedp.Call(p.ctx, input.DispatchTouchEvent, e); err != nil {
		p.t.Fatal(err)
	}
}

// Keys types text; for keys without a letter use the names of chromedp's kb package.
func (p *Page) Keys(keys string, modifiers ...chromedp.Modifier) {
	p.t.Helper()
	p.Do(chromedp.KeyEvent(keys, chromedp.KeyModifiers(modifiers...)))
}
