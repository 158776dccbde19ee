package web

import (
	"encoding/json"
	"sync"

	"github.com/go-fonts/dejavu/dejavusansmono"
	"github.com/go-fonts/dejavu/dejavusansmonobold"
	"github.com/go-fonts/dejavu/dejavusansmonoboldoblique"
	"github.com/go-fonts/dejavu/dejavusansmonooblique"
)

// fontNames are the faces of the terminals' font as src/terms.ts counts them: 1 bold, 2 oblique. It is the font that the server's
// own pictures of terminals are drawn with, so that text looks the same from near and from afar.
var fontNames = [...]string{"mono.ttf", "mono-bold.ttf", "mono-oblique.ttf", "mono-bold-oblique.ttf"}

// fontAssets are the faces as they are served, by their names before hashing. They are compressed once.
var fontAssets = sync.OnceValue(func() (all [len(fontNames)]struct {
	hashed string
	asset  *asset
}) {
	for i, data := range [...][]byte{dejavusansmono.TTF, dejavusansmonobold.TTF, dejavusansmonooblique.TTF, dejavusansmonoboldoblique.TTF} {
		all[i].hashed, all[i].asset = newAsset(fontNames[i], data)
	}
	return all
})

// fonts adds the faces of the font.
func (b *bundle) fonts() {
	for i, f := range fontAssets() {
		b.files[f.hashed], b.names[fontNames[i]] = f.asset, f.hashed
	}
}

// fontAddresses is where they are served, as a JavaScript array.
func (b *bundle) fontAddresses() string {
	var all [len(fontNames)]string
	for i, name := range fontNames {
		all[i] = Prefix + b.names[name]
	}
	list, _ := json.Marshal(all) // strings
	return string(list)
}
