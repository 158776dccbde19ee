import { boxAt, cellAt, gridOf, inside, nameFor, readable, sized, spotOf, stepsOf } from "../src/grid.ts";
import type { Place } from "../src/protocol.ts";
import { fromWire } from "../src/tile.ts";
import { equal, near, ok, random, test } from "./harness.ts";

const deep: Place = { level: 900, x: (1n << 899n) + 12345n, y: -(1n << 700n), fx: 0.25, fy: 0.75, s: 300 };
const views: Place[] = [{ level: 0, x: 0n, y: 0n, fx: 0, fy: 0, s: 256 }, { level: 3, x: -4n, y: 7n, fx: 0.9, fy: 0.1, s: 500 }, deep];

test("a new terminal lies where it was drawn, its grid fills its box, at any depth", () => {
  for (const p of views) {
    const { home, box } = boxAt(p, 100, 200, 80, 24);
    const s = spotOf(fromWire(home), box, 80, 24, p);
    near(s.left, 100, 0.02);
    near(s.top, 200, 0.02);
    near(s.cell, 8, 0.1);
    near(s.width, 80 * s.cell, 1e-6);
    near(s.height, 48 * s.cell, 1e-6);
    equal([s.x, s.y], [s.left, s.top]);
    equal((box.maxX - box.minX) * 48, (box.maxY - box.minY) * 80, "exact proportions");
  }
});

test("another grid stands in the middle of the same box", () => {
  const { home, box } = boxAt(views[0]!, 0, 0, 80, 24);
  const s = spotOf(fromWire(home), box, 40, 24, views[0]!);
  near(s.cell, 8, 1e-9);
  near(s.x, 160, 1e-6);
  near(s.y, 0, 1e-6);
});

test("the cell under the hand", () => {
  const s = { left: 10, top: 20, width: 640, height: 384, cell: 8, x: 10, y: 20 };
  equal(cellAt(s, 80, 24, 10, 20), { x: 0, y: 0, xPixel: 0, yPixel: 0 });
  equal(cellAt(s, 80, 24, 10 + 79.5 * 8, 20 + 23.5 * 16), { x: 79, y: 23, xPixel: 636, yPixel: 376 });
  equal(cellAt(s, 80, 24, 9999, -50), { x: 79, y: 0, xPixel: 639, yPixel: 0 }, "the nearest one");
  ok(inside(s, 10, 20) && !inside(s, 650, 20));
});

test("a small rectangle is no terminal, a huge one has bounds", () => {
  equal(gridOf(79, 100), undefined);
  equal(gridOf(800, 320), { cols: 100, rows: 20 });
  equal(gridOf(1e9, 1e9), { cols: 500, rows: 250 });
});

test("larger and smaller letters lead back to where they began", () => {
  for (const [cols, rows] of [[80, 24], [132, 50], [10, 3]] as const) {
    for (let n = -4; n <= 4; n++) {
      const a = sized(cols, rows, n);
      if (a.cols > 12) equal(stepsOf(cols, a.cols), n, `${cols} by ${n} steps`);
    }
    equal(sized(cols, rows, 0), { cols, rows });
  }
});

test("what is too small is flown to until it can be read, whole if that is possible", () => {
  const p = views[1]!;
  const { home, box } = boxAt(p, 300, 300, 80, 24);
  const at = fromWire(home);
  const away = { ...p, level: p.level - 3 };
  const to = readable(spotOf(at, box, 80, 24, away), away, 1280, 800, 12);
  const s = spotOf(at, box, 80, 24, to);
  ok(2 * s.cell >= 12 && 2 * s.cell <= 16.01, `grid cells of ${2 * s.cell} px`);
  ok(s.left >= 0 && s.top >= 0 && s.left + s.width <= 1280 && s.top + s.height <= 800, "whole");
});

test("what is wider than the window is flown to where its lines begin", () => {
  const p = views[1]!;
  const { home, box } = boxAt(p, 300, 300, 80, 24);
  const at = fromWire(home);
  const away = { ...p, level: p.level - 3 };
  const s = spotOf(at, box, 80, 24, readable(spotOf(at, box, 80, 24, away), away, 390, 844, 12));
  ok(s.width > 390 && Math.abs(s.left - 24) < 0.01, `from ${s.left}, ${s.width} px wide`);
});

test("names are free ones", () => {
  const taken = new Set<string>();
  const r = random(7);
  for (let i = 0; i < 300; i++) {
    const n = nameFor(taken, r);
    ok(/^[a-z0-9][a-z0-9._-]{0,63}$/.test(n) && !taken.has(n), n);
    taken.add(n);
  }
});
