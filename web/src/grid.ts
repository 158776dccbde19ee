// grid is the geometry of a terminal on the canvas, the same here, in the worker and in the server's cells: grid cells are
// 8 × 16, as large as fit into its box, in its middle. Pure: no DOM.

import type { Address, Place } from "./protocol.ts";
import { wireTile } from "./tile.ts";
import { homeAt, local, pointAt, seen, shownIn } from "./view.ts";
import type { Box, Tile } from "./wire.ts";

export const CELL_W = 8, CELL_H = 16;

/** What a terminal may be made with. */
export const MOST_COLS = 500, MOST_ROWS = 250;

/** Spot is where a terminal lies in the view, CSS px. */
export interface Spot {
  left: number;
  top: number;
  width: number;
  height: number;
  cell: number; // width of a grid cell; it is twice as high
  x: number; // upper left corner of the grid
  y: number;
}

export function spotOf(home: Address, box: Box, cols: number, rows: number, place: Place): Spot {
  const b = shownIn({ home, ...box }, place);
  const [width, height] = [b.right - b.left, b.bottom - b.top];
  const cell = Math.min(width / cols, height / (2 * rows));
  return { left: b.left, top: b.top, width, height, cell, x: b.left + (width - cols * cell) / 2, y: b.top + (height - 2 * rows * cell) / 2 };
}

/** Cell is a grid cell of the screen, and the same in px of 8 × 16 a cell. */
export interface Cell {
  x: number;
  y: number;
  xPixel: number;
  yPixel: number;
}

/** cellAt is the grid cell under (px, py), or the nearest one. */
export function cellAt(s: Spot, cols: number, rows: number, px: number, py: number): Cell {
  const within = (v: number, n: number): number => Math.max(0, Math.min(n - 1, Math.floor(v)));
  const [u, v] = [(px - s.x) / s.cell, (py - s.y) / (2 * s.cell)];
  return { x: within(u, cols), y: within(v, rows), xPixel: within(u * CELL_W, cols * CELL_W), yPixel: within(v * CELL_H, rows * CELL_H) };
}

export function inside(s: Spot, px: number, py: number): boolean {
  return px >= s.left && py >= s.top && px < s.left + s.width && py < s.top + s.height;
}

/** gridOf is how many grid cells of 8 × 16 px a rectangle holds; undefined: too few for a terminal. */
export function gridOf(widthPx: number, heightPx: number): { cols: number; rows: number } | undefined {
  const [cols, rows] = [Math.min(MOST_COLS, Math.floor(widthPx / CELL_W)), Math.min(MOST_ROWS, Math.floor(heightPx / CELL_H))];
  return cols >= 10 && rows >= 3 ? { cols, rows } : undefined;
}

/** boxAt is the box, exact, of a terminal whose corner is at (left, top) px of the view, with grid cells of 8 × 16 px. */
export function boxAt(place: Place, left: number, top: number, cols: number, rows: number): { home: Tile; box: Box } {
  const home = homeAt(place, left + (cols * CELL_W) / 2, top + (rows * CELL_H) / 2);
  const at = local(place, home, left, top);
  const cell = Math.max(1, Math.round(CELL_W * at.unit)); // units: a whole number, so that the grid fills the box
  const [minX, minY] = [Math.round(at.x), Math.round(at.y)];
  return { home: wireTile(home), box: { minX, minY, maxX: minX + cols * cell, maxY: minY + 2 * rows * cell } };
}

/**
 * sized is another grid for the same box: `by` steps of a fifth larger letters than those of cols × rows. By steps from what the
 * terminal was made with, so that as many back end where they began.
 */
export function sized(cols: number, rows: number, by: number): { cols: number; rows: number } {
  const k = 1.2 ** -by;
  const of = (n: number, least: number, most: number): number => Math.max(least, Math.min(most, Math.round(n * k)));
  return { cols: of(cols, 2, MOST_COLS), rows: of(rows, 1, MOST_ROWS) };
}

/** stepsOf is how many of those steps lead from cols0 to cols. */
export function stepsOf(cols0: number, cols: number): number {
  return Math.round(Math.log(cols0 / cols) / Math.log(1.2));
}

/** readable is the view in which a terminal can be read: whole if that is possible with grid cells of 16 px or 12, else where
 * its lines begin. */
export function readable(s: Spot, place: Place, width: number, height: number, least: number): Place {
  const room = { left: 24, top: 96, right: 24, bottom: 96 }; // the corners and the dock
  const [w, h] = [width - room.left - room.right, height - room.top - room.bottom];
  const fits = Math.min(w / s.width, h / s.height) * 2 * s.cell;
  const cellPx = Math.max(least, Math.min(CELL_H, fits));
  const k = cellPx / (2 * s.cell);
  const across = Math.min(s.width / 2, w / 2 / k); // from the left edge to what comes to the middle
  const middle = pointAt(place, s.left + across, s.top + s.height / 2);
  return seen(middle, room.left + w / 2, room.top + h / 2, place.level, place.s * k);
}

const words = (
  "ash bay birch bloom brook cedar cliff cloud coral cove dawn delta dune echo ember fern field fjord flint gale glade grove harbor hazel heath heron " +
  "hill iris isle ivy jade juniper lake lark laurel maple marsh meadow mesa mint moss oak olive opal otter pearl pine plum pond quartz rain reed ridge " +
  "river robin sage sand shell shore sky snow spring spruce star stone storm sun thorn tide vale wave willow wren"
).split(" ");

/** nameFor is a name for a new terminal that no other one has: short, and easily said. */
export function nameFor(taken: ReadonlySet<string>, random: () => number = Math.random): string {
  const free = words.filter((w) => !taken.has(w));
  if (free.length > 0) return free[Math.floor(random() * free.length)]!;
  const w = words[Math.floor(random() * words.length)]!;
  for (let n = 2; ; n++) if (!taken.has(`${w}-${n}`)) return `${w}-${n}`;
}
