package room

import (
	"slices"

	"fractal/canvas"
	"fractal/cell"
	"fractal/wire"
)

// layer is what the page holds of the places beneath the ink of a square. It is owed apart from the ink: a stroke never sends
// the set again.
type layer struct {
	unsure  bool       // least is not known
	least   canvas.Seq // version of what the canvas has there; 0: nothing ever
	version canvas.Seq // of what the page holds; 0: nothing
	rough   bool       // … and a better one follows
	told    bool       // the page knows that there is nothing
	fresh   bool       // a picture came
}

// owed says that the page has not what it should.
func (l *layer) owed() bool { return l.unsure || l.least > l.version || l.rough }

// tellNothing frames that there is nothing beneath squares, where there are places elsewhere: else the page would go on showing
// what stands in for it.
func (v *Viewer) tellNothing() (n int) {
	d := &v.debt
	for _, q := range d.wants {
		if l := &q.layer; l.least == 0 && !l.told && !l.unsure {
			l.told = true
			d.frame(&wire.ServerMessage{Kind: &wire.ServerMessage_Layer{Layer: &wire.Layer{Id: q.id, Content: uint32(cell.KindMandel)}}})
			n++
		}
	}
	return n
}

func heldLayer(version canvas.Seq) layer { return layer{unsure: true, version: version} }

// layerOf is the version of places that a want says the page holds.
func layerOf(w *wire.Want) canvas.Seq {
	for _, h := range w.GetLayers() {
		if h.GetContent() == uint32(cell.KindMandel) {
			return canvas.Seq(h.GetVersion())
		}
	}
	return 0
}

// layers frames what is owed of places, within a credit that squares have had their part of.
func (v *Viewer) layers(credit int) (n int) {
	d := &v.debt
	if !d.pictures {
		return 0
	}
	d.layerTiles = d.layerTiles[:0]
	for _, q := range d.wants {
		if q.layer.unsure {
			d.layerTiles = append(d.layerTiles, q.tile)
		}
	}
	if len(d.layerTiles) > 0 {
		d.layerSeqs = slices.Grow(d.layerSeqs[:0], len(d.layerTiles))[:len(d.layerTiles)]
		v.room.canvas.PlaceVersions(d.layerTiles, d.layerSeqs)
		i := 0
		for _, q := range d.wants {
			if l := &q.layer; l.unsure {
				l.unsure, l.least, l.fresh = false, d.layerSeqs[i], true // there may be a picture
				if l.version > l.least {
					l.version, l.rough = 0, l.least > 0 // of a time that never was
				}
				i++
			}
		}
		d.placed = d.placed || v.room.canvas.HasPlaces()
	}
	if d.placed {
		n += v.tellNothing()
	}
	d.cellKeys = d.cellKeys[:0]
	for _, q := range d.wants {
		if q.layer.fresh && q.layer.owed() {
			d.cellKeys = append(d.cellKeys, cell.Key{Kind: cell.KindMandel, ID: q.tile})
		}
	}
	if len(d.cellKeys) == 0 {
		return n
	}
	d.cellPictures = slices.Grow(d.cellPictures[:0], len(d.cellKeys))[:len(d.cellKeys)]
	v.room.stats.cellLocks.Add(1)
	v.room.cells.Pictures(d.cellKeys, d.cellPictures)
	used := 0
	for _, f := range d.frames {
		used += len(f)
	}
	i := 0
	for _, q := range d.wants {
		l := &q.layer
		if !l.fresh || !l.owed() {
			continue
		}
		p := d.cellPictures[i]
		i++
		version := canvas.Seq(p.Version)
		switch {
		case p.Data == nil:
			d.reorder = true // it had to make place for others, or was never drawn
			l.fresh = false
			continue
		case version > d.checked || version < l.version || version == l.version && !l.rough:
			l.fresh = false // of a change that is not told yet: its news mark the square again
			continue
		case used > 0 && used+len(p.Data) > credit:
			continue // stays fresh: the next cycle takes it
		}
		m := &wire.Layer{Id: q.id, Content: uint32(cell.KindMandel), Version: p.Version, Provisional: p.Provisional,
			Image: &wire.Image{Format: uint32(p.Format), Data: p.Data}}
		used += d.frame(&wire.ServerMessage{Kind: &wire.ServerMessage_Layer{Layer: m}})
		l.version, l.rough, l.fresh = version, p.Provisional, false
		n++
	}
	clear(d.cellPictures)
	return n
}
