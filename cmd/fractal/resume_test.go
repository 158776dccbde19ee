package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"

	"fractal/exchange"
	"fractal/remote"
)

// many is a file of n strokes, each with its number as colour.
func many(n int) string {
	var b strings.Builder
	b.WriteString(`{"format":"fractal-strokes","version":1}` + "\n")
	for i := range n {
		fmt.Fprintf(&b, `{"level":0,"x":"%d","y":"0","width":2,"color":"#%08x","points":[1,2,3,4,5,6,%d,8]}`+"\n", i%40, i+1, i)
	}
	return b.String()
}

func checkOnce(t *testing.T, have map[uint32]int, n int) {
	t.Helper()
	if len(have) != n {
		t.Errorf("%d strokes are there, want %d", len(have), n)
	}
	for color, times := range have {
		if times != 1 {
			t.Errorf("stroke %d is there %d times", color, times)
		}
	}
}

// cutter passes connections on to a server and cuts each after some bytes from the client.
type cutter struct {
	listener net.Listener
	to       string
	rng      *rand.Rand

	mu   sync.Mutex // guards all below
	cuts int
}

func (c *cutter) serve() {
	for {
		client, err := c.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", c.to)
		if err != nil {
			client.Close()
			continue
		}
		c.mu.Lock()
		life := int64(2_000 + c.rng.IntN(60_000)) // bytes
		c.mu.Unlock()
		go func() { // ends with either connection
			_, _ = io.Copy(client, server)
			client.Close()
			server.Close()
		}()
		go func() { // ends with the connection's life
			if n, _ := io.CopyN(server, client, life); n == life {
				c.mu.Lock()
				c.cuts++
				c.mu.Unlock()
			}
			client.Close()
			server.Close()
		}()
	}
}

func TestImportGoesOnWhenItsConnectionIsCut(t *testing.T) {
	const strokes = 3000
	s := serveOn(t, t.TempDir())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	c := &cutter{listener: l, to: strings.Trim(strings.TrimPrefix(s.url, "http://"), "/"), rng: rand.New(rand.NewPCG(seed, 2))}
	go c.serve() // ends with the listener
	target, err := remote.ParseTarget(l.Addr().String(), "cut")
	if err != nil {
		t.Fatal(err)
	}
	in, err := remote.Import(t.Context(), target, remote.Who{Name: "cut"}, exchange.ReadStrokes(strings.NewReader(many(strokes))), nil, nil)
	if err != nil || in.Strokes != strokes || len(in.Rejected) > 0 {
		t.Fatalf("%d strokes kept, rejected %v, %v", in.Strokes, in.Rejected, err)
	}
	if in.Resumed == 0 || c.cuts == 0 {
		t.Errorf("cut %d times and resumed %d times: this shows nothing", c.cuts, in.Resumed)
	}
	t.Logf("cut %d times", c.cuts)
	checkOnce(t, exportedColors(t, s.url, "cut"), strokes)
}

func TestImportGoesOnWhenTheServerRestarts(t *testing.T) {
	const strokes = 2000
	for name, end := range map[string]func(*serving){
		"stopped": func(s *serving) {
			if code, _ := s.term(); code != 0 {
				t.Errorf("exit %d: %s", code, s.stderr)
			}
		},
		"killed": func(s *serving) { s.kill() },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := serveOn(t, dir)
			addr := strings.Trim(strings.TrimPrefix(s.url, "http://"), "/")
			target, err := remote.ParseTarget(s.url, "again")
			if err != nil {
				t.Fatal(err)
			}
			r, w := io.Pipe()
			half := make(chan struct{})
			type outcome struct {
				in  remote.Imported
				err error
			}
			done := make(chan outcome, 1)
			go func() {
				in, err := remote.Import(t.Context(), target, remote.Who{Name: "again"}, exchange.ReadStrokes(r), func(kept int) {
					if kept == strokes/4 {
						close(half)
					}
				}, nil)
				done <- outcome{in, err}
			}()
			text := many(strokes)
			cut := strings.Index(text, fmt.Sprintf("#%08x", strokes/2))
			if _, err := io.WriteString(w, text[:cut]); err != nil {
				t.Fatal(err)
			}
			<-half
			end(s)
			again := serveOn(t, dir, "--addr", addr)
			if _, err := io.WriteString(w, text[cut:]); err != nil {
				t.Fatal(err)
			}
			w.Close()
			o := <-done
			if o.err != nil || o.in.Strokes != strokes || o.in.Resumed == 0 {
				t.Fatalf("%d strokes kept, resumed %d times, %v", o.in.Strokes, o.in.Resumed, o.err)
			}
			checkOnce(t, exportedColors(t, again.url, "again"), strokes)
		})
	}
}
