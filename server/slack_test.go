package server

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestSlackIsAShareOfWhatLives(t *testing.T) {
	before := 0
	for live := uint64(1 << 20); live < 1<<36; live += live / 7 {
		percent := slackPercent(live)
		slack := int(live / 100 * uint64(percent))
		switch {
		case live <= slackFree && percent != 100:
			t.Fatalf("%d MB in use: %d %%", live>>20, percent)
		case slack < before*98/100:
			t.Fatalf("%d MB in use may gather %d MB, less than before", live>>20, slack>>20)
		case percent < 25 || percent > 100:
			t.Fatalf("%d MB in use: %d %%", live>>20, percent)
		}
		before = slack
	}
	if p := slackPercent(700 << 20); p < 45 || p > 55 {
		t.Errorf("700 MB in use: %d %%, which is more or less than half", p)
	}
}

func TestTheCollectorIsFollowed(t *testing.T) {
	calls := make(chan struct{}, 100)
	afterCollections(func() {
		select {
		case calls <- struct{}{}:
		default:
		}
	})
	<-calls // at once
	for range 3 {
		runtime.GC()
		<-calls
	}
}

func TestSlackFollowsWhatIsInUse(t *testing.T) {
	old := debug.SetGCPercent(100)
	defer debug.SetGCPercent(old)
	setSlack(1 << 30)
	if p := gcPercent(); p < 40 || p > 46 {
		t.Errorf("a gigabyte in use: %d %%", p)
	}
	setSlack(1 << 20)
	if p := gcPercent(); p != 100 {
		t.Errorf("a megabyte in use: %d %%", p)
	}
}
