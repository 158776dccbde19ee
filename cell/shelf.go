package cell

import (
	"cmp"
	ring "container/list"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"fractal/raster"
	"fractal/tile"
)

// Shelf is a folder of quarters: cells at half their size with all their 16 bits, of which larger cells are made. It is a
// cache. Nothing in it is needed, so nothing is synced: what a power cut garbles is found by its checksum and forgotten. Safe
// for concurrent use; a nil Shelf keeps nothing.
//
// One folder a room, named by a hash; one file a tile, TILE-VERSION.half: "FRAHALF1", CRC-32C of the rest (4 bytes little
// endian), length of the tile's name (4), the name, the packed quarter.
type Shelf struct {
	dir   string // constant
	limit int64  // constant: bytes

	mu    sync.Mutex // guards all below; never held while a file is read or written
	bytes int64
	at    map[place]*ring.Element
	order ring.List // of *half, the one used longest ago first
}

// Halves is what a shelf keeps of one room.
type Halves struct {
	shelf *Shelf
	room  hash
}

type hash [16]byte

// place is where a file is: the hash of its room, and that of its tile.
type place struct{ room, tile hash }

// half is a file.
type half struct {
	place
	version uint64
	size    int64
}

const (
	halfMagic  = "FRAHALF1"
	halfHead   = len(halfMagic) + 4
	halfSuffix = ".half"
	stampFile  = "stamp"

	// halfOverhead is about what a file costs beside its bytes, on disk and in memory.
	halfOverhead = 2 << 10
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// OpenShelf opens the shelf in dir, which is created where it is missing, and keeps it to about so many bytes.
func OpenShelf(dir string, limit int64) (*Shelf, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cell: open shelf: %w", err)
	}
	s := &Shelf{dir: dir, limit: limit, at: map[place]*ring.Element{}}
	type found struct {
		half
		used int64
	}
	var all []found
	rooms, _ := os.ReadDir(dir) // what cannot be read is not kept
	for _, r := range rooms {
		room, ok := parseHash(r.Name())
		if !ok {
			continue
		}
		files, _ := os.ReadDir(filepath.Join(dir, r.Name()))
		for _, f := range files {
			tile, version, ok := parseHalf(f.Name())
			info, err := f.Info()
			switch {
			case f.Name() == stampFile:
			case !ok || err != nil:
				_ = os.Remove(filepath.Join(dir, r.Name(), f.Name())) // else it is in the way, no more
			default:
				all = append(all, found{half{place{room, tile}, version, info.Size()}, info.ModTime().UnixNano()})
			}
		}
	}
	slices.SortFunc(all, func(a, b found) int { return cmp.Or(cmp.Compare(a.used, b.used), cmp.Compare(a.version, b.version)) })
	for i := range all {
		f := &all[i].half
		if e := s.at[f.place]; e != nil { // two versions, of a crash: the later one was written for a reason
			s.remove([]*half{s.drop(e)})
		}
		s.remove(s.add(f))
	}
	return s, nil
}

// Room gives what the shelf keeps of a room whose log has come to the state `link`, by which it had seq ops: whatever was
// stamped with another link, or came after it, is of a history that may not be this one, and is forgotten.
func (s *Shelf) Room(name string, link [16]byte, seq uint64) *Halves {
	if s == nil {
		return nil
	}
	h := &Halves{shelf: s, room: hashOf(name)}
	known := slices.Contains(h.stamps(), stamp(link, seq))
	var old []*half
	s.mu.Lock()
	for at, e := range s.at {
		if f := e.Value.(*half); at.room == h.room && (!known || f.version > seq) {
			old = append(old, s.drop(e))
		}
	}
	s.mu.Unlock()
	s.remove(old)
	return h
}

// Stats says how many quarters are kept, and about how many bytes they take of how many.
func (s *Shelf) Stats() (files int, bytes, limit int64) {
	if s == nil {
		return 0, 0, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.order.Len(), s.bytes, s.limit
}

// Stamp says that what is kept of versions up to seq is of the history that leads to link.
func (h *Halves) Stamp(link [16]byte, seq uint64) {
	if h == nil {
		return
	}
	// The snapshot before this one may be the one that can be read.
	lines := append(h.stamps(), stamp(link, seq))
	lines = lines[max(0, len(lines)-2):]
	_ = h.write(stampFile, []byte(strings.Join(lines, "\n")+"\n")) // else all is drawn again after a restart
}

func stamp(link [16]byte, seq uint64) string { return fmt.Sprintf("%x %d", link[:], seq) }

func (h *Halves) stamps() []string {
	b, err := os.ReadFile(filepath.Join(h.dir(), stampFile))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

func (h *Halves) dir() string { return filepath.Join(h.shelf.dir, hex.EncodeToString(h.room[:])) }

// Get makes q the quarter of a tile at a version, if it is kept.
func (h *Halves) Get(id tile.ID, version uint64, q *raster.Quarter) bool {
	if h == nil {
		return false
	}
	s, name := h.shelf, id.String()
	at := place{h.room, hashOf(name)}
	s.mu.Lock()
	e := s.at[at]
	ok := e != nil && e.Value.(*half).version == version
	if ok {
		s.order.MoveToBack(e)
	}
	s.mu.Unlock()
	if !ok {
		return false
	}
	b, err := os.ReadFile(s.path(e.Value.(*half)))
	if err == nil && parse(b, name, q) {
		return true
	}
	s.mu.Lock()
	var old []*half
	if s.at[at] == e {
		old = append(old, s.drop(e))
	}
	s.mu.Unlock()
	s.remove(old)
	return false
}

// Has says whether Get would have something, if the disk is well.
func (h *Halves) Has(id tile.ID, version uint64) bool {
	if h == nil {
		return false
	}
	at := place{h.room, hashOf(id.String())}
	h.shelf.mu.Lock()
	defer h.shelf.mu.Unlock()
	e := h.shelf.at[at]
	return e != nil && e.Value.(*half).version == version
}

// Put keeps the quarter of a tile at a version, in the place of every other version.
func (h *Halves) Put(id tile.ID, version uint64, q *raster.Quarter) {
	if h == nil {
		return
	}
	name := id.String()
	b := make([]byte, halfHead, halfHead+4+len(name)+8<<10)
	copy(b, halfMagic)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(name)))
	b = append(b, name...)
	b = PackQuarter(b, q)
	binary.LittleEndian.PutUint32(b[len(halfMagic):], crc32.Checksum(b[halfHead:], castagnoli))
	h.put(hashOf(name), version, b)
}

// put writes a file and takes it in.
func (h *Halves) put(tile hash, version uint64, b []byte) {
	f := &half{place{h.room, tile}, version, int64(len(b))}
	if h.write(halfName(f.tile, version), b) != nil {
		return // a full disk costs drawing again
	}
	s := h.shelf
	s.mu.Lock()
	var old []*half
	if e := s.at[f.place]; e != nil {
		if was := s.drop(e); was.version != version {
			old = append(old, was)
		}
	}
	old = append(old, s.add(f)...)
	s.mu.Unlock()
	s.remove(old)
}

// add takes a file in, and gives those that have to go for it.
func (s *Shelf) add(f *half) (old []*half) {
	s.at[f.place] = s.order.PushBack(f)
	s.bytes += f.size + halfOverhead
	for s.bytes > s.limit && s.order.Len() > 1 {
		old = append(old, s.drop(s.order.Front()))
	}
	return old
}

func (s *Shelf) drop(e *ring.Element) *half {
	f := s.order.Remove(e).(*half)
	s.bytes -= f.size + halfOverhead
	delete(s.at, f.place)
	return f
}

func (s *Shelf) path(f *half) string {
	return filepath.Join(s.dir, hex.EncodeToString(f.room[:]), halfName(f.tile, f.version))
}

func (s *Shelf) remove(files []*half) {
	for _, f := range files {
		_ = os.Remove(s.path(f)) // one that stays is found when the shelf is opened again
	}
}

// WriteFile keeps something else of the room, in the place of what had that name. It counts to the limit, may be lost as all
// of a shelf, and is the caller's to check.
func (h *Halves) WriteFile(name string, b []byte) {
	if h != nil {
		h.put(fileHash(name), 0, b)
	}
}

// ReadFile gives what WriteFile kept, perhaps damaged; nil: nothing.
func (h *Halves) ReadFile(name string) []byte {
	if h == nil {
		return nil
	}
	b, _ := os.ReadFile(h.shelf.path(&half{place: place{h.room, fileHash(name)}})) // what cannot be read is not kept
	return b
}

// fileHash is no tile's: names of tiles begin with a digit or a sign.
func fileHash(name string) hash { return hashOf("file " + name) }

// write makes a file whole or not at all, as long as the power does not fail.
func (h *Halves) write(name string, b []byte) error {
	tmp, err := os.CreateTemp(h.dir(), "new-*")
	if os.IsNotExist(err) {
		if err = os.MkdirAll(h.dir(), 0o700); err == nil {
			tmp, err = os.CreateTemp(h.dir(), "new-*")
		}
	}
	if err != nil {
		return err
	}
	_, err = tmp.Write(b)
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), filepath.Join(h.dir(), name))
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) // else the next opening of the shelf does
	}
	return err
}

func hashOf(name string) (h hash) {
	sum := sha256.Sum256([]byte(name))
	copy(h[:], sum[:])
	return h
}

func halfName(tile hash, version uint64) string {
	return hex.EncodeToString(tile[:]) + "-" + strconv.FormatUint(version, 16) + halfSuffix
}

func parseHash(s string) (h hash, ok bool) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(h) {
		return h, false
	}
	copy(h[:], b)
	return h, true
}

func parseHalf(name string) (tile hash, version uint64, ok bool) {
	base, _ := strings.CutSuffix(name, halfSuffix)
	h, v, _ := strings.Cut(base, "-")
	tile, ok = parseHash(h)
	version, err := strconv.ParseUint(v, 16, 64)
	return tile, version, ok && err == nil && halfName(tile, version) == name
}

// parse reads a file of a tile.
func parse(b []byte, name string, q *raster.Quarter) bool {
	if len(b) < halfHead+4 || string(b[:len(halfMagic)]) != halfMagic ||
		binary.LittleEndian.Uint32(b[len(halfMagic):]) != crc32.Checksum(b[halfHead:], castagnoli) {
		return false
	}
	n := binary.LittleEndian.Uint32(b[halfHead:])
	b = b[halfHead+4:]
	return uint64(n) <= uint64(len(b)) && string(b[:n]) == name && UnpackQuarter(q, b[n:])
}
