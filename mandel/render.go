package mandel

import (
	"context"
	"fmt"
	"math"
)

// MaxLag is how many doublings a reference may lie outside the grid: its distance to any sample is at most 2^MaxLag
// widths. Beyond it bilinear runs give plausible, wrong pictures, so Render refuses.
const MaxLag = 20

// Render fills out (W·H samples, row by row) where it is Pending, at every stride-th column of every stride-th row. Samples
// with another state are kept, so passes of stride 4, 2, 1 compute each sample once. ref may be nil when the pitch is no finer
// than DirectPitch; its prefix must reach the limit or its own escape for a picture that is kept, and may be shorter in a
// preview. It returns ctx's error when cancelled: what it did not reach stays Pending.
func Render(ctx context.Context, g Grid, ref *Orbit, t *Table, limit int64, stride int, out []Sample) error {
	if len(out) != g.W*g.H || stride < 1 {
		panic(fmt.Sprintf("mandel: %d samples for a grid of %d × %d, stride %d", len(out), g.W, g.H, stride))
	}
	limit = min(limit, MaxLimit)
	done := ctx.Done()
	cancelled := func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	}
	one, err := sampler(g, ref, t, limit, cancelled)
	if err != nil {
		return err
	}
	for j := 0; j < g.H; j += stride {
		for i := 0; i < g.W; i += stride {
			s := &out[j*g.W+i]
			if s.State != Pending {
				continue
			}
			if *s = one(i, j); s.State == Pending || cancelled() {
				return ctx.Err()
			}
		}
	}
	return nil
}

// sampler returns the function of column and row that g's depth asks for.
func sampler(g Grid, ref *Orbit, t *Table, limit int64, cancelled func() bool) (func(i, j int) Sample, error) {
	if g.Pitch >= DirectPitch || ref == nil {
		if g.Pitch < DirectPitch {
			return nil, fmt.Errorf("mandel: samples 2^%d apart need a reference", g.Pitch)
		}
		re, im, pitch := g.Re.Float(), g.Im.Float(), math.Ldexp(1, g.Pitch)
		return func(i, j int) Sample {
			return direct(re+float64(i)*pitch, im-float64(j)*pitch, limit, cancelled)
		}, nil
	}
	// The grid's corner from the reference in units of the pitch: exact first, then one float64.
	ur, ui := g.Re.Sub(ref.Re).Shift(-g.Pitch).Float(), g.Im.Sub(ref.Im).Shift(-g.Pitch).Float()
	if far := max(math.Abs(ur), math.Abs(ui)); far > math.Ldexp(float64(max(g.W, g.H)), MaxLag) {
		return nil, fmt.Errorf("mandel: the reference lies %.3g widths away; at most 2^%d", far/float64(g.W), MaxLag)
	}
	w := &walker{p: ref.Prefix(), t: t, limit: limit}
	return func(i, j int) Sample {
		return w.sample(ur+float64(i), ui-float64(j), g.Pitch, cancelled)
	}, nil
}

// MaxDC returns the largest |dc| of a grid against a reference, for NewTable.
func MaxDC(g Grid, ref *Orbit) float64 {
	ur, ui := g.Re.Sub(ref.Re).Shift(-g.Pitch).Float(), g.Im.Sub(ref.Im).Shift(-g.Pitch).Float()
	x := max(math.Abs(ur), math.Abs(ur+float64(g.W)))
	y := max(math.Abs(ui), math.Abs(ui-float64(g.H)))
	return math.Ldexp(math.Sqrt(float64(x*x)+float64(y*y)), g.Pitch)
}
