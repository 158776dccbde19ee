import type { Place } from "../src/protocol.ts";
import { fit, from, grown, homeAt, local, MAX_VIEW_LEVEL, normal, panned, pointAt, seen, shownIn } from "../src/view.ts";
import { equal, near, ok, random, test } from "./harness.ts";

const home: Place = { level: 0, x: -3n, y: -2n, fx: 0.5, fy: 0.4375, s: 256 };

const wild = (rnd: () => number, bits: number): bigint => {
  let v = 0n;
  for (let i = 0; i < bits; i += 26) v = (v << 26n) + BigInt(Math.floor(rnd() * 2 ** 26));
  return rnd() < 0.5 ? -v : v;
};

function apart(a: Place, b: Place): number {
  const d = from(a, b);
  return Math.max(Math.abs(d.x), Math.abs(d.y));
}

test("what is seen at a point is at that point", () => {
  const rnd = random(1);
  for (let i = 0; i < 300; i++) {
    const p: Place = { level: Math.floor(6000 * rnd() - 3000), x: wild(rnd, 2000), y: wild(rnd, 2000), fx: rnd(), fy: rnd(), s: 256 + 255 * rnd() };
    const [px, py] = [2000 * rnd(), 1500 * rnd()];
    const back = seen(pointAt(p, px, py), px, py, p.level, p.s);
    ok(apart(p, back) < 1e-9, `${apart(p, back)} px`);
  }
});

test("2,000 levels in and out around one point end where they began, to 1e-6 px at every step", () => {
  const [px, py] = [417, 233];
  const a = pointAt(home, px, py);
  let p = home;
  for (const k of [1.37, 1 / 1.37]) {
    for (let i = 0; i < 4405; i++) {
      const q = seen(a, px, py, p.level, p.s * k);
      if (i % 97 === 0) {
        const now = pointAt(q, px, py);
        const by = BigInt(Math.abs(now.level - a.level));
        const d = now.level >= a.level ? now.x - (a.x << by) : now.x - (a.x >> by);
        near((Number(d) / 2 ** 52) * q.s, 0, 1e-6, `drift at level ${q.level}, px`);
      }
      p = q;
    }
    if (k > 1) ok(p.level > 1990, `level ${p.level}`);
  }
  near(p.s * 2 ** p.level, home.s, 1e-6, "scale");
  ok(apart(home, p) < 1e-6, `${apart(home, p)} px away`);
});

test("a million px of panning and back is nothing", () => {
  let p = home;
  for (let i = 0; i < 20000; i++) p = panned(p, 50.3, -49.9);
  for (let i = 0; i < 20000; i++) p = panned(p, -50.3, 49.9);
  ok(apart(home, p) < 1e-6, `${apart(home, p)} px`);
  ok(p.fx >= 0 && p.fx < 1 && p.fy >= 0 && p.fy < 1, "fractions");
});

test("a pan moves what is seen by as much", () => {
  const rnd = random(8);
  for (let i = 0; i < 200; i++) {
    const p: Place = { level: 100, x: wild(rnd, 90), y: wild(rnd, 90), fx: rnd(), fy: rnd(), s: 256 + 255 * rnd() };
    const [dx, dy] = [3000 * rnd() - 1500, 3000 * rnd() - 1500];
    const d = from(p, panned(p, dx, dy));
    near(d.x, -dx, 1e-9);
    near(d.y, -dy, 1e-9);
  }
});

test("tiles are between 256 and 512 px wide, and levels within bounds", () => {
  for (const [level, s, wantLevel, wantS] of [[0, 256, 0, 256], [0, 512, 1, 256], [5, 100, 3, 400], [0, 511.9, 0, 511.9], [0, 255.9, -1, 511.8], [3, 256 * 2 ** 40, 43, 256]] as const) {
    equal(normal(level, s), [wantLevel, wantS], `${level}, ${s}`);
  }
  for (const s of [NaN, Infinity, -1, 0]) equal(normal(7, s), [7, 256], `${s}`);
  equal(normal(65536, 300), [65536, 300], "the last level, as links reach it");
  equal(normal(-65536, 300), [-65536, 300]);
  equal(normal(MAX_VIEW_LEVEL, 4096)[0], MAX_VIEW_LEVEL);
  equal(normal(-MAX_VIEW_LEVEL, 1)[0], -MAX_VIEW_LEVEL);
});

test("units of a tile and px of the view are one map, from levels around", () => {
  const rnd = random(4);
  for (let i = 0; i < 300; i++) {
    const p: Place = { level: 2000, x: wild(rnd, 2000), y: wild(rnd, 2000), fx: rnd(), fy: rnd(), s: 256 + 255 * rnd() };
    const [px, py] = [1500 * rnd(), 1500 * rnd()];
    const t = homeAt(p, px, py);
    ok(Math.abs(t.level - p.level) <= 1, `home at level ${t.level}`);
    const u = local(p, t, px, py);
    ok(u.x >= 0 && u.x < 16384 && u.y >= 0 && u.y < 16384, `${u.x}, ${u.y} are not in the home`);
    ok(u.unit > 64 / 1.42 && u.unit < 64 * 1.42, `${u.unit} units a px`);
    // The same point as seen from 12 levels above, of a tile 12 levels up.
    const up = { level: t.level - 12, x: t.x >> 12n, y: t.y >> 12n };
    const v = local(p, up, px, py);
    near(v.x * 4096 - Number(t.x - (up.x << 12n)) * 16384, u.x, 1e-3, "x");
    near(v.unit * 4096, u.unit, 1e-9, "unit");
  }
});

test("a box that is fitted lies in the middle, whole", () => {
  const e = { home: { level: 1040, x: -5n << 900n, y: 9n }, minX: -4096, minY: 1000, maxX: 20480, maxY: 9000 };
  for (const [w, h] of [[1280, 800], [390, 844]] as const) {
    const at = shownIn(e, fit(e, w, h));
    near((at.left + at.right) / 2, w / 2, 1e-6);
    near((at.top + at.bottom) / 2, h / 2, 1e-6);
    ok(at.left > 0 && at.top > 0 && at.right < w && at.bottom < h, JSON.stringify(at));
    ok(at.right - at.left > 0.8 * w || at.bottom - at.top > 0.65 * h, "it could be larger");
  }
});

test("a box grows by what is drawn beside it, above or below its level", () => {
  let e = grown(undefined, { level: 5, x: 3n, y: 3n }, 100, 200, 10);
  equal([e.minX, e.minY, e.maxX, e.maxY], [90, 190, 110, 210]);
  e = grown(e, { level: 7, x: 12n, y: 16n }, 400, 0, 40);
  equal([e.minX, e.minY, e.maxX, e.maxY], [90, 190, 110, 16394]);
  e = grown(e, { level: 4, x: 1n, y: 1n }, 8192, 8000, 0);
  equal([e.minX, e.minY], [0, -384]);
});
