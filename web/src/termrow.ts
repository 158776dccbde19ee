// termrow owns the rows of terminals as they travel: the twin of term/row.go. A Line is a row read into arrays that are filled
// again and again: nothing is made for a row but what is new in it. Glyphs that are no single rune, and addresses, have numbers
// in tables that all lines share.

/** A grid cell's glyph is a rune, or CLUSTER + a number in the table; WIDE: it stands in two grid cells, the second is SECOND. */
export const WIDE = 0x200000;
export const CLUSTER = 0x400000;
export const SECOND = 0xffffffff;
/** GLYPH masks what it is without how wide. */
export const GLYPH = 0x5fffff;

// Attributes, as vt.Attr; the underline is a number in three bits.
export const BOLD = 1;
export const FAINT = 2;
export const ITALIC = 4;
export const INVERSE = 32;
export const HIDDEN = 64;
export const STRIKE = 128;
export const OVERLINE = 256;
export const UNDERLINE_SHIFT = 9;

// A colour is 0 (the default), INDEXED + a number of the palette, or RGB + 0xRRGGBB, as vt.Color.
export const INDEXED = 1 << 24;
export const RGB = 2 << 24;

/** MAX_COLS bounds a row, as vt.MaxCols. */
const MAX_COLS = 1024;

/** MAX_NAMES bounds each table of what lines share: a program that invents ever new ones is shown their first rune, or no link. */
const MAX_NAMES = 1 << 16;

/** Names numbers texts from 1 on. */
class Names {
  private readonly numbers = new Map<string, number>();
  private readonly texts: string[] = [""];

  number(text: string): number {
    let n = this.numbers.get(text);
    if (n === undefined) {
      if (this.texts.length >= MAX_NAMES) return 0;
      n = this.texts.length;
      this.texts.push(text);
      this.numbers.set(text, n);
    }
    return n;
  }

  text(n: number): string {
    return this.texts[n] ?? "";
  }
}

const clusters = new Names();
const links = new Names(); // an address, a line feed, an id

/** glyphText is what a grid cell's glyph is as text. */
export function glyphText(glyph: number): string {
  if (glyph === SECOND || glyph === 0) return "";
  const g = glyph & GLYPH;
  return (g & CLUSTER) !== 0 ? clusters.text(g - CLUSTER) : String.fromCodePoint(g);
}

/** linkOf gives the address and the id that a number stands for. */
export function linkOf(n: number): { uri: string; id: string } {
  const s = links.text(n);
  const cut = s.lastIndexOf("\n");
  return { uri: s.slice(0, Math.max(0, cut)), id: s.slice(cut + 1) };
}

let stamps = 0;

/** Line is a row of a terminal. */
export class Line {
  /** stamp is another one whenever the line says something else: never twice the same. */
  stamp = ++stamps;
  wrapped = false; // the text goes on in the next row
  mark = 0; // 1 a prompt begins, 2 input begins, 4 output begins
  cells = 0; // covered; the rest is blank
  glyphs: Uint32Array;
  /** Run i of cells alike ends at to[i]. */
  runs = 0;
  to = new Uint16Array(8);
  fg = new Uint32Array(8);
  bg = new Uint32Array(8);
  line = new Uint32Array(8); // colour of the underline
  attr = new Uint16Array(8);
  link = new Uint16Array(8);

  constructor(cols: number) {
    this.glyphs = new Uint32Array(cols);
  }

  get bytes(): number {
    return 4 * this.glyphs.length + 18 * this.to.length + 200;
  }

  blank(): void {
    this.stamp = ++stamps;
    this.wrapped = false;
    this.mark = this.cells = this.runs = 0;
  }

  private more(): void {
    const grow = <T extends Uint16Array | Uint32Array>(a: T, b: T): T => {
      b.set(a);
      return b;
    };
    const n = 2 * this.to.length;
    this.to = grow(this.to, new Uint16Array(n));
    this.fg = grow(this.fg, new Uint32Array(n));
    this.bg = grow(this.bg, new Uint32Array(n));
    this.line = grow(this.line, new Uint32Array(n));
    this.attr = grow(this.attr, new Uint16Array(n));
    this.link = grow(this.link, new Uint16Array(n));
  }

  /** read fills the line from a row's bytes and says whether they are one; else the line is blank. */
  read(b: Uint8Array): boolean {
    this.blank();
    reading = b;
    at = 1;
    bad = b.length === 0;
    const cells = bad ? 0 : uvarint();
    if (bad || cells > MAX_COLS) return false;
    if (this.glyphs.length < cells) this.glyphs = new Uint32Array(cells);
    if (!this.readGlyphs(cells) || !this.readStyles(cells)) {
      this.runs = 0;
      return false;
    }
    this.wrapped = (b[0]! & 1) !== 0;
    this.mark = (b[0]! >> 1) & 7;
    this.cells = cells;
    return true;
  }

  private readGlyphs(cells: number): boolean {
    const glyphs = this.glyphs;
    for (let x = 0; x < cells; ) {
      const head = uvarint();
      const n = Math.floor(head / 8);
      const kind = head % 8;
      if (bad) return false;
      if (kind === 5) {
        const rune = uvarint();
        if (bad || n === 0 || n > cells - x || rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000)) return false;
        glyphs.fill(rune, x, x + n);
        x += n;
        continue;
      }
      const end = at + n;
      if (n === 0 || end > reading.length || kind > 5) return false;
      switch (kind) {
        case 0:
          if (n > cells - x) return false;
          for (let i = 0; i < n; i++) glyphs[x + i] = reading[at + i]!;
          x += n;
          break;
        case 1:
          while (at < end) {
            if (x >= cells) return false;
            glyphs[x++] = rune(end);
          }
          break;
        case 2:
          while (at < end) {
            if (x + 2 > cells) return false;
            glyphs[x++] = rune(end) | WIDE;
            glyphs[x++] = SECOND;
          }
          break;
        default: {
          const wide = kind === 4;
          if (x + (wide ? 2 : 1) > cells) return false;
          const number = clusters.number(utf8.decode(reading.subarray(at, end)));
          glyphs[x++] = (number === 0 ? rune(end) : CLUSTER + number) | (wide ? WIDE : 0);
          if (wide) glyphs[x++] = SECOND;
        }
      }
      at = end;
    }
    return true;
  }

  private readStyles(cells: number): boolean {
    let fg = 0;
    let bg = 0;
    let line = 0;
    let attr = 0;
    let link = 0;
    let to = 0;
    let n = 0;
    while (at < reading.length) {
      const head = uvarint();
      const low = head % 32;
      fg = color(low & 3, fg);
      bg = color((low >> 2) & 3, bg);
      if (low >= 16) {
        attr = uvarint() & 0xffff;
        const kind = at < reading.length ? reading[at++]! : 0;
        if (kind === 0 || kind > 3) return false;
        line = color(kind, 0);
        const uri = text();
        const id = text();
        link = uri === "" ? 0 : links.number(`${uri}\n${id}`);
      }
      const long = Math.floor(head / 32);
      if (bad || long === 0 || long > cells - to) return false;
      to += long;
      if (n === this.to.length) this.more();
      this.to[n] = to;
      this.fg[n] = fg;
      this.bg[n] = bg;
      this.line[n] = line;
      this.attr[n] = attr;
      this.link[n] = link;
      n++;
    }
    if (to < cells) {
      // What no style is left for has the last one.
      if (n > 0) {
        this.to[n - 1] = cells;
      } else {
        this.to[0] = cells;
        this.fg[0] = this.bg[0] = this.line[0] = this.attr[0] = this.link[0] = 0;
        n = 1;
      }
    }
    this.runs = n;
    return !bad;
  }

  /** linkAt is the link of a grid cell; 0: none. */
  linkAt(x: number): number {
    for (let i = 0; i < this.runs; i++) if (x < this.to[i]!) return this.link[i]!;
    return 0;
  }

  /** text is what stands from grid cell `from` up to `to`; a wide glyph belongs to where it begins. */
  text(from: number, to: number): string {
    let s = "";
    const end = Math.min(to, this.cells);
    for (let x = Math.max(0, from); x < end; x++) {
      const g = this.glyphs[x]!;
      if (g !== SECOND) s += g === 0 ? " " : glyphText(g);
    }
    return s;
  }
}

// What is being read. One row at a time: nothing is made for it.
let reading: Uint8Array = new Uint8Array(0);
let at = 0;
let bad = false;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

function uvarint(): number {
  let v = 0;
  let unit = 1;
  for (let i = 0; i < 8; i++) {
    if (at >= reading.length) break;
    const b = reading[at++]!;
    v += (b & 0x7f) * unit;
    if (b < 0x80) return v;
    unit *= 0x80;
  }
  bad = true;
  return 0;
}

// rune reads one of UTF-8 that ends before `end`; what is none is U+FFFD, a byte at a time.
function rune(end: number): number {
  const a = reading[at++]!;
  if (a < 0x80) return a;
  const n = a >= 0xf0 && a < 0xf5 ? 3 : a >= 0xe0 && a < 0xf0 ? 2 : a >= 0xc2 && a < 0xe0 ? 1 : 0;
  if (n === 0 || at + n > end) return 0xfffd;
  let v = n === 3 ? a & 7 : n === 2 ? a & 15 : a & 31;
  for (let i = 0; i < n; i++) {
    const b = reading[at + i]!;
    if ((b & 0xc0) !== 0x80) return 0xfffd;
    v = (v << 6) | (b & 63);
  }
  if ((n === 2 && (v < 0x800 || (v >= 0xd800 && v < 0xe000))) || (n === 3 && (v < 0x10000 || v > 0x10ffff))) return 0xfffd;
  at += n;
  return v;
}

function color(kind: number, before: number): number {
  switch (kind) {
    case 1:
      return 0;
    case 2:
      if (at < reading.length) return INDEXED | reading[at++]!;
      break;
    case 3:
      if (at + 3 <= reading.length) {
        at += 3;
        return RGB | (reading[at - 3]! << 16) | (reading[at - 2]! << 8) | reading[at - 1]!;
      }
      break;
    default:
      return before;
  }
  bad = true;
  return before;
}

function text(): string {
  const n = uvarint();
  if (n > reading.length - at) {
    bad = true;
    return "";
  }
  at += n;
  return n === 0 ? "" : utf8.decode(reading.subarray(at - n, at));
}
