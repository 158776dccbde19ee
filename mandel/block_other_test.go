//go:build !amd64

package mandel

func available() map[string][3]any { return map[string][3]any{"go": {stepGo, leapGo, iterateGo}} }
