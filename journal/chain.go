package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// Link stands for a whole log up to one record: the hash of that record and of the Link before it, 128 bits of SHA-256.
type Link [16]byte

// Chain seals and opens the records of one canvas. Every record carries a CRC-32C of itself, and the place and Link its
// author had reached when sealing it. So a record that was altered, lost, swapped or taken from another canvas is found at
// the latest by the next record of this canvas.
//
// A frame, version 1, integers little endian:
//
//	0     1    version
//	1     4    CRC-32C of version, id, and all after this field
//	5     8    position of the last record the author had opened; 0: none
//	13    16   Link after that record
//	29         body
//
// A Chain belongs to one goroutine.
type Chain struct {
	pos    Pos
	link   Link
	recent [window]mark // the newest marks, in a ring
	n      int          // marks ever put into it
}

type mark struct {
	pos  Pos
	link Link
}

// window is how many records back an author may have been when sealing. On one machine it is 0 or 1; authors on several
// machines are as far behind as records are in flight. A base that is older cannot be checked and is believed.
const window = 256

const (
	frameVersion = 1
	frameHeader  = 29
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// NewChain returns the chain of a canvas without records.
func NewChain(canvas string) *Chain {
	h := sha256.New()
	h.Write([]byte("fractal log 1\x00"))
	h.Write([]byte(canvas))
	return ResumeChain(0, Link(h.Sum(nil)[:len(Link{})]))
}

// ResumeChain returns the chain as it was after the record at pos, as a snapshot kept it.
func ResumeChain(pos Pos, link Link) *Chain {
	c := new(Chain)
	c.advance(pos, link)
	return c
}

// Head returns the place of the last record opened and the Link after it.
func (c *Chain) Head() (Pos, Link) { return c.pos, c.link }

// Seal frames body for Append under id. It does not change the chain: the record joins it when it comes back.
func (c *Chain) Seal(id ID, body []byte) []byte {
	f := make([]byte, frameHeader, frameHeader+len(body))
	f[0] = frameVersion
	binary.LittleEndian.PutUint64(f[5:], uint64(c.pos))
	copy(f[13:], c.link[:])
	f = append(f, body...)
	binary.LittleEndian.PutUint32(f[1:], checksum(id, f))
	return f
}

// Open verifies the next record and returns its body, which is part of r.Body. On an error, which is an ErrCorrupt, the
// chain stays where it was: nothing after that record can be trusted.
func (c *Chain) Open(r Record) ([]byte, error) {
	f := r.Body
	switch {
	case len(f) < frameHeader:
		return nil, fmt.Errorf("%w: record %d is cut to %d bytes", ErrCorrupt, r.Pos, len(f))
	case f[0] != frameVersion:
		return nil, fmt.Errorf("%w: record %d has version %d, this program reads %d", ErrCorrupt, r.Pos, f[0], frameVersion)
	case binary.LittleEndian.Uint32(f[1:]) != checksum(r.ID, f):
		return nil, fmt.Errorf("%w: record %d fails its checksum", ErrCorrupt, r.Pos)
	case r.Pos <= c.pos:
		return nil, fmt.Errorf("%w: record %d comes after record %d", ErrCorrupt, r.Pos, c.pos)
	}
	base := Pos(binary.LittleEndian.Uint64(f[5:]))
	if base > c.pos {
		return nil, fmt.Errorf("%w: the records after %d up to %d are missing", ErrCorrupt, c.pos, base)
	}
	if link, known, err := c.at(base); err != nil {
		return nil, fmt.Errorf("record %d: %w", r.Pos, err)
	} else if known && link != Link(f[13:frameHeader]) {
		return nil, fmt.Errorf("%w: record %d does not follow the records up to %d: one of them was altered or lost", ErrCorrupt, r.Pos, base)
	}
	h := sha256.New()
	h.Write(c.link[:])
	var pos [8]byte
	binary.LittleEndian.PutUint64(pos[:], uint64(r.Pos))
	h.Write(pos[:])
	h.Write(r.ID[:])
	h.Write(f)
	c.advance(r.Pos, Link(h.Sum(nil)[:len(Link{})]))
	return f[frameHeader:], nil
}

func (c *Chain) advance(pos Pos, link Link) {
	c.pos, c.link = pos, link
	c.recent[c.n%window] = mark{pos, link}
	c.n++
}

// at returns the Link after the record at base. It is not known where base is older than everything the chain remembers;
// it is an error where base lies between two records: its author had one that we never got.
func (c *Chain) at(base Pos) (Link, bool, error) {
	for i := c.n - 1; i >= max(0, c.n-window); i-- {
		m := c.recent[i%window]
		if m.pos == base {
			return m.link, true, nil
		}
		if m.pos < base {
			return Link{}, false, fmt.Errorf("%w: record %d is missing", ErrCorrupt, base)
		}
	}
	return Link{}, false, nil
}

func checksum(id ID, frame []byte) uint32 {
	crc := crc32.Update(0, castagnoli, frame[:1])
	crc = crc32.Update(crc, castagnoli, id[:])
	return crc32.Update(crc, castagnoli, frame[5:])
}
