package vt

// Bounds of a screen, in grid cells. A few bytes can clear all of it, so that its size bounds what a byte may cost:
// half a million cells take half a millisecond.
const (
	MaxCols = 1024
	MaxRows = 512
)

// Config is what a Terminal is born with. Zero values mean the default in brackets.
type Config struct {
	Cols, Rows   int                // size of the screen [80 × 24], clamped to [1, MaxCols] × [1, MaxRows]
	History      int                // lines of history at least kept [10,000]; negative: none
	HistoryBytes int                // bound of the packed history [16 MiB]
	Name         string             // answer to XTVERSION ["fractal"]
	Foreground   uint32             // 0xRRGGBB told to programs that ask [0xd8d8d8]
	Background   uint32             // 0xRRGGBB told to programs that ask [0x101010; 0 is taken for it]
	Palette      func(uint8) uint32 // 0xRRGGBB of the palette as the viewers show it [xterm's]
	CellWidth    int                // pixels of a grid cell told to programs that ask [8]
	CellHeight   int                // [16]
	Clipboard    bool               // let programs write the clipboard (OSC 52); reading is never answered
	Checksums    bool               // answer DECRQCRA, which lets a program read its own screen back
	WordMode     bool               // start with clusters of runes split into cells (mode 2027 off)
}

// Terminal is the state of one terminal. The zero value is not usable; call New.
type Terminal struct {
	cfg        Config
	cols, rows int
	seq        uint64 // number of the last write
	metaSeq    uint64 // write that last changed something beside rows and cursor
	epoch      uint64

	scr       *screen // main or alt
	main, alt *screen // alt is nil until it is first used
	history   history
	styles    styles
	clusters  *clusters
	links     links
	marked    []bool // scratch of sweeps
	glyph     []byte // scratch of one glyph's text
	packed    []byte // scratch of one row on its way into the history
	// work is how many cells may still be touched before WriteSome ends.
	work int

	// holdSweeps is set while cells lie outside the screens, where no sweep would find them.
	holdSweeps bool

	// What printing needs.
	x, y        int
	wrapNext    bool // the cursor has printed in the last column and wraps before the next glyph
	pen         Style
	penID       uint32 // number of pen, if penKnown
	penKnown    bool
	protect     Cell // cellProtected while DECSCA is on
	left, right int  // margins, both inside; the whole row unless DECLRMM
	top, bottom int
	modes       modes
	seg         seg
	lastX       int  // column of the last cluster printed, while seg knows it
	last        rune // last rune printed, for REP; 0: none
	charsets    charsets
	special     bool // printing ASCII needs the slow way

	saved     [2]cursor // DECSC of main and alt
	isoErase  bool      // protection is of the ISO kind (SPA): all erasing respects it
	rectExact bool      // DECSACE: rectangle, not stream
	tabs      []bool
	kitty     [2]kitty
	modOther  int // XTMODKEYS modifyOtherKeys
	savedMode map[int]bool

	parser parser

	replies []byte
	facts   facts
}

// modes are the switches a program flips.
type modes struct {
	insert, newline, keyboardLocked, echoOff                   bool // ANSI 4, 20, 2, 12
	appCursor, column132, allow132, noClear132, reverse        bool // 1, 3, 40, 95, 5
	origin, autowrap, blink, hidden                            bool // 6, 7, 12, not 25
	appKeypad, backarrow, leftRight, reverseWrap, reverseWrapX bool // 66, 67, 69, 45, 1045
	smoothScroll, autoRepeat, nrcs                             bool // 4, 8, 42
	mouse                                                      Mouse
	mouseFormat                                                MouseFormat
	focus, altScroll, meta, metaEsc, delete, altEsc            bool // 1004, 1007, 1034, 1036, 1037, 1039
	paste, sync, graphemes, colorScheme, inBandSize            bool // 2004, 2026, 2027, 2031, 2048
	bellUrgent, bellPop                                        bool // 1042, 1043
	cursorShape                                                Shape
	cursorBlink                                                bool // by DECSCUSR
}

// cursor is what DECSC keeps.
type cursor struct {
	x, y     int
	wrapNext bool
	pen      Style
	protect  Cell
	origin   bool
	charsets charsets
	set      bool
}

// New makes a terminal.
func New(cfg Config) *Terminal {
	if cfg.Cols == 0 {
		cfg.Cols = 80
	}
	if cfg.Rows == 0 {
		cfg.Rows = 24
	}
	if cfg.History == 0 {
		cfg.History = 10_000
	}
	if cfg.HistoryBytes <= 0 {
		cfg.HistoryBytes = 16 << 20
	}
	if cfg.Name == "" {
		cfg.Name = "fractal"
	}
	if cfg.Foreground == 0 {
		cfg.Foreground = 0xd8d8d8
	}
	if cfg.Background == 0 {
		cfg.Background = 0x101010
	}
	if cfg.Palette == nil {
		cfg.Palette = XtermPalette
	}
	if cfg.CellWidth <= 0 {
		cfg.CellWidth = 8
	}
	if cfg.CellHeight <= 0 {
		cfg.CellHeight = 16
	}
	t := &Terminal{
		cfg: cfg, cols: min(max(cfg.Cols, 1), MaxCols), rows: min(max(cfg.Rows, 1), MaxRows),
		styles: newStyles(), clusters: newClusters(), links: newLinks(),
	}
	t.main = newScreen(t.cols, t.rows)
	t.scr = t.main
	t.history.init(t.cols, cfg.History, cfg.HistoryBytes)
	t.reset()
	return t
}

// reset is RIS without clearing: everything but the screens' contents and the history.
func (t *Terminal) reset() {
	t.x, t.y, t.wrapNext = 0, 0, false
	t.setPen(Style{})
	t.protect, t.isoErase, t.rectExact = 0, false, false
	t.modes = modes{autowrap: true, autoRepeat: true, altScroll: true, graphemes: !t.cfg.WordMode, metaEsc: true, cursorBlink: true}
	t.charsets = charsets{}
	t.saved = [2]cursor{}
	t.kitty = [2]kitty{}
	t.modOther = 0
	t.savedMode = nil
	t.resetMargins()
	t.resetTabs()
	t.stopJoining()
	t.last = 0
	t.setSpecial()
	t.facts.reset()
	t.metaSeq = t.seq
}

func (t *Terminal) resetMargins() {
	t.left, t.right, t.top, t.bottom = 0, t.cols-1, 0, t.rows-1
}

func (t *Terminal) resetTabs() {
	if len(t.tabs) != t.cols {
		t.tabs = make([]bool, t.cols)
	}
	clear(t.tabs)
	for x := 8; x < t.cols; x += 8 {
		t.tabs[x] = true
	}
}

// setSpecial decides whether ASCII is printed as it comes.
func (t *Terminal) setSpecial() {
	t.special = t.modes.insert || t.charsets.active() != charsetASCII || t.charsets.single != 0
}

func (t *Terminal) setPen(s Style) {
	t.pen, t.penKnown = s, false
}

// penCell is a cell in the pen's style, without a glyph.
func (t *Terminal) penCell() Cell {
	if !t.penKnown {
		t.penID, t.penKnown = t.styleID(t.pen), true
	}
	return Cell(t.penID)<<32 | t.protect
}

// blank is what erasing leaves: a cell in the pen's background.
func (t *Terminal) blank() Cell {
	if t.pen.Bg == 0 {
		return 0
	}
	return Cell(t.styleID(Style{Bg: t.pen.Bg})) << 32
}

// stopJoining ends the cluster being printed: what comes next starts its own.
func (t *Terminal) stopJoining() { t.seg = segNone }

// onAlt reports that the alternate screen is shown.
func (t *Terminal) onAlt() bool { return t.scr != t.main }

// which is the place of the shown screen in the arrays kept for each.
func (t *Terminal) which() int {
	if t.onAlt() {
		return 1
	}
	return 0
}
