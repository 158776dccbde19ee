package bench

import "math"

type xy struct{ x, y float64 }

// margin keeps a stroke's ink, nib and all, within its scene.
const margin = maxNib/2 + 4

// path is a way of the hand of n samples, in px of the scene it lies in: curves, hatching that turns sharply, loops and
// spirals, in the shares that drawings have.
func (g *generator) path(n int) []xy {
	at := xy{margin + float64(g.rng.Float64()*(sceneW-2*margin)), margin + float64(g.rng.Float64()*(sceneH-2*margin))}
	if n == 1 {
		return []xy{at}
	}
	step := 2 + float64(2*g.rng.Float64())
	heading := float64(2 * math.Pi * g.rng.Float64())
	switch k := g.rng.IntN(100); {
	case k < 52:
		return g.curve(at, heading, step, n)
	case k < 74:
		return g.hatch(at, heading, step, n)
	case k < 88:
		return g.spiral(at, heading, step, n, 0)
	default:
		return g.spiral(at, heading, step, n, 1)
	}
}

// curve wanders: its bend changes slowly.
func (g *generator) curve(at xy, heading, step float64, n int) []xy {
	path, bend := make([]xy, 0, n), 0.0
	for range n {
		path = append(path, at)
		bend = float64(0.92*bend) + float64(0.03*g.rng.NormFloat64())
		heading += bend
		at, heading = g.ahead(at, heading, step)
	}
	return path
}

// hatch goes to and fro, a little further each time.
func (g *generator) hatch(at xy, heading, step float64, n int) []xy {
	path, run := make([]xy, 0, n), 6+g.rng.IntN(12)
	for i := range n {
		path = append(path, at)
		if i%run == run-1 {
			heading += math.Pi - 0.12
		}
		at, heading = g.ahead(at, heading+float64(0.02*g.rng.NormFloat64()), step)
	}
	return path
}

// spiral goes round; opening 0 stays on loops that drift, 1 widens with every turn.
func (g *generator) spiral(at xy, heading, step float64, n int, opening float64) []xy {
	path, radius := make([]xy, 0, n), 6+float64(24*g.rng.Float64())
	for range n {
		path = append(path, at)
		heading += float64(step / radius)
		radius += float64(opening * 0.15 * step)
		at, heading = g.ahead(at, heading, step)
		at.x = math.Min(at.x+float64(0.1*step), sceneW-margin)
	}
	return path
}

// ahead takes one step, and turns back from the scene's edge.
func (g *generator) ahead(at xy, heading, step float64) (xy, float64) {
	next := xy{at.x + float64(step*math.Cos(heading)), at.y + float64(step*math.Sin(heading))}
	if next.x < margin || next.x > sceneW-margin {
		heading = math.Pi - heading
		next.x = math.Min(math.Max(next.x, margin), sceneW-margin)
	}
	if next.y < margin || next.y > sceneH-margin {
		heading = -heading
		next.y = math.Min(math.Max(next.y, margin), sceneH-margin)
	}
	return next, heading
}
