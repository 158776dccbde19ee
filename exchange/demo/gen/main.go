// Command gen packs the coast lines of a file of stroke lines for the demo: go run ./exchange/demo/gen FILE OUT. Strokes
// deeper than level 8 are left out: in the file the demo was made of they are handwriting under another licence. Where a
// line leaves the map at one edge and goes on at the other it is cut in two.
package main

import (
	"compress/gzip"
	"log"
	"os"

	"google.golang.org/protobuf/encoding/protodelim"

	"fractal/exchange"
	"fractal/ink"
	"fractal/tile"
)

const (
	deepest = 8
	world   = 8 // tiles of level 0 that the map is wide
)

// cut takes a line apart where two samples are more than half the world apart.
func cut(s *ink.Stroke) []*ink.Stroke {
	half := int64(world/2*tile.Units) << s.Home().Level()
	pts := s.Points(nil)
	var parts []*ink.Stroke
	for begin, i := 0, 1; i <= len(pts); i++ {
		if i < len(pts) && max(pts[i].X-pts[i-1].X, pts[i-1].X-pts[i].X) < half {
			continue
		}
		if i-begin > 1 { // a lone sample at the edge is no coast
			part, err := ink.New(s.Home(), s.Brush(), s.Color(), pts[begin:i])
			if err != nil {
				log.Fatal(err)
			}
			parts = append(parts, part)
		}
		begin = i
	}
	return parts
}

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
		for _, s := range cut(rec.Stroke) {
			if _, err := protodelim.MarshalTo(z, s.Wire()); err != nil {
				log.Fatal(err)
			}
			n++
		}
	}
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}
	if err := out.Close(); err != nil {
		log.Fatal(err)
	}
	log.Printf("%d strokes", n)
}
