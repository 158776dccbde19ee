// Package room owns one live canvas: the order of its ops, the ink and cursors in the making, and what each viewer is
// owed. It refuses to know HTTP and files: bytes leave through a Sender, records through a journal.
//
// A viewer's debt is state, never a queue: which of its squares must be looked at again. A pull takes as much of the debt as
// its credit allows, as of one seq, and closes it with CycleEnd; with nothing owed the pull waits, armed, for the next
// change. Only acks and rejects are sent unasked: the ops in flight bound them. No timer runs while nothing happens.
//
// Goroutines: one sequencer a room (sequencer.go) with its tail and its appender, one snapshot at a time, one a viewer
// that composes its cycles. Locks (queue, news, crowd, pieces, a viewer's inbox) are held for memory only, one at a time.
package room

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"fractal/canvas"
	"fractal/cell"
	"fractal/journal"
	"fractal/source"
	"fractal/term"
	"fractal/wire"
)

// Config says what a room is opened on.
type Config struct {
	Name    string          // of the canvas in the journal
	Title   string          // shown to people; empty: the name
	Journal journal.Journal // where its ops are kept
	Blobs   *journal.Blobs  // where its snapshots are kept; nil: nowhere, the log is replayed
	Pool    *cell.Pool      // draws its cells; nil: there are no pictures, all ink travels as strokes
	Shelf   *cell.Shelf     // where what large cells are made of is kept; nil: nowhere
	Report  func(string)    // told what an operator should know; nil: nobody
	Shells  *term.Shells    // where programs for terminals run; nil: there are none
	Shell   term.Spec       // which ones, and how

}

// Sender takes one binary message for a socket. It must not block: what it may hold is bounded by the ops in flight and one
// cycle. The message is given away.
type Sender interface{ Send(message []byte) }

var (
	// ErrClosed says that the room or the viewer is closed.
	ErrClosed = errors.New("room: closed")
	// ErrHello says that a Hello cannot be taken; the text is for a person.
	ErrHello = errors.New("the page cannot join")
	// ErrReload says that the page is of another version and must be loaded again.
	ErrReload = errors.New("the page is of another version than the server: load it again")
)

// Room is one live canvas. All methods are safe for concurrent use.
type Room struct {
	name, title string
	canvas      *canvas.Canvas // applied to by the sequencer alone
	journal     journal.Journal
	blobs       *journal.Blobs
	cells       *cell.Cells  // nil: no pictures
	halves      *cell.Halves // nil: not kept
	terms       *source.Term // nil: no pictures of terminals
	outlined    int          // strokes whose outlines were kept since the last time
	report      func(string)

	queue  queue
	news   news
	crowd  crowd
	pieces pieces
	stats  counters
	seq    *sequencer

	programs programs
	firsts   firsts

	// composing holds a token for every viewer that composes: no more than there are processors. The others wait here and not
	// in the scheduler's queue, where each of the few steps from an op to its ack would stand behind all of them.
	composing chan struct{}

	viewers atomic.Pointer[[]*Viewer] // replaced, never changed
	joining sync.Mutex                // guards writing viewers and the fields below; held for memory only
	last    uint32                    // viewer number given
	closed  bool
	running sync.WaitGroup // viewers' goroutines
}

// Open restores the canvas from its newest valid snapshot and the log after it, and returns when every record that was there
// is applied. A log that is damaged opens up to the damage and is read-only: see ReadOnly.
func Open(ctx context.Context, cfg Config) (*Room, error) {
	r := &Room{
		name: cfg.Name, title: cfg.Title, journal: cfg.Journal, blobs: cfg.Blobs, report: cfg.Report,
	}
	if r.title == "" {
		r.title = r.name
	}
	if r.report == nil {
		r.report = func(string) {}
	}
	r.composing = make(chan struct{}, runtime.NumCPU())
	r.viewers.Store(new([]*Viewer))
	r.queue.init()
	r.crowd.init()
	r.firsts.init()
	r.programs.init(&cfg)
	chain, err := r.restore()
	if err != nil {
		return nil, err
	}
	begin := now()
	r.canvas.Clock = func() int64 { return int64(now().Sub(begin)) }
	if cfg.Pool != nil {
		_, link := chain.Head()
		r.halves = cfg.Shelf.Room(r.name, link, uint64(r.canvas.Seq()))
		sources := source.Of(r.canvas, source.With{Halves: r.halves, Session: r.Session})
		r.terms = sources[cell.KindTerm].(*source.Term)
		r.cells = cfg.Pool.Room(sources, r.pictureReady)
	}
	r.seq = newSequencer(r, chain)
	if err := r.seq.open(ctx); err != nil {
		r.closeCells()
		return nil, fmt.Errorf("room: open %s: %w", r.name, err)
	}
	r.watchPrograms()
	if r.cells != nil {
		r.outlined = source.TakeOutlines(r.canvas, r.halves)
		r.cells.Idle(source.NewPreparer(r.canvas).Piece)
	}
	return r, nil
}

// Canvas is the document, to be read.
func (r *Room) Canvas() *canvas.Canvas { return r.canvas }

// Name is the canvas's name in the journal.
func (r *Room) Name() string { return r.name }

// ReadOnly says why nothing can be kept at the moment, in words for a person; empty: all is well.
func (r *Room) ReadOnly() string { return r.news.shared().readOnly }

// Viewers is how many are here.
func (r *Room) Viewers() int { return len(*r.viewers.Load()) }

// hold has Close wait for a goroutine that is about to start; false: the room is closed.
func (r *Room) hold() bool {
	r.joining.Lock()
	defer r.joining.Unlock()
	if !r.closed {
		r.running.Add(1)
	}
	return !r.closed
}

// Join seats a viewer and sends it the Welcome. Messages go to send until Leave.
func (r *Room) Join(hello *wire.Hello, seat Seat, send Sender) (*Viewer, error) {
	if hello.GetProtocol() != wire.Protocol {
		return nil, ErrReload
	}
	if len(hello.Key) != keyBytes {
		return nil, fmt.Errorf("%w: its key has %d bytes, not %d", ErrHello, len(hello.Key), keyBytes)
	}
	sum := sha256.Sum256(hello.Key)
	v := &Viewer{
		room: r, send: send, person: canvas.Person(sum[:16]), seat: seat,
		wake: make(chan struct{}, 1), left: make(chan struct{}),
		debt: debt{title: r.title, shells: r.programs.shells != nil, pictures: r.cells != nil, byID: map[uint32]*square{}, flight: map[uint32]sent{}, termFlight: map[canvas.Seq]termSent{}, termsOwed: true},
	}

	r.joining.Lock()
	if r.closed {
		r.joining.Unlock()
		return nil, ErrClosed
	}
	r.last++
	v.id = r.last
	r.running.Add(1)
	r.joining.Unlock()

	r.news.meet(v.person)
	r.news.undo(v.person, r.canvas.Seq(), r.canvas.CanUndo(v.person), r.canvas.CanRedo(v.person))
	welcome := &wire.Welcome{
		Protocol: wire.Protocol, Viewer: v.id, Seq: uint64(r.canvas.Seq()),
		MaxWants: wire.MaxWants, OpsInFlight: maxOps, BytesInFlight: maxOpBytes, MaxMessage: wire.MaxClientFrame,
		Person: v.person[:],
	}
	if home, drawn, ok := r.canvas.Extent(); ok {
		level, x, y := home.Wire()
		welcome.Home = &wire.Tile{Level: level, X: x, Y: y}
		welcome.Drawn = &wire.Box{MinX: drawn.MinX, MinY: drawn.MinY, MaxX: drawn.MaxX, MaxY: drawn.MaxY}
	}
	v.post(&wire.ServerMessage{Kind: &wire.ServerMessage_Welcome{Welcome: welcome}})

	r.joining.Lock()
	viewers := append(slices.Clone(*r.viewers.Load()), v)
	r.viewers.Store(&viewers)
	r.joining.Unlock()
	go v.run()
	v.dress(func(f *wire.Peer) { f.Name, f.Color = cleanName(hello.Name), hello.Color })
	return v, nil
}

func (r *Room) unseat(v *Viewer) {
	r.joining.Lock()
	viewers := slices.DeleteFunc(slices.Clone(*r.viewers.Load()), func(o *Viewer) bool { return o == v })
	r.viewers.Store(&viewers)
	r.joining.Unlock()
	r.queue.forget(v)
	r.crowd.leave(v.id)
	r.news.part(v.person)
	if r.cells != nil {
		r.cells.Forget(uint64(v.id))
	}
	r.wake(v)
	if len(viewers) == 0 {
		r.pieces.clear()
		r.programs.written.clear()
		r.seq.snapshotSoon()
	}
}

// wake lets every armed viewer look at what is new, but not the one who did it.
func (r *Room) wake(but *Viewer) {
	for _, v := range *r.viewers.Load() {
		if v != but && v.armed.Load() {
			v.signal()
		}
	}
}

// Close keeps and applies what was entered, sees every viewer off, snapshots the canvas if it has news, and returns when all
// goroutines have ended.
func (r *Room) Close() error {
	r.joining.Lock()
	again := r.closed
	r.closed = true
	r.joining.Unlock()
	if again {
		<-r.seq.ended
		return nil
	}
	r.programs.stop()
	close(r.firsts.gone)
	r.queue.close()
	err := r.seq.close()
	for _, v := range *r.viewers.Load() {
		v.Leave()
	}
	r.running.Wait()
	r.closeCells()
	source.KeepOutlines(r.canvas, r.halves, r.outlined)
	return err
}

func (r *Room) closeCells() {
	if r.cells != nil {
		r.cells.Close()
	}
}

// cleanName makes a name fit to show: bounded, one line, no control characters.
func cleanName(name string) string {
	name = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == utf8.RuneError || unicode.Is(unicode.Bidi_Control, c) {
			return -1
		}
		return c
	}, name)
	for len(name) > maxName {
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
	return strings.TrimSpace(name)
}

func marshal(m *wire.ServerMessage) []byte {
	b, err := proto.Marshal(m)
	if err != nil {
		panic("room: a message of ours cannot be written: " + err.Error())
	}
	return b
}

// now is the only clock of a room: it stamps records and measures latencies, and paces nothing.
func now() time.Time { return time.Now() }
