package room

import (
	"fractal/term"
	"fractal/vt"
	"fractal/wire"
)

// frameMessage is a frame as it travels, but for which terminal it is of.
func frameMessage(f *term.Frame) *wire.TermFrame {
	m := &wire.TermFrame{
		Life: f.Holds.Life, Seq: uint64(f.Holds.Seq), Full: f.Full, Cols: uint32(f.Cols), Rows: uint32(f.Rows), Base: f.Base,
		Changed: make([]*wire.TermRow, len(f.Changed)),
		Cursor: &wire.TermCursor{
			X: uint32(f.Cursor.X), Y: uint32(f.Cursor.Y), Visible: f.Cursor.Visible, Blink: f.Cursor.Blink, Shape: uint32(f.Cursor.Shape),
		},
	}
	rows := make([]wire.TermRow, len(f.Changed))
	for i, r := range f.Changed {
		rows[i].Y, rows[i].Data = int64(r.Y), r.Data
		m.Changed[i] = &rows[i]
	}
	if f.Facts != nil {
		m.Facts = factsMessage(f.Facts)
	}
	return m
}

// factsMessage is facts as they travel, but for who the typist is.
func factsMessage(f *term.Facts) *wire.TermFacts {
	m := &wire.TermFacts{
		Modes: modeBits(f.Modes), Mouse: uint32(f.Modes.Mouse), MouseFormat: uint32(f.Modes.MouseFormat), Kitty: uint32(f.Modes.Kitty),
		Title: f.Title, Cwd: f.Cwd, Bells: f.Bells, Pointer: f.Pointer, Progress: uint32(f.Progress.State), Percent: uint32(f.Progress.Percent),
		Running: f.Command.Running, AtPrompt: f.Command.AtPrompt, Finished: f.Command.Finished, Status: int32(f.Command.Exit),
		Foreground: f.Foreground, Background: f.Background, CursorColor: f.CursorColor, Palette: []byte(f.Palette),
		Notices: f.Notices, NoticeTitle: f.NoticeTitle, Notice: f.Notice,
		Clipboards: f.Clipboards, Selection: f.ClipboardSelection, Clipboard: []byte(f.Clipboard),
		Run: uint32(f.Run), Ended: f.Ended,
	}
	if f.Ended {
		m.Exit = f.Exit.String()
	}
	return m
}

func modeBits(m vt.Modes) (bits uint32) {
	for i, on := range [...]bool{
		m.Alt, m.AltScroll, m.AppCursor, m.AppKeypad, m.Backarrow, m.Newline, m.Paste, m.Focus, m.ColorScheme, m.Reverse,
	} {
		if on {
			bits |= 1 << i
		}
	}
	return bits
}

// vtKey is a key as the terminal core takes it.
func vtKey(m *wire.TermKey) vt.Key {
	return vt.Key{
		Code: rune(m.GetCode()), Shifted: rune(m.GetShifted()), Base: rune(m.GetBase()), Text: m.GetText(), Mods: vt.Mods(m.GetMods()),
		Press: vt.Press(min(m.GetPress(), uint32(vt.Released))),
	}
}

func vtMouse(m *wire.TermMouse) vt.MouseEvent {
	return vt.MouseEvent{
		Button: vt.Button(min(m.GetButton(), uint32(vt.WheelRight))), Press: vt.Press(min(m.GetPress(), uint32(vt.Released))), Motion: m.GetMotion(),
		Mods: vt.Mods(m.GetMods()), X: small(m.GetX()), Y: small(m.GetY()), XPixel: small(m.GetXPixel()), YPixel: small(m.GetYPixel()),
	}
}

// small bounds a coordinate to what any screen has.
func small(n uint32) int { return int(min(n, 1<<20)) }
