package mandel

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
)

//go:embed tour.json
var tourJSON []byte

// Stop is one of the standard locations: where it is, as its source writes it, and where that is from.
type Stop struct {
	Name       string `json:"name"`
	Re         string `json:"re"`
	Im         string `json:"im"`
	Zoom       string `json:"zoom"`
	Iterations int64  `json:"iterations"`
	Source     string `json:"source"`
}

// Tour is the standard locations, from the whole set to 2^17,583.
var Tour = sync.OnceValue(func() (stops []Stop) {
	if err := json.Unmarshal(tourJSON, &stops); err != nil {
		panic("mandel: tour.json: " + err.Error())
	}
	return stops
})

// Location reads the stop.
func (s Stop) Location() (Location, error) {
	l, err := newLocation(s.Re, s.Im, s.Zoom, fmt.Sprint(s.Iterations))
	if err != nil {
		return l, fmt.Errorf("%s: %w", s.Name, err)
	}
	return l, nil
}
