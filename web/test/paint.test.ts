import { cover, needs, sameGrid, type Cover } from "../src/cover.ts";
import { Paint, type Picture } from "../src/paint.ts";
import type { Place } from "../src/protocol.ts";
import { Squares } from "../src/squares.ts";
import { Wets } from "../src/wets.ts";
import { Writer, type Piece, type Square as Message } from "../src/wire.ts";
import { equal, near, ok, test } from "./harness.ts";

const PAPER = 0xfafafaff;
const WIDTH = 700;
const HEIGHT = 500;

/** Scene is a view with squares, as the worker has it. */
class Scene {
  canvas = new OffscreenCanvas(1, 1);
  wets = new Wets();
  squares = new Squares<Picture>(
    () => Promise.reject(new Error("no images here")),
    () => this.paint.changed(),
    (s) => this.paint.release(s),
  );
  paint: Paint;
  cover: Cover | undefined;
  restored = 0;

  constructor(budget = 1 << 30) {
    this.paint = new Paint(this.squares, this.wets, () => this.restored++);
    this.paint.attach(this.canvas, budget);
    this.paint.setPaper(PAPER);
  }

  look(p: Place, dpr = 1): Cover {
    const c = cover(p, WIDTH, HEIGHT, dpr, 200);
    const moved = !sameGrid(c, this.cover);
    this.cover = c;
    this.paint.look(c, p, dpr, WIDTH, HEIGHT, moved);
    this.squares.need(needs(c, undefined, 200));
    this.paint.changed();
    return c;
  }

  give(level: number, x: bigint, y: bigint, m: Partial<Message>): void {
    const s = this.squares.needed.find((s) => s.level === level && s.x === x && s.y === y);
    ok(s !== undefined, `nobody needs ${level}/${x}/${y}`);
    this.squares.apply({ id: s.id, version: 0, seq: 1, base: 0, reset: true, image: undefined, pieces: [], below: false, provisional: false, ...m }, 1);
    this.paint.changed();
  }

  frame(): ImageData {
    while (this.paint.work(() => 0));
    this.paint.frame();
    return this.canvas.getContext("2d")!.getImageData(0, 0, this.canvas.width, this.canvas.height);
  }
}

function solid(rgb: number): Partial<Message> {
  return { image: { format: 0, data: new Uint8Array([rgb >> 16, (rgb >> 8) & 255, rgb & 255, 255]) } };
}

function pixel(d: ImageData, x: number, y: number): number {
  const i = 4 * (y * d.width + x);
  return (d.data[i]! << 16) | (d.data[i + 1]! << 8) | d.data[i + 2]!;
}

function line(seq: number, brush: number, color: number, width: number, points: [number, number][], dx = 0, dy = 0): Piece {
  const w = new Writer();
  let px = 0;
  let py = 0;
  for (const [x, y] of points) {
    w.sint(x - dx - px);
    w.sint(y - dy - py);
    px = x - dx;
    py = y - dy;
  }
  return { seq, brush, color, dlevel: 0, width, runs: [{ points: w.take(), lead: false, tail: false }] };
}

function place(level: number, x: bigint, y: bigint, fx: number, fy: number, s: number): Place {
  return { level, x, y, fx, fy, s };
}

function differences(a: ImageData, b: ImageData): { most: number; count: number } {
  let most = 0;
  let count = 0;
  for (let i = 0; i < a.data.length; i++) {
    const d = Math.abs(a.data[i]! - b.data[i]!);
    most = Math.max(most, d);
    if (d > 0) count++;
  }
  return { most, count };
}

test("a square that is not here yet is stood in for by a coarser one", () => {
  const s = new Scene();
  const c = s.look(place(5, 96n, 96n, 0.3, 0.3, 256));
  s.give(2, 12n, 12n, solid(0xff0000));
  const d = s.frame();
  for (const [x, y] of [[0, 0], [WIDTH - 1, 0], [350, 250], [WIDTH - 1, HEIGHT - 1]] as const) equal(pixel(d, x, y), 0xff0000);
  const { squares, own, blank } = s.paint.standIns;
  equal([squares, own, blank], [c.cols * c.rows, 0, 0]);
});

test("the part of the coarser square is the part that lies there", () => {
  const s = new Scene();
  s.look(place(5, 96n, 96n, 0, 0, 256));
  // Level 2 square (12, 12) is 8 squares wide here: its left eighth is red.
  s.give(2, 12n, 12n, { pieces: [line(1, 4, 0xff0000ff, 2048, [[1024, 0], [1024, 16384]])] });
  const d = s.frame();
  equal(pixel(d, 100, 250), 0xff0000);
  equal(pixel(d, 400, 250), PAPER >>> 8);
});

test("when the view moves out, finer squares stand in for a coarse one", () => {
  const s = new Scene();
  s.look(place(5, 96n, 96n, 0, 0, 256));
  for (let x = 96n; x < 99n; x++) for (let y = 96n; y < 98n; y++) s.give(5, x, y, solid(0x00ff00));
  s.frame();
  s.look(place(4, 48n, 48n, 0, 0, 256));
  const d = s.frame();
  equal(pixel(d, 10, 10), 0x00ff00);
  equal(pixel(d, 3 * 128 - 1, 2 * 128 - 1), 0x00ff00);
  equal(pixel(d, 3 * 128 + 1, 10), PAPER >>> 8);
});

test("squares meet without a seam at any scale and place", () => {
  for (const [fx, s] of [[0.1234, 256], [0.777, 300.7], [0.31, 181.1], [0.5, 361.9]] as const) {
    const scene = new Scene();
    const c = scene.look(place(5, 96n, 96n, fx, fx / 3, s));
    for (let i = 0; i < c.cols; i++) for (let j = 0; j < c.rows; j++) scene.give(5, c.x + BigInt(i), c.y + BigInt(j), solid(0x0000ff));
    const d = scene.frame();
    for (let x = 0; x < WIDTH; x++) for (const y of [3, 250]) equal(pixel(d, x, y), 0x0000ff, `at ${x}, ${y}`);
    for (let y = 0; y < HEIGHT; y++) equal(pixel(d, 350, y), 0x0000ff, `at 350, ${y}`);
  }
});

test("a stroke over an edge between squares is the stroke in one", () => {
  // The same slanted line, once across two squares and once, 100 px to the left, within one.
  const at = (x0: number): ImageData => {
    const s = new Scene();
    const c = s.look(place(5, 96n, 96n, 0, 0, 256));
    const points: [number, number][] = [[x0 * 64, 30 * 64], [(x0 + 90) * 64, 170 * 64]];
    for (let i = 0; i < c.cols; i++) {
      for (let j = 0; j < c.rows; j++) {
        s.give(5, c.x + BigInt(i), c.y + BigInt(j), { pieces: [line(1, 4, 0x202020ff, 9 * 64, points, i * 16384, j * 16384)] });
      }
    }
    return s.frame();
  };
  const across = at(200);
  const within = at(100);
  let most = 0;
  let sum = 0;
  for (let y = 0; y < 256; y++) {
    for (let x = 0; x < 110; x++) {
      const d = Math.abs((pixel(across, 195 + x, y) & 255) - (pixel(within, 95 + x, y) & 255));
      most = Math.max(most, d);
      sum += d;
    }
  }
  // Chromium steps along an edge from where the canvas cuts it, which moves the antialiasing of a few pixels by a little.
  ok(most <= 32 && sum / (256 * 110) <= 0.1, `they differ by ${most}, ${sum / (256 * 110)} on average`);
});

test("pieces that come later give the picture of all at once", () => {
  const pieces = Array.from({ length: 12 }, (_, i) =>
    line(i + 1, i % 4 === 3 ? 3 : 1 + (i % 2), i % 2 === 0 ? 0x3060c0ff : 0xf0a02080, 1500, [[1000 * i, 500], [9000, 8000 + 300 * i], [16000, 1200 * i]]),
  );
  const all = new Scene();
  all.look(place(5, 96n, 96n, 0, 0, 256));
  all.give(5, 97n, 96n, { seq: 12, pieces });
  const late = new Scene();
  late.look(place(5, 96n, 96n, 0, 0, 256));
  late.give(5, 97n, 96n, { seq: 3, pieces: pieces.slice(0, 3) });
  late.frame();
  late.give(5, 97n, 96n, { seq: 12, base: 3, reset: false, pieces: pieces.slice(3) });
  equal(differences(all.frame(), late.frame()).most, 0);
});

test("a pan by whole pixels shows the same pixels, moved, without painting any picture again", () => {
  const s = new Scene();
  s.paint.exact = true;
  const start = place(5, 96n, 96n, 0.123, 0.4, 300.4);
  const c = s.look(start);
  const p = line(1, 1, 0x202020ff, 700, [[100, 100], [8000, 9000], [16000, 2000]]);
  for (let i = 0; i < c.cols; i++) for (let j = 0; j < c.rows; j++) s.give(5, c.x + BigInt(i), c.y + BigInt(j), { pieces: [p] });
  const before = s.frame();
  s.paint.painted();
  s.look({ ...start, fx: start.fx + 20 / start.s, fy: start.fy - 30 / start.s });
  const after = s.frame();
  ok(!s.paint.painted(), "it painted pictures again");
  for (let y = 100; y < 400; y += 3) for (let x = 100; x < 600; x++) equal(pixel(after, x - 20, y + 30), pixel(before, x, y), `at ${x}, ${y}`);
});

test("self-crossing highlighter ink is no darker where it crosses itself", () => {
  const s = new Scene();
  s.look(place(5, 96n, 96n, 0, 0, 256));
  s.give(5, 96n, 96n, { pieces: [line(1, 2, 0xff000080, 1024, [[2000, 8000], [14000, 8000], [8000, 14000], [8000, 2000]])] });
  const d = s.frame();
  const once = pixel(d, 50, 125);
  equal(pixel(d, 125, 125), once);
  near(once & 255, 0xfa * (1 - 128 / 255), 1.5);
});

test("an eraser takes away the ink beneath it and nothing of the paper, dry and wet alike", () => {
  const points: [number, number][] = [[0, 8192], [16384, 8192]];
  const dry = new Scene();
  dry.look(place(5, 96n, 96n, 0, 0, 256));
  dry.give(5, 96n, 96n, { seq: 3, pieces: [line(1, 4, 0x202020ff, 4096, points), line(2, 3, 0x000000ff, 1024, [[2000, 8192], [14000, 8192]]), line(3, 4, 0x00ff00ff, 512, [[8192, 0], [8192, 16384]])] });
  const d = dry.frame();
  equal([pixel(d, 60, 128), pixel(d, 60, 110), pixel(d, 128, 128)], [PAPER >>> 8, 0x202020, 0x00ff00]);

  const wet = new Scene();
  wet.look(place(5, 96n, 96n, 0, 0, 256));
  wet.give(5, 96n, 96n, { pieces: [line(1, 4, 0x202020ff, 4096, points)] });
  const w = wet.wets.begin("1/1", { home: { level: 5, x: 96n, y: 96n }, brush: 3, color: 0xff, width: 1024 }, false);
  w.add([2000, 8192, 1024, 14000, 8192, 1024]);
  const e = wet.frame();
  equal([pixel(e, 60, 128), pixel(e, 60, 110)], [PAPER >>> 8, 0x202020]);
  wet.wets.remove("1/1");
  equal(pixel(wet.frame(), 60, 128), 0x202020);
});

test("the screen is complete only when the newest pieces are painted", () => {
  const s = new Scene();
  s.look(place(5, 96n, 96n, 0, 0, 256));
  s.give(5, 96n, 96n, { pieces: [line(1, 1, 0xff, 640, [[0, 0], [5000, 5000]])] });
  equal(s.paint.shown(), 1);
  s.frame();
  equal(s.paint.shown(), Infinity);
});

test("forgotten squares give their memory back", () => {
  const s = new Scene(20 * 256 * 256 * 4);
  for (let n = 0n; n < 20n; n++) {
    const c = s.look(place(5, 96n + 4n * n, 96n, 0, 0, 256));
    for (let i = 0; i < c.cols; i++) for (let j = 0; j < c.rows; j++) s.give(5, c.x + BigInt(i), c.y + BigInt(j), { pieces: [line(1, 1, 0xff, 640, [[0, 0], [5000, 5000]])] });
    s.frame();
    ok(s.paint.bytes + s.squares.bytes <= 20 * 256 * 256 * 4, `${s.paint.bytes} bytes`);
  }
});

test("an edge a hundred million pixels long lies where it should", () => {
  const s = new Scene();
  s.look(place(5, 96n, 96n, 0, 0, 256));
  // A line twice as flat as the diagonal; its lower edge passes through (100.3, 90.7) px of square (97, 96).
  const far = 77_777_777 * 64;
  const radius = 333_333 * 64;
  const [nx, ny] = [1 / Math.sqrt(5), -2 / Math.sqrt(5)]; // to its upper side
  const cx = 100.3 * 64 + radius * nx;
  const cy = 90.7 * 64 + radius * ny;
  const end = (t: number): [number, number] => [Math.round(cx + 2 * t), Math.round(cy + t)];
  s.give(5, 97n, 96n, { pieces: [line(1, 4, 0x202020ff, 2 * radius, [end(-far), end(far)])] });
  const d = s.frame();
  for (let x = 0; x < 256; x += 5) {
    const y = Math.floor(90.7 + (x + 0.5 - 100.3) / 2);
    if (y < 2 || y > 253) continue;
    equal([pixel(d, 256 + x, y - 1), pixel(d, 256 + x, y + 1)], [0x202020, PAPER >>> 8], `at ${x}`);
  }
});

test("after a lost graphics context everything is painted again", () => {
  const s = new Scene();
  s.look(place(5, 96n, 96n, 0, 0, 256));
  s.give(5, 96n, 96n, { pieces: [line(1, 1, 0xff, 640, [[0, 0], [16384, 16384]])] });
  equal(pixel(s.frame(), 128, 128), 0);
  const picture = s.squares.needed[0] && [...s.squares.all()].find((q) => q.picture !== undefined)!.picture!;
  ok(picture !== undefined);
  picture.ctx.clearRect(0, 0, 256, 256); // as the driver would
  s.canvas.dispatchEvent(new Event("contextrestored"));
  equal(s.restored, 1);
  equal(pixel(s.frame(), 128, 128), 0);
});
