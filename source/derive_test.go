package source_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"fractal/canvas"
	"fractal/cell"
	"fractal/ink"
	"fractal/raster"
	"fractal/source"
	"fractal/tile"
	"fractal/wire"
)

// crowd is a canvas with many small strokes below one tile.
type crowd struct {
	*canvas.Canvas
	t   testing.TB
	rng *rand.Rand
	top tile.ID
	n   uint64
}

func newCrowd(t testing.TB, seed uint64, strokes int) *crowd {
	c := &crowd{canvas.New(), t, rand.New(rand.NewPCG(seed, 5)), tile.At(7, -3, 40), 0}
	for range strokes {
		c.add()
	}
	return c
}

func (c *crowd) do(op *wire.Op) {
	c.t.Helper()
	c.n++
	op.Session, op.Number = make([]byte, 16), c.n
	b, err := proto.Marshal(op)
	if err != nil {
		c.t.Fatal(err)
	}
	if r := c.Apply(&wire.Entry{Person: make([]byte, 16), Op: b}); r.Outcome != canvas.Applied {
		c.t.Fatal(r.Reason)
	}
}

// add draws a stroke somewhere in the tile, 0 to 24 levels down, most of them in one corner's corner.
func (c *crowd) add() {
	down := c.rng.IntN(25)
	side := int64(1) << down
	x, y := c.rng.Int64N(side), c.rng.Int64N(side)
	if c.rng.IntN(4) > 0 {
		x, y = x/8, y/8
	}
	home, ok := c.top.Shift(down, x, y)
	if !ok {
		c.t.Fatal("no such tile")
	}
	c.draw(home)
}

func (c *crowd) draw(home tile.ID) {
	at := ink.Point{X: c.rng.Int64N(tile.Units), Y: c.rng.Int64N(tile.Units), D: 1 + c.rng.Int32N(6000)}
	s, err := ink.New(home, []ink.BrushID{ink.Pen, ink.Liner, ink.Eraser, ink.Highlighter}[c.rng.IntN(4)], c.rng.Uint32()|0x40, []ink.Point{at, {X: at.X + 3000, Y: at.Y + c.rng.Int64N(9000), D: at.D}})
	if err != nil {
		c.t.Fatal(err)
	}
	c.do(&wire.Op{Body: &wire.Op_Stroke{Stroke: s.Wire()}})
}

// exact is the definition in its simplest form.
func (c *crowd) exact(id tile.ID) (m *raster.Image, derived int) {
	m = new(raster.Image)
	if crowd, _ := c.Crowd(id, c.Seq()); !crowd.Crowded() {
		var strokes []*ink.Stroke
		for _, i := range c.CellSnapshot(id).Items {
			strokes = append(strokes, i.Stroke)
		}
		ink.NewPainter().Cell(m, id, strokes)
		return m, 0
	}
	for i := range 4 {
		child, n := c.exact(id.Child(i))
		derived += n
		for y := range 128 {
			for x := range 128 {
				var p raster.Pixel
				for lane := 0; lane < 64; lane += 16 {
					sum := uint64(2)
					for k := range 4 {
						sum += uint64(child.Pix[(2*y+k/2)*256+2*x+k%2]) >> lane & 0xffff
					}
					p |= raster.Pixel(sum / 4 << lane)
				}
				m.Pix[(y+i/2*128)*256+x+i%2*128] = p
			}
		}
	}
	return m, derived + 1
}

func (c *crowd) picture(id tile.ID, h *cell.Halves) (p cell.Picture) {
	c.t.Helper()
	if err := (source.Ink{Canvas: c.Canvas, Halves: h}).Draw(c.t.Context(), id, new(cell.Scratch), func(q cell.Picture) { p = q }); err != nil {
		c.t.Fatal(err)
	}
	return p
}

func shelf(t testing.TB, dir string) *cell.Halves {
	t.Helper()
	s, err := cell.OpenShelf(dir, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return s.Room("a", [16]byte{}, 0)
}

func TestCrowdedCellsAreHalvesOfTheirExactChildren(t *testing.T) {
	c := newCrowd(t, 1, 2*canvas.MaxBeneath)
	image, derived := c.exact(c.top)
	if derived < 2 {
		t.Fatalf("only %d cells are crowded", derived)
	}
	format, data := cell.Encode(nil, image)
	for name, h := range map[string]*cell.Halves{"nothing kept": nil, "kept": shelf(t, t.TempDir())} {
		for range 2 {
			if got := c.picture(c.top, h); got.Format != format || !bytes.Equal(got.Data, data) || got.Version != uint64(c.Seq()) || !got.Below {
				t.Errorf("%s: format %d, %d bytes, version %d, below %v differs from the definition: %d bytes", name, got.Format, len(got.Data), got.Version, got.Below, len(data))
			}
		}
	}
}

func TestKeptQuartersGiveTheSameAsARedraw(t *testing.T) {
	dir := t.TempDir()
	c := newCrowd(t, 2, canvas.MaxBeneath+200) // undoing goes below the limit only in what is visible
	h := shelf(t, dir)
	check := func(what string) {
		t.Helper()
		for _, id := range []tile.ID{c.top, c.top.Child(0), c.top.Parent()} {
			if got, want := c.picture(id, h), c.picture(id, nil); !same(got, want) {
				t.Fatalf("%s: cell %v of version %d differs from a redraw of version %d", what, id, got.Version, want.Version)
			}
		}
	}
	check("at first")
	for step := range 6 {
		for range 1 + c.rng.IntN(20) {
			switch c.rng.IntN(4) {
			case 0:
				c.do(&wire.Op{Body: &wire.Op_Undo{Undo: &wire.Undo{}}})
			case 1:
				c.do(&wire.Op{Body: &wire.Op_Redo{Redo: &wire.Redo{}}})
			default:
				c.add()
			}
		}
		if step == 3 { // damage
			files, _ := filepath.Glob(filepath.Join(dir, "*", "*.half"))
			for _, f := range files[len(files)/2:] {
				if err := os.WriteFile(f, []byte("FRAHALF1 garbage garbage"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		check(fmt.Sprint("step ", step))
	}
}

func TestNewStrokeRedrawsItsColumnAlone(t *testing.T) {
	dir := t.TempDir()
	c := newCrowd(t, 3, 2*canvas.MaxBeneath)
	h := shelf(t, dir)
	files := func() map[string]bool {
		names, _ := filepath.Glob(filepath.Join(dir, "*", "*.half"))
		m := map[string]bool{}
		for _, n := range names {
			m[n] = true
		}
		return m
	}
	c.picture(c.top.Parent(), h)
	before := files()
	at, _ := c.top.Shift(20, 1<<16, 1<<16) // in the crowded corner
	c.draw(at)
	c.picture(c.top.Parent(), h)
	fresh := 0
	for n := range files() {
		if !before[n] {
			fresh++
		}
	}
	if len(before) < 12 || fresh < 2 || fresh > len(before)/3 {
		t.Errorf("of %d kept quarters %d were made anew", len(before), fresh)
	}
}

// A stroke every few levels, and a crowd at the bottom: no cell is made from the bottom up through all of them.
func TestAnyNumberOfLevelsCostsNoMore(t *testing.T) {
	c := newCrowd(t, 4, 0)
	id := c.top
	for range 400 {
		c.draw(id)
		id, _ = id.Shift(17, 1<<16, 1<<16)
	}
	for range canvas.MaxBeneath + 1 {
		at, _ := id.Shift(3, c.rng.Int64N(8), c.rng.Int64N(8))
		c.draw(at)
	}
	h := shelf(t, t.TempDir())
	if p := c.picture(c.top, h); !p.Below || p.Version != uint64(c.Seq()) {
		t.Errorf("below %v, version %d", p.Below, p.Version)
	}
	above, _ := id.Shift(-6, 0, 0)
	if p := c.picture(above, h); p.Format != cell.FormatPNG {
		t.Error("the crowd cannot be seen from six levels above")
	}
}

func TestCrowdedCellsStayTrueWhileOthersDraw(t *testing.T) {
	c := newCrowd(t, 5, canvas.MaxBeneath+100)
	h := shelf(t, t.TempDir())
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 60 {
			if i%20 == 19 {
				c.do(&wire.Op{Body: &wire.Op_Undo{Undo: &wire.Undo{}}})
			} else {
				c.add()
			}
		}
	})
	for range 4 {
		c.picture(c.top, h)
	}
	wg.Wait()
	if got, want := c.picture(c.top, h), c.picture(c.top, nil); !same(got, want) {
		t.Error("what was kept under way is not true")
	}
}
