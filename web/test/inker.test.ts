import { Inker, maxPoints, type Pressure } from "../src/input/inker.ts";
import { equal, near, ok, random, test } from "./harness.ts";

const unit = 64; // one to one: 64 units a px

interface Report { x: number; y: number; p?: number; t: number } // px

function ink(reports: Report[], pressure: Pressure = "none", widthPx = 4, takeEvery = 0): number[] {
  const k = new Inker({ widthPx, pressure, calmPx: 3 }, unit);
  const out: number[] = [];
  reports.forEach((r, i) => {
    k.add(r.x * unit, r.y * unit, unit, r.p ?? 0.5, r.t);
    if (takeEvery > 0 && i % takeEvery === 0) for (const v of k.take()) out.push(v);
  });
  k.end();
  for (const v of k.takeAll()) out.push(v);
  equal(k.length, out.length / 3, "samples counted");
  return out;
}

const line = (n: number, step: number, dt: number): Report[] => Array.from({ length: n }, (_, i) => ({ x: i * step, y: 0, t: i * dt }));

test("samples are whole numbers the wire takes", () => {
  const rnd = random(3);
  const out = ink(Array.from({ length: 400 }, (_, i) => ({ x: 500 * rnd(), y: 500 * rnd(), p: rnd(), t: i * 8 })), "pen");
  ok(out.length > 300);
  for (const v of out) ok(Number.isInteger(v), `${v}`);
  for (let i = 2; i < out.length; i += 3) ok(out[i]! >= 1 && out[i]! <= 2 ** 20, `diameter ${out[i]}`);
});

test("a stroke begins and ends where the pointer did", () => {
  const out = ink([{ x: 10, y: 20, t: 0 }, { x: 60, y: 90, t: 16 }, { x: 200, y: 40, t: 32 }, { x: 300.5, y: 7.25, t: 48 }]);
  equal(out.slice(0, 2), [10 * unit, 20 * unit]);
  equal(out.slice(-3, -1), [300.5 * unit, 7.25 * unit]);
});

test("a click is one dot", () => {
  equal(ink([{ x: 5, y: 5, t: 0 }, { x: 5, y: 5, t: 90 }]), [5 * unit, 5 * unit, 4 * unit]);
});

test("a dot of a pen is as heavy as the pen pressed", () => {
  const [, , light] = ink([{ x: 5, y: 5, p: 0.05, t: 0 }, { x: 5, y: 5, p: 0.05, t: 20 }], "pen");
  const [, , heavy] = ink([{ x: 5, y: 5, p: 0.05, t: 0 }, { x: 5, y: 5, p: 0.9, t: 20 }], "pen");
  ok(heavy! > 2 * light!, `${heavy} after pressing, ${light} without`);
});

test("taking while drawing gives the stroke that taking at the end gives", () => {
  const rnd = random(11);
  let [x, y] = [0, 0];
  const reports = Array.from({ length: 300 }, (_, i) => ({ x: (x += 12 * rnd() - 4), y: (y += 12 * rnd() - 6), p: rnd(), t: i * 7 }));
  for (const pressure of ["pen", "speed", "none"] as const) {
    const whole = ink(reports, pressure);
    for (const every of [1, 3, 50]) equal(ink(reports, pressure, 4, every), whole, `${pressure}, taken every ${every}`);
  }
});

test("samples lie evenly, in a flick as in a crawl", () => {
  for (const [what, reports] of [["flick", line(6, 90, 8)], ["crawl", line(600, 0.6, 16)]] as const) {
    const out = ink(reports);
    let [least, most] = [Infinity, 0];
    for (let i = 3; i < out.length - 3; i += 3) {
      const chord = Math.hypot(out[i]! - out[i - 3]!, out[i + 1]! - out[i - 2]!) / unit;
      [least, most] = [Math.min(least, chord), Math.max(most, chord)];
    }
    ok(least > 1.8 && most < 2.2, `${what}: chords of ${least} to ${most} px`);
  }
});

test("a flick around a corner stays near its reports", () => {
  const circle = Array.from({ length: 13 }, (_, i) => ({ x: 100 * Math.cos((i * Math.PI) / 6), y: 100 * Math.sin((i * Math.PI) / 6), t: i * 40 }));
  const out = ink(circle);
  for (let i = 0; i < out.length; i += 3) near(Math.hypot(out[i]!, out[i + 1]!) / unit, 100, 4, `sample ${i / 3}: radius`);
});

test("a shape depends neither on when its reports arrive nor on how many there are", () => {
  const rnd = random(9);
  const corners = Array.from({ length: 12 }, () => ({ x: 400 * rnd(), y: 400 * rnd() }));
  const along = (steps: number, dt: () => number): number[] => {
    const reports: Report[] = [];
    let t = 0;
    corners.slice(1).forEach((c, i) => {
      for (let k = i === 0 ? 0 : 1; k <= steps; k++) {
        const [a, b] = [corners[i]!, k / steps];
        reports.push({ x: a.x + (c.x - a.x) * b, y: a.y + (c.y - a.y) * b, t: (t += dt()) });
      }
    });
    return ink(reports);
  };
  const even = along(16, () => 8);
  equal(along(16, () => 1 + 90 * rnd()), even, "uneven times");
  const fine = along(64, () => 8);
  let apart = 0;
  for (let i = 0; i < fine.length; i += 3) {
    let least = Infinity;
    for (let j = 0; j < even.length; j += 3) least = Math.min(least, Math.hypot(fine[i]! - even[j]!, fine[i + 1]! - even[j + 1]!));
    apart = Math.max(apart, least / unit);
  }
  ok(apart < 2.5, `four times the reports lead ${apart} px away`);
});

test("noise of half a pixel is calmed", () => {
  const rnd = random(5);
  const out = ink(Array.from({ length: 200 }, (_, i) => ({ x: i * 1.5, y: rnd() - 0.5, t: i * 4 })));
  let rough = 0;
  for (let i = 6; i < out.length; i += 3) rough = Math.max(rough, Math.abs(out[i + 1]! - 2 * out[i - 2]! + out[i - 5]!) / unit);
  ok(rough < 0.5, `second difference up to ${rough} px`);
});

test("a pen that presses harder draws wider, a mouse that runs draws thinner", () => {
  const press = ink(line(60, 4, 8).map((r, i) => ({ ...r, p: i / 59 })), "pen", 8);
  ok(press.at(-1)! > 3 * press[2]!, `${press[2]} to ${press.at(-1)}`);
  const run = ink([...line(30, 1, 8), ...line(30, 30, 8).map((r) => ({ ...r, x: r.x + 30, t: r.t + 240 }))], "speed", 8);
  ok(run.at(-1)! < 0.92 * run[5]!, `${run[5]} to ${run.at(-1)}`);
});

test("the lift of a pen does not thin its end", () => {
  const out = ink([...line(60, 4, 8).map((r) => ({ ...r, p: 0.8 })), { x: 236, y: 0, p: 0, t: 600 }, { x: 240, y: 0, p: 0, t: 700 }], "pen", 8);
  near(out.at(-1)!, 8 * unit * (0.3 + 1.4 * 0.8), 2);
});

test("positions no stroke may have are refused, the rest stays", () => {
  const k = new Inker({ widthPx: 4, pressure: "none", calmPx: 3 }, unit);
  ok(k.add(0, 0, unit, 0.5, 0));
  for (const v of [NaN, Infinity, -Infinity, 2 ** 41, -(2 ** 60)]) {
    ok(!k.add(v, 0, unit, 0.5, 8), `${v}`);
    ok(!k.add(0, v, unit, 0.5, 8), `${v}`);
  }
  ok(!k.add(1, 1, 0, 0.5, 8), "a unit of no size");
  ok(k.add(640, 0, unit, NaN, NaN));
  k.end();
  for (const v of k.takeAll()) ok(Number.isInteger(v), `${v}`);
});

test("a stroke says when it is full before the wire refuses it", () => {
  const k = new Inker({ widthPx: 4, pressure: "none", calmPx: 3 }, unit);
  for (let i = 0; !k.full; i++) {
    k.add((i % 2) * 1900 * unit, i * unit, unit, 0.5, i * 8);
    ok(k.length < maxPoints, `${k.length} samples`);
  }
});

test("the tail reaches the pointer, and on through what is predicted", () => {
  const k = new Inker({ widthPx: 4, pressure: "none", calmPx: 3 }, unit);
  for (const r of line(20, 10, 8)) k.add(r.x * unit, 0, unit, 0.5, r.t);
  k.take();
  const at = (t: number[]): number => t.at(-3)! / unit;
  near(at(k.tail([])), 190, 1e-9);
  near(at(k.tail([205 * unit, 0])), 205, 1e-9);
  const before = k.length;
  k.tail([300 * unit, 0]);
  equal(k.length, before, "nothing of the tail is kept");
});

test("drawing on while the view zooms in keeps the width that the screen shows", () => {
  const k = new Inker({ widthPx: 8, pressure: "speed", calmPx: 3 }, unit);
  for (let i = 0; i < 80; i++) k.add(i * 4 * unit, 0, unit / 2 ** (i / 40), 0.5, i * 8);
  k.end();
  const out = k.takeAll();
  ok(out.at(-1)! < out[2]! / 2, `${out[2]} to ${out.at(-1)} units`);
});
