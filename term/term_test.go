package term

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fractal/vt"
)

// bound ends a test that waits for what does not come.
func bound(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// viewer is what somebody who looks on does: it pulls, applies, and waits to be told when there is nothing.
type viewer struct {
	t     testing.TB
	s     *Session
	news  chan struct{}
	holds Held
	shadow
	frames int
}

func newShells(t testing.TB, cfg Config) *Shells {
	if cfg.Grace == 0 {
		cfg.Grace = 500 * time.Millisecond
	}
	h := New(cfg)
	t.Cleanup(h.Close)
	return h
}

// open starts a script in /bin/sh and looks at it.
func open(t testing.TB, h *Shells, spec Spec, script string) *viewer {
	t.Helper()
	v := &viewer{t: t, news: make(chan struct{}, 1)}
	if spec.Shell == "" {
		spec.Shell = "/bin/sh"
	}
	if script != "" {
		spec.Args = []string{"-c", script}
	}
	spec.Dirty = func() {
		select {
		case v.news <- struct{}{}:
		default:
		}
	}
	s, err := h.Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	v.s = s
	return v
}

func (v *viewer) pull() bool {
	v.t.Helper()
	f, ok := v.s.Frame(v.holds)
	if !ok {
		return false
	}
	v.frames++
	if err := v.shadow.apply(f); err != nil {
		v.t.Fatal(err)
	}
	v.holds = f.Holds
	return true
}

// until pulls until what is shown is as wished.
func (v *viewer) until(wish func() bool) {
	v.t.Helper()
	ctx := bound(v.t)
	for {
		if v.pull() {
			if wish() {
				return
			}
			continue
		}
		if wish() {
			return
		}
		select {
		case <-v.news:
		case <-ctx.Done():
			v.t.Fatalf("waited in vain; shown:\n%s\n%+v", v.text(), v.facts)
		}
	}
}

func (v *viewer) shows(text string) {
	v.t.Helper()
	v.until(func() bool { return strings.Contains(v.text(), text) })
}

func (v *viewer) end() Exit {
	v.t.Helper()
	exit, err := v.s.Wait(bound(v.t))
	if err != nil {
		v.t.Fatal(err)
	}
	return exit
}

func (v *viewer) types(who Who, text string) {
	v.t.Helper()
	if err := v.s.Input(who, []byte(text)); err != nil {
		v.t.Fatal(err)
	}
}

func TestWhatAProgramPrintsIsShownAndItsExitStatusKept(t *testing.T) {
	h := newShells(t, Config{})
	for _, c := range []struct {
		script string
		want   Exit
	}{
		{"echo hello; exit 0", Exit{}},
		{"echo hello; exit 7", Exit{Code: 7}},
		{"echo hello; kill -KILL $$", Exit{Code: 137, Signal: "SIGKILL"}},
		{"echo hello; exec >/dev/null </dev/null 2>&1; echo unseen; echo again >/dev/tty", Exit{}},
	} {
		v := open(t, h, Spec{}, c.script)
		if got := v.end(); got != c.want {
			t.Errorf("%s: ended with %v, want %v", c.script, got, c.want)
		}
		v.pull()
		if text := v.text(); !strings.HasPrefix(text, "hello") || strings.Contains(text, "unseen") {
			t.Errorf("%s: shown:\n%s", c.script, text)
		}
		if strings.Contains(c.script, "again") != strings.Contains(v.text(), "again") {
			t.Errorf("%s: shown:\n%s", c.script, v.text())
		}
		if !v.facts.Ended || v.facts.Exit != c.want {
			t.Errorf("%s: facts %+v", c.script, v.facts)
		}
		if err := v.s.Input(1, []byte("x")); !errors.Is(err, ErrEnded) {
			t.Errorf("typing at what has ended: %v", err)
		}
	}
}

func TestAllThatWasPrintedIsThereWhenTheEndIsTold(t *testing.T) {
	h := newShells(t, Config{})
	v := open(t, h, Spec{}, "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done")
	v.end()
	rows, first, end := v.s.History(0, 10)
	if first != 0 || end != 3001-24 || len(rows) != 10 {
		t.Fatalf("history [%d, %d), %d rows given", first, end, len(rows))
	}
	var r Row
	if r.Decode(rows[7].Data); rowText(&r) != "line 7" {
		t.Errorf("row 7 is %q", rowText(&r))
	}
	if v.pull(); !strings.HasSuffix(strings.TrimSpace(v.text()), "line 2999") {
		t.Errorf("the last row is missing:\n%s", v.text())
	}
}

func TestAProgramHasATerminalAndJobControl(t *testing.T) {
	h := newShells(t, Config{})
	v := open(t, h, Spec{Cols: 91, Rows: 17, Env: []string{"PS1=ask> "}}, "")
	v.types(1, "stty size; tty; echo $TERM-$COLORTERM\n")
	v.shows("xterm-256color-truecolor")
	if text := v.text(); !strings.Contains(text, "17 91") || !strings.Contains(text, "/dev/") {
		t.Errorf("no terminal of that size:\n%s", text)
	}
	// A key stops the program in the foreground, not the shell.
	v.types(1, "echo go; cat\n")
	v.until(func() bool { return strings.Count(v.text(), "go") >= 2 })
	v.types(1, "seen\n")
	v.until(func() bool { return strings.Count(v.text(), "seen") == 2 })
	asked := strings.Count(v.text(), "ask>")
	v.types(1, "\x03")
	v.until(func() bool { return strings.Count(v.text(), "ask>") > asked }) // the kernel drops what was typed before
	v.types(1, "echo st$((40+2))\n")
	v.shows("st42")
	v.types(1, "exit 3\n")
	if got := v.end(); got.Code != 3 {
		t.Errorf("ended with %v", got)
	}
}

func TestASignalReachesTheForeground(t *testing.T) {
	h := newShells(t, Config{})
	v := open(t, h, Spec{}, `trap 'echo caught; exit 5' INT; echo ready; while :; do read x; done`)
	v.shows("ready")
	if err := v.s.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if got := v.end(); got.Code != 5 {
		t.Errorf("ended with %v", got)
	}
}

func TestTheEnvironmentHoldsNoSecrets(t *testing.T) {
	t.Setenv("FRACTAL_TOKEN", "secret-token")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret-key")
	h := newShells(t, Config{})
	v := open(t, h, Spec{Cols: 200, Rows: 60, Env: []string{"EXTRA=extra", "TERM_PROGRAM=other"}, Dir: "/"}, "env; pwd")
	v.end()
	v.pull()
	text := v.text()
	for _, bad := range []string{"secret", "FRACTAL_TOKEN"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s in the environment:\n%s", bad, text)
		}
	}
	for _, good := range []string{"EXTRA=extra", "PATH=", "TERM=xterm-256color", "TERM_PROGRAM=other", "SHELL=/bin/sh", "PWD=/\n"} {
		if !strings.Contains(text, good) {
			t.Errorf("%s is not in the environment:\n%s", good, text)
		}
	}
}

func TestRestart(t *testing.T) {
	h := newShells(t, Config{})
	v := open(t, h, Spec{}, `printf 'one\n\033]2;title\007\033[?1000h\033[5;9r\033[?1049hdead'; exit 9`)
	if err := func() error { v.end(); v.pull(); return v.s.Restart() }(); err != nil {
		t.Fatal(err)
	}
	if got := v.end(); got.Code != 9 {
		t.Errorf("ended with %v", got)
	}
	v.pull()
	if v.facts.Run != 2 || v.facts.Title != "title" || !v.facts.Modes.Alt {
		t.Errorf("facts %+v", v.facts)
	}
	rows, _, end := v.s.History(0, 10)
	var r Row
	if end != 1 || r.Decode(rows[0].Data) != nil || rowText(&r) != "one" {
		t.Errorf("history of %d rows, %q", end, rowText(&r))
	}
	long := open(t, h, Spec{}, "cat")
	if err := long.s.Restart(); !errors.Is(err, ErrRunning) {
		t.Errorf("restarting what runs: %v", err)
	}
}

func TestThePersonWhoTypedLastOwnsTheSize(t *testing.T) {
	h := newShells(t, Config{})
	v := open(t, h, Spec{Cols: 80, Rows: 24}, `trap 'stty size' WINCH; echo ready; while :; do read x; done`)
	v.shows("ready")
	size := func(cols, rows int, owner Who) {
		t.Helper()
		v.until(func() bool { return v.facts.Owner == owner && v.cols == cols && v.rows == rows })
		v.shows(fmt.Sprintf("%d %d", rows, cols))
	}
	v.s.Offer(1, 100, 30)
	v.s.Offer(2, 90, 20)
	v.s.Offer(3, 70, 10)
	if c, r := v.s.Size(); c != 100 || r != 30 {
		t.Errorf("%d × %d; the first to offer a size gives it while nobody has typed", c, r)
	}
	v.s.Leave(1)
	v.s.Offer(2, 91, 21)
	v.s.Offer(1, 100, 30)
	if c, r := v.s.Size(); c != 91 || r != 21 {
		t.Errorf("%d × %d; the first has left, and the next who offered one is another", c, r)
	}
	v.s.Offer(2, 90, 20)
	v.types(1, "\n")
	size(100, 30, 1)
	v.types(2, "\n")
	size(90, 20, 2)
	v.types(3, "\n")
	size(70, 10, 3)
	v.s.Offer(1, 111, 33) // not theirs now
	v.s.Offer(3, 71, 11)
	size(71, 11, 3)
	v.s.Leave(2)
	v.s.Leave(3)
	size(111, 33, 1)
	v.s.Leave(1)
	v.until(func() bool { return v.facts.Owner == 0 })
	if v.cols != 111 || v.rows != 33 {
		t.Errorf("%d × %d when nobody is left", v.cols, v.rows)
	}

	fixed := open(t, h, Spec{Cols: 80, Rows: 24, Fixed: true}, "cat")
	fixed.s.Offer(1, 10, 10)
	fixed.types(1, "x")
	fixed.shows("x")
	if c, r := fixed.s.Size(); c != 80 || r != 24 || fixed.facts.Owner != 1 {
		t.Errorf("a fixed terminal is %d × %d, owner %d", c, r, fixed.facts.Owner)
	}
}

func TestNothingIsLeftRunning(t *testing.T) {
	h := New(Config{Grace: 300 * time.Millisecond})
	var pids []int
	for _, script := range []string{
		`echo $$ $$`,
		`trap '' HUP TERM INT; echo $$ $$; while :; do read x; done`,             // deaf
		`(trap '' HUP; exec sleep 1000) & echo $$ $!; exec cat`,                  // a deaf child
		`(trap '' HUP; exec sleep 1000) </dev/null >/dev/null 2>&1 & echo $$ $!`, // left behind by what has ended
		`set -m; (trap '' HUP; exec sleep 1000) & echo $$ $!; wait`,              // a group of its own
		`yes`, // busy
		`stty raw -echo; echo $$ $$; exec sleep 1000`, // does not read
	} {
		v := open(t, h, Spec{}, script)
		if script != "yes" {
			v.until(func() bool { return len(strings.Fields(v.text())) >= 2 })
			for _, f := range strings.Fields(v.text())[:2] {
				pid, err := strconv.Atoi(f)
				if err != nil {
					t.Fatal(err)
				}
				pids = append(pids, pid)
			}
		}
		if strings.Contains(script, "read") {
			continue
		}
		for range 40 { // nobody reads it: it waits in the queue
			v.s.Input(1, make([]byte, 4096))
		}
	}
	h.Close()
	for _, pid := range pids {
		if err := syscall.Kill(pid, 0); err == nil && !zombie(pid) {
			t.Errorf("process %d still runs", pid)
		}
	}
	var st syscall.WaitStatus
	if pid, err := syscall.Wait4(-1, &st, syscall.WNOHANG, nil); err != syscall.ECHILD {
		t.Errorf("a child was not waited for: %d, %v", pid, err)
	}
	if _, err := h.Start(Spec{}); !errors.Is(err, ErrClosed) {
		t.Errorf("starting after the end: %v", err)
	}
}

// zombie says that a process has ended and waits for its parent, which is not us: it was orphaned.
func zombie(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(b), ") Z ")
}

func TestNoDescriptorAndNoGoroutineIsLeft(t *testing.T) {
	count := func() int {
		d, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("no /proc")
		}
		return len(d)
	}
	cycle := func() {
		h := New(Config{})
		v := open(t, h, Spec{}, "exit 1")
		v.end()
		if err := v.s.Restart(); err != nil {
			t.Fatal(err)
		}
		open(t, h, Spec{}, "cat")
		if _, err := h.Start(Spec{Shell: "/nowhere"}); err == nil {
			t.Fatal("a shell that is not there started")
		}
		if _, err := h.Start(Spec{Shell: "/bin/sh", Dir: "/nowhere"}); err == nil {
			t.Fatal("a shell started in a directory that is not there")
		}
		h.Close()
	}
	cycle()
	before, goroutines := count(), sessionGoroutines()
	for range 5 {
		cycle()
	}
	if after := count(); after > before {
		t.Errorf("%d descriptors, then %d", before, after)
	}
	if n := sessionGoroutines(); n > goroutines {
		t.Errorf("%d goroutines, then %d", goroutines, n)
	}
}

func TestNamesAndNumbersAreBounded(t *testing.T) {
	h := newShells(t, Config{Max: 2})
	a := open(t, h, Spec{Name: "a"}, "cat")
	if _, err := h.Start(Spec{Name: "a", Shell: "/bin/sh"}); !errors.Is(err, ErrTaken) {
		t.Errorf("a name twice: %v", err)
	}
	open(t, h, Spec{}, "cat")
	if _, err := h.Start(Spec{Shell: "/bin/sh"}); !errors.Is(err, ErrFull) {
		t.Errorf("a third of two: %v", err)
	}
	if all := h.All(); len(all) != 2 || all[0].Name() != "1" || all[1] != a.s || h.Get("a") != a.s {
		t.Errorf("sessions %v", all)
	}
	h.End(a.s)
	if h.Get("a") != nil {
		t.Error("an ended session is still there")
	}
	open(t, h, Spec{Name: "a"}, "cat")
}

func TestInputIsBounded(t *testing.T) {
	h := newShells(t, Config{})
	v := open(t, h, Spec{}, "stty raw -echo; echo ready; exec sleep 1000")
	v.shows("ready")
	var err error
	for n := 0; err == nil; n += 64 << 10 {
		if n > 2*maxInput {
			t.Fatalf("%d bytes taken, and nobody reads", n)
		}
		err = v.s.Input(1, make([]byte, 64<<10))
	}
	if !errors.Is(err, ErrBusy) {
		t.Errorf("got %v", err)
	}
	if err := v.s.Paste(1, make([]byte, maxInput+1)); !errors.Is(err, ErrBusy) {
		t.Errorf("a paste too large: %v", err)
	}
}

func TestAnswersNobodyReadsStopNothing(t *testing.T) {
	h := newShells(t, Config{})
	v := open(t, h, Spec{}, `stty raw -echo; yes "$(printf '\033[6n\033[c')" | head -c 2000000; printf '\033[2J\033[Hdone'; exec sleep 1000`)
	v.shows("done")
}

func TestAnswersReachTheProgram(t *testing.T) {
	h := newShells(t, Config{})
	v := open(t, h, Spec{}, `stty raw -echo; printf '\033[5n'; dd bs=1 count=4 2>/dev/null | od -An -c; sleep 1000`)
	v.shows("033   [   0   n")
}

func TestKeysArePutAsTheProgramAsked(t *testing.T) {
	h := newShells(t, Config{})
	v := open(t, h, Spec{}, `stty raw -echo; printf '\033[?1h\033[?2004h\033[?1000h\033[?1006hready'; dd bs=1 count=26 2>/dev/null | od -An -c; sleep 1000`)
	v.shows("ready")
	v.s.Key(1, vt.Key{Code: vt.KeyUp})
	v.s.Paste(1, []byte("hi"))
	v.s.Mouse(1, vt.MouseEvent{Button: vt.ButtonLeft, Press: vt.Pressed, X: 3, Y: 4})
	v.s.Mouse(1, vt.MouseEvent{Motion: true})
	v.shows("033   O   A 033   [   2   0   0   ~   h   i 033   [   2   0   1")
}

func TestAFolderThatIsMissingIsNamed(t *testing.T) {
	h := newShells(t, Config{})
	dir := t.TempDir() + "/none"
	if _, err := h.Start(Spec{Shell: "/bin/sh", Dir: dir}); err == nil || !strings.Contains(err.Error(), "no folder "+dir) {
		t.Errorf("started there: %v", err)
	}
}
