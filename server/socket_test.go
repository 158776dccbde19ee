package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"google.golang.org/protobuf/proto"

	"fractal/cell"
	"fractal/ink"
	"fractal/journal"
	"fractal/journal/memory"
	"fractal/tile"
	"fractal/web"
	"fractal/wire"
)

// house is a server over loopback with a real room and a log in memory.
type house struct {
	*testing.T
	server *Server
	addr   string
}

func newHouse(t *testing.T) *house { return newHouseOn(t, memory.New()) }

func newHouseOn(t *testing.T, log journal.Journal) *house {
	t.Helper()
	pool := cell.NewPool(2, 1<<20)
	s := New(Config{Journal: log, Pool: pool, Client: web.New(web.Options{})})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = s.Close(ctx) // hostile clients may have to be cut
		if err := <-served; err != nil {
			t.Error(err)
		}
		pool.Close()
		_ = log.Close()
	})
	return &house{t, s, l.Addr().String()}
}

// metric is the sum of a metric over its labels, or of the one label given.
func (h *house) metric(name string) float64 {
	h.Helper()
	resp, err := http.Get("http://" + h.addr + "/metrics")
	if err != nil {
		h.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		h.Fatal(err)
	}
	sum := 0.0
	for line := range strings.Lines(string(body)) {
		if rest, ok := strings.CutPrefix(line, name); ok && (rest[0] == ' ' || rest[0] == '{') {
			var v float64
			if _, err := fmt.Sscan(line[strings.LastIndexByte(line, ' '):], &v); err != nil {
				h.Fatal(err)
			}
			sum += v
		}
	}
	return sum
}

// until waits for a metric to become what the story needs.
func (h *house) until(name string, want float64) {
	h.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for h.metric(name) != want {
		if time.Now().After(deadline) {
			h.Fatalf("%s stays at %v, want %v", name, h.metric(name), want)
		}
	}
}

// drawer is one well-behaved socket.
type drawer struct {
	*testing.T
	conn    *websocket.Conn
	session []byte
	number  uint64
}

func (h *house) dial(canvas string) *websocket.Conn {
	h.Helper()
	conn, _, err := websocket.Dial(h.Context(), "ws://"+h.addr+"/c/"+canvas+"/ws", nil)
	if err != nil {
		h.Fatal(err)
	}
	conn.SetReadLimit(1 << 24)
	h.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

func (h *house) draws(canvas string) *drawer {
	h.Helper()
	d := &drawer{h.T, h.dial(canvas), make([]byte, 16), 0}
	_, _ = rand.Read(d.session)
	d.send(hello())
	if m := d.next(func(m *wire.ServerMessage) bool { return m.GetWelcome() != nil }); m.GetWelcome().OpsInFlight == 0 {
		h.Fatalf("welcome %v", m)
	}
	return d
}

func hello() *wire.ClientMessage {
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	return &wire.ClientMessage{Kind: &wire.ClientMessage_Hello{Hello: &wire.Hello{Protocol: 1, Key: key, Name: "test", Color: 0xff}}}
}

func marshal(t testing.TB, m *wire.ClientMessage) []byte {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (d *drawer) send(m *wire.ClientMessage) { d.Helper(); d.sendRaw(marshal(d.T, m)) }

func (d *drawer) sendRaw(b []byte) {
	d.Helper()
	if err := d.conn.Write(d.Context(), websocket.MessageBinary, b); err != nil {
		d.Fatal(err)
	}
}

// next reads until a message that is wanted.
func (d *drawer) next(wanted func(*wire.ServerMessage) bool) *wire.ServerMessage {
	d.Helper()
	ctx, cancel := context.WithTimeout(d.Context(), 20*time.Second)
	defer cancel()
	for {
		_, b, err := d.conn.Read(ctx)
		if err != nil {
			d.Fatal(err)
		}
		m := new(wire.ServerMessage)
		if err := proto.Unmarshal(b, m); err != nil {
			d.Fatal(err)
		}
		if wanted(m) {
			return m
		}
	}
}

// op wraps a stroke in the next op.
func (d *drawer) op(s *wire.Stroke) *wire.ClientMessage {
	d.number++
	return &wire.ClientMessage{Kind: &wire.ClientMessage_Op{Op: &wire.Op{Session: d.session, Number: d.number, Body: &wire.Op_Stroke{Stroke: s}}}}
}

// answer waits for what became of the newest op: "" when acknowledged, else the reason.
func (d *drawer) answer() string {
	d.Helper()
	m := d.next(func(m *wire.ServerMessage) bool {
		return m.GetAck().GetNumber() == d.number || m.GetReject().GetNumber() == d.number
	})
	return m.GetReject().GetReason()
}

// draw draws a good stroke and fails unless it is acknowledged.
func (d *drawer) draw() {
	d.Helper()
	d.send(d.op(line(d.T, 3)))
	if why := d.answer(); why != "" {
		d.Fatalf("a good stroke was rejected: %s", why)
	}
}

func line(t testing.TB, n int) *wire.Stroke {
	t.Helper()
	pts := make([]ink.Point, n)
	for i := range pts {
		pts[i] = ink.Point{X: int64(i) * 640, Y: int64(i%7) * 640, D: 128}
	}
	s, err := ink.New(tile.At(0, 0, 0), ink.Pen, 0x112233ff, pts)
	if err != nil {
		t.Fatal(err)
	}
	return s.Wire()
}

func TestBadOpsAreRejectedAlone(t *testing.T) {
	h := newHouse(t)
	witness, d := h.draws("plane"), h.draws("plane")
	with := func(change func(*wire.Stroke)) *wire.Stroke {
		s := line(t, 3)
		change(s)
		return s
	}
	for _, c := range []struct {
		name   string
		stroke *wire.Stroke
	}{
		{"no stroke", &wire.Stroke{}},
		{"no home", with(func(s *wire.Stroke) { s.Home = nil })},
		{"no points", with(func(s *wire.Stroke) { s.Points = nil })},
		{"points cut in a varint", with(func(s *wire.Stroke) { s.Points = []byte{0x80} })},
		{"x without y", with(func(s *wire.Stroke) { s.Points = []byte{2} })},
		{"endless varint", with(func(s *wire.Stroke) { s.Points = bytes.Repeat([]byte{0xff}, 100) })},
		{"points 2^50 tiles apart", with(func(s *wire.Stroke) { s.Points = append(binary.AppendVarint(nil, 1<<62), 0) })},
		{"a million points", with(func(s *wire.Stroke) { s.Points = make([]byte, 800_000) })},
		{"width huge", with(func(s *wire.Stroke) { s.Width = 1 << 30 })},
		{"widths of 0", with(func(s *wire.Stroke) { s.Width = 0; s.Points = make([]byte, 9) })},
		{"widths negative", with(func(s *wire.Stroke) { s.Width = 0; s.Points = []byte{0, 0, 1} })},
		{"unknown brush", with(func(s *wire.Stroke) { s.Brush = 77 })},
		{"level beyond", with(func(s *wire.Stroke) { s.Home.Level = 65537 })},
		{"address of 900 KB", with(func(s *wire.Stroke) { s.Home.X = bytes.Repeat([]byte{0x55}, 900_000) })},
		{"address not in shortest form", with(func(s *wire.Stroke) { s.Home.X = []byte{0, 0, 1} })},
	} {
		t.Run(c.name, func(t *testing.T) {
			d.T, witness.T = t, t
			d.send(d.op(c.stroke))
			if why := d.answer(); why == "" {
				t.Error("was kept")
			} else {
				t.Log(why)
			}
			d.draw()
			witness.draw()
		})
	}
	const bad = 15 // rows of the table
	if n := h.metric(`fractal_ops_total{what="rejected"}`); n != bad {
		t.Errorf("%v rejected ops are counted, want %d", n, bad)
	}
	for name, s := range map[string]*wire.Stroke{
		"one point": line(t, 1), "two": line(t, 2), "500 equal": {Home: &wire.Tile{}, Brush: 1, Color: 0xff, Width: 64, Points: make([]byte, 1000)},
	} {
		d.T = t
		d.send(d.op(s))
		if why := d.answer(); why != "" {
			t.Errorf("%s was rejected: %s", name, why)
		}
	}
}

func TestBadMessagesHarmNobody(t *testing.T) {
	h := newHouse(t)
	witness := h.draws("plane")
	d := h.draws("plane")
	bad := 0.0
	for _, c := range []struct {
		name   string
		send   func(d *drawer)
		reject bool // the sender hears what became of its op
	}{
		{"a tile address of 10 MB", func(d *drawer) {
			s := line(d.T, 3)
			s.Home.X = bytes.Repeat([]byte{1}, 10<<20)
			d.send(d.op(s))
		}, true},
		{"a million points of 3 bytes", func(d *drawer) {
			s := line(d.T, 3)
			s.Points = bytes.Repeat([]byte{0x81, 0x80, 0x01}, 2_000_000)
			d.send(d.op(s))
		}, true},
		{"an op cut in its stroke", func(d *drawer) {
			b := marshal(d.T, d.op(line(d.T, 50)))
			d.sendRaw(b[:len(b)-20])
		}, true},
		{"noise", func(d *drawer) { d.sendRaw([]byte("\xff\xfe\xfd nonsense")) }, false},
		{"an empty message", func(d *drawer) { d.sendRaw(nil) }, false},
		{"an unknown message", func(d *drawer) { d.sendRaw([]byte{0xfa, 0x7f, 1, 'x'}) }, false},
		{"text", func(d *drawer) {
			if err := d.conn.Write(d.Context(), websocket.MessageText, []byte(`{"hello":1}`)); err != nil {
				d.Fatal(err)
			}
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d.T, witness.T = t, t
			c.send(d)
			bad++
			if c.reject {
				if why := d.answer(); why == "" {
					t.Error("was kept")
				}
			}
			d.draw() // the same connection goes on
			witness.draw()
			if got := h.metric("fractal_bad_messages_total"); got != bad {
				t.Errorf("%v bad messages counted, want %v", got, bad)
			}
		})
	}
}

func TestSocketWithoutHelloIsClosed(t *testing.T) {
	h := newHouse(t)
	witness := h.draws("plane")
	for name, first := range map[string][]byte{
		"noise":          []byte("\x00\x01\x02"),
		"another kind":   marshal(t, &wire.ClientMessage{Kind: &wire.ClientMessage_Pull{Pull: &wire.Pull{}}}),
		"a short key":    marshal(t, &wire.ClientMessage{Kind: &wire.ClientMessage_Hello{Hello: &wire.Hello{Protocol: 1, Key: []byte("me")}}}),
		"other protocol": marshal(t, &wire.ClientMessage{Kind: &wire.ClientMessage_Hello{Hello: &wire.Hello{Protocol: 99, Key: make([]byte, 32)}}}),
		"a huge name":    marshal(t, &wire.ClientMessage{Kind: &wire.ClientMessage_Hello{Hello: &wire.Hello{Protocol: 1, Key: make([]byte, 31), Name: strings.Repeat("x", 2<<20)}}}),
	} {
		t.Run(name, func(t *testing.T) {
			d := &drawer{T: t, conn: h.dial("plane")}
			d.sendRaw(first)
			if m := d.next(func(*wire.ServerMessage) bool { return true }); m.GetFatal().GetReason() == "" {
				t.Errorf("answered %v, want why it closes", m)
			}
			if _, _, err := d.conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusGoingAway {
				t.Errorf("then %v, want a close", err)
			}
		})
	}
	witness.draw()
	h.until("fractal_sockets", 1)
}

// rawSocket opens a socket by hand, to send what no library would.
func (h *house) rawSocket(canvas string) net.Conn {
	h.Helper()
	c, err := net.Dial("tcp", h.addr)
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = c.Close() })
	fmt.Fprintf(c, "GET /c/%s/ws HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", canvas, h.addr)
	buf := make([]byte, 4096)
	n, err := c.Read(buf)
	if err != nil || !strings.HasPrefix(string(buf[:n]), "HTTP/1.1 101") {
		h.Fatalf("handshake: %v %s", err, buf[:n])
	}
	return c
}

// frame is one masked binary frame; the mask is 0.
func frame(payload []byte) []byte {
	f := []byte{0x82}
	switch n := len(payload); {
	case n < 126:
		f = append(f, 0x80|byte(n))
	case n < 1<<16:
		f = binary.BigEndian.AppendUint16(append(f, 0x80|126), uint16(n))
	default:
		f = binary.BigEndian.AppendUint64(append(f, 0x80|127), uint64(n))
	}
	return append(append(f, 0, 0, 0, 0), payload...)
}

func TestSocketCutAnywhereLeavesNothingBehind(t *testing.T) {
	h := newHouse(t)
	witness := h.draws("plane")
	d := &drawer{T: t, session: bytes.Repeat([]byte{7}, 16)}
	view := &wire.ClientMessage{Kind: &wire.ClientMessage_View{View: &wire.View{Generation: 1, Origin: &wire.Tile{}, Wants: []*wire.Want{{Id: 1}}}}}
	pull := &wire.ClientMessage{Kind: &wire.ClientMessage_Pull{Pull: &wire.Pull{Credit: 1 << 20}}}
	var story []byte
	cuts := []int{0}
	for _, m := range []*wire.ClientMessage{hello(), view, pull, d.op(line(t, 9)), pull, d.op(line(t, 9))} {
		f := frame(marshal(t, m))
		cuts = append(cuts, len(story)+1, len(story)+len(f)/2, len(story)+len(f)) // in its header, in its payload, at its end
		story = append(story, f...)
	}
	for _, cut := range cuts {
		c := h.rawSocket("plane")
		if _, err := c.Write(story[:cut]); err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
	}
	h.until("fractal_sockets", 1)
	witness.draw()
	_ = witness.conn.CloseNow()
	h.until("fractal_sockets", 0)
	h.until("fractal_rooms", 0)
}

func TestFramesThatLieAreClosed(t *testing.T) {
	h := newHouse(t)
	witness := h.draws("plane")
	for name, raw := range map[string][]byte{
		"announces 2^62 bytes": append([]byte{0x82, 0xff}, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
		"reserved bits":        {0xf2, 0x80, 0, 0, 0, 0},
		"unmasked":             {0x82, 0x01, 0x00},
		"unknown opcode":       {0x8b, 0x80, 0, 0, 0, 0},
		"huge ping":            append([]byte{0x89, 0xfe, 0xff, 0xff}, make([]byte, 4)...),
	} {
		t.Run(name, func(t *testing.T) {
			witness.T = t
			c := h.rawSocket("plane")
			if _, err := c.Write(append(frame(marshal(t, hello())), raw...)); err != nil {
				t.Fatal(err)
			}
			if name == "announces 2^62 bytes" {
				_ = c.(*net.TCPConn).CloseWrite() // nobody waits for bytes that never come
			}
			_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
			if _, err := io.Copy(io.Discard, c); err != nil && strings.Contains(err.Error(), "timeout") {
				t.Error("the socket stays open")
			}
			witness.draw()
		})
	}
	h.until("fractal_sockets", 1)
}

func TestClientThatNeverReadsHoldsUpNobody(t *testing.T) {
	h := newHouse(t)
	witness := h.draws("plane")
	c := h.rawSocket("plane")
	_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
	d := &drawer{T: t, session: bytes.Repeat([]byte{9}, 16)}
	bad := d.op(&wire.Stroke{}) // each is answered, with a sentence
	var flood []byte
	flood = append(flood, frame(marshal(t, hello()))...)
	for range 200_000 {
		flood = append(flood, frame(marshal(t, bad))...)
	}
	wrote := make(chan struct{})
	go func() { // ends when all is taken, or with the connection
		defer close(wrote)
		_, _ = c.Write(flood)
	}()
	held := func() (most int) {
		h.server.mu.Lock()
		defer h.server.mu.Unlock()
		for k := range h.server.sockets {
			k.mu.Lock()
			most = max(most, k.waiting)
			k.mu.Unlock()
		}
		return most
	}
	deadline := time.Now().Add(20 * time.Second)
	for held() < 1<<20 {
		if time.Now().After(deadline) {
			t.Fatalf("only %d bytes wait: this shows nothing", held())
		}
		witness.draw()
	}
	for range 200 {
		witness.draw()
	}
	if n := held(); n > 2<<20 {
		t.Errorf("%d bytes wait for a client that does not read, want no more than 2 MiB", n)
	}
	_ = c.Close()
	<-wrote
	h.until("fractal_sockets", 1)
}

func TestQueueBeyondEveryBoundCutsTheSocket(t *testing.T) {
	m := newCounts()
	k, ctx := newSocket(t.Context(), nil, nil, m)
	chunk := make([]byte, 1<<20)
	for range maxWaiting/len(chunk) + 1 {
		k.Send(chunk) // nobody writes
	}
	if ctx.Err() == nil || context.Cause(ctx) != errSlow {
		t.Errorf("the socket's end is %v, want %v", context.Cause(ctx), errSlow)
	}
}

func TestPagesAndAPI(t *testing.T) {
	h := newHouse(t)
	get := func(path string) (int, string) {
		resp, err := http.Get("http://" + h.addr + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	post := func(body string) (int, string) {
		resp, err := http.Post("http://"+h.addr+"/api/canvases", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b)
	}
	if code, body := get("/healthz"); code != 200 || body != "ok\n" {
		t.Errorf("/healthz: %d %q", code, body)
	}
	if code, body := get("/api/canvases"); code != 200 || !strings.Contains(body, `"canvases":[]`) {
		t.Errorf("no canvases: %d %s", code, body)
	}
	if code, body := post(`{"name":"Floor Plan"}`); code != 201 || !strings.Contains(body, `"/c/floor-plan"`) {
		t.Errorf("made: %d %s", code, body)
	}
	if code, body := post(`{"name":"floor plan"}`); code != 409 || !strings.Contains(body, `"/c/floor-plan"`) {
		t.Errorf("made again: %d %s", code, body)
	}
	if code, _ := post(``); code != 201 {
		t.Errorf("made without a name: %d", code)
	}
	for _, bad := range []string{`{"name":"ü"}`, `{"name":7}`, `[`, `{"name":"` + strings.Repeat("x", 100) + `"}`, strings.Repeat(" ", 10_000)} {
		if code, body := post(bad); code != 400 {
			t.Errorf("%.40s: %d %s, want 400", bad, code, body)
		}
	}
	if code, body := get("/api/canvases"); !strings.Contains(body, `"floor-plan"`) {
		t.Errorf("list: %d %s", code, body)
	}
	if code, _ := get("/c/floor-plan/export"); code != 200 {
		t.Errorf("export of an empty canvas: %d", code)
	}
	for path, want := range map[string]int{
		"/c/floor-plan/export?format=png": 400, "/c/nothing/export": 404, "/c/..%2fx/export": 404, "/c/UPPER/ws": 404,
		"/nothing": 404, "/c/%2e%2e": 404, "/metrics": 200, "/debug/cells": 200, "/debug/pprof/cmdline": 200, "/api/backup": 404,
	} {
		if code, body := get(path); code != want {
			t.Errorf("%s: %d %.80s, want %d", path, code, body, want)
		}
	}
}

func TestOwnersPagesAreForTheMachineItself(t *testing.T) {
	s := New(Config{Client: web.New(web.Options{}), Journal: memory.New()})
	for _, path := range []string{"/metrics", "/debug/", "/debug/cells", "/debug/trace?seconds=1", "/debug/pprof/", "/debug/pprof/heap"} {
		r := httptest.NewRequest("GET", path, nil)
		r.Host, r.RemoteAddr = "localhost", "192.168.1.9:4000" // through a forwarder that listens for others
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if w.Code != http.StatusForbidden {
			t.Errorf("%s from elsewhere: %d, want 403", path, w.Code)
		}
	}
}

func TestDrawnStrokesAreExportedInOrder(t *testing.T) {
	h := newHouse(t)
	d := h.draws("plane")
	for range 5 {
		d.draw()
	}
	resp, err := http.Get("http://" + h.addr + "/c/plane/export?format=strokes")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || bytes.Count(body, []byte("\n")) != 6 || !bytes.Contains(body, []byte(`"brush":"pen"`)) {
		t.Errorf("%v, exported:\n%s", err, body)
	}
}

func TestCountsSurviveTheirRoom(t *testing.T) {
	h := newHouse(t)
	for _, name := range []string{"one", "two", "one"} {
		d := h.draws(name)
		d.draw()
		_ = d.conn.CloseNow()
		h.until("fractal_rooms", 0)
	}
	for name, want := range map[string]float64{`fractal_ops_total{what="acknowledged"}`: 3, "fractal_op_ack_seconds_count": 3, "fractal_viewers": 0} {
		if got := h.metric(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// slowDisk is a log whose appends wait until the gate is opened.
type slowDisk struct {
	journal.Journal
	gate chan struct{}
}

func (s slowDisk) Append(ctx context.Context, canvas string, id journal.ID, body []byte) (journal.Pos, error) {
	<-s.gate
	return s.Journal.Append(ctx, canvas, id, body)
}

func TestCloseFinishesWhatIsInFlight(t *testing.T) {
	const ops = 200
	disk := slowDisk{memory.New(), make(chan struct{})}
	h := newHouseOn(t, disk)
	d := h.draws("plane")
	for range ops {
		d.send(d.op(line(t, 3)))
	}
	h.until(`fractal_ops_total{what="entered"}`, ops)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- h.server.Close(ctx) }()
	for !h.server.stopping() { // then its disk answers
		runtime.Gosched()
	}
	close(disk.gate)
	acks := 0
	for {
		_, b, err := d.conn.Read(ctx)
		if err != nil {
			if websocket.CloseStatus(err) != websocket.StatusGoingAway {
				t.Errorf("the socket ended with %v, want going away", err)
			}
			break
		}
		m := new(wire.ServerMessage)
		if err := proto.Unmarshal(b, m); err != nil {
			t.Fatal(err)
		}
		if m.GetAck() != nil {
			acks++
		}
	}
	if acks != ops {
		t.Errorf("%d of %d ops were acknowledged before the end", acks, ops)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if n := len(h.server.rooms.users()); n > 0 {
		t.Errorf("%d rooms are still open: their snapshots are not kept", n)
	}
	if _, _, err := websocket.Dial(ctx, "ws://"+h.addr+"/c/plane/ws", nil); err == nil {
		t.Error("a socket was taken after closing")
	}
}
