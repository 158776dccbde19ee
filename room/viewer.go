package room

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"fractal/canvas"
	"fractal/cell"
	"fractal/ink"
	"fractal/tile"
	"fractal/wire"
)

const (
	keyBytes = 32
	// maxOp bounds one op in bytes: a stroke of 1 MiB.
	maxOp = 1 << 20
	// maxNumber is the greatest integer a page can count to.
	maxNumber = 1<<53 - 1
)

// ErrFlood says that a viewer goes on sending what it was told to send later. Its socket should be closed: when it comes
// back it begins again with what is not answered.
var ErrFlood = errors.New("more was sent at once than can be kept")

// Viewer is one socket's seat in a room. Handle is for one goroutine; the rest may be called by anybody.
type Viewer struct {
	room   *Room
	send   Sender
	id     uint32
	person canvas.Person
	seat   Seat

	wake    chan struct{} // holds one token when the viewer's goroutine should look
	left    chan struct{} // closed by Leave
	leaving sync.Once
	dropped atomic.Bool   // the next Handle fails
	armed   atomic.Bool   // a pull waits for its cycle
	woken   atomic.Int64  // when the token was put; 0: it was not
	own     atomic.Uint64 // newest seq of an op of this viewer
	owed    atomic.Int64  // squares, for Stats

	watches  atomic.Bool // terminals are in view, as text
	screens  atomic.Bool // … and in pictures
	typed    atomic.Bool // at some terminal
	searches searches

	dressing sync.Mutex // guards the two below
	face     wire.Peer  // as others see it
	faces    uint64     // counts its changes

	flow flow // guarded by room.queue.mu

	mu    sync.Mutex // guards in
	inbox inbox

	debt debt // of the viewer's goroutine
}

// inbox is what came in since the last look. Newer news replace older: it cannot grow.
type inbox struct {
	view   *view // nil: nothing new
	pulled bool
	credit int
	// painted is the last cycle the page says it painted.
	painted uint64
	wanting map[cell.Key]struct{} // cells of which a picture is wanted
	fresh   map[cell.Key]struct{} // those whose picture is there
}

// view is a wire.View, checked.
type view struct {
	generation uint64
	wants      []want
	terms      []termWant
	shown      int // how many of the first are on the screen
	hidden     bool
	painted    uint64 // by the page when it sent this
}

type want struct {
	id           uint32
	tile         tile.ID
	version, seq canvas.Seq             // what the page says it holds
	layers       [layerCount]canvas.Seq // versions of the settled layers it says it holds
	without      uint32                 // bit k: no layer of that kind is wanted
}

// ID is the viewer's number among the peers.
func (v *Viewer) ID() uint32 { return v.id }

// Person is who this is.
func (v *Viewer) Person() canvas.Person { return v.person }

// Handle takes one message of the page. This is where an op's size, form and right are checked, once, for sockets and tests
// alike. What is wrong with a message concerns that message alone: it is answered with a Reject or ignored and counted. An
// error says that the socket must be closed.
func (v *Viewer) Handle(m *wire.ClientMessage) error {
	select {
	case <-v.left:
		return ErrClosed
	default:
	}
	if v.dropped.Load() {
		return ErrFlood
	}
	switch k := m.GetKind().(type) {
	case *wire.ClientMessage_View:
		v.handleView(k.View)
	case *wire.ClientMessage_Pull:
		v.handlePull(k.Pull)
	case *wire.ClientMessage_Op:
		return v.handleOp(k.Op)
	case *wire.ClientMessage_Wet:
		v.handleWet(k.Wet)
	case *wire.ClientMessage_Cursor:
		v.handleCursor(k.Cursor)
	case *wire.ClientMessage_Profile:
		v.dress(func(f *wire.Peer) { f.Name, f.Color = cleanName(k.Profile.GetName()), k.Profile.GetColor() })
	case *wire.ClientMessage_Term:
		v.handleTerm(k.Term)
	case *wire.ClientMessage_Ask:
		v.handleAsk(k.Ask)
	default:
		v.room.stats.unknown.Add(1)
	}
	return nil
}

func (v *Viewer) handlePull(m *wire.Pull) {
	v.room.stats.pulls.Add(1)
	v.mu.Lock()
	v.inbox.pulled = true
	v.inbox.credit = int(min(m.GetCredit(), maxCredit))
	v.inbox.painted = max(v.inbox.painted, m.GetPainted())
	v.mu.Unlock()
	v.armed.Store(true)
	v.signal()
}

func (v *Viewer) handleView(m *wire.View) {
	next, err := checkView(m)
	if err != nil {
		v.malformed()
		return
	}
	v.watches.Store(len(next.terms) > 0)
	v.mu.Lock()
	next.painted = v.inbox.painted
	v.inbox.view = next
	v.mu.Unlock()
	v.signal()
}

func checkView(m *wire.View) (*view, error) {
	wants := m.GetWants()
	if len(wants) > wire.MaxWants {
		return nil, fmt.Errorf("a view of %d wants", len(wants))
	}
	terms, err := checkTerms(m)
	if err != nil {
		return nil, err
	}
	next := &view{generation: m.GetGeneration(), hidden: m.GetHidden(), terms: terms, shown: int(min(m.GetShown(), wire.MaxWants))}
	if next.shown == 0 {
		next.shown = len(wants)
	}
	if len(wants) == 0 {
		return next, nil
	}
	o := m.GetOrigin()
	if o == nil {
		return nil, errors.New("a view without origin")
	}
	origin, err := tile.FromWire(o.Level, o.X, o.Y)
	if err != nil {
		return nil, err
	}
	next.wants = make([]want, 0, len(wants))
	seen, tiles := make(map[uint32]struct{}, len(wants)), make(map[tile.ID]struct{}, len(wants))
	for _, w := range wants {
		id, ok := origin.Shift(int(w.GetDlevel()), w.GetDx(), w.GetDy())
		_, named := seen[w.GetId()]
		_, wanted := tiles[id]
		if !ok || named || wanted {
			return nil, errors.New("a want that names no square of its own")
		}
		seen[w.GetId()], tiles[id] = struct{}{}, struct{}{}
		next.wants = append(next.wants, want{w.GetId(), id, canvas.Seq(w.GetVersion()), canvas.Seq(w.GetSeq()), layersOf(w), w.GetWithout()})
	}
	return next, nil
}

func (v *Viewer) handleOp(m *wire.Op) error {
	if len(m.GetSession()) != len(canvas.Session{}) || m.GetNumber() == 0 || m.GetNumber() > maxNumber {
		v.malformed()
		session := m.GetSession()
		v.rejectNamed(session[:min(len(session), len(canvas.Session{}))], m.GetNumber(),
			"It has no name to keep it by: a session of 16 bytes and a number from 1.", false)
		return nil
	}
	key := opKey{canvas.Session(m.Session), m.Number}
	refuse := func(reason string) error {
		v.room.crowd.end(v.room.crowd.enters(v.id, key.number), 0)
		v.reject(key, reason, false)
		v.room.wake(v)
		return nil
	}
	if n := proto.Size(m); n > maxOp {
		return refuse(fmt.Sprintf("It has %d bytes, at most %d can be kept: draw it in parts.", n, maxOp))
	}
	switch b := m.Body.(type) {
	case *wire.Op_Stroke:
		if _, err := ink.FromWire(b.Stroke); err != nil {
			return refuse(err.Error())
		}
	case *wire.Op_Place:
		if _, err := canvas.NewPlace(b.Place); err != nil {
			return refuse(err.Error())
		}
	case *wire.Op_Terminal:
		if _, err := canvas.NewTerminal(b.Terminal); err != nil {
			return refuse(err.Error())
		}
	case *wire.Op_Grant:
		if err := canvas.CheckGrant(b.Grant); err != nil {
			return refuse(err.Error())
		}
	case *wire.Op_Undo, *wire.Op_Redo, *wire.Op_Paper, *wire.Op_Remove:
	default:
		return refuse("This server does not know what that is.")
	}
	if why := v.mayOp(m); why != "" {
		return refuse(why)
	}
	highest, owner, known := v.room.canvas.Mark(key.session)
	switch {
	case known && owner != v.person:
		return refuse("It was drawn by somebody else's page.")
	case known && key.number <= highest:
		v.room.stats.opsDuplicate.Add(1)
		v.ack(key, 0)
		return nil
	}
	body, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return refuse("It cannot be read.")
	}
	o := &op{key: key, person: v.person, body: body, at: now(), viewer: v, wet: v.room.crowd.enters(v.id, key.number)}
	v.room.stats.opsEntered.Add(1)
	reason, err := v.room.queue.enter(o)
	if err != nil {
		return err
	}
	if reason != "" {
		v.room.crowd.end(o.wet, 0)
		v.reject(key, reason, true)
		v.room.wake(v)
	}
	return nil
}

func (v *Viewer) handleWet(m *wire.WetIn) {
	if m.GetId() == 0 || m.GetId() > maxNumber {
		v.malformed()
		return
	}
	if h := m.Head; h != nil {
		if _, known := ink.BrushID(h.Brush).Brush(); !known || h.Brush > 255 || h.Home == nil || h.Width > 1<<20 {
			v.malformed()
			return
		}
		if _, err := tile.FromWire(h.Home.Level, h.Home.X, h.Home.Y); err != nil {
			v.malformed()
			return
		}
		h.Points = nil
	}
	changed, fits := v.room.crowd.draw(v.id, m)
	if !fits {
		v.room.stats.wetDropped.Add(1)
	}
	if changed {
		v.room.wake(v)
	}
}

func (v *Viewer) handleCursor(m *wire.CursorIn) {
	if !m.GetGone() {
		t := m.GetTile()
		if t == nil || max(m.X, -m.X, m.Y, -m.Y) > tile.MaxLocal || m.X < -tile.MaxLocal || m.Y < -tile.MaxLocal {
			v.malformed()
			return
		}
		if _, err := tile.FromWire(t.Level, t.X, t.Y); err != nil {
			v.malformed()
			return
		}
	} else {
		m = &wire.CursorIn{Gone: true}
	}
	v.dress(func(f *wire.Peer) { f.Cursor = m })
}

// dress changes how the others see this viewer, and tells them.
func (v *Viewer) dress(change func(*wire.Peer)) {
	person, role := []byte(nil), uint32(0)
	if v.room.programs.shells != nil {
		person, role = v.person[:], uint32(v.role())
	}
	v.dressing.Lock()
	change(&v.face)
	f := &v.face
	f.Viewer, f.Person, f.Role = v.id, person, role
	plain := peerField(&wire.Peer{Viewer: f.Viewer, Name: f.Name, Color: f.Color, Person: f.Person, Role: f.Role})
	full := plain
	if f.Cursor != nil {
		full = peerField(f)
	}
	v.faces++
	n := v.faces
	v.dressing.Unlock()
	v.room.crowd.move(v.id, n, plain, full)
	v.room.wake(v)
}

func (v *Viewer) malformed() { v.room.stats.malformed.Add(1) }

// Leave ends the viewer. Its ops in flight go on; nothing is sent any more.
func (v *Viewer) Leave() {
	v.leaving.Do(func() {
		close(v.left)
		v.armed.Store(false)
		v.search(nil)
		v.leavePrograms()
		v.room.unseat(v)
	})
}

// drop makes the next message of the page the last.
func (v *Viewer) drop() { v.dropped.Store(true) }

// signal has the viewer's goroutine look. It never blocks.
func (v *Viewer) signal() {
	v.woken.CompareAndSwap(0, now().UnixNano())
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// post sends a message that waits for no pull.
func (v *Viewer) post(m *wire.ServerMessage) { v.deliver(marshal(m)) }

func (v *Viewer) deliver(frame []byte) {
	select {
	case <-v.left:
	default:
		v.room.stats.bytes.Add(uint64(len(frame)))
		v.send.Send(frame)
	}
}

// run composes the viewer's cycles, one for each pull.
func (v *Viewer) run() {
	defer v.room.running.Done()
	for {
		select {
		case <-v.wake:
		case <-v.left:
			return
		}
		woken := time.Unix(0, v.woken.Swap(0))
		v.room.composing <- struct{}{}
		for v.look() {
		}
		<-v.room.composing
		if v.debt.sentAt != (time.Time{}) {
			if woken.UnixNano() != 0 {
				v.room.stats.pullCycle.observe(v.debt.sentAt.Sub(woken))
			}
			v.debt.sentAt = time.Time{}
		}
	}
}
