package room

import (
	"slices"

	"fractal/canvas"
	"fractal/cell"
	"fractal/tile"
	"fractal/wire"
)

// layerKinds are the kinds of pictures that lie beneath the ink of a square, bottom to top. They are owed apart from the ink: a
// stroke never sends them again.
var layerKinds = [layerCount]struct {
	kind cell.Kind

	// versions of many tiles; 0: nothing is there, and nothing ever was.
	versions func(*Room, []tile.ID, []canvas.Seq)

	// some says that there is, or was, any on the canvas.
	some func(*Room) bool

	// live content changes at any time, not by ops: its versions are its source's own numbers. A newer picture is wanted no
	// sooner than the one that was wanted is sent, so that a page is drawn for as often as it pulls.
	live bool
}{
	layerPlaces: {
		kind:     cell.KindMandel,
		versions: func(r *Room, ids []tile.ID, dst []canvas.Seq) { r.canvas.PlaceVersions(ids, dst) },
		some:     func(r *Room) bool { return r.canvas.HasPlaces() },
	},
	layerTerminals: {
		kind:     cell.KindTerm,
		versions: (*Room).terminalVersions,
		some:     func(r *Room) bool { return r.canvas.HasTerminals() },
		live:     true,
	},
}

const (
	layerPlaces = iota
	layerTerminals
	layerCount
)

// layerOf is the row of a kind, -1 if it has none.
func layerOf(k cell.Kind) int {
	for i := range layerKinds {
		if layerKinds[i].kind == k {
			return i
		}
	}
	return -1
}

// layerDamaged is the row of what an op touched, -1 if that is no layer.
func layerDamaged(d *canvas.Damage) int {
	switch {
	case d.Place:
		return layerPlaces
	case d.Terminal:
		return layerTerminals
	}
	return -1
}

// layer is what the page holds of one kind of content beneath the ink of a square.
type layer struct {
	without bool       // it is not wanted here
	unsure  bool       // least may be out of date
	least   canvas.Seq // version of what there is; 0: nothing ever
	version canvas.Seq // of what the page holds; 0: nothing
	rough   bool       // … and a better one follows
	told    bool       // the page knows that there is nothing
	fresh   bool       // a picture came
}

// owed says that the page has not what it should.
func (l *layer) owed() bool { return !l.without && (l.unsure || l.awaited()) }

// awaited says that a picture is wanted which has not come.
func (l *layer) awaited() bool { return !l.without && (l.least > l.version || l.rough) }

// layers is what a page holds beneath a square.
type layers [layerCount]layer

func (ls *layers) owed() bool {
	for i := range ls {
		if ls[i].owed() {
			return true
		}
	}
	return false
}

// want takes what the page wants of the layers, and says it holds of them where known is false.
func (ls *layers) want(w *want, known bool) {
	for i := range ls {
		l, without := &ls[i], w.without>>layerKinds[i].kind&1 != 0
		if !known {
			*l = layer{unsure: true, version: w.layers[i]}
		}
		if l.without && !without {
			l.unsure, l.version, l.rough = true, w.layers[i], false // its news were not heeded, and the page may have let go of it
		}
		l.without = without
	}
}

// doubt makes all of them unsure, of pages that saw another time.
func (ls *layers) doubt() {
	for i := range ls {
		ls[i] = layer{unsure: true, without: ls[i].without}
	}
}

// layersOf is the versions of layers that a want says the page holds.
func layersOf(w *wire.Want) (held [layerCount]canvas.Seq) {
	for _, h := range w.GetLayers() {
		if i := layerOf(cell.Kind(min(h.GetContent(), 255))); i >= 0 {
			held[i] = canvas.Seq(h.GetVersion())
		}
	}
	return held
}

// heedTerminals marks what may show a terminal that has changed.
func (v *Viewer) heedTerminals() {
	d := &v.debt
	n := v.room.programs.news.Load() // before their versions are asked for
	if n == d.screenNews {
		return
	}
	d.screenNews = n
	for _, q := range d.wants {
		if l := &q.layers[layerTerminals]; l.least > 0 && !l.without {
			l.unsure = true
		}
	}
}

// layers frames what is owed of layers, within a credit that squares have had their part of.
func (v *Viewer) layers(credit int) (n int) {
	d := &v.debt
	if !d.pictures {
		return 0
	}
	v.heedTerminals()
	d.cellKeys = d.cellKeys[:0]
	for i := range layerKinds {
		v.versions(i)
		if d.some[i] {
			n += v.tellNothing(i)
		}
		for _, q := range d.wants {
			if l := &q.layers[i]; l.fresh && l.awaited() {
				d.cellKeys = append(d.cellKeys, cell.Key{Kind: layerKinds[i].kind, ID: q.tile})
			}
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
	at := 0
	for i := range layerKinds {
		for _, q := range d.wants {
			l := &q.layers[i]
			if !l.fresh || !l.awaited() {
				continue
			}
			p := d.cellPictures[at]
			at++
			version := canvas.Seq(p.Version)
			switch {
			case p.Data == nil:
				d.reorder = true // it had to make place for others, or was never drawn
				l.fresh = false
				continue
			case !layerKinds[i].live && version > d.checked || version < l.version || version == l.version && !l.rough:
				l.fresh = false // of a change that is not told yet: its news mark the square again
				continue
			case used > 0 && used+len(p.Data) > credit:
				continue // stays fresh: the next cycle takes it
			}
			m := &wire.Layer{Id: q.id, Content: uint32(layerKinds[i].kind), Version: p.Version, Provisional: p.Provisional,
				Image: &wire.Image{Format: uint32(p.Format), Data: p.Data}}
			used += d.frame(&wire.ServerMessage{Kind: &wire.ServerMessage_Layer{Layer: m}})
			l.version, l.rough, l.fresh = version, p.Provisional, false
			n++
		}
	}
	clear(d.cellPictures)
	return n
}

// versions asks for what there is of a kind where that is not known.
func (v *Viewer) versions(i int) {
	d := &v.debt
	asks := func(l *layer) bool { return l.unsure && !l.without && !(layerKinds[i].live && l.awaited()) }
	d.layerTiles = d.layerTiles[:0]
	for _, q := range d.wants {
		if asks(&q.layers[i]) {
			d.layerTiles = append(d.layerTiles, q.tile)
		}
	}
	if len(d.layerTiles) == 0 {
		return
	}
	d.layerSeqs = slices.Grow(d.layerSeqs[:0], len(d.layerTiles))[:len(d.layerTiles)]
	if layerKinds[i].live {
		v.screens.Store(true) // what changes from here on is told
	}
	layerKinds[i].versions(v.room, d.layerTiles, d.layerSeqs)
	at := 0
	for _, q := range d.wants {
		if l := &q.layers[i]; asks(l) {
			l.unsure, l.least, l.fresh = false, d.layerSeqs[at], true // there may be a picture
			if l.version > l.least {
				l.version, l.rough = 0, l.least > 0 // of a time that never was
			}
			at++
		}
	}
	d.some[i] = d.some[i] || layerKinds[i].some(v.room)
	if layerKinds[i].live {
		v.screens.Store(slices.ContainsFunc(d.wants, func(q *square) bool { return q.layers[i].least > 0 && !q.layers[i].without }))
	}
}

// tellNothing frames that there is nothing of a kind beneath squares, where there is some elsewhere: else the page would go on
// showing what stands in for it.
func (v *Viewer) tellNothing(i int) (n int) {
	d := &v.debt
	for _, q := range d.wants {
		if l := &q.layers[i]; l.least == 0 && !l.told && !l.unsure && !l.without {
			l.told = true
			d.frame(&wire.ServerMessage{Kind: &wire.ServerMessage_Layer{Layer: &wire.Layer{Id: q.id, Content: uint32(layerKinds[i].kind)}}})
			n++
		}
	}
	return n
}

// terminalVersions are the versions of the pictures of terminals.
func (r *Room) terminalVersions(ids []tile.ID, dst []canvas.Seq) {
	if r.terms == nil {
		clear(dst)
		return
	}
	r.terms.Versions(ids, dst)
}
