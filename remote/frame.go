package remote

import (
	"fractal/term"
	"fractal/vt"
	"fractal/wire"
)

// FrameFromWire is a frame as package term has it. What does not fit is cut to size: whoever applies it checks the rows.
func FrameFromWire(m *wire.TermFrame) *term.Frame {
	c := m.GetCursor()
	f := &term.Frame{
		Holds: term.Held{Life: m.GetLife(), Seq: term.Seq(m.GetSeq())}, Full: m.GetFull(), Cols: int(m.GetCols()), Rows: int(m.GetRows()), Base: m.GetBase(),
		Changed: make([]term.FrameRow, 0, len(m.GetChanged())),
		Cursor:  vt.Cursor{X: int(c.GetX()), Y: int(c.GetY()), Visible: c.GetVisible(), Blink: c.GetBlink(), Shape: vt.Shape(c.GetShape())},
	}
	for _, r := range m.GetChanged() {
		f.Changed = append(f.Changed, term.FrameRow{Y: int(r.GetY()), Data: r.GetData()})
	}
	if m.GetFacts() != nil {
		f.Facts = factsFromWire(m.GetFacts())
	}
	return f
}

func factsFromWire(m *wire.TermFacts) *term.Facts {
	bit := func(n int) bool { return m.GetModes()>>n&1 != 0 }
	return &term.Facts{
		Modes: vt.Modes{
			Alt: bit(0), AltScroll: bit(1), AppCursor: bit(2), AppKeypad: bit(3), Backarrow: bit(4), Newline: bit(5), Paste: bit(6), Focus: bit(7),
			ColorScheme: bit(8), Reverse: bit(9), Mouse: vt.Mouse(min(m.GetMouse(), uint32(vt.MouseAny))),
			MouseFormat: vt.MouseFormat(min(m.GetMouseFormat(), uint32(vt.MouseSGRPixels))), Kitty: uint8(m.GetKitty()),
		},
		Title: m.GetTitle(), Cwd: m.GetCwd(), Bells: m.GetBells(), Pointer: m.GetPointer(),
		Progress:   vt.Progress{State: uint8(m.GetProgress()), Percent: uint8(m.GetPercent())},
		Command:    vt.Command{Running: m.GetRunning(), AtPrompt: m.GetAtPrompt(), Finished: m.GetFinished(), Exit: int(m.GetStatus())},
		Foreground: m.GetForeground(), Background: m.GetBackground(), CursorColor: m.GetCursorColor(), Palette: string(m.GetPalette()),
		Notices: m.GetNotices(), NoticeTitle: m.GetNoticeTitle(), Notice: m.GetNotice(),
		Clipboards: m.GetClipboards(), ClipboardSelection: m.GetSelection(), Clipboard: string(m.GetClipboard()),
		Owner: term.Who(m.GetTypist()), Run: int(m.GetRun()), Ended: m.GetEnded(),
	}
}
