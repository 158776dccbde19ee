// Package payload makes what programs print at a terminal, from seeds: the five floods the terminal core is measured
// with. It knows nothing of terminals but what they read.
package payload

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// The screen the payloads are made for.
const (
	Cols = 188
	Rows = 82
)

// Kinds are the payloads there are.
var Kinds = []string{"ascii", "unicode", "csi", "doom", "scroll"}

// Make is at least size bytes of a kind, the same for the same seed; nil for an unknown kind.
func Make(kind string, size int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 0x7f2a))
	switch kind {
	case "ascii":
		return ascii(r, size)
	case "unicode":
		return unicode(r, size)
	case "csi":
		return csi(r, size)
	case "doom":
		b, _ := doom(r, size)
		return b
	case "scroll":
		b := make([]byte, 0, size+3)
		for len(b) < size {
			b = append(b, "y\r\n"...)
		}
		return b
	}
	return nil
}

// ascii is lines of words, 20 to 170 columns.
func ascii(r *rand.Rand, size int) []byte {
	b := make([]byte, 0, size+256)
	for len(b) < size {
		for n, word := 20+r.IntN(151), 0; n > 0; n-- {
			if word == 0 {
				word = 1 + r.IntN(9)
				b = append(b, ' ')
				continue
			}
			word--
			b = append(b, byte('!'+r.IntN(94)))
		}
		b = append(b, "\r\n"...)
	}
	return b
}

// unicode is by count of clusters 55 % Han, 13 % emoji of all kinds, 17 % letters with marks, the rest ASCII.
func unicode(r *rand.Rand, size int) []byte {
	emoji := []string{
		"😀", "🚗", "👩‍👩‍👧‍👦", "👩🏽‍💻", "🇩🇪", "🇯🇵", "1️⃣", "❤️", "☝🏽", "🏳️‍🌈", "⚙️", "🧑‍🚀",
	}
	letters := []string{
		"e\u0301", "a\u0323\u0308", "n\u0303", "q\u0302", "\u0e01\u0e47", "\u0e19\u0e49\u0e33", "o\u0308\u0331", "\u0928\u093f", "\u0634\u0301",
	}
	b := make([]byte, 0, size+1024)
	for len(b) < size {
		for n := 10 + r.IntN(80); n > 0; n-- {
			switch k := r.IntN(100); {
			case k < 55:
				b = append(b, string(rune(0x4e00+r.IntN(0x5000)))...)
			case k < 68:
				b = append(b, emoji[r.IntN(len(emoji))]...)
			case k < 85:
				b = append(b, letters[r.IntN(len(letters))]...)
			default:
				b = append(b, byte('!'+r.IntN(94)))
			}
		}
		b = append(b, "\r\n"...)
	}
	return b
}

// csi is styles, movements and edits with a few characters each.
func csi(r *rand.Rand, size int) []byte {
	b := make([]byte, 0, size+256)
	for len(b) < size {
		switch r.IntN(12) {
		case 0, 1:
			b = fmt.Appendf(b, "\x1b[%d;%dm", r.IntN(2), 30+r.IntN(8))
		case 2:
			b = fmt.Appendf(b, "\x1b[38;5;%dm", r.IntN(256))
		case 3:
			b = fmt.Appendf(b, "\x1b[38;2;%d;%d;%dm", r.IntN(256), r.IntN(256), r.IntN(256))
		case 4:
			b = fmt.Appendf(b, "\x1b[48;2;%d;%d;%dm", r.IntN(256), r.IntN(256), r.IntN(256))
		case 5, 6:
			b = fmt.Appendf(b, "\x1b[%d;%dH", 1+r.IntN(Rows), 1+r.IntN(Cols))
		case 7:
			b = fmt.Appendf(b, "\x1b[%dC", 1+r.IntN(20))
		case 8:
			b = append(b, "\x1b[K"...)
		case 9:
			b = fmt.Appendf(b, "\x1b[%dX", 1+r.IntN(20))
		case 10:
			b = fmt.Appendf(b, "\x1b[%d%c", 1+r.IntN(8), "@P"[r.IntN(2)])
		case 11:
			if r.IntN(8) == 0 {
				b = append(b, "\x1b[L"...)
			} else {
				b = append(b, "\x1b[0m"...)
			}
		}
		for n := 1 + r.IntN(8); n > 0; n-- {
			b = append(b, byte('!'+r.IntN(94)))
		}
	}
	return b
}

// Frames are pictures of the payload "doom", one after the other, at least size bytes of them.
func Frames(size int, seed uint64) (all [][]byte) {
	b, ends := doom(rand.New(rand.NewPCG(seed, 0x7f2a)), size)
	start := 0
	for _, end := range ends {
		all = append(all, b[start:end])
		start = end
	}
	return all
}

// doom is a fire of half blocks in true colour, as a program draws it that writes only what has changed; and where its pictures end.
func doom(r *rand.Rand, size int) (b []byte, ends []int) {
	const width, height = Cols, 2 * Rows
	var palette [37][3]uint8
	for i := range palette {
		x := float64(i) / 36
		palette[i] = [3]uint8{uint8(255 * math.Sqrt(x)), uint8(255 * x * x), uint8(200 * x * x * x)}
	}
	fire := make([]int, width*height)
	for x := range width {
		fire[(height-1)*width+x] = 36
	}
	shown := make([][2]int, width*Rows)
	for i := range shown {
		shown[i] = [2]int{-1, -1}
	}
	b = append(make([]byte, 0, size+1<<19), "\x1b[?1049h\x1b[?25l"...)
	for len(b) < size {
		for y := 1; y < height; y++ {
			for x := range width {
				decay := r.IntN(3)
				to := (x - decay + 1 + width) % width
				fire[(y-1)*width+to] = max(0, fire[y*width+x]-decay&1)
			}
		}
		last := [2]int{-1, -1}
		for y := range Rows {
			at := -1
			for x := range width {
				c := [2]int{fire[2*y*width+x], fire[(2*y+1)*width+x]}
				if c == shown[y*width+x] {
					continue
				}
				shown[y*width+x] = c
				if at != x {
					b = fmt.Appendf(b, "\x1b[%d;%dH", y+1, x+1)
				}
				at = x + 1
				if c != last {
					f, g := palette[c[0]], palette[c[1]]
					b = fmt.Appendf(b, "\x1b[38;2;%d;%d;%d;48;2;%d;%d;%dm", f[0], f[1], f[2], g[0], g[1], g[2])
					last = c
				}
				b = append(b, "▀"...)
			}
		}
		ends = append(ends, len(b))
	}
	return b, ends
}
