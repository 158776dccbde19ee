package source

import (
	"encoding/binary"
	"hash/crc32"

	"fractal/canvas"
	"fractal/cell"
)

// outlinesFile holds what was prepared of a canvas's strokes: "FRAOUTL1", CRC-32C of the rest (4 bytes little endian), and for
// each stroke, by seq: varints of its seq less the last one's and of how many bytes follow, and those (ink.AppendPrepared).
const (
	outlinesFile  = "outlines"
	outlinesMagic = "FRAOUTL1"

	// maxOutlines bounds the file: its bytes stay in memory while strokes were not drawn.
	maxOutlines = 64 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// KeepOutlines writes down what is prepared of a canvas's strokes, so that the next opening does not pay for it again. had is
// what TakeOutlines gave: when there is no more than then, nothing is written.
func KeepOutlines(c *canvas.Canvas, h *cell.Halves, had int) {
	if h == nil {
		return
	}
	b := append(make([]byte, 0, 1<<20), outlinesMagic+"\x00\x00\x00\x00"...)
	head := len(b)
	var one []byte
	n, last := 0, canvas.Seq(0)
	for i := range c.All() {
		if one = i.Stroke.AppendPrepared(one[:0]); len(one) == 0 {
			continue
		}
		if len(b)+len(one) > maxOutlines {
			break
		}
		b = binary.AppendUvarint(b, uint64(i.Seq-last))
		b = binary.AppendUvarint(b, uint64(len(one)))
		b = append(b, one...)
		n++
		last = i.Seq
	}
	if n <= had {
		return
	}
	binary.LittleEndian.PutUint32(b[len(outlinesMagic):], crc32.Checksum(b[head:], castagnoli))
	h.WriteFile(outlinesFile, b)
}

// TakeOutlines gives a canvas's strokes what KeepOutlines wrote, and says to how many. What is damaged, or of another stroke,
// is passed over: it is made anew.
func TakeOutlines(c *canvas.Canvas, h *cell.Halves) (n int) {
	b := h.ReadFile(outlinesFile)
	const head = len(outlinesMagic) + 4
	if len(b) < head || string(b[:len(outlinesMagic)]) != outlinesMagic || binary.LittleEndian.Uint32(b[len(outlinesMagic):]) != crc32.Checksum(b[head:], castagnoli) {
		return 0
	}
	var items [256]canvas.Item
	at, have := canvas.Seq(0), items[:0]
	seq := canvas.Seq(0)
	for b = b[head:]; len(b) > 0; {
		step, k := binary.Uvarint(b)
		size, m := binary.Uvarint(b[max(k, 0):])
		if k <= 0 || m <= 0 || size > uint64(len(b)-k-m) {
			return n
		}
		b = b[k+m:]
		one := b[:size:size]
		b = b[size:]
		seq += canvas.Seq(step)
		for len(have) == 0 || have[len(have)-1].Seq < seq {
			if have = items[:c.After(max(at, seq-1), items[:])]; len(have) == 0 {
				return n
			}
			at = have[len(have)-1].Seq
		}
		for len(have) > 0 && have[0].Seq < seq {
			have = have[1:]
		}
		if len(have) > 0 && have[0].Seq == seq && have[0].Stroke.TakePrepared(one) {
			n++
		}
	}
	return n
}
