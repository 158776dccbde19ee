package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"fractal/remote"
	"fractal/wire"
)

// TestKilledServerKeepsWhatItAcknowledged draws with several sessions, kills the server in the middle of it, starts it again and
// looks for every stroke that anybody was told is kept. A stroke's colour is its name.
func TestKilledServerKeepsWhatItAcknowledged(t *testing.T) {
	rounds, writers := 5, 4
	if testing.Short() {
		rounds = 2
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	dir := t.TempDir()
	kept := map[uint32]bool{} // by colour
	next := uint32(0)
	for round := range rounds {
		s := serveOn(t, dir)
		target, err := remote.ParseTarget(s.url, "storm")
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		enough := make(chan struct{})
		var (
			mu    sync.Mutex // guards kept, next and acked
			acked int
			fatal = 100 + rng.IntN(1500) // acks until the kill
			wg    sync.WaitGroup
		)
		for range writers {
			wg.Go(func() {
				var colors []uint32 // by op number - 1
				session, err := remote.Open(ctx, target, remote.Who{Name: "storm"}, func(a remote.Answer) {
					mu.Lock()
					defer mu.Unlock()
					if a.Reject != "" {
						t.Errorf("a good stroke was rejected: %s", a.Reject)
						return
					}
					kept[colors[a.Number-1]] = true
					if acked++; acked == fatal {
						close(enough)
					}
				})
				if err != nil {
					select {
					case <-enough: // the server died before this one came
					default:
						t.Error(err)
					}
					return
				}
				defer session.Close()
				for ctx.Err() == nil {
					mu.Lock()
					next++
					color := next
					colors = append(colors, color)
					mu.Unlock()
					if _, err := session.Send(&wire.Op{Body: &wire.Op_Stroke{Stroke: &wire.Stroke{
						Home: &wire.Tile{Level: int32(color % 50)}, Brush: 1, Color: color, Width: 64, Points: bytes.Repeat([]byte{4, 6}, 20),
					}}}); err != nil {
						return // the server is gone
					}
				}
			})
		}
		<-enough
		s.kill()
		stop()
		wg.Wait()

		s = serveOn(t, dir)
		have := exportedColors(t, s.url, "storm")
		mu.Lock()
		for color := range kept {
			if have[color] != 1 {
				t.Errorf("round %d: stroke %d was acknowledged and is there %d times", round, color, have[color])
			}
		}
		t.Logf("round %d: killed after %d acks, %d strokes drawn, %d acknowledged so far, %d there", round, fatal, next, len(kept), len(have))
		mu.Unlock()
		if code, _ := s.term(); code != 0 {
			t.Fatalf("exit %d: %s", code, s.stderr)
		}
	}
}

func exportedColors(t *testing.T, url, canvas string) map[uint32]int {
	t.Helper()
	resp, err := http.Get(strings.TrimSuffix(url, "/") + "/c/" + canvas + "/export")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("export: %d %v %.200s", resp.StatusCode, err, body)
	}
	have := map[uint32]int{}
	for line := range strings.Lines(string(body)) {
		if _, after, ok := strings.Cut(line, `"color":"#`); ok {
			var c uint32
			if _, err := fmt.Sscanf(after[:8], "%08x", &c); err != nil {
				t.Fatal(err)
			}
			have[c]++
		}
	}
	return have
}
