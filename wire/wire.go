// Package wire owns the schema of everything Fractal sends and keeps (fractal.proto), its Go form, and the bounds a frame
// must keep before it is decoded. It refuses to know what a message means: rooms, sockets, canvases and tiles are above or
// beside it. web/src/wire.ts is its twin for the page; both read the golden frames in testdata.
package wire

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

//go:generate go run ./gen

const (
	// Protocol is the version of the socket's protocol that Hello and Welcome name.
	Protocol = 1
	// MaxClientFrame bounds one frame of a client in bytes. A stroke of 131,072 points fits.
	MaxClientFrame = 1 << 20
	// MaxWants bounds the wants of one View. A 4K screen with its margin has about 300 squares.
	MaxWants = 512
)

// ErrMalformed is wrapped by every error of DecodeClient.
var ErrMalformed = errors.New("not a message")

// DecodeClient decodes one frame of a client. What it allocates is bounded by a small multiple of the frame: a View of a
// million empty wants, two bytes each, is refused before the first of them is made.
func DecodeClient(frame []byte) (*ClientMessage, error) {
	if len(frame) > MaxClientFrame {
		return nil, fmt.Errorf("wire: %w: %d bytes, at most %d are taken", ErrMalformed, len(frame), MaxClientFrame)
	}
	if err := boundWants(frame); err != nil {
		return nil, err
	}
	m := new(ClientMessage)
	if err := proto.Unmarshal(frame, m); err != nil {
		return nil, fmt.Errorf("wire: %w: %w", ErrMalformed, err)
	}
	return m, nil
}

// maxHeld is how many layers a want may say it holds, on average.
const maxHeld = 4

// Field numbers that boundWants looks for.
const (
	fieldView  = 2 // ClientMessage.view
	fieldWants = 3 // View.wants
	fieldHeld  = 7 // Want.layers
)

func boundWants(frame []byte) error {
	wants, held := 0, 0
	return eachField(frame, func(number protowire.Number, body []byte) error {
		if number != fieldView {
			return nil
		}
		return eachField(body, func(number protowire.Number, body []byte) error {
			if number != fieldWants {
				return nil
			}
			if wants++; wants > MaxWants {
				return fmt.Errorf("wire: %w: a view of more than %d wants", ErrMalformed, MaxWants)
			}
			return eachField(body, func(number protowire.Number, _ []byte) error {
				if number == fieldHeld {
					held++
				}
				if held > maxHeld*MaxWants {
					return fmt.Errorf("wire: %w: a view that holds more than %d layers a want", ErrMalformed, maxHeld)
				}
				return nil
			})
		})
	})
}

// eachField calls fn for every field of m that is behind a length.
func eachField(m []byte, fn func(protowire.Number, []byte) error) error {
	for len(m) > 0 {
		number, typ, n := protowire.ConsumeTag(m)
		if n < 0 {
			return fmt.Errorf("wire: %w: %w", ErrMalformed, protowire.ParseError(n))
		}
		m = m[n:]
		size := protowire.ConsumeFieldValue(number, typ, m)
		if size < 0 {
			return fmt.Errorf("wire: %w: %w", ErrMalformed, protowire.ParseError(size))
		}
		if typ == protowire.BytesType {
			body, _ := protowire.ConsumeBytes(m)
			if err := fn(number, body); err != nil {
				return err
			}
		}
		m = m[size:]
	}
	return nil
}
