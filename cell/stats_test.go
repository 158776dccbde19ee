package cell

import "testing"

// BenchmarkStageTable is what timing and counting costs a cell: the laps of source.Ink.Draw, and the looks at the clock that
// canvas.CellSnapshot takes, twice as it tries twice. The sparsest cells take 45 µs to paint and encode.
func BenchmarkStageTable(b *testing.B) {
	pool := NewPool(1, 1<<20)
	defer pool.Close()
	s := &Scratch{pool: pool}
	b.ReportAllocs()
	for b.Loop() {
		s.Start()
		for range 6 {
			s.Now()
		}
		s.Lap(StageSnapshot)
		s.Took(StageWait, 100)
		s.Took(StageHeld, 1000)
		s.Painted(5, 500)
		s.Lap(StageRaster)
		s.Lap(StageEncode)
	}
}
