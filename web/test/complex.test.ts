import { dyadic, palettes, paletteOf, wholeSet } from "../src/complex.ts";
import { equal, ok, test } from "./harness.ts";
import golden from "../../mandel/testdata/palettes.json";

test("the palettes are those of the server", () => {
  equal(palettes.map((p) => ({ name: p.name, colors: [...p.colors], inside: p.inside, cycle: p.cycle })), golden);
  const p = paletteOf(0);
  equal([p.colors.length, p.colors[3], p.inside, p.cycle], [15, 0x20, 0xff, 2048]);
});

test("a dyadic number has one form", () => {
  equal(dyadic(0n, 9), { mantissa: new Uint8Array(0), exp: 0 });
  equal(dyadic(-12n, -3), { mantissa: new Uint8Array([0xfd]), exp: -1 });
  equal(dyadic(1n << 400n, -400), { mantissa: new Uint8Array([1]), exp: 0 });
});

test("the whole set lies in the middle of the view, at any depth", () => {
  const value = (d: { mantissa: Uint8Array; exp: number }): number => {
    let v = 0;
    for (const b of d.mantissa) v = v * 256 + b;
    if (d.mantissa.length > 0 && d.mantissa[0]! >= 128) v -= 256 ** d.mantissa.length;
    return v * 2 ** d.exp;
  };
  for (const at of [
    { level: 0, x: -3n, y: -2n, fx: 0.5, fy: 0.25, s: 256 },
    { level: 1500, x: (1n << 1500n) + 5n, y: -(1n << 1499n), fx: 0.123, fy: 0.9, s: 500 },
  ]) {
    const p = wholeSet(at, 1280, 800, 400, 700, 0);
    const [mx, my] = [(p.box!.minX + p.box!.maxX) / 2, (p.box!.minY + p.box!.maxY) / 2];
    const one = 2 ** p.unit;
    equal([value(p.re!) + mx * one, value(p.im!) - my * one], [-0.75, 0]);
    const units = p.box!.maxX - p.box!.minX;
    const high = (3 / one / units) * 700; // px of 3 in the plane
    ok(high >= 400 && high < 800, `${high} px`);
  }
});
