package mandel

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Location is a view of the plane as people exchange them: a point, how far to zoom in (the view is 4/zoom high) and how far
// to iterate. Coordinates are kept to 64 bits below the height of the view.
type Location struct {
	Re, Im     Fixed
	Zoom       Zoom
	Iterations int64 // 0: not said
}

// Zoom is a magnification Mantissa·2^Exp with 0.5 ≤ Mantissa < 1. The zero value is none.
type Zoom struct {
	Mantissa float64
	Exp      int
}

// MaxZoom bounds the exponents of zooms that are read: the canvas has 65,536 levels.
const MaxZoom = 65_000

// MaxLocation bounds the bytes of a location file.
const MaxLocation = 4*MaxDigits + 64<<10

// ErrLocation is wrapped by every refusal to read a location; the text says what is wrong with it.
var ErrLocation = errors.New("not a location Fractal can go to")

// Log2 returns log2 of the zoom.
func (z Zoom) Log2() float64 { return math.Log2(z.Mantissa) + float64(z.Exp) }

// ParseZoom reads a magnification such as "1", "2.5E+14" or "1e1000".
func ParseZoom(text string) (Zoom, error) {
	s := strings.TrimSpace(text)
	if s == "" || len(s) > MaxDigits {
		return Zoom{}, fmt.Errorf("mandel: %w: the zoom %q is no number", ErrLocation, clip(s))
	}
	mant, exp10, ok := decimal(s)
	if !ok {
		return Zoom{}, fmt.Errorf("mandel: %w: the zoom %q is no number", ErrLocation, clip(s))
	}
	if mant.Sign() <= 0 {
		return Zoom{}, fmt.Errorf("mandel: %w: the zoom must be greater than 0", ErrLocation)
	}
	const log2of10 = 3.3219280948873626
	if about := float64(mant.BitLen()) + float64(exp10)*log2of10; about > MaxZoom || about < -64 {
		return Zoom{}, fmt.Errorf("mandel: %w: a zoom of 2^%.0f; at most 2^%d", ErrLocation, about, MaxZoom)
	}
	// 96 bits are plenty: only the height of the view comes from it.
	f := new(big.Float).SetPrec(96).SetInt(mant)
	pow := new(big.Float).SetPrec(96).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exp10, -exp10))), nil))
	if exp10 >= 0 {
		f.Mul(f, pow)
	} else {
		f.Quo(f, pow)
	}
	m := new(big.Float)
	e := f.MantExp(m)
	v, _ := m.Float64()
	return Zoom{v, e}, nil
}

// Text returns the zoom as a decimal with 17 digits that ParseZoom reads back.
func (z Zoom) Text() string {
	f := new(big.Float).SetPrec(96).SetFloat64(z.Mantissa)
	f.SetMantExp(f, z.Exp)
	return f.Text('e', 16)
}

// Bits is how many binary digits after the point the coordinates of a view of this zoom are kept with.
func (z Zoom) Bits() int { return max(0, z.Exp) + 64 }

// ReadLocation reads what people paste or drop: a .kfr or .f3.toml file, whichever it looks like.
func ReadLocation(text string) (Location, error) {
	if len(text) > MaxLocation {
		return Location{}, fmt.Errorf("mandel: %w: it has %d bytes; at most %d", ErrLocation, len(text), MaxLocation)
	}
	for line := range strings.Lines(text) {
		key, _, ok := strings.Cut(line, ":")
		if k := strings.ToLower(strings.TrimSpace(key)); ok && (k == "re" || k == "im" || k == "zoom") {
			return readKFR(text)
		}
	}
	return readF3(text)
}

// readKFR reads Kalles Fraktaler's "Key: value" lines. Keys of other things are passed over.
func readKFR(text string) (Location, error) {
	f := map[string]string{}
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(line, ":"); ok {
			f[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
		}
	}
	return newLocation(f["re"], f["im"], f["zoom"], f["iterations"])
}

// readF3 reads what a location needs of Fraktaler-3's TOML: strings and numbers under dotted names or tables.
func readF3(text string) (Location, error) {
	f := map[string]string{}
	table := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			name, _, _ = strings.Cut(name, "]")
			table = strings.TrimSpace(strings.Trim(name, "[")) + "."
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		value = strings.TrimSpace(value)
		if quoted, ok := strings.CutPrefix(value, `"`); ok {
			value, _, _ = strings.Cut(quoted, `"`)
		} else {
			value, _, _ = strings.Cut(value, "#")
		}
		f[table+strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	// rust-fractal writes the same three names without a table.
	pick := func(names ...string) string {
		for _, n := range names {
			if v, ok := f[n]; ok {
				return v
			}
		}
		return ""
	}
	return newLocation(pick("location.real", "real"), pick("location.imag", "imag"), pick("location.zoom", "zoom"),
		pick("bailout.iterations", "iterations"))
}

func newLocation(re, im, zoom, iterations string) (l Location, err error) {
	if re == "" || im == "" || zoom == "" {
		return l, fmt.Errorf("mandel: %w: it must say a real part, an imaginary part and a zoom", ErrLocation)
	}
	if l.Zoom, err = ParseZoom(zoom); err != nil {
		return l, err
	}
	if l.Re, err = ParseFixed(re, l.Zoom.Bits()); err != nil {
		return l, fmt.Errorf("mandel: %w: real part: %w", ErrLocation, err)
	}
	if l.Im, err = ParseFixed(im, l.Zoom.Bits()); err != nil {
		return l, fmt.Errorf("mandel: %w: imaginary part: %w", ErrLocation, err)
	}
	if far := Dyadic(1<<10, 0); l.Re.abs().Cmp(far) > 0 || l.Im.abs().Cmp(far) > 0 {
		return l, fmt.Errorf("mandel: %w: it lies more than 1024 from 0, where there is nothing to see", ErrLocation)
	}
	if iterations != "" {
		n, err := strconv.ParseInt(strings.ReplaceAll(iterations, "_", ""), 10, 64)
		if err != nil || n < 0 {
			return l, fmt.Errorf("mandel: %w: %q is no number of iterations", ErrLocation, clip(iterations))
		}
		l.Iterations = min(n, MaxLimit)
	}
	return l, nil
}

func (f Fixed) abs() Fixed {
	if f.Sign() < 0 {
		return f.Neg()
	}
	return f
}

// Decimals returns f as an exact decimal, without zeros at its end: what Text(−exponent) gives, trimmed.
func (f Fixed) Decimals() string {
	s := f.Text(max(0, -f.exp))
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// KFR writes the location as a .kfr file.
func (l Location) KFR() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Re: %s\r\nIm: %s\r\nZoom: %s\r\n", l.Re.Decimals(), l.Im.Decimals(), strings.ToUpper(l.Zoom.Text()))
	if l.Iterations > 0 {
		fmt.Fprintf(&b, "Iterations: %d\r\n", l.Iterations)
	}
	return b.String()
}

// F3 writes the location as a .f3.toml file.
func (l Location) F3() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program = \"fraktaler-3\"\nlocation.real = %q\nlocation.imag = %q\nlocation.zoom = %q\n", l.Re.Decimals(), l.Im.Decimals(), l.Zoom.Text())
	if l.Iterations > 0 {
		fmt.Fprintf(&b, "bailout.iterations = %d\n", l.Iterations)
	}
	return b.String()
}
