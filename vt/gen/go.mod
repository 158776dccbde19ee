module fractal/vt/gen

go 1.26.0

require (
	github.com/clipperhouse/displaywidth v0.11.0 // width of a rune
	github.com/clipperhouse/uax29/v2 v2.7.0 // grapheme break classes, by asking about pairs
	github.com/rivo/uniseg v0.4.7 // what an older Unicode calls pictographic
)
