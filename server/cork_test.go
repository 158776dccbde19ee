package server

import (
	"bytes"
	"math/rand/v2"
	"net"
	"slices"
	"testing"
)

// pieces is a connection that keeps what is written to it, by write.
type pieces struct {
	net.Conn
	writes [][]byte
}

func (p *pieces) Write(b []byte) (int, error) {
	p.writes = append(p.writes, bytes.Clone(b))
	return len(b), nil
}

func TestCorkKeepsOrderAndJoinsWrites(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	under := &pieces{}
	c := &cork{Conn: under}
	var all []byte
	for range 2000 {
		switch rng.IntN(8) {
		case 0:
			c.hold()
		case 1:
			if err := c.release(); err != nil {
				t.Fatal(err)
			}
			if got := slices.Concat(under.writes...); !bytes.Equal(got, all) {
				t.Fatalf("after a release %d of %d bytes are out, or in another order", len(got), len(all))
			}
		default:
			b := make([]byte, rng.IntN(1<<rng.IntN(17)+1))
			for i := range b {
				b[i] = byte(rng.Uint32())
			}
			if n, err := c.Write(b); n != len(b) || err != nil {
				t.Fatal(n, err)
			}
			all = append(all, b...)
		}
	}
	under.writes = nil
	c.hold()
	for range 20 {
		_, _ = c.Write(make([]byte, 500))
	}
	if _ = c.release(); len(under.writes) != 1 {
		t.Errorf("twenty small writes left as %d", len(under.writes))
	}
	if c.buf != nil {
		t.Error("a connection at rest keeps a buffer")
	}
}
