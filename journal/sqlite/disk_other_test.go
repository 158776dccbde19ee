//go:build !linux

package sqlite

import "testing"

func smallDisk(*testing.T) (string, bool) { return "", false }

func readOnly(*testing.T, string) {}
