package room

import (
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"fractal/canvas"
	"fractal/ink"
	"fractal/tile"
)

// maxPieces bounds the bytes of one generation of shared pieces.
const maxPieces = 2 << 20

// pieceKey names the part of a stroke that can touch a square. Strokes never change: neither does it.
type pieceKey struct {
	seq  canvas.Seq
	tile tile.ID
}

// piece is a field of wire.Square in bytes; empty: the stroke does not touch the square after all.
type piece []byte

// pieces shares between viewers what each of them would cut and encode anew: fifty who watch the same flood need the same
// pieces within milliseconds. Two generations, so that what is used survives: a full one becomes the old one.
type pieces struct {
	mu       sync.Mutex // guards all below
	now, old map[pieceKey]piece
	bytes    int // of now
}

// get fills in what is there; found[i] is of wanted[i].
func (p *pieces) get(wanted []pieceKey, found []piece) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, k := range wanted {
		b, ok := p.now[k]
		if !ok {
			if b, ok = p.old[k]; ok {
				p.add(k, b)
			}
		}
		if ok {
			found[i] = b
		}
	}
}

// put shares what made[i] is of keys[i].
func (p *pieces) put(keys []pieceKey, made []piece) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, k := range keys {
		if _, ok := p.now[k]; !ok {
			p.add(k, made[i])
		}
	}
}

func (p *pieces) add(k pieceKey, b piece) {
	const overhead = 128 // of an entry
	if p.now == nil || p.bytes > maxPieces {
		p.old, p.now, p.bytes = p.now, map[pieceKey]piece{}, 0
	}
	p.now[k] = b
	p.bytes += len(b) + overhead
}

func (p *pieces) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now, p.old, p.bytes = nil, nil, 0
}

const fieldPieces = 7 // of wire.Square

// cut makes the piece: never nil.
func cut(s *ink.Stroke, k pieceKey) piece {
	m, ok := s.Piece(k.tile, uint64(k.seq))
	if !ok {
		return piece{}
	}
	size := proto.Size(m)
	b := make([]byte, 0, size+2+protowire.SizeVarint(uint64(size)))
	b = protowire.AppendTag(b, fieldPieces, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(size))
	b, err := proto.MarshalOptions{UseCachedSize: true}.MarshalAppend(b, m)
	if err != nil {
		panic("room: a piece of ours cannot be written: " + err.Error())
	}
	return b
}
