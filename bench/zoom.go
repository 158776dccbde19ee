package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"fractal/canvas"
	"fractal/mandel"
	"fractal/raster"
	"fractal/source"
	"fractal/tile"
)

// Zoom falls straight into locations of the Mandelbrot set and measures whole views on the way, as cells: an aligned view of
// 768 × 512 is six of them. The limits are those that places find by themselves.
type Zoom struct {
	Locations []string
	Samples   int
	Runs      int
	Deepest   int     // doublings
	Budget    float64 // ms of CPU for the samples of a view: 600 is 300 ms on two free cores
	Large     bool    // 1440 × 900 too: 6 × 4 cells
	Stderr    io.Writer

	stops []mandel.Stop
}

// Check says what cannot be measured, in words for a person.
func (z *Zoom) Check() error {
	if z.Samples < 1 || z.Runs < 1 {
		return errors.New("--samples and --runs are at least 1")
	}
	if len(z.Locations) == 1 && z.Locations[0] == "all" {
		z.stops = mandel.Tour()
		return nil
	}
	var names []string
	for _, s := range mandel.Tour() {
		names = append(names, s.Name)
	}
	for _, n := range z.Locations {
		i := slices.Index(names, n)
		if i < 0 {
			return fmt.Errorf("there is no location %q; there are: %s", n, strings.Join(names, ", "))
		}
		z.stops = append(z.stops, mandel.Tour()[i])
	}
	return nil
}

// Zoomed is the result of Zoom.
type Zoomed struct {
	Kernel string     `json:"kernel"`
	Cores  int        `json:"cores"`
	Paths  []ZoomPath `json:"paths"`
}

// ZoomPath is the way to one location.
type ZoomPath struct {
	Location string `json:"location"`
	// HeldDoublings is the deepest sample above which, and at which, every view was complete within the budget.
	HeldDoublings int          `json:"held_doublings"`
	Samples       []ZoomSample `json:"samples"`
}

// ZoomSample is the view after so many doublings.
type ZoomSample struct {
	Level     int     `json:"level"`
	Limit     int64   `json:"limit"`
	CPU       Spread  `json:"cpu_ms"`       // samples, one thread
	Reference Spread  `json:"reference_ms"` // CPU for orbits and tables that were not there
	Wall      Spread  `json:"wall_ms"`      // samples on all cores, references there
	First     Spread  `json:"first_ms"`     // of cpu_ms, until every cell has its first picture: a sixteenth of its samples
	FirstWall Spread  `json:"first_wall_ms"`
	LargeCPU  *Spread `json:"large_cpu_ms,omitempty"`
	Complete  bool    `json:"complete"` // the middle of CPU is within the budget
}

// Measure does it.
func (z *Zoom) Measure(ctx context.Context) (*Zoomed, error) {
	out := &Zoomed{Kernel: mandel.Kernel, Cores: runtime.NumCPU()}
	for _, s := range z.stops {
		path, err := z.path(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("bench: zoom: %w", err)
		}
		out.Paths = append(out.Paths, *path)
	}
	return out, nil
}

func (z *Zoom) path(ctx context.Context, s mandel.Stop) (*ZoomPath, error) {
	l, err := s.Location()
	if err != nil {
		return nil, err
	}
	place, err := homePlace()
	if err != nil {
		return nil, err
	}
	deepest := min(int(l.Zoom.Log2()), z.Deepest)
	p := &ZoomPath{Location: s.Name, HeldDoublings: -1}
	held := true
	for i := range z.Samples {
		k := deepest
		if z.Samples > 1 {
			k = deepest * i / (z.Samples - 1)
		}
		v, err := z.sample(ctx, place, l, k)
		if err != nil {
			return nil, err
		}
		if held = held && v.Complete; held {
			p.HeldDoublings = k
		}
		p.Samples = append(p.Samples, *v)
		_, cpu, _ := v.CPU.Figures()
		_, ref, _ := v.Reference.Figures()
		_, wall, _ := v.Wall.Figures()
		_, first, _ := v.First.Figures()
		fmt.Fprintf(z.Stderr, "%s 2^%d: limit %d, %.0f ms CPU, %.0f to the first picture, %.0f ms wall, reference %.0f ms\n", s.Name, k, v.Limit, cpu, first, wall, ref)
	}
	return p, nil
}

func (z *Zoom) sample(ctx context.Context, p *canvas.Place, l mandel.Location, k int) (*ZoomSample, error) {
	v := &ZoomSample{Level: k}
	ids, err := around(p, l, k, 3, 2)
	if err != nil {
		return nil, err
	}
	for range z.Runs {
		all, err := cpuOf(ctx, p, ids)
		if err != nil {
			return nil, err
		}
		v.CPU.Add(ms(all.Samples))
		v.First.Add(ms(all.First))
		v.Reference.Add(ms(all.References))
		v.Limit = all.Limit
		for _, w := range []struct {
			last int
			to   *Spread
		}{{4, &v.FirstWall}, {1, &v.Wall}} {
			wall, err := wallOf(ctx, p, ids, w.last)
			if err != nil {
				return nil, err
			}
			w.to.Add(ms(wall))
		}
		if z.Large {
			large, err := around(p, l, k, 6, 4)
			if err != nil {
				return nil, err
			}
			all, err := cpuOf(ctx, p, large)
			if err != nil {
				return nil, err
			}
			if v.LargeCPU == nil {
				v.LargeCPU = new(Spread)
			}
			v.LargeCPU.Add(ms(all.Samples))
		}
	}
	_, middle, _ := v.CPU.Figures()
	v.Complete = middle <= z.Budget
	return v, nil
}

// around is w × h tiles with a location in the middle, after k doublings: two of them are as high as the view of that zoom.
func around(p *canvas.Place, l mandel.Location, k, w, h int) (ids []tile.ID, err error) {
	id, fx, fy, err := source.Shows(p, l.Re, l.Im, k+1)
	if err != nil {
		return nil, err
	}
	first := func(n int, f float64) int64 {
		if n%2 == 0 && f >= 0.5 {
			return int64(1 - n/2)
		}
		return int64(-(n / 2))
	}
	for j := range h {
		for i := range w {
			n, ok := id.Shift(0, first(w, fx)+int64(i), first(h, fy)+int64(j))
			if !ok {
				return nil, fmt.Errorf("no tile after %d doublings", k)
			}
			ids = append(ids, n)
		}
	}
	return ids, nil
}

// cpuOf is what cells take of one thread, summed up.
func cpuOf(ctx context.Context, p *canvas.Place, ids []tile.ID) (all source.Measured, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	samples := make([]mandel.Sample, raster.Size*raster.Size)
	for _, id := range ids {
		m, err := source.MeasureCell(ctx, p, id, 1, samples, threadCPU)
		if err != nil {
			return all, err
		}
		all.Samples += m.Samples
		all.First += m.First
		all.References += m.References
		all.Limit = max(all.Limit, m.Limit)
	}
	return all, nil
}

// wallOf is what cells take of all cores, in passes down to the stride last.
func wallOf(ctx context.Context, p *canvas.Place, ids []tile.ID, last int) (time.Duration, error) {
	begun := time.Now()
	next := make(chan tile.ID, len(ids))
	for _, id := range ids {
		next <- id
	}
	close(next)
	var wg sync.WaitGroup
	errs := make([]error, runtime.NumCPU())
	for w := range errs {
		wg.Go(func() {
			samples := make([]mandel.Sample, raster.Size*raster.Size)
			for id := range next {
				if _, err := source.MeasureCell(ctx, p, id, last, samples, func() time.Duration { return 0 }); err != nil {
					errs[w] = err
				}
			}
		})
	}
	wg.Wait()
	return time.Since(begun), errors.Join(errs...)
}

// Table is for people.
func (r *Zoomed) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s, %d cores; views of 768 × 512, ms of CPU for the samples\n", r.Kernel, r.Cores)
	for _, p := range r.Paths {
		var all, firsts Spread
		done := 0
		for _, s := range p.Samples {
			_, m, _ := s.CPU.Figures()
			all.Add(m)
			_, m, _ = s.First.Figures()
			firsts.Add(m)
			if s.Complete {
				done++
			}
		}
		least, median, most := all.Figures()
		f1, f2, f3 := firsts.Figures()
		fmt.Fprintf(&b, "  %-14s held 2^%-6d %2d of %2d in time   %8.0f / %8.0f / %8.0f, first picture %.0f / %.0f / %.0f\n", p.Location, p.HeldDoublings, done, len(p.Samples), least, median, most, f1, f2, f3)
	}
	return b.String()
}
