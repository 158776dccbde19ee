// tile owns the names of squares at any depth and the exact maps between their local coordinates: the twin of the Go
// package tile, held to it by tile/testdata. Big integers end here: a difference of addresses is taken exactly, then
// rounded once.

import type { Address } from "./protocol.ts";
import type { Tile } from "./wire.ts";

export const MAX_LEVEL = 65536; // levels are within ±MAX_LEVEL
export const SIZE = 256; // side of a tile in px
export const UNITS = 16384; // side of a tile in units: 1 unit is 1/64 px
export const MAX_LOCAL = 2 ** 40; // local coordinates are within ±MAX_LOCAL units

const maxBytes = (MAX_LEVEL + 64) / 8 + 1; // of a coordinate on the wire

/** Map takes units of one tile to units of another: p_to = p_from · scale + (dx, dy). Each is rounded once. */
export interface Map {
  scale: number;
  dx: number;
  dy: number;
}

export const root: Address = { level: 0, x: 0n, y: 0n };

/** hex writes a coordinate. Not decimal, nor base 36: those take milliseconds 2,000 levels down. */
export function hex(v: bigint): string {
  return v.toString(16);
}

/** keyOf names a tile, for a Map, of coordinates in hex: "level/x/y" as in Go. */
export function keyOf(level: number, hexX: string, hexY: string): string {
  return `${level}/${hexX}/${hexY}`;
}

export function tileKey(level: number, x: bigint, y: bigint): string {
  return keyOf(level, hex(x), hex(y));
}

export function same(a: Address, b: Address): boolean {
  return a.level === b.level && a.x === b.x && a.y === b.y;
}

/**
 * shift gives the tile at level + dlevel whose coordinates are a's taken to that level (rounding down) plus dx, dy: how a
 * client names squares relative to one of them.
 */
export function shift(a: Address, dlevel: number, dx: number, dy: number): Address {
  return { level: a.level + dlevel, x: scaled(a.x, dlevel) + BigInt(dx), y: scaled(a.y, dlevel) + BigInt(dy) };
}

/** scaled is floor(v · 2^s). */
export function scaled(v: bigint, s: number): bigint {
  return s >= 0 ? v << BigInt(s) : v >> BigInt(-s);
}

/** between gives the map from units of one tile to units of another. Far apart in level its scale is 0 or Infinity. */
export function between(from: Address, to: Address): Map {
  const s = to.level - from.level;
  const up = BigInt(Math.max(s, 0));
  const down = BigInt(Math.max(-s, 0));
  const unit = 14 + Math.min(s, 0);
  return {
    scale: 2 ** s,
    dx: ldexp((from.x << up) - (to.x << down), unit),
    dy: ldexp((from.y << up) - (to.y << down), unit),
  };
}

/** ldexp is v · 2^e, rounded once (barring results too small for a normal number). */
export function ldexp(v: bigint, e: number): number {
  const n = Number(v); // to the nearest, ties to even
  if (Number.isFinite(n)) return e >= -1000 ? n * 2 ** e : n * 2 ** -1000 * 2 ** (e + 1000);
  // Beyond 2^1024 on its own, but perhaps not with e: keep 64 bits, and one more for what is cut off.
  const cut = bits(v) - 65;
  const high = v >> BigInt(cut);
  const rest = high << BigInt(cut) === v ? 0n : 1n;
  return ldexp((high << 1n) | rest, e + cut - 1);
}

/** bits is how many bits |v| has, to within 3 more. */
function bits(v: bigint): number {
  return 4 * hex(v).length;
}

/** wireTile gives an address as it travels: two's complement, big endian, shortest form, empty for 0. */
export function wireTile(a: Address): Tile {
  return { level: a.level, x: bytesOf(a.x), y: bytesOf(a.y) };
}

/** fromWire reads an address as it travelled; it throws where Go refuses it. */
export function fromWire(t: Tile): Address {
  const x = fromBytes(t.x);
  const y = fromBytes(t.y);
  if (!(Math.abs(t.level) <= MAX_LEVEL) || x === undefined || y === undefined) throw new RangeError("tile: bad address");
  return { level: t.level, x, y };
}

/** bytesOf gives a whole number as it travels: two's complement, big endian, shortest form, empty for 0. */
export function bytesOf(v: bigint): Uint8Array {
  if (v === 0n) return new Uint8Array(0);
  const fill = v < 0n ? 0xff : 0;
  let digits = hex(v < 0n ? ~v : v); // ~v is −v−1: v with its bits inverted
  if (digits.length % 2 === 1) digits = "0" + digits;
  if (digits.charCodeAt(0) >= 0x38 /* "8" */) digits = "00" + digits;
  const b = new Uint8Array(digits.length / 2);
  for (let i = 0; i < b.length; i++) b[i] = parseInt(digits.slice(2 * i, 2 * i + 2), 16) ^ fill;
  return b;
}

function fromBytes(b: Uint8Array): bigint | undefined {
  if (b.length > maxBytes) return undefined;
  if (b.length === 0) return 0n;
  const first = b[0]!;
  const fill = first >= 0x80 ? 0xff : 0;
  const next = b.length > 1 ? b[1]! >= 0x80 : fill === 0xff;
  if (first === fill && next === (fill === 0xff) && (fill === 0 || b.length > 1)) return undefined;
  if (b.length === maxBytes && first !== fill) return undefined;
  let digits = "0x";
  for (const v of b) digits += (v ^ fill).toString(16).padStart(2, "0");
  const v = BigInt(digits);
  return fill === 0 ? v : ~v;
}
