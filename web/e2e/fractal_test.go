// Package e2e_test uses Fractal as people do: real pages in a real Chromium, a real server with a log on disk, and a wire
// between them that can be cut.
package e2e_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"fractal/cell"
	"fractal/journal"
	"fractal/journal/sqlite"
	"fractal/server"
	"fractal/term"
	"fractal/web"
	"fractal/web/webtest"
)

var update = flag.Bool("update", false, "write the screenshots of docs/screenshots anew")

func TestMain(m *testing.M) { os.Exit(webtest.Main(m)) }

// client is the bundled page, the same for every test.
var client = sync.OnceValue(func() *web.Assets { return web.New(web.Options{}) })

// site is one running Fractal and the wire to it.
type site struct {
	t    testing.TB
	url  string
	wire *wire
	full *atomic.Bool // the disk takes nothing; nil: it never is

	shell *term.Spec // what terminals run; nil: there are none
	owner string     // the owner's secret
}

// start serves a new data folder through a wire.
func start(t testing.TB) *site {
	t.Helper()
	webtest.Path(t) // skips early
	w := newWire(t)
	s := &site{t: t, url: "http://" + w.addr(), wire: w, full: new(atomic.Bool)}
	s.serve(t.TempDir())
	return s
}

// disk is a journal whose disk can be full.
type disk struct {
	journal.Journal
	full *atomic.Bool
}

func (d disk) Append(ctx context.Context, canvas string, id journal.ID, body []byte) (journal.Pos, error) {
	if d.full != nil && d.full.Load() {
		return 0, fmt.Errorf("test: %w", journal.ErrFull)
	}
	return d.Journal.Append(ctx, canvas, id, body)
}

// serve runs a server on a data folder for as long as the test lasts, and leads the wire to it.
func (s *site) serve(dir string) (stop func()) {
	t := s.t
	t.Helper()
	store, err := sqlite.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := journal.OpenBlobs(filepath.Join(dir, sqlite.SnapshotFolder))
	if err != nil {
		t.Fatal(err)
	}
	pool := cell.NewPool(2, 64<<20)
	config := server.Config{Journal: disk{store, s.full}, Blobs: blobs, Pool: pool, Client: client(), Owner: s.owner}
	if s.shell != nil {
		config.Shells, config.Shell = term.New(term.Config{Slots: pool.Soon}), *s.shell
	}
	srv := server.New(config)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	s.wire.lead(l.Addr().String())
	stop = sync.OnceFunc(func() {
		s.wire.cut()
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // whatever is open is cut
		_ = srv.Close(ctx)
		<-done
		if config.Shells != nil {
			config.Shells.Close()
		}
		pool.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// open shows a canvas to somebody new and waits until it is all there. The place may be empty: home.
func (s *site) open(canvas, place string) *webtest.Page {
	return s.openOn(webtest.Desktop, canvas, place)
}

func (s *site) openOn(screen webtest.Screen, canvas, place string) *webtest.Page {
	s.t.Helper()
	p := webtest.Open(s.t, s.url+"/c/"+canvas+place, screen)
	p.Settled()
	return p
}

// stroke is a line of the export.
type stroke struct {
	Level  int       `json:"level"`
	X      string    `json:"x"`
	Y      string    `json:"y"`
	Brush  string    `json:"brush"`
	Color  string    `json:"color"`
	Width  float64   `json:"width"`
	Widths []float64 `json:"widths"`
	Points []float64 `json:"points"`
}

// strokes is what the log holds of a canvas, as anybody can export it.
func (s *site) strokes(canvas string) []stroke {
	s.t.Helper()
	r, err := http.Get(s.url + "/c/" + canvas + "/export?format=strokes")
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		if r.StatusCode == http.StatusNotFound {
			return nil
		}
		s.t.Fatalf("export: %s", r.Status)
	}
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 16<<20)
	var all []stroke
	for n := 0; lines.Scan(); n++ {
		if n == 0 {
			continue // the header
		}
		var one stroke
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			s.t.Fatal(err)
		}
		all = append(all, one)
	}
	if err := lines.Err(); err != nil {
		s.t.Fatal(err)
	}
	return all
}

// toolbar is a spot of the page over which the pointer is not on the canvas, so that others see no cursor.
var toolbar = webtest.Point{X: 640, Y: 763}

// picture is the canvas as the page shows it when all is settled, without anything that floats above it.
func picture(p *webtest.Page) *image.NRGBA {
	p.Hover(toolbar)
	p.Wait(`document.querySelector(".toasts")`) // the page is made after it is loaded
	webtest.Eval[bool](p, `document.body.classList.add("zen"), document.querySelector(".toasts").hidden = true`)
	p.Settled()
	img := p.Screenshot()
	webtest.Eval[bool](p, `document.body.classList.remove("zen"), document.querySelector(".toasts").hidden = false, true`)
	return img
}

// alike says that both pages come to show the same, pixel for pixel. News of others may still be on their way to a page
// that has all it knows of, so it looks several times.
func alike(t *testing.T, a, b *webtest.Page) {
	t.Helper()
	a.Hover(toolbar)
	b.Hover(toolbar)
	p, q := picture(a), picture(b)
	for range looks {
		if d, _ := webtest.Compare(p, q, 0); d.Pixels == 0 {
			return
		}
		p, q = picture(a), picture(b)
	}
	webtest.Same(t, p, q, 0)
}

// looks is how often a test looks for what another page has caused; each takes some frames.
const looks = 60

// comes says that a page comes to show what ok wants to see, and gives the last picture.
func comes(p *webtest.Page, ok func(*image.NRGBA) bool) (*image.NRGBA, bool) {
	for range looks {
		if img := picture(p); ok(img) {
			return img, true
		}
	}
	img := picture(p)
	return img, ok(img)
}

// inked counts the pixels of a part of a picture that are not paper.
func inked(img *image.NRGBA, part image.Rectangle) int {
	n := 0
	part = part.Intersect(img.Rect)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if c := img.NRGBAAt(x, y); c.R < 250 || c.G < 250 || c.B < 250 {
				n++
			}
		}
	}
	return n
}

// wave is a way for a hand: n points from x0 to x1 around y.
func wave(x0, x1, y, high float64, n int) []webtest.Point {
	points := make([]webtest.Point, n)
	for i := range points {
		a := float64(i) / float64(n-1)
		points[i] = webtest.Point{X: x0 + (x1-x0)*a, Y: y + high*math.Sin(9*a)}
	}
	return points
}

// place is the view of a page as its address says.
func place(p *webtest.Page) string {
	p.Settled()
	return webtest.Eval[string](p, `new Promise(r => setTimeout(() => r(location.hash), 300))`)
}

// wire is a TCP relay between pages and server: it can be cut and mended.
type wire struct {
	l net.Listener

	mu   sync.Mutex // guards all below
	to   string     // empty: cut
	open map[net.Conn]struct{}
}

func newWire(t testing.TB) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{l: l, open: map[net.Conn]struct{}{}}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { w.relay(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		w.cut()
		running.Wait()
	})
	return w
}

func (w *wire) addr() string { return w.l.Addr().String() }

func (w *wire) relay(near net.Conn) {
	defer near.Close()
	w.mu.Lock()
	to := w.to
	w.mu.Unlock()
	if to == "" {
		return
	}
	far, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer far.Close()
	w.mu.Lock()
	if w.to != to {
		w.mu.Unlock()
		return
	}
	w.open[near], w.open[far] = struct{}{}, struct{}{}
	w.mu.Unlock()
	back := make(chan struct{})
	go func() {
		defer close(back)
		_, _ = io.Copy(near, far) // ends when either side does
		near.Close()
	}()
	_, _ = io.Copy(far, near)
	far.Close()
	<-back
	w.mu.Lock()
	delete(w.open, near)
	delete(w.open, far)
	w.mu.Unlock()
}

// cut ends all connections and lets no new one through.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.to = ""
	for c := range w.open {
		c.Close()
	}
}

// lead lets connections through to an address.
func (w *wire) lead(to string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.to = to
}

// target is where the wire leads.
func (w *wire) target() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to
}

// online waits until a page says it is connected, offline until it says it is not.
func online(p *webtest.Page) { p.Wait(`document.querySelector(".dot").dataset.state === "online"`) }
func offline(p *webtest.Page) {
	p.Wait(`document.querySelector(".dot").dataset.state !== "online"`)
}

// forgiving lets a page complain about what a cut wire does.
func forgiving(p *webtest.Page) {
	p.Forgive("WebSocket connection")
	p.Forgive("net::ERR_")
}

// wheel turns a wheel over the canvas, once.
func wheel(p *webtest.Page, dx, dy float64) {
	webtest.Eval[bool](p, js(`document.querySelector("#stage").dispatchEvent(new WheelEvent("wheel", { deltaX: %v, deltaY: %v, clientX: 640, clientY: 400, bubbles: true, cancelable: true }))`, dx, dy))
}

func read(p *webtest.Page) string {
	return webtest.Eval[string](p, `document.querySelector(".read").textContent`)
}

func box(x0, y0, x1, y1 int) image.Rectangle { return image.Rect(x0, y0, x1, y1) }

func js(format string, args ...any) string { return fmt.Sprintf(format, args...) }
