package main

import (
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fractal/server"
)

// TestDamagedFolderIsNeverServedAsWhole flips a bit or cuts a file somewhere in a data folder, starts the server on it, and
// asks for the canvas: it gives every stroke, or says that something is damaged. It never gives less without a word.
func TestDamagedFolderIsNeverServedAsWhole(t *testing.T) {
	const strokes = 400
	whole := t.TempDir()
	// Half of it is in a snapshot, half in the log after it.
	file := write(t, "in.jsonl", many(strokes))
	s := serveOn(t, whole)
	for range 2 {
		if r := fractal(t, "import", file, "--canvas", "plan", "--server", s.url); r.code != 0 {
			t.Fatal(r.stderr)
		}
	}
	s.kill() // the write-ahead log stays as it is
	var files []string
	if err := filepath.WalkDir(whole, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Base(path) != "lock" && !strings.HasSuffix(path, "-shm") {
			files = append(files, path[len(whole)+1:])
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("seed %d, files %v", seed, files)
	rng := rand.New(rand.NewPCG(seed, 3))
	rounds := 12
	if testing.Short() {
		rounds = 6
	}
	refused, told, unharmed := 0, 0, 0
	for range rounds {
		dir := filepath.Join(t.TempDir(), "data")
		if b, err := exec.Command("cp", "-r", whole, dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, b)
		}
		name := files[rng.IntN(len(files))]
		path := filepath.Join(dir, name)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) == 0 {
			continue
		}
		at, cut := rng.IntN(len(b)), rng.IntN(4) == 0
		if cut {
			b = b[:at]
		} else {
			b[at] ^= 1 << rng.IntN(8)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		what := func(s string) { t.Logf("%s, %d of its bytes, cut %v: %s", name, at, cut, s) }

		s, why := tryServe(t, dir)
		if s == nil {
			if !strings.HasPrefix(why, "fractal: ") || strings.Count(why, "\n") != 1 || strings.Contains(why, "panic") {
				t.Errorf("refused to start without a sentence: %q", why)
			}
			what("refused: " + why)
			refused++
			continue
		}
		resp, err := http.Get(s.url + "c/plan/export")
		if err != nil {
			t.Fatalf("%v: %s", err, s.stderr)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		n := strings.Count(string(body), "\n") - 1
		switch {
		case err != nil:
			t.Errorf("export: %v", err)
		case resp.StatusCode != http.StatusOK:
			what(strings.TrimSpace(string(body)))
			told++
		case n != 2*strokes:
			why := resp.Header.Get(server.WarningHeader)
			if !strings.Contains(why, "damaged") {
				t.Errorf("%s, %d of its bytes, cut %v: %d strokes of %d, and not a word (%q, %s)", name, at, cut, n, 2*strokes, why, s.stderr)
			}
			what(why)
			told++
		default:
			unharmed++
		}
		s.kill()
	}
	t.Logf("%d refused to start, %d told of the damage, %d gave everything", refused, told, unharmed)
}

// tryServe starts a server; nil with what it said where it refuses.
func tryServe(t *testing.T, dir string) (*serving, string) {
	t.Helper()
	probe := exec.Command(os.Args[0], "--addr", "127.0.0.1:0", "--data", dir, "--log", "warn")
	s := &serving{T: t, cmd: probe, stderr: new(lockedBuffer)}
	probe.Stderr = s.stderr
	if !s.start() {
		return nil, s.stderr.String()
	}
	return s, ""
}
