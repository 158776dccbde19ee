package wire

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGeneratedCodeIsFresh runs the generator on the schema in a folder of its own and compares.
func TestGeneratedCodeIsFresh(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the generator")
	}
	dir := t.TempDir()
	schema, err := os.ReadFile("fractal.proto")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "fractal.proto"), schema, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "./gen", "-dir", dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, err := os.ReadFile(filepath.Join(dir, "fractal.pb.go"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("fractal.pb.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("fractal.pb.go is not what fractal.proto says: run go generate ./wire")
	}
}
