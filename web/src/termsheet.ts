// termsheet owns the pixels of one terminal near enough to be read: a bitmap of its grid cells at one size, of which only rows that
// have changed are painted again. Pixels are written by hand and handed over many rows at a time: a screen whose every cell has
// another colour costs what its pixels cost, not what its cells do. Nothing is allocated while the size stays.

import { blockOf, stroke } from "./termbox.ts";
import type { GlyphCache, Glyphs } from "./termglyphs.ts";
import { BOLD, INVERSE, ITALIC, OVERLINE, SECOND, STRIKE, UNDERLINE_SHIFT, WIDE, type Line } from "./termrow.ts";
import type { TermScreen } from "./termscreen.ts";
import { CELL_H, CELL_W, mix, type Theme } from "./termtheme.ts";

/** Part is a rectangle of grid cells. */
export interface Part {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** Attention is what the page's own person is doing at a terminal. */
export interface Attention {
  focused: boolean; // it has the keyboard
  link: number; // that is under the pointer; 0: none
}

const SELECTED = 0x3b78c4;
const SELECTED_SHARE = 120; // of 256

// How many pixels are handed over at a time, about. Fewer cost more calls; more cost the cache.
const STRIP = 1 << 18;

/** strip is what rows are written into before they are handed over; all sheets use it, one after the other. */
const strip = { width: 0, height: 0, pixels: new Uint32Array(0), image: undefined as ImageData | undefined };

function stripFor(width: number, height: number): void {
  if (strip.image !== undefined && strip.width >= width && strip.height >= height) return;
  strip.width = Math.max(strip.width, width);
  strip.height = Math.max(strip.height, height);
  strip.image = new ImageData(strip.width, strip.height);
  strip.pixels = new Uint32Array(strip.image.data.buffer);
}

// Segments of a row: grid cells alike, and how they look.
const MOST = 2100;
const segTo = new Int32Array(MOST);
const segFg = new Uint32Array(MOST); // as ImageData has them
const segBg = new Uint32Array(MOST);
const segLine = new Uint32Array(MOST);
const segAttr = new Uint16Array(MOST);
const segLink = new Uint16Array(MOST);

/** pixel is 0xRRGGBB as ImageData has it. */
function pixel(c: number): number {
  return (0xff000000 | ((c & 255) << 16) | (c & 0xff00) | (c >> 16)) >>> 0;
}

/** States of a row beside its line, packed: see Sheet.stateOf. */
const NO_STATE = 0;

export class Sheet {
  readonly canvas: OffscreenCanvas;
  private readonly ctx: OffscreenCanvasRenderingContext2D;
  /** Size of grid cells, device pixels. */
  cw = 0;
  ch = 0;
  part: Part = { x0: 0, y0: 0, x1: 0, y1: 0 };
  private cols = 0; // of the terminal
  private rows = 0;
  /** painted: it shows what the terminal shows. */
  painted = false;

  private xs = new Int32Array(0); // borders of the columns, from the first
  private ys = new Int32Array(0);
  private stamps = new Float64Array(0); // of the lines painted; 0: nothing is
  private states = new Float64Array(0);
  private theme = -1;
  private glyphs: Glyphs | undefined;
  private glyphsOf = -1;
  private readonly sel = { from: 0, to: 0 };

  constructor() {
    this.canvas = new OffscreenCanvas(1, 1);
    const ctx = this.canvas.getContext("2d", { alpha: false });
    if (ctx === null) throw new Error("this browser gives a worker no canvas");
    this.ctx = ctx;
  }

  get bytes(): number {
    return 4 * this.canvas.width * this.canvas.height;
  }

  /** fits says whether the sheet shows those grid cells at that size, as exactly as pixels can. */
  fits(cw: number, ch: number, part: Part): boolean {
    const p = this.part;
    return (
      Math.abs(cw - this.cw) * (p.x1 - p.x0) < 0.4 && Math.abs(ch - this.ch) * (p.y1 - p.y0) < 0.4 &&
      p.x0 <= part.x0 && p.y0 <= part.y0 && p.x1 >= part.x1 && p.y1 >= part.y1
    );
  }

  /** reaches says whether it shows those of a terminal of cols × rows, at whatever size. */
  reaches(part: Part, cols: number, rows: number): boolean {
    const p = this.part;
    return this.cols === cols && this.rows === rows && p.x0 <= part.x0 && p.y0 <= part.y0 && p.x1 >= part.x1 && p.y1 >= part.y1;
  }

  /** size makes it show other grid cells of a terminal of cols × rows, or at another size: nothing is painted then. */
  size(cw: number, ch: number, part: Part, ofCols: number, ofRows: number): void {
    this.cw = cw;
    this.ch = ch;
    this.part = part;
    this.cols = ofCols;
    this.rows = ofRows;
    const cols = part.x1 - part.x0;
    const rows = part.y1 - part.y0;
    this.xs = Int32Array.from({ length: cols + 1 }, (_, i) => Math.round(i * cw));
    this.ys = Int32Array.from({ length: rows + 1 }, (_, i) => Math.round(i * ch));
    this.stamps = new Float64Array(rows);
    this.states = new Float64Array(rows);
    this.glyphs = undefined;
    this.painted = false;
    this.canvas.width = Math.max(1, this.xs[cols]!);
    this.canvas.height = Math.max(1, this.ys[rows]!);
  }

  /** stale makes all rows be painted again. */
  stale(): void {
    this.stamps.fill(0);
    this.painted = false;
  }

  /** paint paints the rows that are not as the terminal is, and gives how many those were. */
  paint(s: TermScreen, theme: Theme, attention: Attention, cache: GlyphCache): number {
    if (this.theme !== theme.version || this.glyphsOf !== cache.version) {
      this.stamps.fill(0);
      this.theme = theme.version;
      this.glyphsOf = cache.version;
      this.glyphs = undefined;
    }
    this.glyphs ??= cache.of(this.cw, this.ch);
    const { y0, y1 } = this.part;
    const width = this.canvas.width;
    const most = Math.max(Math.ceil(this.ch) + 1, Math.floor(STRIP / width));
    stripFor(width, most);
    const from = s.shownFrom;
    let painted = 0;
    let first = 0; // of the rows in the strip
    let next = 0;
    for (let y = y0; y < y1; y++) {
      const i = y - y0;
      const line = s.row(from + y);
      const stamp = line === undefined ? -1 : line.stamp;
      const state = this.stateOf(s, from + y, line, attention);
      if (this.stamps[i] === stamp && this.states[i] === state) continue;
      this.stamps[i] = stamp;
      this.states[i] = state;
      if (i !== next || this.ys[i + 1]! - this.ys[first]! > most) {
        this.hand(first, next);
        first = i;
      }
      this.row(s, line, from + y, state, theme, attention, this.ys[i]! - this.ys[first]!, this.ys[i + 1]! - this.ys[i]!);
      next = i + 1;
      painted++;
    }
    this.hand(first, next);
    this.painted = true;
    return painted;
  }

  // hand gives rows [first, next) of the strip to the bitmap.
  private hand(first: number, next: number): void {
    if (next <= first) return;
    const y = this.ys[first]!;
    this.ctx.putImageData(strip.image!, 0, y, 0, 0, this.canvas.width, this.ys[next]! - y);
  }

  // stateOf packs what there is to see in a row beside its text: selection, cursor, link under the pointer.
  private stateOf(s: TermScreen, n: number, line: Line | undefined, a: Attention): number {
    const sel = s.selected(n, this.sel);
    let state = NO_STATE;
    if (sel.to > sel.from) state = 1 + sel.from + sel.to * 2048; // < 2^23
    const c = s.cursor;
    if (c.visible && n === s.base + c.y && c.x < s.cols) {
      const kind = a.focused ? 1 + (c.shape & 3) : 5; // < 8
      state += 2 ** 23 * (kind + 8 * c.x); // < 2^37
    }
    if (a.link !== 0 && line !== undefined) {
      for (let i = 0; i < line.runs; i++) {
        if (line.link[i] === a.link) {
          state += 2 ** 37 * a.link; // < 2^53
          break;
        }
      }
    }
    return state;
  }

  // row writes one row into the strip, from pixel row y on, h pixels high.
  private row(s: TermScreen, line: Line | undefined, n: number, state: number, theme: Theme, a: Attention, y: number, h: number): void {
    const { x0, x1 } = this.part;
    const xs = this.xs;
    const px = strip.pixels;
    const stride = strip.width;
    const at = y * stride;
    const width = this.canvas.width;
    const sel = s.selected(n, this.sel);
    const c = s.cursor;
    const cursor = state >= 2 ** 23 && c.visible && n === s.base + c.y && c.x < s.cols;
    const block = cursor && a.focused && c.shape < 2;
    const cx0 = block ? c.x : -1;
    const cx1 = block ? c.x + (s.cursorWide ? 2 : 1) : -1;
    const cells = line === undefined ? 0 : Math.min(line.cells, x1);

    // Segments and their backgrounds, in the first row of pixels.
    let segs = 0;
    let run = 0;
    let flat = true;
    for (let x = x0; x < x1; ) {
      let end = x1;
      let attr = 0;
      let link = 0;
      if (line !== undefined && x < cells) {
        while (line.to[run]! <= x) run++;
        end = Math.min(line.to[run]!, cells);
        attr = line.attr[run]!;
        link = line.link[run]!;
        theme.look(line.fg[run]!, line.bg[run]!, line.line[run]!, attr);
      } else {
        theme.look(0, 0, 0, 0);
      }
      let { fg, bg, line: under } = theme;
      if (x >= sel.from && x < sel.to) {
        end = Math.min(end, sel.to);
        bg = mix(bg, SELECTED, SELECTED_SHARE);
      } else if (x < sel.from) {
        end = Math.min(end, sel.from);
      }
      if (x >= cx0 && x < cx1) {
        end = Math.min(end, cx1);
        const color = (attr & INVERSE) !== 0 && theme.cursor === bg ? fg : theme.cursor;
        // The glyph stands out in what was its background, or in the paper.
        fg = under = !near(color, bg) ? bg : !near(color, fg) ? fg : theme.paper;
        bg = color;
      } else if (x < cx0) {
        end = Math.min(end, cx0);
      }
      const b = pixel(bg);
      segTo[segs] = end;
      segFg[segs] = pixel(fg);
      segBg[segs] = b;
      segLine[segs] = pixel(under);
      segAttr[segs] = attr;
      segLink[segs] = link;
      if (b !== segBg[0]) flat = false;
      const from = at + xs[x - x0]!;
      const to = at + xs[end - x0]!;
      if (to - from > 24) px.fill(b, from, to);
      else for (let i = from; i < to; i++) px[i] = b;
      segs++;
      x = end;
    }
    if (flat && width === stride) px.fill(segBg[0]!, at, at + h * stride);
    else for (let j = 1; j < h; j++) px.copyWithin(at + j * stride, at, at + width);

    // Glyphs, and the lines under, over and through them.
    const k = this.ch / CELL_H;
    let x = x0;
    for (let i = 0; i < segs; i++) {
      const end = segTo[i]!;
      const fg = segFg[i]!;
      const attr = segAttr[i]!;
      if (line !== undefined && x < cells && fg !== segBg[i]) {
        const face = (attr & BOLD ? 1 : 0) | (attr & ITALIC ? 2 : 0);
        const stop = Math.min(end, cells);
        for (let j = x; j < stop; j++) {
          const g = line.glyphs[j]!;
          if (g <= 32 || g === SECOND) continue;
          this.glyph(g, face, j - x0, at, h, fg, segBg[i]!);
        }
      }
      const under = attr >> UNDERLINE_SHIFT;
      const linked = a.link !== 0 && segLink[i] === a.link;
      if (under !== 0 || linked || (attr & (STRIKE | OVERLINE)) !== 0) {
        const left = xs[x - x0]!;
        const right = xs[end - x0]!;
        if (under !== 0 || linked) this.underline(linked && under === 0 ? 1 : under, at, h, left, right, k, linked && under === 0 ? fg : segLine[i]!);
        if ((attr & STRIKE) !== 0) bar(at, h, left, right, Math.round(8.4 * k), thin(k), fg);
        if ((attr & OVERLINE) !== 0) bar(at, h, left, right, 0, thin(k), fg);
      }
      x = end;
    }
    if (cursor && !block && c.x >= x0 && c.x < x1) this.cursor(s, at, h, k, pixel(theme.cursor), a.focused);
  }

  private glyph(g: number, face: number, col: number, at: number, h: number, fg: number, bg: number): void {
    const xs = this.xs;
    const px = strip.pixels;
    const stride = strip.width;
    const left = xs[col]!;
    const wide = g >= WIDE && (g & WIDE) !== 0;
    const right = xs[Math.min(wide ? col + 2 : col + 1, xs.length - 1)]!;
    const w = right - left;
    const b = g >= 0x2580 ? blockOf(g) : undefined;
    if (b !== undefined) {
      const color = b.share === 4 ? fg : blend(fg, bg, 64 * b.share);
      const r = b.rects;
      for (let i = 0; i < r.length; i += 4) {
        const bx0 = left + Math.round((w * r[i]!) / 8);
        const bx1 = left + Math.max(Math.round((w * r[i + 2]!) / 8), Math.round((w * r[i]!) / 8) + 1);
        const by0 = Math.min(Math.round((h * r[i + 1]!) / 24), h - 1);
        const by1 = Math.max(Math.round((h * r[i + 3]!) / 24), by0 + 1);
        for (let y = by0; y < by1; y++) {
          const row = at + y * stride;
          for (let x = row + bx0; x < row + bx1; x++) px[x] = color;
        }
      }
      return;
    }
    const m = this.glyphs!.get(g, face, w, h);
    if (m.w === 0) return;
    const gw = Math.min(m.w, w - m.x);
    const gh = Math.min(m.h, h - m.y);
    let from = at + m.y * stride + left + m.x;
    if (m.colors !== undefined) {
      for (let y = 0; y < gh; y++, from += stride) {
        for (let x = 0; x < gw; x++) {
          const c = m.colors[y * m.w + x]!;
          const cover = c >>> 24;
          if (cover !== 0) px[from + x] = blend(c, px[from + x]!, cover + (cover >> 7));
        }
      }
      return;
    }
    const ink = m.ink;
    const frb = fg & 0xff00ff;
    const fgr = fg & 0xff00;
    for (let y = 0; y < gh; y++, from += stride) {
      let i = y * m.w;
      const end = from + gw;
      for (let p = from; p < end; p++, i++) {
        const cover = ink[i]!;
        if (cover === 0) continue;
        if (cover === 255) {
          px[p] = fg;
          continue;
        }
        const below = px[p]!;
        const part = cover + (cover >> 7);
        const rest = 256 - part;
        const rb = (Math.imul(frb, part) + Math.imul(below & 0xff00ff, rest)) >>> 8;
        const gr = (Math.imul(fgr, part) + Math.imul(below & 0xff00, rest)) >>> 8;
        px[p] = 0xff000000 | (rb & 0xff00ff) | (gr & 0xff00);
      }
    }
  }

  // underline draws a line beneath columns: 1 single, 2 double, 3 curly, 4 dotted, 5 dashed.
  private underline(kind: number, at: number, h: number, left: number, right: number, k: number, color: number): void {
    const t = thin(k);
    const y = Math.min(Math.round(13.7 * k), h - t);
    switch (kind) {
      case 2:
        bar(at, h, left, right, Math.min(y - Math.max(1, Math.round(0.6 * k)), h - 2 * t - 1), t, color);
        bar(at, h, left, right, Math.min(y + Math.max(1, Math.round(0.9 * k)), h - t), t, color);
        return;
      case 3: {
        // Up and down once a grid cell, begun anew at no border.
        const high = 1.2 * k;
        const mid = Math.min(y, h - t - Math.ceil(high));
        for (let x = left; x < right; x++) {
          const v = Math.round(mid + high * Math.sin(((x + 0.5) * 2 * Math.PI) / (CELL_W * k)));
          bar(at, h, x, x + 1, v, Math.max(t, Math.round(1.1 * k)), color);
        }
        return;
      }
      case 4:
      case 5: {
        const step = Math.max(2, Math.round((kind === 4 ? 2 : 4) * k));
        const part = kind === 4 ? step >> 1 : Math.ceil(0.65 * step);
        for (let x = left - (left % step); x < right; x += step) bar(at, h, Math.max(x, left), Math.min(x + part, right), y, t, color);
        return;
      }
      default:
        bar(at, h, left, right, y, t, color);
    }
  }

  // cursor draws one that is no block: a line under or beside the glyph; hollow where the keyboard is elsewhere.
  private cursor(s: TermScreen, at: number, h: number, k: number, color: number, focused: boolean): void {
    const c = s.cursor;
    const left = this.xs[c.x - this.part.x0]!;
    const right = this.xs[Math.min(c.x - this.part.x0 + (s.cursorWide ? 2 : 1), this.xs.length - 1)]!;
    const t = stroke(k);
    if (!focused) {
      bar(at, h, left, right, 0, t, color);
      bar(at, h, left, right, h - t, t, color);
      bar(at, h, left, left + t, 0, h, color);
      bar(at, h, right - t, right, 0, h, color);
    } else if (c.shape === 2) {
      const high = Math.max(1, Math.round(1.6 * k));
      bar(at, h, left, right, h - high, high, color);
    } else {
      bar(at, h, left, left + Math.max(1, Math.round(1.4 * k)), 0, h, color);
    }
  }
}

// thin is how thick the lines of text are.
function thin(k: number): number {
  return Math.max(1, Math.round(0.9 * k));
}

// bar fills columns of pixels of a row, t high from y on, and nothing outside of the row.
function bar(at: number, h: number, left: number, right: number, y: number, t: number, color: number): void {
  const px = strip.pixels;
  for (let j = Math.max(0, y); j < Math.min(h, y + t); j++) {
    const row = at + j * strip.width;
    px.fill(color, row + left, row + right);
  }
}

// blend is b with the share w of 256 of a, opaque.
function blend(a: number, b: number, w: number): number {
  const rb = (Math.imul(a & 0xff00ff, w) + Math.imul(b & 0xff00ff, 256 - w)) >>> 8;
  const g = (Math.imul(a & 0xff00, w) + Math.imul(b & 0xff00, 256 - w)) >>> 8;
  return (0xff000000 | (rb & 0xff00ff) | (g & 0xff00)) >>> 0;
}

// near says that text of one colour can hardly be read on the other.
function near(a: number, b: number): boolean {
  const light = (c: number): number => 3 * (c >> 16) + 6 * ((c >> 8) & 255) + (c & 255);
  return Math.abs(light(a) - light(b)) < 600; // of 2550
}
