package canvas

import (
	"math/big"
	"testing"

	"fractal/ink"
	"fractal/tile"
)

// placeOf is the tile a stroke has its place in, in arithmetic of its own.
func placeOf(t *testing.T, s *ink.Stroke) (id tile.ID, ok bool) {
	t.Helper()
	h, r := s.Home(), s.Reach()
	up := spanBits(s)
	at := func(tileX *big.Int, v int64) *big.Int {
		p := new(big.Int).Mul(tileX, big.NewInt(tile.Units))
		p.Add(p, big.NewInt(v))
		return p.Rsh(p, uint(up))
	}
	id, err := tile.New(h.Level()+14-up, at(h.X(), r.MinX), at(h.Y(), r.MinY))
	return id, err == nil
}

// crowd is what Crowd says, from all strokes one by one.
func (m *model) crowd(t *testing.T, id tile.ID) (c Crowd) {
	s := m.snapshot(id)
	c.Version, c.Below = s.Version, s.Below
	for _, k := range m.strokes {
		if p, ok := placeOf(t, k.stroke); ok && p.Level() < id.Level()+22 && id.Contains(p) {
			c.Beneath++
		}
	}
	return c
}

func TestCrowdIsWhatItWasAtTheTime(t *testing.T) {
	told, lost, many := 0, 0, 0
	for n := range 4 {
		w := newWorld(source(t, uint64(n+100)))
		w.tiles = w.tiles[:1:1]
		for range 2 {
			w.tiles = append(w.tiles, w.tiles[0].Child(w.IntN(4)))
		}
		c, m := New(), newModel()
		type memory struct {
			id   tile.ID
			at   Seq
			want Crowd
		}
		var memories []memory
		for range 300 {
			a := w.act(t, m)
			if a.verb == "draw" && w.IntN(3) > 0 { // beneath the first tile, some too deep to count
				in, _ := w.tiles[0].Shift(w.IntN(20), 0, 0)
				a.stroke = dot(t, in)
			}
			c.Apply(a.entry(t))
			m.apply(a)
			id := w.near()
			if w.IntN(3) > 0 { // above much of it
				id = w.tiles[w.IntN(3)].Ancestor(w.IntN(5) - 5)
			}
			memories = append(memories, memory{id, m.seq, m.crowd(t, id)})
			for range 4 {
				k := memories[max(0, len(memories)-1-w.IntN(60))]
				got, ok := c.Crowd(k.id, k.at)
				flipped := false
				for _, s := range m.strokes {
					flipped = flipped || s.seq <= k.at && s.changed > k.at && touches(s.stroke, k.id)
				}
				if ok == flipped {
					t.Fatalf("seq %d: the crowd of %.80v at %d: told %v, flipped since %v", m.seq, k.id, k.at, ok, flipped)
				}
				if !ok {
					lost++
					continue
				}
				told++
				want := k.want
				if want.Beneath <= leafSize { // a leaf above the tile may hold them
					want.Beneath, got.Beneath = 0, 0
				} else {
					many++
				}
				if got != want {
					t.Fatalf("seq %d: the crowd of %.80v at %d is %+v, want %+v", m.seq, k.id, k.at, got, want)
				}
			}
		}
	}
	if told < 1000 || lost < 10 || many < 50 {
		t.Errorf("the test is too easy: %d told, %d lost, %d with many", told, lost, many)
	}
}
