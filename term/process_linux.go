package term

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// setUTF8 tells the kernel's line editor that a character may be several bytes.
func setUTF8(fd int) {
	if t, err := unix.IoctlGetTermios(fd, unix.TCGETS); err == nil {
		t.Iflag |= unix.IUTF8
		unix.IoctlSetTermios(fd, unix.TCSETS, t)
	}
}

// stat is what /proc tells of a process that has not ended.
func stat(pid int) (group, session int, ok bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, false
	}
	// The name, in parentheses, may hold anything.
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:]) // state, parent, group, session
	if len(f) < 4 || f[0][0] == 'Z' || f[0][0] == 'X' {
		return 0, 0, false
	}
	group, _ = strconv.Atoi(string(f[2]))
	session, _ = strconv.Atoi(string(f[3]))
	return group, session, true
}

// membersOf calls f with the processes of a session, while it says so.
func membersOf(session int, f func(pid, group int)) {
	d, err := os.Open("/proc")
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if g, s, ok := stat(pid); ok && s == session {
			f(pid, g)
		}
	}
}

// groupsOf are the process groups of a session.
func groupsOf(session int) []int {
	var groups []int
	membersOf(session, func(_, group int) { groups = append(groups, group) })
	return groups
}

// sweep ends the processes of a session whose leader, a child of ours, has ended and been waited for; those that still
// run after the grace are killed. A leader's number is not given to another process while its session has members, so
// that if there is a process of that number, the session is somebody else's.
func sweep(session int, grace time.Duration) {
	until := time.Now().Add(grace)
	for range 16 { // they may fork meanwhile
		var fds []unix.PollFd
		membersOf(session, func(pid, _ int) {
			if fd, err := unix.PidfdOpen(pid, 0); err == nil {
				fds = append(fds, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
			}
		})
		strange := unix.Kill(session, 0) != unix.ESRCH
		if !strange {
			awaitAll(fds, until)
		}
		for _, fd := range fds {
			if !strange {
				unix.PidfdSendSignal(int(fd.Fd), unix.SIGKILL, nil, 0)
			}
		}
		if !strange && len(fds) > 0 {
			awaitAll(fds, time.Now().Add(time.Second)) // killed, they end; one in the kernel's hands may take longer
		}
		for _, fd := range fds {
			unix.Close(int(fd.Fd))
		}
		if len(fds) == 0 || strange {
			return
		}
	}
}

// awaitAll waits until all processes have ended, or until a time.
func awaitAll(fds []unix.PollFd, until time.Time) {
	waiting := append([]unix.PollFd(nil), fds...)
	for len(waiting) > 0 {
		left := time.Until(until)
		if left <= 0 {
			return
		}
		if _, err := unix.Poll(waiting, int(left.Milliseconds())+1); err != nil && err != unix.EINTR {
			return
		}
		running := waiting[:0]
		for _, fd := range waiting {
			if fd.Revents == 0 {
				running = append(running, fd)
			}
		}
		waiting = running
	}
}
