package canvas

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"math"
	"math/big"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"fractal/ink"
	"fractal/tile"
	"fractal/wire"
)

// corpus is the strokes of the file FRACTAL_CORPUS (stroke JSON lines, gzipped), as messages.
var corpus = sync.OnceValues(func() ([]*wire.Stroke, error) {
	f, err := os.Open(os.Getenv("FRACTAL_CORPUS"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var strokes []*wire.Stroke
	for in, n := bufio.NewReaderSize(z, 1<<20), 0; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return strokes, nil
		}
		if n == 0 {
			continue // the heading
		}
		var l struct {
			Level          int
			X, Y, Color    string
			Width          float64
			Widths, Points []float64
		}
		if err := json.Unmarshal(line, &l); err != nil {
			return nil, err
		}
		x, _ := new(big.Int).SetString(l.X, 10)
		y, _ := new(big.Int).SetString(l.Y, 10)
		home, err := tile.New(l.Level, x, y)
		if err != nil {
			return nil, err
		}
		pts := make([]ink.Point, len(l.Points)/2)
		for i := range pts {
			w := l.Width
			if len(l.Widths) > 0 {
				w = l.Widths[i]
			}
			unit := func(v float64) int64 { return int64(math.RoundToEven(v * 64)) }
			pts[i] = ink.Point{X: unit(l.Points[2*i]), Y: unit(l.Points[2*i+1]), D: int32(max(unit(w), 1))}
		}
		color, err := strconv.ParseUint(l.Color[1:], 16, 32)
		if err != nil {
			return nil, err
		}
		s, err := ink.New(home, ink.Liner, uint32(color), pts)
		if err != nil {
			return nil, err
		}
		strokes = append(strokes, s.Wire())
	}
})

func strokes(b *testing.B) []*wire.Stroke {
	b.Helper()
	if os.Getenv("FRACTAL_CORPUS") == "" {
		b.Skip("set FRACTAL_CORPUS to a file of stroke JSON lines, gzipped")
	}
	s, err := corpus()
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// shiftedBy is a stroke of the corpus again, n drawings further right.
func shiftedBy(b *testing.B, w *wire.Stroke, n int) *wire.Stroke {
	id, err := tile.FromWire(w.Home.Level, w.Home.X, w.Home.Y)
	if err != nil {
		b.Fatal(err)
	}
	by := big.NewInt(int64(n) * 64)
	if l := id.Level(); l >= 0 {
		by.Lsh(by, uint(l))
	} else {
		by.Rsh(by, uint(-l))
	}
	if id, err = tile.New(id.Level(), by.Add(by, id.X()), id.Y()); err != nil {
		b.Fatal(err)
	}
	c := &wire.Stroke{Home: &wire.Tile{}, Brush: w.Brush, Color: w.Color, Width: w.Width, Points: w.Points}
	c.Home.Level, c.Home.X, c.Home.Y = id.Wire()
	return c
}

// corpusEntry is the corpus, copied for ever, as the log of one importer.
func corpusEntry(b *testing.B, i int) *wire.Entry {
	all := strokes(b)
	w := all[i%len(all)]
	if n := i / len(all); n > 0 {
		w = shiftedBy(b, w, n)
	}
	op, err := proto.Marshal(&wire.Op{Session: make([]byte, 16), Number: uint64(i + 1), Body: &wire.Op_Stroke{Stroke: w}})
	if err != nil {
		b.Fatal(err)
	}
	return &wire.Entry{Person: make([]byte, 16), Op: op}
}

var built = map[int]*Canvas{}

func drawn(b *testing.B, n int) *Canvas {
	b.Helper()
	strokes(b)
	if c := built[n]; c != nil {
		return c
	}
	c := New()
	for i := range n {
		if r := c.Apply(corpusEntry(b, i)); r.Outcome != Applied {
			b.Fatalf("stroke %d: %+v", i, r)
		}
	}
	built[n] = c
	return c
}

func atBoth(b *testing.B, f func(b *testing.B, c *Canvas)) {
	for _, n := range []int{20_000, 200_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) { f(b, drawn(b, n)) })
	}
}

// BenchmarkApply is one more stroke: decoding, checking, and its place.
func BenchmarkApply(b *testing.B) {
	for _, n := range []int{20_000, 200_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			c, err := Restore(drawn(b, n).Checkpoint())
			if err != nil {
				b.Fatal(err)
			}
			entries := make([]*wire.Entry, 20_000)
			for i := range entries {
				entries[i] = corpusEntry(b, n+i)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				e := entries[i%len(entries)]
				if i >= len(entries) { // the same again, from another session
					b.StopTimer()
					var op wire.Op
					if err := proto.Unmarshal(e.Op, &op); err != nil {
						b.Fatal(err)
					}
					op.Session[0]++
					if e.Op, err = proto.Marshal(&op); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
				i++
				if r := c.Apply(e); r.Outcome != Applied {
					b.Fatal(r)
				}
			}
		})
	}
}

// BenchmarkIndexInsert is the place alone.
func BenchmarkIndexInsert(b *testing.B) {
	items := slices.Collect(drawn(b, 20_000).All())
	b.ReportAllocs()
	var ix index
	for i := 0; b.Loop(); i++ {
		if i%len(items) == 0 {
			ix.init()
		}
		it := items[i%len(items)]
		var p place
		p.of(it.Stroke)
		ix.insert(entry{seq: Seq(i + 1), stroke: it.Stroke}, &p, false)
	}
}

func BenchmarkUndoRedo(b *testing.B) {
	atBoth(b, func(b *testing.B, c *Canvas) {
		c, err := Restore(c.Checkpoint())
		if err != nil {
			b.Fatal(err)
		}
		n := uint64(1 << 40)
		for b.Loop() {
			for _, verb := range []string{"undo", "redo"} {
				n++
				c.Apply(act{session: Session{}, number: n, verb: verb}.entry(b))
			}
		}
	})
}

// overview is the tile that shows the first copy of the corpus.
func overview(b *testing.B) tile.ID {
	id, _ := drawn(b, 20_000).Home()
	return id
}

// near is a square in which a few strokes lie, at their own level.
func near(b *testing.B, c *Canvas) []Ask {
	var asks []Ask
	for i, s := range strokes(b) {
		if i%400 == 7 {
			id, err := tile.FromWire(s.Home.Level, s.Home.X, s.Home.Y)
			if err != nil {
				b.Fatal(err)
			}
			asks = append(asks, Ask{Tile: id, Budget: 6000})
		}
	}
	return asks
}

func BenchmarkLookNear(b *testing.B) {
	atBoth(b, func(b *testing.B, c *Canvas) {
		asks := near(b, c)
		looks := make([]Look, len(asks))
		for b.Loop() {
			c.Look(asks, looks)
		}
		items, heavy := 0, 0
		for _, l := range looks {
			items += len(l.Items)
			if l.Heavy {
				heavy++
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(asks)), "ns/look")
		b.ReportMetric(float64(items)/float64(len(asks)-heavy), "items/look")
		b.ReportMetric(float64(heavy)/float64(len(asks)), "heavy/look")
	})
}

func BenchmarkLookOverview(b *testing.B) {
	id := overview(b)
	for name, after := range map[string]func(*Canvas) Seq{
		"all":    func(c *Canvas) Seq { return 0 },
		"newest": func(c *Canvas) Seq { return c.Version(id) - 1 },
		"last50": func(c *Canvas) Seq { return c.Version(id) - 50 },
	} {
		b.Run(name, func(b *testing.B) {
			atBoth(b, func(b *testing.B, c *Canvas) {
				asks := []Ask{{Tile: id, After: after(c), Budget: 6000}}
				looks := make([]Look, 1)
				b.ReportAllocs()
				for b.Loop() {
					c.Look(asks, looks)
				}
				b.ReportMetric(float64(len(looks[0].Items)), "items")
			})
		})
	}
}

func BenchmarkVersionNear(b *testing.B) {
	atBoth(b, func(b *testing.B, c *Canvas) {
		asks := near(b, c)
		for i := 0; b.Loop(); i++ {
			c.Version(asks[i%len(asks)].Tile)
		}
	})
}

// BenchmarkTower asks at the top of strokes that were drawn level by level, ten of the size of a square on each: all of them
// lie around what is asked, and few touch it.
func BenchmarkTower(b *testing.B) {
	for _, levels := range []int{100, 2000} {
		c := New()
		spot := tile.At(0, 0, 0)
		n := uint64(0)
		for l := range levels {
			for i := range int64(10) {
				s, err := ink.New(spot, ink.Pen, 0xff, []ink.Point{{X: i * 900, Y: 100, D: 64}, {X: 15000 - i*900, Y: 500, D: 64}})
				if err != nil {
					b.Fatal(err)
				}
				n++
				c.Apply(act{session: Session{1}, number: n, verb: "draw", stroke: s}.entry(b))
			}
			spot = spot.Child(l * 7 % 4)
		}
		asks, looks := []Ask{{Tile: spot, Budget: 6000}}, make([]Look, 1)
		b.Run(strconv.Itoa(levels), func(b *testing.B) {
			for b.Loop() {
				c.Look(asks, looks)
			}
			b.ReportMetric(float64(len(looks[0].Items)), "items")
		})
	}
}

// BenchmarkExtentAfterUndo looks for the bounds of 20,000 strokes when one was taken back.
func BenchmarkExtentAfterUndo(b *testing.B) {
	c := New()
	for i := range int64(20000) {
		s, err := ink.New(tile.At(int(i%12), i%7, i%5), ink.Pen, 0xff, []ink.Point{{X: 0, Y: 100, D: 64}, {X: 15000, Y: 500, D: 64}})
		if err != nil {
			b.Fatal(err)
		}
		c.Apply(act{session: Session{1}, number: uint64(i + 1), verb: "draw", stroke: s}.entry(b))
	}
	for b.Loop() {
		c.home.outdated()
		c.Extent()
	}
}

// BenchmarkSnapshotOverview says also how long the lock is held.
func BenchmarkSnapshotOverview(b *testing.B) {
	c := drawn(b, 20_000)
	id := overview(b)
	b.Run("whole", func(b *testing.B) {
		for b.Loop() {
			c.CellSnapshot(id)
		}
		b.ReportMetric(float64(len(c.CellSnapshot(id).Items)), "items")
	})
	b.Run("locked", func(b *testing.B) {
		var t key
		t.of(id, 0, 0, 0)
		items := make([]Item, 0, len(c.items))
		var held []time.Duration
		for b.Loop() {
			s, maybe := Snapshot{Items: items}, copied{}
			start := time.Now()
			if _, done := c.index.snapshot(&t, id.Level(), &s, &maybe, cap(items)); !done {
				b.Fatal("no room")
			}
			held = append(held, time.Since(start))
		}
		slices.Sort(held)
		b.ReportMetric(float64(held[len(held)*99/100].Microseconds()), "p99-µs")
	})
	b.Run("crowd", func(b *testing.B) {
		for b.Loop() {
			c.Crowd(id, c.seq)
		}
	})
}

func BenchmarkCheckpoint(b *testing.B) {
	c := drawn(b, 20_000)
	for b.Loop() {
		c.Checkpoint()
	}
}

func BenchmarkRestore(b *testing.B) {
	c := New()
	points := 0
	for i := 0; i < 9000 && points < 500_000; i++ {
		points += c.Apply(corpusEntry(b, i)).Stroke.Len()
	}
	for i := c.Stats().Strokes; i < 9000; i++ { // as many strokes with as few points as there may be
		e := act{session: Session{9}, number: uint64(i), verb: "draw", stroke: dot(b, tile.At(12, int64(i), int64(i%77)))}.entry(b)
		c.Apply(e)
	}
	data := c.Checkpoint()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Restore(data); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(c.Stats().Points), "points")
	b.ReportMetric(float64(len(data)), "bytes")
}

// BenchmarkHeap measures what a canvas of 20,000 strokes weighs, with and without the strokes.
func BenchmarkHeap(b *testing.B) {
	data := drawn(b, 20_000).Checkpoint()
	weight := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for b.Loop() {
		before := weight()
		c, err := Restore(data)
		if err != nil {
			b.Fatal(err)
		}
		full := weight()
		held := slices.Collect(c.All())
		runtime.KeepAlive(c)
		c = nil
		items := uint64(cap(held)) * 16
		alone := weight() - items
		runtime.KeepAlive(held)
		b.ReportMetric(float64(full-before)/20_000, "B/stroke")
		b.ReportMetric(float64(full-alone)/20_000, "index-B/stroke")
	}
}
