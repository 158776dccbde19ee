package canvas

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"fractal/tile"
	"fractal/wire"
)

// Terminal is a rectangle of the canvas that shows what a program on the server prints. It is immutable; what is printed is not
// the canvas's.
type Terminal struct {
	rectangle
	msg  *wire.Terminal
	body []byte // msg in its one proper form
}

// ErrTerminal is wrapped by every refusal of a terminal; the text is for a person.
var ErrTerminal = errors.New("this terminal cannot be placed")

// Bounds of what a terminal may say.
const (
	maxTerminalName = 64
	maxCols         = 1024 // vt's
	maxRows         = 512
)

// MaxTerminals bounds the terminals that a canvas shows at once: each is a program, and every viewer is told of all.
const MaxTerminals = 256

// maxTerminalsEver bounds them with the hidden ones, as maxPlaces does.
const maxTerminalsEver = 4096

// NewTerminal checks a terminal. The message is the canvas's from now on.
func NewTerminal(m *wire.Terminal) (*Terminal, error) {
	r, err := newRectangle(m.GetHome(), m.GetBox(), ErrTerminal)
	if err != nil {
		return nil, err
	}
	if !goodName(m.Name) {
		return nil, fmt.Errorf("%w: a name is 1 to %d letters a–z, A–Z, digits, '-', '_' and '.', and begins with a letter or digit", ErrTerminal, maxTerminalName)
	}
	if m.Cols > maxCols || m.Rows > maxRows {
		return nil, fmt.Errorf("%w: %d × %d; at most %d columns and %d rows", ErrTerminal, m.Cols, m.Rows, maxCols, maxRows)
	}
	t := &Terminal{rectangle: r, msg: m}
	m = proto.Clone(m).(*wire.Terminal)
	for _, v := range []proto.Message{m, m.Home, m.Box} {
		v.ProtoReflect().SetUnknown(nil)
	}
	if t.body, err = (proto.MarshalOptions{Deterministic: true}).Marshal(m); err != nil {
		return nil, fmt.Errorf("%w: it cannot be written", ErrTerminal)
	}
	return t, nil
}

func goodName(s string) bool {
	if s == "" || len(s) > maxTerminalName {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case (c == '-' || c == '_' || c == '.') && i > 0:
		default:
			return false
		}
	}
	return true
}

// Name is what people call it. Of those shown on a canvas no two have the same.
func (t *Terminal) Name() string { return t.msg.Name }

// Size is in grid cells, at first.
func (t *Terminal) Size() (cols, rows int) {
	if cols = int(t.msg.Cols); cols == 0 {
		cols = 80
	}
	if rows = int(t.msg.Rows); rows == 0 {
		rows = 24
	}
	return cols, rows
}

// Wire is the terminal as a message. Nobody may change it.
func (t *Terminal) Wire() *wire.Terminal { return t.msg }

func (t *Terminal) damage() Damage { return Damage{Terminal: true, Home: t.home, Box: t.reach()} }

// TerminalItem is a terminal that is shown. Its seq names it.
type TerminalItem struct {
	Seq      Seq
	Terminal *Terminal
}

// Terminals returns the terminals that are shown, in paint order, and the newest op that changed which.
func (c *Canvas) Terminals() (items []TerminalItem, changed Seq) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, k := range c.terminals {
		if r := &c.items[k]; r.shown() {
			items = append(items, TerminalItem{r.seq, r.terminal})
		}
	}
	return items, c.listed
}

// TerminalsListed is the newest op that changed which terminals are shown, 0 where there never was one.
func (c *Canvas) TerminalsListed() Seq {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.listed
}

// TerminalsAt returns the terminals that are shown and reach a tile, in paint order, and the newest op that concerned any that
// does or did: 0 when there never was one.
func (c *Canvas) TerminalsAt(id tile.ID) (items []TerminalItem, version Seq) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.terminalsAt(id)
}

// TerminalsHere is what there is of terminals at a tile.
type TerminalsHere struct {
	Items   []TerminalItem // as TerminalsAt gives them
	Version Seq
}

// TerminalsAtEach is TerminalsAt of many tiles, as of one moment.
func (c *Canvas) TerminalsAtEach(ids []tile.ID, dst []TerminalsHere) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for i, id := range ids {
		dst[i].Items, dst[i].Version = c.terminalsAt(id)
	}
}

// terminalsAt is TerminalsAt, with the lock held.
func (c *Canvas) terminalsAt(id tile.ID) (items []TerminalItem, version Seq) {
	for _, k := range c.terminals {
		r := &c.items[k]
		if !r.terminal.Touches(id) {
			continue
		}
		version = max(version, r.seq, r.changed)
		if r.shown() {
			items = append(items, TerminalItem{r.seq, r.terminal})
		}
	}
	return items, version
}

// HasTerminals says whether there ever was a terminal.
func (c *Canvas) HasTerminals() bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.terminals) > 0
}

// mayShow says why a terminal of a name cannot be shown; empty: it can.
func (c *Canvas) mayShow(name string) string {
	shown := 0
	for _, k := range c.terminals {
		if r := &c.items[k]; r.shown() {
			if r.terminal.Name() == name {
				return fmt.Sprintf("there is a terminal named %s here already", name)
			}
			shown++
		}
	}
	if shown >= MaxTerminals {
		return fmt.Sprintf("this canvas shows %d terminals, as many as it can", shown)
	}
	return ""
}

// Role is what a person may do with terminals.
type Role uint8

// The roles: each may do what those before it may.
const (
	RoleView Role = iota // look on
	RoleType             // type
	RoleOwn              // place terminals, and give roles
)

// ErrGrant is wrapped by every refusal of a grant; the text is for a person.
var ErrGrant = errors.New("this right cannot be given")

// CheckGrant checks a grant.
func CheckGrant(m *wire.Grant) error {
	switch {
	case len(m.GetPerson()) != len(Person{}):
		return fmt.Errorf("%w: it names nobody", ErrGrant)
	case m.GetRole() > uint32(RoleOwn):
		return fmt.Errorf("%w: there is no role %d", ErrGrant, m.GetRole())
	}
	return nil
}

// maxGrants bounds the persons with a role.
const maxGrants = 65536

// grant gives a person a role, as the newest grant says.
func (c *Canvas) grant(who Person, role Role) (full bool) {
	if role == RoleView {
		delete(c.grants, who)
		return false
	}
	if _, known := c.grants[who]; !known && len(c.grants) >= maxGrants {
		return true
	}
	if c.grants == nil {
		c.grants = map[Person]Role{}
	}
	c.grants[who] = role
	return false
}

// Role is what the log says a person may do with terminals. Who owns the server may do everything, whatever the log says.
func (c *Canvas) Role(who Person) Role {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.grants[who]
}
