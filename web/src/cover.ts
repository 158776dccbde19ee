// cover owns which squares a view needs, in the order of need, and where they lie on the screen. It refuses to know what
// they hold. Big integers end here: a view's own tile is exact, everything else is a small number of tiles from it.

import type { Address, Place } from "./protocol.ts";
import { hex, keyOf, MAX_LEVEL, SIZE, tileKey, UNITS } from "./tile.ts";

/**
 * Cover is the grid of squares a view shows. Square (i, j) is the tile (level, x+i, y+j); its corner lies at
 * (left + i·size, top + j·size) in device pixels.
 */
export interface Cover {
  level: number;
  x: bigint;
  y: bigint;
  cols: number;
  rows: number;
  size: number;
  left: number; // in (−size, 0]
  top: number;
}

/**
 * cover chooses the level by rounding, so that a cell shows at 0.71–1.41 × its pixels, and coarser when the view would
 * need more than `most` squares.
 */
export function cover(p: Place, width: number, height: number, dpr: number, most: number): Cover {
  let k = 0; // levels below p.level
  let size = p.s * dpr;
  while (size >= SIZE * Math.SQRT2) {
    size /= 2;
    k++;
  }
  while (size < SIZE / Math.SQRT2) {
    size *= 2;
    k--;
  }
  const w = width * dpr;
  const h = height * dpr;
  while ((Math.ceil(w / size) + 1) * (Math.ceil(h / size) + 1) > most) {
    size *= 2;
    k--;
  }
  const level = Math.max(-MAX_LEVEL, Math.min(MAX_LEVEL, p.level + k));
  size *= 2 ** (p.level + k - level);
  k = level - p.level;
  const x = into(p.x, p.fx, k);
  const y = into(p.y, p.fy, k);
  const left = -x.rest * size;
  const top = -y.rest * size;
  return {
    level,
    x: x.whole,
    y: y.whole,
    cols: Math.max(1, Math.ceil((w - left) / size)),
    rows: Math.max(1, Math.ceil((h - top) / size)),
    size,
    left: left === 0 ? 0 : left,
    top: top === 0 ? 0 : top,
  };
}

// into takes coordinate v + f to the level k below: its tile there, and the rest in [0, 1). Exact when k ≥ 0; a rise of
// many levels keeps the 53 bits nearest the top, which is far below a pixel.
function into(v: bigint, f: number, k: number): { whole: bigint; rest: number } {
  if (k === 0) return { whole: v, rest: f };
  if (k > 0) {
    const scaled = f * 2 ** k;
    const whole = Math.floor(scaled);
    return { whole: (v << BigInt(k)) + BigInt(whole), rest: scaled - whole };
  }
  const whole = v >> BigInt(-k);
  const rest = (Number(v - (whole << BigInt(-k))) + f) / 2 ** -k;
  return rest < 1 ? { whole, rest } : { whole: whole + 1n, rest: 0 };
}

/** sameGrid says whether two covers show the same squares. */
export function sameGrid(a: Cover | undefined, b: Cover | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.level === b.level && a.cols === b.cols && a.rows === b.rows && a.x === b.x && a.y === b.y;
}

/** Need is a square somebody needs, d levels below the origin (`dx`, `dy` tiles from it at its level). */
export interface Need {
  level: number;
  x: bigint;
  y: bigint;
  key: string;
  /** visible: it is in the view now, or will be when the animation ends. */
  visible: boolean;
}

/** COARSE is how many levels up the stand-ins lie that are kept ready: a handful of squares that cover the view and far around. */
const COARSE = [3, 6];

/**
 * needs lists the squares of a view, without repeats, the most needed first: what is seen, from its centre outwards
 * (while an animation runs: first what will be seen when it ends), then a margin of one square, then coarse stand-ins: what
 * lies in them is the whole depth of the drawing, up to two fifths of what all the cells in view cost.
 */
export function needs(now: Cover, goal: Cover | undefined, most: number): Need[] {
  const list: Need[] = [];
  const seen = new Set<string>();
  const add = (level: number, x: bigint, y: bigint, key: string, visible: boolean): void => {
    if (seen.has(key) || list.length >= most) return;
    seen.add(key);
    list.push({ level, x, y, key, visible });
  };
  const end = goal ?? now;
  grid(end, 0, true, add);
  if (goal !== undefined) grid(now, 0, true, add);
  else grid(now, 1, false, add);
  for (const up of COARSE) above(end, up, add);
  return list;
}

type Add = (level: number, x: bigint, y: bigint, key: string, visible: boolean) => void;

// grid adds the squares of a cover and `margin` rings around it, the nearest to the middle first.
function grid(c: Cover, margin: number, visible: boolean, add: Add): void {
  const cols = c.cols + 2 * margin;
  const rows = c.rows + 2 * margin;
  const xs = Array.from({ length: cols }, (_, i) => c.x + BigInt(i - margin));
  const ys = Array.from({ length: rows }, (_, j) => c.y + BigInt(j - margin));
  const hexX = xs.map(hex);
  const hexY = ys.map(hex);
  const order = Array.from({ length: cols * rows }, (_, n) => n);
  // Twice the distance to the middle of the grid, in whole numbers: a total order with n.
  const far = (n: number): number => {
    const dx = 2 * (n % cols) - (cols - 1);
    const dy = 2 * Math.floor(n / cols) - (rows - 1);
    return dx * dx + dy * dy;
  };
  order.sort((a, b) => far(a) - far(b) || a - b);
  for (const n of order) {
    const i = n % cols;
    const j = Math.floor(n / cols);
    add(c.level, xs[i]!, ys[j]!, keyOf(c.level, hexX[i]!, hexY[j]!), visible);
  }
}

// above adds the squares `up` levels coarser that the cover lies in.
function above(c: Cover, up: number, add: Add): void {
  const level = c.level - up;
  if (level < -MAX_LEVEL) return;
  const shift = BigInt(up);
  const right = (c.x + BigInt(c.cols - 1)) >> shift;
  const bottom = (c.y + BigInt(c.rows - 1)) >> shift;
  for (let y = c.y >> shift; y <= bottom; y++) {
    for (let x = c.x >> shift; x <= right; x++) add(level, x, y, tileKey(level, x, y), false);
  }
}

/** Affine takes units of a tile to device pixels of a view: px = scale · units + (dx, dy). */
export interface Affine {
  scale: number;
  dx: number;
  dy: number;
}

// Beyond these many levels between a tile and the view a float cannot place it: the points of a coarser one lie too far
// away, those of a finer one all fall on one pixel.
const MAX_COARSER = 36;
const MAX_FINER = 60;

/** placed gives the map of a tile's units onto the screen, or undefined where there is none that is exact enough. */
export function placed(t: Address, p: Place, dpr: number): Affine | undefined {
  const d = t.level - p.level;
  if (d > MAX_FINER || d < -MAX_COARSER) return undefined;
  const s = p.s * dpr;
  const one = 2 ** -d; // tiles of the view's level per tile of t
  let x: number;
  let y: number;
  if (d >= 0) {
    x = Number(t.x - (p.x << BigInt(d))) * one - p.fx;
    y = Number(t.y - (p.y << BigInt(d))) * one - p.fy;
  } else {
    x = Number((t.x << BigInt(-d)) - p.x) - p.fx;
    y = Number((t.y << BigInt(-d)) - p.y) - p.fy;
  }
  return { scale: (s * one) / UNITS, dx: x * s, dy: y * s };
}

/** under gives the square of the cover under a device pixel, and where in it, in units. */
export function under(c: Cover, px: number, py: number): Address & { ux: number; uy: number } {
  const fx = (px - c.left) / c.size;
  const fy = (py - c.top) / c.size;
  const i = Math.floor(fx);
  const j = Math.floor(fy);
  return {
    level: c.level,
    x: c.x + BigInt(i),
    y: c.y + BigInt(j),
    ux: Math.round((fx - i) * UNITS),
    uy: Math.round((fy - j) * UNITS),
  };
}
