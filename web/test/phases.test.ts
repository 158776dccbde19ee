// phases.ts and the Go packages mandel and source read the same golden pictures.
import { equal, ok, test } from "./harness";
import golden from "../../source/testdata/phases.json";
import { bitmapOf, colorsOf, paintPhases, readPhases, Shade, STEPS } from "../src/phases";

function unhex(s: string): Uint8Array {
  return Uint8Array.from(s.match(/../g) ?? [], (b) => parseInt(b, 16));
}

async function hash(b: Uint8Array): Promise<string> {
  const d = new Uint8Array(await crypto.subtle.digest("SHA-256", b as Uint8Array<ArrayBuffer>));
  return Array.from(d, (v) => v.toString(16).padStart(2, "0")).join("");
}

for (const g of golden) {
  test(`${g.name}: Go and the page see the same pixels`, async () => {
    const p = await readPhases(unhex(g.data));
    const out = new Uint32Array(256 * 256);
    paintPhases(p.values, colorsOf(p.palette), 0, out);
    equal(await hash(new Uint8Array(out.buffer)), g.rgba, "pixels");
  });
}

test("what is no picture of phases is refused", async () => {
  const good = unhex(golden[0]!.data);
  for (const bad of [good.slice(0, 0), good.slice(0, 3), good.slice(0, good.length / 2), Uint8Array.of(255, 255, 255, 255, 255)]) {
    let refused = false;
    await readPhases(bad).catch(() => (refused = true));
    ok(refused, `${bad.length} bytes were read`);
  }
});

test("a bitmap has the colours of the palette", async () => {
  const p = await readPhases(unhex(golden[1]!.data));
  const ctx = new OffscreenCanvas(256, 256).getContext("2d")!;
  ctx.drawImage(await bitmapOf(p), 0, 0);
  equal(await hash(new Uint8Array(ctx.getImageData(0, 0, 256, 256).data.buffer)), golden[1]!.rgba, "pixels");
});

test("colours move by time alone, and rest when they are asked to", async () => {
  const p = await readPhases(unhex(golden[1]!.data));
  const moving = { ...p, palette: { ...p.palette, speed: 65536 } };
  const shade = new Shade();
  const at = (now: number): Uint8ClampedArray | undefined => {
    shade.begin(now);
    const c = shade.picture(moving);
    return c?.getContext("2d")!.getImageData(0, 0, 256, 256).data;
  };
  const quarter = at(10_250)!;
  ok(shade.moves, "they move");
  ok(!shade.due(10_250), "nothing has moved in no time");
  ok(shade.due(10_300), "they have moved 50 ms later");
  const out = new Uint32Array(256 * 256);
  paintPhases(p.values, colorsOf(p.palette), STEPS / 4, out);
  equal(await hash(new Uint8Array(quarter.slice().buffer)), await hash(new Uint8Array(out.buffer)), "a quarter of a cycle after a quarter of a second");
  shade.set(undefined, true);
  ok(at(11_000) === undefined && !shade.moves, "at rest it is the picture in its own colours");
  shade.set({ ...p.palette, colors: Uint8Array.of(255, 0, 0), speed: 0 }, false);
  const red = at(12_000)!;
  ok(!shade.moves && red.some((v, i) => i % 4 === 0 && v === 255) && !red.some((v, i) => i % 4 === 1 && v !== 0 && red[i - 1] === 255), "tried colours are shown");
});
