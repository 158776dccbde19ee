package vt

// XtermPalette is colour i of xterm's palette, as 0xRRGGBB: sixteen names, a cube of 6 × 6 × 6, 24 greys. The two blues are lighter
// than xterm's, which cannot be read on black.
func XtermPalette(i uint8) uint32 {
	names := [16]uint32{
		0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x4f7dff, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
		0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x8ca6ff, 0xff00ff, 0x00ffff, 0xffffff,
	}
	switch {
	case i < 16:
		return names[i]
	case i < 232:
		level := func(n uint8) uint32 {
			if n == 0 {
				return 0
			}
			return 55 + 40*uint32(n)
		}
		i -= 16
		return level(i/36)<<16 | level(i/6%6)<<8 | level(i%6)
	}
	return (8 + 10*uint32(i-232)) * 0x010101
}
