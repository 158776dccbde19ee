import { cover, needs, placed, sameGrid, under, type Cover } from "../src/cover.ts";
import { SIZE, tileKey } from "../src/tile.ts";
import type { Place } from "../src/protocol.ts";
import { equal, near, ok, random, test } from "./harness.ts";

const MOST = 200;

function place(level: number, x: bigint, y: bigint, fx: number, fy: number, s: number): Place {
  return { level, x, y, fx, fy, s };
}

function places(seed: number): Place[] {
  const r = random(seed);
  const list: Place[] = [];
  for (const level of [-2000, -3, 0, 1, 40, 2000]) {
    const far = level > 0 ? (1n << BigInt(level)) + 12345n : 7n;
    for (let i = 0; i < 30; i++) list.push(place(level, i % 2 === 0 ? far : -far, far, r(), r(), 256 * 2 ** (r() * 3 - 1)));
  }
  return list;
}

test("a cell is shown at 0.71 to 1.41 times its pixels", () => {
  for (const p of places(1)) {
    for (const dpr of [1, 1.25, 2, 3]) {
      const c = cover(p, 600, 400, dpr, 1000);
      ok(c.size >= SIZE / Math.SQRT2 - 1e-9 && c.size < SIZE * Math.SQRT2 + 1e-9, `size ${c.size}`);
    }
  }
});

test("the squares of a cover are the view, no more and no less", () => {
  for (const p of places(2)) {
    const c = cover(p, 1280, 800, 1, MOST);
    ok(c.left <= 0 && c.left > -c.size && c.top <= 0 && c.top > -c.size, `corner ${c.left}, ${c.top}`);
    ok(c.left + c.cols * c.size >= 1280 && c.left + (c.cols - 1) * c.size < 1280, "columns");
    ok(c.top + c.rows * c.size >= 800 && c.top + (c.rows - 1) * c.size < 800, "rows");
  }
});

test("a square lies where its tile lies", () => {
  for (const p of places(3)) {
    const c = cover(p, 1280, 800, 1.5, MOST);
    for (const [i, j] of [[0, 0], [c.cols - 1, c.rows - 1]] as const) {
      const at = placed({ level: c.level, x: c.x + BigInt(i), y: c.y + BigInt(j) }, p, 1.5);
      ok(at !== undefined);
      near(at.dx, c.left + i * c.size, 1e-6, "x");
      near(at.dy, c.top + j * c.size, 1e-6, "y");
      near(at.scale * 16384, c.size, 1e-9, "size");
    }
  }
});

test("a tile coarser or finer than the view lies where the view's own tiles say", () => {
  const p = place(2000, (1n << 2000n) + 5n, -(1n << 1999n), 0.25, 0.5, 300);
  for (const d of [-20, -1, 0, 1, 20]) {
    const t = d >= 0 ? { level: 2000 + d, x: p.x << BigInt(d), y: p.y << BigInt(d) } : { level: 2000 + d, x: p.x >> BigInt(-d), y: p.y >> BigInt(-d) };
    const at = placed(t, p, 1);
    ok(at !== undefined);
    const up = d < 0 ? BigInt(-d) : 0n;
    const wantX = (Number(d >= 0 ? 0n : (t.x << up) - p.x) - 0.25) * 300;
    near(at.dx, wantX, Math.abs(wantX) * 1e-12 + 1e-9, `x at ${d}`);
  }
  equal(placed({ level: 2000 + 500, x: 0n, y: 0n }, p, 1), undefined);
});

test("a huge view takes coarser squares instead of too many", () => {
  const c = cover(place(5, 0n, 0n, 0, 0, 256), 7680, 4320, 2, 100);
  ok(c.cols * c.rows <= 100, `${c.cols} × ${c.rows}`);
});

test("at the ends of the levels the nearest level stands", () => {
  const c = cover(place(65536, 0n, 0n, 0, 0, 2000), 800, 600, 1, MOST);
  equal(c.level, 65536);
  near(c.size, 2000, 1e-9);
});

test("what is seen is needed first, from the centre outwards", () => {
  const c = cover(place(3, 10n, 20n, 0, 0, 256), 1280, 768, 1, MOST);
  const list = needs(c, undefined, MOST);
  const seen = list.filter((n) => n.visible);
  equal(seen.length, c.cols * c.rows);
  ok(list.slice(0, seen.length).every((n) => n.visible), "something unseen comes before something seen");
  equal(list[0]!.key, tileKey(3, 12n, 21n));
  const far = (n: { x: bigint; y: bigint }): number => (Number(n.x) - 12) ** 2 + (Number(n.y) - 21) ** 2;
  for (let i = 1; i < seen.length; i++) ok(far(seen[i]!) >= far(seen[i - 1]!), `square ${i} is nearer than the one before`);
  equal(new Set(list.map((n) => n.key)).size, list.length, "repeats");
});

test("a few coarse stand-ins and one ring of margin follow", () => {
  const c = cover(place(3, 10n, 20n, 0.1, 0.1, 256), 1280, 768, 1, MOST);
  const rest = needs(c, undefined, MOST).filter((n) => !n.visible);
  const coarse = rest.filter((n) => n.level < 3);
  ok(coarse.length >= 2 && coarse.length <= 12, `${coarse.length} coarse squares`);
  equal(rest.length - coarse.length, (c.cols + 2) * (c.rows + 2) - c.cols * c.rows);
});

test("while an animation runs its end is needed first", () => {
  const now = cover(place(3, 10n, 20n, 0, 0, 256), 1280, 768, 1, MOST);
  const goal = cover(place(6, 90n, 170n, 0, 0, 256), 1280, 768, 1, MOST);
  const list = needs(now, goal, MOST);
  ok(list.slice(0, goal.cols * goal.rows).every((n) => n.level === 6));
  ok(list.some((n) => n.level === 3 && n.visible), "what is seen now is not needed any more");
});

test("never more is needed than may be wanted", () => {
  const c = cover(place(3, 10n, 20n, 0, 0, 256), 1280, 768, 1, MOST);
  equal(needs(c, undefined, 17).length, 17);
});

test("a pan within the squares keeps the grid, across an edge it does not", () => {
  const at = (fx: number, x = 10n): Cover => cover(place(3, x, 20n, fx, 0.1, 256), 1000, 768, 1, MOST);
  ok(sameGrid(at(0.2), at(0.21)));
  ok(!sameGrid(at(0.2), at(0.2, 11n)));
});

test("a pixel lies in the square that covers it", () => {
  for (const p of places(4)) {
    const c = cover(p, 1280, 800, 1, MOST);
    const at = under(c, 700, 300);
    const back = placed(at, p, 1)!;
    near(back.dx + at.ux * back.scale, 700, 0.02);
    near(back.dy + at.uy * back.scale, 300, 0.02);
    ok(at.ux >= 0 && at.ux <= 16384);
  }
});
