package source_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"google.golang.org/protobuf/proto"

	"fractal/cell"
	"fractal/mandel"
	"fractal/tile"
	"fractal/wire"
)

var update = flag.Bool("update", false, "write testdata/phases.json anew")

// phasesGolden is a row of testdata/phases.json, which web/test/phases.test.ts reads too: a picture of phases as it travels, and
// what a page makes of it.
type phasesGolden struct {
	Name string `json:"name"`
	Data string `json:"data"` // hex
	RGBA string `json:"rgba"` // SHA-256 of the pixels as ImageData has them
}

func TestPhasesAreTheGoldenOnes(t *testing.T) {
	var rows []phasesGolden
	add := func(name string, p cell.Picture) {
		img, err := coloured(p)
		if err != nil {
			t.Fatal(name, err)
		}
		h := sha256.New()
		for y := range 256 {
			for x := range 256 {
				r, g, b, a := img.At(x, y).RGBA()
				h.Write([]byte{byte(r >> 8), byte(g >> 8), byte(b >> 8), byte(a >> 8)})
			}
		}
		rows = append(rows, phasesGolden{name, hex.EncodeToString(p.Data), hex.EncodeToString(h.Sum(nil))})
	}
	last := func(p *wire.Place, id tile.ID) cell.Picture {
		all := pictures(t, with(t, p), id)
		return all[len(all)-1]
	}
	few := homeView(t, tile.ID{})
	few.Palette.Cycle = 1 << 20 // few phases: a picture with a palette
	add("the set, with a frame of nothing", last(few, tile.At(-3, 0, 0)))
	fine := homeView(t, tile.ID{})
	fine.Palette.Offset, fine.Palette.Speed = 12345, -7
	add("near the set", last(fine, tile.At(-1, 0, 0)))
	add("inside alone", last(homeView(t, tile.ID{}), deep(t, tile.ID{}, "-0.1", "0.1", 30)))
	none := homeView(t, tile.ID{})
	none.Palette = nil
	add("no palette", last(none, tile.At(-4, 0, 0)))
	// Every palette that comes with Fractal, over all its phases.
	for _, q := range mandel.Palettes {
		w := &wire.Palette{Inside: q.Inside<<8 | 0xff, Cycle: uint32(256 * q.Cycle)}
		for _, c := range q.Colors {
			w.Colors = append(w.Colors, byte(c>>16), byte(c>>8), byte(c))
		}
		for _, v := range []uint16{2, 2 + 700, 2 + 1333, 2 + mandel.Phases - 1} {
			b, _ := proto.Marshal(w)
			data := append(binary.AppendUvarint(nil, uint64(len(b))), b...)
			add(q.Name, cell.Picture{Format: cell.FormatPhases, Data: append(data, cell.FormatSolid, byte(v>>8), byte(v), 0, 255)})
		}
	}
	got, err := json.MarshalIndent(rows, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile("testdata/phases.json", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile("testdata/phases.json"); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("testdata/phases.json differs from what this code makes (%v): run with -update and look", err)
	}
}
