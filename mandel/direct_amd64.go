package mandel

//go:noescape
func iterateAVX512(f *flock, steps int, alive uint32) uint32

//go:noescape
func iterate8AVX2(f *flock, offset, steps int, alive uint32) uint32

func iterateAVX2(f *flock, steps int, alive uint32) uint32 {
	left := uint32(0)
	if alive&0xff != 0 {
		left = iterate8AVX2(f, 0, steps, alive&0xff)
	}
	if alive>>8 != 0 {
		left |= iterate8AVX2(f, 64, steps, alive>>8) << 8
	}
	return left
}
