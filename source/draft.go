package source

import (
	"slices"
	"sync"

	"fractal/mandel"
	"fractal/raster"
)

// Every cell of a view has a first picture before any has its second: a drawing that others wait for stops after its first
// pass. What it knows is kept here until it goes on, so that nothing is computed twice, and the settled cell is the same
// as that of a drawing that never stopped.

const (
	coarse = 4                    // stride of the first pass
	across = raster.Size / coarse // samples of it in a row
	drafts = 128                  // kept, of all rooms: 9 MB
	words  = raster.Size * raster.Size / 64
)

// draft is a cell of a place after the first pass.
type draft struct {
	limit   int64
	samples [across * across]mandel.Sample
	inside  [words]uint64 // of all samples: those that a disc was found to lie in
}

// draftKey is all that decides what is known of a cell.
type draftKey struct {
	orbitKey // with the cell's own tile
	rule     mandel.Rule
	pixels   [4]int
}

func (l *laid) draft() draftKey {
	return draftKey{orbitKey{l.place.Map(), l.id}, l.rule, [4]int{l.x0, l.y0, l.x1, l.y1}}
}

var halted struct {
	mu    sync.Mutex // guards all below
	all   map[draftKey]*draft
	order []draftKey // the oldest first
}

// halt keeps what is known of a cell.
func (l *laid) halt() {
	d := &draft{limit: l.limit}
	for i, s := range l.samples {
		if s.State == mandel.Interior {
			d.inside[i/64] |= 1 << (i % 64)
		}
	}
	for y := range across {
		for x := range across {
			d.samples[y*across+x] = l.samples[y*coarse*raster.Size+x*coarse]
		}
	}
	key := l.draft()
	halted.mu.Lock()
	defer halted.mu.Unlock()
	if halted.all == nil {
		halted.all = map[draftKey]*draft{}
	}
	if halted.all[key] == nil {
		if len(halted.order) == drafts {
			delete(halted.all, halted.order[0])
			halted.order = slices.Delete(halted.order, 0, 1)
		}
		halted.order = append(halted.order, key)
	}
	halted.all[key] = d
}

// resume takes what halt kept, and says whether there was something. The samples must be masked, and otherwise Pending.
func (l *laid) resume() bool {
	key := l.draft()
	halted.mu.Lock()
	d := halted.all[key]
	if d != nil {
		delete(halted.all, key)
		halted.order = slices.DeleteFunc(halted.order, func(k draftKey) bool { return k == key })
	}
	halted.mu.Unlock()
	if d == nil {
		return false
	}
	l.limit = d.limit
	for i := range l.samples {
		if d.inside[i/64]>>(i%64)&1 != 0 && l.samples[i].State == mandel.Pending {
			l.samples[i] = mandel.Sample{N: d.limit, State: mandel.Interior}
		}
	}
	for y := range across {
		for x := range across {
			if s := &l.samples[y*coarse*raster.Size+x*coarse]; s.State == mandel.Pending {
				*s = d.samples[y*across+x]
			}
		}
	}
	return true
}
