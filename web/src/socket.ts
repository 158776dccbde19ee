// socket owns one WebSocket at a time: opening it, losing it, and opening it again after a pause that grows and is
// different for everybody, so that a server that comes back is not met by all its viewers at once.

export interface SocketEvents {
  open(): void;
  message(frame: Uint8Array): void;
  /** The socket is gone. The next attempt begins in `retryMs`. */
  lost(retryMs: number): void;
  connecting(): void;
}

/** Wire is what we use of a WebSocket; tests bring their own. */
export interface WireSocket {
  binaryType: string;
  readonly readyState?: number;
  readonly bufferedAmount: number;
  onopen: ((e: never) => void) | null;
  onmessage: ((e: MessageEvent<ArrayBuffer>) => void) | null;
  onclose: ((e: never) => void) | null;
  send(frame: Uint8Array<ArrayBuffer>): void;
  close(code?: number): void;
}

// The pause before an attempt doubles from the first to the last of these; a part of it is left to chance.
const FIRST_PAUSE_MS = 200;
const LAST_PAUSE_MS = 5000;

/** PATIENCE_MS is how long an attempt, or an answer that is owed, may take before the connection counts as dead. */
const PATIENCE_MS = 15_000;

export class Socket {
  private ws: WireSocket | undefined;
  private open = false;
  private attempts = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private watch: ReturnType<typeof setTimeout> | undefined;
  private closed = false;

  constructor(
    private readonly make: () => WireSocket,
    private readonly events: SocketEvents,
    private readonly chance: () => number = Math.random,
  ) {}

  get connected(): boolean {
    return this.open;
  }

  /** buffered is how many bytes wait to leave this machine. */
  get buffered(): number {
    return this.ws?.bufferedAmount ?? 0;
  }

  /** connect opens a socket now, unless there is one. */
  connect(): void {
    if (this.closed || this.ws !== undefined) return;
    clearTimeout(this.timer);
    this.events.connecting();
    let ws: WireSocket;
    try {
      ws = this.make();
    } catch {
      this.again();
      return;
    }
    this.ws = ws;
    ws.binaryType = "arraybuffer";
    const opened = (): void => {
      this.open = true;
      this.expect();
      this.events.open();
    };
    ws.onopen = opened;
    ws.onmessage = (e) => {
      if (this.ws === ws) this.events.message(new Uint8Array(e.data));
    };
    ws.onclose = () => {
      if (this.ws === ws) this.drop();
    };
    this.expect();
    if (ws.readyState === 1) opened(); // it was opened before we were
  }

  /** alive says that the server answers: the next pause is short again. */
  alive(): void {
    this.attempts = 0;
    this.relax();
  }

  /** expect begins to wait for an answer: without one in time the connection counts as dead. */
  expect(): void {
    this.watch ??= setTimeout(() => this.drop(), PATIENCE_MS);
  }

  /** relax says that no answer is owed any more. */
  relax(): void {
    clearTimeout(this.watch);
    this.watch = undefined;
  }

  send(frame: Uint8Array): boolean {
    if (!this.open || this.ws === undefined) return false;
    this.ws.send(frame as Uint8Array<ArrayBuffer>); // ours are never of shared memory
    return true;
  }

  /** close ends it for good. */
  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.forget();
  }

  private drop(): void {
    this.forget();
    if (!this.closed) this.again();
  }

  private forget(): void {
    this.relax();
    const ws = this.ws;
    this.ws = undefined;
    this.open = false;
    if (ws === undefined) return;
    ws.onopen = ws.onmessage = ws.onclose = null;
    ws.close();
  }

  private again(): void {
    const longest = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.attempts++);
    const pause = longest * (0.5 + 0.5 * this.chance());
    this.timer = setTimeout(() => this.connect(), pause);
    this.events.lost(pause);
  }
}
