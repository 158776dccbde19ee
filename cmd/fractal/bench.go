package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"fractal/bench"
)

// benchmarks in the order of help.
var benchmarks = []command{
	{"bench corpus", "[--shape NAME] [--seed N] [--out FILE]", "Draw a synthetic corpus of nested scenes.", benchCorpus},
	{"bench import", "--corpus FILE [--runs N]", "Import a corpus into a fresh server: strokes/s, reopening, memory.", benchImport},
	{"bench overview", "--corpus FILE [--runs N]", "Look at a corpus for the first time: a cold view of 24 cells.", benchOverview},
	{"bench flood", "[--writers N] [--rate R] [--viewers M] [--hz 60] [--seconds S] …", "Draw and look at once: pulls/s, latencies, CPU, memory.", benchFlood},
	{"bench term", "[--floods N] [--viewers M] [--hz 60] [--seconds S] [--cat MB] … | conformance", "Terminals: the core, floods with people looking, a long cat beside tmux, memory, wake-ups.", benchTerm},
	{"bench zoom", "[--locations NAMES] [--samples N] …", "Fall into the Mandelbrot set: CPU and wall time of views at every depth.", benchZoom},
	{"bench hold", "[--location NAME] [--from N] …", "Hold the zoom key: what a viewer of a fresh server sees in time.", benchHold},
}

func benchmark(ctx context.Context, c *call) error {
	if len(c.args) > 0 {
		for _, b := range benchmarks {
			if b.name == "bench "+c.args[0] {
				sub := &call{flagSet(b, c.stdout), c.args[1:], c.stdout, c.stderr}
				if err := b.run(ctx, sub); err != nil {
					if _, wrong := errors.AsType[usageError](err); wrong {
						return usageError(fmt.Sprintf("%s (fractal help %s)", err, b.name))
					}
					return err
				}
				return nil
			}
		}
	}
	fmt.Fprint(c.stdout, "Usage: fractal bench BENCHMARK [flags]\n\n")
	for _, b := range benchmarks {
		fmt.Fprintf(c.stdout, "  %-14s %s\n", b.name, b.about)
	}
	fmt.Fprint(c.stdout, "\nFlags: fractal bench BENCHMARK --help. All print one JSON object on the last line with --json.\n")
	if len(c.args) == 0 || c.args[0] == "--help" || c.args[0] == "-h" {
		return nil
	}
	return usageError(fmt.Sprintf("there is no benchmark %q", c.args[0]))
}

func benchCorpus(ctx context.Context, c *call) error {
	var names []string
	for _, s := range bench.Shapes {
		names = append(names, s.Name)
	}
	name := c.flags.String("shape", names[0], "the `NAME` of a shape: "+strings.Join(names, ", "))
	seed := c.flags.Uint64("seed", 1, "another `NUMBER`, another drawing of that shape")
	out := c.flags.String("out", "", "write to `FILE`, compressed when it ends in .gz; standard output when absent")
	asJSON := c.flags.Bool("json", false, "print the result as one JSON object on the last line")
	if err := c.parseNone(); err != nil {
		return err
	}
	shape, ok := bench.ShapeNamed(*name)
	if !ok {
		return usageError(fmt.Sprintf("there is no shape %q; there are: %s", *name, strings.Join(names, ", ")))
	}
	var err error
	if *out == "" {
		err = bench.WriteCorpus(ctx, c.stdout, shape, *seed)
	} else {
		r, w := io.Pipe()
		go func() { w.CloseWithError(bench.WriteCorpus(ctx, w, shape, *seed)) }() // ends when r is closed
		err = writeFile(*out, strings.HasSuffix(*out, ".gz"), r)
		r.Close()
	}
	if err == nil && *asJSON {
		err = c.printJSON(map[string]any{"shape": shape.Name, "seed": *seed, "strokes": shape.Strokes, "points": shape.Points, "busiest": shape.Crowds[0], "out": *out})
	}
	return err
}

func benchImport(ctx context.Context, c *call) error {
	return measure(ctx, c, func(program, corpus string, runs int) (tabled, error) {
		return bench.Import(ctx, program, corpus, runs, c.stderr)
	})
}

func benchOverview(ctx context.Context, c *call) error {
	inBrowser := c.flags.Bool("browser", false, "open the page in Chromium too (named by FRACTAL_CHROMIUM, else on the PATH)")
	return measure(ctx, c, func(program, corpus string, runs int) (tabled, error) {
		browser := ""
		if *inBrowser {
			var err error
			if browser, err = bench.Chromium(); err != nil {
				return nil, err
			}
		}
		return bench.Overview(ctx, program, corpus, browser, runs, c.stderr)
	})
}

// tabled is a result that people can read too.
type tabled interface{ Table() string }

// measure runs a benchmark that takes a corpus and a number of runs.
func measure(ctx context.Context, c *call, run func(program, corpus string, runs int) (tabled, error)) error {
	corpus := c.flags.String("corpus", "", "the `FILE` to measure with; fractal bench corpus makes some")
	runs := c.flags.Int("runs", 3, "do it `N` times, each with a fresh server")
	check := func() error {
		if *corpus == "" {
			return errors.New("say which corpus: --corpus FILE")
		}
		if *runs < 1 {
			return errors.New("--runs is at least 1")
		}
		return nil
	}
	_, err := checked(c, check, func(self string) (tabled, error) { return run(self, *corpus, *runs) })
	return err
}

// checked reads the flags of a benchmark, runs it, and prints what it found. check says what is wrong with the flags; run is told
// which program this is.
func checked[R tabled](c *call, check func() error, run func(self string) (R, error)) (result R, err error) {
	asJSON := c.flags.Bool("json", false, "print the result as one JSON object only")
	if err := c.parseNone(); err != nil {
		return result, err
	}
	if err := check(); err != nil {
		return result, usageError(err.Error())
	}
	self, err := os.Executable()
	if err != nil {
		return result, err
	}
	if result, err = run(self); err != nil {
		return result, err
	}
	if !*asJSON {
		fmt.Fprint(c.stdout, result.Table())
	}
	return result, c.printJSON(result)
}

func benchZoom(ctx context.Context, c *call) error {
	z := bench.Zoom{Stderr: c.stderr}
	names := c.flags.String("locations", "e113,flake,liiiines,e533,e1000,glitch7", "`NAMES` of locations with commas between, or all")
	c.flags.IntVar(&z.Samples, "samples", 21, "look at `N` depths of each, evenly spread")
	c.flags.IntVar(&z.Runs, "runs", 1, "do it `N` times")
	c.flags.IntVar(&z.Deepest, "deepest", 16000, "go no deeper than `DOUBLINGS`")
	c.flags.Float64Var(&z.Budget, "budget", 600, "a view is complete in time within `MS` of CPU")
	c.flags.BoolVar(&z.Large, "large", false, "measure 1440 × 900 beside 768 × 512")
	check := func() error {
		z.Locations = strings.Split(*names, ",")
		return z.Check()
	}
	_, err := checked(c, check, func(string) (*bench.Zoomed, error) { return z.Measure(ctx) })
	return err
}

func benchHold(ctx context.Context, c *call) error {
	h := bench.Hold{Stderr: c.stderr}
	c.flags.StringVar(&h.Location, "location", "e1000", "fall towards `NAME`")
	c.flags.IntVar(&h.From, "from", 1280, "the key goes down after `N` doublings, where everything is settled")
	c.flags.IntVar(&h.Doublings, "doublings", 60, "hold it for `N` doublings")
	c.flags.Float64Var(&h.Every, "every", 300, "one doubling every `MS`")
	c.flags.IntVar(&h.Runs, "runs", 1, "do it `N` times, each with a fresh server")
	c.flags.BoolVar(&h.Browser, "browser", false, "hold it in Chromium too: what the page's main thread sees of it")
	c.flags.StringVar(&h.Trace, "trace", "", "write a runtime trace of the server, of at most ten seconds, to `FILE`")
	_, err := checked(c, h.Check, func(self string) (*bench.HoldResult, error) { return h.Measure(ctx, self) })
	return err
}

func benchFlood(ctx context.Context, c *call) error {
	var f bench.Flood
	c.flags.IntVar(&f.Writers, "writers", 50, "`N` people who draw; 0: nothing happens, and what that costs is measured")
	c.flags.Float64Var(&f.Rate, "rate", 20, "`STROKES` of 100 points each of them draws in a second")
	c.flags.IntVar(&f.Viewers, "viewers", 1, "`N` people who look")
	c.flags.Float64Var(&f.Hz, "hz", 60, "`FRAMES` a second of their displays")
	c.flags.Float64Var(&f.Seconds, "seconds", 10, "measure for so many `SECONDS`")
	c.flags.IntVar(&f.Slow, "slow", 0, "`K` of the viewers paint at 10 Hz, behind a link of 200 kB/s and 20 ms")
	c.flags.IntVar(&f.Strokes, "strokes", 0, "`N` strokes are there before")
	c.flags.IntVar(&f.Screens, "screens", 1, "spread the ink over `N` screens; the viewers look at the first")
	c.flags.IntVar(&f.Runs, "runs", 1, "do it `N` times, each with a fresh server")
	c.flags.StringVar(&f.Server, "server", "", "`URL` of a running server on this machine; when absent, one is started for each run")
	c.flags.IntVar(&f.Procs, "procs", 0, "GOMAXPROCS of the servers that are started is `N`")
	c.flags.StringVar(&f.Against, "against", "", "compare with `PROGRAM`, another fractal, in alternating order")
	c.flags.BoolVar(&f.Browser, "browser", false, "somebody draws in Chromium meanwhile: what the page's main thread and their own ink see of it")
	c.flags.StringVar(&f.Profile, "profile", "", "write a CPU profile of the server to `FILE`")
	result, err := checked(c, func() error { return f.Check() }, func(self string) (*bench.FloodResult, error) { return f.Measure(ctx, self, c.stderr) })
	if err != nil {
		return err
	}
	return result.Worse()
}
