package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"slices"
	"strings"

	"fractal/exchange"
	"fractal/ink"
	"fractal/web"
)

// Handler is everything the server answers, behind the guard.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { s.config.Client.Page(w, r, "home", nil) })
	mux.HandleFunc("GET /c/{name}", s.canvasPage)
	mux.HandleFunc("GET /c/{name}/ws", s.serveSocket)
	mux.HandleFunc("GET /c/{name}/export", s.export)
	mux.HandleFunc("GET /c/{name}/extent", s.extent)
	mux.HandleFunc("GET /c/{name}/first", s.first)
	mux.HandleFunc("GET /c/{name}/plane", s.plane)
	mux.HandleFunc("POST /c/{name}/plane", s.planeGo)
	mux.HandleFunc("GET /c/{name}/plane/nucleus", s.planeNucleus)
	mux.HandleFunc("GET /api/tour", s.tour)
	mux.HandleFunc("GET /api/canvases", s.listCanvases)
	mux.HandleFunc("POST /api/canvases", s.makeCanvas)
	mux.Handle("GET /api/backup", s.owner(http.HandlerFunc(s.backup)))
	mux.Handle("GET /api/terminals", s.owner(http.HandlerFunc(s.listTerminals)))
	mux.Handle("POST /api/terminals", s.owner(http.HandlerFunc(s.startTerminal)))
	mux.Handle("DELETE /api/terminals/{canvas}/{name}", s.owner(http.HandlerFunc(s.endTerminal)))
	mux.HandleFunc("GET /c/{name}/terminals/{file}", s.recordTerminal)
	mux.Handle("GET "+web.Prefix, s.config.Client.Handler())
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, "ok\n")
	})
	mux.Handle("GET /metrics", s.owner(s.metrics.handler()))
	mux.Handle("GET /debug/{$}", s.owner(http.HandlerFunc(s.debug)))
	mux.Handle("GET /debug/trace", s.owner(http.HandlerFunc(s.trace)))
	mux.Handle("GET /debug/cells", s.owner(http.HandlerFunc(s.debugCells)))
	mux.Handle("GET /debug/pprof/", s.owner(http.HandlerFunc(pprof.Index)))
	mux.Handle("GET /debug/pprof/cmdline", s.owner(http.HandlerFunc(pprof.Cmdline)))
	mux.Handle("GET /debug/pprof/profile", s.owner(http.HandlerFunc(pprof.Profile)))
	mux.Handle("GET /debug/pprof/symbol", s.owner(http.HandlerFunc(pprof.Symbol)))
	mux.Handle("GET /debug/pprof/trace", s.owner(http.HandlerFunc(pprof.Trace)))
	return s.guard.wrap(mux, func(why string) { s.metrics.refusedRequest.WithLabelValues(why).Inc() })
}

// owner lets through who owns the server: whoever has the owner's secret, and where there is none, whoever sits at the machine.
func (s *Server) owner(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.guard.owns(r) {
			http.Error(w, "This is for the owner of the server: open the link first that fractal printed for you alone.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func fromThisMachine(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	ip := net.ParseIP(host)
	return err == nil && ip != nil && ip.IsLoopback()
}

func (s *Server) canvasPage(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if err := checkName(name); err != nil {
		if better := nameFrom(name); checkName(better) == nil {
			http.Redirect(w, r, "/c/"+better, http.StatusFound) // capitals and blanks of a name told aloud
			return
		}
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	s.config.Client.Page(w, r, "canvas", struct {
		Name    string
		Private bool // only who has the secret comes in
	}{name, s.guard.private()})
}

// canvasJSON is a canvas in the JSON API.
type canvasJSON struct {
	Name string `json:"name"`
	URL  string `json:"url"`
	Here int    `json:"here"` // how many are looking at it
}

func (s *Server) listCanvases(w http.ResponseWriter, r *http.Request) {
	names, err := s.config.Journal.Canvases(r.Context())
	if err != nil {
		s.fail(w, "canvases cannot be listed", err)
		return
	}
	here := s.rooms.users()
	for name := range here {
		if !slices.Contains(names, name) {
			names = append(names, name) // open, and nothing on it yet
		}
	}
	slices.Sort(names)
	list := []canvasJSON{}
	for _, name := range names {
		if checkName(name) == nil { // else another program's log in the same store
			list = append(list, canvasJSON{name, "/c/" + name, here[name]})
		}
	}
	s.answer(w, http.StatusOK, map[string]any{"canvases": list})
}

// makeCanvas makes a canvas of {"name": "…"}; without a name one is found. A canvas that exists is a 409 with its address.
func (s *Server) makeCanvas(w http.ResponseWriter, r *http.Request) {
	var want struct {
		Name string `json:"name"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4<<10)).Decode(&want); err != nil && !errors.Is(err, io.EOF) {
		s.answer(w, http.StatusBadRequest, map[string]any{"error": `Send a JSON object like {"name": "floor-plan"}.`})
		return
	}
	name := nameFrom(want.Name)
	if want.Name == "" {
		name = "canvas-" + strings.ToLower(rand.Text()[:6])
	}
	if err := checkName(name); err != nil {
		s.answer(w, http.StatusBadRequest, map[string]any{"error": err.Error()})
		return
	}
	names, err := s.config.Journal.Canvases(r.Context())
	if err != nil {
		s.fail(w, "canvases cannot be listed", err)
		return
	}
	status := http.StatusCreated
	answer := map[string]any{"name": name, "url": "/c/" + name}
	if slices.Contains(names, name) {
		status = http.StatusConflict
		answer["error"] = fmt.Sprintf("There is a canvas named %s already.", name)
	} else if err := s.found(r.Context(), name); err != nil {
		s.fail(w, "canvas cannot be made", err)
		return
	}
	s.answer(w, status, answer)
}

// WarningHeader comes with an export of a canvas that something is wrong with, and says what.
const WarningHeader = "Fractal-Warning"

// export streams a canvas as a file: GET /c/NAME/export?format=strokes.
func (s *Server) export(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if err := checkName(name); err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	format := exchange.Formats[0]
	if q := r.URL.Query().Get("format"); q != "" {
		var ok bool
		if format, ok = exchange.Named(q); !ok {
			http.Error(w, fmt.Sprintf("There is no format %.40q; there are: %s.", q, exchange.Names()), http.StatusBadRequest)
			return
		}
	}
	room, done, err := s.rooms.acquire(r.Context(), name)
	if err != nil {
		s.fail(w, "canvas cannot be opened", err)
		return
	}
	defer done()
	why := room.ReadOnly()
	if room.Canvas().Seq() == 0 && why == "" { // a log that lost everything is not a canvas that never was
		http.Error(w, fmt.Sprintf("There is no canvas named %s.", name), http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", format.MIME)
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name+format.Extensions[0]))
	h.Set("Cache-Control", "no-store")
	if why != "" { // it may be less than there was: the file cannot say so, the answer can
		h.Set(WarningHeader, strings.Join(strings.Fields(why), " "))
	}
	err = format.Write(w, func(yield func(*ink.Stroke) bool) {
		for item := range room.Canvas().All() {
			if r.Context().Err() != nil || !yield(item.Stroke) {
				return
			}
		}
	})
	if err == nil {
		err = r.Context().Err()
	}
	if err != nil {
		panic(http.ErrAbortHandler) // the status is sent; a cut connection is the only way to say that this is not all
	}
}

// backup streams a consistent copy of everything, for the owner.
func (s *Server) backup(w http.ResponseWriter, r *http.Request) {
	if s.config.Backup == nil {
		http.Error(w, "This server keeps nothing that could be backed up.", http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/x-tar")
	h.Set("Cache-Control", "no-store")
	begun := &begun{w: w}
	switch err := s.config.Backup(r.Context(), begun); {
	case err == nil:
	case begun.yes:
		s.log.Error("backup broke off", "error", err)
		panic(http.ErrAbortHandler) // as in export
	default:
		s.fail(w, "backup", err)
	}
}

// begun remembers whether an answer has begun, after which no other can be given.
type begun struct {
	w   io.Writer
	yes bool
}

func (b *begun) Write(p []byte) (int, error) {
	b.yes = true
	return b.w.Write(p)
}

func (s *Server) answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the browser may have left
}

// fail answers with what a person can use and logs the rest.
func (s *Server) fail(w http.ResponseWriter, what string, err error) {
	if !errors.Is(err, context.Canceled) {
		s.log.Error(what, "error", err)
	}
	s.answer(w, http.StatusInternalServerError, map[string]any{"error": sentence(err)})
}
