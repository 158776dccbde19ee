package mandel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

var background = context.Background()

// around is a grid of w × h samples with (re, im) at its middle.
func around(re, im Fixed, pitch, w, h int) Grid {
	return Grid{Re: re.Sub(Dyadic(int64(w/2), pitch)), Im: im.Add(Dyadic(int64(h/2), pitch)), Pitch: pitch, W: w, H: h}
}

// shot renders a grid with a reference at (re, im), by perturbation whatever its pitch.
func shot(t testing.TB, f Formula, g Grid, re, im Fixed, limit int, eps float64) []Sample {
	t.Helper()
	o := NewOrbit(f, re, im, Precision(g.Pitch))
	if _, err := o.Extend(background, limit); err != nil {
		t.Fatal(err)
	}
	var ref *Reference
	if f.Julia {
		z := Zero(f, Precision(g.Pitch))
		if _, err := z.Extend(background, limit); err != nil {
			t.Fatal(err)
		}
		ref, _ = NewJulia(background, o, z, limit, eps)
	} else {
		ref = refOf(t, o, limit, MaxDC(g, re, im), eps)
	}
	return walked(t, f, g, ref, limit)
}

// refOf is NewReference where nobody cancels.
func refOf(t testing.TB, o *Orbit, n int, maxDC, eps float64) *Reference {
	t.Helper()
	ref, err := NewReference(background, o, n, maxDC, eps)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func walked(t testing.TB, f Formula, g Grid, ref *Reference, limit int) []Sample {
	t.Helper()
	out := make([]Sample, g.W*g.H)
	if !Direct(g.Pitch) {
		if err := Render(background, f, g, ref, int64(limit), 1, out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	w, ur, ui, err := reference(f, g, ref, int64(limit))
	if err != nil {
		t.Fatal(err)
	}
	for k := range out {
		out[k] = w.sample(ur+float64(k%g.W), ui-float64(k/g.W), g.Pitch, func() bool { return false })
	}
	return out
}

// differ counts samples whose counts differ, and of those the ones whose neighbours in a all have the same count: there is no
// excuse for them.
func differ(a, b []Sample, w int) (all, calm int) {
	for k := range a {
		if a[k].N == b[k].N && (a[k].State == Escaped) == (b[k].State == Escaped) {
			continue
		}
		all++
		same := true
		for _, d := range [...]int{-w - 1, -w, -w + 1, -1, 1, w - 1, w, w + 1} {
			if n := k + d; n >= 0 && n < len(a) && a[n].N != a[k].N {
				same = false
			}
		}
		if same {
			calm++
		}
	}
	return all, calm
}

func TestReferencesAnywhereGiveTheSamePicture(t *testing.T) {
	for _, name := range []string{"e113", "liiiines", "e533", "e1000"} { // before and after 2^-450
		l := locations(t)[name]
		g, re, im := l.view(t, 48, 48)
		limit := int(l.Iterations)
		want := shot(t, Formula{}, g, re, im, limit, 0x1p-32)
		for _, lag := range []int{0, 10, 20} {
			off := Dyadic(1, g.Pitch+5+lag) // a width is 2^5.6 samples
			got := shot(t, Formula{}, g, re.Add(off), im.Sub(off), limit, 0x1p-32)
			if all, calm := differ(want, got, g.W); all*100 > 2*len(got) || calm > 0 {
				t.Errorf("%s, lag %d: %d of %d samples differ, %d of them among equals", name, lag, all, len(got), calm)
			}
		}
		far := Dyadic(1, g.Pitch+6+MaxLag+1)
		o := NewOrbit(Formula{}, re.Add(far), im, Precision(g.Pitch))
		if _, err := o.Extend(background, 100); err != nil {
			t.Fatal(err)
		}
		err := Render(background, Formula{}, g, refOf(t, o, 100, MaxDC(g, o.Re, o.Im), 0x1p-32), 100, 1, make([]Sample, g.W*g.H))
		if err == nil {
			t.Errorf("%s: a reference beyond the lag drew a picture", name)
		}
	}
}

func TestTheNucleusIsAReference(t *testing.T) {
	l := locations(t)["e113"]
	g, re, im := l.view(t, 48, 48)
	n, err := FindNucleus(background, re, im, 11380, float64(g.Pitch)+6, -g.Pitch+64)
	if err != nil {
		t.Fatal(err)
	}
	want := shot(t, Formula{}, g, re, im, int(l.Iterations), 0x1p-32)
	got := shot(t, Formula{}, g, n.Re, n.Im, int(l.Iterations), 0x1p-32)
	if all, calm := differ(want, got, g.W); all*100 > 2*len(got) || calm > 0 {
		t.Errorf("%d of %d samples differ, %d of them among equals", all, len(got), calm)
	}
	// One period and a rebase at its end must do as well as all of the orbit.
	short := shotCut(t, g, n.Re, n.Im, int(l.Iterations), 11380)
	if all, calm := differ(want, short, g.W); all*100 > 2*len(got) || calm > 0 {
		t.Errorf("one period: %d of %d samples differ, %d of them among equals", all, len(got), calm)
	}
}

func shotCut(t *testing.T, g Grid, re, im Fixed, limit, cut int) []Sample {
	o := NewOrbit(Formula{}, re, im, Precision(g.Pitch))
	if _, err := o.Extend(background, cut); err != nil {
		t.Fatal(err)
	}
	return walked(t, Formula{}, g, refOf(t, o, cut, MaxDC(g, re, im), 0x1p-32), limit)
}

func TestTheConjugateViewIsTheMirror(t *testing.T) {
	for _, name := range []string{"e14", "e113", "e1000"} {
		l := locations(t)[name]
		_, re, im := l.view(t, 33, 33)
		pitch, _, _ := l.view(t, 33, 33)
		g := around(re, im, pitch.Pitch, 33, 33)
		h := g
		h.Im = g.Im.Neg().Add(Dyadic(32, g.Pitch))
		a := shot(t, Formula{}, g, re, im, int(l.Iterations), 0x1p-32)
		b := shot(t, Formula{}, h, re, im.Neg(), int(l.Iterations), 0x1p-32)
		var m []Sample
		for y := range 33 {
			m = append(m, b[(32-y)*33:(33-y)*33]...)
		}
		// Groups of lanes are cut at other rows, so that chaotic samples may part.
		if all, calm := differ(a, m, 33); all*100 > 2*len(a) || calm > 0 {
			t.Errorf("%s: %d of %d samples differ from the mirror, %d among equals", name, all, len(a), calm)
		}
	}
	// On the axis, with the direct kernel, the mirror is exact.
	g := around(Dyadic(-3, -2), Fixed{}, -6, 256, 257)
	out := make([]Sample, g.W*g.H)
	g.Im = Dyadic(128, -6)
	if err := Render(background, Formula{}, g, nil, 1000, 1, out); err != nil {
		t.Fatal(err)
	}
	for y := range 128 {
		for x := range 256 {
			if a, b := out[y*256+x], out[(256-y)*256+x]; a != b {
				t.Fatalf("sample %d,%d: %+v above the axis, %+v below", x, y, a, b)
			}
		}
	}
}

func TestSwitchesOfNumberTypesLeaveNoSeam(t *testing.T) {
	// Towards one point, every sample of a level that is also one of the next must be the same there.
	l := locations(t)["e533"]
	_, re, im := l.view(t, 32, 32)
	for _, span := range [][2]int{{30, 60}, {440, 460}, {990, 1030}} {
		var before []Sample
		for k := span[0]; k <= span[1]; k++ {
			g := around(re, im, 2-k-5, 32, 32)
			limit := 6000
			o := NewOrbit(Formula{}, re, im, Precision(g.Pitch))
			if _, err := o.Extend(background, limit); err != nil {
				t.Fatal(err)
			}
			out := make([]Sample, g.W*g.H)
			if err := Render(background, Formula{}, g, refOf(t, o, limit, MaxDC(g, re, im), 0x1p-32), int64(limit), 1, out); err != nil {
				t.Fatal(err)
			}
			if before != nil {
				bad := 0
				for y := 0; y < 32; y += 2 {
					for x := 0; x < 32; x += 2 {
						a, b := before[(16+(y-16)/2)*32+16+(x-16)/2], out[y*32+x]
						if d := a.N - b.N; d > 1 || d < -1 || (a.State == Escaped) != (b.State == Escaped) {
							bad++
						}
					}
				}
				if bad > 4 {
					t.Errorf("2^%d: %d of 256 samples differ from the level above", k, bad)
				}
			}
			before = out
		}
	}
}

func TestPointsWithKnownFates(t *testing.T) {
	for _, c := range []struct {
		name   string
		re, im Fixed
		state  State // of the point itself
	}{
		{"-2", Dyadic(-2, 0), Fixed{}, Unknown},
		{"i", Fixed{}, Dyadic(1, 0), Unknown},
		{"1/4", Dyadic(1, -2), Fixed{}, Unknown},
		{"-3/4", Dyadic(-3, -2), Fixed{}, Unknown},
		{"0", Fixed{}, Fixed{}, Unknown},
		{"1", Dyadic(1, 0), Fixed{}, Escaped},
		{"300, escaped at once", Dyadic(300, 0), Fixed{}, Escaped},
		{"20, escaped in two", Dyadic(20, 0), Fixed{}, Escaped},
	} {
		for _, pitch := range []int{-8, -41, -300, -460, -1100} {
			g := around(c.re, c.im, pitch, 7, 5)
			const limit = 3000
			out := shot(t, Formula{}, g, c.re, c.im, limit, 0x1p-32) // dc = 0 in the middle
			mid := out[2*7+3]
			got := mid.State
			if got == Interior {
				got = Unknown
			}
			if got != c.state {
				t.Errorf("%s at 2^%d: the middle is %+v", c.name, pitch, mid)
			}
			bad := 0
			for k, s := range out {
				want := slow(g, k%7, k/7, limit)
				if s.State == Interior {
					s.State = Unknown
				}
				if s.N != want.N || s.State != want.State {
					bad++
				}
			}
			if bad > 1 {
				t.Errorf("%s at 2^%d: %d of %d samples differ from direct iteration", c.name, pitch, bad, len(out))
			}
			if Direct(pitch) {
				direct := make([]Sample, len(out))
				if err := Render(background, Formula{}, g, nil, limit, 1, direct); err != nil {
					t.Fatal(err)
				}
				if all, _ := differ(out, direct, 7); all > 0 {
					t.Errorf("%s: %d samples differ between the direct kernel and perturbation", c.name, all)
				}
			}
		}
	}
}

func TestLimitsOfNothingAndOne(t *testing.T) {
	for _, limit := range []int64{math.MinInt64, -1, 0, 1} {
		out := make([]Sample, 64)
		if err := Render(background, Formula{}, around(Fixed{}, Fixed{}, -3, 8, 8), nil, limit, 1, out); err != nil {
			t.Fatal(err)
		}
		for k, s := range out {
			if s.State == Pending || s.N > max(limit, 0) {
				t.Fatalf("limit %d: sample %d is %+v", limit, k, s)
			}
		}
	}
}

func TestJuliaSamplesEqualDirectIteration(t *testing.T) {
	f := Formula{Julia: true, Re: Dyadic(-3283, -12), Im: Dyadic(637, -12)}
	// A repelling fixed point (1 + √(1 − 4c))/2 lies in the Julia set: there is something to see at every depth.
	fr, fi := juliaPoint(f, 1400)
	for _, pitch := range []int{-7, -30, -41, -120, -449, -520, -1100} {
		g := around(fr, fi, pitch, 16, 16)
		const limit = 6000
		got := shot(t, f, g, fr.Add(Dyadic(3, pitch)), fi, limit, 0x1p-32)
		if Direct(pitch) {
			clear(got)
			if err := Render(background, f, g, nil, limit, 1, got); err != nil {
				t.Fatal(err)
			}
		}
		bad, escaped := 0, 0
		for k, s := range got {
			want := slowJulia(f, g, k%16, k/16, limit)
			if s.State == Interior {
				s.State = Unknown
			}
			if s.N != want.N || s.State != want.State {
				bad++
			}
			if want.State == Escaped {
				escaped++
			}
		}
		if bad > 4 || escaped == 0 {
			t.Errorf("2^%d: %d of %d samples differ, %d escape", pitch, bad, len(got), escaped)
		}
	}
}

func TestACancelledRenderLeavesNoStaleSample(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	l := locations(t)["e1000"]
	deep, re, im := l.view(t, 16, 16)
	shallow := around(Dyadic(-3, -2), Dyadic(1, -4), -9, 16, 16)
	o := NewOrbit(Formula{}, re, im, Precision(deep.Pitch))
	if _, err := o.Extend(background, int(l.Iterations)); err != nil {
		t.Fatal(err)
	}
	ref := refOf(t, o, int(l.Iterations), MaxDC(deep, re, im), 0x1p-22)
	for _, c := range []struct {
		g     Grid
		ref   *Reference
		limit int64
		times int
	}{{shallow, nil, 5000, 9000}, {deep, ref, l.Iterations, 1000}} {
		whole := make([]Sample, 256)
		looks := 0
		if err := Render(&lapsing{background, math.MaxInt, func() { looks++ }}, Formula{}, c.g, c.ref, c.limit, 1, whole); err != nil {
			t.Fatal(err)
		}
		for range c.times {
			ctx := &lapsing{Context: background, left: rng.IntN(looks)}
			out := make([]Sample, 256)
			err := Render(ctx, Formula{}, c.g, c.ref, c.limit, 1, out)
			for k, s := range out {
				if s.State != Pending && s != whole[k] {
					t.Fatalf("after a cancel sample %d is %+v, want %+v", k, s, whole[k])
				}
				if s.State == Pending && err == nil {
					t.Fatalf("sample %d is pending and nobody says so", k)
				}
			}
		}
	}
}

// lapsing is a context that ends after it was asked left times.
type lapsing struct {
	context.Context
	left  int
	asked func()
}

func (l *lapsing) Err() error {
	if l.asked != nil {
		l.asked()
	}
	if l.left--; l.left < 0 {
		return context.Canceled
	}
	return nil
}

// What lies between two looks at the context is bounded in steps, so that a view that was left holds nobody up.
func TestWorkIsAskedForOften(t *testing.T) {
	was := [4]any{step, leap, iterate, march}
	defer func() {
		step = was[0].(func(*block, float64, float64, float64, float64, float64) (float64, uint32, uint32))
		leap = was[1].(func(*block, *Run, float64, float64, float64) (float64, uint32, uint32))
		iterate = was[2].(func(*flock, int, uint32) uint32)
		march = was[3].(func(*block, *float64, *float64, *Run, int, int) (int, float64, uint32, uint32))
	}()
	steps, most := 0, 0
	step = func(b *block, zr, zi, s, nr, ni float64) (float64, uint32, uint32) {
		steps++
		return stepGo(b, zr, zi, s, nr, ni)
	}
	leap = func(b *block, r *Run, s, nr, ni float64) (float64, uint32, uint32) {
		steps++
		return leapGo(b, r, s, nr, ni)
	}
	iterate = func(f *flock, n int, alive uint32) uint32 {
		steps += n
		return iterateGo(f, n, alive)
	}
	march = func(b *block, re, im *float64, runs *Run, phase, n int) (int, float64, uint32, uint32) {
		took, dd, out, low := marchGo(b, re, im, runs, phase, n)
		steps += took
		return took, dd, out, low
	}
	asked := func() { most, steps = max(most, steps), 0 }
	for _, c := range []struct {
		name         string
		depth, limit int
	}{{"e50", 33, 20000}, {"dragon", 63, 20000}, {"leaded_glass", 155, 32768}, {"e1000", 3000, 20000}} {
		g, re, im := locations(t)[c.name].down(t, c.depth, 16, 16)
		o := NewOrbit(Formula{}, re, im, Precision(g.Pitch))
		if _, err := o.Extend(background, c.limit); err != nil {
			t.Fatal(err)
		}
		ref := refOf(t, o, c.limit, MaxDC(g, re, im), 0x1p-28)
		most, steps = 0, 0
		ctx := &lapsing{context.Background(), math.MaxInt, asked}
		if err := Render(ctx, Formula{}, g, ref, int64(c.limit), 1, make([]Sample, 256)); err != nil {
			t.Fatal(err)
		}
		asked()
		t.Logf("%s: %d steps of the kernels between two looks at the most", c.name, most)
		if most == 0 || most > 1<<15 { // of 5 to 30 ns
			t.Errorf("%s at 2^%d: %d steps without a look at the context", c.name, c.depth, most)
		}
	}
}

func TestTablesAndOrbitsAreAskedForOften(t *testing.T) {
	l := locations(t)["dragon"]
	const limit = 100_000
	g, re, im := l.down(t, 300, 16, 16)
	o := NewOrbit(Formula{}, re, im, Precision(g.Pitch))
	looks := 0
	ctx := &lapsing{context.Background(), math.MaxInt, func() { looks++ }}
	if _, err := o.Extend(ctx, limit); err != nil || looks < limit/extendSlice {
		t.Errorf("an orbit of %d steps looked %d times (%v)", limit, looks, err)
	}
	looks = 0
	if _, err := NewReference(ctx, o, limit, MaxDC(g, re, im), 0x1p-28); err != nil || looks < limit/grain/tableSlice {
		t.Errorf("a table of %d steps looked %d times (%v)", limit, looks, err)
	}
	for left := range looks {
		if ref, err := NewReference(&lapsing{Context: background, left: left}, o, limit, MaxDC(g, re, im), 0x1p-28); !errors.Is(err, context.Canceled) || ref != nil {
			t.Errorf("cancelled at look %d: %v", left, err)
		}
	}
}

// An orbit and its table of the longest limit fit into what source keeps of all of them.
func TestReferencesFitIntoTheirBudget(t *testing.T) {
	l := locations(t)["dragon"]
	const limit = 1 << 17
	g, re, im := l.view(t, 16, 16)
	o := NewOrbit(Formula{}, re, im, Precision(g.Pitch))
	if _, err := o.Extend(background, limit); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	ref := refOf(t, o, limit, MaxDC(g, re, im), 0x1p-28)
	runtime.GC()
	runtime.ReadMemStats(&after)
	took, said := int(after.HeapAlloc)-int(before.HeapAlloc), ref.Bytes()
	if took > said+said/4 {
		t.Errorf("a table of %d steps takes %d bytes and says %d", limit, took, said)
	}
	all := (16*5/4*limit + said) * (MaxAuto / limit) // the entries of an orbit grow by a quarter at a time
	t.Logf("%.1f bytes a step; %d MB at the longest limit", float64(all)/MaxAuto, all>>20)
	if o.Bytes() > 16*5/4*limit+1<<16 || all > 200<<20 {
		t.Errorf("%d bytes of an orbit of %d steps, %d of its table: %d MB at the longest limit", o.Bytes(), limit, said, all>>20)
	}
	runtime.KeepAlive(ref)
}

func TestManyWorkersGiveWhatOneGives(t *testing.T) {
	l := locations(t)["flake"]
	g, re, im := l.view(t, 64, 32)
	o := NewOrbit(Formula{}, re, im, Precision(g.Pitch))
	limit := int(l.Iterations)
	if _, err := o.Extend(background, limit); err != nil {
		t.Fatal(err)
	}
	ref := refOf(t, o, limit, MaxDC(g, re, im), 0x1p-32)
	one := walked(t, Formula{}, g, ref, limit)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			o.Extend(background, 2*limit) // others may need more of it meanwhile
			if many := walked(t, Formula{}, g, refOf(t, o, limit, MaxDC(g, re, im), 0x1p-32), limit); !slices.Equal(one, many) {
				t.Error("another worker gave other samples")
			}
		})
	}
	wg.Wait()
	// Coarse passes first change nothing of the finer grid but what lock step may: each sample stays as it came.
	passes := make([]Sample, len(one))
	for _, stride := range []int{4, 2, 1} {
		before := slices.Clone(passes)
		if err := Render(background, Formula{}, g, ref, int64(limit), stride, passes); err != nil {
			t.Fatal(err)
		}
		for k, s := range before {
			if s.State != Pending && s != passes[k] {
				t.Fatalf("stride %d changed sample %d", stride, k)
			}
		}
	}
	if all, calm := differ(one, passes, g.W); all*100 > 2*len(one) || calm > 0 {
		t.Errorf("in passes %d of %d samples differ, %d among equals", all, len(one), calm)
	}
}

func TestKernelsGiveTheSamePicture(t *testing.T) {
	was := [4]any{step, leap, iterate, march}
	set := func(k [4]any) {
		step = k[0].(func(*block, float64, float64, float64, float64, float64) (float64, uint32, uint32))
		leap = k[1].(func(*block, *Run, float64, float64, float64) (float64, uint32, uint32))
		iterate = k[2].(func(*flock, int, uint32) uint32)
		march = k[3].(func(*block, *float64, *float64, *Run, int, int) (int, float64, uint32, uint32))
	}
	defer set(was)
	l := locations(t)["e1000"]
	deep, re, im := l.view(t, 32, 32)
	o := NewOrbit(Formula{}, re, im, Precision(deep.Pitch))
	if _, err := o.Extend(background, int(l.Iterations)); err != nil {
		t.Fatal(err)
	}
	ref := refOf(t, o, int(l.Iterations), MaxDC(deep, re, im), 0x1p-22)
	home := around(Dyadic(-3, -2), Fixed{}, -6, 128, 128)
	var first [2][]Sample
	for name, k := range kernels() {
		set(k)
		a, b := walked(t, Formula{}, deep, ref, int(l.Iterations)), make([]Sample, home.W*home.H)
		if err := Render(background, Formula{}, home, nil, 4096, 1, b); err != nil {
			t.Fatal(err)
		}
		if first[0] == nil {
			first = [2][]Sample{a, b}
		}
		if !slices.Equal(first[0], a) || !slices.Equal(first[1], b) {
			t.Errorf("kernel %s draws another picture", name)
		}
	}
}

func TestInteriorIsProvenAndUnknownIsNot(t *testing.T) {
	// The disc of period 3 and minibrots at the two sides of the direct kernel's end.
	for _, c := range []struct {
		re, im string
		pitch  int
		want   State
	}{
		{"-0.12256116687665361997524555182073565405269669111360", "0.74486176661974423659317042860439236724016308490682", -12, Interior},
		{"-1.75487766624669276004950889635852869189460661777279", "0", -20, Interior},
		{"-1.75487766624669276004950889635852869189460661777279", "0", -60, Unknown}, // the reference is in the set: nothing to save
		{"-0.75", "0", -12, Unknown}, // parabolic
	} {
		re, _ := ParseFixed(c.re, 200)
		im, _ := ParseFixed(c.im, 200)
		g := around(re, im, c.pitch, 8, 8)
		out := shot(t, Formula{}, g, re, im, 200_000, 0x1p-32)
		if Direct(c.pitch) {
			clear(out)
			if err := Render(background, Formula{}, g, nil, 200_000, 1, out); err != nil {
				t.Fatal(err)
			}
		}
		if got := out[4*8+4].State; got != c.want {
			t.Errorf("%s%+si at 2^%d: state %d, want %d", c.re, c.im, c.pitch, got, c.want)
		}
	}
}

func TestLimitsOnlyRise(t *testing.T) {
	for _, name := range []string{"home", "e14", "e113"} {
		l := locations(t)[name]
		g, re, im := l.view(t, 64, 64)
		o := NewOrbit(Formula{}, re, im, Precision(g.Pitch))
		var r Rule
		limit := r.First(g.Pitch)
		out := make([]Sample, g.W*g.H)
		for more := true; more; {
			o.Extend(background, int(limit))
			if err := Render(background, Formula{}, g, refOf(t, o, int(limit), MaxDC(g, re, im), 0x1p-22), limit, 1, out); err != nil {
				t.Fatal(err)
			}
			var next int64
			if next, more = r.Next(limit, out); next < limit || more && next == limit {
				t.Fatalf("%s: the limit went from %d to %d", name, limit, next)
			}
			if more {
				Again(out)
			}
			limit = next
		}
		unknown := 0
		for _, s := range out {
			if s.State == Unknown {
				unknown++
			}
		}
		t.Logf("%s: limit %d, %d of %d unknown", name, limit, unknown, len(out))
		if name != "home" && unknown*20 > len(out) {
			t.Errorf("%s: %d of %d samples are unknown at limit %d", name, unknown, len(out), limit)
		}
	}
	if next, more := (Rule{Fixed: 500}).Next(500, make([]Sample, 4)); more || next != 500 {
		t.Errorf("a fixed limit rose to %d", next)
	}
	if first := (Rule{Fixed: 1 << 62}).First(-8); first != MaxAuto {
		t.Errorf("a limit of 2^62 begins at %d", first)
	}
}

func TestLocationsAreReadAndWritten(t *testing.T) {
	for name, l := range locations(t) {
		kfr := fmt.Sprintf("Re: %s\r\nIm: %s\r\nZoom: %s\r\nIterations: %d\r\nColors: 1,2,3,\r\n", l.Re, l.Im, l.Zoom, l.Iterations)
		a, err := ReadLocation(kfr)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, text := range []string{a.KFR(), a.F3(), fmt.Sprintf("[location]\nreal = %q\nimag = %q\nzoom = %q\n[bailout]\niterations = %d\n", l.Re, l.Im, l.Zoom, l.Iterations)} {
			b, err := ReadLocation(text)
			if err != nil || a.Re.Cmp(b.Re) != 0 || a.Im.Cmp(b.Im) != 0 || a.Iterations != b.Iterations || a.Zoom.Exp != b.Zoom.Exp || math.Abs(a.Zoom.Mantissa-b.Zoom.Mantissa) > 1e-14 {
				t.Errorf("%s: read back %v %+v, want %+v, from\n%.200s", name, err, b.Zoom, a.Zoom, text)
			}
		}
	}
}

func TestBadLocationsAreRefusedWithASentence(t *testing.T) {
	for _, text := range []string{
		"", "garbage", "Re: 1\nIm: 2\n", "Re: 1\nIm: 2\nZoom: 0\n", "Re: 1\nIm: 2\nZoom: -3\n", "Re: NaN\nIm: 0\nZoom: 1\n",
		"Re: 1\nIm: 0\nZoom: NaN\n", "Re: 1\nIm: 0\nZoom: 1e99999999\n", "Re: 1e99999999\nIm: 0\nZoom: 1\n", "Re: 5000\nIm: 0\nZoom: 1\n",
		"Re: 1\nIm: 0\nZoom: 1\nIterations: many\n", "Re: 1\nIm: 0\nZoom: 1\nIterations: -5\n", "Re: --1\nIm: 0\nZoom: 1\n",
		"Re: " + strings.Repeat("1", MaxDigits+100) + "\nIm: 0\nZoom: 1\n", strings.Repeat("x", MaxLocation+1),
		"location.real = \"1\"\nlocation.imag = \"\"\nlocation.zoom = \"1\"\n",
	} {
		if _, err := ReadLocation(text); !errors.Is(err, ErrLocation) || len(err.Error()) > 300 {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

func FuzzReadLocation(f *testing.F) {
	f.Add("Re: -1.5\nIm: 0\nZoom: 1E10\nIterations: 100\n")
	f.Add("[location]\nreal = \"-1\"\nimag = \"1\"\nzoom = \"2\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ReadLocation(text)
		if err != nil {
			return
		}
		b, err := ReadLocation(a.KFR())
		if err != nil || a.Re.Cmp(b.Re) != 0 || a.Im.Cmp(b.Im) != 0 {
			t.Errorf("%q does not come back: %v", text, err)
		}
	})
}

func TestPalettesColourWhatTheyAreGiven(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Palettes {
		if seen[p.Name] || p.Name == "" {
			t.Errorf("palette %q twice", p.Name)
		}
		seen[p.Name] = true
		s := p.Shader()
		if got := s.Color(Sample{N: 100, State: Unknown}); got != p.Inside {
			t.Errorf("%s: inside is %06x, want %06x", p.Name, got, p.Inside)
		}
		// Where a count ends and the next begins the colour goes on.
		a := s.Color(Sample{N: 1000, Frac: 0, State: Escaped})
		b := s.Color(Sample{N: 1001, Frac: 0.99999, State: Escaped})
		for _, shift := range []int{0, 8, 16} {
			if d := int(a>>shift&255) - int(b>>shift&255); d > 4 || d < -4 {
				t.Errorf("%s: %06x beside %06x", p.Name, a, b)
			}
		}
		moved := p
		moved.Offset += 0.5
		if p.Name != "Zebra" && moved.Shader().Color(Sample{N: 50, State: Escaped}) == s.Color(Sample{N: 50, State: Escaped}) {
			t.Errorf("%s does not move", p.Name)
		}
	}
	for _, p := range []Palette{{}, {Cycle: math.NaN(), Offset: math.Inf(1)}, {Cycle: -1, Offset: math.NaN(), Colors: []uint32{5}}} {
		p.Shader().Color(Sample{N: MaxLimit, State: Escaped})
	}
}

var update = flag.Bool("update", false, "write testdata/palettes.json anew")

// The page has the same palettes: web/test/complex.test.ts reads this file too.
func TestPalettesAreTheGoldenOnes(t *testing.T) {
	type row struct {
		Name   string   `json:"name"`
		Colors []uint32 `json:"colors"`
		Inside uint32   `json:"inside"`
		Cycle  float64  `json:"cycle"`
	}
	var rows []row
	for _, p := range Palettes {
		rows = append(rows, row{p.Name, p.Colors, p.Inside, p.Cycle})
	}
	got, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	got = append(bytes.ReplaceAll(got, []byte(`},{`), []byte("},\n{")), '\n')
	const path = "testdata/palettes.json"
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what palettes are (%v); go test -update writes it", path, err)
	}
}
