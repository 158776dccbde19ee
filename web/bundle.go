package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// entries are the programs a page can load, each bundled into one file named after it.
var entries = []string{"src/boot.ts", "src/main.ts", "src/worker.ts", "src/home.ts"}

// What stands in pages: a program and a style sheet.
const (
	inPages      = "boot.js"
	styleInPages = "stage.css"
)

// bundle is the client as of one state of its sources. It never changes.
type bundle struct {
	stamp  string            // of the sources
	files  map[string]*asset // by hashed name
	names  map[string]string // main.js → main.0123456789.js
	pages  *template.Template
	inline map[string]string // what stands in pages, as a content security policy names it
	err    error             // why there is no client
}

// asset is one file as it is served.
type asset struct {
	mime  string
	whole []byte
	small []byte // gzip; nil where it saves nothing
}

// build makes a bundle of what is there now. readable is for people at work on it: names stay, and point to the sources.
func build(files fs.FS, readable bool) *bundle {
	b := &bundle{stamp: stamp(files), files: map[string]*asset{}, names: map[string]string{}}
	b.fonts()
	if b.err = b.scripts(files, readable); b.err != nil {
		return b
	}
	if b.err = b.statics(files); b.err != nil {
		return b
	}
	b.inline = map[string]string{}
	for _, name := range []string{inPages, styleInPages} {
		if f, ok := b.files[b.names[name]]; ok {
			sum := sha256.Sum256(f.whole)
			b.inline[name] = " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		}
	}
	b.pages, b.err = templates(files, b)
	return b
}

// scripts bundles the programs.
func (b *bundle) scripts(files fs.FS, readable bool) error {
	var points []api.EntryPoint
	for _, e := range entries {
		if _, err := fs.Stat(files, e); err == nil {
			points = append(points, api.EntryPoint{InputPath: e, OutputPath: strings.TrimSuffix(path.Base(e), ".ts")})
		}
	}
	if len(points) == 0 {
		return errors.New("web: no programs in src")
	}
	sources := api.SourceMapNone
	if readable {
		sources = api.SourceMapInline
	}
	result := api.Build(api.BuildOptions{
		EntryPointsAdvanced: points,
		Sourcemap:           sources,
		Bundle:              true,
		Outdir:              "/",
		Format:              api.FormatESModule,
		Target:              api.ES2022,
		MinifyWhitespace:    !readable,
		MinifyIdentifiers:   !readable,
		MinifySyntax:        !readable,
		Charset:             api.CharsetUTF8,
		Define:              map[string]string{"FRACTAL_FONTS": b.fontAddresses()},
		LegalComments:       api.LegalCommentsNone,
		TsconfigRaw:         "{}", // ours is for the type checker; nothing on the disk of the user counts
		LogLevel:            api.LogLevelSilent,
		Plugins:             []api.Plugin{from(files)},
	})
	if len(result.Errors) > 0 {
		return errors.New(strings.Join(api.FormatMessages(result.Errors, api.FormatMessagesOptions{}), "\n"))
	}
	for _, f := range result.OutputFiles {
		b.add(path.Base(f.Path), f.Contents)
	}
	return nil
}

// statics takes everything in static that is no page; style sheets are minified.
func (b *bundle) statics(files fs.FS) error {
	return fs.WalkDir(files, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("web: %w", err)
		}
		if d.IsDir() || path.Ext(name) == ".html" || strings.HasPrefix(path.Base(name), ".") {
			return nil
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return fmt.Errorf("web: %w", err)
		}
		if path.Ext(name) == ".css" {
			r := api.Transform(string(data), api.TransformOptions{Loader: api.LoaderCSS, MinifyWhitespace: true,
				MinifySyntax: true, Charset: api.CharsetUTF8, Sourcefile: name})
			if len(r.Errors) > 0 {
				return errors.New(strings.Join(api.FormatMessages(r.Errors, api.FormatMessagesOptions{}), "\n"))
			}
			data = r.Code
		}
		b.add(strings.TrimPrefix(name, "static/"), data)
		return nil
	})
}

// add names a file after its bytes and compresses it once.
func (b *bundle) add(name string, data []byte) {
	hashed, a := newAsset(name, data)
	b.files[hashed] = a
	b.names[name] = hashed
}

// newAsset is a file and the name it is served under.
func newAsset(name string, data []byte) (hashed string, a *asset) {
	sum := sha256.Sum256(data)
	ext := path.Ext(name)
	hashed = strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:5]) + ext
	kind := mime.TypeByExtension(ext)
	switch ext { // what the machine's own table may lack or bend
	case ".js":
		kind = "text/javascript; charset=utf-8"
	case ".webmanifest":
		kind = "application/manifest+json"
	case ".svg":
		kind = "image/svg+xml"
	case ".css":
		kind = "text/css; charset=utf-8"
	case ".ttf":
		kind = "font/ttf"
	}
	var buf bytes.Buffer
	z, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression) // the level is valid
	z.Write(data)                                           // a buffer takes everything
	z.Close()
	a = &asset{mime: kind, whole: data}
	if buf.Len() < len(data) {
		a.small = buf.Bytes()
	}
	return hashed, a
}

// sent is how many bytes a browser that takes gzip receives.
func (f *asset) sent() int {
	if f.small != nil {
		return len(f.small)
	}
	return len(f.whole)
}

func (f *asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.mime)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Vary", "Accept-Encoding")
	body := f.whole
	if f.small != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = f.small
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}

// from lets the bundler read files and nothing else: an import that leaves them is an error, never a look at the disk.
func from(files fs.FS) api.Plugin {
	const ours = "fractal"
	return api.Plugin{Name: ours, Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			name := a.Path
			if a.Kind == api.ResolveEntryPoint {
				name = path.Clean(name) // esbuild may put ./ before it
			} else {
				if !strings.HasPrefix(name, ".") {
					return api.OnResolveResult{}, fmt.Errorf("%s imports the package %q: the client has none", a.Importer, name)
				}
				name = path.Join(path.Dir(a.Importer), name)
			}
			for _, try := range []string{name, name + ".ts"} {
				if info, err := fs.Stat(files, try); err == nil && !info.IsDir() {
					return api.OnResolveResult{Path: try, Namespace: ours}, nil
				}
			}
			return api.OnResolveResult{}, fmt.Errorf("no file %s", name)
		})
		b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: ours}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			data, err := fs.ReadFile(files, a.Path)
			if err != nil {
				return api.OnLoadResult{}, err
			}
			text, loader := string(data), api.LoaderTS
			switch path.Ext(a.Path) {
			case ".css":
				loader = api.LoaderCSS
			case ".svg", ".txt", ".html":
				loader = api.LoaderText
			case ".json":
				loader = api.LoaderJSON
			}
			return api.OnLoadResult{Contents: &text, Loader: loader}, nil
		})
	}}
}

// stamp changes when a source changes: names, sizes and times of everything below src and static. A folder that cannot
// be read has a stamp too; bundling will say why.
func stamp(files fs.FS) string {
	sum := sha256.New()
	for _, root := range []string{"src", "static"} {
		fs.WalkDir(files, root, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				fmt.Fprintln(sum, name, err)
				return nil
			}
			if info, err := d.Info(); err == nil && !d.IsDir() {
				fmt.Fprintln(sum, name, info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
	}
	return string(sum.Sum(nil))
}
