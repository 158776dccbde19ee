// Package web owns the client: the TypeScript sources in src, the pages and files in static, and how they become what a
// browser loads. The bundler (esbuild, a Go library) runs inside the server when it starts, so nothing generated is
// committed, nothing can be stale, and no Node is needed to run Fractal. It refuses to know canvases, rooms and rights.
package web

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed src static
var embedded embed.FS

// Options says where the client comes from.
type Options struct {
	// Dir is the folder that holds src and static on disk. Its files are looked at again for every page, and bundled
	// again when one has changed. Empty: the files that were compiled in.
	Dir string
}

// Assets is the bundled client. It is safe for concurrent use.
type Assets struct {
	dir   string        // constant; empty: embedded
	ready chan struct{} // closed when the first bundle, good or bad, is there

	building sync.Mutex // held while looking at the folder and bundling again
	mu       sync.Mutex // guards all below
	now      *bundle
	older    *bundle // pages of the bundle before may still be loading their assets
}

// New starts bundling and returns at once: pages and assets wait for it.
func New(o Options) *Assets {
	a := &Assets{dir: o.Dir, ready: make(chan struct{})}
	go func() {
		a.now = build(a.files(), a.dir != "")
		close(a.ready)
	}()
	return a
}

func (a *Assets) files() fs.FS {
	if a.dir != "" {
		return os.DirFS(a.dir)
	}
	return embedded
}

// Wait returns when the client is bundled: nil, or what is wrong with it.
func (a *Assets) Wait(ctx context.Context) error {
	b, err := a.bundle(ctx)
	if err != nil {
		return err
	}
	return b.err
}

// bundle gives the newest bundle, waiting for the first.
func (a *Assets) bundle(ctx context.Context) (*bundle, error) {
	select {
	case <-a.ready:
	case <-ctx.Done():
		return nil, fmt.Errorf("web: wait for the client: %w", ctx.Err())
	}
	a.mu.Lock()
	now := a.now
	a.mu.Unlock()
	return now, nil
}

// Page writes static/NAME.html with data, as html/template: {{asset "main.js"}} is the address of a bundle or file,
// {{script "boot.js"}} and {{style "stage.css"}} are the files themselves, for what must be there before anything else could be
// fetched. A content security policy that is set already is told of them.
// A client that does not compile answers with the bundler's words.
func (a *Assets) Page(w http.ResponseWriter, r *http.Request, name string, data any) {
	b, err := a.bundle(r.Context())
	if err != nil {
		return // the browser has left
	}
	if a.dir != "" {
		b = a.again(b)
	}
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	if policy := h.Get("Content-Security-Policy"); policy != "" { // what stands in the pages themselves is ours too
		policy = strings.Replace(policy, "script-src 'self'", "script-src 'self'"+b.inline[inPages], 1)
		h.Set("Content-Security-Policy", strings.Replace(policy, "style-src 'self'", "style-src 'self'"+b.inline[styleInPages], 1))
	}
	if b.err != nil {
		h.Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, "The client does not compile.\n\n%s\n", b.err)
		return
	}
	var page bytes.Buffer
	if err := b.pages.ExecuteTemplate(&page, name+".html", data); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	w.Write(page.Bytes())
}

// again bundles when the folder has changed since b was made.
func (a *Assets) again(b *bundle) *bundle {
	a.building.Lock()
	defer a.building.Unlock()
	a.mu.Lock()
	b = a.now
	a.mu.Unlock()
	if stamp(a.files()) == b.stamp {
		return b
	}
	fresh := build(a.files(), true)
	a.mu.Lock()
	a.older, a.now = a.now, fresh
	a.mu.Unlock()
	return fresh
}

// Handler serves the bundles and files under /assets/. Their names carry a hash of their bytes, so a browser keeps them
// for ever and asks once.
func (a *Assets) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := a.bundle(r.Context())
		if err != nil {
			return // the browser has left
		}
		name := strings.TrimPrefix(path.Clean(r.URL.Path), Prefix)
		file, ok := b.files[name]
		if !ok {
			a.mu.Lock()
			if a.older != nil {
				file, ok = a.older.files[name]
			}
			a.mu.Unlock()
		}
		if !ok {
			http.NotFound(w, r)
			return
		}
		file.serve(w, r)
	})
}

// Prefix is where Handler expects to stand.
const Prefix = "/assets/"

// Names are the files of the client, before hashing.
func (a *Assets) Names() []string {
	<-a.ready
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Sorted(maps.Keys(a.now.names))
}

// Address gives where the file of that name (main.js) is served.
func (a *Assets) Address(ctx context.Context, name string) (string, error) {
	b, err := a.bundle(ctx)
	if err != nil {
		return "", err
	}
	if b.err != nil {
		return "", b.err
	}
	hashed, ok := b.names[name]
	if !ok {
		return "", fmt.Errorf("web: no asset %s", name)
	}
	return Prefix + hashed, nil
}

// Size says how many bytes the file of that name (main.js) is on its way to the browser, gzip included.
func (a *Assets) Size(ctx context.Context, name string) (int, error) {
	b, err := a.bundle(ctx)
	if err != nil {
		return 0, err
	}
	if b.err != nil {
		return 0, b.err
	}
	hashed, ok := b.names[name]
	if !ok {
		return 0, fmt.Errorf("web: no asset %s", name)
	}
	return b.files[hashed].sent(), nil
}

// templates parses the pages; asset addresses are those of the bundle being made.
func templates(files fs.FS, b *bundle) (*template.Template, error) {
	t := template.New("").Funcs(template.FuncMap{
		"asset": func(name string) (string, error) {
			hashed, ok := b.names[name]
			if !ok {
				return "", fmt.Errorf("no asset %s", name)
			}
			return Prefix + hashed, nil
		},
		"script": func(name string) (template.JS, error) {
			f, ok := b.files[b.names[name]]
			if !ok {
				return "", fmt.Errorf("no script %s", name)
			}
			return template.JS(f.whole), nil
		},
		"style": func(name string) (template.CSS, error) {
			f, ok := b.files[b.names[name]]
			if !ok {
				return "", fmt.Errorf("no style sheet %s", name)
			}
			return template.CSS(f.whole), nil
		},
	})
	return t.ParseFS(files, "static/*.html")
}
