package bench

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"fractal/vt"
	"fractal/vt/payload"
)

// coreThroughput is what the core takes in by second of processor time, in megabytes, of each payload.
func coreThroughput() map[string]float64 {
	out := map[string]float64{}
	runtime.LockOSThread() // its clock is read
	defer runtime.UnlockOSThread()
	for _, kind := range payload.Kinds {
		data := payload.Make(kind, 8<<20, 1)
		t := vt.New(vt.Config{Cols: payload.Cols, Rows: payload.Rows})
		t.Write(data) // fills the history
		begun, n := threadCPU(), 0
		for threadCPU()-begun < 400*time.Millisecond {
			for p := data; len(p) > 0; {
				k := min(len(p), 32<<10)
				t.Write(p[:k])
				p = p[k:]
			}
			n++
		}
		out[kind] = float64(n*len(data)) / 1e6 / (threadCPU() - begun).Seconds()
	}
	return out
}

// bytesPerTerminal is what a terminal with 10,000 lines of text keeps in memory.
func bytesPerTerminal() float64 {
	data := payload.Make("ascii", 2<<20, 1)
	const n = 20
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	all := make([]*vt.Terminal, n)
	for i := range all {
		all[i] = vt.New(vt.Config{Cols: payload.Cols, Rows: payload.Rows})
		for first, end := all[i].History(); end-first < 10_000; first, end = all[i].History() {
			all[i].Write(data)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(all)
	return (float64(after.HeapAlloc) - float64(before.HeapAlloc)) / n
}

// Print floods the terminal it runs in with frames of a fire, until ctx ends, and writes how many there were to a file as it goes.
func Print(ctx context.Context, to io.Writer, count string) error {
	f, err := os.OpenFile(count, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	defer f.Close()
	frames := payload.Frames(4<<20, 1)
	var n uint64
	var word [8]byte
	for ctx.Err() == nil {
		for _, frame := range frames {
			if _, err := to.Write(frame); err != nil {
				return nil // the terminal has gone
			}
			n++
			binary.LittleEndian.PutUint64(word[:], n)
			if _, err := f.WriteAt(word[:], 0); err != nil {
				return fmt.Errorf("bench: %w", err)
			}
		}
	}
	return nil
}

// framesOf reads what Print counts.
func framesOf(file string) float64 {
	b, err := os.ReadFile(file)
	if err != nil || len(b) < 8 {
		return 0
	}
	return float64(binary.LittleEndian.Uint64(b))
}

// catKinds are the payloads that are compared with tmux.
var catKinds = []string{"ascii", "csi", "unicode"}

// cat prints a long file through a session nobody looks at, and through a pane of tmux nobody looks at.
func (b Term) cat(ctx context.Context, program string, log io.Writer, one *TermRun) error {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		tmux = ""
		fmt.Fprintln(log, "There is no tmux on this machine: cat_vs_tmux stays empty.")
	}
	one.CatSeconds = map[string]catSeconds{}
	for _, kind := range catKinds {
		dir, err := os.MkdirTemp("", "fractal-bench-")
		if err != nil {
			return fmt.Errorf("bench: %w", err)
		}
		file := filepath.Join(dir, kind)
		once := payload.Make(kind, 10_000_000, 1)
		err = os.WriteFile(file, bytes.Repeat(once, max(1, b.Cat/10)), 0o600)
		var ours, theirs float64
		if err == nil {
			ours, err = b.catOurs(ctx, program, log, dir, file)
		}
		if err == nil && tmux != "" {
			theirs, err = catTmux(ctx, tmux, dir, file)
		}
		os.RemoveAll(dir)
		if err != nil {
			return err
		}
		seconds := catSeconds{Ours: ours}
		if tmux != "" {
			seconds.Tmux = &theirs
			ratio := ours / theirs
			one.Cat[kind] = &ratio
		}
		one.CatSeconds[kind] = seconds
	}
	return nil
}

// printed waits until a program has said that it has printed all.
func printed(ctx context.Context, done string) error {
	for {
		if _, err := os.Stat(done); err == nil {
			return nil
		}
		if err := pause(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
}

// catScript prints a file and says when it has.
const catScript = `cat "$0"; : > "$1"; exec sleep 1000`

func (b Term) catOurs(ctx context.Context, program string, log io.Writer, dir, file string) (float64, error) {
	s, err := b.stage(ctx, program, log)
	if err != nil {
		return 0, err
	}
	defer s.close()
	before, done := s.cpuSeconds(), filepath.Join(dir, "done-ours")
	if _, err := s.start(ctx, "cat", "sh", "-c", catScript, file, done); err != nil {
		return 0, err
	}
	err = printed(ctx, done)
	return s.cpuSeconds() - before, err
}

func catTmux(ctx context.Context, tmux, dir, file string) (float64, error) {
	conf, socket, done := filepath.Join(dir, "conf"), filepath.Join(dir, "socket"), filepath.Join(dir, "done-tmux")
	if err := os.WriteFile(conf, []byte("set -g history-limit 10000\nset -g status off\n"), 0o600); err != nil {
		return 0, fmt.Errorf("bench: %w", err)
	}
	run := func(ctx context.Context, args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, tmux, append([]string{"-S", socket, "-f", conf}, args...)...)
		cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=C.UTF-8")
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("bench: tmux %s: %w: %s", args[0], err, out)
		}
		return strings.TrimSpace(string(out)), err
	}
	if _, err := run(ctx, "-u", "new-session", "-d", "-x", strconv.Itoa(payload.Cols), "-y", strconv.Itoa(payload.Rows), "exec cat"); err != nil {
		return 0, err
	}
	defer run(context.WithoutCancel(ctx), "kill-server") // it may have ended
	out, err := run(ctx, "display-message", "-p", "#{pid}")
	pid, bad := strconv.Atoi(out)
	if err == nil && bad != nil {
		err = fmt.Errorf("bench: tmux does not say which process it is: %q", out)
	}
	if err != nil {
		return 0, err
	}
	before := processSeconds(pid)
	if _, err := run(ctx, "respawn-pane", "-k", "exec sh -c '"+catScript+"' '"+file+"' '"+done+"'"); err != nil {
		return 0, err
	}
	err = printed(ctx, done)
	return processSeconds(pid) - before, err
}
