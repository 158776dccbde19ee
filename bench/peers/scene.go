package main

import (
	"bufio"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"math"
	"os"
	"time"

	"golang.org/x/image/vector"

	"fractal/exchange"
	"fractal/ink"
	"fractal/raster"
	"fractal/tile"
)

// scene is a corpus as peers see it: px of the overview.
type scene struct {
	corner  tile.ID
	strokes []stroke
	inCell  [cells][]int
}

type stroke struct {
	ink                    *ink.Stroke
	color                  uint32
	erase                  bool
	minX, minY, maxX, maxY float32
	width                  float32
	line                   []float32
	xy                     []float32
	ends                   []int
}

func read(corpus string, x, y int64) (*scene, error) {
	file, err := os.Open(corpus)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sc := &scene{corner: tile.At(0, x, y)}
	var circles []ink.Circle
	var hull ink.Outline
	for rec, err := range exchange.ReadStrokes(file) {
		if err != nil {
			return nil, err
		}
		if rec.Stroke == nil {
			continue
		}
		s := stroke{ink: rec.Stroke, color: rec.Stroke.Color()}
		brush, _ := rec.Stroke.Brush().Brush()
		s.erase = brush.Mode == ink.Erase
		k, dx, dy, _ := tile.Between(rec.Stroke.Home(), sc.corner).Affine()
		const px = tile.Units / tile.Size
		k, dx, dy = k/px, dx/px, dy/px
		circles = rec.Stroke.Circles(circles[:0])
		s.minX, s.minY, s.maxX, s.maxY = math.MaxFloat32, math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32
		sum := 0.0
		for _, c := range circles {
			x, y, r := float32(c.X*k+dx), float32(c.Y*k+dy), float32(c.R*k)
			s.line = append(s.line, x, y)
			s.minX, s.minY, s.maxX, s.maxY = min(s.minX, x-r), min(s.minY, y-r), max(s.maxX, x+r), max(s.maxY, y+r)
			sum += 2 * c.R * k
		}
		s.width = float32(sum / float64(len(circles)))
		hull.Reset()
		ink.Hull(&hull, circles, k)
		for i := 0; i < len(hull.XY); i += 2 {
			s.xy = append(s.xy, float32(hull.XY[i]*k+dx), float32(hull.XY[i+1]*k+dy))
		}
		s.ends = append(s.ends, hull.Ends...)
		for c := range cells {
			if s.meets(c) {
				sc.inCell[c] = append(sc.inCell[c], len(sc.strokes))
			}
		}
		sc.strokes = append(sc.strokes, s)
	}
	return sc, nil
}

func (s *stroke) meets(c int) bool {
	x, y := float32(c%cols*tile.Size), float32(c/cols*tile.Size)
	return s.maxX > x && s.minX < x+tile.Size && s.maxY > y && s.minY < y+tile.Size
}

// write makes the file the other programs read, little endian: count; for each stroke colour (RRGGBBAA), erase, box, width,
// points of the line with their x and y, contours with their points.
func (sc *scene) write(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	var b []byte
	u := func(v uint32) { b = binary.LittleEndian.AppendUint32(b, v) }
	fl := func(v ...float32) {
		for _, v := range v {
			u(math.Float32bits(v))
		}
	}
	u(uint32(len(sc.strokes)))
	for i := range sc.strokes {
		s := &sc.strokes[i]
		u(s.color)
		if s.erase {
			u(1)
		} else {
			u(0)
		}
		fl(s.minX, s.minY, s.maxX, s.maxY, s.width)
		u(uint32(len(s.line) / 2))
		fl(s.line...)
		u(uint32(len(s.ends)))
		from := 0
		for _, end := range s.ends {
			u(uint32((end - from) / 2))
			fl(s.xy[from:end]...)
			from = end
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		b = b[:0]
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// timed runs every cell once.
func timed(cell func(c int)) ([]float64, error) {
	took := make([]float64, cells)
	for c := range took {
		begin := time.Now()
		cell(c)
		took[c] = float64(time.Since(begin).Nanoseconds()) / 1e6
	}
	return took, nil
}

// ours is Fractal with its outlines prepared, as the peers' are.
func (sc *scene) ours() func() ([]float64, error) {
	painter, image := ink.NewPainter(), new(raster.Image)
	draw := func(c int) {
		var strokes []*ink.Stroke
		for _, i := range sc.inCell[c] {
			strokes = append(strokes, sc.strokes[i].ink)
		}
		id, _ := sc.corner.Shift(0, int64(c%cols), int64(c/cols))
		painter.Cell(image, id, strokes)
	}
	for c := range cells {
		draw(c)
	}
	return func() ([]float64, error) { return timed(draw) }
}

// vector fills with golang.org/x/image/vector, its rasterizer reset to the box of each stroke within the cell.
func (sc *scene) vector() func() ([]float64, error) {
	dst := image.NewRGBA(image.Rect(0, 0, tile.Size, tile.Size))
	var z vector.Rasterizer
	return func() ([]float64, error) {
		return timed(func(c int) {
			clear(dst.Pix)
			ox, oy := float32(c%cols*tile.Size), float32(c/cols*tile.Size)
			for _, i := range sc.inCell[c] {
				s := &sc.strokes[i]
				r := image.Rect(int(math.Floor(float64(s.minX-ox))), int(math.Floor(float64(s.minY-oy))), int(math.Ceil(float64(s.maxX-ox)))+1, int(math.Ceil(float64(s.maxY-oy)))+1).Intersect(dst.Bounds())
				if r.Empty() {
					continue
				}
				z.Reset(r.Dx(), r.Dy())
				if s.erase {
					z.DrawOp = draw.Src
				} else {
					z.DrawOp = draw.Over
				}
				dx, dy := ox+float32(r.Min.X), oy+float32(r.Min.Y)
				from := 0
				for _, end := range s.ends {
					z.MoveTo(s.xy[from]-dx, s.xy[from+1]-dy)
					for k := from + 2; k < end; k += 2 {
						z.LineTo(s.xy[k]-dx, s.xy[k+1]-dy)
					}
					z.ClosePath()
					from = end
				}
				z.Draw(dst, r, image.NewUniform(color.NRGBA{uint8(s.color >> 24), uint8(s.color >> 16), uint8(s.color >> 8), uint8(s.color)}), image.Point{})
			}
		})
	}
}
