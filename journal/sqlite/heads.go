package sqlite

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"

	"fractal/journal"
)

// heads remembers, beside the log, where the log of every canvas ended. SQLite drops the rest of its write-ahead log
// without a word when a bit of it is flipped, and a log that merely got shorter passes every other check.
//
// It is written after the commit and never synced: after a power cut it may be behind the log, which says nothing, but
// never ahead of it. So it costs a write into the page cache a commit, and a log shorter than its head has lost records.
// Failing to write it is no reason to fail an append. A slot is 32 bytes: CRC-32C of the rest (4), nothing (4), position
// (8), the start of the SHA-256 of the canvas's name (16). A slot that fails its check is forgotten.
type heads struct {
	file  *os.File
	slots map[[16]byte]*slot
	n     int64 // slots in the file
}

type slot struct {
	index int64
	pos   journal.Pos
}

const slotSize = 32

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func openHeads(path string) (*heads, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("journal: read %s: %w", path, err)
	}
	h := &heads{slots: map[[16]byte]*slot{}, n: int64(len(data)+slotSize-1) / slotSize}
	for i := int64(0); len(data) >= slotSize; i, data = i+1, data[slotSize:] {
		s := data[:slotSize]
		if binary.LittleEndian.Uint32(s) == crc32.Checksum(s[4:], castagnoli) {
			h.slots[[16]byte(s[16:])] = &slot{i, journal.Pos(binary.LittleEndian.Uint64(s[8:]))}
		}
	}
	if h.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600); err != nil {
		return nil, fmt.Errorf("journal: open %s: %w", path, err)
	}
	return h, nil
}

// get returns where the canvas's log ended at least; 0: nothing is known.
func (h *heads) get(canvas string) journal.Pos {
	if s := h.slots[nameHash(canvas)]; s != nil {
		return s.pos
	}
	return 0
}

func (h *heads) set(canvas string, pos journal.Pos) {
	name := nameHash(canvas)
	s := h.slots[name]
	if s == nil {
		s = &slot{index: h.n}
		h.slots[name] = s
		h.n++
	}
	s.pos = pos
	var b [slotSize]byte
	binary.LittleEndian.PutUint64(b[8:], uint64(pos))
	copy(b[16:], name[:])
	binary.LittleEndian.PutUint32(b[:], crc32.Checksum(b[4:], castagnoli))
	h.file.WriteAt(b[:], s.index*slotSize) // see above: an error costs the check, not the record
}

func (h *heads) close() error { return h.file.Close() }

func nameHash(canvas string) [16]byte {
	sum := sha256.Sum256([]byte(canvas))
	return [16]byte(sum[:16])
}
