package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"os/user"
	"sync"
	"syscall"

	xterm "golang.org/x/term"

	"fractal/remote"
	"fractal/term"
	"fractal/wire"
)

// detachKey leaves: Ctrl+], as telnet's does.
const detachKey = 0x1d

// attach is `fractal attach NAME`: a terminal of a canvas, in this one.
func attach(ctx context.Context, c *call) error {
	o := terminalFlags(c)
	name, t, err := o.one(c, "attach")
	if err != nil {
		return err
	}
	in, out := int(os.Stdin.Fd()), int(os.Stdout.Fd())
	if !xterm.IsTerminal(in) || !xterm.IsTerminal(out) {
		return errors.New("attach needs a terminal to show it in; its input and output are something else here")
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP, syscall.SIGQUIT) // else they would leave the terminal raw
	defer stop()
	v := &onlooker{out: os.Stdout, size: func() (cols, rows int) {
		cols, rows, err := xterm.GetSize(out)
		if err != nil || cols == 0 || rows == 0 { // it does not say
			return 80, 24
		}
		return cols, rows
	}}
	v.a, err = remote.Attach(ctx, t, remote.Who{Name: personName()}, name, v.say)
	if err != nil {
		return err
	}
	defer v.a.Close()

	was, err := xterm.MakeRaw(in)
	if err != nil {
		return fmt.Errorf("this terminal cannot be used: %w", err)
	}
	defer func() { _ = xterm.Restore(in, was) }()
	_, _ = io.WriteString(v.out, "\x1b[?1049h\x1b[H\x1b[2J")
	defer func() { _, _ = v.out.Write(append(v.painter.Restore(nil), "\x1b[?1049l"...)) }()

	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	go func() { // ends with ctx
		for {
			v.offer(ctx)
			if v.paint(nil) != nil {
				return // watch sees it too
			}
			select {
			case <-resized:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() { // ends with the program: a read of a terminal cannot be called back
		v.typed(ctx, os.Stdin)
		stop()
	}()
	err = v.watch(ctx)
	if ctx.Err() != nil { // detached, or interrupted
		return nil
	}
	return err
}

func personName() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "attached"
}

// onlooker shows a terminal in a native one.
type onlooker struct {
	a    *remote.Attached
	out  io.Writer
	size func() (cols, rows int)

	mu      sync.Mutex // guards all below, and what is written to out
	painter term.Painter
	said    string
	full    bool // paint everything next
}

// watch paints frames until the program ends for good, or ctx does. The terminal taking what is written is what paces it.
func (v *onlooker) watch(ctx context.Context) error {
	for {
		f, err := v.a.Next(ctx)
		if err != nil {
			return err
		}
		if err := v.paint(f); err != nil {
			return err
		}
	}
}

// paint shows a frame; nil: everything anew.
func (v *onlooker) paint(f *term.Frame) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.a.Absent() {
		v.full = true
		return v.write("\x1b[0m\x1b[2J\x1b[HNo program runs here. Press Enter to start one, Ctrl+] to leave.")
	}
	_, rows := v.size()
	whole := v.a.Full()
	if whole == nil {
		return nil
	}
	if f == nil || v.full || whole.Rows > rows {
		f = whole
	}
	v.full = v.said != "" // what it covers is painted again with the next
	b := v.painter.Append(nil, fit(f, rows))
	if whole.Facts.Ended {
		b = fmt.Appendf(b, "\x1b[%d;1H\x1b[0;7m The program has ended. Press Enter to start it again, Ctrl+] to leave. \x1b[0m", min(rows, whole.Rows))
		v.full = true
	}
	return v.write(string(b) + v.saying(rows))
}

// fit cuts a full frame to so many rows, those around the cursor.
func fit(f *term.Frame, rows int) *term.Frame {
	if f.Rows <= rows || !f.Full {
		return f
	}
	g := *f
	top := min(max(0, f.Cursor.Y-rows+1), f.Rows-rows)
	g.Rows, g.Cursor.Y, g.Changed = rows, f.Cursor.Y-top, nil
	for _, r := range f.Changed {
		if r.Y >= top && r.Y < top+rows {
			g.Changed = append(g.Changed, term.FrameRow{Y: r.Y - top, Data: r.Data})
		}
	}
	return &g
}

// say shows why something typed was not taken, until something is typed again: a frame that came at once would take it away unread.
func (v *onlooker) say(reason string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.said, v.full = reason, true
	_, rows := v.size()
	_ = v.write(v.saying(rows))
}

// saying is what shows that over the last row; nothing where there is nothing to say.
func (v *onlooker) saying(rows int) string {
	if v.said == "" {
		return ""
	}
	return fmt.Sprintf("\x1b7\x1b[%d;1H\x1b[0;7m %s \x1b[0m\x1b8", rows, v.said)
}

// offer says how large this terminal is.
func (v *onlooker) offer(ctx context.Context) {
	cols, rows := v.size()
	_ = v.a.Do(ctx, &wire.TermIn{What: &wire.TermIn_Size{Size: &wire.TermSize{Cols: uint32(cols), Rows: uint32(rows)}}}) // said again after a cut
}

// typed sends what is typed until the detach key, or until nothing more comes.
func (v *onlooker) typed(ctx context.Context, in io.Reader) {
	buf := make([]byte, 16<<10)
	for {
		n, err := in.Read(buf)
		p, _, detached := bytes.Cut(buf[:n], []byte{detachKey})
		if len(p) > 0 {
			v.mu.Lock()
			v.said = ""
			v.mu.Unlock()
			m := &wire.TermIn{What: &wire.TermIn_Text{Text: p}}
			if v.stopped() && bytes.ContainsAny(p, "\r\n") {
				m.What = &wire.TermIn_Restart{Restart: true}
			}
			_ = v.a.Do(ctx, m) // a cut is seen by whoever reads
		}
		if detached || err != nil {
			return
		}
	}
}

// stopped reports whether no program runs.
func (v *onlooker) stopped() bool {
	f := v.a.Full()
	return v.a.Absent() || f != nil && f.Facts.Ended
}

func (v *onlooker) write(s string) error {
	if _, err := io.WriteString(v.out, s); err != nil {
		return fmt.Errorf("this terminal takes nothing more: %w", err)
	}
	return nil
}
