package remote

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestClientsOfAServerThatComesBackDoNotComeAllAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const clients, tries = 200, 7
		begin := time.Now()
		came := make(chan time.Duration, clients*tries)
		for range clients {
			go func() {
				for wait, n := firstWait, 0; n < tries; n++ {
					if pause(t.Context(), &wait) != nil {
						t.Error("the wait was called off")
					}
					came <- time.Since(begin)
				}
			}()
		}
		slots := map[time.Duration]int{} // of 100 ms
		for range clients * tries {
			at := <-came
			if at > 2*tries*maxWait {
				t.Fatalf("somebody came after %v", at)
			}
			if at > time.Second {
				slots[at/(100*time.Millisecond)]++
			}
		}
		if len(slots) < 20 {
			t.Errorf("they came in %d tenths of a second only", len(slots))
		}
		for at, n := range slots {
			if n > clients/3 {
				t.Errorf("%d of %d came in the same tenth of a second, number %d", n, clients, at)
			}
		}
	})
}

func TestWaitIsCalledOffAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		stop()
		begin, wait := time.Now(), time.Hour
		if pause(ctx, &wait) == nil || time.Since(begin) > 0 {
			t.Errorf("waited %v", time.Since(begin))
		}
	})
}
