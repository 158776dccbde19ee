package bench

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"fractal/vt/conformance"
)

// Conformance prints how many cases of each suite the terminal core passes: our own, and those whose data lies in dir; empty: in
// FRACTAL_CONFORMANCE, or in ../shared/conformance. In long, what was wrong as well.
func Conformance(to io.Writer, dir string, long bool) error {
	if dir == "" {
		dir = os.Getenv("FRACTAL_CONFORMANCE")
	}
	asked := dir != ""
	if !asked {
		dir = filepath.Join("..", "shared", "conformance")
	}
	var data fs.FS
	if _, err := os.Stat(dir); err == nil {
		data = os.DirFS(dir)
	} else if asked {
		return fmt.Errorf("bench: there are no suites in %s: %w", dir, err)
	}
	results, err := conformance.Run(data)
	for _, r := range results {
		fmt.Fprintln(to, r)
		for _, f := range r.Failed {
			if long {
				fmt.Fprintln(to, "  "+f)
			}
		}
	}
	return err
}
