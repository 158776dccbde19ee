package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fractal/web/webtest"

	"github.com/evanw/esbuild/pkg/api"
)

func TestMain(m *testing.M) { os.Exit(webtest.Main(m)) }

// TestTypeScript runs every test of test/*.test.ts in Chromium.
func TestTypeScript(t *testing.T) {
	webtest.Path(t)
	files, err := filepath.Glob("test/*.test.ts")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests in test: %v", err)
	}
	server := httptest.NewServer(unitServer(t, files))
	defer server.Close()
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".test.ts")
		t.Run(name, func(t *testing.T) {
			page := webtest.Open(t, server.URL+"/"+name, webtest.Desktop)
			names := webtest.Eval[[]string](page, "new Promise(r => { const f = () => globalThis.testNames ? r(testNames()) : setTimeout(f, 5); f() })")
			if len(names) == 0 {
				t.Error("it registers no test")
			}
			for i, test := range names {
				t.Run(test, func(t *testing.T) {
					if wrong := webtest.Eval[string](page, fmt.Sprintf("runTest(%d)", i)); wrong != "" {
						t.Error(wrong)
					}
				})
			}
		})
	}
}

// unitServer serves one page a test file, the bundled tests, and the goldens of Go's packages.
func unitServer(t *testing.T, files []string) http.Handler {
	t.Helper()
	built := api.Build(api.BuildOptions{
		EntryPoints: files,
		Bundle:      true,
		Outdir:      "out",
		Format:      api.FormatESModule,
		Target:      api.ES2022,
		Sourcemap:   api.SourceMapInline,
		Loader: map[string]api.Loader{".hex": api.LoaderText, ".txt": api.LoaderText, ".jsonl": api.LoaderText,
			".svg": api.LoaderText, ".bin": api.LoaderBinary},
		TsconfigRaw: "{}",
		LogLevel:    api.LogLevelSilent,
	})
	if len(built.Errors) > 0 {
		t.Fatal(strings.Join(api.FormatMessages(built.Errors, api.FormatMessagesOptions{}), "\n"))
	}
	scripts := map[string][]byte{}
	for _, f := range built.OutputFiles {
		scripts[filepath.Base(f.Path)] = f.Contents
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{name}", func(w http.ResponseWriter, r *http.Request) {
		if js, ok := scripts[r.PathValue("name")]; ok {
			w.Header().Set("Content-Type", "text/javascript")
			w.Write(js)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module" src="/%s.test.js"></script>`, r.PathValue("name"))
	})
	mux.HandleFunc("GET /testdata/{pkg}/{file...}", func(w http.ResponseWriter, r *http.Request) {
		name := filepath.Join("..", r.PathValue("pkg"), "testdata", filepath.FromSlash(r.PathValue("file")))
		if !filepath.IsLocal(r.PathValue("pkg")) || !filepath.IsLocal(r.PathValue("file")) {
			http.NotFound(w, r)
			return
		}
		http.ServeFile(w, r, name)
	})
	return mux
}
