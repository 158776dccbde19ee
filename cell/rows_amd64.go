package cell

import (
	"golang.org/x/sys/cpu"

	"fractal/raster"
)

func init() {
	if cpu.X86.HasAVX2 {
		convert, compare, sum = convertAVX2, compareAVX2, sumAVX2
	}
}

func compareAVX2(like *[size]likeness, pix *[pixels]uint32) {
	compareFirst(&like[0], (*[size]uint32)(pix[:]))
	compareRowsAVX2(&like[1], &pix[size], size-1)
}

//go:noescape
func convertAVX2(dst *[pixels]uint32, src *[pixels]raster.Pixel) (and, or uint32)

//go:noescape
func compareRowsAVX2(like *likeness, row *uint32, rows int)

//go:noescape
func sumAVX2(sums *[size]rowSum, pix *[pixels]uint32, _ *[size]likeness)
