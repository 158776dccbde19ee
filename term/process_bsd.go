//go:build unix && !linux

package term

import "time"

func setUTF8(int) {}

// groupsOf and sweep need /proc: elsewhere the leader's group and the one in the foreground must do.
func groupsOf(int) []int { return nil }

func sweep(int, time.Duration) {}
