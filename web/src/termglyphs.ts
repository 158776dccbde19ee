// termglyphs owns glyphs as pixels: how much of each pixel of a grid cell a glyph covers, for one size of grid cells. They are
// made once, by the browser's own text, and then only copied: a full screen of text costs no call to the browser but one.

import { isShape, shape } from "./termbox.ts";
import { CLUSTER, GLYPH, glyphText, WIDE } from "./termrow.ts";
import { ADVANCE, BASELINE, CELL_H } from "./termtheme.ts";

/** FAMILY is the font; the page's fallbacks draw what it has not. */
const FAMILY = "FractalMono, 'DejaVu Sans Mono', monospace, 'Noto Color Emoji', sans-serif";

/** Glyph is what there is to draw in a grid cell: `ink` for any colour, or `colors` of its own. */
export interface Glyph {
  /** Where its pixels lie in the grid cell, and how many they are. */
  x: number;
  y: number;
  w: number;
  h: number;
  ink: Uint8Array; // coverage of 255
  colors: Uint32Array | undefined; // straight, as ImageData has them
}

const NOTHING: Glyph = { x: 0, y: 0, w: 0, h: 0, ink: new Uint8Array(0), colors: undefined };

/** MAX_BYTES of pixels are kept for all sizes together; beyond, all is made anew. A size in use has some 100 kB. */
const MAX_BYTES = 24 << 20;

let scratch: OffscreenCanvasRenderingContext2D | undefined;

// canvas gives the scratch, cleared, of at least that size.
function canvas(w: number, h: number): OffscreenCanvasRenderingContext2D {
  if (scratch === undefined) {
    const ctx = new OffscreenCanvas(Math.max(w, 64), Math.max(h, 64)).getContext("2d", { willReadFrequently: true });
    if (ctx === null) throw new Error("this browser gives a worker no canvas");
    scratch = ctx;
  }
  const c = scratch.canvas;
  if (c.width < w || c.height < h) {
    c.width = Math.max(c.width, w);
    c.height = Math.max(c.height, h);
  }
  scratch.setTransform(1, 0, 0, 1, 0, 0);
  scratch.clearRect(0, 0, w, h);
  scratch.fillStyle = scratch.strokeStyle = "#ffffff";
  scratch.textBaseline = "alphabetic";
  return scratch;
}

/** Glyphs are those of one size: grid cells of cw × ch device pixels. */
class Glyphs {
  private readonly ascii: (Glyph | undefined)[] = [];
  private readonly rest = new Map<number, Glyph>();
  private readonly k: number;
  private readonly high: number; // of every picture of text

  constructor(
    private readonly cw: number,
    private readonly ch: number,
    private readonly grown: (bytes: number) => void,
  ) {
    this.k = ch / CELL_H;
    this.high = Math.ceil(ch);
  }

  /** get is the glyph of a grid cell that is w × h pixels: as large as the size, rounded up or down. */
  get(glyph: number, face: number, w: number, h: number): Glyph {
    if (glyph < 128) {
      const known = this.ascii[face * 128 + glyph];
      if (known !== undefined) return known;
      this.makeAscii(face);
      return this.ascii[face * 128 + glyph]!;
    }
    const geometry = isShape(glyph & GLYPH);
    // What is geometry fits the pixels of its grid cell; text is the same in all.
    const fit = geometry ? (w > this.cw ? 1 : 0) + (h > this.ch ? 2 : 0) : face;
    const key = glyph * 4 + fit; // glyphs have 23 bits
    let g = this.rest.get(key);
    if (g === undefined) this.rest.set(key, (g = geometry ? this.makeShape(glyph & GLYPH, w, h) : this.makeText(glyph, face)));
    return g;
  }

  private font(face: number): string {
    const px = this.cw / ADVANCE;
    return `${face & 2 ? "italic " : ""}${face & 1 ? "bold " : ""}${px}px ${FAMILY}`;
  }

  // makeAscii makes all of a face at once: they are needed together, and reading back costs more than drawing.
  private makeAscii(face: number): void {
    const w = Math.ceil(this.cw);
    const step = w + 2; // apart, so that nothing hangs over into the next
    const ctx = canvas(step * 32, this.high * 3);
    ctx.font = this.font(face);
    const y = this.k * BASELINE;
    for (let c = 33; c < 127; c++) {
      const [i, j] = [(c - 32) % 32, (c - 32) >> 5];
      ctx.save();
      ctx.beginPath();
      ctx.rect(i * step, j * this.high, w, this.high);
      ctx.clip();
      ctx.fillText(String.fromCharCode(c), i * step, j * this.high + y);
      ctx.restore();
    }
    const all = ctx.getImageData(0, 0, step * 32, this.high * 3);
    for (let c = 0; c < 128; c++) {
      const [i, j] = [(c - 32) % 32, (c - 32) >> 5];
      this.ascii[face * 128 + c] = c < 33 || c === 127 ? NOTHING : this.cut(all, i * step, j * this.high, w, this.high);
    }
  }

  private makeText(glyph: number, face: number): Glyph {
    const text = glyphText(glyph);
    const wide = (glyph & WIDE) !== 0;
    if (text === "" || (glyph & CLUSTER) === 0 && blank(glyph & GLYPH)) return NOTHING;
    const room = wide ? 2 * this.cw : this.cw;
    const w = Math.ceil(room);
    const ctx = canvas(w, this.high);
    ctx.font = this.font(face);
    // Another font's glyph may be wider than its grid cells: it is made narrower; a narrower one of two stands in the middle.
    const advance = ctx.measureText(text).width;
    const x = wide && advance < room ? (room - advance) / 2 : 0;
    ctx.save();
    ctx.beginPath();
    ctx.rect(0, 0, w, this.high);
    ctx.clip();
    if (advance > room * 1.01) ctx.fillText(text, 0, this.k * BASELINE, room);
    else ctx.fillText(text, x, this.k * BASELINE);
    ctx.restore();
    return this.cut(ctx.getImageData(0, 0, w, this.high), 0, 0, w, this.high);
  }

  private makeShape(r: number, w: number, h: number): Glyph {
    const ctx = canvas(w, h);
    ctx.save();
    ctx.beginPath();
    ctx.rect(0, 0, w, h);
    ctx.clip();
    shape(ctx, r, w, h, this.k);
    ctx.restore();
    return this.cut(ctx.getImageData(0, 0, w, h), 0, 0, w, h);
  }

  // cut takes a glyph out of a picture, without what is empty around it.
  private cut(from: ImageData, x0: number, y0: number, w: number, h: number): Glyph {
    const pixels = new Uint32Array(from.data.buffer);
    const stride = from.width;
    let [left, top, right, bottom] = [w, h, 0, 0];
    let colored = false;
    for (let y = 0; y < h; y++) {
      for (let x = 0; x < w; x++) {
        const p = pixels[(y0 + y) * stride + x0 + x]!;
        if (p >>> 24 === 0) continue;
        if (x < left) left = x;
        if (x >= right) right = x + 1;
        if (y < top) top = y;
        bottom = y + 1;
        // White comes back as white, but for rounding where little is covered.
        if (p >>> 24 > 32 && ((p & 0xff) < 0xf0 || ((p >> 8) & 0xff) < 0xf0 || ((p >> 16) & 0xff) < 0xf0)) colored = true;
      }
    }
    if (right === 0) return NOTHING;
    const [gw, gh] = [right - left, bottom - top];
    const g: Glyph = { x: left, y: top, w: gw, h: gh, ink: new Uint8Array(colored ? 0 : gw * gh), colors: colored ? new Uint32Array(gw * gh) : undefined };
    for (let y = 0; y < gh; y++) {
      for (let x = 0; x < gw; x++) {
        const p = pixels[(y0 + top + y) * stride + x0 + left + x]!;
        if (g.colors !== undefined) g.colors[y * gw + x] = p;
        else g.ink[y * gw + x] = p >>> 24;
      }
    }
    this.grown(100 + g.ink.length + 4 * (g.colors?.length ?? 0));
    return g;
  }
}

export type { Glyphs };

// blank is whether a rune leaves no ink, as source/font.go has it.
function blank(r: number): boolean {
  return (
    r <= 0x20 || (r >= 0x7f && r <= 0xa0) || r === 0xad || r === 0x3000 || (r >= 0x2000 && r <= 0x200f) || (r >= 0x2028 && r <= 0x202f) ||
    (r >= 0x205f && r <= 0x206f) || r === 0xfeff || (r >= 0xfe00 && r <= 0xfe0f) || (r >= 0xe0000 && r <= 0xe0fff) || r === 0x2800
  );
}

/** GlyphCache keeps the glyphs of all sizes in use. */
export class GlyphCache {
  private readonly sizes = new Map<string, Glyphs>();
  private bytes = 0;
  /** version is another one when all glyphs are to be drawn anew: a font has come. */
  version = 0;

  of(cw: number, ch: number): Glyphs {
    const key = `${cw.toFixed(3)} ${ch.toFixed(3)}`;
    let g = this.sizes.get(key);
    if (g !== undefined) return g;
    if (this.bytes > MAX_BYTES || this.sizes.size >= 64) this.clear();
    g = new Glyphs(cw, ch, (n) => {
      this.bytes += n;
    });
    this.sizes.set(key, g);
    return g;
  }

  /** full says that more is kept than should be. */
  get full(): boolean {
    return this.bytes > MAX_BYTES;
  }

  clear(): void {
    this.sizes.clear();
    this.bytes = 0;
  }

  /** renew forgets what was drawn with another font. */
  renew(): void {
    this.clear();
    this.version++;
  }
}
