package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"fractal/journal"
	"fractal/journal/journaltest"
)

// rounds is how often the tests of crashes and damage try; FRACTAL_ROUNDS asks for more than a quick test has time for.
func rounds(quick int) int {
	if n, err := strconv.Atoi(os.Getenv("FRACTAL_ROUNDS")); err == nil {
		return n
	}
	return quick
}

func TestMain(m *testing.M) {
	if dir := os.Getenv("FRACTAL_CRASH_DIR"); dir != "" {
		crashChild(dir, os.Getenv("FRACTAL_CRASH_ROUND"))
		return
	}
	os.Exit(m.Run())
}

// crashChild appends to four canvases and says what was acknowledged, until it is killed.
func crashChild(dir, round string) {
	fatal := func(err error) {
		fmt.Println("failed", err)
		os.Exit(1)
	}
	j, err := Open(dir)
	if err != nil {
		fatal(err)
	}
	var mu sync.Mutex
	say := func(f string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Printf(f+"\n", args...)
	}
	var wait sync.WaitGroup
	for w := range 4 {
		wait.Go(func() {
			canvas := fmt.Sprint("canvas-", w)
			for n := 0; ; n++ {
				id := journal.ID{}
				copy(id[:], fmt.Sprintf("%s/%d", round, n))
				pos, err := j.Append(context.Background(), canvas, id, []byte(fmt.Sprintf("%s of %s/%d", canvas, round, n)))
				if err != nil {
					fatal(err)
				}
				say("acked %s %d %s/%d", canvas, pos, round, n)
				if w == 0 && n%50 == 49 {
					say("trim %s %d", canvas, pos-25)
					if err := j.Trim(context.Background(), canvas, pos-25); err != nil {
						fatal(err)
					}
				}
			}
		})
	}
	wait.Wait()
}

func TestKilledProcessLosesNothingAcknowledged(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	acked := map[string]map[journal.Pos]string{}
	trimmed := map[string]journal.Pos{}
	total := 0
	for round := range rounds(4) {
		child := exec.Command(exe)
		child.Env = append(os.Environ(), "FRACTAL_CRASH_DIR="+dir, fmt.Sprint("FRACTAL_CRASH_ROUND=", round))
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		left := 1 + rand.IntN(600)
		lines := bufio.NewScanner(out)
		for lines.Scan() { // to the end: what was said before the kill counts
			var canvas, what string
			var pos journal.Pos
			switch f := strings.Fields(lines.Text()); {
			case len(f) == 4 && f[0] == "acked":
				fmt.Sscan(lines.Text(), &what, &canvas, &pos, &what)
				if acked[canvas] == nil {
					acked[canvas] = map[journal.Pos]string{}
				}
				if was, ok := acked[canvas][pos]; ok {
					t.Fatalf("%s: position %d was given to %s and to %s", canvas, pos, was, what)
				}
				acked[canvas][pos] = what
				total++
			case len(f) == 3 && f[0] == "trim":
				fmt.Sscan(lines.Text(), &what, &canvas, &pos)
				trimmed[canvas] = pos
			default:
				t.Errorf("round %d: %s", round, lines.Text())
			}
			if left--; left == 0 {
				child.Process.Kill()
			}
		}
		child.Wait()

		j := open(t, dir)
		for canvas, want := range acked {
			have := map[journal.Pos]string{}
			for _, r := range journaltest.Read(t, j, canvas, 0) {
				have[r.Pos] = string(r.Body)
			}
			for pos, name := range want {
				if body := canvas + " of " + name; pos > trimmed[canvas] && have[pos] != body {
					t.Errorf("round %d: %s: acked %q at %d, after the kill there is %q", round, canvas, body, pos, have[pos])
				}
			}
		}
		if err := j.Close(); err != nil {
			t.Errorf("round %d: close: %v", round, err)
		}
	}
	t.Logf("%d records acknowledged, all there", total)
}

// chained appends n sealed records to each of two canvases and returns the frames by canvas.
func chained(t *testing.T, j *Journal, n int) map[string][]string {
	t.Helper()
	logs := map[string][]string{}
	for _, canvas := range []string{"one", "two"} {
		c := journal.NewChain(canvas)
		for i := range n {
			body := c.Seal(journaltest.ID(i), []byte(strings.Repeat(fmt.Sprint(canvas, i, " "), 20)))
			pos := journaltest.Append(t, j, canvas, i, string(body))
			if _, err := c.Open(journal.Record{Pos: pos, ID: journaltest.ID(i), Body: body}); err != nil {
				t.Fatal(err)
			}
			logs[canvas] = append(logs[canvas], string(body))
		}
	}
	return logs
}

// serve reads every canvas of a folder as a room does. It returns a word for what was found, and fails the test when
// something else than a prefix of the original is served, or less than all without a word.
func serve(t *testing.T, dir string, logs map[string][]string) string {
	t.Helper()
	j, err := Open(dir)
	if err != nil {
		if !errors.Is(err, journal.ErrCorrupt) && !strings.Contains(err.Error(), "belongs to another program") && !strings.Contains(err.Error(), "another version") {
			t.Errorf("open: %v: want a sentence that says what is damaged", err)
		}
		return "open"
	}
	defer j.Close()
	word := "nothing"
	for canvas, want := range logs {
		c, n := journal.NewChain(canvas), 0
		err := j.Tail(t.Context(), canvas, 0, func(r journal.Record) error {
			if r.CaughtUp() {
				return fs.SkipAll
			}
			if _, err := c.Open(r); err != nil {
				return err
			}
			if n >= len(want) || want[n] != string(r.Body) {
				t.Errorf("%s: record %d is served altered", canvas, n)
			}
			n++
			return nil
		})
		switch {
		case errors.Is(err, fs.SkipAll):
			if n < len(want) {
				t.Errorf("%s: %d of %d records, and not a word", canvas, n, len(want))
			}
		case errors.Is(err, journal.ErrCorrupt):
			word = "tail"
		default:
			t.Errorf("%s: %v: want ErrCorrupt", canvas, err)
		}
	}
	return word
}

func TestDamagedFilesAreNeverServedSilently(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	live := t.TempDir()
	j := open(t, live)
	logs := chained(t, j, 60)
	inWAL := t.TempDir() // as a killed process leaves it: most of it only in the write-ahead log
	for _, name := range []string{logFile, logFile + "-wal", headsFile} {
		copyFile(t, filepath.Join(live, name), filepath.Join(inWAL, name))
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(live, logFile+"-wal")); err == nil {
		t.Fatal("a closed journal leaves records in the write-ahead log")
	}
	for _, c := range []struct {
		name, from, file string
		damage           func([]byte) []byte
	}{
		{"a bit flipped in the database", live, logFile, nil},
		{"a bit flipped in the write-ahead log", inWAL, logFile + "-wal", nil},
		{"the database cut", live, logFile, func(b []byte) []byte { return b[:rng.IntN(len(b))] }},
		{"the write-ahead log cut", inWAL, logFile + "-wal", func(b []byte) []byte { return b[:rng.IntN(len(b))] }},
		{"the database gone", live, logFile, func([]byte) []byte { return nil }},
		{"a bit flipped in the heads", live, headsFile, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			words := map[string]int{}
			for range rounds(25) {
				dir := t.TempDir()
				for _, name := range []string{logFile, logFile + "-wal", headsFile} {
					if _, err := os.Stat(filepath.Join(c.from, name)); err == nil {
						copyFile(t, filepath.Join(c.from, name), filepath.Join(dir, name))
					}
				}
				path := filepath.Join(dir, c.file)
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if c.damage != nil {
					data = c.damage(data)
				} else {
					data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
				}
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatal(err)
				}
				words[serve(t, dir, logs)]++
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
			t.Logf("noticed: %v", words)
		})
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
