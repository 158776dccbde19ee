// Package canvas owns the document: what the ops of one log, applied in order, amount to. It knows which strokes lie
// where, who may take what back, and which op was news for which square. It refuses to know files, pixels and viewers,
// reads no clock and starts no goroutine; the same entries give the same canvas on every machine.
//
// Strokes are found through a path-compressed loose quadtree (index.go): path compression is the old idea of Patricia
// tries, a square that may be overhung by half its neighbours that of Ulrich's loose octrees (Game Programming Gems, 2000).
package canvas

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"

	"fractal/ink"
	"fractal/tile"
	"fractal/wire"
)

// Seq counts the entries of one canvas, from 1. It is never a position in somebody's stream.
type Seq uint64

// Person is the first half of the SHA-256 of a person's secret key.
type Person [16]byte

// Session names one tab or importer of a person.
type Session [16]byte

// Outcome is what became of an entry.
type Outcome uint8

const (
	// Applied: the op is part of the canvas, even where it had nothing to do (an undo of nothing).
	Applied Outcome = iota
	// Duplicate: an op of this session with this number or a later one was applied before.
	Duplicate
	// Refused: the session belongs to somebody else.
	Refused
	// Quarantined: the op cannot be understood. It is kept with the reason, and the rest of the log goes on.
	Quarantined
)

var outcomes = [...]string{"applied", "duplicate", "refused", "quarantined"}

func (o Outcome) String() string { return outcomes[o] }

// Result says what one entry did.
type Result struct {
	Seq      Seq // of the entry, whatever its outcome
	Person   Person
	Session  Session // with Number: whose op it was; zero when that could not be read
	Number   uint64
	Outcome  Outcome
	Reason   string      // in words for a person, unless Applied or Duplicate
	Stroke   *ink.Stroke // that was drawn, else nil
	Terminal *Terminal   // that was placed, else nil
	Grant    bool        // somebody's role may have changed
	Damage   Damage
}

// Damage is the region an op touched: every square whose look it changed, of whatever level. The zero Damage is nothing.
type Damage struct {
	Ink      bool // Box, in units of Home, was touched by strokes
	Place    bool // … by a place
	Terminal bool // … by a terminal
	Home     tile.ID
	Box      tile.Box
	All      bool // the paper under everything changed
}

// Touches says whether a square must be looked at again.
func (d Damage) Touches(id tile.ID) bool {
	return d.All || (d.Ink || d.Place || d.Terminal) && tile.Touches(d.Home, d.Box, id)
}

// DefaultPaper is the colour of a canvas nobody has given one.
const DefaultPaper = 0xffffffff

// Canvas is one document. Apply is for one caller at a time; everything else may be asked at any time by anybody.
type Canvas struct {
	// Clock, when set before anybody else uses the canvas, times the lock of cell snapshots: nanoseconds since whenever. The
	// canvas has no clock of its own, and what it does depends on none.
	Clock func() int64

	mu sync.RWMutex // guards all below; held for memory only, never while decoding, sorting or encoding

	seq         Seq
	paper       uint32
	items       []record // by seq
	index       index
	places      []uint32        // items that are places
	terminals   []uint32        // items that are terminals
	removals    []uint32        // items that take terminals off
	listed      Seq             // newest op that showed or hid one
	grants      map[Person]Role // but RoleView; nil: none yet
	persons     []person        // by first appearance
	personOf    map[Person]uint32
	sessions    []session // by first appearance
	sessionOf   map[Session]uint32
	quarantined []quarantine // by seq
	hidden      int          // of items
	points      int          // of visible strokes
	bytes       int          // of all strokes, as kept
	home        home
}

// record is a stroke, a place or a terminal, and what became of it.
type record struct {
	seq      Seq
	changed  Seq         // of the last op that hid or showed it; 0: none
	stroke   *ink.Stroke // nil: one of the two below
	place    *Place
	terminal *Terminal
	removes  uint32 // where it is none of these: the item it takes off the canvas
	removed  uint32 // how many that are not hidden take it off
	person   uint32
	hidden   bool
}

// person holds what somebody may take back, and bring back, as indices of items. All of redo were drawn after all of
// shown, and shown ascends while redo descends: taking back goes from the newest to the oldest.
type person struct {
	id          Person
	shown, redo []uint32
}

type session struct {
	id      Session
	person  uint32 // the first who used it
	highest uint64 // op number
}

type quarantine struct {
	seq    Seq
	reason string
	op     []byte
}

// New is an empty canvas.
func New() *Canvas {
	c := &Canvas{paper: DefaultPaper, personOf: map[Person]uint32{}, sessionOf: map[Session]uint32{}}
	c.index.init()
	return c
}

// Bounds of what one entry that nobody understands may cost.
const (
	maxReason = 256
	maxKeptOp = 1 << 20 // the log has no longer ones from us
)

// Apply takes the next entry of the log. It is total: every entry takes the next seq, whatever its outcome, and the
// outcome depends on nothing but the entries before.
func (c *Canvas) Apply(e *wire.Entry) Result {
	op := decode(e) // before the lock: nobody waits for it
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seq++
	r := Result{Seq: c.seq, Person: op.person, Session: op.session, Number: op.number}
	if !op.named {
		return c.quarantine(r, op.reason, e.GetOp())
	}
	s, known := c.sessionOf[op.session]
	switch {
	case !known:
		s = c.open(op.session, op.person)
	case c.persons[c.sessions[s].person].id != op.person:
		r.Outcome, r.Reason = Refused, "this session belongs to somebody else"
		return r
	}
	at := &c.sessions[s]
	if op.number <= at.highest {
		r.Outcome = Duplicate
		return r
	}
	// Numbers may skip: an op that was rejected before it was logged leaves a gap. What is quarantined is used up too, so
	// that sending it again does not fill the canvas with copies.
	at.highest = op.number
	p := &c.persons[at.person]
	switch {
	case op.reason != "":
		return c.quarantine(r, op.reason, e.GetOp())
	case op.stroke != nil:
		p.adds(uint32(len(c.items)))
		c.draw(record{seq: c.seq, stroke: op.stroke, person: at.person}, &op.place)
		r.Stroke = op.stroke
		r.Damage = damage(op.stroke)
	case op.land != nil && len(c.places) >= maxPlaces:
		return c.quarantine(r, "this canvas has as many places as it can have", e.GetOp())
	case op.land != nil:
		p.adds(uint32(len(c.items)))
		c.lay(record{seq: c.seq, place: op.land, person: at.person})
		r.Damage = op.land.damage()
	case op.terminal != nil:
		why := c.mayShow(op.terminal.Name())
		if len(c.terminals) >= maxTerminalsEver {
			why = "this canvas has had as many terminals as it can have"
		}
		if why != "" {
			return c.quarantine(r, why, e.GetOp())
		}
		p.adds(uint32(len(c.items)))
		c.stand(record{seq: c.seq, terminal: op.terminal, person: at.person})
		r.Terminal = op.terminal
		r.Damage = op.terminal.damage()
	case op.remove != 0:
		i, ok := c.terminal(op.remove)
		if !ok || !c.items[i].shown() {
			return c.quarantine(r, "there is no such terminal here", e.GetOp())
		}
		p.adds(uint32(len(c.items)))
		c.take(record{seq: c.seq, removes: i, person: at.person})
		r.Damage = c.items[i].terminal.damage()
	case op.grant != nil:
		if c.grant(Person(op.grant.Person), Role(op.grant.Role)) {
			return c.quarantine(r, "this canvas knows as many people with a right as it can", e.GetOp())
		}
		r.Grant = true
	case op.undo:
		if n := len(p.shown); n > 0 && c.mayGo(p.shown[n-1]) {
			p.redo = append(p.redo, p.shown[n-1])
			p.shown = p.shown[:n-1]
			r.Damage = c.flip(p.redo[len(p.redo)-1])
		}
	case op.redo:
		if n := len(p.redo); n > 0 && c.mayReturn(p.redo[n-1]) {
			p.shown = append(p.shown, p.redo[n-1])
			p.redo = p.redo[:n-1]
			r.Damage = c.flip(p.shown[len(p.shown)-1])
		}
	default:
		r.Damage.All = c.paper != op.paper
		c.paper = op.paper
	}
	return r
}

// adds notes that a person adds an item: it is the first an undo takes back, and nothing taken back before returns.
func (p *person) adds(i uint32) {
	p.redo = nil
	p.shown = append(p.shown, i)
}

// op is an entry opened, as far as it can be.
type op struct {
	person   Person
	session  Session
	number   uint64
	named    bool   // the three above are good
	reason   string // why the rest is not, or they are not
	stroke   *ink.Stroke
	place    place
	land     *Place
	terminal *Terminal
	grant    *wire.Grant
	remove   Seq
	undo     bool
	redo     bool
	paper    uint32
}

func decode(e *wire.Entry) (o op) {
	// protobuf's own words differ from build to build on purpose: they must not get into a checkpoint.
	var m wire.Op
	if len(e.GetPerson()) != len(o.person) {
		o.reason = "the entry names no person"
		return o
	}
	o.person = Person(e.Person)
	if proto.Unmarshal(e.Op, &m) != nil {
		o.reason = "the op cannot be decoded"
		return o
	}
	if len(m.Session) != len(o.session) || m.Number == 0 {
		o.reason = "the op has no session or number"
		return o
	}
	o.session, o.number, o.named = Session(m.Session), m.Number, true
	switch b := m.Body.(type) {
	case *wire.Op_Stroke:
		s, err := ink.FromWire(b.Stroke)
		if err != nil {
			if o.reason = short(err.Error()); o.reason == "" {
				o.reason = "the stroke is not valid"
			}
			return o
		}
		o.stroke = s
		o.place.of(s)
	case *wire.Op_Place:
		p, err := NewPlace(b.Place)
		if err != nil {
			o.reason = short(err.Error())
			return o
		}
		o.land = p
	case *wire.Op_Terminal:
		t, err := NewTerminal(b.Terminal)
		if err != nil {
			o.reason = short(err.Error())
			return o
		}
		o.terminal = t
	case *wire.Op_Remove:
		if o.remove = Seq(b.Remove.GetSeq()); o.remove == 0 {
			o.reason = "there is no such terminal here"
			return o
		}
	case *wire.Op_Grant:
		if err := CheckGrant(b.Grant); err != nil {
			o.reason = short(err.Error())
			return o
		}
		o.grant = b.Grant
	case *wire.Op_Undo:
		o.undo = true
	case *wire.Op_Redo:
		o.redo = true
	case *wire.Op_Paper:
		o.paper = b.Paper.GetColor() | 0xff
	default:
		o.reason = "an op of a kind this server does not know"
	}
	return o
}

func short(reason string) string {
	return strings.ToValidUTF8(reason[:min(len(reason), maxReason)], "")
}

func (c *Canvas) quarantine(r Result, reason string, op []byte) Result {
	r.Outcome, r.Reason = Quarantined, reason
	kept := append([]byte(nil), op[:min(len(op), maxKeptOp)]...)
	c.quarantined = append(c.quarantined, quarantine{r.Seq, reason, kept})
	return r
}

// open gives a session to the first person who uses it.
func (c *Canvas) open(id Session, who Person) uint32 {
	p, known := c.personOf[who]
	if !known {
		p = uint32(len(c.persons))
		c.persons = append(c.persons, person{id: who})
		c.personOf[who] = p
	}
	s := uint32(len(c.sessions))
	c.sessions = append(c.sessions, session{id: id, person: p})
	c.sessionOf[id] = s
	return s
}

// draw adds a stroke that was never here.
func (c *Canvas) draw(r record, at *place) {
	c.items = append(c.items, r)
	c.index.insert(entry{seq: r.seq, changed: r.changed, stroke: r.stroke}, at, r.hidden)
	c.bytes += size(r.stroke)
	if r.hidden {
		c.hidden++
	} else {
		c.points += r.stroke.Len()
	}
}

// lay adds a place that was never here.
func (c *Canvas) lay(r record) {
	c.places = append(c.places, uint32(len(c.items)))
	c.items = append(c.items, r)
	c.bytes += len(r.place.body)
	if r.hidden {
		c.hidden++
	}
}

// stand adds a terminal that was never here.
func (c *Canvas) stand(r record) {
	c.terminals = append(c.terminals, uint32(len(c.items)))
	c.items = append(c.items, r)
	c.bytes += len(r.terminal.body)
	c.listed = max(c.listed, r.seq, r.changed)
	if r.hidden {
		c.hidden++
	}
}

// take adds what takes a terminal off the canvas.
func (c *Canvas) take(r record) {
	c.removals = append(c.removals, uint32(len(c.items)))
	c.items = append(c.items, r)
	if r.hidden {
		c.hidden++
	} else {
		c.items[r.removes].removed++
	}
	c.home.outdated()
	c.listed = max(c.listed, r.seq, r.changed)
	c.items[r.removes].changed = max(c.items[r.removes].changed, r.seq, r.changed)
}

// terminal is the item of a terminal's seq.
func (c *Canvas) terminal(seq Seq) (i uint32, ok bool) {
	k, ok := slices.BinarySearchFunc(c.terminals, seq, func(k uint32, s Seq) int { return cmp.Compare(c.items[k].seq, s) })
	if !ok {
		return 0, false
	}
	return c.terminals[k], true
}

// shown says whether it is on the canvas.
func (r *record) shown() bool { return !r.hidden && r.removed == 0 }

// mayGo says whether something can be taken back: what took a terminal off cannot, while another has its name.
func (c *Canvas) mayGo(i uint32) bool {
	r := &c.items[i]
	if r.stroke != nil || r.place != nil || r.terminal != nil {
		return true
	}
	t := &c.items[r.removes]
	return t.removed > 1 || t.hidden || c.mayShow(t.terminal.Name()) == ""
}

// mayReturn says whether what was taken back can be shown again: a terminal cannot while another has its name.
func (c *Canvas) mayReturn(i uint32) bool {
	r := &c.items[i]
	return r.terminal == nil || r.removed > 0 || c.mayShow(r.terminal.Name()) == ""
}

// flip hides or shows a stroke, a place or a terminal. It stays, hidden, for ever: what was taken back may come back.
func (c *Canvas) flip(i uint32) Damage {
	r := &c.items[i]
	r.hidden = !r.hidden
	r.changed = c.seq
	if r.stroke == nil {
		c.home.outdated()
		if r.hidden {
			c.hidden++
		} else {
			c.hidden--
		}
		switch {
		case r.place != nil:
			return r.place.damage()
		case r.terminal == nil:
			t := &c.items[r.removes]
			if r.hidden {
				t.removed--
			} else {
				t.removed++
			}
			t.changed = c.seq
			r = t
		}
		c.listed = c.seq
		return r.terminal.damage()
	}
	if r.hidden {
		c.hidden++
		c.points -= r.stroke.Len()
		c.home.outdated()
	} else {
		c.hidden--
		c.points += r.stroke.Len()
		c.home.outdated() // it may have been left out
	}
	c.index.flip(r.seq, r.stroke, r.hidden, c.seq)
	return damage(r.stroke)
}

func damage(s *ink.Stroke) Damage { return Damage{Ink: true, Home: s.Home(), Box: s.Reach()} }

// Seq is how many entries were applied.
func (c *Canvas) Seq() Seq {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.seq
}

// Paper is the colour beneath everything, 0xRRGGBBFF.
func (c *Canvas) Paper() uint32 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.paper
}

// Mark says whose a session is and how far it came: ops up to highest are applied or never will be.
func (c *Canvas) Mark(id Session) (highest uint64, who Person, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	s, ok := c.sessionOf[id]
	if !ok {
		return 0, Person{}, false
	}
	return c.sessions[s].highest, c.persons[c.sessions[s].person].id, true
}

// CanUndo says whether an undo of this person would hide something.
func (c *Canvas) CanUndo(who Person) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	p, ok := c.personOf[who]
	return ok && len(c.persons[p].shown) > 0
}

// CanRedo says whether a redo of this person would show something.
func (c *Canvas) CanRedo(who Person) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	p, ok := c.personOf[who]
	return ok && len(c.persons[p].redo) > 0
}

// Stats counts what a canvas holds.
type Stats struct {
	Seq         Seq
	Strokes     int // visible
	Hidden      int
	Places      int // visible
	Terminals   int // visible
	Points      int // of visible strokes
	Bytes       int // of all strokes as they are kept
	Memory      int // about what all that takes in memory, what is prepared to draw it apart
	Persons     int
	Sessions    int
	Quarantined int
}

// itemMemory is what an item takes beside its bytes: record, stroke, and entry of the index. TestStatsKnowWhatInkTakes notices.
const itemMemory = 300

// Stats counts what the canvas holds.
func (c *Canvas) Stats() Stats {
	c.mu.RLock()
	defer c.mu.RUnlock()
	places, hidden := 0, c.hidden // of strokes
	for _, i := range c.places {
		if c.items[i].hidden {
			hidden--
		} else {
			places++
		}
	}
	terminals := 0
	for _, i := range c.terminals {
		if c.items[i].hidden {
			hidden--
		} else if c.items[i].shown() {
			terminals++
		}
	}
	for _, i := range c.removals {
		if c.items[i].hidden {
			hidden--
		}
	}
	return Stats{
		Seq: c.seq, Strokes: len(c.items) - len(c.places) - len(c.terminals) - len(c.removals) - hidden, Hidden: hidden, Places: places, Terminals: terminals,
		Points: c.points, Bytes: c.bytes, Memory: c.bytes + itemMemory*len(c.items), Persons: len(c.persons), Sessions: len(c.sessions), Quarantined: len(c.quarantined),
	}
}

// All yields the visible strokes, as they are now, in paint order.
func (c *Canvas) All() iter.Seq[Item] {
	return func(yield func(Item) bool) {
		for _, i := range c.visible() {
			if !yield(i) {
				return
			}
		}
	}
}

func (c *Canvas) visible() []Item {
	c.mu.RLock()
	defer c.mu.RUnlock()
	items := make([]Item, 0, len(c.items)-c.hidden)
	for i := range c.items {
		if r := &c.items[i]; !r.hidden && r.stroke != nil {
			items = append(items, Item{r.seq, r.stroke})
		}
	}
	return items
}
