package conformance

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"fractal/vt"
)

// libvterm runs the scripts of libvterm (t/*.test): what can be seen of a terminal from outside, which is where the cursor is, what
// stands in the grid cells, and what is answered. What they ask of its parser, its pen, its damage and its keyboard is passed over.
func libvterm(data fs.FS) ([]Result, error) {
	r := Result{Suite: "libvterm"}
	files, err := fs.Glob(data, "libvterm/*.test")
	if err != nil {
		return nil, fmt.Errorf("conformance: %w", err)
	}
	for _, f := range files {
		b, err := fs.ReadFile(data, f)
		if err != nil {
			return nil, fmt.Errorf("conformance: %w", err)
		}
		s := script{name: strings.TrimSuffix(path.Base(f), ".test"), r: &r, cols: 80}
		for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
			line := strings.TrimSpace(lines.Text())
			if line == "__END__" {
				break
			}
			s.line(line)
		}
	}
	return []Result{r}, nil
}

// script is one file under way.
type script struct {
	name, title string
	r           *Result
	term        *vt.Terminal
	cols        int
	x, y        int // of the mouse
	held        vt.Button
	out         string // what is left of what the last command was answered
	ours        bool   // its answer counts
}

func (s *script) line(line string) {
	if line == "" || line[0] == '#' {
		return
	}
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case line[0] == '!':
		s.title = line[1:]
	case word == "$SEQ" || word == "$REP":
		head, inner, _ := strings.Cut(rest, ":")
		var low, high int
		if n, _ := fmt.Sscanf(head, "%d %d", &low, &high); n == 1 {
			low, high = 1, low
		}
		for i := low; i <= high; i++ {
			s.line(strings.TrimSpace(strings.ReplaceAll(inner, `\#`, strconv.Itoa(i))))
		}
	case s.term == nil && word != "INIT":
	case line[0] == '?':
		s.ask(line)
	case line[0] >= 'A' && line[0] <= 'Z':
		s.do(word, rest)
	case word == "output":
		want, ok := perl(rest)
		if s.ours && ok {
			got := s.out[:min(len(s.out), len(want))]
			s.out = s.out[len(got):]
			s.count(line, got, want)
		}
	case word == "putglyph":
		var runes string
		var width, row, col int
		if n, _ := fmt.Sscanf(rest, "%s %d %d,%d", &runes, &width, &row, &col); n == 4 {
			text, w, _ := s.term.Cell(col, row)
			s.count(line, fmt.Sprintf("%q of %d", text, w), fmt.Sprintf("%q of %d", codes(runes), width))
		}
	}
}

func (s *script) count(line, got, want string) {
	wrong := ""
	if got != want {
		wrong = fmt.Sprintf("%s: got %q, want %q", line, got, want)
	}
	s.r.count(s.name+"/"+s.title, wrong)
}

func (s *script) do(word, rest string) {
	t := s.term
	s.ours = true
	var answer []byte
	switch word {
	case "INIT":
		s.term, s.cols = vt.New(vt.Config{Cols: 80, Rows: 25}), 80
		return
	case "RESET":
		t.Write([]byte("\x1bc"))
	case "RESIZE":
		var rows, cols int
		if n, _ := fmt.Sscanf(strings.ReplaceAll(rest, " ", ""), "%d,%d", &rows, &cols); n == 2 {
			t.Resize(cols, rows)
			s.cols = cols
		}
	case "PUSH":
		if text, ok := perl(rest); ok {
			t.Write([]byte(text))
		}
	case "MOUSEMOVE":
		var mods string
		fmt.Sscanf(rest, "%d,%d %s", &s.y, &s.x, &mods)
		answer = t.AppendMouse(nil, vt.MouseEvent{Button: s.held, Motion: true, Mods: modsOf(mods), X: s.x, Y: s.y})
	case "MOUSEBTN":
		var press, mods string
		var button int
		fmt.Sscanf(rest, "%s %d %s", &press, &button, &mods)
		e := vt.MouseEvent{Button: vt.Button(button), Press: vt.Pressed, Mods: modsOf(mods), X: s.x, Y: s.y}
		if s.held = e.Button; press == "u" {
			e.Press, s.held = vt.Released, 0
		} else if e.Button >= vt.WheelUp {
			s.held = 0
		}
		answer = t.AppendMouse(nil, e)
	case "FOCUS":
		answer = t.AppendFocus(nil, rest == "IN")
	default:
		s.ours = false // keys are encoded otherwise; the rest answers nothing
	}
	s.out = string(t.TakeReplies(answer))
}

func modsOf(s string) (m vt.Mods) {
	for _, c := range s {
		m |= map[rune]vt.Mods{'S': vt.Shift, 'C': vt.Ctrl, 'A': vt.Alt}[c]
	}
	return m
}

func (s *script) ask(line string) {
	what, want, ok := strings.Cut(line, "=")
	if !ok {
		return
	}
	word, args, _ := strings.Cut(strings.TrimSpace(what), " ")
	want = strings.TrimSpace(want)
	var v [4]int
	for i, a := range strings.SplitN(strings.TrimSpace(args), ",", 4) {
		v[i], _ = strconv.Atoi(strings.TrimSpace(a)) // what is no number belongs to a question that is passed over
	}
	switch word {
	case "?cursor":
		c := s.term.Cursor()
		s.count(line, fmt.Sprintf("%d,%d", c.Y, c.X), want)
	case "?screen_row":
		if text, ok := perl(want); ok {
			s.count(line, s.text(v[0], 0, v[0]+1, s.cols), text)
		}
	case "?screen_chars":
		s.count(line, s.text(v[0], v[1], v[2], v[3]), codes(want))
	case "?screen_text":
		raw := ""
		for c := range strings.SplitSeq(want, ",") {
			n, _ := strconv.ParseUint(strings.TrimPrefix(c, "0x"), 16, 8) // empty is nothing
			if c != "" {
				raw += string([]byte{byte(n)})
			}
		}
		s.count(line, s.text(v[0], v[1], v[2], v[3]), raw)
	case "?screen_cell":
		text, width, style := s.term.Cell(v[1], v[0])
		attrs := ""
		for _, a := range []struct {
			attr vt.Attr
			name string
		}{{vt.Bold, "B"}, {0, ""}, {vt.Italic, "I"}, {vt.Blink, "K"}, {vt.Inverse, "R"}} {
			if a.attr == 0 {
				if u := style.Attr.Underline(); u != vt.NoUnderline {
					attrs += fmt.Sprintf("U%d", u)
				}
			} else if style.Attr&a.attr != 0 {
				attrs += a.name
			}
		}
		var list []string
		for _, c := range text {
			if text != " " {
				list = append(list, fmt.Sprintf("%#x", c))
			}
		}
		want, _, _ = strings.Cut(want, " dwl") // lines of double width, and colours, are shown otherwise
		want, _, _ = strings.Cut(want, " fg=")
		s.count(line, fmt.Sprintf("{%s} width=%d attrs={%s}", strings.Join(list, ","), width, attrs), want)
	}
}

// text is what stands in a rectangle, without what is blank at the end of a row.
func (s *script) text(row, col, endRow, endCol int) string {
	var rows []string
	cols, all := s.term.Size()
	for y := row; y < min(endRow, all); y++ {
		text := ""
		for x := col; x < min(endCol, cols); x++ {
			c, w, _ := s.term.Cell(x, y)
			if c == "" && w != 0 {
				c = " "
			}
			text += c
		}
		rows = append(rows, strings.TrimRight(text, " "))
	}
	return strings.Join(rows, "\n")
}

// codes is a list of code points as text.
func codes(list string) (text string) {
	for c := range strings.SplitSeq(list, ",") {
		if n, err := strconv.ParseUint(strings.TrimSpace(c), 0, 32); err == nil {
			text += string(rune(n))
		}
	}
	return text
}

// perl reads a string expression: quoted pieces, repeated by x, joined by dots.
func perl(s string) (out string, ok bool) {
	for {
		s = strings.TrimSpace(s)
		if s == "" || s[0] != '"' {
			return out, false
		}
		piece := ""
		i := 1
		for ; i < len(s) && s[i] != '"'; i++ {
			if s[i] != '\\' || i+1 == len(s) {
				piece += s[i : i+1]
				continue
			}
			i++
			switch c := s[i]; c {
			case 'e':
				piece += "\x1b"
			case 'n':
				piece += "\n"
			case 'r':
				piece += "\r"
			case 't':
				piece += "\t"
			case 'b':
				piece += "\b"
			case 'a':
				piece += "\a"
			case '0':
				piece += "\x00"
			case 'x':
				n := 0
				for i+1+n < len(s) && n < 2 && strings.IndexByte("0123456789abcdefABCDEF", s[i+1+n]) >= 0 {
					n++
				}
				if i+1 < len(s) && s[i+1] == '{' {
					end := strings.IndexByte(s[i:], '}')
					if end < 0 {
						return out, false
					}
					v, _ := strconv.ParseUint(s[i+2:i+end], 16, 32) // as it is written
					piece += string(utf8.AppendRune(nil, rune(v)))
					i += end
					break
				}
				v, _ := strconv.ParseUint(s[i+1:i+1+n], 16, 8)
				piece += string([]byte{byte(v)})
				i += n
			default:
				piece += string([]byte{c})
			}
		}
		if i >= len(s) {
			return out, false
		}
		s = strings.TrimSpace(s[i+1:])
		if strings.HasPrefix(s, "x") {
			digits := strings.TrimSpace(s[1:])
			n := 0
			for n < len(digits) && digits[n] >= '0' && digits[n] <= '9' {
				n++
			}
			times, err := strconv.Atoi(digits[:n])
			if err != nil || times > 10_000 {
				return out, false
			}
			piece, s = strings.Repeat(piece, times), strings.TrimSpace(digits[n:])
		}
		out += piece
		if !strings.HasPrefix(s, ".") {
			return out, s == ""
		}
		s = s[1:]
	}
}
