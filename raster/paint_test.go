package raster

import "testing"

// Every alpha with every few shares, onto pixels at the ends of their range: a sum that overflows its lane would make a
// full pixel empty.
func TestBlendOntoAFullPixelLeavesItFull(t *testing.T) {
	for alpha := range uint32(256) {
		for _, color := range []uint32{0xffffff00, 0x00000000, 0x80ff0100} {
			p := Over(color | alpha)
			for w := uint64(0); w <= Full; w += 37 {
				for _, d := range []Pixel{0xffff_ffff_ffff_ffff, 0xffff_0000_0000_0000, 0xffff_0000_ffff_8000} {
					got := p.blend(d, w)
					if a := got >> 48; a < 0xfffe {
						t.Fatalf("colour %08x with share %d on %016x: %016x", color|alpha, w, d, got)
					}
					for lane := range 3 {
						if c := got >> (16 * lane) & 0xffff; c > got>>48 {
							t.Fatalf("colour %08x with share %d on %016x: %016x has more colour than alpha", color|alpha, w, d, got)
						}
					}
				}
			}
		}
	}
}
