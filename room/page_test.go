package room

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"

	"google.golang.org/protobuf/proto"

	"fractal/canvas"
	"fractal/ink"
	"fractal/journal"
	"fractal/journal/memory"
	"fractal/tile"
	"fractal/wire"
)

// page is the model of a client: it believes what it is sent, and checks what a client relies on.
type page struct {
	shown uint32 // what its views say
	t     testing.TB
	room  *Room
	v     *Viewer
	key   []byte

	mu     sync.Mutex // guards inbox
	inbox  [][]byte
	frames int

	session canvas.Session
	number  uint64 // of the last op sent

	welcome *wire.Welcome
	squares map[uint32]*held // by id
	tiles   map[uint32]tile.ID
	view    *wire.View
	ends    []*wire.CycleEnd
	end     *wire.CycleEnd
	acks    map[uint64]uint64 // op number → seq
	rejects map[uint64]*wire.Reject
	state   *wire.State
	peers   *wire.Peers
	wets    map[string]*wetHeld
	ended   []*wire.Wet
	painted uint64
	ids     map[tile.ID]uint32
	images  int
	layers  map[uint32]*wire.Layer // by square id
	layered int                    // Layers that came
}

// held is what a page has of a square.
type held struct {
	version, seq uint64
	image        *wire.Image
	provisional  bool
	pieces       []*wire.Piece
}

type wetHeld struct {
	head   *wire.Stroke
	points []byte
	dry    uint64
}

func (p *page) Send(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inbox = append(p.inbox, b)
	p.frames++
}

func keyOf(name string) []byte {
	sum := sha256.Sum256([]byte(name))
	return sum[:]
}

func join(t testing.TB, r *Room, name string) *page {
	t.Helper()
	p := &page{t: t, key: keyOf(name), ids: map[tile.ID]uint32{}, tiles: map[uint32]tile.ID{}}
	sum := sha256.Sum256([]byte("session of " + name))
	p.session = canvas.Session(sum[:16])
	p.connect(r)
	return p
}

// connect joins anew, keeping what the page holds, as after a lost socket.
func (p *page) connect(r *Room) {
	p.t.Helper()
	p.room, p.inbox, p.painted, p.end, p.state = r, nil, 0, nil, nil
	if p.squares == nil {
		p.squares = map[uint32]*held{}
	}
	p.acks, p.rejects, p.wets = map[uint64]uint64{}, map[uint64]*wire.Reject{}, map[string]*wetHeld{}
	v, err := r.Join(&wire.Hello{Protocol: 1, Key: p.key, Name: "page"}, Seat{}, p)
	if err != nil {
		p.t.Fatal(err)
	}
	p.v = v
	p.read()
	if p.welcome == nil {
		p.t.Fatal("no Welcome")
	}
}

func (p *page) handle(m *wire.ClientMessage) {
	p.t.Helper()
	if err := p.v.Handle(m); err != nil {
		p.t.Fatal(err)
	}
}

// op sends an op and gives its number.
func (p *page) op(body any) uint64 {
	p.t.Helper()
	p.number++
	p.sendOp(p.number, body)
	return p.number
}

func (p *page) sendOp(number uint64, body any) {
	p.t.Helper()
	o := &wire.Op{Session: p.session[:], Number: number}
	switch b := body.(type) {
	case *ink.Stroke:
		o.Body = &wire.Op_Stroke{Stroke: b.Wire()}
	case *wire.Stroke:
		o.Body = &wire.Op_Stroke{Stroke: b}
	case *wire.Undo:
		o.Body = &wire.Op_Undo{Undo: b}
	case *wire.Redo:
		o.Body = &wire.Op_Redo{Redo: b}
	case *wire.Place:
		o.Body = &wire.Op_Place{Place: b}
	case *wire.Paper:
		o.Body = &wire.Op_Paper{Paper: b}
	case nil:
	default:
		p.t.Fatalf("an op of %T", body)
	}
	p.handle(&wire.ClientMessage{Kind: &wire.ClientMessage_Op{Op: o}})
}

// look sends a View of tiles, saying what the page holds of each.
func (p *page) look(tiles ...tile.ID) {
	p.t.Helper()
	p.read()
	origin := tile.ID{}
	if len(tiles) > 0 {
		origin = tiles[0]
	}
	level, x, y := origin.Wire()
	p.view = &wire.View{Generation: p.view.GetGeneration() + 1, Shown: p.shown, Origin: &wire.Tile{Level: level, X: x, Y: y}}
	wanted := map[uint32]bool{}
	for _, id := range tiles {
		n, ok := p.ids[id]
		if !ok {
			n = uint32(len(p.ids) + 1)
			p.ids[id], p.tiles[n] = n, id
		}
		wanted[n] = true
		w := &wire.Want{Id: n, Dlevel: int32(id.Level() - origin.Level())}
		corner, _ := origin.Shift(int(w.Dlevel), 0, 0)
		w.Dx = id.X().Int64() - corner.X().Int64()
		w.Dy = id.Y().Int64() - corner.Y().Int64()
		if h := p.squares[n]; h != nil {
			w.Version, w.Seq = h.version, h.seq
		}
		if l := p.layers[n]; l != nil && !l.Provisional {
			w.Layers = []*wire.Held{{Content: 2, Version: l.Version}}
		}
		p.view.Wants = append(p.view.Wants, w)
	}
	p.handle(&wire.ClientMessage{Kind: &wire.ClientMessage_View{View: p.view}})
}

func (p *page) hide(hidden bool) {
	v := proto.Clone(p.view).(*wire.View)
	v.Hidden = hidden
	p.view = v
	p.handle(&wire.ClientMessage{Kind: &wire.ClientMessage_View{View: v}})
}

func (p *page) pull(credit uint32) {
	p.t.Helper()
	p.painted = p.end.GetCycle()
	p.handle(&wire.ClientMessage{Kind: &wire.ClientMessage_Pull{Pull: &wire.Pull{Painted: p.painted, Credit: credit}}})
}

// read takes in what was sent, and says how many cycles ended.
func (p *page) read() (cycles int) {
	p.t.Helper()
	p.mu.Lock()
	frames := p.inbox
	p.inbox = nil
	p.mu.Unlock()
	for _, f := range frames {
		m := new(wire.ServerMessage)
		if err := proto.Unmarshal(f, m); err != nil {
			p.t.Fatalf("a frame that is no message: %v", err)
		}
		if len(m.ProtoReflect().GetUnknown()) > 0 {
			p.t.Fatalf("a frame with unknown fields: %v", m)
		}
		if p.take(m) {
			cycles++
		}
	}
	return cycles
}

func (p *page) take(m *wire.ServerMessage) (cycle bool) {
	switch k := m.Kind.(type) {
	case *wire.ServerMessage_Welcome:
		p.welcome = k.Welcome
	case *wire.ServerMessage_Ack:
		p.acks[k.Ack.Number] = k.Ack.Seq
		if !bytes.Equal(k.Ack.Session, p.session[:]) {
			p.t.Fatalf("an ack of another session")
		}
	case *wire.ServerMessage_Reject:
		p.rejects[k.Reject.Number] = k.Reject
	case *wire.ServerMessage_Square:
		p.takeSquare(k.Square)
	case *wire.ServerMessage_Layer:
		if p.layers == nil {
			p.layers = map[uint32]*wire.Layer{}
		}
		p.layers[k.Layer.Id] = k.Layer
		if k.Layer.Version > 0 {
			p.layered++ // that there is nothing is told once a socket
		}
	case *wire.ServerMessage_Peers:
		p.peers = k.Peers
	case *wire.ServerMessage_Wet:
		p.takeWet(k.Wet)
	case *wire.ServerMessage_State:
		p.state = k.State
	case *wire.ServerMessage_CycleEnd:
		if k.CycleEnd.Cycle != p.end.GetCycle()+1 {
			p.t.Fatalf("cycle %d after %d", k.CycleEnd.Cycle, p.end.GetCycle())
		}
		if k.CycleEnd.Through < p.end.GetThrough() && k.CycleEnd.Generation == p.end.GetGeneration() {
			p.t.Fatalf("through went back from %d to %d", p.end.Through, k.CycleEnd.Through)
		}
		p.end = k.CycleEnd
		p.ends = append(p.ends, p.end)
		return true
	default:
		p.t.Fatalf("a message of %T", m.Kind)
	}
	return false
}

func (p *page) takeSquare(s *wire.Square) {
	h := p.squares[s.Id]
	if s.Reset_ {
		h = &held{version: s.Version, image: s.Image}
		p.squares[s.Id] = h
		if s.Image != nil {
			p.images++
		}
	}
	if h == nil {
		p.t.Fatalf("square %d: news on top of nothing", s.Id)
	}
	if !s.Reset_ && (s.Base != h.seq || s.Version != h.version) {
		p.t.Fatalf("square %d: news after %d on image %d for a page that holds %d on %d", s.Id, s.Base, s.Version, h.seq, h.version)
	}
	last := h.version
	if n := len(h.pieces); n > 0 {
		last = h.pieces[n-1].Seq
	}
	for _, piece := range s.Pieces {
		if piece.Seq <= last || piece.Seq > s.Seq {
			p.t.Fatalf("square %d at %d: piece %d after %d", s.Id, s.Seq, piece.Seq, last)
		}
		last = piece.Seq
		h.pieces = append(h.pieces, piece)
	}
	h.seq, h.provisional = s.Seq, s.Provisional
}

func (p *page) takeWet(w *wire.Wet) {
	key := fmt.Sprint(w.Viewer, "/", w.Id)
	h := p.wets[key]
	switch {
	case w.Cancelled || w.Dry > 0:
		if h == nil {
			p.t.Fatalf("the end of wet stroke %s, of which there was no beginning", key)
		}
		delete(p.wets, key)
		p.ended = append(p.ended, w)
		return
	case w.Head != nil:
		h = &wetHeld{head: w.Head}
		p.wets[key] = h
	case h == nil:
		p.t.Fatalf("wet stroke %s goes on without a head", key)
	}
	h.points = append(h.points, w.Points...)
}

// settle pulls until everything is settled.
func (p *page) settle() {
	p.t.Helper()
	for range 1000 {
		synctest.Wait()
		p.read()
		if p.end.GetSettled() && p.end.Generation == p.view.GetGeneration() && p.end.Through >= uint64(p.room.canvas.Seq()) {
			return
		}
		before := p.end.GetCycle()
		if p.end.GetCycle() >= p.painted {
			p.pull(1 << 20)
		}
		synctest.Wait()
		p.read()
		if p.end.GetCycle() == before { // the pull waits: nothing is owed
			if p.end.GetSettled() && p.end.Generation == p.view.GetGeneration() {
				return
			}
			p.t.Fatalf("the page waits for ever: %v, canvas at %d", p.end, p.room.canvas.Seq())
		}
	}
	p.t.Fatal("1,000 pulls did not settle it")
}

// equalsTruth compares what the page holds of its wants with the canvas as it is now.
func (p *page) equalsTruth() {
	p.t.Helper()
	for _, w := range p.view.Wants {
		id := p.tiles[w.Id]
		h := p.squares[w.Id]
		if h == nil {
			p.t.Fatalf("square %v was never sent", id)
		}
		ask := []canvas.Ask{{Tile: id, After: canvas.Seq(h.version), Budget: math.MaxInt}}
		look := make([]canvas.Look, 1)
		p.room.canvas.Look(ask, look)
		if h.version > 0 && look[0].Broken {
			p.t.Fatalf("square %v shows an image of %d that is not true any more", id, h.version)
		}
		var want []*wire.Piece
		for _, it := range look[0].Items {
			if piece, ok := it.Stroke.Piece(id, uint64(it.Seq)); ok {
				want = append(want, piece)
			}
		}
		if len(h.pieces) != len(want) {
			p.t.Fatalf("square %v holds strokes %v, want %v", id, seqs(h.pieces), seqs(want))
		}
		for i := range want {
			if !proto.Equal(h.pieces[i], want[i]) {
				p.t.Fatalf("square %v: piece %d differs: got %v, want %v", id, i, h.pieces[i], want[i])
			}
		}
	}
}

func seqs(pieces []*wire.Piece) (s []uint64) {
	for _, p := range pieces {
		s = append(s, p.Seq)
	}
	return s
}

// ---------------------------------------------------------------------------------------------------------------------

func open(t testing.TB, cfg Config) *Room {
	t.Helper()
	if cfg.Name == "" {
		cfg.Name = "test"
	}
	if cfg.Journal == nil {
		cfg.Journal = memory.New()
	}
	if cfg.Report == nil {
		cfg.Report = func(s string) { t.Log("report:", s) }
	}
	r, err := Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func closeRoom(t testing.TB, r *Room) {
	t.Helper()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// line is a pen stroke from (x0, y0) to (x1, y1), in px of the tile.
func line(home tile.ID, x0, y0, x1, y1 int64) *ink.Stroke {
	s, err := ink.New(home, 1, 0x000000ff, []ink.Point{{X: x0 * 64, Y: y0 * 64, D: 128}, {X: (x0 + x1) * 32, Y: (y0+y1)*32 + 64, D: 128}, {X: x1 * 64, Y: y1 * 64, D: 128}})
	if err != nil {
		panic(err)
	}
	return s
}

func randomStroke(rng *rand.Rand) *ink.Stroke {
	home := tile.At(rng.IntN(4), rng.Int64N(3), rng.Int64N(3))
	pts := make([]ink.Point, 1+rng.IntN(20))
	x, y := rng.Int64N(1<<14), rng.Int64N(1<<14)
	for i := range pts {
		pts[i] = ink.Point{X: x, Y: y, D: int32(64 + rng.IntN(512))}
		x += rng.Int64N(2001) - 1000
		y += rng.Int64N(2001) - 1000
	}
	s, err := ink.New(home, ink.BrushID(1+rng.IntN(4)), rng.Uint32()|0xff, pts)
	if err != nil {
		panic(err)
	}
	return s
}

func grid(level int, x, y, n int64) (tiles []tile.ID) {
	for dy := range n {
		for dx := range n {
			tiles = append(tiles, tile.At(level, x+dx, y+dy))
		}
	}
	return tiles
}

// logOf reads all records of a journal.
func logOf(t testing.TB, j journal.Journal, name string) (records []journal.Record) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	j.Tail(ctx, name, 0, func(r journal.Record) error {
		if r.CaughtUp() {
			cancel()
			return context.Canceled
		}
		records = append(records, r)
		return nil
	})
	return records
}

func strokesOf(c *canvas.Canvas) (n int) {
	for range c.All() {
		n++
	}
	return n
}
