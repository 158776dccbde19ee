// Command peers renders one corpus with Fractal and with other 2D libraries, in turns in one run, and prints how many times
// longer each of them takes.
//
// Everybody gets the same 24 cells of 256 × 256 px and, for each stroke, the same outline of all its points (Fractal's own
// hulls, flattened to 1/50 px, non-zero), built outside of what is timed, with its box to pass over cells it does not meet.
// "stroke" peers get the line through the points and stroke it with the mean width, round caps and joins, which is less than
// Fractal does. What is timed is scan conversion and compositing. A figure is the sum over the cells of the least time of
// several rounds: a cell is shorter than a slice of the system's scheduler, so its least time is an undisturbed one.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	cols, rows = 6, 4
	cells      = cols * rows
)

// peer is somebody who renders.
type peer struct {
	name  string
	round func() ([]float64, error) // ms of each cell
	least []float64
}

func main() {
	corpus := flag.String("corpus", "", "a stroke lines `FILE`, perhaps .gz")
	rounds := flag.Int("rounds", 5, "how often everybody has a turn")
	corner := flag.String("corner", "0,0", "the overview's first tile of level 0, `X,Y`")
	asJSON := flag.Bool("json", false, "print one JSON object")
	flag.Parse()
	if err := run(*corpus, *corner, *rounds, *asJSON); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(corpus, corner string, rounds int, asJSON bool) error {
	var x, y int64
	if _, err := fmt.Sscanf(corner, "%d,%d", &x, &y); err != nil {
		return fmt.Errorf("--corner: %w", err)
	}
	scene, err := read(corpus, x, y)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	data := filepath.Join(dir, "scene.bin")
	if err := scene.write(data); err != nil {
		return err
	}
	peers := []*peer{{name: "Fractal", round: scene.ours()}, {name: "x/image/vector fill", round: scene.vector()}}
	var others []*process
	defer func() {
		for _, p := range others {
			p.end()
		}
	}()
	for _, c := range [][]string{
		{"node", "skia.mjs", data},
		{"./native/cairo", data},
		{"./native/agg", data},
	} {
		p, err := start(c)
		if err != nil {
			fmt.Fprintf(os.Stderr, "without %s: %v\n", c[0], err)
			continue
		}
		others = append(others, p)
		for _, name := range p.names {
			peers = append(peers, &peer{name: name, round: func() ([]float64, error) { return p.round(name) }})
		}
	}
	for range rounds {
		for _, p := range peers {
			took, err := p.round()
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			if p.least == nil {
				p.least = took
			}
			for i, t := range took {
				p.least[i] = min(p.least[i], t)
			}
		}
	}
	type result struct {
		Name  string  `json:"name"`
		MS    float64 `json:"ms"`
		Worst float64 `json:"worst_cell_ms"`
		Ratio float64 `json:"ratio"`
	}
	var results []result
	for _, p := range peers {
		sum := 0.0
		for _, t := range p.least {
			sum += t
		}
		results = append(results, result{p.name, sum, slices.Max(p.least), 0})
		results[len(results)-1].Ratio = sum / results[0].MS
	}
	if asJSON {
		return json.NewEncoder(os.Stdout).Encode(map[string]any{"corpus": filepath.Base(corpus), "strokes": len(scene.strokes), "rounds": rounds, "peers": results})
	}
	fmt.Printf("%s: %d strokes, %d cells, %d rounds in turns\n", filepath.Base(corpus), len(scene.strokes), cells, rounds)
	for _, r := range results {
		fmt.Printf("  %-28s %9.1f ms  worst cell %8.2f ms  × %.1f\n", r.Name, r.MS, r.Worst, r.Ratio)
	}
	return nil
}

// process is a program that renders: it prints its peers' names in a line, then for each name it reads the milliseconds of the
// cells.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Scanner
	names []string
}

func start(command []string) (*process, error) {
	if strings.HasPrefix(command[0], "./") {
		if _, err := os.Stat(command[0]); err != nil {
			return nil, errors.New("it is not built (see README.md)")
		}
	}
	p := &process{cmd: exec.Command(command[0], command[1:]...)}
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.out = bufio.NewScanner(out)
	if !p.out.Scan() {
		p.end()
		return nil, errors.New("it does not start")
	}
	p.names = strings.Split(p.out.Text(), "\t")
	return p, nil
}

func (p *process) round(name string) ([]float64, error) {
	fmt.Fprintln(p.in, name)
	if !p.out.Scan() {
		return nil, errors.New("it ended")
	}
	var took []float64
	if err := json.Unmarshal(p.out.Bytes(), &took); err != nil {
		return nil, err
	}
	return took, nil
}

func (p *process) end() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}
