// wire owns the bytes of the messages between a page and the server: the twin of the Go package wire, both after
// wire/fractal.proto. It refuses to know what a message means.
//
// A message is an interface and one table row that says how its fields travel; the compiler holds the two together. A
// one-of is a union told apart by `kind`. A scalar left out of a frame has its zero value, an absent message is
// undefined. Integers of 64 bits are numbers: outside ±2^53 they are refused, never rounded. Bytes are views onto the
// frame they came in, not copies. Fields and kinds of a later schema are skipped.

// --------------------------------------------------------------------------------------------------------------------
// Messages

export interface Tile {
  level: number;
  x: Uint8Array; // two's complement, big endian, shortest form; empty is 0
  y: Uint8Array;
}

export interface Stroke {
  home: Tile | undefined;
  brush: number;
  color: number; // 0xRRGGBBAA
  width: number; // units; 0: every point carries its own
  points: Uint8Array; // zig-zag varints, see Writer.sint and Reader.sint
}

export interface Nothing {}
export interface Paper {
  color: number;
}
export type OpBody =
  | ({ kind: "stroke" } & Stroke)
  | ({ kind: "undo" } & Nothing)
  | ({ kind: "redo" } & Nothing)
  | ({ kind: "paper" } & Paper)
  | ({ kind: "place" } & Place)
  | Unknown;

/** Dyadic is the exact number mantissa·2^exp. */
export interface Dyadic {
  mantissa: Uint8Array;
  exp: number;
}
/** Place makes a rectangle of the canvas a piece of the complex plane. */
export interface Place {
  home: Tile | undefined;
  box: Box | undefined;
  re: Dyadic | undefined;
  im: Dyadic | undefined;
  unit: number;
  julia: boolean;
  juliaRe: Dyadic | undefined;
  juliaIm: Dyadic | undefined;
  limit: number;
  palette: Palette | undefined;
}
export interface Palette {
  colors: Uint8Array; // R, G, B
  inside: number; // 0xRRGGBBAA
  cycle: number; // 1/256
  offset: number; // 1/65536
}

export interface Op {
  session: Uint8Array;
  number: number;
  body: OpBody;
}

export interface Hello {
  protocol: number;
  key: Uint8Array;
  name: string;
  color: number;
}
export interface Profile {
  name: string;
  color: number;
}
export interface View {
  generation: number;
  origin: Tile | undefined;
  wants: Want[];
  hidden: boolean;
}
export interface Want {
  id: number;
  dlevel: number;
  dx: number;
  dy: number;
  version: number;
  seq: number;
  layers: Held[];
}
export interface Held {
  content: number;
  version: number;
}
export interface Pull {
  painted: number;
  credit: number;
}
export interface WetIn {
  id: number;
  head: Stroke | undefined;
  from: number;
  points: Uint8Array;
  cancelled: boolean;
}
export interface CursorIn {
  tile: Tile | undefined;
  x: number;
  y: number;
  tool: number;
  gone: boolean;
}

export interface Welcome {
  protocol: number;
  viewer: number;
  seq: number;
  maxWants: number;
  opsInFlight: number;
  bytesInFlight: number;
  maxMessage: number;
  person: Uint8Array;
  home: Tile | undefined;
  drawn: Box | undefined;
}
export interface Box {
  minX: number;
  minY: number;
  maxX: number;
  maxY: number;
}
export interface Ack {
  session: Uint8Array;
  number: number;
  seq: number;
}
export interface Reject {
  session: Uint8Array;
  number: number;
  reason: string;
  retry: boolean;
}
export interface Square {
  id: number;
  version: number;
  seq: number;
  base: number;
  reset: boolean;
  image: Image | undefined;
  pieces: Piece[];
  below: boolean;
  provisional: boolean;
}
export interface Layer {
  id: number;
  content: number; // 2: places
  version: number;
  image: Image | undefined;
  provisional: boolean;
}
export interface Image {
  format: number; // 0 one colour, 1 PNG
  data: Uint8Array;
}
export interface Piece {
  seq: number;
  brush: number;
  color: number;
  dlevel: number;
  width: number;
  runs: Run[];
}
export interface Run {
  points: Uint8Array;
  lead: boolean;
  tail: boolean;
}
export interface Peers {
  peers: Peer[];
}
export interface Peer {
  viewer: number;
  name: string;
  color: number;
  cursor: CursorIn | undefined;
}
export interface Wet {
  viewer: number;
  id: number;
  head: Stroke | undefined;
  from: number;
  points: Uint8Array;
  cancelled: boolean;
  dry: number;
}
export interface State {
  title: string;
  paper: number;
  readOnly: string;
  canUndo: boolean;
  canRedo: boolean;
  strokes: number;
}
export interface CycleEnd {
  cycle: number;
  through: number;
  generation: number;
  settled: boolean;
}
export interface Fatal {
  reason: string;
  reload: boolean;
}

/** A one-of nobody set, or set to a kind this schema does not know. */
export type Unknown = { kind: "unknown" };

export type ClientMessage =
  | ({ kind: "hello" } & Hello)
  | ({ kind: "view" } & View)
  | ({ kind: "pull" } & Pull)
  | ({ kind: "op" } & Op)
  | ({ kind: "wet" } & WetIn)
  | ({ kind: "cursor" } & CursorIn)
  | ({ kind: "profile" } & Profile)
  | Unknown;

export type ServerMessage =
  | ({ kind: "welcome" } & Welcome)
  | ({ kind: "ack" } & Ack)
  | ({ kind: "reject" } & Reject)
  | ({ kind: "square" } & Square)
  | ({ kind: "peers" } & Peers)
  | ({ kind: "wet" } & Wet)
  | ({ kind: "state" } & State)
  | ({ kind: "cycleEnd" } & CycleEnd)
  | ({ kind: "fatal" } & Fatal)
  | ({ kind: "layer" } & Layer)
  | Unknown;

// --------------------------------------------------------------------------------------------------------------------
// Verbs. The decoders throw WireError on bytes that are no message, and nothing else.

export function encodeClient(m: ClientMessage): Uint8Array {
  return finish((w) => client.write(w, m));
}
export function decodeClient(frame: Uint8Array): ClientMessage {
  return decode(frame, client.alone);
}
export function encodeServer(m: ServerMessage): Uint8Array {
  return finish((w) => server.write(w, m));
}
export function decodeServer(frame: Uint8Array): ServerMessage {
  return decode(frame, server.alone);
}

/** encodeOp gives the bytes an op is kept as while it waits for its ack. */
export function encodeOp(op: Op): Uint8Array {
  return finish((w) => opCodec.write(w, op));
}
export function decodeOp(bytes: Uint8Array): Op {
  return decode(bytes, opCodec);
}
/** encodeOpMessage gives the client message that sends an op kept by encodeOp. */
export function encodeOpMessage(op: Uint8Array): Uint8Array {
  return finish((w) => bytes.write(w, opField, op));
}

/** WireError says why bytes are no message, or a value cannot travel. */
export class WireError extends Error {
  override name = "WireError";
}

// --------------------------------------------------------------------------------------------------------------------
// Primitives

// The four wire types of proto3; groups (3 and 4) never appear in our schema and are refused.
const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;

const utf8 = new TextEncoder();
const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Writer appends to a buffer that grows. */
export class Writer {
  private buf: Uint8Array;
  private at = 0;

  constructor(capacity = 256) {
    this.buf = new Uint8Array(capacity);
  }

  get length(): number {
    return this.at;
  }

  /** take gives a copy of what was written, of its own exact size. */
  take(): Uint8Array {
    return this.buf.slice(0, this.at);
  }

  private room(n: number): void {
    if (this.at + n <= this.buf.length) return;
    const grown = new Uint8Array(Math.max(2 * this.buf.length, this.at + n));
    grown.set(this.buf.subarray(0, this.at));
    this.buf = grown;
  }

  /** uint writes an unsigned varint. */
  uint(v: number): void {
    if (!Number.isSafeInteger(v) || v < 0) throw new WireError(`${v} is no unsigned integer that can travel`);
    this.room(8);
    while (v > 0x7f) {
      this.buf[this.at++] = (v % 0x80) | 0x80;
      v = Math.floor(v / 0x80);
    }
    this.buf[this.at++] = v;
  }

  /** sint writes a zig-zag varint: |v| < 2^52. */
  sint(v: number): void {
    this.uint(v < 0 ? -2 * v - 1 : 2 * v);
  }

  fixed32(v: number): void {
    if (!Number.isInteger(v) || v < 0 || v > 0xffffffff) throw new WireError(`${v} is no unsigned integer of 32 bits`);
    this.room(4);
    for (let shift = 0; shift < 32; shift += 8) this.buf[this.at++] = (v >>> shift) & 0xff;
  }

  raw(b: Uint8Array): void {
    this.room(b.length);
    this.buf.set(b, this.at);
    this.at += b.length;
  }

  /** sized writes what `body` writes, behind its length. */
  sized(body: () => void): void {
    const start = this.at;
    this.room(1);
    this.at++; // most messages are short: one byte of length
    body();
    const n = this.at - start - 1;
    if (n <= 0x7f) {
      this.buf[start] = n;
      return;
    }
    let more = 0; // bytes of length beyond the one kept free
    for (let v = n; v > 0x7f; v = Math.floor(v / 0x80)) more++;
    this.room(more);
    this.buf.copyWithin(start + 1 + more, start + 1, this.at);
    this.at = start;
    this.uint(n);
    this.at += n;
  }
}

/** Reader reads a frame and never past its end. */
export class Reader {
  private readonly buf: Uint8Array;
  private at: number;
  private end: number;

  constructor(buf: Uint8Array) {
    this.buf = buf;
    this.at = 0;
    this.end = buf.length;
  }

  get done(): boolean {
    return this.at >= this.end;
  }

  /** uint reads an unsigned varint below 2^53. */
  uint(): number {
    const buf = this.buf;
    let v = 0;
    let unit = 1;
    for (let i = 0; i < 10; i++) {
      if (this.at >= this.end) throw new WireError("the message ends within a number");
      const b = buf[this.at++]!;
      if (i === 9 && b > 1) throw new WireError("a number has more than 64 bits");
      v += (b & 0x7f) * unit;
      if (b < 0x80) {
        if (v > Number.MAX_SAFE_INTEGER) throw new WireError("a number is beyond 2^53");
        return v;
      }
      unit *= 0x80;
    }
    throw new WireError("a number has more than ten bytes");
  }

  /** sint reads a zig-zag varint. */
  sint(): number {
    const v = this.uint();
    return v % 2 === 0 ? v / 2 : -(v + 1) / 2;
  }

  fixed32(): number {
    if (this.end - this.at < 4) throw new WireError("the message ends within a fixed number");
    const b = this.buf;
    const v = (b[this.at]! | (b[this.at + 1]! << 8) | (b[this.at + 2]! << 16) | (b[this.at + 3]! << 24)) >>> 0;
    this.at += 4;
    return v;
  }

  /** view reads bytes behind their length; the length is checked against what is left before anything is made. */
  view(): Uint8Array {
    const n = this.uint();
    if (n > this.end - this.at) throw new WireError(`a field of ${n} bytes in a message with ${this.end - this.at} left`);
    const v = this.buf.subarray(this.at, this.at + n);
    this.at += n;
    return v;
  }

  /** within lets `body` read the message that stands here behind its length. */
  within(body: () => void): void {
    const n = this.uint();
    if (n > this.end - this.at) throw new WireError(`a message of ${n} bytes in one with ${this.end - this.at} left`);
    const outer = this.end;
    this.end = this.at + n;
    body();
    this.end = outer;
  }

  /** skip passes over a field of the given wire type. */
  skip(wire: number): void {
    switch (wire) {
      case VARINT:
        for (let i = 0; i < 10; i++) {
          if (this.at >= this.end) throw new WireError("the message ends within a number");
          if (this.buf[this.at++]! < 0x80) return;
        }
        throw new WireError("a number has more than ten bytes");
      case FIXED64:
        if (this.end - this.at < 8) throw new WireError("the message ends within a fixed number");
        this.at += 8;
        return;
      case LENGTH:
        this.view();
        return;
      case FIXED32:
        this.fixed32();
        return;
      default:
        throw new WireError(`wire type ${wire}`);
    }
  }
}

function finish(body: (w: Writer) => void): Uint8Array {
  const w = new Writer();
  body(w);
  return w.take();
}

function decode<T>(frame: Uint8Array, c: Codec<T>): T {
  const m = c.make();
  c.read(new Reader(frame), m);
  return m;
}

// --------------------------------------------------------------------------------------------------------------------
// Fields: how one value travels

interface Field<V> {
  readonly wire: number;
  zero(): V;
  /** read gives the value that stands here; `old` is what the field held. */
  read(r: Reader, old: V): V;
  /** write writes tag and value, or nothing for the zero value. */
  write(w: Writer, number: number, v: V): void;
}

function scalar<V>(wire: number, zero: V, read: (r: Reader) => V, write: (w: Writer, v: V) => void): Field<V> {
  return {
    wire,
    zero: () => zero,
    read,
    write(w, number, v) {
      if (v === zero) return;
      w.uint(number * 8 + wire);
      write(w, v);
    },
  };
}

const EMPTY = new Uint8Array(0);

const uint64 = scalar<number>(VARINT, 0, (r) => r.uint(), (w, v) => w.uint(v));
const uint32 = scalar<number>(
  VARINT,
  0,
  (r) => {
    const v = r.uint();
    if (v > 0xffffffff) throw new WireError(`${v} where 32 bits are expected`);
    return v;
  },
  (w, v) => {
    if (v > 0xffffffff) throw new WireError(`${v} where 32 bits are expected`);
    w.uint(v);
  },
);
const sint = scalar<number>(VARINT, 0, (r) => r.sint(), (w, v) => w.sint(v));
const fixed32 = scalar<number>(FIXED32, 0, (r) => r.fixed32(), (w, v) => w.fixed32(v));
const bool = scalar<boolean>(VARINT, false, (r) => r.uint() !== 0, (w, v) => w.uint(v ? 1 : 0));
const string = scalar<string>(
  LENGTH,
  "",
  (r) => {
    try {
      return text.decode(r.view());
    } catch (e) {
      throw e instanceof WireError ? e : new WireError("a text is not UTF-8");
    }
  },
  (w, v) => {
    const b = utf8.encode(v);
    w.uint(b.length);
    w.raw(b);
  },
);
const bytes: Field<Uint8Array> = {
  wire: LENGTH,
  zero: () => EMPTY,
  read: (r) => r.view(),
  write(w, number, v) {
    if (v.length === 0) return;
    w.uint(number * 8 + LENGTH);
    w.uint(v.length);
    w.raw(v);
  },
};

/** optional is a message that may be absent. One sent twice: the last wins (protobuf would merge; nobody sends that). */
function optional<T extends object>(c: Codec<T>): Field<T | undefined> {
  return {
    wire: LENGTH,
    zero: () => undefined,
    read: (r) => nested(r, c),
    write(w, number, v) {
      if (v === undefined) return;
      w.uint(number * 8 + LENGTH);
      w.sized(() => c.write(w, v));
    },
  };
}

function repeated<T extends object>(c: Codec<T>): Field<T[]> {
  return {
    wire: LENGTH,
    zero: () => [],
    read(r, old) {
      old.push(nested(r, c));
      return old;
    },
    write(w, number, v) {
      for (const m of v) {
        w.uint(number * 8 + LENGTH);
        w.sized(() => c.write(w, m));
      }
    },
  };
}

function nested<T>(r: Reader, c: Codec<T>): T {
  const m = c.make();
  r.within(() => c.read(r, m));
  return m;
}

// --------------------------------------------------------------------------------------------------------------------
// Messages as tables of fields

interface Codec<T> {
  make(): T;
  read(r: Reader, m: T): void;
  write(w: Writer, m: T): void;
}

type Rows<T> = { readonly [K in keyof T]: readonly [number: number, field: Field<T[K]>] };

interface OneOf<U> {
  /** byNumber reads the kind with that field number into the union. */
  byNumber(number: number): ((r: Reader) => U) | undefined;
  write(w: Writer, u: U): void;
  /** alone is the message that has nothing but this one-of. */
  alone: Codec<U>;
}

/** message makes the codec of T. `kinds` is the one-of it may have under the name of `key`. */
function message<T extends object, K extends keyof T = never>(
  rows: Rows<Omit<T, K>>,
  key?: K,
  kinds?: OneOf<T[K]>,
): Codec<T> {
  type Row = { name: keyof T; number: number; field: Field<unknown> };
  const fields: Row[] = [];
  const byNumber: (Row | undefined)[] = [];
  for (const [name, [number, field]] of Object.entries(rows) as [string, [number, Field<unknown>]][]) {
    const row = { name: name as keyof T, number, field };
    fields.push(row);
    byNumber[number] = row;
  }
  return {
    make() {
      const m = {} as T;
      for (const f of fields) m[f.name] = f.field.zero() as T[keyof T];
      if (key !== undefined) m[key] = UNKNOWN as T[K];
      return m;
    },
    read(r, m) {
      while (!r.done) {
        const [number, wire] = tag(r);
        const row = byNumber[number];
        if (row !== undefined && row.field.wire === wire) {
          m[row.name] = row.field.read(r, m[row.name]) as T[keyof T];
          continue;
        }
        const kind = wire === LENGTH && key !== undefined ? kinds?.byNumber(number) : undefined;
        if (kind !== undefined && key !== undefined) m[key] = kind(r);
        else r.skip(wire);
      }
    },
    write(w, m) {
      for (const f of fields) f.field.write(w, f.number, m[f.name]);
      if (key !== undefined) kinds?.write(w, m[key]);
    },
  };
}

function tag(r: Reader): [number: number, wire: number] {
  const v = r.uint();
  const number = Math.floor(v / 8);
  if (number === 0 || number > 0x1fffffff) throw new WireError(`field number ${number}`);
  return [number, v % 8];
}

const UNKNOWN: Unknown = { kind: "unknown" };

type Kinded = { kind: string };
type KindRows<U extends Kinded> = {
  readonly [K in Exclude<U["kind"], "unknown">]: readonly [number, Codec<Omit<Extract<U, { kind: K }>, "kind">>];
};

/** oneOf makes the union of kinds; the last kind in a frame wins. */
function oneOf<U extends Kinded>(rows: KindRows<U>): OneOf<U> {
  const byKind = new Map(Object.entries(rows) as [string, [number, Codec<object>]][]);
  const readers: (((r: Reader) => U) | undefined)[] = [];
  for (const [kind, [number, codec]] of byKind) {
    readers[number] = (r) => ({ kind, ...nested(r, codec) }) as unknown as U;
  }
  const self: OneOf<U> = {
    byNumber: (number) => readers[number],
    write(w, u) {
      const row = byKind.get(u.kind);
      if (row === undefined) throw new WireError(`a message of kind ${u.kind} cannot be sent`);
      w.uint(row[0] * 8 + LENGTH);
      w.sized(() => row[1].write(w, u));
    },
    alone: {
      make: () => ({ ...UNKNOWN }) as unknown as U,
      read(r, m) {
        let last: U | undefined;
        while (!r.done) {
          const [number, wire] = tag(r);
          const kind = wire === LENGTH ? readers[number] : undefined;
          if (kind !== undefined) last = kind(r);
          else r.skip(wire);
        }
        Object.assign(m, last);
      },
      write: (w, u) => self.write(w, u),
    },
  };
  return self;
}

// --------------------------------------------------------------------------------------------------------------------
// The schema: field numbers as in wire/fractal.proto

const tile = message<Tile>({ level: [1, sint], x: [2, bytes], y: [3, bytes] });
const stroke = message<Stroke>({
  home: [1, optional(tile)],
  brush: [2, uint32],
  color: [3, fixed32],
  width: [4, uint32],
  points: [5, bytes],
});
const nothing = message<Nothing>({});
const paper = message<Paper>({ color: [1, fixed32] });
const box = message<Box>({ minX: [1, sint], minY: [2, sint], maxX: [3, sint], maxY: [4, sint] });
const dyadic = message<Dyadic>({ mantissa: [1, bytes], exp: [2, sint] });
const palette = message<Palette>({ colors: [1, bytes], inside: [2, fixed32], cycle: [3, uint32], offset: [4, uint32] });
const place = message<Place>({
  home: [1, optional(tile)],
  box: [2, optional(box)],
  re: [3, optional(dyadic)],
  im: [4, optional(dyadic)],
  unit: [5, sint],
  julia: [6, bool],
  juliaRe: [7, optional(dyadic)],
  juliaIm: [8, optional(dyadic)],
  limit: [9, uint64],
  palette: [10, optional(palette)],
});
const opBody = oneOf<OpBody>({
  stroke: [3, stroke],
  undo: [4, nothing],
  redo: [5, nothing],
  paper: [6, paper],
  place: [7, place],
});
const opCodec = message<Op, "body">({ session: [1, bytes], number: [2, uint64] }, "body", opBody);

const hello = message<Hello>({ protocol: [1, uint32], key: [2, bytes], name: [3, string], color: [4, fixed32] });
const profile = message<Profile>({ name: [1, string], color: [2, fixed32] });
const held = message<Held>({ content: [1, uint32], version: [2, uint64] });
const want = message<Want>({
  id: [1, uint32],
  dlevel: [2, sint],
  dx: [3, sint],
  dy: [4, sint],
  version: [5, uint64],
  seq: [6, uint64],
  layers: [7, repeated(held)],
});
const view = message<View>({
  generation: [1, uint64],
  origin: [2, optional(tile)],
  wants: [3, repeated(want)],
  hidden: [4, bool],
});
const pull = message<Pull>({ painted: [1, uint64], credit: [2, uint32] });
const wetIn = message<WetIn>({
  id: [1, uint64],
  head: [2, optional(stroke)],
  from: [3, uint32],
  points: [4, bytes],
  cancelled: [5, bool],
});
const cursorIn = message<CursorIn>({
  tile: [1, optional(tile)],
  x: [2, sint],
  y: [3, sint],
  tool: [4, uint32],
  gone: [5, bool],
});
const opField = 4;
const client = oneOf<ClientMessage>({
  hello: [1, hello],
  view: [2, view],
  pull: [3, pull],
  op: [opField, opCodec],
  wet: [5, wetIn],
  cursor: [6, cursorIn],
  profile: [7, profile],
});

const welcome = message<Welcome>({
  protocol: [1, uint32],
  viewer: [2, uint32],
  seq: [3, uint64],
  maxWants: [4, uint32],
  opsInFlight: [5, uint32],
  bytesInFlight: [6, uint32],
  maxMessage: [7, uint32],
  person: [8, bytes],
  home: [9, optional(tile)],
  drawn: [10, optional(box)],
});
const ack = message<Ack>({ session: [1, bytes], number: [2, uint64], seq: [3, uint64] });
const reject = message<Reject>({ session: [1, bytes], number: [2, uint64], reason: [3, string], retry: [4, bool] });
const image = message<Image>({ format: [1, uint32], data: [2, bytes] });
const run = message<Run>({ points: [1, bytes], lead: [2, bool], tail: [3, bool] });
const piece = message<Piece>({
  seq: [1, uint64],
  brush: [2, uint32],
  color: [3, fixed32],
  dlevel: [4, sint],
  width: [5, uint32],
  runs: [6, repeated(run)],
});
const square = message<Square>({
  id: [1, uint32],
  version: [2, uint64],
  seq: [3, uint64],
  base: [4, uint64],
  reset: [5, bool],
  image: [6, optional(image)],
  pieces: [7, repeated(piece)],
  below: [8, bool],
  provisional: [9, bool],
});
const layer = message<Layer>({
  id: [1, uint32],
  content: [2, uint32],
  version: [3, uint64],
  image: [4, optional(image)],
  provisional: [5, bool],
});
const peer = message<Peer>({ viewer: [1, uint32], name: [2, string], color: [3, fixed32], cursor: [4, optional(cursorIn)] });
const peers = message<Peers>({ peers: [1, repeated(peer)] });
const wet = message<Wet>({
  viewer: [1, uint32],
  id: [2, uint64],
  head: [3, optional(stroke)],
  from: [4, uint32],
  points: [5, bytes],
  cancelled: [6, bool],
  dry: [7, uint64],
});
const state = message<State>({
  title: [1, string],
  paper: [2, fixed32],
  readOnly: [3, string],
  canUndo: [4, bool],
  canRedo: [5, bool],
  strokes: [6, uint64],
});
const cycleEnd = message<CycleEnd>({ cycle: [1, uint64], through: [2, uint64], generation: [3, uint64], settled: [4, bool] });
const fatal = message<Fatal>({ reason: [1, string], reload: [2, bool] });
const server = oneOf<ServerMessage>({
  welcome: [1, welcome],
  ack: [2, ack],
  reject: [3, reject],
  square: [4, square],
  peers: [5, peers],
  wet: [6, wet],
  state: [7, state],
  cycleEnd: [8, cycleEnd],
  fatal: [9, fatal],
  layer: [10, layer],
});
