package vt_test

import (
	"testing"

	"fractal/vt"
)

func TestKeysAreWrittenAsTheProgramAsked(t *testing.T) {
	a := vt.Key{Code: 'a', Shifted: 'A', Text: "a"}
	ctrlA := vt.Key{Code: 'a', Mods: vt.Ctrl}
	for _, c := range []struct {
		setup string
		key   vt.Key
		want  string
	}{
		{"", a, "a"},
		{"", ctrlA, "\x01"},
		{"", vt.Key{Code: 'a', Mods: vt.Alt, Text: "a"}, "\x1ba"},
		{"", vt.Key{Code: 'c', Base: 'c', Mods: vt.Ctrl | vt.Alt}, "\x1b\x03"},
		{"", vt.Key{Code: 'с', Base: 'c', Mods: vt.Ctrl}, "\x03"},
		{"", vt.Key{Code: ' ', Mods: vt.Ctrl}, "\x00"},
		{"", vt.Key{Code: '-', Shifted: '_', Mods: vt.Ctrl | vt.Shift}, "\x1f"},
		{"", vt.Key{Code: vt.KeyEnter, Text: "\r"}, "\r"},
		{"\x1b[20h", vt.Key{Code: vt.KeyEnter}, "\r\n"},
		{"", vt.Key{Code: vt.KeyTab, Mods: vt.Shift}, "\x1b[Z"},
		{"", vt.Key{Code: vt.KeyBackspace}, "\x7f"},
		{"\x1b[?67h", vt.Key{Code: vt.KeyBackspace}, "\b"},
		{"", vt.Key{Code: vt.KeyUp}, "\x1b[A"},
		{"\x1b[?1h", vt.Key{Code: vt.KeyUp}, "\x1bOA"},
		{"\x1b[?1h", vt.Key{Code: vt.KeyUp, Mods: vt.Ctrl}, "\x1b[1;5A"},
		{"", vt.Key{Code: vt.KeyF1}, "\x1bOP"},
		{"", vt.Key{Code: vt.KeyF1 + 2, Mods: vt.Shift}, "\x1b[1;2R"},
		{"", vt.Key{Code: vt.KeyF12}, "\x1b[24~"},
		{"", vt.Key{Code: vt.KeyDelete, Mods: vt.Shift}, "\x1b[3;2~"},
		{"", vt.Key{Code: 'a', Press: vt.Released}, ""},
		{"\x1b[>4;1m", vt.Key{Code: vt.KeyEnter, Mods: vt.Ctrl}, "\x1b[27;5;13~"},
		{"\x1b[>4;2m", ctrlA, "\x1b[27;5;97~"},
		{"\x1b[>1u", a, "a"},
		{"\x1b[>1u", ctrlA, "\x1b[97;5u"},
		{"\x1b[>1u", vt.Key{Code: vt.KeyEscape}, "\x1b[27u"},
		{"\x1b[>1u", vt.Key{Code: vt.KeyEnter}, "\r"},
		{"\x1b[>1u", vt.Key{Code: vt.KeyEnter, Mods: vt.Shift}, "\x1b[13;2u"},
		{"\x1b[>1u", vt.Key{Code: vt.KeyUp}, "\x1b[A"},
		{"\x1b[>1u", vt.Key{Code: vt.KeyF1 + 2}, "\x1b[13~"},
		{"\x1b[>3u", vt.Key{Code: vt.KeyUp, Press: vt.Released}, "\x1b[1;1:3A"},
		{"\x1b[>8u", a, "\x1b[97u"},
		{"\x1b[>24u", a, "\x1b[97;;97u"},
		{"\x1b[>24u", vt.Key{Code: 'a', Shifted: 'A', Text: "A", Mods: vt.Shift}, "\x1b[97;2;65u"},
		{"\x1b[>13u", vt.Key{Code: 'a', Shifted: 'A', Text: "A", Mods: vt.Shift}, "\x1b[97:65;2u"},
		{"\x1b[>13u", vt.Key{Code: 'с', Base: 'c', Mods: vt.Ctrl}, "\x1b[1089::99;5u"},
		{"\x1b[>11u", vt.Key{Code: 57441, Mods: vt.Shift}, "\x1b[57441;2u"},
		{"\x1b[>1u", vt.Key{Code: 57441, Mods: vt.Shift}, ""},
	} {
		term := vt.New(vt.Config{})
		term.Write([]byte(c.setup))
		if got := string(term.AppendKey(nil, c.key)); got != c.want {
			t.Errorf("after %q key %+v: got %q, want %q", c.setup, c.key, got, c.want)
		}
	}
}

func TestMouseEventsAreWrittenAsTheProgramAsked(t *testing.T) {
	press := vt.MouseEvent{Button: vt.ButtonLeft, Press: vt.Pressed, X: 2, Y: 3, XPixel: 20, YPixel: 50}
	release := press
	release.Press = vt.Released
	motion := vt.MouseEvent{Motion: true, X: 2, Y: 3}
	drag := vt.MouseEvent{Button: vt.ButtonRight, Motion: true, X: 2, Y: 3, Mods: vt.Ctrl}
	wheel := vt.MouseEvent{Button: vt.WheelDown, Press: vt.Pressed, X: 2, Y: 3}
	for _, c := range []struct {
		setup string
		event vt.MouseEvent
		want  string
	}{
		{"", press, ""},
		{"\x1b[?9h", press, "\x1b[M #$"},
		{"\x1b[?9h", release, ""},
		{"\x1b[?1000h", release, "\x1b[M##$"},
		{"\x1b[?1000;1006h", press, "\x1b[<0;3;4M"},
		{"\x1b[?1000;1006h", release, "\x1b[<0;3;4m"},
		{"\x1b[?1000;1006h", drag, ""},
		{"\x1b[?1002;1006h", drag, "\x1b[<50;3;4M"},
		{"\x1b[?1002;1006h", motion, ""},
		{"\x1b[?1003;1006h", motion, "\x1b[<35;3;4M"},
		{"\x1b[?1000;1006h", wheel, "\x1b[<65;3;4M"},
		{"\x1b[?1000;1016h", press, "\x1b[<0;21;51M"},
		{"\x1b[?1000;1015h", press, "\x1b[32;3;4M"},
		{"\x1b[?1000h", vt.MouseEvent{Button: vt.ButtonLeft, X: 99}, ""},
	} {
		term := vt.New(vt.Config{})
		term.Write([]byte(c.setup))
		if got := string(term.AppendMouse(nil, c.event)); got != c.want {
			t.Errorf("after %q event %+v: got %q, want %q", c.setup, c.event, got, c.want)
		}
	}
}

func TestPasteCannotLeaveItsBrackets(t *testing.T) {
	term := vt.New(vt.Config{})
	if got := string(term.AppendPaste(nil, []byte("a\r\nb\nc\x03\tü"))); got != "a\rb\rc\tü" {
		t.Errorf("got %q", got)
	}
	term.Write([]byte("\x1b[?2004h"))
	if got := string(term.AppendPaste(nil, []byte("x\x1b[201~rm\u009b201~"))); got != "\x1b[200~x[201~rm201~\x1b[201~" {
		t.Errorf("got %q", got)
	}
}

func TestFocusIsToldWhenWanted(t *testing.T) {
	term := vt.New(vt.Config{})
	if got := term.AppendFocus(nil, true); len(got) > 0 {
		t.Errorf("got %q", got)
	}
	term.Write([]byte("\x1b[?1004h"))
	if got := string(term.AppendFocus(term.AppendFocus(nil, true), false)); got != "\x1b[I\x1b[O" {
		t.Errorf("got %q", got)
	}
}
