// Package vt is a terminal without a screen, a keyboard or a shell: bytes go in, and what a person would see comes out.
//
// It owns the screen as rows of grid cells, the history above it, the modes, and the answers a program is owed. It
// refuses to know ptys, viewers, fonts, clocks and goroutines: a Terminal is a plain state machine, the same bytes give
// the same screen however they are split into writes, and everything a program can make it keep is bounded.
//
// A Terminal is not safe for concurrent use. What it hands out (texts, styles, replies) is good until the next call
// unless said otherwise.
//
// Rows carry the number of the write that last changed them (Seq), so that a viewer that has seen everything up to
// write s is brought up to date by the rows newer than s. A whole screen that scrolls changes no row but the new ones:
// Base says how far it has moved. Where that reckoning ends (a resize, another screen, a reset) Epoch changes.
//
// Sources: the parser is the state machine of Paul Flo Williams (https://vt100.net/emu/dec_ansi_parser); the control
// functions follow ECMA-48, DEC STD 070 and xterm's ctlseqs (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html);
// grapheme clusters follow UAX #29 (https://www.unicode.org/reports/tr29/).
package vt
