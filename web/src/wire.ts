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
  | ({ kind: "terminal" } & Terminal)
  | ({ kind: "grant" } & Grant)
  | ({ kind: "remove" } & Remove)
  | Unknown;

/** Terminal shows a program that runs on the server in a rectangle of the canvas. */
export interface Terminal {
  home: Tile | undefined;
  box: Box | undefined;
  name: string;
  cols: number;
  rows: number;
}
/** Grant says what a person may do with terminals: 0 look on, 1 type, 2 all that the owner may. */
export interface Grant {
  person: Uint8Array;
  role: number;
}

/** Remove takes a terminal off the canvas: the seq of the op that placed it. */
export interface Remove {
  seq: number;
}

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
  speed: number;
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
  shown: number;
  terms: TermWant[];
}
export interface TermWant {
  terminal: number;
  life: number;
  seq: number;
}
export interface Want {
  id: number;
  dlevel: number;
  dx: number;
  dy: number;
  version: number;
  seq: number;
  layers: Held[];
  without: number; // bit c: no layer of content c
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

/** TermIn is what somebody does at a terminal. */
export interface TermIn {
  terminal: number; // seq of its op
  what: TermDo;
}
export type TermDo =
  | { kind: "text"; value: Uint8Array }
  | ({ kind: "key" } & TermKey)
  | { kind: "paste"; value: Uint8Array }
  | ({ kind: "mouse" } & TermMouse)
  | ({ kind: "size" } & TermSize)
  | { kind: "focus"; value: boolean }
  | { kind: "restart"; value: boolean }
  | { kind: "signal"; value: number }
  | Unknown;
/** TermKey is a key as vt.Key. */
export interface TermKey {
  code: number;
  shifted: number;
  base: number;
  text: string;
  mods: number;
  press: number;
}
export interface TermMouse {
  button: number;
  press: number;
  motion: boolean;
  mods: number;
  x: number;
  y: number;
  xPixel: number;
  yPixel: number;
}
export interface TermSize {
  cols: number;
  rows: number;
}
/** TermAsk asks about what a terminal has printed. */
export interface TermAsk {
  terminal: number;
  id: number;
  what: TermQuestion;
}
export type TermQuestion =
  | ({ kind: "history" } & HistoryAsk)
  | ({ kind: "search" } & SearchAsk)
  | ({ kind: "prompt" } & PromptAsk)
  | { kind: "cancel"; value: boolean }
  | Unknown;
export interface HistoryAsk {
  from: number;
  count: number;
}
export interface SearchAsk {
  text: string;
  regexp: boolean;
  fold: boolean;
  before: number;
  limit: number;
}
export interface PromptAsk {
  row: number;
  above: boolean;
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
  content: number; // 2: places, 3: terminals
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
  person: Uint8Array;
  role: number;
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
  role: number;
  shells: boolean;
}
export interface Terminals {
  items: TermItem[];
}
export interface TermItem {
  seq: number;
  terminal: Terminal | undefined;
}
/** TermFrame brings a terminal from what the client holds to a later moment. */
export interface TermFrame {
  terminal: number;
  life: number;
  seq: number;
  full: boolean;
  cols: number;
  rows: number;
  base: number; // number of the screen's first row
  changed: TermRow[];
  cursor: TermCursor | undefined;
  facts: TermFacts | undefined;
  absent: boolean;
}
export interface TermRow {
  y: number;
  data: Uint8Array; // as term/row.go says
}
export interface TermCursor {
  x: number;
  y: number;
  visible: boolean;
  blink: boolean;
  shape: number; // 0 default, 1 block, 2 underline, 3 bar
}
export interface TermFacts {
  modes: number;
  mouse: number;
  mouseFormat: number;
  kitty: number;
  title: string;
  cwd: string;
  bells: number;
  pointer: string;
  progress: number;
  percent: number;
  running: boolean;
  atPrompt: boolean;
  finished: number;
  status: number;
  foreground: number; // 0xRRGGBB + 1; 0: not set
  background: number;
  cursorColor: number;
  palette: Uint8Array; // number, red, green, blue
  notices: number;
  noticeTitle: string;
  notice: string;
  clipboards: number;
  selection: string;
  clipboard: Uint8Array;
  typist: number;
  run: number;
  ended: boolean;
  exit: string;
}
export interface TermAnswer {
  id: number;
  terminal: number;
  rows: TermRow[];
  first: number;
  end: number;
  hits: TermHit[];
  done: boolean;
  more: boolean;
  row: number;
  found: boolean;
  error: string;
}
export interface TermHit {
  line: number;
  row: number;
  x: number;
  endRow: number;
  endX: number;
  text: string;
  before: string; // what stands in the line around it
  after: string;
}
export interface Refused {
  terminal: number;
  reason: string;
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
  | ({ kind: "term" } & TermIn)
  | ({ kind: "ask" } & TermAsk)
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
  | ({ kind: "terminals" } & Terminals)
  | ({ kind: "term" } & TermFrame)
  | ({ kind: "answer" } & TermAnswer)
  | ({ kind: "refused" } & Refused)
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
/** decodePalette reads the palette that stands in an image of phases. */
export function decodePalette(bytes: Uint8Array): Palette {
  return decode(bytes, palette);
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
  byNumber(number: number, wire: number): ((r: Reader) => U) | undefined;
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
        const kind = key !== undefined ? kinds?.byNumber(number, wire) : undefined;
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
type KindRow<V> = readonly [number, V extends { value: infer W } ? Field<W> : Codec<V>];
type KindRows<U extends Kinded> = {
  readonly [K in Exclude<U["kind"], "unknown">]: KindRow<Omit<Extract<U, { kind: K }>, "kind">>;
};

/** oneOf makes the union of kinds; the last kind in a frame wins. A kind that is no message has its value under `value`. */
function oneOf<U extends Kinded>(rows: KindRows<U>): OneOf<U> {
  const byKind = new Map(Object.entries(rows) as [string, [number, Codec<object> | Field<unknown>]][]);
  const readers: { wire: number; read: (r: Reader) => U }[] = [];
  for (const [kind, [number, how]] of byKind) {
    readers[number] = "wire" in how
      ? { wire: how.wire, read: (r) => ({ kind, value: how.read(r, how.zero()) }) as unknown as U }
      : { wire: LENGTH, read: (r) => ({ kind, ...nested(r, how) }) as unknown as U };
  }
  const reader = (number: number, wire: number): ((r: Reader) => U) | undefined => (readers[number]?.wire === wire ? readers[number].read : undefined);
  const self: OneOf<U> = {
    byNumber: reader,
    write(w, u) {
      const row = byKind.get(u.kind);
      if (row === undefined) throw new WireError(`a message of kind ${u.kind} cannot be sent`);
      const [number, how] = row;
      if ("wire" in how) {
        const before = w.length;
        how.write(w, number, (u as unknown as { value: unknown }).value);
        if (w.length > before) return;
        w.uint(number * 8 + how.wire); // which one it is must be said though it is zero
        w.uint(0);
        return;
      }
      w.uint(number * 8 + LENGTH);
      w.sized(() => how.write(w, u));
    },
    alone: {
      make: () => ({ ...UNKNOWN }) as unknown as U,
      read(r, m) {
        let last: U | undefined;
        while (!r.done) {
          const [number, wire] = tag(r);
          const kind = reader(number, wire);
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
const palette = message<Palette>({ colors: [1, bytes], inside: [2, fixed32], cycle: [3, uint32], offset: [4, uint32], speed: [5, sint] });
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
const terminal = message<Terminal>({ home: [1, optional(tile)], box: [2, optional(box)], name: [3, string], cols: [4, uint32], rows: [5, uint32] });
const grant = message<Grant>({ person: [1, bytes], role: [2, uint32] });
const opBody = oneOf<OpBody>({
  stroke: [3, stroke],
  undo: [4, nothing],
  redo: [5, nothing],
  paper: [6, paper],
  place: [7, place],
  terminal: [8, terminal],
  grant: [9, grant],
  remove: [10, message<Remove>({ seq: [1, uint64] })],
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
  without: [8, uint32],
});
const termWant = message<TermWant>({ terminal: [1, uint64], life: [2, uint32], seq: [3, uint64] });
const view = message<View>({
  generation: [1, uint64],
  origin: [2, optional(tile)],
  wants: [3, repeated(want)],
  hidden: [4, bool],
  shown: [6, uint32],
  terms: [5, repeated(termWant)],
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
const termKey = message<TermKey>({ code: [1, uint32], shifted: [2, uint32], base: [3, uint32], text: [4, string], mods: [5, uint32], press: [6, uint32] });
const termMouse = message<TermMouse>({
  button: [1, uint32],
  press: [2, uint32],
  motion: [3, bool],
  mods: [4, uint32],
  x: [5, uint32],
  y: [6, uint32],
  xPixel: [7, uint32],
  yPixel: [8, uint32],
});
const termSize = message<TermSize>({ cols: [1, uint32], rows: [2, uint32] });
const termDo = oneOf<TermDo>({
  text: [2, bytes],
  key: [3, termKey],
  paste: [4, bytes],
  mouse: [5, termMouse],
  size: [6, termSize],
  focus: [7, bool],
  restart: [8, bool],
  signal: [9, uint32],
});
const termIn = message<TermIn, "what">({ terminal: [1, uint64] }, "what", termDo);
const historyAsk = message<HistoryAsk>({ from: [1, sint], count: [2, uint32] });
const searchAsk = message<SearchAsk>({ text: [1, string], regexp: [2, bool], fold: [3, bool], before: [4, sint], limit: [5, uint32] });
const promptAsk = message<PromptAsk>({ row: [1, sint], above: [2, bool] });
const termQuestion = oneOf<TermQuestion>({ history: [3, historyAsk], search: [4, searchAsk], prompt: [5, promptAsk], cancel: [6, bool] });
const termAsk = message<TermAsk, "what">({ terminal: [1, uint64], id: [2, uint64] }, "what", termQuestion);
const opField = 4;
const client = oneOf<ClientMessage>({
  hello: [1, hello],
  view: [2, view],
  pull: [3, pull],
  op: [opField, opCodec],
  wet: [5, wetIn],
  cursor: [6, cursorIn],
  profile: [7, profile],
  term: [8, termIn],
  ask: [9, termAsk],
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
const peer = message<Peer>({ viewer: [1, uint32], name: [2, string], color: [3, fixed32], cursor: [4, optional(cursorIn)], person: [5, bytes], role: [6, uint32] });
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
  role: [7, uint32],
  shells: [8, bool],
});
const termItem = message<TermItem>({ seq: [1, uint64], terminal: [2, optional(terminal)] });
const terminals = message<Terminals>({ items: [1, repeated(termItem)] });
const termRow = message<TermRow>({ y: [1, sint], data: [2, bytes] });
const termCursor = message<TermCursor>({ x: [1, uint32], y: [2, uint32], visible: [3, bool], blink: [4, bool], shape: [5, uint32] });
const termFacts = message<TermFacts>({
  modes: [1, uint32],
  mouse: [2, uint32],
  mouseFormat: [3, uint32],
  kitty: [4, uint32],
  title: [5, string],
  cwd: [6, string],
  bells: [7, uint64],
  pointer: [8, string],
  progress: [9, uint32],
  percent: [10, uint32],
  running: [11, bool],
  atPrompt: [12, bool],
  finished: [13, uint64],
  status: [14, sint],
  foreground: [15, uint32],
  background: [16, uint32],
  cursorColor: [17, uint32],
  palette: [18, bytes],
  notices: [19, uint64],
  noticeTitle: [20, string],
  notice: [21, string],
  clipboards: [22, uint64],
  selection: [23, string],
  clipboard: [24, bytes],
  typist: [25, uint32],
  run: [26, uint32],
  ended: [27, bool],
  exit: [28, string],
});
const termFrame = message<TermFrame>({
  terminal: [1, uint64],
  life: [2, uint32],
  seq: [3, uint64],
  full: [4, bool],
  cols: [5, uint32],
  rows: [6, uint32],
  base: [7, sint],
  changed: [8, repeated(termRow)],
  cursor: [9, optional(termCursor)],
  facts: [10, optional(termFacts)],
  absent: [11, bool],
});
const termHit = message<TermHit>({ line: [1, sint], row: [2, sint], x: [3, uint32], endRow: [4, sint], endX: [5, uint32], text: [6, string], before: [7, string], after: [8, string] });
const termAnswer = message<TermAnswer>({
  id: [1, uint64],
  terminal: [2, uint64],
  rows: [3, repeated(termRow)],
  first: [4, sint],
  end: [5, sint],
  hits: [6, repeated(termHit)],
  done: [7, bool],
  more: [8, bool],
  row: [9, sint],
  found: [10, bool],
  error: [11, string],
});
const refused = message<Refused>({ terminal: [1, uint64], reason: [2, string] });
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
  terminals: [11, terminals],
  term: [12, termFrame],
  answer: [13, termAnswer],
  refused: [14, refused],
});
