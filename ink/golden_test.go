package ink

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"fractal/tile"
	"fractal/wire"
)

var update = flag.Bool("update", false, "write the golden files anew")

// shape is one golden: packed samples, and what they must expand to in Go and in TypeScript, bit for bit. Short rows of
// numbers are written out; of long ones the hash.
type shape struct {
	Name     string
	Brush    BrushID
	Width    int32
	Points   string // hex
	Lead     bool
	Tail     bool
	Coarse   int
	Scale    float64
	Circles  row // x, y, r
	Outline  row // x, y
	Contours []int
}

type row struct {
	Count  int
	Hash   string    // FNV-1a, 64 bits, of the little-endian float64s
	Values []float64 `json:",omitempty"`
}

func rowOf(v []float64) row {
	h := fnv.New64a()
	for _, f := range v {
		u := math.Float64bits(f + 0) // no −0
		h.Write([]byte{byte(u), byte(u >> 8), byte(u >> 16), byte(u >> 24), byte(u >> 32), byte(u >> 40), byte(u >> 48), byte(u >> 56)})
	}
	r := row{Count: len(v), Hash: hex.EncodeToString(h.Sum(nil))}
	if len(v) <= 120 {
		r.Values = v
	}
	return r
}

// shapes are made of fixed seeds and of cases that broke or might break.
func shapes() (all []shape) {
	add := func(name string, brush BrushID, pts []Point, coarse int, scale float64) {
		s := shape{Name: name, Brush: brush, Coarse: coarse, Scale: scale}
		s.Width = pts[0].D
		for _, p := range pts {
			if p.D != s.Width {
				s.Width = 0
			}
		}
		s.Points = hex.EncodeToString(appendPoints(nil, pts, s.Width))
		all = append(all, s)
	}
	add("dot", Pen, []Point{{100, -200, 333}}, 0, 1.0/64)
	add("equal points", Pen, []Point{{5, 5, 64}, {5, 5, 64}, {5, 5, 64}}, 0, 1.0/64)
	add("line", Liner, []Point{{0, 0, 64}, {640, 480, 64}}, 0, 1.0/64)
	add("taper", Liner, []Point{{0, 0, 1000}, {3000, 500, 10}}, 0, 1.0/64)
	add("contained", Liner, []Point{{0, 0, 1000}, {50, 10, 100}, {40, 0, 2000}}, 0, 1.0/64)
	add("there and back", Pen, []Point{{0, 0, 300}, {5000, 0, 300}, {0, 0, 300}}, 0, 1.0/64)
	add("bend", Pen, []Point{{0, 0, 200}, {300, 10, 210}, {500, 250, 190}, {480, 600, 140}}, 0, 1.0/64)
	add("far away", Pen, []Point{{tile.MaxLocal, -tile.MaxLocal, 77}, {tile.MaxLocal - 1000, 300 - tile.MaxLocal, 99}, {tile.MaxLocal - 1500, 1300 - tile.MaxLocal, 55}}, 0, 1.0/64)
	add("long hop", Pen, []Point{{-tile.MaxLocal, 5, 77}, {maxHop, 0, 3}, {maxHop - 7, maxHop, 3}, {0, 0, 900}}, 0, 1.0/4096)
	add("longest hop that bends", Pen, []Point{{0, 0, 50}, {maxHop, -maxHop, 60}, {2 * maxHop, 0, 50}}, 0, 1.0/4096)
	add("handwriting", Pen, handwriting(110), 0, 1.0/64)
	add("handwriting as shown", Pen, handwriting(110), 4, 1.0/64)
	add("highlighter", Highlighter, handwriting(40), 3, 1.4/64)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		pts := scribble(r, 1+r.IntN(60), 1+1000*r.Float64()*r.Float64(), 1+900*r.Float64()*r.Float64())
		add("scribble", BrushID(1+3*(i%2)), pts, r.IntN(7), math.Ldexp(1+float64(r.IntN(100))/100, -r.IntN(13)))
	}
	for i := range all {
		if n := i % 5; len(all[i].Points) > 60 {
			all[i].Lead, all[i].Tail = n == 1 || n == 2, n == 2 || n == 3
		}
		all[i].fill()
	}
	return all
}

func (s *shape) fill() {
	b, _ := hex.DecodeString(s.Points)
	circles := expandRun(&wire.Piece{Brush: uint32(s.Brush), Width: uint32(s.Width)},
		&wire.Run{Points: b, Lead: s.Lead, Tail: s.Tail}, s.Coarse)
	var flat []float64
	for _, c := range circles {
		flat = append(flat, c.X, c.Y, c.R)
	}
	var o Outline
	Hull(&o, circles, s.Scale)
	s.Circles, s.Outline, s.Contours = rowOf(flat), rowOf(o.XY), o.Ends
}

func TestShapesAreAsEver(t *testing.T) {
	got := shapes()
	name := filepath.Join("testdata", "shapes.json")
	if *update {
		writeJSON(t, name, got)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var want []shape
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d shapes, %d in the file", len(got), len(want))
	}
	for i, g := range got {
		w := want[i]
		if g.Points != w.Points || g.Circles.Hash != w.Circles.Hash || g.Outline.Hash != w.Outline.Hash || !slices.Equal(g.Contours, w.Contours) {
			t.Errorf("shape %d (%s):\ngot  %+v\nwant %+v", i, g.Name, g, w)
		}
	}
}

func writeJSON(t *testing.T, name string, v any) {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	// One line a number would be a long file.
	b = compact(b)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append(b, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// compact puts arrays of numbers on one line.
func compact(b []byte) []byte {
	var out []byte
	inNumbers := false
	for i, c := range b {
		switch {
		case c == '[' && !bytes.ContainsAny(b[i:i+1+bytes.IndexByte(b[i:], ']')], "{\""):
			inNumbers = true
		case c == ']':
			inNumbers = false
		}
		if inNumbers && (c == '\n' || c == ' ') {
			continue
		}
		out = append(out, c)
	}
	return out
}

// Files of testdata/v1 are never written again: what was logged once is read for ever.
func TestStrokesKeptByVersion1AreReadForEver(t *testing.T) {
	deep, err := tile.Parse("2000/5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a/-80000000000000000000000000000001")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []struct {
		file  string
		home  tile.ID
		brush BrushID
		color uint32
		pts   []Point
	}{
		{"stroke.bin", tile.At(3, 5, -9), Pen, 0x1971c2ff, []Point{{8000, 8000, 220}, {8190, 8010, 231}, {8360, 8090, 240}, {8500, 8230, 228}}},
		{"stroke-width.bin", tile.At(-40, 0, 0), Liner, 0x000000ff, []Point{{-1 << 40, 1 << 40, 64}, {1 << 40, 0, 64}}},
		{"stroke-deep.bin", deep, Eraser, 0x0000007f, []Point{{0, 0, 1 << 20}}},
	} {
		name := filepath.Join("testdata", "v1", k.file)
		made, err := New(k.home, k.brush, k.color, k.pts)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(name)
		if os.IsNotExist(err) && *update {
			if b, err = proto.Marshal(made.Wire()); err == nil {
				os.MkdirAll(filepath.Dir(name), 0o755)
				err = os.WriteFile(name, b, 0o644)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		var w wire.Stroke
		if err := proto.Unmarshal(b, &w); err != nil {
			t.Fatal(err)
		}
		s, err := FromWire(&w)
		if err != nil {
			t.Fatalf("%s: %v", k.file, err)
		}
		if s.Home() != k.home || s.Brush() != k.brush || s.Color() != k.color || !slices.Equal(s.Points(nil), k.pts) {
			t.Errorf("%s says %v %v %08x %v", k.file, s.Home(), s.Brush(), s.Color(), s.Points(nil))
		}
		for _, s := range []*Stroke{s, made} {
			if again, err := proto.Marshal(s.Wire()); err != nil || !bytes.Equal(again, b) {
				t.Errorf("%s is written as %x, %v", k.file, again, err)
			}
		}
	}
}
