// wire.ts and the Go package wire read the same golden frames: what Go writes, the page reads as the same message and
// writes as the same bytes.
import { test } from "./harness";
import golden from "../../wire/testdata/frames.json";
import frozen from "../../wire/testdata/v1/frames.json";
import * as wire from "../src/wire";

interface Frame {
  name: string;
  side: string;
  hex: string;
  odd?: boolean;
  fault?: string;
  message?: unknown;
}

function unhex(s: string): Uint8Array {
  const b = new Uint8Array(s.length / 2);
  for (let i = 0; i < b.length; i++) b[i] = parseInt(s.slice(2 * i, 2 * i + 2), 16);
  return b;
}

function hex(b: Uint8Array): string {
  return Array.from(b, (v) => v.toString(16).padStart(2, "0")).join("");
}

/** plain is JSON with sorted keys, bytes in hex, nothing for undefined. */
function plain(v: unknown): string {
  if (v instanceof Uint8Array) return JSON.stringify(hex(v));
  if (Array.isArray(v)) return `[${v.map(plain).join(",")}]`;
  if (typeof v === "object" && v !== null) {
    const entries = Object.entries(v).filter(([, x]) => x !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([k, x]) => JSON.stringify(k) + ":" + plain(x)).join(",")}}`;
  }
  return JSON.stringify(v);
}

/** recode decodes a frame and gives what it says and how we would write it. */
function recode(side: string, frame: Uint8Array): { says: unknown; writes: () => Uint8Array } {
  switch (side) {
    case "client": {
      const m = wire.decodeClient(frame);
      return { says: m, writes: () => wire.encodeClient(m) };
    }
    case "server": {
      const m = wire.decodeServer(frame);
      return { says: m, writes: () => wire.encodeServer(m) };
    }
    case "op": {
      const m = wire.decodeOp(frame);
      return { says: m, writes: () => wire.encodeOp(m) };
    }
    default:
      throw new Error(`a golden frame of side ${side}`);
  }
}

function same(got: string, want: string, what: string): void {
  if (got === want) return;
  let i = 0;
  while (i < got.length && got[i] === want[i]) i++;
  const from = Math.max(0, i - 40);
  throw new Error(`${what}: differs at ${i}: got …${got.slice(from, i + 60)}, want …${want.slice(from, i + 60)}`);
}

function faulty(fn: () => unknown, what: string): void {
  try {
    fn();
  } catch (e) {
    if (e instanceof wire.WireError) return;
    throw new Error(`${what}: threw ${String(e)}, not a WireError`);
  }
  throw new Error(`${what}: was taken`);
}

for (const f of golden as Frame[]) {
  test(`wire: ${f.name}`, () => {
    const frame = unhex(f.hex);
    if (f.fault !== undefined) {
      faulty(() => recode(f.side, frame), f.name);
      return;
    }
    const r = recode(f.side, frame);
    same(plain(r.says), plain(f.message), "message");
    if (!f.odd) same(hex(r.writes()), f.hex, "bytes");
  });
}

test("wire: frames of version 1 decode for ever", () => {
  for (const f of frozen as Frame[]) {
    if (f.fault !== undefined) faulty(() => recode(f.side, unhex(f.hex)), f.name);
    else recode(f.side, unhex(f.hex));
  }
});

test("wire: a frame cut anywhere is refused or read short, never anything else", () => {
  for (const f of golden as Frame[]) {
    const frame = unhex(f.hex);
    for (let n = 0; n < frame.length; n += 1 + Math.floor(frame.length / 64)) {
      try {
        recode(f.side, frame.subarray(0, n));
      } catch (e) {
        if (!(e instanceof wire.WireError)) throw new Error(`${f.name} cut at ${n}: ${String(e)}`);
      }
    }
  }
});

test("wire: random bytes are refused or read, never anything else", () => {
  let x = 12345; // a seed: the run can be repeated
  const random = (n: number) => ((x = (Math.imul(x, 1103515245) + 12345) >>> 0) >>> 8) % n;
  const frames = (golden as Frame[]).filter((f) => f.hex.length > 0 && f.hex.length < 4000);
  for (let round = 0; round < 3000; round++) {
    const f = frames[random(frames.length)]!;
    const frame = unhex(f.hex);
    for (let k = random(4); k >= 0; k--) frame[random(frame.length)] = random(256);
    try {
      recode(f.side, frame);
    } catch (e) {
      if (!(e instanceof wire.WireError)) throw new Error(`round ${round}, ${hex(frame)}: ${String(e)}`);
    }
  }
});

test("wire: what cannot travel exactly is refused, not rounded", () => {
  for (const painted of [2 ** 53, -1, 0.5, NaN, Infinity]) {
    faulty(() => wire.encodeClient({ kind: "pull", painted, credit: 1 }), `painted ${painted}`);
  }
  faulty(() => wire.encodeClient({ kind: "pull", painted: 1, credit: 2 ** 32 }), "credit of 33 bits");
  faulty(() => wire.encodeClient({ kind: "unknown" }), "an unknown kind");
  // 2^53 and the greatest number of 64 bits, as `painted`
  faulty(() => wire.decodeClient(unhex("1a0908" + "8080808080808010")), "2^53");
  faulty(() => wire.decodeClient(unhex("1a0b08" + "ffffffffffffffffff01")), "2^64-1");
});

test("wire: a kept op is sent byte for byte", () => {
  const op: wire.Op = { session: new Uint8Array(16).fill(7), number: 3, body: { kind: "paper", color: 0xff } };
  const kept = wire.encodeOp(op);
  same(hex(wire.encodeOpMessage(kept)), hex(wire.encodeClient({ kind: "op", ...op })), "frame");
  same(plain(wire.decodeOp(kept)), plain(op), "op");
});

test("wire: zig-zag numbers go there and back", () => {
  for (const v of [0, -1, 1, 63, -64, 64, 2 ** 31, -(2 ** 31) - 1, 2 ** 40, -(2 ** 40), 2 ** 52 - 1, -(2 ** 52)]) {
    const w = new wire.Writer(1);
    w.sint(v);
    const r = new wire.Reader(w.take());
    same(String(r.sint()), String(v), "number");
    if (!r.done) throw new Error(`${v}: bytes left`);
  }
});
