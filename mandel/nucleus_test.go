package mandel

import (
	"context"
	"math"
	"strings"
	"testing"
)

func TestKnownNucleiAreFound(t *testing.T) {
	for _, k := range []struct {
		re, im, wantRe, wantIm string
		period                 int
		log2size               float64
	}{
		{"-1.7548", "0", "-1.75487766624669276004950889635852869189460661777279", "0.0000", 3, -5.715},
		{"-0.1225", "0.7448", "-0.12256116687665361997524555182073565405269669111360", "0.74486176661974423659317042860439236724016308490682", 3, -2.404},
		{"-1.9408", "0", "-1.94079980652948475223209097965520417686904071446103", "0.0000", 4, -9.978},
		{"0.2822", "0.5300", "0.28227139076691387969681753932151179158559266940234", "0.53006061757852529948786904752020193784302193266493", 4, math.NaN()},
		{"-0.5043", "0.5628", "-0.50434017544624400030291118415909043735338676511654", "0.56276576145298196354457945767395437605838495465659", 5, math.NaN()},
	} {
		re, _ := ParseFixed(k.re, 200)
		im, _ := ParseFixed(k.im, 200)
		o := NewOrbit(Formula{}, re, im, 200)
		p, err := Period(context.Background(), o, -10, 1000)
		if err != nil || p != k.period {
			t.Errorf("%s%+s i: period %d, %v, want %d", k.re, k.im, p, err, k.period)
			continue
		}
		n, err := FindNucleus(context.Background(), re, im, p, -8, 180)
		if err != nil {
			t.Errorf("%s: %v", k.re, err)
			continue
		}
		if got := n.Re.Text(48); !strings.HasPrefix(k.wantRe, got[:48]) {
			t.Errorf("period %d: re %s, want %s", p, got, k.wantRe)
		}
		if got := n.Im.Text(48); k.wantIm != "0.0000" && !strings.HasPrefix(k.wantIm, got[:48]) {
			t.Errorf("period %d: im %s, want %s", p, got, k.wantIm)
		}
		if !math.IsNaN(k.log2size) && math.Abs(n.Log2Size-k.log2size) > 0.01 {
			t.Errorf("period %d: size 2^%.3f, want 2^%.3f", p, n.Log2Size, k.log2size)
		}
	}
}

func TestPeriodsOfTheStandardViews(t *testing.T) {
	for name, want := range map[string]int{"e14": 252, "e113": 11380, "flake": 7884, "liiiines": 2649, "e1000": 4498} {
		l := locations(t)[name]
		g, re, im := l.view(t, 64, 64)
		o := NewOrbit(Formula{}, re, im, Precision(g.Pitch))
		got, err := Period(context.Background(), o, float64(g.Pitch)+5, int(l.Iterations))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: period %d, wanted %d", name, got, want)
		if got != want {
			t.Errorf("%s: period %d, want %d", name, got, want)
		}
	}
}

func TestANucleusInsideADeepView(t *testing.T) {
	l := locations(t)["e1000"]
	g, re, im := l.view(t, 64, 64)
	n, err := FindNucleus(context.Background(), re, im, 4498, float64(g.Pitch)+8, 3800)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(n.Log2Size+3644.9) > 0.1 {
		t.Errorf("size 2^%.1f, want 2^-3644.9", n.Log2Size)
	}
	o := NewOrbit(Formula{}, n.Re, n.Im, 3900)
	p, _ := o.Extend(context.Background(), 4498)
	// An error of 2^-3800 in c is 2^-1978 in z: the derivative is about 2^1822, the root of 1/size.
	if z := p.at(4498); newNum(z.Re, z.Im, z.Exp).log2() > -1970 {
		t.Errorf("z(4498) = %+v, want 0", z)
	}
}
