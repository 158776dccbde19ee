package server

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// The collector lets as much garbage gather as there is memory in use, which is cheap while that is little. Of a canvas of a
// million strokes it would be 700 MB.
const (
	slackFree  = 256 << 20 // in use: until then the collector does as it always does
	slackShare = 4         // of what is in use beyond, one in so many gathers on top
)

// KeepSlackSmall makes the collector run sooner the more memory is in use, so that a server of large canvases takes a third
// more than lives and not twice as much. It follows each collection; it sets no timer. Where GOGC or GOMEMLIMIT say what the
// operator wants, it does nothing.
func KeepSlackSmall() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	slackOnce.Do(func() { afterCollections(func() { setSlack(liveHeap()) }) })
}

var slackOnce sync.Once

// afterCollections calls f after every collection from now on.
func afterCollections(f func()) {
	var arm func(struct{})
	arm = func(struct{}) {
		f()
		runtime.AddCleanup(new([16]byte), arm, struct{}{}) // unreachable at once: cleaned up when the next has ended
	}
	arm(struct{}{})
}

func liveHeap() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// setSlack stops the world for some microseconds, so only what matters is changed.
func setSlack(live uint64) {
	want := slackPercent(live)
	if old := int(gcPercent()); want > old*9/10 && want < old*11/10 {
		return
	}
	debug.SetGCPercent(want)
}

func gcPercent() uint64 {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// slackPercent is how much garbage may gather, in percent of what is in use.
func slackPercent(live uint64) int {
	if live <= slackFree {
		return 100
	}
	return int(100 * (slackFree + (live-slackFree)/slackShare) / live)
}
