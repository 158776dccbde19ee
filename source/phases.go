package source

import (
	"container/list"
	"encoding/binary"
	"sync"

	"google.golang.org/protobuf/proto"

	"fractal/cell"
	"fractal/mandel"
	"fractal/raster"
	"fractal/tile"
	"fractal/wire"
)

// A cell that one place alone lies in travels as phases (cell.FormatPhases): not colours but where in the palette's cycle each pixel
// is, and the palette. Whoever shows it can let the colours move, or try others, with no word to the server. It takes a fifth less
// than colours do. The data are a uvarint n, a wire.Palette of n bytes, a byte FormatSolid or FormatPNG, and a picture of that
// format with pixels R·256 + G: nothing, inside, or firstPhase + the phase.
const (
	phaseNothing = 0
	phaseInside  = 1
	firstPhase   = 2
)

// phase is the pixel of a sample, 0xRRGGBB.
func (l *laid) phase(a mandel.Sample) uint32 {
	v := uint32(phaseInside)
	if a.State == mandel.Escaped {
		v = firstPhase + uint32(l.shader.Phase(a))
	}
	return v << 8
}

// phased makes a picture of phases of one that was encoded, and remembers it if it is settled.
func (l *laid) phased(p cell.Picture, kept *phaseStore) cell.Picture {
	inner := append([]byte{p.Format}, p.Data...)
	if key, ok := l.phaseKey(); ok && kept != nil && !p.Provisional {
		kept.put(key, inner)
	}
	return l.dressed(p, inner)
}

// dressed gives phases the place's palette.
func (l *laid) dressed(p cell.Picture, inner []byte) cell.Picture {
	colours, err := proto.MarshalOptions{Deterministic: true}.Marshal(paletteOf(l.place.Wire()))
	if err != nil {
		panic("source: a palette of ours cannot be written: " + err.Error())
	}
	p.Format = cell.FormatPhases
	p.Data = make([]byte, 0, binary.MaxVarintLen32+len(colours)+len(inner))
	p.Data = append(append(binary.AppendUvarint(p.Data, uint64(len(colours))), colours...), inner...)
	return p
}

func paletteOf(p *wire.Place) *wire.Palette {
	if p.GetPalette() == nil {
		return &wire.Palette{}
	}
	return p.Palette
}

// recall is a settled picture of the same samples in other colours, if one was made lately: giving a place new colours computes
// nothing.
func (l *laid) recall(kept *phaseStore, p *cell.Picture) bool {
	key, ok := l.phaseKey()
	if !ok || kept == nil {
		return false
	}
	inner := kept.get(key)
	if inner != nil {
		*p = l.dressed(*p, inner)
	}
	return inner != nil
}

// phaseKey is all that a cell's phases depend on, if the place covers it.
type phaseKey struct {
	samples       [32]byte
	id            tile.ID
	limit         uint64
	cycle, offset uint32
}

func (l *laid) phaseKey() (phaseKey, bool) {
	w := l.place.Wire()
	c := paletteOf(w)
	whole := l.x0 == 0 && l.y0 == 0 && l.x1 == raster.Size && l.y1 == raster.Size
	return phaseKey{l.place.Map(), l.id, w.GetLimit(), c.GetCycle(), c.GetOffset()}, whole
}

// maxPhases bounds the pictures remembered, in bytes: some 400 of a dense place, the views of the last minutes.
const maxPhases = 32 << 20

// phases are the pictures of all rooms that were made lately.
var phases phaseStore

type phaseStore struct {
	mu    sync.Mutex // guards all below
	at    map[phaseKey]*list.Element
	used  list.List // of *kept, the newest first
	bytes int
}

type keptPhases struct {
	key   phaseKey
	inner []byte // never changed
}

func (s *phaseStore) get(k phaseKey) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.at[k]
	if e == nil {
		return nil
	}
	s.used.MoveToFront(e)
	return e.Value.(*keptPhases).inner
}

func (s *phaseStore) put(k phaseKey, inner []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at == nil {
		s.at = map[phaseKey]*list.Element{}
	}
	if s.at[k] != nil {
		return
	}
	s.at[k] = s.used.PushFront(&keptPhases{k, inner})
	for s.bytes += len(inner); s.bytes > maxPhases; {
		last := s.used.Remove(s.used.Back()).(*keptPhases)
		delete(s.at, last.key)
		s.bytes -= len(last.inner)
	}
}
