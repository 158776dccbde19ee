package term

import (
	"bytes"
	"testing"
)

// Whoever looks on waits for the lock: a program that asks for half a million cells with ten bytes must not hold it for all it wrote.
func TestMuchWorkOfFewBytesLetsOthersLook(t *testing.T) {
	h := newShells(t, Config{})
	v := open(t, h, Spec{Cols: 1024, Rows: 512}, "read x")
	before := v.s.chunks.Load()
	v.s.parse(bytes.Repeat([]byte("\x1b[99999;$x\x1b[9999999b\x1b#8"), 5), nil)
	if n := v.s.chunks.Load() - before; n < 5 {
		t.Errorf("the lock was let go of %d times", n)
	}
}
