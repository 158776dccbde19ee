package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
	"google.golang.org/protobuf/proto"

	"fractal/room"
	"fractal/wire"
)

const (
	// maxMessage is the most bytes of one message that are kept. A stroke of 131,072 points fits.
	maxMessage = 1 << 20
	// maxDiscard is how much of a larger message is read and thrown away, so that its op can be rejected and the
	// connection goes on. Beyond it the socket is closed: reading costs time too.
	maxDiscard = 64 << 20
	// pauseReading is how many bytes may wait to be written before the socket is read no further. A client that does not
	// read is not listened to either, so what waits for it stays bounded by this, one cycle and the acks of its ops in flight.
	pauseReading = 1 << 20
	// maxWaiting closes a socket whose queue passed every bound above: the room owes a viewer less than this in the worst
	// cycle (128 cells of 64 KB and their strokes).
	maxWaiting = 64 << 20
	// helloWithin is how long a new socket may stay silent.
	helloWithin = 15 * time.Second
	// keepBuffer is the reading buffer a quiet socket keeps, in bytes. Thousands of idle viewers cost this each.
	keepBuffer = 16 << 10
)

// socket is one connection: the serving goroutine reads, one more writes. It is what a room sends to.
type socket struct {
	conn    *websocket.Conn         // constant; its parts are safe for one reader and one writer
	cork    *cork                   // constant; beneath conn
	metrics *counts                 // constant
	cutOff  context.CancelCauseFunc // ends the connection's context, which both goroutines watch
	wake    chan struct{}           // cap 1: the queue is not empty, or the end was announced

	mu      sync.Mutex // guards all below; never held while writing
	queue   [][]byte   // in order; a message belongs to the socket once sent
	waiting int        // bytes in queue, and those being written
	drained sync.Cond  // on mu: waiting fell
	ending  string     // why the socket is closed once the queue is written; empty: it is not
}

// newSocket returns the socket and the context that ends with it.
func newSocket(ctx context.Context, conn *websocket.Conn, cork *cork, m *counts) (*socket, context.Context) {
	ctx, cutOff := context.WithCancelCause(ctx)
	k := &socket{conn: conn, cork: cork, metrics: m, cutOff: cutOff, wake: make(chan struct{}, 1)}
	k.drained.L = &k.mu
	return k, ctx
}

var (
	errSlow = errors.New("the client does not read what it asked for")
	errLate = errors.New("the client did not say hello")
	errCut  = errors.New("closed by the server")
)

// Send queues a message. It never blocks: rooms call it.
func (k *socket) Send(msg []byte) {
	k.mu.Lock()
	k.queue = append(k.queue, msg)
	k.waiting += len(msg)
	slow := k.waiting > maxWaiting
	k.mu.Unlock()
	if slow {
		k.metrics.evicted.Inc()
		k.cutOff(errSlow)
		return
	}
	k.nudge()
}

func (k *socket) nudge() {
	select {
	case k.wake <- struct{}{}:
	default: // already awake
	}
}

// finish closes the socket once everything queued is written.
func (k *socket) finish(why string) {
	k.mu.Lock()
	if k.ending == "" {
		k.ending = why
	}
	k.mu.Unlock()
	k.nudge()
}

// cut closes the socket at once.
func (k *socket) cut() { k.cutOff(errCut) }

// write is the writing goroutine. It ends with the connection, and ends it.
func (k *socket) write(ctx context.Context) {
	defer k.cutOff(errCut)
	for {
		k.mu.Lock()
		batch, ending := k.queue, k.ending
		k.queue = nil
		k.mu.Unlock()
		if len(batch) == 0 && ending != "" {
			_ = k.conn.Close(websocket.StatusGoingAway, ending) // best effort: the reason is a courtesy
			return
		}
		if len(batch) == 0 {
			select {
			case <-k.wake:
				continue
			case <-ctx.Done():
				return
			}
		}
		if !k.writeAll(batch) {
			return
		}
	}
}

// writeAll writes messages as few pieces. The end of the connection is told by the connection: a context would be watched anew
// for every message.
func (k *socket) writeAll(batch [][]byte) bool {
	begin := time.Now()
	k.cork.hold()
	bytes := 0
	for i, msg := range batch {
		if err := k.conn.Write(context.Background(), websocket.MessageBinary, msg); err != nil {
			return false
		}
		batch[i] = nil
		bytes += len(msg)
		if bytes >= corkBytes { // what waits is told as it goes
			k.wrote(bytes)
			bytes = 0
		}
	}
	if err := k.cork.release(); err != nil {
		return false
	}
	k.wrote(bytes)
	k.metrics.writing.Observe(time.Since(begin).Seconds())
	k.metrics.sent.Add(float64(len(batch)))
	return true
}

func (k *socket) wrote(bytes int) {
	k.metrics.sentBytes.Add(float64(bytes))
	k.mu.Lock()
	k.waiting -= bytes
	k.drained.Signal()
	k.mu.Unlock()
}

// read returns the next message. It waits first while too much is waiting to be written. cut says that the message was longer
// than maxMessage and is only its beginning. The bytes are valid until the next call.
func (k *socket) read(ctx context.Context, buf []byte) (msg []byte, cut bool, err error) {
	k.mu.Lock()
	for k.waiting > pauseReading && ctx.Err() == nil {
		k.drained.Wait()
	}
	k.mu.Unlock()
	for {
		kind, r, err := k.conn.Reader(context.Background()) // as in writeAll
		if err != nil {
			return buf, false, err
		}
		buf, cut, err = readBounded(buf[:0], r)
		if err != nil {
			return buf, false, err
		}
		k.metrics.received.Inc()
		k.metrics.receivedBytes.Add(float64(len(buf)))
		if kind == websocket.MessageBinary {
			return buf, cut, nil
		}
		k.metrics.bad("text")
	}
}

// readBounded reads r into buf, which grows as bytes arrive and never because somebody announced them.
func readBounded(buf []byte, r io.Reader) (b []byte, cut bool, err error) {
	if cap(buf) > keepBuffer {
		buf = nil
	}
	if cap(buf) == 0 {
		buf = make([]byte, 0, 1<<10)
	}
	for {
		if len(buf) == maxMessage {
			n, err := io.Copy(io.Discard, r)
			return buf, n > 0, err
		}
		if len(buf) == cap(buf) {
			buf = append(make([]byte, 0, min(2*cap(buf), maxMessage)), buf...)
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return buf, false, nil
		}
		if err != nil {
			return buf, false, err
		}
	}
}

// serveSocket is GET /c/NAME/ws.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if err := checkName(name); err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	hijack := &corker{ResponseWriter: w}
	conn, err := websocket.Accept(hijack, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // the guard has checked the origin, by stricter rules
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		s.metrics.bad("handshake")
		return // Accept has answered
	}
	conn.SetReadLimit(maxDiscard)
	k, ctx := newSocket(context.WithoutCancel(r.Context()), conn, hijack.cork, s.metrics)
	stop := context.AfterFunc(ctx, func() { // a reader that waits for the writer must hear of the end
		k.mu.Lock()
		k.drained.Broadcast()
		k.mu.Unlock()
		_ = conn.CloseNow()
	})
	defer stop()
	defer conn.CloseNow()
	if !s.enter(k) {
		_ = conn.Close(websocket.StatusTryAgainLater, "the server is stopping")
		return
	}
	defer s.leave(k)
	s.metrics.sockets.Inc()
	defer s.metrics.sockets.Dec()

	written := make(chan struct{})
	go func() { // owned by this call, which waits for it
		defer close(written)
		k.write(ctx)
	}()
	err = s.attend(ctx, k, name, room.Seat{Owner: s.guard.owns(r)})
	if err != nil {
		s.log.Debug("socket closed", "canvas", name, "why", err)
	}
	<-written
}

// attend reads until the connection ends. What it returns is for the log.
func (s *Server) attend(ctx context.Context, k *socket, name string, seat room.Seat) error {
	late := time.AfterFunc(helloWithin, func() { k.cutOff(errLate) })
	buf, cut, err := k.read(ctx, nil)
	late.Stop()
	if err != nil {
		k.cut()
		return err
	}
	hello := new(wire.ClientMessage)
	if cut || proto.Unmarshal(buf, hello) != nil || hello.GetHello() == nil {
		s.metrics.bad("hello")
		k.fatal("The first message must be a hello. Please load the page again.", true)
		return errors.New("no hello")
	}
	r, done, err := s.rooms.acquire(ctx, name)
	if errors.Is(err, errStopping) {
		k.finish("the server is stopping") // not fatal: it may be back in a moment
		return err
	}
	if err != nil {
		s.log.Error("canvas cannot be opened", "canvas", name, "error", err)
		k.fatal(sentence(err), false)
		return err
	}
	defer done()
	viewer, err := r.Join(hello.GetHello(), seat, k)
	if err != nil {
		s.metrics.bad("hello")
		k.fatal(sentence(err), false)
		return err
	}
	defer viewer.Leave()
	defer k.cut()
	for {
		if buf, cut, err = k.read(ctx, buf); err != nil {
			return err
		}
		if cut {
			s.metrics.bad("too long")
			k.rejectRaw(buf, fmt.Sprintf("This is larger than %d MiB and cannot be kept.", maxMessage>>20))
			continue
		}
		msg, err := wire.DecodeClient(buf)
		if err != nil {
			s.metrics.bad("not protobuf")
			k.rejectRaw(buf, "This message is damaged and cannot be kept.")
			continue
		}
		if msg.Kind == nil {
			s.metrics.bad("unknown message")
			continue
		}
		if err := viewer.Handle(msg); err != nil {
			if s.stopping() {
				continue // the room is closed; what it promised is being written, then this socket ends
			}
			s.metrics.bad("refused")
			k.fatal(sentence(err), false)
			return err
		}
	}
}

// fatal says why the socket closes, and closes it.
func (k *socket) fatal(why string, reload bool) {
	k.send(&wire.ServerMessage{Kind: &wire.ServerMessage_Fatal{Fatal: &wire.Fatal{Reason: why, Reload: reload}}})
	k.finish("refused")
}

func (k *socket) send(m *wire.ServerMessage) {
	b, err := proto.Marshal(m)
	if err != nil {
		panic("server: marshal our own message: " + err.Error())
	}
	k.Send(b)
}
