//go:build unix

package term

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// process is a program on a pseudo terminal of its own, the leader of a session of processes.
type process struct {
	master *os.File        // our end; reads and writes wait in the network poller, not in a thread
	raw    syscall.RawConn // of master
	tty    *os.File        // the program's end, kept open: a program that closes its own may open it again
	cmd    *exec.Cmd
	waited atomic.Bool // the program has ended, and its number may become another's
}

func startProcess(path string, args []string, dir string, env []string, cols, rows int) (*process, error) {
	blocking, tty, err := pty.Open()
	if err != nil {
		return nil, fmt.Errorf("term: open a pseudo terminal: %w", err)
	}
	// What pty opens blocks a thread in each read: take a file of our own that does not.
	fd, err := unix.FcntlInt(blocking.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	blocking.Close()
	if err != nil {
		tty.Close()
		return nil, fmt.Errorf("term: open a pseudo terminal: %w", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		tty.Close()
		return nil, fmt.Errorf("term: open a pseudo terminal: %w", err)
	}
	p := &process{master: os.NewFile(uintptr(fd), "pty"), tty: tty}
	if p.raw, err = p.master.SyscallConn(); err != nil {
		p.close()
		return nil, fmt.Errorf("term: open a pseudo terminal: %w", err)
	}
	setUTF8(int(tty.Fd()))
	p.resize(cols, rows)
	p.cmd = &exec.Cmd{
		Path: path, Args: args, Dir: dir, Env: env, Stdin: tty, Stdout: tty, Stderr: tty,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0},
	}
	if err := p.cmd.Start(); err != nil {
		p.close()
		if at, bad := os.Stat(dir); bad != nil || !at.IsDir() { // the kernel's words name the program, as if that were missing
			return nil, fmt.Errorf("term: there is no folder %s to start %s in", dir, path)
		}
		return nil, fmt.Errorf("term: start %s: %w", path, err)
	}
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

func (p *process) resize(cols, rows int) {
	p.raw.Control(func(fd uintptr) {
		unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(cols), Row: uint16(rows)})
	})
}

// read fills buf with what there is, waiting for something: the kernel gives no more than 4 KiB at once, and each
// parsing takes a slot and a lock.
func (p *process) read(buf []byte) (n int, err error) {
	waited := p.raw.Read(func(fd uintptr) bool {
		for n < len(buf) {
			k, e := unix.Read(int(fd), buf[n:])
			switch {
			case e == unix.EINTR:
			case e == unix.EAGAIN:
				return n > 0
			case e != nil:
				err = e
				return true
			case k == 0:
				err = io.EOF
				return true
			default:
				n += k
			}
		}
		return true
	})
	if err == nil {
		err = waited
	}
	return n, err
}

// wait waits for the program's end.
func (p *process) wait() Exit {
	p.cmd.Wait()
	p.waited.Store(true)
	if st, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && st.Signaled() {
		return Exit{Code: 128 + int(st.Signal()), Signal: unix.SignalName(st.Signal())}
	}
	return Exit{Code: p.cmd.ProcessState.ExitCode()}
}

// over is called when the program has ended: what it printed is read up to the end, and no longer than that.
func (p *process) over(bound time.Duration) {
	p.tty.Close()
	p.master.SetReadDeadline(time.Now().Add(bound)) // where a process left behind keeps the other end open
}

func (p *process) close() {
	p.tty.Close()
	p.master.Close()
}

// foreground is the process group that reads what is typed; 0: unknown.
func (p *process) foreground() int {
	group := 0
	p.raw.Control(func(fd uintptr) {
		if g, err := unix.IoctlGetInt(int(fd), unix.TIOCGPGRP); err == nil && g > 1 {
			group = g
		}
	})
	return group
}

// signal sends a signal to the program in the foreground, as a key would.
func (p *process) signal(sig syscall.Signal) error {
	group := p.foreground()
	if group == 0 {
		group = p.pid()
	}
	if p.waited.Load() {
		return ErrEnded
	}
	if err := unix.Kill(-group, sig); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("term: signal %v: %w", sig, err)
	}
	return nil
}

// hangUp tells all processes of the session that the terminal goes away. Stopped ones are woken to hear it.
func (p *process) hangUp() {
	if p.waited.Load() {
		return
	}
	groups := map[int]bool{p.pid(): true}
	if g := p.foreground(); g != 0 {
		groups[g] = true
	}
	for _, g := range groupsOf(p.pid()) {
		groups[g] = true
	}
	for g := range groups {
		unix.Kill(-g, unix.SIGHUP)
		unix.Kill(-g, unix.SIGCONT)
	}
}

// kill ends the program and its process group at once.
func (p *process) kill() {
	if p.waited.Load() {
		return
	}
	if g := p.foreground(); g != 0 {
		unix.Kill(-g, unix.SIGKILL)
	}
	unix.Kill(-p.pid(), unix.SIGKILL)
}
