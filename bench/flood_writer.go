package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"fractal/canvas"
	"fractal/ink"
	"fractal/remote"
	"fractal/tile"
	"fractal/wire"
)

const (
	floodPoints = 100 // of a stroke
	floodModels = 256 // different strokes of one writer
	screenWide  = 5   // squares of a screen of 1280 × 768 px
	screenHigh  = 3
)

// writer is one who draws. Strokes are made beforehand: drawing costs the driver little.
type writer struct {
	session *remote.Session
	rate    float64
	phase   float64
	strokes []*wire.Stroke

	mu   sync.Mutex // guards all below
	sent []time.Time
	acks []ack
	lost int // set at the end
	no   int // rejected
}

// ack is one stroke that is kept.
type ack struct {
	seq      canvas.Seq
	sent, at time.Time
}

func openWriter(ctx context.Context, t remote.Target, i int, f Flood) (*writer, error) {
	w := &writer{rate: f.Rate, phase: float64(i) / float64(max(f.Writers, 1)), strokes: handwriting(uint64(i), f.Screens)}
	s, err := remote.Open(ctx, t, remote.Who{Name: fmt.Sprintf("writer %d", i)}, w.answered)
	w.session = s
	return w, err
}

// handwriting makes strokes as people do: 100 points, some 200 px of a line that turns, somewhere on the screens, which lie
// side by side. A hand moves smoothly: from one point to the next by 1 to 3 px, turning by some degrees, more in loops.
func handwriting(seed uint64, screens int) (strokes []*wire.Stroke) {
	rng := rand.New(rand.NewPCG(seed, 77))
	for range floodModels {
		pts := make([]ink.Point, floodPoints)
		x, y := rng.Float64()*float64(screens*screenWide*tile.Units), rng.Float64()*screenHigh*tile.Units
		heading, turn, width := rng.Float64()*2*math.Pi, 0.0, 160+rng.Float64()*160 // 2.5 to 5 px
		for i := range pts {
			pts[i] = ink.Point{X: int64(x), Y: int64(y), D: int32(width)}
			turn = 0.8*turn + 0.08*rng.NormFloat64()
			heading += turn
			step := 64 * (1 + 2*rng.Float64())
			x, y = x+step*math.Cos(heading), y+step*math.Sin(heading)
			width = max(100, min(400, width+8*rng.NormFloat64()))
		}
		s, err := ink.New(tile.At(0, 0, 0), 1, rng.Uint32()|0xff, pts)
		if err != nil {
			panic("bench: a stroke of ours is wrong: " + err.Error())
		}
		strokes = append(strokes, s.Wire())
	}
	return strokes
}

// run draws at the writer's rate until the time is over. A writer that is held up catches up.
func (w *writer) run(ctx context.Context, began time.Time, length time.Duration) error {
	if w.rate == 0 {
		return nil
	}
	every := time.Duration(float64(time.Second) / w.rate)
	for next := time.Duration(w.phase * float64(every)); next < length; next += every {
		if wait := time.Until(began.Add(next)); wait > 0 {
			if pause(ctx, wait) != nil {
				return nil
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		if err := w.send(); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

func (w *writer) send() error {
	w.mu.Lock()
	n := len(w.sent)
	w.sent = append(w.sent, time.Now())
	w.mu.Unlock()
	_, err := w.session.Send(&wire.Op{Body: &wire.Op_Stroke{Stroke: w.strokes[n%len(w.strokes)]}})
	return err
}

func (w *writer) answered(a remote.Answer) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if a.Reject != "" {
		w.no++
		return
	}
	w.acks = append(w.acks, ack{canvas.Seq(a.Seq), w.sent[a.Number-1], now})
}

// flush waits for the answers that are missing, but not for ever: what is not answered then is lost.
func (w *writer) flush(ctx context.Context) {
	done := make(chan struct{})
	go func() { // ends with the session at the latest, which whoever opened the writer closes
		defer close(done)
		_ = w.session.Flush()
	}()
	t := time.NewTimer(10 * time.Second)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
	case <-ctx.Done():
	}
	w.mu.Lock()
	w.lost = len(w.sent) - len(w.acks) - w.no
	w.mu.Unlock()
}

func (w *writer) newest() (seq canvas.Seq) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range w.acks {
		seq = max(seq, a.seq)
	}
	return seq
}
