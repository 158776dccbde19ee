// Package conformance runs suites of cases against the terminal core: our own, which are part of the program, and other projects',
// where somebody has laid their data. It owns how each is read and what counts as passed; how many must pass is its callers' to say.
package conformance

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"fractal/vt"
)

// Result is how a suite went.
type Result struct {
	Suite         string
	Passed, Total int
	Failed        []string // cases, with what was wrong
}

func (r Result) String() string { return fmt.Sprintf("%s %d/%d", r.Suite, r.Passed, r.Total) }

// count counts a case; wrong is empty if it passed.
func (r *Result) count(name, wrong string) {
	r.Total++
	if wrong == "" {
		r.Passed++
		return
	}
	r.Failed = append(r.Failed, name+": "+wrong)
}

// suites are those of other projects, by the folder or file their data is in.
var suites = []struct {
	at  string
	run func(data fs.FS) ([]Result, error)
}{
	{"xtermjs", xterm},
	{"alacritty-ref", alacritty},
	{"libvterm", libvterm},
	{"GraphemeBreakTest.txt", graphemes},
}

// Run runs our own cases, and all suites there is data of; nil: there is none.
func Run(data fs.FS) ([]Result, error) {
	all := []Result{Own()}
	if data == nil {
		return all, nil
	}
	for _, s := range suites {
		if _, err := fs.Stat(data, s.at); err != nil {
			continue
		}
		r, err := s.run(data)
		if err != nil {
			return all, err
		}
		all = append(all, r...)
	}
	return all, nil
}

func screenText(term *vt.Terminal) []string {
	_, rows := term.Size()
	out := make([]string, rows)
	for y := range out {
		out[y] = strings.TrimRight(term.Text(y), " ")
	}
	return out
}

// xterm runs pairs of what is printed (.in) and what must be seen (.text).
func xterm(data fs.FS) ([]Result, error) {
	r := Result{Suite: "xtermjs"}
	skip := map[string]bool{"t0055-EL": true, "t0084-CBT": true, "t0101-NLM": true, "t0103-reverse_wrap": true, "t0504-vim": true} // as upstream
	files, err := fs.Glob(data, "xtermjs/*.in")
	if err != nil {
		return nil, fmt.Errorf("conformance: %w", err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(path.Base(f), ".in")
		if skip[name] {
			continue
		}
		in, err := fs.ReadFile(data, f)
		if err != nil {
			return nil, fmt.Errorf("conformance: %w", err)
		}
		text, err := fs.ReadFile(data, strings.TrimSuffix(f, ".in")+".text")
		if err != nil {
			return nil, fmt.Errorf("conformance: %w", err)
		}
		term := vt.New(vt.Config{Cols: 80, Rows: 25})
		term.Write(bytes.ReplaceAll(in, []byte("\n"), []byte("\r\n")))
		want := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
		for i := range want {
			want[i] = strings.TrimRight(want[i], " ")
		}
		wrong := ""
		if got, want := strings.TrimRight(strings.Join(screenText(term), "\n"), "\n"), strings.TrimRight(strings.Join(want, "\n"), "\n"); got != want {
			wrong = fmt.Sprintf("got\n%s\nwant\n%s", got, want)
		}
		r.count(name, wrong)
	}
	return []Result{r}, nil
}

// graphemes prints each line of Unicode's GraphemeBreakTest: every cluster must have a grid cell of its own.
func graphemes(data fs.FS) ([]Result, error) {
	r := Result{Suite: "graphemes"}
	b, err := fs.ReadFile(data, "GraphemeBreakTest.txt")
	if err != nil {
		return nil, fmt.Errorf("conformance: %w", err)
	}
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		line, _, _ := strings.Cut(s.Text(), "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		var want []string
		text, control := "", false
		for part := range strings.SplitSeq(strings.Trim(line, "÷ "), "÷") {
			cluster := ""
			for h := range strings.SplitSeq(part, "×") {
				n, err := strconv.ParseUint(strings.TrimSpace(h), 16, 32)
				if err != nil {
					return nil, fmt.Errorf("conformance: %s: %w", line, err)
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
		term := vt.New(vt.Config{Cols: 80, Rows: 2})
		term.Write([]byte(text))
		var got []string
		for x := range 80 {
			if c, _, _ := term.Cell(x, 0); c != "" {
				got = append(got, c)
			}
		}
		wrong := ""
		if g, w := fmt.Sprintf("%+q", got), fmt.Sprintf("%+q", want); g != w {
			wrong = "got " + g
		}
		r.count(line, wrong)
	}
	return []Result{r}, nil
}
