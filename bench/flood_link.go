package bench

import (
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// The slow viewers of a flood.
const (
	slowBytesPerSecond = 200_000
	slowDelay          = 20 * time.Millisecond // each way
	slowHz             = 10
)

// slowLink is a TCP relay with a bandwidth towards the viewer and a delay both ways. Its own buffers are small, as those of a
// line are: what does not fit waits at the server, which is to notice.
type slowLink struct {
	listener net.Listener
	to       string
	rate     float64 // bytes/s
	delay    time.Duration
	running  sync.WaitGroup

	mu   sync.Mutex // guards all below
	open map[net.Conn]struct{}
	shut bool
}

func newSlowLink(to string, bytesPerSecond float64, delay time.Duration) (*slowLink, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	s := &slowLink{listener: l, to: to, rate: bytesPerSecond, delay: delay, open: map[net.Conn]struct{}{}}
	s.running.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			s.running.Go(func() { s.relay(near) })
		}
	})
	return s, nil
}

func (s *slowLink) addr() string { return s.listener.Addr().String() }

// close ends all connections and waits for what carried them.
func (s *slowLink) close() {
	_ = s.listener.Close()
	s.mu.Lock()
	s.shut = true
	for c := range s.open {
		_ = c.Close()
	}
	s.mu.Unlock()
	s.running.Wait()
}

func (s *slowLink) hold(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.shut {
		s.open[c] = struct{}{}
	}
	return !s.shut
}

func (s *slowLink) relay(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", s.to)
	if err != nil {
		return
	}
	defer far.Close()
	if !s.hold(near) || !s.hold(far) {
		return
	}
	_ = far.(*net.TCPConn).SetReadBuffer(8 << 10) // a hint: the system decides
	var up sync.WaitGroup
	up.Go(func() {
		s.carry(far, near, 0)
		_ = far.Close()
	})
	s.carry(near, far, s.rate)
	_ = near.Close()
	up.Wait()
}

// carry moves bytes at a rate (0: unbounded), each a delay later.
func (s *slowLink) carry(to io.Writer, from io.Reader, rate float64) {
	type parcel struct {
		due   time.Time
		bytes []byte
	}
	line := make(chan parcel, 16) // at 1 KiB each: less than what the line has on its way
	var sending sync.WaitGroup
	sending.Go(func() {
		bad := false
		for p := range line {
			if !bad {
				time.Sleep(time.Until(p.due)) // the line itself: there is no event to wait for
				_, err := to.Write(p.bytes)
				bad = err != nil
			}
		}
	})
	free := time.Now() // when the line takes the next byte
	for {
		b := make([]byte, 1<<10)
		n, err := from.Read(b)
		if n > 0 {
			now := time.Now()
			if free.Before(now) {
				free = now
			}
			if rate > 0 {
				free = free.Add(time.Duration(float64(n) / rate * float64(time.Second)))
				time.Sleep(time.Until(free))
			}
			line <- parcel{free.Add(s.delay), b[:n]}
		}
		if err != nil {
			break
		}
	}
	close(line)
	sending.Wait()
}
