// flight moves the view: at once under the hand, in a glide after a wheel's notch, in an eased flight after a key, and for
// as long as a key is held. Whatever the person does ends what flew before. It knows where the view is going before it is
// there, and says so at once, so that the server draws the goal while the eye travels.

import type { Place } from "../protocol.ts";
import { depth, from, panned, type Point, pointAt, seen } from "../view.ts";

export interface FlightOptions {
  /** moved is called once a frame in which the view changed; goal: where it will be when it rests. */
  moved: (place: Place, goal: Place | undefined) => void;
  /** rested is called when a movement has ended. */
  rested: () => void;
  calm: () => boolean; // the person wants no animation
  frame?: (f: (now: number) => void) => void;
}

export const flightMs = 300;

// A wheel's notches are caught up with this time constant: fast enough to feel direct, slow enough to be seen.
const glideMs = 55;

// A throw loses its speed with this time constant.
const frictionMs = 325;
const leastThrow = 0.12; // px/ms

// A held key zooms by these many levels a second, at first and after some seconds.
const diveSlow = 1.6;
const diveFast = 7;
const diveRampMs = 5000;
const diveAheadMs = 400; // the goal that is told

// A flight over more levels than this is a jump: nothing of the way could be seen.
const farLevels = 30;
const farScreens = 24;

// A pointer that moved less than this still zooms around the same point.
const stickyPx = 3;

type Motion =
  | { kind: "fly"; begin: Place; goal: Place; t0: number; ms: number; x: number; y: number; a: Point | undefined; dx: number; dy: number }
  | { kind: "glide"; last: number; left: number; goal: Place }
  | { kind: "throw"; last: number; vx: number; vy: number }
  | { kind: "dive"; t0: number; last: number; sign: number; at: () => { x: number; y: number } };

export class Flight {
  place: Place;
  private motion: Motion | undefined;
  private anchor: { a: Point; x: number; y: number } | undefined;
  private dirty = false;
  private looping = false;

  constructor(place: Place, private readonly o: FlightOptions) {
    this.place = place;
  }

  get moving(): boolean {
    return this.motion !== undefined;
  }

  /** goal is where the view will rest if nobody intervenes. */
  get goal(): Place {
    return (this.motion && "goal" in this.motion ? this.motion.goal : undefined) ?? this.place;
  }

  /** stop ends what flies, where it is. */
  stop(): void {
    if (!this.motion) return;
    this.motion = undefined;
    this.touch();
    this.o.rested();
  }

  /** jump is there at once. */
  jump(to: Place): void {
    this.motion = undefined;
    this.anchor = undefined;
    this.place = to;
    this.touch();
    this.o.rested();
  }

  pan(dx: number, dy: number): void {
    if (dx === 0 && dy === 0) return;
    this.motion = undefined;
    this.anchor = undefined;
    this.place = panned(this.place, dx, dy);
    this.touch();
  }

  /** zoom is at once, by k, around (x, y). */
  zoom(x: number, y: number, k: number): void {
    this.motion = undefined;
    const at = this.hold(x, y);
    this.place = seen(at.a, at.x, at.y, this.place.level, this.place.s * bounded(k));
    this.touch();
  }

  /** glide zooms by k around (x, y), eased; further glides add up. */
  glide(x: number, y: number, k: number): void {
    if (this.o.calm()) return this.zoom(x, y, k);
    const before = this.motion?.kind === "glide" ? this.motion : undefined;
    const left = Math.max(-3, Math.min(3, (before?.left ?? 0) + Math.log(bounded(k))));
    const at = this.hold(x, y);
    const goal = seen(at.a, at.x, at.y, this.place.level, this.place.s * Math.exp(left));
    this.motion = { kind: "glide", last: before?.last ?? -1, left, goal };
    this.loop();
  }

  /** grip holds the point under (x, y): a pinch moves and zooms it. */
  grip(x: number, y: number): (x: number, y: number, k: number) => void {
    this.motion = undefined;
    this.anchor = undefined;
    const { level, s } = this.place;
    const a = pointAt(this.place, x, y);
    return (px, py, k) => {
      this.motion = undefined;
      this.place = seen(a, px, py, level, s * bounded(k));
      this.touch();
    };
  }

  /** toss lets the canvas go at a speed, px/ms. */
  toss(vx: number, vy: number): void {
    if (this.o.calm() || Math.hypot(vx, vy) < leastThrow) return this.o.rested();
    this.motion = { kind: "throw", last: -1, vx, vy };
    this.loop();
  }

  /** dive zooms while a key is held: sign 1 inwards, −1 outwards, around where `at` says. */
  dive(sign: number, at: () => { x: number; y: number }): void {
    this.motion = { kind: "dive", t0: -1, last: -1, sign, at };
    this.loop();
  }

  /** surface ends a dive. */
  surface(): void {
    if (this.motion?.kind === "dive") this.stop();
  }

  /** zoomTo flies by k around (x, y). A flight under way goes on from its goal, so that keys pressed fast add up. */
  zoomTo(x: number, y: number, k: number): void {
    const begin = this.goal;
    const sticky = this.anchor && this.motion?.kind === "fly" && near(this.anchor, x, y) ? this.anchor.a : undefined;
    const a = sticky ?? pointAt(begin, x, y);
    this.fly(seen(a, x, y, begin.level, begin.s * k));
    this.anchor = { a, x, y };
  }

  /** fly is there after an eased flight, or at once where that is far or the person wants calm. */
  fly(goal: Place, ms: number = flightMs): void {
    const begin = this.place;
    const levels = Math.abs(depth(goal) - depth(begin));
    if (this.o.calm() || ms <= 0 || levels > farLevels) return this.jump(goal);
    const d = from(begin, goal);
    const k = (goal.s / begin.s) * 2 ** (goal.level - begin.level);
    const screens = Math.hypot(d.x, d.y) / 1000 / Math.max(1, 1 / k);
    if (!Number.isFinite(d.x) || !Number.isFinite(d.y) || screens > farScreens) return this.jump(goal);
    this.anchor = undefined;
    // Two views of different depth have one point of the screen in common: the flight zooms around it.
    const still = Math.abs(k - 1) < 1e-6;
    const x = still ? 0 : d.x / (1 - 1 / k);
    const y = still ? 0 : d.y / (1 - 1 / k);
    this.motion = { kind: "fly", begin, goal, t0: -1, ms, x, y, a: still ? undefined : pointAt(begin, x, y), dx: d.x, dy: d.y };
    this.loop();
  }

  // hold keeps the point under (x, y) for as long as the zooms stay there.
  private hold(x: number, y: number): { a: Point; x: number; y: number } {
    if (!this.anchor || !near(this.anchor, x, y)) this.anchor = { a: pointAt(this.place, x, y), x, y };
    return this.anchor;
  }

  private touch(): void {
    this.dirty = true;
    this.loop();
  }

  private loop(): void {
    if (this.looping) return;
    this.looping = true;
    const frame = this.o.frame ?? requestAnimationFrame;
    const step = (now: number): void => {
      this.step(now);
      if (this.motion || this.dirty) frame(step);
      else this.looping = false;
    };
    frame(step);
  }

  private step(now: number): void {
    const m = this.motion;
    let rested = false;
    switch (m?.kind) {
      case undefined:
        break;
      case "fly": {
        if (m.t0 < 0) m.t0 = now;
        const t = Math.min(1, (now - m.t0) / m.ms);
        const e = t < 0.5 ? 4 * t * t * t : 1 - (2 - 2 * t) ** 3 / 2;
        if (t >= 1) {
          this.place = m.goal;
          rested = true;
        } else if (m.a) {
          const z = (depth(m.goal) - depth(m.begin)) * e;
          this.place = seen(m.a, m.x, m.y, m.begin.level, m.begin.s * 2 ** z);
        } else {
          this.place = panned(m.begin, -m.dx * e, -m.dy * e);
        }
        this.dirty = true;
        break;
      }
      case "glide": {
        const dt = m.last < 0 ? 16 : Math.min(64, now - m.last);
        m.last = now;
        const part = m.left * (1 - Math.exp(-dt / glideMs));
        m.left -= part;
        if (Math.abs(m.left) < 2e-3) {
          this.place = m.goal;
          rested = true;
        } else {
          const at = this.anchor!;
          this.place = seen(at.a, at.x, at.y, this.place.level, this.place.s * Math.exp(part));
        }
        this.dirty = true;
        break;
      }
      case "throw": {
        const dt = m.last < 0 ? 16 : Math.min(64, now - m.last);
        m.last = now;
        this.place = panned(this.place, m.vx * dt, m.vy * dt);
        const f = Math.exp(-dt / frictionMs);
        m.vx *= f;
        m.vy *= f;
        rested = Math.hypot(m.vx, m.vy) < 0.02;
        this.dirty = true;
        break;
      }
      case "dive": {
        if (m.t0 < 0) [m.t0, m.last] = [now, now - 16];
        const dt = Math.min(64, now - m.last);
        m.last = now;
        const { x, y } = m.at();
        const at = this.hold(x, y);
        this.place = seen(at.a, at.x, at.y, this.place.level, this.place.s * 2 ** (m.sign * this.speed(m, now) * (dt / 1000)));
        this.dirty = true;
        break;
      }
    }
    if (rested) this.motion = undefined;
    if (this.dirty) {
      this.dirty = false;
      this.o.moved(this.place, this.ahead(now));
    }
    if (rested) this.o.rested();
  }

  private speed(m: { t0: number; last: number }, now: number): number {
    return diveSlow + (diveFast - diveSlow) * Math.min(1, (now - m.t0) / diveRampMs) ** 2;
  }

  // ahead is the goal that the server should work for.
  private ahead(now: number): Place | undefined {
    const m = this.motion;
    if (m?.kind === "fly" || m?.kind === "glide") return m.goal;
    if (m?.kind === "dive" && this.anchor) {
      const k = 2 ** (m.sign * this.speed(m, now) * (diveAheadMs / 1000));
      return seen(this.anchor.a, this.anchor.x, this.anchor.y, this.place.level, this.place.s * k);
    }
    if (m?.kind === "throw") return panned(this.place, m.vx * frictionMs, m.vy * frictionMs);
    return undefined;
  }
}

function near(at: { x: number; y: number }, x: number, y: number): boolean {
  return Math.abs(at.x - x) <= stickyPx && Math.abs(at.y - y) <= stickyPx;
}

/** bounded keeps a zoom factor finite and away from zero, whatever a device said. */
export function bounded(k: number): number {
  return Number.isFinite(k) && k > 0 ? Math.min(1e6, Math.max(1e-6, k)) : 1;
}
