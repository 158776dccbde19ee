package cell

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"fractal/raster"
)

var update = flag.Bool("update", false, "write testdata/encoded.txt anew")

// goldens are images, random ones and painted ones of all formats, and what they are encoded to. A faster encoder gives the
// same bytes; one that gives fewer may write them anew.
const goldens = "testdata/encoded.txt"

func TestEncodedBytesAreTheGoldenOnes(t *testing.T) {
	all := images()
	for seed := range uint64(24) {
		colors, repeat := uint8(seed*seed*7), uint8(seed*37)
		all[fmt.Sprintf("random %02d", seed)] = random(seed, colors, repeat, nil)
		all[fmt.Sprintf("discs %02d", seed)] = discs(seed)
	}
	var got strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		format, data := check(t, all[name])
		fmt.Fprintf(&got, "%x %d %7d %s\n", sha256.Sum256(data), format, len(data), name)
	}
	if *update {
		if err := os.WriteFile(goldens, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldens)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(want), "\n")
	for i, line := range strings.Split(got.String(), "\n") {
		if i >= len(lines) || line != lines[i] {
			t.Errorf("line %d:\n got %s\nwant %s", i+1, line, lines[min(i, len(lines)-1)])
		}
	}
}

// discs paints what a cell of strokes is like: flat colours with smooth edges over each other, on nothing or on paper.
func discs(seed uint64) *raster.Image {
	img := new(raster.Image)
	v := seed*0x9e3779b97f4a7c15 + 1
	next := func(n uint64) int { // xorshift64
		v ^= v << 13
		v ^= v >> 7
		v ^= v << 17
		return int((v >> 33) % n)
	}
	if seed%3 == 0 {
		for i := range img.Pix {
			img.Pix[i] = pixel(250, 250, 245, 255)
		}
	}
	for range 1 + 8*seed {
		cx, cy, r := next(size), next(size), 1+next(300)>>next(8)
		color, alpha := uint64(next(1<<24)), 255-next(2)*next(200)
		for y := max(cy-r-1, 0); y < min(cy+r+2, size); y++ {
			for x := max(cx-r-1, 0); x < min(cx+r+2, size); x++ {
				d := (x-cx)*(x-cx) + (y-cy)*(y-cy)
				cover := uint64(min(max((r*r-d)*257/(2*r)+128, 0), 257) * alpha)
				under, p := uint64(img.Pix[y*size+x]), uint64(0)
				for c := range 4 {
					full := (color | 0xff<<24) >> (8 * c) & 0xff * 257
					p |= (full*cover + under>>(16*c)&0xffff*(0xffff-cover)) / 0xffff << (16 * c)
				}
				img.Pix[y*size+x] = raster.Pixel(p)
			}
		}
	}
	return img
}
