// Command fractal is the whole of Fractal: the server, and the tools around it. It owns flags and wiring, and turns errors
// into one sentence and an exit code: 0 done, 1 could not, 2 was asked wrongly.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends it at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// command is one verb of the command line.
type command struct {
	name  string
	args  string // after the name, in the usage line
	about string // one line
	run   func(ctx context.Context, c *call) error
}

// commands in the order of help. The first is what is meant when nothing is said.
var commands = []command{
	{"serve", "[--addr HOST:PORT] [--data DIR] …", "Serve canvases to browsers (the default).", serve},
	{"import", "FILE --canvas NAME [--server URL]", "Draw a file onto a canvas of a running server.", importFile},
	{"export", "--canvas NAME [--server URL] [--out FILE] | movie --to LOCATION …", "Write a canvas of a running server to a file, or film a zoom.", exportCanvas},
	{"terminals", terminalsArgs, "List the terminals of a running server, make one, end or record one.", terminals},
	{"attach", "CANVAS/NAME [--server URL]", "Show a terminal of a canvas in this one.", attach},
	{"play", "FILE.cast [--speed TIMES] [--idle SECONDS]", "Play a recording of a terminal in this one.", play},
	{"backup", "--out FILE [--data DIR | --server URL]", "Copy every canvas into one file.", backup},
	{"bench", "corpus|import|overview|flood|zoom …", "Measure, or make something to measure with.", benchmark},
}

// call is one use of a command.
type call struct {
	flags          *flag.FlagSet
	args           []string // as typed, after the name
	stdout, stderr io.Writer
}

// usageError is a mistake in how the program was called: exit code 2.
type usageError string

func (e usageError) Error() string { return string(e) }

// errHelp was asked for and has been given.
var errHelp = errors.New("help")

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	name, rest := commands[0].name, args
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, rest = args[0], args[1:]
	}
	if name == "help" || len(args) == 1 && (args[0] == "-h" || args[0] == "--help" || args[0] == "-help") {
		if len(rest) > 0 && name == "help" {
			name, rest = rest[0], []string{"--help"}
		} else {
			help(stdout)
			return 0
		}
	}
	for _, c := range commands {
		if c.name != name {
			continue
		}
		return outcome(c, stderr, c.run(ctx, &call{flagSet(c, stdout), rest, stdout, stderr}))
	}
	fmt.Fprintf(stderr, "fractal: there is no command %q. Try: fractal help\n", name)
	return 2
}

func outcome(c command, stderr io.Writer, err error) int {
	var wrong usageError
	switch {
	case err == nil, errors.Is(err, errHelp):
		return 0
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "fractal: %s\nUsage: fractal %s %s\n", wrong, c.name, c.args)
		return 2
	default:
		fmt.Fprintf(stderr, "fractal: %s\n", plainly(err))
		return 1
	}
}

// plainly is an error as a sentence: without the names of packages it came through.
func plainly(err error) string {
	text := err.Error()
	for {
		head, rest, ok := strings.Cut(text, ": ")
		switch {
		case ok && (head == "journal" || head == "backup" || head == "exchange" || head == "remote" || head == "server" || head == "room" || head == "web"):
			text = rest
		default:
			return text
		}
	}
}

func help(w io.Writer) {
	fmt.Fprint(w, "Fractal is an infinitely zoomable shared canvas.\n\nUsage: fractal [command] [flags]\n\nCommands:\n")
	for _, c := range commands {
		fmt.Fprintf(w, "  %-9s %s\n", c.name, c.about)
	}
	fmt.Fprint(w, "\nFlags of a command: fractal help COMMAND. To begin: fractal, then open the address it prints.\n")
}

func flagSet(c command, stdout io.Writer) *flag.FlagSet {
	f := flag.NewFlagSet(c.name, flag.ContinueOnError)
	f.SetOutput(io.Discard) // mistakes are told in our words
	f.Usage = func() {
		fmt.Fprintf(stdout, "%s\n\nUsage: fractal %s %s\n\nFlags:\n", c.about, c.name, c.args)
		f.VisitAll(func(g *flag.Flag) {
			kind, about := flag.UnquoteUsage(g)
			if kind != "" {
				kind = " " + kind
			}
			if g.DefValue != "" && g.DefValue != "false" && g.DefValue != "0" {
				about += " (default " + g.DefValue + ")"
			}
			fmt.Fprintf(stdout, "  --%-22s %s\n", g.Name+kind, about)
		})
	}
	return f
}

// parse reads the flags, wherever they stand, and returns what is not a flag.
func (c *call) parse() (rest []string, err error) {
	args := c.args
	for {
		if err := c.flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, errHelp
		} else if err != nil {
			return nil, usageError(err.Error())
		}
		if c.flags.NArg() == 0 {
			return rest, nil
		}
		if len(args) > c.flags.NArg() && args[len(args)-c.flags.NArg()-1] == "--" {
			return append(rest, c.flags.Args()...), nil
		}
		rest, args = append(rest, c.flags.Arg(0)), c.flags.Args()[1:]
	}
}

// parseNone reads the flags of a command that takes nothing else.
func (c *call) parseNone() error {
	rest, err := c.parse()
	if err == nil && len(rest) > 0 {
		err = usageError(fmt.Sprintf("%q is one word too many", rest[0]))
	}
	return err
}

// printJSON writes the one object that --json promises.
func (c *call) printJSON(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.stdout, "%s\n", b)
	return err
}
