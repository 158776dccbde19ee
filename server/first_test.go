package server

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"net/http"
	"testing"

	"fractal/ink"
	"fractal/tile"
	"fractal/wire"
)

// look gets a first look as a page does.
func (h *house) look(query string) (status int, body []byte) {
	h.Helper()
	resp, err := http.Get("http://" + h.addr + "/c/plane/first?" + query)
	if err != nil {
		h.Fatal(err)
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	if err != nil {
		h.Fatal(err)
	}
	return resp.StatusCode, body
}

func TestFirstLookHasTheBytesTheSocketBrings(t *testing.T) {
	h := newHouse(t)
	d := h.draws("plane")
	heavy := tile.At(0, 1, -1)
	pts := make([]ink.Point, 7000) // more than travel as strokes
	for i := range pts {
		pts[i] = ink.Point{X: 500 + int64(i%2)<<13 + int64(i), Y: 500 + int64(i)*2, D: 64}
	}
	s, err := ink.New(heavy, ink.Liner, 0x204060ff, pts)
	if err != nil {
		t.Fatal(err)
	}
	d.send(d.op(s.Wire()))
	if why := d.answer(); why != "" {
		t.Fatal(why)
	}
	status, body := h.look("at=0/0/-2&cols=3&rows=2")
	if status != http.StatusOK || len(body) < 4+18 {
		t.Fatalf("status %d, %d bytes", status, len(body))
	}
	if paper := binary.LittleEndian.Uint32(body); paper != 0xffffffff {
		t.Errorf("paper %08x", paper)
	}
	b := body[4:]
	col, row := binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:])
	version := math.Float64frombits(binary.LittleEndian.Uint64(b[6:]))
	if col != 1 || row != 1 || b[4] != 1 || int(binary.LittleEndian.Uint32(b[14:])) != len(b)-18 {
		t.Fatalf("column %d, row %d, format %d, %d of %d bytes", col, row, b[4], binary.LittleEndian.Uint32(b[14:]), len(b)-18)
	}
	level, x, y := heavy.Wire()
	d.send(&wire.ClientMessage{Kind: &wire.ClientMessage_View{View: &wire.View{
		Generation: 1, Origin: &wire.Tile{Level: level, X: x, Y: y}, Wants: []*wire.Want{{Id: 1}}}}})
	d.send(&wire.ClientMessage{Kind: &wire.ClientMessage_Pull{Pull: &wire.Pull{Credit: 1 << 20}}})
	m := d.next(func(m *wire.ServerMessage) bool { return m.GetSquare().GetImage() != nil })
	if q := m.GetSquare(); float64(q.Version) != version || !bytes.Equal(q.Image.Data, b[18:]) {
		t.Errorf("the socket brings version %d, %d bytes; the first look had %v, %d", q.Version, len(q.Image.Data), version, len(b)-18)
	}
}

func TestFirstLookRefusesWhatIsNoView(t *testing.T) {
	h := newHouse(t)
	for _, q := range []string{"", "at=0/0/0", "at=0/0/0&cols=0&rows=1", "at=0/0/0&cols=1000000&rows=1000000", "at=0/0/0&cols=-1&rows=-1", "at=0/zz/0&cols=1&rows=1", "at=99999999/0/0&cols=1&rows=1"} {
		if status, _ := h.look(q); status != http.StatusBadRequest {
			t.Errorf("%q: status %d", q, status)
		}
	}
}
