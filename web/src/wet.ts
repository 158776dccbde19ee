// wet is the person's own ink on the way to the log: painted on the page's own canvas in the frame of the pointer event, and
// taken away when the worker's canvas shows it dry. Translucent and erasing strokes are painted by the worker; an eraser is
// kept here too, because it also erases ink that is still wet.

import { brushes, type Circles, expand, hull, Outline } from "./ink.ts";
import type { Head, Place } from "./protocol.ts";
import { css } from "./ui/h.ts";
import { local } from "./view.ts";

// A stroke longer than twice this is painted in parts: all but its newest samples rest on a layer of their own, so that a
// frame costs the same however long the stroke is.
const part = 512;

interface Mine {
  id: number;
  head: Head;
  here: boolean;
  xyd: number[]; // settled samples
  tail: readonly number[]; // how it goes on for now
  drawing: boolean;
  rested: number; // samples whose ink lies on the resting layer
}

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

export class Wet {
  private readonly ctx: CanvasRenderingContext2D;
  private readonly resting: OffscreenCanvas;
  private readonly restingCtx: OffscreenCanvasRenderingContext2D;
  private readonly strokes: Mine[] = []; // in the order they were begun
  private readonly outline = new Outline();
  private readonly circles: Circles = { xyr: new Float64Array(3 * 1024), count: 0 };
  private samples = new Float64Array(3 * 1024);
  private place: Place | undefined;
  private dpr = 1;
  private blank = true;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.ctx = canvas.getContext("2d", { desynchronized: true })!;
    this.resting = new OffscreenCanvas(1, 1);
    this.restingCtx = this.resting.getContext("2d")!;
  }

  /** count is how many strokes are not dry. */
  get count(): number {
    return this.strokes.length;
  }

  view(place: Place, width: number, height: number, dpr: number): void {
    const [w, h] = [Math.max(1, Math.round(width * dpr)), Math.max(1, Math.round(height * dpr))];
    if (this.canvas.width !== w || this.canvas.height !== h) {
      for (const c of [this.canvas, this.resting]) [c.width, c.height] = [w, h];
    }
    this.place = place;
    this.dpr = dpr;
    if (this.strokes.length > 0 || !this.blank) this.again();
  }

  begin(id: number, head: Head, here: boolean): void {
    this.strokes.push({ id, head, here, xyd: [], tail: [], drawing: true, rested: 0 });
  }

  /** add takes settled samples (x, y, diameter; …) and how the stroke goes on for now, and paints. */
  add(id: number, samples: Float64Array, tail: readonly number[]): void {
    const m = this.strokes.find((s) => s.id === id);
    if (!m) return;
    for (const v of samples) m.xyd.push(v);
    m.tail = tail;
    this.paint();
  }

  end(id: number): void {
    const m = this.strokes.find((s) => s.id === id);
    if (!m) return;
    m.drawing = false;
    m.tail = [];
    this.paint();
  }

  remove(id: number): void {
    const at = this.strokes.findIndex((s) => s.id === id);
    if (at < 0) return;
    this.strokes.splice(at, 1);
    this.again();
  }

  // again paints everything from nothing: the view has changed, or a stroke has gone.
  private again(): void {
    for (const m of this.strokes) m.rested = 0;
    this.restingCtx.clearRect(0, 0, this.resting.width, this.resting.height);
    this.paint();
  }

  // paint brings to rest what will not change any more, and paints what may.
  private paint(): void {
    if (!this.place) return;
    const { ctx } = this;
    if (!this.blank) ctx.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.blank = true;
    if (this.strokes.length === 0) return;
    this.blank = false;
    let settled = true; // everything before this stroke rests
    for (const m of this.strokes) {
      if (settled) this.rest(m);
      settled &&= !m.drawing;
    }
    ctx.drawImage(this.resting, 0, 0);
    for (const m of this.strokes) if (m.drawing || m.rested === 0) this.draw(ctx, m, m.rested);
  }

  private rest(m: Mine): void {
    const n = m.xyd.length / 3;
    while (n - m.rested > 2 * part) this.draw(this.restingCtx, m, m.rested, (m.rested += part));
    if (!m.drawing && m.rested < n) this.draw(this.restingCtx, m, m.rested, (m.rested = n));
  }

  // draw paints the curve from one sample to another, or to the end of the tail.
  private draw(ctx: Context, m: Mine, from: number, to?: number): void {
    const brush = brushes[m.head.brush]!;
    const erases = brush.mode === "erase";
    if (!m.here && !erases) return;
    const corner = local(this.place!, m.head.home, 0, 0);
    const scale = this.dpr / corner.unit;
    const [dx, dy] = [-corner.x * scale, -corner.y * scale];
    if (!(scale > 0 && Number.isFinite(dx) && Number.isFinite(dy))) return; // from so far away there is nothing to see
    const lead = from > 1 ? 1 : 0;
    const first = Math.max(0, from - 1 - lead); // the ink goes on from the sample before, and one more bends it
    const tail = to !== undefined && 3 * (to + 1) < m.xyd.length ? 1 : 0;
    const some = m.xyd.slice(3 * first, to === undefined ? undefined : 3 * (to + tail));
    if (to === undefined) some.push(...m.tail);
    if (some.length === 0) return;
    if (some.length > this.samples.length) this.samples = new Float64Array(2 * some.length);
    this.samples.set(some);
    this.outline.reset();
    expand(this.circles, this.samples, some.length / 3, brush.join, lead > 0, tail > 0, scale);
    hull(this.outline, this.circles, scale);
    const { xy, ends, contours } = this.outline;
    ctx.beginPath();
    for (let c = 0, i = 0; c < contours; c++) {
      ctx.moveTo(xy[i]! * scale + dx, xy[i + 1]! * scale + dy);
      for (i += 2; i < ends[c]!; i += 2) ctx.lineTo(xy[i]! * scale + dx, xy[i + 1]! * scale + dy);
      ctx.closePath();
    }
    ctx.globalCompositeOperation = erases ? "destination-out" : "source-over";
    ctx.fillStyle = css(m.head.color);
    ctx.fill("nonzero");
    ctx.globalCompositeOperation = "source-over";
  }
}
