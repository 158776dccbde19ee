package remote

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"

	"github.com/coder/websocket"
	"google.golang.org/protobuf/proto"

	"fractal/term"
	"fractal/vt"
	"fractal/wire"
)

// attachCredit is how many bytes of a frame are asked for at once: a screen of 1024 × 512 grid cells in colour is less.
const attachCredit = 4 << 20

// Attached is a terminal of a canvas without the canvas: it pulls frames of it, types at it, and holds its screen. When the
// connection is cut it comes back, states what it holds, and is told the difference. Next belongs to one goroutine; the rest may be
// called by anybody meanwhile.
type Attached struct {
	target Target // constant
	who    Who    // constant
	name   string // constant

	refused func(reason string) // constant

	mu       sync.Mutex // guards all below; never held while reading or writing a socket
	rows     [][]byte   // of the screen, encoded
	last     term.Frame
	facts    *term.Facts
	absent   bool
	conn     *websocket.Conn
	terminal uint64 // 0: not known yet
	size     *wire.TermSize
}

// Attach finds a terminal by its name and takes a seat in front of it. refused hears why something typed was not taken, from the
// goroutine that calls Next.
func Attach(ctx context.Context, t Target, who Who, name string, refused func(reason string)) (*Attached, error) {
	if who.Key == nil {
		who.Key = make([]byte, 32)
		_, _ = rand.Read(who.Key) // never fails
	}
	a := &Attached{target: t, who: who, name: name, refused: refused}
	if err := a.connect(ctx); err != nil {
		return nil, err
	}
	return a, nil
}

// Terminal is what names the terminal in ops: the seq of the one that placed it.
func (a *Attached) Terminal() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.terminal
}

// Close leaves.
func (a *Attached) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.conn != nil {
		_ = a.conn.CloseNow()
	}
}

// Do sends what is done at the terminal. While the connection is cut it is lost, as on any line: nobody has seen it typed.
func (a *Attached) Do(ctx context.Context, in *wire.TermIn) error {
	a.mu.Lock()
	conn := a.conn
	in.Terminal = a.terminal
	if s := in.GetSize(); s != nil {
		a.size = s // to be said again after a cut
	}
	a.mu.Unlock()
	return write(ctx, conn, &wire.ClientMessage{Kind: &wire.ClientMessage_Term{Term: in}})
}

// Full is the screen as it is now, as a full frame; nil before the first. Who changes it changes nothing here.
func (a *Attached) Full() *term.Frame {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.facts == nil {
		return nil
	}
	f := a.last
	f.Full, f.Facts, f.Changed = true, a.facts, make([]term.FrameRow, len(a.rows))
	for y, data := range a.rows {
		f.Changed[y] = term.FrameRow{Y: y, Data: data}
	}
	return &f
}

// Absent says that no program runs there since the server was started.
func (a *Attached) Absent() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.absent
}

func (a *Attached) setAbsent(yes bool) {
	a.mu.Lock()
	a.absent = yes
	a.mu.Unlock()
}

// Next says that what came is painted, and waits for a newer frame. A nil frame says that Absent has become true, or is not any
// more. A connection that is cut is mended; what Next returns then is an error that trying again does not change.
func (a *Attached) Next(ctx context.Context) (*term.Frame, error) {
	wait := firstWait
	for tries := 0; ; tries++ {
		f, err := a.next(ctx)
		var refused refusal
		if err == nil || ctx.Err() != nil || errors.As(err, &refused) {
			return f, err
		}
		for {
			if err := pause(ctx, &wait); err != nil {
				return nil, err
			}
			err = a.connect(ctx)
			if err == nil || ctx.Err() != nil || errors.As(err, &refused) {
				break
			}
			if tries++; tries > 40 {
				return nil, err
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// connect says hello, finds the terminal and says that it is looked at.
func (a *Attached) connect(ctx context.Context) error {
	a.Close()
	conn, resp, err := a.target.dial(ctx)
	if err != nil {
		return dialError(a.target, resp, err)
	}
	conn.SetReadLimit(maxMessage)
	err = write(ctx, conn, &wire.ClientMessage{Kind: &wire.ClientMessage_Hello{Hello: &wire.Hello{Protocol: wire.Protocol, Key: a.who.Key, Name: a.who.Name, Color: 0x777777ff}}})
	if err == nil {
		err = write(ctx, conn, &wire.ClientMessage{Kind: &wire.ClientMessage_View{View: &wire.View{}}})
	}
	if err == nil {
		err = write(ctx, conn, pull(0))
	}
	var list *wire.Terminals
	for err == nil && list == nil {
		var m *wire.ServerMessage
		if m, _, err = read(ctx, conn); err != nil {
			break
		}
		switch k := m.Kind.(type) {
		case *wire.ServerMessage_Fatal:
			err = refusal(k.Fatal.Reason)
		case *wire.ServerMessage_Terminals:
			list = k.Terminals
		case *wire.ServerMessage_State:
			if !k.State.Shells {
				err = refusal("this server runs no terminals: it was started without --terminals")
			}
		case *wire.ServerMessage_CycleEnd: // a canvas without terminals has no list
			list = new(wire.Terminals)
		}
	}
	if err == nil {
		err = a.find(list)
	}
	if err != nil {
		_ = conn.CloseNow()
		return err
	}
	a.mu.Lock()
	a.conn = conn
	size, holds := a.size, a.last.Holds
	a.mu.Unlock()
	err = write(ctx, conn, &wire.ClientMessage{Kind: &wire.ClientMessage_View{View: &wire.View{Generation: 1, Terms: []*wire.TermWant{
		{Terminal: a.terminal, Life: holds.Life, Seq: uint64(holds.Seq)},
	}}}})
	if err == nil && size != nil {
		err = a.Do(ctx, &wire.TermIn{What: &wire.TermIn_Size{Size: size}})
	}
	return err
}

func (a *Attached) find(list *wire.Terminals) error {
	var names []string
	for _, t := range list.GetItems() {
		if n := t.GetTerminal().GetName(); n == a.name {
			a.mu.Lock()
			if a.terminal != t.Seq {
				a.terminal, a.last.Holds = t.Seq, term.Held{}
			}
			a.mu.Unlock()
			return nil
		} else if n != "" {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return refusal(fmt.Sprintf("there are no terminals on the canvas %s; make one: fractal terminals new %s --canvas %[1]s", a.target.Canvas, a.name))
	}
	slices.Sort(names)
	return refusal(fmt.Sprintf("there is no terminal %s on the canvas %s; there are: %s", a.name, a.target.Canvas, strings.Join(names, ", ")))
}

func (a *Attached) next(ctx context.Context) (*term.Frame, error) {
	a.mu.Lock()
	conn := a.conn
	a.mu.Unlock()
	var f *term.Frame
	was := a.Absent()
	for painted := uint64(0); ; {
		if painted > 0 || f == nil {
			if err := write(ctx, conn, pull(painted)); err != nil {
				return nil, err
			}
		}
		for done := false; !done; {
			m, _, err := read(ctx, conn)
			if err != nil {
				return nil, err
			}
			switch k := m.Kind.(type) {
			case *wire.ServerMessage_Fatal:
				return nil, refusal(k.Fatal.Reason)
			case *wire.ServerMessage_Refused:
				if k.Refused.GetTerminal() == a.terminal && a.refused != nil {
					a.refused(k.Refused.GetReason())
				}
			case *wire.ServerMessage_Terminals:
				if err := a.find(k.Terminals); err != nil {
					return nil, refusal("the terminal was taken off the canvas")
				}
			case *wire.ServerMessage_Term:
				if k.Term.GetTerminal() != a.terminal {
					continue
				}
				if k.Term.GetAbsent() {
					a.setAbsent(true)
					continue
				}
				a.setAbsent(false)
				if f, err = a.apply(k.Term); err != nil {
					return nil, err
				}
			case *wire.ServerMessage_CycleEnd:
				painted, done = k.CycleEnd.Cycle, true
			}
		}
		if f != nil || a.Absent() != was {
			return f, nil
		}
	}
}

// apply takes a frame and returns it as package term has it.
func (a *Attached) apply(m *wire.TermFrame) (*term.Frame, error) {
	f := FrameFromWire(m)
	a.mu.Lock()
	defer a.mu.Unlock()
	if f.Cols < 1 || f.Cols > vt.MaxCols || f.Rows < 1 || f.Rows > vt.MaxRows {
		return nil, refusal(fmt.Sprintf("the server speaks of a screen of %d × %d; is it of this version?", f.Cols, f.Rows))
	}
	if f.Full {
		a.rows = make([][]byte, f.Rows)
	} else if len(a.rows) != f.Rows || f.Base < a.last.Base {
		return nil, fmt.Errorf("remote: a frame of %d rows from %d does not follow one of %d from %d", f.Rows, f.Base, len(a.rows), a.last.Base)
	}
	for range min(f.Base-a.last.Base, int64(len(a.rows))) {
		if !f.Full {
			a.rows = append(a.rows[1:], nil)
		}
	}
	for _, r := range f.Changed {
		if r.Y >= 0 && r.Y < len(a.rows) {
			a.rows[r.Y] = r.Data
		}
	}
	if f.Facts != nil {
		a.facts = f.Facts
	}
	a.last = *f
	return f, nil
}

// Place is a free spot for a terminal of that size beside everything drawn, a grid cell being 8 × 16 px of home: the op that puts it
// there.
func Place(w *wire.Welcome, name string, cols, rows int) *wire.Terminal {
	const unit = 64 // a pixel
	width, height := int64(cols*8*unit), int64(rows*16*unit)
	home, drawn := w.GetHome(), w.GetDrawn()
	if home == nil || drawn == nil {
		return &wire.Terminal{Home: &wire.Tile{}, Box: &wire.Box{MaxX: width, MaxY: height}, Name: name, Cols: uint32(cols), Rows: uint32(rows)}
	}
	// As high as what is drawn, or as one would see it when all is shown: whatever level that is at.
	tall := max(drawn.MaxY-drawn.MinY, 1)
	scale := new(big.Rat).SetFrac64(tall, height)
	s, _ := scale.Float64()
	s = min(max(s, 1.0/256), 1<<20)
	width, height = max(int64(float64(width)*s), 1), max(int64(float64(height)*s), 1)
	x := drawn.MaxX + max(width/16, 1)
	return &wire.Terminal{Home: home, Box: &wire.Box{MinX: x, MinY: drawn.MinY, MaxX: x + width, MaxY: drawn.MinY + height}, Name: name, Cols: uint32(cols), Rows: uint32(rows)}
}

func pull(painted uint64) *wire.ClientMessage {
	return &wire.ClientMessage{Kind: &wire.ClientMessage_Pull{Pull: &wire.Pull{Painted: painted, Credit: attachCredit}}}
}

func write(ctx context.Context, conn *websocket.Conn, m *wire.ClientMessage) error {
	b, err := proto.Marshal(m)
	if err == nil {
		err = conn.Write(ctx, websocket.MessageBinary, b)
	}
	if err != nil {
		return fmt.Errorf("remote: %w", err)
	}
	return nil
}

// read reads the next message, and says how many bytes it took.
func read(ctx context.Context, conn *websocket.Conn) (*wire.ServerMessage, int, error) {
	_, b, err := conn.Read(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("remote: %w", err)
	}
	m := new(wire.ServerMessage)
	if err := proto.Unmarshal(b, m); err != nil {
		return nil, 0, refusal("the server speaks another language; is it fractal, and of this version?")
	}
	return m, len(b), nil
}
