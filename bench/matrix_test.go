package bench

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"fractal/canvas"
	"fractal/cell"
	"fractal/exchange/demo"
	"fractal/ink"
	"fractal/source"
	"fractal/tile"
	"fractal/wire"
)

var update = flag.Bool("update", false, "rewrite testdata")

// The matrix: so many cells of each scene, at levels from these on. Positions are where strokes are.
const (
	matrixCells = 240
	matrixFirst = -6
	matrixLast  = 20
)

// matrixScenes are the canvases the matrix looks at: the published measurements' drawings (the larger with fewer points, or
// preparing its outlines would take most of a minute), the demo, and shapes that once were, or could be, trouble.
func matrixScenes(t *testing.T) map[string]*canvas.Canvas {
	scenes := map[string]*canvas.Canvas{}
	for name, s := range map[string]Shape{
		"nested-2k":  {Strokes: 1_869, Points: 40_000, Crowds: []int{499, 490, 480}},
		"nested-20k": {Strokes: 20_000, Points: 160_000, Crowds: []int{8_000, 2_590, 2_560, 2_550}},
	} {
		scenes[name] = canvasOf(t, slices.Collect(Corpus(s, 1)))
	}
	var earth []*ink.Stroke
	for rec, err := range demo.Earth() {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Stroke != nil && len(earth) < 3000 {
			earth = append(earth, rec.Stroke)
		}
	}
	scenes["earth"] = canvasOf(t, earth)
	scenes["adversarial"] = canvasOf(t, adversaries(t))
	return scenes
}

func canvasOf(t *testing.T, strokes []*ink.Stroke) *canvas.Canvas {
	c := canvas.New()
	for i, s := range strokes {
		op, err := proto.Marshal(&wire.Op{Session: make([]byte, 16), Number: uint64(i + 1), Body: &wire.Op_Stroke{Stroke: s.Wire()}})
		if err != nil {
			t.Fatal(err)
		}
		if r := c.Apply(&wire.Entry{Person: make([]byte, 16), Op: op}); r.Outcome != canvas.Applied {
			t.Fatalf("stroke %d: %s", i, r.Reason)
		}
	}
	return c
}

// adversaries are strokes of every brush and of awkward shapes, over one another, at several levels.
func adversaries(t *testing.T) []*ink.Stroke {
	rng := rand.New(rand.NewPCG(9, 60))
	brushes := []ink.BrushID{ink.Pen, ink.Highlighter, ink.Eraser, ink.Liner}
	shapes := []func(n int) []ink.Point{
		func(n int) (pts []ink.Point) { // hundreds of samples in one pixel
			for range n {
				pts = append(pts, ink.Point{X: 9000 + rng.Int64N(64), Y: 9000 + rng.Int64N(64), D: 1 + rng.Int32N(200)})
			}
			return pts
		},
		func(n int) (pts []ink.Point) { // there and back on the same line
			for i := range n {
				pts = append(pts, ink.Point{X: int64(i%2) * 14000, Y: 5000 + int64(i/8)*40, D: 300})
			}
			return pts
		},
		func(n int) (pts []ink.Point) { // on grid lines and vertices
			for range n {
				pts = append(pts, ink.Point{X: rng.Int64N(16) * 1024, Y: rng.Int64N(16) * 1024, D: 128})
			}
			return pts
		},
		func(n int) (pts []ink.Point) { // circles within circles
			for i := range n {
				pts = append(pts, ink.Point{X: 8000 + rng.Int64N(900), Y: 8000 + rng.Int64N(900), D: int32(1 + (i*7919)%16000)})
			}
			return pts
		},
		func(n int) (pts []ink.Point) { // a spiral that grows
			for i := range n {
				a := float64(i) * 0.3
				pts = append(pts, ink.Point{X: 8000 + int64(math.Cos(a)*a*60), Y: 8000 + int64(math.Sin(a)*a*60), D: int32(20 + 2*i)})
			}
			return pts
		},
		func(int) []ink.Point { return []ink.Point{{X: 4096, Y: 4096, D: 1}} },
		func(int) []ink.Point { return []ink.Point{{X: 1, Y: 1, D: 1 << 20}, {X: 2, Y: 1, D: 1 << 20}} },
		func(int) []ink.Point {
			return []ink.Point{{X: -1 << 40, Y: 3000, D: 64}, {X: 1 << 40, Y: 3001, D: 4096}}
		},
	}
	var all []*ink.Stroke
	for i := range 400 {
		z := []int{-3, 0, 2, 7, 12, 30}[rng.IntN(6)]
		home := tile.At(z, rng.Int64N(3), rng.Int64N(3))
		color := rng.Uint32() | []uint32{0xff, 0x40, 0x01}[rng.IntN(3)]
		s, err := ink.New(home, brushes[rng.IntN(4)], color, shapes[i%len(shapes)](2+rng.IntN(60)))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// matrixTiles are different tiles where strokes are, by turns of every level: at the coarse ones there are few.
func matrixTiles(c *canvas.Canvas) []tile.ID {
	strokes := slices.Collect(c.All())
	rng := rand.New(rand.NewPCG(240, 4))
	seen := map[tile.ID]bool{}
	var all []tile.ID
	for len(all) < matrixCells {
		for z := matrixFirst; z <= matrixLast && len(all) < matrixCells; z++ {
			for range 4 { // most coarse ones have been seen
				s := strokes[rng.IntN(len(strokes))].Stroke
				pts := s.Points(nil)
				p := pts[rng.IntN(len(pts))]
				switch r := int64(p.D) / 2; rng.IntN(4) { // at the border of the sample, or the cell would be all of one colour
				case 0:
					p.X += r
				case 1:
					p.X -= r
				case 2:
					p.Y += r
				default:
					p.Y -= r
				}
				id, ok := s.Home().Shift(0, p.X>>14, p.Y>>14)
				if d := z - id.Level(); ok && d <= 0 {
					id, ok = id.Shift(d, 0, 0)
				} else if ok { // within the sample's tile, where the sample is
					sub := min(d, 14)
					id, ok = id.Shift(sub, (p.X&16383)>>(14-sub), (p.Y&16383)>>(14-sub))
					if ok && d > sub {
						id, ok = id.Shift(d-sub, rng.Int64N(1<<min(d-sub, 20)), rng.Int64N(1<<min(d-sub, 20)))
					}
				}
				if ok && !seen[id] {
					seen[id] = true
					all = append(all, id)
					break
				}
			}
		}
	}
	return all
}

// TestMatrixOfCellsIsAsEver holds 960 cells, as they are decoded, to what they were: scenes × levels × positions, through the
// canvas's index, the painter or the derivation from children, and the encoder. A change that is not meant to move a pixel
// must not; one that is rewrites the file (-update), says why, and raises source.Pixels.
func TestMatrixOfCellsIsAsEver(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	scenes := matrixScenes(t)
	var lines []string
	for _, name := range []string{"nested-2k", "nested-20k", "earth", "adversarial"} {
		c := scenes[name]
		ids := matrixTiles(c)
		got := make([]string, len(ids))
		var wg sync.WaitGroup
		work := make(chan int)
		for range runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				var s cell.Scratch
				for i := range work {
					got[i] = fmt.Sprintf("%s %v %s", name, ids[i], hashOf(t, c, ids[i], &s))
				}
			})
		}
		for i := range ids {
			work <- i
		}
		close(work)
		wg.Wait()
		lines = append(lines, got...)
	}
	file := filepath.Join("testdata", "matrix.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) != 4*matrixCells || len(want) != len(lines) {
		t.Fatalf("%d cells, %d are known", len(lines), len(want))
	}
	wrong := 0
	for i := range lines {
		if lines[i] != want[i] {
			if wrong++; wrong <= 5 {
				t.Errorf("%s, was %s", lines[i], want[i])
			}
		}
	}
	if wrong > 5 {
		t.Errorf("%d cells in all are not what they were", wrong)
	}
}

// hashOf draws a cell as a server does and hashes its pixels: straight, 8 bits a channel.
func hashOf(t *testing.T, c *canvas.Canvas, id tile.ID, s *cell.Scratch) string {
	var last cell.Picture
	if err := (source.Ink{Canvas: c}).Draw(context.Background(), id, s, func(p cell.Picture) { last = p }); err != nil {
		t.Errorf("%v: %v", id, err)
		return ""
	}
	if last.Provisional {
		t.Errorf("%v: its last picture is provisional", id)
	}
	h := sha256.New()
	if last.Format == cell.FormatSolid {
		return fmt.Sprintf("solid %x", last.Data)
	}
	m, err := png.Decode(bytes.NewReader(last.Data))
	if err != nil {
		t.Errorf("%v: %v", id, err)
		return ""
	}
	var row [tile.Size]uint32
	for y := range tile.Size {
		for x := range row {
			p := color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
			row[x] = uint32(p.R) | uint32(p.G)<<8 | uint32(p.B)<<16 | uint32(p.A)<<24
		}
		binary.Write(h, binary.LittleEndian, row[:])
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:6])
}
