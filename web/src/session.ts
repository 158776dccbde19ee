// session owns what this tab has said and the server has not yet confirmed: the ops in their order, and the stroke being
// drawn. Every op is named by (session, number), so sending one again changes nothing; each is kept in the store until
// its Ack or final Reject. It refuses to know pictures.

import type { Head } from "./protocol.ts";
import { hexBytes, type Keeper } from "./store.ts";
import { wireTile } from "./tile.ts";
import { encodeClient, encodeOp, encodeOpMessage, Writer, type OpBody, type Stroke } from "./wire.ts";

/** Line is what a session needs of a socket. */
export interface Line {
  readonly connected: boolean;
  readonly buffered: number;
  send(frame: Uint8Array): boolean;
  expect(): void;
  relax(): void;
}

export interface SessionEvents {
  /** How many ops are not confirmed, and whether they would survive the tab. */
  saving(ops: number, kept: boolean): void;
  /** An op of a stroke is logged as `seq`; 0: it was logged before, so by the time this socket was welcomed. */
  dry(stroke: number, seq: number): void;
  rejected(stroke: number | undefined, reason: string, retry: boolean): void;
}

interface Waiting {
  session: string; // hex
  number: number;
  op: Uint8Array;
  stroke: number | undefined; // the page's number
  sent: boolean;
}

/** Limits are how much may be on its way without an answer. */
export interface Limits {
  ops: number;
  bytes: number;
  message: number;
}

const EMPTY = new Uint8Array(0);

/** MAX_POINTS of one stroke is a bound of the wire; a longer line goes on as another stroke. */
const MAX_POINTS = 131_072;

// A wet stroke's newest points are held back while this many bytes wait to leave: they travel together then.
const MAX_BUFFERED = 32 << 10;

// How long an op that cannot be kept at the moment waits before it is tried again, unless the server says sooner that
// all is well.
const RETRY_MS = 2000;

export class Session {
  private readonly own: string;
  private next = 1;
  private readonly queues = new Map<string, Waiting[]>(); // by session, adopted ones first
  private readonly ids = new Map<string, Uint8Array>();
  private limits: Limits = { ops: 1, bytes: 0, message: 1 << 20 };
  private welcomed = false;
  private inFlight = 0;
  private bytesInFlight = 0;
  private paused: ReturnType<typeof setTimeout> | undefined;
  private readonly wet: WetOut[] = []; // at most one unless a stroke had to be cut
  private behind: { body: OpBody; stroke: number | undefined }[] = []; // made while a stroke is wet: they follow it

  constructor(
    private readonly id: Uint8Array,
    private readonly line: Line,
    private readonly keeper: Keeper,
    private readonly events: SessionEvents,
  ) {
    this.own = hexBytes(id);
    this.ids.set(this.own, id);
    this.queues.set(this.own, []);
  }

  /** unconfirmed is how many ops wait for their Ack. */
  get unconfirmed(): number {
    let n = this.behind.length;
    for (const q of this.queues.values()) n += q.length;
    return n;
  }

  get drawing(): boolean {
    return this.wet.length > 0;
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Ops

  /** has says whether an op waits here already. */
  has(session: Uint8Array, number: number): boolean {
    return this.queues.get(hexBytes(session))?.some((w) => w.number === number) ?? false;
  }

  /** adopt takes over an op of a tab that is gone. They come in order. */
  adopt(session: Uint8Array, number: number, op: Uint8Array, stroke: number | undefined): void {
    const key = hexBytes(session);
    let queue = this.queues.get(key);
    if (queue === undefined) {
      this.queues.set(key, (queue = []));
      this.ids.set(key, session);
    }
    queue.push({ session: key, number, op, stroke, sent: false });
    this.report();
    this.pump();
  }

  /** say makes an op and sends it as soon as it may go. */
  say(body: OpBody, stroke?: number): void {
    if (this.wet.length > 0) {
      this.behind.push({ body, stroke });
      this.report();
      return;
    }
    this.commit(this.next++, body, stroke);
  }

  private commit(number: number, body: OpBody, stroke: number | undefined): void {
    const op = encodeOp({ session: this.id, number, body });
    this.queues.get(this.own)!.push({ session: this.own, number, op, stroke, sent: false });
    this.keeper.put({ session: this.id, number, op });
    this.report();
    this.pump();
  }

  /** welcome begins a socket: everything unconfirmed goes again, in order, and the wet stroke from its beginning. */
  welcome(limits: Limits): void {
    this.limits = limits;
    this.welcomed = true;
    this.resume();
    for (const w of this.wet) {
      w.sentPoints = w.sentBytes = 0;
      w.headSent = false;
      this.sendWet(w);
    }
  }

  /** lost ends a socket. */
  lost(): void {
    this.welcomed = false;
    this.inFlight = this.bytesInFlight = 0;
    clearTimeout(this.paused);
    this.paused = undefined;
    for (const q of this.queues.values()) for (const w of q) w.sent = false;
  }

  /** resume tries again what waits for the server to be able to keep things. */
  resume(): void {
    clearTimeout(this.paused);
    this.paused = undefined;
    this.pump();
  }

  ack(session: Uint8Array, number: number, seq: number): void {
    const w = this.take(session, number);
    if (w === undefined) return;
    if (w.stroke !== undefined) this.events.dry(w.stroke, seq);
    this.report();
    this.pump();
  }

  reject(session: Uint8Array, number: number, reason: string, retry: boolean): void {
    const key = hexBytes(session);
    if (!retry) {
      const w = this.take(session, number);
      if (w === undefined) return;
      this.events.rejected(w.stroke, reason, false);
      this.report();
      this.pump();
      return;
    }
    // Numbers are applied in their order, so what was sent behind it must come again behind it.
    const queue = this.queues.get(key);
    const at = queue?.findIndex((w) => w.number === number && w.sent) ?? -1;
    if (queue === undefined || at < 0) return;
    this.unsend(queue[at]!);
    this.events.rejected(queue[at]!.stroke, reason, true);
    this.paused ??= setTimeout(() => this.resume(), RETRY_MS);
  }

  private take(session: Uint8Array, number: number): Waiting | undefined {
    const queue = this.queues.get(hexBytes(session));
    const at = queue?.findIndex((w) => w.number === number) ?? -1;
    if (queue === undefined || at < 0) return undefined;
    const w = queue.splice(at, 1)[0]!;
    if (w.sent) this.unsend(w);
    this.keeper.remove(session, number);
    return w;
  }

  private unsend(w: Waiting): void {
    w.sent = false;
    this.inFlight--;
    this.bytesInFlight -= w.op.length;
    this.line.relax();
    if (this.inFlight > 0) this.line.expect();
  }

  /** pump sends what the window allows. Within a session an op never overtakes another. */
  private pump(): void {
    if (!this.welcomed || this.paused !== undefined) return;
    for (const queue of this.queues.values()) {
      for (const w of queue) {
        if (w.sent) continue;
        const full = this.inFlight >= this.limits.ops || this.bytesInFlight + w.op.length > this.limits.bytes;
        if (full && this.inFlight > 0) return;
        if (!this.line.send(encodeOpMessage(w.op))) return;
        w.sent = true;
        this.inFlight++;
        this.bytesInFlight += w.op.length;
        this.line.expect();
      }
    }
  }

  private report(): void {
    this.events.saving(this.unconfirmed, this.keeper.durable);
  }

  // -------------------------------------------------------------------------------------------------------------------
  // The stroke being drawn

  begin(stroke: number, head: Head): void {
    while (this.wet.length > 0) this.cancel(this.wet[0]!.stroke); // the page draws one at a time
    this.wet.push(new WetOut(stroke, this.next++, head));
  }

  /** points appends final samples (x, y, diameter). */
  points(stroke: number, xyd: Float64Array): void {
    let w = this.wet.find((w) => w.stroke === stroke);
    if (w === undefined) return;
    for (let i = 0; i + 2 < xyd.length; i += 3) {
      if (w.count >= MAX_POINTS || w.out.length + 64 > this.limits.message - w.headBytes) w = this.cut(w);
      w.add(xyd[i]!, xyd[i + 1]!, xyd[i + 2]!);
    }
    this.sendWet(w);
  }

  /** end makes an op of the stroke, and says whether there was anything to make it of. */
  end(stroke: number): boolean {
    const w = this.wet.find((w) => w.stroke === stroke);
    if (w === undefined) return false;
    this.wet.length = 0;
    if (w.count === 0) this.forget(w);
    else this.commit(w.number, { kind: "stroke", ...w.head, points: w.out.take() }, stroke);
    this.follow();
    return w.count > 0;
  }

  cancel(stroke: number): void {
    const w = this.wet.find((w) => w.stroke === stroke);
    if (w === undefined) return;
    this.wet.length = 0;
    this.forget(w);
    this.follow();
  }

  // forget takes a wet stroke away at those who see it. Its number names the next op: numbers leave no gap.
  private forget(w: WetOut): void {
    if (w.headSent && this.welcomed) {
      this.line.send(encodeClient({ kind: "wet", id: w.number, head: undefined, from: 0, points: EMPTY, cancelled: true }));
    }
    this.next = w.number;
  }

  private follow(): void {
    const behind = this.behind;
    this.behind = [];
    for (const b of behind) this.commit(this.next++, b.body, b.stroke);
  }

  // cut ends a stroke that has grown to its bound and goes on with another from the same point.
  private cut(w: WetOut): WetOut {
    this.wet.length = 0;
    this.commit(w.number, { kind: "stroke", ...w.head, points: w.out.take() }, undefined);
    const more = new WetOut(w.stroke, this.next++, w.source);
    more.add(w.x, w.y, w.d);
    this.wet.push(more);
    return more;
  }

  private sendWet(w: WetOut): void {
    if (!this.welcomed || w.sentPoints === w.count || this.line.buffered > MAX_BUFFERED) return;
    const all = w.out.take();
    const sent = this.line.send(
      encodeClient({
        kind: "wet",
        id: w.number,
        head: w.headSent ? undefined : w.head,
        from: w.sentPoints,
        points: all.subarray(w.sentBytes),
        cancelled: false,
      }),
    );
    if (!sent) return;
    w.headSent = true;
    w.sentPoints = w.count;
    w.sentBytes = all.length;
  }
}

/** WetOut is the stroke being drawn, as it is sent: one run of deltas, of which each message carries the next part. */
class WetOut {
  readonly head: Stroke;
  readonly headBytes: number;
  readonly out = new Writer(1024);
  count = 0;
  sentPoints = 0;
  sentBytes = 0;
  headSent = false;
  x = 0;
  y = 0;
  d = 0;

  constructor(
    readonly stroke: number,
    readonly number: number,
    readonly source: Head,
  ) {
    const home = wireTile(source.home);
    this.head = { home, brush: source.brush, color: source.color, width: source.width, points: EMPTY };
    this.headBytes = home.x.length + home.y.length + 128; // and what surrounds it in a message
  }

  add(x: number, y: number, d: number): void {
    this.out.sint(x - this.x);
    this.out.sint(y - this.y);
    if (this.source.width === 0) this.out.sint(d - this.d);
    this.x = x;
    this.y = y;
    this.d = d;
    this.count++;
  }
}
