//go:build !amd64

package mandel

func available() map[string][4]any {
	return map[string][4]any{"go": {stepGo, leapGo, iterateGo, marchGo}}
}
