package room

import (
	"sync"

	"fractal/canvas"
)

// marks remembers which record led to which seq while one snapshot is being made: between the sequencer, which adds, and the
// snapshot, which asks.
type marks struct {
	mu   sync.Mutex // guards all below
	list []mark     // by seq
	more chan struct{}
}

func newMarks(first mark) *marks {
	return &marks{list: []mark{first}, more: make(chan struct{}, 1)}
}

func (m *marks) add(next mark) {
	m.mu.Lock()
	if next.pos > m.list[len(m.list)-1].pos {
		if len(m.list) == maxMarks { // then a snapshot as old as those is made again
			m.list = append(m.list[:0], m.list[maxMarks/2:]...)
		}
		m.list = append(m.list, next)
	}
	m.mu.Unlock()
	select {
	case m.more <- struct{}{}:
	default:
	}
}

// wait gives the record after which the canvas was at seq. ok is false when seq lies within a record.
func (m *marks) wait(seq canvas.Seq) (at mark, ok bool) {
	for {
		at, ok, passed := m.find(seq)
		if ok || passed {
			return at, ok
		}
		<-m.more // the record that leads there is being applied
	}
}

func (m *marks) find(seq canvas.Seq) (at mark, ok, passed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := len(m.list) - 1; i >= 0 && m.list[i].seq >= seq; i-- {
		if m.list[i].seq == seq {
			at, ok = m.list[i], true // the first of them, if empty records followed
		}
	}
	return at, ok, m.list[len(m.list)-1].seq > seq
}
