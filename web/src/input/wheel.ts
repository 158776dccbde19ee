// wheel tells a mouse's wheel from a trackpad's fingers, and says what either wants. A mouse's wheel zooms, as on a map; two
// fingers on a trackpad pan, and pinch (which browsers report as ctrl + wheel) zooms. Pure: no clock, no DOM.

export type WheelMode = "auto" | "mouse" | "trackpad";

export interface WheelInput {
  deltaX: number;
  deltaY: number;
  deltaMode: number; // 0 px, 1 lines, 2 pages
  ctrl: boolean; // or the command key
  shift: boolean;
  notches?: number; // WheelEvent.wheelDeltaY where there is one: a multiple of 120 from a wheel with notches
  t: number; // ms
}

export type WheelAction =
  | { kind: "none" }
  | { kind: "pan"; dx: number; dy: number } // px the canvas moves
  | { kind: "zoom"; k: number; notch: boolean }; // notch: a step worth easing; else the fingers' own motion

// One notch of a wheel. Three notches are a doubling.
const notchZoom = Math.LN2 / 3;

// Fast spins report several notches in one event; more than these would lose the place.
const maxNotches = 3;

const linePx = 16;
const pagePx = 400;
const maxPanPx = 2000;

// One spin or swipe is one device: events nearer than this keep what the first of them was.
const burstMs = 250;

export class Wheel {
  private device: "mouse" | "trackpad" = "trackpad";
  private last = -Infinity;

  act(e: WheelInput, mode: WheelMode): WheelAction {
    const unit = e.deltaMode === 1 ? linePx : e.deltaMode === 2 ? pagePx : 1;
    let dx = finite(e.deltaX) * unit;
    let dy = finite(e.deltaY) * unit;
    if (dx === 0 && dy === 0) return { kind: "none" };

    const device = mode === "auto" ? this.guess(e) : mode;
    if (e.ctrl || (device === "mouse" && !e.shift)) {
      const d = dy !== 0 ? dy : dx;
      if (device === "mouse" || looksNotched(e)) {
        const notches = clamp(Math.max(1, Math.round(Math.abs(d) / 100)), 1, maxNotches);
        return { kind: "zoom", k: Math.exp(-Math.sign(d) * notches * notchZoom), notch: true };
      }
      return { kind: "zoom", k: Math.exp(-clamp(d, -60, 60) / 100), notch: false };
    }
    if (e.shift && dx === 0) [dx, dy] = [dy, 0];
    return { kind: "pan", dx: 0 - clamp(dx, -maxPanPx, maxPanPx), dy: 0 - clamp(dy, -maxPanPx, maxPanPx) };
  }

  /** notched says whether an event is of a mouse's wheel, for whoever wants steps of it. */
  static notched(e: { deltaX: number; deltaY: number; deltaMode: number; timeStamp: number }, notches: number | undefined): boolean {
    return looksNotched({ deltaX: e.deltaX, deltaY: e.deltaY, deltaMode: e.deltaMode, ctrl: false, shift: false, t: e.timeStamp, ...(notches === undefined ? {} : { notches }) });
  }

  private guess(e: WheelInput): "mouse" | "trackpad" {
    if (!(e.t - this.last < burstMs)) this.device = looksNotched(e) ? "mouse" : "trackpad";
    this.last = e.t;
    return this.device;
  }
}

// A wheel with notches moves in lines, or in whole steps of 100 px or more along one axis. Where the browser also says how
// many notches it counted, a trackpad's count is its pixels times three.
function looksNotched(e: WheelInput): boolean {
  if (e.deltaMode !== 0) return true;
  if (finite(e.deltaX) !== 0 && finite(e.deltaY) !== 0) return false;
  const d = finite(e.deltaY) || finite(e.deltaX);
  if (e.notches !== undefined && e.notches !== 0) {
    if (e.notches === -3 * e.deltaY) return false;
    if (e.notches % 120 === 0) return true;
  }
  return Math.abs(d) >= 100 && Number.isInteger(d);
}

function finite(v: number): number {
  return Number.isFinite(v) ? v : 0;
}

function clamp(v: number, lo: number, hi: number): number {
  return v < lo ? lo : v > hi ? hi : v;
}
