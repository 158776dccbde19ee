package term

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

var (
	// ErrClosed is said of what has been closed.
	ErrClosed = errors.New("term: closed")
	// ErrTaken is said of a name another session has.
	ErrTaken = errors.New("term: the name is taken")
	// ErrFull is said when there are as many sessions as there may be.
	ErrFull = errors.New("term: there are too many terminals")
)

// Slots runs f when its turn has come, and returns when f has; or returns an error, and has not run f. It is how
// parsing shares the processors with other work. There must be fewer slots than processors Go runs on (GOMAXPROCS): if
// floods take them all, nobody looks at the sockets, and a pull waits ten milliseconds and more.
type Slots func(ctx context.Context, f func()) error

// ownSlots are slots for those who bring none.
func ownSlots() Slots {
	free := make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1))
	return func(ctx context.Context, f func()) error {
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { <-free }()
		f()
		return nil
	}
}

// Config is how sessions are kept. Zero values mean the default in brackets.
type Config struct {
	Slots Slots         // [slots of their own, one less than processors]
	Max   int           // sessions at once [64]
	Grace time.Duration // between telling a program to end and making it [2 s]
}

// Shells are sessions. Its methods may be called by anybody at any time.
type Shells struct {
	cfg Config // constant

	mu     sync.Mutex // guards all below
	all    map[string]*Session
	next   int
	closed bool
	watch  map[string]func() // by what stands before the slash in names
}

// Watch has f called when a session whose name begins with group and a slash has something new for those Frame told that there is
// not, was started, or is forgotten: with no lock held; it must not wait. One watches a group at a time. f may be called once more
// while stop runs.
func (h *Shells) Watch(group string, f func()) (stop func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watch == nil {
		h.watch = map[string]func(){}
	}
	h.watch[group] = f
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.watch, group)
	}
}

// started is the session of a name, once its program has been started; h.mu is held.
func (h *Shells) started(name string) *Session {
	if s := h.all[name]; s != nil && s.up.Load() {
		return s
	}
	return nil
}

// tell calls whoever watches a session.
func (h *Shells) tell(name string) {
	group, _, ok := strings.Cut(name, "/")
	if !ok {
		return
	}
	h.mu.Lock()
	f := h.watch[group]
	h.mu.Unlock()
	if f != nil {
		f()
	}
}

// Find is Get for many names at once, at one taking of the lock.
func (h *Shells) Find(names []string, dst []*Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, n := range names {
		dst[i] = h.started(n)
	}
}

// New makes an empty set of sessions.
func New(cfg Config) *Shells {
	if cfg.Slots == nil {
		cfg.Slots = ownSlots()
	}
	if cfg.Max == 0 {
		cfg.Max = 64
	}
	if cfg.Grace == 0 {
		cfg.Grace = 2 * time.Second
	}
	return &Shells{cfg: cfg, all: map[string]*Session{}}
}

// Start starts a session.
func (h *Shells) Start(spec Spec) (*Session, error) {
	spec.Vt.Cols, spec.Vt.Rows = spec.Cols, spec.Rows
	s := &Session{slots: h.cfg.Slots, grace: h.cfg.Grace}
	if dirty := spec.Dirty; dirty == nil {
		spec.Dirty = func() { h.tell(s.spec.Name) }
	} else {
		spec.Dirty = func() { dirty(); h.tell(s.spec.Name) }
	}
	s.screen.init(rand.Uint32(), spec.Vt, spec.Dirty)
	s.turn.Lock() // so that Close waits for the start before it ends it
	defer s.turn.Unlock()

	h.mu.Lock()
	if spec.Name == "" {
		for spec.Name == "" || h.all[spec.Name] != nil {
			h.next++
			spec.Name = strconv.Itoa(h.next)
		}
	}
	var err error
	switch {
	case h.closed:
		err = ErrClosed
	case h.all[spec.Name] != nil:
		err = fmt.Errorf("%w: %q", ErrTaken, spec.Name)
	case len(h.all) >= h.cfg.Max:
		err = ErrFull
	default:
		s.spec = spec
		h.all[spec.Name] = s
	}
	h.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if err := s.start(); err != nil {
		h.forget(s)
		s.over = true
		return nil, err
	}
	s.up.Store(true)
	h.tell(s.spec.Name)
	return s, nil
}

func (h *Shells) forget(s *Session) {
	h.mu.Lock()
	if h.all[s.spec.Name] == s {
		delete(h.all, s.spec.Name)
	}
	h.mu.Unlock()
}

// Get is the session of a name, nil if there is none.
func (h *Shells) Get(name string) *Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.started(name)
}

// All are the sessions, by name.
func (h *Shells) All() []*Session {
	all := slices.DeleteFunc(h.list(), func(s *Session) bool { return !s.up.Load() })
	slices.SortFunc(all, func(a, b *Session) int { return cmp.Compare(a.Name(), b.Name()) })
	return all
}

// list is every session, those that are being started too.
func (h *Shells) list() []*Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.all))
}

// End ends a session and forgets it: its program is told that the terminal goes away, and killed with all it left
// running when the grace is over. It returns when they have ended.
func (h *Shells) End(s *Session) {
	s.end()
	h.forget(s)
	h.tell(s.spec.Name)
}

// Close ends all sessions, all at once, and returns when their processes have ended.
func (h *Shells) Close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range h.list() {
		wg.Go(func() { h.End(s) })
	}
	wg.Wait()
}
