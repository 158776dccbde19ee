package mandel

import (
	"context"
	"encoding/json"
	"math"
	"math/big"
	"math/cmplx"
	"os"
	"testing"
	"time"
)

type location struct {
	Name, Re, Im, Zoom, Source string
	Iterations                 int64
}

func locations(t testing.TB) map[string]location {
	raw, err := os.ReadFile("tour.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []location
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	byName := map[string]location{}
	for _, l := range all {
		byName[l.Name] = l
	}
	return byName
}

// view returns a grid of w × h samples centred on l, as high as its zoom asks (height 4/zoom, rounded to a power of two), and
// the centre.
func (l location) view(t testing.TB, w, h int) (Grid, Fixed, Fixed) {
	z, ok := new(big.Float).SetPrec(64).SetString(l.Zoom)
	if !ok {
		t.Fatalf("zoom %q", l.Zoom)
	}
	log2zoom := z.MantExp(nil)
	_, hb := math.Frexp(float64(h - 1))
	pitch := 2 - log2zoom - hb
	bits := -pitch + 64
	re, err := ParseFixed(l.Re, max(bits, 0))
	if err != nil {
		t.Fatal(err)
	}
	im, err := ParseFixed(l.Im, max(bits, 0))
	if err != nil {
		t.Fatal(err)
	}
	return Grid{Re: re.Sub(Dyadic(int64(w/2), pitch)), Im: im.Add(Dyadic(int64(h/2), pitch)), Pitch: pitch, W: w, H: h}, re, im
}

// slow iterates one sample of g in big fixed point: the oracle.
func slow(g Grid, i, j int, limit int64) Sample {
	prec := -g.Pitch + 100
	c, d := g.Re.Add(Dyadic(int64(i), g.Pitch)).Scaled(prec), g.Im.Sub(Dyadic(int64(j), g.Pitch)).Scaled(prec)
	x, y, t := new(big.Int), new(big.Int), new(big.Int)
	for n := int64(0); ; n++ {
		fx, ex := top(x, prec)
		fy, ey := top(y, prec)
		a, b := math.Ldexp(fx, ex), math.Ldexp(fy, ey)
		if zz := a*a + b*b; zz > Radius*Radius {
			return escaped(n, zz)
		}
		if n >= limit {
			return Sample{N: limit, State: Unknown}
		}
		t.Mul(x, y)
		t.Rsh(t, uint(prec-1))
		x.Mul(x, x)
		y.Mul(y, y)
		x.Sub(x, y)
		x.Rsh(x, uint(prec))
		x.Add(x, c)
		y.Add(t, d)
	}
}

func TestSamplesEqualDirectIteration(t *testing.T) {
	for name, n := range map[string]int{"home": 200, "e14": 60, "e113": 12, "flake": 8, "liiiines": 8, "e533": 3, "e1000": 5, "glitch7": 1} {
		t.Run(name, func(t *testing.T) {
			l := locations(t)[name]
			const w, h = 64, 64
			g, re, im := l.view(t, w, h)
			limit := l.Iterations
			o := NewOrbit(Formula{}, re, im, Precision(g.Pitch))
			start := time.Now()
			p, err := o.Extend(context.Background(), int(limit))
			if err != nil {
				t.Fatal(err)
			}
			ref := refOf(t, o, int(limit), MaxDC(g, re, im), 0x1p-32)
			t.Logf("pitch 2^%d, orbit of %d entries, %d tiny, %v", g.Pitch, len(p.Re), len(p.Tiny), time.Since(start))
			out := make([]Sample, w*h)
			start = time.Now()
			if err := Render(context.Background(), Formula{}, g, ref, limit, 1, out); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d samples in %v", len(out), time.Since(start))
			wk, ur, ui, err := reference(Formula{}, g, ref, limit)
			if !Direct(g.Pitch) {
				if err != nil {
					t.Fatal(err)
				}
				differ := 0
				for k := range out {
					if one := wk.sample(ur+float64(k%w), ui-float64(k/w), g.Pitch, func() bool { return false }); one.N != out[k].N || one.State != out[k].State {
						differ++
					}
				}
				t.Logf("%d of %d samples differ between lock step and alone", differ, len(out))
			}
			start = time.Now()
			bad := 0
			for k := range n {
				i, j := (k*37+11)%w, (k*53+7)%h
				got, want := out[j*w+i], slow(g, i, j, limit)
				if got.State == Interior {
					got.State = Unknown
				}
				if got.N != want.N || got.State != want.State || math.Abs(float64(got.Frac-want.Frac)) > 1e-3 {
					bad++
					t.Logf("sample %d,%d: got %+v, want %+v", i, j, got, want)
				}
			}
			t.Logf("%d samples in %v", n, time.Since(start))
			if bad*20 > n {
				t.Errorf("%d of %d samples differ", bad, n)
			}
		})
	}
}

// slowJulia iterates one sample of a Julia set in big fixed point.
func slowJulia(f Formula, g Grid, i, j int, limit int64) Sample {
	o := start(Fixed{}, Fixed{}, g.Re.Add(Dyadic(int64(i), g.Pitch)), g.Im.Sub(Dyadic(int64(j), g.Pitch)), f.Re, f.Im, -g.Pitch+200)
	p, _ := o.Extend(context.Background(), int(limit))
	last := len(p.Re) - 1
	if zz := p.Re[last]*p.Re[last] + p.Im[last]*p.Im[last]; zz > Radius*Radius {
		return escaped(int64(last), zz)
	}
	return Sample{N: limit, State: Unknown}
}

// juliaPoint is the repelling fixed point (1 + √(1 − 4c))/2 to bits binary digits, by Newton's method.
func juliaPoint(f Formula, bits uint) (Fixed, Fixed) {
	c := complex(f.Re.Float(), f.Im.Float())
	z0 := (1 + cmplx.Sqrt(1-4*c)) / 2
	prec := uint(bits + 64)
	nf := func(v float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(v) }
	x, y := nf(real(z0)), nf(imag(z0))
	cr, ci := nf(real(c)), nf(imag(c))
	op := func() *big.Float { return new(big.Float).SetPrec(prec) }
	for range 8 {
		// z − (z² + c − z)/(2z − 1)
		fr := op().Sub(op().Add(op().Sub(op().Mul(x, x), op().Mul(y, y)), cr), x)
		fi := op().Sub(op().Add(op().Mul(nf(2), op().Mul(x, y)), ci), y)
		gr, gi := op().Sub(op().Mul(nf(2), x), nf(1)), op().Mul(nf(2), y)
		gg := op().Add(op().Mul(gr, gr), op().Mul(gi, gi))
		x = op().Sub(x, op().Quo(op().Add(op().Mul(fr, gr), op().Mul(fi, gi)), gg))
		y = op().Sub(y, op().Quo(op().Sub(op().Mul(fi, gr), op().Mul(fr, gi)), gg))
	}
	fix := func(v *big.Float) Fixed {
		m, _ := new(big.Float).SetMantExp(v, int(bits)).Int(nil)
		return NewFixed(m, -int(bits))
	}
	return fix(x), fix(y)
}
