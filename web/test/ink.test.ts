// ink.ts and the Go package ink give the same circles and outlines for the same samples, to the bit.
import { equal, ok, test } from "./harness.ts";
import shapes from "../../ink/testdata/shapes.json";
import { brushes, coarseAt, expand, expandAt, hull, Outline, readPoints, type Circles, type Samples } from "../src/ink.ts";

function unhex(s: string): Uint8Array {
  return Uint8Array.from({ length: s.length / 2 }, (_, i) => parseInt(s.slice(2 * i, 2 * i + 2), 16));
}

// FNV-1a of the little-endian float64s, as in golden_test.go.
function hash(v: Float64Array): string {
  const b = new DataView(new ArrayBuffer(8));
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const f of v) {
    b.setFloat64(0, f + 0, true);
    for (let i = 0; i < 8; i++) {
      low = (low ^ b.getUint8(i)) >>> 0;
      // times 2^40 + 0x1b3, modulo 2^64
      const product = low * 0x1b3;
      high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
      low = product >>> 0;
    }
  }
  return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");
}

function check(what: string, got: Float64Array, want: { Count: number; Hash: string; Values?: number[] }): void {
  if (want.Values !== undefined) equal([...got].map((v) => v + 0), want.Values, what);
  equal([got.length, hash(got)], [want.Count, want.Hash], what);
}

test("circles and outlines are Go's, to the bit", () => {
  const samples: Samples = { xyd: new Float64Array(3), count: 0 };
  const circles: Circles = { xyr: new Float64Array(3), count: 0 };
  const outline = new Outline();
  shapes.forEach((s, i) => {
    const what = `shape ${i} (${s.Name})`;
    samples.count = 0;
    ok(readPoints(samples, unhex(s.Points), s.Width), what);
    expandAt(circles, samples.xyd, samples.count, brushes[s.Brush]!.join, s.Lead, s.Tail, s.Coarse);
    check(`circles of ${what}`, circles.xyr.subarray(0, 3 * circles.count), s.Circles);
    outline.reset();
    hull(outline, circles, s.Scale);
    check(`outline of ${what}`, outline.xy.subarray(0, outline.at), s.Outline);
    equal([...outline.ends.subarray(0, outline.contours)], s.Contours, what);
  });
  ok(shapes.length > 50);
});

test("points may come in several parts", () => {
  for (const s of shapes) {
    const b = unhex(s.Points);
    const whole: Samples = { xyd: new Float64Array(3), count: 0 };
    readPoints(whole, b, s.Width);
    const parts: Samples = { xyd: new Float64Array(3), count: 0 };
    const planes = s.Width === 0 ? 3 : 2;
    for (let i = 0, from = 0, numbers = 0; i < b.length; i++) {
      if (b[i]! < 0x80 && ++numbers % (3 * planes) === 0) {
        ok(readPoints(parts, b.subarray(from, i + 1), s.Width));
        from = i + 1;
      } else if (i === b.length - 1) {
        ok(readPoints(parts, b.subarray(from), s.Width));
      }
    }
    equal([...parts.xyd.subarray(0, 3 * parts.count)], [...whole.xyd.subarray(0, 3 * whole.count)], s.Name);
  }
});

test("garbled points are refused and leave what was there", () => {
  const s: Samples = { xyd: new Float64Array(3), count: 0 };
  ok(readPoints(s, Uint8Array.of(2, 4, 8), 0));
  for (const b of [[2], [2, 2], [0x82], [2, 2, 0xff], new Array<number>(40).fill(0xff)]) {
    ok(!readPoints(s, Uint8Array.from(b), 0), `${b}`);
    equal([s.count, ...s.xyd.subarray(0, 3)], [1, 1, 2, 4], `${b}`);
  }
});

test("what is shown is as fine as anybody can see", () => {
  equal([1, 1 / 64, 1 / 128, 128 / 64, 2 ** -30].map(coarseAt), [0, 4, 5, 0, 28]);
  const a: Circles = { xyr: new Float64Array(3), count: 0 };
  const b: Circles = { xyr: new Float64Array(3), count: 0 };
  const xyd = Float64Array.of(0, 0, 64, 500, 0, 64, 700, 400, 64);
  expand(a, xyd, 3, "curve", false, false, 1 / 64);
  expandAt(b, xyd, 3, "curve", false, false, 4);
  equal([...a.xyr.subarray(0, 3 * a.count)], [...b.xyr.subarray(0, 3 * b.count)]);
  expandAt(b, xyd, 3, "curve", false, false, 0);
  ok(b.count > a.count, `${b.count} circles, ${a.count} as shown`);
  expandAt(b, xyd, 1, "curve", true, true, 0);
  equal(b.count, 0, "a run of nothing but lead and tail");
});
