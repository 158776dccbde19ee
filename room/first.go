package room

import (
	"context"
	"sync"

	"fractal/canvas"
	"fractal/cell"
	"fractal/tile"
)

// firsts are those who wait for the pictures of their first look.
type firsts struct {
	mu   sync.Mutex // guards all below
	last uint64     // number given
	open map[*first]struct{}
	gone chan struct{} // closed when the room is
}

// first is one look. It owes nobody anything: who looks has no seat yet.
type first struct {
	wanting map[cell.Key]struct{} // constant
	wake    chan struct{}         // holds one token when a picture of one of those came
}

func (f *firsts) init() { f.open, f.gone = map[*first]struct{}{}, make(chan struct{}) }

// ready tells those who wait for a picture that it is there.
func (f *firsts) ready(key cell.Key) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for l := range f.open {
		if _, ok := l.wanting[key]; ok {
			select {
			case l.wake <- struct{}{}:
			default: // it is awake
			}
		}
	}
}

// aside sets the numbers of first looks apart from those of viewers, for the pool.
const aside = 1 << 40

// First gives emit the settled pictures of those tiles that a page would be sent as pictures, as they are ready, and returns when it
// has given all, or ctx has ended: what a page can show before it has a socket. It gives nothing where there is anything beneath
// the ink, which the page would have to put together, and returns the colour of the paper beneath.
func (r *Room) First(ctx context.Context, ids []tile.ID, begin func(paper uint32), emit func(i int, p cell.Picture)) error {
	if r.cells == nil || r.canvas.HasPlaces() || r.canvas.HasTerminals() {
		begin(0)
		return nil
	}
	begin(r.canvas.Paper())
	asks, looks := make([]canvas.Ask, len(ids)), make([]canvas.Look, len(ids))
	for i, id := range ids {
		asks[i] = canvas.Ask{Tile: id, Budget: fewPoints}
	}
	r.canvas.Look(asks, looks)
	l := &first{wanting: map[cell.Key]struct{}{}, wake: make(chan struct{}, 1)}
	var wants []cell.Want
	var at []int // their places in ids
	for i := range looks {
		if looks[i].Heavy || looks[i].Coarse {
			key := cell.Key{Kind: cell.KindInk, ID: ids[i]}
			l.wanting[key] = struct{}{}
			wants, at = append(wants, cell.Want{Key: key, Least: uint64(looks[i].Version), Rank: i}), append(at, i)
		}
	}
	if len(wants) == 0 {
		return nil
	}

	f := &r.firsts
	f.mu.Lock()
	f.last++
	id := aside + f.last
	f.open[l] = struct{}{}
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		delete(f.open, l)
		f.mu.Unlock()
		r.cells.Forget(id)
	}()
	r.cells.Want(id, wants)
	for {
		for k := 0; k < len(wants); k++ {
			p, ok := r.cells.Newest(wants[k].Key)
			if !ok || p.Provisional || p.Version < wants[k].Least {
				continue
			}
			emit(at[k], p)
			wants, at = append(wants[:k], wants[k+1:]...), append(at[:k], at[k+1:]...)
			k--
		}
		if len(wants) == 0 {
			return nil
		}
		select {
		case <-l.wake:
		case <-ctx.Done():
			return ctx.Err()
		case <-f.gone:
			return ErrClosed
		}
	}
}
