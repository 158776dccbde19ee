// Package demo holds the drawing that shows what Fractal is for: the coast lines of the world at three depths. It refuses
// to know where it is drawn.
//
// Origin: Natural Earth (https://www.naturalearthdata.com, public domain) by way of world-atlas 2.0.2 (ISC, Copyright
// 2013–2019 Michael Bostock), its 1:110m, 1:50m and 1:10m land outlines projected to tiles at levels 0, 4 and 8.
// See NOTICE.
package demo

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"iter"

	"google.golang.org/protobuf/encoding/protodelim"

	"fractal/exchange"
	"fractal/ink"
	"fractal/wire"
)

// earth is wire.Stroke messages, each after its length as a varint, in paint order, gzipped. Written by ./gen.
//
//go:embed earth.strokes.gz
var earth []byte

// Earth reads the coast lines, level by level.
func Earth() iter.Seq2[exchange.Record, error] {
	return func(yield func(exchange.Record, error) bool) {
		z, err := gzip.NewReader(bytes.NewReader(earth))
		if err != nil {
			yield(exchange.Record{}, fmt.Errorf("demo: %w", err))
			return
		}
		r := bufio.NewReader(z)
		for n := 1; ; n++ {
			w := new(wire.Stroke)
			if err := protodelim.UnmarshalFrom(r, w); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				yield(exchange.Record{Line: n}, fmt.Errorf("demo: stroke %d: %w", n, err))
				return
			}
			s, err := ink.FromWire(w)
			if !yield(exchange.Record{Line: n, Stroke: s, Reject: err}, nil) {
				return
			}
		}
	}
}
