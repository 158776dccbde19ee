package tile

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

// offsetOracle is from's corner in units of to, as a rational: the slow and obvious way.
func offsetOracle(from, to *big.Int, shift int) *big.Rat {
	two := new(big.Rat).SetFrac(floorShift(big.NewInt(1), max(shift, 0)), floorShift(big.NewInt(1), max(-shift, 0)))
	v := new(big.Rat).Mul(new(big.Rat).SetInt(from), two)
	v.Sub(v, new(big.Rat).SetInt(to))
	return v.Mul(v, big.NewRat(Units, 1))
}

func TestBetweenAgreesWithRationals(t *testing.T) {
	r := seeded(t)
	whole := 0
	for range 5000 {
		from := pick(r)
		to := pick(r)
		if r.IntN(4) > 0 {
			to = near(r, from)
		}
		m := Between(from, to)
		if m.Shift() != to.Level()-from.Level() {
			t.Fatalf("shift %d from %v to %v", m.Shift(), from, to)
		}
		wx, wy := offsetOracle(from.X(), to.X(), m.Shift()), offsetOracle(from.Y(), to.Y(), m.Shift())
		x, y, e := m.Offset()
		exp := new(big.Rat).SetFrac(floorShift(big.NewInt(1), max(e, 0)), floorShift(big.NewInt(1), max(-e, 0)))
		if wx.Cmp(new(big.Rat).Mul(new(big.Rat).SetInt(x), exp)) != 0 || wy.Cmp(new(big.Rat).Mul(new(big.Rat).SetInt(y), exp)) != 0 {
			t.Fatalf("offset from %v to %v is %v, %v · 2^%d", from, to, x, y, e)
		}
		scale, dx, dy, exact := m.Affine()
		fx, okX := wx.Float64()
		fy, okY := wy.Float64()
		if dx != fx || dy != fy || exact && !(okX && okY) || m.Shift() > -1000 && m.Shift() < 1000 && scale != math.Ldexp(1, m.Shift()) {
			t.Fatalf("affine from %v to %v is %v, %v, %v, %v; want %v, %v", from, to, scale, dx, dy, exact, fx, fy)
		}
		// The corner of to in units of from, straight from the definition of the other direction.
		back := offsetOracle(to.X(), from.X(), -m.Shift())
		if cx, _, ok := m.Corner(); ok {
			whole++
			if new(big.Rat).SetInt64(cx).Cmp(back) != 0 {
				t.Fatalf("corner of %v in units of %v is %d, want %v", to, from, cx, back)
			}
		}
		px, py := r.Int64N(1<<41)-1<<40, r.Int64N(1<<41)-1<<40
		if qx, qy, ok := m.Apply(px, py); ok {
			two := new(big.Rat).SetFrac(floorShift(big.NewInt(1), max(m.Shift(), 0)), floorShift(big.NewInt(1), max(-m.Shift(), 0)))
			ox := new(big.Rat).Mul(new(big.Rat).SetInt64(px), two)
			oy := new(big.Rat).Mul(new(big.Rat).SetInt64(py), two)
			if ox.Add(ox, wx).Cmp(new(big.Rat).SetInt64(qx)) != 0 || oy.Add(oy, wy).Cmp(new(big.Rat).SetInt64(qy)) != 0 {
				t.Fatalf("(%d, %d) of %v is (%d, %d) of %v, want %v, %v", px, py, from, qx, qy, to, ox, oy)
			}
		}
	}
	if whole < 500 {
		t.Errorf("only %d of the maps had a whole corner", whole)
	}
}

func TestNearbyTilesMapExactly(t *testing.T) {
	r := seeded(t)
	for range 2000 {
		from := pick(r)
		d := r.IntN(29) - 14
		to, _ := from.Shift(d, r.Int64N(100)-50, r.Int64N(100)-50)
		if _, _, ok := Between(from, to).Corner(); !ok {
			t.Fatalf("no whole corner from %v to %v", from, to)
		}
		if _, _, _, exact := Between(from, to).Affine(); !exact {
			t.Fatalf("no exact affine from %v to %v", from, to)
		}
	}
}

// touchesOracle multiplies out in whole units of the finest of home's units and id's level.
func touchesOracle(home ID, b Box, id ID) bool {
	fine := max(home.Level()+14, id.Level())
	in := func(h *big.Int, lo, hi int64, t *big.Int) bool {
		corner := new(big.Int).Lsh(h, uint(fine-home.Level()))
		unit := uint(fine - home.Level() - 14)
		min := new(big.Int).Add(corner, new(big.Int).Lsh(big.NewInt(lo), unit))
		max := new(big.Int).Add(corner, new(big.Int).Lsh(big.NewInt(hi), unit))
		left := new(big.Int).Lsh(t, uint(fine-id.Level()))
		right := new(big.Int).Add(left, new(big.Int).Lsh(big.NewInt(1), uint(fine-id.Level())))
		return max.Cmp(left) >= 0 && min.Cmp(right) < 0
	}
	return in(home.X(), b.MinX, b.MaxX, id.X()) && in(home.Y(), b.MinY, b.MaxY, id.Y())
}

func TestTouchesAgreesWithBigIntegers(t *testing.T) {
	r := seeded(t)
	var seen [2]int
	for range 60000 {
		home := pick(r)
		bits := r.IntN(42)
		x, y := r.Int64N(1<<bits)-1<<bits/2, r.Int64N(1<<bits)-1<<bits/2
		if r.IntN(3) == 0 { // on the edges of tiles
			x, y = x>>14<<14, y>>14<<14
		}
		b := Box{x, y, x + r.Int64N(1+1<<r.IntN(20)), y + r.Int64N(1+1<<r.IntN(20))}
		if r.IntN(8) == 0 {
			b.MaxX, b.MaxY = b.MinX, b.MinY
		}
		var id ID
		switch r.IntN(10) {
		case 0:
			id = pick(r)
		case 1:
			id = near(r, home)
		default:
			// A tile around a corner of the box, at any level, and perhaps one beside it.
			px, py := b.MinX, b.MinY
			if r.IntN(2) == 0 {
				px, py = b.MaxX, b.MaxY
			}
			at, _ := home.Shift(14, px, py) // the unit as a tile
			d := r.IntN(60) - 40
			if r.IntN(5) == 0 {
				d = r.IntN(1000) - 500
			}
			id, _ = at.Shift(d, 0, 0)
			id, _ = id.Shift(0, r.Int64N(3)-1, r.Int64N(3)-1)
		}
		want := touchesOracle(home, b, id)
		if got := Touches(home, b, id); got != want {
			t.Fatalf("box %v of %v touches %v: %v", b, home, id, got)
		}
		if want {
			seen[1]++
		} else {
			seen[0]++
		}
	}
	if seen[0] < 10000 || seen[1] < 10000 {
		t.Errorf("%d misses and %d hits: the cases are lopsided", seen[0], seen[1])
	}
}

func TestSmallAddressesNeedNoGarbage(t *testing.T) {
	for _, level := range []int{10, 2000} {
		home := deep(level)
		id, _ := home.Shift(3, 5, 5)
		n := testing.AllocsPerRun(100, func() {
			Touches(home, Box{0, 0, 1 << 14, 1 << 14}, id)
			Between(home, id)
			home.Contains(id)
		})
		if n != 0 {
			t.Errorf("level %d: %v allocations", level, n)
		}
	}
}

func BenchmarkTouches(b *testing.B) {
	for _, level := range []int{10, 2000} {
		for _, d := range []int{-20, -3, 0, 3, 20} {
			b.Run(fmt.Sprintf("level%d/d%+d", level, d), func(b *testing.B) {
				home := deep(level)
				id, _ := home.Shift(d, 0, 0)
				for b.Loop() {
					Touches(home, Box{100, 100, 20000, 20000}, id)
				}
			})
		}
	}
}

func BenchmarkBetween(b *testing.B) {
	for _, level := range []int{10, 2000} {
		for _, d := range []int{0, 3} {
			b.Run(fmt.Sprintf("level%d/d%+d", level, d), func(b *testing.B) {
				from := deep(level)
				to, _ := from.Shift(d, 2, 2)
				for b.Loop() {
					Between(from, to)
				}
			})
		}
	}
}
