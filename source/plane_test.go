package source_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"fractal/mandel"
	"fractal/source"
	"fractal/tile"
)

func TestAPointIsFoundWhereItIsShown(t *testing.T) {
	for _, home := range []tile.ID{tile.ID{}, tile.At(300, -7, 5), tile.At(-90, 1, -1)} {
		p := with(t, homeView(t, home)).NewestPlace()
		for _, s := range mandel.Tour() {
			l, err := s.Location()
			if err != nil {
				t.Fatal(err)
			}
			at, err := source.Look(p, l.Re, l.Im, l.Zoom)
			if err != nil {
				t.Fatalf("%s: %v", s.Name, err)
			}
			re, im, zoom := source.Where(p, at)
			if math.Abs(zoom.Log2()-l.Zoom.Log2()) > 1e-9 {
				t.Errorf("%s: a zoom of 2^%f, want 2^%f", s.Name, zoom.Log2(), l.Zoom.Log2())
			}
			// A sight names its middle to 2^-24 tiles.
			for _, d := range []mandel.Fixed{re.Sub(l.Re), im.Sub(l.Im)} {
				if _, e := d.Exp(); d.Sign() != 0 && e > 3-int(l.Zoom.Log2())-20 {
					t.Errorf("%s: it is 2^%d away", s.Name, e)
				}
			}
		}
	}
}

func TestFlyingToAMinibrotEndsAtItsNucleus(t *testing.T) {
	p := with(t, homeView(t, tile.ID{})).NewestPlace()
	re, _ := mandel.ParseFixed("-1.7549", 64)
	at, err := source.Look(p, re, mandel.Fixed{}, mandel.Zoom{Mantissa: 0.5, Exp: 7})
	if err != nil {
		t.Fatal(err)
	}
	to, n, err := source.FlyTo(context.Background(), p, at)
	if err != nil || n.Period != 3 {
		t.Fatalf("period %d, %v", n.Period, err)
	}
	re, _, zoom := source.Where(p, to)
	if got := re.Text(6); got != "-1.754877" || math.Abs(zoom.Log2()-5.715) > 0.1 {
		t.Errorf("it went to %s at 2^%.2f", got, zoom.Log2())
	}
	if limit, err := source.Limit(context.Background(), p, to); err != nil || limit < 1024 {
		t.Errorf("limit %d, %v", limit, err)
	}
	if _, _, err := source.PlaceAt(with(t), source.Sight{X: new(big.Int), Y: new(big.Int), Scale: 1}); err != source.ErrNoPlace {
		t.Errorf("on an empty canvas: %v", err)
	}
}
