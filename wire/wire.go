// Package wire owns the schema of everything Fractal sends and keeps (fractal.proto) and its Go form. It refuses to know
// what a message means: rooms, sockets, canvases and tiles are above or beside it.
package wire

//go:generate go run ./gen
