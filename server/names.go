package server

import (
	"errors"
	"strings"
)

// maxName is how long the name of a canvas may be: it must fit an address people say aloud.
const maxName = 64

var errName = errors.New("A canvas is named with up to 64 letters a–z, digits, - and _, starting with a letter or digit.")

// checkName reports whether name can be the name of a canvas. Names are part of addresses and of file names, and two that
// differ only by capital letters would be one file on some disks.
func checkName(name string) error {
	if name == "" || len(name) > maxName || strings.Trim(name, nameLetters) != "" || name[0] == '-' || name[0] == '_' {
		return errName
	}
	return nil
}

const nameLetters = "abcdefghijklmnopqrstuvwxyz0123456789-_"

// nameFrom makes a name of what a person typed: "Floor plan 2" becomes "floor-plan-2".
func nameFrom(typed string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(strings.TrimSpace(typed)) {
		switch {
		case c < 128 && strings.ContainsRune(nameLetters, c):
			b.WriteRune(c)
		case c == ' ' || c == '.' || c == '/':
			b.WriteByte('-')
		default:
			return typed // let checkName say no
		}
	}
	return strings.TrimLeft(b.String(), "-_")
}
