package movie

import (
	"bytes"
	"context"
	"errors"
	"image"
	"os"
	"path/filepath"
	"testing"

	"fractal/mandel"
)

func filmed(t *testing.T, m Movie, first int) map[int]*image.RGBA {
	t.Helper()
	frames := map[int]*image.RGBA{}
	err := m.Film(context.Background(), first, func(n int, f *image.RGBA) error {
		frames[n] = f
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return frames
}

func TestAMovieGoesOnWhereItWasStopped(t *testing.T) {
	to, err := mandel.ReadLocation("Re: -1.7548776662466927600495\nIm: 0\nZoom: 1e14\n")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	rendered := 0
	m := Movie{To: to, Palette: mandel.Palettes[0], Width: 64, Height: 36, From: 34, Doublings: 3, PerDoubling: 4, Keys: dir,
		Progress: func(int, int) { rendered++ }}
	all := filmed(t, m, 0)
	if len(all) != 13 || m.Frames() != 13 || rendered != 4 {
		t.Fatalf("%d frames, %d key frames rendered", len(all), rendered)
	}
	// A damaged key frame is made again, the others are not; the frames are the same.
	if err := os.WriteFile(filepath.Join(dir, "key-000036.png"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	rendered = 0
	again := filmed(t, m, 6)
	if len(again) != 7 || rendered != 1 {
		t.Errorf("%d frames, %d key frames rendered", len(again), rendered)
	}
	for n, f := range again {
		if !bytes.Equal(f.Pix, all[n].Pix) {
			t.Errorf("frame %d is another one now", n)
		}
	}
	// The end of one doubling is the beginning of the next.
	whole := filmed(t, Movie{To: to, Palette: mandel.Palettes[0], Width: 64, Height: 36, From: 36, PerDoubling: 1}, 0)
	if !bytes.Equal(all[8].Pix, whole[0].Pix) {
		t.Error("a key frame on the way is not the picture of that depth")
	}
}

func TestFilmingEndsWhenNobodyWantsIt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := Movie{Palette: mandel.Palettes[0], Width: 64, Height: 64, Doublings: 3, PerDoubling: 2}
	if err := m.Film(ctx, 0, func(int, *image.RGBA) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for _, bad := range []Movie{{}, {Width: 63, Height: 64, PerDoubling: 1}, {Width: 64, Height: 64}, {Width: 64, Height: 64, PerDoubling: 1, Doublings: 1 << 30}} {
		if err := bad.Check(); !errors.Is(err, ErrMovie) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestY4MIsWhatItSays(t *testing.T) {
	var b bytes.Buffer
	img := image.NewRGBA(image.Rect(0, 0, 4, 2))
	for i := 0; i < len(img.Pix); i += 4 {
		img.Pix[i], img.Pix[i+3] = 255, 255 // red
	}
	y := Y4M{W: &b}
	for range 2 {
		if err := y.Write(img, 30); err != nil {
			t.Fatal(err)
		}
	}
	frame := "FRAME\n" + string(bytes.Repeat([]byte{76}, 8)) + "UU" + "\xff\xff"
	if want := "YUV4MPEG2 W4 H2 F30:1 Ip A1:1 C420jpeg\n" + frame + frame; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
