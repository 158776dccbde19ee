// view is the arithmetic of looking: points of the plane held exactly, and the place from which a point is seen where it
// should be. Nothing is accumulated: whoever zooms around a point keeps the point and asks for the place, so 2,000 levels out
// and back end where they began.

import type { Address, Extent, Place } from "./protocol.ts";
import { MAX_LEVEL } from "./tile.ts";

/** Point is a point of the plane: x, y in tiles of the level, times 2^52. */
export interface Point {
  level: number;
  x: bigint;
  y: bigint;
}

const BITS = 52n;
const ONE = 2 ** 52;

/** Levels a view may stand on: all there are, as links reach them. Covers and homes keep within them by themselves. */
export const MAX_VIEW_LEVEL = MAX_LEVEL;

/** depth is the level as a real number: 0 where a root tile is 256 px. */
export function depth(p: Place): number {
  return p.level + Math.log2(p.s / 256);
}

/** pointAt is what lies at (px, py) CSS px of the view. */
export function pointAt(p: Place, px: number, py: number): Point {
  return { level: p.level, x: (p.x << BITS) + fixed(p.fx + px / p.s), y: (p.y << BITS) + fixed(p.fy + py / p.s) };
}

/** seen is the place from which `a` lies at (px, py), with tiles of `level` s px wide. */
export function seen(a: Point, px: number, py: number, level: number, s: number): Place {
  [level, s] = normal(level, s);
  const by = level - a.level;
  const shift = (v: bigint): bigint => (by >= 0 ? v << BigInt(by) : v >> BigInt(-by));
  const x = shift(a.x) - fixed(px / s);
  const y = shift(a.y) - fixed(py / s);
  return { level, x: x >> BITS, y: y >> BITS, fx: Number(BigInt.asUintN(52, x)) / ONE, fy: Number(BigInt.asUintN(52, y)) / ONE, s };
}

/** panned is the place after the canvas moved by (dx, dy) CSS px. */
export function panned(p: Place, dx: number, dy: number): Place {
  const [x, fx] = carry(p.x, p.fx - dx / p.s);
  const [y, fy] = carry(p.y, p.fy - dy / p.s);
  return { ...p, x, y, fx, fy };
}

/** normal keeps a tile between 256 and 512 px wide, and the level within bounds. */
export function normal(level: number, s: number): [number, number] {
  if (!(s > 0) || !Number.isFinite(s)) s = 256;
  const by = Math.floor(Math.log2(s / 256));
  level += by;
  s /= 2 ** by;
  if (s >= 512) [level, s] = [level + 1, s / 2]; // log2 rounded down
  if (s < 256) [level, s] = [level - 1, s * 2];
  if (level > MAX_VIEW_LEVEL) return [MAX_VIEW_LEVEL, 511];
  if (level < -MAX_VIEW_LEVEL) return [-MAX_VIEW_LEVEL, 256];
  return [level, s];
}

/** from is the way from one place's corner to the other's, in CSS px of the first; infinite where that is far. */
export function from(a: Place, b: Place): { x: number; y: number } {
  const by = b.level - a.level;
  const one = 2 ** -by; // tiles of a's level per tile of b's
  if (by >= 0) {
    const up = BigInt(Math.min(by, 2_000_000));
    return { x: (Number(b.x - (a.x << up)) * one + b.fx * one - a.fx) * a.s, y: (Number(b.y - (a.y << up)) * one + b.fy * one - a.fy) * a.s };
  }
  const up = BigInt(-by);
  return { x: (Number((b.x << up) - a.x) + b.fx * one - a.fx) * a.s, y: (Number((b.y << up) - a.y) + b.fy * one - a.fy) * a.s };
}

/** local takes (px, py) of the view into units of a tile. Exact to 2^-40 px while the tile is within some 20 levels. */
export function local(p: Place, home: Address, px: number, py: number): { x: number; y: number; unit: number } {
  const by = p.level - home.level; // levels the view is below the tile
  const unit = 2 ** (14 - by) / p.s; // units a px
  const corner = (v: bigint, f: number, h: bigint): number => {
    const rest = f * 2 ** (14 - by);
    return by >= 0 ? Number(v - (h << BigInt(by))) * 2 ** (14 - by) + rest : Number((v << BigInt(-by)) - h) * 2 ** 14 + rest;
  };
  return { x: corner(p.x, p.fx, home.x) + px * unit, y: corner(p.y, p.fy, home.y) + py * unit, unit };
}

/** homeAt is the tile under (px, py) that a stroke drawn there is local to: the one shown nearest to 256 px wide. */
export function homeAt(p: Place, px: number, py: number): Address {
  const level = Math.max(-MAX_LEVEL, Math.min(MAX_LEVEL, p.level + Math.round(Math.log2(p.s / 256))));
  const a = pointAt(p, px, py);
  const by = BigInt(Math.abs(level - p.level));
  const to = (v: bigint): bigint => (level >= p.level ? v << by : v >> by) >> BITS;
  return { level, x: to(a.x), y: to(a.y) };
}

/** fit is the place that shows a box whole, in the middle, with some room around it. */
export function fit(e: Extent, width: number, height: number): Place {
  const unit = (v: number): number => v / 16384;
  const [w, h] = [Math.max(unit(e.maxX - e.minX), 1e-3), Math.max(unit(e.maxY - e.minY), 1e-3)];
  // The tools lie over the lower edge. A lone dot does not fill the screen: home is no finer than it was drawn, and up to six
  // times as wide as what is large.
  const s = Math.min((width * 0.86) / w, (height * 0.7) / h, 32 * 256);
  const at = (v: bigint, lo: number, hi: number): bigint => (v << BITS) + fixed(unit((lo + hi) / 2));
  const middle: Point = { level: e.home.level, x: at(e.home.x, e.minX, e.maxX), y: at(e.home.y, e.minY, e.maxY) };
  return seen(middle, width / 2, height / 2, e.home.level, s);
}

/** grown is the box with the point (x, y) of another tile in it, and r units of that tile around. */
export function grown(e: Extent | undefined, t: Address, x: number, y: number, r: number): Extent {
  if (!e) return { home: t, minX: x - r, minY: y - r, maxX: x + r, maxY: y + r };
  const by = t.level - e.home.level;
  if (Math.abs(by) > 40) return e; // too small to matter, or too large for these units: the server knows
  const k = 2 ** -by;
  const to = (v: bigint, f: number, h: bigint): number =>
    by >= 0 ? (Number(v - (h << BigInt(by))) * 16384 + f) * k : Number((v << BigInt(-by)) - h) * 16384 + f * k;
  const [px, py] = [to(t.x, x, e.home.x), to(t.y, y, e.home.y)];
  const pr = r * k;
  return { home: e.home, minX: Math.min(e.minX, px - pr), minY: Math.min(e.minY, py - pr), maxX: Math.max(e.maxX, px + pr), maxY: Math.max(e.maxY, py + pr) };
}

/** shownIn is where the box lies in the view, CSS px. */
export function shownIn(e: Extent, p: Place): { left: number; top: number; right: number; bottom: number } {
  const corner = from(p, { ...e.home, fx: 0, fy: 0, s: 256 });
  const px = (p.s * 2 ** Math.max(-1070, Math.min(1000, p.level - e.home.level))) / 16384;
  return { left: corner.x + e.minX * px, top: corner.y + e.minY * px, right: corner.x + e.maxX * px, bottom: corner.y + e.maxY * px };
}

function fixed(tiles: number): bigint {
  const whole = Math.floor(tiles);
  return (BigInt(whole) << BITS) + BigInt(Math.round((tiles - whole) * ONE));
}

function carry(v: bigint, f: number): [bigint, number] {
  const whole = Math.floor(f);
  const rest = f - whole;
  return rest < 1 ? [v + BigInt(whole), rest] : [v + BigInt(whole) + 1n, 0];
}
