package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The tests run the program itself: this test binary is fractal when told so.
func TestMain(m *testing.M) {
	// A program in a terminal has a clean environment: what is called as fractal is, must be fractal. Else it would test, and be started again.
	if os.Getenv("FRACTAL_TEST_RUN_MAIN") != "" || len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		main()
		return
	}
	os.Setenv("FRACTAL_TEST_RUN_MAIN", "1") // for every process started below
	os.Exit(m.Run())
}

// result is how a process ended.
type result struct {
	stdout, stderr string
	code           int
}

// fractal runs a command to its end.
func fractal(t *testing.T, args ...string) result {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// lastLine decodes what --json promises.
func (r result) lastLine(t *testing.T) map[string]any {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
	var v map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &v); err != nil {
		t.Fatalf("%v in the last line of %q (errors: %s)", err, r.stdout, r.stderr)
	}
	return v
}

// serving is a server process.
type serving struct {
	*testing.T
	cmd    *exec.Cmd
	url    string
	stderr *lockedBuffer
	out    *bufio.Reader
}

// lockedBuffer is a buffer that is read while a process still writes to it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func serveOn(t *testing.T, dir string, flags ...string) *serving {
	t.Helper()
	s := &serving{T: t, stderr: new(lockedBuffer)}
	s.cmd = exec.Command(os.Args[0], append([]string{"--addr", "127.0.0.1:0", "--data", dir, "--log", "warn"}, flags...)...)
	if !s.start() {
		t.Fatalf("the server did not start: %s", s.stderr)
	}
	return s
}

// start starts the process and waits for its address; false where it ends instead.
func (s *serving) start() bool {
	s.Helper()
	s.cmd.Stderr = s.stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		s.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(s.kill)
	s.out = bufio.NewReader(out)
	line, err := s.out.ReadString('\n')
	if err != nil {
		_ = s.cmd.Wait()
		return false
	}
	s.url = strings.TrimSpace(line)
	return true
}

// kill ends it as a power cut does.
func (s *serving) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// term ends it as an operator does, and returns its exit code and what else it printed.
func (s *serving) term() (code int, rest string) {
	s.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.Fatal(err)
	}
	b, _ := io.ReadAll(s.out)
	_ = s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode(), string(b)
}

const drawing = `{"format":"fractal-strokes","version":1}
{"level":0,"x":"0","y":"0","width":2.01,"color":"#1f6f8b","points":[1.004,2,3,4]}
{"level":1000,"x":"123456789012345678901234567890","y":"-7","widths":[1,2],"color":"#00000080","brush":"pen","points":[0,0,100,50.5]}
{"level":0,"x":"0","y":"0","width":0,"color":"#1f6f8b","points":[1,2,3,4]}
not json
{"level":8,"x":"-3","y":"4","width":16,"color":"#ff0000ff","brush":"eraser","points":[5,5]}
`

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestImportExportAndBackAgain(t *testing.T) {
	s := serveOn(t, t.TempDir())
	file, first, second := write(t, "in.jsonl", drawing), filepath.Join(t.TempDir(), "first.jsonl"), filepath.Join(t.TempDir(), "second.jsonl.gz")

	r := fractal(t, "import", file, "--canvas", "one", "--server", s.url, "--json")
	v := r.lastLine(t)
	if r.code != 0 || v["strokes"] != 3.0 || v["points"] != 5.0 || v["rejected"] != 2.0 || v["strokes_per_s"] == nil {
		t.Fatalf("exit %d, %s%s", r.code, r.stdout, r.stderr)
	}
	if !strings.Contains(r.stderr, "line 4 rejected: width is 0") || !strings.Contains(r.stderr, "line 5 rejected: not JSON") {
		t.Errorf("told of rejected lines: %q", r.stderr)
	}
	if r := fractal(t, "export", "--server", s.url, "--canvas", "one", "--out", first, "--json"); r.code != 0 || r.lastLine(t)["strokes"] != 3.0 {
		t.Fatalf("exit %d, %s%s", r.code, r.stdout, r.stderr)
	}
	if r := fractal(t, "import", "--canvas=two", "--server="+s.url, first); r.code != 0 || !strings.Contains(r.stdout, "3 strokes") {
		t.Fatalf("exit %d, %s%s", r.code, r.stdout, r.stderr)
	}
	if r := fractal(t, "export", "--server", s.url, "--canvas", "two", "--out", second, "--format", "strokes"); r.code != 0 {
		t.Fatalf("exit %d, %s%s", r.code, r.stdout, r.stderr)
	}
	toStdout := fractal(t, "export", "--server", s.url, "--canvas", "two")
	want, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	if toStdout.stdout != string(want) {
		t.Errorf("second round trip:\n%s\nfirst:\n%s", toStdout.stdout, want)
	}
	if b, err := os.ReadFile(second); err != nil || len(b) < 2 || b[0] != 0x1f {
		t.Errorf("a .gz file that is not: %v, %v", b, err)
	}
	if r := fractal(t, "import", second, "--canvas", "three", "--server", s.url); r.code != 0 {
		t.Errorf("import of the compressed export: exit %d, %s", r.code, r.stderr)
	}
	if code, rest := s.term(); code != 0 || rest != "" {
		t.Errorf("exit %d after SIGTERM, printed %q, %s", code, rest, s.stderr)
	}
}

func TestMistakesGetASentenceAndACode(t *testing.T) {
	file := write(t, "in.jsonl", drawing)
	nobody := "http://127.0.0.1:1"
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no such command", []string{"sing"}, 2, `no command "sing"`},
		{"no such flag", []string{"serve", "--loud"}, 2, "loud"},
		{"one word too many", []string{"serve", "here"}, 2, "one word too many"},
		{"bad address", []string{"--addr", "8080"}, 2, "HOST:PORT"},
		{"no data folder", []string{"--data", ""}, 2, "--data DIR"},
		{"canvas of another folder", []string{"export", "--canvas", "../x"}, 2, "not the name of a canvas"},
		{"bad size", []string{"--cell-cache", "lots"}, 2, "like 256MB"},
		{"bad level", []string{"--log", "loud"}, 2, "debug, info"},
		{"no canvas", []string{"import", file}, 2, "--canvas NAME"},
		{"no file", []string{"import", "--canvas", "x"}, 2, "takes one FILE"},
		{"no such file", []string{"import", file + "x", "--canvas", "x"}, 1, "cannot be read"},
		{"no such format", []string{"export", "--canvas", "x", "--format", "wax"}, 2, "there are: strokes"},
		{"no such film", []string{"export", "movie", "--to", "wikiseahorse", "--out", "film.mp4"}, 2, "no .mp4 is made here"},
		{"nobody there", []string{"import", file, "--canvas", "x", "--server", nobody}, 1, "is it running?"},
		{"nobody there to export", []string{"export", "--canvas", "x", "--server", nobody}, 1, "is it running?"},
		{"no server's address", []string{"export", "--canvas", "x", "--server", "ftp://x"}, 2, "not the address of a server"},
		{"no data to copy", []string{"backup", "--data", file + "x", "--out", file + "y"}, 1, "no data folder"},
		{"copy over a file", []string{"backup", "--out", file}, 1, "choose another name"},
		{"no such benchmark", []string{"bench", "press"}, 2, `no benchmark "press"`},
		{"no such shape", []string{"bench", "corpus", "--shape", "round"}, 2, `no shape "round"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := fractal(t, c.args...)
			if r.code != c.code || !strings.Contains(r.stderr, c.want) || !strings.HasPrefix(r.stderr, "fractal: ") {
				t.Errorf("exit %d and %q; want %d and a sentence with %q", r.code, r.stderr, c.code, c.want)
			}
		})
	}
	for _, args := range [][]string{{"help"}, {"--help"}, {"help", "serve"}, {"import", "--help"}, {"bench", "corpus", "-h"}} {
		if r := fractal(t, args...); r.code != 0 || !strings.Contains(r.stdout, "Usage: fractal") || r.stderr != "" {
			t.Errorf("%v: exit %d, %q, %q", args, r.code, r.stdout, r.stderr)
		}
	}
}

func TestWhatKeepsAServerFromStarting(t *testing.T) {
	dir := t.TempDir()
	s := serveOn(t, dir)
	taken := strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/")
	aFile := write(t, "file", "x")
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, "log.db"), bytes.Repeat([]byte("not a database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"taken port", []string{"--addr", taken, "--data", t.TempDir()}, "another program listens on " + taken},
		{"used folder", []string{"--addr", "127.0.0.1:0", "--data", dir}, "stop it, or choose another folder"},
		{"a file for a folder", []string{"--addr", "127.0.0.1:0", "--data", aFile}, "data folder"},
		{"damaged log", []string{"--addr", "127.0.0.1:0", "--data", damaged}, "restore a backup"},
		{"not our address", []string{"--addr", "203.0.113.7:80", "--data", t.TempDir()}, "--addr"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := fractal(t, c.args...)
			if r.code != 1 || !strings.Contains(r.stderr, c.want) || strings.Count(r.stderr, "\n") != 1 || r.stdout != "" {
				t.Errorf("exit %d, printed %q and %q; want 1 and one sentence with %q", r.code, r.stdout, r.stderr, c.want)
			}
			t.Log(r.stderr)
		})
	}
	if os.Geteuid() != 0 { // root may write everywhere
		closed := t.TempDir()
		if err := os.Chmod(closed, 0o500); err != nil {
			t.Fatal(err)
		}
		if r := fractal(t, "--addr", "127.0.0.1:0", "--data", closed); r.code != 1 || !strings.Contains(r.stderr, "let this user write") {
			t.Errorf("unwritable folder: exit %d, %q", r.code, r.stderr)
		}
	}
	if resp, err := http.Get(s.url + "healthz"); err != nil || resp.StatusCode != 200 {
		t.Errorf("the first server suffered: %v", err)
	} else {
		resp.Body.Close()
	}
}

func TestAddressForOthersNeedsTheSecretLink(t *testing.T) {
	dir := t.TempDir()
	s := serveOn(t, dir, "--addr", "0.0.0.0:0") // the last one counts
	base, key, ok := strings.Cut(s.url, "?key=")
	if !ok {
		t.Fatalf("printed %s, want a link with a secret", s.url)
	}
	info, err := os.Stat(filepath.Join(dir, "secret"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the secret's file: %v, %v; want mode 0600", info, err)
	}
	status := func(u string) int {
		resp, err := http.Get(u)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	if _, port, err := net.SplitHostPort(strings.TrimSuffix(strings.TrimPrefix(base, "http://"), "/")); err != nil {
		t.Fatal(err)
	} else {
		base = "http://127.0.0.1:" + port + "/"
	}
	for path, want := range map[string]int{"": 401, "c/x": 401, "api/canvases": 401, "metrics": 401, "debug/pprof/": 401, "assets/x": 401, "healthz": 200} {
		if got := status(base + path); got != want {
			t.Errorf("/%s without the link: %d, want %d", path, got, want)
		}
	}
	file := write(t, "in.jsonl", drawing)
	if r := fractal(t, "import", file, "--canvas", "one", "--server", base); r.code != 1 || !strings.Contains(r.stderr, "whole link") {
		t.Errorf("import without the link: exit %d, %q", r.code, r.stderr)
	}
	if r := fractal(t, "import", file, "--canvas", "one", "--server", base+"?key="+key); r.code != 0 {
		t.Errorf("import with the link: exit %d, %q", r.code, r.stderr)
	}
	s.term()
	if again := serveOn(t, dir, "--addr", "0.0.0.0:0"); !strings.HasSuffix(again.url, key) {
		t.Error("another start has another secret: old links are dead")
	}
}

func TestBackupIsADataFolder(t *testing.T) {
	dir := t.TempDir()
	s := serveOn(t, dir)
	file := write(t, "in.jsonl", drawing)
	if r := fractal(t, "import", file, "--canvas", "one", "--server", s.url); r.code != 0 {
		t.Fatal(r.stderr)
	}
	want := fractal(t, "export", "--canvas", "one", "--server", s.url).stdout
	for name, args := range map[string][]string{"beside the server": {"--data", dir}, "by the server": {"--server", s.url}} {
		t.Run(name, func(t *testing.T) {
			out, fresh := filepath.Join(t.TempDir(), "copy.tar.gz"), t.TempDir()
			if r := fractal(t, append([]string{"backup", "--out", out, "--json"}, args...)...); r.code != 0 || r.lastLine(t)["bytes"] == nil {
				t.Fatalf("exit %d, %s%s", r.code, r.stdout, r.stderr)
			}
			if b, err := exec.Command("tar", "-xzf", out, "-C", fresh).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, b)
			}
			copied := serveOn(t, fresh)
			if got := fractal(t, "export", "--canvas", "one", "--server", copied.url).stdout; got != want {
				t.Errorf("the copy holds\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestDemoIsDrawnOnce(t *testing.T) {
	dir := t.TempDir()
	count := func(s *serving) float64 {
		t.Helper()
		r := fractal(t, "export", "--canvas", "earth", "--server", strings.TrimSuffix(s.url, "/c/earth#fit"), "--out", filepath.Join(t.TempDir(), "e.jsonl"), "--json")
		if r.code != 0 {
			return 0 // not there yet
		}
		n, _ := r.lastLine(t)["strokes"].(float64)
		return n
	}
	s := serveOn(t, dir, "--demo")
	if !strings.HasSuffix(s.url, "/c/earth#fit") {
		t.Errorf("printed %s, want the demo's address", s.url)
	}
	s.kill() // in the middle of drawing it
	s = serveOn(t, dir, "--demo")
	const whole = 5631
	deadline := time.Now().Add(60 * time.Second)
	for count(s) < whole {
		if time.Now().After(deadline) {
			t.Fatalf("%v strokes of %d after a minute: %s", count(s), whole, s.stderr)
		}
	}
	if code, _ := s.term(); code != 0 {
		t.Errorf("exit %d: %s", code, s.stderr)
	}
	s = serveOn(t, dir, "--demo")
	if n := count(s); n != whole {
		t.Errorf("%v strokes after another start, want %d", n, whole)
	}
}
