package room

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"fractal/canvas"
	"fractal/journal"
	"fractal/wire"
)

const (
	// appendPatience is how long one append may take before its ops are sent back. What is kept after all is not lost by it:
	// sending an op again changes nothing.
	appendPatience = 10 * time.Second

	// How long to wait before a refused journal is tried again without anybody drawing. Runs only while read-only.
	firstRetry = time.Second
	lastRetry  = 30 * time.Second

	// closePatience is how long Close waits for ops that were entered.
	closePatience = 10 * time.Second
)

// sequencer orders a canvas: it alone appends, and applies nothing but what comes back from the journal's Tail. All fields
// below `ended` belong to its goroutine.
type sequencer struct {
	room     *Room
	records  chan journal.Record
	tailed   chan error    // how Tail ended
	jobs     chan job      // to the appender
	appended chan error    // from it, one for each job
	closing  chan struct{} // closed by close
	snapped  chan mark     // a snapshot was kept as of that record; zero: it was not
	ask      chan struct{} // a snapshot is wished for
	opened   chan struct{} // closed when everything that was there is applied
	ended    chan struct{} // closed at the end
	result   error         // of the last snapshot; read after ended
	failed   error         // why the log cannot be read; read after opened

	ctx    context.Context // of tail and appender
	cancel context.CancelFunc
	chain  *journal.Chain
	live   bool       // opened is closed
	broken string     // the log is damaged: read-only until somebody repairs it
	flight *job       // being appended
	trying journal.ID // of the empty record that tries a refused journal; one id, so that it is kept once at most

	refused   bool // the last append failed
	tailAt    journal.Pos
	tailing   bool
	retry     *time.Timer // runs only while refused, or without a tail
	patience  time.Duration
	undecoded int

	snap snapshots

	results []canvas.Result // scratch of one record
	answers []settled
	items   []item
	persons []personUndo
}

// job is a record on its way.
type job struct {
	id   journal.ID
	body []byte
	ops  []*op
}

func newSequencer(r *Room, chain *journal.Chain) *sequencer {
	s := &sequencer{
		room: r, chain: chain,
		records: make(chan journal.Record, 16), tailed: make(chan error, 1),
		jobs: make(chan job, 1), appended: make(chan error, 1),
		closing: make(chan struct{}), snapped: make(chan mark, 1), ask: make(chan struct{}, 1),
		opened: make(chan struct{}), ended: make(chan struct{}),
		patience: firstRetry,
	}
	rand.Read(s.trying[:])
	s.snap.kept, _ = chain.Head()
	return s
}

// open starts the goroutines and waits for the canvas to be complete.
func (s *sequencer) open(ctx context.Context) error {
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.startTail()
	go s.appender()
	go s.run()
	select {
	case <-s.opened:
		if s.failed != nil {
			<-s.ended
		}
		return s.failed
	case <-ctx.Done():
		s.cancel()
		<-s.ended
		return ctx.Err()
	}
}

// close lets what was entered be kept, then ends everything.
func (s *sequencer) close() error {
	close(s.closing)
	<-s.ended
	return s.result
}

func (s *sequencer) run() {
	defer close(s.ended)
	closing, patience := s.closing, (<-chan time.Time)(nil)
	for {
		select {
		case rec := <-s.records:
			s.take(rec)
		case err := <-s.tailed:
			s.tailing = false
			s.lostTail(err)
		case err := <-s.appended:
			s.kept(err)
		case <-s.room.queue.wake:
		case <-s.ask:
			s.snapshot(s.chainMoved())
		case m := <-s.snapped:
			s.snap.done(m)
		case <-s.retryC():
			s.again()
		case <-closing:
			closing = nil
			t := time.NewTimer(closePatience)
			defer t.Stop()
			patience = t.C
		case <-patience:
			s.end()
			return
		case <-s.ctx.Done():
			s.end()
			return
		}
		s.append()
		if closing == nil && s.flight == nil && (s.room.queue.idle() || s.refused || s.broken != "") {
			s.end()
			return
		}
	}
}

// end stops tail and appender and keeps a last snapshot.
func (s *sequencer) end() {
	if s.retry != nil {
		s.retry.Stop()
	}
	s.cancel()
	close(s.jobs)
	for s.tailing {
		select {
		case <-s.tailed:
			s.tailing = false
		case <-s.records: // its journal has it
		}
	}
	var ops []*op // which the page sends again, and which are not applied twice if they were kept after all
	if s.flight != nil {
		<-s.appended
		ops = s.flight.ops
	}
	for _, a := range s.room.queue.fail(ops) {
		a.reject("The server is going down: your strokes wait in this page.", true)
	}
	if s.snap.running {
		s.snap.done(<-s.snapped)
	}
	if s.live && s.broken == "" && s.chainMoved() {
		s.snapshot(true)
		if s.snap.running {
			s.snap.done(<-s.snapped)
		}
	}
	s.result = s.snap.err
	select {
	case <-s.opened:
	default:
		close(s.opened)
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Appending

// append gives what waits to the appender, as one record, when nothing is on its way.
func (s *sequencer) append() {
	if s.flight != nil || !s.live {
		return
	}
	ops := s.room.queue.take()
	if len(ops) == 0 {
		return
	}
	if s.broken != "" || !s.tailing { // what could not be shown to anybody is not taken
		s.sendBack(ops, s.room.ReadOnly())
		return
	}
	batch := wire.Batch{TimeUnixMs: now().UnixMilli(), Entries: make([]*wire.Entry, len(ops))}
	for i, o := range ops {
		batch.Entries[i] = &wire.Entry{Person: o.person[:], Op: o.body}
	}
	var id journal.ID
	rand.Read(id[:])
	s.launch(id, &batch, ops)
}

func (s *sequencer) launch(id journal.ID, batch *wire.Batch, ops []*op) {
	body, err := proto.Marshal(batch)
	if err != nil {
		panic("room: a batch of ours cannot be written: " + err.Error())
	}
	s.flight = &job{id, s.chain.Seal(id, body), ops}
	s.jobs <- *s.flight // the appender is idle: there is place for one
}

// appender waits for the disk so that the sequencer need not.
func (s *sequencer) appender() {
	for j := range s.jobs {
		began := now()
		ctx, cancel := context.WithTimeout(s.ctx, appendPatience)
		_, err := s.room.journal.Append(ctx, s.room.name, j.id, j.body)
		cancel()
		if err == nil {
			s.room.stats.appends.observe(now().Sub(began))
			s.room.stats.records.Add(1)
			s.room.stats.recordBytes.Add(uint64(len(j.body)))
		}
		s.appended <- err
	}
}

// kept learns what became of the record on its way. Its ops are answered when it comes back from Tail, not here.
func (s *sequencer) kept(err error) {
	ops := s.flight.ops
	s.flight = nil
	switch {
	case s.broken != "":
		s.sendBack(ops, s.broken)
	case err == nil:
		if s.refused && s.tailing {
			s.refused = false
			s.stopRetry()
			s.readOnly("")
		}
	case s.ctx.Err() != nil:
	default:
		s.room.stats.refusals.Add(1)
		if !s.refused {
			s.room.report(fmt.Sprintf("canvas %s is read-only: %v", s.room.name, err))
		}
		s.refused = true
		s.startRetry()
		s.sendBack(ops, s.readOnly(sentence(err)))
	}
}

// sendBack answers ops that cannot be kept now, and all that waits behind them.
func (s *sequencer) sendBack(ops []*op, why string) {
	for _, a := range s.room.queue.fail(ops) {
		s.room.crowd.end(a.op.wet, 0)
		a.reject(why, true)
	}
	s.room.wake(nil)
}

func sentence(err error) string {
	switch {
	case errors.Is(err, journal.ErrFull):
		return "The server's disk is full. What you draw waits in this page and is kept as soon as there is room."
	case errors.Is(err, journal.ErrReadOnly):
		return "The server cannot write to its data folder. What you draw waits in this page until it can."
	default:
		return "The server cannot keep anything at the moment. What you draw waits in this page and is sent again by itself."
	}
}

// readOnly tells everybody, and gives why back.
func (s *sequencer) readOnly(why string) string {
	if s.broken != "" {
		why = s.broken
	}
	if s.room.news.setReadOnly(why) {
		s.room.wake(nil)
	}
	return why
}

func (s *sequencer) startRetry() {
	if s.retry == nil {
		s.retry = time.NewTimer(s.patience)
		s.patience = min(2*s.patience, lastRetry)
	}
}

func (s *sequencer) stopRetry() {
	if s.retry != nil {
		s.retry.Stop()
		s.retry = nil
	}
	s.patience = firstRetry
}

func (s *sequencer) retryC() <-chan time.Time {
	if s.retry == nil {
		return nil
	}
	return s.retry.C
}

// again tries the journal when nobody draws: an empty record tells whether it takes any.
func (s *sequencer) again() {
	s.retry = nil
	if s.broken != "" {
		return
	}
	if !s.tailing {
		s.startTail()
	}
	if s.refused && s.flight == nil {
		s.launch(s.trying, &wire.Batch{TimeUnixMs: now().UnixMilli()}, nil)
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Applying

func (s *sequencer) startTail() {
	after, _ := s.chain.Head()
	s.tailing = true
	go func() {
		s.tailed <- s.room.journal.Tail(s.ctx, s.room.name, after, func(rec journal.Record) error {
			select {
			case s.records <- rec:
				return nil
			case <-s.ctx.Done():
				return s.ctx.Err()
			}
		})
	}()
}

// lostTail learns that no more records come.
func (s *sequencer) lostTail(err error) {
	for { // what it delivered before it ended comes first
		select {
		case rec := <-s.records:
			s.take(rec)
			continue
		default:
		}
		break
	}
	switch {
	case s.ctx.Err() != nil || s.broken != "":
	case errors.Is(err, journal.ErrCorrupt):
		s.breaks(err)
	case !s.live: // nobody saw it yet: whoever opens it is told
		s.failed = err
		s.cancel()
	default: // it cannot be read now: what cannot be shown to anybody must not be taken
		s.room.report(fmt.Sprintf("canvas %s cannot be read and is read-only: %v", s.room.name, err))
		s.readOnly(sentence(err))
		s.startRetry()
	}
}

// breaks makes the canvas read-only for good: nothing after the head of the chain can be trusted.
func (s *sequencer) breaks(err error) {
	if s.broken != "" {
		return
	}
	pos, _ := s.chain.Head()
	s.broken = fmt.Sprintf("The log of this canvas is damaged after record %d. It shows everything up to there and keeps nothing new; restore it from a backup.", pos)
	s.room.report(fmt.Sprintf("canvas %s is read-only: %v", s.room.name, err))
	s.readOnly(s.broken)
	s.room.queue.refuse(s.broken)
	s.sendBack(nil, s.broken)
	s.goLive()
}

func (s *sequencer) goLive() {
	if s.live {
		return
	}
	s.live = true
	st := s.room.canvas.Stats()
	s.room.news.push(st.Seq, nil, s.room.canvas.Paper(), st.Strokes+st.Places+st.Terminals, 0, nil)
	s.room.news.begin(st.Seq)
	if s.undecoded > 0 {
		s.room.report(fmt.Sprintf("canvas %s: %d records hold nothing this program understands and are passed over", s.room.name, s.undecoded))
	}
	if n := s.room.stats.quarantined.Load(); n > maxReports {
		s.room.report(fmt.Sprintf("canvas %s: %d ops in all are passed over", s.room.name, n))
	}
	close(s.opened)
}

// maxReports is how many ops that nobody understands are reported one by one.
const maxReports = 10

// take applies one record and tells everybody.
func (s *sequencer) take(rec journal.Record) {
	if s.broken != "" {
		return
	}
	if rec.CaughtUp() {
		if s.live { // after a tail that had to be started again
			s.readOnlyNow()
		}
		s.goLive()
		return
	}
	body, err := s.chain.Open(rec)
	if err != nil {
		s.breaks(err)
		return
	}
	var batch wire.Batch
	if proto.Unmarshal(body, &batch) != nil {
		s.undecoded++ // intact, of a schema to come: its ops are not ours
	}
	s.results = s.results[:0]
	for _, e := range batch.Entries {
		s.results = append(s.results, s.room.canvas.Apply(e))
	}
	for i := range s.results {
		if r := &s.results[i]; r.Outcome == canvas.Quarantined && s.room.stats.quarantined.Add(1) <= maxReports {
			s.room.report(fmt.Sprintf("canvas %s: op %d is passed over: %s", s.room.name, r.Seq, r.Reason))
		}
	}
	s.snap.count(len(body))
	if s.live {
		s.publish()
		s.snapshot(false)
	}
	clear(s.results)
}

func (s *sequencer) readOnlyNow() {
	if !s.refused {
		s.stopRetry()
		s.readOnly("")
	}
}

// publish tells the viewers what the record did: first that wet strokes are dry, then the news, so that a cycle that shows a
// stroke as dry also knows to take the wet one away.
func (s *sequencer) publish() {
	if len(s.results) == 0 {
		return
	}
	r := s.room
	s.answers = r.queue.settle(s.results, s.answers[:0])
	s.items, s.persons = s.items[:0], s.persons[:0]
	listed, granted := false, 0
	for i := range s.results {
		res, a := &s.results[i], s.answers[i]
		var at time.Time
		if a.op != nil {
			at = a.op.at
			r.crowd.end(a.op.wet, drySeq(res))
		}
		if res.Damage.Terminal {
			listed = true
		}
		if res.Grant {
			granted++
		}
		if res.Damage.Ink || res.Damage.Place || res.Damage.Terminal { // else at most the paper, which travels with the state
			s.items = append(s.items, item{res.Seq, res.Damage, res.Damage.Ink && res.Stroke == nil, at})
		}
		if res.Outcome == canvas.Applied {
			s.noteUndo(res.Person)
		}
	}
	last := s.results[len(s.results)-1].Seq
	st := r.canvas.Stats()
	if listed { // before the news, so that whoever hears them finds it
		r.listTerminals()
	}
	r.news.push(last, s.items, r.canvas.Paper(), st.Strokes+st.Places+st.Terminals, granted, s.persons)
	for i, a := range s.answers {
		if a.op == nil {
			continue
		}
		switch res := &s.results[i]; res.Outcome {
		case canvas.Applied:
			if a.viewer != nil {
				a.viewer.own.Store(uint64(res.Seq))
			}
			r.stats.opsAcked.Add(1)
			r.stats.opAck.observe(now().Sub(a.op.at))
			a.ack(res.Seq)
		case canvas.Duplicate:
			r.stats.opsDuplicate.Add(1)
			a.ack(0)
		default:
			a.reject(res.Reason, false)
		}
	}
	for i := range s.results {
		if t := s.results[i].Terminal; t != nil && r.programs.shells != nil { // it was placed by somebody who may
			v, seq := s.answers[i].viewer, s.results[i].Seq
			r.startProgram(t, func(err error) {
				if v != nil {
					v.refuse(uint64(seq), notStarted(err))
				}
			})
		}
	}
	clear(s.answers)
	if granted > 0 {
		r.regrade()
	}
	r.wake(nil)
	if r.cells != nil {
		r.cells.Due() // new strokes are prepared when nobody waits for anything
	}
}

// drySeq is the seq under which a stroke is logged; 0: it never will be.
func drySeq(res *canvas.Result) canvas.Seq {
	if res.Stroke == nil {
		return 0
	}
	return res.Seq
}

func (s *sequencer) noteUndo(p canvas.Person) {
	for _, have := range s.persons {
		if have.person == p {
			return
		}
	}
	s.persons = append(s.persons, personUndo{p, [2]bool{s.room.canvas.CanUndo(p), s.room.canvas.CanRedo(p)}})
}
