package remote

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"fractal/exchange"
	"fractal/wire"
)

// Imported is how an import went.
type Imported struct {
	Strokes  int           // kept
	Points   int           // of those
	Rejected []Rejected    // by line
	Took     time.Duration // from the first op to the last answer
	Resumed  int           // times the connection was cut and came back
}

// Rejected is a record that did not become a stroke.
type Rejected struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// maxRejected bounds what is remembered of a file that is all wrong.
const maxRejected = 1000

// Import sends every stroke of records to the canvas and waits until each is kept or rejected. progress is called as answers
// come, with the strokes kept so far; rejected at once for each record that is not kept. Both may be nil.
func Import(ctx context.Context, t Target, who Who, records iter.Seq2[exchange.Record, error], progress func(kept int), rejected func(Rejected)) (Imported, error) {
	type sent struct{ line, points int }
	var (
		mu   sync.Mutex // guards all below, and the calls of progress and rejected
		in   Imported
		open = map[uint64]sent{}
	)
	refuse := func(line int, reason string) { // with mu held
		r := Rejected{line, reason}
		if len(in.Rejected) < maxRejected {
			in.Rejected = append(in.Rejected, r)
		}
		if rejected != nil {
			rejected(r)
		}
	}
	answers := func(a Answer) {
		mu.Lock()
		defer mu.Unlock()
		was, ok := open[a.Number]
		if !ok {
			return
		}
		delete(open, a.Number)
		if a.Reject != "" {
			refuse(was.line, a.Reject)
			return
		}
		in.Strokes++
		in.Points += was.points
		if progress != nil {
			progress(in.Strokes)
		}
	}
	s, err := Open(ctx, t, who, answers)
	if err != nil {
		return in, err
	}
	defer s.Close()
	start := time.Now()
	number := uint64(0)
	send := func() error {
		for rec, err := range records {
			if err != nil {
				return err
			}
			if rec.Stroke == nil {
				mu.Lock()
				refuse(rec.Line, rec.Reject.Error())
				mu.Unlock()
				continue
			}
			number++ // as Send will number it: its answer may come before Send returns
			mu.Lock()
			open[number] = sent{rec.Line, rec.Stroke.Len()}
			mu.Unlock()
			n, err := s.Send(&wire.Op{Body: &wire.Op_Stroke{Stroke: rec.Stroke.Wire()}})
			if err != nil {
				return fmt.Errorf("line %d: %w", rec.Line, err)
			}
			if n != number {
				panic("remote: a session numbers its ops 1, 2, 3 …")
			}
		}
		return nil
	}
	err = send()
	if flushErr := s.Flush(); err == nil {
		err = flushErr
	}
	mu.Lock()
	defer mu.Unlock()
	in.Took = time.Since(start)
	in.Resumed = s.Resumed()
	return in, err
}
