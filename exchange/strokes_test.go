package exchange

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"fractal/ink"
	"fractal/tile"
)

const head = `{"format":"fractal-strokes","version":1}` + "\n"

// readAll reads a file; rejects are by line.
func readAll(t testing.TB, r io.Reader) (strokes []*ink.Stroke, rejects map[int]string) {
	t.Helper()
	rejects = map[int]string{}
	for rec, err := range ReadStrokes(r) {
		if err != nil {
			t.Fatalf("line %d: %v", rec.Line, err)
		}
		if (rec.Stroke == nil) == (rec.Reject == nil) {
			t.Fatalf("line %d: stroke %v and reject %v", rec.Line, rec.Stroke, rec.Reject)
		}
		if rec.Stroke == nil {
			rejects[rec.Line] = rec.Reject.Error()
			continue
		}
		strokes = append(strokes, rec.Stroke)
	}
	return strokes, rejects
}

func write(t testing.TB, strokes []*ink.Stroke) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteStrokes(&b, all(strokes)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func all(strokes []*ink.Stroke) iter.Seq[*ink.Stroke] {
	return func(yield func(*ink.Stroke) bool) {
		for _, s := range strokes {
			if !yield(s) {
				return
			}
		}
	}
}

func TestStrokesSurviveARoundTrip(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	brushes := []ink.BrushID{ink.Pen, ink.Highlighter, ink.Eraser, ink.Liner}
	var strokes []*ink.Stroke
	for range 200 {
		level := []int{0, 8, -300, 1000, tile.MaxLevel, -tile.MaxLevel}[rng.IntN(6)]
		x := new(big.Int).Rsh(new(big.Int).Lsh(big.NewInt(rng.Int64()-rng.Int64()), uint(max(0, level))), 3)
		id, err := tile.New(level, x, big.NewInt(rng.Int64()-rng.Int64()))
		if err != nil {
			t.Fatal(err)
		}
		pts := make([]ink.Point, 1+rng.IntN(20))
		one := 1 + rng.Int32N(ink.MaxDiameter)
		for i := range pts {
			pts[i] = ink.Point{X: rng.Int64N(2*tile.MaxLocal+1) - tile.MaxLocal, Y: rng.Int64N(1<<16) - 1<<15, D: one}
			if level == 0 {
				pts[i].D = 1 + rng.Int32N(ink.MaxDiameter)
			}
		}
		s, err := ink.New(id, brushes[rng.IntN(4)], rng.Uint32(), pts)
		if err != nil {
			t.Fatal(err)
		}
		strokes = append(strokes, s)
	}
	file := write(t, strokes)
	back, rejects := readAll(t, bytes.NewReader(file))
	if len(rejects) > 0 || len(back) != len(strokes) {
		t.Fatalf("%d strokes came back of %d, rejects %v", len(back), len(strokes), rejects)
	}
	for i, s := range strokes {
		b := back[i]
		if b.Home() != s.Home() || b.Brush() != s.Brush() || b.Color() != s.Color() {
			t.Errorf("stroke %d: %v %d %08x, want %v %d %08x", i, b.Home(), b.Brush(), b.Color(), s.Home(), s.Brush(), s.Color())
		}
		if got, want := fmt.Sprint(b.Points(nil)), fmt.Sprint(s.Points(nil)); got != want {
			t.Errorf("stroke %d: points %s, want %s", i, got, want)
		}
	}
	if again := write(t, back); !bytes.Equal(again, file) {
		t.Error("the second file differs from the first")
	}
}

func TestFirstReadIsWithinAUnit(t *testing.T) {
	const px = 1.0 / unitsPx
	in := []float64{0.1, -0.1, 0.0078124, 0.0078125, 1e-9, 173.104, -42.4999, 67108863.333, 3e9}
	var text strings.Builder
	for i, v := range in {
		fmt.Fprintf(&text, "%s%v,%v", map[bool]string{true: ","}[i > 0], v, -v)
	}
	file := head + `{"level":3,"x":"1","y":"-1","width":0.001,"color":"#123456","points":[` + text.String() + "]}\n"
	strokes, rejects := readAll(t, strings.NewReader(file))
	if len(rejects) > 0 {
		t.Fatal(rejects)
	}
	for i, p := range strokes[0].Points(nil) {
		if x := float64(p.X) * px; math.Abs(x-in[i]) > px || float64(p.Y)*px != -x {
			t.Errorf("%v became %v, %v", in[i], x, float64(p.Y)*px)
		}
	}
	if c := strokes[0].Color(); c != 0x123456ff {
		t.Errorf("a colour without alpha became %08x", c)
	}
	if d := strokes[0].Points(nil)[0].D; d != 1 {
		t.Errorf("the thinnest line became %d units", d)
	}
}

func TestBadRecordsAreRejectedByLine(t *testing.T) {
	const good = `{"level":0,"x":"0","y":"0","width":2,"color":"#000000","points":[0,0,1,1]}`
	with := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%s is not in the record", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for _, c := range []struct{ name, line, want string }{
		{"NaN", with("1,1]", "NaN,1]"), "not JSON"},
		{"infinite", with("1,1]", "1e999,1]"), "points[2] is too large"},
		{"very far", with("1,1]", "1,1e18]"), "points[3] is too far"},
		{"just too far", with("1,1]", "17179869184.1,1]"), "points[2] is too far"},
		{"null point", with("1,1]", "null,1]"), "points[2] is not a number"},
		{"text point", with("1,1]", `1,"1"]`), "points[3] is not a number"},
		{"nested points", with("[0,0,1,1]", "[[0,0],[1,1]]"), "points[0] is not a number"},
		{"points no array", with("[0,0,1,1]", `"0,0"`), "not an array"},
		{"points null", with("[0,0,1,1]", `null`), "not an array"},
		{"odd", with("1,1]", "1]"), "without its y"},
		{"no points", with(`[0,0,1,1]`, `[]`), "empty"},
		{"points absent", with(`,"points":[0,0,1,1]`, ``), `"points" is missing`},
		{"level absent", with(`"level":0,`, ``), `"level" is missing`},
		{"level text", with(`"level":0`, `"level":"0"`), `"level" is a string`},
		{"level half", with(`"level":0`, `"level":0.5`), `"level"`},
		{"level beyond", with(`"level":0`, `"level":65537`), "level"},
		{"level huge", with(`"level":0`, `"level":1e99`), `"level"`},
		{"x absent", with(`"x":"0",`, ``), `"x" is missing`},
		{"x a number", with(`"x":"0"`, `"x":0`), `"x" is a number`},
		{"x empty", with(`"x":"0"`, `"x":""`), "whole decimal"},
		{"x hex", with(`"x":"0"`, `"x":"0x10"`), "whole decimal"},
		{"x with underscores", with(`"x":"0"`, `"x":"1_000"`), "whole decimal"},
		{"x of 10 MB digits", with(`"x":"0"`, `"x":"`+strings.Repeat("9", 30_000)+`"`), "digits"},
		{"x outside the plane", with(`"x":"0"`, `"x":"`+strings.Repeat("9", 19_790)+`"`), ""},
		{"width absent", with(`"width":2,`, ``), `"width" is missing`},
		{"width 0", with(`"width":2`, `"width":0`), "more than 0"},
		{"width negative", with(`"width":2`, `"width":-1`), "more than 0"},
		{"width huge", with(`"width":2`, `"width":16385`), "is the most"},
		{"width and widths", with(`"width":2`, `"width":2,"widths":[2,2]`), "exclude"},
		{"widths short", with(`"width":2`, `"widths":[2]`), `1 "widths" for 2 points`},
		{"widths long", with(`"width":2`, `"widths":[2,2,2]`), `more "widths"`},
		{"widths 0", with(`"width":2`, `"widths":[2,0]`), "widths[1] is 0"},
		{"colour absent", with(`"color":"#000000",`, ``), `"color" is missing`},
		{"colour by name", with(`#000000`, `red`), "#1f6f8b"},
		{"colour with sign", with(`#000000`, `#+00000`), "#1f6f8b"},
		{"unknown brush", with(`"width":2`, `"width":2,"brush":"spoon"`), `no brush "spoon"`},
		{"unnamed brush", with(`"width":2`, `"width":2,"brush":""`), `no brush ""`},
		{"no object", `[1,2,3]`, "not JSON"},
		{"cut off", good[:40], "not JSON"},
		{"two on a line", good + good, "not JSON"},
		{"points beyond the bound", with("[0,0,1,1]", "["+strings.Repeat("1,", 2*maxPoints)+"1,1]"), "at most"},
		{"line beyond the bound", with(`"level"`, strings.Repeat(" ", maxLine)+`"level"`), "longer than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			strokes, rejects := readAll(t, strings.NewReader(head+good+"\n"+c.line+"\n\n"+good+"\n"))
			if len(strokes) != 2 || len(rejects) != 1 {
				t.Fatalf("%d good strokes and rejects %v; want 2 and one", len(strokes), rejects)
			}
			if got, ok := rejects[3]; !ok || !strings.Contains(got, c.want) {
				t.Errorf("rejects %v; want line 3 because of %q", rejects, c.want)
			}
		})
	}
}

func TestWhatIsNoFileOfStrokesIsRefused(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	fmt.Fprint(w, head, strings.Repeat("\n", 1000))
	w.Close()
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", "empty"},
		{"blank", "\n\n", "empty"},
		{"no header", `{"level":0}` + "\n", "not a file of strokes"},
		{"an image", "\x89PNG\r\n\x1a\n", "not a file of strokes"},
		{"of tomorrow", `{"format":"fractal-strokes","version":2}`, "version 2"},
		{"damaged gzip", "\x1f\x8bnonsense", "gzip"},
		{"cut gzip", z.String()[:z.Len()-9], "cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got error
			for _, err := range ReadStrokes(strings.NewReader(c.file)) {
				got = err
			}
			if got == nil || !strings.Contains(got.Error(), c.want) {
				t.Errorf("got %v, want something with %q", got, c.want)
			}
		})
	}
}

func TestCompressedFileIsFoundByItsMagic(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	fmt.Fprint(w, "\xef\xbb\xbf", head, `{"level":0,"x":"0","y":"0","width":2,"color":"#000000","points":[0,0]}`) // no end of line
	w.Close()
	if strokes, rejects := readAll(t, &z); len(strokes) != 1 {
		t.Errorf("%d strokes, rejects %v; want 1", len(strokes), rejects)
	}
}

// FuzzReadStrokes: whatever a file holds, reading ends, and what it gave as strokes is written and read as the same bytes.
func FuzzReadStrokes(f *testing.F) {
	f.Add([]byte(head + `{"level":0,"x":"-2","y":"1","width":2.0,"color":"#1f6f8bff","points":[173.104,199.342,171.424,202.24]}`))
	f.Add([]byte(head + `{"level":1000,"x":"123456789012345678901234567890","y":"1","widths":[1,2],"color":"#1f6f8b","brush":"pen","points":[1e2,-0,3,4]}`))
	f.Add([]byte(head + "{}\n[]\nnull\n" + `{"points":[1,,2]}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		var strokes []*ink.Stroke
		for rec, err := range ReadStrokes(bytes.NewReader(file)) {
			if err != nil {
				break
			}
			if rec.Stroke != nil {
				strokes = append(strokes, rec.Stroke)
			}
		}
		first := write(t, strokes)
		for _, line := range bytes.Split(bytes.TrimSpace(first), []byte("\n")) {
			if !json.Valid(line) {
				t.Fatalf("written what is not JSON: %s", line)
			}
		}
		back, rejects := readAll(t, bytes.NewReader(first))
		if len(rejects) > 0 || !bytes.Equal(write(t, back), first) {
			t.Fatalf("round trip differs, rejects %v", rejects)
		}
	})
}

func BenchmarkReadStrokes(b *testing.B) {
	pts := make([]ink.Point, 110)
	for i := range pts {
		pts[i] = ink.Point{X: int64(i) * 137, Y: int64(i*i) % 4096, D: 200}
	}
	s, err := ink.New(tile.At(4, 1, 2), ink.Pen, 0xff, pts)
	if err != nil {
		b.Fatal(err)
	}
	strokes := make([]*ink.Stroke, 1000)
	for i := range strokes {
		strokes[i] = s
	}
	file := write(b, strokes)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		for rec, err := range ReadStrokes(bytes.NewReader(file)) {
			if err != nil || rec.Stroke == nil {
				b.Fatal(err, rec.Reject)
			}
		}
	}
}
