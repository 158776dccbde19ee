package source

import (
	"time"

	"fractal/canvas"
	"fractal/cell"
	"fractal/ink"
)

// outlineBytes bounds what is prepared of strokes and kept with them, of all canvases together: about 100,000 strokes. A canvas
// with more is seen from afar through crowded cells, which are kept themselves.
const outlineBytes = 256 << 20

// outlines is the one budget of the process: memory is.
var outlines = ink.NewKeep(outlineBytes)

// Preparer makes the outlines of a canvas's strokes, oldest first, and then orbits of places, before anybody needs them.
type Preparer struct {
	canvas *canvas.Canvas
	at     canvas.Seq // strokes up to here are prepared
}

// NewPreparer begins with the first stroke. It is for one goroutine at a time.
func NewPreparer(c *canvas.Canvas) *Preparer { return &Preparer{canvas: c} }

// pieceTime is how long one piece of preparing may take: what is wanted meanwhile waits no longer than this and a stroke.
const pieceTime = time.Millisecond

// Piece prepares a few strokes, and says whether there are more. It stops when the budget is nearly used up: what is
// prepared then would push out what is in use.
func (p *Preparer) Piece(s *cell.Scratch) (more bool) {
	own := inkOf(s)
	var next [16]canvas.Item
	for begun := s.Now(); ; {
		n := p.canvas.After(p.at, next[:])
		if n == 0 || outlines.Full() {
			return references.piece()
		}
		for _, i := range next[:n] {
			own.painter.PrepareAll(i.Stroke)
			p.at = i.Seq
			if s.Now()-begun > pieceTime {
				return true
			}
		}
	}
}
