package term

import (
	"errors"
	"os"
	"sync"

	"fractal/vt"
)

// Bounds of what waits to be read by a program, in bytes.
const (
	maxInput   = 1 << 20  // typed or pasted, with what the core answers
	maxAnswers = 64 << 10 // past which the core's answers are dropped: a program that asks and does not read gets no more
	maxHands   = 1024
)

var (
	// ErrBusy is said of input the program has no room for: it does not read.
	ErrBusy = errors.New("term: the program does not read what is typed")
	// ErrEnded is said where a running program is needed.
	ErrEnded = errors.New("term: the program has ended")
)

// Who is somebody who types or offers a size, as the caller numbers them; 0 is nobody.
type Who uint64

// hands are those who may give the terminal its size: the last one who typed does, as large as their window is; while there is
// no such person, the first who offers one.
type hands struct {
	owner Who
	first Who // to offer a size while nobody owned it; no typist, so nobody is told
	all   map[Who]*hand
	typed uint64 // counts
}

type hand struct {
	cols, rows int    // 0: never offered
	typed      uint64 // when last; 0: never
}

func (h *hands) of(who Who) *hand {
	if h.all == nil {
		h.all = map[Who]*hand{}
	}
	w := h.all[who]
	if w == nil && len(h.all) < maxHands {
		w = &hand{}
		h.all[who] = w
	}
	return w
}

// take makes who the owner and says what size the terminal gets.
func (h *hands) take(who Who) (cols, rows int, changed bool) {
	w := h.of(who)
	if w == nil {
		return 0, 0, false
	}
	h.typed++
	w.typed = h.typed
	changed = h.owner != who
	h.owner, h.first = who, 0
	return w.cols, w.rows, changed
}

// leave forgets who and says what size the terminal gets: that of the one left who typed last.
func (h *hands) leave(who Who) (cols, rows int, changed bool) {
	delete(h.all, who)
	if h.first == who {
		h.first = 0
	}
	if h.owner != who {
		return 0, 0, false
	}
	h.owner = 0
	best := uint64(0)
	for other, w := range h.all {
		if w.typed > best {
			best = w.typed
			h.owner, cols, rows = other, w.cols, w.rows
		}
	}
	return cols, rows, true
}

// Offer says how large somebody's window shows the terminal. It gets that size when they own it: when they were the last
// to type, or nobody owns it and nobody here offered one before.
func (s *Session) Offer(who Who, cols, rows int) {
	cols, rows = clampSize(cols, rows)
	s.change(func() (int, int, bool) {
		w := s.hands.of(who)
		if w == nil {
			return 0, 0, false
		}
		w.cols, w.rows = cols, rows
		if s.hands.owner == 0 && s.hands.first == 0 {
			s.hands.first = who
		}
		if s.hands.owner != who && s.hands.first != who || s.spec.Fixed {
			return 0, 0, false
		}
		return cols, rows, false
	})
}

// Leave says that somebody has gone. If the size was theirs, it becomes that of the one left who typed last.
func (s *Session) Leave(who Who) {
	s.change(func() (int, int, bool) {
		cols, rows, changed := s.hands.leave(who)
		if s.spec.Fixed {
			cols, rows = 0, 0
		}
		return cols, rows, changed
	})
}

// Resize gives the terminal a size, whoever owns it.
func (s *Session) Resize(cols, rows int) {
	s.change(func() (int, int, bool) { return cols, rows, false })
}

// change lets f change the hands, under the lock, and gives the terminal the size f says (0: as it is).
func (s *Session) change(f func() (cols, rows int, facts bool)) {
	s.mu.Lock()
	cols, rows, facts := f()
	answers, resized, news := s.become(cols, rows, facts)
	rec := s.recorder
	s.mu.Unlock()
	if resized && rec != nil {
		rec.resize(cols, rows)
	}
	s.answer(answers)
	s.tell(news)
}

// become is change, with the lock held.
func (s *Session) become(cols, rows int, facts bool) (answers []byte, resized, news bool) {
	if cols > 0 {
		cols, rows = clampSize(cols, rows)
		if c, r := s.term.Size(); c != cols || r != rows {
			resized = true
			s.term.Resize(cols, rows)
			if s.run != nil {
				s.run.proc.resize(cols, rows) // the kernel's memory; under the lock, so that sizes come in order
			}
			answers = s.term.TakeReplies(nil)
		}
	}
	if resized || facts {
		news = s.ownChange()
	}
	return answers, resized, news
}

func clampSize(cols, rows int) (int, int) {
	return min(max(cols, 1), vt.MaxCols), min(max(rows, 1), vt.MaxRows)
}

// Input gives the program bytes somebody typed. It never waits: when the program does not read, the queue fills, and
// then this is ErrBusy. Whoever types becomes the owner of the size.
func (s *Session) Input(who Who, p []byte) error {
	return s.typed(who, func(*vt.Terminal) []byte { return p })
}

// Key gives the program a key, in the encoding it has asked for.
func (s *Session) Key(who Who, k vt.Key) error {
	return s.typed(who, func(t *vt.Terminal) []byte { return t.AppendKey(nil, k) })
}

// Paste gives the program pasted text, in brackets if it has asked for them.
func (s *Session) Paste(who Who, text []byte) error {
	if len(text) > maxInput {
		return ErrBusy
	}
	return s.typed(who, func(t *vt.Terminal) []byte { return t.AppendPaste(nil, text) })
}

// Mouse gives the program an event of somebody's mouse, if it wants those. Motion makes nobody the owner.
func (s *Session) Mouse(who Who, e vt.MouseEvent) error {
	if e.Motion {
		who = 0
	}
	return s.typed(who, func(t *vt.Terminal) []byte { return t.AppendMouse(nil, e) })
}

// Focus tells the program that somebody looks at it who may type, or nobody any more, if it wants to know.
func (s *Session) Focus(in bool) error {
	return s.typed(0, func(t *vt.Terminal) []byte { return t.AppendFocus(nil, in) })
}

func (s *Session) typed(who Who, f func(*vt.Terminal) []byte) error {
	s.mu.Lock()
	r := s.run
	if r == nil {
		s.mu.Unlock()
		return ErrEnded
	}
	p := f(s.term)
	if len(p) == 0 {
		s.mu.Unlock()
		return nil
	}
	var answers []byte
	var cols, rows int
	var resized, news bool
	if who != 0 && (s.hands.owner != who || s.hands.typed == 0) {
		var changed bool
		if cols, rows, changed = s.hands.take(who); s.spec.Fixed {
			cols, rows = 0, 0
		}
		answers, resized, news = s.become(cols, rows, changed)
	} else if who != 0 {
		s.hands.take(who)
	}
	rec := s.recorder
	s.mu.Unlock()
	if resized && rec != nil {
		rec.resize(cols, rows)
	}
	s.tell(news)
	if len(answers) > 0 {
		r.in.put(answers, maxAnswers)
	}
	if !r.in.put(p, maxInput) {
		return ErrBusy
	}
	return nil
}

// answer gives the program what the core owes it.
func (s *Session) answer(p []byte) {
	if len(p) == 0 {
		return
	}
	s.mu.Lock()
	r := s.run
	s.mu.Unlock()
	if r != nil {
		r.in.put(p, maxAnswers)
	}
}

// input is what waits to be read by a program. Nobody waits to put something in.
type input struct {
	wake chan struct{} // holds a token when there is something, or when it is over

	mu     sync.Mutex // guards all below
	buf    []byte
	size   int // of buf, and of what is being written
	closed bool
}

func newInput() *input { return &input{wake: make(chan struct{}, 1)} }

// put adds p whole, unless more than limit would wait then.
func (in *input) put(p []byte, limit int) bool {
	in.mu.Lock()
	ok := !in.closed && in.size+len(p) <= limit
	if ok {
		in.buf = append(in.buf, p...)
		in.size += len(p)
	}
	in.mu.Unlock()
	if ok {
		in.poke()
	}
	return ok
}

func (in *input) poke() {
	select {
	case in.wake <- struct{}{}:
	default:
	}
}

func (in *input) close() {
	in.mu.Lock()
	in.closed = true
	in.mu.Unlock()
	in.poke()
}

// pump writes what is put in to f until close, or until f fails.
func (in *input) pump(f *os.File) {
	var spare []byte
	for range in.wake {
		in.mu.Lock()
		p, closed := in.buf, in.closed
		in.buf = spare[:0]
		in.mu.Unlock()
		if closed {
			return
		}
		if len(p) > 0 {
			if _, err := f.Write(p); err != nil {
				in.close()
				return
			}
		}
		in.mu.Lock()
		in.size -= len(p)
		in.mu.Unlock()
		if spare = p; cap(spare) > maxAnswers {
			spare = nil // a large paste is not kept
		}
	}
}
