package term

import (
	"bytes"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fractal/vt"
)

// maxSync is how long a program may keep the last frame shown while it builds the next one (mode 2026).
const maxSync = 150 * time.Millisecond

// screen is a terminal core and what has last been shown of it. It knows no process.
type screen struct {
	life    uint32 // constant
	dirty   func() // constant; called without the lock
	version atomic.Uint64
	chunks  atomic.Uint64 // pieces parsed, each in one hold of the lock
	wakes   atomic.Uint64 // calls of dirty, and rings of the timer

	mu   sync.Mutex // guards all below
	term *vt.Terminal
	own  uint64 // changes that are not the core's: exit, owner
	told bool   // dirty has been called, and nobody has asked since

	syncing bool        // a synchronized frame is being built: what is shown is shown
	since   time.Time   // since when
	timer   *time.Timer // rings while syncing, no later than since + maxSync

	shown shown
	row   vt.Row
	enc   rowEncoder
	state state
	hands hands

	frameHolds uint64 // how often Frame took the lock
	encoded    uint64 // rows encoded
}

// shown is the screen at some moment between two synchronized frames, as it goes to those who look on. All frames are
// made of it. A row, the cursor or a fact has changed at a moment only if it differs from what was shown before: what a
// program paints anew alike is no news.
type shown struct {
	valid      bool
	at         Seq    // the moment
	core       uint64 // the core's number of it
	epoch      uint64
	first      Seq // of this epoch: who holds less holds nothing
	cols       int
	base       int64
	rows       []shownRow // row n is at n mod len
	cursor     vt.Cursor
	cursorFrom Seq
	facts      *Facts
	factsFrom  Seq
	clipFrom   Seq    // when the clipboard became what it is
	ownFacts   uint64 // screen.own the facts are of
}

type shownRow struct {
	n    int64 // its number; -1: none
	from Seq   // when it became what it is
	data []byte
}

func (s *screen) init(life uint32, cfg vt.Config, dirty func()) {
	if dirty == nil {
		dirty = func() {}
	}
	s.life, s.dirty, s.term = max(life, 1), dirty, vt.New(cfg)
}

func (s *screen) seq() Seq { return Seq(s.term.Seq() + s.own) }

// maxTouched is how many cells a program may have touched in one hold of the lock by sequences that touch many: milliseconds.
const maxTouched = 256 << 10

// parse feeds the core and appends what the program is owed as input to replies.
func (s *screen) parse(p []byte, replies []byte) []byte {
	for len(p) > 0 {
		n := 0
		n, replies = s.parseSome(p, replies)
		p = p[n:]
	}
	return replies
}

// parseSome is parse as far as one hold of the lock may go. It returns how much that was.
func (s *screen) parseSome(p []byte, replies []byte) (int, []byte) {
	s.mu.Lock()
	news, at := false, 0
	for whole := true; whole && at < len(p); {
		n := s.piece(p[at:])
		took := s.term.WriteSome(p[at:at+n], maxTouched)
		at, whole = at+took, took == n
		news = s.settle() || news
	}
	replies = s.term.TakeReplies(replies)
	s.version.Store(uint64(s.seq()))
	s.chunks.Add(1)
	s.mu.Unlock()
	s.tell(news)
	return at, replies
}

var syncEnd = []byte("2026l")

// piece is how much to parse before looking whether a synchronized frame has ended: one may begin right after it, and
// a program that always builds one would never be seen. It guesses from the bytes; a frame's end missed is shown when
// the piece ends, or when the time is up.
func (s *screen) piece(p []byte) int {
	if i := bytes.Index(p, syncEnd); i >= 0 {
		return i + len(syncEnd)
	}
	if s.syncing { // the end may lie across two reads
		if i := bytes.IndexByte(p[:min(len(p), 8)], 'l'); i >= 0 {
			return i + 1
		}
	}
	return len(p)
}

// settle looks at the core after a change, between two pieces: does a synchronized frame begin or end, and is there
// something to tell? The lock is held.
func (s *screen) settle() (news bool) {
	if s.term.Modes().Sync {
		if !s.syncing {
			s.syncing, s.since = true, time.Now()
			if s.timer == nil {
				s.timer = time.AfterFunc(maxSync, s.ring)
			} else {
				s.timer.Reset(maxSync)
			}
		}
		return false
	}
	ended := s.syncing
	if ended {
		s.syncing = false
		s.timer.Stop()
	}
	if s.told || !s.changed() {
		return false
	}
	if ended {
		s.show() // the next frame may begin with the next byte
	}
	s.told = true
	return true
}

// changed says whether there is something that was not shown.
func (s *screen) changed() bool {
	h := &s.shown
	return !h.valid || h.ownFacts != s.own || s.term.Newer(h.core) || s.term.Epoch() != h.epoch || s.term.Cursor() != h.cursor
}

// ring ends a synchronized frame whose time is up.
func (s *screen) ring() {
	s.wakes.Add(1)
	s.mu.Lock()
	news := false
	if s.syncing {
		if left := maxSync - time.Since(s.since); left > 0 {
			s.timer.Reset(left) // another one has begun since
		} else {
			s.term.EndSync()
			news = s.settle()
			s.version.Store(uint64(s.seq()))
		}
	}
	s.mu.Unlock()
	s.tell(news)
}

// tell calls back; without the lock.
func (s *screen) tell(news bool) {
	if news {
		s.wakes.Add(1)
		s.dirty()
	}
}

// ownChange counts a change that is not the core's; the lock is held. The result is for tell.
func (s *screen) ownChange() (news bool) {
	s.own++
	s.version.Store(uint64(s.seq()))
	return s.settle()
}

// quiet stops the timer.
func (s *screen) quiet() {
	s.mu.Lock()
	s.term.EndSync()
	news := s.settle()
	s.mu.Unlock()
	s.tell(news)
}

// beginAnew readies the core for a program where another one ended: it leaves whatever was going on and the alternate
// screen, pushes what is on the screen into the history, and resets all there is. A program that died may have left
// margins, modes and the mouse behind.
func (s *screen) beginAnew() {
	s.parse([]byte("\x18\x1b\\\x1b[?2026l\x1b[?1049l\x1b[?69l\x1b[r"), nil)
	s.mu.Lock()
	_, rows := s.term.Size()
	for rows > 0 && s.term.Text(rows-1) == "" {
		rows--
	}
	s.mu.Unlock()
	s.parse([]byte("\x1b[9999;1H"+strings.Repeat("\n", rows)+"\x1bc"), nil)
}

// show brings shown up to date; the lock is held, and no synchronized frame is being built.
func (s *screen) show() {
	h, t := &s.shown, s.term
	at := s.seq()
	if h.valid && h.at == at {
		return
	}
	cols, rows := t.Size()
	fresh := !h.valid || h.epoch != t.Epoch() || h.cols != cols || len(h.rows) != rows
	if fresh {
		h.epoch, h.first, h.cols = t.Epoch(), at, cols
		if len(h.rows) != rows {
			h.rows = make([]shownRow, rows)
		}
		for i := range h.rows {
			h.rows[i].n = -1
		}
	}
	h.base = t.Base()
	for y := range rows {
		n := h.base + int64(y)
		r := &h.rows[n%int64(rows)]
		if r.n == n && t.RowSeq(y) <= h.core {
			continue
		}
		t.Screen(y, &s.row)
		s.encoded++
		if b := s.enc.encode(&s.row); r.n != n || !bytes.Equal(b, r.data) {
			*r = shownRow{n, at, bytes.Clone(b)} // never written again: frames share it
		}
	}
	if c := t.Cursor(); fresh || c != h.cursor {
		h.cursor, h.cursorFrom = c, at
	}
	if fresh || t.MetaSeq() > h.core || h.ownFacts != s.own {
		if f := s.facts(); h.facts == nil || f != *h.facts {
			if h.facts == nil || f.Clipboards != h.facts.Clipboards {
				h.clipFrom = at
			}
			h.facts, h.factsFrom = &f, at
		}
		h.ownFacts = s.own
	}
	h.valid, h.at, h.core = true, at, t.Seq()
}
