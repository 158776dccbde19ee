package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"fractal/ink"
	"fractal/raster"
	"fractal/tile"
	"fractal/web"
	"fractal/web/webtest"
	"fractal/wire"

	"github.com/coder/websocket"
	"github.com/evanw/esbuild/pkg/api"
	"google.golang.org/protobuf/proto"
)

// fakeRoom answers a page as a room would: everything as strokes, one cycle a pull. It notes what the page says.
type fakeRoom struct {
	t testing.TB

	mu      sync.Mutex // guards all below
	strokes []*ink.Stroke
	said    []*wire.ClientMessage
	conns   []*fakeConn
	deaf    bool // ops get no answer
	mute    bool // pulls get no answer

	// Terminals: which there are, and what is new of one since what a page holds, nil if nothing is.
	terms []*wire.TermItem
	frame func(*wire.TermWant) *wire.TermFrame
	rows  func(*wire.HistoryAsk) *wire.TermAnswer
}

type fakeConn struct {
	room   *fakeRoom
	ws     *websocket.Conn
	view   *wire.View
	held   map[uint32]uint64
	terms  map[uint64]*wire.TermWant // what it holds of terminals, as told or as sent since
	armed  bool
	told   uint64 // generation of the last cycle
	upto   uint64 // seq of the last cycle
	cycle  uint64
	opened bool
}

// serve gives the address of a page whose engine talks to the room.
func (r *fakeRoom) serve() string {
	r.t.Helper()
	webtest.Path(r.t)
	assets := web.New(web.Options{})
	built := api.Build(api.BuildOptions{EntryPoints: []string{"test/engine.page.ts"}, Bundle: true, Format: api.FormatESModule,
		Target: api.ES2022, TsconfigRaw: "{}", LogLevel: api.LogLevelSilent})
	if len(built.Errors) > 0 {
		r.t.Fatal(built.Errors[0].Text)
	}
	mux := http.NewServeMux()
	mux.Handle(web.Prefix, assets.Handler())
	mux.HandleFunc("/page.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		w.Write(built.OutputFiles[0].Contents)
	})
	mux.HandleFunc("/ws", r.socket)
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, q *http.Request) {
		address, err := assets.Address(q.Context(), "worker.js")
		if err != nil {
			r.t.Error(err)
		}
		fmt.Fprintf(w, `<!doctype html><link rel="icon" href="data:,"><style>body{margin:0;overflow:hidden}canvas{width:100vw;height:100vh;display:block}</style>
<body data-worker="%s"><canvas></canvas><script type="module" src="/page.js"></script>`, address)
	})
	server := httptest.NewServer(mux)
	r.t.Cleanup(server.Close)
	return server.URL
}

func (r *fakeRoom) socket(w http.ResponseWriter, q *http.Request) {
	ws, err := websocket.Accept(w, q, nil)
	if err != nil {
		return
	}
	defer ws.CloseNow()
	ws.SetReadLimit(2 << 20)
	c := &fakeConn{room: r, ws: ws, held: map[uint32]uint64{}}
	r.mu.Lock()
	r.conns = append(r.conns, c)
	r.mu.Unlock()
	for {
		_, frame, err := ws.Read(context.Background())
		if err != nil {
			break
		}
		m, err := wire.DecodeClient(frame)
		if err != nil {
			r.t.Errorf("the page sent nonsense: %v", err)
			break
		}
		r.mu.Lock()
		r.said = append(r.said, m)
		c.handle(m)
		r.mu.Unlock()
	}
	r.mu.Lock()
	r.conns = slices.DeleteFunc(r.conns, func(o *fakeConn) bool { return o == c })
	r.mu.Unlock()
}

func (c *fakeConn) send(m *wire.ServerMessage) {
	b, err := proto.Marshal(m)
	if err != nil {
		c.room.t.Error(err)
	}
	c.ws.Write(context.Background(), websocket.MessageBinary, b) // a page that left is noticed by the reader
}

func (c *fakeConn) handle(m *wire.ClientMessage) {
	r := c.room
	switch k := m.Kind.(type) {
	case *wire.ClientMessage_Hello:
		c.send(&wire.ServerMessage{Kind: &wire.ServerMessage_Welcome{Welcome: &wire.Welcome{Protocol: 1, Viewer: 1,
			Seq: uint64(len(r.strokes)), MaxWants: 512, OpsInFlight: 16, BytesInFlight: 1 << 20, MaxMessage: 1 << 20}}})
	case *wire.ClientMessage_View:
		c.view = k.View
		held := map[uint32]uint64{}
		for _, w := range k.View.Wants {
			held[w.Id] = max(w.Seq, c.held[w.Id])
		}
		c.held = held
		terms := map[uint64]*wire.TermWant{}
		for _, w := range k.View.Terms {
			if terms[w.Terminal] = w; c.terms[w.Terminal] != nil {
				terms[w.Terminal] = c.terms[w.Terminal]
			}
		}
		c.terms = terms
		c.compose()
	case *wire.ClientMessage_Ask:
		if h := k.Ask.GetHistory(); h != nil && r.rows != nil {
			a := r.rows(h)
			a.Id, a.Terminal, a.Done = k.Ask.Id, k.Ask.Terminal, true
			c.send(&wire.ServerMessage{Kind: &wire.ServerMessage_Answer{Answer: a}})
		}
	case *wire.ClientMessage_Pull:
		c.armed = true
		c.compose()
	case *wire.ClientMessage_Op:
		if r.deaf {
			return
		}
		s, err := ink.FromWire(k.Op.GetStroke())
		if err != nil {
			r.t.Error(err)
			return
		}
		r.strokes = append(r.strokes, s)
		c.send(&wire.ServerMessage{Kind: &wire.ServerMessage_Ack{Ack: &wire.Ack{Session: k.Op.Session, Number: k.Op.Number, Seq: uint64(len(r.strokes))}}})
		for _, o := range r.conns {
			o.compose()
		}
	}
}

// compose sends a cycle if one is asked for and there is news.
func (c *fakeConn) compose() {
	seq := uint64(len(c.room.strokes))
	if c.room.mute || !c.armed || c.view == nil || c.view.Hidden {
		return
	}
	var frames []*wire.TermFrame
	for _, w := range c.view.Terms {
		held := c.terms[w.Terminal]
		if f := c.room.frame(held); f != nil {
			c.terms[w.Terminal] = &wire.TermWant{Terminal: w.Terminal, Life: f.Life, Seq: f.Seq}
			frames = append(frames, f)
		}
	}
	if c.told == c.view.Generation && c.upto == seq && frames == nil {
		return
	}
	if !c.opened {
		c.opened = true
		c.send(&wire.ServerMessage{Kind: &wire.ServerMessage_State{State: &wire.State{Paper: 0xffffffff}}})
		if c.room.terms != nil {
			c.send(&wire.ServerMessage{Kind: &wire.ServerMessage_Terminals{Terminals: &wire.Terminals{Items: c.room.terms}}})
		}
	}
	for _, f := range frames {
		c.send(&wire.ServerMessage{Kind: &wire.ServerMessage_Term{Term: f}})
	}
	origin, err := tile.FromWire(c.view.Origin.Level, c.view.Origin.X, c.view.Origin.Y)
	if err != nil {
		c.room.t.Error(err)
		return
	}
	for _, w := range c.view.Wants {
		id, ok := origin.Shift(int(w.Dlevel), w.Dx, w.Dy)
		if !ok {
			c.room.t.Errorf("the page wants a square that is none: %v", w)
			continue
		}
		held, known := c.held[w.Id]
		sq := &wire.Square{Id: w.Id, Seq: seq, Base: held, Reset_: held == 0}
		for n := held; n < seq; n++ {
			if p, ok := c.room.strokes[n].Piece(id, n+1); ok {
				sq.Pieces = append(sq.Pieces, p)
			}
		}
		if known && held > 0 && len(sq.Pieces) == 0 {
			continue
		}
		c.held[w.Id] = seq
		c.send(&wire.ServerMessage{Kind: &wire.ServerMessage_Square{Square: sq}})
	}
	c.cycle++
	c.armed, c.told, c.upto = false, c.view.Generation, seq
	c.send(&wire.ServerMessage{Kind: &wire.ServerMessage_CycleEnd{CycleEnd: &wire.CycleEnd{Cycle: c.cycle, Through: seq, Generation: c.told, Settled: true}}})
}

// draw adds strokes of somebody else.
func (r *fakeRoom) draw(strokes ...*ink.Stroke) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.strokes = append(r.strokes, strokes...)
	for _, c := range r.conns {
		c.compose()
	}
}

// cut ends all sockets.
func (r *fakeRoom) cut() {
	r.mu.Lock()
	conns := slices.Clone(r.conns)
	r.mu.Unlock()
	for _, c := range conns {
		c.ws.CloseNow()
	}
}

// heard gives and forgets what the pages said of one kind.
func heard[K any](r *fakeRoom) []K {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []K
	r.said = slices.DeleteFunc(r.said, func(m *wire.ClientMessage) bool {
		k, ok := m.Kind.(K)
		if ok {
			list = append(list, k)
		}
		return ok
	})
	return list
}

func scribble(rng *rand.Rand, home tile.ID, n int, brush ink.BrushID, color uint32, width int32, wide int64) *ink.Stroke {
	x, y := rng.Int64N(wide), rng.Int64N(wide)
	dx, dy := rng.Int64N(801)-400, rng.Int64N(801)-400
	pts := make([]ink.Point, n)
	for i := range pts {
		pts[i] = ink.Point{X: x, Y: y, D: width + int32(rng.IntN(100))}
		dx, dy = dx+rng.Int64N(201)-100, dy+rng.Int64N(201)-100
		x, y = x+dx, y+dy
	}
	s, err := ink.New(home, brush, color, pts)
	if err != nil {
		panic(err)
	}
	return s
}

func look(p *webtest.Page, level, x, y int, fx, fy, s float64) {
	webtest.Eval[struct{}](p, fmt.Sprintf("fractal.look(%d, '%d', '%d', %g, %g, %g)", level, x, y, fx, fy, s))
}

// draw draws as the person of the page and gives the page's number of the stroke.
func draw(p *webtest.Page, brush int, color uint32, here bool, xyd ...int) int {
	points, err := json.Marshal(xyd)
	if err != nil {
		panic(err)
	}
	return webtest.Eval[int](p, fmt.Sprintf("fractal.draw(%d, %d, 0, %t, %s)", brush, color, here, points))
}

func TestPageShowsWhatTheCellsWouldShow(t *testing.T) {
	r := &fakeRoom{t: t}
	url := r.serve()
	home := tile.At(3, 2, 1)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		brush, color := ink.Pen, uint32(rng.Uint32()|0xff)
		switch i % 10 {
		case 3:
			brush, color = ink.Highlighter, color&^0xff|0x60
		case 7:
			brush = ink.Eraser
		}
		r.draw(scribble(rng, home, 30, brush, color, 200+rng.Int32N(800), 16384))
	}
	p := webtest.Open(t, url, webtest.Screen{Width: 512, Height: 512, Scale: 1})
	look(p, 3, 2, 1, 0, 0, 256)
	p.Settled()
	got := p.Screenshot()

	// What the server would draw: four cells, on white paper.
	want := image.NewNRGBA(image.Rect(0, 0, 512, 512))
	painter, cell := ink.NewPainter(), new(raster.Image)
	for i := range 4 {
		painter.Cell(cell, tile.At(3, 2+int64(i&1), 1+int64(i>>1)), r.strokes)
		px := raster.AppendStraight8(nil, cell)
		for n := range raster.Size * raster.Size {
			v := px[4*n : 4*n+4]
			a := uint32(v[3])
			over := func(c byte) uint8 { return uint8((uint32(c)*a + 255*(255-a) + 127) / 255) }
			want.SetNRGBA(i&1*256+n%256, i>>1*256+n/256, color.NRGBA{over(v[0]), over(v[1]), over(v[2]), 255})
		}
	}
	d, diff := webtest.Compare(got, want, 16)
	share := float64(d.Pixels) / (512 * 512)
	t.Logf("page against cells: mean %.3f, %.2f %% of pixels off by more than 16, most %d", d.Mean, 100*share, d.Max)
	// The bounds of a change from strokes to image that nobody sees.
	if d.Mean > 1 || share > 0.015 || d.Max > 64 {
		webtest.Save(t, "page.png", got)
		webtest.Save(t, "cells.png", want)
		webtest.Save(t, "difference.png", diff)
		t.Errorf("the page differs from the cells; see %s", t.ArtifactDir())
	}
}

func TestOnePullForEachPaintedCycle(t *testing.T) {
	r := &fakeRoom{t: t}
	p := webtest.Open(t, r.serve(), webtest.Desktop)
	if n := len(heard[*wire.ClientMessage_Pull](r)); n > 0 {
		t.Errorf("%d pulls before there was anything to look at", n)
	}
	look(p, 0, 0, 0, 0, 0, 256)
	p.Settled()
	rng := rand.New(rand.NewPCG(3, 4))
	for seq := 1; seq <= 5; seq++ {
		r.draw(scribble(rng, tile.At(0, 0, 0), 20, ink.Pen, 0xff, 300, 16384))
		webtest.Eval[int](p, fmt.Sprintf("fractal.settled(%d)", seq))
	}
	for i, k := range heard[*wire.ClientMessage_Pull](r) {
		if k.Pull.Painted != uint64(i) || k.Pull.Credit == 0 {
			t.Errorf("pull %d: %v", i, k.Pull)
		}
	}
	if n := len(heard[*wire.ClientMessage_View](r)); n > 3 {
		t.Errorf("%d views of a view that stands still", n)
	}
}

func TestHiddenPageAsksForNothing(t *testing.T) {
	r := &fakeRoom{t: t}
	p := webtest.Open(t, r.serve(), webtest.Desktop)
	look(p, 0, 0, 0, 0, 0, 256)
	p.Settled()
	webtest.Eval[struct{}](p, "fractal.hide(true)")
	p.Wait("true")
	rng := rand.New(rand.NewPCG(3, 4))
	waitFor(t, p, func() bool {
		views := heard[*wire.ClientMessage_View](r)
		return len(views) > 0 && views[len(views)-1].View.Hidden
	})
	heard[*wire.ClientMessage_Pull](r)
	r.draw(scribble(rng, tile.At(0, 0, 0), 20, ink.Pen, 0xff, 300, 16384))
	if n := len(heard[*wire.ClientMessage_Pull](r)); n > 0 {
		t.Errorf("a hidden page pulled %d times", n)
	}
	webtest.Eval[struct{}](p, "fractal.hide(false)")
	if got := webtest.Eval[int](p, "fractal.settled(1)"); got != 1 {
		t.Errorf("settled through %d", got)
	}
}

func TestPageComesBackWithWhatItHolds(t *testing.T) {
	r := &fakeRoom{t: t}
	p := webtest.Open(t, r.serve(), webtest.Desktop)
	p.Forgive("WebSocket")
	rng := rand.New(rand.NewPCG(5, 6))
	stroke := func() *ink.Stroke { return scribble(rng, tile.At(0, 0, 0), 20, ink.Pen, 0xff, 300, 16384) }
	r.draw(stroke(), stroke())
	look(p, 0, 0, 0, 0, 0, 256)
	p.Settled()
	heard[*wire.ClientMessage_View](r)

	r.cut()
	r.mu.Lock()
	r.strokes = append(r.strokes, stroke())
	r.mu.Unlock()
	webtest.Eval[int](p, "fractal.settled(3)")
	views := heard[*wire.ClientMessage_View](r)
	if len(views) == 0 {
		t.Fatal("it never asked again")
	}
	for _, w := range views[0].View.Wants {
		if w.Seq != 2 {
			t.Errorf("it asks for what it holds: %v", w)
			break
		}
	}
	fresh := webtest.Open(t, r.serve(), webtest.Desktop)
	look(fresh, 0, 0, 0, 0, 0, 256)
	webtest.Eval[int](fresh, "fractal.settled(3)")
	webtest.Same(t, p.Screenshot(), fresh.Screenshot(), 0)
}

func TestZoomShowsStandInsUntilItsSquaresCome(t *testing.T) {
	for name, to := range map[string]struct {
		level, x, y int
		mean        float64
	}{"in": {1, 1, 1, 3}, "far in": {3, 9, 9, 8}, "out": {-1, -1, -1, 3}} {
		t.Run(name, func(t *testing.T) {
			r := &fakeRoom{t: t}
			rng := rand.New(rand.NewPCG(9, 9))
			for range 40 {
				r.draw(scribble(rng, tile.At(0, 0, 0), 40, ink.Pen, rng.Uint32()|0xff, 1500, 3*16384))
			}
			p := webtest.Open(t, r.serve(), webtest.Screen{Width: 700, Height: 500, Scale: 1})
			look(p, 0, 0, 0, 0.1, 0.1, 256)
			p.Settled()
			r.mu.Lock()
			r.mute = true
			r.mu.Unlock()
			heard[*wire.ClientMessage_View](r)
			look(p, to.level, to.x, to.y, 0.1, 0.1, 256)
			waitFor(t, p, func() bool { return len(heard[*wire.ClientMessage_View](r)) > 0 })
			for range 20 { // the frame that shows it, and what else may come of it
				webtest.Eval[float64](p, "new Promise(requestAnimationFrame)")
			}
			standIn := p.Screenshot()
			r.mu.Lock()
			r.mute = false
			for _, c := range r.conns {
				c.compose()
			}
			r.mu.Unlock()
			p.Settled()
			truth := p.Screenshot()
			d, diff := webtest.Compare(standIn, truth, 64)
			if _, blank := webtest.Blank(truth, truth.Rect); blank || d.Mean > to.mean {
				webtest.Save(t, "stand-in.png", standIn)
				webtest.Save(t, "truth.png", truth)
				webtest.Save(t, "difference.png", diff)
				t.Errorf("the stand-in is off by %.2f on average, more than %v; see %s", d.Mean, to.mean, t.ArtifactDir())
			}
			t.Logf("off by %.2f on average", d.Mean)
		})
	}
}

func TestGoalOfAnAnimationIsAskedForWhenItBegins(t *testing.T) {
	r := &fakeRoom{t: t}
	p := webtest.Open(t, r.serve(), webtest.Desktop)
	look(p, 0, 0, 0, 0, 0, 256)
	p.Settled()
	heard[*wire.ClientMessage_View](r)
	webtest.Eval[struct{}](p, `fractal.send({kind: "view", width: innerWidth, height: innerHeight, dpr: 1,
		place: {level: 0, x: 0n, y: 0n, fx: 0, fy: 0, s: 260}, goal: {level: 5, x: 40n, y: 40n, fx: 0, fy: 0, s: 256}})`)
	var views []*wire.ClientMessage_View
	waitFor(t, p, func() bool { views = heard[*wire.ClientMessage_View](r); return len(views) > 0 })
	v := views[0].View
	if v.Origin.Level != 5 {
		t.Errorf("the most needed square is of level %d", v.Origin.Level)
	}
	now := 0
	for i, w := range v.Wants {
		if i < 5*3 && w.Dlevel != 0 {
			t.Errorf("want %d is of the goal's level %+d", i, w.Dlevel)
		}
		if w.Dlevel == -5 {
			now++
		}
	}
	if now < 5*3 {
		t.Errorf("only %d squares of what is seen are still asked for", now)
	}
}

func TestOwnStrokeIsHandedOverOnceItIsDryOnScreen(t *testing.T) {
	r := &fakeRoom{t: t}
	p := webtest.Open(t, r.serve(), webtest.Desktop)
	look(p, 0, 0, 0, 0, 0, 256)
	p.Settled()
	a := draw(p, 1, 0x000000ff, true, 2000, 2000, 640, 9000, 9000, 640)
	b := draw(p, 2, 0xff000080, false, 2000, 9000, 900, 9000, 2000, 900)
	p.Settled()
	type news struct{ Stroke int }
	painted := webtest.Eval[[]news](p, "fractal.heard('painted')")
	if len(painted) != 2 || painted[0].Stroke != a || painted[1].Stroke != b {
		t.Errorf("painted %v, want strokes %d and %d", painted, a, b)
	}
	ops := heard[*wire.ClientMessage_Op](r)
	if len(ops) != 2 || ops[0].Op.Number != 1 || ops[1].Op.Number != 2 {
		t.Errorf("ops %v", ops)
	}
	wets := heard[*wire.ClientMessage_Wet](r)
	if len(wets) == 0 || wets[0].Wet.Id != 1 || wets[0].Wet.Head == nil {
		t.Errorf("wet ink %v", wets)
	}
	dry := p.Screenshot()
	fresh := webtest.Open(t, r.serve(), webtest.Desktop)
	look(fresh, 0, 0, 0, 0, 0, 256)
	webtest.Eval[int](fresh, "fractal.settled(2)")
	webtest.Same(t, dry, fresh.Screenshot(), 0)
}

func TestStrokeOfAClosedTabIsSentByTheNext(t *testing.T) {
	r := &fakeRoom{t: t, deaf: true}
	url := r.serve()
	p := webtest.Open(t, url, webtest.Desktop)
	look(p, 0, 0, 0, 0, 0, 256)
	draw(p, 1, 0x000000ff, true, 2000, 2000, 640, 9000, 9000, 640)
	waitFor(t, p, func() bool { return len(heard[*wire.ClientMessage_Op](r)) == 1 })
	type news struct {
		Ops  int
		Kept bool
	}
	saving := webtest.Eval[[]news](p, "fractal.heard('saving')")
	if len(saving) == 0 || saving[len(saving)-1] != (news{1, true}) {
		t.Errorf("the page says %v", saving)
	}
	r.mu.Lock()
	r.deaf = false
	r.mu.Unlock()
	p.Reload()
	look(p, 0, 0, 0, 0, 0, 256)
	webtest.Eval[int](p, "fractal.settled(1)")
	p.Reload()
	look(p, 0, 0, 0, 0, 0, 256)
	webtest.Eval[int](p, "fractal.settled(1)")
	if n := len(heard[*wire.ClientMessage_Op](r)); n != 1 {
		t.Errorf("it was sent %d times", n)
	}
}

// waitFor waits for something on the Go side, a frame of the page at a time.
func waitFor(t testing.TB, p *webtest.Page, fact func() bool) {
	t.Helper()
	for range 600 {
		if fact() {
			return
		}
		webtest.Eval[float64](p, "new Promise(requestAnimationFrame)")
	}
	t.Fatal("it never came")
}

// BenchmarkPan measures a pan over 2,000 strokes by 120 frames, once, at four speeds.
func BenchmarkPan(t *testing.B) {
	r := &fakeRoom{t: t}
	rng := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		r.draw(scribble(rng, tile.At(0, 0, 0), 100, ink.Pen, rng.Uint32()|0xff, 200, 5*16384))
	}
	p := webtest.Open(t, r.serve(), webtest.Desktop)
	look(p, 0, 0, 0, 0.1, 0.1, 256)
	p.Settled()
	const frames = 120
	for _, step := range [][2]float64{{0, 0}, {2, 1}, {2.3, 1.1}, {-2, -1}} {
		before := p.CPU()
		took := webtest.Eval[[]float64](p, fmt.Sprintf("fractal.pan(%d, %g, %g)", frames, step[0], step[1]))
		cpu := p.CPU() - before
		slices.Sort(took)
		t.Logf("pan by %v px a frame: %.1f CPU-ms a frame, main thread p50 %.1f p95 %.1f ms", step, 1000*cpu/frames, took[frames/2], took[frames*95/100])
		before = p.CPU()
		webtest.Eval[int](p, "fractal.settled()")
		t.Logf("  then still: %.0f CPU-ms until exact", 1000*(p.CPU()-before))
	}
}
