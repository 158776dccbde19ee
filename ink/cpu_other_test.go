//go:build !linux

package ink

import (
	"testing"
	"time"
)

// threadTime skips a benchmark: the processor time of one thread is asked for in Linux's way.
func threadTime(tb testing.TB) time.Duration {
	tb.Skip("the processor time of a thread is measured on Linux only")
	return 0
}
