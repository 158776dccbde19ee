import { FirstLook, unshown } from "../src/first.ts";
import { equal, ok, test } from "./harness.ts";

// One pixel of a colour that no paper has, as a whole cell.
async function png(color: string): Promise<Uint8Array> {
  const c = new OffscreenCanvas(256, 256);
  const ctx = c.getContext("2d")!;
  ctx.fillStyle = color;
  ctx.fillRect(0, 0, 256, 256);
  return new Uint8Array(await (await c.convertToBlob({ type: "image/png" })).arrayBuffer());
}

function entry(col: number, row: number, version: number, data: Uint8Array): Uint8Array {
  const b = new Uint8Array(18 + data.length);
  const v = new DataView(b.buffer);
  v.setUint16(0, col, true);
  v.setUint16(2, row, true);
  v.setUint8(4, 1);
  v.setFloat64(6, version, true);
  v.setUint32(14, data.length, true);
  b.set(data, 18);
  return b;
}

// served answers every fetch with the bytes given, cut into pieces of n.
function served(bytes: Uint8Array, n: number): { asked: string[]; end: () => void } {
  const was = globalThis.fetch;
  const asked: string[] = [];
  globalThis.fetch = ((url: string) => {
    asked.push(url);
    const body = new ReadableStream<Uint8Array>({
      start(c) {
        for (let i = 0; i < bytes.length; i += n) c.enqueue(bytes.slice(i, i + n));
      },
    });
    return Promise.resolve(new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>));
  }) as typeof fetch;
  return { asked, end: () => (globalThis.fetch = was) };
}

const frame = (): Promise<unknown> => new Promise(requestAnimationFrame);

test("a first look is painted where the worker will paint it, and is given to it whole", async () => {
  const [red, blue] = [await png("#ff0000"), await png("#0000ff")];
  const bytes = new Uint8Array([...new Uint8Array([0xff, 0xee, 0xff, 0xff]), ...entry(1, 0, 7, red), ...entry(0, 1, 9, blue), 1, 0, 1, 0]);
  const s = served(bytes, 13);
  const dry = document.createElement("canvas");
  document.body.append(dry);
  try {
    const look = new FirstLook("a b", { level: 3, x: -1n, y: 2n, fx: 0.5, fy: 0, s: 256 }, 512, 512, 1, dry);
    equal(s.asked, ["/c/a%20b/first?at=3/-1/2&cols=3&rows=2"]);
    let shown: HTMLCanvasElement | null = null;
    for (let i = 0; i < 100 && shown === null; i++) {
      await frame();
      shown = document.querySelector<HTMLCanvasElement>("#first");
    }
    ok(shown !== null, "nothing is shown");
    equal([shown.width, shown.height], [512, 512]);
    const at = (x: number, y: number): number[] => [...shown.getContext("2d")!.getImageData(x, y, 1, 1).data];
    equal(at(128, 0), [255, 0, 0, 255]); // the view begins in the middle of a column
    equal(at(383, 255), [255, 0, 0, 255]);
    equal(at(127, 0)[3], 0); // what has not come is seen through
    equal(at(384, 0)[3], 0);
    const first = look.over();
    equal([first.level, first.x, first.y], [3, -1n, 2n]);
    equal(first.cells.map((c) => [c.col, c.row, c.version, c.format, c.data.length]), [[1, 0, 7, 1, red.length], [0, 1, 9, 1, blue.length]]);
    unshown();
    ok(document.querySelector("#first") === null);
  } finally {
    s.end();
    dry.remove();
  }
});
