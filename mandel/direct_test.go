package mandel

import "testing"

// A sample found in the set speaks for a disc around it. No sample of the disc may escape when it is asked alone.
func TestDiscsHoldNothingThatEscapes(t *testing.T) {
	for _, c := range []struct {
		name         string
		depth, limit int
	}{{"e50", 6, 20000}, {"e50", 33, 100000}, {"leaded_glass", 31, 60000}, {"e14", 30, 8192}, {"dragon", 20, 20000}} {
		const w = 256
		g, _, _ := locations(t)[c.name].down(t, c.depth, w, w)
		all := make([]Sample, w*w)
		if err := Render(background, Formula{}, g, nil, int64(c.limit), 1, all); err != nil {
			t.Fatal(err)
		}
		inside, wrong := 0, 0
		for k := 0; k < len(all); k += 11 {
			if all[k].State != Interior {
				continue
			}
			inside++
			one := g
			one.Re, one.Im, one.W, one.H = g.Re.Add(Dyadic(int64(k%w), g.Pitch)), g.Im.Sub(Dyadic(int64(k/w), g.Pitch)), 1, 1
			var s [1]Sample
			if err := Render(background, Formula{}, one, nil, int64(c.limit), 1, s[:]); err != nil {
				t.Fatal(err)
			}
			if s[0].State == Escaped {
				wrong++
			}
		}
		t.Logf("%s at 2^%d: %d inside", c.name, c.depth, inside)
		if wrong > 0 {
			t.Errorf("%s at 2^%d: %d of %d samples said to be inside escape", c.name, c.depth, wrong, inside)
		}
	}
}
