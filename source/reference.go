package source

import (
	"container/list"
	"context"
	"crypto/sha256"
	"math/big"
	"slices"
	"sync"
	"sync/atomic"

	"fractal/canvas"
	"fractal/mandel"
	"fractal/raster"
	"fractal/tile"
)

// eps is the relative error a run may have per step. A picture is moved by less than 1/100 of a pixel with it, at every lag that
// band leaves; with 2^-22 and 16 levels to a reference it was a whole pixel at places that are nearly parabolic.
const eps = 0x1p-28

// view is a place as seen from one tile.
type view struct {
	place   *canvas.Place
	id      tile.ID
	formula mandel.Formula
	rule    mandel.Rule
	grid    mandel.Grid
}

func fixed(m *big.Int, exp int) mandel.Fixed { return mandel.NewFixed(m, exp) }

// lookAt is the exact map from a tile to the plane.
func lookAt(p *canvas.Place, id tile.ID) *view {
	w := p.Wire()
	v := &view{place: p, id: id, rule: mandel.Rule{Fixed: int64(w.Limit)}}
	if w.Julia {
		v.formula = mandel.Formula{Julia: true, Re: fixed(canvas.Number(w.JuliaRe)), Im: fixed(canvas.Number(w.JuliaIm))}
	}
	re, im := fixed(canvas.Number(w.Re)), fixed(canvas.Number(w.Im))
	m := tile.Between(id, p.Home()) // p_home = p_id·2^shift + offset·2^exp
	x, y, exp := m.Offset()
	unit := int(w.Unit)
	v.grid = mandel.Grid{
		Re: re.Add(fixed(x, exp+unit)), Im: im.Sub(fixed(y, exp+unit)),
		Pitch: unit + m.Shift() + 6, W: raster.Size, H: raster.Size, // 2^6 units a pixel
	}
	return v
}

// column is the first pixel column of a cell whose corner lies at or right of v, 0 to 256: the cell's own corner lies at
// x·2^exp in the units of v, and its pixels are 2^(shift+6) of them wide.
func column(v int64, x *big.Int, exp, shift int) int {
	// ⌈(v − x·2^exp) / 2^(shift+6)⌉, exactly.
	d := new(big.Int)
	low := min(exp, 0, shift+6)
	d.Lsh(d.SetInt64(v), uint(-low))
	d.Sub(d, new(big.Int).Lsh(x, uint(exp-low)))
	d.Neg(d)
	d.Rsh(d, uint(shift+6-low)) // rounds down: the negative of rounding up
	d.Neg(d)
	switch {
	case d.Sign() <= 0:
		return 0
	case d.BitLen() > 16:
		return raster.Size
	}
	return int(min(d.Int64(), raster.Size))
}

// references are those of all places of all rooms.
var references = newStore(200 << 20)

// store keeps orbits and references of as many bytes as it may. What was used longest ago goes first; whoever works with it
// still has it.
type store struct {
	limit int64

	mu    sync.Mutex // guards all below; held for memory only
	bytes int64
	items map[any]*list.Element // of *kept, by orbitKey or refKey
	order *list.List            // the newest first
	later []later               // orbits that may be wanted soon, the likeliest last; at most maxLater
}

type kept struct {
	key   any
	bytes int64
	busy  chan struct{} // holds one token: whoever has it may make what is missing
	made  atomic.Bool   // orbit is there
	orbit *mandel.Orbit
	zero  *mandel.Orbit // of a Julia set

	making *mandel.Making // until ref is there
	ref    *mandel.Reference
}

type orbitKey struct {
	samples [sha256.Size]byte
	id      tile.ID // the ancestor
}

type refKey struct {
	orbitKey
	limit int64
}

func newStore(limit int64) *store {
	return &store{limit: limit, items: map[any]*list.Element{}, order: list.New()}
}

// item returns what is kept under a key, or a new one.
func (s *store) item(key any) *kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.items[key]; e != nil {
		s.order.MoveToFront(e)
		return e.Value.(*kept)
	}
	k := &kept{key: key, busy: make(chan struct{}, 1)}
	s.items[key] = s.order.PushFront(k)
	return k
}

// weigh says how many bytes an item has come to, and makes room.
func (s *store) weigh(k *kept, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.items[k.key]
	if e == nil || e.Value != k {
		return // it was let go meanwhile
	}
	s.bytes += bytes - k.bytes
	k.bytes = bytes
	for s.bytes > s.limit && s.order.Len() > 1 {
		s.drop(s.order.Back())
	}
}

// drop lets an item go, and with an orbit the references that hold its entries: nothing is kept that nobody counts. mu is held.
func (s *store) drop(e *list.Element) {
	old := e.Value.(*kept)
	s.bytes -= old.bytes
	s.order.Remove(e)
	delete(s.items, old.key)
	if o, ok := old.key.(orbitKey); ok {
		for key, e := range s.items {
			if r, ok := key.(refKey); ok && r.orbitKey == o {
				s.drop(e)
			}
		}
	}
}

// band is how many levels share one reference. Errors grow with the lag, and most where a picture is not much finer than what its
// orbits go through; there references are cheap.
func (v *view) band() int {
	switch {
	case v.grid.Pitch >= -128:
		return refLevels / 4
	case v.grid.Pitch >= -512:
		return refLevels / 2
	}
	return refLevels
}

// anchor is the tile whose middle a cell's reference is made for: refAbove to refAbove + band − 1 levels above the cell. It is
// told from the place's home, so that a place shows the same wherever it lies.
func (v *view) anchor() tile.ID {
	home := v.place.Home().Level()
	return v.id.Ancestor(max(home+(v.id.Level()-refAbove-home)&^(v.band()-1), -tile.MaxLevel))
}

// ahead is the anchor of the cells that come next below, when the cell lies in it already.
func (v *view) ahead() (id tile.ID, ok bool) {
	next := v.anchor().Level() + v.band()
	if v.id.Level() < next || v.grid.Pitch-refAbove >= mandel.DirectPitch {
		return id, false
	}
	return v.id.Ancestor(next), true
}

// later is an orbit to be made when nobody waits, and its tables.
type later struct {
	key   orbitKey
	view  *view // of the anchor
	limit int64
	table int64 // the limit whose table is made next: cells go through all of them, each twice the last
}

const maxLater = 16

// soon notes that cells below an anchor may be wanted next.
func (s *store) soon(v *view, limit int64) {
	id, ok := v.ahead()
	if !ok {
		return
	}
	key := orbitKey{v.place.Map(), id}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.later = slices.DeleteFunc(s.later, func(l later) bool { return l.key == key })
	if len(s.later) == maxLater {
		s.later = slices.Delete(s.later, 0, 1)
	}
	a := lookAt(v.place, id)
	s.later = append(s.later, later{key, a, max(limit, a.first()), a.first()})
}

// piece goes on a little with an orbit that may be wanted soon, and says whether there is more of that.
func (s *store) piece() (more bool) {
	s.mu.Lock()
	n := len(s.later)
	if n == 0 {
		s.mu.Unlock()
		return false
	}
	l := s.later[n-1]
	s.mu.Unlock()
	long := int64(0)
	if k := s.item(l.key); k.made.Load() {
		long = int64(len(k.orbit.Prefix().Re))
	}
	step := min(l.limit, long+pieceSteps)
	k, err := s.orbit(context.Background(), l.key, l.view, step)
	if err == nil && step < l.limit && !k.orbit.Prefix().Escaped {
		return true
	}
	if err == nil && l.table <= l.limit {
		l.table = s.table(k, l)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.later, func(o later) bool { return o.key == l.key })
	switch {
	case i < 0:
	case err != nil || l.table > l.limit && s.later[i].limit <= l.limit:
		s.later = slices.Delete(s.later, i, i+1)
	default:
		s.later[i].table = l.table // never back: a table that had to make room for the next would be made again and again
	}
	return len(s.later) > 0
}

// noMore is past all limits.
const noMore = mandel.MaxAuto + 1

// first is the limit that the first cells below an anchor begin with.
func (a *view) first() int64 { return a.rule.First(a.grid.Pitch - refAbove) }

// table goes on a little with the table of a limit, and returns the limit to go on with: more than l.limit when
// all is done.
func (s *store) table(o *kept, l later) (next int64) {
	s.mu.Lock()
	full := s.bytes > s.limit/4*3
	s.mu.Unlock()
	if full {
		return noMore // it would push out what is in use
	}
	n := o.steps(l.view, l.table)
	k := s.item(refKey{l.key, n})
	select {
	case k.busy <- struct{}{}:
		defer func() { <-k.busy }()
	default:
		return 2 * l.table // somebody makes it, and waits for it
	}
	if k.ref == nil {
		s.advance(k, o, l.view, n)
	}
	switch {
	case k.ref == nil:
		return l.table
	case n < l.table:
		return noMore // the orbit has escaped: one for all limits
	}
	return 2 * l.table
}

// pieceSteps is how many steps of an orbit are a piece of idle work: 0.3 ms at 2^1300.
const pieceSteps = 256

// get returns the reference of a cell: the same for all cells below the anchor with that limit.
func (s *store) get(ctx context.Context, v *view, limit int64) (*mandel.Reference, error) {
	key := orbitKey{v.place.Map(), v.anchor()}
	a := lookAt(v.place, key.id)
	o, err := s.orbit(ctx, key, a, limit)
	if err != nil {
		return nil, err
	}
	n := o.steps(v, limit)
	k := s.item(refKey{key, n})
	select {
	case k.busy <- struct{}{}:
		defer func() { <-k.busy }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for k.ref == nil {
		if err := ctx.Err(); err != nil {
			return nil, err // what is made of it is there for the next
		}
		s.advance(k, o, a, n)
	}
	return k.ref, nil
}

// steps is how long a reference is for a limit. An orbit that has escaped is as long as it will ever be.
func (k *kept) steps(v *view, limit int64) int64 {
	if p := k.orbit.Prefix(); p.Escaped && !v.formula.Julia {
		return min(limit, int64(len(p.Re)-1))
	}
	return limit
}

// advance makes a piece of a reference of n steps from the orbits of its anchor a. k is held.
func (s *store) advance(k, o *kept, a *view, n int64) {
	if k.making == nil {
		if a.formula.Julia {
			k.making = mandel.BeginJulia(o.orbit, o.zero, int(n), eps)
		} else {
			k.making = mandel.BeginReference(o.orbit, int(n), mandel.MaxDC(a.grid, o.orbit.Re, o.orbit.Im), eps)
		}
	}
	bytes := k.making.Bytes
	if k.ref = k.making.Piece(); k.ref != nil {
		k.making, bytes = nil, k.ref.Bytes
	}
	s.weigh(k, int64(bytes()))
}

// orbit returns the orbits of an anchor, long enough for a limit.
func (s *store) orbit(ctx context.Context, key orbitKey, a *view, limit int64) (*kept, error) {
	k := s.item(key)
	select {
	case k.busy <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if k.orbit == nil {
		half := mandel.Dyadic(raster.Size/2, a.grid.Pitch)
		prec := mandel.Precision(a.grid.Pitch - refAbove - refLevels)
		k.orbit = mandel.NewOrbit(a.formula, a.grid.Re.Add(half), a.grid.Im.Sub(half), prec)
		if a.formula.Julia {
			k.zero = mandel.Zero(a.formula, prec)
		}
		k.made.Store(true)
	}
	<-k.busy
	bytes := 0
	for _, o := range [...]*mandel.Orbit{k.orbit, k.zero} {
		if o == nil {
			continue
		}
		if _, err := o.Extend(ctx, int(limit)); err != nil {
			return nil, err
		}
		bytes += o.Bytes()
	}
	s.weigh(k, int64(bytes))
	return k, nil
}
