import { Flight } from "../src/input/flight.ts";
import type { Place } from "../src/protocol.ts";
import { depth, from, pointAt, seen } from "../src/view.ts";
import { equal, near, ok, test } from "./harness.ts";

const start: Place = { level: 0, x: -3n, y: -2n, fx: 0.5, fy: 0.4375, s: 256 };

interface Rig {
  flight: Flight;
  frames: { place: Place; goal: Place | undefined }[];
  rests: () => number;
  run: (ms: number) => void;
}

// rig flies by a clock of its own, 60 frames a second.
function rig(calm = false): Rig {
  let now = 1000;
  let rests = 0;
  let waiting: ((now: number) => void)[] = [];
  const frames: Rig["frames"] = [];
  const flight = new Flight(start, {
    moved: (place, goal) => frames.push({ place, goal }),
    rested: () => rests++,
    calm: () => calm,
    frame: (f) => waiting.push(f),
  });
  const run = (ms: number): void => {
    for (const end = now + ms; now < end; ) {
      now += 1000 / 60;
      const todo = waiting;
      waiting = [];
      for (const f of todo) f(now);
    }
  };
  return { flight, frames, rests: () => rests, run };
}

const apart = (a: Place, b: Place): number => {
  const d = from(a, b);
  return Math.max(Math.abs(d.x), Math.abs(d.y));
};

test("a key's zoom tells its goal with the first frame and is there after 300 ms", () => {
  const r = rig();
  r.flight.zoomTo(640, 400, 2);
  r.run(16);
  equal(r.frames.length, 1);
  near(depth(r.frames[0]!.goal!), 1, 1e-9, "goal");
  ok(depth(r.frames[0]!.place) < 0.1, "the view has only begun");
  r.run(320);
  equal(r.flight.moving, false);
  equal(r.rests(), 1);
  near(depth(r.flight.place), 1, 1e-9);
  ok(apart(r.flight.place, r.frames[0]!.goal!) < 1e-9, "it ends at its goal");
  r.frames.reduce((a, b) => (ok(depth(b.place) >= depth(a.place), "it never turns back"), b));
});

test("the point under a zoom stays where it is in every frame", () => {
  const r = rig();
  const a = pointAt(start, 123, 456);
  r.flight.zoomTo(123, 456, 2);
  r.run(320);
  for (const f of r.frames) ok(apart(f.place, seen(a, 123, 456, f.place.level, f.place.s)) < 1e-6, "it drifts");
});

test("keys pressed fast add up", () => {
  const r = rig();
  for (let i = 0; i < 5; i++) {
    r.flight.zoomTo(640, 400, 2);
    r.run(50);
  }
  r.run(400);
  near(depth(r.flight.place), 5, 1e-9);
});

test("any input ends a flight where it is", () => {
  const r = rig();
  r.flight.zoomTo(640, 400, 4);
  r.run(150);
  const there = r.flight.place;
  r.flight.pan(10, 0);
  r.run(400);
  equal(r.flight.moving, false);
  near(from(there, r.flight.place).x, -10, 1e-9);
  equal(r.frames.at(-1)!.goal, undefined, "no goal is left");
});

test("notches glide, add up, and come back to the very place", () => {
  const r = rig();
  for (let i = 0; i < 60; i++) {
    r.flight.glide(300, 300, Math.cbrt(2));
    r.run(40);
  }
  r.run(1000);
  near(depth(r.flight.place), 20, 0.02);
  for (let i = 0; i < 60; i++) {
    r.flight.glide(300, 300, 1 / Math.cbrt(2));
    r.run(40);
  }
  r.run(1000);
  near(depth(r.flight.place), 0, 1e-6);
  ok(apart(start, r.flight.place) < 1e-3, `${apart(start, r.flight.place)} px away`);
});

test("zooms that are no numbers do nothing", () => {
  const r = rig();
  for (const k of [NaN, Infinity, 0, -1]) {
    r.flight.zoom(10, 10, k);
    r.flight.glide(10, 10, k);
    r.flight.grip(5, 5)(5, 5, k);
    r.run(300);
  }
  near(depth(r.flight.place), 0, 1e-9);
  ok(apart(start, r.flight.place) < 1e-9, "it moved");
});

test("a pinch carries the point between the fingers", () => {
  const r = rig();
  const a = pointAt(start, 200, 200);
  r.flight.grip(200, 200)(260, 180, 3);
  r.run(20);
  ok(apart(r.flight.place, seen(a, 260, 180, 0, 768)) < 1e-9, "elsewhere");
});

test("a dive goes on until the key is up, faster and faster, and names a goal ahead", () => {
  const r = rig();
  r.flight.dive(1, () => ({ x: 640, y: 400 }));
  r.run(1000);
  const one = depth(r.flight.place);
  ok(one > 1.2 && one < 2.5, `${one} levels after a second`);
  ok(depth(r.frames.at(-1)!.goal!) > one + 0.3, "no goal ahead");
  r.run(5000);
  ok(depth(r.flight.place) > 12, `${depth(r.flight.place)} levels after six`);
  r.flight.surface();
  const there = r.flight.place;
  r.run(200);
  equal(r.flight.place, there);
  equal(r.rests(), 1);
});

test("far away is a jump, nearby a flight", () => {
  const r = rig();
  r.flight.fly({ ...start, level: 2000, x: start.x << 2000n, y: start.y << 2000n });
  equal(r.flight.moving, false);
  equal(r.flight.place.level, 2000);
  r.flight.fly(start);
  equal(r.flight.place, start);
  r.flight.fly({ ...start, x: start.x + 2n });
  equal(r.flight.moving, true);
  r.run(400);
  equal(r.flight.place.x, start.x + 2n);
});

test("a flight over both distance and depth is smooth: no frame jumps by a screen", () => {
  const r = rig();
  r.flight.fly({ level: 5, x: start.x * 32n + 7n, y: start.y * 32n - 9n, fx: 0.2, fy: 0.7, s: 300 });
  ok(r.flight.moving, "it flies");
  r.run(400);
  let before = start;
  for (const f of r.frames) {
    ok(apart(before, f.place) < 900, `a frame jumps by ${apart(before, f.place)} px`);
    before = f.place;
  }
});

test("who wants calm gets no animation", () => {
  const r = rig(true);
  r.flight.zoomTo(640, 400, 2);
  near(depth(r.flight.place), 1, 1e-9);
  r.flight.glide(640, 400, 2);
  near(depth(r.flight.place), 2, 1e-9);
  r.flight.toss(3, 3);
  equal(r.flight.moving, false);
});

test("a throw slows down and rests", () => {
  const r = rig();
  r.flight.toss(1, 0);
  r.run(4000);
  equal(r.flight.moving, false);
  equal(r.rests(), 1);
  near(from(r.flight.place, start).x, 325, 30, "px thrown");
});
