package source

import (
	"context"
	"errors"
	"time"

	"fractal/canvas"
	"fractal/cell"
	"fractal/raster"
	"fractal/tile"
)

// Pixels counts the changes that made old cells and new ones differ: whoever keeps cells keeps them under this number.
const Pixels = 6

// derivation makes a cell with too many strokes beneath from the cells of its four children, and those that are crowded in
// turn from theirs. The definition is exact: each is the children's at half their size, all 16 bits, side by side.
//
// All of it is as of one op, so strokes may go on being drawn: what they change is made when it is asked for next. Only when
// something is hidden or shown meanwhile is that past no longer to be had.
type derivation struct {
	Ink
	own   *inkScratch
	s     *cell.Scratch
	at    canvas.Seq
	begun time.Duration
}

// errPast says that the state as of derivation.at cannot be told any more.
var errPast = errors.New("source: the canvas has gone on")

// turnTime is how long a derivation goes on while others wait for the slot. What it has made by then is in Halves; to come back
// to it costs about a millisecond.
const turnTime = 50 * time.Millisecond

// draw makes the scratch's image the cell of a tile whose crowd is known.
func (d *derivation) draw(ctx context.Context, id tile.ID, crowd canvas.Crowd) error {
	if !crowd.Crowded() {
		return d.direct(ctx, id)
	}
	// Between levels only packed quarters stay: the depth of the descent costs what the drawing's detail takes.
	var versions [4]uint64
	var hand [4][]byte
	for {
		for i := range versions {
			child := id.Child(i)
			crowd, ok := d.Canvas.Crowd(child, d.at)
			if !ok {
				return errPast
			}
			versions[i] = uint64(crowd.Version)
			if versions[i] == 0 || hand[i] != nil || d.Halves.Has(child, versions[i]) {
				continue
			}
			if d.Halves != nil && d.s.Now()-d.begun > turnTime && d.s.Waiting() {
				return cell.ErrLater
			}
			if err := d.draw(ctx, child, crowd); err != nil {
				return err
			}
			d.own.quarter.Halve(&d.s.Image)
			d.Halves.Put(child, versions[i], &d.own.quarter)
			hand[i] = cell.PackQuarter(nil, &d.own.quarter)
			d.s.Lap(cell.StageDerive)
		}
		if d.compose(id, versions, hand) {
			d.s.Lap(cell.StageDerive)
			return nil
		}
	}
}

// compose puts the quarters together. It is false when one is not kept any more.
func (d *derivation) compose(id tile.ID, versions [4]uint64, hand [4][]byte) bool {
	q := &d.own.quarter
	for i, version := range versions {
		switch {
		case version == 0:
			*q = raster.Quarter{}
		case hand[i] != nil:
			if !cell.UnpackQuarter(q, hand[i]) {
				panic("source: a quarter of our own cannot be unpacked")
			}
		case !d.Halves.Get(id.Child(i), version, q):
			return false
		}
		d.s.Image.Place(i, q)
	}
	return true
}

// direct draws a cell stroke by stroke.
func (d *derivation) direct(ctx context.Context, id tile.ID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	snap := snapshot(d.Canvas, id, d.s)
	items := snap.Items
	for len(items) > 0 && items[len(items)-1].Seq > d.at {
		items = items[:len(items)-1]
	}
	if _, ok := d.Canvas.Crowd(id, d.at); !ok { // after the snapshot: it saw no other flips
		return errPast
	}
	d.own.paint(d.s, id, items)
	return nil
}
