package term

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"fractal/vt"
	"fractal/vt/payload"
)

// cpu is what this process, or its children that have ended, took of the processors.
func cpu(who int) time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(who, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCat is a file printed through a session nobody looks at: what it costs us and cat, by megabyte.
func BenchmarkCat(b *testing.B) {
	const size = 16 << 20
	for _, kind := range []string{"ascii", "unicode", "csi"} {
		file := filepath.Join(b.TempDir(), kind)
		if err := os.WriteFile(file, payload.Make(kind, size, 1), 0o600); err != nil {
			b.Fatal(err)
		}
		b.Run(kind, func(b *testing.B) {
			h := newShells(b, Config{})
			b.SetBytes(size)
			self, children := cpu(syscall.RUSAGE_SELF), cpu(syscall.RUSAGE_CHILDREN)
			pieces := uint64(0)
			for b.Loop() {
				v := open(b, h, Spec{Cols: payload.Cols, Rows: payload.Rows, Shell: "/bin/cat", Args: []string{file}}, "")
				v.end()
				pieces += v.s.chunks.Load()
				h.End(v.s)
			}
			mb := float64(b.N) * size / 1e6
			b.ReportMetric(float64(cpu(syscall.RUSAGE_SELF)-self)/1e6/mb, "our-ms/MB")
			b.ReportMetric(float64(cpu(syscall.RUSAGE_CHILDREN)-children)/1e6/mb, "cat-ms/MB")
			b.ReportMetric(float64(pieces)/mb, "pieces/MB")
		})
	}
}

// BenchmarkFloods is four programs that print pictures without end, each looked at by four viewers that pull at 60 Hz: how
// many pulls are answered, and how late.
func BenchmarkFloods(b *testing.B) {
	file := filepath.Join(b.TempDir(), "doom")
	if err := os.WriteFile(file, payload.Make("doom", 4<<20, 1), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1, 4} {
		b.Run(fmt.Sprintf("%d", n), func(b *testing.B) {
			h := newShells(b, Config{})
			var all []*viewer
			for range n {
				all = append(all, open(b, h, Spec{Cols: payload.Cols, Rows: payload.Rows}, fmt.Sprintf("while :; do cat %s; done", file)))
			}
			var mu sync.Mutex
			var late []time.Duration
			frames, bytes := 0, 0
			began := time.Now()
			const pulls = 120
			for b.Loop() {
				var wg sync.WaitGroup
				for _, v := range all {
					for range n {
						wg.Go(func() {
							tick := time.NewTicker(time.Second / 60) // a display
							defer tick.Stop()
							var holds Held
							for range pulls {
								<-tick.C
								at := time.Now()
								f, ok := v.s.Frame(holds)
								took := time.Since(at)
								mu.Lock()
								late = append(late, took)
								if ok {
									holds = f.Holds
									frames++
									bytes += f.Bytes()
								}
								mu.Unlock()
							}
						})
					}
				}
				wg.Wait()
			}
			seconds := time.Since(began).Seconds()
			slices.Sort(late)
			b.ReportMetric(float64(frames)/seconds/float64(n*n), "frames/s")
			b.ReportMetric(float64(late[len(late)/2].Microseconds())/1e3, "p50-ms")
			b.ReportMetric(float64(late[len(late)*99/100].Microseconds())/1e3, "p99-ms")
			b.ReportMetric(float64(bytes)/float64(frames)/1e3, "KB/frame")
			parsed := uint64(0)
			for _, v := range all {
				parsed += v.s.chunks.Load()
			}
			b.ReportMetric(float64(parsed)/seconds, "pieces/s")
		})
	}
}

// BenchmarkFrame is one full frame of each kind of screen, and one of which all rows have changed.
func BenchmarkFrame(b *testing.B) {
	for _, kind := range payload.Kinds {
		b.Run(kind, func(b *testing.B) {
			v := &screen{}
			v.init(1, vt.Config{Cols: payload.Cols, Rows: payload.Rows}, nil)
			v.parse(payload.Make(kind, 1<<20, 1), nil)
			bytes := 0
			b.ReportAllocs()
			for b.Loop() {
				v.shown.valid = false // all encoded anew
				f, _ := v.Frame(Held{})
				bytes = f.Bytes()
			}
			b.ReportMetric(float64(bytes)/1e3, "KB")
		})
	}
}
