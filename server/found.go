package server

import (
	"context"
	"crypto/rand"
	"errors"

	"google.golang.org/protobuf/proto"

	"fractal/room"
	"fractal/wire"
)

// white is the paper a canvas begins with.
const white = 0xffffffff

// found makes a canvas: its first op, which is its paper, goes the way of every op. A canvas is there once its log is.
func (s *Server) found(ctx context.Context, name string) error {
	r, done, err := s.rooms.acquire(ctx, name)
	if err != nil {
		return err
	}
	defer done()
	answers := make(founder, 1)
	key, session := make([]byte, 32), make([]byte, 16)
	_, _ = rand.Read(key) // never fails
	_, _ = rand.Read(session)
	viewer, err := r.Join(&wire.Hello{Protocol: 1, Key: key}, room.Seat{}, answers)
	if err != nil {
		return err
	}
	defer viewer.Leave()
	if err := viewer.Handle(&wire.ClientMessage{Kind: &wire.ClientMessage_Op{Op: &wire.Op{
		Session: session, Number: 1, Body: &wire.Op_Paper{Paper: &wire.Paper{Color: white}},
	}}}); err != nil {
		return err
	}
	select {
	case err := <-answers:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// founder waits for the answer to one op and lets everything else pass.
type founder chan error

// Send implements room.Sender.
func (f founder) Send(msg []byte) {
	m := new(wire.ServerMessage)
	if err := proto.Unmarshal(msg, m); err != nil {
		panic("server: the room sent what is no message: " + err.Error())
	}
	var answer error
	switch {
	case m.GetAck() != nil:
	case m.GetReject() != nil:
		answer = errors.New(m.GetReject().Reason)
	case m.GetFatal() != nil:
		answer = errors.New(m.GetFatal().Reason)
	default:
		return
	}
	select {
	case f <- answer:
	default: // it has its answer
	}
}
