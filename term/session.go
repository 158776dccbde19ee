package term

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"fractal/vt"
)

// maxLocked is how many bytes of a program's output are parsed in one hold of the session's lock: a third of a
// millisecond of ASCII. With a megabyte a pull waits ten times as long.
const maxLocked = 64 << 10

// drain is how long what a program left is read after its end, where the kernel does not say that there is no more.
const drain = time.Second

// Spec says what to run, and how.
type Spec struct {
	Name       string   // unique among the sessions; empty: a number
	Shell      string   // program: a path or a name [$SHELL, /bin/sh]
	Args       []string // without the program's name
	Dir        string   // [the person's home]
	Env        []string // added to the clean environment: NAME=value
	Cols, Rows int      // [80 × 24]
	Fixed      bool     // whoever types does not change the size; Resize does
	Vt         vt.Config
	Dirty      func() // called when there is something new for those Frame told that there is not, also before Start returns; holds no lock, must not wait
}

// Exit is how a program ended.
type Exit struct {
	Code   int    // 128 + the signal's number, as shells say, if one ended it
	Signal string // SIGKILL ...
}

func (e Exit) String() string {
	if e.Signal != "" {
		return "ended by " + e.Signal
	}
	return fmt.Sprintf("exit status %d", e.Code)
}

// Session is a terminal with a program in it, or with what it left when it ended. Its methods may be called by anybody
// at any time.
type Session struct {
	screen
	spec  Spec  // constant
	slots Slots // constant
	grace time.Duration
	up    atomic.Bool // it has been started once

	// turn is held by whoever starts or ends the program, for as long as that takes; mu is taken within it, for moments,
	// and never the other way round.
	turn sync.Mutex
	sids []int // sessions of processes of earlier runs; guarded by turn
	over bool  // closed; guarded by turn

	// guarded by screen.mu
	run      *run // nil: ended
	last     *run // the newest
	recorder *recorder
	gone     bool // it is being ended: nothing more is recorded
}

// run is a program from its start to its end.
type run struct {
	proc   *process
	in     *input
	cancel context.CancelFunc // lets nothing wait for a slot any more
	done   chan struct{}      // closed when all that the program printed is on the screen, and its end is known
}

// clean are the variables of the server's environment that a program may see. There may be secrets among the others.
var clean = []string{"HOME", "USER", "LOGNAME", "PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR", "XDG_RUNTIME_DIR"}

// environment is what a program is given.
func environment(shell string, extra []string) []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if slices.Contains(clean, name) || strings.HasPrefix(name, "LC_") {
			env = append(env, kv)
		}
	}
	env = append(env, "SHELL="+shell, "TERM=xterm-256color", "COLORTERM=truecolor", "TERM_PROGRAM=fractal")
	return append(env, extra...) // of two the later counts
}

func home() string {
	if h := os.Getenv("HOME"); h != "" {
		return h
	}
	if u, err := user.Current(); err == nil {
		return u.HomeDir
	}
	return "/"
}

// start runs the program; turn is held.
func (s *Session) start() error {
	shell := s.spec.Shell
	if shell == "" {
		shell = os.Getenv("SHELL")
	}
	if shell == "" {
		shell = "/bin/sh"
	}
	path, err := exec.LookPath(shell)
	if err != nil {
		return fmt.Errorf("term: %w", err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return fmt.Errorf("term: %w", err)
	}
	dir := s.spec.Dir
	if dir == "" {
		dir = home()
	}
	cols, rows := s.Size()
	proc, err := startProcess(path, append([]string{shell}, s.spec.Args...), dir, environment(path, s.spec.Env), cols, rows)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &run{proc: proc, in: newInput(), cancel: cancel, done: make(chan struct{})}
	s.mu.Lock()
	s.run, s.last = r, r
	s.state = state{run: s.state.run + 1}
	if c, w := s.term.Size(); c != cols || w != rows {
		proc.resize(c, w)
	}
	news := s.ownChange()
	s.mu.Unlock()
	go s.attend(ctx, r)
	s.tell(news)
	return nil
}

// attend is a run's life: it owns the goroutines of it and is the last to end.
func (s *Session) attend(ctx context.Context, r *run) {
	var wg sync.WaitGroup
	wg.Go(func() { r.in.pump(r.proc.master) })
	read := make(chan struct{})
	go func() {
		defer close(read)
		s.read(ctx, r)
	}()
	exit := r.proc.wait()
	r.proc.over(drain)
	<-read
	s.quiet()
	s.mu.Lock()
	s.run = nil
	s.state.ended, s.state.exit = true, exit
	news := s.ownChange()
	s.mu.Unlock()
	r.cancel()
	r.in.close()
	r.proc.close() // ends a write that waits
	wg.Wait()
	close(r.done)
	s.tell(news)
}

// read is the session's one reader.
func (s *Session) read(ctx context.Context, r *run) {
	buf := make([]byte, maxLocked)
	var answers []byte
	for {
		n, err := r.proc.read(buf)
		if n > 0 {
			for at := 0; at < n; {
				if s.slots(ctx, func() {
					took := 0
					took, answers = s.parseSome(buf[at:n], answers[:0])
					at += took
				}) != nil {
					return
				}
				runtime.Gosched() // on one processor a reader and its slot would call each other until the time slice of both is over
				if len(answers) > 0 {
					r.in.put(answers, maxAnswers)
				}
			}
			s.mu.Lock()
			rec := s.recorder
			s.mu.Unlock()
			if rec != nil {
				rec.output(buf[:n])
			}
		}
		if err != nil {
			return
		}
	}
}

// Name is the session's name.
func (s *Session) Name() string { return s.spec.Name }

// Life tells this session from another of the same name, as in Held.
func (s *Session) Life() uint32 { return s.screen.life }

// Pid is the number of the program's process, 0 if it has ended.
func (s *Session) Pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == nil {
		return 0
	}
	return s.run.proc.pid()
}

// Wait waits until the program has ended and all it printed is on the screen.
func (s *Session) Wait(ctx context.Context) (Exit, error) {
	s.mu.Lock()
	r := s.last
	s.mu.Unlock()
	if r == nil {
		return Exit{}, ErrEnded // it is about to be started
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		return Exit{}, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.exit, nil
}

// Signal sends a signal to the program in the foreground.
func (s *Session) Signal(sig syscall.Signal) error {
	s.mu.Lock()
	r := s.run
	s.mu.Unlock()
	if r == nil {
		return ErrEnded
	}
	return r.proc.signal(sig)
}

// ErrRunning is said where an ended program is needed.
var ErrRunning = errors.New("term: the program still runs")

// Restart runs the program again, in the same terminal, after it has ended. What was on the screen is in the history.
func (s *Session) Restart() error {
	s.turn.Lock()
	defer s.turn.Unlock()
	s.mu.Lock()
	running, last := s.run != nil, s.last
	s.mu.Unlock()
	if s.over {
		return ErrClosed
	}
	if running {
		return ErrRunning
	}
	<-last.done
	s.sids = append(s.sids, last.proc.pid())
	if len(s.sids) > 64 {
		s.sids = s.sids[1:]
	}
	s.beginAnew()
	return s.start()
}

// end ends the program and whatever it left running.
func (s *Session) end() {
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.over {
		return
	}
	s.over = true
	s.mu.Lock()
	r := s.last
	s.gone = true
	running := s.run != nil
	s.mu.Unlock()
	until := time.Now().Add(s.grace)
	if running {
		r.proc.hangUp()
	}
	timer := time.NewTimer(s.grace)
	defer timer.Stop()
	select {
	case <-r.done:
	case <-timer.C:
		r.cancel()
		r.proc.kill()
		<-r.done
	}
	for _, sid := range append(s.sids, r.proc.pid()) {
		sweep(sid, time.Until(until))
	}
	s.quiet()
	s.mu.Lock()
	rec := s.recorder
	s.mu.Unlock()
	if rec != nil {
		rec.finish() // who writes it may take long: nobody waits for that here
	}
}
