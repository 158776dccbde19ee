//go:build !linux

package bench

import "time"

var epoch = time.Now()

// threadCPU is the time of day where a thread's own time is not to be had.
func threadCPU() time.Duration { return time.Since(epoch) }
