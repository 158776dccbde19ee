package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fractal/exchange"
	"fractal/remote"
)

// ImportResult is what `fractal bench import` prints.
type ImportResult struct {
	Corpus     string `json:"corpus"`
	Runs       int    `json:"runs"`
	Strokes    int    `json:"strokes"`
	Points     int    `json:"points"`
	Rejected   int    `json:"rejected"`
	StrokesPS  Spread `json:"strokes_per_s"`       // each acknowledged, which is on disk
	StartMS    Spread `json:"start_ms"`            // of the process, with an empty data folder, to its address
	OpenMS     Spread `json:"open_ms"`             // after a restart, from dialling to the welcome of the canvas
	CrashMS    Spread `json:"open_after_crash_ms"` // the same after kill -9: no snapshot was written at the end
	HeapBytes  Spread `json:"live_heap_bytes"`     // of the restarted server with the canvas open
	RSSBytes   Spread `json:"rss_bytes"`           // there
	DiskBytes  Spread `json:"disk_bytes"`          // of the data folder
	CPUSeconds Spread `json:"server_cpu_s"`        // of the server while importing
}

// Import imports a corpus into fresh servers, once each run, and opens it again after a crash and after a restart.
func Import(ctx context.Context, program, corpus string, runs int, log io.Writer) (*ImportResult, error) {
	r := &ImportResult{Corpus: filepath.Base(corpus), Runs: runs}
	for run := range runs {
		if err := r.once(ctx, program, corpus, log); err != nil {
			return nil, fmt.Errorf("run %d: %w", run+1, err)
		}
	}
	return r, nil
}

func (r *ImportResult) once(ctx context.Context, program, corpus string, log io.Writer) error {
	dir, err := os.MkdirTemp("", "fractal-bench-")
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	defer os.RemoveAll(dir)
	file, err := os.Open(corpus)
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	defer file.Close()

	p, err := Start(ctx, program, dir, log)
	if err != nil {
		return err
	}
	defer func() { p.Kill() }() // p is always the newest; killing one that has ended does nothing
	r.StartMS.Add(ms(p.Took))
	in, err := remote.Import(ctx, p.Target("bench"), remote.Who{Name: "bench"}, exchange.ReadStrokes(file), nil, nil)
	if err != nil {
		return err
	}
	r.Strokes, r.Points, r.Rejected = in.Strokes, in.Points, len(in.Rejected)
	r.StrokesPS.Add(float64(in.Strokes) / in.Took.Seconds())
	m, err := p.Metrics(ctx)
	if err != nil {
		return err
	}
	r.CPUSeconds.Add(m["process_cpu_seconds_total"])

	p.Kill()
	if p, err = r.reopen(ctx, program, dir, log, &r.CrashMS); err != nil {
		return err
	}
	if err := p.Stop(); err != nil {
		return err
	}
	if p, err = r.reopen(ctx, program, dir, log, &r.OpenMS); err != nil {
		return err
	}
	viewer, err := remote.Open(ctx, p.Target("bench"), remote.Who{Name: "bench"}, nil) // keeps the canvas in memory
	if err != nil {
		return err
	}
	heap, err := p.LiveHeap(ctx)
	r.HeapBytes.Add(heap)
	r.RSSBytes.Add(p.RSS())
	viewer.Close()
	if err != nil {
		return err
	}
	r.DiskBytes.Add(size(dir))
	return p.Stop()
}

// reopen starts a server on dir and measures the first welcome.
func (r *ImportResult) reopen(ctx context.Context, program, dir string, log io.Writer, took *Spread) (*Process, error) {
	p, err := Start(ctx, program, dir, log)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	s, err := remote.Open(ctx, p.Target("bench"), remote.Who{Name: "bench"}, nil)
	if err != nil {
		p.Kill()
		return nil, err
	}
	took.Add(ms(time.Since(begin)))
	s.Close()
	return p, nil
}

// Table is the result for people.
func (r *ImportResult) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d strokes, %d points, %d rejected, %d runs (min / median / max)\n", r.Corpus, r.Strokes, r.Points, r.Rejected, r.Runs)
	table(&b, []row{
		{"strokes/s, durable", r.StrokesPS, 1}, {"server start, ms", r.StartMS, 1}, {"open after crash, ms", r.CrashMS, 1},
		{"open after restart, ms", r.OpenMS, 1}, {"live heap, MB", r.HeapBytes, 1e6}, {"resident, MB", r.RSSBytes, 1e6},
		{"disk, MB", r.DiskBytes, 1e6}, {"server CPU, s", r.CPUSeconds, 1},
	})
	return b.String()
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// size is how many bytes the files below dir hold.
func size(dir string) float64 {
	total := int64(0)
	_ = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error { // a file that has just gone holds nothing
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				total += info.Size()
			}
		}
		return nil
	})
	return float64(total)
}
