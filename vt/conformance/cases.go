package conformance

import (
	"embed"
	"fmt"
	"path"
	"strconv"
	"strings"

	"fractal/vt"
)

// ours is our own cases. A case is a name in brackets and lines of a key and quoted or plain values: size (columns × rows, 10x4
// unless said), in (more than one are written one after the other), resize, and what must be seen: row N, cursor (column row),
// reply, history (all its rows), title.
//
//go:embed cases/*.txt
var ours embed.FS

// Own runs our own cases.
func Own() Result {
	r := Result{Suite: "fractal"}
	files, err := ours.ReadDir("cases")
	if err != nil {
		panic("conformance: our own cases: " + err.Error())
	}
	for _, f := range files {
		b, err := ours.ReadFile(path.Join("cases", f.Name()))
		if err != nil {
			panic("conformance: our own cases: " + err.Error())
		}
		for _, c := range strings.Split("\n"+string(b), "\n[")[1:] {
			name, body, _ := strings.Cut(c, "]\n")
			r.count(strings.TrimSuffix(f.Name(), ".txt")+"/"+name, runCase(body))
		}
	}
	return r
}

// runCase says what was wrong; empty: nothing.
func runCase(body string) (wrong string) {
	var term *vt.Terminal
	cfg := vt.Config{Cols: 10, Rows: 4, Clipboard: true}
	check := func(what, got, want string) {
		if got != want && wrong == "" {
			wrong = fmt.Sprintf("%s: got %q, want %q\nscreen:\n%s", what, got, want, strings.Join(screenText(term), "\n"))
		}
	}
	for line := range strings.SplitSeq(body, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if value != "" && value[0] == '"' {
			s, err := strconv.Unquote(value)
			if err != nil {
				return fmt.Sprintf("%s: %v", line, err)
			}
			value = s
		}
		if key == "size" {
			fmt.Sscanf(value, "%dx%d", &cfg.Cols, &cfg.Rows)
			continue
		}
		if term == nil {
			term = vt.New(cfg)
		}
		var y, cols, rows int
		switch {
		case key == "in":
			term.Write([]byte(value))
		case key == "resize":
			fmt.Sscanf(value, "%dx%d", &cols, &rows)
			term.Resize(cols, rows)
		case key == "cursor":
			c := term.Cursor()
			check(key, fmt.Sprint(c.X, " ", c.Y), value)
		case key == "reply":
			check(key, string(term.TakeReplies(nil)), value)
		case key == "title":
			check(key, term.Title(), value)
		case key == "history":
			var all []string
			first, end := term.History()
			for n := first; n < end; n++ {
				all = append(all, rowText(term, n))
			}
			check(key, strings.Join(all, "|"), value)
		case strings.HasPrefix(key, "row "):
			fmt.Sscanf(key, "row %d", &y)
			check(key, screenText(term)[y], value)
		default:
			return "no such key: " + line
		}
	}
	return wrong
}

// rowText is row n of the history as text.
func rowText(term *vt.Terminal, n int64) string {
	var row vt.Row
	if !term.HistoryRow(n, &row) {
		return fmt.Sprintf("no row %d", n)
	}
	s := ""
	for _, run := range row.Runs {
		s += string(run.Text)
	}
	return strings.TrimRight(s, " ")
}
