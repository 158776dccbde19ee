package cell

import (
	"syscall"
	"testing"
)

func TestSlotsGiveWayToTheRest(t *testing.T) {
	nice := func() int {
		n, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
		if err != nil {
			t.Fatal(err)
		}
		return 20 - n
	}
	p := NewPool(2, 1<<20)
	ours := nice()
	slots := 0
	for range 8 {
		if err := p.Do(t.Context(), func() { slots = nice() }); err != nil {
			t.Fatal(err)
		}
		if want := min(ours+lessUrgent, 19); slots != want {
			t.Errorf("a slot is nice by %d, want %d", slots, want)
		}
	}
	p.Close()
	for range 100 { // whoever runs on
		done := make(chan int)
		go func() { done <- nice() }()
		if n := <-done; n != ours {
			t.Fatalf("a thread of the rest is nice by %d, want %d", n, ours)
		}
	}
}
