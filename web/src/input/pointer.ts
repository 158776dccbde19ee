// pointer listens to the surface: it feeds the recogniser, hands out what the recogniser makes of it, and reads the reports
// that lie between and beyond the events.

import type { Reported } from "./draw.ts";
import { type Action, type Contact, type Device, Gesture, type Mode } from "./gesture.ts";

export interface PointerOptions {
  surface: HTMLElement;
  mode: () => Mode;
  /** act is told what a contact means; e gives its samples. */
  act: (a: Action, e: PointerEvent) => void;
  /** hover is told where the pointer is, and that it left. */
  hover: (x: number, y: number, gone: boolean, device: Device) => void;
  /** touched is called before anything else: the person has begun to do something. */
  touched: () => void;
  /** claim takes an event for something else than the canvas, and says so; or gives back a contact it took before. */
  claim: (e: PointerEvent, type: Contact["type"]) => boolean | PointerEvent;
}

// The browser's predictions are drawn at most this far ahead: further, they overshoot at every turn.
const maxAheadMs = 20;

export class Pointers {
  readonly gesture = new Gesture();

  constructor(private readonly o: PointerOptions) {
    const s = o.surface;
    s.addEventListener("pointerdown", (e) => this.down(e));
    s.addEventListener("pointermove", (e) => this.move(e));
    s.addEventListener("pointerup", (e) => this.give(e, "up"));
    s.addEventListener("pointercancel", (e) => this.give(e, "cancel"));
    s.addEventListener("pointerleave", (e) => {
      if (e.pointerType !== "touch" && !this.gesture.busy) o.hover(0, 0, true, deviceOf(e));
    });
    s.addEventListener("contextmenu", (e) => e.preventDefault());
    s.addEventListener("auxclick", (e) => e.preventDefault());
    s.addEventListener("dragstart", (e) => e.preventDefault());
    // Safari sends its own gestures beside the pointers.
    for (const g of ["gesturestart", "gesturechange"]) s.addEventListener(g, (e) => e.preventDefault());
  }

  private down(e: PointerEvent): void {
    // No focus from the browser: what had it (a menu's button, a field) gives it up to the canvas.
    e.preventDefault();
    this.o.touched();
    try {
      this.o.surface.setPointerCapture(e.pointerId);
    } catch {
      // the pointer is gone already
    }
    this.give(e, "down");
    this.o.hover(e.clientX, e.clientY, false, deviceOf(e));
  }

  private move(e: PointerEvent): void {
    this.give(e, "move");
    this.o.hover(e.clientX, e.clientY, false, deviceOf(e));
  }

  private give(e: PointerEvent, type: Contact["type"]): void {
    const claimed = this.o.claim(e, type);
    if (claimed === true) return;
    if (claimed !== false) this.take(claimed, "down");
    this.take(e, type);
  }

  private take(e: PointerEvent, type: Contact["type"]): void {
    const c: Contact = {
      type, id: e.pointerId, device: deviceOf(e), x: e.clientX, y: e.clientY, t: e.timeStamp, button: e.button, buttons: e.buttons, shift: e.shiftKey,
    };
    for (const a of this.gesture.handle(c, this.o.mode())) this.o.act(a, e);
  }
}

export function deviceOf(e: PointerEvent): Device {
  return e.pointerType === "pen" || e.pointerType === "touch" ? e.pointerType : "mouse";
}

/** reports are all positions that led to the event, the event's own last. */
export function reports(e: PointerEvent): Reported[] {
  const all = e.getCoalescedEvents?.() ?? []; // only where the page is served securely
  const list = all.map(report);
  const own = report(e);
  const last = list.at(-1);
  if (!last || last.x !== own.x || last.y !== own.y) list.push(own);
  return list;
}

/** predictions are where the pointer may be in the next frame. */
export function predictions(e: PointerEvent): { x: number; y: number }[] {
  const all = e.getPredictedEvents?.() ?? [];
  return all.filter((p) => p.timeStamp - e.timeStamp <= maxAheadMs).map((p) => ({ x: p.clientX, y: p.clientY }));
}

export function report(e: PointerEvent): Reported {
  return { x: e.clientX, y: e.clientY, pressure: e.pressure, t: e.timeStamp };
}
