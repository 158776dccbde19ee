//go:build !unix

package term

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// process is not to be had here.
type process struct{ master *os.File }

func startProcess(string, []string, string, []string, int, int) (*process, error) {
	return nil, errors.ErrUnsupported
}

func (*process) pid() int                    { return 0 }
func (*process) resize(int, int)             {}
func (*process) read([]byte) (int, error)    { return 0, errors.ErrUnsupported }
func (*process) wait() Exit                  { return Exit{} }
func (*process) over(time.Duration)          {}
func (*process) close()                      {}
func (*process) signal(syscall.Signal) error { return errors.ErrUnsupported }
func (*process) hangUp()                     {}
func (*process) kill()                       {}

func sweep(int, time.Duration) {}
