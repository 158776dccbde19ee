package server

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"fractal/cell"
	"fractal/room"
)

func TestOwnersPageComparesWithTheLastLook(t *testing.T) {
	upper := []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond}
	at := time.Unix(1000, 0)
	was := glance{at: at, rooms: map[string]room.Stats{"plane": {
		Pulls: 100, Attempts: 100, NewsLocks: 100,
		PullCycle: room.Latency{Count: 100, Max: 90 * time.Millisecond, Upper: upper, Buckets: []uint64{0, 0, 100}},
	}}, runtime: readRuntime()}
	now := glance{at: at.Add(2 * time.Second), rooms: map[string]room.Stats{"plane": {
		Pulls: 220, Attempts: 220, NewsLocks: 220, Viewers: 2, Owed: 3,
		PullCycle: room.Latency{Count: 200, Max: 90 * time.Millisecond, Upper: upper, Buckets: []uint64{98, 2, 100}},
	}, "again": {}}, cells: cell.Stats{Drawn: 5, Cancelled: 4}, runtime: was.runtime}
	v := compare(was, now)
	if len(v.Rooms) != 2 || v.Rooms[0].Name != "again" {
		t.Fatalf("rooms %+v", v.Rooms)
	}
	r := v.Rooms[1]
	if r.Pulls != "60.0" || r.Cycle != "1 ms / 10 ms" || r.Seen != "–" {
		t.Errorf("120 pulls in 2 s, fast ones: %+v", r)
	}
	if v.Facts[0].Value != "5" || !strings.Contains(v.Facts[0].About, "4 cancelled") || v.Facts[2].Value != "1.00 news" || v.Facts[4].Value != "0" {
		t.Errorf("facts %+v", v.Facts)
	}
}

func TestOwnersPageShowsRoomsAndTraces(t *testing.T) {
	h := newHouse(t)
	d := h.draws("plane")
	d.draw()
	get := func(path string) (int, string) {
		resp, err := http.Get("http://" + h.addr + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b)
	}
	for range 2 {
		if code, body := get("/debug/"); code != 200 || !strings.Contains(body, `<a href="/c/plane">plane</a>`) || strings.Contains(body, "<script") || strings.Contains(body, "style=") {
			t.Errorf("%d %s", code, body)
		}
	}
	for path, want := range map[string]int{"/debug/trace": 400, "/debug/trace?seconds=0": 400, "/debug/trace?seconds=11": 400, "/debug/x": 404} {
		if code, _ := get(path); code != want {
			t.Errorf("%s: %d, want %d", path, code, want)
		}
	}
	if code, body := get("/debug/trace?seconds=1"); code != 200 || !strings.HasPrefix(body, "go 1.") {
		t.Errorf("trace: %d, %d bytes", code, len(body))
	}
}
