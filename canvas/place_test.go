package canvas

import (
	"bytes"
	"errors"
	"math/big"
	"testing"

	"google.golang.org/protobuf/proto"

	"fractal/tile"
	"fractal/wire"
)

// homePlace is the whole set on the root tile.
func homePlace() *wire.Place {
	return &wire.Place{
		Home: &wire.Tile{}, Box: &wire.Box{MaxX: tile.Units, MaxY: tile.Units},
		Re: &wire.Dyadic{Mantissa: []byte{0xf5}, Exp: -2}, Im: &wire.Dyadic{Mantissa: []byte{2}}, Unit: -12,
		Palette: &wire.Palette{Colors: []byte{0, 0, 0, 255, 255, 255}, Inside: 0xff},
	}
}

func say(t *testing.T, c *Canvas, number uint64, body *wire.Op) Result {
	t.Helper()
	body.Session, body.Number = bytes.Repeat([]byte{1}, 16), number
	b, err := proto.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return c.Apply(&wire.Entry{Person: bytes.Repeat([]byte{2}, 16), Op: b})
}

func TestPlacesAreUndoneLikeStrokes(t *testing.T) {
	c := New()
	in, out := tile.At(3, 1, 1), tile.At(3, 8, 0)
	if items, v := c.Places(in); len(items) != 0 || v != 0 {
		t.Fatalf("an empty canvas has %d places of version %d", len(items), v)
	}
	r := say(t, c, 1, &wire.Op{Body: &wire.Op_Place{Place: homePlace()}})
	if r.Outcome != Applied || !r.Damage.Touches(in) || r.Damage.Touches(out) {
		t.Fatalf("%v %q, damage %+v", r.Outcome, r.Reason, r.Damage)
	}
	second := homePlace()
	second.Palette.Offset = 7
	say(t, c, 2, &wire.Op{Body: &wire.Op_Place{Place: second}})
	items, v := c.Places(in)
	if len(items) != 2 || v != 2 || items[0].Place.Map() != items[1].Place.Map() {
		t.Fatalf("%d places of version %d", len(items), v)
	}
	if items, v := c.Places(out); len(items) != 0 || v != 0 {
		t.Fatalf("beside it: %d places of version %d", len(items), v)
	}
	say(t, c, 3, &wire.Op{Body: &wire.Op_Undo{Undo: &wire.Undo{}}})
	if items, v := c.Places(in); len(items) != 1 || v != 3 {
		t.Fatalf("after an undo: %d places of version %d", len(items), v)
	}
	again, err := Restore(c.Checkpoint())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Checkpoint(), c.Checkpoint()) {
		t.Fatal("a restored canvas has another checkpoint")
	}
	for _, c := range []*Canvas{c, again} {
		say(t, c, 4, &wire.Op{Body: &wire.Op_Redo{Redo: &wire.Redo{}}})
		if items, v := c.Places(in); len(items) != 2 || v != 4 || items[1].Place.Wire().Palette.Offset != 7 {
			t.Fatalf("after a redo: %d places of version %d", len(items), v)
		}
	}
	if !bytes.Equal(again.Checkpoint(), c.Checkpoint()) {
		t.Fatal("a restored canvas goes on otherwise")
	}
	if id, ok := c.Home(); !ok || id.Level() > 0 || id.Level() < -2 {
		t.Errorf("home %v, %v", id, ok)
	}
	if s := c.Stats(); s.Strokes != 0 || s.Places != 2 || s.Hidden != 0 {
		t.Errorf("stats %+v", s)
	}
}

func TestNumbersTravelExactly(t *testing.T) {
	for _, text := range []string{"0", "1", "-1", "127", "128", "-128", "-129", "255", "256", "-32768", "123456789012345678901234567890", "-123456789012345678901234567890"} {
		want, _ := new(big.Int).SetString(text, 10)
		d := NewDyadic(want, -7)
		if got, exp := Number(d); got.Cmp(want) != 0 || want.Sign() != 0 && exp != -7 {
			t.Errorf("%s came back as %v·2^%d from %x", text, got, exp, d.Mantissa)
		}
	}
}

func TestPlacesThatMakeNoSenseAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(*wire.Place){
		"no home":          func(p *wire.Place) { p.Home = nil },
		"no box":           func(p *wire.Place) { p.Box = nil },
		"zero size":        func(p *wire.Place) { p.Box.MaxX = 0 },
		"inside out":       func(p *wire.Place) { p.Box.MinY = 1 << 20 },
		"far away":         func(p *wire.Place) { p.Box.MaxX = 1 << 41 },
		"no corner":        func(p *wire.Place) { p.Im = nil },
		"many digits":      func(p *wire.Place) { p.Re.Mantissa = make([]byte, maxMantissa+1) },
		"huge exponent":    func(p *wire.Place) { p.Re.Exp = 1 << 30 },
		"beyond the plane": func(p *wire.Place) { p.Re.Exp = 100 },
		"unit":             func(p *wire.Place) { p.Unit = 1 << 30 },
		"limit of 2^62":    func(p *wire.Place) { p.Limit = 1 << 62 },
		"half a colour":    func(p *wire.Place) { p.Palette.Colors = []byte{1} },
		"julia of nothing": func(p *wire.Place) { p.Julia = true },
		"point of nothing": func(p *wire.Place) { p.JuliaRe = &wire.Dyadic{} },
		"deep home":        func(p *wire.Place) { p.Home.Level = 1 << 20 },
	} {
		m := homePlace()
		spoil(m)
		if _, err := NewPlace(m); !errors.Is(err, ErrPlace) {
			t.Errorf("%s: %v", name, err)
		}
		c := New()
		if r := say(t, c, 1, &wire.Op{Body: &wire.Op_Place{Place: m}}); r.Outcome != Quarantined || r.Reason == "" {
			t.Errorf("%s: %v %q", name, r.Outcome, r.Reason)
		}
	}
}
