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
	if g.Pitch >= DirectPitch {
		return renderDirect(ctx, g, limit, stride, out, cancelled)
	}
	w, ur, ui, err := reference(g, ref, t, limit)
	if err != nil {
		return err
	}
	var (
		xs, ys  [lanes]float64
		at      [lanes]int
		samples [lanes]Sample
		count   int
	)
	flush := func() bool {
		whole := w.walk(&xs, &ys, count, g.Pitch, cancelled, &samples)
		for k := range count {
			out[at[k]] = samples[k]
		}
		samples, count = [lanes]Sample{}, 0
		return whole
	}
	// Blocks are 4 × 2 neighbours: the nearer the samples, the longer they agree on their way.
	for j := 0; j < g.H; j += 2 * stride {
		for i := 0; i < g.W; i += 4 * stride {
			for y := j; y < min(j+2*stride, g.H); y += stride {
				for x := i; x < min(i+4*stride, g.W); x += stride {
					if out[y*g.W+x].State == Pending {
						xs[count], ys[count], at[count] = ur+float64(x), ui-float64(y), y*g.W+x
						count++
					}
				}
			}
			if count > 0 && (!flush() || cancelled()) {
				return ctx.Err()
			}
		}
	}
	return nil
}

func renderDirect(ctx context.Context, g Grid, limit int64, stride int, out []Sample, cancelled func() bool) error {
	re, im, pitch := g.Re.Float(), g.Im.Float(), math.Ldexp(1, g.Pitch)
	for j := 0; j < g.H; j += stride {
		for i := 0; i < g.W; i += stride {
			s := &out[j*g.W+i]
			if s.State != Pending {
				continue
			}
			*s = direct(re+float64(i)*pitch, im-float64(j)*pitch, limit, cancelled)
			if s.State == Pending {
				return ctx.Err()
			}
		}
		if cancelled() {
			return ctx.Err()
		}
	}
	return nil
}

// reference returns the walker of a grid and the place of its first sample from the reference, in units of the pitch.
func reference(g Grid, ref *Orbit, t *Table, limit int64) (w *walker, ur, ui float64, err error) {
	if ref == nil {
		return nil, 0, 0, fmt.Errorf("mandel: samples 2^%d apart need a reference", g.Pitch)
	}
	// Exact first, then one float64.
	ur, ui = g.Re.Sub(ref.Re).Shift(-g.Pitch).Float(), g.Im.Sub(ref.Im).Shift(-g.Pitch).Float()
	if far := max(math.Abs(ur), math.Abs(ui)); far > math.Ldexp(float64(max(g.W, g.H)), MaxLag) {
		return nil, 0, 0, fmt.Errorf("mandel: the reference lies %.3g widths away; at most 2^%d", far/float64(g.W), MaxLag)
	}
	return &walker{p: ref.Prefix(), t: t, limit: limit}, ur, ui, nil
}

// MaxDC returns the largest |dc| of a grid against a reference, for NewTable.
func MaxDC(g Grid, ref *Orbit) float64 {
	ur, ui := g.Re.Sub(ref.Re).Shift(-g.Pitch).Float(), g.Im.Sub(ref.Im).Shift(-g.Pitch).Float()
	x := max(math.Abs(ur), math.Abs(ur+float64(g.W)))
	y := max(math.Abs(ui), math.Abs(ui-float64(g.H)))
	return math.Ldexp(math.Sqrt(float64(x*x)+float64(y*y)), g.Pitch)
}
