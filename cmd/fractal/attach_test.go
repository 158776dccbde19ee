package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"fractal/vt"
)

// native is a real terminal with a program of ours in it.
type native struct {
	*testing.T
	cmd *exec.Cmd
	pty *os.File

	mu     sync.Mutex
	screen *vt.Terminal
	news   chan struct{} // holds one token when something was printed
	ended  chan struct{}
}

func nativeTerminal(t *testing.T, cols, rows uint16, args ...string) *native {
	t.Helper()
	n := &native{T: t, cmd: exec.Command(os.Args[0], args...), screen: vt.New(vt.Config{Cols: int(cols), Rows: int(rows)}), news: make(chan struct{}, 1), ended: make(chan struct{})}
	var err error
	if n.pty, err = pty.StartWithSize(n.cmd, &pty.Winsize{Cols: cols, Rows: rows}); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(n.ended)
		buf := make([]byte, 32<<10)
		for {
			k, err := n.pty.Read(buf)
			n.mu.Lock()
			_, _ = n.screen.Write(buf[:k])
			n.mu.Unlock()
			select {
			case n.news <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = n.cmd.Process.Kill()
		_ = n.cmd.Wait()
		_ = n.pty.Close()
	})
	return n
}

func (n *native) text() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, rows := n.screen.Size()
	var b strings.Builder
	for y := range rows {
		b.WriteString(n.screen.Text(y) + "\n")
	}
	return b.String()
}

// until waits for text on the screen.
func (n *native) until(what string) {
	n.Helper()
	n.wait(what, func() bool { return strings.Contains(n.text(), what) })
}

// attached waits until keys go to the terminal.
func (n *native) attached() {
	n.Helper()
	n.wait("being attached", func() bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		return n.screen.Modes().Alt
	})
}

func (n *native) wait(what string, there func() bool) {
	n.Helper()
	for !there() {
		select {
		case <-n.news:
		case <-n.ended:
			if !there() {
				n.Fatalf("it ended without %q:\n%s", what, n.text())
			}
		}
	}
}

func (n *native) typed(s string) {
	n.Helper()
	if _, err := n.pty.Write([]byte(s)); err != nil {
		n.Fatal(err)
	}
}

func TestTerminalsOutliveWhoeverAttaches(t *testing.T) {
	dir := t.TempDir()
	s := serveOn(t, dir, "--terminals", "--shell", "/bin/sh")
	if r := fractal(t, "terminals", "--server", s.url); r.code != 0 || !strings.Contains(r.stdout, "No programs") {
		t.Fatalf("exit %d, %q %q", r.code, r.stdout, r.stderr)
	}
	base, _, _ := strings.Cut(s.url, "?")
	if r := fractal(t, "terminals", "new", "build", "--canvas", "plan", "--server", base, "--data", dir); r.code != 0 {
		t.Fatalf("exit %d, %q", r.code, r.stderr)
	}
	if r := fractal(t, "terminals", "new", "build", "--canvas", "plan", "--server", s.url); r.code != 1 || !strings.Contains(r.stderr, "named build") {
		t.Errorf("a second one of the name: exit %d, %q", r.code, r.stderr)
	}
	if r := fractal(t, "terminals", "new", "hello", "--canvas", "plan", "--server", s.url, "--", "/bin/sh", "-c", "echo from a command; read x"); r.code != 0 {
		t.Errorf("exit %d, %q", r.code, r.stderr)
	}

	a := nativeTerminal(t, 70, 20, "attach", "plan/build", "--server", s.url)
	a.attached()
	a.typed("stty size; echo one-$((1+1))\r")
	a.until("one-2")
	a.until("20 70") // the last who typed owns the size
	b := nativeTerminal(t, 60, 15, "attach", "plan/hello", "--server", s.url)
	b.until("from a command")
	b.typed("\x1d")
	<-b.ended
	a.typed("\x1d")
	<-a.ended
	if err := a.cmd.Wait(); err != nil {
		t.Errorf("detached with %v", err)
	}
	if m := a.screen.Modes(); m.Alt || !a.screen.Cursor().Visible {
		t.Errorf("the native terminal is left with %+v", m)
	}

	again := nativeTerminal(t, 70, 20, "attach", "plan/build", "--server", s.url)
	again.until("one-2")
	again.typed("exit 3\r")
	again.until("has ended")
	r := fractal(t, "terminals", "list", "--json", "--server", s.url)
	if !strings.Contains(r.stdout, `"exit":"exit status 3"`) {
		t.Errorf("listed as %q", r.stdout)
	}
	again.typed("\r")
	again.wait("a new program", func() bool { return !strings.Contains(again.text(), "has ended") })
	again.typed("echo two-$((1+1))\r")
	again.until("two-2")
	if r := fractal(t, "terminals", "kill", "plan/build", "--server", s.url); r.code != 0 {
		t.Errorf("exit %d, %q", r.code, r.stderr)
	}
	again.until("No program runs here")
	r = fractal(t, "terminals", "--canvas", "plan", "--server", s.url)
	if build, hello, _ := strings.Cut(r.stdout, "plan/hello"); !strings.Contains(build, "plan/build") || !strings.Contains(build, "no program") || !strings.Contains(hello, "process ") {
		t.Errorf("a terminal on an open canvas without a program, and one with: listed as %q", r.stdout)
	}
	again.typed("\r")
	again.wait("a new program", func() bool { return !strings.Contains(again.text(), "No program") })
	again.typed("echo three-$((1+2))\r")
	again.until("three-3")
	again.typed("\x1d")
	<-again.ended
	if r := fractal(t, "terminals", "remove", "plan/hello", "--server", s.url); r.code != 0 {
		t.Errorf("exit %d, %q", r.code, r.stderr)
	}
	if r := fractal(t, "terminals", "remove", "plan/hello", "--server", s.url); r.code != 1 || !strings.Contains(r.stderr, "there are: build") {
		t.Errorf("removed twice: exit %d, %q", r.code, r.stderr)
	}
	if code, _ := s.term(); code != 0 {
		t.Errorf("the server ended with %d", code)
	}
}

func TestGuestsMayNotTypeByAttaching(t *testing.T) {
	s := serveOn(t, t.TempDir(), "--terminals", "--shell", "/bin/sh")
	second, _ := s.out.ReadString('\n')
	_, guests, _ := strings.Cut(strings.TrimSpace(second), ": ")
	if r := fractal(t, "terminals", "new", "x", "--canvas", "plan", "--server", guests); r.code != 1 || !strings.Contains(r.stderr, "owner") {
		t.Errorf("a guest placed one: exit %d, %q", r.code, r.stderr)
	}
	if r := fractal(t, "terminals", "new", "x", "--canvas", "plan", "--server", guests, "--", "/bin/sh"); r.code != 1 || !strings.Contains(r.stderr, "owner") {
		t.Errorf("a guest started one: exit %d, %q", r.code, r.stderr)
	}
	if r := fractal(t, "terminals", "new", "x", "--canvas", "plan", "--server", s.url); r.code != 0 {
		t.Fatalf("exit %d, %q", r.code, r.stderr)
	}
	g := nativeTerminal(t, 90, 20, "attach", "plan/x", "--server", guests)
	g.attached()
	g.typed("echo typed-by-a-guest\r")
	g.until("Ask the owner")
	o := nativeTerminal(t, 90, 20, "attach", "plan/x", "--server", s.url)
	o.attached()
	o.typed("echo owner-$((1+1))\r")
	o.until("owner-2")
	g.until("owner-2")
	if strings.Contains(g.text(), "typed-by") {
		t.Errorf("it was typed all the same:\n%s", g.text())
	}
}

func TestAttachSaysWhatIsWrong(t *testing.T) {
	s := serveOn(t, t.TempDir(), "--terminals", "--shell", "/bin/sh")
	plain := serveOn(t, t.TempDir())
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"attach", "plan/x", "--server", s.url}, "no terminals on the canvas plan"},
		{[]string{"attach", "plan/x", "--server", plain.url}, "without --terminals"},
		{[]string{"attach", "x", "--server", s.url}, "on which canvas"},
		{[]string{"attach", "plan/x", "--server", "http://127.0.0.1:1"}, "is it running"},
	} {
		n := nativeTerminal(t, 100, 10, c.args...)
		n.until(c.says)
		<-n.ended
		if err := n.cmd.Wait(); err == nil {
			t.Errorf("%v ended well", c.args)
		}
	}
	if r := fractal(t, "attach", "plan/x", "--server", s.url); r.code != 1 || !strings.Contains(r.stderr, "needs a terminal") {
		t.Errorf("without a terminal: exit %d, %q", r.code, r.stderr)
	}
	if r := fractal(t, "terminals", "--server", plain.url); r.code != 1 || !strings.Contains(r.stderr, "--terminals") {
		t.Errorf("a server without: exit %d, %q", r.code, r.stderr)
	}
}

func TestRecordingOfATerminal(t *testing.T) {
	s := serveOn(t, t.TempDir(), "--terminals", "--shell", "/bin/sh")
	if r := fractal(t, "terminals", "new", "x", "--canvas", "plan", "--server", s.url, "--", "/bin/sh", "-c", "echo recorded; read x"); r.code != 0 {
		t.Fatalf("exit %d, %q", r.code, r.stderr)
	}
	n := nativeTerminal(t, 80, 10, "attach", "plan/x", "--server", s.url)
	n.until("recorded")
	file := t.TempDir() + "/x.cast"
	if r := fractal(t, "terminals", "record", "plan/x", "--out", file, "--seconds", "0.2", "--server", s.url); r.code != 0 {
		t.Fatalf("exit %d, %q", r.code, r.stderr)
	}
	b, err := os.ReadFile(file)
	if err != nil || !bytes.HasPrefix(b, []byte(`{"version":2`)) || !bytes.Contains(b, []byte("recorded")) {
		t.Errorf("%q %v", b, err)
	}
}

func TestAttachHungUpOnLeavesTheTerminalAsItWas(t *testing.T) {
	s := serveOn(t, t.TempDir(), "--terminals", "--shell", "/bin/sh")
	if r := fractal(t, "terminals", "new", "build", "--canvas", "plan", "--server", s.url); r.code != 0 {
		t.Fatal(r.stderr)
	}
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGQUIT} {
		n := nativeTerminal(t, 80, 24, "attach", "plan/build", "--server", s.url)
		n.attached()
		if err := n.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		<-n.ended
		if n.screen.Modes().Alt {
			t.Errorf("%v leaves the other screen", sig)
		}
	}
}

func TestPlayHungUpOnGivesTheTerminalBack(t *testing.T) {
	cast := t.TempDir() + "/a.cast"
	if err := os.WriteFile(cast, []byte("{\"version\":2,\"width\":80,\"height\":24}\n[0.1,\"o\",\"\\u001b[?1049h\\u001b[?1h\\u001b[?1004h\\u001b[?7lplaying\"]\n[100000,\"o\",\"x\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n := nativeTerminal(t, 80, 24, "play", "--idle", "0", cast)
	n.until("playing")
	if err := n.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	<-n.ended
	if m, want := n.screen.Modes(), vt.New(vt.Config{Cols: 80, Rows: 24}).Modes(); m != want {
		t.Errorf("modes are %+v, want %+v", m, want)
	}
}
