// beds owns what lies beneath the ink of the squares: pictures of places and of terminals, one a kind and square, and where each is
// drawn. A square whose own picture is not here yet is stood in for by what is finer or coarser, as ink is, but apart from it: a bed
// may come long after the ink.

import type { Cover } from "./cover.ts";
import { css } from "./pen.ts";
import type { Phases, Shade } from "./phases.ts";
import { tileKey } from "./tile.ts";
import type { Layer } from "./wire.ts";

/** PLACES and TERMINALS are the kinds of content that beds are of: Layer.content. */
export const PLACES = 2;
export const TERMINALS = 3;

/** KINDS lists them from bottom to top, as Square.beds does. */
export const KINDS: readonly number[] = [PLACES, TERMINALS];

/** NO_TERMINALS is Want.without: terminals are not wanted as pictures. */
export const NO_TERMINALS = 1 << TERMINALS;

const NOTHING: Bed = { known: true, version: 0, provisional: false, image: undefined, phases: undefined, color: 0, coming: undefined };

/** Bed is what a square holds beneath its ink. Known and without image or colour: there is nothing. */
export interface Bed {
  /** known: the server has said what is there. */
  known: boolean;
  version: number;
  provisional: boolean;
  image: ImageBitmap | undefined;
  phases: Phases | undefined; // what the image is of, where that can have other colours
  color: number; // instead of an image: 0xRRGGBBAA; 0: none
  /** coming is the newest news, while its image is decoded. */
  coming: Layer | undefined;
}

export function noBeds(): Bed[] {
  return KINDS.map(() => ({ known: false, version: 0, provisional: false, image: undefined, phases: undefined, color: 0, coming: undefined }));
}

/** heldVersion is the version of the settled picture that is here or being decoded; 0: none. */
export function heldVersion(b: Bed): number {
  const m = b.coming ?? b;
  return m.provisional ? 0 : m.version;
}

interface Bedded {
  readonly level: number;
  readonly x: bigint;
  readonly y: bigint;
  readonly beds: readonly Bed[];
  /** terms: how terminals reach it, as Terms.reach says. */
  readonly terms: number;
}

/** Step is one part of a frame: a part of a bed onto a part of the screen, in squares of the cover. */
interface Step {
  bed: Bed;
  sx: number; // fraction of the picture's side
  sy: number;
  sf: number;
  x: number;
  y: number;
  side: number;
}

const UP = 24; // levels a stand-in may be coarser: a fast zoom leaves many behind
const DOWN = 2; // and finer

/** Beds plans and draws what of one kind lies beneath a view. */
export class Beds {
  private readonly steps: Step[] = [];
  private planned = 0;
  private cover: Cover | undefined;
  private own = 0;

  private readonly row: number; // of KINDS

  constructor(
    private readonly get: (key: string) => Bedded | undefined,
    private readonly kind: number,
  ) {
    this.row = KINDS.indexOf(kind);
  }

  // bed is what is known of a square, undefined if nothing is.
  private bed(key: string): Bed | undefined {
    const s = this.get(key);
    if (s === undefined) return undefined;
    if (this.kind === TERMINALS && s.terms === 0) return NOTHING;
    const bed = s.beds[this.row]!;
    return bed.known ? bed : undefined;
  }

  plan(c: Cover): void {
    this.cover = c;
    this.planned = this.own = 0;
    for (let j = 0; j < c.rows; j++) {
      for (let i = 0; i < c.cols; i++) this.stand(c.level, c.x + BigInt(i), c.y + BigInt(j), i, j, 1, 0);
    }
  }

  /** counts says how many squares of the newest plan there are, how many show their own bed, and how much shows none. */
  get counts(): { squares: number; own: number; blank: number } {
    const squares = this.cover === undefined ? 0 : this.cover.cols * this.cover.rows;
    let area = 0;
    for (let n = 0; n < this.planned; n++) area += this.steps[n]!.side ** 2;
    return { squares, own: this.own, blank: squares - area };
  }

  private stand(level: number, x: bigint, y: bigint, px: number, py: number, side: number, depth: number): void {
    const bed = this.bed(tileKey(level, x, y));
    if (bed !== undefined) {
      if (depth === 0) this.own++;
      this.step(bed, 0, 0, 1, px, py, side);
      return;
    }
    if (this.finer(level, x, y, DOWN - depth)) {
      const half = side / 2;
      for (let q = 0; q < 4; q++) {
        const dx = q & 1;
        const dy = q >> 1;
        this.stand(level + 1, 2n * x + BigInt(dx), 2n * y + BigInt(dy), px + dx * half, py + dy * half, half, depth + 1);
      }
      return;
    }
    for (let up = 1; up <= UP + depth; up++) {
      const shift = BigInt(up);
      const ax = x >> shift;
      const ay = y >> shift;
      const a = this.bed(tileKey(level - up, ax, ay));
      if (a === undefined) continue;
      const f = 2 ** -up;
      this.step(a, Number(x - (ax << shift)) * f, Number(y - (ay << shift)) * f, f, px, py, side);
      return;
    }
  }

  private finer(level: number, x: bigint, y: bigint, depth: number): boolean {
    if (depth <= 0) return false;
    for (let q = 0; q < 4; q++) {
      const cx = 2n * x + BigInt(q & 1);
      const cy = 2n * y + BigInt(q >> 1);
      if (this.bed(tileKey(level + 1, cx, cy)) !== undefined) return true;
      if (this.finer(level + 1, cx, cy, depth - 1)) return true;
    }
    return false;
  }

  private step(bed: Bed, sx: number, sy: number, sf: number, x: number, y: number, side: number): void {
    let s = this.steps[this.planned];
    if (s === undefined) this.steps.push((s = { bed, sx, sy, sf, x, y, side }));
    this.planned++;
    s.bed = bed;
    s.sx = sx;
    s.sy = sy;
    s.sf = sf;
    s.x = x;
    s.y = y;
    s.side = side;
  }

  /** draw paints the newest plan. */
  draw(ctx: OffscreenCanvasRenderingContext2D, c: Cover, shade: Shade): void {
    for (let n = 0; n < this.planned; n++) {
      const s = this.steps[n]!;
      const { phases, color } = s.bed;
      const image = (phases === undefined ? undefined : shade.picture(phases)) ?? s.bed.image;
      if (image === undefined && color === 0) continue;
      const x = Math.round(c.left + s.x * c.size);
      const y = Math.round(c.top + s.y * c.size);
      const w = Math.round(c.left + (s.x + s.side) * c.size) - x;
      const h = Math.round(c.top + (s.y + s.side) * c.size) - y;
      if (w <= 0 || h <= 0) continue;
      if (image === undefined) {
        ctx.fillStyle = css(color);
        ctx.fillRect(x, y, w, h);
      } else if (s.sf === 1) {
        ctx.drawImage(image, x, y, w, h);
      } else {
        ctx.drawImage(image, s.sx * image.width, s.sy * image.height, s.sf * image.width, s.sf * image.height, x, y, w, h);
      }
    }
  }
}
