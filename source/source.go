// Package source is the one place where content meets cells: for every kind of content, how a cell of it is drawn. It
// refuses to know who looks.
package source

import (
	"fractal/canvas"
	"fractal/cell"
	"fractal/term"
)

// With is what sources need beside the canvas.
type With struct {
	Halves  *cell.Halves                    // where they keep what they make cells of; nil: nowhere
	Session func(name string) *term.Session // finds the session of a terminal, nil where there is none; nil: there are none
}

// Kinds says what content there is and how it is drawn. A new kind is a row here.
var Kinds = []struct {
	Kind cell.Kind
	Of   func(*canvas.Canvas, With) cell.Source
}{
	{cell.KindMandel, func(c *canvas.Canvas, _ With) cell.Source { return Mandel{c, &phases} }},
	{cell.KindTerm, func(c *canvas.Canvas, w With) cell.Source { return NewTerm(c, w.Session) }},
	{cell.KindInk, func(c *canvas.Canvas, w With) cell.Source { return Ink{c, w.Halves} }},
}

// Of returns the sources of everything that is on a canvas.
func Of(c *canvas.Canvas, with With) cell.Sources {
	sources := cell.Sources{}
	for _, k := range Kinds {
		sources[k.Kind] = k.Of(c, with)
	}
	return sources
}
