package remote

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/coder/websocket"

	"fractal/wire"
)

// Watcher is a viewer without a screen: it says what it looks at and pulls cycles. It belongs to one goroutine.
type Watcher struct {
	Welcome *wire.Welcome

	conn    *websocket.Conn
	painted uint64
}

// Cycle is what one pull brought.
type Cycle struct {
	Squares []*wire.Square
	Layers  []*wire.Layer
	Wet     []*wire.Wet
	State   *wire.State // nil: no news
	End     *wire.CycleEnd
	Bytes   int // of all its messages
}

// Watch opens a viewer. It ends with Close; a connection that is cut is not resumed.
func Watch(ctx context.Context, t Target, who Who) (*Watcher, error) {
	if who.Key == nil {
		who.Key = make([]byte, 32)
		_, _ = rand.Read(who.Key) // never fails
	}
	conn, _, err := t.dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("remote: watch: %w", err)
	}
	conn.SetReadLimit(maxMessage)
	w := &Watcher{conn: conn}
	err = write(ctx, w.conn, &wire.ClientMessage{Kind: &wire.ClientMessage_Hello{Hello: &wire.Hello{Protocol: wire.Protocol, Key: who.Key, Name: who.Name}}})
	if err == nil {
		var m *wire.ServerMessage
		if m, _, err = read(ctx, w.conn); err == nil {
			w.Welcome = m.GetWelcome()
			if fatal := m.GetFatal(); fatal != nil {
				err = refusal(fatal.Reason)
			} else if w.Welcome == nil {
				err = fmt.Errorf("remote: watch: the server's first message is not a welcome")
			}
		}
	}
	if err != nil {
		_ = conn.CloseNow()
		return nil, err
	}
	return w, nil
}

// Close ends the viewer.
func (w *Watcher) Close() { _ = w.conn.CloseNow() }

// Look replaces what the viewer looks at. It may be called while another goroutine pulls.
func (w *Watcher) Look(ctx context.Context, v *wire.View) error {
	return write(ctx, w.conn, &wire.ClientMessage{Kind: &wire.ClientMessage_View{View: v}})
}

// Pull says that everything is painted, asks for credit bytes, and waits for the cycle: while nothing is new, until
// something is.
func (w *Watcher) Pull(ctx context.Context, credit uint32) (Cycle, error) {
	var c Cycle
	if err := write(ctx, w.conn, &wire.ClientMessage{Kind: &wire.ClientMessage_Pull{Pull: &wire.Pull{Painted: w.painted, Credit: credit}}}); err != nil {
		return c, err
	}
	for {
		m, n, err := read(ctx, w.conn)
		if err != nil {
			return c, err
		}
		c.Bytes += n
		switch k := m.Kind.(type) {
		case *wire.ServerMessage_Square:
			c.Squares = append(c.Squares, k.Square)
		case *wire.ServerMessage_Layer:
			c.Layers = append(c.Layers, k.Layer)
		case *wire.ServerMessage_Wet:
			c.Wet = append(c.Wet, k.Wet)
		case *wire.ServerMessage_State:
			c.State = k.State
		case *wire.ServerMessage_Fatal:
			return c, refusal(k.Fatal.Reason)
		case *wire.ServerMessage_CycleEnd:
			c.End, w.painted = k.CycleEnd, k.CycleEnd.Cycle
			return c, nil
		}
	}
}
