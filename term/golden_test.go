package term

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"fractal/vt"
)

var update = flag.Bool("update", false, "write testdata/*.jsonl anew")

// goldenRow is a row's bytes and what they say, which the page reads, too (web/test/termrow.test.ts). Glyphs nil: they are no row.
type goldenRow struct {
	Hex    string        `json:"hex"`
	Flags  int           `json:"flags"` // 1 the text goes on, and the mark in the three bits above
	Cells  int           `json:"cells"`
	Glyphs []goldenGlyph `json:"glyphs"`
}

type goldenGlyph struct {
	X    int    `json:"x"`
	W    int    `json:"w"`
	Text string `json:"t"`
	// The style: foreground, background, line, attributes; left out: all are 0.
	Style []uint32 `json:"s,omitempty"`
	URI   string   `json:"u,omitempty"`
	ID    string   `json:"i,omitempty"`
}

func golden(b []byte) goldenRow {
	g := goldenRow{Hex: hex.EncodeToString(b)}
	var r Row
	if r.Decode(b) != nil {
		return g
	}
	g.Cells, g.Flags = r.Cells, int(r.Mark)<<1
	if r.Wrapped {
		g.Flags |= 1
	}
	g.Glyphs = []goldenGlyph{}
	for _, c := range r.Glyphs {
		o := goldenGlyph{X: c.X, W: c.Width, Text: string(c.Text), URI: c.Link.URI, ID: c.Link.ID}
		if s := c.Style; s != (vt.Style{}) {
			o.Style = []uint32{uint32(s.Fg), uint32(s.Bg), uint32(s.Line), uint32(s.Attr)}
		}
		g.Glyphs = append(g.Glyphs, o)
	}
	return g
}

// goldenFrame is a frame, and the screen of whoever has applied it, cut at the right where it is blank.
type goldenFrame struct {
	Full    bool           `json:"full"`
	Cols    int            `json:"cols"`
	Rows    int            `json:"rows"`
	Base    int64          `json:"base"`
	Changed map[int]string `json:"changed"`
	Screen  []string       `json:"screen"`
}

// compare holds what this code says to a golden file, a line a value.
func compare[T any](t *testing.T, name string, values []T) {
	t.Helper()
	var buf bytes.Buffer
	for _, v := range values {
		line, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		buf.Write(append(line, '\n'))
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, buf.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, buf.Bytes()) {
		t.Fatalf("%s differs from what this code says (run with -update and look at the difference)", path)
	}
}

func TestRowsAndFramesAreTheGoldenOnes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	const cols, rows = 40, 8
	s := newScreen(vt.Config{Cols: cols, Rows: rows}, nil)
	s.parse([]byte("plain\r\n\x1b[1;3;4:3;58;5;9mstyled\x1b[0m \x1b]8;id=x;https://a.example/\x1b\\link\x1b]8;;\x1b\\\r\n"+
		"漢字 e\u0301 👩\u200d👩\u200d👧 ❤\ufe0f \u2500\u2500\u2500\u2500 ▀▀▀\x1b[38;2;1;2;3;48;5;200mend\x1b[K\r\n"+strings.Repeat("w", 50)), nil)
	var lines []goldenRow
	var frames []goldenFrame
	var have shadow
	held := Held{}
	seen := map[string]bool{}
	for i := range 40 {
		f, news := s.Frame(held)
		if news {
			if err := have.apply(f); err != nil {
				t.Fatal(err)
			}
			g := goldenFrame{Full: f.Full, Cols: f.Cols, Rows: f.Rows, Base: f.Base, Changed: map[int]string{}}
			for _, c := range f.Changed {
				g.Changed[c.Y] = hex.EncodeToString(c.Data)
				if seen[string(c.Data)] || len(lines) > 150 {
					continue
				}
				seen[string(c.Data)] = true
				lines = append(lines, golden(c.Data))
				bent := bytes.Clone(c.Data)
				for range 1 + r.IntN(2) {
					bent[r.IntN(len(bent))] ^= byte(1 << r.IntN(8))
				}
				if r.IntN(3) == 0 {
					bent = bent[:r.IntN(len(bent)+1)]
				}
				if b := golden(bent); readable(b) {
					lines = append(lines, b)
				}
			}
			for _, row := range have.screen {
				var text strings.Builder
				for _, c := range row.Glyphs {
					text.Write(c.Text)
				}
				g.Screen = append(g.Screen, strings.TrimRight(text.String(), " "))
			}
			frames = append(frames, g)
			held = f.Holds
		}
		switch {
		case i%8 == 7:
			held = Held{} // as somebody new
		default:
			s.parse(noise(r, cols, rows), nil)
			s.parse([]byte("\r\n\r\n"), nil)
		}
	}
	compare(t, "rows.jsonl", lines)
	compare(t, "frames.jsonl", frames)
}

// readable is whether the text of a row can be written as JSON without loss.
func readable(g goldenRow) bool {
	for _, c := range g.Glyphs {
		if strings.ContainsRune(c.Text, 0) || !utf8.ValidString(c.Text) || !utf8.ValidString(c.URI) || !utf8.ValidString(c.ID) || strings.Contains(c.ID, "\n") {
			return false
		}
	}
	return true
}
