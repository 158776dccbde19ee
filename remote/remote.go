// Package remote owns a program's end of a canvas: the socket, hello, ops in the window the server grants, and resuming
// with the same session when the connection is cut. Importers and drivers stand on it. It refuses to know how a picture
// comes about: it sends ops and hears what became of them.
package remote

import (
	"context"
	crand "crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"google.golang.org/protobuf/proto"

	"fractal/wire"
)

const (
	// maxMessage bounds what a server may make us read at once.
	maxMessage = 64 << 20
	// patience is how long a session tries to get back to a server before it gives up.
	patience = 30 * time.Second
	// firstWait and maxWait bound the waits between attempts; each bound is twice the last.
	firstWait = 50 * time.Millisecond
	maxWait   = 2 * time.Second
)

// Target is where a canvas is.
type Target struct {
	Server *url.URL // http or https
	Canvas string
	Token  string      // of a server that is not open; empty else
	TLS    *tls.Config // of https; nil: as the system trusts
}

// ParseTarget takes the address of a server as a person has it: with or without http://, or the secret link itself.
func ParseTarget(server, canvas string) (Target, error) {
	if !strings.Contains(server, "://") {
		server = "http://" + server
	}
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Target{}, fmt.Errorf("%q is not the address of a server; it looks like http://127.0.0.1:8080", server)
	}
	if strings.ContainsAny(canvas, "/\\?#%") {
		return Target{}, fmt.Errorf("%q is not the name of a canvas", canvas)
	}
	return Target{
		Server: &url.URL{Scheme: u.Scheme, Host: u.Host},
		Canvas: canvas,
		Token:  u.Query().Get("key"),
	}, nil
}

// Header is what every request to the server carries.
func (t Target) Header() http.Header {
	h := http.Header{}
	if t.Token != "" {
		h.Set("Authorization", "Bearer "+t.Token)
	}
	return h
}

// Client is what asks the server for anything but a socket.
func (t Target) Client() *http.Client {
	if t.TLS == nil {
		return http.DefaultClient
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: t.TLS}}
}

// dial opens the canvas's socket.
func (t Target) dial(ctx context.Context) (*websocket.Conn, *http.Response, error) {
	return websocket.Dial(ctx, t.socket(), &websocket.DialOptions{HTTPHeader: t.Header(), HTTPClient: t.Client()})
}

func (t Target) socket() string {
	u := t.Server.JoinPath("c", t.Canvas, "ws")
	u.Scheme = "ws" + strings.TrimPrefix(u.Scheme, "http")
	return u.String()
}

// Answer is what became of an op.
type Answer struct {
	Number uint64
	Seq    uint64 // of the op in the canvas; 0 when rejected, or applied before
	Reject string // why it will never be applied
}

// Session is one op sequence. Send from one goroutine; the rest is safe for concurrent use.
type Session struct {
	target  Target       // constant
	id      []byte       // constant
	key     []byte       // constant: who this is
	answers func(Answer) // constant; called from the session's goroutine, in the order of arrival
	done    chan struct{}
	stop    context.CancelFunc

	mu       sync.Mutex // guards all below; never held while reading or writing a socket
	changed  sync.Cond  // on mu: pending, sent, welcome, err or settled changed
	pending  []op       // unanswered, by number
	sent     int        // how many of them were written to the connection there is now
	bytes    int        // of pending
	next     uint64     // number of the next op
	welcome  *wire.Welcome
	resumed  int   // times the connection came back
	err      error // why the session ended
	finished bool
	progress time.Time // of the last answer, or the beginning
}

type op struct {
	number uint64
	msg    []byte // a ClientMessage
}

// Who is who a session draws as. What is empty is made up, at random.
type Who struct {
	Name    string // shown to others
	Key     []byte // 32 secret bytes: the person
	Session []byte // 16 bytes: whoever sends the ops of a session again changes nothing
}

// Open starts a session and waits until the server has welcomed it. It ends with Close or ctx. Answers come to answers from the
// session's own goroutine; nil: nobody wants them.
func Open(ctx context.Context, t Target, who Who, answers func(Answer)) (*Session, error) {
	if who.Key == nil {
		who.Key = make([]byte, 32)
		_, _ = crand.Read(who.Key) // never fails
	}
	if who.Session == nil {
		who.Session = make([]byte, 16)
		_, _ = crand.Read(who.Session)
	}
	ctx, stop := context.WithCancel(ctx)
	s := &Session{target: t, id: who.Session, key: who.Key, answers: answers, done: make(chan struct{}), stop: stop, next: 1, progress: time.Now()}
	s.changed.L = &s.mu
	first := make(chan error, 1)
	go s.run(ctx, who.Name, first)
	if err := <-first; err != nil {
		stop()
		<-s.done
		return nil, err
	}
	return s, nil
}

// Welcome is what the server said when the session began, or was resumed last.
func (s *Session) Welcome() *wire.Welcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.welcome
}

// Resumed is how often the connection was cut and came back.
func (s *Session) Resumed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.resumed
}

// Send gives the op the session's next number and sends it, after waiting for room in the window. It returns the number.
func (s *Session) Send(o *wire.Op) (uint64, error) {
	o.Session, o.Number = s.id, s.next // next is written by this goroutine only
	msg, err := proto.Marshal(&wire.ClientMessage{Kind: &wire.ClientMessage_Op{Op: o}})
	if err != nil {
		return 0, fmt.Errorf("remote: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.err == nil && !s.fits(len(msg)) {
		s.changed.Wait()
	}
	if s.err != nil {
		return 0, s.err
	}
	s.pending = append(s.pending, op{s.next, msg})
	s.bytes += len(msg)
	s.next++
	s.changed.Broadcast()
	return o.Number, nil
}

// fits reports whether one more op is in the window the server grants. A single op always is.
func (s *Session) fits(n int) bool {
	return len(s.pending) == 0 ||
		len(s.pending) < int(s.welcome.OpsInFlight) && s.bytes+n <= int(s.welcome.BytesInFlight)
}

// Flush waits until every op sent is answered.
func (s *Session) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.err == nil && len(s.pending) > 0 {
		s.changed.Wait()
	}
	return s.err
}

// Close ends the session; what is not answered may or may not have been applied.
func (s *Session) Close() {
	s.stop()
	<-s.done
}

// run connects, and again when the connection is cut, until ctx ends or patience does.
func (s *Session) run(ctx context.Context, name string, first chan<- error) {
	defer close(s.done)
	welcomed := func() {
		if first != nil {
			first <- nil
			first = nil
		}
	}
	wait := firstWait
	for {
		began := time.Now()
		good, err := s.connect(ctx, name, welcomed)
		s.mu.Lock()
		if s.progress.After(began) {
			wait = firstWait
		} else if good && len(s.pending) == 0 {
			s.progress = time.Now() // nothing was asked of it
		}
		stuck := time.Since(s.progress) > patience
		s.mu.Unlock()
		var refused refusal
		if ctx.Err() != nil || errors.As(err, &refused) || first != nil || stuck {
			if first != nil {
				first <- err
			}
			s.mu.Lock()
			s.err = err
			s.changed.Broadcast()
			s.mu.Unlock()
			return
		}
		_ = pause(ctx, &wait) // connect hears of it
	}
}

// pause waits between attempts, up to twice as long each time; any time up to that, so that the hundred clients of a server that
// comes back do not all come at once.
func pause(ctx context.Context, wait *time.Duration) error {
	again := time.NewTimer(rand.N(*wait) + time.Millisecond)
	defer again.Stop()
	*wait = min(2**wait, maxWait)
	select {
	case <-again.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// refusal is what trying again would not change.
type refusal string

func (r refusal) Error() string { return string(r) }

// dialError says why a socket could not be opened.
func dialError(t Target, resp *http.Response, err error) error {
	if resp != nil && resp.StatusCode == http.StatusUnauthorized {
		return refusal("the server wants its secret: give the whole link it printed, with ?key=, as --server")
	}
	if resp != nil && resp.StatusCode >= 400 && resp.StatusCode < 500 {
		return refusal(fmt.Sprintf("the server refused: %s", resp.Status))
	}
	return fmt.Errorf("no server answers at %s; is it running? (%w)", t.Server, err)
}

// connect lives as long as one connection. good: it got as far as a welcome.
func (s *Session) connect(ctx context.Context, name string, welcomed func()) (good bool, err error) {
	conn, resp, err := s.target.dial(ctx)
	if err != nil {
		return false, dialError(s.target, resp, err)
	}
	defer conn.CloseNow()
	conn.SetReadLimit(maxMessage)
	hello, err := proto.Marshal(&wire.ClientMessage{Kind: &wire.ClientMessage_Hello{Hello: &wire.Hello{
		Protocol: wire.Protocol, Key: s.key, Name: name, Color: 0x777777ff,
	}}})
	if err != nil {
		return false, fmt.Errorf("remote: %w", err)
	}
	if err := conn.Write(ctx, websocket.MessageBinary, hello); err != nil {
		return false, err
	}

	ctx, cancel := context.WithCancel(ctx)
	writing := make(chan struct{})
	defer func() {
		cancel()
		s.mu.Lock()
		s.finished = true
		s.changed.Broadcast()
		s.mu.Unlock()
		if good {
			<-writing
		}
	}()
	for {
		_, b, err := conn.Read(ctx)
		if err != nil {
			return good, err
		}
		msg := new(wire.ServerMessage)
		if err := proto.Unmarshal(b, msg); err != nil {
			return good, refusal("the server speaks another language; is it fractal, and of this version?")
		}
		switch m := msg.Kind.(type) {
		case *wire.ServerMessage_Welcome:
			if good {
				continue
			}
			s.mu.Lock()
			if s.welcome != nil {
				s.resumed++
			}
			s.welcome, s.sent, s.finished = m.Welcome, 0, false
			s.changed.Broadcast()
			s.mu.Unlock()
			good = true
			go func() {
				defer close(writing)
				s.write(ctx, conn)
			}()
			welcomed()
		case *wire.ServerMessage_Ack:
			s.answer(Answer{Number: m.Ack.Number, Seq: m.Ack.Seq}, m.Ack.Session)
		case *wire.ServerMessage_Reject:
			if m.Reject.Retry {
				// Later ops are sent back too; all are sent again, in order, over the next connection.
				return good, fmt.Errorf("remote: nothing can be kept at the moment: %s", m.Reject.Reason)
			}
			s.answer(Answer{Number: m.Reject.Number, Reject: m.Reject.Reason}, m.Reject.Session)
		case *wire.ServerMessage_Fatal:
			return good, refusal(m.Fatal.Reason)
		}
	}
}

// write sends what is pending until the connection ends.
func (s *Session) write(ctx context.Context, conn *websocket.Conn) {
	for {
		s.mu.Lock()
		for !s.finished && s.sent == len(s.pending) {
			s.changed.Wait()
		}
		if s.finished {
			s.mu.Unlock()
			return
		}
		msg := s.pending[s.sent].msg
		s.sent++
		s.mu.Unlock()
		if err := conn.Write(ctx, websocket.MessageBinary, msg); err != nil {
			return // the reader hears of it too
		}
	}
}

// answer takes an op off the window.
func (s *Session) answer(a Answer, session []byte) {
	s.mu.Lock()
	found := false
	for i, o := range s.pending {
		if o.number == a.Number && string(session) == string(s.id) {
			found = true
			s.progress = time.Now()
			s.bytes -= len(o.msg)
			s.pending = append(s.pending[:i], s.pending[i+1:]...)
			if i < s.sent {
				s.sent--
			}
			break
		}
	}
	s.changed.Broadcast()
	s.mu.Unlock()
	if found && s.answers != nil {
		s.answers(a)
	}
}
