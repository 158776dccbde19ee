package room

import (
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"fractal/canvas"
	"fractal/wire"
)

// look does what the viewer's inbox and the news call for, and sends at most one cycle. It takes each lock that is shared with
// other viewers once: the news, the crowd, the canvas for all squares together, the cells; the shared pieces to get and to
// put. What it sends is as of one seq, the news'. It says whether it should be called again at once.
func (v *Viewer) look() (again bool) {
	v.open()
	d := &v.debt
	v.armed.Store(d.pulled && !d.hidden)
	if d.hidden || !d.pulled {
		v.order() // what nobody looks at any more is not drawn
		return false
	}
	c := &v.room.stats
	c.attempts.Add(1)

	c.newsLocks.Add(1)
	b := v.room.news.read(d.checked, v.person, d.bulletin[:0])
	d.bulletin = b.items
	if b.all && d.cycle > 0 {
		c.resyncs.Add(1)
	}
	if d.doubt {
		d.disbelieve(b.seq)
	}
	d.heed(b)
	d.checked = b.seq

	c.crowdLocks.Add(1)
	h := v.room.crowd.read(v.id, d.moves, &d.wets, max(d.credit/2, 1))
	d.moves = h.moves

	d.frames = append(d.frames[:0], nil) // the place of State
	changed := d.stateChanged(b)
	if b.state.grants != d.state.state.grants || !d.state.sent {
		d.role = v.role()
	}
	size := d.news(h)
	size += v.programs(d.credit - size)
	squares, unsure := v.squares(d.credit - size)
	squares += v.layers(d.credit - size)

	unsure = v.order() || unsure
	through, settled, owed := d.settle()
	v.owed.Store(int64(owed))
	waited := max(d.dry, canvas.Seq(v.own.Load())) // somebody's wet stroke goes when it is complete through here
	if len(d.frames) == 1 && !changed && d.told == d.generation && (!settled || d.settled) && !(d.through < waited && waited <= through) {
		return unsure // nothing to say: the pull stays armed
	}
	v.end(b, through, settled, squares)
	return false
}

// stateChanged says whether State is owed. The number of strokes goes along with what is sent anyway.
func (d *debt) stateChanged(b bulletin) bool {
	now, was := b.state, d.state.state
	now.strokes, was.strokes = 0, 0
	return !d.state.sent || now != was || b.can != d.state.can
}

func (d *debt) frameState(b bulletin) {
	if d.state == (stateSent{b.state, b.can, d.role, true}) {
		return
	}
	d.state = stateSent{b.state, b.can, d.role, true}
	d.frames[0] = marshal(&wire.ServerMessage{Kind: &wire.ServerMessage_State{State: &wire.State{
		Title: d.title, Paper: b.state.paper, ReadOnly: b.state.readOnly,
		CanUndo: b.can[0], CanRedo: b.can[1], Strokes: uint64(b.state.strokes),
		Role: uint32(d.role), Shells: d.shells,
	}}})
}

// news frames what is neither state nor squares.
func (d *debt) news(h hubbub) (size int) {
	if h.peers != nil {
		size += d.framePeers(h.peers)
	}
	for _, n := range h.wets {
		m := &wire.Wet{Viewer: n.wet.viewer, Id: n.wet.id, Head: n.head, From: uint32(n.from), Points: n.points}
		if n.over {
			m.Cancelled, m.Dry = n.dry == 0, uint64(n.dry)
			d.dry = max(d.dry, n.dry)
		}
		size += d.frame(&wire.ServerMessage{Kind: &wire.ServerMessage_Wet{Wet: m}})
	}
	return size
}

func (d *debt) frame(m *wire.ServerMessage) int {
	f := marshal(m)
	d.frames = append(d.frames, f)
	return len(f)
}

// Field numbers of wire.ServerMessage.
const (
	fieldSquare  = 4
	fieldPeersOf = 5
)

func (d *debt) framePeers(fields [][]byte) int {
	n := 0
	for _, f := range fields {
		n += len(f)
	}
	b := make([]byte, 0, n+8)
	b = protowire.AppendTag(b, fieldPeersOf, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(n))
	for _, f := range fields {
		b = append(b, f...)
	}
	d.frames = append(d.frames, b)
	return len(b)
}

// end closes the cycle and gives it to the socket.
func (v *Viewer) end(b bulletin, through canvas.Seq, settled bool, squares int) {
	d := &v.debt
	d.cycle++
	d.frameState(b)
	d.told, d.through, d.settled = d.generation, through, settled
	d.frame(&wire.ServerMessage{Kind: &wire.ServerMessage_CycleEnd{CycleEnd: &wire.CycleEnd{
		Cycle: d.cycle, Through: uint64(through), Generation: d.generation, Settled: settled}}})
	d.pulled = false
	v.armed.Store(false)
	v.mu.Lock()
	if v.inbox.pulled { // a page that pulled ahead
		v.armed.Store(true)
		v.signal()
	}
	v.mu.Unlock()
	for i, f := range d.frames {
		if f != nil {
			v.deliver(f)
		}
		d.frames[i] = nil
	}
	d.sentAt = now()
	v.room.stats.cycles.Add(1)
	if at := oldest(b.items); squares > 0 && !at.IsZero() {
		if len(d.seen) == maxSeen {
			d.seen = d.seen[1:]
		}
		d.seen = append(d.seen, seenMark{d.cycle, at})
	}
}

// maxSeen bounds the cycles whose painting is waited for, for Stats.
const maxSeen = 8

func oldest(items []item) (at time.Time) {
	for i := range items {
		if t := items[i].at; !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	return at
}
