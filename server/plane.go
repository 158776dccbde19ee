package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"fractal/canvas"
	"fractal/mandel"
	"fractal/source"
	"fractal/wire"
)

// planeTime bounds what one question about the plane may take.
const planeTime = 20 * time.Second

// maxJulia bounds the binary digits of the point of a Julia set.
const maxJulia = 2048

// maxSight bounds the text of a sight: two coordinates of any level in hexadecimal.
const maxSight = 1 << 16

// plane answers where in the complex plane a view is, and where a view is that shows a point of it:
//
//	GET  /c/NAME/plane?at=LEVEL,X,Y,SCALE            the point in the middle, and the place
//	GET  /c/NAME/plane/nucleus?at=…                  the view of a minibrot near it
//	POST /c/NAME/plane?at=…  (a location file)       the view of that location
//
// at is what stands behind #v= in a link.
func (s *Server) plane(w http.ResponseWriter, r *http.Request) {
	s.onPlane(w, r, func(ctx context.Context, p *canvas.Place, at source.Sight) (map[string]any, error) {
		re, im, zoom := source.Where(p, at)
		limit, err := source.Limit(ctx, p, at)
		if err != nil {
			return nil, err
		}
		op, err := proto.Marshal(&wire.Op{Body: &wire.Op_Place{Place: p.Wire()}})
		if err != nil {
			return nil, err
		}
		// The Julia set of the point, for the page to put somewhere. It is not told apart from that of a point 2^-2048 away.
		jr, ji := re.Round(maxJulia), im.Round(maxJulia)
		julia, err := proto.Marshal(&wire.Op{Body: &wire.Op_Place{Place: &wire.Place{
			Julia: true, JuliaRe: canvas.NewDyadic(jr.Dyadic()), JuliaIm: canvas.NewDyadic(ji.Dyadic()), Palette: p.Wire().Palette,
		}}})
		if err != nil {
			return nil, err
		}
		l := mandel.Location{Re: re, Im: im, Zoom: zoom, Iterations: limit}
		return map[string]any{
			"re": re.Decimals(), "im": im.Decimals(), "zoom": zoom.Text(), "iterations": limit, "julia": p.Wire().Julia,
			"kfr": l.KFR(), "f3": l.F3(), "op": op, "juliaOp": julia,
		}, nil
	})
}

func (s *Server) planeGo(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(io.LimitReader(r.Body, mandel.MaxLocation+1))
	if err != nil {
		return
	}
	s.onPlane(w, r, func(_ context.Context, p *canvas.Place, _ source.Sight) (map[string]any, error) {
		l, err := mandel.ReadLocation(string(text))
		if err != nil {
			return nil, err
		}
		to, err := source.Look(p, l.Re, l.Im, l.Zoom)
		if err != nil {
			return nil, err
		}
		return map[string]any{"at": sightText(to)}, nil
	})
}

func (s *Server) planeNucleus(w http.ResponseWriter, r *http.Request) {
	s.onPlane(w, r, func(ctx context.Context, p *canvas.Place, at source.Sight) (map[string]any, error) {
		to, n, err := source.FlyTo(ctx, p, at)
		if err != nil {
			return nil, err
		}
		return map[string]any{"at": sightText(to), "period": n.Period, "re": n.Re.Decimals(), "im": n.Im.Decimals(), "log2size": n.Log2Size}, nil
	})
}

// tour lists the standard locations.
func (s *Server) tour(w http.ResponseWriter, _ *http.Request) {
	type stop struct {
		Name     string  `json:"name"`
		Log2Zoom float64 `json:"log2zoom"`
		KFR      string  `json:"kfr"`
		Source   string  `json:"source"`
	}
	var stops []stop
	for _, t := range mandel.Tour() {
		z, err := mandel.ParseZoom(t.Zoom)
		if err != nil {
			continue
		}
		kfr := fmt.Sprintf("Re: %s\nIm: %s\nZoom: %s\nIterations: %d\n", t.Re, t.Im, t.Zoom, t.Iterations)
		stops = append(stops, stop{t.Name, z.Log2(), kfr, t.Source})
	}
	s.answer(w, http.StatusOK, map[string]any{"tour": stops})
}

// onPlane answers a question about the place at a sight. The work is done in a slot, as all heavy work is.
func (s *Server) onPlane(w http.ResponseWriter, r *http.Request, ask func(context.Context, *canvas.Place, source.Sight) (map[string]any, error)) {
	wrong := func(err error) { s.answer(w, http.StatusUnprocessableEntity, map[string]any{"error": spoken(err)}) }
	name := r.PathValue("name")
	if err := checkName(name); err != nil {
		s.answer(w, http.StatusNotFound, map[string]any{"error": err.Error()})
		return
	}
	at, ok := parseSight(r.URL.Query().Get("at"))
	if !ok {
		wrong(errors.New("That is no view of a canvas."))
		return
	}
	room, done, err := s.rooms.acquire(r.Context(), name)
	if err != nil {
		s.fail(w, "canvas cannot be opened", err)
		return
	}
	defer done()
	p, _, err := source.PlaceAt(room.Canvas(), at)
	if err != nil {
		wrong(err)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), planeTime)
	defer cancel()
	var answer map[string]any
	work := func() { answer, err = ask(ctx, p, at) }
	if s.config.Pool == nil {
		work()
	} else if e := s.config.Pool.Do(ctx, work); e != nil {
		err = e
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		wrong(errors.New("That takes too long here. Zoom in a little and try again."))
	case err != nil:
		wrong(err)
	default:
		s.answer(w, http.StatusOK, answer)
	}
}

// spoken makes an error fit to show: the packages' names are for logs.
func spoken(err error) string {
	t := strings.TrimPrefix(err.Error(), "mandel: ")
	return strings.ToUpper(t[:1]) + t[1:]
}

// parseSight reads what stands behind #v= in a link.
func parseSight(text string) (s source.Sight, ok bool) {
	if len(text) > maxSight {
		return s, false
	}
	f := strings.Split(text, ",")
	if len(f) != 4 {
		return s, false
	}
	level, err := strconv.Atoi(f[0])
	scale, err2 := strconv.ParseFloat(f[3], 64)
	if err != nil || err2 != nil || level < -1<<16 || level > 1<<16 || !(scale >= 1.0/16 && scale <= 16) {
		return s, false
	}
	x, okX := parseHex(f[1])
	y, okY := parseHex(f[2])
	return source.Sight{Level: level, X: x, Y: y, Scale: scale}, okX && okY
}

// parseHex reads hexadecimal digits with up to six behind the point, as a multiple of 2^-24.
func parseHex(text string) (*big.Int, bool) {
	abs, neg := strings.CutPrefix(text, "-")
	whole, frac, _ := strings.Cut(abs, ".")
	if whole == "" || len(frac) > 6 {
		return nil, false
	}
	digits := whole + frac + strings.Repeat("0", 6-len(frac))
	for _, c := range []byte(digits) {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
			return nil, false
		}
	}
	v, ok := new(big.Int).SetString(digits, 16)
	if ok && neg {
		v.Neg(v)
	}
	return v, ok
}

// sightText writes what parseSight reads.
func sightText(s source.Sight) string {
	hex := func(v *big.Int) string {
		d := new(big.Int).Abs(v).Text(16)
		if len(d) < 7 {
			d = strings.Repeat("0", 7-len(d)) + d
		}
		t := d[:len(d)-6]
		if f := strings.TrimRight(d[len(d)-6:], "0"); f != "" {
			t += "." + f
		}
		if v.Sign() < 0 {
			t = "-" + t
		}
		return t
	}
	return fmt.Sprintf("%d,%s,%s,%s", s.Level, hex(s.X), hex(s.Y), strconv.FormatFloat(s.Scale, 'g', 9, 64))
}
