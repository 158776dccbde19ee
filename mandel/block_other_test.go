//go:build !amd64

package mandel

// kernels are all that this machine can run, by name.
func kernels() map[string][4]any {
	return map[string][4]any{"go": {stepGo, leapGo, iterateGo, marchGo}}
}
