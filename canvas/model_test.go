package canvas

import (
	"cmp"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"fractal/ink"
	"fractal/tile"
	"fractal/wire"
)

// model is the slow and obvious canvas: a list of strokes and terminals, walked for every question, and nothing of the index.
type model struct {
	seq         Seq
	paper       uint32
	strokes     []*modelStroke
	sessions    map[Session]*modelSession
	undone      map[Person][]*modelStroke
	grants      map[Person]Role
	listed      Seq // the newest change of which terminals are shown
	quarantined int
}

type modelStroke struct {
	seq, changed Seq
	who          Person
	stroke       *ink.Stroke
	terminal     *Terminal // where stroke is nil
	hidden       bool
}

type modelSession struct {
	who     Person
	highest uint64
}

func newModel() *model {
	return &model{paper: DefaultPaper, sessions: map[Session]*modelSession{}, undone: map[Person][]*modelStroke{}, grants: map[Person]Role{}}
}

// act is what a test means to happen; bytes are what the canvas gets.
type act struct {
	who     Person
	session Session
	number  uint64
	verb    string // draw, undo, redo, paper, terminal, grant; bad: well addressed nonsense; garbage: not even that
	stroke  *ink.Stroke
	paper   uint32
	bytes   []byte // of garbage

	terminal *wire.Terminal
	grant    *wire.Grant
}

func (a act) entry(t testing.TB) *wire.Entry {
	t.Helper()
	if a.verb == "garbage" {
		return &wire.Entry{Person: a.who[:], Op: a.bytes}
	}
	op := &wire.Op{Session: a.session[:], Number: a.number}
	switch a.verb {
	case "draw":
		op.Body = &wire.Op_Stroke{Stroke: a.stroke.Wire()}
	case "undo":
		op.Body = &wire.Op_Undo{Undo: &wire.Undo{}}
	case "redo":
		op.Body = &wire.Op_Redo{Redo: &wire.Redo{}}
	case "terminal":
		op.Body = &wire.Op_Terminal{Terminal: a.terminal}
	case "grant":
		op.Body = &wire.Op_Grant{Grant: a.grant}
	case "paper":
		op.Body = &wire.Op_Paper{Paper: &wire.Paper{Color: a.paper}}
	case "bad":
		op.Body = &wire.Op_Stroke{Stroke: &wire.Stroke{Home: &wire.Tile{}, Brush: 200, Width: 64, Points: []byte{0, 0}}}
	case "unknown":
	}
	b, err := proto.Marshal(op)
	if err != nil {
		t.Fatal(err)
	}
	return &wire.Entry{Person: a.who[:], Op: b}
}

func (m *model) apply(a act) (Outcome, *ink.Stroke) {
	m.seq++
	if a.verb == "garbage" {
		m.quarantined++
		return Quarantined, nil
	}
	s := m.sessions[a.session]
	if s == nil {
		s = &modelSession{who: a.who}
		m.sessions[a.session] = s
	}
	if s.who != a.who {
		return Refused, nil
	}
	if a.number <= s.highest {
		return Duplicate, nil
	}
	s.highest = a.number
	switch a.verb {
	case "draw":
		m.strokes = append(m.strokes, &modelStroke{seq: m.seq, who: a.who, stroke: a.stroke})
		delete(m.undone, a.who)
		return Applied, a.stroke
	case "terminal":
		if m.named(a.terminal.Name) != nil {
			m.quarantined++
			return Quarantined, nil
		}
		terminal, err := NewTerminal(a.terminal)
		if err != nil {
			panic(err)
		}
		m.strokes = append(m.strokes, &modelStroke{seq: m.seq, who: a.who, terminal: terminal})
		m.listed = m.seq
		delete(m.undone, a.who)
	case "grant":
		m.grants[Person(a.grant.Person)] = Role(a.grant.Role)
	case "undo":
		for _, s := range slices.Backward(m.strokes) {
			if s.who == a.who && !s.hidden {
				s.hidden, s.changed = true, m.seq
				m.undone[a.who] = append(m.undone[a.who], s)
				if s.terminal != nil {
					m.listed = m.seq
				}
				return Applied, s.stroke
			}
		}
	case "redo":
		if u := m.undone[a.who]; len(u) > 0 {
			s := u[len(u)-1]
			if s.terminal != nil {
				if m.named(s.terminal.Name()) != nil {
					break // it stays away while another has its name
				}
				m.listed = m.seq
			}
			m.undone[a.who] = u[:len(u)-1]
			s.hidden, s.changed = false, m.seq
			return Applied, s.stroke
		}
	case "paper":
		m.paper = a.paper | 0xff
	default:
		m.quarantined++
		return Quarantined, nil
	}
	return Applied, nil
}

// named is the terminal of a name that is shown.
func (m *model) named(name string) *modelStroke {
	for _, s := range m.strokes {
		if s.terminal != nil && !s.hidden && s.terminal.Name() == name {
			return s
		}
	}
	return nil
}

// terminals are those that are shown and reach a tile, and the newest change of any that does or did; nil: everywhere.
func (m *model) terminals(at *tile.ID) (items []TerminalItem, version Seq) {
	for _, s := range m.strokes {
		if s.terminal == nil || at != nil && !touchesBox(s.terminal.home, s.terminal.reach(), *at) {
			continue
		}
		version = max(version, s.seq, s.changed)
		if !s.hidden {
			items = append(items, TerminalItem{s.seq, s.terminal})
		}
	}
	return items, version
}

// touches is its own arithmetic: whole tiles of id's level that hold the ends of the reach.
func touches(s *ink.Stroke, id tile.ID) bool { return s != nil && touchesBox(s.Home(), s.Reach(), id) }

func touchesBox(h tile.ID, r tile.Box, id tile.ID) bool {
	between := func(hx *big.Int, lo, hi int64, tx *big.Int) bool {
		at := func(v int64) *big.Int {
			p := new(big.Int).Mul(hx, big.NewInt(tile.Units))
			p.Add(p, big.NewInt(v))
			if d := id.Level() - h.Level() - 14; d >= 0 {
				return p.Lsh(p, uint(d))
			} else {
				return p.Rsh(p, uint(-d))
			}
		}
		if id.Level()-h.Level() > 14 {
			// The tile is finer than a unit: the end of the reach is a point, the tile's square is [t, t+1).
			return at(lo).Cmp(new(big.Int).Add(tx, big.NewInt(1))) < 0 && at(hi).Cmp(tx) >= 0
		}
		return at(lo).Cmp(tx) <= 0 && at(hi).Cmp(tx) >= 0
	}
	return between(h.X(), r.MinX, r.MaxX, id.X()) && between(h.Y(), r.MinY, r.MaxY, id.Y())
}

func (m *model) look(a Ask) (l Look) {
	points := 0
	for _, s := range m.strokes {
		if !touches(s.stroke, a.Tile) {
			continue
		}
		l.Version = max(l.Version, s.seq, s.changed)
		if s.seq <= a.After && s.changed > a.After {
			l.Broken = true
		}
		if s.hidden {
			continue
		}
		// Smaller than 1/16 px: the reach's longer side, in units of the stroke, against 64·256 units a tile.
		r, d := s.stroke.Reach(), s.stroke.Home().Level()-a.Tile.Level()
		if side := max(r.MaxX-r.MinX, r.MaxY-r.MinY); d > 60 || d > -42 && big.NewInt(side<<4).Cmp(new(big.Int).Rsh(new(big.Int).Lsh(big.NewInt(64), 200), uint(200-d))) <= 0 {
			l.Below = true
		}
		if s.seq > a.After {
			l.Items = append(l.Items, Item{s.seq, s.stroke})
			points += s.stroke.Most(a.Tile)
			l.Coarse = l.Coarse || d < -7 || d > 24
		}
	}
	switch {
	case points <= a.Budget:
	case !a.Part || a.After == 0:
		l.Heavy, l.Coarse, l.Items = true, false, nil
	default:
		l.Heavy, points = true, 0
		for i, it := range l.Items {
			if points += it.Stroke.Most(a.Tile); points > a.Budget && i > 0 {
				l.Items = l.Items[:i]
				break
			}
			l.Upto = it.Seq
		}
	}
	return l
}

func (m *model) snapshot(id tile.ID) (s Snapshot) {
	l := m.look(Ask{Tile: id, Budget: 1 << 60})
	s.Version, s.Below = l.Version, l.Below
	for _, i := range l.Items {
		if i.Stroke.Home().Level()+14-spanBits(i.Stroke) < id.Level()+22 {
			s.Items = append(s.Items, i)
		}
	}
	for _, k := range m.strokes {
		if touches(k.stroke, id) {
			s.Reach++
		}
	}
	return s
}

// spanBits is the least n such that 2^n units are no less than the longer side of the reach.
func spanBits(s *ink.Stroke) (n int) {
	r := s.Reach()
	for int64(1)<<n < max(r.MaxX-r.MinX, r.MaxY-r.MinY) {
		n++
	}
	return n
}

func (m *model) visible() (items []Item) {
	for _, s := range m.strokes {
		if !s.hidden && s.stroke != nil {
			items = append(items, Item{s.seq, s.stroke})
		}
	}
	return items
}

// world makes random tiles and strokes that have to do with each other.
type world struct {
	*rand.Rand
	tiles     []tile.ID
	terminals bool // people place terminals too, and give rights
}

func newWorld(r *rand.Rand) *world {
	w := &world{Rand: r}
	huge := func(bits int) *big.Int {
		v := new(big.Int).Lsh(big.NewInt(1), uint(bits))
		v.Add(v, big.NewInt(r.Int64()))
		if r.IntN(2) == 0 {
			v.Neg(v)
		}
		return v
	}
	for _, p := range []struct{ level, x, y int }{{0, 0, 0}, {0, -1, 0}, {3, 7, -8}, {61, 5, 5}, {-63, 0, -1}, {-64, -1, 3}, {40, 1, 1}} {
		w.tiles = append(w.tiles, tile.At(p.level, int64(p.x), int64(p.y)))
	}
	for _, p := range []struct{ level, x, y int }{{200, 199, 180}, {700, 650, 2}, {64, 64, 63}, {-70, 90, 20}} {
		if id, err := tile.New(p.level, huge(p.x), huge(p.y)); err == nil {
			w.tiles = append(w.tiles, id)
		}
	}
	w.tiles = append(w.tiles, tile.At(-65536, 0, -1), tile.At(-65536, 5, 5), tile.At(65536, 3, -3))
	return w
}

// near is a tile that has to do with an earlier one.
func (w *world) near() tile.ID {
	id := w.tiles[w.IntN(len(w.tiles))]
	d := 0
	switch w.IntN(6) {
	case 0, 1:
	case 2, 3:
		d = w.IntN(9) - 4
	case 4:
		d = w.IntN(61) - 30
	case 5:
		d = w.IntN(161) - 80
	}
	to, ok := id.Shift(d, w.Int64N(5)-2, w.Int64N(5)-2)
	if !ok {
		return id
	}
	if w.IntN(3) == 0 && len(w.tiles) < 60 {
		w.tiles = append(w.tiles, to)
	}
	return to
}

func (w *world) stroke(t testing.TB) *ink.Stroke {
	t.Helper()
	local := func() int64 {
		switch w.IntN(12) {
		case 0:
			return w.Int64N(2*tile.MaxLocal+1) - tile.MaxLocal
		case 1:
			return w.Int64N(8)*tile.Units/2 - 2*tile.Units
		case 2:
			return w.Int64N(1<<20) - 1<<19
		}
		return w.Int64N(tile.Units)
	}
	p := ink.Point{X: local(), Y: local(), D: 1 + w.Int32N(1<<(1+w.IntN(10)))}
	pts := []ink.Point{p}
	for step := int64(1) << w.IntN(14); w.IntN(4) > 0; {
		p.X = min(max(p.X+w.Int64N(2*step+1)-step, -tile.MaxLocal), tile.MaxLocal)
		p.Y = min(max(p.Y+w.Int64N(2*step+1)-step, -tile.MaxLocal), tile.MaxLocal)
		pts = append(pts, p)
	}
	if w.IntN(20) == 0 {
		pts = append(pts, ink.Point{X: local(), Y: local(), D: 1 << 20})
	}
	s, err := ink.New(w.near(), ink.Pen, w.Uint32(), pts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// act is something one of four people does, or tries.
func (w *world) act(t testing.TB, m *model) act {
	n := byte(w.IntN(5))
	a := act{who: Person{byte(w.IntN(4))}, session: Session{n}}
	if s := m.sessions[a.session]; s != nil {
		if w.IntN(20) > 0 {
			a.who = s.who
		}
		a.number = s.highest + 1
		switch w.IntN(20) {
		case 0:
			a.number = 1 + w.Uint64N(s.highest+1)
		case 1:
			a.number += w.Uint64N(10)
		}
	} else {
		a.number = 1 + w.Uint64N(2)
	}
	switch k := w.IntN(100); {
	case k < 62:
		a.verb, a.stroke = "draw", w.stroke(t)
	case k < 80:
		a.verb = "undo"
	case k < 93:
		a.verb = "redo"
	case k < 95:
		a.verb, a.paper = "paper", w.Uint32()
	case k < 97:
		a.verb = "bad"
	case k < 98:
		a.verb = "unknown"
	default:
		a.verb = "garbage"
		a.bytes = []byte{0xff, byte(w.Uint32()), 0xff}
	}
	if !w.terminals || a.verb != "draw" {
		return a
	}
	switch w.IntN(6) {
	case 0, 1: // of few names, so that they meet
		level, x, y := w.near().Wire()
		lo, side := w.Int64N(4*tile.Units)-2*tile.Units, int64(1)<<w.IntN(20)
		a.verb = "terminal"
		a.terminal = &wire.Terminal{
			Home: &wire.Tile{Level: level, X: x, Y: y}, Box: &wire.Box{MinX: lo, MinY: lo, MaxX: lo + side, MaxY: lo + (side+1)/2},
			Name: string(rune('a' + w.IntN(12))), Cols: w.Uint32N(200), Rows: w.Uint32N(60),
		}
	case 2:
		a.verb, a.grant = "grant", &wire.Grant{Person: append([]byte{byte(w.IntN(6))}, make([]byte, 15)...), Role: w.Uint32N(3)}
	}
	return a
}

func sameItems(a, b []Item) bool {
	// Strokes are compared by value: a stroke of a model never was the canvas's pointer.
	return slices.EqualFunc(a, b, func(a, b Item) bool {
		return a.Seq == b.Seq && proto.Equal(a.Stroke.Wire(), b.Stroke.Wire())
	})
}

func inOrder(items []Item) bool {
	return slices.IsSortedFunc(items, func(a, b Item) int { return cmp.Compare(a.Seq, b.Seq) })
}
