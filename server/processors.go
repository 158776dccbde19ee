package server

import "runtime"

// spareProcs is how many processors the scheduler is told of above those that heavy work may use. It looks at the network when
// a processor has nothing else to do, or every 10 ms: with a cell being drawn on each of them, a pull waited that long to
// be read, and its answer again. The system shares the real ones out, and drawing threads give way (package cell).
const spareProcs = 3

// Processors takes GOMAXPROCS, also one that the user has set, as how many processors heavy work may use: that many slots a
// cell pool should have. It makes the scheduler keep more for sockets.
func Processors() (slots int) {
	slots = runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(slots + spareProcs)
	return slots
}
