package room

import (
	"time"

	"fractal/canvas"
	"fractal/cell"
	"fractal/term"
	"fractal/tile"
)

const (
	// maxCredit bounds what one cycle may take, whatever the page asks for.
	maxCredit = 4 << 20

	// maxLooks bounds the squares one cycle looks at. The first view of a large screen takes a few cycles.
	maxLooks = 160

	// Budgets in points. A square that has no image travels as strokes up to fewPoints; what comes on top of one it holds, up to
	// newsPoints, three pulls of a flood of 1,000 strokes a second into one square; on top of an image that is newly sent, up
	// to freshPoints.
	fewPoints   = 6000
	newsPoints  = 20000
	freshPoints = 20000

	// A picture is wanted when the points on top of the image a square has exceed these; with an image, not before they weigh
	// as many bytes as it does, up to mostOnTop: whoever holds the strokes needs no image. In a flood, a picture every 4,000
	// points was 80 % of all bytes sent.
	bakePlain = 20000
	bakeImage = 4000
	mostOnTop = 32000
)

// debt is what one viewer is owed. It belongs to the viewer's goroutine: what others have to say comes through the inbox.
type debt struct {
	wants  []*square // in the order of need
	byID   map[uint32]*square
	flight map[uint32]sent // by square id; at most maxFlight

	generation, told uint64 // of the newest view; of the last CycleEnd
	shown            int    // how many of the first wants are on the screen
	hidden           bool
	doubt            bool // the view is new: what it says the page holds is not checked yet
	pulled           bool
	credit           int
	painted          uint64

	checked canvas.Seq // news up to here are heeded
	state   stateSent
	moves   uint64 // of the crowd, told
	wets    []told
	dry     canvas.Seq // newest seq that a wet stroke it was told of became

	title    string // constant
	shells   bool   // constant: this server runs programs
	role     canvas.Role
	pictures bool   // constant: there are pictures to be had
	cycle    uint64 // number of the last one
	through  canvas.Seq
	settled  bool
	sentAt   time.Time // of the last cycle, until it is counted
	average  int       // bytes of a square, of late
	spared   int       // credit that was left because the next square did not fit
	next     *square   // it comes first now: enough was spared for it

	seen []seenMark // cycles that are not painted yet

	ordered    []cell.Want      // pictures the pool knows are wanted
	reorder    bool             // it must be told again
	some       [layerCount]bool // there is some of that kind on the canvas
	screenNews uint64           // of Room.screenNews, heeded

	terms       []termWant // shown as text, in the order of need
	termFlight  map[canvas.Seq]termSent
	termsOwed   bool       // look at them, whether there are news of programs or not
	termListed  canvas.Seq // op as of which the page has the list
	programNews uint64     // of programs.news, heeded

	termNames    []string // scratch from here
	termAt       []int
	sessions     []*term.Session
	ordering     []cell.Want
	layerTiles   []tile.ID
	layerSeqs    []canvas.Seq
	cellKeys     []cell.Key
	cellPictures []cell.Picture

	bulletin []item
	asked    []asked
	asks     []canvas.Ask
	looks    []canvas.Look
	keys     []pieceKey
	strokes  []canvas.Item
	found    []piece
	missed   []pieceKey
	made     []piece
	frames   [][]byte
}

type stateSent struct {
	state shared
	can   [2]bool
	role  canvas.Role
	sent  bool
}

type seenMark struct {
	cycle uint64
	at    time.Time
}

// open drains the inbox: one acquisition.
func (v *Viewer) open() {
	d := &v.debt
	v.mu.Lock()
	in := v.inbox
	v.inbox.view, v.inbox.pulled = nil, false
	v.inbox.fresh = nil
	v.mu.Unlock()

	d.painted = min(in.painted, d.cycle)
	if in.pulled {
		d.pulled, d.credit = true, in.credit
		for id, s := range d.flight {
			if s.cycle <= d.painted {
				delete(d.flight, id)
			}
		}
		for len(d.seen) > 0 && d.seen[0].cycle <= d.painted {
			v.room.stats.strokeSeen.observe(now().Sub(d.seen[0].at))
			d.seen = d.seen[1:]
		}
	}
	if in.view != nil {
		d.adopt(in.view)
	}
	if len(in.fresh) > 0 {
		for _, q := range d.wants {
			if _, ok := in.fresh[cell.Key{Kind: cell.KindInk, ID: q.tile}]; ok {
				q.fresh = true
				q.owe(d.checked + 1)
			}
			for i := range q.layers {
				if _, ok := in.fresh[cell.Key{Kind: layerKinds[i].kind, ID: q.tile}]; ok {
					q.layers[i].fresh = true
				}
			}
		}
	}
}

// settle says through which seq every want that is shown is complete, whether nothing is owed, and how much is. What is wanted as
// a stand-in is left out: in a flood a square far above waits for a picture that takes seconds, and nobody's stroke may
// stay wet for that.
func (d *debt) settle() (through canvas.Seq, settled bool, owed int) {
	through, settled = d.checked, true
	for i, q := range d.wants {
		if q.owed {
			if i < d.shown {
				through = min(through, q.through)
			}
			owed++
		}
		if q.owed || q.least > 0 || q.rough || d.pictures && q.layers.owed() {
			settled = false
		}
	}
	return through, settled, owed
}
