package canvas

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"

	"google.golang.org/protobuf/proto"

	"fractal/tile"
	"fractal/wire"
)

// Place is a rectangle of the canvas that is a piece of the complex plane. It is immutable.
type Place struct {
	rectangle
	msg     *wire.Place
	body    []byte // msg in its one proper form
	samples [sha256.Size]byte
}

// ErrPlace is wrapped by every refusal of a place; the text is for a person.
var ErrPlace = errors.New("this place cannot be kept")

// Bounds of what a place may say.
const (
	maxMantissa = 16 << 10 // bytes: coordinates of any level there is
	maxExponent = 1 << 18
	maxColors   = 64
	maxLimit    = 1 << 40
	maxSpeed    = 1 << 16 // faster, it flickers
)

// NewPlace checks a place. The message is the canvas's from now on.
func NewPlace(m *wire.Place) (*Place, error) {
	r, err := newRectangle(m.GetHome(), m.GetBox(), ErrPlace)
	if err != nil {
		return nil, err
	}
	p := &Place{rectangle: r, msg: m}
	numbers := []*wire.Dyadic{m.Re, m.Im}
	if m.Julia {
		numbers = append(numbers, m.JuliaRe, m.JuliaIm)
	} else if m.JuliaRe != nil || m.JuliaIm != nil {
		return nil, fmt.Errorf("%w: it is no Julia set and has the point of one", ErrPlace)
	}
	for _, n := range numbers {
		switch {
		case n == nil:
			return nil, fmt.Errorf("%w: a coordinate is missing", ErrPlace)
		case len(n.Mantissa) > maxMantissa || n.Exp < -maxExponent || n.Exp > maxExponent:
			return nil, fmt.Errorf("%w: a coordinate has too many digits", ErrPlace)
		case int(n.Exp)+8*len(n.Mantissa) > 64 && len(n.Mantissa) > 0:
			return nil, fmt.Errorf("%w: a coordinate lies where there is nothing to see", ErrPlace)
		}
	}
	if m.Unit < -maxExponent || m.Unit > 64 {
		return nil, fmt.Errorf("%w: its scale is out of bounds", ErrPlace)
	}
	if m.Limit > maxLimit {
		return nil, fmt.Errorf("%w: a limit of %d iterations; at most 2^40", ErrPlace, m.Limit)
	}
	if c := m.GetPalette().GetColors(); len(c)%3 != 0 || len(c) > 3*maxColors {
		return nil, fmt.Errorf("%w: its palette has more than %d colours, or half of one", ErrPlace, maxColors)
	}
	if s := m.GetPalette().GetSpeed(); s > maxSpeed || s < -maxSpeed {
		return nil, fmt.Errorf("%w: its colours move faster than one cycle a second", ErrPlace)
	}
	if p.body, err = canonical(m); err != nil {
		return nil, fmt.Errorf("%w: it cannot be written", ErrPlace)
	}
	// What decides the samples, not their colours or bounds.
	what, err := canonical(&wire.Place{Home: m.Home, Re: m.Re, Im: m.Im, Unit: m.Unit, Julia: m.Julia, JuliaRe: m.JuliaRe, JuliaIm: m.JuliaIm})
	if err != nil {
		return nil, fmt.Errorf("%w: it cannot be written", ErrPlace)
	}
	p.samples = sha256.Sum256(what)
	return p, nil
}

// canonical writes a message without unknown fields, always the same: in a place no map and no one-of leaves a choice.
func canonical(m *wire.Place) ([]byte, error) {
	m = proto.Clone(m).(*wire.Place)
	for _, v := range []proto.Message{m, m.Home, m.Box, m.Re, m.Im, m.JuliaRe, m.JuliaIm, m.Palette} {
		if r := v.ProtoReflect(); r.IsValid() {
			r.SetUnknown(nil)
		}
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(m)
}

// Wire is the place as a message. Nobody may change it.
func (p *Place) Wire() *wire.Place { return p.msg }

// Map names what the place shows where: places with the same Map have the same samples.
func (p *Place) Map() [sha256.Size]byte { return p.samples }

func (p *Place) damage() Damage { return Damage{Place: true, Home: p.home, Box: p.reach()} }

// PlaceItem is a place that is visible.
type PlaceItem struct {
	Seq   Seq
	Place *Place
}

// Places returns the visible places that reach a tile, in the order of paint, and the newest op that concerned any that does or
// did: 0 when there never was one. Places are few: they are looked at one by one.
func (c *Canvas) Places(id tile.ID) (items []PlaceItem, version Seq) {
	c.mu.RLock()
	places := c.places
	records := make([]record, len(places))
	for i, k := range places {
		records[i] = c.items[k]
	}
	c.mu.RUnlock()
	for i := range records {
		r := &records[i]
		if r.place.Touches(id) {
			version = max(version, r.seq, r.changed)
			if !r.hidden {
				items = append(items, PlaceItem{r.seq, r.place})
			}
		}
	}
	return items, version
}

// PlaceVersions is the version of Places for many tiles at one taking of the lock.
func (c *Canvas) PlaceVersions(ids []tile.ID, dst []Seq) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for i, id := range ids {
		dst[i] = 0
		for _, k := range c.places {
			if r := &c.items[k]; max(r.seq, r.changed) > dst[i] && r.place.Touches(id) {
				dst[i] = max(r.seq, r.changed)
			}
		}
	}
}

// HasPlaces says whether there ever was a place.
func (c *Canvas) HasPlaces() bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.places) > 0
}

// maxPlaces bounds the places of a canvas, hidden ones counted: every square in view is held against each.
const maxPlaces = 4096

// NewDyadic writes mantissa·2^exp as Number reads it.
func NewDyadic(mantissa *big.Int, exp int) *wire.Dyadic {
	if mantissa.Sign() == 0 {
		return &wire.Dyadic{}
	}
	n := mantissa
	if mantissa.Sign() < 0 {
		n = new(big.Int).Not(mantissa) // −m−1: the bits of m inverted
	}
	b := n.FillBytes(make([]byte, n.BitLen()/8+1))
	if mantissa.Sign() < 0 {
		for i := range b {
			b[i] = ^b[i]
		}
	}
	return &wire.Dyadic{Mantissa: b, Exp: int32(exp)}
}

// Number is the value of a wire.Dyadic as mantissa and exponent.
func Number(d *wire.Dyadic) (mantissa *big.Int, exp int) {
	b := d.GetMantissa()
	m := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]&0x80 != 0 {
		m.Sub(m, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return m, int(d.GetExp())
}

// NewestPlace is the visible place that was made last; nil: there is none.
func (c *Canvas) NewestPlace() *Place {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for i := len(c.places) - 1; i >= 0; i-- {
		if r := &c.items[c.places[i]]; !r.hidden {
			return r.place
		}
	}
	return nil
}
