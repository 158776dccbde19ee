package vt

import (
	"bytes"
	"testing"
)

// A program asks for much with few bytes. What holds a lock meanwhile must be able to let go of it between two such sequences,
// whichever they are, and end with the screen that Write makes.
func TestMuchWorkOfFewBytesIsDoneInParts(t *testing.T) {
	for _, much := range []string{"\x1b[9999b", "\u6a4b\x1b[9999b", "\x1b[65;$x", "\x1b[2J", "\x1b#8", "\x1b[;;;;1$r", "\x1b[;;;;1$t", "\x1b[;;;;1;2;1$v", "\x1b[$z",
		"\x1b[H\x1b[?J", "\x1b[${", "\x1b[1;1*y", "\x1b[9999S", "\x1b[9999T", "\x1b[?69h\x1b[2s\x1b[S", "\x1b[?69h\x1b[2s\x1b[T", "\x1b[H\x1b[9999L", "\x1b[H\x1b[9999M"} {
		cfg := Config{Cols: 60, Rows: 20, History: 50, Checksums: true}
		all := bytes.Repeat([]byte("a"+much), 50)
		whole, parts := New(cfg), New(cfg)
		for _, term := range []*Terminal{whole, parts} {
			term.Write([]byte("\x1b[44m\x1b#8"))
		}
		whole.Write(all)
		n := 0
		for p := all; len(p) > 0; n++ {
			p = p[parts.WriteSome(p, 2*60*20):]
		}
		if n < 10 {
			t.Errorf("%q, 50 times: %d parts", much, n)
		}
		if a, b := whole.dump(), parts.dump(); a != b {
			t.Errorf("%q: whole:\n%s\nin parts:\n%s", much, a, b)
		}
	}
}
