// Package exchange owns files in and out: one row of Formats for each kind of file a drawing can come from or go to. It
// refuses to know sockets, rooms and folders: readers and writers are given, and what is read is handed on as strokes.
package exchange

import (
	"io"
	"iter"
	"path"
	"strings"

	"fractal/ink"
)

// Record is what one place in a file turned out to be.
type Record struct {
	Line   int         // of the file, from 1
	Stroke *ink.Stroke // nil when rejected
	Reject error       // why this record is no stroke, in words for a person; the records around it are unharmed
}

// Format is one kind of file. Read and Write stream: neither ever holds a whole drawing.
type Format struct {
	Name       string
	Extensions []string // with the dot, lower case, without ".gz"
	MIME       string
	// Read yields the records in paint order. An error ends the file: what follows it cannot be read.
	Read func(r io.Reader) iter.Seq2[Record, error]
	// Write writes strokes in paint order.
	Write func(w io.Writer, strokes iter.Seq[*ink.Stroke]) error
}

// Formats is every format there is. The first row is what is meant when nothing is said.
var Formats = []Format{
	{
		Name:       "strokes",
		Extensions: []string{".jsonl"},
		MIME:       "application/jsonl",
		Read:       ReadStrokes,
		Write:      WriteStrokes,
	},
}

// Named finds a format by its name.
func Named(name string) (Format, bool) {
	for _, f := range Formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// ForFile finds the format of a file by its extension; compressed files (".gz") are looked at by what is inside.
func ForFile(file string) (Format, bool) {
	file = strings.TrimSuffix(strings.ToLower(file), ".gz")
	for _, f := range Formats {
		for _, e := range f.Extensions {
			if path.Ext(file) == e {
				return f, true
			}
		}
	}
	return Format{}, false
}

// Names lists the formats for a usage line.
func Names() string {
	var names []string
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}
