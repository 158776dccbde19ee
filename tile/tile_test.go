package tile

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
)

// pick makes an address anywhere within bounds, often near the edges where words and signs change.
func pick(r *rand.Rand) ID {
	level := r.IntN(41) - 20
	if r.IntN(4) == 0 {
		level = r.IntN(5001) - 2500
	}
	id, err := New(level, pickInt(r), pickInt(r))
	if err != nil {
		panic(err)
	}
	return id
}

func pickInt(r *rand.Rand) *big.Int {
	n := []int{0, 1, 5, 40, 62, 63, 64, 65, 127, 128, 129, 200, 2000}[r.IntN(13)]
	v := new(big.Int).Lsh(big.NewInt(1), uint(n))
	switch r.IntN(3) {
	case 0:
		v.Add(v, big.NewInt(int64(r.IntN(5)-2)))
	case 1:
		b := make([]byte, n/8+1)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		v.SetBytes(b)
	default:
		v.Sub(v, big.NewInt(r.Int64()>>r.IntN(64)))
	}
	if r.IntN(2) == 0 {
		v.Neg(v)
	}
	return v
}

// near is a tile not far from id, seen from its own level or a few others.
func near(r *rand.Rand, id ID) ID {
	d := r.IntN(61) - 30
	if r.IntN(5) == 0 {
		d = r.IntN(401) - 200
	}
	to, ok := id.Shift(d, r.Int64N(9)-4, r.Int64N(9)-4)
	if !ok {
		return id
	}
	return to
}

func floorShift(v *big.Int, s int) *big.Int {
	if s >= 0 {
		return new(big.Int).Lsh(v, uint(s))
	}
	return new(big.Int).Rsh(v, uint(-s)) // floors in math/big
}

func seeded(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

func TestAddressesAgreeWithBigIntegers(t *testing.T) {
	r := seeded(t)
	for range 20000 {
		id := pick(r)
		x, y := id.X(), id.Y()
		again, err := New(id.Level(), x, y)
		if err != nil || again != id {
			t.Fatalf("New(%v) = %v, %v", id, again, err)
		}
		if p := id.Parent(); p.Level() != id.Level()-1 || p.X().Cmp(floorShift(x, -1)) != 0 || p.Y().Cmp(floorShift(y, -1)) != 0 {
			t.Fatalf("parent of %v is %v", id, p)
		}
		for i := range 4 {
			c := id.Child(i)
			wx := new(big.Int).Add(floorShift(x, 1), big.NewInt(int64(i&1)))
			wy := new(big.Int).Add(floorShift(y, 1), big.NewInt(int64(i>>1)))
			if c.X().Cmp(wx) != 0 || c.Y().Cmp(wy) != 0 || c.Parent() != id || !id.Contains(c) || c.Contains(id) {
				t.Fatalf("child %d of %v is %v", i, id, c)
			}
		}
		up := r.IntN(300)
		a := id.Ancestor(id.Level() - up)
		if a.X().Cmp(floorShift(x, -up)) != 0 || a.Y().Cmp(floorShift(y, -up)) != 0 || !a.Contains(id) {
			t.Fatalf("ancestor %d above %v is %v", up, id, a)
		}
		d, dx, dy := r.IntN(400)-200, r.Int64()>>r.IntN(64), -(r.Int64() >> r.IntN(64))
		to, ok := id.Shift(d, dx, dy)
		wx, wy := floorShift(x, d), floorShift(y, d)
		wx.Add(wx, big.NewInt(dx))
		wy.Add(wy, big.NewInt(dy))
		if !ok || to.Level() != id.Level()+d || to.X().Cmp(wx) != 0 || to.Y().Cmp(wy) != 0 {
			t.Fatalf("%v shifted by %d, %d, %d is %v, %v; want %v, %v", id, d, dx, dy, to, ok, wx, wy)
		}
	}
}

func TestContainsCommonAndCompareAgreeWithBigIntegers(t *testing.T) {
	r := seeded(t)
	for range 20000 {
		a := pick(r)
		b := pick(r)
		if r.IntN(4) > 0 {
			b = near(r, a)
		}
		d := b.Level() - a.Level()
		want := d >= 0 && floorShift(b.X(), -d).Cmp(a.X()) == 0 && floorShift(b.Y(), -d).Cmp(a.Y()) == 0
		if a.Contains(b) != want {
			t.Fatalf("%v contains %v: %v", a, b, !want)
		}
		order := a.Level() - b.Level()
		if order == 0 {
			order = a.Y().Cmp(b.Y())
		}
		if order == 0 {
			order = a.X().Cmp(b.X())
		}
		if got := a.Compare(b); got < 0 != (order < 0) || got > 0 != (order > 0) || (got == 0) != (a == b) {
			t.Fatalf("compare(%v, %v) = %d", a, b, got)
		}
		c, ok := Common(a, b)
		across := a.X().Sign() < 0 != (b.X().Sign() < 0) || a.Y().Sign() < 0 != (b.Y().Sign() < 0)
		if ok == across {
			t.Fatalf("common(%v, %v) = %v, %v", a, b, c, ok)
		}
		if !ok {
			continue
		}
		if !c.Contains(a) || !c.Contains(b) {
			t.Fatalf("common(%v, %v) = %v does not contain both", a, b, c)
		}
		for i := range 4 {
			if q := c.Child(i); q.Contains(a) && q.Contains(b) {
				t.Fatalf("common(%v, %v) = %v is not the smallest", a, b, c)
			}
		}
	}
}

func TestAddressesSurviveWireAndText(t *testing.T) {
	r := seeded(t)
	for range 5000 {
		id := pick(r)
		got, err := FromWire(id.Wire())
		if err != nil || got != id {
			t.Fatalf("%v over the wire: %v, %v", id, got, err)
		}
		got, err = Parse(id.String())
		if err != nil || got != id {
			t.Fatalf("%v in text: %v, %v", id, got, err)
		}
	}
}

func TestBadAddressesAreRefused(t *testing.T) {
	long := bytes.Repeat([]byte{1}, 10<<20)
	for _, c := range []struct {
		name  string
		level int32
		x, y  []byte
	}{
		{"level above", MaxLevel + 1, nil, nil},
		{"level below", -MaxLevel - 1, nil, nil},
		{"ten megabytes", 0, long, nil},
		{"ten megabytes of y", 0, nil, long},
		{"zero with a byte", 0, []byte{0}, nil},
		{"zero byte in front", 0, []byte{0, 1}, nil},
		{"sign byte in front", 0, []byte{0xff, 0x80}, nil},
		{"2^maxBits", 0, append([]byte{1}, make([]byte, maxBits/8)...), nil},
		{"-2^maxBits", 0, append([]byte{0xff}, make([]byte, maxBits/8)...), nil},
	} {
		if id, err := FromWire(c.level, c.x, c.y); !errors.Is(err, ErrAddress) {
			t.Errorf("%s: %v, %v", c.name, id.Level(), err)
		}
	}
	if n := testing.AllocsPerRun(10, func() { FromWire(0, long, nil) }); n > 5 {
		t.Errorf("refusing ten megabytes takes %v allocations", n)
	}
	for _, s := range []string{"", "1", "1/2", "1/2/3/4", "x/1/1", "01/1/1", "+1/1/1", "1/-/1", "1/01/1", "1/-0/1", "1/A/1", "1/ 1/1", "70000/1/1", "1/1/0x1", string(long)} {
		if id, err := Parse(s); !errors.Is(err, ErrAddress) {
			t.Errorf("%.40q parsed as %v", s, id)
		} else if len(err.Error()) > 300 {
			t.Errorf("the refusal of %.40q takes %d bytes", s, len(err.Error()))
		}
	}
	edge := new(big.Int).Lsh(big.NewInt(1), maxBits)
	for _, v := range []*big.Int{edge, new(big.Int).Neg(edge)} {
		if _, err := New(0, v, v); !errors.Is(err, ErrAddress) {
			t.Errorf("an address of %d bits is accepted", v.BitLen())
		}
	}
	edge.Sub(edge, big.NewInt(1))
	id, err := New(0, edge, new(big.Int).Neg(edge))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := FromWire(id.Wire()); err != nil || again != id {
		t.Errorf("the outermost address does not survive the wire: %v", err)
	}
	if _, ok := id.Shift(0, 1, 0); ok {
		t.Error("shifted out of bounds to the right")
	}
	if _, ok := id.Shift(0, 0, -1); ok {
		t.Error("shifted out of bounds upwards")
	}
	if _, ok := id.Shift(1, 0, 0); ok {
		t.Error("shifted out of bounds by level")
	}
}

func TestLevelsAtTheEdges(t *testing.T) {
	for _, level := range []int{-MaxLevel, MaxLevel} {
		id := At(level, 3, -3)
		for range 100 {
			id = id.Child(3)
		}
		for range 100 {
			id = id.Parent()
		}
		if id != At(level, 3, -3) {
			t.Errorf("a hundred levels below %d and back is %v", level, id)
		}
		root := At(0, 0, 0)
		if level > 0 {
			far := root
			for l := 0; l < level; l += 8192 {
				far, _ = far.Shift(8192, 1, -1)
			}
			if far.Level() != level || root.Contains(far) || far.Ancestor(0) == root {
				t.Errorf("%d levels down: level %d", level, far.Level())
			}
			if again, err := Parse(far.String()); err != nil || again != far {
				t.Errorf("level %d in text: %v", level, err)
			}
		}
	}
}

func FuzzFromWire(f *testing.F) {
	f.Add(int32(5), []byte{1, 2}, []byte{0xff})
	f.Add(int32(-5), []byte{0x80}, bytes.Repeat([]byte{0x7f}, 40))
	f.Fuzz(func(t *testing.T, level int32, x, y []byte) {
		id, err := FromWire(level, x, y)
		if err != nil {
			return
		}
		l, x2, y2 := id.Wire()
		if l != level || !bytes.Equal(x, x2) || !bytes.Equal(y, y2) {
			t.Fatalf("%d %x %x became %d %x %x", level, x, y, l, x2, y2)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("12/-3f/a0")
	f.Add("-7/0/ffffffffffffffffffff")
	f.Fuzz(func(t *testing.T, s string) {
		if id, err := Parse(s); err == nil && id.String() != s {
			t.Fatalf("%q became %q", s, id)
		}
	})
}

func BenchmarkParent(b *testing.B) {
	for _, level := range []int{10, 2000} {
		b.Run(fmt.Sprint("level", level), func(b *testing.B) {
			id := deep(level)
			b.ReportAllocs()
			for b.Loop() {
				id.Parent()
			}
		})
	}
}

// deep is a tile whose coordinates have as many bits as its level.
func deep(level int) ID {
	x := new(big.Int).Lsh(big.NewInt(0x5a5a5), uint(level))
	x.Div(x, big.NewInt(0xfffff))
	id, err := New(level, x, new(big.Int).Neg(x))
	if err != nil {
		panic(err)
	}
	return id
}
