package vt_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"fractal/vt"
	"fractal/vt/payload"
)

// BenchmarkWrite is what the core takes in, on one processor, in writes of 32 KiB.
func BenchmarkWrite(b *testing.B) {
	for _, kind := range payload.Kinds {
		b.Run(kind, func(b *testing.B) {
			data := payload.Make(kind, 8<<20, 1)
			term := vt.New(vt.Config{Cols: payload.Cols, Rows: payload.Rows})
			term.Write(data) // fills the history
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			start, n := userTime(), 0
			for b.Loop() {
				n++
				for p := data; len(p) > 0; {
					n := min(len(p), 32<<10)
					term.Write(p[:n])
					p = p[n:]
				}
			}
			b.ReportMetric(float64(n*len(data))/1e6/(userTime()-start).Seconds(), "MB/cpu-s")
		})
	}
}

// BenchmarkScreen is reading a whole screen for a viewer.
func BenchmarkScreen(b *testing.B) {
	for _, kind := range []string{"ascii", "csi", "doom"} {
		b.Run(kind, func(b *testing.B) {
			term := vt.New(vt.Config{Cols: payload.Cols, Rows: payload.Rows})
			term.Write(payload.Make(kind, 1<<20, 1))
			var row vt.Row
			b.ReportAllocs()
			for b.Loop() {
				for y := range payload.Rows {
					term.Screen(y, &row)
				}
			}
		})
	}
}

// BenchmarkResize is another width with a full history.
func BenchmarkResize(b *testing.B) {
	for _, kind := range []string{"ascii", "unicode"} {
		b.Run(kind, func(b *testing.B) {
			term := vt.New(vt.Config{Cols: payload.Cols, Rows: payload.Rows})
			term.Write(payload.Make(kind, 8<<20, 1))
			for b.Loop() {
				term.Resize(100, 50)
				term.Resize(payload.Cols, payload.Rows)
			}
		})
	}
}

// BenchmarkDear is input that makes much work of few bytes.
func BenchmarkDear(b *testing.B) {
	for name, piece := range map[string]string{
		"clear": "\x1b[44m\x1b[2J", "alignment": "\x1b#8", "repeat": "x\x1b[99999b", "reset": "\x1bc", "scroll": "\x1b[99999S", "rectangle": "\x1b[1$r", "screens": "\x1b[?1049h\x1b[?1049l",
	} {
		b.Run(name, func(b *testing.B) {
			term := vt.New(vt.Config{Cols: payload.Cols, Rows: payload.Rows})
			data := []byte(strings.Repeat(piece, 4096/len(piece)))
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				term.Write(data)
			}
		})
	}
}

// userTime is the processor time this process has spent outside the kernel: the machine may be busy with other things.
func userTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano())
}
