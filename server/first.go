package server

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"fractal/cell"
	"fractal/tile"
	"fractal/wire"
)

const (
	// firstWithin is how long a first look may wait for its pictures: the page has had them by its socket for long.
	firstWithin = 5 * time.Second
	// lingers is how long a canvas that nobody else has open stays so after a first look: its page is on the way.
	lingers = 3 * time.Second
)

// first answers a first look, before the page has a socket, a worker, or anything: GET /c/NAME/first?at=LEVEL/X/Y&cols=N&rows=M, the first
// tile in signed hexadecimal, gives the pictures of those cells which the socket would send as such too, in the order in which they
// are ready. All integers are little endian. Paper 0xRRGGBBFF (4 bytes), 0 if what is seen has to be put together by the page and nothing
// follows; then each picture: column and row (2 bytes each), format, 1 if there is more below (1 each), version as a float64 (8), how many bytes
// follow (4), and those. It ends when all are there; who looks goes away earlier, as soon as the worker can ask.
func (s *Server) first(w http.ResponseWriter, r *http.Request) {
	name, q := r.PathValue("name"), r.URL.Query()
	at, err := tile.Parse(q.Get("at"))
	cols, colsErr := strconv.Atoi(q.Get("cols"))
	rows, rowsErr := strconv.Atoi(q.Get("rows"))
	if err != nil || colsErr != nil || rowsErr != nil || checkName(name) != nil || cols < 1 || rows < 1 || cols > wire.MaxWants || rows > wire.MaxWants || cols*rows > wire.MaxWants {
		http.Error(w, "A first look says at=LEVEL/X/Y, cols and rows.", http.StatusBadRequest)
		return
	}
	spots, ids, ok := fromMiddle(at, cols, rows)
	if !ok {
		http.Error(w, "There is nothing so far out.", http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), firstWithin)
	defer cancel()
	go func() { // ends with this call
		select {
		case <-s.stopped:
			cancel()
		case <-ctx.Done():
		}
	}()
	room, done, err := s.rooms.acquire(ctx, name)
	if err != nil {
		s.fail(w, "canvas cannot be opened", err)
		return
	}
	defer func() {
		if room.Viewers() > 0 {
			done()
		} else {
			time.AfterFunc(lingers, done)
		}
	}()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "no-store")
	flush := http.NewResponseController(w).Flush
	var head [18]byte
	begin := func(paper uint32) {
		_, _ = w.Write(binary.LittleEndian.AppendUint32(nil, paper)) // the page may have left, here and below: ctx ends
		_ = flush()
	}
	// That it ended early, the page sees by what came.
	_ = room.First(ctx, ids, begin, func(i int, p cell.Picture) {
		b := binary.LittleEndian.AppendUint16(head[:0], uint16(spots[i].col))
		b = append(binary.LittleEndian.AppendUint16(b, uint16(spots[i].row)), p.Format, 0)
		if p.Below {
			b[len(b)-1] = 1
		}
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(p.Version)))
		_, _ = w.Write(binary.LittleEndian.AppendUint32(b, uint32(len(p.Data))))
		_, _ = w.Write(p.Data)
		_ = flush()
	})
}

type spot struct{ col, row int }

// fromMiddle lists the tiles of a grid whose first is at, the nearest to its middle first.
func fromMiddle(at tile.ID, cols, rows int) (spots []spot, ids []tile.ID, ok bool) {
	for row := range rows {
		for col := range cols {
			spots = append(spots, spot{col, row})
		}
	}
	far := func(s spot) int { // twice the distance, squared
		dx, dy := 2*s.col-(cols-1), 2*s.row-(rows-1)
		return dx*dx + dy*dy
	}
	slices.SortStableFunc(spots, func(a, b spot) int { return cmp.Compare(far(a), far(b)) })
	for _, s := range spots {
		id, ok := at.Shift(0, int64(s.col), int64(s.row))
		if !ok {
			return nil, nil, false
		}
		ids = append(ids, id)
	}
	return spots, ids, true
}
