package vt

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unicode/utf8"
)

// state is a state of the parser between bytes.
type state uint8

const (
	ground state = iota
	escape
	escapeInter
	csiParam
	csiInter
	csiIgnore
	dcsParam
	dcsInter
	dcsData
	dcsIgnore
	oscData
	stringIgnore // SOS, PM, APC
	stringEscape // ESC within a string: a backslash ends it, anything else begins anew
)

const (
	maxParams = 32
	maxParam  = 65535
	// maxString bounds what is gathered of an OSC or DCS; a longer one is dropped whole. The clipboard is the one that
	// needs it.
	maxString = 1 << 20
	// keepString is how much of a string's buffer stays for the next one.
	keepString = 16 << 10
)

type parser struct {
	state  state
	prefix byte // private marker: one of < = > ?
	inter  byte // intermediate; 0xff: more than one, which no function we know has
	final  byte // of a DCS

	params [maxParams]int32
	n      int    // parameters begun
	sub    uint32 // bit i: parameter i hangs on the one before it by a colon

	str      []byte
	strState state // what stringEscape leaves

	utf  [4]byte // a rune cut by the end of a write
	utfN int
}

// param is parameter i, or def where it is missing or 0.
func (p *parser) param(i, def int) int {
	if i >= p.n || p.params[i] == 0 {
		return def
	}
	return int(p.params[i])
}

func (p *parser) clear() {
	p.prefix, p.inter, p.n, p.sub = 0, 0, 0, 0
	p.params[0] = 0
}

// Write feeds the terminal what a program printed. It takes everything and never fails; the error is there for
// io.Writer.
func (t *Terminal) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	t.seq++
	t.work = math.MaxInt
	t.parse(p)
	return len(p), nil
}

// WriteSome is Write, but it ends after the sequence by which more than work cells were touched beside those that take a byte of
// p each: ten bytes can ask for half a million. It returns how much of p it took.
func (t *Terminal) WriteSome(p []byte, work int) int {
	if len(p) == 0 {
		return 0
	}
	t.seq++
	t.work = work
	return t.parse(p)
}

func (t *Terminal) parse(p []byte) int {
	ps := &t.parser
	i := 0
	if ps.utfN > 0 {
		i = t.finishRune(p)
	}
	for i < len(p) && t.work >= 0 {
		if ps.state != ground {
			i += t.step(p[i:])
			continue
		}
		switch c := p[i]; {
		case c >= 0x20 && c < 0x7f:
			n := asciiRun(p[i:])
			t.printASCII(p[i : i+n])
			i += n
		case c == 0x1b:
			if i+2 < len(p) && p[i+1] == '[' {
				if n := t.csiFast(p[i+2:]); n > 0 {
					i += 2 + n
					continue
				}
			}
			ps.state = escape
			ps.clear()
			i++
		case c < 0x20:
			i++
			t.control(c)
		case c == 0x7f:
			i++
		default:
			i += t.printUTF8(p[i:])
		}
	}
	return i
}

// asciiRun is how many bytes from the first on are printable ASCII. It looks at eight bytes at a time: a byte below
// 0x20 borrows, 0x7f carries and one above has its top bit set.
func asciiRun(p []byte) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(p); i += 8 {
		v := binary.LittleEndian.Uint64(p[i:])
		// (v - 0x20…) borrows out of a byte below 0x20; a borrow can only falsely mark a byte after a true mark.
		if odd := ((v - 0x20*ones) | (v + ones) | v) & tops; odd != 0 {
			return i + bits.TrailingZeros64(odd)/8
		}
	}
	for ; i < len(p) && p[i] >= 0x20 && p[i] < 0x7f; i++ {
	}
	return i
}

// csiFast executes the control sequence whose parameters begin p, if all of it is there and plain; it returns how many
// bytes that took, or 0 to leave it to step.
func (t *Terminal) csiFast(p []byte) int {
	ps := &t.parser
	ps.prefix, ps.inter, ps.sub = 0, 0, 0
	i, n, v := 0, 0, uint32(0)
	if c := p[0]; c >= '<' && c <= '?' {
		ps.prefix = c
		i = 1
	}
	first := i
	for ; i < len(p); i++ {
		c := p[i]
		if d := c - '0'; d < 10 {
			if v = v*10 + uint32(d); v > maxParam {
				v = maxParam
			}
			continue
		}
		if c == ';' || c == ':' {
			if ps.inter != 0 || n >= maxParams-1 {
				return 0
			}
			ps.params[n] = int32(v)
			n, v = n+1, 0
			if c == ':' {
				ps.sub |= 1 << n
			}
			continue
		}
		if c >= 0x40 && c <= 0x7e {
			if i > first || n > 0 {
				ps.params[n&(maxParams-1)] = int32(v)
				n++
			}
			if ps.inter != 0 && p[i-1] != ps.inter {
				return 0 // digits after an intermediate
			}
			if n == 1 && ps.inter != 0 && i == first+1 {
				n = 0
			}
			ps.n = n
			t.csi(c)
			return i + 1
		}
		if c < 0x20 || c >= 0x30 || ps.inter != 0 {
			return 0
		}
		ps.inter = c
	}
	return 0
}

// step takes at least one byte outside the ground state and returns how many it took.
func (t *Terminal) step(p []byte) int {
	ps := &t.parser
	c := p[0]
	switch ps.state { // strings first: almost any byte is theirs
	case oscData, dcsData, dcsIgnore, stringIgnore:
		return t.stepString(p)
	case stringEscape:
		if c == '\\' {
			t.endString()
			ps.state = ground
			return 1
		}
		// Not ST: the string is over all the same, and the escape sequence stands.
		t.endString()
		ps.state = escape
		ps.clear()
		return 0
	}
	switch {
	case c == 0x1b:
		ps.state = escape
		ps.clear()
		return 1
	case c == 0x18 || c == 0x1a:
		ps.state = ground
		t.control(c)
		return 1
	case c < 0x20:
		if ps.state <= csiIgnore {
			t.control(c)
		}
		return 1
	case c == 0x7f:
		return 1
	case c >= 0x80: // no sequence has such a byte
		ps.state = ground
		return 0
	}
	switch ps.state {
	case escape:
		if c <= 0x2f {
			ps.inter = c
			ps.state = escapeInter
			return 1
		}
		t.enter(c)
	case escapeInter:
		if c <= 0x2f {
			ps.inter = 0xff
			return 1
		}
		ps.state = ground
		t.esc(c)
	case csiParam, dcsParam:
		inter, ignore := csiInter, csiIgnore
		if ps.state == dcsParam {
			inter, ignore = dcsInter, dcsIgnore
		}
		switch {
		case c <= '9' && c >= '0':
			if ps.n == 0 {
				ps.n = 1
			}
			v := &ps.params[ps.n-1]
			*v = min(*v*10+int32(c-'0'), maxParam)
		case c == ';' || c == ':':
			if ps.n == 0 {
				ps.n = 1
			}
			if ps.n == maxParams {
				ps.state = ignore
				return 1
			}
			ps.params[ps.n] = 0
			if c == ':' {
				ps.sub |= 1 << ps.n
			}
			ps.n++
		case c >= '<' && c <= '?':
			if ps.n > 0 || ps.prefix != 0 {
				ps.state = ignore
				return 1
			}
			ps.prefix = c
		case c <= 0x2f:
			ps.inter = c
			ps.state = inter
		default:
			t.finish(c)
		}
	case csiInter, dcsInter:
		switch {
		case c <= 0x2f:
			ps.inter = 0xff
		case c <= 0x3f:
			if ps.state == csiInter {
				ps.state = csiIgnore
			} else {
				ps.state = dcsIgnore
			}
		default:
			t.finish(c)
		}
	case csiIgnore:
		if c >= 0x40 {
			ps.state = ground
		}
	default:
		ps.state = ground
	}
	return 1
}

// enter takes the byte after ESC.
func (t *Terminal) enter(c byte) {
	ps := &t.parser
	switch c {
	case '[':
		ps.state = csiParam
	case 'P':
		ps.state = dcsParam
	case ']':
		ps.state, ps.str = oscData, ps.str[:0]
	case 'X', '^', '_':
		ps.state = stringIgnore
	default:
		ps.state = ground
		t.esc(c)
	}
}

// finish takes the final byte of a CSI or DCS.
func (t *Terminal) finish(c byte) {
	ps := &t.parser
	if ps.state == csiParam || ps.state == csiInter {
		ps.state = ground
		t.csi(c)
		return
	}
	ps.state, ps.final, ps.str = dcsData, c, ps.str[:0]
}

// stepString takes bytes of a string up to what may end it.
func (t *Terminal) stepString(p []byte) int {
	ps := &t.parser
	n := 0
	for n < len(p) && p[n] >= 0x20 {
		n++
	}
	if n > 0 {
		if ps.state == oscData || ps.state == dcsData {
			ps.str = append(ps.str, p[:min(n, maxString+1-len(ps.str))]...)
		}
		return n
	}
	switch c := p[0]; {
	case c == 0x1b:
		ps.strState, ps.state = ps.state, stringEscape
	case c == 0x18 || c == 0x1a:
		ps.state, ps.str = ground, ps.str[:0]
	case c == 0x07 && ps.state == oscData:
		ps.strState = ps.state
		t.endStringBy(true)
		ps.state = ground
	}
	return 1
}

func (t *Terminal) endString() { t.endStringBy(false) }

// endStringBy executes a string that came to its end; an answer ends as the question did.
func (t *Terminal) endStringBy(bel bool) {
	ps := &t.parser
	if len(ps.str) <= maxString {
		switch ps.strState {
		case oscData:
			t.osc(ps.str, bel)
		case dcsData:
			t.dcs(ps.str)
		}
	}
	ps.str = ps.str[:0]
	if cap(ps.str) > keepString {
		ps.str = nil
	}
}

// c1 takes a control of the upper half, as a rune: ESC and the byte 0x40 below it.
func (t *Terminal) c1(r rune) {
	t.parser.clear()
	if r == 0x9c { // a string terminator with no string
		return
	}
	t.enter(byte(r) - 0x40)
}

// finishRune takes the rest of a rune the last write cut and returns how many bytes that took.
func (t *Terminal) finishRune(p []byte) int {
	ps := &t.parser
	for i := range p {
		ps.utf[ps.utfN] = p[i]
		ps.utfN++
		if utf8.FullRune(ps.utf[:ps.utfN]) {
			r, n := decodeRune(ps.utf[:ps.utfN])
			held := ps.utfN - i - 1 // bytes of earlier writes; n covers them, for they began a rune
			ps.utfN = 0
			t.rune(r)
			return n - held
		}
	}
	return len(p)
}

// printUTF8 prints runes as long as the bytes are not ASCII and returns how many bytes it took, at least one.
func (t *Terminal) printUTF8(p []byte) int {
	i := 0
	for i < len(p) && p[i] >= 0x80 {
		if n := t.printHan(p[i:]); n > 0 {
			i += n
			continue
		}
		var r rune
		n := 0
		// What two or four bytes make without exceptions is decoded here: marks and emoji.
		switch c := p[i]; {
		case c >= 0xc2 && c < 0xe0 && i+1 < len(p) && p[i+1]&0xc0 == 0x80:
			r, n = rune(c&31)<<6|rune(p[i+1]&63), 2
		case c > 0xe0 && c < 0xed && i+2 < len(p) && p[i+1]&0xc0 == 0x80 && p[i+2]&0xc0 == 0x80:
			r, n = rune(c&15)<<12|rune(p[i+1]&63)<<6|rune(p[i+2]&63), 3
		case c == 0xf0 && i+3 < len(p) && p[i+1]&0xc0 == 0x80 && p[i+1] >= 0x90 && p[i+2]&0xc0 == 0x80 && p[i+3]&0xc0 == 0x80:
			r, n = rune(p[i+1]&63)<<12|rune(p[i+2]&63)<<6|rune(p[i+3]&63), 4
		default:
			if !utf8.FullRune(p[i:]) {
				ps := &t.parser
				ps.utfN = copy(ps.utf[:], p[i:])
				return len(p)
			}
			r, n = decodeRune(p[i:])
		}
		i += n
		if r < 0xa0 {
			t.c1(r)
			if t.parser.state != ground {
				return i
			}
			continue
		}
		t.print(r)
	}
	return i
}

func (t *Terminal) rune(r rune) {
	if r >= 0x80 && r < 0xa0 {
		t.c1(r)
		return
	}
	t.print(r)
}

// decodeRune is utf8.DecodeRune, but what begins a rune and breaks off becomes one replacement character, not one for
// each byte (Unicode 3.9, U+FFFD substitution of maximal subparts).
func decodeRune(p []byte) (rune, int) {
	r, n := utf8.DecodeRune(p)
	if r == utf8.RuneError && n == 1 {
		for n < len(p) && !utf8.FullRune(p[:n+1]) {
			n++
		}
	}
	return r, n
}
