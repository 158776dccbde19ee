package web_test

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fractal/web"
)

// maxSent is what the whole client may be on its way to a browser; but for the terminals' font, which only those load who look at
// one.
const maxSent = 100_000

func TestClientBundlesAndIsSmall(t *testing.T) {
	a := web.New(web.Options{})
	if err := a.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, name := range a.Names() {
		n, err := a.Size(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-24s %6d bytes", name, n)
		if strings.HasSuffix(name, ".ttf") || name == "NOTICE.md" { // no page asks for the notice
			continue
		}
		sum += n
	}
	if sum > maxSent {
		t.Errorf("the client is %d bytes gzip, more than %d", sum, maxSent)
	}
}

func TestAssetIsKeptForEverUnderAHashedName(t *testing.T) {
	dir := sources(t, map[string]string{"src/main.ts": "console.log('one' as string)", "static/p.html": `<script src="{{asset "main.js"}}"></script>{{.}}`})
	a := web.New(web.Options{Dir: dir})
	code, body := page(t, a, "p", "<b>")
	if code != 200 || !strings.Contains(body, "&lt;b&gt;") {
		t.Fatalf("page: %d %s", code, body)
	}
	src := address(t, body)
	for _, encoding := range []string{"", "gzip"} {
		r := httptest.NewRequest("GET", src, nil)
		r.Header.Set("Accept-Encoding", encoding)
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, r)
		var in io.Reader = w.Body
		if w.Header().Get("Content-Encoding") == "gzip" {
			in, _ = gzip.NewReader(w.Body)
		}
		js, err := io.ReadAll(in)
		if err != nil || w.Code != 200 || !strings.Contains(string(js), `console.log("one")`) {
			t.Errorf("asset with encoding %q: %d %q %v", encoding, w.Code, js, err)
		}
		if c := w.Header().Get("Cache-Control"); !strings.Contains(c, "immutable") {
			t.Errorf("asset may not be kept: %q", c)
		}
	}
	for _, other := range []string{"/assets/", "/assets/main.js", "/assets/../web.go", "/assets/main.0000000000.js"} {
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, httptest.NewRequest("GET", other, nil))
		if w.Code != 404 {
			t.Errorf("GET %s: %d", other, w.Code)
		}
	}
}

func TestPageOfAFolderFollowsItsFiles(t *testing.T) {
	dir := sources(t, map[string]string{"src/main.ts": "console.log('one')", "static/p.html": `<script src="{{asset "main.js"}}"></script>`})
	a := web.New(web.Options{Dir: dir})
	_, body := page(t, a, "p", nil)
	before := address(t, body)
	if _, again := page(t, a, "p", nil); address(t, again) != before {
		t.Error("the address changed though no file did")
	}
	write(t, dir, "src/main.ts", "console.log('another')")
	_, body = page(t, a, "p", nil)
	after := address(t, body)
	if after == before {
		t.Error("the page still names the old program")
	}
	for _, src := range []string{before, after} { // a page on its way may still ask for the one before
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, httptest.NewRequest("GET", src, nil))
		if w.Code != 200 {
			t.Errorf("GET %s: %d", src, w.Code)
		}
	}
}

func TestErrorInTheClientIsSaidInThePage(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		says  string
	}{
		"syntax":          {map[string]string{"src/main.ts": "let = = 3", "static/p.html": ""}, "src/main.ts:1"},
		"missing file":    {map[string]string{"src/main.ts": "import './gone.ts'", "static/p.html": ""}, "src/gone.ts"},
		"package":         {map[string]string{"src/main.ts": "import 'left-pad'", "static/p.html": ""}, "left-pad"},
		"outside":         {map[string]string{"src/main.ts": "import '../../etc/passwd'", "static/p.html": ""}, "no file"},
		"missing asset":   {map[string]string{"src/main.ts": "", "static/p.html": `{{asset "none.css"}}`}, "no asset none.css"},
		"broken template": {map[string]string{"src/main.ts": "", "static/p.html": `{{`}, "p.html"},
		"nothing":         {map[string]string{"static/p.html": ""}, "no programs"},
	} {
		t.Run(name, func(t *testing.T) {
			a := web.New(web.Options{Dir: sources(t, c.files)})
			if code, body := page(t, a, "p", nil); code != 500 || !strings.Contains(body, c.says) {
				t.Errorf("%d %q, want 500 and %q", code, body, c.says)
			}
		})
	}
}

func page(t *testing.T, a *web.Assets, name string, data any) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	a.Page(w, httptest.NewRequest("GET", "/", nil), name, data)
	return w.Code, w.Body.String()
}

func address(t *testing.T, page string) string {
	t.Helper()
	m := regexp.MustCompile(`src="(/assets/main\.[0-9a-f]{10}\.js)"`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no address in %s", page)
	}
	return m[1]
}

func sources(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, dir, name, text)
	}
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestScriptInAPageIsNamedByItsPolicy(t *testing.T) {
	a := web.New(web.Options{})
	w := httptest.NewRecorder()
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; worker-src 'self'")
	a.Page(w, httptest.NewRequest("GET", "/c/x", nil), "canvas", struct {
		Name    string
		Private bool
	}{"x", false})
	_, rest, _ := strings.Cut(w.Body.String(), "<script data-worker=")
	_, rest, _ = strings.Cut(rest, ">")
	script, _, ok := strings.Cut(rest, "</script>")
	if !ok || !strings.Contains(script, "new Worker(") {
		t.Fatalf("no script in the page: %.300s", rest)
	}
	sum := sha256.Sum256([]byte(script))
	want := "script-src 'self' 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"
	if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, want) {
		t.Errorf("policy %q, want in it %q", policy, want)
	}
}
