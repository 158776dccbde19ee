package source

import (
	"context"
	"sync"
	"sync/atomic"

	"fractal/canvas"
	"fractal/cell"
	"fractal/term"
	"fractal/tile"
)

// Term draws the terminals of a canvas. What they show is not in the log, so neither are its versions: they are numbers of this
// source alone, and mean nothing to another one.
type Term struct {
	canvas  *canvas.Canvas
	session func(name string) *term.Session

	mu     sync.Mutex            // guards all below; for memory only
	last   uint64                // version given
	placed map[canvas.Seq]uint64 // the version that an op which placed or hid terminals became
	seen   map[string]*screenSeen
}

// screenSeen is what is known of one terminal.
type screenSeen struct {
	version uint64        // of what is below
	session *term.Session // nil: none
	seq     term.Seq
	glass   atomic.Pointer[glass]
	blank   atomic.Pointer[glass] // shown where there is no session
}

// NewTerm makes a source. session finds the session of a terminal's name, nil where there is none; nil: there are none at all.
func NewTerm(c *canvas.Canvas, session func(name string) *term.Session) *Term {
	if session == nil {
		session = func(string) *term.Session { return nil }
	}
	return &Term{canvas: c, session: session, placed: map[canvas.Seq]uint64{}, seen: map[string]*screenSeen{}}
}

// maxSeen bounds what is remembered, well above what a canvas may show. Beyond, all is forgotten, and all pictures grow old.
const maxScreens = 1024

// Version implements cell.Source. It grows when a terminal that reaches the tile has changed, or has been placed or hidden; it is 0
// where there never was one. A picture drawn later shows at least what there was.
func (k *Term) Version(id tile.ID) uint64 {
	v, _, _ := k.look(id)
	return v
}

// Versions is Version of many tiles; it takes the canvas's lock once.
func (k *Term) Versions(ids []tile.ID, dst []canvas.Seq) {
	here := make([]canvas.TerminalsHere, len(ids))
	k.canvas.TerminalsAtEach(ids, here)
	for i := range here {
		v, _ := k.recall(here[i].Items, here[i].Version)
		dst[i] = canvas.Seq(v)
	}
}

// look finds the terminals that reach a tile.
func (k *Term) look(id tile.ID) (version uint64, screens []canvas.TerminalItem, seen []*screenSeen) {
	screens, op := k.canvas.TerminalsAt(id)
	version, seen = k.recall(screens, op)
	return version, screens, seen
}

// recall is what is known of terminals, and the version of a picture of them; op is the newest that placed or hid one there.
func (k *Term) recall(screens []canvas.TerminalItem, op canvas.Seq) (version uint64, seen []*screenSeen) {
	if op == 0 {
		return 0, nil
	}
	type now struct {
		session *term.Session
		seq     term.Seq
	}
	var few [8]now
	found := few[:0]
	for i := range screens {
		n := now{session: k.session(screens[i].Terminal.Name())}
		if n.session != nil {
			n.seq = n.session.Version()
		}
		found = append(found, n)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.placed) > maxScreens || len(k.seen) > maxScreens {
		clear(k.placed)
		clear(k.seen)
	}
	version = k.placed[op]
	if version == 0 {
		k.last++
		version = k.last
		k.placed[op] = version
	}
	for i := range screens {
		s := k.seen[screens[i].Terminal.Name()]
		if s == nil {
			s = new(screenSeen)
			k.seen[screens[i].Terminal.Name()] = s
		}
		n := &found[i]
		if s.version == 0 || s.session != n.session || s.seq < n.seq {
			if s.session != n.session {
				s.glass.Store(nil)
			}
			k.last++
			s.version, s.session, s.seq = k.last, n.session, n.seq
		}
		version = max(version, s.version)
		seen = append(seen, s)
	}
	return version, seen
}

// glassOf is what a terminal shows now.
func (s *screenSeen) glassOf(session *term.Session, at *canvas.Terminal) *glass {
	if session != nil {
		before := s.glass.Load()
		if g := looked(session, before); g != nil {
			if g != before {
				s.glass.CompareAndSwap(before, g) // else somebody else has looked; it matters to nobody who wins
			}
			return g
		}
	}
	g := s.blank.Load()
	if g == nil {
		b := at.Box()
		g = sign(at.Name(), float64(b.MaxX-b.MinX), float64(b.MaxY-b.MinY))
		s.blank.Store(g)
	}
	return g
}

// tooSmall is the share of a pixel below which a terminal tints none.
const tooSmallTerm = 1.0 / 512

// Draw implements cell.Source.
func (k *Term) Draw(ctx context.Context, id tile.ID, s *cell.Scratch, emit func(cell.Picture)) error {
	s.Start()
	version, screens, seen := k.look(id)
	p := cell.Picture{Version: version}
	s.Lap(cell.StageSnapshot)
	if len(screens) == 0 {
		p.Format, p.Data = cell.FormatSolid, make([]byte, 4)
		emit(p)
		return nil
	}
	own := cell.Own(s, func() *termScratch { return new(termScratch) })
	s.Image.Clear()
	for i := range screens {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := screens[i].Terminal
		g := seen[i].glassOf(k.session(at.Name()), at)
		p.Below = own.paint(&s.Image, g, at.Home(), at.Box(), id) || p.Below
	}
	s.Lap(cell.StageRaster)
	return encode(ctx, p, s, emit)
}

// small is whether a terminal is too small to tint a pixel.
func (f *frame) small() bool { return (f.x1-f.x0)*(f.y1-f.y0) < tooSmallTerm }
