package term

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestARecordingIsPlayedAsItWasMade(t *testing.T) {
	for name, cast := range map[string]string{
		"version 2": `{"version": 2, "width": 80, "height": 24, "title": "x"}
[0.5, "o", "one "]
[1.5, "i", "typed"]
[2.5, "o", "two "]
[2.0, "o", "late "]
[100, "r", "40x10"]
[200, "o", "three"]
`,
		"version 3": `{"version": 3, "term": {"cols": 80, "rows": 24}}
# a comment
[0.5, "o", "one "]
[1.0, "m", "mark"]
[1.0, "o", "two "]
[0, "o", "late "]
[97.5, "r", "40x10"]
[100, "o", "three"]
`,
	} {
		synctest.Test(t, func(t *testing.T) {
			c, err := OpenCast(strings.NewReader(cast))
			if err != nil {
				t.Fatal(name, err)
			}
			var out bytes.Buffer
			began := time.Now()
			if err := c.Play(t.Context(), &out, 2, 10*time.Second); err != nil {
				t.Fatal(name, err)
			}
			// 0.5 + 2 + 0 + 10 + 10 seconds, twice as fast.
			if took := time.Since(began); took != 11250*time.Millisecond || out.String() != "one two late three" {
				t.Errorf("%s: %q in %v", name, out.String(), took)
			}
		})
	}
}

func TestWhatWasRecordedCanBePlayed(t *testing.T) {
	var file bytes.Buffer
	file.WriteString(`{"version":2,"width":80,"height":24}` + "\n")
	want := "a\x1b[31mé\r\n\"漢\x00"
	for _, p := range want {
		file.Write(appendEvent(nil, 0, "o", string(p)))
	}
	c, err := OpenCast(&file)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := c.Play(t.Context(), &out, 1, 0); err != nil || out.String() != want {
		t.Fatalf("%q, %v", out.String(), err)
	}
}

func TestWhatIsNoRecordingIsRefusedInWords(t *testing.T) {
	const head = `{"version":2,"width":80,"height":24}` + "\n"
	for text, why := range map[string]string{
		"":                                       "empty",
		"hello":                                  "JSON object",
		`{"version":1,"width":80,"height":24}`:   "version is 1",
		`{"version":2,"width":0,"height":24}`:    "cannot be",
		`{"version":2,"width":80,"height":9999}`: "cannot be",
		head + "x":                               "line 2",
		head + `[-1,"o","x"]`:                    "line 2",
		head + `[1,"o"]`:                         "line 2",
		head + `[1,"o",5]`:                       "no text",
		head + `[1,"r","5xfive"]`:                "size",
		head + `[1e300,"o","x"]`:                 "line 2",
		head + strings.Repeat("x", 5<<20):        "longer",
	} {
		c, err := OpenCast(strings.NewReader(text))
		for err == nil {
			_, err = c.Next()
		}
		if !errors.Is(err, ErrCast) || !strings.Contains(err.Error(), why) {
			t.Errorf("%.40q: %v, want something of %q", text, err, why)
		}
	}
}

func FuzzCast(f *testing.F) {
	f.Add([]byte(`{"version":2,"width":80,"height":24}` + "\n" + `[0.1,"o","x"]` + "\n" + `[0.1,"r","1x1"]`))
	f.Add([]byte(`{"version":3,"term":{"cols":80,"rows":24},"idle_time_limit":0.1}` + "\n" + `[1e8,"o","x"]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := OpenCast(bytes.NewReader(b))
		for err == nil {
			var e Event
			if e, err = c.Next(); err == nil && (e.Pause < 0 || e.Output == "" && (e.Cols < 1 || e.Rows < 1)) {
				t.Fatalf("%+v", e)
			}
		}
		if !errors.Is(err, ErrCast) && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	})
}
