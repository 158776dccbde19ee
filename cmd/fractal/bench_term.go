package main

import (
	"context"
	"os"

	"fractal/bench"
)

func benchTerm(ctx context.Context, c *call) error {
	if len(c.args) > 0 && c.args[0] == "print" { // what floods: not for people
		c.args = c.args[1:]
		count := c.flags.String("count", "", "write how many frames were printed to `FILE`")
		if err := c.parseNone(); err != nil {
			return err
		}
		return bench.Print(ctx, os.Stdout, *count)
	}
	if len(c.args) > 0 && c.args[0] == "conformance" {
		c.args = c.args[1:]
		data := c.flags.String("data", "", "other projects' suites are in `DIR`; in FRACTAL_CONFORMANCE or ../shared/conformance when absent")
		long := c.flags.Bool("long", false, "say what was wrong with each case that failed")
		if err := c.parseNone(); err != nil {
			return err
		}
		return bench.Conformance(c.stdout, *data, *long)
	}
	var b bench.Term
	c.flags.IntVar(&b.Floods, "floods", 1, "`N` programs that print pictures without end")
	c.flags.IntVar(&b.Viewers, "viewers", 1, "`N` people who look at each of them")
	c.flags.Float64Var(&b.Hz, "hz", 60, "`FRAMES` a second of their displays")
	c.flags.Float64Var(&b.Seconds, "seconds", 10, "measure for so many `SECONDS`")
	c.flags.IntVar(&b.Cat, "cat", 150, "print `MEGABYTES` through a session and through tmux; 0: do not")
	c.flags.IntVar(&b.Runs, "runs", 1, "do it `N` times, each with fresh servers")
	c.flags.IntVar(&b.Procs, "procs", 0, "GOMAXPROCS of the servers is `N`")
	c.flags.StringVar(&b.Profile, "profile", "", "write a CPU profile of the flooded server to `FILE`")
	_, err := checked(c, func() error { return b.Check() }, func(self string) (*bench.TermResult, error) { return b.Measure(ctx, self, c.stderr) })
	return err
}
