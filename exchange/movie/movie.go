// Package movie films a zoom into the Mandelbrot set: key frames twice as deep each, and the frames between them by scaling. It
// owns frames and their order; it refuses to know canvases and servers. The idea of key frames is that of zoom-out sequences
// (Kalles Fraktaler, Fractal eXtreme): a frame costs nothing between two that are kept.
package movie

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"fractal/mandel"
)

// Movie says what is filmed.
type Movie struct {
	To            mandel.Location
	Palette       mandel.Palette
	Width, Height int    // even
	From          int    // doublings to begin with
	Doublings     int    // key frames after the first
	PerDoubling   int    // frames
	Keys          string // folder where key frames are kept, so that filming can go on after it was stopped; empty: nowhere
	Progress      func(key, keys int)
}

// ErrMovie is wrapped by what is wrong with a Movie.
var ErrMovie = errors.New("this movie cannot be made")

// Check says what cannot be filmed.
func (m *Movie) Check() error {
	switch {
	case m.Width < 2 || m.Height < 2 || m.Width > 7680 || m.Height > 4320 || m.Width%2 != 0 || m.Height%2 != 0:
		return fmt.Errorf("%w: a picture of %d × %d; even numbers up to 7680 × 4320", ErrMovie, m.Width, m.Height)
	case m.PerDoubling < 1 || m.PerDoubling > 1000:
		return fmt.Errorf("%w: %d frames a doubling; 1 to 1000", ErrMovie, m.PerDoubling)
	case m.Doublings < 0 || m.From < -4 || m.From+m.Doublings > mandel.MaxZoom:
		return fmt.Errorf("%w: from 2^%d, %d doublings", ErrMovie, m.From, m.Doublings)
	}
	return nil
}

// Frames is how many there are.
func (m *Movie) Frames() int { return m.Doublings*m.PerDoubling + 1 }

// Film renders what is missing and gives the frames to emit, in order. first skips frames that are there already.
func (m *Movie) Film(ctx context.Context, first int, emit func(n int, frame *image.RGBA) error) error {
	if err := m.Check(); err != nil {
		return err
	}
	c := camera{m: m, shader: m.Palette.Shader()}
	var above, below *image.RGBA // key frames of a doubling
	at := -1
	for n := first; n < m.Frames(); n++ {
		k := n / m.PerDoubling
		if k == m.Doublings && k > 0 {
			k-- // the last frame ends a doubling
		}
		if k != at {
			var err error
			if at >= 0 && k == at+1 {
				above = below
			} else if above, err = c.key(ctx, k); err != nil {
				return err
			}
			if m.Doublings > 0 {
				if below, err = c.key(ctx, k+1); err != nil {
					return err
				}
			}
			at = k
		}
		frame := above
		if m.Doublings > 0 {
			frame = between(above, below, float64(n-k*m.PerDoubling)/float64(m.PerDoubling))
		}
		if err := emit(n, frame); err != nil {
			return err
		}
	}
	return nil
}

// camera renders key frames around one reference: the point that the movie goes to.
type camera struct {
	m      *Movie
	shader *mandel.Shader
	orbit  *mandel.Orbit
	limit  int64 // only rises
}

func (c *camera) key(ctx context.Context, k int) (*image.RGBA, error) {
	file := ""
	if c.m.Keys != "" {
		file = filepath.Join(c.m.Keys, fmt.Sprintf("key-%06d.png", c.m.From+k))
		if img, ok := load(file, c.m.Width, c.m.Height); ok {
			return img, nil
		}
	}
	img, err := c.render(ctx, c.m.From+k)
	if err != nil {
		return nil, err
	}
	if c.m.Progress != nil {
		c.m.Progress(k, c.m.Doublings+1)
	}
	if file != "" {
		if err := Save(file, img); err != nil {
			return nil, err
		}
	}
	return img, nil
}

// bandRows is how many rows are rendered by one worker at a time.
const bandRows = 32

func (c *camera) render(ctx context.Context, k int) (*image.RGBA, error) {
	m := c.m
	rows := 0
	for 1<<rows < m.Height {
		rows++
	}
	pitch := 2 - k - rows
	g := mandel.Grid{
		Re: m.To.Re.Sub(mandel.Dyadic(int64(m.Width/2), pitch)), Im: m.To.Im.Add(mandel.Dyadic(int64(m.Height/2), pitch)),
		Pitch: pitch, W: m.Width, H: m.Height,
	}
	rule := mandel.Rule{}
	c.limit = max(c.limit, rule.First(pitch))
	samples := make([]mandel.Sample, g.W*g.H)
	for {
		var ref *mandel.Reference
		if !mandel.Direct(pitch) {
			if c.orbit == nil {
				deepest := 2 - (m.From + m.Doublings) - rows
				c.orbit = mandel.NewOrbit(mandel.Formula{}, m.To.Re, m.To.Im, mandel.Precision(deepest))
			}
			if _, err := c.orbit.Extend(ctx, int(c.limit)); err != nil {
				return nil, err
			}
			var err error
			if ref, err = mandel.NewReference(ctx, c.orbit, int(c.limit), mandel.MaxDC(g, m.To.Re, m.To.Im), 0x1p-28); err != nil {
				return nil, err
			}
		}
		if err := bands(ctx, g, ref, c.limit, samples); err != nil {
			return nil, err
		}
		next, more := rule.Next(c.limit, samples)
		if !more {
			break
		}
		c.limit = next
		mandel.Again(samples)
	}
	img := image.NewRGBA(image.Rect(0, 0, m.Width, m.Height))
	for i, s := range samples {
		v := c.shader.Color(s)
		img.Pix[4*i], img.Pix[4*i+1], img.Pix[4*i+2], img.Pix[4*i+3] = byte(v>>16), byte(v>>8), byte(v), 255
	}
	return img, nil
}

// bands renders a grid by all processors. What a band becomes does not depend on who renders it.
func bands(ctx context.Context, g mandel.Grid, ref *mandel.Reference, limit int64, out []mandel.Sample) error {
	next := make(chan int, g.H)
	for y := 0; y < g.H; y += bandRows {
		next <- y
	}
	close(next)
	var wg sync.WaitGroup
	errs := make([]error, runtime.GOMAXPROCS(0))
	for w := range errs {
		wg.Go(func() {
			for y := range next {
				band := g
				band.Im, band.H = g.Im.Sub(mandel.Dyadic(int64(y), g.Pitch)), min(bandRows, g.H-y)
				if err := mandel.Render(ctx, mandel.Formula{}, band, ref, limit, 1, out[y*g.W:(y+band.H)*g.W]); err != nil {
					errs[w] = err
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// between is the frame a part f of the way from one key frame to the next, which is twice as deep.
func between(above, below *image.RGBA, f float64) *image.RGBA {
	if f == 0 {
		return above
	}
	b := above.Bounds()
	out := image.NewRGBA(b)
	w, h := b.Dx(), b.Dy()
	scale := math.Exp2(f) // of above; below is half as large
	cx, cy := float64(w)/2, float64(h)/2
	for y := range h {
		for x := range w {
			// Four samples a pixel: below is shown at half its size at the least.
			var r, g, bl int
			for s := range 4 {
				px, py := float64(x)+0.25+0.5*float64(s&1)-cx, float64(y)+0.25+0.5*float64(s>>1)-cy
				img, u, v := below, px*2/scale+cx, py*2/scale+cy
				if u < 0 || v < 0 || u >= float64(w) || v >= float64(h) {
					img, u, v = above, px/scale+cx, py/scale+cy
				}
				i := 4 * (min(int(v), h-1)*w + min(int(u), w-1))
				r, g, bl = r+int(img.Pix[i]), g+int(img.Pix[i+1]), bl+int(img.Pix[i+2])
			}
			i := 4 * (y*w + x)
			out.Pix[i], out.Pix[i+1], out.Pix[i+2], out.Pix[i+3] = byte((r+2)/4), byte((g+2)/4), byte((bl+2)/4), 255
		}
	}
	return out
}

// Save writes a PNG under its name only when all of it is there.
func Save(file string, img image.Image) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".movie-*")
	if err != nil {
		return fmt.Errorf("movie: %w", err)
	}
	defer os.Remove(f.Name())
	err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(f, img)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return fmt.Errorf("movie: %w", err)
	}
	return nil
}

func load(file string, w, h int) (*image.RGBA, bool) {
	f, err := os.Open(file)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	src, err := png.Decode(f)
	if err != nil || src.Bounds().Dx() != w || src.Bounds().Dy() != h {
		return nil, false
	}
	if img, ok := src.(*image.RGBA); ok {
		return img, true
	}
	out := image.NewRGBA(src.Bounds())
	for y := range h {
		for x := range w {
			out.Set(x, y, src.At(x, y))
		}
	}
	return out, true
}

// Y4M writes frames as a YUV4MPEG2 stream, which every encoder reads: 4:2:0, BT.601, full frames.
type Y4M struct {
	W    io.Writer
	buf  []byte
	done bool // the header is written
}

// Write appends a frame.
func (y *Y4M) Write(img *image.RGBA, fps int) error {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	y.buf = y.buf[:0]
	if !y.done {
		y.buf = fmt.Appendf(y.buf, "YUV4MPEG2 W%d H%d F%d:1 Ip A1:1 C420jpeg\n", w, h, fps)
		y.done = true
	}
	y.buf = append(y.buf, "FRAME\n"...)
	at := func(x, v int) (r, g, b int) {
		i := 4 * (v*w + x)
		return int(img.Pix[i]), int(img.Pix[i+1]), int(img.Pix[i+2])
	}
	for v := range h {
		for x := range w {
			r, g, b := at(x, v)
			y.buf = append(y.buf, byte((19595*r+38470*g+7471*b+32768)>>16))
		}
	}
	for plane := range 2 {
		for v := 0; v < h; v += 2 {
			for x := 0; x < w; x += 2 {
				var r, g, b int
				for s := range 4 {
					r1, g1, b1 := at(x+s&1, v+s>>1)
					r, g, b = r+r1, g+g1, b+b1
				}
				c := -11059*r - 21709*g + 32768*b
				if plane == 1 {
					c = 32768*r - 27439*g - 5329*b
				}
				y.buf = append(y.buf, byte(min(255, (c>>2+128<<16+32768)>>16)))
			}
		}
	}
	_, err := y.W.Write(y.buf)
	return err
}
