package room

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"fractal/tile"
	"fractal/wire"
)

func marshalOp(t testing.TB, o *wire.Op) []byte       { return must(t, o) }
func marshalBatch(t testing.TB, b *wire.Batch) []byte { return must(t, b) }
func must(t testing.TB, m proto.Message) []byte {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wetHead() *wire.Stroke {
	return &wire.Stroke{Home: &wire.Tile{}, Brush: 1, Color: 0xff, Width: 128}
}

// deltas packs points of a stroke that has one width.
func deltas(v ...int64) (b []byte) {
	for _, d := range v {
		b = protowire.AppendVarint(b, protowire.EncodeZigZag(d))
	}
	return b
}

func (p *page) wet(m *wire.WetIn) {
	p.t.Helper()
	p.handle(&wire.ClientMessage{Kind: &wire.ClientMessage_Wet{Wet: m}})
}

func (p *page) cycle() {
	p.t.Helper()
	p.pull(1 << 20)
	synctest.Wait()
	p.read()
}

// TestWetStrokeIsFollowedAndHandedOver: its points come as they are drawn, each once; it goes when the dry stroke is there.
func TestWetStrokeIsFollowedAndHandedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		a, b := join(t, r, "a"), join(t, r, "b")
		b.look(grid(0, 0, 0, 3)...)
		b.settle()
		a.wet(&wire.WetIn{Id: 1, Head: wetHead(), Points: deltas(64, 64, 640, 0)})
		a.wet(&wire.WetIn{Id: 1, From: 2, Points: deltas(640, 0)})
		b.cycle()
		key := fmt.Sprint(a.v.ID(), "/1")
		if w := b.wets[key]; w == nil || !bytes.Equal(w.points, deltas(64, 64, 640, 0, 640, 0)) || w.head.GetWidth() != 128 {
			t.Fatalf("b sees %v", b.wets)
		}
		b.pull(1 << 20)
		a.wet(&wire.WetIn{Id: 1, From: 3, Points: deltas(0, 640)})
		synctest.Wait()
		if b.read() != 1 || !bytes.Equal(b.wets[key].points, deltas(64, 64, 640, 0, 640, 0, 0, 640)) {
			t.Fatalf("b sees %v", b.wets[key])
		}
		a.look(tile.At(0, 0, 0))
		a.settle()
		if len(a.wets) != 0 {
			t.Error("a is told of its own stroke")
		}

		a.op(&wire.Stroke{Home: &wire.Tile{}, Brush: 1, Color: 0xff, Width: 128, Points: deltas(64, 64, 640, 0, 640, 0, 0, 640)})
		synctest.Wait()
		b.cycle()
		if len(b.wets) != 0 || len(b.ended) != 1 || b.ended[0].Dry != 1 {
			t.Fatalf("wet %v, ended %v", b.wets, b.ended)
		}
		if b.end.Through < 1 {
			t.Fatalf("told dry, complete through %d", b.end.Through)
		}
		b.equalsTruth()
	})
}

// TestThroughWaitsForEverySquare: a dry stroke in three squares, sent one by one, is complete with the last.
func TestThroughWaitsForEverySquare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		a, b := join(t, r, "a"), join(t, r, "b")
		b.look(tile.At(0, 0, 0), tile.At(0, 1, 0), tile.At(0, 2, 0))
		b.settle()
		a.wet(&wire.WetIn{Id: 1, Head: wetHead(), Points: deltas(64, 64)})
		b.cycle()
		a.op(line(tile.At(0, 0, 0), 10, 10, 700, 20))
		synctest.Wait()
		for i := range 3 {
			b.pull(0)
			synctest.Wait()
			if b.read() != 1 {
				t.Fatalf("no cycle after pull %d", i)
			}
			if whole := i == 2; (b.end.Through >= 1) != whole || b.end.Settled != whole {
				t.Fatalf("after square %d: %v", i+1, b.end)
			}
		}
		b.equalsTruth()
	})
}

// TestDryIsToldNoLaterThanShown floods: no cycle may show a stroke as dry that the page still believes to be wet.
func TestDryIsToldNoLaterThanShown(t *testing.T) {
	r := open(t, Config{}) // real time: the order of goroutines is what is tested
	defer closeRoom(t, r)
	a, b := join(t, r, "a"), join(t, r, "b")
	b.look(tile.At(0, 0, 0))
	home := tile.At(0, 0, 0)
	arrived := make(chan struct{}, 1)
	b.v.send = notify{b, arrived}
	shown := func() (n uint64) {
		if h := b.squares[1]; h != nil && len(h.pieces) > 0 {
			n = h.pieces[len(h.pieces)-1].Seq
		}
		return n
	}
	for n := uint64(1); n <= 300; n++ {
		a.wet(&wire.WetIn{Id: n, Head: wetHead(), Points: deltas(64, 64)})
		if b.end.GetCycle() >= b.painted {
			b.pull(1 << 20)
		}
		a.op(line(home, 10, 10, 99, 99))
		for shown() < n {
			<-arrived
			if b.read() > 0 {
				for key := range b.wets {
					var viewer, id uint64
					fmt.Sscanf(key, "%d/%d", &viewer, &id)
					if id <= shown() { // ops and seqs count alike here
						t.Fatalf("stroke %d is shown dry at %d and still wet", id, shown())
					}
				}
				b.pull(1 << 20)
			}
		}
	}
}

type notify struct {
	*page
	arrived chan struct{}
}

func (n notify) Send(b []byte) {
	n.page.Send(b)
	select {
	case n.arrived <- struct{}{}:
	default:
	}
}

func TestWetStrokesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		a, b := join(t, r, "a"), join(t, r, "b")
		begin := func(id uint64) { a.wet(&wire.WetIn{Id: id, Head: wetHead(), Points: deltas(64, 64)}) }
		begin(1)
		b.cycle()
		a.wet(&wire.WetIn{Id: 1, Cancelled: true})
		b.cycle()
		if len(b.wets) != 0 || !b.ended[0].Cancelled {
			t.Fatalf("cancelled: %v", b.wets)
		}
		begin(2)
		b.cycle()
		a.sendOp(2, &wire.Stroke{Home: &wire.Tile{}, Brush: 99}) // rejected
		b.cycle()
		if len(b.wets) != 0 || !b.ended[1].Cancelled {
			t.Fatalf("rejected: %v", b.wets)
		}
		for id := uint64(3); id < 3+maxWets+4; id++ {
			begin(id)
		}
		b.cycle()
		if len(b.wets) != maxWets {
			t.Fatalf("%d strokes at once", len(b.wets))
		}
		a.v.Leave()
		b.cycle()
		if len(b.wets) != 0 || len(b.peers.Peers) != 0 {
			t.Fatalf("left: %v %v", b.wets, b.peers)
		}
	})
}

func TestWetPointsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		a, b := join(t, r, "a"), join(t, r, "b")
		a.wet(&wire.WetIn{Id: 1, Head: wetHead(), Points: deltas(64, 64)})
		for i := range 5000 {
			a.wet(&wire.WetIn{Id: 1, From: uint32(1 + 10*i), Points: deltas(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)})
		}
		b.cycle()
		for _, w := range b.wets {
			if len(w.points) > maxWetBytes {
				t.Errorf("%d bytes of wet points", len(w.points))
			}
		}
		if len(b.wets) != 1 || r.Stats().WetDropped == 0 {
			t.Errorf("%d wet strokes, %d dropped", len(b.wets), r.Stats().WetDropped)
		}
	})
}

func TestPeersAreToldTheirNewestState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		a, b := join(t, r, "a"), join(t, r, "b")
		b.cycle()
		before := b.frames
		b.pull(1 << 20)
		for i := range int64(50) {
			a.handle(&wire.ClientMessage{Kind: &wire.ClientMessage_Cursor{Cursor: &wire.CursorIn{Tile: &wire.Tile{}, X: i, Tool: 1}}})
		}
		a.handle(&wire.ClientMessage{Kind: &wire.ClientMessage_Profile{Profile: &wire.Profile{Name: "Ada\n\u202e" + strings.Repeat("ü", 60), Color: 7}}})
		synctest.Wait()
		b.read()
		b.cycle()
		if got := b.frames - before; got > 4 { // two cycles of Peers and CycleEnd
			t.Errorf("%d frames for 51 moves", got)
		}
		if len(b.peers.Peers) != 1 {
			t.Fatalf("peers: %v", b.peers)
		}
		p := b.peers.Peers[0]
		if p.Viewer != a.v.ID() || p.Name != "Ada"+strings.Repeat("ü", 30) || p.Color != 7 {
			t.Errorf("peer: %v", p)
		}
		a.handle(&wire.ClientMessage{Kind: &wire.ClientMessage_Cursor{Cursor: &wire.CursorIn{Tile: &wire.Tile{}, X: 77}}})
		b.cycle()
		if c := b.peers.Peers[0].Cursor; c.GetX() != 77 || b.peers.Peers[0].Name == "" {
			t.Errorf("peer: %v", b.peers)
		}
		b.pull(1 << 20)
		b.handle(&wire.ClientMessage{Kind: &wire.ClientMessage_Cursor{Cursor: &wire.CursorIn{Tile: &wire.Tile{}, X: 5}}})
		synctest.Wait()
		if b.read() != 0 {
			t.Error("one's own cursor is news to oneself")
		}
	})
}

func TestManyPeersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		b := join(t, r, "b")
		deep := tile.At(0, 0, 0)
		for range 4000 {
			deep = deep.Child(3)
		}
		level, x, y := deep.Wire()
		var last *page
		for i := range maxPeers + 20 {
			last = join(t, r, fmt.Sprint(i))
			last.handle(&wire.ClientMessage{Kind: &wire.ClientMessage_Cursor{Cursor: &wire.CursorIn{Tile: &wire.Tile{Level: level, X: x, Y: y}}}})
		}
		b.cycle()
		if n := len(b.peers.Peers); n != maxPeers || b.peers.Peers[n-1].Viewer != last.v.ID() {
			t.Errorf("%d peers", n)
		}
		if n := proto.Size(b.peers); n > maxPeersBytes+maxPeers*100 {
			t.Errorf("peers take %d bytes", n)
		}
	})
}

// TestNonsenseIsAnsweredAndHarmsNobody sends everything wrong there is; the viewer and its neighbour go on.
func TestNonsenseIsAnsweredAndHarmsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		a, b := join(t, r, "a"), join(t, r, "b")
		session := a.session[:]
		home := &wire.Tile{}
		c := func(k *wire.ClientMessage) *wire.ClientMessage { return k }
		op := func(o *wire.Op) *wire.ClientMessage { return &wire.ClientMessage{Kind: &wire.ClientMessage_Op{Op: o}} }
		stroke := func(n uint64, s *wire.Stroke) *wire.ClientMessage {
			return op(&wire.Op{Session: session, Number: n, Body: &wire.Op_Stroke{Stroke: s}})
		}
		rejected := []*wire.ClientMessage{
			stroke(1, nil),
			stroke(2, &wire.Stroke{Home: home, Brush: 1, Width: 64}),
			stroke(3, &wire.Stroke{Home: home, Brush: 77, Width: 64, Points: deltas(1, 1)}),
			stroke(4, &wire.Stroke{Home: home, Brush: 1, Width: 64, Points: []byte{0x80}}),
			stroke(5, &wire.Stroke{Home: home, Brush: 1, Width: 64, Points: deltas(1<<50, 1)}),
			stroke(6, &wire.Stroke{Home: home, Brush: 1, Width: 64, Points: make([]byte, 2<<20)}),
			stroke(7, &wire.Stroke{Home: &wire.Tile{X: bytes.Repeat([]byte{0x55}, 1<<20)}, Brush: 1, Width: 64, Points: deltas(1, 1)}),
			stroke(8, &wire.Stroke{Brush: 1, Width: 64, Points: deltas(1, 1)}),
			op(&wire.Op{Session: session, Number: 9}),
		}
		ignored := []*wire.ClientMessage{
			nil,
			c(&wire.ClientMessage{}),
			c(&wire.ClientMessage{Kind: &wire.ClientMessage_Hello{Hello: &wire.Hello{}}}),
			c(&wire.ClientMessage{Kind: &wire.ClientMessage_Op{}}),
			op(&wire.Op{Session: session[:3], Number: 1}),
			op(&wire.Op{Session: session}),
			op(&wire.Op{Session: session, Number: 1 << 60}),
			c(&wire.ClientMessage{Kind: &wire.ClientMessage_View{View: &wire.View{Wants: make([]*wire.Want, wire.MaxWants+1)}}}),
			c(&wire.ClientMessage{Kind: &wire.ClientMessage_View{View: &wire.View{Wants: []*wire.Want{{Id: 1}}}}}),
			c(&wire.ClientMessage{Kind: &wire.ClientMessage_View{View: &wire.View{Origin: home, Wants: []*wire.Want{{Id: 1, Dlevel: 1 << 30}}}}}),
			c(&wire.ClientMessage{Kind: &wire.ClientMessage_View{View: &wire.View{Origin: home, Wants: []*wire.Want{{Id: 1}, {Id: 1, Dx: 1}}}}}),
			c(&wire.ClientMessage{Kind: &wire.ClientMessage_View{View: &wire.View{Origin: home, Wants: []*wire.Want{{Id: 1}, {Id: 2}}}}}),
			c(&wire.ClientMessage{Kind: &wire.ClientMessage_View{View: &wire.View{Origin: &wire.Tile{Level: 1 << 30}, Wants: []*wire.Want{{Id: 1}}}}}),
			c(&wire.ClientMessage{Kind: &wire.ClientMessage_View{}}),
			c(&wire.ClientMessage{Kind: &wire.ClientMessage_Wet{Wet: &wire.WetIn{Id: 5, From: 3, Points: deltas(1, 1)}}}),
			c(&wire.ClientMessage{Kind: &wire.ClientMessage_Wet{Wet: &wire.WetIn{Id: 5, Head: wetHead(), Points: []byte{0x80}}}}),
			c(&wire.ClientMessage{Kind: &wire.ClientMessage_Wet{Wet: &wire.WetIn{Id: 5, Head: wetHead(), Points: deltas(1)}}}),
			c(&wire.ClientMessage{Kind: &wire.ClientMessage_Wet{Wet: &wire.WetIn{Id: 5, Head: &wire.Stroke{}, Points: deltas(1, 1)}}}),
			c(&wire.ClientMessage{Kind: &wire.ClientMessage_Wet{}}),
			c(&wire.ClientMessage{Kind: &wire.ClientMessage_Cursor{Cursor: &wire.CursorIn{}}}),
			c(&wire.ClientMessage{Kind: &wire.ClientMessage_Cursor{Cursor: &wire.CursorIn{Tile: home, X: -1 << 63}}}),
			c(&wire.ClientMessage{Kind: &wire.ClientMessage_Cursor{}}),
			c(&wire.ClientMessage{Kind: &wire.ClientMessage_Pull{}}),
			c(&wire.ClientMessage{Kind: &wire.ClientMessage_Profile{}}),
		}
		for _, m := range append(rejected, ignored...) {
			a.handle(m)
		}
		synctest.Wait()
		a.read()
		// Ops of number 0 and 2^60, and of no session, have no name to keep them by; they are told so.
		if len(a.rejects) != len(rejected)+2 || len(a.acks) != 0 {
			t.Errorf("%d rejects of %d, %d acks", len(a.rejects), len(rejected)+2, len(a.acks))
		}
		for n, rej := range a.rejects {
			if rej.Retry || rej.Reason == "" {
				t.Errorf("op %d: %v", n, rej)
			}
		}
		if r.Canvas().Seq() != 0 {
			t.Errorf("%d ops in the log", r.Canvas().Seq())
		}
		a.painted = a.end.GetCycle()
		a.look(tile.At(0, 0, 0))
		b.look(tile.At(0, 0, 0))
		a.sendOp(10, dot())
		a.settle()
		b.settle()
		if len(b.wets) != 0 || len(a.acks) != 1 {
			t.Errorf("wet strokes %v, acks %v", b.wets, a.acks)
		}
		b.equalsTruth()
	})
}

func TestSessionOfSomebodyElseIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		a, b := join(t, r, "a"), join(t, r, "b")
		a.op(dot())
		synctest.Wait()
		b.session = a.session
		b.sendOp(2, dot())
		synctest.Wait()
		b.read()
		if rej := b.rejects[2]; rej == nil || rej.Retry {
			t.Errorf("reject: %v", rej)
		}
	})
}

func TestHelloIsChecked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		for what, h := range map[string]*wire.Hello{
			"nothing": nil, "later protocol": {Protocol: 2, Key: make([]byte, 32)}, "short key": {Protocol: 1, Key: make([]byte, 31)},
			"huge key": {Protocol: 1, Key: make([]byte, 1<<20)},
		} {
			if _, err := r.Join(h, Seat{}, new(page)); err == nil {
				t.Errorf("%s: joined", what)
			}
		}
		if r.Viewers() != 0 {
			t.Errorf("%d viewers", r.Viewers())
		}
	})
}

// TestPaperAndUndoAreToldToEveryTabOfAPerson: what one tab of a person does decides what the other may undo.
func TestPaperAndUndoAreToldToEveryTabOfAPerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, Config{})
		defer closeRoom(t, r)
		a := join(t, r, "a")
		tab := join(t, r, "a")
		tab.session[0] ^= 1
		tab.cycle()
		tab.pull(1 << 20)
		a.op(dot())
		a.op(&wire.Paper{Color: 0x102030ff})
		synctest.Wait()
		tab.read()
		tab.cycle()
		if !tab.state.CanUndo || tab.state.Paper != 0x102030ff || tab.state.Strokes != 1 {
			t.Errorf("state: %v", tab.state)
		}
	})
}

func FuzzHandle(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, m := range []*wire.ClientMessage{
		{Kind: &wire.ClientMessage_Wet{Wet: &wire.WetIn{Id: 1, Head: wetHead(), Points: deltas(1, 1)}}},
		{Kind: &wire.ClientMessage_View{View: &wire.View{Origin: &wire.Tile{}, Wants: []*wire.Want{{Id: 1, Version: 5, Seq: 9}}}}},
		{Kind: &wire.ClientMessage_Pull{Pull: &wire.Pull{Painted: 3, Credit: 9}}},
		{Kind: &wire.ClientMessage_Op{Op: &wire.Op{Session: make([]byte, 16), Number: 1, Body: &wire.Op_Stroke{Stroke: randomStroke(rng).Wire()}}}},
		{Kind: &wire.ClientMessage_Cursor{Cursor: &wire.CursorIn{Tile: &wire.Tile{Level: 3, X: []byte{5}}}}},
	} {
		f.Add(must(f, m))
	}
	r := open(f, Config{Report: func(string) {}})
	f.Cleanup(func() { r.Close() })
	v, err := r.Join(&wire.Hello{Protocol: 1, Key: keyOf("fuzz")}, Seat{}, sink{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := wire.DecodeClient(b)
		if err != nil {
			return
		}
		if err := v.Handle(m); err != nil {
			t.Fatal(err)
		}
	})
}

type sink struct{}

func (sink) Send([]byte) {}
