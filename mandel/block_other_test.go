//go:build !amd64

package mandel

func available() map[string][2]any { return map[string][2]any{"go": {stepGo, leapGo}} }
