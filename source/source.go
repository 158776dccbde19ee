// Package source is the one place where content meets cells: for every kind of content, how a cell of it is drawn. It
// refuses to know who looks.
package source

import (
	"fractal/canvas"
	"fractal/cell"
)

// Kinds says what content there is and how it is drawn. A new kind is a row here.
var Kinds = []struct {
	Kind cell.Kind
	Of   func(*canvas.Canvas, *cell.Halves) cell.Source
}{
	{cell.KindMandel, func(c *canvas.Canvas, _ *cell.Halves) cell.Source { return Mandel{c} }},
	{cell.KindInk, func(c *canvas.Canvas, h *cell.Halves) cell.Source { return Ink{c, h} }},
}

// Of returns the sources of everything that is on a canvas. halves is where they keep what they make cells of; nil: nowhere.
func Of(c *canvas.Canvas, halves *cell.Halves) cell.Sources {
	sources := cell.Sources{}
	for _, k := range Kinds {
		sources[k.Kind] = k.Of(c, halves)
	}
	return sources
}
