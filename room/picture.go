package room

import (
	"slices"

	"fractal/canvas"
	"fractal/cell"
)

// pictureReady is called by the pool, with no lock held, when there is a better picture of a cell than before.
func (r *Room) pictureReady(key cell.Key) {
	if key.Kind == cell.KindMandel && r.cells != nil {
		r.cells.Due() // the orbits below it may be wanted next
	}
	r.firsts.ready(key)
	for _, v := range *r.viewers.Load() {
		v.mu.Lock()
		_, wanted := v.inbox.wanting[key]
		if wanted {
			if v.inbox.fresh == nil {
				v.inbox.fresh = map[cell.Key]struct{}{}
			}
			v.inbox.fresh[key] = struct{}{}
		}
		v.mu.Unlock()
		if wanted && v.armed.Load() {
			v.signal()
		}
	}
}

// pictures finds the newest pictures of the squares that are being looked at and could use one.
func (v *Viewer) pictures() {
	d := &v.debt
	d.cellKeys = d.cellKeys[:0]
	for i := range d.asked {
		if a := &d.asked[i]; a.anew() || a.fresh {
			d.cellKeys = append(d.cellKeys, cell.Key{Kind: cell.KindInk, ID: a.tile})
		}
	}
	if len(d.cellKeys) == 0 || v.room.cells == nil {
		return
	}
	d.cellPictures = slices.Grow(d.cellPictures[:0], len(d.cellKeys))[:len(d.cellKeys)]
	v.room.stats.cellLocks.Add(1)
	v.room.cells.Pictures(d.cellKeys, d.cellPictures)
	n := 0
	for i := range d.asked {
		a := &d.asked[i]
		if !a.anew() && !a.fresh {
			continue
		}
		p := d.cellPictures[n]
		n++
		version := canvas.Seq(p.Version)
		switch {
		case p.Data == nil:
			d.reorder = d.reorder || a.least > 0 // it was there, and had to make place for others
		case version > d.checked: // of a change that is not told yet: it comes with the news of that
			a.later = true
		case a.anew() || version > a.version || a.rough && !p.Provisional:
			a.picture, a.drawn = p, true
		}
	}
	clear(d.cellPictures)
}

// order tells the pool which pictures this viewer waits for, when that changed. A picture that is there by now is not
// announced: again says that there is one.
func (v *Viewer) order() (again bool) {
	d := &v.debt
	if v.room.cells == nil {
		return false
	}
	wants := d.ordering[:0]
	if !d.hidden {
		for rank, q := range d.wants {
			if q.least > 0 {
				wants = append(wants, cell.Want{Key: cell.Key{Kind: cell.KindInk, ID: q.tile}, Least: uint64(q.least), Rank: rank})
			}
			for i := range q.layers {
				if l := &q.layers[i]; l.awaited() && !(l.unsure && !layerKinds[i].live) {
					wants = append(wants, cell.Want{Key: cell.Key{Kind: layerKinds[i].kind, ID: q.tile}, Least: uint64(l.least), Rank: rank})
				}
			}
		}
	}
	if slices.Equal(wants, d.ordered) && !d.reorder {
		d.ordering = wants
		return false
	}
	before := d.ordered
	if d.reorder {
		before = nil
	}
	d.ordered, d.ordering, d.reorder = wants, d.ordered, false
	wanting := make(map[cell.Key]struct{}, len(wants))
	for _, w := range wants {
		wanting[w.Key] = struct{}{}
	}
	v.mu.Lock()
	v.inbox.wanting = wanting
	v.mu.Unlock()
	v.room.cells.Want(uint64(v.id), wants)

	keys := make([]cell.Key, 0, len(wants))
	for _, w := range wants {
		if !slices.Contains(before, w) {
			keys = append(keys, w.Key)
		}
	}
	there := make([]cell.Picture, len(keys))
	v.room.cells.Pictures(keys, there)
	for i, k := range keys {
		if row := layerOf(k.Kind); row >= 0 {
			q := d.wants[slices.IndexFunc(d.wants, func(q *square) bool { return q.tile == k.ID })]
			if p, l := &there[i], &q.layers[row]; p.Data != nil && canvas.Seq(p.Version) >= l.least && !p.Provisional {
				l.fresh, again = true, true
			}
			continue
		}
		q := d.wants[slices.IndexFunc(d.wants, func(q *square) bool { return q.tile == k.ID && q.least > 0 })]
		if p := &there[i]; p.Data != nil && p.Version >= uint64(q.least) && !p.Provisional && !q.fresh {
			q.fresh = true
			q.owe(d.checked + 1)
			again = true
		}
	}
	return again
}
