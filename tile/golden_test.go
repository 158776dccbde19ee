package tile

import (
	"encoding/hex"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden is one pair of tiles and what Go and TypeScript must both say of them.
type golden struct {
	From, To string
	X, Y     string // of from, on the wire, in hex
	Scale    float64
	DX, DY   float64
	DLevel   int // a shift of from
	SX, SY   int64
	Shifted  string
}

func goldens() (all []golden) {
	r := rand.New(rand.NewPCG(3, 4))
	for len(all) < 300 {
		from := pick(r)
		to := pick(r)
		if r.IntN(4) > 0 {
			to = near(r, from)
		}
		_, x, y := from.Wire()
		m := Between(from, to)
		g := golden{From: from.String(), To: to.String(), X: hex.EncodeToString(x), Y: hex.EncodeToString(y)}
		g.Scale, g.DX, g.DY, _ = m.Affine()
		if d := m.Shift(); d < -900 || d > 900 || len(g.From) > 400 && r.IntN(20) > 0 || g.DX != g.DX+0*g.DX || g.DY != g.DY+0*g.DY {
			continue // JSON has no infinities, and the file should be small
		}
		g.DLevel, g.SX, g.SY = r.IntN(60)-30, r.Int64N(1<<40)-1<<39, r.Int64N(9)-4
		to, _ = from.Shift(g.DLevel, g.SX, g.SY)
		g.Shifted = to.String()
		all = append(all, g)
	}
	return all
}

func TestAddressesAreAsEver(t *testing.T) {
	got := goldens()
	name := filepath.Join("testdata", "tiles.json")
	if *update {
		b, err := json.MarshalIndent(got, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		os.MkdirAll("testdata", 0o755)
		if err := os.WriteFile(name, append(b, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var want []golden
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d pairs, %d in the file", len(got), len(want))
	}
	for i := range got {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("pair %d:\ngot  %+v\nwant %+v", i, got[i], want[i])
		}
	}
}
