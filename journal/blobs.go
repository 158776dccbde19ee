package journal

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Snapshot is what a canvas was after the record at Pos, in bytes that only the canvas understands.
type Snapshot struct {
	Pos  Pos
	Link Link
	Body []byte
}

// Blobs is a directory of snapshots: one folder a canvas, one file a snapshot, written once and never changed. The
// newest valid file is the state; there is no pointer to it that could be lost. Safe for concurrent use.
//
// A file, version 1, integers little endian: "FRACSNAP", version (1 byte), SHA-256 of all that follows (32), position (8),
// link (16), length of the canvas's name (2), the name, the body.
type Blobs struct {
	dir string
}

const (
	blobMagic   = "FRACSNAP"
	blobVersion = 1
	blobHeader  = len(blobMagic) + 1 + sha256.Size
	blobKeep    = 2 // the newest, and one to fall back on
	blobSuffix  = ".snapshot"
	halfWritten = ".new" // after blobSuffix
)

// OpenBlobs returns the blobs in dir, which is created where it is missing.
func OpenBlobs(dir string) (*Blobs, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("journal: the snapshot folder cannot be created: %w", diskError(err))
	}
	return &Blobs{dir}, nil
}

// Put keeps a snapshot: written aside, synced, renamed, read back and compared. Then it forgets all but the two newest valid
// ones and returns the position through which the log may be trimmed: that of the second newest, so that one damaged
// file costs time and not the canvas. 0: nothing may be trimmed yet.
func (b *Blobs) Put(canvas string, s Snapshot) (trim Pos, err error) {
	if err := Check(canvas, nil); err != nil {
		return 0, err
	}
	folder, file := b.folder(canvas), encodeBlob(canvas, s)
	if err := errors.Join(os.MkdirAll(folder, 0o700), syncFolder(b.dir)); err != nil {
		return 0, fmt.Errorf("journal: keep snapshot: %w", diskError(err))
	}
	path := filepath.Join(folder, blobName(s))
	if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, file) { // else: two wrote the same state
		if err := writeDurably(folder, path, file); err != nil {
			return 0, fmt.Errorf("journal: keep snapshot: %w", diskError(err))
		}
		if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, file) {
			return 0, errors.Join(fmt.Errorf("journal: keep snapshot: %w: %s reads back differently", ErrCorrupt, path), err)
		}
	}
	return b.prune(canvas)
}

// Newest returns the newest valid snapshot; false where there is none. The error tells of newer files that were skipped
// because they are damaged (ErrCorrupt) or cannot be read: it may come with a snapshot.
func (b *Blobs) Newest(canvas string) (Snapshot, bool, error) {
	return b.Usable(canvas, func(Snapshot) error { return nil })
}

// Usable returns the newest valid snapshot that use takes. The error also tells of those that it refused, and why.
func (b *Blobs) Usable(canvas string, use func(Snapshot) error) (Snapshot, bool, error) {
	if err := Check(canvas, nil); err != nil {
		return Snapshot{}, false, err
	}
	names, err := b.list(canvas)
	if err != nil {
		return Snapshot{}, false, err
	}
	var skipped []error
	for _, name := range names {
		if strings.HasSuffix(name, halfWritten) {
			continue // a crash before it counted
		}
		s, err := b.read(canvas, name)
		if err == nil {
			err = use(s)
		}
		if err == nil {
			return s, true, errors.Join(skipped...)
		}
		skipped = append(skipped, err)
	}
	return Snapshot{}, false, errors.Join(skipped...)
}

// Copy copies the snapshots of all canvases into another folder. Damaged ones are left behind: Newest tells of them.
func (b *Blobs) Copy(to *Blobs) error {
	err := filepath.WalkDir(b.dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // pruned meanwhile
		}
		if err != nil || e.IsDir() || !strings.HasSuffix(path, blobSuffix) {
			return err
		}
		file, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, _, err := decodeBlob(file); err != nil {
			return nil
		}
		folder := filepath.Join(to.dir, filepath.Base(filepath.Dir(path)))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return diskError(err)
		}
		return diskError(writeDurably(folder, filepath.Join(folder, e.Name()), file))
	})
	if err := errors.Join(err, syncFolder(to.dir)); err != nil {
		return fmt.Errorf("journal: copy snapshots: %w", err)
	}
	return nil
}

// prune removes what is older than the two newest valid snapshots, and what a crash left half written.
func (b *Blobs) prune(canvas string) (trim Pos, err error) {
	names, err := b.list(canvas)
	if err != nil {
		return 0, err
	}
	valid := 0
	for _, name := range names {
		if valid < blobKeep {
			if strings.HasSuffix(name, halfWritten) {
				continue
			}
			if s, err := b.read(canvas, name); err == nil {
				if valid++; valid == blobKeep {
					trim = s.Pos
				}
			}
			continue // a damaged one that is newer stays, for whoever wants to look at it
		}
		if err := os.Remove(filepath.Join(b.folder(canvas), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return trim, fmt.Errorf("journal: forget an old snapshot: %w", err)
		}
	}
	return trim, nil
}

// list returns the names of snapshot files, newest first.
func (b *Blobs) list(canvas string) ([]string, error) {
	entries, err := os.ReadDir(b.folder(canvas))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("journal: list snapshots: %w", err)
	}
	var names []string
	for _, e := range entries {
		// Fixed width hexadecimal positions: the order of names is the order of positions.
		if n, _ := strings.CutSuffix(e.Name(), halfWritten); strings.HasSuffix(n, blobSuffix) && len(n) == len(blobName(Snapshot{})) {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(b, a) })
	return names, nil
}

func (b *Blobs) read(canvas, name string) (Snapshot, error) {
	path := filepath.Join(b.folder(canvas), name)
	file, err := os.ReadFile(path)
	if err != nil {
		return Snapshot{}, fmt.Errorf("journal: read snapshot: %w", err)
	}
	s, of, err := decodeBlob(file)
	switch {
	case err != nil:
	case of != canvas:
		err = fmt.Errorf("%w: it is a snapshot of canvas %q", ErrCorrupt, of)
	case blobName(s) != name:
		err = fmt.Errorf("%w: it is the snapshot %s", ErrCorrupt, blobName(s))
	default:
		return s, nil
	}
	return Snapshot{}, fmt.Errorf("journal: snapshot %s is skipped: %w", path, err)
}

// folder returns where a canvas's snapshots are. Names come from people: whatever they hold, the result is one path
// element, different names get different ones also where upper and lower case are the same file, and it can be read back.
func (b *Blobs) folder(canvas string) string {
	const plain, maxElement = "abcdefghijklmnopqrstuvwxyz0123456789-_", 200
	var e strings.Builder
	for _, c := range []byte(canvas) {
		if strings.IndexByte(plain, c) >= 0 {
			e.WriteByte(c)
		} else {
			fmt.Fprintf(&e, "=%02x", c)
		}
	}
	if e.Len() > maxElement {
		sum := sha256.Sum256([]byte(canvas))
		return filepath.Join(b.dir, "=long-"+hex.EncodeToString(sum[:16])) // "=lo" is no escape: no other name gives it
	}
	return filepath.Join(b.dir, e.String())
}

func blobName(s Snapshot) string {
	return fmt.Sprintf("%016x-%x%s", uint64(s.Pos), s.Link[:], blobSuffix)
}

func encodeBlob(canvas string, s Snapshot) []byte {
	f := make([]byte, blobHeader, blobHeader+8+len(s.Link)+2+len(canvas)+len(s.Body))
	copy(f, blobMagic)
	f[len(blobMagic)] = blobVersion
	f = binary.LittleEndian.AppendUint64(f, uint64(s.Pos))
	f = append(f, s.Link[:]...)
	f = binary.LittleEndian.AppendUint16(f, uint16(len(canvas)))
	f = append(f, canvas...)
	f = append(f, s.Body...)
	sum := sha256.Sum256(f[blobHeader:])
	copy(f[blobHeader-sha256.Size:], sum[:])
	return f
}

func decodeBlob(f []byte) (s Snapshot, canvas string, err error) {
	if len(f) < blobHeader || string(f[:len(blobMagic)]) != blobMagic {
		return s, "", fmt.Errorf("%w: not a snapshot, or cut short", ErrCorrupt)
	}
	if v := f[len(blobMagic)]; v != blobVersion {
		return s, "", fmt.Errorf("%w: snapshot version %d, this program reads %d", ErrCorrupt, v, blobVersion)
	}
	rest := f[blobHeader:]
	if sha256.Sum256(rest) != [sha256.Size]byte(f[blobHeader-sha256.Size:blobHeader]) {
		return s, "", fmt.Errorf("%w: checksum differs", ErrCorrupt)
	}
	const fixed = 8 + len(s.Link) + 2
	if len(rest) < fixed {
		return s, "", fmt.Errorf("%w: cut short", ErrCorrupt)
	}
	s.Pos = Pos(binary.LittleEndian.Uint64(rest))
	copy(s.Link[:], rest[8:])
	n := int(binary.LittleEndian.Uint16(rest[fixed-2:]))
	if len(rest) < fixed+n {
		return s, "", fmt.Errorf("%w: cut short", ErrCorrupt)
	}
	canvas, s.Body = string(rest[fixed:fixed+n]), rest[fixed+n:]
	return s, canvas, nil
}

// writeDurably makes path hold data, whole or not at all, also when the power fails at any moment.
func writeDurably(folder, path string, data []byte) error {
	tmp, err := os.OpenFile(path+halfWritten, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name()) // on a full disk it would be in the way
		return err
	}
	return syncFolder(folder)
}

func syncFolder(folder string) error {
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// diskError adds the sentinel for what the operating system said.
func diskError(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: %w", ErrFull, err)
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	}
	return err
}
