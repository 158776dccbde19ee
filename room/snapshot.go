package room

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"fractal/canvas"
	"fractal/journal"
)

const (
	// A snapshot is due after so many records or bytes of them: opening replays no more than that. 1 MB of strokes is replayed
	// in some 30 ms.
	snapshotRecords = 2000
	snapshotBytes   = 1 << 20

	// snapshotShare is what part of the last snapshot's size the log must grow by before the next: else a canvas of a million
	// strokes would be written out once for every ten thousand drawn on it. Opening takes at most that part longer.
	snapshotShare = 8

	// maxMarks is how many records may pass while a snapshot is made.
	maxMarks = 1 << 14
)

// mark says where in the log a seq was reached.
type mark struct {
	seq  canvas.Seq
	pos  journal.Pos
	link journal.Link
	size int // of the snapshot that was kept there, in bytes; 0: none was
}

// snapshots is what the sequencer knows of them. A snapshot is made beside the sequencer, from a checkpoint that is taken
// while records go on being applied; marks tell afterwards which record it is as of.
type snapshots struct {
	kept    journal.Pos // position of the newest
	size    int         // of it
	records int         // since
	bytes   int
	running bool
	err     error // of the last one

	marks *marks // of the one that runs
}

func (s *snapshots) count(bytes int) {
	s.records++
	s.bytes += bytes
}

func (s *snapshots) due() bool {
	return (s.records >= snapshotRecords || s.bytes >= snapshotBytes) && s.bytes >= s.size/snapshotShare
}

func (s *snapshots) done(m mark) {
	s.running, s.marks = false, nil
	s.size = max(s.size, m.size)
	if m.pos > s.kept {
		s.kept = m.pos
	}
}

func (s *sequencer) chainMoved() bool {
	pos, _ := s.chain.Head()
	return pos > s.snap.kept
}

// snapshotSoon asks for a snapshot of what is new.
func (s *sequencer) snapshotSoon() {
	select {
	case s.ask <- struct{}{}:
	default:
	}
}

// snapshot starts one when it is due, or wished for, and none is being made.
func (s *sequencer) snapshot(wished bool) {
	if m := s.snap.marks; m != nil {
		m.add(s.mark())
	}
	if s.room.blobs == nil || s.snap.running || s.broken != "" || !(wished || s.snap.due()) {
		return
	}
	s.snap.running, s.snap.records, s.snap.bytes, s.snap.err = true, 0, 0, nil
	s.snap.marks = newMarks(s.mark())
	go s.keepSnapshot(s.snap.marks)
}

func (s *sequencer) mark() mark {
	pos, link := s.chain.Head()
	return mark{s.room.canvas.Seq(), pos, link, 0}
}

// keepSnapshot makes a snapshot, keeps it and trims the log through the one before it.
func (s *sequencer) keepSnapshot(marks *marks) {
	m, err := s.room.keep(marks)
	if err != nil {
		s.room.report(fmt.Sprintf("canvas %s: no snapshot could be kept, the log goes on growing: %v", s.room.name, err))
	} else {
		s.room.stats.snapshots.Add(1)
	}
	s.snapped <- m
}

func (r *Room) keep(marks *marks) (mark, error) {
	for {
		body := r.canvas.Checkpoint()
		at, ok := marks.wait(checkpointSeq(body))
		if !ok {
			continue // it fell between two ops of one record
		}
		trim, err := r.blobs.Put(r.name, journal.Snapshot{Pos: at.pos, Link: at.link, Body: body})
		if err != nil {
			return mark{}, err
		}
		at.size = len(body)
		r.halves.Stamp(at.link, uint64(at.seq))
		if trim > 0 {
			ctx, cancel := context.WithTimeout(context.Background(), appendPatience)
			err := r.journal.Trim(ctx, r.name, trim)
			cancel()
			if err != nil {
				return at, err
			}
		}
		return at, nil
	}
}

// checkpointSeq reads the first field of a wire.Checkpoint.
func checkpointSeq(b []byte) canvas.Seq {
	number, typ, n := protowire.ConsumeTag(b)
	if n < 0 || number != 1 || typ != protowire.VarintType {
		return 0
	}
	v, n := protowire.ConsumeVarint(b[n:])
	if n < 0 {
		return 0
	}
	return canvas.Seq(v)
}

// restore reads the newest snapshot that can be used and gives the chain after it.
func (r *Room) restore() (*journal.Chain, error) {
	r.canvas = canvas.New()
	if r.blobs == nil {
		return journal.NewChain(r.name), nil
	}
	snap, ok, err := r.blobs.Usable(r.name, func(s journal.Snapshot) error {
		c, err := canvas.Restore(s.Body)
		if err != nil { // intact as a file: made by a program that knew more, or a mistake of ours
			return fmt.Errorf("the snapshot at record %d cannot be used: %w", s.Pos, err)
		}
		r.canvas = c
		return nil
	})
	if err != nil { // an older one will do, or the log alone; where it does not reach back that far, its chain tells
		r.report(fmt.Sprintf("canvas %s: %v", r.name, err))
	}
	if !ok {
		return journal.NewChain(r.name), nil
	}
	return journal.ResumeChain(snap.Pos, snap.Link), nil
}
