package term

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"
)

// ErrCast is wrapped by what is said of recordings that cannot be read; the text is for a person.
var ErrCast = errors.New("this is no asciicast recording that can be played")

// Bounds of a recording's line, and of how many columns and rows it may ask for.
const (
	maxCastLine = 4 << 20
	maxCastSide = 1024
)

// Cast is a recording being read: asciicast v2, and v3, whose times count from the event before.
type Cast struct {
	Cols, Rows int
	Title      string

	version int
	lines   *bufio.Scanner
	line    int
	at      time.Duration
	idle    time.Duration // longest pause the recording itself asks for; 0: none
}

// Event is something that happened in a recording.
type Event struct {
	Pause  time.Duration // since the event before, no longer than the recording says
	Output string        // what was printed; empty: it was resized
	Cols   int
	Rows   int
}

// OpenCast reads the head of a recording.
func OpenCast(r io.Reader) (*Cast, error) {
	c := &Cast{lines: bufio.NewScanner(r)}
	c.lines.Buffer(nil, maxCastLine)
	line, err := c.next()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = c.bad("it is empty")
		}
		return nil, err
	}
	var head struct {
		Version       int     `json:"version"`
		Width         int     `json:"width"`
		Height        int     `json:"height"`
		Title         string  `json:"title"`
		IdleTimeLimit float64 `json:"idle_time_limit"`
		Term          struct {
			Cols int `json:"cols"`
			Rows int `json:"rows"`
		} `json:"term"`
	}
	if json.Unmarshal(line, &head) != nil {
		return nil, c.bad("it does not begin with a JSON object")
	}
	switch head.Version {
	case 2:
		c.Cols, c.Rows = head.Width, head.Height
	case 3:
		c.Cols, c.Rows = head.Term.Cols, head.Term.Rows
	default:
		return nil, c.bad(fmt.Sprintf("its version is %d, and 2 and 3 are known", head.Version))
	}
	if c.Cols < 1 || c.Rows < 1 || c.Cols > maxCastSide || c.Rows > maxCastSide {
		return nil, c.bad(fmt.Sprintf("a terminal of %d × %d cannot be", c.Cols, c.Rows))
	}
	c.version, c.Title = head.Version, head.Title
	if l := head.IdleTimeLimit; l > 0 && l < 1e6 {
		c.idle = time.Duration(l * float64(time.Second))
	}
	return c, nil
}

func (c *Cast) bad(why string) error { return fmt.Errorf("%w: line %d: %s", ErrCast, c.line, why) }

// next is the next line that is not empty and no comment.
func (c *Cast) next() ([]byte, error) {
	for c.lines.Scan() {
		c.line++
		if b := bytes.TrimSpace(c.lines.Bytes()); len(b) > 0 && b[0] != '#' {
			return b, nil
		}
	}
	if err := c.lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		c.line++
		return nil, c.bad("it is longer than 4 MiB")
	} else if err != nil {
		return nil, fmt.Errorf("term: read the recording: %w", err)
	}
	return nil, io.EOF
}

// Next is the next event, io.EOF after the last. What was typed, and marks, are passed over.
func (c *Cast) Next() (e Event, err error) {
	for {
		line, err := c.next()
		if err != nil {
			return e, err
		}
		var fields []json.RawMessage
		var at float64
		var kind, data string
		if json.Unmarshal(line, &fields) != nil || len(fields) < 3 || json.Unmarshal(fields[0], &at) != nil || json.Unmarshal(fields[1], &kind) != nil ||
			math.IsNaN(at) || at < 0 || at > 1e8 {
			return e, c.bad(`it is not an event like [1.5, "o", "text"]`)
		}
		when := time.Duration(at * float64(time.Second))
		pause := when
		if c.version == 2 {
			pause = max(0, when-c.at)
			c.at = max(c.at, when)
		}
		if c.idle > 0 {
			pause = min(pause, c.idle)
		}
		e.Pause += pause // of what is passed over, too
		if kind != "o" && kind != "r" {
			continue
		}
		if json.Unmarshal(fields[2], &data) != nil {
			return e, c.bad("what was printed is no text")
		}
		if kind == "o" {
			if data == "" {
				continue
			}
			e.Output = data
			return e, nil
		}
		cols, rows, ok := bytes.Cut([]byte(data), []byte("x"))
		e.Cols, _ = strconv.Atoi(string(cols)) // what is no number is no size
		e.Rows, _ = strconv.Atoi(string(rows))
		if !ok || e.Cols < 1 || e.Rows < 1 || e.Cols > maxCastSide || e.Rows > maxCastSide {
			return e, c.bad(fmt.Sprintf("a size of %.20q cannot be", data))
		}
		return e, nil
	}
}

// Play prints a recording as fast as it was made, times speed, with no pause longer than idle (0: as long as they were). Its sizes are
// not the terminal's to take.
func (c *Cast) Play(ctx context.Context, to io.Writer, speed float64, idle time.Duration) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	<-timer.C
	due := time.Now()
	for {
		e, err := c.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		pause := e.Pause
		if idle > 0 {
			pause = min(pause, idle)
		}
		due = due.Add(time.Duration(float64(pause) / speed))
		if wait := time.Until(due); wait > 0 {
			timer.Reset(wait)
			select {
			case <-timer.C:
			case <-ctx.Done():
				return ctx.Err()
			}
		} else if ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := io.WriteString(to, e.Output); err != nil {
			return fmt.Errorf("term: play: %w", err)
		}
	}
}
