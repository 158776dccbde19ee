package vt_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"fractal/vt"
)

// The client's test holds its half of the same lines: that a browser's report becomes this key.
func TestKeysOfBrowsers(t *testing.T) {
	f, err := os.Open("testdata/keys.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var l struct {
			Name  string
			Kitty int
			Key   *vt.Key
			Bytes string
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		term := vt.New(vt.Config{})
		term.Write(fmt.Appendf(nil, "\x1b[>%du", l.Kitty))
		var got string
		if l.Key != nil {
			got = string(term.AppendKey(nil, *l.Key))
		}
		if got != l.Bytes {
			t.Errorf("%s: the program reads %q, want %q", l.Name, got, l.Bytes)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
