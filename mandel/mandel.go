// Package mandel computes escape times of z² + c at any depth.
//
// It owns exact coordinates (Fixed), the reference orbit (Orbit), its runs of steps as one map (Table), the kernels that
// iterate pixels against them (Render), nuclei (Period, Nucleus) and colouring. It refuses to know canvases, tiles and
// viewers: a caller asks for a grid of samples of the complex plane and gets iteration counts.
//
// The ideas: perturbation of one high-precision orbit (K. I. Martin, "Superfractalthing maths", 2013), rebasing to the
// start of the orbit instead of glitch detection (Zhuoran, fractalforums.org, 2021) and approximation of runs of steps by
// maps linear in dc (same author; C. Heiland-Allen, mathr.co.uk/blog/2022-02-21_deep_zoom_theory_and_practice_again.html). That
// the maps are fractions in δ, good to its square, is ours.
package mandel

// Radius is the escape radius. It is large so that the smooth fraction of the count is exact to 2⁻²⁰.
const Radius = 1 << 8

// MaxLimit bounds iteration limits: counts are int64, and no caller waits for more.
const MaxLimit = 1 << 40

// State says what is known of one sample.
type State uint8

const (
	// Pending: not computed (the render was cancelled).
	Pending State = iota
	// Escaped: N iterations and Frac are final.
	Escaped
	// Unknown: still bounded at the limit. A higher limit may find that it escapes.
	Unknown
	// Interior: proven to be in the set.
	Interior
	// Outside: nobody asks for it. Render passes over it.
	Outside
)

// Sample is what one point of the plane did.
type Sample struct {
	N     int64   // iterations until |z| > Radius; the limit when Unknown
	Frac  float32 // [0, 1): N + 1 − log2(log|z| / log Radius) is the smooth count; here its offset against N
	State State
}

// Grid is a lattice of samples: column i of row j is at (Re + i·2^Pitch, Im − j·2^Pitch). Rows go down as pixels do.
type Grid struct {
	Re, Im Fixed
	Pitch  int // log2 of the distance of two samples
	W, H   int
}
