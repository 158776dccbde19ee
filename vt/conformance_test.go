package vt_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"fractal/vt"
)

// suites finds the data of other projects' conformance suites, which are not part of this tree.
func suites() (string, bool) {
	dir := os.Getenv("FRACTAL_CONFORMANCE")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "conformance")
	}
	_, err := os.Stat(dir)
	return dir, err == nil
}

// ratchet fails when fewer cases pass than once did.
func ratchet(t *testing.T, suite string, passed, total, floor int, failed []string) {
	t.Helper()
	fmt.Printf("%s %d/%d\n", suite, passed, total)
	if passed < floor {
		t.Errorf("%s: %d of %d pass, %d did before; failed: %s", suite, passed, total, floor, strings.Join(failed, " "))
	} else if len(failed) > 0 {
		t.Logf("failed: %s", strings.Join(failed, " "))
	}
}

func screenText(term *vt.Terminal) []string {
	_, rows := term.Size()
	out := make([]string, rows)
	for y := range out {
		out[y] = strings.TrimRight(term.Text(y), " ")
	}
	return out
}

func TestXtermFixtures(t *testing.T) {
	dir, ok := suites()
	if !ok {
		t.Log("no xterm.js fixtures here: TestCases runs our own")
		return
	}
	skip := map[string]bool{"t0055-EL": true, "t0084-CBT": true, "t0101-NLM": true, "t0103-reverse_wrap": true, "t0504-vim": true}
	files, err := filepath.Glob(filepath.Join(dir, "xtermjs", "*.in"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s (%v)", dir, err)
	}
	passed, total := 0, 0
	var failed []string
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".in")
		if skip[name] {
			continue
		}
		in, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(strings.TrimSuffix(f, ".in") + ".text")
		if err != nil {
			t.Fatal(err)
		}
		total++
		term := vt.New(vt.Config{Cols: 80, Rows: 25})
		term.Write(bytes.ReplaceAll(in, []byte("\n"), []byte("\r\n")))
		want := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
		for i := range want {
			want[i] = strings.TrimRight(want[i], " ")
		}
		got := strings.TrimRight(strings.Join(screenText(term), "\n"), "\n")
		if got == strings.TrimRight(strings.Join(want, "\n"), "\n") {
			passed++
			continue
		}
		failed = append(failed, name)
		if os.Getenv("FRACTAL_SHOW") == name {
			t.Logf("%s got:\n%s\nwant:\n%s", name, got, strings.Join(want, "\n"))
		}
	}
	ratchet(t, "xtermjs", passed, total, xtermFloor, failed)
}

// alacrittyCell is a grid cell as Alacritty writes it.
type alacrittyCell struct {
	C     string          `json:"c"`
	Fg    json.RawMessage `json:"fg"`
	Bg    json.RawMessage `json:"bg"`
	Flags string          `json:"flags"`
	Extra *struct {
		Zerowidth []string `json:"zerowidth"`
	} `json:"extra"`
}

// alacrittyColor turns Alacritty's spelling of a colour into ours.
func alacrittyColor(raw json.RawMessage) string {
	names := []string{"Black", "Red", "Green", "Yellow", "Blue", "Magenta", "Cyan", "White",
		"BrightBlack", "BrightRed", "BrightGreen", "BrightYellow", "BrightBlue", "BrightMagenta", "BrightCyan", "BrightWhite"}
	var c struct {
		Named   string
		Indexed *int
		Spec    *struct{ R, G, B int }
	}
	if json.Unmarshal(raw, &c) != nil {
		return string(raw)
	}
	switch {
	case c.Indexed != nil:
		return strconv.Itoa(*c.Indexed)
	case c.Spec != nil:
		return fmt.Sprintf("#%02x%02x%02x", c.Spec.R, c.Spec.G, c.Spec.B)
	}
	for i, n := range names {
		if n == c.Named {
			return strconv.Itoa(i)
		}
	}
	return "default"
}

func ourColor(c vt.Color) string {
	if i, ok := c.Index(); ok {
		return strconv.Itoa(int(i))
	}
	if v, ok := c.RGB(); ok {
		return fmt.Sprintf("#%06x", v)
	}
	return "default"
}

func TestAlacrittyReferences(t *testing.T) {
	dir, ok := suites()
	if !ok {
		t.Log("no Alacritty references here: TestCases runs our own")
		return
	}
	cases, err := filepath.Glob(filepath.Join(dir, "alacritty-ref", "*", "alacritty.recording"))
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases in %s (%v)", dir, err)
	}
	passed, styled, total := 0, 0, 0
	var failed, unstyled []string
	for _, f := range cases {
		dir := filepath.Dir(f)
		name := filepath.Base(dir)
		grid, err := os.ReadFile(filepath.Join(dir, "grid.json"))
		if err != nil {
			continue // two are too large to be kept
		}
		total++
		bad, badStyle := alacrittyCase(t, dir, grid)
		if bad != "" {
			failed = append(failed, name)
			t.Logf("%s: %s", name, bad)
		} else {
			passed++
		}
		if bad == "" && badStyle == "" {
			styled++
		} else {
			unstyled = append(unstyled, name+" ("+badStyle+")")
		}
	}
	ratchet(t, "alacritty text", passed, total, alacrittyFloor, failed)
	ratchet(t, "alacritty text and style", styled, total, alacrittyStyleFloor, unstyled)
}

func alacrittyCase(t *testing.T, dir string, grid []byte) (bad, badStyle string) {
	t.Helper()
	var size struct {
		Columns int `json:"columns"`
		Lines   int `json:"screen_lines"`
	}
	var want struct {
		Raw struct {
			Inner []struct {
				Inner []alacrittyCell `json:"inner"`
			} `json:"inner"`
			Zero int `json:"zero"`
		} `json:"raw"`
	}
	b, err := os.ReadFile(filepath.Join(dir, "size.json"))
	if err == nil {
		err = json.Unmarshal(b, &size)
	}
	if err == nil {
		err = json.Unmarshal(grid, &want)
	}
	in, err2 := os.ReadFile(filepath.Join(dir, "alacritty.recording"))
	if err != nil || err2 != nil {
		t.Fatal(dir, err, err2)
	}
	term := vt.New(vt.Config{Cols: size.Columns, Rows: size.Lines})
	term.Write(in)
	n := len(want.Raw.Inner)
	for y := range size.Lines {
		row := want.Raw.Inner[(want.Raw.Zero+size.Lines-y-1)%n].Inner
		for x, c := range row {
			text, width, style := term.Cell(x, y)
			expect := c.C
			if c.Extra != nil {
				expect += strings.Join(c.Extra.Zerowidth, "")
			}
			if strings.Contains(c.Flags, "WIDE_CHAR_SPACER") {
				if width != 0 && bad == "" && !strings.Contains(c.Flags, "LEADING") {
					bad = fmt.Sprintf("row %d column %d: no second half", y, x)
				}
				continue
			}
			if expect == "\t" || text == "" {
				text = " "
			}
			if expect == "\t" {
				expect = " "
			}
			if text != expect && bad == "" {
				bad = fmt.Sprintf("row %d column %d: got %q, want %q", y, x, text, expect)
			}
			flags := map[string]bool{}
			for f := range strings.SplitSeq(c.Flags, " | ") {
				flags[f] = true
			}
			bold, inverse := flags["BOLD"] || flags["BOLD_ITALIC"] || flags["DIM_BOLD"], flags["INVERSE"]
			got := fmt.Sprint(ourColor(style.Fg), ourColor(style.Bg), style.Attr&vt.Bold != 0, style.Attr&vt.Inverse != 0)
			wantStyle := fmt.Sprint(alacrittyColor(c.Fg), alacrittyColor(c.Bg), bold, inverse)
			if got != wantStyle && badStyle == "" {
				badStyle = fmt.Sprintf("row %d column %d: got %s, want %s", y, x, got, wantStyle)
			}
		}
	}
	return bad, badStyle
}

func TestGraphemeBreaks(t *testing.T) {
	dir, ok := suites()
	if !ok {
		t.Log("no GraphemeBreakTest here: TestCases runs our own")
		return
	}
	f, err := os.Open(filepath.Join(dir, "GraphemeBreakTest.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	passed, total := 0, 0
	var failed []string
	for s := bufio.NewScanner(f); s.Scan(); {
		line, _, _ := strings.Cut(s.Text(), "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		var want []string
		text, control := "", false
		for _, part := range strings.Split(strings.Trim(line, "÷ "), "÷") {
			cluster := ""
			for _, h := range strings.Split(part, "×") {
				n, err := strconv.ParseUint(strings.TrimSpace(h), 16, 32)
				if err != nil {
					t.Fatal(line, err)
				}
				control = control || n < 0x20
				cluster += string(rune(n))
			}
			want = append(want, cluster)
			text += cluster
		}
		if control {
			continue
		}
		total++
		term := vt.New(vt.Config{Cols: 80, Rows: 2})
		term.Write([]byte(text))
		var got []string
		for x := range 80 {
			if c, _, _ := term.Cell(x, 0); c != "" {
				got = append(got, c)
			}
		}
		if fmt.Sprintf("%+q", got) == fmt.Sprintf("%+q", want) {
			passed++
		} else {
			failed = append(failed, fmt.Sprintf("%s got %+q", line, got))
		}
	}
	ratchet(t, "graphemes", passed, total, graphemeFloor, failed)
}

// How many cases pass: these may only rise.
const (
	xtermFloor          = 69
	alacrittyFloor      = 40
	alacrittyStyleFloor = 40
	graphemeFloor       = 415
)
