package main

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"fractal/journal/sqlite"
	"fractal/remote"
)

func backup(ctx context.Context, c *call) error {
	data := c.flags.String("data", defaultData, "the data folder `DIR`; a server may be running on it")
	server := c.flags.String("server", "", "ask the server at this `URL` instead")
	out := c.flags.String("out", "", "write the copy to `FILE`, a tar archive, compressed when it ends in gz")
	asJSON := c.flags.Bool("json", false, "print the result as one JSON object")
	if err := c.parseNone(); err != nil {
		return err
	}
	if *out == "" {
		return usageError("say where to: --out FILE")
	}
	if _, err := os.Stat(*out); err == nil {
		return fmt.Errorf("%s exists; choose another name", *out)
	}
	r, w := io.Pipe()
	var source io.ReadCloser = r
	if *server != "" {
		target, err := remote.ParseTarget(*server, "")
		if err != nil {
			return usageError(err.Error())
		}
		if source, _, err = get(ctx, target, "api/backup"); err != nil {
			return err
		}
	} else {
		if _, err := os.Stat(*data); err != nil {
			return fmt.Errorf("there is no data folder %s; say which: --data DIR", *data)
		}
		go func() { w.CloseWithError(archive(ctx, *data, filepath.Dir(*out), w)) }() // ends when source is closed
	}
	err := writeFile(*out, strings.HasSuffix(*out, "gz"), source)
	if err := errors.Join(err, source.Close()); err != nil {
		return err
	}
	info, err := os.Stat(*out)
	if err != nil {
		return err
	}
	if *asJSON {
		return c.printJSON(map[string]any{"out": *out, "bytes": info.Size()})
	}
	fmt.Fprintf(c.stdout, "%s holds every canvas, %d bytes. To use it: mkdir NEW && tar -xf %s -C NEW && fractal --data NEW\n", *out, info.Size(), *out)
	return nil
}

// archive writes a copy of a data folder as a tar archive. The copy is made in a folder of its own within near first, so that
// the database is not held up by whoever reads.
func archive(ctx context.Context, data, near string, w io.Writer) error {
	folder, err := os.MkdirTemp(near, ".fractal-backup-*")
	if err != nil {
		return fmt.Errorf("the copy cannot be made: %w", err)
	}
	defer os.RemoveAll(folder)
	copied, err := filepath.Abs(filepath.Join(folder, "data"))
	if err != nil {
		return err
	}
	if data, err = filepath.Abs(data); err != nil {
		return err
	}
	if err := sqlite.Backup(ctx, data, copied); err != nil {
		return err
	}
	t := tar.NewWriter(w)
	if err := t.AddFS(os.DirFS(copied)); err != nil {
		return fmt.Errorf("the copy cannot be written: %w", err)
	}
	return t.Close()
}
