package server

import (
	"context"
	"net"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"google.golang.org/protobuf/proto"

	"fractal/cell"
	"fractal/journal/memory"
	"fractal/web"
	"fractal/wire"
)

// TestHundredViewersSurviveARestart looks with a hundred pages, ends the server under them, starts another on the same log, and
// lets all of them come back in the same instant, which pages avoid. Each must be shown what it saw, and nothing may be left
// running.
func TestHundredViewersSurviveARestart(t *testing.T) {
	before := runtime.NumGoroutine()
	log := memory.New()
	client := web.New(web.Options{})
	seen := uint64(0)
	for life := range 2 {
		pool := cell.NewPool(2, 1<<20)
		s := New(Config{Journal: log, Pool: pool, Client: client})
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan error, 1)
		go func() { served <- s.Serve(l) }()
		h := &house{t, s, l.Addr().String()}
		if life == 0 {
			d := h.draws("plane")
			for range 20 {
				d.draw()
			}
			_ = d.conn.CloseNow() // it reads no more
			seen = 20
		}
		var looking sync.WaitGroup
		for range 100 {
			looking.Go(func() { lookOnce(h, seen) })
		}
		looking.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		if err := s.Close(ctx); err != nil {
			t.Errorf("life %d: %v", life, err)
		}
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
		pool.Close()
	}
	_ = log.Close()
	for range 200 { // connections that were told to end are let end
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
		runtime.GC()
	}
	buf := make([]byte, 1<<16)
	t.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
}

// lookOnce is a page that loads, and leaves its pull armed.
func lookOnce(h *house, seen uint64) {
	conn, _, err := websocket.Dial(h.Context(), "ws://"+h.addr+"/c/plane/ws", nil)
	if err != nil {
		h.Error(err)
		return
	}
	conn.SetReadLimit(1 << 24)
	send := func(m *wire.ClientMessage) {
		b, err := proto.Marshal(m)
		if err == nil {
			err = conn.Write(h.Context(), websocket.MessageBinary, b)
		}
		if err != nil {
			h.Error(err)
		}
	}
	send(hello())
	send(&wire.ClientMessage{Kind: &wire.ClientMessage_View{View: &wire.View{Generation: 1, Origin: &wire.Tile{}, Wants: []*wire.Want{{Id: 1}, {Id: 2, Dx: 1}}}}})
	pull := &wire.Pull{Credit: 1 << 18}
	send(&wire.ClientMessage{Kind: &wire.ClientMessage_Pull{Pull: pull}})
	pieces := 0
	for {
		_, b, err := conn.Read(h.Context())
		if err != nil {
			h.Error(err)
			return
		}
		m := new(wire.ServerMessage)
		if err := proto.Unmarshal(b, m); err != nil {
			h.Error(err)
			return
		}
		if q := m.GetSquare(); q.GetId() == 1 {
			pieces = len(q.Pieces)
		}
		if end := m.GetCycleEnd(); end != nil {
			pull.Painted = end.Cycle
			send(&wire.ClientMessage{Kind: &wire.ClientMessage_Pull{Pull: pull}})
			if end.Through >= seen && end.Settled {
				break
			}
		}
	}
	if pieces != int(seen) {
		h.Errorf("a page sees %d strokes of %d", pieces, seen)
	}
	h.Cleanup(func() { _ = conn.CloseNow() })
	go func() { // a page reads until its socket ends, which the server does
		for {
			if _, _, err := conn.Read(context.Background()); err != nil {
				return
			}
		}
	}()
}
