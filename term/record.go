package term

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// maxRecording is how many bytes of a recording wait to be written; when the writer is slower than the program for so
// long, the recording ends. The program does not wait for it.
const maxRecording = 8 << 20

var (
	// ErrRecording is said when a session is recorded already.
	ErrRecording = errors.New("term: already recording")
	// ErrSlow is how a recording ends whose writer did not keep up.
	ErrSlow = errors.New("term: the recording could not be written as fast as it came")
)

// recorder writes what a program prints as asciicast v2 (https://docs.asciinema.org/manual/asciicast/v2/).
type recorder struct {
	began time.Time     // constant
	wake  chan struct{} // holds a token when there is something to write
	done  chan struct{} // closed when all is written

	mu     sync.Mutex // guards all below
	buf    []byte
	tail   []byte // the beginning of a character whose rest has not come
	closed bool
	err    error
}

// Record writes what the session prints from now on to w, as asciicast v2, beginning with the screen as it is. stop ends
// that, when all has been written, and says what went wrong; done is closed when it has ended, by that or because the session was ended or
// w failed or did not keep up. What is typed is not recorded but for its echo.
func (s *Session) Record(w io.Writer) (done <-chan struct{}, stop func() error, err error) {
	r := &recorder{began: time.Now(), wake: make(chan struct{}, 1), done: make(chan struct{})}
	s.mu.Lock()
	switch {
	case s.gone:
		s.mu.Unlock()
		return nil, nil, ErrClosed
	case s.recorder != nil:
		s.mu.Unlock()
		return nil, nil, ErrRecording
	}
	s.recorder = r
	cols, rows := s.term.Size()
	title := s.term.Title()
	s.mu.Unlock()
	f, _ := s.Frame(Held{})
	head := struct {
		Version   int               `json:"version"`
		Width     int               `json:"width"`
		Height    int               `json:"height"`
		Timestamp int64             `json:"timestamp"`
		Title     string            `json:"title,omitempty"`
		Env       map[string]string `json:"env"`
	}{2, cols, rows, r.began.Unix(), title, map[string]string{"TERM": "xterm-256color"}}
	line, _ := json.Marshal(head)
	first := append(line, '\n')
	if f != nil {
		first = appendEvent(first, 0, "o", beginning(f))
	}
	r.mu.Lock()
	r.buf = append(first, r.buf...)
	r.mu.Unlock()
	go r.pump(w)
	r.poke()
	return r.done, func() error {
		s.mu.Lock()
		if s.recorder == r {
			s.recorder = nil
		}
		s.mu.Unlock()
		return r.stop()
	}, nil
}

// beginning makes a terminal show the screen as it is and go on as the session's would. Margins a program has set are not known here.
func beginning(f *Frame) string {
	var b []byte
	if f.Facts != nil && f.Facts.Modes.Alt {
		b = append(b, "\x1b[?1049h"...)
	}
	b = new(Painter).Append(b, f)
	return string(append(b, "\x1b7\x1b[r\x1b8\x1b[?7h"...)) // what only painting needed
}

func (r *recorder) poke() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *recorder) output(p []byte) {
	r.mu.Lock()
	r.tail = append(r.tail, p...)
	whole := len(r.tail)
	for i := 1; i <= utf8.UTFMax-1 && i <= len(r.tail); i++ {
		if c := r.tail[len(r.tail)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(r.tail[len(r.tail)-i:]) {
				whole -= i
			}
			break
		}
	}
	if whole > 0 {
		r.add("o", strings.ToValidUTF8(string(r.tail[:whole]), "\ufffd"))
		r.tail = append(r.tail[:0], r.tail[whole:]...)
	}
	r.mu.Unlock()
	r.poke()
}

func (r *recorder) resize(cols, rows int) {
	r.mu.Lock()
	r.add("r", fmt.Sprintf("%dx%d", cols, rows))
	r.mu.Unlock()
	r.poke()
}

// add appends an event; mu is held.
func (r *recorder) add(kind, data string) {
	if r.closed {
		return
	}
	if len(r.buf)+len(data) > maxRecording {
		r.closed, r.err = true, ErrSlow
		return
	}
	r.buf = appendEvent(r.buf, time.Since(r.began), kind, data)
}

func appendEvent(dst []byte, at time.Duration, kind, data string) []byte {
	text, _ := json.Marshal(data)
	dst = fmt.Appendf(dst, "[%.6f, %q, ", at.Seconds(), kind)
	return append(append(dst, text...), "]\n"...)
}

func (r *recorder) pump(w io.Writer) {
	defer close(r.done)
	var spare []byte
	for range r.wake {
		for {
			r.mu.Lock()
			p, closed := r.buf, r.closed
			r.buf = spare[:0]
			r.mu.Unlock()
			spare = p
			if len(p) == 0 {
				if closed {
					return
				}
				break
			}
			if _, err := w.Write(p); err != nil {
				r.mu.Lock()
				r.closed, r.err = true, fmt.Errorf("term: write the recording: %w", err)
				r.mu.Unlock()
				return
			}
		}
	}
}

// finish ends the recording: what it has is still written.
func (r *recorder) finish() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.poke()
}

// stop ends the recording and waits until it is written.
func (r *recorder) stop() error {
	r.finish()
	<-r.done
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}
