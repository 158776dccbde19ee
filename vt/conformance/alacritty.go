package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"fractal/vt"
)

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

// alacritty runs Alacritty's recordings, once for the text and once for text and style.
func alacritty(data fs.FS) ([]Result, error) {
	text, style := Result{Suite: "alacritty text"}, Result{Suite: "alacritty text and style"}
	cases, err := fs.Glob(data, "alacritty-ref/*/alacritty.recording")
	if err != nil {
		return nil, fmt.Errorf("conformance: %w", err)
	}
	for _, f := range cases {
		dir := path.Dir(f)
		grid, err := fs.ReadFile(data, path.Join(dir, "grid.json"))
		if err != nil {
			continue // two are too large to be kept
		}
		bad, badStyle, err := alacrittyCase(data, dir, grid)
		if err != nil {
			return nil, err
		}
		text.count(path.Base(dir), bad)
		style.count(path.Base(dir), bad+badStyle)
	}
	return []Result{text, style}, nil
}

// alacrittyCase runs a recording and compares what is shown, and how.
func alacrittyCase(data fs.FS, dir string, grid []byte) (bad, badStyle string, err error) {
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
	b, err := fs.ReadFile(data, path.Join(dir, "size.json"))
	if err == nil {
		err = json.Unmarshal(b, &size)
	}
	if err == nil {
		err = json.Unmarshal(grid, &want)
	}
	in, err2 := fs.ReadFile(data, path.Join(dir, "alacritty.recording"))
	if err = errors.Join(err, err2); err != nil {
		return "", "", fmt.Errorf("conformance: %s: %w", dir, err)
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
	return bad, badStyle, nil
}
