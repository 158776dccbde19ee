package ink

import (
	"sync"
	"unsafe"
	"weak"
)

// Keep bounds the bytes of all that painters prepare and leave with strokes. When there is more, what was not used since it was
// last looked at goes, oldest first (the clock, an old approximation of "longest unused"). It is made again when it is
// needed. A stroke nobody holds any more is not held by a Keep either. Safe for concurrent use; nil keeps everything.
type Keep struct {
	limit int64

	mu    sync.Mutex // guards all below
	bytes int64
	queue []kept // from head on, oldest first
	head  int
}

// kept is one thing that was prepared of a stroke.
type kept struct {
	stroke weak.Pointer[Stroke]
	bytes  int32
	detail int8 // its outline; past finest: its circles
}

const circlesKept = finest + 1

// NewKeep keeps about so many bytes.
func NewKeep(limit int64) *Keep { return &Keep{limit: limit} }

// Full says that what is prepared now may push out what will be wanted sooner.
func (k *Keep) Full() bool {
	if k == nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.bytes > k.limit/4*3
}

// add takes in what was prepared of a stroke, and lets go of as much.
func (k *Keep) add(s *Stroke, detail, bytes int) {
	if k == nil {
		return
	}
	bytes += int(unsafe.Sizeof(kept{})) + 64 // and what holds it
	k.mu.Lock()
	defer k.mu.Unlock()
	k.bytes += int64(bytes)
	k.queue = append(k.queue, kept{weak.Make(s), int32(bytes), int8(detail)})
	for spare := len(k.queue) - k.head; k.bytes > k.limit && spare > 1; spare-- { // each is looked at once
		e := k.queue[k.head]
		k.queue[k.head] = kept{}
		k.head++
		if s := e.stroke.Value(); s != nil {
			if ready := s.ready.Load(); ready.used.Swap(false) {
				k.queue = append(k.queue, e)
				continue
			}
			s.forget(int(e.detail))
		}
		k.bytes -= int64(e.bytes)
	}
	if k.head > len(k.queue)/2 {
		k.queue = append(k.queue[:0], k.queue[k.head:]...)
		k.head = 0
	}
}

// forget lets go of what was prepared at a detail. Who is drawing with it goes on with it.
func (s *Stroke) forget(detail int) {
	ready := s.ready.Load()
	if detail == circlesKept {
		ready.far.Store(nil)
	} else {
		ready.lods[detail-coarsest].Store(nil)
	}
}

// size is what an outline takes.
func (o *outline) size() int {
	return int(unsafe.Sizeof(*o)) + 2*cap(o.deltas) + int(unsafe.Sizeof(chunk{}))*cap(o.chunks)
}
