// Package journal owns the order of what happened to each canvas: records that are kept before anybody is told so, read
// back by everybody in one order. It has one port (Journal) with adapters below it (memory, sqlite), the frame that
// every record travels in (Chain: version, CRC-32C, hash chain) and the files that snapshots are kept in (Blobs).
//
// It refuses to know what a record means. Adapters refuse to know what a frame is: integrity is checked above them,
// because no storage engine detects every flipped bit, and a replicated one can lose records without noticing.
package journal

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"
)

// ID names a record for ever. Appending it again gives the position it already has.
type ID [16]byte

// Pos is a record's place in its canvas. Positions grow, start at 1, and never go back or are used twice; whoever reads
// them must not expect them to be consecutive.
type Pos uint64

// Record is one entry of a canvas's log. Body is shared by everybody who reads it: nobody may change it.
type Record struct {
	Pos  Pos
	ID   ID
	Body []byte
}

// CaughtUp reports whether r is not a record but Tail's sign that everything that was there is delivered.
func (r Record) CaughtUp() bool { return r.Pos == 0 && r.Body == nil }

// Journal is the port. All methods are safe for concurrent use.
type Journal interface {
	// Append keeps body and returns its position once it is durable. The same id always gets the same position, also
	// when the body differs: the first one stays (until it is trimmed). After an error the record may have been kept nevertheless (a context
	// that ended, a failed disk); appending it again with the same id tells. Append keeps body: give it away.
	Append(ctx context.Context, canvas string, id ID, body []byte) (Pos, error)

	// Tail calls fn with every record after the position `after`, in order, without gap or repeat: first those that
	// exist, then once the zero Record (see Record.CaughtUp), then new ones as they are appended. It returns fn's error, or
	// ctx's when ctx ends, or ErrClosed. A slow fn delays nobody else. Where the log is known to have lost its end, or
	// ends before `after`, Tail delivers what there is and returns an ErrCorrupt instead of the sign.
	Tail(ctx context.Context, canvas string, after Pos, fn func(Record) error) error

	// Trim forgets records up to and including `through`, but always keeps the last one, so that positions go on.
	Trim(ctx context.Context, canvas string, through Pos) error

	// Canvases lists the canvases that have records, sorted.
	Canvases(ctx context.Context) ([]string, error)

	// Close finishes the appends that are under way and ends every Tail.
	Close() error
}

// What callers branch on. The text around them is a sentence for a person and says what to do.
var (
	ErrCorrupt  = errors.New("damaged log")
	ErrFull     = errors.New("the disk is full")
	ErrReadOnly = errors.New("the data folder cannot be written")
	ErrInUse    = errors.New("the data folder is in use")
	ErrClosed   = errors.New("journal is closed")
)

// MaxBody is the most bytes a record may have. A room batches up to a few strokes of 1 MiB; an adapter commits whole
// batches in memory, so a larger record is a mistake of the caller and is refused.
const MaxBody = 16 << 20

// MaxName is the most bytes the name of a canvas may have.
const MaxName = 200

// Check refuses names and bodies no adapter takes. Adapters call it first.
func Check(canvas string, body []byte) error {
	if canvas == "" || len(canvas) > MaxName || !utf8.ValidString(canvas) {
		return fmt.Errorf("journal: a canvas name is 1 to %d bytes of UTF-8, not %.40q", MaxName, canvas)
	}
	if len(body) > MaxBody {
		return fmt.Errorf("journal: a record of %d bytes: at most %d", len(body), MaxBody)
	}
	return nil
}
