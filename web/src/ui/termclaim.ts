// termclaim says which of the pointer's events are for terminals: what places one, what is done in the one in use, the
// click that enters one. All else is the canvas's.

import { boxAt, inside, nameFor } from "../grid.ts";
import { Placing } from "../input/placing.ts";
import type { Contact } from "../input/termhand.ts";
import type { Entered } from "./entered.ts";
import { mac } from "./float.ts";
import type { Around, Term } from "./term.ts";

// A press that moves less, and is let go this soon, is a click.
const clickPx = 4;
const clickMs = 400;
const doubleMs = 450;
const doublePx = 24;

export interface ClaimOptions extends Around {
  /** at is the terminal on top under (x, y). */
  at: (x: number, y: number) => Term | undefined;
  names: () => Set<string>; // that are taken
}

export class TermClaim {
  readonly placing = new Placing();
  /** expected is the name of a terminal just made: it is entered when it is there. */
  expected = "";
  placingNow = false;
  private claimed: number | undefined; // pointer
  private finger: PointerEvent | undefined; // where it is, if it is a finger on the terminal in use
  private press: { id: number; x: number; y: number; t: number; term: Term | undefined } | undefined;
  private lastClick = { x: 0, y: 0, t: -Infinity, drew: false };

  constructor(private readonly used: Entered, private readonly o: ClaimOptions) {}

  /** claim takes a pointer's event and says whether it was for a terminal; else it is the canvas's. */
  claim(e: PointerEvent, type: "down" | "move" | "up" | "cancel"): boolean | PointerEvent {
    if (this.placingNow || this.placing.busy) return this.claimPlacing(e, type);
    if (type === "down") return this.claimDown(e);
    const p = this.press;
    if (p?.id === e.pointerId && type === "move" && Math.hypot(e.clientX - p.x, e.clientY - p.y) > clickPx) this.press = undefined;
    if (this.claimed === e.pointerId) {
      if (this.finger && type === "move") this.finger = e;
      if (type === "move") this.used.hand.move(contact(e));
      else {
        this.claimed = undefined;
        if (type === "up") this.used.hand.up(contact(e));
        else this.used.hand.cancel();
      }
      if (this.used.hand.beyond() !== 0) this.used.loop();
      if (type === "up" && e.pointerType === "touch") this.used.wake(); // shows the keyboard of a phone
      return true;
    }
    if (type === "up" && p?.id === e.pointerId) this.click(e, p.term);
    if (type !== "move" && p?.id === e.pointerId) this.press = undefined;
    return false;
  }

  /** hover tells the program of the mouse without a button down. It gives the pointer's shape over the terminal in use. */
  hover(e: { x: number; y: number }): string | undefined {
    const t = this.used.term;
    if (!t || this.o.tool() !== "hand" || !inside(t.spot, e.x, e.y)) return undefined;
    if (this.claimed === undefined) this.used.hand.move({ device: "mouse", ...e, t: 0, button: -1, shift: false, alt: false, ctrl: false });
    const f = t.news?.facts;
    return f && /^[a-z-]{1,20}$/.test(f.pointer) ? f.pointer : (f?.mouse ?? 0) > 0 ? "default" : "text";
  }

  /** wheel takes a turn of the wheel over the terminal in use. */
  wheel(e: WheelEvent, notches: boolean): boolean {
    const t = this.used.term;
    if (!t || e.ctrlKey || e.metaKey || !inside(t.spot, e.clientX, e.clientY)) return false;
    const unit = e.deltaMode === 1 ? 33 : e.deltaMode === 2 ? 400 : 1;
    if (e.deltaY !== 0) this.used.hand.wheel(e.deltaY * unit, notches, { ...contactOf(e), device: "mouse", button: -1, t: e.timeStamp });
    return true;
  }

  private claimDown(e: PointerEvent): boolean | PointerEvent {
    if (this.claimed !== undefined) {
      const finger = this.finger;
      if (e.pointerType !== "touch" || !finger) return true; // one hand at a time
      this.claimed = this.finger = undefined;
      this.used.hand.cancel();
      return finger; // two fingers move the canvas
    }
    const t = this.o.at(e.clientX, e.clientY);
    const hand = this.o.tool() === "hand";
    if (t !== undefined && t === this.used.term && hand) {
      this.claimed = e.pointerId;
      this.finger = e.pointerType === "touch" ? e : undefined;
      this.used.hand.down(contact(e));
      return true;
    }
    const again = e.button === 0 && e.timeStamp - this.lastClick.t < doubleMs && Math.hypot(e.clientX - this.lastClick.x, e.clientY - this.lastClick.y) < doublePx;
    if (t !== undefined && !hand && again && t !== this.used.term) {
      // The first of two clicks has drawn a dot: that was not meant.
      if (this.lastClick.drew) this.o.undo();
      this.lastClick.t = -Infinity;
      this.used.enter(t);
      return true;
    }
    if (this.used.term && t !== this.used.term && !hand && e.button === 0) this.used.leave();
    this.press = { id: e.pointerId, x: e.clientX, y: e.clientY, t: e.timeStamp, term: t };
    return false;
  }

  private click(e: PointerEvent, t: Term | undefined): void {
    if (e.button !== 0 || e.timeStamp - this.press!.t > clickMs) return;
    const hand = this.o.tool() === "hand";
    this.lastClick = { x: e.clientX, y: e.clientY, t: e.timeStamp, drew: !hand };
    if (!hand) return;
    if (t) this.used.enter(t);
    else this.used.leave();
  }

  private claimPlacing(e: PointerEvent, type: "down" | "move" | "up" | "cancel"): boolean {
    const { width, height } = this.o.size();
    switch (type) {
      case "down":
        if (e.button !== 0 || this.placing.busy) return false;
        this.claimed = e.pointerId;
        this.placing.begin(e.clientX, e.clientY);
        return true;
      case "move":
        if (this.claimed === e.pointerId) this.placing.move(e.clientX, e.clientY);
        return this.claimed === e.pointerId;
      case "cancel":
        this.claimed = undefined;
        this.placing.cancel();
        return true;
      case "up": {
        if (this.claimed !== e.pointerId) return false;
        this.claimed = undefined;
        const w = this.placing.end(e.clientX, e.clientY, width, height);
        this.place(false);
        const name = nameFor(this.o.names());
        this.o.send({ kind: "terminal", terminal: { ...boxAt(this.o.place(), w.left, w.top, w.cols, w.rows), name, cols: w.cols, rows: w.rows } });
        this.expected = name;
        return true;
      }
      default:
        return type satisfies never;
    }
  }

  /** place takes the terminal tool in hand, or puts it away. */
  place(on: boolean): void {
    if (on && this.used.term) this.used.leave();
    if (!on) this.placing.cancel();
    if (on === this.placingNow) return;
    this.placingNow = on;
    this.o.changed();
  }
}

function contactOf(e: MouseEvent): Omit<Contact, "device" | "button" | "t"> {
  return { x: e.clientX, y: e.clientY, shift: e.shiftKey, alt: e.altKey, ctrl: mac ? e.metaKey : e.ctrlKey };
}

function contact(e: PointerEvent): Contact {
  const device = e.pointerType === "pen" || e.pointerType === "touch" ? e.pointerType : "mouse";
  return { ...contactOf(e), device, button: e.button, t: e.timeStamp };
}
