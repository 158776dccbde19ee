package ink

import (
	"encoding/binary"
	"hash/crc32"
	"math"
)

// What was prepared of a stroke, as bytes to be kept beside it: a check of the stroke (8 bytes), its least detail, the bits of its area
// (8), how many outlines there are, and for each: detail, 1 if it is far else 0, grid, how many chunks and edges, per chunk x, y, its edges and
// side, then dx, dy of all edges in two bytes each. Numbers are zig-zag varints where not said otherwise.
//
// They are what this program would make of the stroke: a change of how outlines are made must leave old ones behind
// (source.Pixels).

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// check tells strokes of different shapes apart.
func (s *Stroke) check() uint64 {
	return uint64(crc32.Checksum(s.points, castagnoli))<<32 | uint64(uint32(s.width)<<8^uint32(s.brush)^uint32(len(s.points))<<16)
}

// AppendPrepared appends what was prepared of the stroke; nothing if nothing was.
func (s *Stroke) AppendPrepared(dst []byte) []byte {
	ready := s.ready.Load()
	if ready == nil {
		return dst
	}
	if packed := ready.packed.Load(); packed != nil {
		return append(dst, *packed...) // nobody has looked into it
	}
	var lods [len(ready.lods)]*outline
	n := 0
	for i := range lods {
		if lods[i] = ready.lods[i].Load(); lods[i] != nil {
			n++
		}
	}
	area := ready.area.Load()
	if n == 0 && area == 0 {
		return dst
	}
	dst = binary.LittleEndian.AppendUint64(dst, s.check())
	dst = appendVarint(dst, int64(ready.least))
	dst = binary.LittleEndian.AppendUint64(dst, area)
	dst = appendVarint(dst, int64(n))
	for i, o := range lods {
		if o == nil {
			continue
		}
		far := int64(0)
		if o.far {
			far = 1
		}
		for _, v := range [...]int64{int64(i), far, int64(o.grid), int64(len(o.chunks)), int64(len(o.deltas) / 2)} {
			dst = appendVarint(dst, v)
		}
		for i := range o.chunks {
			c := &o.chunks[i]
			for _, v := range [...]int64{int64(c.x), int64(c.y), int64(c.n), int64(c.side)} {
				dst = appendVarint(dst, v)
			}
		}
		for _, d := range o.deltas {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(d))
		}
	}
	return dst
}

// TakePrepared gives the stroke what AppendPrepared made of one of the same shape, and says whether it was that. The bytes are
// looked into when they are needed; nobody may write to them any more.
func (s *Stroke) TakePrepared(b []byte) bool {
	if len(b) < 8 || binary.LittleEndian.Uint64(b) != s.check() {
		return false
	}
	u := unpacker{b: b[8:]}
	ready := &prepared{least: int(u.number(coarsest, finest))}
	area := u.eight()
	if u.bad || math.IsNaN(math.Float64frombits(area)) {
		return false
	}
	ready.area.Store(area)
	ready.packed.Store(&b)
	return s.ready.CompareAndSwap(nil, ready)
}

// unpack makes outlines of the bytes of TakePrepared, if nobody has yet.
func (s *Stroke) unpack(ready *prepared, keep *Keep) {
	packed := ready.packed.Load()
	if packed == nil {
		return
	}
	u := unpacker{b: (*packed)[8:]}
	u.number(coarsest, finest)
	u.eight()
	for n := u.number(0, int64(len(ready.lods))); n > 0 && !u.bad; n-- {
		i := u.number(0, int64(len(ready.lods)-1))
		if o := u.outline(); o != nil && ready.lods[i].CompareAndSwap(nil, o) {
			keep.add(s, int(i)+coarsest, o.size())
		}
	}
	ready.packed.CompareAndSwap(packed, nil) // what was bad is made anew
}

// unpacker reads bytes that nobody vouches for.
type unpacker struct {
	b   []byte
	bad bool
}

func (u *unpacker) number(least, most int64) int64 {
	n := 0
	for n < len(u.b) && u.b[n]&0x80 != 0 {
		n++
	}
	if u.bad || n >= len(u.b) || n > 8 {
		u.bad = true
		return least
	}
	v, n := varint(u.b)
	u.b = u.b[n:]
	if v < least || v > most {
		u.bad = true
		return least
	}
	return v
}

func (u *unpacker) eight() uint64 {
	if u.bad || len(u.b) < 8 {
		u.bad = true
		return 0
	}
	v := binary.LittleEndian.Uint64(u.b)
	u.b = u.b[8:]
	return v
}

func (u *unpacker) outline() *outline {
	const far = 1 << 28 // beyond what any vertex can be
	o := &outline{far: u.number(0, 1) == 1, grid: int(u.number(-64, 64))}
	chunks := u.number(0, int64(len(u.b)/4))
	edges := u.number(0, int64(len(u.b)/4))
	if u.bad {
		return nil
	}
	o.chunks = make([]chunk, chunks)
	first := int64(0)
	for i := range o.chunks {
		c := &o.chunks[i]
		c.x, c.y = int32(u.number(-far, far)), int32(u.number(-far, far))
		c.n, c.side = int16(u.number(0, min(chunkEdges, edges-first))), int16(u.number(-1, 1))
		c.first = int32(2 * first)
		first += int64(c.n)
	}
	if u.bad || first != edges || int64(len(u.b)) < 4*edges {
		u.bad = true
		return nil
	}
	o.deltas = make([]int16, 2*edges)
	for i := range o.deltas {
		o.deltas[i] = int16(binary.LittleEndian.Uint16(u.b[2*i:]))
	}
	u.b = u.b[4*edges:]
	for i := range o.chunks {
		c := &o.chunks[i]
		x, y := c.x, c.y
		c.minX, c.maxX = x, x
		for d := o.deltas[c.first:][:2*c.n]; len(d) >= 2; d = d[2:] {
			if d[1] < 0 {
				u.bad = true
				return nil
			}
			x, y = x+int32(d[0]), y+int32(d[1])
			c.minX, c.maxX = min(c.minX, x), max(c.maxX, x)
		}
		c.y1 = y
	}
	return o
}
