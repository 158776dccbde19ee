package sqlite

import (
	"testing"

	"fractal/journal"
	"fractal/journal/journaltest"
)

func open(t testing.TB, dir string) *Journal {
	t.Helper()
	j, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func TestConformance(t *testing.T) {
	journaltest.Run(t, func(t *testing.T) journal.Journal { return open(t, t.TempDir()) })
}

func BenchmarkAppend(b *testing.B) {
	journaltest.Bench(b, func(b *testing.B) journal.Journal { return open(b, b.TempDir()) })
}
