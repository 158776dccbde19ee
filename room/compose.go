package room

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"fractal/canvas"
	"fractal/cell"
)

// asked is one square being looked at: indices into asks and looks, -1 where that was not asked.
type asked struct {
	*square
	news, all, over int // what came after what it holds; everything; what came after picture
	picture         cell.Picture
	drawn           bool // there is a picture
	later           bool // there is one, of a change that is not told yet

	plan       plan
	from, upto int        // its pieces, in keys
	end        canvas.Seq // with them it holds everything up to here
}

// plan is how a square is answered.
type plan uint8

const (
	planNothing plan = iota // it is complete as it is
	planNews                // pieces on top of what it holds
	planPlain               // anew, as strokes
	planImage               // anew, as picture and the strokes after it
	planWait                // nothing can be sent before a picture is there
	planUnsure              // what it holds cannot be mended: ask for everything
)

// squares answers as many owed squares as the credit allows, nearest first, at least one. unsure says that there are some
// which are to be asked again, otherwise.
func (v *Viewer) squares(credit int) (n int, unsure bool) {
	d := &v.debt
	v.choose(credit)
	if len(d.asked) == 0 {
		return 0, false
	}
	for len(d.looks) < len(d.asks) {
		d.looks = append(d.looks, canvas.Look{})
	}
	v.room.stats.canvasLocks.Add(1)
	v.room.canvas.Look(d.asks, d.looks[:len(d.asks)])
	begin := now()
	d.keys, d.strokes = d.keys[:0], d.strokes[:0]
	for i := range d.asked {
		d.plan(&d.asked[i])
	}
	d.share(v.room)
	n, unsure = v.answer(credit)
	v.room.stats.marshals.observe(now().Sub(begin))
	d.tidy()
	return n, unsure
}

// choose picks the owed squares to look at, and what to ask.
func (v *Viewer) choose(credit int) {
	d := &v.debt
	d.asked, d.asks = d.asked[:0], d.asks[:0]
	// Not more than will fit, as far as one can tell: a slow link with a small credit must not cost a look at everything.
	limit := maxLooks
	if d.average > 0 {
		limit = max(4, min(limit, 2*credit/d.average))
	}
	ask := func(q *square, after canvas.Seq, points int) int {
		if !d.pictures {
			points = math.MaxInt
		}
		d.asks = append(d.asks, canvas.Ask{Tile: q.tile, After: after, Budget: points, Part: after > 0})
		return len(d.asks) - 1
	}
	first := d.next
	if d.next = nil; first != nil && first.owed && !first.waits && d.byID[first.id] == first {
		d.asked = append(d.asked, asked{square: first, news: -1, all: -1, over: -1})
	}
	for _, q := range d.wants {
		if len(d.asked) == limit {
			break
		}
		if !q.owed || q.waits || q == first {
			continue
		}
		d.asked = append(d.asked, asked{square: q, news: -1, all: -1, over: -1})
	}
	v.pictures()
	for i := range d.asked {
		a := &d.asked[i]
		if a.anew() {
			a.all = ask(a.square, 0, fewPoints)
		} else {
			a.news = ask(a.square, a.looked, newsPoints)
		}
		if a.drawn {
			a.over = ask(a.square, canvas.Seq(a.picture.Version), freshPoints)
		}
	}
}

// anew says that pieces on top of what the page holds cannot be the answer.
func (q *square) anew() bool { return !q.held || q.broken }

// cheap says that a look's strokes can travel as pieces and show the truth. Where there are no pictures, they must.
func (d *debt) cheap(l *canvas.Look) bool { return !l.Broken && !l.Heavy && (!l.Coarse || !d.pictures) }

// part says that the oldest of a look's strokes can travel as pieces, and the others with the next cycles: a square that has fallen
// behind in a flood catches up, where a picture would be old before it is drawn.
func (d *debt) part(l *canvas.Look) bool { return l.Upto > 0 && !l.Broken && !l.Coarse }

// plan decides how a square is answered, and lists the pieces that takes.
func (d *debt) plan(a *asked) {
	image := a.over >= 0 && (d.cheap(&d.looks[a.over]) || d.part(&d.looks[a.over]))
	var l *canvas.Look
	a.end = d.checked
	switch {
	case a.news >= 0 && d.cheap(&d.looks[a.news]) && !image:
		a.plan, l = planNews, &d.looks[a.news]
	case a.all >= 0 && d.cheap(&d.looks[a.all]):
		a.plan, l = planPlain, &d.looks[a.all]
	case image:
		a.plan, l = planImage, &d.looks[a.over]
	case a.news >= 0 && d.part(&d.looks[a.news]):
		a.plan, l = planNews, &d.looks[a.news]
	case a.news >= 0:
		a.plan = planUnsure
	default:
		a.plan = planWait
	}
	a.from = len(d.keys)
	if l != nil {
		if l.Upto > 0 {
			a.end = min(a.end, l.Upto)
		}
		for _, it := range l.Items {
			if it.Seq <= d.checked { // what is newer than the news comes with the next
				d.keys = append(d.keys, pieceKey{it.Seq, a.tile})
				d.strokes = append(d.strokes, it)
			}
		}
	}
	a.upto = len(d.keys)
}

// share finds the pieces others have made already.
func (d *debt) share(r *Room) {
	d.found = d.found[:0]
	d.missed, d.made = d.missed[:0], d.made[:0]
	if len(d.keys) == 0 {
		return
	}
	for range d.keys {
		d.found = append(d.found, nil)
	}
	r.stats.pieceLocks.Add(1)
	r.pieces.get(d.keys, d.found)
}

// answer frames squares until the credit is used. What does not fit stays owed.
func (v *Viewer) answer(credit int) (n int, unsure bool) {
	d, c := &v.debt, &v.room.stats
	used := 0
	for i := range d.asked {
		a := &d.asked[i]
		switch a.plan {
		case planUnsure:
			a.broken, unsure = true, true
			continue
		case planWait:
			d.wait(a)
			continue
		}
		points := 0
		for k := a.from; k < a.upto; k++ {
			if d.found[k] == nil {
				d.found[k] = cut(d.strokes[k].Stroke, d.keys[k])
				d.missed, d.made = append(d.missed, d.keys[k]), append(d.made, d.found[k])
			} else {
				c.piecesShared.Add(1)
			}
			points += len(d.found[k]) / bytesPerPoint
		}
		f := d.square(a)
		if f == nil {
			d.untouched(a)
			unsure = unsure || a.owed // more of it is to be looked at, and perhaps no cycle is sent
			continue
		}
		if n > 0 && used+len(f) > credit {
			d.spare(a.square, credit-used, len(f))
			break
		}
		used += len(f)
		n++
		d.frames = append(d.frames, f)
		d.done(a, points)
		c.pieces.Add(uint64(a.upto - a.from))
		switch {
		case a.plan == planImage:
			c.imageSquares.Add(1)
		case a.from == a.upto:
			c.emptySquares.Add(1)
		default:
			c.strokeSquares.Add(1)
		}
	}
	if len(d.missed) > 0 {
		c.pieceLocks.Add(1)
		v.room.pieces.put(d.missed, d.made)
	}
	if n > 0 {
		d.average = (3*d.average + used/n) / 4
	}
	return n, unsure
}

// spare saves the credit that a square was too large for. A large one, such as an image on a slow line, would never come as
// long as something nearer did: when enough was saved it comes first, once.
func (d *debt) spare(q *square, left, size int) {
	if d.spared += left; d.spared >= size {
		d.spared, d.next = 0, q
	}
}

// bytesPerPoint is about what a point of a piece takes.
const bytesPerPoint = 3

// square frames the answer; nil: there is nothing to say.
func (d *debt) square(a *asked) []byte {
	anew := a.plan != planNews
	size := 0
	for _, p := range d.found[a.from:a.upto] {
		size += len(p)
	}
	if !anew && size == 0 {
		return nil
	}
	const front = 8 // for what goes before the fields once their length is known
	const head = 64 // all that is not image or pieces
	b := make([]byte, front, front+head+size+len(a.picture.Data)+16)
	put := func(field protowire.Number, v uint64) {
		if v != 0 {
			b = protowire.AppendTag(b, field, protowire.VarintType)
			b = protowire.AppendVarint(b, v)
		}
	}
	// The fields of wire.Square by hand: pieces are bytes already.
	put(1, uint64(a.id))
	version := a.version
	if anew {
		version = 0
		if a.plan == planImage {
			version = canvas.Seq(a.picture.Version)
		}
	}
	put(2, uint64(version))
	put(3, uint64(a.end))
	if anew {
		put(5, 1)
	} else {
		put(4, uint64(a.seq))
	}
	below := a.all >= 0 && d.looks[a.all].Below
	if a.plan == planImage {
		p := a.picture
		b = protowire.AppendTag(b, 6, protowire.BytesType)
		var img []byte
		if p.Format != 0 {
			img = protowire.AppendTag(img, 1, protowire.VarintType)
			img = protowire.AppendVarint(img, uint64(p.Format))
		}
		img = protowire.AppendTag(img, 2, protowire.BytesType)
		img = protowire.AppendVarint(img, uint64(len(p.Data)))
		b = protowire.AppendVarint(b, uint64(len(img)+len(p.Data)))
		b = append(append(b, img...), p.Data...)
		below = p.Below || d.looks[a.over].Below
	}
	if a.news >= 0 && !anew {
		below = d.looks[a.news].Below
	}
	for _, p := range d.found[a.from:a.upto] {
		b = append(b, p...)
	}
	if below {
		put(8, 1)
	}
	if a.plan == planImage && a.picture.Provisional || a.plan == planNews && a.rough {
		put(9, 1)
	}
	var start [front]byte // a tag and a length below 2^35 are at most six bytes
	f := protowire.AppendTag(start[:0], fieldSquare, protowire.BytesType)
	f = protowire.AppendVarint(f, uint64(len(b)-front))
	return append(b[front-len(f):front-len(f)], f...)[:len(f)+len(b)-front]
}

// done notes what the page holds now, and whether it should have a picture.
func (d *debt) done(a *asked, points int) {
	q := a.square
	q.owed, q.waits, q.fresh = a.end < d.checked, false, a.later
	switch a.plan {
	case planNews:
		q.weight += points
		d.overtaken(a)
	case planPlain:
		q.version, q.weight, q.rough = 0, points, false
	case planImage:
		q.version, q.weight, q.rough = canvas.Seq(a.picture.Version), points, a.picture.Provisional
		q.size = len(a.picture.Data)
	}
	if a.plan != planNews {
		q.broken = false
		if q.least <= q.version && !q.rough || a.plan == planPlain {
			q.least = 0
		}
	}
	q.held, q.seq, q.looked, q.through = true, a.end, a.end, a.end
	l := &d.looks[max(a.news, a.all)]
	if a.plan == planImage {
		l = &d.looks[a.over]
	}
	d.bake(q, l)
	if len(d.flight) >= maxFlight {
		clear(d.flight)
	}
	d.flight[q.id] = sent{d.cycle + 1, q.tile, q.version, q.seq}
}

// untouched notes that what came does not touch the square after all: it holds what it held, and nothing is missing from it.
func (d *debt) untouched(a *asked) {
	a.owed, a.waits, a.fresh = a.end < d.checked, false, a.later
	a.looked, a.through = a.end, a.end
	d.overtaken(a)
	d.bake(a.square, &d.looks[a.news])
}

// overtaken wants a newer picture where the one that came is not what to draw the newest strokes upon any more.
func (d *debt) overtaken(a *asked) {
	if a.over >= 0 && a.least > 0 {
		a.least = d.looks[a.news].Version
	}
}

// bake wants a newer picture when there is much on top of the one it has.
func (d *debt) bake(q *square, l *canvas.Look) {
	if !d.pictures {
		return
	}
	limit := bakePlain
	if q.version > 0 {
		limit = max(bakeImage, min(q.size/bytesPerPoint, mostOnTop))
	}
	if q.weight > limit && q.least == 0 && l.Version > q.version {
		q.least = l.Version
	}
	if q.rough && q.least == 0 {
		q.least = max(q.version, 1)
	}
}

// wait wants the picture without which nothing can be sent.
func (d *debt) wait(a *asked) {
	q := a.square
	q.waits, q.fresh = true, a.later
	if q.least == 0 || a.over >= 0 { // the picture there is will not do
		q.least = d.looks[a.all].Version
	}
}

// tidy lets go of strokes and bytes until the next cycle, and of memory that only a first view needs: what is left of many
// viewers at rest must stay small, what a flood needs every frame must stay.
func (d *debt) tidy() {
	for i := range d.looks {
		clear(d.looks[i].Items)
		if cap(d.looks[i].Items) > keptItems || i >= keptLooks {
			d.looks[i].Items = nil
		}
	}
	d.asked, d.asks, d.looks = tidied(d.asked, keptLooks), tidied(d.asks, keptLooks), kept(d.looks, keptLooks)
	d.cellKeys, d.cellPictures = tidied(d.cellKeys, keptLooks), tidied(d.cellPictures, keptLooks)
	d.keys, d.strokes, d.found = tidied(d.keys, keptPieces), tidied(d.strokes, keptPieces), tidied(d.found, keptPieces)
	d.missed, d.made = tidied(d.missed, keptPieces), tidied(d.made, keptPieces)
	d.bulletin = kept(d.bulletin, keptNews) // its items are read once more
}

const (
	keptLooks  = 16
	keptItems  = 16 // of one look
	keptPieces = 128
	keptNews   = 32
)

// kept gives scratch back unless it has grown beyond n.
func kept[T any](s []T, n int) []T {
	if cap(s) > 2*n {
		return nil
	}
	return s
}

func tidied[T any](s []T, n int) []T {
	clear(s)
	return kept(s[:0], n)
}
