package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"fractal/term"
)

// play prints a recording of a terminal as it was made.
func play(ctx context.Context, c *call) (err error) {
	speed := c.flags.Float64("speed", 1, "play `TIMES` as fast")
	idle := c.flags.Float64("idle", 2, "wait no longer than `SECONDS` where nothing happened; 0: as long as it took")
	rest, err := c.parse()
	switch {
	case err != nil:
		return err
	case len(rest) != 1:
		return usageError("play takes one FILE; - for standard input")
	case !(*speed >= 0.01 && *speed <= 1000):
		return usageError("--speed is 0.01 to 1000")
	case !(*idle >= 0 && *idle <= 1e6):
		return usageError("--idle is 0 or more")
	}
	from := io.Reader(os.Stdin)
	if rest[0] != "-" {
		f, err := os.Open(rest[0])
		if err != nil {
			return fmt.Errorf("the recording cannot be read: %w", err)
		}
		defer f.Close()
		from = f
	}
	cast, err := term.OpenCast(from)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP, syscall.SIGQUIT) // else they would leave the terminal as the recording has it
	defer stop()
	err = cast.Play(ctx, c.stdout, *speed, time.Duration(*idle*float64(time.Second)))
	// A recording may end anywhere: give the terminal back as programs leave it.
	_, bad := io.WriteString(c.stdout, "\x18\x1b[?2026l\x1b[?1049l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1l\x1b>\x1b[?7h\x1b7\x1b[r\x1b8\x1b[?2004l\x1b[<u\x1b[?25h\x1b[0m\r\n")
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, bad)
}
