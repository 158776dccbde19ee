package source

import (
	"context"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"fractal/canvas"
	"fractal/cell"
	"fractal/raster"
	"fractal/term"
	"fractal/tile"
	"fractal/wire"
)

// shown runs a program that prints text, which must end with "end.", and waits for that to be on the screen.
func shown(t testing.TB, shells *term.Shells, name, text string, cols, rows int) *term.Session {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	news := make(chan struct{}, 1)
	s, err := shells.Start(term.Spec{Name: name, Shell: "/bin/sh", Args: []string{"-c", "stty -opost -echo; cat " + file + "; exec cat"},
		Cols: cols, Rows: rows, Fixed: true, Dirty: func() { news <- struct{}{} }})
	if err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(textOf(s), "end.") {
		<-news
	}
	return s
}

func textOf(s *term.Session) (all string) {
	var row term.Row
	if f, ok := s.Frame(term.Held{}); ok {
		for _, r := range f.Changed {
			if row.Decode(r.Data) == nil {
				for _, g := range row.Glyphs {
					all += string(g.Text)
				}
			}
		}
	}
	return all
}

// save leaves a picture for somebody to look at.
func save(t testing.TB, m *raster.Image, name string) {
	t.Helper()
	out := &image.NRGBA{Pix: raster.AppendStraight8(nil, m), Stride: 4 * raster.Size, Rect: image.Rect(0, 0, raster.Size, raster.Size)}
	f, err := os.Create(filepath.Join(t.ArtifactDir(), name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, out); err != nil {
		t.Fatal(err)
	}
}

const sample = "\x1b[1mBold\x1b[0m plain \x1b[3mitalic\x1b[0m \x1b[1;3mboth\x1b[0m\r\n" +
	"\x1b[4mone\x1b[0m \x1b[4:2mtwo\x1b[0m \x1b[4:3mcurly\x1b[0m \x1b[4:4mdots\x1b[0m \x1b[9mgone\x1b[0m\r\n" +
	"\x1b[31mred\x1b[42mgreen\x1b[0m \x1b[7minverse\x1b[0m \x1b[38;2;255;128;0mtrue\x1b[0m\r\n" +
	"┌─┬┐╔═╦╗╓─╥╖╒═╤╕ ╭─╮╱╲\r\n├─┼┤╠═╬╣╟─╫╢╞═╪╡ │ │╳┄\r\n└─┴┘╚═╩╝╙─╨╜╘═╧╛ ╰─╯┇┋\r\n┏━┳┓┍━┯┑ ░▒▓█▌▐▀▄\r\n┣━╋┫┝━┿┥ ▁▂▃▄▅▆▇▖▗▘▙\r\n" +
	"┗━┻┛┕━┷┙ ⠁⠃⠇⡇⣇⣧⣷⣿ \ue0b0\ue0b2\r\n漢字 😀 e\u0301 ñ Ж λ → ✓\r\nend."

// placed is a canvas with terminals.
func placed(t testing.TB, all ...*wire.Terminal) *canvas.Canvas {
	t.Helper()
	c := canvas.New()
	for i, m := range all {
		put(t, c, uint64(i+1), &wire.Op{Body: &wire.Op_Terminal{Terminal: m}})
	}
	return c
}

func put(t testing.TB, c *canvas.Canvas, number uint64, op *wire.Op) {
	t.Helper()
	op.Session, op.Number = make([]byte, 16), number
	body, err := proto.Marshal(op)
	if err != nil {
		t.Fatal(err)
	}
	if r := c.Apply(&wire.Entry{Person: make([]byte, 16), Op: body}); r.Outcome != canvas.Applied {
		t.Fatal(r.Reason)
	}
}

func terminal(name string, home tile.ID, box tile.Box) *wire.Terminal {
	level, x, y := home.Wire()
	return &wire.Terminal{Name: name, Home: &wire.Tile{Level: level, X: x, Y: y}, Box: &wire.Box{MinX: box.MinX, MinY: box.MinY, MaxX: box.MaxX, MaxY: box.MaxY}}
}

// oneOf is a source with one terminal, named a.
func oneOf(t testing.TB, shells *term.Shells, box tile.Box) *Term {
	return NewTerm(placed(t, terminal("a", tile.At(0, 0, 0), box)), shells.Get)
}

func drawTerm(t testing.TB, k *Term, id tile.ID) (*raster.Image, cell.Picture) {
	t.Helper()
	sc := new(cell.Scratch)
	var last cell.Picture
	if err := k.Draw(t.Context(), id, sc, func(p cell.Picture) { last = p }); err != nil {
		t.Fatal(err)
	}
	return &sc.Image, last
}

// mean is the mean of a rectangle of pixels, each channel of 65535.
func mean(m *raster.Image, x0, y0, x1, y1 int) (c [4]float64) {
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			p := m.Pix[y*raster.Size+x]
			for i := range c {
				c[i] += float64(p>>(16*i)&0xffff) / float64((x1-x0)*(y1-y0))
			}
		}
	}
	return c
}

func TestATerminalLooksAlikeFromNearAndFar(t *testing.T) {
	shells := term.New(term.Config{})
	defer shells.Close()
	shown(t, shells, "a", sample, 32, 12)
	// A place and a size that no grid of pixels fits.
	k := oneOf(t, shells, tile.Box{MinX: 333, MinY: 777, MaxX: 333 + 15111, MaxY: 777 + 12000})
	for level := 3; level >= -12; level-- {
		parent, _ := drawTerm(t, k, tile.At(level, 0, 0))
		save(t, parent, fmt.Sprintf("level %d", level))
		for i := range 4 {
			child, _ := drawTerm(t, k, tile.At(level, 0, 0).Child(i))
			x, y := i%2*128, i/2*128
			// Squares of 16 pixels: where glyphs become ink, they move within their grid cells.
			for sq := range 64 {
				sx, sy := sq%8*16, sq/8*16
				up, down := mean(parent, x+sx, y+sy, x+sx+16, y+sy+16), mean(child, 2*sx, 2*sy, 2*sx+32, 2*sy+32)
				for c := range up {
					if d := math.Abs(up[c] - down[c]); d > 0.02*65535 {
						t.Fatalf("level %d, child %d, square %d,%d: mean %.0f, of the child %.0f", level, i, sx, sy, up, down)
					}
				}
			}
		}
	}
}

func TestNoSeamShowsBetweenGridCells(t *testing.T) {
	shells := term.New(term.Config{})
	defer shells.Close()
	shown(t, shells, "a", "\x1b[38;2;255;0;0;48;2;255;0;0m"+strings.Repeat("█▄▀▌▐▙▟▛▜ ▁▂▃▄▅▆▇", 200)+"\x1b[8mend.", 40, 30)
	k := oneOf(t, shells, tile.Box{MinX: -3333, MinY: -5777, MaxX: 29111, MaxY: 42889})
	for level := -2; level < 4; level++ {
		m, _ := drawTerm(t, k, tile.At(level, 0, 0))
		for y := 2; y < 30; y++ { // within the grid at all those levels
			for x := 2; x < 60; x++ {
				if p := m.Pix[y*raster.Size+x]; p != 0xffff_0000_0000_ffff {
					save(t, m, fmt.Sprintf("level %d", level))
					t.Fatalf("level %d: pixel %d,%d is %x", level, x, y, uint64(p))
				}
			}
		}
	}
}

func TestATerminalTooSmallToSeeIsTold(t *testing.T) {
	shells := term.New(term.Config{})
	defer shells.Close()
	k := oneOf(t, shells, tile.Box{MaxX: tile.Units, MaxY: tile.Units})
	for level, below := range map[int]bool{0: false, -8: false, -12: false, -13: true, -200: true, -3000: true, 20: false, 3000: false, tile.MaxLevel: false, -tile.MaxLevel: true} {
		m, p := drawTerm(t, k, tile.At(level, 0, 0))
		if p.Below != below {
			t.Errorf("level %d: below is %v", level, p.Below)
		}
		if level >= -8 && m.Pix[0]>>48 != 65535 {
			t.Errorf("level %d: nothing is there", level)
		}
	}
	m, _ := drawTerm(t, k, tile.At(0, 0, 0))
	if !slices.ContainsFunc(m.Pix[:], func(p raster.Pixel) bool { return p&0xffff > 80*257 }) {
		t.Error("where no program runs its name is not seen")
	}
}

func TestVersionsGrowWithWhatATerminalShows(t *testing.T) {
	shells := term.New(term.Config{})
	defer shells.Close()
	whole := tile.Box{MaxX: tile.Units, MaxY: tile.Units}
	on := placed(t, terminal("t0", tile.At(0, 0, 0), whole), terminal("t1", tile.At(0, 1, 0), whole))
	k := NewTerm(on, shells.Get)
	left, right, both, none := tile.At(0, 0, 0), tile.At(0, 1, 0), tile.At(-1, 0, 0), tile.At(0, 5, 5)
	if v := k.Version(none); v != 0 {
		t.Fatalf("where there never was a terminal the version is %d", v)
	}
	a, b, c := k.Version(left), k.Version(right), k.Version(both)
	if a == 0 || b == 0 || c < max(a, b) {
		t.Fatalf("versions %d, %d, of both %d", a, b, c)
	}
	s := shown(t, shells, "t0", "one\r\nend.", 20, 5)
	if k.Version(left) <= a || k.Version(both) <= c || k.Version(right) != b {
		t.Fatal("a program was started: the versions of its tiles must grow, no other")
	}
	_, p := drawTerm(t, k, left)
	if v := k.Version(left); v != p.Version {
		t.Fatalf("drawn as of %d, now %d, and nothing happened", p.Version, v)
	}
	news := s.Version()
	if err := s.Input(1, []byte("\x1b[41;1J\n")); err != nil {
		t.Fatal(err)
	}
	for s.Version() == news {
		s.Frame(term.Held{})
	}
	if v := k.Version(left); v <= p.Version {
		t.Fatalf("it printed, and the version is %d as before", v)
	}
	put(t, on, 3, &wire.Op{Body: &wire.Op_Undo{Undo: &wire.Undo{}}}) // of the other
	if v := k.Version(both); v <= c {
		t.Fatal("a terminal was taken away, and the version has not grown")
	}
	shells.End(s)
	if _, p2 := drawTerm(t, k, left); p2.Version <= p.Version {
		t.Fatal("a program was ended, and the version has not grown")
	}
}

// FuzzGlyphs draws whatever runes there are.
func FuzzGlyphs(f *testing.F) {
	f.Add(uint32('A'), uint8(0), true)
	f.Add(uint32(0x2593), uint8(1), false)
	f.Add(uint32(0x1fb3b), uint8(2), false)
	f.Add(uint32(0x10ffff), uint8(3), true)
	own := new(termScratch)
	dst := new(raster.Image)
	f.Fuzz(func(t *testing.T, r uint32, style uint8, wide bool) {
		o := own.glyphs.get(rune(r&0x1fffff), face(style&3), wide, 1)
		if o == nil {
			return
		}
		own.points = o.edges(&own.z, own.points, 100, 100, 2)
		own.fill(dst, 0xffffff, 255)
		ink := o.coverage(&own.z, own.points, wide)
		var a, b uint64
		for y := range raster.Size {
			for x := range raster.Size {
				p := uint64(dst.Pix[y*raster.Size+x] >> 48)
				if y < 116 {
					a += p
				} else {
					b += p
				}
			}
		}
		dst.Clear()
		area := uint64(16 * 16)
		if wide {
			area *= 2
		}
		if o.missing {
			area *= 2
		}
		for i, got := range [2]uint64{a / area, b / area} {
			if want := uint64(ink[i]); got > want+700 && want < 65535 || got+700 < want {
				t.Fatalf("rune %x: half %d covers %d, told %d", r, i, got, want)
			}
		}
	})
}

func TestEveryLineEndsWhereItsNeighboursBegin(t *testing.T) {
	// An arm of a box drawing character must cover the middle of the side it goes to, and nothing else may.
	own, dst := new(termScratch), new(raster.Image)
	for r := rune(0x2500); r < 0x2580; r++ {
		a := arms[r-0x2500]
		if a == "" {
			continue
		}
		o := own.glyphs.get(r, 0, false, 1)
		dst.Clear()
		own.points = o.edges(&own.z, own.points, 0, 0, 4) // 32 × 64 px
		own.fill(dst, 0xffffff, 255)
		lit := func(x, y int) bool { return dst.Pix[y*raster.Size+x]>>48 > 0x7fff }
		double := func(w byte, x0, y0, x1, y1, mx, my int) bool {
			if w == '3' {
				return lit(x0, y0) && lit(x1, y1) && !lit(mx, my)
			}
			return lit(mx, my) == (w != '0')
		}
		if !double(a[0], 0, 26, 0, 37, 0, 32) || !double(a[1], 31, 26, 31, 37, 31, 32) ||
			!double(a[2], 10, 0, 21, 0, 16, 0) || !double(a[3], 10, 63, 21, 63, 16, 63) {
			save(t, dst, fmt.Sprintf("%x", r))
			t.Errorf("%c (%x, arms %s) does not reach its sides", r, r, a)
		}
	}
}

// cpuTime is what this process has used: the machine may be busy with other things.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkTerminalCell(b *testing.B) {
	shells := term.New(term.Config{Max: 200})
	defer shells.Close()
	rnd := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for range 23 {
		for x := 0; x < 70; x += 7 {
			fmt.Fprintf(&text, "\x1b[%dm%s ", 31+rnd.IntN(7), "abcdef ghij"[rnd.IntN(5):][:6])
		}
		text.WriteString("\r\n")
	}
	text.WriteString("end.")
	const side = 10
	for i := range side * side {
		shown(b, shells, fmt.Sprint(i), text.String(), 80, 24)
	}
	var all []*wire.Terminal
	for i := range side * side {
		all = append(all, terminal(fmt.Sprint(i), tile.At(0, int64(3*(i%side)), int64(2*(i/side))), tile.Box{MaxX: 40960, MaxY: 24576}))
	}
	k := NewTerm(placed(b, all...), shells.Get)
	for _, c := range []struct {
		name string
		id   tile.ID
	}{{"1near", tile.At(0, 0, 0)}, {"1whole", tile.At(-2, 0, 0)}, {"4", tile.At(-3, 0, 0)}, {"100", tile.At(-5, 0, 0)}} {
		b.Run(c.name, func(b *testing.B) {
			sc := new(cell.Scratch)
			b.ReportAllocs()
			begun := cpuTime()
			for b.Loop() {
				k.Draw(context.Background(), c.id, sc, func(cell.Picture) {})
			}
			b.ReportMetric((cpuTime()-begun).Seconds()*1e3/float64(b.N), "cpu-ms/op")
		})
		b.Run(c.name+"/changed", func(b *testing.B) {
			sc := new(cell.Scratch)
			b.ReportAllocs()
			begun := cpuTime()
			for b.Loop() {
				for _, s := range k.seen {
					s.glass.Store(nil)
				}
				k.Draw(context.Background(), c.id, sc, func(cell.Picture) {})
			}
			b.ReportMetric((cpuTime()-begun).Seconds()*1e3/float64(b.N), "cpu-ms/op")
		})
	}
}
