package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"fractal/remote"
)

// Process is a server of our own: another process of the same program, so that what it uses is its alone.
type Process struct {
	cmd  *exec.Cmd
	URL  *url.URL
	Took time.Duration // from starting it to its address
	out  io.Closer
}

// Start runs `program serve` on a free loopback port with the data folder dir.
func Start(ctx context.Context, program, dir string, stderr io.Writer, flags ...string) (*Process, error) {
	return startWith(ctx, program, nil, dir, stderr, flags...)
}

// startWith is Start with more in the environment.
func startWith(ctx context.Context, program string, env []string, dir string, stderr io.Writer, flags ...string) (*Process, error) {
	begin := time.Now()
	cmd := exec.CommandContext(ctx, program, append([]string{"serve", "--addr", "127.0.0.1:0", "--data", dir, "--log", "warn"}, flags...)...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("bench: start the server: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("bench: start the server: %w", err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	took := time.Since(begin)
	u, parseErr := url.Parse(strings.TrimSpace(line))
	if err != nil || parseErr != nil || u.Host == "" {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, fmt.Errorf("bench: the server did not start (it printed %q)", line)
	}
	return &Process{cmd: cmd, URL: u, Took: took, out: out}, nil
}

// Target is a canvas of the server.
func (p *Process) Target(canvas string) remote.Target {
	return remote.Target{Server: &url.URL{Scheme: p.URL.Scheme, Host: p.URL.Host}, Canvas: canvas, Token: p.URL.Query().Get("key")}
}

// Stop ends the server as an operator does and waits for it.
func (p *Process) Stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("bench: the server ended badly: %w", err)
	}
	return nil
}

// Kill ends the server as a power cut does and waits for it.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// Metrics reads what the server counts: by name, labels included as they are printed.
func (p *Process) Metrics(ctx context.Context) (map[string]float64, error) {
	body, err := p.get(ctx, "metrics")
	if err != nil {
		return nil, err
	}
	m := map[string]float64{}
	for line := range strings.Lines(body) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(line, "#") || !ok {
			continue
		}
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			m[name] = v
		}
	}
	return m, nil
}

// LiveHeap is what is reachable in the server, in bytes: it is asked to collect first.
func (p *Process) LiveHeap(ctx context.Context) (float64, error) {
	if _, err := p.get(ctx, "debug/pprof/heap?gc=1"); err != nil {
		return 0, err
	}
	m, err := p.Metrics(ctx)
	return m["go_memstats_heap_alloc_bytes"], err
}

// RSS is the server's resident memory in bytes; 0 where the system does not tell.
func (p *Process) RSS() float64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseFloat(fields[1], 64) // 0 is "not told"
	return pages * float64(os.Getpagesize())
}

func (p *Process) get(ctx context.Context, path string) (string, error) {
	t := p.Target("")
	ref, query, _ := strings.Cut(path, "?")
	u := t.Server.JoinPath(ref)
	u.RawQuery = query
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", fmt.Errorf("bench: %w", err)
	}
	req.Header = t.Header()
	resp, err := t.Client().Do(req)
	if err != nil {
		return "", fmt.Errorf("bench: %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("bench: %s: %s", path, resp.Status)
	}
	return string(body), err
}
