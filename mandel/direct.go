package mandel

import "math"

// DirectPitch is the finest spacing the direct kernel serves: below it neighbours differ in fewer than 12 bits of a float64.
const DirectPitch = -40

// direct iterates c itself in float64.
func direct(cr, ci float64, limit int64, cancelled func() bool) Sample {
	if limit <= 0 {
		return Sample{State: Unknown}
	}
	if inMain(cr, ci) {
		return Sample{N: limit, State: Interior}
	}
	zr, zi := 0.0, 0.0
	// Brent: an orbit that returns exactly to an earlier value never leaves.
	hr, hi, power, lap := 0.0, 0.0, int64(8), int64(0)
	for n := int64(0); ; n++ {
		rr, ii := float64(zr*zr), float64(zi*zi)
		if rr+ii > Radius*Radius {
			return escaped(n, rr+ii)
		}
		if n >= limit {
			return Sample{N: limit, State: Unknown}
		}
		zr, zi = rr-ii+cr, float64(2*zr*zi)+ci
		if zr == hr && zi == hi {
			return Sample{N: limit, State: Interior}
		}
		if lap++; lap == power {
			hr, hi, power, lap = zr, zi, power*2, 0
			if cancelled() {
				return Sample{}
			}
		}
	}
}

// inMain says whether c lies inside the main cardioid or the disc of period 2.
func inMain(cr, ci float64) bool {
	x := cr - 0.25
	yy := float64(ci * ci)
	q := float64(x*x) + yy
	if float64(q*(q+x)) < 0.25*yy {
		return true
	}
	return float64((cr+1)*(cr+1))+yy < 0.0625 && !math.IsNaN(cr)
}
