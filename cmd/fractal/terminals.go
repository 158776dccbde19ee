package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"fractal/remote"
	"fractal/server"
	"fractal/wire"
)

// terminalsArgs is how `fractal terminals` is called.
const terminalsArgs = "[list] | new NAME --canvas NAME [-- COMMAND …] | kill|remove NAME --canvas NAME | record NAME --canvas NAME --out FILE"

// terminals is `fractal terminals`: what runs, one more, one less.
func terminals(ctx context.Context, c *call) error {
	verb := "list"
	if len(c.args) > 0 && !strings.HasPrefix(c.args[0], "-") {
		verb, c.args = c.args[0], c.args[1:]
	}
	o := terminalFlags(c)
	switch verb {
	case "list":
		return o.list(ctx, c)
	case "new":
		return o.make(ctx, c)
	case "kill":
		return o.kill(ctx, c)
	case "remove":
		return o.remove(ctx, c)
	case "record":
		return o.record(ctx, c)
	}
	return usageError(fmt.Sprintf("%q is not what can be done with terminals", verb))
}

// terminalOptions are flags of the commands around terminals.
type terminalOptions struct {
	canvas, address, data *string
	asJSON                *bool
}

func terminalFlags(c *call) terminalOptions {
	return terminalOptions{
		canvas:  c.flags.String("canvas", "", "the `NAME` of the canvas; CANVAS/NAME says it too"),
		address: c.flags.String("server", defaultServer, "the server's `URL`, or its link with the owner's secret"),
		data:    c.flags.String("data", defaultData, "the server's `DIR`, where the owner's secret is, if it runs on this machine"),
		asJSON:  c.flags.Bool("json", false, "print the result as one JSON object"),
	}
}

// target is the server, with the owner's secret if that can be found.
func (o *terminalOptions) target() (remote.Target, error) {
	t, err := remote.ParseTarget(*o.address, *o.canvas)
	if err != nil {
		return t, usageError(err.Error())
	}
	if ip := net.ParseIP(t.Server.Hostname()); t.Token == "" && (t.Server.Hostname() == "localhost" || ip != nil && ip.IsLoopback()) {
		b, err := os.ReadFile(filepath.Join(*o.data, ownerFile))
		if err == nil { // else the server says that it wants one
			t.Token = strings.TrimSpace(string(b))
		}
	}
	return t, nil
}

// named splits CANVAS/NAME.
func (o *terminalOptions) named(arg string) (name string, err error) {
	if on, name, ok := strings.Cut(arg, "/"); ok {
		if *o.canvas != "" && *o.canvas != on {
			return "", usageError(fmt.Sprintf("%s is on another canvas than --canvas %s", arg, *o.canvas))
		}
		*o.canvas, arg = on, name
	}
	if *o.canvas == "" {
		return "", usageError("say on which canvas: --canvas NAME, or CANVAS/NAME")
	}
	return arg, nil
}

func (o *terminalOptions) list(ctx context.Context, c *call) error {
	if err := c.parseNone(); err != nil {
		return err
	}
	t, err := o.target()
	if err != nil {
		return err
	}
	var answer struct {
		Terminals []server.TerminalJSON `json:"terminals"`
	}
	if err := ask(ctx, t, http.MethodGet, "api/terminals", nil, &answer); err != nil {
		return err
	}
	if *o.canvas != "" {
		all := answer.Terminals
		answer.Terminals = []server.TerminalJSON{}
		for _, j := range all {
			if j.Canvas == *o.canvas {
				answer.Terminals = append(answer.Terminals, j)
			}
		}
	}
	if *o.asJSON {
		return c.printJSON(answer)
	}
	if len(answer.Terminals) == 0 {
		fmt.Fprintln(c.stdout, "No programs run in terminals, and none waits for one on a canvas that is open.")
		return nil
	}
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TERMINAL\tSIZE\tSTATE\tTITLE")
	for _, j := range answer.Terminals {
		state := fmt.Sprintf("process %d", j.Pid)
		switch {
		case j.Exit != "":
			state = j.Exit
		case !j.Started:
			state = "no program"
		}
		fmt.Fprintf(w, "%s/%s\t%d × %d\t%s\t%s\n", j.Canvas, j.Name, j.Cols, j.Rows, state, j.Title)
	}
	return w.Flush()
}

// make starts a program, if one is named, and puts the terminal on the canvas beside what is drawn.
func (o *terminalOptions) make(ctx context.Context, c *call) error {
	cols, rows := c.flags.Int("cols", 80, "`COLUMNS` of the terminal"), c.flags.Int("rows", 24, "`ROWS` of the terminal")
	dir := c.flags.String("dir", "", "start COMMAND in `DIR` of the server; the home of its user when absent")
	command := commandAfter(c)
	rest, err := c.parse()
	switch {
	case err != nil:
		return err
	case len(rest) != 1:
		return usageError("new takes one NAME, and the command after --")
	case *cols < 1 || *rows < 1 || *cols > 1024 || *rows > 512:
		return usageError(fmt.Sprintf("a terminal of %d × %d cannot be: up to 1024 columns and 512 rows", *cols, *rows))
	case *dir != "" && len(command) == 0:
		return usageError("--dir says where COMMAND is started: name one after --")
	}
	name, err := o.named(rest[0])
	if err != nil {
		return err
	}
	t, err := o.target()
	if err != nil {
		return err
	}
	if len(command) > 0 {
		want := server.NewTerminalJSON{Canvas: t.Canvas, Name: name, Command: command, Dir: *dir, Cols: *cols, Rows: *rows}
		if err := ask(ctx, t, http.MethodPost, "api/terminals", want, nil); err != nil {
			return err
		}
	}
	if err := placeTerminal(ctx, t, name, *cols, *rows); err != nil {
		if len(command) > 0 { // nobody would find it
			err = errors.Join(err, ask(ctx, t, http.MethodDelete, "api/terminals/"+t.Canvas+"/"+name, nil, nil))
		}
		return err
	}
	if *o.asJSON {
		return c.printJSON(map[string]any{"canvas": t.Canvas, "name": name})
	}
	fmt.Fprintf(c.stdout, "%s/%s is on the canvas; from here: fractal attach %[1]s/%[2]s\n", t.Canvas, name)
	return nil
}

func placeTerminal(ctx context.Context, t remote.Target, name string, cols, rows int) error {
	return do(ctx, t, func(w *wire.Welcome) *wire.Op {
		return &wire.Op{Body: &wire.Op_Terminal{Terminal: remote.Place(w, name, cols, rows)}}
	})
}

// do sends one op and says why it was rejected, if it was.
func do(ctx context.Context, t remote.Target, op func(*wire.Welcome) *wire.Op) error {
	rejected := make(chan string, 1)
	s, err := remote.Open(ctx, t, remote.Who{Name: "fractal terminals"}, func(a remote.Answer) {
		if a.Reject != "" {
			rejected <- a.Reject
		}
	})
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.Send(op(s.Welcome())); err != nil {
		return err
	}
	if err := s.Flush(); err != nil {
		return err
	}
	select {
	case why := <-rejected:
		return errors.New(why)
	default:
		return nil
	}
}

func (o *terminalOptions) kill(ctx context.Context, c *call) error {
	name, t, err := o.one(c, "kill")
	if err != nil {
		return err
	}
	if err := ask(ctx, t, http.MethodDelete, "api/terminals/"+t.Canvas+"/"+name, nil, nil); err != nil {
		return err
	}
	if *o.asJSON {
		return c.printJSON(map[string]any{"canvas": t.Canvas, "name": name})
	}
	fmt.Fprintf(c.stdout, "The program in %s/%s has ended.\n", t.Canvas, name)
	return nil
}

// remove takes a terminal off the canvas; its program runs on.
func (o *terminalOptions) remove(ctx context.Context, c *call) error {
	name, t, err := o.one(c, "remove")
	if err != nil {
		return err
	}
	a, err := remote.Attach(ctx, t, remote.Who{Name: "fractal terminals"}, name, nil)
	if err != nil {
		return err
	}
	a.Close()
	if err := do(ctx, t, func(*wire.Welcome) *wire.Op {
		return &wire.Op{Body: &wire.Op_Remove{Remove: &wire.Remove{Seq: a.Terminal()}}}
	}); err != nil {
		return err
	}
	if *o.asJSON {
		return c.printJSON(map[string]any{"canvas": t.Canvas, "name": name})
	}
	fmt.Fprintf(c.stdout, "%s/%s is off the canvas. A program in it runs on; fractal terminals kill ends it.\n", t.Canvas, name)
	return nil
}

// one reads the flags of a verb that takes one NAME.
func (o *terminalOptions) one(c *call, verb string) (name string, t remote.Target, err error) {
	rest, err := c.parse()
	if err == nil && len(rest) != 1 {
		err = usageError(verb + " takes one NAME")
	}
	if err == nil {
		name, err = o.named(rest[0])
	}
	if err == nil {
		t, err = o.target()
	}
	return name, t, err
}

func (o *terminalOptions) record(ctx context.Context, c *call) error {
	out := c.flags.String("out", "", "write to `FILE` (asciicast v2); - for standard output")
	seconds := c.flags.Float64("seconds", 0, "stop after so many `SECONDS`; when interrupted if absent")
	name, t, err := o.one(c, "record")
	switch {
	case err != nil:
		return err
	case *out == "":
		return usageError("say where to: --out FILE")
	}
	path := "c/" + t.Canvas + "/terminals/" + name + ".cast"
	if *seconds != 0 {
		path += fmt.Sprintf("?seconds=%g", *seconds)
	}
	body, _, err := get(ctx, t, path)
	if err != nil {
		return err
	}
	defer body.Close()
	to := c.stdout
	if *out != "-" {
		f, err := os.OpenFile(*out, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("the recording cannot be kept: %w", err)
		}
		defer f.Close()
		to = f
	}
	n, err := io.Copy(to, body)
	if err != nil && ctx.Err() == nil { // interrupted is how it ends
		return fmt.Errorf("the recording broke off after %d bytes: %w", n, err)
	}
	if *o.asJSON {
		return c.printJSON(map[string]any{"canvas": t.Canvas, "name": name, "out": *out, "bytes": n})
	}
	return nil
}

// commandAfter takes what stands after -- off the arguments.
func commandAfter(c *call) []string {
	for i, a := range c.args {
		if a == "--" {
			rest := c.args[i+1:]
			c.args = c.args[:i]
			return rest
		}
	}
	return nil
}

// ask sends a request of the JSON API and reads a good answer into out, unless that is nil.
func ask(ctx context.Context, t remote.Target, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, t.Server.JoinPath(path).String(), body)
	if err != nil {
		return err
	}
	req.Header = t.Header()
	resp, err := t.Client().Do(req)
	if err != nil {
		return fmt.Errorf("no server answers at %s; is it running? (%w)", t.Server, err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 16<<20))
	if err != nil {
		return fmt.Errorf("the answer broke off: %w", err)
	}
	if resp.StatusCode/100 != 2 {
		var said struct{ Error string }
		if json.Unmarshal(b, &said) != nil || said.Error == "" {
			said.Error = strings.TrimSpace(string(b))
		}
		if said.Error == "" {
			said.Error = resp.Status
		}
		return errors.New(said.Error)
	}
	if out != nil {
		if err := json.Unmarshal(b, out); err != nil {
			return fmt.Errorf("the server speaks another language; is it fractal, and of this version? (%w)", err)
		}
	}
	return nil
}
