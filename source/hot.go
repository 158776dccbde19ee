package source

import (
	"encoding/binary"
	"hash/maphash"
	"sync"
	"weak"

	"fractal/canvas"
	"fractal/raster"
	"fractal/tile"
)

const (
	// hotFrom is how many strokes a cell shows before its image is worth keeping: to paint fewer takes about a millisecond.
	hotFrom = 256
	// hotCells is how many images are kept, 512 KiB each, for all rooms together.
	hotCells = 16
	// hotSeen is how many heavy cells are remembered by name: what is drawn a second time soon is changing while watched.
	hotSeen = 256
)

// hotKey names a cell of a canvas, which may be gone.
type hotKey struct {
	canvas weak.Pointer[canvas.Canvas]
	id     tile.ID
}

// hot keeps the images of heavy cells that are drawn again and again, all 16 bits, so that strokes that were only added are
// painted on top: the bytes are those of painting everything, which is done in the same order.
type hot struct {
	seed maphash.Seed // constant

	mu   sync.Mutex // guards all below; held for copying an image, a tenth of a millisecond
	kept map[hotKey]*hotImage
	seen [hotSeen]hotKey // a ring
	next int
	turn uint64
}

// hotImage is a cell as of some strokes. A hash names those, with a seed nobody knows: the strokes themselves would keep a
// canvas in memory that is closed.
type hotImage struct {
	image   raster.Image
	strokes int
	hash    uint64 // of their seqs, in the order of paint
	used    uint64
}

var hots = &hot{seed: maphash.MakeSeed(), kept: map[hotKey]*hotImage{}}

// take puts the newest image kept of a cell on dst, if what it shows is what items begin with, and says how many that are.
func (h *hot) take(key hotKey, items []canvas.Item, dst *raster.Image) int {
	if len(items) < hotFrom {
		return 0
	}
	n, hash := h.known(key)
	if n == 0 || n > len(items) || hash != h.of(items[:n]) {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.kept[key]
	if was == nil || was.strokes != n || was.hash != hash {
		return 0 // it had to make room meanwhile
	}
	*dst = was.image
	return n
}

// known says of how many strokes the image of a cell is, and their hash; 0: there is none.
func (h *hot) known(key hotKey) (strokes int, hash uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if was := h.kept[key]; was != nil {
		return was.strokes, was.hash
	}
	return 0, 0
}

// keep remembers what a cell looks like, if it has been drawn before.
func (h *hot) keep(key hotKey, items []canvas.Item, image *raster.Image) {
	if len(items) < hotFrom {
		return
	}
	hash := h.of(items)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.turn++
	now := h.kept[key]
	if now == nil {
		if !h.again(key) {
			return
		}
		now = h.room()
		h.kept[key] = now
	}
	now.image, now.strokes, now.hash, now.used = *image, len(items), hash, h.turn
}

// again says whether the cell was drawn not long ago, and remembers that it is now.
func (h *hot) again(key hotKey) bool {
	for _, k := range &h.seen {
		if k == key {
			return true
		}
	}
	h.seen[h.next] = key
	h.next = (h.next + 1) % hotSeen
	return false
}

// room gives an image to fill: a new one, or that of the cell that was not drawn for longest.
func (h *hot) room() *hotImage {
	if len(h.kept) < hotCells {
		return new(hotImage)
	}
	var oldest hotKey
	for k, i := range h.kept {
		if o := h.kept[oldest]; o == nil || i.used < o.used {
			oldest = k
		}
	}
	i := h.kept[oldest]
	delete(h.kept, oldest)
	return i
}

func (h *hot) of(items []canvas.Item) uint64 {
	var m maphash.Hash
	m.SetSeed(h.seed)
	var b [8]byte
	for _, i := range items {
		binary.LittleEndian.PutUint64(b[:], uint64(i.Seq))
		m.Write(b[:])
	}
	return m.Sum64()
}
