package server

import (
	"bufio"
	"net"
	"net/http"
	"sync"
)

// corkBytes is how much of what is written together leaves at once. A cycle in a flood is some twenty messages of half a
// kilobyte: one write to the kernel instead of twenty, of which each costs more than making the message.
const corkBytes = 32 << 10

// corkBuffers are for connections that write just now: thousands at rest must not keep one each.
var corkBuffers = sync.Pool{New: func() any { return new([corkBytes]byte) }}

// cork is a connection whose writes can be held back until what belongs together is complete.
type cork struct {
	net.Conn

	mu   sync.Mutex // serialises writes, which come from the socket's writer and, for pongs, from its reader
	in   bool
	buf  *[corkBytes]byte // nil: nothing is held back
	held int
}

// hold begins to hold back what is written.
func (c *cork) hold() {
	c.mu.Lock()
	c.in = true
	c.mu.Unlock()
}

// release writes what was held back.
func (c *cork) release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.in = false
	return c.flush()
}

// Write implements net.Conn.
func (c *cork) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.in && c.held == 0 {
		return c.Conn.Write(p)
	}
	if c.held+len(p) > corkBytes {
		if err := c.flush(); err != nil {
			return 0, err
		}
	}
	if len(p) >= corkBytes/2 {
		if err := c.flush(); err != nil {
			return 0, err
		}
		return c.Conn.Write(p)
	}
	if c.buf == nil {
		c.buf = corkBuffers.Get().(*[corkBytes]byte)
	}
	c.held += copy(c.buf[c.held:], p)
	return len(p), nil
}

func (c *cork) flush() error {
	if c.buf == nil {
		return nil
	}
	_, err := c.Conn.Write(c.buf[:c.held])
	corkBuffers.Put(c.buf)
	c.buf, c.held = nil, 0
	return err
}

// corker gives whoever takes a connection over from HTTP one that can be corked.
type corker struct {
	http.ResponseWriter
	cork *cork // set by Hijack
}

// Hijack implements http.Hijacker.
func (c *corker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(c.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	c.cork = &cork{Conn: conn}
	rw.Writer.Reset(c.cork) // nothing is in it: a handshake is all that was said
	return c.cork, rw, nil
}
