package canvas

import (
	"math/big"
	"math/bits"
	"testing"

	"fractal/ink"
	"fractal/tile"
)

// TestDigitsAreTheNumber holds every way to read a coord to big integers.
func TestDigitsAreTheNumber(t *testing.T) {
	r := source(t, 300)
	for range 3000 {
		v := new(big.Int).SetUint64(r.Uint64() >> r.IntN(64))
		v.Lsh(v, uint([]int{0, 0, 0, 1, 60, 200}[r.IntN(6)]))
		if r.IntN(2) == 0 {
			v.Neg(v)
		}
		level, shift := r.IntN(400)-200, uint(r.IntN(2)*unitBits)
		add := r.Int64N(1<<42) - 1<<41
		var c coord
		c.large(v, shift, add, level)
		if v.IsInt64() {
			var d coord
			d.small(v.Int64(), shift, add, level)
			if c.sign != d.sign || common(&c, &d, -500, 500) != 500 {
				t.Fatalf("%v·2^%d+%d at %d: %+v and %+v", v, shift, add, level, c, d)
			}
		}
		v.Lsh(v, shift).Add(v, big.NewInt(add))
		for range 4 {
			at, n := r.IntN(500)-250, r.IntN(64)
			want := shifted(v, at+n-level) // whole tiles of level at+n
			want.And(want, new(big.Int).SetUint64(1<<n-1))
			if got := c.bits(at, n); got != want.Uint64() {
				t.Fatalf("%v at %d: %d digits after %d are %x, want %x", v, level, n, at, got, want)
			}
			if got := c.digit(at); got != int(c.bits(at-1, 1)) {
				t.Fatalf("%v at %d: digit %d is %d", v, level, at, got)
			}
		}
	}
}

// TestFollowIsArithmetic holds the sides of a tile, found digit by digit on the way down, to subtraction.
func TestFollowIsArithmetic(t *testing.T) {
	r := source(t, 301)
	seen := map[side]int{}
	for range 20000 {
		n := new(big.Int).SetUint64(r.Uint64() >> r.IntN(64))
		if r.IntN(2) == 0 {
			n.Neg(n)
		}
		level := r.IntN(300) - 150 // of the node
		tl := level + r.IntN(141) - 70
		// Something around the node: before, in, or after it.
		at := shifted(new(big.Int).Add(n, big.NewInt(int64(r.IntN(4)-1))), tl-level)
		if d := tl - level; d > 0 {
			at.Add(at, new(big.Int).Rsh(new(big.Int).SetUint64(r.Uint64()>>r.IntN(64)), uint(max(64-d, 0))))
		}
		want := gone
		if tl >= level {
			d := new(big.Int).Sub(shifted(at, level-tl), n)
			if d.Sign() == 0 {
				want = same
			} else if d.IsInt64() && d.Int64() == 1 {
				want = next
			}
		} else {
			up := shifted(n, tl-level)
			after := shifted(new(big.Int).Add(n, big.NewInt(1)), tl-level)
			if up.Cmp(at) == 0 {
				want = same
			} else if after.Cmp(at) == 0 {
				want = next
			}
		}
		var tc, nc coord
		tc.large(at, 0, 0, tl)
		nc.large(n, 0, 0, level)
		s, from := same, rootLevel
		for from < level && s != gone {
			to := min(level, max(from, -250)+1+r.IntN(200))
			s = follow(s, &tc, &nc, from, to, tl)
			from = to
		}
		seen[want]++
		if s != want {
			t.Fatalf("tile %v of level %d, node %v of level %d: side %d, want %d", at, tl, n, level, s, want)
		}
	}
	if len(seen) != 3 || min(seen[same], seen[next], seen[gone]) < 1000 {
		t.Fatalf("the cases are lopsided: %v", seen)
	}
}

// TestPlaceHoldsTheReach checks what the index stands on: a stroke leaves its place to the right and down only, by less
// than a tile, and no place half as large would do.
func TestPlaceHoldsTheReach(t *testing.T) {
	w := newWorld(source(t, 302))
	for range 500 {
		s := w.stroke(t)
		var p place
		p.of(s)
		side := s.Home().Level() + unitBits - p.level
		r := s.Reach()
		long := max(r.MaxX-r.MinX, r.MaxY-r.MinY)
		if long > 1<<side || side > 0 && bits.Len64(uint64(long)) < side-1 {
			t.Fatalf("a reach of %d units has a place of 2^%d", long, side)
		}
		// Quanta, exactly: the window must be theirs.
		corner := func(home *big.Int, v int64) *big.Int {
			q := new(big.Int).Lsh(home, unitBits)
			return shifted(q.Add(q, big.NewInt(v)), quantumBits-side)
		}
		place := func(home *big.Int, v int64) *big.Int {
			q := new(big.Int).Lsh(home, unitBits)
			q = shifted(q.Add(q, big.NewInt(v)), -side)
			return q.Lsh(q, quantumBits)
		}
		x, y := s.Home().X(), s.Home().Y()
		px, py := place(x, r.MinX), place(y, r.MinY)
		want := window{
			uint16(new(big.Int).Sub(corner(x, r.MinX), px).Uint64()), uint16(new(big.Int).Sub(corner(y, r.MinY), py).Uint64()),
			uint16(new(big.Int).Sub(corner(x, r.MaxX), px).Uint64()), uint16(new(big.Int).Sub(corner(y, r.MaxY), py).Uint64()),
		}
		if p.box != want {
			t.Fatalf("%.80v %+v: window %+v, want %+v", s.Home(), r, p.box, want)
		}
	}
}

// TestHeavyLookKnowsThatItIsBroken puts what breaks and what is too much in different corners, in every order.
func TestHeavyLookKnowsThatItIsBroken(t *testing.T) {
	for i := range 4 {
		for k := range 4 {
			c := New()
			n := uint64(0)
			do := func(verb string, who byte, s *ink.Stroke) {
				n++
				c.Apply(act{who: Person{who}, session: Session{who}, number: n, verb: verb, stroke: s}.entry(t))
			}
			for range 40 {
				do("draw", 1, dot(t, tile.ID{}.Child(i).Child(i).Child(i)))
			}
			for range 40 {
				do("draw", 2, dot(t, tile.ID{}.Child(k).Child(3-i)))
			}
			after := c.Seq()
			do("undo", 1, nil)
			for range 40 {
				do("draw", 2, dot(t, tile.ID{}.Child(k).Child(3-i)))
			}
			var l [2]Look
			c.Look([]Ask{{tile.ID{}, after, 10, false}, {tile.ID{}, after + 1, 10, false}}, l[:])
			if !l[0].Heavy || !l[0].Broken || !l[1].Heavy || l[1].Broken || len(l[0].Items) != 0 {
				t.Errorf("corners %d and %d: %+v", i, k, l)
			}
		}
	}
}
