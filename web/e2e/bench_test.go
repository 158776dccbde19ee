package e2e_test

import (
	"context"
	"testing"

	"fractal/exchange/demo"
	"fractal/remote"
	"fractal/web/webtest"
)

// BenchmarkPan moves the overview of the whole Earth (9,000 strokes in view) by some px a frame, and says what a frame costs
// all processes of Chromium and how evenly the page's own frames come.
func BenchmarkPan(b *testing.B) {
	s := start(b)
	target, err := remote.ParseTarget(s.url, "earth")
	if err != nil {
		b.Fatal(err)
	}
	who := remote.Who{Name: "Natural Earth", Key: make([]byte, 32), Session: make([]byte, 16)}
	if _, err := remote.Import(context.Background(), target, who, demo.Earth(), nil, nil); err != nil {
		b.Fatal(err)
	}
	p := s.open("earth", "#v=-1,0,0,1")
	const frames = 120
	for b.Loop() {
		before := p.CPU()
		gaps := webtest.Eval[[]float64](p, js(`(async () => {
			const s = document.querySelector("#stage"), gaps = [];
			let last = await new Promise(requestAnimationFrame);
			for (let i = 0; i < %d; i++) {
				s.dispatchEvent(new WheelEvent("wheel", { deltaX: i %% 60 < 30 ? 7 : -7, deltaY: 3, clientX: 600, clientY: 400, bubbles: true, cancelable: true }));
				const now = await new Promise(requestAnimationFrame);
				gaps.push(now - last);
				last = now;
			}
			return gaps.sort((a, b) => a - b);
		})()`, frames))
		b.ReportMetric(1000*(p.CPU()-before)/frames, "CPU-ms/frame")
		b.ReportMetric(gaps[frames/2], "p50-ms")
		b.ReportMetric(gaps[frames*95/100], "p95-ms")
	}
}
