package room

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"fractal/canvas"
	"fractal/term"
	"fractal/wire"
)

// Seat is what the server knows of a viewer beside its hello.
type Seat struct {
	Owner bool // of the server: may do everything with terminals, whatever the log says
}

// programs are the terminals that the canvas shows, and what finds the programs in them. A program belongs to the server: it runs
// on while nobody has the canvas open, and while its terminal is hidden.
type programs struct {
	shells *term.Shells // constant; nil: this server runs none
	spec   term.Spec    // constant: what to start
	canvas string       // constant
	epoch  uint32       // constant: tells who types here from who types in another room, or typed in an earlier one
	stop   func()       // constant: of the watching
	news   atomic.Uint64

	mu    sync.Mutex // guards all below; never held while a program is asked anything
	shown termList

	written written
}

// termList is what a canvas shows as of one op. It never changes.
type termList struct {
	items []canvas.TerminalItem // by seq
	names []string              // of their sessions
	at    canvas.Seq            // the op
	frame []byte                // as a message; nil: there never was one
}

func (p *programs) init(cfg *Config) {
	p.shells, p.spec, p.canvas, p.epoch, p.stop = cfg.Shells, cfg.Shell, cfg.Name, rand.Uint32()|1, func() {}
}

// watchPrograms begins to listen, once the canvas is what the log says.
func (r *Room) watchPrograms() {
	r.listTerminals()
	if p := &r.programs; p.shells != nil {
		p.stop = p.shells.Watch(r.name, r.programsChanged)
	}
}

// programsChanged says that a terminal may show something new. It holds no lock and never blocks.
func (r *Room) programsChanged() {
	r.programs.news.Add(1)
	for _, v := range *r.viewers.Load() {
		if v.armed.Load() && (v.watches.Load() || v.screens.Load()) {
			v.signal()
		}
	}
}

// listTerminals takes over which terminals the canvas shows.
func (r *Room) listTerminals() {
	p := &r.programs
	next := termList{}
	next.items, next.at = r.canvas.Terminals()
	if next.at == 0 {
		return
	}
	list := &wire.Terminals{}
	for _, i := range next.items {
		next.names = append(next.names, p.session(i.Terminal.Name()))
		list.Items = append(list.Items, &wire.TermItem{Seq: uint64(i.Seq), Terminal: i.Terminal.Wire()})
	}
	next.frame = marshal(&wire.ServerMessage{Kind: &wire.ServerMessage_Terminals{Terminals: list}})
	p.mu.Lock()
	p.shown = next
	p.mu.Unlock()
}

func (p *programs) list() termList {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown
}

// session is the name of a terminal's session.
func (p *programs) session(terminal string) string { return p.canvas + "/" + terminal }

// find is the index of a terminal in the list, -1 if it is not shown.
func (l *termList) find(seq canvas.Seq) int {
	i, ok := slices.BinarySearchFunc(l.items, seq, func(t canvas.TerminalItem, s canvas.Seq) int { return cmp.Compare(t.Seq, s) })
	if !ok {
		return -1
	}
	return i
}

// Terminals are those that the canvas shows, in the order of their ops.
func (r *Room) Terminals() []canvas.TerminalItem { return r.programs.list().items }

// at is the terminal that the wire calls so, nil if it is not shown, and its session, nil if no program was started for it.
func (p *programs) at(terminal uint64) (*canvas.Terminal, *term.Session) {
	l := p.list()
	i := l.find(canvas.Seq(terminal))
	if i < 0 {
		return nil, nil
	}
	t := l.items[i].Terminal
	if p.shells == nil {
		return t, nil
	}
	return t, p.shells.Get(l.names[i])
}

// Session is the session of a terminal's name, nil if no program was started for it.
func (r *Room) Session(name string) *term.Session {
	if r.programs.shells == nil {
		return nil
	}
	return r.programs.shells.Get(r.programs.session(name))
}

// startProgram starts what a terminal shows, unless that runs already. It is for somebody who may; who waits for its end is the room.
func (r *Room) startProgram(t *canvas.Terminal, failed func(error)) {
	p := &r.programs
	spec := p.spec
	spec.Name = p.session(t.Name())
	spec.Cols, spec.Rows = t.Size()
	if !r.hold() {
		return
	}
	go func() { // ends when the program has been started
		defer r.running.Done()
		if _, err := p.shells.Start(spec); err != nil && !errors.Is(err, term.ErrTaken) {
			r.report(fmt.Sprintf("canvas %s: the program of terminal %s could not be started: %v", r.name, t.Name(), err))
			failed(err)
		}
	}()
}

// notStarted is what somebody is told whose terminal has no program.
func notStarted(err error) string {
	return "The program could not be started: " + strings.TrimPrefix(err.Error(), "term: ")
}

// refuse tells the viewer why a terminal does not do what it asked.
func (v *Viewer) refuse(terminal uint64, reason string) {
	v.post(&wire.ServerMessage{Kind: &wire.ServerMessage_Refused{Refused: &wire.Refused{Terminal: terminal, Reason: reason}}})
}

// who is how sessions know a viewer.
func (v *Viewer) who() term.Who { return term.Who(v.room.programs.epoch)<<32 | term.Who(v.id) }

// typist is the viewer that a session knows by this; 0: none of this room.
func (p *programs) typist(w term.Who) uint32 {
	if uint32(w>>32) != p.epoch {
		return 0
	}
	return uint32(w)
}

// role is what the viewer may do with terminals at the moment.
func (v *Viewer) role() canvas.Role {
	if v.seat.Owner {
		return canvas.RoleOwn
	}
	return v.room.canvas.Role(v.person)
}

// mayOp says why the viewer may not do what an op does; empty: it may.
func (v *Viewer) mayOp(m *wire.Op) string {
	what := ""
	switch m.Body.(type) {
	case *wire.Op_Terminal:
		what = "place a terminal"
	case *wire.Op_Remove:
		what = "take a terminal off the canvas"
	case *wire.Op_Grant:
		what = "say who may type at terminals"
	default:
		return ""
	}
	if v.room.programs.shells == nil {
		return "This server runs no terminals: it was started without --terminals."
	}
	if v.role() < canvas.RoleOwn {
		return fmt.Sprintf("Only the owner of this server may %s; open the link that fractal printed for the owner, or ask them.", what)
	}
	return ""
}

// leavePrograms gives the sizes back that were this viewer's.
func (v *Viewer) leavePrograms() {
	p := &v.room.programs
	if p.shells == nil || !v.typed.Load() {
		return
	}
	for _, s := range p.shells.All() {
		if strings.HasPrefix(s.Name(), p.session("")) { // whether its terminal is still shown or not
			s.Leave(v.who())
		}
	}
}

// termWant is a terminal that a viewer shows as text: what the page holds of it. It belongs to the viewer's goroutine.
type termWant struct {
	seq   canvas.Seq
	held  term.Held
	told  bool // the page knows that no program runs there
	later bool // its frame did not fit into the last cycle
}

// termSent is what a terminal became by a cycle that the page may not have painted yet.
type termSent struct {
	cycle uint64
	held  term.Held
	told  bool
}

// checkTerms are the terminals of a view.
func checkTerms(m *wire.View) ([]termWant, error) {
	terms := m.GetTerms()
	if len(terms) > wire.MaxWants {
		return nil, fmt.Errorf("a view of %d terminals", len(terms))
	}
	wants := make([]termWant, 0, len(terms))
	seen := make(map[uint64]struct{}, len(terms))
	for _, t := range terms {
		if _, twice := seen[t.GetTerminal()]; twice {
			return nil, errors.New("a view with a terminal twice")
		}
		seen[t.GetTerminal()] = struct{}{}
		wants = append(wants, termWant{seq: canvas.Seq(t.GetTerminal()), held: term.Held{Life: t.GetLife(), Seq: term.Seq(t.GetSeq())}})
	}
	return wants, nil
}

// adoptTerms takes the terminals of a new view. What was sent since the page spoke counts more than what it says it holds.
func (d *debt) adoptTerms(next *view) {
	for i := range next.terms {
		w := &next.terms[i]
		if s, ok := d.termFlight[w.seq]; ok && s.cycle > next.painted {
			w.held, w.told = s.held, s.told
		}
	}
	d.terms = next.terms
	for seq := range d.termFlight {
		if !slices.ContainsFunc(d.terms, func(w termWant) bool { return w.seq == seq }) && d.termFlight[seq].cycle <= d.painted {
			delete(d.termFlight, seq)
		}
	}
}

// programs frames what is owed of terminals: the list when it has changed, and of those that are shown as text a frame each, those
// first that had to wait, within half of the credit, one at least. Each session's lock is taken once.
func (v *Viewer) programs(credit int) (size int) {
	d, p := &v.debt, &v.room.programs
	news := p.news.Load() // before anybody is asked
	if !d.termsOwed && news == d.programNews {
		return 0
	}
	v.room.stats.programLocks.Add(1)
	l := p.list()
	if d.termListed != l.at {
		d.termListed = l.at
		d.frames = append(d.frames, l.frame)
		size += len(l.frame)
	}
	d.termsOwed, d.programNews = false, news
	if len(d.terms) == 0 {
		return size
	}
	d.termNames, d.termAt = d.termNames[:0], d.termAt[:0]
	for i := range d.terms {
		if at := l.find(d.terms[i].seq); at >= 0 {
			d.termNames, d.termAt = append(d.termNames, l.names[at]), append(d.termAt, i)
		}
	}
	d.sessions = slices.Grow(d.sessions[:0], len(d.termNames))[:len(d.termNames)]
	if p.shells != nil {
		p.shells.Find(d.termNames, d.sessions)
	}
	room, sent := credit/2, false
	for pass := range 2 {
		for i, at := range d.termAt {
			w := &d.terms[at]
			if w.later != (pass == 0) {
				continue
			}
			if sent && size >= room {
				d.termsOwed = true
				if pass == 1 {
					w.later = true
				}
				continue
			}
			w.later = false
			n := v.frameOf(w, d.sessions[i])
			size += n
			sent = sent || n > 0
		}
	}
	clear(d.sessions)
	return size
}

// frameOf frames what is new of one terminal.
func (v *Viewer) frameOf(w *termWant, s *term.Session) (size int) {
	d := &v.debt
	if s == nil {
		if w.told {
			return 0
		}
		w.told, w.held = true, term.Held{}
		d.termFlight[w.seq] = termSent{d.cycle + 1, w.held, true}
		return d.frame(&wire.ServerMessage{Kind: &wire.ServerMessage_Term{Term: &wire.TermFrame{Terminal: uint64(w.seq), Absent: true}}})
	}
	if !w.told && w.held == (term.Held{Life: s.Life(), Seq: s.Version()}) {
		return 0 // without its lock; if it has been told, somebody has asked since
	}
	v.room.stats.termLocks.Add(1)
	f, ok := s.Frame(w.held)
	if !ok {
		return 0
	}
	b, shared := v.room.programs.write(w.seq, w.held, f)
	if shared {
		v.room.stats.termShared.Add(1)
	}
	w.told, w.held = false, f.Holds
	d.termFlight[w.seq] = termSent{d.cycle + 1, w.held, false}
	v.room.stats.termFrames.Add(1)
	d.frames = append(d.frames, b)
	return len(b)
}
