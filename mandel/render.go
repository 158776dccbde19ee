package mandel

import (
	"context"
	"fmt"
	"math"
)

// MaxLag is how many doublings a reference may lie outside the grid: its distance to any sample is at most 2^MaxLag
// widths. Beyond it runs give plausible, wrong pictures, so Render refuses.
const MaxLag = 20

// Formula says what a sample of the plane is. The zero value is the Mandelbrot set: the sample is c, and z starts at 0.
type Formula struct {
	Julia  bool  // the sample is where z starts, and c is the point below
	Re, Im Fixed // c of a Julia set
}

// Reference is what the samples of a grid are compared with. It may lag the grid by MaxLag doublings, and serves any number of
// grids and goroutines. It is immutable: the samples of a grid are a function of the grid, the formula, the limit and this.
type Reference struct {
	Re, Im Fixed // the point of the orbit
	Prefix *Prefix
	Table  *Table
	// The orbit of 0, which samples rebase to. For the Mandelbrot set they are those above; for a Julia set they are of Zero.
	Home      *Prefix
	HomeTable *Table
}

// NewReference makes a reference of the Mandelbrot set from what an orbit has up to n steps, for samples that differ by at most
// maxDC in c. It returns ctx's error when cancelled.
func NewReference(ctx context.Context, o *Orbit, n int, maxDC, eps float64) (*Reference, error) {
	return BeginReference(o, n, maxDC, eps).Finish(ctx)
}

// NewJulia makes a reference of a Julia set from the orbits of a point and of 0.
func NewJulia(ctx context.Context, o, zero *Orbit, n int, eps float64) (*Reference, error) {
	return BeginJulia(o, zero, n, eps).Finish(ctx)
}

// Making is a reference under way. It serves one goroutine at a time.
type Making struct {
	ref         *Reference
	first, home *builder // of one table where there is but one
}

// BeginReference is NewReference, piece by piece.
func BeginReference(o *Orbit, n int, maxDC, eps float64) *Making {
	p := o.Prefix().Cut(n)
	b := newBuilder(p, maxDC, eps)
	return &Making{&Reference{o.Re, o.Im, p, b.t, p, b.t}, b, b}
}

// BeginJulia is NewJulia, piece by piece.
func BeginJulia(o, zero *Orbit, n int, eps float64) *Making {
	p, h := o.Prefix().Cut(n), zero.Prefix().Cut(n)
	b, c := newBuilder(p, 0, eps), newBuilder(h, 0, eps)
	return &Making{&Reference{o.Re, o.Im, p, b.t, h, c.t}, b, c}
}

// Piece goes on for less than 1 ms. It returns the reference when that was the last.
func (m *Making) Piece() *Reference {
	if m.first.slice() {
		return nil
	}
	if m.home != m.first && m.home.slice() {
		return nil
	}
	return m.ref
}

// Finish makes what is left. When cancelled it returns ctx's error; what was done stays.
func (m *Making) Finish(ctx context.Context) (*Reference, error) {
	for {
		if ref := m.Piece(); ref != nil {
			return ref, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// Bytes is about what the tables take of memory so far.
func (m *Making) Bytes() int {
	n := m.ref.Bytes() + m.first.bytes()
	if m.home != m.first {
		n += m.home.bytes()
	}
	return n
}

// Bytes is about what the tables of a reference take of memory. The prefixes are the orbits' own.
func (r *Reference) Bytes() int {
	n := r.Table.bytes()
	if r.HomeTable != r.Table {
		n += r.HomeTable.bytes()
	}
	return n
}

// Direct says whether grids of this pitch need no reference.
func Direct(pitch int) bool { return pitch >= DirectPitch }

// Render fills out (W·H samples, row by row) where it is Pending, at every stride-th column of every stride-th row. Samples
// with another state are kept, so passes of stride 4, 2, 1 compute each sample once. The prefix of ref must reach the limit or
// its own escape for a picture that is kept, and may be shorter in a preview. It returns ctx's error when cancelled, within a
// few milliseconds: what it did not reach stays Pending.
func Render(ctx context.Context, f Formula, g Grid, ref *Reference, limit int64, stride int, out []Sample) error {
	if len(out) != g.W*g.H || stride < 1 {
		panic(fmt.Sprintf("mandel: %d samples for a grid of %d × %d, stride %d", len(out), g.W, g.H, stride))
	}
	limit = max(0, min(limit, MaxLimit))
	cancelled := func() bool { return ctx.Err() != nil }
	if Direct(g.Pitch) {
		if !newDirect(f, g, stride, out).render(limit, cancelled) {
			return ctx.Err()
		}
		return nil
	}
	w, ur, ui, err := reference(f, g, ref, limit)
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
		from := len(w.late)
		whole := w.walk(&xs, &ys, count, g.Pitch, cancelled, &samples)
		for k := range w.late[from:] {
			w.late[from+k].at = at[w.late[from+k].at]
		}
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
			if len(w.late) >= maxLate && !w.finish(g.Pitch, out, cancelled) {
				return ctx.Err()
			}
		}
	}
	if !w.finish(g.Pitch, out, cancelled) {
		return ctx.Err()
	}
	return nil
}

// maxLate bounds the samples that wait for seats in the direct kernel.
const maxLate = 1 << 12

// reference returns the walker of a grid and the place of its first sample from the reference, in units of the pitch.
func reference(f Formula, g Grid, ref *Reference, limit int64) (w *walker, ur, ui float64, err error) {
	if ref == nil {
		return nil, 0, 0, fmt.Errorf("mandel: samples 2^%d apart need a reference", g.Pitch)
	}
	ur, ui = from(g, ref.Re, ref.Im)
	if far := max(math.Abs(ur), math.Abs(ui)); !(far <= math.Ldexp(float64(max(g.W, g.H)), MaxLag)) {
		return nil, 0, 0, fmt.Errorf("mandel: the reference lies %.3g widths away; at most 2^%d", far/float64(g.W), MaxLag)
	}
	w = &walker{first: leg{ref.Prefix, ref.Table}, home: leg{ref.Home, ref.HomeTable}, julia: f.Julia, limit: limit}
	w.start = w.shared(max(math.Abs(ur), math.Abs(ui), math.Abs(ur+float64(g.W)), math.Abs(ui-float64(g.H))), g.Pitch)
	return w, ur, ui, nil
}

// from returns where a grid's first sample is from a point, in units of the pitch: exact first, then one float64.
func from(g Grid, re, im Fixed) (ur, ui float64) {
	return g.Re.Sub(re).Shift(-g.Pitch).Float(), g.Im.Sub(im).Shift(-g.Pitch).Float()
}

// MaxDC returns the largest difference of a grid's samples from the point of a reference, for NewTable of the Mandelbrot set. In a Julia
// set samples do not differ in c: the table is made for 0.
func MaxDC(g Grid, re, im Fixed) float64 {
	ur, ui := from(g, re, im)
	x := max(math.Abs(ur), math.Abs(ur+float64(g.W)))
	y := max(math.Abs(ui), math.Abs(ui-float64(g.H)))
	return math.Ldexp(math.Sqrt(float64(x*x)+float64(y*y)), g.Pitch)
}
