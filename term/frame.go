package term

import "fractal/vt"

// Seq numbers the moments of a session: it grows with whatever changes.
type Seq uint64

// Held is what a viewer holds of a session: everything up to a moment. The zero value holds nothing. Life tells
// sessions apart whose numbers begin anew; a viewer states what it was last told.
type Held struct {
	Life uint32
	Seq  Seq
}

// Frame is what brings a viewer from what it holds to a later moment, whole. It shares its memory with others' frames:
// nobody may change it.
//
// To apply one: if Full, forget everything and take the size; else move the rows up by how much Base has grown. Then
// replace the rows given; take the cursor; take the facts, if there are any; hold Holds.
type Frame struct {
	Holds      Held
	Full       bool
	Cols, Rows int   // grid cells
	Base       int64 // number of the screen's first row
	Changed    []FrameRow
	Cursor     vt.Cursor
	Facts      *Facts // nil: as before
}

// FrameRow is a row of the screen, as Row.Decode reads it.
type FrameRow struct {
	Y    int
	Data []byte
}

// Bytes is about how much the frame weighs.
func (f *Frame) Bytes() int {
	n := 32
	for i := range f.Changed {
		n += len(f.Changed[i].Data) + 4
	}
	if f.Facts != nil {
		n += 64 + len(f.Facts.Title) + len(f.Facts.Cwd) + len(f.Facts.Palette) + len(f.Facts.Clipboard) + len(f.Facts.Notice)
	}
	return n
}

// Facts are what there is to know of a session beside its rows and cursor. They can be compared with ==.
type Facts struct {
	Modes    vt.Modes
	Title    string
	Cwd      string // a file URL
	Bells    uint64 // how often it has rung
	Pointer  string // shape of the mouse pointer
	Progress vt.Progress
	Command  vt.Command
	// Colours a program has set: 0xRRGGBB + 1; 0: not set.
	Foreground, Background, CursorColor uint32
	Palette                             string // 4 bytes each: number, red, green, blue
	Notices                             uint64 // how many there have been
	NoticeTitle, Notice                 string // the newest
	Clipboards                          uint64 // how many there have been
	ClipboardSelection, Clipboard       string // the newest; in a Frame Clipboard is empty for those who hold it: it may be half a MiB

	Owner Who  // whose size it is; 0: nobody's
	Run   int  // how often it has been started
	Ended bool // the program has ended
	Exit  Exit // how, if it has
}

// state is what a session adds to the facts.
type state struct {
	run   int
	ended bool
	exit  Exit
}

func (s *screen) facts() Facts {
	t := s.term
	fg, bg, cur, fgSet, bgSet, curSet := t.Colors()
	set := func(c uint32, ok bool) uint32 {
		if ok {
			return c + 1
		}
		return 0
	}
	var palette []byte
	t.PaletteSet(func(i uint8, rgb uint32) { palette = append(palette, i, byte(rgb>>16), byte(rgb>>8), byte(rgb)) })
	notice, clip := t.Notice(), t.Clipboard()
	modes := t.Modes()
	modes.Sync = false // of no concern to who sees whole frames
	return Facts{
		Modes: modes, Title: t.Title(), Cwd: t.Cwd(), Bells: t.Bells(), Pointer: t.Pointer(), Progress: t.Progress(), Command: t.Command(),
		Foreground: set(fg, fgSet), Background: set(bg, bgSet), CursorColor: set(cur, curSet), Palette: string(palette),
		Notices: notice.N, NoticeTitle: notice.Title, Notice: notice.Body,
		Clipboards: clip.N, ClipboardSelection: clip.Selection, Clipboard: string(clip.Data),
		Owner: s.hands.owner, Run: s.state.run, Ended: s.state.ended, Exit: s.state.exit,
	}
}

// Frame is what has changed since what a viewer holds, and whether anything has. It takes the session's lock once.
//
// Whoever was told nothing new is called back (Spec.Dirty) when there is something: a pull that is not answered stays
// armed. While a program builds a synchronized frame, the last whole one is the newest there is.
func (s *screen) Frame(since Held) (*Frame, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frameHolds++
	s.told = false
	if !s.syncing {
		s.show()
	}
	h := &s.shown
	if !h.valid {
		return nil, false
	}
	full := since.Life != s.life || since.Seq < h.first || since.Seq > h.at
	if !full && since.Seq == h.at {
		return nil, false
	}
	f := &Frame{Holds: Held{s.life, h.at}, Full: full, Cols: h.cols, Rows: len(h.rows), Base: h.base, Cursor: h.cursor}
	rows := 0
	for i := range h.rows {
		if full || h.rows[i].from > since.Seq {
			rows++
		}
	}
	if full || h.factsFrom > since.Seq {
		f.Facts = h.facts
		if f.Facts.Clipboard != "" && since.Life == s.life && since.Seq <= h.at && since.Seq >= h.clipFrom {
			had := *h.facts
			had.Clipboard = ""
			f.Facts = &had
		}
	}
	if rows == 0 && f.Facts == nil && h.cursorFrom <= since.Seq {
		return nil, false
	}
	f.Changed = make([]FrameRow, 0, rows)
	for y := range h.rows {
		if r := &h.rows[(h.base+int64(y))%int64(len(h.rows))]; full || r.from > since.Seq {
			f.Changed = append(f.Changed, FrameRow{y, r.data})
		}
	}
	return f, true
}

// Version grows with whatever changes, without taking a lock.
func (s *screen) Version() Seq { return Seq(s.version.Load()) }

// Size is the size in grid cells.
func (s *screen) Size() (cols, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.term.Size()
}

// Facts are the facts as they are now, for lists.
func (s *screen) Facts() Facts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.facts()
}
