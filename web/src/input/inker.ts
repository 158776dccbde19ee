// inker turns what a pointer reports into the samples of a stroke, once and for ever: the log keeps what comes out of here,
// and nothing smooths it again. Positions are in units of the stroke's home tile (1/64 px at its level); the caller maps
// screen to home, so the view may move while the stroke is drawn. Pure: no clock, no DOM.
//
// Samples come out evenly spaced along a centripetal Catmull-Rom curve through the calmed pointer positions. Even
// spacing is what the brush's own uniform curve needs: uneven chords would overshoot.

export type Pressure = "pen" | "speed" | "none";

export interface InkerOptions {
  widthPx: number; // diameter at rest, in screen px
  pressure: Pressure; // none: every sample has the same diameter
  calmPx: number; // how far the calmed position follows behind the pointer: noise shorter than this is taken out
}

// What the wire refuses (ink.New, in Go).
export const maxPoints = 131_072;
const maxLocal = 2 ** 40;
const maxDiameter = 2 ** 20;

// A node of the curve is at least this far from the one before: nearer ones are noise of the digitiser.
const minNodePx = 0.5;

// At least this many ms pass between two reports; some browsers give coalesced events one time.
const minStepMs = 1;

interface Node {
  x: number;
  y: number;
  d: number;
}

export class Inker {
  private readonly o: InkerOptions;
  private readonly fixed: number; // diameter in units of all samples; 0: each its own
  private readonly nodes: Node[] = []; // the last four
  private n = 0; // nodes so far
  private rawX = 0;
  private rawY = 0;
  private x = 0; // calmed
  private y = 0;
  private p = 0.5;
  private peak = 0; // of the pen's pressure
  private t = 0;
  private unit = 1; // units a screen px
  private since = 0; // units along the curve since the last sample
  private settled: number[] = []; // not taken yet
  private last: Node = { x: 0, y: 0, d: 0 };
  private count = 0;

  constructor(o: InkerOptions, unit: number) {
    this.o = o;
    this.unit = unit;
    this.fixed = o.pressure === "none" ? diameter(o.widthPx * unit) : 0;
  }

  // width is what the head of the stroke says: units, or 0.
  get width(): number {
    return this.fixed;
  }

  // length is how many samples are settled.
  get length(): number {
    return this.count;
  }

  // full says that the stroke has to end here and go on as another.
  get full(): boolean {
    return this.count > maxPoints - 4096;
  }

  // add takes one report of the pointer: position in units, units a screen px, pressure 0…1, time in ms. It returns false
  // for a position that no stroke may have.
  add(x: number, y: number, unit: number, pressure: number, t: number): boolean {
    if (!(Math.abs(x) < maxLocal - maxDiameter && Math.abs(y) < maxLocal - maxDiameter) || !(unit > 0)) return false;
    this.unit = unit;
    if (this.n === 0) {
      this.p = this.o.pressure === "pen" ? clamp01(pressure) : 0.5;
      this.peak = this.p;
      [this.x, this.y, this.t] = [x, y, t];
      this.push({ x, y, d: this.diameter() });
      this.emit(this.nodes[0]!);
    } else {
      const dt = Math.max(minStepMs, Number.isFinite(t) ? t - this.t : minStepMs);
      const way = Math.hypot(x - this.rawX, y - this.rawY);
      if (this.o.pressure === "pen") {
        const p = pressure > 0 ? Math.min(1, pressure) : this.p; // a pen that is lifted says 0: it wrote with what it had
        this.peak = Math.max(this.peak, p);
        this.p += (p - this.p) * (1 - Math.exp(-dt / 12));
      } else if (this.o.pressure === "speed") {
        const speed = way / unit / dt;
        this.p += (1 / (1 + speed * 0.8) - this.p) * (1 - Math.exp(-dt / 90));
      }
      if (way > 0) {
        // A low-pass over the way, not over time: a shape does not depend on how steadily its reports arrive. Exact for a
        // straight way between two reports, so that it does not depend on how many there are either.
        const calm = this.o.calmPx * unit;
        const [lx, ly] = [((x - this.rawX) / way) * calm, ((y - this.rawY) / way) * calm];
        const left = Math.exp(-way / calm);
        this.x = x - lx + (this.x - this.rawX + lx) * left;
        this.y = y - ly + (this.y - this.rawY + ly) * left;
      }
      this.t += dt;
      const before = this.nodes.at(-1)!;
      if (Math.hypot(this.x - before.x, this.y - before.y) >= minNodePx * unit) {
        this.push({ x: this.x, y: this.y, d: this.diameter() });
        if (this.n > 2) this.walk(this.nodes.length - 3);
      }
    }
    [this.rawX, this.rawY] = [x, y];
    return true;
  }

  // end settles everything up to where the pointer was last.
  end(): void {
    if (this.n === 0) return;
    const before = this.nodes.at(-1)!;
    if (Math.hypot(this.rawX - before.x, this.rawY - before.y) >= minNodePx * this.unit) {
      this.push({ x: this.rawX, y: this.rawY, d: this.diameter() });
      if (this.n > 2) this.walk(this.nodes.length - 3);
    }
    if (this.n === 1) {
      // A dot: as heavy as the pen ever pressed.
      this.p = Math.max(this.p, this.peak);
      if (this.settled.length === 3 && this.fixed === 0) this.settled[2] = this.last.d = diameter(this.diameter());
      return;
    }
    this.walk(this.nodes.length - 2);
    const end = this.nodes.at(-1)!;
    const gap = Math.hypot(end.x - this.last.x, end.y - this.last.y);
    if (gap >= this.spacing(end.d) / 2) this.emit(end);
    else if (this.settled.length >= 3 && this.count > 1) {
      // Too near for a chord of its own: the last sample moves to the end.
      this.settled.length -= 3;
      this.count--;
      this.emit(end);
    }
  }

  // take gives the samples settled since the last take: x, y, diameter, integers.
  take(): Float64Array {
    // One is kept back: end may still move it.
    const keep = this.count > 1 && this.settled.length >= 3 ? 3 : 0;
    const out = Float64Array.from(this.settled.slice(0, this.settled.length - keep));
    this.settled = this.settled.slice(this.settled.length - keep);
    return out;
  }

  // takeAll is take after end.
  takeAll(): Float64Array {
    const out = Float64Array.from(this.settled);
    this.settled = [];
    return out;
  }

  // tail is how the stroke goes on from the last sample taken, as far as anybody can tell now: to where the pointer is,
  // and on through the positions the browser predicts (x, y in units). It is drawn and forgotten.
  tail(predicted: readonly number[]): number[] {
    const out = this.settled.slice();
    if (this.n === 0) return out;
    const d = diameter(this.diameter());
    const step = this.spacing(d) / 2;
    let [px, py] = [this.last.x, this.last.y];
    const go = (x: number, y: number): void => {
      if (Math.hypot(x - px, y - py) < step) return;
      out.push(Math.round(x), Math.round(y), d);
      [px, py] = [x, y];
    };
    const node = this.nodes.at(-1)!;
    go(node.x, node.y);
    go(this.rawX, this.rawY);
    for (let i = 0; i + 1 < predicted.length; i += 2) go(predicted[i]!, predicted[i + 1]!);
    return out;
  }

  private push(n: Node): void {
    this.nodes.push(n);
    if (this.nodes.length > 4) this.nodes.shift();
    this.n++;
  }

  // walk settles the curve from nodes[i] to nodes[i+1]: a centripetal Catmull-Rom piece, sampled at even distances. The
  // nodes around it bend it; where there is none, the piece is continued straight.
  private walk(i: number): void {
    const b = this.nodes[i]!;
    const c = this.nodes[i + 1]!;
    const a = this.nodes[i - 1] ?? { x: 2 * b.x - c.x, y: 2 * b.y - c.y, d: b.d };
    const e = this.nodes[i + 2] ?? { x: 2 * c.x - b.x, y: 2 * c.y - b.y, d: c.d };
    const knot = (p: Node, q: Node): number => Math.max(Math.sqrt(Math.hypot(q.x - p.x, q.y - p.y)), 1e-9);
    const [u, v, w] = [knot(a, b), knot(b, c), knot(c, e)];
    const tangent = (p: number, q: number, r: number, s: number): [number, number] => [
      v * ((q - p) / u - (r - p) / (u + v)) + (r - q),
      v * ((s - r) / w - (s - q) / (v + w)) + (r - q),
    ];
    const [m1x, m2x] = tangent(a.x, b.x, c.x, e.x);
    const [m1y, m2y] = tangent(a.y, b.y, c.y, e.y);
    const chord = Math.hypot(c.x - b.x, c.y - b.y);
    const steps = Math.min(4096, Math.max(2, Math.ceil((4 * chord) / this.spacing(Math.min(b.d, c.d)))));
    let [px, py, pd] = [b.x, b.y, b.d];
    for (let k = 1; k <= steps; k++) {
      const t = k / steps;
      const [t2, t3] = [t * t, t * t * t];
      const [h1, h2, h3, h4] = [2 * t3 - 3 * t2 + 1, t3 - 2 * t2 + t, 3 * t2 - 2 * t3, t3 - t2];
      const x = h1 * b.x + h2 * m1x + h3 * c.x + h4 * m2x;
      const y = h1 * b.y + h2 * m1y + h3 * c.y + h4 * m2y;
      const d = b.d + (c.d - b.d) * t;
      let left = Math.hypot(x - px, y - py);
      while (left > 0) {
        const need = this.spacing(d) - this.since;
        if (left < need) {
          this.since += left;
          break;
        }
        const f = Math.max(0, need) / left;
        px += (x - px) * f;
        py += (y - py) * f;
        pd += (d - pd) * f;
        this.emit({ x: px, y: py, d: pd });
        left -= Math.max(0, need);
        if (need <= 0 && left > 0 && f === 0) break; // the spacing shrank: one sample here is enough
      }
      [px, py, pd] = [x, y, d];
    }
  }

  // spacing of samples, in units, where the stroke is d units wide: close enough that a curve of the stroke's own width
  // keeps its shape, far enough that a stroke is some hundreds of samples.
  private spacing(d: number): number {
    return Math.min(5, Math.max(2, (0.35 * d) / this.unit)) * this.unit;
  }

  private emit(n: Node): void {
    const s = { x: Math.round(n.x), y: Math.round(n.y), d: this.fixed || diameter(n.d) };
    this.settled.push(s.x, s.y, s.d);
    this.last = s;
    this.since = 0;
    this.count++;
  }

  private diameter(): number {
    if (this.fixed) return this.fixed;
    const [least, span] = this.o.pressure === "pen" ? [0.3, 1.4] : [0.7, 0.6];
    return this.o.widthPx * this.unit * (least + span * this.p);
  }
}

function diameter(d: number): number {
  return Math.min(maxDiameter, Math.max(1, Math.round(d)));
}

function clamp01(v: number): number {
  return v > 0 ? Math.min(1, v) : 0;
}
