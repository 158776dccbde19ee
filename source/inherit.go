package source

import (
	"slices"
	"sync"

	"fractal/mandel"
	"fractal/raster"
)

// Every second row and column of a cell are rows and columns of the cell above, which who zooms in has just looked at. They
// are its first picture, at once and no coarser than what the page lets stand in for it. Nothing settled is made of them: the
// cell above may have another reference.

// elders is how many settled cells are kept, of all rooms: 32 MB.
const elders = 64

// short is a sample in half the room.
type short struct {
	n    int32   // at most mandel.MaxAuto
	frac float32 // of one that escaped; else the state, negative
}

func shorten(s mandel.Sample) short {
	s.Frac = max(s.Frac, 0)
	if s.State != mandel.Escaped {
		s.Frac = -float32(s.State)
	}
	return short{int32(s.N), s.Frac}
}

func (s short) sample() mandel.Sample {
	if s.frac < 0 {
		return mandel.Sample{N: int64(s.n), State: mandel.State(-s.frac)}
	}
	return mandel.Sample{N: int64(s.n), Frac: s.frac, State: mandel.Escaped}
}

type elderKey struct {
	orbitKey // with the cell's own tile
	rule     mandel.Rule
}

var settled struct {
	mu    sync.Mutex // guards all below
	all   map[elderKey][]short
	order []elderKey // the oldest first
}

// hand keeps the samples of a settled cell for those below.
func (l *laid) hand() {
	key := elderKey{orbitKey{l.place.Map(), l.id}, l.rule}
	settled.mu.Lock()
	defer settled.mu.Unlock()
	if settled.all == nil {
		settled.all = map[elderKey][]short{}
	}
	kept := settled.all[key]
	if kept != nil {
		settled.order = slices.DeleteFunc(settled.order, func(k elderKey) bool { return k == key })
	} else if len(settled.order) == elders {
		kept = settled.all[settled.order[0]] // nobody reads it but under the lock
		delete(settled.all, settled.order[0])
		settled.order = slices.Delete(settled.order, 0, 1)
	} else {
		kept = make([]short, len(l.samples))
	}
	for i, s := range l.samples {
		kept[i] = shorten(s)
	}
	settled.all[key] = kept
	settled.order = append(settled.order, key)
}

// inherit fills every second row and column with the samples of the cell above, and says whether they were there. The others
// stay as they are.
func (l *laid) inherit() bool {
	up := l.id.Ancestor(l.id.Level() - 1)
	key := elderKey{orbitKey{l.place.Map(), up}, l.rule}
	settled.mu.Lock()
	defer settled.mu.Unlock()
	from := settled.all[key]
	if from == nil {
		return false
	}
	x, y := l.id.X(), l.id.Y()
	at := int(y.Bit(0))*raster.Size/2*raster.Size + int(x.Bit(0))*raster.Size/2
	for j := range raster.Size / 2 {
		for i := range raster.Size / 2 {
			l.samples[2*j*raster.Size+2*i] = from[at+j*raster.Size+i].sample()
		}
	}
	return true
}
