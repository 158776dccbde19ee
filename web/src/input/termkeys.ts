// termkeys says what a key of the browser is to a program in a terminal: the twin of vt.Key, held to it by vt/testdata/keys.jsonl.
// The server knows the encoding that the program has asked for; here is only what the keyboard knows. Pure: no DOM.

import type { TermKey } from "../wire.ts";

/** Report is a key press or release as KeyboardEvent tells it. */
export interface Report {
  key: string;
  code: string;
  shift?: boolean;
  ctrl?: boolean;
  alt?: boolean;
  meta?: boolean;
  altGr?: boolean; // getModifierState("AltGraph")
  caps?: boolean;
  num?: boolean;
  press?: 1 | 2 | 3; // pressed, repeated, released
}

export interface Keyboard {
  mac: boolean; // Option types characters there
  layout: ReadonlyMap<string, string> | undefined; // what the keys give without modifiers, by code, where the browser says so
}

export const SHIFT = 1, ALT = 2, CTRL = 4, SUPER = 8, CAPS = 64, NUM = 128;

// Flags of the Kitty keyboard protocol.
export const DISAMBIGUATE = 1, EVENTS = 2, ALL = 8;

// As in vt/input.go: a private rune for each key that has no number of its own in the Kitty protocol.
const own = 0xf0004;

const named: Readonly<Record<string, number>> = {
  Escape: 27, Enter: 13, Tab: 9, Backspace: 127,
  ArrowUp: own, ArrowDown: own + 1, ArrowRight: own + 2, ArrowLeft: own + 3, Home: own + 4, End: own + 5, Insert: own + 6, Delete: own + 7,
  PageUp: own + 8, PageDown: own + 9,
  ScrollLock: 57359, PrintScreen: 57361, Pause: 57362, ContextMenu: 57363,
  MediaPlay: 57428, MediaPause: 57429, MediaPlayPause: 57430, MediaStop: 57432, MediaFastForward: 57433, MediaRewind: 57434, MediaTrackNext: 57435,
  MediaTrackPrevious: 57436, MediaRecord: 57437, AudioVolumeDown: 57438, AudioVolumeUp: 57439, AudioVolumeMute: 57440,
};
const firstF = own + 10; // F1 … F12
const F13 = 57376; // … F35

// Keys that only change others.
const modifiers: Readonly<Record<string, number>> = {
  CapsLock: 57358, NumLock: 57360, ShiftLeft: 57441, ControlLeft: 57442, AltLeft: 57443, MetaLeft: 57444, ShiftRight: 57447, ControlRight: 57448,
  AltRight: 57449, MetaRight: 57450,
};
/** isModifier says whether a key's number is of one that only changes others. */
export function isModifier(code: number): boolean {
  return code === altGraph || Object.values(modifiers).includes(code);
}
const altGraph = 57453;
const modifierKeys = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock", "NumLock", "Hyper", "Super", "Fn", "FnLock"]);

// The number block, in the Kitty protocol's order from 57399: digits, then what is on the edge, then what it is without NumLock.
const block: Readonly<Record<string, number>> = {
  NumpadDecimal: 57409, NumpadDivide: 57410, NumpadMultiply: 57411, NumpadSubtract: 57412, NumpadAdd: 57413, NumpadEnter: 57414, NumpadEqual: 57415,
  NumpadComma: 57416,
};
const blockKeys: Readonly<Record<string, number>> = {
  ArrowLeft: 57417, ArrowRight: 57418, ArrowUp: 57419, ArrowDown: 57420, PageUp: 57421, PageDown: 57422, Home: 57423, End: 57424, Insert: 57425,
  Delete: 57426, Clear: 57427,
};

// What lies where on a standard keyboard, without and with shift.
const standard: ReadonlyMap<string, readonly [string, string]> = new Map([
  ...[..."abcdefghijklmnopqrstuvwxyz"].map((c) => [`Key${c.toUpperCase()}`, [c, c.toUpperCase()]] as const),
  ...[..."0123456789"].map((c, i) => [`Digit${c}`, [c, ")!@#$%^&*("[i]!]] as const),
  ["Space", [" ", " "]], ["Minus", ["-", "_"]], ["Equal", ["=", "+"]], ["BracketLeft", ["[", "{"]], ["BracketRight", ["]", "}"]],
  ["Backslash", ["\\", "|"]], ["Semicolon", [";", ":"]], ["Quote", ["'", '"']], ["Backquote", ["`", "~"]], ["Comma", [",", "<"]], ["Period", [".", ">"]],
  ["Slash", ["/", "?"]],
]);

/**
 * termKey is the key for the program, or undefined if it is none: a part of what is being composed, or a modifier that the
 * program has not asked about. kitty: the flags it has set.
 */
export function termKey(r: Report, kitty: number, keyboard: Keyboard): TermKey | undefined {
  const press = r.press ?? 1;
  if (press === 3 && (kitty & EVENTS) === 0) return undefined;
  let mods = (r.shift ? SHIFT : 0) | (r.alt ? ALT : 0) | (r.ctrl ? CTRL : 0) | (r.meta ? SUPER : 0);
  const locks = (r.caps ? CAPS : 0) | (r.num ? NUM : 0);
  const special = (code: number): TermKey => ({ code, shifted: 0, base: 0, text: "", mods: mods | locks, press });

  if (modifierKeys.has(r.key)) {
    const code = r.key === "AltGraph" ? altGraph : modifiers[r.code];
    return (kitty & ALL) !== 0 && code !== undefined ? special(code) : undefined;
  }
  const onBlock = r.code.startsWith("Numpad");
  if (onBlock && kitty !== 0) {
    // Digits stay what they are until the program wants all keys by their numbers.
    const types = single(r.key) && (kitty & ALL) === 0;
    const code = blockKeys[r.key] ?? block[r.code] ?? (/^Numpad[0-9]$/.test(r.code) ? 57399 + Number(r.code.slice(6)) : undefined);
    if (!types && code !== undefined) return { ...special(code), text: single(r.key) && press !== 3 && (mods & ~SHIFT) === 0 ? r.key : "" };
  }
  const code = named[r.key] ?? functionKey(r.key);
  if (code !== undefined) return special(code);
  if (!single(r.key)) return undefined; // Dead, Process, Unidentified: composed, or nothing

  // AltGr, and Option on a Mac, belong to the character. Windows says Ctrl and Alt beside it.
  const third = r.altGr === true || (keyboard.mac && r.alt === true);
  if (r.altGr && r.ctrl && r.alt) mods &= ~(CTRL | ALT);
  else if (third) mods &= ~ALT;

  const place = standard.get(r.code);
  const bare = bareOf(r, third, place, keyboard.layout);
  const typed = r.key.codePointAt(0)!;
  const types = (mods & ~SHIFT) === 0;
  return {
    code: bare,
    shifted: r.shift && !third && typed !== bare && !(r.caps && r.key.toLowerCase() === r.key) ? typed : 0,
    base: place ? place[0].codePointAt(0)! : 0,
    text: types && press !== 3 ? r.key : "",
    mods: mods | locks,
    press,
  };
}

// bareOf is what the key gives without modifiers, lower case.
function bareOf(r: Report, third: boolean, place: readonly [string, string] | undefined, layout: Keyboard["layout"]): number {
  const known = layout?.get(r.code);
  if (known !== undefined && single(known)) return lower(known);
  if (third) return lower(place?.[0] ?? r.key);
  if (!r.shift || r.key.toLowerCase() !== r.key.toUpperCase()) return lower(r.key);
  return lower(place?.[0] ?? r.key); // a sign on another: most likely where a standard keyboard has it
}

function lower(c: string): number {
  const l = c.toLowerCase();
  return (single(l) ? l : c).codePointAt(0)!;
}

function functionKey(key: string): number | undefined {
  const n = /^F([1-9]|[12][0-9]|3[0-5])$/.exec(key);
  if (!n) return undefined;
  const i = Number(n[1]);
  return i <= 12 ? firstF + i - 1 : F13 + i - 13;
}

/** single says that a key's name is the one character it types. */
function single(key: string): boolean {
  const first = key.codePointAt(0);
  return first !== undefined && first >= 0x20 && key.length === (first > 0xffff ? 2 : 1);
}

/** What the page keeps for itself while a terminal has the keyboard. */
export type TermChord = "leave" | "copy" | "paste" | "search" | "prompt-above" | "prompt-below";

/** chordOf finds what is the page's, not the program's. "paste" is left to the browser, which asks for no permission then. */
export function chordOf(r: Report, mac: boolean): TermChord | undefined {
  if (mac && r.meta && !r.ctrl && !r.alt && !r.shift) {
    const k = r.key.toLowerCase();
    return k === "c" ? "copy" : k === "v" ? "paste" : k === "f" ? "search" : undefined;
  }
  if (r.key === "Insert" && r.shift && !r.ctrl && !r.alt && !r.meta) return "paste";
  if (!r.ctrl || !r.shift || r.alt || r.meta) return undefined;
  switch (r.key.toLowerCase()) {
    case "escape":
    case "enter":
      return "leave";
    case "c":
      return "copy";
    case "v":
      return "paste";
    case "f":
      return "search";
    case "arrowup":
      return "prompt-above";
    case "arrowdown":
      return "prompt-below";
    default:
      return undefined;
  }
}

/** termChords is what the help says of them. */
export const termChords: readonly { label: string; keys: readonly string[] }[] = [
  { label: "Give the keys back to the canvas", keys: ["Ctrl+Shift+Escape", "Ctrl+Shift+Enter"] },
  { label: "Copy what is selected", keys: ["Ctrl+Shift+C"] },
  { label: "Paste", keys: ["Ctrl+Shift+V", "Shift+Insert"] },
  { label: "Search all it has printed", keys: ["Ctrl+Shift+F"] },
  { label: "To the prompt before, or after", keys: ["Ctrl+Shift+ArrowUp", "Ctrl+Shift+ArrowDown"] },
];
