package memory_test

import (
	"errors"
	"testing"

	"fractal/journal"
	"fractal/journal/journaltest"
	"fractal/journal/memory"
)

func TestConformance(t *testing.T) {
	journaltest.Run(t, func(t *testing.T) journal.Journal { return memory.New() })
}

func TestRefusedAppendKeepsNothingUntilItIsAcceptedAgain(t *testing.T) {
	j := memory.New()
	defer j.Close()
	j.Refuse(journal.ErrFull)
	if _, err := j.Append(t.Context(), "x", journaltest.ID(1), nil); !errors.Is(err, journal.ErrFull) {
		t.Fatalf("got %v, want ErrFull", err)
	}
	j.Refuse(nil)
	if pos := journaltest.Append(t, j, "x", 1, "one"); pos != 1 {
		t.Errorf("got position %d, want 1", pos)
	}
}

func BenchmarkAppend(b *testing.B) {
	journaltest.Bench(b, func(b *testing.B) journal.Journal { return memory.New() })
}
