// terms owns the terminals of the canvas as the worker knows them: which there are and where, which are near enough to be shown as
// text and so wanted of the server, what is held of each, and how they are drawn between what lies beneath the ink and the ink.
// It refuses to know sockets; it says what it wants to send.

import { placed, type Cover } from "./cover.ts";
import type { FromWorker, Place, TermItemNews, TermSpot, ToWorker } from "./protocol.ts";
import { GlyphCache } from "./termglyphs.ts";
import { ASK_ROWS, TermScreen } from "./termscreen.ts";
import { Sheet, type Attention, type Part } from "./termsheet.ts";
import { CELL_H, CELL_W, Theme } from "./termtheme.ts";
import { fromWire } from "./tile.ts";
import type { TermAnswer, TermFacts, TermFrame, Terminals, TermQuestion, TermWant } from "./wire.ts";

/** A terminal is near when its grid cells are between these high, CSS px; it stays near down to a little less. */
const NEAR_PX = 5;
const STAY_PX = 4.5;
const HUGE_PX = 400; // the server draws letters larger than that

/** MAX_KEPT bytes of screens are kept of terminals that are not near: coming back, only what has changed is sent. */
const MAX_KEPT = 32 << 20;

/** MAX_COPY rows at most are copied. */
const MAX_COPY = 3000;

// What a frame may spend on painting terminals anew at another size; one is always painted.
const MAX_WORK_MS = 8;

export interface TermEvents {
  tell(m: FromWorker): void;
  /** ask sends a question; false: there is no socket. */
  ask(terminal: number, id: number, what: TermQuestion): boolean;
  /** touch: the next frame differs from the last. */
  touch(): void;
}

interface Term {
  item: TermItemNews;
  readonly screen: TermScreen;
  readonly theme: Theme;
  readonly attention: Attention;
  sheet: Sheet | undefined;
  near: boolean; // shown as text, now or when an animation ends
  text: boolean; // now
  seen: boolean;
  // Where it lies, device pixels: its box, the corner of its grid, its grid cells.
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  gx: number;
  gy: number;
  cw: number;
  ch: number;
  cols: number;
  rows: number;
  readonly part: Part; // grid cells that are seen
  far: number; // from the middle of the view, squared
  paper: string;
  paperOf: number;
  used: number; // when it was near last
  // What the page was told.
  told: { facts: TermFacts | undefined; cols: number; rows: number; base: number; first: number; x: number; y: number; visible: boolean; absent: boolean } | undefined;
  asked: boolean; // for rows of the history
  vain: number; // the first row that was asked for and did not come
}

interface Question {
  terminal: number;
  /** id of the page's question; undefined: it is about history that we need. */
  page: number | undefined;
}

interface Copy {
  terminal: number;
  from: TermSpot;
  to: TermSpot;
  block: boolean;
  id: number;
}

type FontFaces = { add(f: FontFace): void; delete(f: FontFace): void };

// How soon a font that could not be loaded is asked for again, ms; twice as long each time, up to a minute.
const FONT_WAIT_MS = 1000;

export class Terms {
  private readonly terms = new Map<number, Term>(); // in paint order
  private readonly cache = new GlyphCache();
  private readonly questions = new Map<number, Question>();
  private copies: Copy[] = [];
  private lastID = 0;
  private focused: number | undefined;
  private clock = 0;
  private readonly spare: Sheet[] = [];
  private readonly fonts: { address: string; face: number }[]; // that are not here, nor on their way
  private fontsFrom = -Infinity; // when they may be asked for again, ms
  private fontsWait = FONT_WAIT_MS;
  private view: { place: Place; dpr: number; width: number; height: number } | undefined;

  /** missing: a frame did not fit what is held, and the newest view does not say so yet. */
  missing = false;
  private fresh = false; // pixels were painted since the last frame

  constructor(
    private readonly events: TermEvents,
    fonts: readonly string[] = [],
  ) {
    this.fonts = fonts.map((address, face) => ({ address, face }));
  }

  get size(): number {
    return this.terms.size;
  }

  /** bytes of all bitmaps. */
  get bytes(): number {
    let n = 0;
    for (const t of this.terms.values()) n += t.sheet?.bytes ?? 0;
    for (const s of this.spare) n += s.bytes;
    return n;
  }

  // -------------------------------------------------------------------------------------------------------------------
  // From the server

  /** list takes which terminals there are. */
  list(m: Terminals): void {
    const items = m.items.flatMap(({ seq, terminal: t }) =>
      t?.home === undefined || t.box === undefined ? [] : [{ seq, name: t.name, home: fromWire(t.home), box: t.box, cols: t.cols || 80, rows: t.rows || 24 }]);
    const before = new Map(this.terms);
    this.terms.clear();
    for (const item of items) {
      const t = before.get(item.seq);
      before.delete(item.seq);
      if (t !== undefined) t.item = item;
      this.terms.set(item.seq, t ?? newTerm(item));
    }
    for (const t of before.values()) this.release(t);
    this.events.tell({ kind: "terminals", items });
    this.relook();
  }

  /** frame takes what is new of one, and says whether it has another size: others may be near then. */
  frame(m: TermFrame): boolean {
    const t = this.terms.get(m.terminal);
    if (t === undefined) return false; // taken away meanwhile
    if (!t.screen.apply(m)) this.missing = true;
    t.theme.take(t.screen.facts);
    const resized = t.screen.held && (t.screen.cols !== t.cols || t.screen.rows !== t.rows);
    if (resized) this.relook();
    if (t.screen.top !== undefined) this.recall(t);
    this.tellOf(t);
    return resized;
  }

  /** answer takes the answer to a question. */
  answer(m: TermAnswer): void {
    const q = this.questions.get(m.id);
    if (q === undefined) return;
    if (m.done) this.questions.delete(m.id);
    if (q.page !== undefined) {
      this.events.tell({ kind: "term-answer", answer: { ...m, id: q.page, rows: [] } });
      return;
    }
    const t = this.terms.get(q.terminal);
    if (t === undefined) return;
    t.asked = false;
    const lacked = t.vain;
    t.screen.recall(m);
    if (t.screen.row(lacked) !== undefined || t.screen.first > lacked) t.vain = -1;
    this.recall(t);
    this.copy();
    this.tellOf(t);
    this.events.touch();
  }

  /** lost: what was asked will not be answered. */
  lost(): void {
    this.questions.clear();
    for (const t of this.terms.values()) {
      t.asked = false;
      t.vain = -1;
    }
    for (const c of this.copies) this.events.tell({ kind: "term-text", id: c.id, text: "" });
    this.copies = [];
  }

  /** forgetAll is for a server that knows less than we hold. */
  forgetAll(): void {
    for (const t of this.terms.values()) t.screen.forget();
  }

  // tellOf tells the page what a terminal is like, when that has changed. Of one nobody is at, where its rows are is of no interest.
  private tellOf(t: Term): void {
    const { facts, cols, rows, base, first, cursor, absent, held, top } = t.screen;
    if (!held && !absent) return;
    const b = t.told;
    const close = t.item.seq === this.focused || top !== undefined;
    const same =
      b !== undefined && b.facts === facts && b.cols === cols && b.rows === rows && b.absent === absent && b.first === first &&
      (!close || (b.base === base && b.x === cursor.x && b.y === cursor.y && b.visible === cursor.visible));
    if (same) return;
    t.told = { facts, cols, rows, base, first, x: cursor.x, y: cursor.y, visible: cursor.visible, absent };
    this.events.tell({ kind: "term-state", terminal: t.item.seq, facts, cols: t.cols, rows: t.rows, base, first, cursor, absent });
  }

  // -------------------------------------------------------------------------------------------------------------------
  // From the page

  /** ask sends a question of the page. */
  ask(terminal: number, page: number, what: TermQuestion): void {
    const id = ++this.lastID;
    if (this.events.ask(terminal, id, what)) this.questions.set(id, { terminal, page });
  }

  hear(m: Extract<ToWorker, { kind: "term-select" | "term-scroll" | "term-text" | "term-link" | "term-focus" }>): void {
    if (m.kind === "term-focus") {
      const before = this.terms.get(this.focused ?? 0);
      this.focused = m.terminal ?? undefined;
      if (before !== undefined) before.attention.focused = false;
      const t = this.terms.get(this.focused ?? 0);
      if (t !== undefined) {
        t.attention.focused = true;
        this.tellOf(t);
      }
      return this.events.touch();
    }
    const t = this.terms.get(m.terminal);
    switch (m.kind) {
      case "term-select":
        t?.screen.select(m.from, m.to, m.by, m.block);
        return this.events.touch();
      case "term-scroll":
        if (t === undefined) return;
        t.screen.top = m.row === null || m.row >= t.screen.base ? undefined : Math.max(m.row, t.screen.first);
        t.vain = -1;
        this.recall(t);
        return this.events.touch();
      case "term-text": {
        if (t === undefined) return this.events.tell({ kind: "term-text", id: m.id, text: "" });
        const { from, to, block } = t.screen.span(m.from, m.to, m.by, m.block);
        const row = Math.max(from.row, to.row - MAX_COPY);
        this.copies.push({ terminal: m.terminal, from: { row, x: row > from.row ? 0 : from.x }, to, block, id: m.id });
        t.vain = -1;
        return this.copy();
      }
      case "term-link":
        return this.events.tell({ kind: "term-text", id: m.id, text: t?.screen.link(m.row, m.x) ?? "" });
      default:
        m satisfies never;
    }
  }

  /** point is where the pointer is, device pixels; a link under it is underlined. */
  point(x: number, y: number, gone: boolean): void {
    let over: Term | undefined;
    if (!gone) for (const t of this.terms.values()) if (t.text && t.screen.held && x >= t.x0 && y >= t.y0 && x < t.x1 && y < t.y1) over = t;
    for (const t of this.terms.values()) {
      let link = 0;
      if (t === over) link = t.screen.row(t.screen.shownFrom + Math.floor((y - t.gy) / t.ch))?.linkAt(Math.floor((x - t.gx) / t.cw)) ?? 0;
      if (t.attention.link === link) continue;
      t.attention.link = link;
      this.events.touch();
    }
  }

  // recall asks for rows of the history that are shown and not here, or that somebody waits for.
  private recall(t: Term): void {
    const s = t.screen;
    if (t.asked || !s.held) return;
    let n = s.top === undefined ? -1 : s.lacks(s.top, s.top + s.rows);
    for (const c of this.copies) if (n < 0 && c.terminal === t.item.seq) n = s.lacks(c.from.row, c.to.row + 1);
    if (n < 0 || n === t.vain) return;
    const from = Math.max(s.first, n - (s.top !== undefined && n === s.top ? ASK_ROWS / 2 : 0));
    const id = ++this.lastID;
    if (!this.events.ask(t.item.seq, id, { kind: "history", from, count: Math.min(ASK_ROWS, s.base - from) })) return;
    this.questions.set(id, { terminal: t.item.seq, page: undefined });
    t.asked = true;
    t.vain = n;
  }

  // copy gives text to those whose rows are all here, or will not come.
  private copy(): void {
    this.copies = this.copies.filter((c) => {
      const t = this.terms.get(c.terminal);
      if (t !== undefined) {
        const n = t.screen.lacks(c.from.row, c.to.row + 1);
        if (n >= 0 && t.screen.held) {
          this.recall(t);
          if (t.asked) return true;
        }
      }
      this.events.tell({ kind: "term-text", id: c.id, text: t?.screen.text(c) ?? "" });
      return false;
    });
  }

  // -------------------------------------------------------------------------------------------------------------------
  // What is near

  /** look follows the view, and says whether others are near than before. */
  look(place: Place, goal: Place | undefined, dpr: number, width: number, height: number): boolean {
    this.view = { place, dpr, width: Math.round(width * dpr), height: Math.round(height * dpr) };
    let changed = false;
    for (const t of this.terms.values()) {
      const was = t.near;
      if (goal !== undefined) this.stand(t, goal);
      const then = goal !== undefined && t.text;
      this.stand(t, place);
      t.near = t.text || then;
      if (t.near) t.used = ++this.clock;
      changed ||= t.near !== was;
    }
    return changed;
  }

  private relook(): void {
    const v = this.view;
    if (v !== undefined) for (const t of this.terms.values()) this.stand(t, v.place);
  }

  // stand finds where a terminal lies in a view.
  private stand(t: Term, place: Place): void {
    const { dpr, width, height } = this.view!;
    const { home, box } = t.item;
    t.cols = t.screen.held ? t.screen.cols : t.item.cols;
    t.rows = t.screen.held ? t.screen.rows : t.item.rows;
    const at = placed(home, place, dpr);
    if (at === undefined) {
      t.seen = t.text = false;
      return;
    }
    t.x0 = at.dx + box.minX * at.scale;
    t.y0 = at.dy + box.minY * at.scale;
    t.x1 = at.dx + box.maxX * at.scale;
    t.y1 = at.dy + box.maxY * at.scale;
    const [w, h] = [t.x1 - t.x0, t.y1 - t.y0];
    const k = Math.min(w / (CELL_W * t.cols), h / (CELL_H * t.rows));
    t.cw = CELL_W * k;
    t.ch = CELL_H * k;
    t.gx = t.x0 + (w - t.cw * t.cols) / 2;
    t.gy = t.y0 + (h - t.ch * t.rows) / 2;
    t.seen = t.x1 > 0 && t.y1 > 0 && t.x0 < width && t.y0 < height;
    const px = t.ch / dpr;
    t.text = t.seen && px >= (t.text ? STAY_PX : NEAR_PX) && px <= HUGE_PX;
    t.far = (t.x0 + t.x1 - width) ** 2 + (t.y0 + t.y1 - height) ** 2;
    const clamp = (v: number, n: number): number => Math.max(0, Math.min(n, v));
    t.part.x0 = clamp(Math.floor(-t.gx / t.cw), t.cols);
    t.part.y0 = clamp(Math.floor(-t.gy / t.ch), t.rows);
    t.part.x1 = clamp(Math.ceil((width - t.gx) / t.cw), t.cols);
    t.part.y1 = clamp(Math.ceil((height - t.gy) / t.ch), t.rows);
  }

  /** wants are the terminals to be shown as text, the nearest to the middle first. */
  wants(most: number): TermWant[] {
    const near = [...this.terms.values()].filter((t) => t.near);
    near.sort((a, b) => Number(b.item.seq === this.focused) - Number(a.item.seq === this.focused) || a.far - b.far || a.item.seq - b.item.seq);
    return near.slice(0, most).map((t) => ({ terminal: t.item.seq, life: t.screen.life, seq: t.screen.seq }));
  }

  /**
   * reach says of a square whether terminals reach it: 0 none does, 1 only such as are shown as text, 2 others do, which are
   * wanted as a picture.
   */
  reach(level: number, x: bigint, y: bigint): 0 | 1 | 2 {
    let reach: 0 | 1 | 2 = 0;
    for (const t of this.terms.values()) {
      const { home, box } = t.item;
      // Units of the home are 14 levels below it.
      const n = BigInt(14 + home.level - level);
      const tile = (h: bigint, v: number): bigint => (n >= 0n ? ((h << 14n) + BigInt(v)) >> n : ((h << 14n) + BigInt(v)) << -n);
      const end = (h: bigint, v: number): bigint => (n >= 0n ? tile(h, v - 1) : tile(h, v) - 1n);
      if (x < tile(home.x, box.minX) || x > end(home.x, box.maxX) || y < tile(home.y, box.minY) || y > end(home.y, box.maxY)) continue;
      if (!t.near) return 2;
      reach = 1;
    }
    return reach;
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Pixels

  /**
   * work paints what has changed, and, when the view stands still, at the exact size; it says whether some is left. `covered` says
   * whether pictures of all squares that a box reaches are here.
   */
  work(now: () => number, exact: boolean, covered: (x0: number, y0: number, x1: number, y1: number) => boolean): boolean {
    const v = this.view;
    if (v === undefined || this.terms.size === 0) return false;
    const end = now() + MAX_WORK_MS;
    let left = false;
    let first = true;
    let pixels = 3 * v.width * v.height + (4 << 20); // what all sheets together may have
    if (this.cache.full) this.cache.renew();
    for (const t of this.terms.values()) {
      if (t.text && t.screen.held) {
        this.loadFonts(now());
        const whole = t.cols * t.cw * t.rows * t.ch;
        const all = whole <= v.width * v.height + (1 << 20);
        pixels -= all ? whole : (t.part.x1 - t.part.x0) * (t.part.y1 - t.part.y0) * t.cw * t.ch * 1.5;
        if (pixels < 0) continue; // hundreds, one on top of the other
        const s = t.sheet;
        if (s === undefined || !s.reaches(t.part, t.cols, t.rows) || (exact && !s.fits(t.cw, t.ch, t.part))) {
          if (!first && now() > end) {
            left = true;
            continue;
          }
          first = false;
          t.sheet ??= this.spare.pop() ?? new Sheet();
          t.sheet.size(t.cw, t.ch, all ? { x0: 0, y0: 0, x1: t.cols, y1: t.rows } : wider(t.part, t.cols, t.rows), t.cols, t.rows);
        }
        if (t.sheet!.paint(t.screen, t.theme, t.attention, this.cache) > 0) this.fresh = true;
      } else if (t.sheet !== undefined && (!t.seen || t.screen.absent || covered(t.x0, t.y0, t.x1, t.y1))) {
        this.release(t);
        this.fresh = true;
      }
    }
    this.keep();
    return left;
  }

  /** painted says once that pixels were painted: the frame differs from the last. */
  painted(): boolean {
    const fresh = this.fresh;
    this.fresh = false;
    return fresh;
  }

  private release(t: Term): void {
    if (t.sheet === undefined) return;
    if (this.spare.length < 2) this.spare.push(t.sheet);
    t.sheet = undefined;
  }

  // keep lets go of screens that were not near for the longest, when there are too many.
  private keep(): void {
    let bytes = 0;
    for (const t of this.terms.values()) if (!t.near && t.screen.held) bytes += t.screen.bytes;
    while (bytes > MAX_KEPT) {
      let oldest: Term | undefined;
      for (const t of this.terms.values()) if (!t.near && t.screen.held && (oldest === undefined || t.used < oldest.used)) oldest = t;
      if (oldest === undefined) return;
      bytes -= oldest.screen.bytes;
      oldest.screen.forget();
    }
  }

  /** draw draws the terminals that are text, or were a moment ago. */
  draw(ctx: OffscreenCanvasRenderingContext2D, dpr: number): void {
    const { width, height } = ctx.canvas;
    for (const t of this.terms.values()) {
      if (!t.seen || (t.sheet === undefined && !(t.text && t.screen.absent))) continue;
      if (t.paperOf !== t.theme.version) {
        t.paperOf = t.theme.version;
        t.paper = `#${t.theme.paper.toString(16).padStart(6, "0")}`;
      }
      const x0 = Math.max(-8, Math.round(t.x0));
      const y0 = Math.max(-8, Math.round(t.y0));
      const x1 = Math.min(width + 8, Math.round(t.x1));
      const y1 = Math.min(height + 8, Math.round(t.y1));
      ctx.fillStyle = t.paper;
      ctx.fillRect(x0, y0, x1 - x0, y1 - y0);
      const s = t.sheet;
      if (s !== undefined && s.painted) {
        const p = s.part;
        const x = Math.round(t.gx + p.x0 * t.cw);
        const y = Math.round(t.gy + p.y0 * t.ch);
        if (s.fits(t.cw, t.ch, p)) ctx.drawImage(s.canvas, x, y);
        else ctx.drawImage(s.canvas, x, y, Math.round(t.gx + p.x1 * t.cw) - x, Math.round(t.gy + p.y1 * t.ch) - y);
      }
      if (!t.text) continue;
      ctx.strokeStyle = "rgba(128,128,128,0.5)";
      ctx.lineWidth = Math.max(1, Math.round(dpr));
      const half = ctx.lineWidth / 2;
      ctx.strokeRect(x0 + half, y0 + half, x1 - x0 - 2 * half, y1 - y0 - 2 * half);
    }
  }

  /** lostPixels: the graphics driver was reset, and took all bitmaps with it. */
  lostPixels(): void {
    for (const t of this.terms.values()) t.sheet?.stale();
  }

  // loadFonts begins to load the font's four faces; until they are here the page's own stand in for it. What the wire was cut
  // for is asked for again when it is next needed, less and less often.
  private loadFonts(now: number): void {
    if (this.fonts.length === 0 || now < this.fontsFrom) return;
    this.fontsFrom = now + this.fontsWait;
    this.fontsWait = Math.min(2 * this.fontsWait, 64 * FONT_WAIT_MS);
    const faces = (self as unknown as { fonts: FontFaces }).fonts;
    for (const f of this.fonts.splice(0)) {
      const face = new FontFace("FractalMono", `url(${f.address})`, { weight: f.face & 1 ? "bold" : "normal", style: f.face & 2 ? "italic" : "normal" });
      faces.add(face);
      face.load().then(
        () => {
          this.cache.renew();
          this.events.touch();
        },
        () => {
          faces.delete(face);
          this.fonts.push(f);
        },
      );
    }
  }
}

function newTerm(item: TermItemNews): Term {
  return {
    item, screen: new TermScreen(), theme: new Theme(), attention: { focused: false, link: 0 }, sheet: undefined, near: false, text: false, seen: false,
    x0: 0, y0: 0, x1: 0, y1: 0, gx: 0, gy: 0, cw: 1, ch: 2, cols: item.cols, rows: item.rows, part: { x0: 0, y0: 0, x1: 0, y1: 0 }, far: 0,
    paper: "", paperOf: -1, used: 0, told: undefined, asked: false, vain: -1,
  };
}

// wider is a part with a quarter more on each side, so that a small movement paints nothing.
function wider(p: Part, cols: number, rows: number): Part {
  const mx = Math.ceil((p.x1 - p.x0) / 4);
  const my = Math.ceil((p.y1 - p.y0) / 4);
  return { x0: Math.max(0, p.x0 - mx), y0: Math.max(0, p.y0 - my), x1: Math.min(cols, p.x1 + mx), y1: Math.min(rows, p.y1 + my) };
}

/** coveredBy says whether all squares of a cover that a rectangle of device pixels reaches are so. */
export function coveredBy(c: Cover, x0: number, y0: number, x1: number, y1: number, is: (x: bigint, y: bigint) => boolean): boolean {
  const from = (v: number, at: number, n: number): number => Math.max(0, Math.min(n - 1, Math.floor((v - at) / c.size)));
  for (let j = from(y0, c.top, c.rows); j <= from(y1 - 1, c.top, c.rows); j++) {
    for (let i = from(x0, c.left, c.cols); i <= from(x1 - 1, c.left, c.cols); i++) if (!is(c.x + BigInt(i), c.y + BigInt(j))) return false;
  }
  return true;
}
