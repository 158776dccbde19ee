// paint owns the canvas of the worker: which bitmaps stand for the squares of the view, and one frame made of them. It
// refuses to know sockets and sessions, never waits for the network, and allocates nothing in a frame that only moves.
//
// A square with pieces has a picture, a bitmap in which image and pieces are painted in their order; while the view moves
// the picture is drawn scaled, and when it stands still it is painted anew at the exact scale and phase. A square that
// cannot be shown yet is stood in for by what is finer or coarser, never by a blank.

import { Beds, PLACES, TERMINALS } from "./beds.ts";
import { Shade } from "./phases.ts";
import { placed, type Cover } from "./cover.ts";
import { css, Pen } from "./pen.ts";
import type { PeerNews, Place } from "./protocol.ts";
import type { Square, Squares } from "./squares.ts";
import { SIZE, tileKey } from "./tile.ts";
import { coveredBy, type Terms } from "./terms.ts";
import type { Wets } from "./wets.ts";

/** Picture is the bitmap of a square. */
export interface Picture {
  canvas: OffscreenCanvas;
  ctx: OffscreenCanvasRenderingContext2D;
  /** Side of the tile in device pixels, and how far the tile's corner lies left of and above the bitmap's. */
  size: number;
  phaseX: number;
  phaseY: number;
  /** What is painted: these many pieces on that base of the square. */
  base: number;
  pieces: number;
}

/** Draw is one step of a frame: a part of a square's picture onto a part of the screen, in squares of the cover. */
interface Draw {
  square: Square<Picture>;
  sx: number; // fraction of the source's side
  sy: number;
  sf: number;
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  own: boolean; // not a stand-in
}

/** STILL_MS after the last movement pictures are painted at the exact scale. */
export const STILL_MS = 100;

// What a frame may spend on painting pictures; one is always painted. The canvas paints later than we call it, so that
// time alone says little: vertices say more (0.2 to 1.2 µs each where there is no GPU).
const MAX_WORK_MS = 5;
const MAX_WORK = 12_000;

const UP = 8; // levels a stand-in may be coarser
const DOWN = 2; // and finer

// A picture counts as exact when its phase is this near, in device pixels: edges then differ by less than 2 of 255.
const PHASE = 1 / 128;

export class Paint {
  private canvas: OffscreenCanvas | undefined;
  private ctx!: OffscreenCanvasRenderingContext2D; // of the canvas
  private width = 1;
  private height = 1;
  private budget = 64 << 20; // bytes of pictures
  private layer: OffscreenCanvasRenderingContext2D | undefined;
  private readonly pen = new Pen();
  private readonly beds: readonly [places: Beds, terminals: Beds];
  /** shade is in which colours places are painted. */
  readonly shade = new Shade();
  private readonly plan: Draw[] = [];
  private planned = 0;
  private replan = true;
  private fresh = false; // pictures were painted since the last frame
  private readonly free: Picture[] = [];
  private pictureBytes = 0;
  private view: { cover: Cover; place: Place; dpr: number } | undefined;

  paper = "#ffffff";
  private dark = false;
  peers: PeerNews[] = [];
  /** exact: the view stands still, pictures are to be painted at its very scale. */
  exact = false;

  constructor(
    private readonly squares: Squares<Picture>,
    private readonly wets: Wets,
    /** restored is called when everything must be painted again. */
    private readonly restored: () => void,
    private readonly terms?: Terms,
  ) {
    const get = (key: string): Square<Picture> | undefined => squares.get(key);
    this.beds = [new Beds(get, PLACES), new Beds(get, TERMINALS)];
  }

  /** attach gives it the canvas; no frame can be painted before. */
  attach(canvas: OffscreenCanvas, budget: number): void {
    this.canvas = canvas;
    this.budget = budget;
    canvas.width = this.width;
    canvas.height = this.height;
    this.ctx = context(canvas, false);
    // A graphics driver that was reset takes all bitmaps with it.
    canvas.addEventListener("contextrestored", () => {
      for (const s of this.squares.all()) if (s.picture !== undefined) s.picture.base = -1;
      this.terms?.lostPixels();
      this.fresh = true;
      this.restored();
    });
  }

  get attached(): boolean {
    return this.canvas !== undefined;
  }

  /** bytes of all pictures. */
  get bytes(): number {
    return this.pictureBytes + (this.terms?.bytes ?? 0);
  }

  /** setPaper takes a colour 0xRRGGBBAA. */
  setPaper(rgba: number): void {
    this.paper = `#${(rgba >>> 8).toString(16).padStart(6, "0")}`;
    const luma = 0.3 * (rgba >>> 24) + 0.59 * ((rgba >>> 16) & 0xff) + 0.11 * ((rgba >>> 8) & 0xff);
    this.dark = luma < 128;
  }

  /** look sets the view; `moved` says that other squares are seen than before. */
  look(cover: Cover, place: Place, dpr: number, width: number, height: number, moved: boolean): void {
    this.width = Math.max(1, Math.round(width * dpr));
    this.height = Math.max(1, Math.round(height * dpr));
    if (this.canvas !== undefined && (this.canvas.width !== this.width || this.canvas.height !== this.height)) {
      this.canvas.width = this.width;
      this.canvas.height = this.height;
    }
    this.view = { cover, place, dpr };
    this.replan ||= moved;
  }

  /** changed says that squares have other contents, or were forgotten. */
  changed(): void {
    this.replan = true;
  }

  /** release gives the bitmap of a square that is forgotten to the next. */
  release(s: Square<Picture>): void {
    const p = s.picture;
    if (p === undefined) return;
    s.picture = undefined;
    this.pictureBytes -= size(p);
    if (this.free.length < 16) this.free.push(p);
    this.replan = true;
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Pictures

  /** work paints pictures that are missing, stale or inexact, within its budget, and says whether some are left. */
  work(now: () => number): boolean {
    if (this.view === undefined) return false;
    const busy = this.terms?.work(now, this.exact, this.covered) ?? false;
    return this.pictures(now) || busy;
  }

  // covered says whether pictures of terminals are here for all squares under a rectangle of device pixels.
  private readonly covered = (x0: number, y0: number, x1: number, y1: number): boolean => {
    const c = this.view!.cover;
    return coveredBy(c, x0, y0, x1, y1, (x, y) => this.squares.get(tileKey(c.level, x, y))?.beds[1]?.known ?? false);
  };

  private pictures(now: () => number): boolean {
    const end = now() + MAX_WORK_MS;
    let spent = 0;
    let first = true; // one is always painted
    for (const s of this.squares.needed) if (s.visible) spent += this.append(s);
    const cover = this.view!.cover;
    const { blank } = this;
    // What cannot be shown truly comes first, then what stands in for what is not here yet; when the view stands still
    // what is blurred, and what may be seen next.
    for (let pass = 0; pass < 4; pass++) {
      if ((pass === 1 && !blank) || (pass > 1 && !this.exact)) continue;
      for (const s of this.squares.needed) {
        const wanted = pass === 2 ? s.visible && this.inexact(s) : s.visible === (pass === 0) && this.stale(s) && (pass !== 1 || s.level < cover.level);
        if (!wanted) continue;
        if (!first && (spent > MAX_WORK || now() > end)) return true;
        first = false;
        spent += this.repaint(s);
      }
    }
    if (this.bytes + this.squares.bytes > this.budget) this.squares.trim(this.budget, () => this.bytes);
    return false;
  }

  /** blank: something that is seen has nothing of its own to show yet. */
  get blank(): boolean {
    return this.squares.needed.some(unheld);
  }

  /** complete: all that is seen is shown, and none of it is provisional. */
  complete(): boolean {
    return this.shown() === Infinity && !this.blank && !this.squares.needed.some((s) => s.visible && (s.provisional || s.beds.some((b) => b.provisional)));
  }

  /** painted says once that pictures were painted: the frame differs from the last. */
  painted(): boolean {
    const text = this.terms?.painted() ?? false;
    const fresh = this.fresh || text;
    this.fresh = false;
    return fresh;
  }

  /** shown says from which cycle on something visible is not on the screen yet; Infinity: everything is. */
  shown(): number {
    let first = this.squares.undecoded();
    for (const s of this.squares.needed) if (s.visible && this.stale(s)) first = Math.min(first, s.changed);
    return first;
  }

  private stale(s: Square<Picture>): boolean {
    if (s.pieces.length === 0) return false; // shown without a picture
    const p = s.picture;
    return p === undefined || p.base !== s.base || p.pieces < s.pieces.length;
  }

  private inexact(s: Square<Picture>): boolean {
    const p = s.picture;
    const c = this.view!.cover;
    if (p === undefined || s.level !== c.level) return false;
    const r = this.rect(s, c);
    return (
      p.canvas.width !== r.w ||
      p.canvas.height !== r.h ||
      Math.abs(p.size - c.size) > PHASE ||
      Math.abs(p.phaseX - r.phaseX) > PHASE ||
      Math.abs(p.phaseY - r.phaseY) > PHASE
    );
  }

  private readonly rectOut = { x: 0, y: 0, w: 1, h: 1, phaseX: 0, phaseY: 0 };

  // rect is where a square of the cover's level lies, its edges on device pixels: neighbours meet without a seam.
  private rect(s: Square<Picture>, c: Cover): typeof this.rectOut {
    const r = this.rectOut;
    const x = c.left + Number(s.x - c.x) * c.size;
    const y = c.top + Number(s.y - c.y) * c.size;
    r.x = Math.round(x);
    r.y = Math.round(y);
    r.w = Math.max(1, Math.round(x + c.size) - r.x);
    r.h = Math.max(1, Math.round(y + c.size) - r.y);
    r.phaseX = r.x - x;
    r.phaseY = r.y - y;
    return r;
  }

  // append paints pieces that came after those in the picture.
  private append(s: Square<Picture>): number {
    const p = s.picture;
    if (p === undefined || p.base !== s.base || p.pieces >= s.pieces.length) return 0;
    const work = this.pen.pieces(p.ctx, s.pieces, p.pieces, p.size, p.phaseX, p.phaseY);
    p.pieces = s.pieces.length;
    this.fresh ||= s.visible;
    return work;
  }

  // repaint paints a square's picture from nothing, at the scale of the view.
  private repaint(s: Square<Picture>): number {
    const c = this.view!.cover;
    let w = SIZE;
    let h = SIZE;
    let side = SIZE;
    let phaseX = 0;
    let phaseY = 0;
    if (s.level === c.level) {
      const r = this.rect(s, c);
      w = r.w;
      h = r.h;
      side = c.size;
      phaseX = r.phaseX;
      phaseY = r.phaseY;
    }
    let p = s.picture;
    if (p === undefined) {
      p = s.picture = this.take(w, h);
      this.pictureBytes += size(p);
      this.replan = true;
    }
    if (p.canvas.width !== w || p.canvas.height !== h) {
      this.pictureBytes -= size(p);
      p.canvas.width = w;
      p.canvas.height = h;
      this.pictureBytes += size(p);
    } else {
      p.ctx.clearRect(0, 0, w, h);
    }
    if (s.image !== undefined) p.ctx.drawImage(s.image, 0, 0, w, h);
    else if (s.color !== 0) fill(p.ctx, s.color, 0, 0, w, h);
    p.size = side;
    p.phaseX = phaseX;
    p.phaseY = phaseY;
    p.base = s.base;
    p.pieces = s.pieces.length;
    this.fresh ||= s.visible;
    return this.pen.pieces(p.ctx, s.pieces, 0, side, phaseX, phaseY);
  }

  private take(w: number, h: number): Picture {
    const used = this.free.pop();
    if (used !== undefined) return used;
    const canvas = new OffscreenCanvas(w, h);
    return { canvas, ctx: context(canvas, true), size: 0, phaseX: 0, phaseY: 0, base: 0, pieces: 0 };
  }

  // -------------------------------------------------------------------------------------------------------------------
  // The plan: which picture is drawn where

  // presentable: there is something true to show for the square, if only an older state of it.
  private presentable(s: Square<Picture> | undefined): s is Square<Picture> {
    return s !== undefined && s.base > 0 && (s.pieces.length === 0 || s.picture !== undefined);
  }

  private makePlan(c: Cover): void {
    this.replan = false;
    this.planned = 0;
    for (let j = 0; j < c.rows; j++) {
      for (let i = 0; i < c.cols; i++) this.stand(c, c.level, c.x + BigInt(i), c.y + BigInt(j), i, j, 1, 0);
    }
  }

  // stand plans the square (level, x, y), `side` of a cover's square long at (px, py), and says whether anything is shown.
  private stand(c: Cover, level: number, x: bigint, y: bigint, px: number, py: number, side: number, depth: number): void {
    const s = this.squares.get(tileKey(level, x, y));
    if (this.presentable(s)) {
      this.step(s, 0, 0, 1, px, py, side, depth === 0);
      return;
    }
    if (this.finer(level, x, y, DOWN - depth)) {
      const half = side / 2;
      for (let q = 0; q < 4; q++) {
        const dx = q & 1;
        const dy = q >> 1;
        this.stand(c, level + 1, 2n * x + BigInt(dx), 2n * y + BigInt(dy), px + dx * half, py + dy * half, half, depth + 1);
      }
      return;
    }
    for (let up = 1; up <= UP + depth; up++) {
      const shift = BigInt(up);
      const ax = x >> shift;
      const ay = y >> shift;
      const a = this.squares.get(tileKey(level - up, ax, ay));
      if (!this.presentable(a)) continue;
      const f = 2 ** -up;
      this.step(a, Number(x - (ax << shift)) * f, Number(y - (ay << shift)) * f, f, px, py, side, false);
      return;
    }
  }

  // finer says whether anything below the square can be shown.
  private finer(level: number, x: bigint, y: bigint, depth: number): boolean {
    if (depth <= 0) return false;
    for (let q = 0; q < 4; q++) {
      const cx = 2n * x + BigInt(q & 1);
      const cy = 2n * y + BigInt(q >> 1);
      if (this.presentable(this.squares.get(tileKey(level + 1, cx, cy)))) return true;
      if (this.finer(level + 1, cx, cy, depth - 1)) return true;
    }
    return false;
  }

  private step(square: Square<Picture>, sx: number, sy: number, sf: number, x: number, y: number, side: number, own: boolean): void {
    let d = this.plan[this.planned];
    if (d === undefined) this.plan.push((d = { square, sx, sy, sf, x0: x, y0: y, x1: 0, y1: 0, own }));
    this.planned++;
    d.square = square;
    d.sx = sx;
    d.sy = sy;
    d.sf = sf;
    d.x0 = x;
    d.y0 = y;
    d.x1 = x + side;
    d.y1 = y + side;
    d.own = own;
  }

  /** standIns counts the squares of the last frame that were stood in for, and those with nothing to show. For tests. */
  get standIns(): { squares: number; own: number; blank: number } {
    const c = this.view?.cover;
    let area = 0;
    let own = 0;
    for (let n = 0; n < this.planned; n++) {
      const d = this.plan[n]!;
      area += (d.x1 - d.x0) * (d.y1 - d.y0);
      if (d.own) own++;
    }
    const squares = c === undefined ? 0 : c.cols * c.rows;
    return { squares, own, blank: squares - area };
  }

  /** bedsShown is standIns for what lies beneath the ink. */
  get bedsShown(): { squares: number; own: number; blank: number } {
    return this.beds[0].counts;
  }

  // -------------------------------------------------------------------------------------------------------------------
  // The frame

  /** frame paints the view as it is now. */
  frame(): void {
    const view = this.view;
    if (view === undefined) return;
    const { cover: c, place, dpr } = view;
    if (this.replan) {
      this.makePlan(c);
      for (const b of this.beds) b.plan(c);
    }
    const { width, height } = this;
    const out = this.ctx;
    out.fillStyle = this.paper;
    out.fillRect(0, 0, width, height);
    this.shade.begin(Date.now());
    for (const b of this.beds) b.draw(out, c, this.shade);
    this.terms?.draw(out, dpr);
    // Wet erasers take away ink, not paper: then the ink is painted on a layer of its own.
    const ink = this.wets.erasing ? this.inkLayer(width, height) : out;
    for (let n = 0; n < this.planned; n++) this.draw(ink, this.plan[n]!, c);
    for (const w of this.wets.all()) {
      const at = w.here ? undefined : placed(w.head.home, place, dpr);
      if (at !== undefined) this.pen.wet(ink, w, at);
    }
    if (ink !== out) out.drawImage(ink.canvas, 0, 0);
    this.markers(out, c, dpr);
    this.cursors(out, place, dpr);
  }

  private inkLayer(width: number, height: number): OffscreenCanvasRenderingContext2D {
    this.layer ??= context(new OffscreenCanvas(width, height), true);
    const canvas = this.layer.canvas;
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    } else {
      this.layer.clearRect(0, 0, width, height);
    }
    return this.layer;
  }

  private draw(ctx: OffscreenCanvasRenderingContext2D, d: Draw, c: Cover): void {
    const x = Math.round(c.left + d.x0 * c.size);
    const y = Math.round(c.top + d.y0 * c.size);
    const w = Math.round(c.left + d.x1 * c.size) - x;
    const h = Math.round(c.top + d.y1 * c.size) - y;
    if (w <= 0 || h <= 0) return;
    const s = d.square;
    if (s.pieces.length > 0 && s.picture !== undefined) {
      const from = s.picture.canvas;
      if (d.sf === 1) ctx.drawImage(from, x, y, w, h);
      else ctx.drawImage(from, d.sx * from.width, d.sy * from.height, d.sf * from.width, d.sf * from.height, x, y, w, h);
    } else if (s.image !== undefined) {
      if (d.sf === 1) ctx.drawImage(s.image, x, y, w, h);
      else ctx.drawImage(s.image, d.sx * s.image.width, d.sy * s.image.height, d.sf * s.image.width, d.sf * s.image.height, x, y, w, h);
    } else if (s.color !== 0) {
      fill(ctx, s.color, x, y, w, h);
    }
  }

  // markers: a small chevron in the middle of a square says that there is more below, too small to tint a pixel.
  private markers(ctx: OffscreenCanvasRenderingContext2D, c: Cover, dpr: number): void {
    let any = false;
    const r = 3 * dpr;
    for (let n = 0; n < this.planned; n++) {
      const d = this.plan[n]!;
      if (!d.own || !d.square.below) continue;
      if (!any) {
        any = true;
        ctx.beginPath();
      }
      const x = Math.round(c.left + (d.x0 + 0.5) * c.size);
      const y = Math.round(c.top + (d.y0 + 0.5) * c.size);
      ctx.moveTo(x - r, y - r / 2);
      ctx.lineTo(x, y + r / 2);
      ctx.lineTo(x + r, y - r / 2);
    }
    if (!any) return;
    ctx.strokeStyle = this.dark ? "rgba(255,255,255,0.35)" : "rgba(0,0,0,0.3)";
    ctx.lineWidth = dpr;
    ctx.stroke();
  }

  private cursors(ctx: OffscreenCanvasRenderingContext2D, place: Place, dpr: number): void {
    for (const p of this.peers) {
      if (p.cursor === undefined) continue;
      const at = placed(p.cursor, place, dpr);
      if (at === undefined) continue;
      const x = at.dx + p.cursor.ux * at.scale;
      const y = at.dy + p.cursor.uy * at.scale;
      if (x < -200 * dpr || y < -50 * dpr || x > this.width + 50 * dpr || y > this.height + 50 * dpr) continue;
      cursor(ctx, x, y, dpr, css(p.color), p.name);
    }
  }
}

function context(canvas: OffscreenCanvas, alpha: boolean): OffscreenCanvasRenderingContext2D {
  const ctx = canvas.getContext("2d", { alpha });
  if (ctx === null) throw new Error("this browser gives a worker no canvas");
  return ctx;
}

// unheld: it is seen, and nothing of it has come yet.
function unheld(s: Square<Picture>): boolean {
  return s.visible && s.base === 0;
}

function size(p: Picture): number {
  return 4 * p.canvas.width * p.canvas.height;
}

function fill(ctx: OffscreenCanvasRenderingContext2D, rgba: number, x: number, y: number, w: number, h: number): void {
  ctx.fillStyle = css(rgba);
  ctx.fillRect(x, y, w, h);
}

// cursor draws somebody's pointer with their name.
function cursor(ctx: OffscreenCanvasRenderingContext2D, x: number, y: number, dpr: number, color: string, name: string): void {
  ctx.save();
  ctx.translate(Math.round(x), Math.round(y));
  ctx.scale(dpr, dpr);
  ctx.beginPath();
  ctx.moveTo(0, 0);
  ctx.lineTo(4.5, 15);
  ctx.lineTo(7.8, 8.8);
  ctx.lineTo(14.5, 7);
  ctx.closePath();
  ctx.fillStyle = color;
  ctx.strokeStyle = "#ffffff";
  ctx.lineWidth = 1.5;
  ctx.lineJoin = "round";
  ctx.stroke();
  ctx.fill();
  if (name !== "") {
    ctx.font = "500 12px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    name = shortened(ctx, name);
    const w = ctx.measureText(name).width + 14;
    ctx.beginPath();
    ctx.roundRect(12, 14, w, 20, 6);
    ctx.fill();
    ctx.fillStyle = "#ffffff";
    ctx.fillText(name, 19, 24.5);
  }
  ctx.restore();
}

// Names at cursors are no wider than this.
const maxNamePx = 160;
const short = new Map<string, string>();

// shortened cuts a name that is too wide, and remembers how.
function shortened(ctx: OffscreenCanvasRenderingContext2D, name: string): string {
  let s = short.get(name);
  if (s === undefined) {
    const letters = [...name];
    for (s = name; letters.length > 1 && ctx.measureText(s).width > maxNamePx; s = `${letters.join("").trimEnd()}…`) letters.pop();
    if (short.size > 256) short.clear();
    short.set(name, s);
  }
  return s;
}
