// keys is the one table of what the keyboard does. The page acts on it and the help dialog is made from it, so neither can
// say what the other does not.

export type CommandID =
  | "pen" | "highlighter" | "eraser" | "hand" | "pan-hold" | "thinner" | "thicker"
  | "color-1" | "color-2" | "color-3" | "color-4" | "color-5" | "color-6" | "color-7" | "color-8"
  | "undo" | "redo"
  | "zoom-in" | "zoom-out" | "zoom-in-here" | "zoom-out-here" | "dive" | "rise" | "home" | "fit"
  | "left" | "right" | "up" | "down" | "far-left" | "far-right" | "far-up" | "far-down"
  | "back" | "forward" | "go" | "copy-link" | "mandelbrot" | "plane" | "terminal" | "enter"
  | "picture" | "help" | "settings" | "zen" | "escape";

export interface Command {
  id: CommandID;
  label: string;
  group: "Tools" | "Edit" | "Zoom" | "Move" | "Fractal";
  keys: readonly string[]; // as chord() writes them
  fold?: string; // help shows neighbours that say the same here as one line
  hold?: true; // acts while the key is down, not once
  repeat?: true; // acts again while the key repeats
}

export const commands: readonly Command[] = [
  { id: "pen", label: "Pen", group: "Tools", keys: ["P", "D", "B"] },
  { id: "highlighter", label: "Highlighter", group: "Tools", keys: ["Shift+D", "M"] },
  { id: "eraser", label: "Eraser", group: "Tools", keys: ["E"] },
  { id: "hand", label: "Hand", group: "Tools", keys: ["H", "V"] },
  { id: "pan-hold", label: "Hand while held", group: "Tools", keys: ["Space"], hold: true },
  { id: "thinner", label: "Thinner", group: "Tools", keys: ["["], repeat: true },
  { id: "thicker", label: "Thicker", group: "Tools", keys: ["]"], repeat: true },
  { id: "color-1", label: "First colour", group: "Tools", keys: ["1"], fold: "Colours" },
  { id: "color-2", label: "Second colour", group: "Tools", keys: ["2"], fold: "Colours" },
  { id: "color-3", label: "Third colour", group: "Tools", keys: ["3"], fold: "Colours" },
  { id: "color-4", label: "Fourth colour", group: "Tools", keys: ["4"], fold: "Colours" },
  { id: "color-5", label: "Fifth colour", group: "Tools", keys: ["5"], fold: "Colours" },
  { id: "color-6", label: "Sixth colour", group: "Tools", keys: ["6"], fold: "Colours" },
  { id: "color-7", label: "Seventh colour", group: "Tools", keys: ["7"], fold: "Colours" },
  { id: "color-8", label: "Eighth colour", group: "Tools", keys: ["8"], fold: "Colours" },

  { id: "mandelbrot", label: "The Mandelbrot set, here", group: "Tools", keys: ["Shift+M"] },

  { id: "terminal", label: "Terminal", group: "Tools", keys: ["T"] },
  { id: "enter", label: "Type in the terminal under the pointer", group: "Tools", keys: ["Enter"] },

  { id: "undo", label: "Undo your last stroke", group: "Edit", keys: ["Ctrl+Z"], repeat: true },
  { id: "redo", label: "Redo", group: "Edit", keys: ["Ctrl+Shift+Z", "Ctrl+Y"], repeat: true },

  { id: "zoom-in", label: "Zoom in", group: "Zoom", keys: ["+", "Ctrl++"], repeat: true },
  { id: "zoom-out", label: "Zoom out", group: "Zoom", keys: ["-", "Ctrl+-"], repeat: true },
  { id: "zoom-in-here", label: "Zoom in at the pointer", group: "Zoom", keys: ["Shift++"], repeat: true },
  { id: "zoom-out-here", label: "Zoom out at the pointer", group: "Zoom", keys: ["Shift+-"], repeat: true },
  { id: "dive", label: "Zoom in while held", group: "Zoom", keys: ["I"], hold: true },
  { id: "rise", label: "Zoom out while held", group: "Zoom", keys: ["O"], hold: true },
  { id: "home", label: "Home", group: "Zoom", keys: ["Shift+0", "Home"] },
  { id: "fit", label: "Show everything", group: "Zoom", keys: ["Shift+1"] },

  { id: "left", label: "Left", group: "Move", keys: ["ArrowLeft"], fold: "A little", repeat: true },
  { id: "right", label: "Right", group: "Move", keys: ["ArrowRight"], fold: "A little", repeat: true },
  { id: "up", label: "Up", group: "Move", keys: ["ArrowUp"], fold: "A little", repeat: true },
  { id: "down", label: "Down", group: "Move", keys: ["ArrowDown"], fold: "A little", repeat: true },
  { id: "far-left", label: "A screen to the left", group: "Move", keys: ["Shift+ArrowLeft"], fold: "A screen", repeat: true },
  { id: "far-right", label: "A screen to the right", group: "Move", keys: ["Shift+ArrowRight"], fold: "A screen", repeat: true },
  { id: "far-up", label: "A screen up", group: "Move", keys: ["Shift+ArrowUp"], fold: "A screen", repeat: true },
  { id: "far-down", label: "A screen down", group: "Move", keys: ["Shift+ArrowDown"], fold: "A screen", repeat: true },
  { id: "back", label: "Back to the place before", group: "Move", keys: ["Alt+ArrowLeft"] },
  { id: "forward", label: "Forward again", group: "Move", keys: ["Alt+ArrowRight"] },
  { id: "go", label: "Go to a place", group: "Move", keys: ["G"] },
  { id: "plane", label: "Where on the complex plane", group: "Move", keys: ["C"] },
  { id: "copy-link", label: "Copy a link to this view", group: "Move", keys: ["L"] },

  { id: "help", label: "All shortcuts", group: "Fractal", keys: ["?", "Ctrl+/"] },
  { id: "settings", label: "Settings", group: "Fractal", keys: ["Ctrl+,"] },
  { id: "picture", label: "Save a picture of this view", group: "Fractal", keys: ["Ctrl+Shift+E"] },
  { id: "zen", label: "Hide or show the tools", group: "Fractal", keys: ["Alt+Z"] },
  { id: "escape", label: "Cancel the stroke, close, back to the pen", group: "Fractal", keys: ["Escape"] },
];

// gestures are what mouse, fingers and pen do; the help dialog shows them under the keys.
export const gestures: readonly { label: string; how: string }[] = [
  { label: "Zoom at the pointer", how: "Wheel, or Ctrl and wheel" },
  { label: "Zoom on a trackpad", how: "Pinch" },
  { label: "Move the canvas", how: "Drag with Space or another button" },
  { label: "Move on a trackpad", how: "Two fingers" },
  { label: "Zoom in with the hand", how: "Double click; Shift zooms out" },
  { label: "Move and zoom by touch", how: "Two fingers" },
  { label: "Undo by touch", how: "Tap with two fingers" },
  { label: "Redo by touch", how: "Tap with three fingers" },
  { label: "Draw with a pen", how: "Fingers then only move the canvas" },
  { label: "Type in a terminal", how: "Click with the hand, or double click" },
  { label: "Follow a link in a terminal", how: "Ctrl and click" },
  { label: "⌄ on the paper", how: "There is more, too small to see" },
];

const byChord = new Map<string, Command>();
for (const c of commands) for (const k of c.keys) byChord.set(k, c);

export interface Key {
  key: string;
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

// chord writes a key press the way the table does: Ctrl (or the command key), Alt, Shift, then the key. Letters go by what
// is printed on the key, digits, brackets and space by where it lies, so that every keyboard has them.
export function chord(e: Key): string {
  let key = e.key;
  let shift = e.shiftKey;
  if (e.code === "Space") key = "Space";
  else if (/^Digit[0-9]$/.test(e.code)) key = e.code.slice(5);
  else if (/^Numpad[0-9]$/.test(e.code)) key = e.code.slice(6);
  else if (key === "=" || key === "+") key = "+";
  else if (key === "_" || key === "-") key = "-";
  else if (e.code === "BracketLeft") key = "[";
  else if (e.code === "BracketRight") key = "]";
  else if (key === "?") shift = false; // Shift is part of writing it
  else if (key === "/" && (e.ctrlKey || e.metaKey)) shift = false;
  else if (key.length === 1) key = key.toUpperCase();
  return (e.ctrlKey || e.metaKey ? "Ctrl+" : "") + (e.altKey ? "Alt+" : "") + (shift ? "Shift+" : "") + key;
}

export function commandOf(e: Key): Command | undefined {
  return byChord.get(chord(e));
}

// holdOf finds the command that a released key was holding, whatever else is held by now.
export function holdOf(e: Key): Command | undefined {
  const c = byChord.get(chord({ key: e.key, code: e.code, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }));
  return c?.hold ? c : undefined;
}

const symbols: Record<string, string> = {
  ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", "-": "−",
};

// shown splits a chord into the caps a person reads.
export function shown(chord: string, mac: boolean): string[] {
  const caps: string[] = [];
  let rest = chord;
  for (const mod of ["Ctrl+", "Alt+", "Shift+"]) {
    if (rest.startsWith(mod)) {
      rest = rest.slice(mod.length);
      caps.push(mac ? { "Ctrl+": "⌘", "Alt+": "⌥", "Shift+": "⇧" }[mod]! : mod.slice(0, -1));
    }
  }
  caps.push(symbols[rest] ?? rest);
  return caps;
}

// ariaKeys writes a chord as aria-keyshortcuts wants it.
export function ariaKeys(keys: readonly string[]): string {
  return keys.map((k) => k.replace(/^Ctrl\+/, "Control+").replace(/\+\+$/, "+Plus").replace(/^\+$/, "Plus")).join(" ");
}
