package cell

import (
	"encoding/binary"
	"slices"
)

// deflate appends the runs as one dynamic Huffman block (RFC 1951).
func (e *encoder) deflate(dst []byte, bpp int) []byte {
	e.lit.build(15)
	// Two distances are ever used, so their tree has two codes of one bit.
	left, above, aboveExtra := 3, 20, uint(9) // 4 and 1025 bytes back
	if bpp == 1 {
		left, above, aboveExtra = 0, 16, 7 // 1 and 257
	}
	lit := &e.lit
	most := 8 * (320 + 8) // bits: no tree is longer than 316 lengths of 7 bits and 7 more; and what put writes in advance
	for s, f := range lit.freq[:lit.n] {
		most += int(f) * int(lit.len[s])
		if s > 256 {
			most += int(f) * (5 + 1 + int(aboveExtra))
		}
	}
	w := &e.out
	w.at, w.acc, w.n = len(dst), 0, 0
	dst = slices.Grow(dst, most/8+320)
	w.buf = dst[:cap(dst)]
	w.put(1|2<<1, 3) // last block, dynamic
	e.putTrees(left, above)

	at := 0
	for _, r := range e.runs {
		switch r.how {
		case rowStart:
			w.put(uint64(lit.code[0]), uint(lit.len[0]))
		case literal:
			for _, p := range e.pix[at : at+int(r.count)] {
				if bpp == 1 {
					w.put(uint64(lit.code[p]), uint(lit.len[p]))
					continue
				}
				a, b, c, d := p&0xff, p>>8&0xff, p>>16&0xff, p>>24
				w.put(uint64(lit.code[a])|uint64(lit.code[b])<<lit.len[a], uint(lit.len[a]+lit.len[b]))
				w.put(uint64(lit.code[c])|uint64(lit.code[d])<<lit.len[c], uint(lit.len[c]+lit.len[d]))
			}
		case asLeft:
			e.match(int(r.count)*bpp, 0, 1)
		case asAbove:
			e.match(int(r.count)*bpp, 1, 1+aboveExtra) // the extra bits are all 0
		case rowAbove:
			e.match(1+int(r.count)*bpp, 1, 1+aboveExtra)
		}
		at += int(r.count)
	}
	w.put(uint64(lit.code[256]), uint(lit.len[256]))
	return w.finish()
}

// match writes n bytes copied from the distance whose code is given.
func (e *encoder) match(n int, dist uint64, distBits uint) {
	for n > 0 {
		k := piece(n)
		n -= k
		c := lengthCode[k]
		sym := 257 + int(c)
		bits := uint(e.lit.len[sym])
		v := uint64(e.lit.code[sym]) | uint64(k-int(lengthBase[c]))<<bits
		bits += uint(lengthExtra[c])
		e.out.put(v|dist<<bits, bits+distBits)
	}
}

// putTrees writes the code lengths of the block's two trees, themselves Huffman coded.
func (e *encoder) putTrees(left, above int) {
	var lens [286 + 30]uint8
	nLit := 257
	for i := 257; i < 286; i++ {
		if e.lit.len[i] > 0 {
			nLit = i + 1
		}
	}
	copy(lens[:], e.lit.len[:nLit])
	nDist := above + 1
	lens[nLit+left], lens[nLit+above] = 1, 1
	all := lens[:nLit+nDist]

	type item struct{ sym, extra, bits uint8 }
	var items [286 + 30]item
	n := 0
	e.cl.reset(19)
	for i := 0; i < len(all); {
		k := 1
		for i+k < len(all) && all[i+k] == all[i] {
			k++
		}
		it := item{sym: all[i]}
		switch {
		case all[i] == 0 && k >= 11:
			k = min(k, 138)
			it = item{18, uint8(k - 11), 7}
		case all[i] == 0 && k >= 3:
			it = item{17, uint8(k - 3), 3}
		case i > 0 && all[i] == all[i-1] && k >= 3:
			k = min(k, 6)
			it = item{16, uint8(k - 3), 2}
		default:
			k = 1
		}
		items[n] = it
		n++
		e.cl.freq[it.sym]++
		i += k
	}
	e.cl.build(7)
	order := [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
	nCl := 4
	for i, s := range order {
		if e.cl.len[s] > 0 {
			nCl = max(nCl, i+1)
		}
	}
	w := &e.out
	w.put(uint64(nLit-257), 5)
	w.put(uint64(nDist-1), 5)
	w.put(uint64(nCl-4), 4)
	for _, s := range order[:nCl] {
		w.put(uint64(e.cl.len[s]), 3)
	}
	for _, it := range items[:n] {
		bits := uint(e.cl.len[it.sym])
		w.put(uint64(e.cl.code[it.sym])|uint64(it.extra)<<bits, bits+uint(it.bits))
	}
}

// The codes of match lengths 3 … 258 (RFC 1951, 3.2.5).
var (
	lengthBase  [29]uint16
	lengthExtra [29]uint8
	lengthCode  [longest + 1]uint8
)

func init() {
	n := 3
	for c := range 28 {
		if c >= 8 {
			lengthExtra[c] = uint8(c/4 - 1)
		}
		lengthBase[c] = uint16(n)
		for range 1 << lengthExtra[c] {
			if n < longest {
				lengthCode[n] = uint8(c)
			}
			n++
		}
	}
	lengthBase[28], lengthCode[longest] = longest, 28
}

// huffman is one tree: frequencies in, canonical codes out.
type huffman struct {
	n    int // symbols
	freq [286]uint32
	len  [286]uint8
	code [286]uint16 // bits reversed, as deflate wants them

	leaves []uint64    // freq<<16 | symbol, sorted
	weight [571]uint64 // of nodes: leaves first, then inner ones
	parent [571]uint16
	depth  [571]uint8
}

func (h *huffman) reset(n int) {
	h.n = n
	clear(h.freq[:])
}

// build makes a code no longer than limit. Where Huffman's would be longer, the frequencies are flattened until it is
// not: a few bytes worse than the best limited code, and only in images that hardly compress.
func (h *huffman) build(limit uint8) {
	for shift := uint(0); ; shift++ {
		h.leaves = h.leaves[:0]
		for s, f := range h.freq[:h.n] {
			h.len[s] = 0
			if f > 0 {
				h.leaves = append(h.leaves, uint64(f>>shift|1)<<16|uint64(s))
			}
		}
		if h.lengths() <= limit {
			break
		}
	}
	var next, count [16]uint16
	for _, l := range h.len[:h.n] {
		count[l]++
	}
	count[0] = 0
	for l := 1; l < 16; l++ {
		next[l] = (next[l-1] + count[l-1]) << 1
	}
	for s, l := range h.len[:h.n] {
		if l > 0 {
			h.code[s] = reverse16(next[l]) >> (16 - l)
			next[l]++
		}
	}
}

// lengths finds the code lengths of the leaves and returns the longest.
func (h *huffman) lengths() uint8 {
	n := len(h.leaves)
	if n == 1 {
		h.len[h.leaves[0]&0xffff] = 1
		return 1
	}
	slices.Sort(h.leaves)
	for i, l := range h.leaves {
		h.weight[i] = l >> 16
	}
	leaf, inner := 0, n // the lightest leaf and the lightest inner node that have no parent yet
	for node := n; node < 2*n-1; node++ {
		sum := uint64(0)
		for range 2 {
			if leaf < n && (inner >= node || h.weight[leaf] <= h.weight[inner]) {
				sum += h.weight[leaf]
				h.parent[leaf] = uint16(node)
				leaf++
			} else {
				sum += h.weight[inner]
				h.parent[inner] = uint16(node)
				inner++
			}
		}
		h.weight[node] = sum
	}
	h.depth[2*n-2] = 0
	longest := uint8(0)
	for i := 2*n - 3; i >= 0; i-- {
		h.depth[i] = h.depth[h.parent[i]] + 1
		if i < n {
			h.len[h.leaves[i]&0xffff] = h.depth[i]
			longest = max(longest, h.depth[i])
		}
	}
	return longest
}

func reverse16(v uint16) uint16 {
	v = v>>1&0x5555 | v&0x5555<<1
	v = v>>2&0x3333 | v&0x3333<<2
	v = v>>4&0x0f0f | v&0x0f0f<<4
	return v>>8 | v<<8
}

// bits writes bits, the lowest first, into a buffer that is long enough.
type bits struct {
	buf []byte
	at  int // whole bytes written
	acc uint64
	n   uint // bits in acc, < 8 between calls
}

// put writes the lowest n ≤ 56 bits of v; the others are 0.
func (w *bits) put(v uint64, n uint) {
	acc := w.acc | v<<(w.n&63)
	n += w.n
	binary.LittleEndian.PutUint64(w.buf[w.at:], acc)
	w.at += int(n >> 3)
	w.acc, w.n = acc>>(n&^7&63), n&7
}

// finish pads to a byte and returns what was written.
func (w *bits) finish() []byte {
	b := w.buf[:w.at]
	if w.n > 0 {
		b = w.buf[:w.at+1]
	}
	w.buf = nil
	return b
}
