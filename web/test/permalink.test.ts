import { format, home, type Middle, middleOf, parse, placeOf } from "../src/permalink.ts";
import { equal, near, ok, random, test } from "./harness.ts";

const wild = (rnd: () => number): bigint => {
  let v = 0n;
  for (let i = 0; i < 40; i++) v = (v << 52n) + BigInt(Math.floor(rnd() * 2 ** 52));
  return rnd() < 0.5 ? -v : v;
};

test("home is short", () => equal(format(home), "#v=0,0,0,1"));

test("a link says the place it was made from, to 1/65,536 px, at any depth", () => {
  const rnd = random(2000);
  for (let i = 0; i < 200; i++) {
    const place = { level: Math.floor(4000 * rnd() - 2000), x: wild(rnd), y: wild(rnd), fx: rnd(), fy: rnd(), s: 256 * (0.71 + 0.7 * rnd()) };
    const [w, h] = [200 + Math.floor(2000 * rnd()), 200 + Math.floor(2000 * rnd())];
    const m = parse(format(middleOf(place, w, h)));
    ok(m, format(middleOf(place, w, h)));
    const back = placeOf(m, w, h);
    equal(back.level, place.level);
    near(Number(back.x - place.x) + back.fx - place.fx, 0, 1e-6, "x, tiles");
    near(Number(back.y - place.y) + back.fy - place.fy, 0, 1e-6, "y, tiles");
    near(back.s, place.s, 1e-5, "s");
    equal(format(middleOf(back, w, h)), format(m), "the link of the link's place");
  }
});

test("two windows of different size share the middle", () => {
  const m: Middle = { level: 7, x: -123456789n, y: 5n, scale: 1.25 };
  for (const [w, h] of [[390, 844], [1280, 800], [3840, 2160]] as const) equal(middleOf(placeOf(m, w, h), w, h), m, `${w} × ${h}`);
});

test("a hair below and above one to one is one link", () => {
  const at = (level: number, s: number): string => format(middleOf(placeOf({ level, x: 1n << 24n, y: 0n, scale: s }, 0, 0), 0, 0));
  equal(at(1, 1), "#v=1,1,0,1");
  equal(format(middleOf({ level: 0, x: 0n, y: 0n, fx: 0.5, fy: 0, s: 511.9999999999 }, 0, 0)), "#v=1,1,0,1");
});

test("negative coordinates round down, not to zero", () => {
  const p = placeOf({ level: 0, x: -1n, y: -(1n << 24n), scale: 1 }, 0, 0);
  equal([p.x, p.y], [-1n, -1n]);
  near(p.fx, 1 - 2 ** -24, 0);
  near(p.fy, 0, 0);
});

const bad: [string, string][] = [
  ["nothing", ""],
  ["another hash", "#top"],
  ["too few parts", "#v=0,0,0"],
  ["too many parts", "#v=0,0,0,1,1"],
  ["a level that is no number", "#v=deep,0,0,1"],
  ["a level too deep", "#v=65537,0,0,1"],
  ["a level beyond numbers", "#v=99999999999999999999,0,0,1"],
  ["a coordinate that is no hexadecimal", "#v=0,xyz,0,1"],
  ["an empty coordinate", "#v=0,,0,1"],
  ["two points", "#v=0,1.2.3,0,1"],
  ["scale zero", "#v=0,0,0,0"],
  ["scale below zero", "#v=0,0,0,-1"],
  ["scale that is no number", "#v=0,0,0,NaN"],
  ["scale beyond bounds", "#v=0,0,0,9999"],
  ["ten megabytes", "#v=0," + "f".repeat(10_000_000) + ",0,1"],
  ["a coordinate longer than the deepest level needs", "#v=0," + "f".repeat(17_000) + ",0,1"],
];
for (const [name, hash] of bad) test(`refuses ${name}`, () => equal(parse(hash), undefined));

test("takes the deepest address there is", () => {
  ok(parse("#v=65536," + "f".repeat(16_384) + ",-" + "f".repeat(16_384) + ".000001,1"));
});
