// Command gen packs the coast lines of a file of stroke lines for the demo: go run ./exchange/demo/gen FILE OUT. Strokes
// deeper than level 8 are left out: in the file the demo was made of they are handwriting under another licence.
package main

import (
	"compress/gzip"
	"log"
	"os"

	"google.golang.org/protobuf/encoding/protodelim"

	"fractal/exchange"
)

const deepest = 8

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: gen FILE OUT")
	}
	in, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	out, err := os.Create(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	z, _ := gzip.NewWriterLevel(out, gzip.BestCompression) // the level is valid
	n := 0
	for rec, err := range exchange.ReadStrokes(in) {
		if err != nil {
			log.Fatal(err)
		}
		if rec.Stroke == nil {
			log.Fatalf("line %d: %v", rec.Line, rec.Reject)
		}
		if rec.Stroke.Home().Level() > deepest {
			continue
		}
		if _, err := protodelim.MarshalTo(z, rec.Stroke.Wire()); err != nil {
			log.Fatal(err)
		}
		n++
	}
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}
	if err := out.Close(); err != nil {
		log.Fatal(err)
	}
	log.Printf("%d strokes", n)
}
