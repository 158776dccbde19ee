// pen paints ink on a canvas: pieces of strokes in their squares, and wet strokes. The shapes are those of ink.ts; it
// keeps all scratch, so that painting allocates nothing once it is warm.

import type { Affine } from "./cover.ts";
import { brushes, expand, hull, Outline, readPoints, type Circles, type Samples } from "./ink.ts";
import { UNITS } from "./tile.ts";
import type { Piece } from "./wire.ts";
import type { WetStroke } from "./wets.ts";

// Work is counted in vertices; beginning a fill costs as much as these.
const FILL_WORK = 40;

type Context = OffscreenCanvasRenderingContext2D;

export class Pen {
  private readonly outline = new Outline();
  private readonly samples: Samples = { xyd: new Float64Array(3 * 256), count: 0 };
  private readonly circles: Circles = { xyr: new Float64Array(3 * 1024), count: 0 };
  private readonly clipper = new Clipper();

  /** pieces paints pieces[from…] of a square whose side is `size` px and whose corner lies at (−phaseX, −phaseY). */
  pieces(ctx: Context, pieces: Piece[], from: number, size: number, phaseX: number, phaseY: number): number {
    let work = 0;
    for (let n = from; n < pieces.length; n++) {
      const p = pieces[n]!;
      const brush = brushes[p.brush];
      if (brush === undefined) continue; // of a newer client
      const scale = (size / UNITS) * 2 ** -p.dlevel;
      this.outline.reset();
      for (const r of p.runs) {
        this.samples.count = 0;
        if (!readPoints(this.samples, r.points, p.width)) continue;
        expand(this.circles, this.samples.xyd, this.samples.count, brush.join, r.lead, r.tail, scale);
        hull(this.outline, this.circles, scale);
      }
      work += this.fill(ctx, brush.mode === "erase", p.color, scale, -phaseX, -phaseY);
    }
    return work;
  }

  /** wet paints a wet stroke as it is now. */
  wet(ctx: Context, w: WetStroke, at: Affine): void {
    const brush = brushes[w.head.brush];
    if (brush === undefined || w.samples.count === 0) return;
    this.outline.reset();
    expand(this.circles, w.samples.xyd, w.samples.count, brush.join, false, false, at.scale);
    hull(this.outline, this.circles, at.scale);
    this.fill(ctx, brush.mode === "erase", w.head.color, at.scale, at.dx, at.dy);
  }

  private fill(ctx: Context, erase: boolean, rgba: number, scale: number, dx: number, dy: number): number {
    const o = this.outline;
    if (o.contours === 0) return 0;
    const { xy } = o;
    let far = 0;
    for (let i = 0; i < o.at; i += 2) {
      xy[i] = xy[i]! * scale + dx;
      xy[i + 1] = xy[i + 1]! * scale + dy;
      far = Math.max(far, Math.abs(xy[i]!), Math.abs(xy[i + 1]!));
    }
    const shape = far > FAR_PX ? this.clipper.clip(o) : o;
    ctx.beginPath();
    let i = 0;
    for (let c = 0; c < shape.contours; c++) {
      const end = shape.ends[c]!;
      ctx.moveTo(shape.xy[i]!, shape.xy[i + 1]!);
      for (i += 2; i < end; i += 2) ctx.lineTo(shape.xy[i]!, shape.xy[i + 1]!);
      ctx.closePath();
    }
    if (erase) ctx.globalCompositeOperation = "destination-out";
    ctx.fillStyle = css(rgba);
    ctx.fill("nonzero");
    if (erase) ctx.globalCompositeOperation = "source-over";
    return i / 2 + FILL_WORK;
  }
}

// A canvas keeps coordinates in 32-bit floats: beyond this many px from its corner an edge would be off by more than
// 1/500 px, and far beyond it by whole pixels. No canvas of ours is larger.
const FAR_PX = 1 << 14;

/**
 * Clipper cuts contours to the square ±FAR_PX, one side after the other (Sutherland and Hodgman). What lies outside is
 * pressed onto the sides, so that winding numbers inside stay as they are.
 */
class Clipper {
  private a = new Outline();
  private b = new Outline();

  clip(o: Outline): Outline {
    let from = o;
    for (let side = 0; side < 4; side++) {
      const to = from === this.a ? this.b : this.a;
      to.reset();
      let start = 0;
      for (let c = 0; c < from.contours; c++) {
        const end = from.ends[c]!;
        this.cut(from.xy, start, end, side & 1, side < 2 ? 1 : -1, to);
        start = end;
      }
      from = to;
    }
    return from;
  }

  // cut keeps of a contour what has sign · coordinate[axis] ≤ FAR_PX.
  private cut(xy: Float64Array, start: number, end: number, axis: number, sign: number, to: Outline): void {
    const first = to.at;
    let px = xy[end - 2]!;
    let py = xy[end - 1]!;
    let pv = sign * (axis === 0 ? px : py) - FAR_PX;
    for (let i = start; i < end; i += 2) {
      const x = xy[i]!;
      const y = xy[i + 1]!;
      const v = sign * (axis === 0 ? x : y) - FAR_PX;
      if (v > 0 !== pv > 0) {
        const t = pv / (pv - v);
        to.push(px + t * (x - px), py + t * (y - py));
      }
      if (v <= 0) to.push(x, y);
      px = x;
      py = y;
      pv = v;
    }
    if (to.at > first) to.close();
  }
}

const names = new Map<number, string>();

/** css writes a colour 0xRRGGBBAA once and remembers it. */
export function css(rgba: number): string {
  let s = names.get(rgba);
  if (s === undefined) {
    if (names.size > 4096) names.clear();
    names.set(rgba, (s = `#${(rgba >>> 0).toString(16).padStart(8, "0")}`));
  }
  return s;
}
