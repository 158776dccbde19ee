// wets owns the strokes in the making that the worker paints: everybody else's, and the person's own where the page
// cannot paint them. They lie on top of all dry ink, in the order they were begun, until their dry form is on the screen.

import { brushes, readPoints, type Samples } from "./ink.ts";
import type { Head } from "./protocol.ts";

export class WetStroke {
  readonly samples: Samples = { xyd: new Float64Array(3 * 64), count: 0 };
  /** seq it is logged as; 0: still wet. It goes when a cycle is on the screen that is complete through it. */
  dry = 0;

  constructor(
    readonly head: Head,
    /** here: the page paints it itself; the worker only keeps its place. */
    readonly here: boolean,
  ) {}

  /** add appends samples: x, y, diameter; … */
  add(xyd: ArrayLike<number>): void {
    const s = this.samples;
    const n = 3 * s.count + xyd.length;
    if (n > s.xyd.length) {
      const grown = new Float64Array(2 * n);
      grown.set(s.xyd);
      s.xyd = grown;
    }
    s.xyd.set(xyd, 3 * s.count);
    s.count = n / 3;
  }

  /** append takes points as they travel, in place of those from `from` on. */
  append(from: number, points: Uint8Array): void {
    if (from > this.samples.count) return; // a gap: the server begins again when it knows
    this.samples.count = from;
    readPoints(this.samples, points, this.head.width);
  }
}

export class Wets {
  private readonly strokes = new Map<string, WetStroke>();
  /** erasing counts the strokes that take ink away. */
  private erasers = 0;

  get erasing(): boolean {
    return this.erasers > 0;
  }

  get size(): number {
    return this.strokes.size;
  }

  all(): IterableIterator<WetStroke> {
    return this.strokes.values();
  }

  get(key: string): WetStroke | undefined {
    return this.strokes.get(key);
  }

  begin(key: string, head: Head, here: boolean): WetStroke {
    this.remove(key);
    const w = new WetStroke(head, here);
    this.strokes.set(key, w);
    if (erases(w)) this.erasers++;
    return w;
  }

  remove(key: string): boolean {
    const w = this.strokes.get(key);
    if (w === undefined) return false;
    if (erases(w)) this.erasers--;
    return this.strokes.delete(key);
  }

  /** dried takes away what is logged at or before seq and calls `gone` for each. */
  dried(seq: number, gone: (key: string) => void): boolean {
    let any = false;
    for (const [key, w] of this.strokes) {
      if (w.dry === 0 || w.dry > seq) continue;
      this.remove(key);
      any = true;
      gone(key);
    }
    return any;
  }

  /** clear takes away all whose key passes. */
  clear(which: (key: string) => boolean): void {
    for (const key of this.strokes.keys()) if (which(key)) this.remove(key);
  }
}

function erases(w: WetStroke): boolean {
  return !w.here && brushes[w.head.brush]?.mode === "erase";
}
