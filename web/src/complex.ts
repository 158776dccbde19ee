// complex owns the map from the canvas to the complex plane: which place shows the set where a person wants it. All of it is
// exact: the scale is a power of two and every coordinate a dyadic number.

import type { Place } from "./protocol.ts";
import { bytesOf, wireTile } from "./tile.ts";
import { homeAt, local } from "./view.ts";
import type { Dyadic, Palette, Place as WirePlace } from "./wire.ts";

/** Palettes to choose from: as Go's mandel.Palettes, which web/test holds it to. */
export const palettes: readonly { name: string; colors: readonly number[]; inside: number; cycle: number }[] = [
  { name: "Classic", colors: [0x000764, 0x206bcb, 0xedffff, 0xffaa00, 0x310230], inside: 0x000000, cycle: 8 },
  { name: "Fire", colors: [0x0a0000, 0x7a0c02, 0xe8480c, 0xffc22e, 0xfff7d6, 0xd8590f, 0x4a0503], inside: 0x000000, cycle: 8 },
  { name: "Ice", colors: [0x020817, 0x0b3c68, 0x3fa7d6, 0xe7fbff, 0x8fd3e8, 0x145374], inside: 0x00030a, cycle: 8 },
  { name: "Forest", colors: [0x07140b, 0x1f4d2b, 0x6fa34b, 0xe8efb4, 0xb98b3e, 0x4b2e12], inside: 0x040604, cycle: 8 },
  { name: "Dusk", colors: [0x0d0221, 0x3b1c6b, 0x9b3d8f, 0xff7a6b, 0xffd29d, 0x5a4a9c], inside: 0x05010d, cycle: 8 },
  { name: "Gold", colors: [0x120a02, 0x5c3a0a, 0xc98b1b, 0xffe9a3, 0xfffdf2, 0x8a5a12], inside: 0x000000, cycle: 8 },
  { name: "Ink on paper", colors: [0xfbf8f0, 0xd9d3c3, 0x8d8778, 0x2b2a28, 0x8d8778, 0xd9d3c3], inside: 0x14140f, cycle: 8 },
  { name: "Grey", colors: [0x000000, 0xffffff], inside: 0x000000, cycle: 8 },
  { name: "Rainbow", colors: [0xe5243b, 0xf7941d, 0xffe14d, 0x4caf50, 0x2196f3, 0x5e35b1], inside: 0x000000, cycle: 8 },
  { name: "Coral reef", colors: [0x03263a, 0x06626b, 0x2ec4b6, 0xfdfcdc, 0xff9f7a, 0xc44569], inside: 0x01121c, cycle: 8 },
  { name: "Lagoon", colors: [0x001a2c, 0x00587a, 0x00b8a9, 0xf8f3d4, 0x5fc9c0, 0x083d56], inside: 0x000a12, cycle: 8 },
  { name: "Violet glass", colors: [0x10002b, 0x3c096c, 0x7b2cbf, 0xe0aaff, 0xfff0ff, 0x5a189a], inside: 0x06000f, cycle: 8 },
  { name: "Zebra", colors: [0xf5f5f5, 0xf5f5f5, 0x111111, 0x111111], inside: 0x5b1e1e, cycle: 1 },
  { name: "Copper and teal", colors: [0x081c1f, 0x1f6f78, 0xbfe3dd, 0xf3d9b1, 0xc26a3d, 0x4a1f14], inside: 0x030809, cycle: 8 },
];

/** paletteOf is a row of palettes as it travels. */
export function paletteOf(row: number): Palette {
  const p = palettes[row] ?? palettes[0]!;
  const colors = new Uint8Array(3 * p.colors.length);
  p.colors.forEach((c, i) => colors.set([c >>> 16, (c >>> 8) & 0xff, c & 0xff], 3 * i));
  return { colors, inside: ((p.inside << 8) | 0xff) >>> 0, cycle: 256 * p.cycle, offset: 0, speed: 0 };
}

/** dyadic is m·2^exp in its one proper form. */
export function dyadic(m: bigint, exp: number): Dyadic {
  if (m === 0n) return { mantissa: new Uint8Array(0), exp: 0 };
  while ((m & 1n) === 0n) [m, exp] = [m >> 1n, exp + 1];
  return { mantissa: bytesOf(m), exp };
}

/**
 * wholeSet is the place that shows the Mandelbrot set at least `sidePx` high (and less than twice that) in the middle of a
 * view, in a square `boxPx` wide.
 */
export function wholeSet(at: Place, width: number, height: number, sidePx: number, boxPx: number, row: number): WirePlace {
  return placed(at, width, height, sidePx, boxPx, -3n, paletteOf(row));
}

/** juliaSet is a place with a Julia set in the middle of the view. `of` says which. */
export function juliaSet(at: Place, width: number, height: number, boxPx: number, of: WirePlace): WirePlace {
  const { julia, juliaRe, juliaIm, palette } = of;
  return { ...placed(at, width, height, boxPx / 2, boxPx, 0n, palette), julia, juliaRe, juliaIm };
}

// placed is a place with the point `quarters`/4 in the middle of a view, and 3 of the plane sidePx wide or more.
function placed(at: Place, width: number, height: number, sidePx: number, boxPx: number, quarters: bigint, palette: Palette | undefined): WirePlace {
  const home = homeAt(at, width / 2, height / 2);
  const middle = local(at, home, width / 2, height / 2);
  const [cx, cy] = [Math.round(middle.x), Math.round(middle.y)];
  const half = Math.max(1, Math.round((boxPx / 2) * middle.unit));
  // The set is 3 wide and 2.3 high.
  const unit = Math.floor(Math.log2(3 / (sidePx * middle.unit)));
  // The corner of home lies cx units left of the middle.
  const re = (quarters << BigInt(-unit - 2)) - BigInt(cx);
  return {
    home: wireTile(home),
    box: { minX: cx - half, minY: cy - half, maxX: cx + half, maxY: cy + half },
    re: dyadic(re, unit),
    im: dyadic(BigInt(cy), unit),
    unit,
    julia: false,
    juliaRe: undefined,
    juliaIm: undefined,
    limit: 0,
    palette,
  };
}
