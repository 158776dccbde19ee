package server

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"fractal/canvas"
	"fractal/term"
	"fractal/wire"
)

// maxRecording is how long a recording goes on at most.
const maxRecording = 24 * time.Hour

// TerminalJSON is a terminal with a program on the server, or on a canvas somebody has open, in the JSON API.
type TerminalJSON struct {
	Canvas  string `json:"canvas"`
	Name    string `json:"name"`
	Title   string `json:"title"`
	Cols    int    `json:"cols"`
	Rows    int    `json:"rows"`
	Pid     int    `json:"pid"` // 0: it has ended
	Run     int    `json:"run"` // how often it was started
	Exit    string `json:"exit,omitempty"`
	Started bool   `json:"started"` // false: it is on the canvas, and no program was started for it since the server was
}

// NewTerminalJSON asks for a program.
type NewTerminalJSON struct {
	Canvas  string   `json:"canvas"`
	Name    string   `json:"name"`
	Command []string `json:"command"` // empty: the server's shell
	Dir     string   `json:"dir"`     // empty: the home of the server's user
	Cols    int      `json:"cols"`
	Rows    int      `json:"rows"`
}

// noTerminals answers where there are none.
func (s *Server) noTerminals(w http.ResponseWriter) bool {
	if s.config.Shells == nil {
		s.answer(w, http.StatusNotFound, map[string]any{"error": "This server runs no terminals: it was started without --terminals."})
		return true
	}
	return false
}

// listTerminals is GET /api/terminals: the programs there are, and the terminals without one on canvases that are open.
func (s *Server) listTerminals(w http.ResponseWriter, _ *http.Request) {
	if s.noTerminals(w) {
		return
	}
	list := []TerminalJSON{}
	for _, t := range s.config.Shells.All() {
		list = append(list, terminalJSON(t))
	}
	for on, r := range s.rooms.inMemory() {
		for _, i := range r.Terminals() {
			name := i.Terminal.Name()
			if slices.ContainsFunc(list, func(j TerminalJSON) bool { return j.Canvas == on && j.Name == name }) {
				continue
			}
			cols, rows := i.Terminal.Size()
			list = append(list, TerminalJSON{Canvas: on, Name: name, Cols: cols, Rows: rows})
		}
	}
	slices.SortFunc(list, func(a, b TerminalJSON) int {
		return cmp.Or(cmp.Compare(a.Canvas, b.Canvas), cmp.Compare(a.Name, b.Name))
	})
	s.answer(w, http.StatusOK, map[string]any{"terminals": list})
}

func terminalJSON(t *term.Session) TerminalJSON {
	on, name, _ := strings.Cut(t.Name(), "/")
	cols, rows := t.Size()
	f := t.Facts()
	j := TerminalJSON{Canvas: on, Name: name, Title: f.Title, Cols: cols, Rows: rows, Pid: t.Pid(), Run: f.Run, Started: true}
	if f.Ended {
		j.Exit = f.Exit.String()
	}
	return j
}

// startTerminal is POST /api/terminals: it starts a program for a terminal that is to be placed, or is placed and has none.
func (s *Server) startTerminal(w http.ResponseWriter, r *http.Request) {
	if s.noTerminals(w) {
		return
	}
	refuse := func(format string, args ...any) {
		s.answer(w, http.StatusBadRequest, map[string]any{"error": fmt.Sprintf(format, args...)})
	}
	var want NewTerminalJSON
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&want); err != nil {
		refuse(`Send a JSON object like {"canvas": "plan", "name": "build"}.`)
		return
	}
	if err := checkName(want.Canvas); err != nil {
		refuse("%s", err)
		return
	}
	if err := checkTerminal(want); err != nil {
		refuse("%s", sentence(err))
		return
	}
	spec := s.config.Shell
	spec.Name, spec.Cols, spec.Rows = want.Canvas+"/"+want.Name, want.Cols, want.Rows
	if want.Dir != "" {
		if !filepath.IsAbs(want.Dir) {
			refuse("The folder %.200q is not given from the root on: /like/this.", want.Dir)
			return
		}
		spec.Dir = want.Dir
	}
	if len(want.Command) > 0 {
		program, err := exec.LookPath(want.Command[0])
		if err != nil {
			refuse("There is no program %.200s on the server.", want.Command[0])
			return
		}
		spec.Shell, spec.Args = program, want.Command[1:]
	}
	t, err := s.config.Shells.Start(spec)
	switch {
	case errors.Is(err, term.ErrTaken):
		s.answer(w, http.StatusConflict, map[string]any{"error": fmt.Sprintf("There is a terminal named %s on %s already.", want.Name, want.Canvas)})
	case err != nil:
		refuse("The program could not be started: %s", sentence(err))
	default:
		s.answer(w, http.StatusCreated, terminalJSON(t))
	}
}

// endTerminal is DELETE /api/terminals/CANVAS/NAME: it ends a program and forgets what it printed.
func (s *Server) endTerminal(w http.ResponseWriter, r *http.Request) {
	if s.noTerminals(w) {
		return
	}
	t := s.config.Shells.Get(r.PathValue("canvas") + "/" + r.PathValue("name"))
	if t == nil {
		s.answer(w, http.StatusNotFound, map[string]any{"error": fmt.Sprintf("No program runs in a terminal named %.64q on %.64q.", r.PathValue("name"), r.PathValue("canvas"))})
		return
	}
	s.config.Shells.End(t)
	s.answer(w, http.StatusOK, map[string]any{})
}

// recordTerminal is GET /c/CANVAS/terminals/NAME.cast[?seconds=N]: what the terminal shows from now on, as asciicast v2, until the
// client goes, the program is forgotten, or N seconds have passed.
func (s *Server) recordTerminal(w http.ResponseWriter, r *http.Request) {
	name, isCast := strings.CutSuffix(r.PathValue("file"), ".cast")
	if s.config.Shells == nil || !isCast {
		http.NotFound(w, r)
		return
	}
	long := maxRecording
	if q := r.URL.Query().Get("seconds"); q != "" {
		n, err := strconv.ParseFloat(q, 64)
		if err != nil || !(n > 0 && n <= maxRecording.Seconds()) {
			http.Error(w, fmt.Sprintf("%.20q is not a number of seconds up to %.0f.", q, maxRecording.Seconds()), http.StatusBadRequest)
			return
		}
		long = time.Duration(n * float64(time.Second))
	}
	t := s.config.Shells.Get(r.PathValue("name") + "/" + name)
	if t == nil {
		http.Error(w, fmt.Sprintf("No program runs in a terminal named %.64q here.", name), http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/x-asciicast")
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name+".cast"))
	h.Set("Cache-Control", "no-store")
	done, stop, err := t.Record(flushed{w, http.NewResponseController(w)})
	if err != nil {
		h.Del("Content-Disposition")
		why := sentence(err)
		if errors.Is(err, term.ErrRecording) {
			why += " One recording of a terminal runs at a time."
		}
		http.Error(w, why, http.StatusConflict)
		return
	}
	end := time.NewTimer(long)
	defer end.Stop()
	select {
	case <-done:
	case <-end.C:
	case <-r.Context().Done():
	case <-s.stopped:
	}
	if err := stop(); err != nil && r.Context().Err() == nil {
		s.log.Warn("a recording broke off", "terminal", t.Name(), "error", err)
		panic(http.ErrAbortHandler) // a cut connection is the only way to say that this is not all
	}
}

// flushed sends every write on its way at once.
type flushed struct {
	w io.Writer
	c *http.ResponseController
}

func (f flushed) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err == nil {
		err = f.c.Flush()
	}
	return n, err
}

// checkTerminal says what is wrong with a terminal's name or size.
func checkTerminal(want NewTerminalJSON) error {
	_, err := canvas.NewTerminal(&wire.Terminal{
		Home: &wire.Tile{}, Box: &wire.Box{MaxX: 1 << 14, MaxY: 1 << 14}, Name: want.Name, Cols: uint32(want.Cols), Rows: uint32(want.Rows),
	})
	return err
}
