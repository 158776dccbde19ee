package source

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"fractal/canvas"
	"fractal/mandel"
	"fractal/raster"
	"fractal/tile"
)

// Sight is where somebody looks: the middle of their view at (X, Y)·2⁻²⁴ tiles of a level, with tiles Scale · 256 px wide. It is
// what the page writes into links.
type Sight struct {
	Level int
	X, Y  *big.Int
	Scale float64
}

// sightBits is how finely a Sight names its middle.
const sightBits = 24

// viewPx is how high a view is taken to be where a zoom has to become a size: 4/zoom are so many px.
const viewPx = 512

// ErrNoPlace says that there is no place where one is asked for; the text is for a person.
var ErrNoPlace = errors.New("There is no Mandelbrot place here. Make one with Shift+M.")

// PlaceAt is the topmost place at the middle of a sight, or the newest of all where there is none.
func PlaceAt(c *canvas.Canvas, s Sight) (p *canvas.Place, here bool, err error) {
	x, y := new(big.Int).Rsh(s.X, sightBits), new(big.Int).Rsh(s.Y, sightBits)
	id, err := tile.New(s.Level, x, y)
	if err != nil {
		return nil, false, ErrNoPlace
	}
	items, _ := c.Places(id)
	if n := len(items); n > 0 {
		return items[n-1].Place, true, nil
	}
	if p = c.NewestPlace(); p == nil {
		return nil, false, ErrNoPlace
	}
	return p, false, nil
}

// Where is the point of the plane in the middle of a sight, and the zoom.
func Where(p *canvas.Place, s Sight) (re, im mandel.Fixed, zoom mandel.Zoom) {
	w, home := p.Wire(), p.Home()
	unit := int(w.Unit)
	by := home.Level() - s.Level // one tile of the sight is 2^by of the home's
	x := fixed(s.X, by-sightBits).Sub(fixed(home.X(), 0)).Shift(14 + unit)
	y := fixed(s.Y, by-sightBits).Sub(fixed(home.Y(), 0)).Shift(14 + unit)
	re = fixed(canvas.Number(w.Re)).Add(x)
	im = fixed(canvas.Number(w.Im)).Sub(y)
	// A px is 2^(by + 14 + unit − 8) / scale of the plane; viewPx of them are 4/zoom.
	m, e := math.Frexp(s.Scale * 4 / viewPx)
	return re, im, mandel.Zoom{Mantissa: m, Exp: e - (by + 14 + unit - 8)}
}

// Look is the sight that has a point in its middle.
func Look(p *canvas.Place, re, im mandel.Fixed, zoom mandel.Zoom) (Sight, error) {
	w, home := p.Wire(), p.Home()
	unit := int(w.Unit)
	m, e := math.Frexp(zoom.Mantissa * viewPx / 4) // m·2^e = scale·2^-(by + 14 + unit − 8)
	level := home.Level() + zoom.Exp + e - 1 + 14 + unit - 8
	if level > tile.MaxLevel-8 || level < -tile.MaxLevel+8 {
		return Sight{}, fmt.Errorf("That lies deeper than a canvas reaches: 2^%d.", level)
	}
	s := Sight{Level: level, Scale: 2 * m}
	if s.Scale >= math.Sqrt2 {
		s.Level, s.Scale = s.Level+1, s.Scale/2
	}
	by := home.Level() - s.Level
	x := re.Sub(fixed(canvas.Number(w.Re))).Shift(-14 - unit).Add(fixed(home.X(), 0))
	y := fixed(canvas.Number(w.Im)).Sub(im).Shift(-14 - unit).Add(fixed(home.Y(), 0))
	s.X, s.Y = x.Scaled(sightBits-by), y.Scaled(sightBits-by)
	return s, nil
}

// Limit is how far the samples in the middle of a sight are iterated.
func Limit(ctx context.Context, p *canvas.Place, s Sight) (int64, error) {
	id, err := tile.New(s.Level, new(big.Int).Rsh(s.X, sightBits), new(big.Int).Rsh(s.Y, sightBits))
	if err != nil {
		return 0, err
	}
	l := &laid{view: lookAt(p, id), samples: make([]mandel.Sample, raster.Size*raster.Size)}
	l.limit = l.rule.First(l.grid.Pitch)
	err = l.render(ctx, 8)
	return l.limit, err
}

// maxPeriod bounds the search for a nucleus in the iterations of a big number.
const maxPeriod = 400_000

// FlyTo is the sight of the minibrot whose nucleus has the smallest period of those near the middle of a sight.
func FlyTo(ctx context.Context, p *canvas.Place, s Sight) (to Sight, n mandel.Nucleus, err error) {
	if p.Wire().Julia {
		return to, n, errors.New("A Julia set has no minibrots.")
	}
	re, im, zoom := Where(p, s)
	prec := zoom.Bits() + 64
	o := mandel.NewOrbit(mandel.Formula{}, re, im, prec)
	log2r := 0.5 - zoom.Log2() // half of the view's height is 2/zoom
	period, err := mandel.Period(ctx, o, log2r, maxPeriod)
	if err == nil && period == 0 {
		err = mandel.ErrNoNucleus
	}
	if err != nil {
		return to, n, err
	}
	if n, err = mandel.FindNucleus(ctx, re, im, period, log2r+2, 2*zoom.Bits()+64); err != nil {
		return to, n, err
	}
	// The whole set is about 3 wide: seen in a view of height 4 it has a zoom of 1.
	m, e := math.Frexp(math.Exp2(-n.Log2Size - math.Floor(-n.Log2Size)))
	to, err = Look(p, n.Re, n.Im, mandel.Zoom{Mantissa: m, Exp: e + int(math.Floor(-n.Log2Size))})
	return to, n, err
}
