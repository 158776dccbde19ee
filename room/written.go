package room

import (
	"sync"

	"fractal/canvas"
	"fractal/term"
	"fractal/wire"
)

// maxWritten bounds the frames kept for others, in bytes, and maxOneWritten one of them: who looks on at a small change are many at
// the same moment, what is larger than this is rarely the same for two.
const (
	maxWritten    = 1 << 20
	maxOneWritten = 256 << 10
)

// written keeps the newest frames of terminals as they were sent. All who look on at one line being typed hold the same and are owed
// the same: it is written once. From where to where is all a frame depends on, so none can be stale.
type written struct {
	mu    sync.Mutex // guards all below
	of    map[frameKey][]byte
	order []frameKey // oldest first
	bytes int
}

// frameKey names a frame.
type frameKey struct {
	terminal canvas.Seq
	from, to term.Held // from is zero for a full one
}

func (w *written) get(k frameKey) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.of[k]
}

func (w *written) put(k frameKey, b []byte) {
	if len(b) > maxOneWritten {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of[k] != nil {
		return
	}
	if w.of == nil {
		w.of = map[frameKey][]byte{}
	}
	w.of[k] = b
	w.order = append(w.order, k)
	w.bytes += len(b)
	for w.bytes > maxWritten {
		old := w.order[0]
		w.order = append(w.order[:0], w.order[1:]...)
		w.bytes -= len(w.of[old])
		delete(w.of, old)
	}
}

// clear forgets all, when nobody is left to share with.
func (w *written) clear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of, w.order, w.bytes = nil, nil, 0
}

// write is a frame as a message, and whether somebody else's cycle had written it.
func (p *programs) write(seq canvas.Seq, since term.Held, f *term.Frame) (b []byte, shared bool) {
	k := frameKey{seq, since, f.Holds}
	if f.Full {
		k.from = term.Held{}
	}
	if b := p.written.get(k); b != nil {
		return b, true
	}
	m := frameMessage(f)
	m.Terminal = uint64(seq)
	if m.Facts != nil {
		m.Facts.Typist = p.typist(f.Facts.Owner)
	}
	b = marshal(&wire.ServerMessage{Kind: &wire.ServerMessage_Term{Term: m}})
	p.written.put(k, b)
	return b, false
}
