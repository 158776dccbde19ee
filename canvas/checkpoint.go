package canvas

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"fractal/ink"
	"fractal/wire"
)

// ErrCheckpoint says that bytes are not a checkpoint this package wrote.
var ErrCheckpoint = errors.New("canvas: not a checkpoint")

// Checkpoint is the canvas as bytes, a wire.Checkpoint: all that Apply and every question depend on. The same entries
// give the same bytes. The lock is held for copying the books, not for writing.
func (c *Canvas) Checkpoint() []byte {
	c.mu.RLock()
	seq, paper := c.seq, c.paper
	items := slices.Clone(c.items)
	sessions := slices.Clone(c.sessions)
	quarantined := c.quarantined[:len(c.quarantined):len(c.quarantined)] // only grows
	persons := make([]person, len(c.persons))
	for i, p := range c.persons {
		persons[i] = person{id: p.id, redo: slices.Clone(p.redo)}
	}
	size := c.bytes
	grants := maps.Clone(c.grants)
	c.mu.RUnlock()

	// Written by hand: in protobuf only the order of a struct's fields is ours to rely on, not a library's.
	b := make([]byte, 0, size+24*len(items)+40*len(sessions)+20*len(persons)+64)
	b = putUint(b, 1, uint64(seq))
	b = protowire.AppendTag(b, 2, protowire.Fixed32Type)
	b = protowire.AppendFixed32(b, paper)
	for _, p := range persons {
		b = putBytes(b, 3, p.id[:])
	}
	var m []byte
	for _, s := range sessions {
		m = putBytes(m[:0], 1, s.id[:])
		m = putUint(m, 2, uint64(s.person))
		m = putUint(m, 3, s.highest)
		b = putBytes(b, 4, m)
	}
	for i := range items {
		r := &items[i]
		m = putUint(m[:0], 1, uint64(r.seq))
		m = putUint(m, 2, uint64(r.person))
		m = putUint(m, 3, uint64(r.changed))
		m = putUint(m, 4, truth(r.hidden))
		switch {
		case r.place != nil:
			m = putBytes(m, 6, r.place.body)
		case r.terminal != nil:
			m = putBytes(m, 7, r.terminal.body)
		case r.stroke != nil:
			m = putStroke(m, 5, r.stroke.Wire())
		default:
			m = putUint(m, 8, uint64(items[r.removes].seq))
		}
		b = putBytes(b, 5, m)
	}
	for _, q := range quarantined {
		m = putUint(m[:0], 1, uint64(q.seq))
		m = putBytes(m, 2, []byte(q.reason))
		m = putBytes(m, 3, q.op)
		b = putBytes(b, 6, m)
	}
	for i, p := range persons {
		if len(p.redo) == 0 {
			continue
		}
		var seqs []byte
		for _, k := range p.redo {
			seqs = protowire.AppendVarint(seqs, uint64(items[k].seq))
		}
		m = putUint(m[:0], 1, uint64(i))
		m = putBytes(m, 2, seqs) // packed
		b = putBytes(b, 7, m)
	}
	for _, who := range slices.SortedFunc(maps.Keys(grants), func(a, b Person) int { return bytes.Compare(a[:], b[:]) }) {
		m = putBytes(m[:0], 1, who[:])
		m = putUint(m, 2, uint64(grants[who]))
		b = putBytes(b, 8, m)
	}
	return b
}

func putUint(b []byte, field protowire.Number, v uint64) []byte {
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func putBytes(b []byte, field protowire.Number, v []byte) []byte {
	if len(v) == 0 {
		return b
	}
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

func truth(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

func putStroke(b []byte, field protowire.Number, s *wire.Stroke) []byte {
	b = protowire.AppendTag(b, field, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(strokeSize(s)))
	b = protowire.AppendTag(b, 1, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(tileSize(s.Home)))
	b = putUint(b, 1, protowire.EncodeZigZag(int64(s.Home.GetLevel())))
	b = putBytes(b, 2, s.Home.GetX())
	b = putBytes(b, 3, s.Home.GetY())
	b = putUint(b, 2, uint64(s.Brush))
	if s.Color != 0 {
		b = protowire.AppendFixed32(protowire.AppendTag(b, 3, protowire.Fixed32Type), s.Color)
	}
	b = putUint(b, 4, uint64(s.Width))
	return putBytes(b, 5, s.Points)
}

func strokeSize(s *wire.Stroke) int {
	n := 1 + protowire.SizeBytes(tileSize(s.Home)) + uintSize(uint64(s.Brush)) + uintSize(uint64(s.Width)) + bytesSize(s.Points)
	if s.Color != 0 {
		n += 5
	}
	return n
}

func tileSize(t *wire.Tile) int {
	return uintSize(protowire.EncodeZigZag(int64(t.GetLevel()))) + bytesSize(t.GetX()) + bytesSize(t.GetY())
}

func uintSize(v uint64) int { // of a field with a number below 16
	if v == 0 {
		return 0
	}
	return 1 + protowire.SizeVarint(v)
}

func bytesSize(v []byte) int {
	if len(v) == 0 {
		return 0
	}
	return 1 + protowire.SizeBytes(len(v))
}

// size is what a stroke costs in a checkpoint.
func size(s *ink.Stroke) int { return strokeSize(s.Wire()) }

// Hash names the state of a canvas: two with the same hash behave the same from here on.
func (c *Canvas) Hash() [sha256.Size]byte { return sha256.Sum256(c.Checkpoint()) }

// Restore is the canvas a checkpoint was taken of. It checks everything Apply relies on.
func Restore(b []byte) (*Canvas, error) {
	var m wire.Checkpoint
	if proto.Unmarshal(b, &m) != nil {
		return nil, fmt.Errorf("%w: it is not protobuf", ErrCheckpoint)
	}
	c := New()
	c.seq, c.paper = Seq(m.Seq), m.Paper
	if c.paper&0xff != 0xff {
		return nil, fmt.Errorf("%w: the paper is translucent", ErrCheckpoint)
	}
	for _, id := range m.Persons {
		if len(id) != len(Person{}) {
			return nil, fmt.Errorf("%w: a person of %d bytes", ErrCheckpoint, len(id))
		}
		who := Person(id)
		if _, twice := c.personOf[who]; twice {
			return nil, fmt.Errorf("%w: a person twice", ErrCheckpoint)
		}
		c.personOf[who] = uint32(len(c.persons))
		c.persons = append(c.persons, person{id: who})
	}
	for _, s := range m.Sessions {
		if len(s.Session) != len(Session{}) || int(s.Person) >= len(c.persons) || s.Highest == 0 {
			return nil, fmt.Errorf("%w: a session of nobody", ErrCheckpoint)
		}
		id := Session(s.Session)
		if _, twice := c.sessionOf[id]; twice {
			return nil, fmt.Errorf("%w: a session twice", ErrCheckpoint)
		}
		c.sessionOf[id] = uint32(len(c.sessions))
		c.sessions = append(c.sessions, session{id, s.Person, s.Highest})
	}
	if err := c.restoreItems(m.Items); err != nil {
		return nil, err
	}
	last := Seq(0)
	for _, q := range m.Quarantined {
		if Seq(q.Seq) <= last || Seq(q.Seq) > c.seq {
			return nil, fmt.Errorf("%w: a quarantined op out of order", ErrCheckpoint)
		}
		last = Seq(q.Seq)
		c.quarantined = append(c.quarantined, quarantine{last, q.Reason, q.Op})
	}
	if err := c.restoreRedo(m.Redo); err != nil {
		return nil, err
	}
	if err := c.restoreGrants(m.Grants); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Canvas) restoreItems(items []*wire.CheckpointItem) error {
	c.items = make([]record, 0, len(items)+len(items)/8)
	last := Seq(0)
	for _, i := range items {
		r := record{seq: Seq(i.Seq), changed: Seq(i.Changed), person: i.Person, hidden: i.Hidden}
		switch {
		case r.seq <= last || r.seq > c.seq:
			return fmt.Errorf("%w: stroke %d out of order", ErrCheckpoint, r.seq)
		case int(r.person) >= len(c.persons):
			return fmt.Errorf("%w: stroke %d is nobody's", ErrCheckpoint, r.seq)
		case r.changed != 0 && (r.changed <= r.seq || r.changed > c.seq), r.hidden && r.changed == 0:
			return fmt.Errorf("%w: stroke %d was changed at no time", ErrCheckpoint, r.seq)
		}
		last = r.seq
		if len(i.Place) > 0 || len(i.Terminal) > 0 || i.Removes != 0 {
			if err := c.restoreRectangle(r, i); err != nil {
				return err
			}
			continue
		}
		var s wire.Stroke
		if proto.Unmarshal(i.Stroke, &s) != nil {
			return fmt.Errorf("%w: stroke %d is not protobuf", ErrCheckpoint, r.seq)
		}
		var err error
		if r.stroke, err = ink.FromWire(&s); err != nil {
			return fmt.Errorf("%w: stroke %d: %w", ErrCheckpoint, r.seq, err)
		}
		if !r.hidden {
			p := &c.persons[r.person]
			p.shown = append(p.shown, uint32(len(c.items)))
		}
		var at place
		at.of(r.stroke)
		c.draw(r, &at)
	}
	return nil
}

// restoreRectangle restores what is not ink.
func (c *Canvas) restoreRectangle(r record, i *wire.CheckpointItem) error {
	if len(i.Stroke) > 0 || len(i.Place) > 0 && len(i.Terminal) > 0 || i.Removes != 0 && len(i.Place)+len(i.Terminal) > 0 {
		return fmt.Errorf("%w: item %d is two things", ErrCheckpoint, r.seq)
	}
	if !r.hidden {
		p := &c.persons[r.person]
		p.shown = append(p.shown, uint32(len(c.items)))
	}
	var err error
	if len(i.Place) > 0 {
		var m wire.Place
		if proto.Unmarshal(i.Place, &m) != nil {
			return fmt.Errorf("%w: place %d is not protobuf", ErrCheckpoint, r.seq)
		}
		if r.place, err = NewPlace(&m); err != nil {
			return fmt.Errorf("%w: place %d: %w", ErrCheckpoint, r.seq, err)
		}
		c.lay(r)
		return nil
	}
	if i.Removes != 0 {
		k, ok := c.terminal(Seq(i.Removes))
		if !ok {
			return fmt.Errorf("%w: item %d takes off what there is not", ErrCheckpoint, r.seq)
		}
		r.removes = k
		changed := c.items[k].changed // as the checkpoint says
		c.take(r)
		c.items[k].changed = changed
		return nil
	}
	var m wire.Terminal
	if proto.Unmarshal(i.Terminal, &m) != nil {
		return fmt.Errorf("%w: terminal %d is not protobuf", ErrCheckpoint, r.seq)
	}
	if r.terminal, err = NewTerminal(&m); err != nil {
		return fmt.Errorf("%w: terminal %d: %w", ErrCheckpoint, r.seq, err)
	}
	if why := c.mayShow(m.Name); why != "" && !r.hidden {
		return fmt.Errorf("%w: terminal %d: %s", ErrCheckpoint, r.seq, why)
	}
	c.stand(r)
	return nil
}

func (c *Canvas) restoreGrants(grants []*wire.GrantMark) error {
	var last []byte
	for _, g := range grants {
		if len(g.Person) != len(Person{}) || g.Role == 0 || g.Role > uint32(RoleOwn) || last != nil && bytes.Compare(last, g.Person) >= 0 {
			return fmt.Errorf("%w: a right of nobody", ErrCheckpoint)
		}
		last = g.Person
		if c.grant(Person(g.Person), Role(g.Role)) {
			return fmt.Errorf("%w: rights of too many", ErrCheckpoint)
		}
	}
	return nil
}

func (c *Canvas) restoreRedo(stacks []*wire.UndoStack) error {
	next := 0
	for _, st := range stacks {
		if int(st.Person) < next || int(st.Person) >= len(c.persons) || len(st.Seqs) == 0 {
			return fmt.Errorf("%w: redo of nobody", ErrCheckpoint)
		}
		next = int(st.Person) + 1
		p := &c.persons[st.Person]
		above := uint32(len(c.items))
		for _, seq := range st.Seqs {
			i, ok := slices.BinarySearchFunc(c.items, Seq(seq), func(r record, s Seq) int { return int(int64(r.seq - s)) })
			if !ok || uint32(i) >= above || c.items[i].person != st.Person || !c.items[i].hidden {
				return fmt.Errorf("%w: redo of stroke %d", ErrCheckpoint, seq)
			}
			above = uint32(i)
			p.redo = append(p.redo, above)
		}
		if n := len(p.shown); n > 0 && p.shown[n-1] > above {
			return fmt.Errorf("%w: redo below a visible stroke", ErrCheckpoint)
		}
	}
	return nil
}
