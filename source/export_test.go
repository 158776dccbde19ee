package source

import (
	"weak"

	"fractal/canvas"
	"fractal/tile"
)

// HotStrokes says of how many strokes an image of the cell is kept.
func HotStrokes(c *canvas.Canvas, id tile.ID) int {
	n, _ := hots.known(hotKey{weak.Make(c), id})
	return n
}
