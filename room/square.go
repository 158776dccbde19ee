package room

import (
	"fractal/canvas"
	"fractal/tile"
)

// square is one want of a viewer: what the page holds of it and whether it must be looked at.
type square struct {
	id   uint32
	tile tile.ID

	held    bool       // the page holds something
	version canvas.Seq // of the image it holds
	seq     canvas.Seq // what the page calls its state: pieces sent follow it
	looked  canvas.Seq // nothing up to here is missing from it

	owed    bool       // something after looked may have touched it
	through canvas.Seq // while owed: it is complete up to here all the same
	broken  bool       // pieces on top cannot mend it: it must be sent anew
	waits   bool       // nothing can be sent before a picture is there or something changes
	fresh   bool       // a picture came
	rough   bool       // the image it holds is provisional

	least  canvas.Seq // a picture of this version is wanted; 0: none
	weight int        // points of the pieces on top of the image
	size   int        // bytes of the image

	layers layers // what lies beneath the ink
}

// owe marks the square: the change at seq may have touched it.
func (q *square) owe(seq canvas.Seq) {
	if !q.owed {
		q.owed, q.through = true, max(q.looked, seq-1)
	}
	q.waits = false
}

// sent is what a square became by a cycle that the page may not have painted yet.
type sent struct {
	cycle        uint64
	tile         tile.ID
	version, seq canvas.Seq
}

// maxFlight bounds the squares remembered as sent and not painted. A page that pulls without painting forgets the oldest
// news of its own: it is told everything again.
const maxFlight = 2048

// adopt takes a new view. A square that was in view before goes on; for a new one the page says what it holds, unless
// something sent since the page spoke is newer than what it says.
func (d *debt) adopt(next *view) {
	byID := make(map[uint32]*square, len(next.wants))
	wants := make([]*square, 0, len(next.wants))
	for _, w := range next.wants {
		version, seq := w.version, w.seq
		fl, flying := d.flight[w.id]
		if flying = flying && fl.cycle > next.painted && fl.tile == w.tile; flying {
			version, seq = fl.version, fl.seq
		}
		q := d.byID[w.id]
		if q == nil || q.tile != w.tile || q.version != version || q.seq != seq || !q.held && (seq > 0 || flying) {
			known := q != nil && q.tile == w.tile
			var l layers
			if known {
				l = q.layers
			}
			l.want(&w, known)
			q = &square{id: w.id, tile: w.tile, owed: true, layers: l}
			if (seq > 0 || flying) && version <= seq { // else it holds nothing, or nonsense
				q.held, q.version, q.seq, q.looked, q.through = true, version, seq, seq, seq
			}
		} else if q.held && seq == 0 && !flying { // it held what an empty canvas is, and holds nothing now
			q.held, q.owed, q.through, q.waits = false, true, 0, false
			q.layers.want(&w, true)
		} else {
			q.layers.want(&w, true)
		}
		byID[w.id] = q
		wants = append(wants, q)
	}
	d.byID, d.wants = byID, wants
	d.adoptTerms(next)
	d.termsOwed = true
	d.generation, d.hidden, d.shown = next.generation, next.hidden, next.shown
	d.doubt = true
}

// disbelieve drops what a page says it holds of a time that never was: it saw a log that lost its end.
func (d *debt) disbelieve(now canvas.Seq) {
	for _, q := range d.wants {
		if q.seq > now {
			q.layers.doubt()
			*q = square{id: q.id, tile: q.tile, owed: true, layers: q.layers}
		}
	}
	d.doubt = false
}

// heed marks what the news touched.
func (d *debt) heed(b bulletin) {
	if b.all {
		for _, q := range d.wants {
			q.owe(d.checked + 1)
			for i := range q.layers {
				q.layers[i].unsure = true
			}
		}
		d.termsOwed = true
		return
	}
	for i := range b.items {
		it := &b.items[i]
		if it.damage.Terminal {
			d.termsOwed = true
		}
		if row := layerDamaged(&it.damage); row >= 0 {
			d.some[row] = true
			for _, q := range d.wants {
				l := &q.layers[row]
				l.unsure = l.unsure || it.damage.Touches(q.tile)
			}
			continue
		}
		for _, q := range d.wants {
			if q.owed && !q.waits && (q.broken || !it.undone) || it.seq <= q.looked {
				continue // it cannot get worse
			}
			if it.damage.Touches(q.tile) {
				q.owe(it.seq)
				q.broken = q.broken || it.undone && q.held
			}
		}
	}
}
