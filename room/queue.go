package room

import (
	"sync"
	"time"

	"fractal/canvas"
	"fractal/wire"
)

const (
	maxOps     = 1024    // of one viewer, entered and not answered
	maxOpBytes = 4 << 20 // and their bytes

	// maxQueue bounds the bytes of all viewers' ops that wait: sixteen who send all they may.
	maxQueue = 64 << 20

	// maxBatch is how many bytes of ops one record takes; a larger op travels alone. Larger records make every reader of the
	// log wait longer for the first op in it, smaller ones cost more fsyncs in a storm.
	maxBatch = 64 << 10

	// maxStalls bounds the sessions of one viewer that must begin again at an op that could not be kept.
	maxStalls = 64
)

// opKey names an op for ever.
type opKey struct {
	session canvas.Session
	number  uint64
}

// op waits to be kept.
type op struct {
	key    opKey
	person canvas.Person
	body   []byte // a wire.Op
	wet    *wet   // the same stroke in the making; nil: nobody saw it
	at     time.Time
	viewer *Viewer // who is told; nil: left. Guarded by the queue's lock while it waits
}

// queue holds the ops that are entered and not answered.
type queue struct {
	wake chan struct{} // holds one token when the sequencer should look

	mu      sync.Mutex // guards all below and every viewer's flow
	ops     []*op      // not yet appended, in order
	waiting map[opKey]*op
	bytes   int    // of waiting
	shut    string // why nothing is taken, for a person; empty: all is taken
}

// flow is what one viewer has in the queue. Guarded by queue.mu.
type flow struct {
	ops, bytes int

	// stalled names the first op of a session that was sent back to be sent again. Until it comes, later ones are sent back
	// too: applied before it, they would make it look like a duplicate.
	stalled map[canvas.Session]uint64
}

func (q *queue) init() {
	q.wake = make(chan struct{}, 1)
	q.waiting = map[opKey]*op{}
}

// enter takes an op to be kept. A reason says that it must be sent again later.
func (q *queue) enter(o *op) (reason string, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	f := &o.viewer.flow
	first, stalled := f.stalled[o.key.session]
	switch {
	case q.shut != "":
		reason = q.shut
	case stalled && o.key.number > first:
		reason = "An earlier stroke of yours must be sent again first."
	case f.ops >= maxOps || f.bytes+len(o.body) > maxOpBytes:
		reason = "Too much is waiting to be kept: send it again when some of it is."
	case q.bytes+len(o.body) > maxQueue:
		reason = "The server has too much to keep at once: send it again in a moment."
	}
	if reason != "" {
		if !f.stall(o.key) {
			return "", ErrFlood
		}
		return reason, nil
	}
	delete(f.stalled, o.key.session)
	if same, ok := q.waiting[o.key]; ok { // sent again over a new socket, while it is on its way
		q.assign(same, o.viewer)
		return "", nil
	}
	q.waiting[o.key] = o
	q.bytes += len(o.body)
	f.ops++
	f.bytes += len(o.body)
	q.ops = append(q.ops, o)
	q.rouse()
	return "", nil
}

func (f *flow) stall(key opKey) bool {
	if first, ok := f.stalled[key.session]; ok {
		f.stalled[key.session] = min(first, key.number)
		return true
	}
	if len(f.stalled) >= maxStalls {
		return false
	}
	if f.stalled == nil {
		f.stalled = map[canvas.Session]uint64{}
	}
	f.stalled[key.session] = key.number
	return true
}

func (q *queue) assign(o *op, v *Viewer) {
	if o.viewer != nil {
		o.viewer.flow.ops--
		o.viewer.flow.bytes -= len(o.body)
	}
	if o.viewer = v; v != nil {
		v.flow.ops++
		v.flow.bytes += len(o.body)
	}
}

func (q *queue) rouse() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take gives the next record's worth of ops.
func (q *queue) take() []*op {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, size := 0, 0
	for n < len(q.ops) && (n == 0 || size+len(q.ops[n].body) <= maxBatch) {
		size += len(q.ops[n].body)
		n++
	}
	batch := append([]*op(nil), q.ops[:n]...)
	clear(q.ops[:n])
	if q.ops = q.ops[n:]; len(q.ops) == 0 {
		q.ops = nil
	}
	return batch
}

// settled is an answered op and who is told.
type settled struct {
	*op
	viewer *Viewer
}

// settle ends the wait of ops that came back in order. answers[i] is of results[i]; nobody here waited for it where op is nil.
func (q *queue) settle(results []canvas.Result, answers []settled) []settled {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range results {
		key := opKey{results[i].Session, results[i].Number}
		o := q.waiting[key]
		if o == nil {
			answers = append(answers, settled{})
			continue
		}
		answers = append(answers, settled{o, o.viewer})
		q.end(o)
	}
	return answers
}

func (q *queue) end(o *op) {
	delete(q.waiting, o.key)
	q.bytes -= len(o.body)
	q.assign(o, nil)
}

// fail ends the wait of a batch that could not be kept, and of all that waits behind it.
func (q *queue) fail(batch []*op) []settled {
	q.mu.Lock()
	defer q.mu.Unlock()
	var answers []settled
	for _, ops := range [][]*op{batch, q.ops} {
		for _, o := range ops {
			if q.waiting[o.key] != o {
				continue // it came back from the log after all
			}
			answers = append(answers, settled{o, o.viewer})
			if o.viewer != nil && !o.viewer.flow.stall(o.key) {
				o.viewer.drop()
			}
			q.end(o)
		}
	}
	q.ops = nil
	return answers
}

// forget lets ops go on without the viewer that sent them.
func (q *queue) forget(v *Viewer) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, o := range q.waiting {
		if o.viewer == v {
			q.assign(o, nil)
		}
	}
}

// idle says that nothing waits.
func (q *queue) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) == 0
}

// close sends back everything from now on.
func (q *queue) close() { q.refuse("The server is going down: your strokes wait in this page.") }

// refuse sends back everything from now on, for that reason.
func (q *queue) refuse(why string) {
	q.mu.Lock()
	if q.shut == "" {
		q.shut = why
	}
	q.mu.Unlock()
	q.rouse()
}

// ack and reject tell the viewer, if it is still here.
func (a settled) ack(seq canvas.Seq) {
	if a.viewer != nil {
		a.viewer.ack(a.key, seq)
	}
}

func (a settled) reject(reason string, retry bool) {
	if a.viewer != nil {
		a.viewer.reject(a.key, reason, retry)
	}
}

func (v *Viewer) ack(key opKey, seq canvas.Seq) {
	v.post(&wire.ServerMessage{Kind: &wire.ServerMessage_Ack{Ack: &wire.Ack{
		Session: key.session[:], Number: key.number, Seq: uint64(seq)}}})
}

func (v *Viewer) reject(key opKey, reason string, retry bool) {
	v.rejectNamed(key.session[:], key.number, reason, retry)
}

// rejectNamed rejects an op by the name it came with, which may be none that an op can have.
func (v *Viewer) rejectNamed(session []byte, number uint64, reason string, retry bool) {
	v.room.stats.opsRejected.Add(1)
	v.post(&wire.ServerMessage{Kind: &wire.ServerMessage_Reject{Reject: &wire.Reject{
		Session: session, Number: number, Reason: reason, Retry: retry}}})
}
