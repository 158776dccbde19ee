// termtheme owns what the colours of a terminal are on the screen: the twin of theme in source/glass.go, so that text looks the
// same from near as from afar. Colours here are 0xRRGGBB.

import { FAINT, HIDDEN, INVERSE, RGB } from "./termrow.ts";
import type { TermFacts } from "./wire.ts";

export const FOREGROUND = 0xd8d8d8;
export const BACKGROUND = 0x101010;

/** CELL_W and CELL_H are the proportions of a grid cell; its font advances by CELL_W, on a line BASELINE from the top. */
export const CELL_W = 8;
export const CELL_H = 16;
export const BASELINE = 12.3;
/** ADVANCE is what a glyph of the font advances by, in em. */
export const ADVANCE = 1233 / 2048;

const REVERSE = 1 << 9; // of TermFacts.modes

// xterm's palette, with blues that can be read on black, as vt.XtermPalette.
const NAMES = [
  0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x4f7dff, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x8ca6ff, 0xff00ff, 0x00ffff,
  0xffffff,
];

function xterm(i: number): number {
  if (i < 16) return NAMES[i]!;
  if (i >= 232) return (8 + 10 * (i - 232)) * 0x010101;
  const level = (n: number): number => (n === 0 ? 0 : 55 + 40 * n);
  return (level(Math.floor((i - 16) / 36)) << 16) | (level(Math.floor((i - 16) / 6) % 6) << 8) | level((i - 16) % 6);
}

/** mix is a with the share w of 256 of b. */
export function mix(a: number, b: number, w: number): number {
  const rb = (Math.imul(a & 0xff00ff, 256 - w) + Math.imul(b & 0xff00ff, w) + 0x800080) >>> 8;
  const g = (Math.imul(a & 0xff00, 256 - w) + Math.imul(b & 0xff00, w) + 0x8000) >>> 8;
  return (rb & 0xff00ff) | (g & 0xff00);
}

/** Theme turns colours as they travel into 0xRRGGBB. */
export class Theme {
  /** version is another one after every change. */
  version = 0;
  private foreground = FOREGROUND;
  private background = BACKGROUND;
  private reverse = false;
  private dim = false; // its program has ended
  private cursorColor = -1;
  private palette = "";
  private readonly table = Uint32Array.from({ length: 256 }, (_, i) => xterm(i));

  // What look says.
  fg = 0;
  bg = 0;
  line = 0;

  /** take follows the facts. */
  take(f: TermFacts | undefined): void {
    const foreground = f !== undefined && f.foreground > 0 ? f.foreground - 1 : FOREGROUND;
    const background = f !== undefined && f.background > 0 ? f.background - 1 : BACKGROUND;
    const reverse = f !== undefined && (f.modes & REVERSE) !== 0;
    const dim = f?.ended ?? false;
    const cursorColor = f !== undefined && f.cursorColor > 0 ? f.cursorColor - 1 : -1;
    const palette = f === undefined ? "" : String.fromCharCode(...f.palette);
    if (
      foreground === this.foreground && background === this.background && reverse === this.reverse && dim === this.dim &&
      cursorColor === this.cursorColor && palette === this.palette
    ) {
      return;
    }
    this.version++;
    this.foreground = foreground;
    this.background = background;
    this.reverse = reverse;
    this.dim = dim;
    this.cursorColor = cursorColor;
    if (palette === this.palette) return;
    this.palette = palette;
    for (let i = 0; i < 256; i++) this.table[i] = xterm(i);
    const p = f!.palette;
    for (let i = 0; i + 3 < p.length; i += 4) this.table[p[i]!] = (p[i + 1]! << 16) | (p[i + 2]! << 8) | p[i + 3]!;
  }

  private color(c: number, plain: number): number {
    return c === 0 ? plain : c >= RGB ? c & 0xffffff : this.table[c & 255]!;
  }

  private shade(c: number): number {
    return this.dim ? mix(c, BACKGROUND, 128) : c;
  }

  /** paper is what the box is filled with. */
  get paper(): number {
    return this.shade(this.reverse ? this.foreground : this.background);
  }

  get cursor(): number {
    return this.cursorColor >= 0 ? this.cursorColor : this.shade(this.reverse ? this.background : this.foreground);
  }

  /** look sets fg, bg and line to what a style looks like. */
  look(fg: number, bg: number, line: number, attr: number): void {
    let f = this.color(fg, this.foreground);
    let b = this.color(bg, this.background);
    if (((attr & INVERSE) !== 0) !== this.reverse) [f, b] = [b, f];
    if ((attr & FAINT) !== 0) f = mix(f, b, 128);
    let l = this.color(line, f);
    if ((attr & HIDDEN) !== 0) f = l = b;
    this.fg = this.shade(f);
    this.bg = this.shade(b);
    this.line = this.shade(l);
  }
}
