import type { Head } from "../src/protocol.ts";
import { Session, type Limits, type Line } from "../src/session.ts";
import type { Kept, Keeper } from "../src/store.ts";
import { decodeClient, Reader, type ClientMessage } from "../src/wire.ts";
import { equal, ok, test } from "./harness.ts";

const ID = new Uint8Array(16).fill(7);
const OTHER = new Uint8Array(16).fill(9);
const LIMITS: Limits = { ops: 4, bytes: 1 << 20, message: 1 << 20 };
const HEAD: Head = { home: { level: 3, x: 5n, y: -6n }, brush: 1, color: 0x112233ff, width: 0 };

class Fake implements Line, Keeper {
  connected = true;
  buffered = 0;
  durable = true;
  sent: ClientMessage[] = [];
  kept = new Map<number, Kept>();
  expecting = false;
  news: string[] = [];
  session = new Session(ID, this, this, {
    saving: (ops) => (this.saving = ops),
    dry: (stroke, seq) => this.news.push(`dry ${stroke} ${seq}`),
    rejected: (stroke, reason, retry) => this.news.push(`rejected ${stroke} ${reason} ${retry}`),
  });
  saving = 0;

  send(frame: Uint8Array): boolean {
    if (this.connected) this.sent.push(decodeClient(frame));
    return this.connected;
  }
  expect(): void {
    this.expecting = true;
  }
  relax(): void {
    this.expecting = false;
  }
  put(k: Kept): void {
    this.kept.set(k.number, k);
  }
  remove(_: Uint8Array, number: number): void {
    this.kept.delete(number);
  }
  orphans(): Promise<Kept[]> {
    return Promise.resolve([]);
  }

  /** ops gives and forgets the numbers of the ops sent. */
  ops(): number[] {
    const list = this.sent.flatMap((m) => (m.kind === "op" ? [m.number] : []));
    this.sent = [];
    return list;
  }
}

function online(limits = LIMITS): Fake {
  const f = new Fake();
  f.session.welcome(limits);
  return f;
}

function draw(f: Fake, stroke: number, xyd: number[]): void {
  f.session.begin(stroke, HEAD);
  f.session.points(stroke, new Float64Array(xyd));
  f.session.end(stroke);
}

test("an op is kept before it is sent, and until it is acknowledged", () => {
  const f = online();
  draw(f, 42, [1, 2, 3]);
  equal(f.saving, 1);
  equal([...f.kept.keys()], [1]);
  equal(f.ops(), [1]);
  f.session.ack(ID, 1, 9);
  equal(f.saving, 0);
  equal(f.kept.size, 0);
  equal(f.news, ["dry 42 9"]);
  f.session.ack(ID, 1, 9); // said twice
  equal(f.news.length, 1);
});

test("no more ops are on their way than the server allows, in their order", () => {
  const f = online();
  for (let i = 0; i < 10; i++) f.session.say({ kind: "undo" });
  equal(f.ops(), [1, 2, 3, 4]);
  f.session.ack(ID, 1, 1);
  equal(f.ops(), [5]);
  f.session.ack(ID, 2, 2);
  f.session.ack(ID, 3, 3);
  equal(f.ops(), [6, 7]);
});

test("bytes on their way are bounded too, but one op always goes", () => {
  const f = online({ ...LIMITS, bytes: 10 });
  f.session.say({ kind: "undo" });
  f.session.say({ kind: "undo" });
  equal(f.ops(), [1]);
  f.session.ack(ID, 1, 1);
  equal(f.ops(), [2]);
});

test("after a lost connection everything unacknowledged goes again, in order, under the same numbers", () => {
  const f = online();
  for (let i = 0; i < 6; i++) f.session.say({ kind: "undo" });
  f.session.ack(ID, 1, 1);
  f.ops();
  f.connected = false;
  f.session.lost();
  f.session.say({ kind: "redo" });
  equal(f.ops(), []);
  f.connected = true;
  f.session.welcome(LIMITS);
  equal(f.ops(), [2, 3, 4, 5]);
  for (let n = 2; n <= 7; n++) f.session.ack(ID, n, 0);
  equal(f.ops(), [6, 7]);
  equal(f.saving, 0);
});

test("a rejected op is gone and said once", () => {
  const f = online();
  draw(f, 5, [1, 2, 3]);
  f.session.reject(ID, 1, "too wide", false);
  equal(f.news, ["rejected 5 too wide false"]);
  equal([f.saving, f.kept.size], [0, 0]);
});

test("an op that cannot be kept at the moment waits, and nothing overtakes it", () => {
  const f = online();
  for (let i = 0; i < 6; i++) f.session.say({ kind: "undo" });
  equal(f.ops(), [1, 2, 3, 4]);
  for (const n of [1, 2, 3, 4]) f.session.reject(ID, n, "the disk is full", true);
  f.session.say({ kind: "redo" });
  equal(f.ops(), []);
  equal(f.kept.size, 7);
  f.session.resume();
  equal(f.ops(), [1, 2, 3, 4]);
  f.session.lost(); // ends the pause's timer
});

test("the ops of a tab that is gone are sent under its name", () => {
  const f = new Fake();
  f.session.say({ kind: "undo" });
  f.session.adopt(OTHER, 7, opBytes(OTHER, 7), -1);
  ok(f.session.has(OTHER, 7) && !f.session.has(OTHER, 8));
  f.session.adopt(OTHER, 8, opBytes(OTHER, 8), undefined);
  f.session.welcome(LIMITS);
  const sent = f.sent.flatMap((m) => (m.kind === "op" ? [[m.session[0], m.number]] : []));
  equal(sent.filter((s) => s[0] === 9), [[9, 7], [9, 8]]);
  f.session.ack(OTHER, 7, 3);
  equal(f.news, ["dry -1 3"]);
  equal(f.saving, 2);
});

function opBytes(session: Uint8Array, number: number): Uint8Array {
  const f = new Fake();
  const s = new Session(session, f, f, { saving: () => 0, dry: () => 0, rejected: () => 0 });
  for (let i = 0; i < number; i++) s.say({ kind: "undo" });
  return f.kept.get(number)!.op;
}

test("wet points travel once, as one run of deltas, under the number the stroke will have", () => {
  const f = online();
  f.session.say({ kind: "undo" });
  f.ops();
  f.session.begin(1, HEAD);
  f.session.points(1, new Float64Array([10, 20, 30]));
  f.session.points(1, new Float64Array([11, 18, 30, 15, 15, 31]));
  f.session.end(1);
  const wet = f.sent.filter((m) => m.kind === "wet");
  equal(wet.map((m) => [m.id, m.from, m.head !== undefined]), [[2, 0, true], [2, 1, false]]);
  const op = f.sent.find((m) => m.kind === "op");
  ok(op?.kind === "op" && op.number === 2 && op.body.kind === "stroke");
  const joined = wet.flatMap((m) => [...m.points]);
  equal(joined, [...op.body.points]);
  const r = new Reader(op.body.points);
  equal([r.sint(), r.sint(), r.sint(), r.sint(), r.sint(), r.sint(), r.sint(), r.sint(), r.sint(), r.done], [10, 20, 30, 1, -2, 0, 4, -3, 1, true]);
});

test("the wet stroke survives a lost connection", () => {
  const f = online();
  f.session.begin(1, HEAD);
  f.session.points(1, new Float64Array([10, 20, 30]));
  f.connected = false;
  f.session.lost();
  f.session.points(1, new Float64Array([11, 20, 30]));
  f.sent = [];
  f.connected = true;
  f.session.welcome(LIMITS);
  const wet = f.sent.filter((m) => m.kind === "wet");
  equal(wet.map((m) => [m.from, m.head !== undefined, m.points.length]), [[0, true, 6]]);
});

test("points that cannot leave yet travel with the next", () => {
  const f = online();
  f.session.begin(1, HEAD);
  f.buffered = 1 << 20;
  f.session.points(1, new Float64Array([10, 20, 30]));
  equal(f.sent.length, 0);
  f.buffered = 0;
  f.session.points(1, new Float64Array([11, 20, 30]));
  equal(f.sent.map((m) => (m.kind === "wet" ? m.points.length : -1)), [6]);
});

test("a cancelled stroke is taken away and leaves no gap in the numbers", () => {
  const f = online();
  f.session.begin(1, HEAD);
  f.session.points(1, new Float64Array([10, 20, 30]));
  f.session.cancel(1);
  ok(f.sent.some((m) => m.kind === "wet" && m.cancelled));
  draw(f, 2, [1, 2, 3]);
  equal(f.ops(), [1]);
});

test("what is said while drawing follows the stroke", () => {
  const f = online();
  f.session.begin(1, HEAD);
  f.session.points(1, new Float64Array([10, 20, 30]));
  f.session.say({ kind: "undo" });
  equal(f.ops(), []);
  equal(f.saving, 1);
  f.session.end(1);
  equal(f.sent.flatMap((m) => (m.kind === "op" ? [m.body.kind] : [])), ["stroke", "undo"]);
  equal(f.ops(), [1, 2]);
});

test("a stroke without points is no op", () => {
  const f = online();
  f.session.begin(1, HEAD);
  ok(!f.session.end(1));
  equal(f.ops(), []);
  draw(f, 2, [1, 2, 3]);
  equal(f.ops(), [1]);
});

test("a line longer than a stroke may be goes on as another from the same point", () => {
  const f = online({ ...LIMITS, ops: 100, message: 4096 });
  const n = 3000;
  f.session.begin(1, HEAD);
  f.session.points(1, Float64Array.from({ length: 3 * n }, (_, i) => 1000 * i));
  f.session.end(1);
  const ops = f.sent.flatMap((m) => (m.kind === "op" && m.body.kind === "stroke" ? [m] : []));
  ok(ops.length > 1, "it was not cut");
  equal(ops.map((m) => m.number), ops.map((_, i) => i + 1));
  let points = 0;
  for (const m of ops) {
    ok(m.body.kind === "stroke" && m.body.points.length < 4096);
    const r = new Reader(m.body.points);
    for (; !r.done; points++) for (let k = 0; k < 3; k++) r.sint();
  }
  equal(points, n + ops.length - 1); // each goes on from the last point of the one before
});
