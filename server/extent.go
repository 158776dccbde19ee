package server

import "net/http"

// extent answers where everything on a canvas is now: GET /c/NAME/extent gives {"level", "x", "y", "box"}, a tile with its
// coordinates in signed hexadecimal as in a link and a box in its units; {} while nothing is drawn. A page asks when it needs to
// know, to show everything or to say the way back, rather than being told with every stroke.
func (s *Server) extent(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if err := checkName(name); err != nil {
		s.answer(w, http.StatusNotFound, map[string]any{"error": err.Error()})
		return
	}
	room, done, err := s.rooms.acquire(r.Context(), name)
	if err != nil {
		s.fail(w, "canvas cannot be opened", err)
		return
	}
	defer done()
	id, box, ok := room.Canvas().Extent()
	if !ok {
		s.answer(w, http.StatusOK, struct{}{})
		return
	}
	s.answer(w, http.StatusOK, map[string]any{
		"level": id.Level(), "x": id.X().Text(16), "y": id.Y().Text(16), "box": [4]int64{box.MinX, box.MinY, box.MaxX, box.MaxY},
	})
}
