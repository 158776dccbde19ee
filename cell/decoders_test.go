package cell

import (
	"bytes"
	"encoding/binary"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"fractal/web/webtest"
)

func TestMain(m *testing.M) { os.Exit(webtest.Main(m)) }

// encoded is every image of images that becomes a PNG, by name, and its straight pixels as bytes.
func encoded() (names []string, files, straight map[string][]byte) {
	all := images()
	files, straight = map[string][]byte{}, map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		format, data := Encode(nil, all[name])
		if format != FormatPNG {
			continue
		}
		var pix [pixels]uint32
		all[name].Straight8(&pix)
		raw := make([]byte, 0, 4*pixels)
		for _, p := range pix {
			raw = binary.LittleEndian.AppendUint32(raw, p)
		}
		names = append(names, name)
		files[name], straight[name] = data, raw
	}
	return names, files, straight
}

// TestChromiumDecodesTheSamePixels asks for them twice: straight, as its decoder gives them, and as the client paints them,
// drawn on a canvas, which must be as if the true pixels had been drawn.
func TestChromiumDecodesTheSamePixels(t *testing.T) {
	webtest.Path(t)
	names, files, straight := encoded()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Query().Get("name")
		switch r.URL.Path {
		case "/png":
			w.Write(files[name])
		case "/raw":
			w.Write(straight[name])
		default:
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte("<!doctype html><title>decode</title><link rel=icon href=data:,>"))
		}
	}))
	defer server.Close()
	page := webtest.Open(t, server.URL+"/", webtest.Desktop)
	for _, name := range names {
		wrong := webtest.Eval[string](page, `(async () => {
			const get = async (what) => (await fetch(what + "?name=`+name+`")).arrayBuffer();
			const png = await get("/png"), raw = new Uint8ClampedArray(await get("/raw"));
			const differ = (a, b) => { for (let i = 0; i < b.length; i++) if (a[i] !== b[i]) return "byte " + i + ": " + a[i] + ", want " + b[i]; return ""; };
			const decoder = new ImageDecoder({ data: png, type: "image/png", premultiplyAlpha: "none", colorSpaceConversion: "none" });
			const { image } = await decoder.decode();
			const got = new Uint8Array(image.allocationSize());
			await image.copyTo(got);
			if (image.format.startsWith("BGR")) for (let i = 0; i < got.length; i += 4) [got[i], got[i + 2]] = [got[i + 2], got[i]];
			if (image.format.endsWith("X")) for (let i = 3; i < got.length; i += 4) got[i] = 255;
			const straight = differ(got, raw);
			if (straight) return image.format + " " + straight;
			const paint = async (source) => {
				const bitmap = await createImageBitmap(source, { premultiplyAlpha: "none", colorSpaceConversion: "none" });
				const ctx = new OffscreenCanvas(256, 256).getContext("2d", { willReadFrequently: true });
				ctx.drawImage(bitmap, 0, 0);
				return ctx.getImageData(0, 0, 256, 256).data;
			};
			const painted = differ(await paint(new Blob([png], { type: "image/png" })), await paint(new ImageData(raw, 256, 256)));
			return painted && "painted: " + painted;
		})()`)
		if wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
	}
}

// TestLibpngDecodesTheSamePixels compiles a reader against the library where the machine has it.
func TestLibpngDecodesTheSamePixels(t *testing.T) {
	dir := t.TempDir()
	source, program := filepath.Join(dir, "read.c"), filepath.Join(dir, "read")
	const c = `#include <png.h>
#include <stdlib.h>
#include <stdio.h>
int main(void) {
	png_image m = {.version = PNG_IMAGE_VERSION};
	if (!png_image_begin_read_from_stdio(&m, stdin)) { fputs(m.message, stderr); return 1; }
	m.format = PNG_FORMAT_RGBA;
	void *p = malloc(PNG_IMAGE_SIZE(m));
	if (!png_image_finish_read(&m, NULL, p, 0, NULL)) { fputs(m.message, stderr); return 1; }
	return fwrite(p, 1, PNG_IMAGE_SIZE(m), stdout) != PNG_IMAGE_SIZE(m);
}
`
	if err := os.WriteFile(source, []byte(c), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", "-o", program, source, "-lpng").CombinedOutput(); err != nil {
		t.Skipf("no C compiler with libpng: %v %s", err, out)
	}
	names, files, straight := encoded()
	for _, name := range names {
		cmd := exec.Command(program)
		cmd.Stdin = bytes.NewReader(files[name])
		var wrong bytes.Buffer
		cmd.Stderr = &wrong
		got, err := cmd.Output()
		if err != nil || wrong.Len() > 0 {
			t.Errorf("%s: %v: %s", name, err, wrong.Bytes())
		} else if !bytes.Equal(got, straight[name]) {
			t.Errorf("%s: other pixels", name)
		}
	}
}
