// permalink writes the place a person looks at into an address, exactly, at any depth: #v=level,x,y,scale. x and y are the
// middle of the view in tiles of that level, in hexadecimal with a fraction; scale is the side of such a tile over 256 px.
// The middle, not a corner, so that a phone and a desktop opening one link look at one thing.

import type { Place } from "./protocol.ts";
import { MAX_LEVEL } from "./tile.ts";

// Middle is a point of the plane, x and y in tiles of the level times 2^24, and how large a tile is shown.
export interface Middle {
  level: number;
  x: bigint;
  y: bigint;
  scale: number;
}

const fractionBits = 24n; // 2^-24 of a tile: 1/65,536 px
const fractionDigits = 6;

// A coordinate has at most this many hexadecimal digits before its point.
const maxDigits = (MAX_LEVEL + 64) / 4 + 2;

// home is where everybody starts: the origin in the middle, one to one.
export const home: Middle = { level: 0, x: 0n, y: 0n, scale: 1 };

export function middleOf(p: Place, width: number, height: number): Middle {
  const m = { level: p.level, x: fixed(p.x, p.fx + width / 2 / p.s), y: fixed(p.y, p.fy + height / 2 / p.s), scale: p.s / 256 };
  // The level nearest to the scale: a view that is a hair below 1:1 has the link of one that is 1:1.
  if (m.scale < Math.SQRT2) return m;
  return { level: m.level + 1, x: m.x << 1n, y: m.y << 1n, scale: m.scale / 2 };
}

export function placeOf(m: Middle, width: number, height: number): Place {
  const s = m.scale * 256;
  const [x, fx] = split(m.x - fixed(0n, width / 2 / s));
  const [y, fy] = split(m.y - fixed(0n, height / 2 / s));
  return { level: m.level, x, y, fx, fy, s };
}

export function format(m: Middle): string {
  return `#v=${m.level},${hex(m.x)},${hex(m.y)},${Number(m.scale.toPrecision(9))}`;
}

// parse reads what format wrote, or says undefined. It looks at no more than a link can hold.
export function parse(hash: string): Middle | undefined {
  if (hash.length > 4 * maxDigits || !hash.startsWith("#v=")) return undefined;
  const parts = hash.slice(3).split(",");
  if (parts.length !== 4) return undefined;
  const [l, sx, sy, sc] = parts as [string, string, string, string];
  if (!/^-?\d{1,5}$/.test(l) || !/^\d{1,4}(\.\d{1,12})?$/.test(sc)) return undefined;
  const level = Number(l);
  const scale = Number(sc);
  const x = unhex(sx);
  const y = unhex(sy);
  if (Math.abs(level) > MAX_LEVEL || !(scale >= 1 / 8 && scale <= 8) || x === undefined || y === undefined) return undefined;
  return { level, x, y, scale };
}

function fixed(tile: bigint, fraction: number): bigint {
  return (tile << fractionBits) + BigInt(Math.round(fraction * 2 ** Number(fractionBits)));
}

function split(v: bigint): [bigint, number] {
  const tile = v >> fractionBits; // rounds down
  return [tile, Number(v - (tile << fractionBits)) / 2 ** Number(fractionBits)];
}

function hex(v: bigint): string {
  const abs = v < 0n ? -v : v;
  const digits = abs.toString(16).padStart(fractionDigits + 1, "0");
  const whole = digits.slice(0, -fractionDigits);
  const fraction = digits.slice(-fractionDigits).replace(/0+$/, "");
  return (v < 0n ? "-" : "") + whole + (fraction ? "." + fraction : "");
}

function unhex(s: string): bigint | undefined {
  const m = /^(-?)([0-9a-f]+)(?:\.([0-9a-f]{1,6}))?$/i.exec(s);
  if (!m || m[2]!.length > maxDigits) return undefined;
  const abs = BigInt("0x" + m[2]! + (m[3] ?? "").padEnd(fractionDigits, "0"));
  return m[1] ? -abs : abs;
}
