package webtest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// Screenshot is what the page shows.
func (p *Page) Screenshot() *image.NRGBA {
	p.t.Helper()
	data := run(p, chromedp.CaptureScreenshot())
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		p.t.Fatal(err)
	}
	out := image.NewNRGBA(img.Bounds())
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	return out
}

// Difference of two pictures, a channel being 0…255.
type Difference struct {
	Pixels int     // that differ by more than the tolerance in some channel
	Max    int     // largest difference of a channel
	Mean   float64 // of all channels of all pixels
}

// Compare compares two pictures of the same size; alpha is not looked at.
func Compare(a, b *image.NRGBA, tolerance int) (Difference, *image.NRGBA) {
	var d Difference
	diff := image.NewNRGBA(a.Rect)
	if a.Rect != b.Rect {
		return Difference{Pixels: a.Rect.Dx() * a.Rect.Dy(), Max: 255, Mean: 255}, diff
	}
	sum := 0
	for y := a.Rect.Min.Y; y < a.Rect.Max.Y; y++ {
		for x := a.Rect.Min.X; x < a.Rect.Max.X; x++ {
			p, q := a.NRGBAAt(x, y), b.NRGBAAt(x, y)
			most := 0
			for _, c := range [3]int{int(p.R) - int(q.R), int(p.G) - int(q.G), int(p.B) - int(q.B)} {
				c = max(c, -c)
				sum += c
				most = max(most, c)
			}
			d.Max = max(d.Max, most)
			grey := uint8(255)
			if most > tolerance {
				d.Pixels++
				grey = uint8(128 - most/2)
			}
			diff.SetNRGBA(x, y, color.NRGBA{255, grey, grey, 255})
		}
	}
	d.Mean = float64(sum) / float64(3*a.Rect.Dx()*a.Rect.Dy())
	return d, diff
}

// Same fails the test when two pictures differ by more than the tolerance anywhere, and leaves both and their difference
// among the test's artifacts.
func Same(t testing.TB, a, b *image.NRGBA, tolerance int) {
	t.Helper()
	d, diff := Compare(a, b, tolerance)
	if d.Pixels == 0 {
		return
	}
	Save(t, "a.png", a)
	Save(t, "b.png", b)
	Save(t, "difference.png", diff)
	t.Errorf("the pictures differ in %d pixels, by up to %d (mean %.3f); see %s", d.Pixels, d.Max, d.Mean, t.ArtifactDir())
}

// Save keeps a picture among the test's artifacts (go test -artifacts).
func Save(t testing.TB, name string, img image.Image) {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), name), buf.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Blank says whether a part of a picture has one colour, and which.
func Blank(img *image.NRGBA, part image.Rectangle) (color.NRGBA, bool) {
	part = part.Intersect(img.Rect)
	first := img.NRGBAAt(part.Min.X, part.Min.Y)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if img.NRGBAAt(x, y) != first {
				return first, false
			}
		}
	}
	return first, true
}

// Hex names a colour for a message.
func Hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
