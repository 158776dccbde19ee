// store keeps in this browser what must survive the tab: who the person is, and the ops no server has yet. Where the
// browser keeps nothing (a private window, a full disk) it holds on for as long as the tab lives, and says so.

/** Kept is one op on its way, as encodeOp made it. */
export interface Kept {
  session: Uint8Array;
  number: number;
  op: Uint8Array;
}

/** Keeper is what a session needs of a store; tests bring their own. */
export interface Keeper {
  /** durable: what was put survives the tab. */
  readonly durable: boolean;
  put(k: Kept): void;
  remove(session: Uint8Array, number: number): void;
  /** orphans gives the ops of tabs that are gone, each session's in order. A session is given to one tab only. */
  orphans(): Promise<Kept[]>;
}

const VERSION = 1;
const KEYS = "keys";
const OPS = "ops";
const KEY_BYTES = 32;

export class Store implements Keeper {
  private readonly own: string; // this tab's session, in hex
  private db: IDBDatabase | undefined;
  private readonly opened: Promise<void>;
  private opening = true;

  /** A store can be used at once: what is put waits until the browser has opened its own. */
  constructor(
    private readonly canvas: string,
    session: Uint8Array,
  ) {
    this.own = hexBytes(session);
    this.opened = this.open();
    // The lock says that this tab lives: nobody else takes its ops.
    void hold(this.lock(this.own), true);
  }

  private async open(): Promise<void> {
    try {
      const asked = indexedDB.open("fractal", VERSION);
      asked.onupgradeneeded = () => {
        asked.result.createObjectStore(KEYS);
        asked.result.createObjectStore(OPS); // by [canvas, session, number]
      };
      const db = await done(asked);
      db.onversionchange = () => db.close(); // a newer page in another tab wants to change it
      this.db = db;
    } catch {
      // Held in memory.
    }
    this.opening = false;
  }

  get durable(): boolean {
    return this.opening || this.db !== undefined;
  }

  /** person gives the secret that says who this is, made once for this browser: `fresh` when there is none. */
  async person(fresh = crypto.getRandomValues(new Uint8Array(KEY_BYTES))): Promise<Uint8Array> {
    await this.opened;
    if (this.db === undefined) return fresh;
    try {
      const keys = this.db.transaction(KEYS, "readwrite").objectStore(KEYS);
      const old: unknown = await done(keys.get("person"));
      if (old instanceof Uint8Array && old.length === KEY_BYTES) return old;
      await done(keys.put(fresh, "person")); // in the transaction that looked: two tabs cannot both make one
    } catch {
      // Nothing kept: a new person in the next tab.
    }
    return fresh;
  }

  put(k: Kept): void {
    this.write((ops) => ops.put(k.op, [this.canvas, hexBytes(k.session), k.number]));
  }

  remove(session: Uint8Array, number: number): void {
    this.write((ops) => ops.delete([this.canvas, hexBytes(session), number]));
  }

  private write(verb: (ops: IDBObjectStore) => IDBRequest): void {
    if (this.opening) {
      void this.opened.then(() => this.write(verb)); // in their order
      return;
    }
    if (this.db === undefined) return;
    try {
      const t = this.db.transaction(OPS, "readwrite");
      t.onerror = t.onabort = (e) => e.preventDefault(); // full: it stays in memory, and is sent all the same
      verb(t.objectStore(OPS));
    } catch {
      // The database was closed for a newer page.
    }
  }

  async orphans(): Promise<Kept[]> {
    await this.opened;
    if (this.db === undefined) return [];
    const all = IDBKeyRange.bound([this.canvas], [this.canvas, []]);
    const found: Kept[] = [];
    try {
      const ops = this.db.transaction(OPS).objectStore(OPS);
      const [keys, values] = await Promise.all([done(ops.getAllKeys(all)), done(ops.getAll(all))]);
      const mine = new Map<string, Promise<boolean>>(); // by session
      for (const [i, key] of keys.entries()) {
        const [, session, number] = key as [string, string, number];
        const op: unknown = values[i];
        if (session === this.own || !(op instanceof Uint8Array)) continue;
        if (!mine.has(session)) mine.set(session, hold(this.lock(session), false));
        if (await mine.get(session)) found.push({ session: bytesHex(session), number, op });
      }
    } catch {
      return [];
    }
    return found;
  }

  private lock(session: string): string {
    return `fractal/${this.canvas}/${session}`;
  }
}

// hold takes a lock until the tab is gone, and says whether it got it. Without locks (plain http in a local network) it
// always does: two tabs may then send the same op, which is applied once.
function hold(name: string, wait: boolean): Promise<boolean> {
  const locks = (navigator as { locks?: LockManager }).locks;
  if (locks === undefined) return Promise.resolve(true);
  return new Promise((resolve) => {
    locks
      .request(name, { ifAvailable: !wait }, (lock) => {
        resolve(lock !== null);
        return lock === null ? undefined : new Promise<void>(() => {});
      })
      .catch(() => resolve(false));
  });
}

function done<T>(r: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    r.onsuccess = () => resolve(r.result);
    r.onerror = () => reject(r.error ?? new Error("the browser's database failed"));
    if ("onblocked" in r) r.onblocked = () => reject(new Error("an older page holds the browser's database"));
  });
}

export function hexBytes(b: Uint8Array): string {
  let s = "";
  for (const v of b) s += v.toString(16).padStart(2, "0");
  return s;
}

export function bytesHex(s: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: s.length / 2 }, (_, i) => parseInt(s.slice(2 * i, 2 * i + 2), 16));
}
