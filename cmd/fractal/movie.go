package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fractal/exchange/movie"
	"fractal/mandel"
)

// exportMovie films a zoom: fractal export movie --to LOCATION.
func exportMovie(ctx context.Context, c *call) error {
	to := c.flags.String("to", "", "zoom to `LOCATION`: a .kfr or .f3.toml file, or the name of a standard location")
	out := c.flags.String("out", "movie", "write numbered PNGs to the folder `OUT`; a name that ends in .y4m: that file; -: a y4m stream to standard output")
	size := c.flags.String("size", "1280x720", "`WIDTHxHEIGHT` of a frame, even numbers")
	fps := c.flags.Int("fps", 30, "`FRAMES` a second")
	pace := c.flags.Float64("seconds", 0.5, "`SECONDS` a doubling")
	from := c.flags.Int("from", 0, "begin at a zoom of 2^`N`")
	name := c.flags.String("palette", mandel.Palettes[0].Name, "colours by `NAME`")
	if err := c.parseNone(); err != nil {
		return err
	}
	if *to == "" {
		return usageError("say where: --to LOCATION")
	}
	l, err := locationOf(*to)
	if err != nil {
		return err
	}
	m := movie.Movie{To: l, From: *from, PerDoubling: int(math.Round(float64(*fps) * *pace))}
	if _, err := fmt.Sscanf(*size, "%dx%d", &m.Width, &m.Height); err != nil {
		return usageError("--size is WIDTHxHEIGHT, such as 1280x720")
	}
	m.Doublings = max(0, int(math.Ceil(l.Zoom.Log2()))-m.From)
	found := false
	for _, p := range mandel.Palettes {
		if strings.EqualFold(p.Name, *name) {
			m.Palette, found = p, true
		}
	}
	if !found {
		return usageError(fmt.Sprintf("there is no palette %q", *name))
	}
	if *fps < 1 || *fps > 240 {
		return usageError("--fps is 1 to 240")
	}
	if err := m.Check(); err != nil {
		return usageError(err.Error())
	}
	switch ext := strings.ToLower(filepath.Ext(*out)); ext {
	case ".mp4", ".mkv", ".webm", ".mov", ".avi", ".gif":
		return usageError("no " + ext + " is made here: write a .y4m file, or pipe --out - into an encoder (ffmpeg -i - " + filepath.Base(*out) + ")")
	}
	begun, made := time.Now(), 0
	m.Progress = func(key, keys int) {
		made++
		left := time.Duration(float64(time.Since(begun)) / float64(made) * float64(keys-key-1))
		fmt.Fprintf(c.stderr, "\rkey frame %d of %d, about %s left   ", key+1, keys, left.Round(time.Second))
	}
	defer func() {
		if made > 0 {
			fmt.Fprintln(c.stderr)
		}
	}()
	if *out == "-" || strings.HasSuffix(*out, ".y4m") {
		w := c.stdout
		if *out != "-" {
			f, err := os.Create(*out)
			if err != nil {
				return err
			}
			defer f.Close()
			w = f
		}
		y := movie.Y4M{W: w}
		return m.Film(ctx, 0, func(_ int, f *image.RGBA) error { return y.Write(f, *fps) })
	}
	m.Keys = filepath.Join(*out, "keys")
	if err := os.MkdirAll(m.Keys, 0o755); err != nil {
		return err
	}
	// What is in the folder must be of this movie.
	what, note := fmt.Sprintf("%sSize: %s\nFrom: %d\nFrames a doubling: %d\nPalette: %s\n", l.KFR(), *size, *from, m.PerDoubling, m.Palette.Name), filepath.Join(*out, "movie.txt")
	if was, err := os.ReadFile(note); err == nil && string(was) != what {
		return fmt.Errorf("%s holds another movie: choose another --out, or delete it", *out)
	}
	if err := os.WriteFile(note, []byte(what), 0o644); err != nil {
		return err
	}
	frame := func(n int) string { return filepath.Join(*out, fmt.Sprintf("frame-%06d.png", n+1)) }
	first := 0
	for first < m.Frames() {
		if _, err := os.Stat(frame(first)); err != nil {
			break
		}
		first++
	}
	if first > 0 {
		fmt.Fprintf(c.stderr, "%d frames are there already\n", first)
	}
	return m.Film(ctx, first, func(n int, f *image.RGBA) error { return movie.Save(frame(n), f) })
}

// locationOf reads a location file, or finds a standard location.
func locationOf(to string) (mandel.Location, error) {
	for _, s := range mandel.Tour() {
		if s.Name == to {
			return s.Location()
		}
	}
	info, err := os.Stat(to)
	if err != nil {
		var names []string
		for _, s := range mandel.Tour() {
			names = append(names, s.Name)
		}
		return mandel.Location{}, usageError(fmt.Sprintf("%q is neither a file nor a standard location; those are: %s", to, strings.Join(names, ", ")))
	}
	if info.Size() > mandel.MaxLocation {
		return mandel.Location{}, errors.New("that file is too large for a location")
	}
	text, err := os.ReadFile(to)
	if err != nil {
		return mandel.Location{}, err
	}
	return mandel.ReadLocation(string(text))
}
