package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"fractal/cell"
	"fractal/journal"
	"fractal/journal/sqlite"
	"fractal/server"
	"fractal/source"
	"fractal/term"
	"fractal/vt"
	"fractal/web"
)

const (
	defaultAddr = "127.0.0.1:8080"
	defaultData = "fractal-data"
	cellFolder  = "cells"  // in the data folder, with the number of source.Pixels; not part of a backup
	guestsFile  = "secret" // in the data folder: what guests must show
	ownerFile   = "owner"  // in the data folder: what the owner must

	// drain is how long a stopping server waits for its sockets; commits in flight are waited for whatever they take.
	drain = 5 * time.Second
)

func serve(ctx context.Context, c *call) error {
	addr := c.flags.String("addr", defaultAddr, "listen on `HOST:PORT`; other than loopback, a secret link is needed to come in")
	data := c.flags.String("data", defaultData, "keep canvases in `DIR`")
	dev := c.flags.Bool("dev", false, "take the client from ./web and bundle it again when it changes")
	level := c.flags.String("log", "info", "write the log of this `LEVEL` to standard error: debug, info, warn, error or none")
	demo := c.flags.Bool("demo", false, "show the canvas earth: the coast lines of the world")
	cache := c.flags.String("cell-cache", "256MB", "memory for finished cells, as `SIZE`")
	onDisk := c.flags.String("cell-disk", "1GB", "room in the data folder for what large cells are made of, as `SIZE`")
	hosts := c.flags.String("host", "", "also answer to these `NAMES`, separated by commas")
	cert := c.flags.String("tls-cert", "", "serve https with the certificate chain in `FILE`; needs --tls-key")
	certKey := c.flags.String("tls-key", "", "the certificate's private key, in `FILE`")
	shells := c.flags.Bool("terminals", false, "let the owner, and whom the owner lets, run shells on the canvas as this user")
	shell := c.flags.String("shell", "", "the `PROGRAM` terminals run; $SHELL when absent")
	insecure := c.flags.Bool("insecure", false, "allow terminals to cross the network unencrypted")
	if err := c.parseNone(); err != nil {
		return err
	}
	log, err := logger(c, *level)
	if err != nil {
		return err
	}
	cacheBytes, err := parseSize(*cache)
	if err != nil {
		return usageError("--cell-cache: " + err.Error())
	}
	diskBytes, err := parseSize(*onDisk)
	if err != nil {
		return usageError("--cell-disk: " + err.Error())
	}
	if _, _, err := net.SplitHostPort(*addr); err != nil {
		return usageError(fmt.Sprintf("--addr %q is not HOST:PORT; try --addr %s", *addr, defaultAddr))
	}
	if *data == "" {
		return usageError("--data is empty; say which folder keeps the canvases: --data DIR")
	}
	client := web.Options{}
	if *dev {
		if client.Dir, err = filepath.Abs("web"); err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Join(client.Dir, "src")); err != nil {
			return usageError("--dev takes the client from ./web/src: start it in the folder of Fractal's sources")
		}
	}
	tlsConfig, err := certificate(*cert, *certKey)
	if err != nil {
		return err
	}
	if *shell != "" {
		if !*shells {
			return usageError("--shell says what terminals run, and there are none: add --terminals")
		}
		path, err := exec.LookPath(*shell)
		if err != nil {
			return usageError(fmt.Sprintf("--shell: there is no program %s that can be run", *shell))
		}
		*shell = path
	}
	slots := server.Processors()
	server.KeepSlackSmall()

	lc := net.ListenConfig{KeepAliveConfig: server.KeepAlive}
	listener, err := lc.Listen(ctx, "tcp", *addr)
	if err != nil {
		return listenError(*addr, err)
	}
	defer listener.Close()
	at := listener.Addr().(*net.TCPAddr) // tcp was asked for
	if *shells && !at.IP.IsLoopback() && tlsConfig == nil && !*insecure {
		return usageError(fmt.Sprintf("on %s what is typed at terminals would cross the network for all to read: add --tls-cert FILE and --tls-key FILE, or --insecure if the network is safe", *addr))
	}
	store, err := sqlite.Open(*data)
	if err != nil {
		return dataError(err)
	}
	defer store.Close() // again is harmless; this one is for the errors in between
	blobs, err := journal.OpenBlobs(filepath.Join(*data, sqlite.SnapshotFolder))
	if err != nil {
		return dataError(err)
	}
	guests, owner := "", ""
	if !at.IP.IsLoopback() || *shells {
		if guests, err = server.Token(filepath.Join(*data, guestsFile)); err != nil {
			return err
		}
		if owner, err = server.Token(filepath.Join(*data, ownerFile)); err != nil {
			return err
		}
	}
	shelf, err := cell.OpenShelf(filepath.Join(*data, fmt.Sprint(cellFolder, source.Pixels)), diskBytes)
	if err != nil { // a cache: without it a restart costs time
		log.Warn("cells are not kept on disk", "error", err)
	}
	pool := cell.NewPool(slots, cacheBytes)
	defer pool.Close()
	var programs *term.Shells
	if *shells {
		programs = term.New(term.Config{Slots: pool.Soon})
		defer programs.Close()
	}
	srv := server.New(server.Config{
		Shells: programs, Shell: term.Spec{Shell: *shell, Vt: vt.Config{Clipboard: true}},
		Journal: store, Blobs: blobs, Pool: pool, Shelf: shelf, Client: web.New(client), Token: guests, Owner: owner,
		Hosts:  strings.FieldsFunc(*hosts, func(r rune) bool { return r == ',' || r == ' ' }),
		Backup: func(ctx context.Context, w io.Writer) error { return archive(ctx, *data, *data, w) },
		Log:    log,
	})
	served := make(chan error, 1)
	if tlsConfig != nil {
		listener = tls.NewListener(listener, tlsConfig)
	}
	go func() { served <- srv.Serve(listener) }()
	link := address(at, owner, tlsConfig != nil)
	if *demo {
		link.Path, link.Fragment = "/c/"+demoCanvas, "fit"
		fill, stop := context.WithCancel(ctx)
		filled := make(chan struct{})
		go func() {
			defer close(filled)
			if err := drawDemo(fill, at, owner, tlsConfig); err != nil && fill.Err() == nil {
				log.Error("the demo could not be drawn", "error", err)
			}
		}()
		defer func() { stop(); <-filled }()
	}
	fmt.Fprintln(c.stdout, link)
	if guests != "" {
		q := *link
		q.RawQuery = url.Values{"key": {guests}}.Encode()
		fmt.Fprintf(c.stdout, "The link above is yours alone. For guests: %s\n", &q)
	}
	select {
	case err := <-served:
		return fmt.Errorf("the server stopped: %w", err)
	case <-ctx.Done():
	}
	log.Info("stopping")
	closing, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	err = srv.Close(closing)
	if errors.Is(err, context.DeadlineExceeded) {
		log.Warn("some clients did not take what was sent to them")
		err = nil
	}
	return errors.Join(err, store.Close())
}

func logger(c *call, level string) (*slog.Logger, error) {
	if level == "none" {
		return slog.New(slog.DiscardHandler), nil
	}
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, usageError(fmt.Sprintf("--log %q is not a level: debug, info, warn, error or none", level))
	}
	return slog.New(slog.NewTextHandler(c.stderr, &slog.HandlerOptions{Level: l})), nil
}

// address is what a person opens: for an address that means every interface, that of the first one others can reach.
func address(at *net.TCPAddr, token string, encrypted bool) *url.URL {
	host := at.IP
	if host.IsUnspecified() {
		host = net.IPv4(127, 0, 0, 1)
		addrs, _ := net.InterfaceAddrs() // none known: the loopback address is right too
		for _, a := range addrs {
			if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && n.IP.IsGlobalUnicast() {
				host = n.IP
				break
			}
		}
	}
	u := &url.URL{Scheme: "http", Host: net.JoinHostPort(host.String(), strconv.Itoa(at.Port)), Path: "/"}
	if encrypted {
		u.Scheme = "https"
	}
	if token != "" {
		u.RawQuery = url.Values{"key": {token}}.Encode()
	}
	return u
}

// certificate is how to encrypt; nil: not at all.
func certificate(cert, key string) (*tls.Config, error) {
	switch {
	case cert == "" && key == "":
		return nil, nil
	case key == "":
		return nil, usageError("--tls-cert needs the certificate's key: --tls-key FILE")
	case cert == "":
		return nil, usageError("--tls-key needs the certificate: --tls-cert FILE")
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("the certificate in %s with the key in %s cannot be used: %w", cert, key, err)
	}
	// Sockets are taken over from HTTP/1.1.
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}, nil
}

func listenError(addr string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("another program listens on %s, perhaps another fractal; stop it, or choose another address: --addr 127.0.0.1:0 takes any free port", addr)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("this user may not listen on %s; choose a port above 1023, like --addr %s", addr, defaultAddr)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("%s is not an address of this machine; try --addr %s", addr, defaultAddr)
	}
	return fmt.Errorf("cannot listen on %s (%w); try --addr %s", addr, err, defaultAddr)
}

// dataError adds the flag to the sentence of the journal.
func dataError(err error) error {
	if errors.Is(err, journal.ErrInUse) || errors.Is(err, journal.ErrReadOnly) {
		return fmt.Errorf("%w (another folder: --data DIR)", err)
	}
	return err
}

// parseSize reads 268435456, 256MB or 1GB.
func parseSize(s string) (int64, error) {
	number, unit := strings.ToUpper(strings.TrimSpace(s)), int64(1)
	for _, u := range []struct {
		suffix string
		bytes  int64
	}{{"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}, {"B", 1}} {
		if n, ok := strings.CutSuffix(number, u.suffix); ok {
			number, unit = strings.TrimSpace(n), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > (1<<62)/unit {
		return 0, fmt.Errorf("%q is not a size like 256MB", s)
	}
	return n * unit, nil
}
