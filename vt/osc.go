package vt

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what a program can make a terminal keep beside its screen.
const (
	maxTitle     = 1 << 10 // bytes
	maxTitles    = 10      // titles pushed
	maxCwd       = 4 << 10
	maxNotice    = 4 << 10
	maxClipboard = 512 << 10
)

// facts are what a program has said beside the screen: always the newest, never a queue.
type facts struct {
	title, icon string
	titles      [][2]string // pushed by XTWINOPS 22
	cwd         string
	bells       uint64
	clip        Clipboard
	notice      Notice
	progress    Progress
	pointer     string
	command     Command
	palette     map[uint8]uint32
	dynamic     [10]uint32 // OSC 10-19, with dynamicSet
}

const (
	dynamicSet        = 1 << 31
	dynamicForeground = 0
	dynamicBackground = 1
	dynamicCursor     = 2
)

// Clipboard is the newest text a program put there (OSC 52). Whether it goes further is for the viewer to say.
type Clipboard struct {
	N         uint64 // how many there have been
	Selection string // as named by the program: c, p, s ...
	Data      []byte // never changed once handed out
}

// Notice is the newest message a program wants shown (OSC 9, 777).
type Notice struct {
	N           uint64 // how many there have been
	Title, Body string
}

// Progress is how far a program says it is (OSC 9;4).
type Progress struct {
	State   uint8 // 0 none, 1 normal, 2 error, 3 unknown, 4 paused
	Percent uint8
}

// Command is what the shell told of commands (OSC 133).
type Command struct {
	Running  bool   // output has begun and not ended
	AtPrompt bool   // the cursor is in a prompt or in what the person types
	Redraws  bool   // the shell draws its prompt again when the size changes
	Finished uint64 // how many have ended
	Exit     int    // of the last one; -1 unknown
}

func (f *facts) reset() {
	bells, clip, notice, cwd := f.bells, f.clip, f.notice, f.cwd
	*f = facts{bells: bells, clip: clip, notice: notice, cwd: cwd}
}

func (f *facts) pushTitle() {
	if len(f.titles) == maxTitles {
		f.titles = append(f.titles[:0], f.titles[1:]...)
	}
	f.titles = append(f.titles, [2]string{f.title, f.icon})
}

func (f *facts) popTitle() {
	if n := len(f.titles); n > 0 {
		f.title, f.icon = f.titles[n-1][0], f.titles[n-1][1]
		f.titles = f.titles[:n-1]
	}
}

// number reads a decimal without sign.
func number(b []byte) (int, bool) {
	if len(b) == 0 || len(b) > 6 {
		return 0, false
	}
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// clean is text a person may be shown: valid, without controls and marks of direction, and bounded.
func clean(b []byte, limit int) string {
	var s strings.Builder
	for len(b) > 0 && s.Len() < limit {
		r, n := utf8.DecodeRune(b)
		if n > 1 || r != utf8.RuneError {
			if !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r) && r != 0x2028 && r != 0x2029 {
				s.WriteRune(r)
			}
		}
		b = b[n:]
	}
	return s.String()
}

// osc executes an operating system command; an answer ends in BEL if the question did.
func (t *Terminal) osc(s []byte, bel bool) {
	head, rest, _ := bytes.Cut(s, []byte(";"))
	n, ok := number(head)
	if !ok {
		return
	}
	f := &t.facts
	end := "\x1b\\"
	if bel {
		end = "\x07"
	}
	if n != 8 {
		t.metaSeq = t.seq
	}
	switch n {
	case 0:
		f.title = clean(rest, maxTitle)
		f.icon = f.title
	case 1:
		f.icon = clean(rest, maxTitle)
	case 2:
		f.title = clean(rest, maxTitle)
	case 4:
		t.oscPalette(rest, end)
	case 7:
		f.cwd = clean(rest, maxCwd)
	case 8:
		t.oscLink(rest)
	case 9:
		t.oscNine(rest)
	case 10, 11, 12, 13, 14, 15, 16, 17, 18, 19:
		for spec := range bytes.SplitSeq(rest, []byte(";")) {
			if n > 19 {
				break
			}
			t.oscDynamic(n, spec, end)
			n++
		}
	case 22:
		f.pointer = clean(rest, 64)
	case 52:
		t.oscClipboard(rest)
	case 104:
		if len(rest) == 0 {
			f.palette = nil
			break
		}
		for spec := range bytes.SplitSeq(rest, []byte(";")) {
			if i, ok := number(spec); ok && i < 256 {
				delete(f.palette, uint8(i))
			}
		}
	case 110, 111, 112, 113, 114, 115, 116, 117, 118, 119:
		f.dynamic[n-110] = 0
	case 133:
		t.oscPrompt(rest)
	case 777:
		if what, text, _ := bytes.Cut(rest, []byte(";")); string(what) == "notify" {
			title, body, _ := bytes.Cut(text, []byte(";"))
			f.notice = Notice{f.notice.N + 1, clean(title, maxNotice), clean(body, maxNotice)}
		}
	}
}

func (t *Terminal) oscPalette(s []byte, end string) {
	for len(s) > 0 {
		var index, spec []byte
		index, s, _ = bytes.Cut(s, []byte(";"))
		spec, s, _ = bytes.Cut(s, []byte(";"))
		i, ok := number(index)
		if !ok || i > 255 {
			continue
		}
		if string(spec) == "?" {
			t.replyColor(fmt.Sprintf("4;%d", i), t.Palette(uint8(i)), end)
		} else if v, ok := parseColor(spec); ok {
			if t.facts.palette == nil {
				t.facts.palette = map[uint8]uint32{}
			}
			t.facts.palette[uint8(i)] = v
		}
	}
}

func (t *Terminal) oscDynamic(n int, spec []byte, end string) {
	if string(spec) == "?" {
		t.replyColor(strconv.Itoa(n), t.color(n-10), end)
	} else if v, ok := parseColor(spec); ok {
		t.facts.dynamic[n-10] = dynamicSet | v
	}
}

func (t *Terminal) replyColor(what string, v uint32, end string) {
	t.replyf("\x1b]%s;rgb:%02x%02x/%02x%02x/%02x%02x%s", what, v>>16&255, v>>16&255, v>>8&255, v>>8&255, v&255, v&255, end)
}

// color is dynamic colour i: what the program set, or what the viewers are told to use.
func (t *Terminal) color(i int) uint32 {
	if v := t.facts.dynamic[i]; v != 0 {
		return v &^ dynamicSet
	}
	switch i {
	case dynamicBackground, 4, 6: // also of the pointer and Tektronix
		return t.cfg.Background
	}
	return t.cfg.Foreground
}

// parseColor reads rgb:r/g/b with one to four digits each, #rgb, #rrggbb, #rrrgggbbb or #rrrrggggbbbb.
func parseColor(s []byte) (uint32, bool) {
	var parts [3][]byte
	if rest, ok := bytes.CutPrefix(s, []byte("rgb:")); ok {
		f := bytes.Split(rest[:min(len(rest), 15)], []byte("/"))
		if len(f) != 3 {
			return 0, false
		}
		copy(parts[:], f)
	} else if rest, ok := bytes.CutPrefix(s, []byte("#")); ok && len(rest)%3 == 0 && len(rest) <= 12 {
		n := len(rest) / 3
		parts = [3][]byte{rest[:n], rest[n : 2*n], rest[2*n:]}
	}
	v := uint32(0)
	for _, p := range parts {
		n, err := strconv.ParseUint(string(p), 16, 16)
		if err != nil || len(p) > 4 {
			return 0, false
		}
		full := uint64(1)<<(4*len(p)) - 1
		v = v<<8 | uint32((n*255+full/2)/full)
	}
	return v, true
}

// oscLink begins or ends a hyperlink.
func (t *Terminal) oscLink(s []byte) {
	params, uri, _ := bytes.Cut(s, []byte(";"))
	t.penKnown = false
	t.pen.link = 0
	if len(uri) == 0 || len(uri) > maxLinkURI {
		return
	}
	l := Link{URI: clean(uri, maxLinkURI)}
	for p := range bytes.SplitSeq(params, []byte(":")) {
		if id, ok := bytes.CutPrefix(p, []byte("id=")); ok {
			l.ID = clean(id, maxLinkID)
		}
	}
	t.pen.link = t.link(l)
}

// oscNine is a notice, or progress as ConEmu writes it.
func (t *Terminal) oscNine(s []byte) {
	f := &t.facts
	if rest, ok := bytes.CutPrefix(s, []byte("4;")); ok {
		a, b, _ := bytes.Cut(rest, []byte(";"))
		if state, ok := number(a); ok && state <= 4 {
			percent, _ := number(b)
			f.progress = Progress{uint8(state), uint8(min(percent, 100))}
		}
		return
	}
	f.notice = Notice{N: f.notice.N + 1, Body: clean(s, maxNotice)}
}

// oscClipboard writes the clipboard, if the configuration lets it. Reading it is never answered.
func (t *Terminal) oscClipboard(s []byte) {
	selection, data, ok := bytes.Cut(s, []byte(";"))
	if !t.cfg.Clipboard || !ok || string(data) == "?" || len(data) > maxClipboard*4/3 {
		return
	}
	text, err := base64.StdEncoding.AppendDecode(nil, data)
	if err != nil {
		return
	}
	t.facts.clip = Clipboard{t.facts.clip.N + 1, clean(selection, 16), text}
}

// oscPrompt takes the shell's marks of prompts, input, output and the end of a command.
func (t *Terminal) oscPrompt(s []byte) {
	what, rest, _ := bytes.Cut(s, []byte(";"))
	if len(what) != 1 {
		return
	}
	c := &t.facts.command
	mark := Mark(0)
	switch what[0] {
	case 'A':
		c.AtPrompt, c.Running, c.Redraws = true, false, true
		mark = MarkPrompt
		for p := range bytes.SplitSeq(rest, []byte(";")) {
			switch string(p) {
			case "redraw=0":
				c.Redraws = false
			case "k=s", "k=c", "k=r": // a further line, or the right side, of a prompt
				mark = 0
			}
		}
	case 'B':
		mark = MarkInput
	case 'C':
		c.AtPrompt, c.Running = false, true
		mark = MarkOutput
	case 'D':
		if c.Running {
			c.Finished++
		}
		c.AtPrompt, c.Running, c.Exit = false, false, -1
		if code, _, _ := bytes.Cut(rest, []byte(";")); len(code) > 0 {
			if n, ok := number(code); ok {
				c.Exit = n
			}
		}
	}
	if mark != 0 && !t.onAlt() {
		r := t.scr.row(t.y)
		r.mark |= mark
		r.seq = t.seq
	}
}
