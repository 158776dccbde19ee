package mandel

import (
	"context"
	"fmt"
	"math"
	"math/bits"
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
		if !renderDirect(f, g, limit, stride, out, cancelled) {
			return ctx.Err()
		}
		return nil
	}
	w, ur, ui, err := reference(f, g, ref, limit)
	if err != nil {
		return err
	}
	b := blocks{w: w, pitch: g.Pitch, ur: ur, ui: ui, cancelled: cancelled}
	r := rendering{width: g.W, stride: stride, limit: limit, least: leaf, few: lanes, out: out, walk: b.walk, leaf: b.leaf}
	s, ok := w.sheaf(g, ur, ui, stride)
	if !r.draw(&s, ok) || !w.finish(g.Pitch, out, cancelled) {
		return ctx.Err()
	}
	return nil
}

// rendering is a Render under way.
type rendering struct {
	width, stride int
	limit         int64
	least         int // side of the smallest sheaf, in samples
	few           int // so many samples, or less, walk by themselves
	out           []Sample

	walk func(s *sheaf) end
	leaf func(r *rendering, s *sheaf, walks bool) bool // fills what is Pending of a small sheaf; false when cancelled
}

// draw fills what is Pending of a sheaf. walks says that it stands where its samples may walk on together; else each begins at its start.
// It returns false when cancelled.
func (r *rendering) draw(s *sheaf, walks bool) bool {
	pending := r.pending(s)
	if pending == 0 {
		return true
	}
	if walks && pending > r.few {
		switch r.walk(s) {
		case lost:
			return false
		case spent:
			r.each(s, func(x, y int) bool {
				r.out[y*r.width+x] = Sample{N: r.limit, State: Unknown}
				return true
			})
			return true
		}
	}
	if s.nx <= r.least && s.ny <= r.least {
		return r.leaf(r, s, walks)
	}
	w, h := r.half(s.nx), r.half(s.ny)
	for j := 0; j < s.ny; j += h {
		for i := 0; i < s.nx; i += w {
			c := *s
			c.i0, c.j0 = s.i0+i*r.stride, s.j0+j*r.stride
			c.nx, c.ny = min(w, s.nx-i), min(h, s.ny-j)
			c.place(r.stride)
			if walks {
				c.shift(c.ur-s.ur, c.ui-s.ui)
			}
			if !r.draw(&c, walks) {
				return false
			}
		}
	}
	return true
}

// half is where a side is cut: the least times a power of two.
func (r *rendering) half(n int) int {
	if n <= r.least {
		return n
	}
	return r.least << (bits.Len(uint((n-1)/r.least)) - 1)
}

// blocks walks samples along a reference: sheaves, and what parts as blocks.
type blocks struct {
	w         *walker
	pitch     int
	ur, ui    float64 // sample 0, 0 from the reference
	cancelled func() bool
}

func (b *blocks) walk(s *sheaf) end { return s.walk(b.w, b.pitch, b.cancelled) }

// leaf fills what is Pending of a small sheaf, a block at a time.
func (b *blocks) leaf(r *rendering, s *sheaf, walks bool) bool {
	var (
		xs, ys  [lanes]float64
		at      [lanes]int
		samples [lanes]Sample
		count   int
	)
	from := s
	if !walks {
		from = nil
	}
	flush := func() bool {
		n := len(b.w.late)
		whole := b.w.walk(&xs, &ys, count, b.pitch, from, b.cancelled, &samples)
		for k := range b.w.late[n:] {
			b.w.late[n+k].at = at[b.w.late[n+k].at]
		}
		for k := range count {
			r.out[at[k]] = samples[k]
		}
		xs, ys, samples, count = [lanes]float64{}, [lanes]float64{}, [lanes]Sample{}, 0
		if !whole || b.cancelled() {
			return false
		}
		return len(b.w.late) < maxLate || b.w.finish(b.pitch, r.out, b.cancelled)
	}
	if !r.each(s, func(x, y int) bool {
		xs[count], ys[count], at[count] = b.ur+float64(x), b.ui-float64(y), y*r.width+x
		count++
		return count < lanes || flush()
	}) {
		return false
	}
	return count == 0 || flush()
}

// each calls f with the Pending samples of a sheaf, row by row of two, to and fro: the nearer those that follow each other, the longer
// they agree on their way. It stops when f returns false, and says whether it did not.
func (r *rendering) each(s *sheaf, f func(x, y int) bool) bool {
	for j := 0; j < s.ny; j += 2 {
		for i := range s.nx {
			if j/2%2 == 1 {
				i = s.nx - 1 - i
			}
			x := s.i0 + i*r.stride
			for k := j; k < min(j+2, s.ny); k++ {
				if y := s.j0 + k*r.stride; r.out[y*r.width+x].State == Pending && !f(x, y) {
					return false
				}
			}
		}
	}
	return true
}

// pending counts the samples of a sheaf that are, up to more than few.
func (r *rendering) pending(s *sheaf) (n int) {
	r.each(s, func(int, int) bool {
		n++
		return n <= r.few
	})
	return n
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
