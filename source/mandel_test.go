package source_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/big"
	"slices"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"fractal/canvas"
	"fractal/cell"
	"fractal/mandel"
	"fractal/source"
	"fractal/tile"
	"fractal/wire"
)

// homeView is a place on the tile with the whole set in it, and 1/8 of the tile free around it.
func homeView(t testing.TB, home tile.ID) *wire.Place {
	t.Helper()
	level, x, y := home.Wire()
	return &wire.Place{
		Home: &wire.Tile{Level: level, X: x, Y: y}, Box: &wire.Box{MinX: 2048, MinY: 2048, MaxX: 14336, MaxY: 14336},
		Re: &wire.Dyadic{Mantissa: []byte{0xf5}, Exp: -2}, Im: &wire.Dyadic{Mantissa: []byte{2}}, Unit: -12,
		Palette: &wire.Palette{Colors: []byte{0, 0, 99, 255, 255, 255, 200, 80, 0}, Inside: 0x102030ff},
	}
}

func with(t testing.TB, places ...*wire.Place) *canvas.Canvas {
	t.Helper()
	c := canvas.New()
	for i, p := range places {
		b, err := proto.Marshal(&wire.Op{Session: bytes.Repeat([]byte{1}, 16), Number: uint64(i + 1), Body: &wire.Op_Place{Place: p}})
		if err != nil {
			t.Fatal(err)
		}
		if r := c.Apply(&wire.Entry{Person: bytes.Repeat([]byte{2}, 16), Op: b}); r.Outcome != canvas.Applied {
			t.Fatal(r.Reason)
		}
	}
	return c
}

// pictures are all that a cell emits.
func pictures(t testing.TB, c *canvas.Canvas, id tile.ID) (all []cell.Picture) {
	t.Helper()
	err := source.Mandel{Canvas: c}.Draw(context.Background(), id, new(cell.Scratch), func(p cell.Picture) { all = append(all, p) })
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// coloured is the picture that a page makes of phases.
func coloured(p cell.Picture) (image.Image, error) {
	if p.Format == cell.FormatPNG { // more than one place
		return png.Decode(bytes.NewReader(p.Data))
	}
	if p.Format != cell.FormatPhases {
		return nil, fmt.Errorf("a picture of format %d", p.Format)
	}
	n, size := binary.Uvarint(p.Data)
	var w wire.Palette
	if err := proto.Unmarshal(p.Data[size:size+int(n)], &w); err != nil {
		return nil, err
	}
	colours := mandel.Palette{Inside: w.Inside >> 8, Cycle: float64(w.Cycle) / 256, Offset: float64(w.Offset) / 65536}
	for c := w.Colors; len(c) >= 3; c = c[3:] {
		colours.Colors = append(colours.Colors, uint32(c[0])<<16|uint32(c[1])<<8|uint32(c[2]))
	}
	shader := colours.Shader()
	rest := p.Data[size+int(n):]
	var phases image.Image = image.NewUniform(color.NRGBA{rest[1], rest[2], rest[3], rest[4]})
	if rest[0] == cell.FormatPNG {
		var err error
		if phases, err = png.Decode(bytes.NewReader(rest[1:])); err != nil {
			return nil, err
		}
	}
	img := image.NewNRGBA(image.Rect(0, 0, 256, 256))
	for y := range 256 {
		for x := range 256 {
			c := color.NRGBAModel.Convert(phases.At(x, y)).(color.NRGBA)
			v := int(c.R)<<8 | int(c.G)
			rgb := shader.Inside()
			if v >= 2 {
				rgb = shader.At(v - 2)
			}
			if v > 0 {
				img.SetNRGBA(x, y, color.NRGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255})
			}
		}
	}
	return img, nil
}

func TestNewColoursComputeNothing(t *testing.T) {
	p := homeView(t, tile.ID{})
	again := proto.Clone(p).(*wire.Place)
	again.Palette.Colors = []byte{255, 0, 0, 0, 255, 0}
	c := with(t, p)
	sources := source.Of(c, source.With{})
	draw := func(id tile.ID) (all []cell.Picture) {
		if err := sources[cell.KindMandel].Draw(context.Background(), id, new(cell.Scratch), func(p cell.Picture) { all = append(all, p) }); err != nil {
			t.Fatal(err)
		}
		return all
	}
	id := tile.At(4, 5, 7)
	if all := draw(id); len(all) != 3 {
		t.Fatalf("%d pictures at first", len(all))
	}
	c2 := with(t, p, again)
	sources = source.Of(c2, source.With{})
	all := draw(id)
	if len(all) != 1 || all[0].Provisional || all[0].Version != 2 {
		t.Fatalf("%d pictures in new colours", len(all))
	}
	fresh := pictures(t, c2, id)
	if !bytes.Equal(all[0].Data, fresh[len(fresh)-1].Data) {
		t.Error("the picture in new colours is not the one drawn from nothing")
	}
	again = proto.Clone(p).(*wire.Place)
	again.Palette.Cycle = 77
	sources = source.Of(with(t, again), source.With{})
	if all := draw(id); len(all) != 3 {
		t.Errorf("another cycle has other phases, and %d pictures came", len(all))
	}
}

func TestAPlaceComesCoarseToFine(t *testing.T) {
	c := with(t, homeView(t, tile.ID{}))
	all := pictures(t, c, tile.ID{})
	if len(all) != 3 || !all[0].Provisional || !all[1].Provisional || all[2].Provisional || all[2].Version != 1 {
		t.Fatalf("%d pictures, the last %v of version %d", len(all), all[len(all)-1].Provisional, all[len(all)-1].Version)
	}
	img, err := coloured(all[2])
	if err != nil {
		t.Fatal(err)
	}
	at := func(x, y int) uint32 {
		c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
		return uint32(c.R)<<24 | uint32(c.G)<<16 | uint32(c.B)<<8 | uint32(c.A)
	}
	for _, p := range []struct {
		x, y int
		want uint32
		what string
	}{{31, 100, 0, "left of the box"}, {224, 100, 0, "right of the box"}, {100, 31, 0, "above"}, {176, 128, 0x102030ff, "0, in the set"}, {112, 128, 0x102030ff, "-1, in the set"}} {
		if got := at(p.x, p.y); got != p.want {
			t.Errorf("%s: %08x, want %08x", p.what, got, p.want)
		}
	}
	if at(32, 32)&255 != 255 || at(223, 223)&255 != 255 {
		t.Error("the corners of the box are not painted")
	}
	if all := pictures(t, c, tile.At(0, 1, 0)); len(all) != 1 || all[0].Version != 0 || all[0].Format != cell.FormatSolid {
		t.Errorf("beside the place: %+v", all)
	}
}

// deep is a tile of a canvas with homeView at home that shows the decimal point re + i·im.
func deep(t testing.TB, home tile.ID, re, im string, levels int) tile.ID {
	t.Helper()
	at := func(text, corner string, sign int) *big.Int {
		v, err := mandel.ParseFixed(text, levels+8)
		if err != nil {
			t.Fatal(err)
		}
		o, err := mandel.ParseFixed(corner, 8)
		if err != nil {
			t.Fatal(err)
		}
		d := v.Sub(o)
		if sign < 0 {
			d = d.Neg()
		}
		return d.Shift(-2).Scaled(levels) // the home is 4 wide
	}
	x, y := at(re, "-2.75", 1), at(im, "2", -1)
	x.Add(x, new(big.Int).Lsh(home.X(), uint(levels)))
	y.Add(y, new(big.Int).Lsh(home.Y(), uint(levels)))
	id, err := tile.New(home.Level()+levels, x, y)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// flake is a needle near -2 with detail at all depths (rust-fractal's location of that name, to 60 digits).
const flakeRe, flakeIm = "-1.999966194450370304184346885063505796755312415872484254476", "-0.000000000000000000000000000000000000000000000000000000000"

func TestAPlaceLooksTheSameEverywhere(t *testing.T) {
	far, err := tile.New(60, new(big.Int).Lsh(big.NewInt(1), 60), new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), 60)))
	if err != nil {
		t.Fatal(err)
	}
	for _, levels := range []int{5, 40, 90} {
		var first []byte
		for _, home := range []tile.ID{tile.ID{}, far, tile.At(2003, -5, 17), tile.At(-333, 1, 1)} {
			all := pictures(t, with(t, homeView(t, home)), deep(t, home, flakeRe, flakeIm, levels))
			last := all[len(all)-1]
			if first == nil {
				first = last.Data
				if last.Format == cell.FormatSolid {
					t.Errorf("%d levels down there is nothing to see", levels)
				}
			} else if !bytes.Equal(first, last.Data) {
				t.Errorf("%d levels down in %v it looks otherwise", levels, home)
			}
		}
	}
}

func TestManyWorkersDrawWhatOneDraws(t *testing.T) {
	c := with(t, homeView(t, tile.ID{}))
	ids := []tile.ID{deep(t, tile.ID{}, flakeRe, flakeIm, 60)}
	for i := range int64(3) {
		n, _ := ids[0].Shift(0, i+1, 1)
		ids = append(ids, n)
	}
	var want [][]byte
	for _, id := range ids {
		all := pictures(t, c, id)
		want = append(want, all[len(all)-1].Data)
	}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			order := slices.Clone(ids)
			for i := range order {
				k := (i*3 + w) % len(order)
				all := pictures(t, c, order[k])
				if !bytes.Equal(all[len(all)-1].Data, want[k]) {
					t.Errorf("worker %d drew cell %d otherwise", w, k)
				}
			}
		})
	}
	wg.Wait()
}

func TestADrawingNobodyWantsEnds(t *testing.T) {
	c := with(t, homeView(t, tile.ID{}))
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	err := source.Mandel{Canvas: c}.Draw(ctx, deep(t, tile.ID{}, flakeRe, flakeIm, 70), new(cell.Scratch), func(p cell.Picture) {
		n++
		cancel()
	})
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("%v after %d pictures", err, n)
	}
}

func TestTheUpperPlaceIsSeen(t *testing.T) {
	above := homeView(t, tile.ID{})
	above.Palette.Inside = 0xff0000ff
	above.Box = &wire.Box{MaxX: 8192, MaxY: 16384}
	above.Limit = 77
	all := pictures(t, with(t, homeView(t, tile.ID{}), above), tile.ID{})
	img, err := coloured(all[2])
	if err != nil {
		t.Fatal(err)
	}
	at := func(x, y int) uint32 {
		c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
		return uint32(c.R)<<24 | uint32(c.G)<<16 | uint32(c.B)<<8 | uint32(c.A)
	}
	if a, b := at(112, 128), at(176, 128); a != 0xff0000ff || b != 0x102030ff {
		t.Errorf("%08x on the left, %08x on the right", a, b)
	}
}

// A view of several cells on one slot: each has its coarse picture before any is settled, and what is settled is what an
// undisturbed drawing gives.
func TestEveryCellOfAViewIsShownBeforeOneIsSettled(t *testing.T) {
	box := homeView(t, tile.ID{})
	c := with(t, box)
	pool := cell.NewPool(1, 64<<20)
	defer pool.Close()
	type seen struct {
		key         cell.Key
		provisional bool
	}
	ready := make(chan seen, 256)
	var cells *cell.Cells
	made := make(chan struct{})
	cells = pool.Room(source.Of(c, source.With{}), func(k cell.Key) {
		<-made
		p, _ := cells.Newest(k)
		ready <- seen{k, p.Provisional}
	})
	close(made)
	first := deep(t, tile.ID{}, "-0.743643887037158704752191506114774", "0.131825904205311970493132056385139", 12)
	var wants []cell.Want
	settled := map[cell.Key]bool{}
	for i := range int64(6) {
		id, _ := first.Shift(0, i%3, i/3)
		k := cell.Key{Kind: cell.KindMandel, ID: id}
		wants = append(wants, cell.Want{Key: k, Least: 1, Rank: int(i)})
	}
	cells.Want(1, wants)
	shown := map[cell.Key]bool{}
	for len(settled) < len(wants) {
		s := <-ready
		shown[s.key] = true
		if !s.provisional {
			settled[s.key] = true
			if len(shown) < len(wants) {
				t.Fatalf("a cell is settled while %d of %d have nothing to show", len(wants)-len(shown), len(wants))
			}
		}
	}
	for _, w := range wants {
		p, ok := cells.Newest(w.Key)
		all := pictures(t, c, w.Key.ID)
		if last := all[len(all)-1]; !ok || !bytes.Equal(p.Data, last.Data) || p.Format != last.Format {
			t.Errorf("cell %v is another when others had turns in between", w.Key.ID)
		}
	}
}

// alike says whether nobody tells two colours apart.
func alike(a, b color.Color) bool {
	r1, g1, b1, _ := a.RGBA()
	r2, g2, b2, _ := b.RGBA()
	far := 0
	for _, d := range [...]int{int(r1) - int(r2), int(g1) - int(g2), int(b1) - int(b2)} {
		far = max(far, d, -d)
	}
	return far <= 0x202
}

func TestACellBelowBeginsWithWhatTheCellAboveHas(t *testing.T) {
	c := with(t, homeView(t, tile.ID{}))
	up := deep(t, tile.ID{}, "-0.7436438870371587047521915", "0.1318259042053119704931320", 50)
	decode := func(p cell.Picture) image.Image {
		img, err := coloured(p)
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	var alone [4][]cell.Picture
	for q := range 4 {
		alone[q] = pictures(t, c, up.Child(q))
		if len(alone[q]) != 3 {
			t.Fatalf("%d pictures of a cell nobody came to from above", len(alone[q]))
		}
	}
	all := pictures(t, c, up)
	above := decode(all[len(all)-1])
	for q := range 4 {
		got := pictures(t, c, up.Child(q))
		if len(got) != 2 || !got[0].Provisional || got[1].Provisional {
			t.Fatalf("child %d: %d pictures, want what the cell above has, and the settled one", q, len(got))
		}
		if !bytes.Equal(got[1].Data, alone[q][2].Data) {
			t.Errorf("child %d is settled otherwise", q)
		}
		first, settled, near := decode(got[0]), decode(got[1]), 0
		for y := range 256 {
			for x := range 256 {
				if first.At(x, y) != above.At(q&1*128+x/2, q>>1*128+y/2) {
					t.Fatalf("child %d: pixel %d,%d is not that of the cell above", q, x, y)
				}
				// Sheaves stray by 2^-15 of a sample, each cell's by itself.
				if x%2 == 0 && y%2 == 0 && alike(first.At(x, y), settled.At(x, y)) {
					near++
				}
			}
		}
		if near < 128*128*98/100 {
			t.Errorf("child %d: only %d of %d samples of the cell above are samples of it", q, near, 128*128)
		}
	}
}
