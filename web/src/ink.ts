// ink owns the shape of a stroke in the page: the brushes, packed samples, the circles they expand to, and the outline of
// the union of the hulls of consecutive circles. The twin of the Go package ink, bit for bit: only + − × ÷ √, and what Go
// does in integers stays below 2^53 here. ink/testdata holds both to it.

// --------------------------------------------------------------------------------------------------------------------
// Brushes

export type Join = "curve" | "straight"; // a uniform Catmull-Rom curve through the samples | straight lines
export type Mode = "over" | "erase"; // source over | destination out; a stroke is always filled once

export interface Brush {
  name: string;
  join: Join;
  mode: Mode;
}

export const PEN = 1;
export const HIGHLIGHTER = 2;
export const ERASER = 3;
export const LINER = 4;

/** brushes by their row; rows are never used again. */
export const brushes: readonly (Brush | undefined)[] = [
  undefined,
  { name: "pen", join: "curve", mode: "over" },
  { name: "highlighter", join: "curve", mode: "over" },
  { name: "eraser", join: "curve", mode: "erase" },
  { name: "liner", join: "straight", mode: "over" },
];

export const MAX_POINTS = 131072; // samples of a stroke
export const MAX_DIAMETER = 2 ** 20; // units; the least is 1

// --------------------------------------------------------------------------------------------------------------------
// Samples, circles and outlines: numbers in a row that keep their memory

/** Samples are x, y, diameter; x, y, diameter; … in units. xyd may be longer than 3 · count. */
export interface Samples {
  xyd: Float64Array;
  count: number;
}

/** Circles are x, y, radius; … in units: centres multiples of 1/64, radii of 1/32. */
export interface Circles {
  xyr: Float64Array;
  count: number;
}

/** Outline is a set of closed contours: x, y; … in xy, and in ends where in it each of them ends. */
export class Outline {
  xy: Float64Array = new Float64Array(1024);
  at = 0; // numbers used of xy
  ends = new Int32Array(64);
  contours = 0;

  reset(): void {
    this.at = 0;
    this.contours = 0;
  }

  push(x: number, y: number): void {
    if (this.at + 2 > this.xy.length) this.xy = grown(this.xy, this.at + 2);
    this.xy[this.at++] = x;
    this.xy[this.at++] = y;
  }

  close(): void {
    if (this.contours === this.ends.length) {
      const more = new Int32Array(2 * this.contours);
      more.set(this.ends);
      this.ends = more;
    }
    this.ends[this.contours++] = this.at;
  }
}

function grown(a: Float64Array, least: number): Float64Array {
  const b = new Float64Array(Math.max(2 * a.length, least));
  b.set(a);
  return b;
}

/**
 * readPoints appends packed samples, as in wire.Stroke.points, to `out`: deltas against its last sample. It says false, and
 * leaves `out` as it was, when they are cut off or garbled.
 */
export function readPoints(out: Samples, b: Uint8Array, width: number): boolean {
  const planes = width === 0 ? 3 : 2;
  const most = 3 * (out.count + Math.ceil(b.length / planes));
  if (out.xyd.length < most) out.xyd = grown(out.xyd, most);
  const a = out.xyd;
  let n = 3 * out.count;
  let x = n > 0 ? a[n - 3]! : 0;
  let y = n > 0 ? a[n - 2]! : 0;
  let d = width !== 0 ? width : n > 0 ? a[n - 1]! : 0;
  for (let i = 0; i < b.length; ) {
    for (let plane = 0; plane < planes; plane++) {
      let v = 0;
      for (let unit = 1; ; unit *= 128) {
        const c = b[i++];
        if (c === undefined || unit > 2 ** 42) return false; // as in Go: at most seven bytes
        v += (c & 0x7f) * unit;
        if (c < 0x80) break;
      }
      v = v % 2 === 0 ? v / 2 : -(v + 1) / 2;
      if (plane === 0) x += v;
      else if (plane === 1) y += v;
      else d += v;
    }
    a[n++] = x;
    a[n++] = y;
    a[n++] = d;
  }
  out.count = n / 3;
  return true;
}

// --------------------------------------------------------------------------------------------------------------------
// Curves

const maxCut = 4; // at most 16 chords a segment
const parts = [32, 4, 1 / 2, 1 / 16, 1 / 128]; // 32/8^k
const maxHop = 2 ** 36; // a segment with a longer coordinate difference stays straight: all sums stay below 2^53

/**
 * expand makes the circles of n samples, cut as finely as anybody can see at `scale` px per unit. `lead` and `tail` say that
 * the first and the last sample only shape the curve.
 */
export function expand(out: Circles, xyd: Float64Array, n: number, join: Join, lead: boolean, tail: boolean, scale: number): void {
  expandAt(out, xyd, n, join, lead, tail, coarseAt(scale));
}

/** expandAt is expand with chords that err by up to 2^coarse/4 units. 0 is the exact shape; coarser ones are subsets of it. */
export function expandAt(out: Circles, xyd: Float64Array, n: number, join: Join, lead: boolean, tail: boolean, coarse: number): void {
  out.count = 0;
  const unit = 2 ** coarse;
  const from = lead ? 1 : 0;
  const to = tail ? n - 2 : n - 1;
  if (to < from) return;
  put(out, xyd[3 * from]!, xyd[3 * from + 1]!, xyd[3 * from + 2]! / 2);
  for (let i = from; i < to; i++) {
    const p1 = 3 * i;
    const p2 = p1 + 3;
    if (join === "curve") cut(out, xyd, i > 0 ? p1 - 3 : p1, p1, p2, i + 2 < n ? p2 + 3 : p2, unit);
    put(out, xyd[p2]!, xyd[p2 + 1]!, xyd[p2 + 2]! / 2);
  }
}

function put(out: Circles, x: number, y: number, r: number): void {
  const n = 3 * out.count++;
  if (n + 3 > out.xyr.length) out.xyr = grown(out.xyr, n + 3);
  const a = out.xyr;
  a[n] = x;
  a[n + 1] = y;
  a[n + 2] = r;
}

/** coarseAt is the coarsest expansion that nobody sees at `scale` px per unit: chords err by at most 1/16 px. */
export function coarseAt(scale: number): number {
  let coarse = 0;
  for (let err = scale / 2; err <= 1 / 16 && coarse < 40; err *= 2) coarse++;
  return coarse;
}

// cut appends the circles between two samples: see curve.go for the rule.
function cut(out: Circles, a: Float64Array, p0: number, p1: number, p2: number, p3: number, unit: number): void {
  const x1 = a[p1]!;
  const y1 = a[p1 + 1]!;
  const d0x = a[p0]! - x1;
  const d0y = a[p0 + 1]! - y1;
  const d2x = a[p2]! - x1;
  const d2y = a[p2 + 1]! - y1;
  const d3x = a[p3]! - x1;
  const d3y = a[p3 + 1]! - y1;
  if (Math.max(Math.abs(d0x), Math.abs(d0y), Math.abs(d2x), Math.abs(d2y), Math.abs(d3x), Math.abs(d3y)) > maxHop) return;
  const bx = 2 * d0x + 4 * d2x - d3x;
  const by = 2 * d0y + 4 * d2y - d3y;
  const cx = -d0x - 3 * d2x + d3x;
  const cy = -d0y - 3 * d2y + d3y;
  const k = cuts(bx, by, bx + 3 * cx, by + 3 * cy, unit);
  if (k === 0) return;
  const ax = d2x - d0x;
  const ay = d2y - d0y;
  const n = 1 << k;
  const nn = n * n;
  const part = parts[k]!;
  const w1 = a[p1 + 2]!;
  const dw = a[p2 + 2]! - w1;
  for (let j = 1; j < n; j++) {
    const x = j * (ax * nn + j * (bx * n + j * cx));
    const y = j * (ay * nn + j * (by * n + j * cy));
    // v·32/8^k is the cut in 1/64 units, rounded half up.
    put(out, (x1 * 64 + Math.floor(x * part + 0.5)) / 64, (y1 * 64 + Math.floor(y * part + 0.5)) / 64, (w1 * n + dw * j) / (2 * n));
  }
}

function cuts(bx: number, by: number, ex: number, ey: number, unit: number): number {
  let m = Math.floor(Math.max(length(bx, by), length(ex, ey)) / unit);
  let k = 0;
  while (m > 2 && k < maxCut) {
    m = Math.floor((m + 3) / 4);
    k++;
  }
  return k;
}

function length(x: number, y: number): number {
  x = Math.abs(x);
  y = Math.abs(y);
  return Math.max(x, y) + Math.floor(Math.min(x, y) / 2);
}

// --------------------------------------------------------------------------------------------------------------------
// Hulls

const flatPx = 0.1; // how far, in px, a contour may be from the true outline
const thinLine = 4; // what may be left out of lines thinner than a pixel, in radii

/**
 * hull appends the union of the hulls of consecutive circles, as contours to be filled non-zero, flattened to 0.1 px at
 * `scale` px per unit. See hull.go for why it has no holes.
 */
export function hull(out: Outline, circles: Circles, scale: number): void {
  if (circles.count > 0) huller.run(out, circles.xyr, 3 * circles.count, scale);
}

class Huller {
  private out = new Outline();
  private readonly left = new Outline(); // the way back of the contour being made, in reverse
  private row = this.out; // where vertices go now: one or the other
  private tol = 0;
  private open = false;
  // The newest circle.
  private x = 0;
  private y = 0;
  private r = 0;
  // The side that leads to it: direction, left and right normals, length of the tangents.
  private ux = 0;
  private uy = 0;
  private lx = 0;
  private ly = 0;
  private rx = 0;
  private ry = 0;
  private t = 0;

  run(out: Outline, a: Float64Array, n: number, scale: number): void {
    this.out = out;
    this.row = out;
    this.tol = flatPx / 2 / scale;
    this.open = false;
    this.x = a[0]!;
    this.y = a[1]!;
    this.r = a[2]!;
    let covered = false;
    for (let i = 3; i < n; i += 3) {
      const bx = a[i]!;
      const by = a[i + 1]!;
      const br = a[i + 2]!;
      const dx = bx - this.x;
      const dy = by - this.y;
      const d = Math.sqrt(dx * dx + dy * dy);
      const dr = this.r - br;
      if ((d === 0 && dr === 0) || (i < n - 3 && d + Math.abs(dr) <= Math.min(this.tol, thinLine * this.r))) continue;
      if (d <= Math.abs(dr)) {
        if (this.open) this.finish();
        else if (!covered && dr >= 0) this.disc();
        covered = dr >= 0;
      } else {
        const ux = dx / d;
        const uy = dy / d;
        const c = dr / d;
        const q = Math.sqrt(Math.max(0, 1 - c * c));
        const lx = c * ux - q * uy;
        const ly = c * uy + q * ux;
        const rx = c * ux + q * uy;
        const ry = c * uy - q * ux;
        const t = d * q;
        if (this.open && !(this.ux * ux + this.uy * uy > 0 && this.lx * lx + this.ly * ly > 0 && this.rx * rx + this.ry * ry > 0)) this.finish();
        if (this.open) this.joint(lx, ly, rx, ry, t);
        else this.begin(ux, uy, lx, ly, rx, ry);
        this.ux = ux;
        this.uy = uy;
        this.lx = lx;
        this.ly = ly;
        this.rx = rx;
        this.ry = ry;
        this.t = t;
        covered = false;
      }
      this.x = bx;
      this.y = by;
      this.r = br;
    }
    if (this.open) this.finish();
    else if (!covered) this.disc();
  }

  private begin(ux: number, uy: number, lx: number, ly: number, rx: number, ry: number): void {
    this.open = true;
    this.left.reset();
    this.at(lx, ly);
    this.arcTo(lx, ly, -ux, -uy);
    this.arcTo(-ux, -uy, rx, ry);
  }

  private finish(): void {
    this.open = false;
    const { ux, uy, lx, ly, rx, ry } = this;
    this.at(rx, ry);
    this.arcTo(rx, ry, ux, uy);
    this.arcTo(ux, uy, lx, ly);
    const left = this.left;
    const out = this.out;
    for (let i = left.at - 2; i >= 0; i -= 2) out.push(left.xy[i]!, left.xy[i + 1]!);
    out.close();
  }

  private joint(lx: number, ly: number, rx: number, ry: number, t: number): void {
    const short = 0.25 * Math.min(this.t, t);
    if (!this.middle(short, this.rx, this.ry, rx, ry)) {
      this.at(this.rx, this.ry);
      if (this.rx * ry - this.ry * rx > 0) {
        this.arcTo(this.rx, this.ry, rx, ry);
      } else {
        this.row.push(this.x, this.y);
        this.at(rx, ry);
      }
    }
    this.row = this.left;
    if (!this.middle(short, this.lx, this.ly, lx, ly)) {
      this.at(this.lx, this.ly);
      if (this.lx * ly - this.ly * lx < 0) {
        this.arcTo(this.lx, this.ly, lx, ly);
      } else {
        this.row.push(this.x, this.y);
        this.at(lx, ly);
      }
    }
    this.row = this.out;
  }

  // middle adds the one point that can stand for both, if there is one.
  private middle(short: number, x1: number, y1: number, x2: number, y2: number): boolean {
    let mx = x1 + x2;
    let my = y1 + y2;
    const l = Math.sqrt(mx * mx + my * my);
    mx /= l;
    my /= l;
    if (!(this.r * (1 - (x1 * mx + y1 * my)) <= this.tol && this.r * Math.abs(x1 * my - y1 * mx) <= short)) return false;
    this.at(mx, my);
    return true;
  }

  private disc(): void {
    this.arcTo(1, 0, 0, 1);
    this.arcTo(0, 1, -1, 0);
    this.arcTo(-1, 0, 0, -1);
    this.arcTo(0, -1, 1, 0);
    this.out.close();
  }

  private at(nx: number, ny: number): void {
    this.row.push(this.x + this.r * nx, this.y + this.r * ny);
  }

  private arcTo(x1: number, y1: number, x2: number, y2: number): void {
    let mx = x1 + x2;
    let my = y1 + y2;
    const l = Math.sqrt(mx * mx + my * my);
    mx /= l;
    my /= l;
    if (this.r * (1 - (x1 * mx + y1 * my)) <= this.tol) {
      this.at(x2, y2);
      return;
    }
    this.arcTo(x1, y1, mx, my);
    this.arcTo(mx, my, x2, y2);
  }
}

const huller = new Huller();
