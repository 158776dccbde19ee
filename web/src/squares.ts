// squares owns what this client holds of the canvas: for every square an image of one version and the pieces that lie on
// it, exactly as the server said. It decides nothing about the screen; paint.ts keeps its bitmaps in `picture`.

import { heldVersion, KINDS, NO_TERMINALS, noBeds, TERMINALS, type Bed } from "./beds.ts";
import type { Need } from "./cover.ts";
import { bitmapOf, readPhases, type Phases } from "./phases.ts";
import { wireTile } from "./tile.ts";
import type { Held, Image, Layer, Piece, Square as Message, TermWant, View } from "./wire.ts";

/** Square is a tile of the canvas and what is held of it. */
export interface Square<P> {
  readonly key: string;
  readonly id: number;
  readonly level: number;
  readonly x: bigint;
  readonly y: bigint;

  /** The image of this version lies beneath; 0: none. */
  version: number;
  /** Everything up to this seq is here; 0: nothing is held at all. */
  seq: number;
  image: ImageBitmap | undefined;
  color: number; // instead of an image: 0xRRGGBBAA; 0: none
  pieces: Piece[]; // in paint order
  /** base changes when image or earlier pieces do; pieces appended leave it. */
  base: number;
  below: boolean;
  provisional: boolean;
  bytes: number; // of image and pieces

  /** coming waits for its image to be decoded; until then the square shows what it held. */
  coming: Coming | undefined;
  /** changed is the cycle that brought what is shown now. */
  changed: number;

  /** beds is what lies beneath the ink, a kind each, as KINDS. */
  readonly beds: readonly Bed[];
  /** terms: how terminals reach it, as Terms.reach says. */
  terms: number;

  rank: number; // place in the list of needs; −1: not needed now
  visible: boolean;
  picture: P | undefined;
}

interface Coming {
  version: number;
  seq: number;
  png: Uint8Array;
  pieces: Piece[];
  below: boolean;
  provisional: boolean;
  bytes: number;
  /** since is the first cycle whose news waits in here. */
  since: number;
  decoding: boolean;
}

/** MAX_DECODING images are decoded at a time: more would only make the nearest wait for the farthest. */
const MAX_DECODING = 4;

const IMAGE_BYTES = 4 * 256 * 256;

/** PHASES is the format of images that are phases. */
const PHASES = 2;
const PIECE_BYTES = 160; // of the objects around a piece's points, roughly

export type Decode = (png: Uint8Array) => Promise<ImageBitmap>;

export class Squares<P> {
  private readonly byKey = new Map<string, Square<P>>(); // the longest unneeded first
  private readonly byID = new Map<number, Square<P>>();
  private wanted: Square<P>[] = [];
  private shown = 0; // how many of the first are on the screen
  private lastID = 0;
  private decoding = 0;
  private readonly waiting = new Set<Square<P>>(); // with an image to decode
  private laying: Laying<P>[] = []; // to decode
  private layingNow = 0;
  private held = 0; // bytes of images and pieces

  /** generation of the newest view. */
  generation = 0;
  /** missing: something that was held is held no longer, and the newest view does not say so yet. */
  missing = false;

  constructor(
    private readonly decode: Decode,
    /** changed is called after an image was decoded: there is something new to paint, and whether it is seen. */
    private readonly changed: (seen: boolean) => void,
    /** gone is called before a square is forgotten: its picture can be used again. */
    private readonly gone: (s: Square<P>) => void,
  ) {}

  get(key: string): Square<P> | undefined {
    return this.byKey.get(key);
  }

  all(): IterableIterator<Square<P>> {
    return this.byKey.values();
  }

  /** needed lists the squares needed now, the most needed first. */
  get needed(): readonly Square<P>[] {
    return this.wanted;
  }

  get bytes(): number {
    return this.held;
  }

  /** need replaces what is needed, and says whether other squares are needed than before. */
  need(list: Need[]): boolean {
    let same = list.length === this.wanted.length;
    for (const s of this.wanted) s.rank = -1;
    const next: Square<P>[] = [];
    for (const n of list) {
      let s = this.byKey.get(n.key);
      if (s === undefined) {
        s = this.make(n);
      } else {
        this.byKey.delete(n.key);
      }
      this.byKey.set(n.key, s); // the newest is last
      same &&= this.wanted[next.length] === s;
      s.rank = next.length;
      s.visible = n.visible;
      next.push(s);
    }
    for (const s of this.wanted) if (s.rank < 0) s.visible = false;
    const hiddenAt = list.findIndex((n) => !n.visible);
    const shown = hiddenAt < 0 ? list.length : hiddenAt;
    same &&= shown === this.shown;
    this.shown = shown;
    this.wanted = next;
    this.decodeNext();
    return !same;
  }

  private make(n: Need): Square<P> {
    const s: Square<P> = {
      key: n.key,
      id: ++this.lastID,
      level: n.level,
      x: n.x,
      y: n.y,
      version: 0,
      seq: 0,
      image: undefined,
      color: 0,
      pieces: [],
      base: 0,
      below: false,
      provisional: false,
      bytes: 0,
      coming: undefined,
      changed: 0,
      beds: noBeds(),
      terms: 0,
      rank: -1,
      visible: false,
      picture: undefined,
    };
    this.byID.set(s.id, s);
    return s;
  }

  /** view is the message that asks for what is needed, saying what is held. */
  view(hidden: boolean, terms: TermWant[] = []): View {
    this.missing = false;
    const first = this.wanted[0];
    if (first === undefined) return { generation: ++this.generation, origin: undefined, wants: [], hidden, shown: 0, terms };
    const wants = this.wanted.map((s) => {
      const d = s.level - first.level;
      const ox = d >= 0 ? first.x << BigInt(d) : first.x >> BigInt(-d);
      const oy = d >= 0 ? first.y << BigInt(d) : first.y >> BigInt(-d);
      const held = s.coming ?? s;
      const layers: Held[] = [];
      for (let i = 0; i < KINDS.length; i++) {
        const version = heldVersion(s.beds[i]!);
        if (version > 0) layers.push({ content: KINDS[i]!, version });
      }
      return { id: s.id, dlevel: d, dx: Number(s.x - ox), dy: Number(s.y - oy), version: held.version, seq: held.seq, layers, without: s.terms < 2 ? NO_TERMINALS : 0 };
    });
    return { generation: ++this.generation, origin: wireTile(first), wants, hidden, shown: this.shown, terms };
  }

  /**
   * apply takes the news of one square. If they do not fit what is held, the square is held no longer and must be asked
   * for again: see missing.
   */
  apply(m: Message, cycle: number): void {
    const s = this.byID.get(m.id);
    if (s === undefined) return; // forgotten meanwhile
    const into = s.coming ?? s;
    if (m.reset || (m.base === 0 && into.seq === 0)) {
      this.reset(s, m, cycle);
      return;
    }
    if (into.seq === 0 || m.version !== into.version || m.base > into.seq) {
      this.clear(s);
      return;
    }
    let bytes = 0;
    for (const p of m.pieces) {
      if (p.seq <= into.seq) continue; // said twice
      into.pieces.push(own(p));
      bytes += pieceBytes(p);
    }
    into.bytes += bytes;
    this.held += bytes;
    into.seq = Math.max(into.seq, m.seq);
    into.below = m.below;
    into.provisional = m.provisional;
    if (into === s && bytes > 0) s.changed = cycle;
  }

  /** mark notes how terminals reach the squares, and says whether any that is needed is reached otherwise than before. */
  mark(reach: (level: number, x: bigint, y: bigint) => number): boolean {
    let changed = false;
    for (const s of this.byKey.values()) {
      const r = reach(s.level, s.x, s.y);
      changed ||= r !== s.terms && s.rank >= 0;
      s.terms = r;
    }
    return changed;
  }

  /** lay takes the news of what lies beneath a square. */
  lay(m: Layer): void {
    const s = this.byID.get(m.id);
    const bed = s?.beds[KINDS.indexOf(m.content)];
    if (s === undefined || bed === undefined) return;
    if (m.image !== undefined && m.image.format > 0) {
      const coming: Layer = { ...m, image: { format: m.image.format, data: m.image.data.slice() } };
      const queued = bed.coming !== undefined;
      bed.coming = coming;
      if (!queued) this.laying.push({ square: s, bed });
      this.layNext();
      return;
    }
    const c = m.image?.data;
    const color = c !== undefined && c.length >= 4 ? ((c[0]! << 24) | (c[1]! << 16) | (c[2]! << 8) | c[3]!) >>> 0 : 0;
    this.laid(bed, m, undefined, undefined, (color & 0xff) === 0 ? 0 : color);
  }

  private laid(bed: Bed, m: Layer, image: ImageBitmap | undefined, phases: Phases | undefined, color: number): void {
    this.held += bedBytes(image, phases) - bedBytes(bed.image, bed.phases);
    bed.image?.close();
    bed.known = true;
    bed.version = m.version;
    bed.provisional = m.provisional;
    bed.image = image;
    bed.phases = phases;
    bed.color = color;
    if (bed.coming === m || image === undefined) bed.coming = undefined;
  }

  // layNext decodes beds, the most needed first; news that came meanwhile replace those that wait.
  private layNext(): void {
    while (this.layingNow < MAX_DECODING && this.laying.length > 0) {
      let best = 0;
      for (let i = 1; i < this.laying.length; i++) if (order(this.laying[i]!.square) < order(this.laying[best]!.square)) best = i;
      const l = this.laying.splice(best, 1)[0]!;
      const { square: s, bed } = l;
      const m = bed.coming;
      if (m?.image === undefined || this.byID.get(s.id) !== s) continue;
      this.layingNow++;
      this.readBed(m.image)
        .then(
          ({ image, phases }) => {
            if (this.byID.get(s.id) !== s || bed.coming === undefined) {
              image.close(); // forgotten, or nothing is there any more
              return;
            }
            this.laid(bed, m, image, phases, 0);
            if (bed.coming !== undefined) this.laying.push(l);
          },
          (e: unknown) => {
            console.error("a picture beneath the ink cannot be read", e);
            if (bed.coming === m) bed.coming = undefined;
          },
        )
        .finally(() => {
          this.layingNow--;
          this.layNext();
          this.changed(s.visible);
        });
    }
  }

  private async readBed(m: Image): Promise<{ image: ImageBitmap; phases: Phases | undefined }> {
    if (m.format !== PHASES) return { image: await this.decode(m.data), phases: undefined };
    const phases = await readPhases(m.data);
    return { image: await bitmapOf(phases), phases };
  }

  private reset(s: Square<P>, m: Message, cycle: number): void {
    const since = s.coming?.since ?? cycle;
    this.drop(s);
    let bytes = 0;
    for (const p of m.pieces) bytes += pieceBytes(p);
    const pieces = m.pieces.map(own);
    if (m.image?.format === 1) {
      const png = m.image.data.slice();
      bytes += png.length;
      const { version, seq, below, provisional } = m;
      s.coming = { version, seq, png, pieces, below, provisional, bytes, since, decoding: false };
      this.held += bytes;
      this.waiting.add(s);
      this.decodeNext();
      return;
    }
    const c = m.image?.data;
    const color = c !== undefined && c.length >= 4 ? ((c[0]! << 24) | (c[1]! << 16) | (c[2]! << 8) | c[3]!) >>> 0 : 0;
    this.show(s, m.version, m.seq, undefined, (color & 0xff) === 0 ? 0 : color, pieces, m.below, m.provisional, bytes, cycle);
    this.held += bytes;
  }

  private show(
    s: Square<P>,
    version: number,
    seq: number,
    image: ImageBitmap | undefined,
    color: number,
    pieces: Piece[],
    below: boolean,
    provisional: boolean,
    bytes: number,
    cycle: number,
  ): void {
    s.image?.close();
    this.held -= s.bytes;
    s.version = version;
    s.seq = seq;
    s.image = image;
    s.color = color;
    s.pieces = pieces;
    s.below = below;
    s.provisional = provisional;
    s.bytes = bytes;
    s.base++;
    s.changed = cycle;
  }

  // drop forgets an image on its way.
  private drop(s: Square<P>): void {
    if (s.coming === undefined) return;
    this.held -= s.coming.bytes;
    s.coming = undefined;
    this.waiting.delete(s);
  }

  // clear makes a square hold nothing. What it shows stays until something better comes.
  private clear(s: Square<P>): void {
    this.drop(s);
    s.seq = s.version = 0;
    this.missing = true;
  }

  /** clearAll is for a server that knows less than we hold: it was set back. */
  clearAll(): void {
    for (const s of this.byKey.values()) {
      this.clear(s);
      for (const bed of s.beds) doubt(bed);
    }
  }

  /** lost ends a socket: versions of terminals' pictures mean nothing to another. */
  lost(): void {
    const row = KINDS.indexOf(TERMINALS);
    for (const s of this.byKey.values()) doubt(s.beds[row]!);
  }

  /** undecoded says from which cycle on visible squares wait for their images; Infinity: none does. */
  undecoded(): number {
    let first = Infinity;
    for (const s of this.waiting) if (s.visible) first = Math.min(first, s.coming!.since);
    return first;
  }

  /** decodingAny says whether any image waits, visible or not. */
  get decodingAny(): boolean {
    return this.waiting.size > 0 || this.laying.length > 0 || this.layingNow > 0;
  }

  private decodeNext(): void {
    while (this.decoding < MAX_DECODING) {
      let best: Square<P> | undefined;
      for (const s of this.waiting) {
        if (s.coming!.decoding) continue;
        if (best === undefined || order(s) < order(best)) best = s;
      }
      if (best === undefined) return;
      this.decodeOne(best, best.coming!);
    }
  }

  private decodeOne(s: Square<P>, c: Coming): void {
    c.decoding = true;
    this.decoding++;
    this.decode(c.png)
      .then(
        (image) => {
          if (s.coming !== c) {
            image.close(); // overtaken
            return;
          }
          this.waiting.delete(s);
          s.coming = undefined;
          const bytes = c.bytes - c.png.length + IMAGE_BYTES;
          this.held += bytes - c.bytes;
          this.show(s, c.version, c.seq, image, 0, c.pieces, c.below, c.provisional, bytes, c.since);
        },
        (e: unknown) => {
          console.error("a cell image cannot be read", e);
          if (s.coming === c) this.clear(s);
        },
      )
      .finally(() => {
        this.decoding--;
        this.decodeNext();
        this.changed(s.visible);
      });
  }

  /** trim forgets the longest unneeded squares while more than `budget` bytes are kept; `kept` counts those of pictures. */
  trim(budget: number, kept: () => number): void {
    if (this.held + kept() <= budget) return;
    for (const s of this.byKey.values()) {
      if (s.rank >= 0) continue;
      this.forget(s);
      if (this.held + kept() <= budget) return;
    }
  }

  private forget(s: Square<P>): void {
    this.gone(s);
    this.drop(s);
    this.held -= s.bytes;
    s.bytes = 0;
    s.image?.close();
    s.image = undefined;
    for (const bed of s.beds) {
      bed.coming = undefined;
      if (bed.image === undefined) continue;
      this.held -= bedBytes(bed.image, bed.phases);
      bed.image.close();
      bed.image = bed.phases = undefined;
      bed.known = false;
    }
    this.byKey.delete(s.key);
    this.byID.delete(s.id);
  }
}

/** Laying is a picture beneath a square's ink that waits to be decoded: bed.coming. */
interface Laying<P> {
  square: Square<P>;
  bed: Bed;
}

function bedBytes(image: ImageBitmap | undefined, phases: Phases | undefined): number {
  return (image === undefined ? 0 : IMAGE_BYTES) + (phases === undefined ? 0 : IMAGE_BYTES / 2);
}

// doubt makes a bed one of no version: what it shows stays until something better comes.
function doubt(bed: Bed): void {
  bed.version = 0;
  bed.coming = undefined;
}

function order<P>(s: Square<P>): number {
  return s.rank < 0 ? Infinity : s.rank;
}

function pieceBytes(p: Piece): number {
  let n = PIECE_BYTES;
  for (const r of p.runs) n += r.points.length;
  return n;
}

// own copies the points out of the frame they came in: a view would keep the whole frame alive.
function own(p: Piece): Piece {
  for (const r of p.runs) r.points = r.points.slice();
  return p;
}
