package room

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"

	"fractal/canvas"
	"fractal/term"
	"fractal/wire"
)

const (
	maxTyped = 64 << 10 // bytes of text at once; a paste may be as long as a message
	maxKey   = 64       // bytes a key may type
	maxQuery = 1 << 10  // bytes of a search
	maxHits  = 1000
	fewHits  = 100
)

// signals are those that may be sent from the page, by their numbers on the wire.
var signals = map[uint32]syscall.Signal{1: syscall.SIGHUP, 2: syscall.SIGINT, 3: syscall.SIGQUIT, 9: syscall.SIGKILL, 15: syscall.SIGTERM}

// handleTerm does at a terminal what its viewer may do. Whoever may not is told so.
func (v *Viewer) handleTerm(m *wire.TermIn) {
	refuse := func(reason string) {
		v.room.stats.termRefused.Add(1)
		v.refuse(m.GetTerminal(), reason)
	}
	p := &v.room.programs
	if p.shells == nil {
		refuse("This server runs no terminals: it was started without --terminals.")
		return
	}
	if v.role() < canvas.RoleType {
		switch m.What.(type) {
		case *wire.TermIn_Size, *wire.TermIn_Focus: // what a page says of itself; nothing was typed
		default:
			refuse("You look on here. Ask the owner of this server to let you type.")
		}
		return
	}
	t, s := p.at(m.GetTerminal())
	if t == nil {
		refuse("This terminal is no longer on the canvas.")
		return
	}
	if _, again := m.What.(*wire.TermIn_Restart); again && s == nil {
		v.room.startProgram(t, func(err error) { refuse(notStarted(err)) })
		return
	}
	if s == nil {
		refuse("No program runs here. Press Enter to start one.")
		return
	}
	v.typed.Store(true)
	var err error
	switch w := m.What.(type) {
	case *wire.TermIn_Text:
		if len(w.Text) > maxTyped {
			refuse(fmt.Sprintf("%d bytes were typed at once; at most %d can be.", len(w.Text), maxTyped))
			return
		}
		err = s.Input(v.who(), w.Text)
	case *wire.TermIn_Key:
		if k := w.Key; len(k.GetText()) > maxKey || k.GetCode() > 0x10ffff || k.GetShifted() > 0x10ffff || k.GetBase() > 0x10ffff {
			v.malformed()
			return
		}
		err = s.Key(v.who(), vtKey(w.Key))
	case *wire.TermIn_Paste:
		err = s.Paste(v.who(), w.Paste)
	case *wire.TermIn_Mouse:
		err = s.Mouse(v.who(), vtMouse(w.Mouse))
	case *wire.TermIn_Size:
		s.Offer(v.who(), small(w.Size.GetCols()), small(w.Size.GetRows()))
	case *wire.TermIn_Focus:
		err = s.Focus(w.Focus)
	case *wire.TermIn_Restart:
		if err = s.Restart(); errors.Is(err, term.ErrRunning) {
			err = nil // somebody else was faster
		}
	case *wire.TermIn_Signal:
		sig, ok := signals[w.Signal]
		if !ok {
			v.malformed()
			return
		}
		err = s.Signal(sig)
	default:
		v.malformed()
		return
	}
	switch {
	case err == nil:
	case errors.Is(err, term.ErrBusy):
		refuse("The program does not read what is typed; this was not given to it.")
	case errors.Is(err, term.ErrEnded):
		refuse("The program has ended. Press Enter to start it again.")
	default:
		refuse("This could not be done: " + strings.TrimPrefix(err.Error(), "term: "))
	}
}

// handleAsk answers a question about what a terminal has printed.
func (v *Viewer) handleAsk(m *wire.TermAsk) {
	a := &wire.TermAnswer{Id: m.GetId(), Terminal: m.GetTerminal(), Done: true}
	if _, ok := m.What.(*wire.TermAsk_Cancel); ok {
		v.search(nil)
		return
	}
	_, s := v.room.programs.at(m.GetTerminal())
	if s == nil {
		a.Error = "No program runs there."
		v.tell(a)
		return
	}
	switch w := m.What.(type) {
	case *wire.TermAsk_History:
		rows, first, end := s.History(w.History.GetFrom(), small(w.History.GetCount()))
		a.First, a.End = first, end
		for _, r := range rows {
			a.Rows = append(a.Rows, &wire.TermRow{Y: r.N, Data: r.Data})
		}
		v.tell(a)
	case *wire.TermAsk_Prompt:
		a.Row, a.Found = s.Prompt(w.Prompt.GetRow(), w.Prompt.GetAbove())
		v.tell(a)
	case *wire.TermAsk_Search:
		q := w.Search
		if q.GetText() == "" || len(q.GetText()) > maxQuery {
			a.Error = fmt.Sprintf("Search for 1 to %d bytes.", maxQuery)
			v.tell(a)
			return
		}
		v.search(func(ctx context.Context) { v.find(ctx, s, q, a) })
	default:
		v.malformed()
	}
}

func (v *Viewer) tell(a *wire.TermAnswer) {
	v.post(&wire.ServerMessage{Kind: &wire.ServerMessage_Answer{Answer: a}})
}

// find searches, and answers.
func (v *Viewer) find(ctx context.Context, s *term.Session, q *wire.SearchAsk, a *wire.TermAnswer) {
	limit := int(q.GetLimit())
	if limit == 0 {
		limit = fewHits
	}
	limit = min(limit, maxHits)
	err := s.Search(ctx, term.Query{Text: q.GetText(), Regexp: q.GetRegexp(), Fold: q.GetFold(), Before: q.GetBefore()}, func(h term.Hit) bool {
		if len(a.Hits) >= limit && h.Line != a.Hits[len(a.Hits)-1].Line { // a line is told whole, so that one can go on before it
			a.More = true
			return false
		}
		a.Hits = append(a.Hits, &wire.TermHit{Line: h.Line, Row: h.Row, X: uint32(h.X), EndRow: h.EndRow, EndX: uint32(h.EndX), Text: clip(h.Text), Before: h.Before, After: h.After})
		a.More = len(a.Hits) == 2*maxHits
		return !a.More
	})
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		a.Error = "This cannot be searched for: " + strings.TrimPrefix(err.Error(), "term: search: ")
	}
	v.tell(a)
}

// clip bounds the text of a hit: it is for a list.
func clip(s string) string {
	if len(s) > 200 {
		return strings.ToValidUTF8(s[:200], "")
	}
	return s
}

// searches are a viewer's: one at a time runs, and the newest that came meanwhile waits. However many are asked for, they are two.
type searches struct {
	mu      sync.Mutex // guards all below
	running bool
	cancel  context.CancelFunc    // ends the one under way; nil: none
	next    func(context.Context) // nil: none
}

// search ends the search under way and has another one follow it; nil: none.
func (v *Viewer) search(f func(context.Context)) {
	q := &v.searches
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.cancel != nil {
		q.cancel()
	}
	q.next = f
	if f == nil || q.running || !v.room.hold() {
		return
	}
	q.running = true
	go v.runSearches() // ends with the last search, which ends with the viewer
}

func (v *Viewer) runSearches() {
	defer v.room.running.Done()
	q := &v.searches
	for {
		ctx, cancel := context.WithCancel(context.Background())
		q.mu.Lock()
		f := q.next
		q.next, q.cancel = nil, cancel
		select {
		case <-v.left: // Leave may not have seen it
			f = nil
		default:
		}
		if f == nil {
			q.running, q.cancel = false, nil
		}
		q.mu.Unlock()
		if f != nil {
			f(ctx)
		}
		cancel()
		if f == nil {
			return
		}
	}
}

// regrade tells everybody what each may do now.
func (r *Room) regrade() {
	for _, v := range *r.viewers.Load() {
		v.dress(func(*wire.Peer) {})
	}
}
