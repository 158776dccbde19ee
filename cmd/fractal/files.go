package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fractal/exchange"
	"fractal/remote"
	"fractal/server"
)

const defaultServer = "http://" + defaultAddr

func importFile(ctx context.Context, c *call) error {
	canvas := c.flags.String("canvas", "", "draw on the canvas `NAME`")
	address := c.flags.String("server", defaultServer, "the server's `URL`, or its secret link")
	formatName := c.flags.String("format", "", "what FILE is, by `NAME`: "+exchange.Names()+"; by its extension when absent")
	asJSON := c.flags.Bool("json", false, "print the result as one JSON object")
	rest, err := c.parse()
	switch {
	case err != nil:
		return err
	case len(rest) != 1:
		return usageError("import takes one FILE")
	case *canvas == "":
		return usageError("say which canvas: --canvas NAME")
	}
	format, err := formatFor(*formatName, rest[0])
	if err != nil {
		return err
	}
	target, err := remote.ParseTarget(*address, *canvas)
	if err != nil {
		return usageError(err.Error())
	}
	file, err := openInput(rest[0])
	if err != nil {
		return err
	}
	defer file.Close()

	progress := &progress{out: c.stderr}
	in, err := remote.Import(ctx, target, remote.Who{Name: "import"}, format.Read(file), progress.kept, progress.rejected)
	progress.end(in)
	if *asJSON {
		answer := map[string]any{
			"canvas": *canvas, "strokes": in.Strokes, "points": in.Points, "rejected": len(in.Rejected),
			"rejects": in.Rejected, "seconds": in.Took.Seconds(), "strokes_per_s": perSecond(in.Strokes, in.Took), "resumed": in.Resumed,
		}
		if in.Rejected == nil {
			answer["rejects"] = []remote.Rejected{}
		}
		if err != nil {
			answer["error"] = plainly(err)
		}
		if err := c.printJSON(answer); err != nil {
			return err
		}
	} else if err == nil {
		fmt.Fprintf(c.stdout, "%d strokes drawn on %s, %d rejected\n", in.Strokes, *canvas, len(in.Rejected))
	}
	if err == nil && in.Strokes == 0 && len(in.Rejected) > 0 {
		return errors.New("nothing of the file could be drawn")
	}
	return err
}

func formatFor(name, file string) (exchange.Format, error) {
	if name != "" {
		if f, ok := exchange.Named(name); ok {
			return f, nil
		}
		return exchange.Format{}, usageError(fmt.Sprintf("there is no format %q; there are: %s", name, exchange.Names()))
	}
	if f, ok := exchange.ForFile(file); ok {
		return f, nil
	}
	return exchange.Formats[0], nil // a pipe, or a name that says nothing: the reader says what is wrong
}

func openInput(file string) (io.ReadCloser, error) {
	if file == "-" {
		return io.NopCloser(os.Stdin), nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("the file cannot be read: %w", err)
	}
	return f, nil
}

func perSecond(n int, took time.Duration) float64 {
	if took <= 0 {
		return 0
	}
	return float64(n) / took.Seconds()
}

// progress tells a person how an import goes, at most a few times a second.
type progress struct {
	out   io.Writer
	begun time.Time
	told  time.Time
	wrong int
}

const (
	tellEvery = 500 * time.Millisecond
	tellMost  = 50 // rejected records in full; the others are counted
)

func (p *progress) kept(n int) {
	now := time.Now()
	if p.begun.IsZero() {
		p.begun, p.told = now, now
	}
	if now.Sub(p.told) >= tellEvery {
		p.told = now
		fmt.Fprintf(p.out, "%d strokes, %.0f/s\n", n, perSecond(n, now.Sub(p.begun)))
	}
}

func (p *progress) rejected(r remote.Rejected) {
	if p.wrong++; p.wrong <= tellMost {
		fmt.Fprintf(p.out, "line %d rejected: %s\n", r.Line, strings.TrimPrefix(r.Reason, "ink: bad stroke: "))
	}
}

func (p *progress) end(in remote.Imported) {
	if p.wrong > tellMost {
		fmt.Fprintf(p.out, "… and %d more lines rejected\n", p.wrong-tellMost)
	}
	if in.Strokes > 0 {
		fmt.Fprintf(p.out, "%d strokes in %.2f s, %.0f/s\n", in.Strokes, in.Took.Seconds(), perSecond(in.Strokes, in.Took))
	}
}

func exportCanvas(ctx context.Context, c *call) error {
	if len(c.args) > 0 && c.args[0] == "movie" {
		about := command{"export movie", "--to LOCATION [--out DIR|FILE.y4m|-] [--size WxH] …", "Film a zoom into the Mandelbrot set.", exportMovie}
		return exportMovie(ctx, &call{flagSet(about, c.stdout), c.args[1:], c.stdout, c.stderr})
	}
	canvas := c.flags.String("canvas", "", "the canvas `NAME`")
	address := c.flags.String("server", defaultServer, "the server's `URL`, or its secret link")
	out := c.flags.String("out", "", "write to `FILE`, compressed when it ends in .gz; standard output when absent")
	formatName := c.flags.String("format", "", "write this `NAME` of a format: "+exchange.Names()+"; by the extension of FILE when absent")
	asJSON := c.flags.Bool("json", false, "print the result as one JSON object on the last line")
	if err := c.parseNone(); err != nil {
		return err
	}
	if *canvas == "" {
		return usageError("say which canvas: --canvas NAME")
	}
	format, err := formatFor(*formatName, *out)
	if err != nil {
		return err
	}
	target, err := remote.ParseTarget(*address, *canvas)
	if err != nil {
		return usageError(err.Error())
	}
	body, header, err := get(ctx, target, "c/"+*canvas+"/export?format="+format.Name)
	if err != nil {
		return err
	}
	defer body.Close()
	warning := header.Get(server.WarningHeader)
	if warning != "" {
		fmt.Fprintf(c.stderr, "fractal: warning: this may not be all of the canvas: %s\n", plainly(errors.New(warning)))
	}
	count := &lineCounter{r: body}
	if *out == "" {
		_, err = io.Copy(c.stdout, count)
	} else {
		err = writeFile(*out, strings.HasSuffix(*out, ".gz"), count)
	}
	if err != nil {
		return fmt.Errorf("the export broke off: %w", err)
	}
	if *asJSON {
		return c.printJSON(map[string]any{"canvas": *canvas, "format": format.Name, "out": *out, "strokes": max(0, count.lines-1), "bytes": count.bytes, "warning": warning})
	}
	return nil
}

// lineCounter counts what passes; a file of strokes has one line more than strokes.
type lineCounter struct {
	r     io.Reader
	lines int
	bytes int64
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	l.lines += bytes.Count(p[:n], []byte{'\n'})
	l.bytes += int64(n)
	return n, err
}

// get asks the server for something and returns the body of a good answer.
func get(ctx context.Context, t remote.Target, path string) (io.ReadCloser, http.Header, error) {
	ref, query, _ := strings.Cut(path, "?")
	u := t.Server.JoinPath(ref)
	u.RawQuery = query
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, nil, err
	}
	req.Header = t.Header()
	resp, err := t.Client().Do(req)
	if err != nil {
		return nil, nil, fmt.Errorf("no server answers at %s; is it running? (%w)", t.Server, err)
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, resp.Header, nil
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	var told struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(text, &told) == nil && told.Error != "" {
		return nil, nil, errors.New(told.Error)
	}
	return nil, nil, errors.New(strings.TrimSpace(string(text)))
}

// writeFile writes r to a new file that takes the name only when it is whole.
func writeFile(name string, compress bool, r io.Reader) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), ".fractal-*")
	if err != nil {
		return fmt.Errorf("the file cannot be written: %w", err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	var w io.Writer = f
	var z *gzip.Writer
	if compress {
		z = gzip.NewWriter(f)
		w = z
	}
	_, err = io.Copy(w, r)
	if z != nil {
		err = errors.Join(err, z.Close())
	}
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
