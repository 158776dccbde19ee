package ink

// BrushID is a row of Brushes, as it is logged. Rows are never used again.
type BrushID uint8

// The brushes.
const (
	Pen         BrushID = 1
	Highlighter BrushID = 2
	Eraser      BrushID = 3
	Liner       BrushID = 4 // imports and technical lines
)

// Join says how the samples of a stroke are joined.
type Join uint8

const (
	Curve    Join = iota // a uniform Catmull-Rom curve through the samples
	Straight             // straight lines
)

// Mode says what a stroke does to the ink beneath it. A stroke is always filled once, however often it crosses itself.
type Mode uint8

const (
	Over  Mode = iota // source over
	Erase             // destination out, by the alpha of the colour
)

// Brush is what a BrushID stands for.
type Brush struct {
	Name string
	Join Join
	Mode Mode
}

// Brushes is the table of all brushes, by BrushID; a row without a name is no brush. Its twin is in web/src/ink.ts.
var Brushes = []Brush{
	Pen:         {"pen", Curve, Over},
	Highlighter: {"highlighter", Curve, Over},
	Eraser:      {"eraser", Curve, Erase},
	Liner:       {"liner", Straight, Over},
}

// Brush looks the row up; ok is false for a brush nobody knows.
func (b BrushID) Brush() (brush Brush, ok bool) {
	if int(b) >= len(Brushes) || Brushes[b].Name == "" {
		return Brush{}, false
	}
	return Brushes[b], true
}
