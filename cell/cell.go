// Package cell owns images of tiles: which are wanted how badly (Pool, Cells), the bounded cache they stay in, and their
// encoding as PNG. It refuses to know what is on them, which a Source draws, and who looks at them.
//
// Who wants a picture says so again and again, always everything at once (Cells.Want). So there is no queue that could
// grow or grow old: what nobody wants any more is not drawn, and cancelled where it is being drawn.
package cell

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fractal/raster"
	"fractal/tile"
)

// Kind is one kind of content. Each has its own picture of a tile; viewers stack them.
type Kind uint8

// The kinds, bottom to top. Their numbers travel: they are never used again.
const (
	KindMandel Kind = 2
	KindTerm   Kind = 3
	KindInk    Kind = 1
)

// String returns the kind's name in metrics and profiles.
func (k Kind) String() string {
	switch k {
	case KindInk:
		return "ink"
	case KindMandel:
		return "mandel"
	case KindTerm:
		return "term"
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Key names a cell of one room.
type Key struct {
	Kind Kind
	ID   tile.ID
}

// Picture is what a cell showed as of a version. Data is shared by everybody who shows it: nobody may change it.
type Picture struct {
	Version     uint64
	Format      uint8 // FormatSolid, FormatPNG or FormatPhases
	Data        []byte
	Provisional bool // a better one of this version follows; never kept for good
	Below       bool // there is more below, too small to tint a pixel
}

// Source draws the cells of one kind in one room. Its methods are called from several goroutines.
type Source interface {
	// Version returns the version a picture of the tile would have if it were drawn now.
	Version(id tile.ID) uint64

	// Draw gives a picture of the tile to emit, or several: provisional ones first, the settled one last. It returns
	// when it has given the settled one, or ctx's error soon after ctx ended: then nobody wants the picture any more.
	// Everything in s is Draw's until it returns. It gives away the Data it emits. ErrLater says that it has got on, and
	// lets others have the slot first (Scratch.Waiting).
	Draw(ctx context.Context, id tile.ID, s *Scratch, emit func(Picture)) error
}

// ErrLater is what Draw returns when there is more to be done for the picture, which is still wanted, but it is others' turn. What was
// emitted stays, and whoever wanted it has all other pictures first that have not come so far.
var ErrLater = errors.New("cell: to be continued")

// Sources are the kinds a room has.
type Sources map[Kind]Source

// Scratch is the memory one slot draws with, so that a drawing allocates nothing in the steady state.
type Scratch struct {
	Image raster.Image
	Data  []byte // for encoding: append to Data[:0], put it back, and emit a copy of what must stay

	own    map[any]any
	pool   *Pool         // nil in a test that has none
	lapped time.Duration // on the pool's clock: when the stage under way began
	draft  bool          // see Drafted
}

// Drafted says that a provisional picture of the cell being drawn is shown already: its drawing has come back from ErrLater.
func (s *Scratch) Drafted() bool { return s.draft }

// Waiting says whether anybody waits for a slot.
func (s *Scratch) Waiting() bool {
	if s.pool == nil {
		return false
	}
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	return len(s.pool.turns) > 0
}

type scratchKey[T any] struct{}

// Own returns what this slot keeps of type T; the first time, what make returns.
func Own[T any](s *Scratch, make func() T) T {
	k := any(scratchKey[T]{})
	if v, ok := s.own[k]; ok {
		return v.(T)
	}
	v := make()
	if s.own == nil {
		s.own = map[any]any{}
	}
	s.own[k] = v
	return v
}
