package cell

import (
	"runtime"
	"syscall"
)

// lessUrgent is by how much a slot's thread is nicer than the rest of the server. Drawing takes all the processors it can get;
// without this, on a machine that is short of them, cycles waited behind cells: in a flood with 30 viewers, at a load of 11
// on 2 cores, they got 25 pulls/s instead of 48. At 19 a collection, which waits for every thread, took longer again.
const lessUrgent = 10

// giveWay lets the calling goroutine, and nobody else, run only when the system has nothing more urgent of ours. It is for
// goroutines that end with their thread: they cannot take it back.
func giveWay() {
	runtime.LockOSThread()
	kernel, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0) // 0: this thread; the kernel answers 20 − nice
	if err != nil {
		return
	}
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, min(20-kernel+lessUrgent, 19)) // a system that forbids it draws as before
}
