package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"fractal/canvas"
	"fractal/remote"
	"fractal/wire"
)

// watcher is a viewer that does what a page does: it takes squares, paints at the next frame of its display once a cycle has
// ended, and pulls. It takes no picture apart; that its squares follow one another is checked.
type watcher struct {
	hz      float64
	phase   float64 // of a frame: displays do not paint at the same time
	slow    bool
	through string     // address of a link to go by; empty: none
	view    *wire.View // what it looks at; nil: a screen of squares
	conn    *websocket.Conn

	squares map[uint32]holds
	credit  credit

	mu      sync.Mutex // guards all below
	pulls   []pulled
	bytes   int
	reached canvas.Seq
	moved   chan struct{} // closed and replaced when reached has moved
}

// holds is what a page holds of a square.
type holds struct{ version, seq uint64 }

// pulled is a pull, its cycle and its painting.
type pulled struct {
	asked, came, painted time.Time
	through              canvas.Seq
	newest               canvas.Seq // of any square in it
}

func (w *watcher) dial(ctx context.Context, t remote.Target) error {
	u := t.Server.JoinPath("c", t.Canvas, "ws")
	u.Scheme = "ws"
	options := &websocket.DialOptions{HTTPHeader: t.Header()}
	if w.through != "" {
		options.HTTPClient = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, w.through)
		}}}
	}
	conn, _, err := websocket.Dial(ctx, u.String(), options)
	if err != nil {
		return fmt.Errorf("bench: a viewer cannot connect: %w", err)
	}
	conn.SetReadLimit(64 << 20)
	w.conn, w.squares, w.moved = conn, map[uint32]holds{}, make(chan struct{})
	w.credit.init()
	key := make([]byte, 32)
	for i := range key {
		key[i] = byte(int(w.phase*1e6) >> (8 * (i % 3)))
	}
	if err := w.send(ctx, &wire.ClientMessage{Kind: &wire.ClientMessage_Hello{Hello: &wire.Hello{Protocol: wire.Protocol, Key: key, Name: "viewer"}}}); err != nil {
		return err
	}
	if w.view == nil {
		w.view = screen()
	}
	return w.send(ctx, &wire.ClientMessage{Kind: &wire.ClientMessage_View{View: w.view}})
}

// screen is the view of a window of 1280 × 768 px: its squares, a margin around them, and the level above.
func screen() *wire.View {
	v := &wire.View{Generation: 1, Origin: &wire.Tile{}}
	want := func(level int32, x, y int64) {
		v.Wants = append(v.Wants, &wire.Want{Id: uint32(len(v.Wants) + 1), Dlevel: level, Dx: x, Dy: y})
	}
	for y := range int64(screenHigh) {
		for x := range int64(screenWide) {
			want(0, x, y)
		}
	}
	for y := int64(-1); y <= screenHigh; y++ {
		for x := int64(-1); x <= screenWide; x++ {
			if x < 0 || y < 0 || x == screenWide || y == screenHigh {
				want(0, x, y)
			}
		}
	}
	for y := range int64(2) {
		for x := range int64(3) {
			want(-1, x, y)
		}
	}
	return v
}

func (w *watcher) send(ctx context.Context, m *wire.ClientMessage) error {
	b, err := proto.Marshal(m)
	if err != nil {
		panic("bench: marshal our own message: " + err.Error())
	}
	return w.conn.Write(ctx, websocket.MessageBinary, b)
}

// run looks until ctx ends.
func (w *watcher) run(ctx context.Context) error {
	err := w.look(ctx)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (w *watcher) look(ctx context.Context) error {
	frame := time.Duration(float64(time.Second) / w.hz)
	began := time.Now().Add(-time.Duration(w.phase * float64(frame)))
	painted := uint64(0)
	var buf []byte
	for {
		w.credit.asked()
		p := pulled{asked: time.Now()}
		if err := w.send(ctx, &wire.ClientMessage{Kind: &wire.ClientMessage_Pull{Pull: &wire.Pull{Painted: painted, Credit: uint32(w.credit.bytes)}}}); err != nil {
			return fmt.Errorf("bench: a viewer was cut off: %w", err)
		}
		bytes := 0
		for ended := false; !ended; {
			_, r, err := w.conn.Reader(ctx)
			if err != nil {
				return fmt.Errorf("bench: a viewer was cut off: %w", err)
			}
			if buf, err = readAll(buf[:0], r); err != nil {
				return fmt.Errorf("bench: a viewer was cut off: %w", err)
			}
			bytes += len(buf)
			w.credit.arrived(len(buf), time.Now())
			var end *wire.CycleEnd
			if end, err = w.take(buf, &p); err != nil {
				return err
			}
			if end != nil {
				ended, painted, p.through = true, end.Cycle, canvas.Seq(end.Through)
			}
		}
		p.came = time.Now()
		w.credit.ended(p.came)
		// The next frame of the display, which does not wait for us.
		next := began.Add(frame * time.Duration(math.Ceil(float64(p.came.Sub(began))/float64(frame))))
		if pause(ctx, time.Until(next)) != nil {
			return nil
		}
		p.painted = time.Now()
		w.mu.Lock()
		w.pulls = append(w.pulls, p)
		w.bytes += bytes
		w.reached = p.through
		close(w.moved)
		w.moved = make(chan struct{})
		w.mu.Unlock()
	}
}

func readAll(buf []byte, r io.Reader) ([]byte, error) {
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
	}
}

// Field numbers of wire.ServerMessage and wire.Square.
const (
	fieldSquare   = 4
	fieldCycleEnd = 8
	fieldFatal    = 9
	squareID      = 1
	squareVersion = 2
	squareSeq     = 3
	squareBase    = 4
	squareReset   = 5
)

// take applies one message. Pieces and images are not looked into: the driver shares the machine with the server.
func (w *watcher) take(b []byte, p *pulled) (end *wire.CycleEnd, err error) {
	number, _, n := protowire.ConsumeTag(b)
	if n < 0 {
		return nil, errors.New("bench: the server sent what is no message")
	}
	switch number {
	case fieldSquare:
		body, m := protowire.ConsumeBytes(b[n:])
		if m < 0 {
			return nil, errors.New("bench: the server sent what is no square")
		}
		return nil, w.square(body, p)
	case fieldCycleEnd, fieldFatal:
		var m wire.ServerMessage
		if err := proto.Unmarshal(b, &m); err != nil {
			return nil, fmt.Errorf("bench: %w", err)
		}
		if f := m.GetFatal(); f != nil {
			return nil, fmt.Errorf("bench: the server closed a viewer: %s", f.Reason)
		}
		return m.GetCycleEnd(), nil
	}
	return nil, nil
}

func (w *watcher) square(b []byte, p *pulled) error {
	var f [squareReset + 1]uint64
	for len(b) > 0 {
		number, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return errors.New("bench: the server sent what is no square")
		}
		b = b[n:]
		if typ == protowire.VarintType && int(number) < len(f) {
			v, n := protowire.ConsumeVarint(b)
			if n < 0 {
				return errors.New("bench: the server sent what is no square")
			}
			f[number] = v
			b = b[n:]
			continue
		}
		if n = protowire.ConsumeFieldValue(number, typ, b); n < 0 {
			return errors.New("bench: the server sent what is no square")
		}
		b = b[n:]
	}
	id := uint32(f[squareID])
	if held := w.squares[id]; f[squareReset] == 0 && (held.seq != f[squareBase] || held.version != f[squareVersion]) {
		return fmt.Errorf("bench: square %d holds version %d through %d, and was sent what follows version %d through %d",
			id, held.version, held.seq, f[squareVersion], f[squareBase])
	}
	w.squares[id] = holds{f[squareVersion], f[squareSeq]}
	p.newest = max(p.newest, canvas.Seq(f[squareSeq]))
	return nil
}

// await waits until the viewer has painted everything through seq.
func (w *watcher) await(ctx context.Context, seq canvas.Seq) {
	for {
		w.mu.Lock()
		there, moved := w.reached >= seq, w.moved
		w.mu.Unlock()
		if there {
			return
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return
		}
	}
}

// credit is the page's rule (web/src/credit.ts): as much as the connection brings in 50 ms.
type credit struct {
	bytes, after, messages int
	first                  time.Time
}

func (c *credit) init() { c.bytes = 256 << 10 }

func (c *credit) asked() { c.after, c.messages = 0, 0 }

func (c *credit) arrived(n int, now time.Time) {
	if c.messages++; c.messages == 1 {
		c.first = now
	} else {
		c.after += n
	}
}

func (c *credit) ended(now time.Time) {
	took := now.Sub(c.first)
	switch {
	case c.messages < 2:
	case took < 4*time.Millisecond:
		c.bytes = min(1<<20, 2*c.bytes)
	default:
		c.bytes = max(8<<10, min(1<<20, int(float64(c.after)*float64(50*time.Millisecond)/float64(took))))
	}
}
