package server

import (
	"google.golang.org/protobuf/encoding/protowire"

	"fractal/wire"
)

// rejectRaw rejects the op of a message that cannot be decoded, when its name can be: the sender would wait for its
// answer for ever. The name (session, number) stands at the front of every op we have seen, before its large body.
func (k *socket) rejectRaw(msg []byte, why string) {
	session, number, ok := opName(msg)
	if !ok {
		return
	}
	k.metrics.rejected.Inc()
	k.send(&wire.ServerMessage{Kind: &wire.ServerMessage_Reject{Reject: &wire.Reject{Session: session, Number: number, Reason: why}}})
}

// Field numbers of fractal.proto.
const (
	messageOp = protowire.Number(4) // ClientMessage.op
	opSession = protowire.Number(1) // Op.session
	opNumber  = protowire.Number(2) // Op.number
)

// opName finds the name of the op in the beginning of a ClientMessage.
func opName(b []byte) (session []byte, number uint64, ok bool) {
	num, typ, n := protowire.ConsumeTag(b)
	if n < 0 || num != messageOp || typ != protowire.BytesType {
		return nil, 0, false
	}
	b = b[n:]
	_, n = protowire.ConsumeVarint(b) // the length; it may reach beyond what we have
	if n < 0 {
		return nil, 0, false
	}
	b = b[n:]
	for session == nil || number == 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, 0, false
		}
		b = b[n:]
		switch {
		case num == opSession && typ == protowire.BytesType:
			v, n := protowire.ConsumeBytes(b)
			if n < 0 || len(v) != 16 {
				return nil, 0, false
			}
			session, b = append([]byte(nil), v...), b[n:]
		case num == opNumber && typ == protowire.VarintType:
			v, n := protowire.ConsumeVarint(b)
			if n < 0 {
				return nil, 0, false
			}
			number, b = v, b[n:]
		default:
			n := protowire.ConsumeFieldValue(num, typ, b)
			if n < 0 {
				return nil, 0, false
			}
			b = b[n:]
		}
	}
	return session, number, true
}
