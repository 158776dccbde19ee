package mandel

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
)

// Fixed is an exact dyadic number m·2^exp. The zero value is 0. It is immutable.
type Fixed struct {
	m   *big.Int // nil is 0
	exp int
}

// MaxDigits bounds the decimal digits of a coordinate that is read: 100,000 digits reach 2^332,000.
const MaxDigits = 100_000

// ErrNumber is wrapped by every refusal to read a number; the text around it says what to write instead.
var ErrNumber = errors.New("not a number Fractal can use")

// NewFixed returns m·2^exp. m is copied.
func NewFixed(m *big.Int, exp int) Fixed { return Fixed{new(big.Int).Set(m), exp} }

// Dyadic returns m·2^exp.
func Dyadic(m int64, exp int) Fixed { return Fixed{big.NewInt(m), exp} }

func (f Fixed) mant() *big.Int {
	if f.m == nil {
		return new(big.Int)
	}
	return f.m
}

// Dyadic returns f as mantissa·2^exp, the mantissa odd or 0. The number is the caller's.
func (f Fixed) Dyadic() (mantissa *big.Int, exp int) {
	m := new(big.Int).Set(f.mant())
	if m.Sign() == 0 {
		return m, 0
	}
	n := m.TrailingZeroBits()
	return m.Rsh(m, n), f.exp + int(n)
}

// Round returns f with at most bits binary digits after the point, rounded down.
func (f Fixed) Round(bits int) Fixed {
	if f.exp >= -bits {
		return f
	}
	return Fixed{f.Scaled(bits), -bits}
}

// Sign is −1, 0 or 1.
func (f Fixed) Sign() int { return f.mant().Sign() }

// Scaled returns f·2^bits rounded down: f as a fixed-point number with that many bits after the point.
func (f Fixed) Scaled(bits int) *big.Int {
	s := f.exp + bits
	if s >= 0 {
		return new(big.Int).Lsh(f.mant(), uint(s))
	}
	return new(big.Int).Rsh(f.mant(), uint(-s))
}

// Add returns f + g, exactly.
func (f Fixed) Add(g Fixed) Fixed {
	e := min(f.exp, g.exp)
	a := new(big.Int).Lsh(f.mant(), uint(f.exp-e))
	return Fixed{a.Add(a, new(big.Int).Lsh(g.mant(), uint(g.exp-e))), e}
}

// Neg returns −f.
func (f Fixed) Neg() Fixed { return Fixed{new(big.Int).Neg(f.mant()), f.exp} }

// Sub returns f − g, exactly.
func (f Fixed) Sub(g Fixed) Fixed { return f.Add(g.Neg()) }

// Shift returns f·2^n.
func (f Fixed) Shift(n int) Fixed { return Fixed{f.mant(), f.exp + n} }

// Cmp compares exactly: −1, 0, 1.
func (f Fixed) Cmp(g Fixed) int { return f.Sub(g).Sign() }

// Float returns the nearest float64; tiny values become 0.
func (f Fixed) Float() float64 {
	r, e := f.Exp()
	return math.Ldexp(r, e)
}

// Exp returns f as r·2^e with 0.5 ≤ |r| < 1, or 0, 0: a float64 with an exponent of its own.
func (f Fixed) Exp() (r float64, e int) {
	m := f.mant()
	n := m.BitLen()
	if n == 0 {
		return 0, 0
	}
	if n <= 63 {
		r, e = math.Frexp(float64(m.Int64()))
		return r, e + f.exp
	}
	top := new(big.Int).Rsh(new(big.Int).Abs(m), uint(n-63))
	r, e = math.Frexp(float64(top.Int64()))
	if m.Sign() < 0 {
		r = -r
	}
	return r, e + f.exp + n - 63
}

// ParseFixed reads a decimal number such as "-1.768", "3e-400" or "+.5", keeping bits binary digits after the point
// (the nearest below). A text that is no finite decimal, or has more than MaxDigits digits, is refused.
func ParseFixed(text string, bits int) (Fixed, error) {
	s := strings.TrimSpace(text)
	if s == "" {
		return Fixed{}, fmt.Errorf("mandel: %w: it is empty; write a decimal such as -0.75", ErrNumber)
	}
	if len(s) > MaxDigits+32 {
		return Fixed{}, fmt.Errorf("mandel: %w: %d characters; at most %d digits", ErrNumber, len(s), MaxDigits)
	}
	if bits < 0 || bits > 4*MaxDigits {
		return Fixed{}, fmt.Errorf("mandel: %w: precision of %d bits", ErrNumber, bits)
	}
	mant, exp10, ok := decimal(s)
	if !ok {
		return Fixed{}, fmt.Errorf("mandel: %w: %q; write a decimal such as -0.75 or 3e-40", ErrNumber, clip(s))
	}
	if exp10 > 400 || exp10 < -4*MaxDigits {
		return Fixed{}, fmt.Errorf("mandel: %w: %q is outside the plane", ErrNumber, clip(s))
	}
	pow := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exp10, -exp10))), nil)
	if exp10 >= 0 {
		mant.Mul(mant, pow)
		return Fixed{mant, 0}, nil
	}
	mant.Lsh(mant, uint(bits))
	mant.Div(mant, pow) // Euclidean: rounds down for a positive divisor
	return Fixed{mant, -bits}, nil
}

// decimal splits a decimal text into an integer and a power of ten.
func decimal(s string) (mant *big.Int, exp10 int, ok bool) {
	head, tail, hasExp := strings.Cut(strings.ToLower(s), "e")
	if hasExp {
		if len(tail) == 0 || len(tail) > 8 {
			return nil, 0, false
		}
		sign, digits := 1, strings.TrimPrefix(tail, "+")
		if d, neg := strings.CutPrefix(tail, "-"); neg {
			sign, digits = -1, d
		}
		if digits == "" {
			return nil, 0, false
		}
		for _, c := range []byte(digits) {
			if c < '0' || c > '9' {
				return nil, 0, false
			}
			exp10 = exp10*10 + int(c-'0')
		}
		exp10 *= sign
	}
	whole, frac, _ := strings.Cut(head, ".")
	sign := ""
	if len(whole) > 0 && (whole[0] == '-' || whole[0] == '+') {
		sign, whole = strings.TrimPrefix(whole[:1], "+"), whole[1:]
	}
	digits := whole + frac
	if digits == "" {
		return nil, 0, false
	}
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return nil, 0, false
		}
	}
	mant, ok = new(big.Int).SetString(sign+digits, 10)
	return mant, exp10 - len(frac), ok
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// Text returns f with the given number of decimals, rounded towards zero; every Fixed is exact with −exp decimals.
func (f Fixed) Text(decimals int) string {
	pow := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	v := new(big.Int).Mul(f.mant(), pow)
	if f.exp >= 0 {
		v.Lsh(v, uint(f.exp))
	} else {
		v.Quo(v, new(big.Int).Lsh(big.NewInt(1), uint(-f.exp)))
	}
	s := new(big.Int).Abs(v).String()
	if len(s) <= decimals {
		s = strings.Repeat("0", decimals-len(s)+1) + s
	}
	if decimals > 0 {
		s = s[:len(s)-decimals] + "." + s[len(s)-decimals:]
	}
	if v.Sign() < 0 {
		s = "-" + s
	}
	return s
}
