package cell

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fractal/raster"
	"fractal/tile"
)

func noise(seed uint64) *raster.Quarter {
	rng := rand.New(rand.NewPCG(seed, 3))
	q := new(raster.Quarter)
	last := raster.Pixel(0)
	for i := range q.Pix {
		if rng.IntN(8) == 0 {
			last = raster.Pixel(rng.Uint64() * uint64(rng.IntN(2)))
		}
		if q.Pix[i] = last; rng.IntN(20) == 0 {
			q.Pix[i] = raster.Pixel(rng.Uint64())
		}
	}
	return q
}

func TestQuartersComeBackAsTheyWere(t *testing.T) {
	blank, flat, full := new(raster.Quarter), new(raster.Quarter), new(raster.Quarter)
	for i := range flat.Pix {
		flat.Pix[i] = 0x8000_1234_0000_8000
		full.Pix[i] = raster.Pixel(i)*0x9e3779b97f4a7c15 | 1
	}
	for i, q := range []*raster.Quarter{blank, flat, full, noise(1), noise(2)} {
		b := PackQuarter(nil, q)
		got := noise(7)
		if !UnpackQuarter(got, b) || *got != *q {
			t.Errorf("case %d differs after %d bytes", i, len(b))
		}
		if UnpackQuarter(got, b[:len(b)-1]) || UnpackQuarter(got, append(bytes.Clone(b), 0)) {
			t.Errorf("case %d: bytes that were cut or had one more were taken", i)
		}
	}
	if n := len(PackQuarter(nil, blank)); n > 4 {
		t.Errorf("an empty quarter takes %d bytes", n)
	}
}

func FuzzUnpackQuarter(f *testing.F) {
	f.Add(PackQuarter(nil, noise(1))[:200])
	f.Add(PackQuarter(nil, new(raster.Quarter)))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		q, again := new(raster.Quarter), new(raster.Quarter)
		if UnpackQuarter(q, b) && (!UnpackQuarter(again, PackQuarter(nil, q)) || *again != *q) {
			t.Error("packing again gives something else")
		}
	})
}

var linkA, linkB = [16]byte{1}, [16]byte{2}

func open(t *testing.T, dir string, limit int64) *Shelf {
	t.Helper()
	s, err := OpenShelf(dir, limit)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func has(h *Halves, id tile.ID, version uint64) bool {
	ok := h.Get(id, version, new(raster.Quarter))
	if !ok && h.Has(id, version) {
		panic("a quarter that cannot be got is said to be there")
	}
	return ok
}

func TestShelfGivesWhatWasPutOfThatRoomTileAndVersion(t *testing.T) {
	s := open(t, t.TempDir(), 1<<30)
	a, b := s.Room("a", linkA, 0), s.Room("b", linkA, 0)
	here, there := tile.At(3, 1, 2), tile.At(60, 1<<60, -1)
	a.Put(here, 5, noise(1))
	b.Put(there, 6, noise(2))
	q := new(raster.Quarter)
	if !a.Get(here, 5, q) || *q != *noise(1) {
		t.Error("a's quarter is not what was put")
	}
	if !b.Get(there, 6, q) || *q != *noise(2) {
		t.Error("b's quarter is not what was put")
	}
	if has(a, here, 4) || has(a, there, 6) || has(b, here, 5) {
		t.Error("a quarter of another room, tile or version")
	}
	a.Put(here, 7, noise(3))
	if has(a, here, 5) || !has(a, here, 7) {
		t.Error("a newer version does not take the place of the older")
	}
	var none *Shelf
	h := none.Room("a", linkA, 0)
	h.Put(here, 1, q)
	h.Stamp(linkA, 1)
	if has(h, here, 1) {
		t.Error("no shelf keeps something")
	}
}

func TestShelfTrustsOnlyTheHistoryItWasStampedWith(t *testing.T) {
	dir := t.TempDir()
	ids := []tile.ID{tile.At(0, 0, 0), tile.At(0, 1, 0), tile.At(0, 2, 0)}
	fill := func(h *Halves) {
		for i, id := range ids {
			h.Put(id, uint64(10*i+10), noise(uint64(i)))
		}
	}
	h := open(t, dir, 1<<30).Room("a", linkA, 0)
	fill(h)
	h.Stamp(linkA, 10)
	h.Stamp(linkB, 20)

	h = open(t, dir, 1<<30).Room("a", linkB, 20)
	if !has(h, ids[0], 10) || !has(h, ids[1], 20) {
		t.Error("what was stamped is forgotten")
	}
	if has(h, ids[2], 30) {
		t.Error("what came after the last stamp is believed")
	}
	h = open(t, dir, 1<<30).Room("a", linkA, 10) // the newest snapshot was damaged
	if !has(h, ids[0], 10) || has(h, ids[1], 20) {
		t.Error("the stamp before the last is not honoured")
	}
	if h = open(t, dir, 1<<30).Room("a", linkB, 10); has(h, ids[0], 10) {
		t.Error("a link with another number of ops is believed")
	}
	fill(h)
	if h = open(t, dir, 1<<30).Room("a", [16]byte{3}, 30); has(h, ids[0], 10) {
		t.Error("another history is believed")
	}
}

func TestShelfIsBoundedAndForgetsWhatWasUsedLongestAgo(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 20*(halfOverhead+100))
	h := s.Room("a", linkA, 0)
	empty := new(raster.Quarter)
	for i := range int64(30) {
		h.Put(tile.At(0, i, 0), uint64(i+1), empty)
		if !has(h, tile.At(0, 0, 0), 1) {
			t.Fatalf("what is used again and again is gone after %d", i)
		}
	}
	if has(h, tile.At(0, 1, 0), 2) || !has(h, tile.At(0, 29, 0), 30) {
		t.Error("the wrong ones went")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*.half"))
	if len(files) > 21 || len(files) < 15 || s.bytes > s.limit {
		t.Errorf("%d files, %d bytes are kept of %d", len(files), s.bytes, s.limit)
	}
	h.Stamp(linkA, 30)
	s = open(t, dir, 5*(halfOverhead+100))
	h = s.Room("a", linkA, 30)
	if files, _ := filepath.Glob(filepath.Join(dir, "*", "*.half")); len(files) > 6 || !has(h, tile.At(0, 29, 0), 30) {
		t.Errorf("%d files are kept after the limit fell", len(files))
	}
}

func TestDamagedFilesAreForgotten(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir, 1<<30).Room("a", linkA, 0)
	id := tile.At(0, 0, 0)
	h.Put(id, 1, noise(1))
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*.half"))
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		b := bytes.Clone(whole)
		switch at := i * len(b) / 200; {
		case i%2 == 0:
			b = b[:at]
		default:
			b[at] ^= 0x10
		}
		if err := os.WriteFile(files[0], b, 0o600); err != nil {
			t.Fatal(err)
		}
		if has(h, id, 1) {
			t.Fatalf("damage %d is not found", i)
		}
		if _, err := os.Stat(files[0]); err == nil {
			t.Fatalf("damage %d is kept", i)
		}
		h.Put(id, 1, noise(1))
		if !has(h, id, 1) {
			t.Fatalf("it cannot be kept again after damage %d", i)
		}
	}
}

func BenchmarkShelf(b *testing.B) {
	s, err := OpenShelf(b.TempDir(), 1<<30)
	if err != nil {
		b.Fatal(err)
	}
	h := s.Room("a", linkA, 0)
	q := noise(1)
	b.Run("put", func(b *testing.B) {
		for b.Loop() {
			h.Put(tile.At(0, 0, 0), 1, q)
		}
	})
	b.Run("get", func(b *testing.B) {
		for b.Loop() {
			h.Get(tile.At(0, 0, 0), 1, q)
		}
	})
}

func TestQuantilesAreBoundsWithinTwo(t *testing.T) {
	var s stages
	for us := range 1000 {
		s.add(StageRaster, time.Duration(us)*time.Microsecond)
	}
	h := s.read()[StageRaster]
	for _, c := range []struct {
		q    float64
		true time.Duration
	}{{0.01, 9 * time.Microsecond}, {0.5, 499 * time.Microsecond}, {1, 999 * time.Microsecond}} {
		if got := h.Quantile(c.q); got < c.true || got > 2*c.true {
			t.Errorf("quantile %v is %v, truly %v", c.q, got, c.true)
		}
	}
	if (Histogram{}).Quantile(0.5) != 0 {
		t.Error("nothing has a quantile")
	}
}
