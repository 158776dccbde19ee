package cell

import (
	"testing"
	"testing/synctest"

	"fractal/tile"
)

func TestIdleWorkIsDoneWhenNothingIsWantedAndOneSlotIsAlwaysFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(2, 1<<20)
		defer p.Close()
		l := &longSource{order: make(chan tile.ID, 9)}
		c := p.Room(Sources{KindInk: l}, func(Key) {})
		pieces, gate := make(chan int), make(chan struct{})
		left := 5
		c.Idle(func(*Scratch) bool {
			left--
			select {
			case pieces <- left:
			case <-gate:
			}
			return left > 0
		})
		synctest.Wait() // in the first piece
		c.Due()         // while it is being done
		c.Want(1, []Want{{Key: Key{KindInk, tile.At(0, 7, 0)}, Least: 1}})
		synctest.Wait()
		if len(l.order) != 1 {
			t.Fatal("a cell waits for idle work although there are two slots")
		}
		for want := 4; want >= 0; want-- {
			if got := <-pieces; got != want {
				t.Fatalf("piece %d, want %d", got, want)
			}
		}
		synctest.Wait()
		left = 1
		c.Due()
		if got := <-pieces; got != 0 {
			t.Errorf("after Due there are %d pieces left", got)
		}
		c.Due()
		synctest.Wait()
		close(gate)
		c.Close()
	})
}
