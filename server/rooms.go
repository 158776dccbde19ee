package server

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"fractal/journal"
	"fractal/room"
)

// rooms holds the canvases in memory: opened for the first who asks, closed (which keeps a snapshot) when the last has left.
type rooms struct {
	server *Server // constant

	mu     sync.Mutex // guards all below; never held while a room opens or closes
	open   map[string]*lease
	past   room.Stats // what rooms that are gone have counted
	closed bool
}

// lease is one room in memory and how many hold it.
type lease struct {
	ready   chan struct{} // closed when room or err is set
	room    *room.Room
	err     error
	stop    context.CancelFunc // of the room's own context
	users   int                // guarded by rooms.mu
	closing bool               // guarded by rooms.mu; nobody may join any more
	gone    chan struct{}      // closed when it is out of memory
}

func newRooms(s *Server) rooms { return rooms{server: s, open: map[string]*lease{}} }

var errStopping = errors.New("the server is stopping")

// acquire returns the room of a canvas; release must be called once.
func (rs *rooms) acquire(ctx context.Context, name string) (r *room.Room, release func(), err error) {
	for {
		rs.mu.Lock()
		if rs.closed {
			rs.mu.Unlock()
			return nil, nil, errStopping
		}
		l, ok := rs.open[name]
		if ok && l.closing {
			rs.mu.Unlock()
			select { // its snapshot is being kept; then it opens again
			case <-l.gone:
				continue
			case <-ctx.Done():
				return nil, nil, ctx.Err()
			}
		}
		if !ok {
			l = &lease{ready: make(chan struct{}), gone: make(chan struct{})}
			rs.open[name] = l
		}
		l.users++
		rs.mu.Unlock()

		if !ok {
			rs.load(name, l)
		}
		select {
		case <-l.ready:
		case <-ctx.Done():
			rs.release(name, l)
			return nil, nil, ctx.Err()
		}
		if l.err != nil {
			rs.release(name, l)
			return nil, nil, l.err
		}
		return l.room, sync.OnceFunc(func() { rs.release(name, l) }), nil
	}
}

// load opens the room of a new lease.
func (rs *rooms) load(name string, l *lease) {
	defer close(l.ready)
	c := rs.server.config
	ctx, stop := context.WithCancel(context.Background()) // the room lives as long as anybody holds it, not as long as the first
	l.stop = stop
	l.room, l.err = room.Open(ctx, room.Config{
		Name: name, Journal: c.Journal, Blobs: c.Blobs, Pool: c.Pool, Shelf: c.Shelf, Shells: c.Shells, Shell: c.Shell,
		Report: func(what string) { rs.server.log.Warn(what, "canvas", name) },
	})
	if l.err == nil {
		rs.server.metrics.roomsOpen.Inc()
	}
}

func (rs *rooms) release(name string, l *lease) {
	rs.mu.Lock()
	l.users--
	last := l.users == 0 && !l.closing
	if last {
		l.closing = true
	}
	rs.mu.Unlock()
	if last {
		_ = rs.unload(name, l) // unload has logged it
	}
}

// unload closes the room of a lease that is marked closing.
func (rs *rooms) unload(name string, l *lease) error {
	<-l.ready
	var err error
	if l.err == nil {
		if err = l.room.Close(); err != nil {
			rs.server.log.Error("canvas closed badly", "canvas", name, "error", err)
		}
		rs.server.metrics.roomsOpen.Dec()
	}
	l.stop()
	rs.mu.Lock()
	if l.err == nil {
		last := l.room.Stats()
		last.Viewers, last.Armed, last.Owed, last.InkBytes, last.OpsWaiting, last.BytesWaiting = 0, 0, 0, 0, 0, 0
		add(&rs.past, last)
	}
	delete(rs.open, name)
	rs.mu.Unlock()
	close(l.gone)
	return err
}

// close closes every room, whoever holds it: ops in flight are committed and acknowledged first.
func (rs *rooms) close(ctx context.Context) error {
	rs.mu.Lock()
	rs.closed = true
	var mine, others []*lease
	names := map[*lease]string{}
	for name, l := range rs.open {
		names[l] = name
		if l.closing {
			others = append(others, l)
		} else {
			l.closing = true
			mine = append(mine, l)
		}
	}
	rs.mu.Unlock()

	var wg sync.WaitGroup
	errs := make([]error, len(mine))
	for i, l := range mine {
		wg.Go(func() { errs[i] = rs.unload(names[l], l) })
	}
	wg.Wait()
	for _, l := range others {
		select {
		case <-l.gone:
		case <-ctx.Done():
			errs = append(errs, ctx.Err())
		}
	}
	return errors.Join(errs...)
}

// sentence is what a person is told of an error. The log has the rest.
func sentence(err error) string {
	var head string
	switch {
	case errors.Is(err, journal.ErrCorrupt):
		head = "This canvas is damaged on the server's disk"
	case errors.Is(err, journal.ErrFull):
		head = "The server's disk is full"
	case errors.Is(err, journal.ErrReadOnly):
		head = "The server's data folder cannot be written"
	case errors.Is(err, errStopping), errors.Is(err, context.Canceled):
		return "The server is stopping. This page will reconnect."
	default:
		return err.Error()
	}
	return fmt.Sprintf("%s. %s", head, err)
}

// opened reports whether the room is there.
func (l *lease) opened() bool {
	select {
	case <-l.ready:
		return l.err == nil
	default:
		return false
	}
}

// inMemory are the rooms there are at the moment, by name.
func (rs *rooms) inMemory() map[string]*room.Room {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	open := map[string]*room.Room{}
	for name, l := range rs.open {
		if l.opened() {
			open[name] = l.room
		}
	}
	return open
}

// users counts who holds each open canvas.
func (rs *rooms) users() map[string]int {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	n := make(map[string]int, len(rs.open))
	for name, l := range rs.open {
		n[name] = l.users
	}
	return n
}
