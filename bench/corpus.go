// Package bench owns the drivers that measure Fractal and the corpora they measure it with. It refuses to know how anything
// works inside: it starts a server, talks to it as everybody does, and reads what it counts.
package bench

import (
	"iter"
	"math"
	"math/rand/v2"

	"fractal/ink"
	"fractal/tile"
)

// Shape is what a synthetic corpus has to be like. All of it is visible from one overview: level 0, tiles 0 … 5 × 0 … 3.
type Shape struct {
	Name    string
	Strokes int
	Points  int
	// Crowds are how many strokes reach the overview's fullest cells. The first is kept exactly, and no cell has more; the
	// others are about that.
	Crowds []int
}

// Shapes are the corpora that published measurements of deep canvases used, by the numbers they give, and one that is
// beyond all of them.
var Shapes = []Shape{
	{"nested-1869", 1_869, 211_085, []int{499, 490, 480}},
	{"nested-1792", 1_792, 202_390, []int{478, 470, 460}},
	{"nested-20k-2500", 20_000, 2_260_000, []int{2_500, 2_440, 2_430, 2_420, 2_410, 2_400}},
	{"nested-20k-8000", 20_000, 2_260_000, []int{8_000, 2_590, 2_560, 2_550}},
	{"nested-1m", 1_000_000, 24_000_000, []int{60_000, 58_000, 57_000, 56_000, 55_000, 54_000, 53_000, 52_000, 51_000, 50_000, 49_000, 48_000}},
}

// ShapeNamed finds a shape.
func ShapeNamed(name string) (Shape, bool) {
	for _, s := range Shapes {
		if s.Name == name {
			return s, true
		}
	}
	return Shape{}, false
}

const (
	viewCols, viewRows = 6, 4 // cells of the overview
	sceneW, sceneH     = viewCols * tile.Size, viewRows * tile.Size
	deeper             = 3 // levels from a scene to the next in it: each is 1/8 of its parent
	scenes             = 5 // the overview itself, and four nested in each crowd's cell
	maxNib             = 40.0
)

// crowdCells are the overview's cells that scenes are nested in, middle first.
var crowdCells = [][2]int64{
	{2, 1}, {3, 2}, {3, 1}, {2, 2}, {1, 1}, {4, 2}, {1, 2}, {4, 1}, {2, 0}, {3, 3}, {3, 0}, {2, 3},
}

// part is where one stroke of the corpus belongs.
type part struct {
	chain int16 // which crowd; -1: none, drawn on the overview itself
	scene int8  // how deep in the chain
	meets bool  // on the overview itself, across the fullest cell
}

// generator draws one corpus. Nothing it does depends on the machine: products are rounded before they are added.
type generator struct {
	shape  Shape
	rng    *rand.Rand
	origin [][scenes][2]int64 // of a scene, px of its level
	counts [viewRows][viewCols]int
	pts    []ink.Point
}

// Corpus draws the strokes of a shape in paint order. The same seed gives the same strokes.
func Corpus(shape Shape, seed uint64) iter.Seq[*ink.Stroke] {
	return func(yield func(*ink.Stroke) bool) {
		g := &generator{shape: shape, rng: rand.New(rand.NewPCG(seed, 0x6672616374616c))}
		g.nest()
		parts := g.parts()
		for i, n := range g.lengths() {
			if !yield(g.stroke(parts[i], n)) {
				return
			}
		}
	}
}

// nest places each crowd's chain of scenes within its cell.
func (g *generator) nest() {
	for i := range g.shape.Crowds {
		var chain [scenes][2]int64
		cell := crowdCells[i]
		// The first nested scene lies wholly within the cell, with room around it.
		x := cell[0]*tile.Size + 16 + g.rng.Int64N(tile.Size-sceneW/8-32)
		y := cell[1]*tile.Size + 16 + g.rng.Int64N(tile.Size-sceneH/8-32)
		for k := 1; k < scenes; k++ {
			chain[k] = [2]int64{x << deeper, y << deeper}
			x = chain[k][0] + g.rng.Int64N(sceneW-sceneW/8)
			y = chain[k][1] + g.rng.Int64N(sceneH-sceneH/8)
		}
		g.origin = append(g.origin, chain)
	}
}

// parts says where each stroke belongs, in paint order.
func (g *generator) parts() []part {
	var parts []part
	for i, crowd := range g.shape.Crowds {
		meets := crowd / 12 // strokes of the overview that cross the crowd's cell
		for n := range crowd - meets {
			parts = append(parts, part{int16(i), int8(1 + n%(scenes-1)), false})
		}
		for range meets {
			if i == 0 {
				parts = append(parts, part{-1, 0, true})
			}
		}
	}
	if len(parts) > g.shape.Strokes {
		panic("bench: the crowds of shape " + g.shape.Name + " are more than its strokes")
	}
	for len(parts) < g.shape.Strokes {
		parts = append(parts, part{chain: -1})
	}
	g.rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	// Whatever the order, cells are counted with what the chains will put in them.
	for i, crowd := range g.shape.Crowds {
		cell := crowdCells[i]
		g.counts[cell[1]][cell[0]] = crowd - crowd/12
	}
	return parts
}

// lengths shares the points out: one in thirty strokes is a dot, the others are log-normal.
func (g *generator) lengths() []int {
	n := make([]int, g.shape.Strokes)
	weights, sum := make([]float64, len(n)), 0.0
	left := g.shape.Points
	for i := range n {
		if g.rng.IntN(30) == 0 {
			n[i] = 1
			left--
			continue
		}
		weights[i] = math.Exp(float64(0.6 * g.rng.NormFloat64()))
		sum += weights[i]
	}
	given, last := 0, 0
	for i, w := range weights {
		if w == 0 {
			continue
		}
		n[i] = max(2, int(float64(w/sum)*float64(left)))
		given += n[i]
		last = i
	}
	for i := last; given != left; i = (i + 1) % len(n) { // rounding, a point here and there
		if weights[i] == 0 {
			continue
		}
		if given < left {
			n[i]++
			given++
		} else if n[i] > 2 {
			n[i]--
			given--
		}
	}
	return n
}

// stroke draws until the result lies where it should.
func (g *generator) stroke(p part, n int) *ink.Stroke {
	full := crowdCells[0]
	busy := tile.At(0, full[0], full[1])
	for {
		s := g.draw(p, n)
		if p.chain >= 0 {
			return s // within its scene, and so within its cell
		}
		if s.Touches(busy) != p.meets {
			continue
		}
		if g.count(s) {
			return s
		}
	}
}

// count adds s to the cells it reaches, unless one of them would become fuller than it may be. The fullest is not asked: it
// is met by the strokes that are meant to, and by no other.
func (g *generator) count(s *ink.Stroke) bool {
	var in [][2]int64
	for y := range int64(viewRows) {
		for x := range int64(viewCols) {
			if !s.Touches(tile.At(0, x, y)) {
				continue
			}
			at := [2]int64{x, y}
			if at != crowdCells[0] && g.counts[y][x] >= g.most(at) {
				return false
			}
			in = append(in, at)
		}
	}
	for _, c := range in {
		g.counts[c[1]][c[0]]++
	}
	return true
}

// most is how many strokes may reach a cell.
func (g *generator) most(cell [2]int64) int {
	for i, crowd := range g.shape.Crowds {
		if crowdCells[i] == cell {
			return crowd
		}
	}
	return g.shape.Crowds[0] - 1
}

// draw makes one stroke of n samples within its scene.
func (g *generator) draw(p part, n int) *ink.Stroke {
	level := deeper * int(p.scene)
	var origin [2]int64
	if p.chain >= 0 {
		origin = g.origin[p.chain][p.scene]
	}
	nib := min(max(6*math.Exp(float64(0.7*g.rng.NormFloat64())), 1.5), maxNib)
	path := g.path(n)
	home := [2]int64{floorDiv(origin[0]+int64(path[0].x), tile.Size), floorDiv(origin[1]+int64(path[0].y), tile.Size)}
	constant := g.rng.IntN(4) == 0
	taper := 0.08 + float64(0.3*g.rng.Float64())
	g.pts = g.pts[:0]
	for i, at := range path {
		d := nib
		if !constant && n > 1 {
			t := float64(i) / float64(n-1)
			d = max(0.5, float64(nib*min(1, 0.2+float64(min(t, 1-t)/taper))))
		}
		g.pts = append(g.pts, ink.Point{
			X: quarter(at.x, origin[0]-home[0]*tile.Size),
			Y: quarter(at.y, origin[1]-home[1]*tile.Size),
			D: int32(math.Round(d * perPx)),
		})
	}
	s, err := ink.New(tile.At(level, home[0], home[1]), ink.Liner, g.color(), g.pts)
	if err != nil {
		panic("bench: the generator drew what is no stroke: " + err.Error())
	}
	return s
}

const perPx = tile.Units / tile.Size // units

// quarter is px in units, to a quarter of a px as pointers report at best, moved by whole px.
func quarter(px float64, by int64) int64 {
	return int64(math.Round(px*4))*(perPx/4) + by*perPx
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func (g *generator) color() uint32 {
	c := g.rng.Uint32() | 0xff
	if g.rng.IntN(100) < 35 {
		c = c&^0xff | (0x30 + uint32(g.rng.IntN(0xb0)))
	}
	return c
}
