// worker is the engine of a page: it joins socket, session, squares and painting, and is the only one that knows when a
// frame is due. One cycle is applied as a whole, painted in one frame, and answered by one Pull.

import { cover, needs, sameGrid, under, type Cover } from "./cover.ts";
import { Credit } from "./credit.ts";
import { Paint, STILL_MS, type Picture } from "./paint.ts";
import { home, parse, placeOf } from "./permalink.ts";
import type { Beginning, First, FromWorker, Place, ToWorker } from "./protocol.ts";
import { Session } from "./session.ts";
import { Socket, type WireSocket } from "./socket.ts";
import { Squares } from "./squares.ts";
import { bytesHex, hexBytes, Store } from "./store.ts";
import { Terms } from "./terms.ts";
import { fromWire, tileKey, wireTile } from "./tile.ts";
import { Wets } from "./wets.ts";
import { decodeOp, decodeServer, encodeClient, type CursorIn, type CycleEnd, type ServerMessage, type TermWant, type Welcome } from "./wire.ts";

declare const self: DedicatedWorkerGlobalScope;

/** FRACTAL_FONTS are addresses of the terminals' font: regular, bold, oblique, both. The bundler knows them. */
declare const FRACTAL_FONTS: readonly string[] | undefined;

type LookAt = Extract<ToWorker, { kind: "view" }>;

const PROTOCOL = 1;

/** MAX_WANTS until a server says otherwise. */
const MAX_WANTS = 256;

/** CURSOR_MS: others see this person's pointer move at most this often. */
const CURSOR_MS = 33;

class Engine {
  private readonly squares: Squares<Picture>;
  private readonly wets = new Wets();
  private readonly terms: Terms;
  private readonly paint: Paint;
  private readonly socket: Socket;
  private readonly session: Session;
  private readonly credit = new Credit();

  private welcome: Welcome | undefined;
  private look: LookAt | undefined;
  private cover: Cover | undefined;
  private near: TermWant[] = []; // terminals wanted as text
  private hidden = false;
  private hiddenSent = false;

  private asked = false; // this socket knows what we need
  private pullDue = false; // the server waits for our pull
  private news: ServerMessage[] = []; // of the cycle that is arriving
  private last: CycleEnd | undefined; // the last cycle applied
  private throughs: { cycle: number; through: number }[] = []; // applied cycles that are not on the screen yet
  private through = 0; // what is on the screen is complete through this seq

  private readonly dried: number[] = []; // own strokes the newest frame shows dry, and the page does not know yet

  private frameDue = false;
  private dirty = true;
  private moved = 0; // when the view last moved
  private stillTimer: ReturnType<typeof setTimeout> | undefined;
  private framesSinceChange = 0;
  private settling: { id: number; seq: number; view: boolean }[] = [];
  private whole: "" | "painted" | "said" = ""; // all that is in view was shown once
  private acked = 0; // highest seq of an op of ours

  private pointer: CursorIn | undefined;
  private pointerTimer: ReturnType<typeof setTimeout> | undefined;
  private pointerSent = 0;

  constructor(
    url: string,
    private profile: { name: string; color: number },
    private readonly store: Store,
    private readonly key: Uint8Array,
    session: Uint8Array,
    early?: WebSocket,
  ) {
    this.squares = new Squares<Picture>(decodeImage, (seen) => this.decoded(seen), (s) => this.paint.release(s));
    this.terms = new Terms(
      {
        tell,
        ask: (terminal, id, what) => this.welcome !== undefined && this.socket.send(encodeClient({ kind: "ask", terminal, id, what })),
        touch: () => this.touch(),
      },
      typeof FRACTAL_FONTS === "undefined" ? [] : FRACTAL_FONTS,
    );
    this.paint = new Paint(this.squares, this.wets, () => this.touch(), this.terms);
    this.socket = new Socket(() => {
      const ws = early !== undefined && early.readyState <= WebSocket.OPEN ? early : new WebSocket(url);
      early = undefined;
      return ws as WireSocket;
    }, {
      connecting: () => this.connection("connecting"),
      open: () => this.opened(),
      message: (frame) => this.message(frame),
      lost: (retryMs) => this.lost(retryMs),
    });
    this.session = new Session(session, this.socket, store, {
      saving: (ops, kept) => {
        tell({ kind: "saving", ops, kept });
        if (this.settling.length > 0) this.schedule();
      },
      dry: (stroke, seq) => this.dry(stroke, seq),
      rejected: (stroke, reason, retry) => this.rejected(stroke, reason, retry),
    });
    self.addEventListener("online", () => this.socket.connect());
  }

  /** begin connects. Where we look, if that is known by then, travels with the hello. */
  begin(): void {
    this.socket.connect();
    void this.adopt();
  }

  // -------------------------------------------------------------------------------------------------------------------
  // From the page

  hear(m: ToWorker): void {
    switch (m.kind) {
      case "begin":
        this.paint.attach(m.canvas, m.budget);
        return this.take(m.first);
      case "start": {
        if (m.canvas !== undefined) this.paint.attach(m.canvas, m.budget);
        const { name, color } = this.profile;
        if (m.person.name !== name || m.person.color !== color) this.hear({ kind: "profile", ...m.person });
        return this.touch();
      }
      case "view":
        return this.lookAt(m);
      case "hidden":
        return this.hide(m.hidden);
      case "wetBegin":
        this.session.begin(m.stroke, m.head);
        this.wets.begin(own(m.stroke), m.head, m.here);
        return;
      case "wetPoints": {
        this.session.points(m.stroke, m.points);
        const w = this.wets.get(own(m.stroke));
        if (w === undefined || w.here) return;
        w.add(m.points);
        return this.touch();
      }
      case "wetEnd":
        if (!this.session.end(m.stroke)) this.wets.remove(own(m.stroke));
        return;
      case "wetCancel":
        this.session.cancel(m.stroke);
        this.wets.remove(own(m.stroke));
        return this.touch();
      case "undo":
        return this.session.say({ kind: "undo" });
      case "redo":
        return this.session.say({ kind: "redo" });
      case "paper":
        return this.session.say({ kind: "paper", color: m.color });
      case "place":
        return this.session.say({ kind: "place", ...m.place });
      case "terminal":
        return this.session.say({ kind: "terminal", ...m.terminal });
      case "remove":
        return this.session.say({ kind: "remove", seq: m.terminal });
      case "grant":
        return this.session.say({ kind: "grant", person: m.person, role: m.role });
      case "colours":
        this.paint.shade.set(m.trial, m.still);
        this.dirty = true;
        return this.schedule();
      case "term-in":
        if (this.welcome !== undefined) this.socket.send(encodeClient({ kind: "term", terminal: m.terminal, what: m.what }));
        return;
      case "term-ask":
        return this.terms.ask(m.terminal, m.id, m.what);
      case "term-select":
      case "term-scroll":
      case "term-text":
      case "term-link":
      case "term-focus":
        return this.terms.hear(m);
      case "pointer":
        return this.point(m.x, m.y, m.tool, m.gone);
      case "profile":
        this.profile = { name: m.name, color: m.color };
        this.socket.send(encodeClient({ kind: "profile", ...this.profile }));
        return;
      case "reconnect":
        return this.socket.connect();
      case "settle":
        this.settling.push({ id: m.id, seq: m.seq, view: m.view });
        this.framesSinceChange = 0;
        return this.schedule();
      default:
        return m satisfies never;
    }
  }

  // take takes over the pictures that came before we ran. Each is all of its square up to its version.
  private take({ level, x, y, cells }: First): void {
    for (const c of cells) {
      const s = this.squares.get(tileKey(level, x + BigInt(c.col), y + BigInt(c.row)));
      if (s === undefined) continue;
      const { version, below, format, data } = c;
      this.squares.apply({ id: s.id, version, seq: version, base: 0, reset: true, image: { format, data }, pieces: [], below, provisional: false }, 0);
    }
    this.applied();
  }

  private lookAt(m: LookAt): void {
    const before = this.look;
    this.look = m;
    const seen = this.cover;
    const c = (this.cover = this.coverOf(m.place, m));
    const moved = !sameGrid(c, seen);
    this.paint.look(c, m.place, m.dpr, m.width, m.height, moved);
    const others = this.terms.look(m.place, m.goal, m.dpr, m.width, m.height);
    if (moved || others || !sameGoal(before, m)) this.need();
    if (before === undefined || !samePlace(before.place, m.place) || before.dpr !== m.dpr) {
      this.moved = performance.now();
      this.paint.exact = before === undefined; // the first picture need not wait for a movement to end
      this.stillTimer ??= setTimeout(() => this.still(), STILL_MS);
    }
    this.touch();
  }

  private coverOf(place: Place, m: LookAt): Cover {
    // A half of what may be wanted is for what is seen, the rest for margin, stand-ins and where an animation goes.
    return cover(place, m.width, m.height, m.dpr, Math.floor((this.welcome?.maxWants ?? MAX_WANTS) / 2));
  }

  // still looks whether the view has stood still long enough for exact pictures.
  private still(): void {
    const left = this.moved + STILL_MS - performance.now();
    if (left > 1) {
      this.stillTimer = setTimeout(() => this.still(), left);
      return;
    }
    this.stillTimer = undefined;
    this.paint.exact = true;
    this.schedule();
  }

  // need works out which squares are needed, and asks if they are others than before.
  private need(): void {
    const m = this.look;
    if (m === undefined || this.cover === undefined) return;
    const goal = m.goal === undefined ? undefined : this.coverOf(m.goal, m);
    const most = this.welcome?.maxWants ?? MAX_WANTS;
    const others = this.squares.need(needs(this.cover, goal, most));
    const near = this.terms.wants(most);
    const same = near.length === this.near.length && near.every((t) => this.near.some((b) => b.terminal === t.terminal));
    this.near = near;
    const marked = this.squares.mark((level, x, y) => this.terms.reach(level, x, y));
    if (!others && same && !marked) return;
    this.paint.changed();
    this.ask();
  }

  // ask sends what is needed, and with the first of a socket the first pull. It does not wait for the welcome: a server
  // that has let us in answers both at once.
  private ask(): void {
    if (this.look === undefined || !this.socket.connected) return;
    this.hiddenSent = this.hidden;
    const terms = this.terms.wants(this.welcome?.maxWants ?? MAX_WANTS);
    this.terms.missing = false;
    this.socket.send(encodeClient({ kind: "view", ...this.squares.view(this.hidden, terms) }));
    if (this.asked) return;
    this.asked = true;
    this.pullDue = true;
    this.pull();
  }

  private hide(hidden: boolean): void {
    this.hidden = hidden;
    if (hidden !== this.hiddenSent) this.ask();
    if (hidden) return;
    this.socket.connect();
    this.touch();
    if (this.pullDue) this.pull();
    void this.adopt();
  }

  private point(x: number, y: number, tool: number, gone: boolean): void {
    if (this.cover === undefined || this.look === undefined) return;
    this.terms.point(x * this.look.dpr, y * this.look.dpr, gone || tool !== 0);
    const at = under(this.cover, x * this.look.dpr, y * this.look.dpr);
    this.pointer = { tile: wireTile(at), x: at.ux, y: at.uy, tool, gone };
    if (this.pointerTimer !== undefined) return;
    const wait = this.pointerSent + CURSOR_MS - performance.now();
    if (wait <= 0) this.sendPointer();
    else this.pointerTimer = setTimeout(() => this.sendPointer(), wait);
  }

  private sendPointer(): void {
    this.pointerTimer = undefined;
    if (this.pointer === undefined || this.welcome === undefined) return;
    this.pointerSent = performance.now();
    this.socket.send(encodeClient({ kind: "cursor", ...this.pointer }));
    this.pointer = undefined;
  }

  // -------------------------------------------------------------------------------------------------------------------
  // From the server

  private connection(state: "connecting" | "online" | "waiting" | "closed", reason = "", reload = false, retryMs = 0): void {
    tell({ kind: "connection", state, reason, reload, retryMs });
  }

  private opened(): void {
    this.socket.send(encodeClient({ kind: "hello", protocol: PROTOCOL, key: this.key, ...this.profile }));
    this.ask();
  }

  private lost(retryMs: number): void {
    up();
    this.welcome = undefined;
    this.asked = this.pullDue = false;
    this.news = [];
    this.last = undefined;
    this.throughs = [];
    this.session.lost();
    this.squares.lost();
    this.terms.lost();
    this.wets.clear((key) => !isOwn(key));
    this.paint.peers = [];
    tell({ kind: "peers", peers: [] });
    this.connection("waiting", "", false, retryMs);
    this.touch();
  }

  private message(frame: Uint8Array): void {
    let m: ServerMessage;
    try {
      m = decodeServer(frame);
    } catch (e) {
      console.error("a message of the server cannot be read", e);
      return;
    }
    switch (m.kind) {
      case "welcome":
        return this.welcomed(m);
      case "ack":
        this.acked = Math.max(this.acked, m.seq);
        return this.session.ack(m.session, m.number, m.seq);
      case "reject":
        return this.session.reject(m.session, m.number, m.reason, m.retry);
      case "fatal":
        if (m.reload) this.socket.close();
        up();
        return this.connection("closed", m.reason, m.reload);
      case "square":
      case "layer":
      case "peers":
      case "wet":
      case "state":
      case "terminals":
      case "term":
        this.credit.arrived(frame.length, performance.now());
        this.news.push(m);
        return;
      case "answer":
        return this.terms.answer(m);
      case "refused":
        return tell(m);
      case "cycleEnd":
        this.credit.ended(performance.now());
        return this.cycle(m);
      case "unknown":
        return; // of a later protocol
      default:
        return m satisfies never;
    }
  }

  private welcomed(m: Welcome): void {
    // A server that knows less than we hold was set back to an older state: nothing of ours is true any more.
    if (m.seq < this.through) {
      this.squares.clearAll();
      this.terms.forgetAll();
    }
    this.through = 0;
    this.welcome = m;
    this.socket.alive();
    this.connection("online");
    const drawn = m.home && m.drawn && { home: fromWire(m.home), ...m.drawn };
    tell({ kind: "welcome", viewer: m.viewer, drawn, maxMessage: m.maxMessage });
    this.session.welcome({ ops: m.opsInFlight, bytes: m.bytesInFlight, message: m.maxMessage });
    this.need(); // now that we know how much we may want
    if (!this.asked || this.squares.missing) this.ask();
    void this.adopt();
  }

  // cycle applies the news of one cycle at once: a frame shows all of it or nothing.
  private cycle(end: CycleEnd): void {
    const news = this.news;
    this.news = [];
    for (const m of news) {
      switch (m.kind) {
        case "square":
          this.squares.apply(m, end.cycle);
          break;
        case "layer":
          this.squares.lay(m);
          break;
        case "wet":
          this.wetNews(m);
          break;
        case "state":
          this.paint.setPaper(m.paper);
          if (m.readOnly === "") this.session.resume();
          tell(m);
          break;
        case "peers":
          this.peerNews(m);
          break;
        case "terminals":
          this.terms.list(m);
          this.lookAtTerms();
          break;
        case "term":
          if (this.terms.frame(m)) this.lookAtTerms();
          break;
      }
    }
    this.last = end;
    this.throughs.push({ cycle: end.cycle, through: end.through });
    this.pullDue = true;
    if (!this.paint.attached) this.pull(); // nothing can be painted yet: the page is being made
    if (news.length > 0) this.applied();
    else this.schedule();
  }

  // decoded: a picture that nobody sees makes no frame of its own, unless it may stand in for one that is not here yet.
  private decoded(seen: boolean): void {
    if (seen || this.paint.blank) this.applied();
    else this.schedule();
  }

  // lookAtTerms finds which terminals are near, after there are others or some have another size.
  private lookAtTerms(): void {
    if (this.look !== undefined) this.terms.look(this.look.place, this.look.goal, this.look.dpr, this.look.width, this.look.height);
    this.need();
  }

  private applied(): void {
    this.paint.changed();
    this.touch();
  }

  private wetNews(m: Extract<ServerMessage, { kind: "wet" }>): void {
    const key = `${m.viewer}/${m.id}`;
    if (m.cancelled) {
      this.wets.remove(key);
      return;
    }
    let w = this.wets.get(key);
    if (m.head?.home !== undefined) {
      const { brush, color, width } = m.head;
      w = this.wets.begin(key, { home: fromWire(m.head.home), brush, color, width }, false);
    }
    if (w === undefined) return;
    if (m.points.length > 0) w.append(m.from, m.points);
    if (m.dry > 0) w.dry = m.dry;
  }

  private peerNews(m: Extract<ServerMessage, { kind: "peers" }>): void {
    const peers = m.peers.map((p) => {
      const c = p.cursor;
      const cursor = c?.tile === undefined || c.gone ? undefined : { ...fromWire(c.tile), ux: c.x, uy: c.y };
      return { viewer: p.viewer, name: p.name, color: p.color, tool: c?.tool ?? 0, person: p.person, role: p.role, cursor };
    });
    this.paint.peers = peers;
    tell({ kind: "peers", peers });
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Own strokes: from wet to dry

  private dry(stroke: number, seq: number): void {
    const w = this.wets.get(own(stroke));
    // Logged before this socket was welcomed: everything up to the welcome holds it.
    if (w !== undefined) w.dry = seq > 0 ? seq : Math.max(1, this.welcome?.seq ?? 1);
    this.schedule();
  }

  private rejected(stroke: number | undefined, reason: string, retry: boolean): void {
    if (stroke !== undefined && !retry) this.wets.remove(own(stroke));
    tell({ kind: "rejected", stroke, reason, retry });
    this.touch();
  }

  private adopted = 0;

  // adopt takes over what tabs that are gone could not send. Their strokes are shown like wet ones until they are dry.
  private async adopt(): Promise<void> {
    for (const k of await this.store.orphans()) {
      if (this.session.has(k.session, k.number)) continue; // without locks they are given more than once
      let stroke: number | undefined;
      try {
        const body = decodeOp(k.op).body;
        if (body.kind === "stroke" && body.home !== undefined) {
          stroke = --this.adopted; // below the page's own numbers
          const { brush, color, width } = body;
          this.wets.begin(own(stroke), { home: fromWire(body.home), brush, color, width }, false).append(0, body.points);
        }
      } catch {
        this.store.remove(k.session, k.number); // of no use to anybody
        continue;
      }
      this.session.adopt(k.session, k.number, k.op, stroke);
    }
    this.touch();
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Frames

  /** touch says that the next frame differs from the last. */
  private touch(): void {
    this.dirty = true;
    this.framesSinceChange = 0;
    this.schedule();
  }

  private schedule(): void {
    if (this.frameDue || this.hidden) return;
    this.frameDue = true;
    self.requestAnimationFrame(this.frame);
  }

  private readonly frame = (): void => {
    this.frameDue = false;
    if (this.look === undefined || this.hidden || !this.paint.attached) return;
    this.sayPainted();
    if (this.whole === "painted") {
      this.whole = "said";
      tell({ kind: "shown", at: performance.timeOrigin + performance.now() });
      up();
    }
    const busy = this.paint.work(clock);
    if (this.paint.painted()) this.dirty = true;
    this.handOver();
    if (this.paint.shade.due(Date.now())) this.dirty = true;
    if (this.dirty) {
      this.dirty = false;
      this.paint.frame();
    }
    if (this.whole === "" && this.last !== undefined && this.paint.complete()) {
      this.whole = "painted";
      this.schedule(); // it is on the screen by the next
    }
    if (this.paint.shade.moves) this.schedule();
    this.pull();
    if (this.squares.missing || this.terms.missing) this.ask(); // after the pull: it says what was painted, and this what came of it
    if (busy) this.schedule();
    this.settle(busy);
  };

  // handOver takes away wet ink whose dry form this frame shows.
  private handOver(): void {
    const shown = this.paint.shown();
    while (this.throughs.length > 0 && this.throughs[0]!.cycle < shown) this.through = this.throughs.shift()!.through;
    const gone = this.wets.dried(this.through, (key) => {
      if (isOwn(key)) this.dried.push(strokeOf(key));
    });
    if (gone) this.dirty = true;
    if (this.dried.length > 0) this.schedule();
  }

  // sayPainted tells the page of strokes that the frame before showed. The frames of page and worker reach the screen
  // independently: said any earlier, the ink could be missing in one.
  private sayPainted(): void {
    for (const stroke of this.dried) tell({ kind: "painted", stroke });
    this.dried.length = 0;
  }

  // pull asks for the next cycle: the last one is painted.
  private pull(): void {
    if (!this.pullDue || this.hidden || !this.asked) return;
    this.pullDue = false;
    this.credit.asked();
    this.socket.send(encodeClient({ kind: "pull", painted: this.last?.cycle ?? 0, credit: this.credit.bytes }));
  }

  // settle answers those who wait for the picture that stays.
  private settle(busy: boolean): void {
    if (this.settling.length === 0) return;
    if (this.paint.complete()) this.answer((s) => s.view);
    if (busy) return;
    const calm =
      this.last !== undefined &&
      this.last.settled &&
      this.last.generation === this.squares.generation &&
      this.session.unconfirmed === 0 &&
      !this.session.drawing &&
      this.through >= this.acked &&
      this.wets.size === 0 &&
      this.dried.length === 0 &&
      !this.squares.decodingAny &&
      this.paint.exact &&
      this.stillTimer === undefined &&
      this.look?.goal === undefined;
    if (!calm) return; // whatever ends the wait brings a frame
    if (this.framesSinceChange++ < 2) return this.schedule();
    this.answer(() => true);
  }

  private answer(whom: (s: { view: boolean }) => boolean): void {
    const now = this.settling.filter((s) => whom(s) && s.seq <= this.through);
    this.settling = this.settling.filter((s) => !now.includes(s));
    for (const { id } of now) tell({ kind: "settled", id, seq: this.through });
  }
}

// What is said before the page listens waits for it.
let waiting: FromWorker[] | undefined = [];

function tell(m: FromWorker): void {
  if (waiting !== undefined) waiting.push(m);
  else self.postMessage(m);
}

function speak(): void {
  const said = waiting ?? [];
  waiting = undefined;
  for (const m of said) self.postMessage(m);
}

function clock(): number {
  return performance.now();
}

function own(stroke: number): string {
  return `own/${stroke}`;
}

function isOwn(key: string): boolean {
  return key.startsWith("own/");
}

function strokeOf(key: string): number {
  return Number(key.slice(4));
}

function samePlace(a: Place, b: Place): boolean {
  return a.level === b.level && a.s === b.s && a.fx === b.fx && a.fy === b.fy && a.x === b.x && a.y === b.y;
}

function sameGoal(a: LookAt | undefined, b: LookAt): boolean {
  if (a === undefined) return false;
  if (a.width !== b.width || a.height !== b.height || a.dpr !== b.dpr) return false;
  return a.goal === undefined || b.goal === undefined ? a.goal === b.goal : samePlace(a.goal, b.goal);
}

function decodeImage(png: Uint8Array): Promise<ImageBitmap> {
  // The bytes are pixels, not a photograph: no colour management.
  return createImageBitmap(new Blob([png as Uint8Array<ArrayBuffer>], { type: "image/png" }), { colorSpaceConversion: "none" });
}

// The page is made when all that is in view is shown, with which it would compete; at the latest PAGE_MS after we have begun.
const PAGE_MS = 200;
let isUp = false;

let engine: Engine | undefined;
let unheard: ToWorker[] = []; // while the engine is being made

self.onmessage = (e: MessageEvent<ToWorker>) => {
  const m = e.data;
  if (m.kind === "start") speak(); // who says so listens
  if (engine !== undefined) return engine.hear(m);
  unheard.push(m);
  if (m.kind === "begin" && early !== undefined) void begin(early.url, early.name, m.person, m.key, early);
  if (m.kind === "start" && early === undefined) void begin(m.url, m.name, m.person);
};

// Early is what a page of ours says in the worker's name: all that is needed to connect and to look. Others start it by a message.
interface Early {
  url: string;
  name: string;
  look: LookAt;
  socket: WebSocket;
}

const early = self.name.startsWith("{") ? soon(JSON.parse(self.name) as Beginning) : undefined;

function soon({ name, hash, width, height, dpr }: Beginning): Early {
  const { protocol, host } = self.location;
  const url = `${protocol === "https:" ? "wss" : "ws"}://${host}/c/${encodeURIComponent(name)}/ws`;
  const socket = new WebSocket(url);
  socket.binaryType = "arraybuffer";
  setTimeout(up, PAGE_MS);
  self.postMessage({ kind: "runs" } satisfies FromWorker);
  return { url, name, look: { kind: "view", place: placeOf(parse(hash) ?? home, width, height), width, height, dpr }, socket };
}

async function begin(url: string, canvas: string, person: { name: string; color: number }, key?: string, early?: Early): Promise<void> {
  try {
    const session = crypto.getRandomValues(new Uint8Array(16));
    const store = new Store(canvas, session);
    const copy = key === undefined ? undefined : bytesHex(key);
    const stored = store.person(copy);
    if (early !== undefined) void stored.then((k) => (hexBytes(k) === key ? undefined : tell({ kind: "person", key: hexBytes(k) })));
    const made = new Engine(url, person, store, copy ?? (await stored), session, early?.socket);
    if (early !== undefined) made.hear(early.look);
    for (const m of unheard) made.hear(m);
    made.begin(); // what came is told by the first view
    unheard = [];
    engine = made;
  } catch (e) {
    tell({ kind: "failed", reason: e instanceof Error ? e.message : String(e) });
    up();
  }
}

function up(): void {
  if (isUp || early === undefined) return;
  isUp = true;
  self.postMessage({ kind: "up" } satisfies FromWorker);
}
