// Package server owns HTTP: pages, sockets, who may come in, and what is counted. It checks size and right of everything
// that arrives, here and only here, and opens a room when its first viewer comes. It refuses to know what is drawn: rooms
// order it, exchange writes it to files.
package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"fractal/cell"
	"fractal/journal"
	"fractal/term"
	"fractal/web"
)

// Config is what a server is made of. The caller keeps what it gives and closes it after Close.
type Config struct {
	Journal journal.Journal
	Blobs   *journal.Blobs // nil: canvases replay their whole log when opened
	Pool    *cell.Pool
	Shelf   *cell.Shelf // nil: what large cells are made of is drawn again after a restart
	Client  *web.Assets
	// Token is the secret every page and socket must show; empty: whoever reaches the address may come in, which is
	// right for loopback addresses only.
	Token string
	// Owner is the secret of whoever owns the server: it opens what Token does, terminals, backups and /debug/. Empty: where Token
	// is empty too, the owner is whoever sits at the machine; else nobody.
	Owner string
	// Shells run programs for terminals, Shell says which and how; nil: there are no terminals.
	Shells *term.Shells
	Shell  term.Spec
	// Hosts are names the server answers to besides IP addresses, localhost and the machine's own name.
	Hosts []string
	// Backup writes a consistent copy of all canvases, as a tar file; nil: there is none.
	Backup func(ctx context.Context, w io.Writer) error
	Log    *slog.Logger // nil: silent
}

// Server is one running Fractal.
type Server struct {
	config  Config  // constant
	guard   guard   // constant
	metrics *counts // constant; its parts are safe for concurrent use
	log     *slog.Logger
	http    *http.Server
	rooms   rooms
	began   time.Time // constant
	glances glances
	stopped chan struct{} // closed by Close

	mu       sync.Mutex           // guards all below
	sockets  map[*socket]struct{} // open ones
	draining bool                 // no new sockets
	gone     sync.WaitGroup       // one for each socket
}

// New returns a server that is not listening yet.
func New(config Config) *Server {
	s := &Server{
		config:  config,
		guard:   newGuard(config.Token, config.Owner, config.Hosts),
		metrics: newCounts(),
		log:     config.Log,
		began:   time.Now(),
		sockets: map[*socket]struct{}{},
		stopped: make(chan struct{}),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.rooms = newRooms(s)
	s.metrics.registry.MustRegister(gather{&s.rooms, config.Pool})
	s.http = &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	return s
}

// KeepAlive is how the kernel finds out that a silent peer is gone. There are no pings of ours.
var KeepAlive = net.KeepAliveConfig{Enable: true, Idle: 30 * time.Second, Interval: 10 * time.Second, Count: 4}

// Serve answers on l until Close. It closes l.
func (s *Server) Serve(l net.Listener) error {
	if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close finishes: nobody new comes in, rooms commit what is in flight, every socket is sent what it was promised and
// closed. What is not done when ctx ends is cut.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	if !s.draining {
		close(s.stopped)
	}
	s.draining = true
	open := make([]*socket, 0, len(s.sockets))
	for k := range s.sockets {
		open = append(open, k)
	}
	s.mu.Unlock()

	err := s.http.Shutdown(ctx) // pages and exports; sockets are ours
	err = errors.Join(err, s.rooms.close(ctx))
	for _, k := range open {
		k.finish("the server is stopping")
	}
	done := make(chan struct{})
	go func() { // ends with the last socket, at the latest when those are cut below
		s.gone.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		for _, k := range open {
			k.cut()
		}
		<-done
	}
	return err
}

// enter counts a socket in; false while the server is closing.
func (s *Server) enter(k *socket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return false
	}
	s.sockets[k] = struct{}{}
	s.gone.Add(1)
	return true
}

// stopping reports whether Close was called.
func (s *Server) stopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.draining
}

func (s *Server) leave(k *socket) {
	s.mu.Lock()
	delete(s.sockets, k)
	s.mu.Unlock()
	s.gone.Done()
}
