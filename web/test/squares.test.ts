import type { Need } from "../src/cover.ts";
import { Beds, PLACES } from "../src/beds.ts";
import { Squares } from "../src/squares.ts";
import { tileKey } from "../src/tile.ts";
import type { Piece, Square as Message } from "../src/wire.ts";
import { equal, ok, test } from "./harness.ts";

interface Asked {
  png: Uint8Array;
  give: (b: ImageBitmap) => void;
  fail: (e: Error) => void;
}

class Fake {
  asked: Asked[] = [];
  changes = 0;
  gone: string[] = [];
  squares = new Squares<object>(
    (png) => new Promise((give, fail) => this.asked.push({ png, give, fail })),
    () => this.changes++,
    (s) => this.gone.push(s.key),
  );
}

function need(x: number, y: number, level = 5, visible = true): Need {
  return { level, x: BigInt(x), y: BigInt(y), key: tileKey(level, BigInt(x), BigInt(y)), visible };
}

function piece(seq: number): Piece {
  return { seq, brush: 1, color: 0xff, dlevel: 0, width: 64, runs: [{ points: new Uint8Array([2, 2]), lead: false, tail: false }] };
}

function message(m: Partial<Message>): Message {
  return { id: 1, version: 0, seq: 0, base: 0, reset: false, image: undefined, pieces: [], below: false, provisional: false, ...m };
}

const PNG = { format: 1, data: new Uint8Array([1, 2, 3]) };

async function bitmap(): Promise<ImageBitmap> {
  return createImageBitmap(new ImageData(256, 256));
}

test("wants are named relative to the most needed square, at any depth", () => {
  const f = new Fake();
  const deep = 1n << 1500n;
  f.squares.need([
    { level: 1500, x: deep, y: -deep, key: "a", visible: true },
    { level: 1500, x: deep + 1n, y: -deep - 2n, key: "b", visible: true },
    { level: 1497, x: deep >> 3n, y: (-deep >> 3n) - 1n, key: "c", visible: false },
    { level: 1502, x: 4n * deep + 3n, y: -4n * deep, key: "d", visible: false },
  ]);
  const v = f.squares.view(false);
  equal(v.generation, 1);
  equal(v.wants.map((w) => [w.id, w.dlevel, w.dx, w.dy, w.version, w.seq]), [
    [1, 0, 0, 0, 0, 0],
    [2, 0, 1, -2, 0, 0],
    [3, -3, 0, -1, 0, 0],
    [4, 2, 3, 0, 0, 0],
  ]);
});

test("a tile keeps its id and what is held of it while it is away", () => {
  const f = new Fake();
  ok(f.squares.need([need(0, 0), need(1, 0)]));
  ok(!f.squares.need([need(0, 0), need(1, 0)]), "nothing changed");
  f.squares.apply(message({ reset: true, seq: 9, pieces: [piece(4)] }), 1);
  ok(f.squares.need([need(1, 0)]));
  ok(f.squares.need([need(1, 0), need(0, 0)]));
  equal(f.squares.view(false).wants.map((w) => [w.id, w.seq]), [[2, 0], [1, 9]]);
});

test("pieces follow what is held, and none is taken twice", () => {
  const f = new Fake();
  f.squares.need([need(0, 0)]);
  const s = f.squares.get(need(0, 0).key)!;
  f.squares.apply(message({ reset: true, seq: 9, pieces: [piece(4), piece(8)] }), 1);
  const base = s.base;
  f.squares.apply(message({ base: 9, seq: 12, pieces: [piece(11)] }), 2);
  f.squares.apply(message({ base: 9, seq: 14, pieces: [piece(11), piece(13)] }), 3);
  equal(s.pieces.map((p) => p.seq), [4, 8, 11, 13]);
  equal([s.seq, s.base, s.changed], [14, base, 3]);
});

test("news that do not fit what is held make it ask again, and still show what it had", () => {
  for (const m of [message({ base: 10, seq: 12 }), message({ version: 3, base: 9, seq: 12 })]) {
    const f = new Fake();
    f.squares.need([need(0, 0)]);
    f.squares.apply(message({ reset: true, seq: 9, pieces: [piece(4)] }), 1);
    ok(!f.squares.missing);
    f.squares.apply(m, 2);
    ok(f.squares.missing);
    const s = f.squares.get(need(0, 0).key)!;
    equal([s.seq, s.pieces.length], [0, 1]);
    equal(f.squares.view(false).wants[0]!.seq, 0);
  }
});

test("an empty canvas has squares that hold nothing, and ink follows", () => {
  const f = new Fake();
  f.squares.need([need(0, 0)]);
  f.squares.apply(message({ reset: true }), 1);
  const s = f.squares.get(need(0, 0).key)!;
  ok(s.base > 0, "it is not shown");
  f.squares.apply(message({ seq: 1, pieces: [piece(1)] }), 2);
  equal(s.pieces.length, 1);
});

test("an image is shown when it is decoded, with the pieces that came meanwhile", async () => {
  const f = new Fake();
  f.squares.need([need(0, 0)]);
  const s = f.squares.get(need(0, 0).key)!;
  f.squares.apply(message({ reset: true, seq: 2, pieces: [piece(1)] }), 1);
  f.squares.apply(message({ reset: true, version: 5, seq: 6, image: PNG, pieces: [piece(6)] }), 2);
  f.squares.apply(message({ version: 5, base: 6, seq: 7, pieces: [piece(7)] }), 3);
  equal([s.version, s.pieces.length, f.squares.undecoded()], [0, 1, 2]);
  equal(f.squares.view(false).wants[0], { id: 1, dlevel: 0, dx: 0, dy: 0, version: 5, seq: 7, layers: [], without: 8 });
  f.asked[0]!.give(await bitmap());
  await until(() => f.changes === 1);
  equal([s.version, s.seq, s.pieces.map((p) => p.seq).join(), f.squares.undecoded()], [5, 7, "6,7", Infinity]);
  ok(s.image !== undefined);
});

test("an image overtaken by a newer one is never shown", async () => {
  const f = new Fake();
  f.squares.need([need(0, 0)]);
  const s = f.squares.get(need(0, 0).key)!;
  f.squares.apply(message({ reset: true, version: 5, seq: 6, image: PNG }), 2);
  f.squares.apply(message({ reset: true, version: 8, seq: 9, image: PNG }), 3);
  equal(f.squares.undecoded(), 2, "the first news still wait");
  f.asked[1]!.give(await bitmap());
  await until(() => f.changes === 1);
  equal(s.version, 8);
  f.asked[0]!.give(await bitmap());
  await until(() => f.changes === 2);
  equal(s.version, 8);
});

test("four images are decoded at a time, the most needed first", async () => {
  const f = new Fake();
  const all = Array.from({ length: 8 }, (_, i) => need(i, 0));
  f.squares.need([...all].reverse()); // ids 1…8 are x = 7…0
  f.squares.need(all);
  for (let id = 1; id <= 8; id++) f.squares.apply(message({ id, reset: true, version: 1, seq: 1, image: { format: 1, data: new Uint8Array([id]) } }), 1);
  equal(f.asked.map((a) => a.png[0]), [1, 2, 3, 4], "the first came first");
  f.asked[0]!.give(await bitmap());
  await until(() => f.asked.length === 5);
  equal(f.asked[4]!.png[0], 8, "then x = 0, the most needed");
});

test("an image that cannot be read is asked for again", async () => {
  const f = new Fake();
  f.squares.need([need(0, 0)]);
  f.squares.apply(message({ reset: true, version: 5, seq: 6, image: PNG }), 2);
  const complain = console.error;
  console.error = () => {};
  f.asked[0]!.fail(new Error("no PNG"));
  await until(() => f.changes === 1);
  console.error = complain;
  equal(f.squares.view(false).wants[0]!.seq, 0);
});

test("a square of one colour needs no image", () => {
  const f = new Fake();
  f.squares.need([need(0, 0)]);
  f.squares.apply(message({ reset: true, version: 3, seq: 3, image: { format: 0, data: new Uint8Array([255, 128, 0, 255]) } }), 1);
  equal(f.squares.get(need(0, 0).key)!.color, 0xff8000ff);
});

test("beyond the budget the squares longest not needed are forgotten, never one that is needed", () => {
  const f = new Fake();
  for (let x = 0; x < 10; x++) {
    f.squares.need([need(x, 0)]);
    f.squares.apply(message({ id: x + 1, reset: true, seq: 1, pieces: [piece(1)] }), 1);
  }
  const each = f.squares.bytes / 10;
  f.squares.need([need(0, 0), need(9, 0)]);
  f.squares.trim(5 * each, () => 0);
  equal(f.gone, [1, 2, 3, 4, 5].map((x) => need(x, 0).key));
  equal(Math.round(f.squares.bytes / each), 5);
  f.squares.trim(0, () => 0);
  ok(f.squares.get(need(0, 0).key) !== undefined && f.squares.get(need(9, 0).key) !== undefined);
  f.squares.apply(message({ id: 3, base: 1, seq: 2, pieces: [piece(2)] }), 2);
  ok(!f.squares.missing, "news of a forgotten square are no fault");
});

async function until(fact: () => boolean): Promise<void> {
  for (let i = 0; i < 1000 && !fact(); i++) await new Promise((r) => setTimeout(r, 0));
  ok(fact(), "it never came");
}

test("a bed replaces the bed before it, and its image stands in for what is finer", async () => {
  const f = new Fake();
  f.squares.need([need(0, 0), need(0, 0, 6)]);
  const coarse = f.squares.get(need(0, 0).key)!;
  const layer = { id: 1, content: 2, version: 7, image: PNG, provisional: true };
  f.squares.lay(layer);
  f.squares.lay({ ...layer, provisional: false });
  equal(f.asked.length, 1, "one image of a square is decoded at a time");
  ok(f.squares.decodingAny);
  ok(!coarse.beds[0]!.known);
  f.asked[0]!.give(await bitmap());
  await Promise.resolve();
  await new Promise((r) => setTimeout(r, 0));
  ok(coarse.beds[0]!.known && coarse.beds[0]!.provisional, "the first is shown while the second comes");
  equal(f.squares.view(false).wants[0]!.layers, [{ content: 2, version: 7 }], "what is being decoded counts as held");
  const beds = new Beds((key) => f.squares.get(key), PLACES);
  const fine = { level: 6, x: 0n, y: 0n, cols: 2, rows: 2, size: 256, left: 0, top: 0 };
  beds.plan(fine);
  equal(beds.counts, { squares: 4, own: 0, blank: 0 });
  f.asked[1]!.give(await bitmap());
  await new Promise((r) => setTimeout(r, 0));
  ok(!coarse.beds[0]!.provisional);

  // That there is nothing is known too.
  f.squares.lay({ id: 2, content: 2, version: 0, image: undefined, provisional: false });
  beds.plan(fine);
  equal(beds.counts, { squares: 4, own: 1, blank: 0 });
  f.squares.lay({ ...layer, version: 9, image: { format: 0, data: new Uint8Array([0, 0, 0, 0]) }, provisional: false });
  equal([coarse.beds[0]!.image, coarse.beds[0]!.color, coarse.beds[0]!.version], [undefined, 0, 9]);
});
