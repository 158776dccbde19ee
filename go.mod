module fractal

go 1.26.0

require (
	github.com/bufbuild/protocompile v0.14.1 // reads fractal.proto where no protoc is installed (generator and its test)
	github.com/chromedp/cdproto v0.160.1 // raw mouse, pen and touch events for the browser tests
	github.com/chromedp/chromedp v0.23.1 // drives a real Chromium from go test
	github.com/coder/websocket v1.8.15 // WebSocket with contexts, no dependencies, origin check by default
	github.com/creack/pty v1.1.24 // opens pseudo terminals on every Unix
	github.com/evanw/esbuild v0.28.2 // bundles the TypeScript client in the server, no Node
	github.com/go-fonts/dejavu v0.3.2 // the font of terminals: lines, blocks, Greek, Cyrillic; for servers' pictures and pages alike
	github.com/prometheus/client_golang v1.25.0 // /metrics as Prometheus reads it
	golang.org/x/image v0.48.0 // reads the outlines of a font
	golang.org/x/sys v0.50.0 // processor features for the SIMD kernels, file locks, process clocks
	golang.org/x/term v0.48.0 // raw mode and size of the terminal that attach is used in
	google.golang.org/protobuf v1.36.12 // messages, log records and checkpoints
	modernc.org/sqlite v1.62.0 // the log on one machine: SQLite without cgo
)

require (
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/ncruces/go-strftime v1.1.0 // indirect
	github.com/prometheus/client_model v0.6.3 // indirect
	github.com/prometheus/common v0.72.0 // indirect
	github.com/prometheus/procfs v0.22.0 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	golang.org/x/sync v0.25.0 // indirect
	golang.org/x/text v0.44.0 // indirect
	modernc.org/libc v1.80.1 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
)
