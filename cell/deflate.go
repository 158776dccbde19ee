package cell

import (
	"encoding/binary"
	"slices"
)

// deflate appends the runs as one dynamic Huffman block (RFC 1951).
func (e *encoder) deflate(dst []byte, bpp int) []byte {
	e.lit.build(14) // four codes go into one put
	// Two distances are ever used, so their tree has two codes of one bit.
	left, above, aboveExtra := 3, 20, uint(9) // 4 and 1025 bytes back
	switch bpp {
	case 1:
		left, above, aboveExtra = 0, 16, 7 // 1 and 257
	case 3:
		left, above, aboveExtra = 2, 19, 8 // 3 and 769
	}
	lit := &e.lit
	most := 8 * (320 + 8) // bits: no tree is longer than 316 lengths of 7 bits and 7 more; and what put writes in advance
	for s, f := range lit.freq[:lit.n] {
		most += int(f) * int(lit.len[s])
		if s > 256 {
			most += int(f) * (5 + 1 + int(aboveExtra))
		}
	}
	from := len(dst)
	dst = slices.Grow(dst, most/8+320)
	w := writer{buf: dst[from:cap(dst)]}
	w.put(1|2<<1, 3) // last block, dynamic
	e.putTrees(&w, left, above)

	// What follows keeps the writer's state in variables of its own, which stay in registers.
	codes := &e.codes
	for s := range codes {
		codes[s] = uint32(lit.code[s]) | uint32(lit.len[s])<<16
	}
	for k := 3; k <= longest; k++ {
		c := lengthCode[k]
		sym := 257 + int(c)
		n := uint(lit.len[sym])
		code := uint64(lit.code[sym]) | uint64(k-int(lengthBase[c]))<<n
		n += uint(lengthExtra[c])
		// The extra bits of both distances are 0.
		e.matches[fromLeft][k] = code | uint64(n+1)<<56
		e.matches[fromAbove][k] = code | 1<<n | uint64(n+1+aboveExtra)<<56
	}
	tails := [2]uint32{0, ^uint32(0)}
	buf, at, acc, n := w.buf, w.at, w.acc, w.n
	x, runs := 0, e.runs
	for y := range &e.like {
		if e.like[y].whole() {
			for length := 1 + size*bpp; length > 0; {
				k := piece(length)
				m := e.matches[fromAbove][k]
				at, acc, n = put(buf, at, acc, n, m&(1<<56-1), uint(m>>56))
				length -= k
			}
			x += size
			continue
		}
		c := codes[0] // the filter byte
		at, acc, n = put(buf, at, acc, n, uint64(c&0xffff), uint(c>>16))
		for i, r := range runs {
			plain := int(r & 0xffff)
			pix := e.pix[x : x+plain]
			x += plain
			switch bpp {
			case 4:
				for _, p := range pix {
					a, b, c, d := codes[p&0xff], codes[p>>8&0xff], codes[p>>16&0xff], codes[p>>24]
					v, k := uint64(d&0xffff), uint(d>>16)
					v, k = v<<(c>>16&31)|uint64(c&0xffff), k+uint(c>>16)
					v, k = v<<(b>>16&31)|uint64(b&0xffff), k+uint(b>>16)
					v, k = v<<(a>>16&31)|uint64(a&0xffff), k+uint(a>>16)
					at, acc, n = put(buf, at, acc, n, v, k)
				}
			case 3:
				for _, p := range pix {
					a, b, c := codes[p&0xff], codes[p>>8&0xff], codes[p>>16&0xff]
					v, k := uint64(c&0xffff), uint(c>>16)
					v, k = v<<(b>>16&31)|uint64(b&0xffff), k+uint(b>>16)
					v, k = v<<(a>>16&31)|uint64(a&0xffff), k+uint(a>>16)
					at, acc, n = put(buf, at, acc, n, v, k)
				}
			default:
				for _, p := range pix {
					c := codes[p&0xff]
					at, acc, n = put(buf, at, acc, n, uint64(c&0xffff), uint(c>>16))
				}
			}
			length := int(r >> 16 & 0xffff)
			if length == 0 {
				runs = runs[i+1:]
				break
			}
			above, tail := r>>48&1, r>>49&1
			for length > longest {
				k := piece(length)
				length -= k
				m := e.matches[above][k]
				at, acc, n = put(buf, at, acc, n, m&(1<<56-1), uint(m>>56))
			}
			m := e.matches[above][length]
			v, k := m&(1<<56-1), uint(m>>56)
			x += int(r >> 32 & 0xffff)
			c := codes[e.pix[x]>>24] & tails[tail]
			x += int(tail)
			v, k = v|uint64(c&0xffff)<<(k&63), k+uint(c>>16)
			at, acc, n = put(buf, at, acc, n, v, k)
		}
	}
	c := codes[256]
	at, acc, n = put(buf, at, acc, n, uint64(c&0xffff), uint(c>>16))
	if n > 0 {
		at++ // put has written the bits that fill no byte
	}
	return dst[:from+at]
}

// putTrees writes the code lengths of the block's two trees, themselves Huffman coded.
func (e *encoder) putTrees(w *writer, left, above int) {
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
	other  [286]uint64 // while they are
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
	h.sort()
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

// sort sorts the leaves by frequency, and those that have the same by symbol, by which they are sorted already. Many are sorted
// by the digits of their frequency, with which comparing keeps no pace.
func (h *huffman) sort() {
	if len(h.leaves) < 64 {
		slices.Sort(h.leaves)
		return
	}
	most := uint64(0)
	for _, l := range h.leaves {
		most |= l
	}
	other := h.other[:len(h.leaves)]
	for shift := 16; most>>shift != 0; shift += 8 {
		var at [256]uint16
		for _, l := range h.leaves {
			at[l>>shift&0xff]++
		}
		n := uint16(0)
		for i, k := range &at {
			at[i] = n
			n += k
		}
		for _, l := range h.leaves {
			d := l >> shift & 0xff
			other[at[d]] = l
			at[d]++
		}
		copy(h.leaves, other)
	}
}

func reverse16(v uint16) uint16 {
	v = v>>1&0x5555 | v&0x5555<<1
	v = v>>2&0x3333 | v&0x3333<<2
	v = v>>4&0x0f0f | v&0x0f0f<<4
	return v>>8 | v<<8
}

// put writes the lowest k ≤ 56 bits of v, the first bit first; the others are 0. The buffer is long enough; whole bytes
// before at are written, acc holds the n < 8 bits that fill none yet.
func put(buf []byte, at int, acc uint64, n uint, v uint64, k uint) (int, uint64, uint) {
	acc |= v << (n & 63)
	n += k
	binary.LittleEndian.PutUint64(buf[at:], acc)
	return at + int(n>>3), acc >> (n &^ 7 & 63), n & 7
}

// writer is the state of put.
type writer struct {
	buf []byte
	at  int
	acc uint64
	n   uint
}

func (w *writer) put(v uint64, k uint) {
	w.at, w.acc, w.n = put(w.buf, w.at, w.acc, w.n, v, k)
}
