// gesture says what contacts with the surface mean: a stroke, a pan, a pinch, a tap of fingers.
//
// It is a pure state machine: events in, actions out, no clock and no DOM, so that tests feed it tables. It does not know
// what a stroke looks like or what a camera is.

export type Device = "mouse" | "pen" | "touch";

export interface Contact {
  type: "down" | "move" | "up" | "cancel";
  id: number;
  device: Device;
  x: number; // CSS px
  y: number;
  t: number; // ms, of the event
  button: number; // as in PointerEvent: −1 none, 0 main, 1 middle, 2 right (a pen's barrel), 5 a pen's eraser end
  buttons: number;
  shift: boolean;
}

// Mode is what a new contact needs to know of the page; it is asked when the contact comes down.
export interface Mode {
  hand: boolean; // the hand tool is chosen, or space is held
  penMode: boolean; // a pen has been seen: fingers only move the canvas
}

export type Action =
  | { kind: "begin"; device: Device; eraser: boolean }
  | { kind: "extend" } // the caller takes the event's samples
  | { kind: "sure" } // this stroke can no longer become a pinch: others may see it
  | { kind: "end" }
  | { kind: "cancel" } // the stroke never was
  | { kind: "grab" } // the canvas is held
  | { kind: "pan"; dx: number; dy: number }
  | { kind: "drop"; vx: number; vy: number } // let go, at this speed in px/ms
  | { kind: "pinch"; begin: boolean; x: number; y: number; k: number } // k: since begin; x, y: where the anchor lies now
  | { kind: "zoom"; x: number; y: number; out: boolean } // double click, double tap
  | { kind: "undo" }
  | { kind: "redo" }
  | { kind: "pen" }; // first contact of a pen: fingers stop drawing

// A finger that has moved this far, or stayed this long, is drawing: others may see its stroke from then on.
const surePx = 10;
const sureMs = 150;

// Fingers that move less than this, and are gone this soon, tapped.
const tapPx = 14;
const tapMs = 350;

// Two clicks nearer than this, in time and space, are a double click.
const doubleMs = 450;
const doublePx = 24;

// The distance of two fingers is taken as at least this: two contacts on one spot would divide by zero.
const minSpanPx = 24;

// A hand that rested this long before it let go did not throw.
const restMs = 60;

interface Finger {
  x: number;
  y: number;
  x0: number;
  y0: number;
}

type State =
  | { in: "idle" }
  | { in: "stroke"; id: number; device: Device; x0: number; y0: number; t0: number; sure: boolean }
  | { in: "pan"; id: number; device: Device; x0: number; y0: number; x: number; y: number; moved: boolean; shift: boolean }
  | { in: "fingers"; t0: number; most: number; moved: boolean; x: number; y: number; span: number };

interface Trace {
  t: number;
  x: number;
  y: number;
}

export class Gesture {
  private state: State = { in: "idle" };
  private readonly fingers = new Map<number, Finger>(); // touches that count
  private trace: Trace[] = []; // of the hand, the last ones
  private click: Trace | null = null;

  // drawing says whether a stroke is under way.
  get drawing(): boolean {
    return this.state.in === "stroke";
  }

  get busy(): boolean {
    return this.state.in !== "idle";
  }

  // abort drops whatever is under way, as Escape does. Fingers that are still down do nothing until they are lifted.
  abort(): Action[] {
    const was = this.state;
    this.state = { in: "idle" };
    this.fingers.clear();
    this.trace = [];
    return was.in === "stroke" ? [{ kind: "cancel" }] : was.in === "idle" ? [] : [{ kind: "drop", vx: 0, vy: 0 }];
  }

  handle(c: Contact, mode: Mode): Action[] {
    if (!Number.isFinite(c.x) || !Number.isFinite(c.y) || !Number.isFinite(c.t)) return [];
    switch (c.type) {
      case "down":
        return c.device === "touch" ? this.fingerDown(c, mode) : this.pointDown(c, mode);
      case "move":
        return this.move(c);
      case "up":
        return this.up(c);
      case "cancel":
        return this.lost(c);
    }
  }

  private pointDown(c: Contact, mode: Mode): Action[] {
    const out: Action[] = [];
    if (c.device === "pen") {
      if (!mode.penMode) out.push({ kind: "pen" });
      // The palm came down first: what it did is undone, what it does next is ignored.
      if (this.state.in === "fingers" || ("device" in this.state && this.state.device === "touch")) out.push(...this.abort());
    }
    if (this.state.in !== "idle") {
      if ("id" in this.state && this.state.id !== c.id) return out; // the first pointer goes on
      if (this.state.in === "stroke" || this.state.in === "pan") out.push(...this.abort()); // its up was lost
    }
    if (c.button === 1 || c.button === 2 || mode.hand) {
      if (c.button > 2 && c.button !== 5) return out;
      out.push(this.grab(c));
    } else if (c.button === 0 || c.button === 5) {
      out.push(this.begin(c, c.button === 5));
    }
    return out;
  }

  private fingerDown(c: Contact, mode: Mode): Action[] {
    if ("device" in this.state && this.state.device !== "touch") return []; // a palm beside the pen or the mouse
    const out: Action[] = [];
    this.fingers.set(c.id, { x: c.x, y: c.y, x0: c.x, y0: c.y });
    if (this.fingers.size === 1) {
      if (mode.hand || mode.penMode) out.push(this.grab(c));
      else out.push(this.begin(c, false));
      return out;
    }
    let t0 = c.t;
    let moved = false;
    if (this.state.in === "stroke") {
      out.push({ kind: "cancel" });
      t0 = this.state.t0;
    } else if (this.state.in === "pan") {
      moved = this.state.moved;
    } else if (this.state.in === "fingers") {
      t0 = this.state.t0;
      moved = this.state.moved;
    }
    this.gather(t0, Math.max(this.fingers.size, this.state.in === "fingers" ? this.state.most : 0), moved);
    out.push(this.pinch(true));
    return out;
  }

  private begin(c: Contact, eraser: boolean): Action {
    const sure = c.device !== "touch";
    this.state = { in: "stroke", id: c.id, device: c.device, x0: c.x, y0: c.y, t0: c.t, sure };
    return { kind: "begin", device: c.device, eraser };
  }

  private grab(c: Contact): Action {
    this.state = { in: "pan", id: c.id, device: c.device, x0: c.x, y0: c.y, x: c.x, y: c.y, moved: false, shift: c.shift };
    this.trace = [{ t: c.t, x: c.x, y: c.y }];
    return { kind: "grab" };
  }

  private move(c: Contact): Action[] {
    const s = this.state;
    switch (s.in) {
      case "idle":
        return [];
      case "stroke": {
        if (s.id !== c.id) return [];
        if (c.device !== "touch" && c.buttons === 0) return this.up(c); // the up was lost, outside the window say
        const out: Action[] = [{ kind: "extend" }];
        if (!s.sure && (Math.abs(c.x - s.x0) > surePx || Math.abs(c.y - s.y0) > surePx || c.t - s.t0 > sureMs)) {
          s.sure = true;
          out.push({ kind: "sure" });
        }
        return out;
      }
      case "pan": {
        if (s.id !== c.id) return [];
        if (c.device !== "touch" && c.buttons === 0) return this.up(c);
        const slack = c.device === "touch" ? 6 : 4;
        if (!s.moved && Math.abs(c.x - s.x0) <= slack && Math.abs(c.y - s.y0) <= slack) return [];
        s.moved = true;
        const pan: Action = { kind: "pan", dx: c.x - s.x, dy: c.y - s.y };
        s.x = c.x;
        s.y = c.y;
        this.note(c);
        const f = this.fingers.get(c.id);
        if (f) [f.x, f.y] = [c.x, c.y];
        return [pan];
      }
      case "fingers": {
        const f = this.fingers.get(c.id);
        if (!f) return [];
        f.x = c.x;
        f.y = c.y;
        if (!s.moved) {
          if (Math.abs(c.x - f.x0) <= tapPx && Math.abs(c.y - f.y0) <= tapPx && c.t - s.t0 <= tapMs) return [];
          this.gather(s.t0, s.most, true); // from here, so that nothing jumps by the slack
          return [this.pinch(true)];
        }
        const [x, y] = this.middle();
        this.note({ t: c.t, x, y });
        return [this.pinch(false)];
      }
    }
  }

  private up(c: Contact): Action[] {
    const s = this.state;
    this.fingers.delete(c.id);
    switch (s.in) {
      case "idle":
        return [];
      case "stroke":
        if (s.id !== c.id) return [];
        this.state = { in: "idle" };
        return [{ kind: "extend" }, { kind: "end" }];
      case "pan": {
        if (s.id !== c.id) return [];
        this.state = { in: "idle" };
        const [vx, vy] = s.moved ? this.speed(c.t) : [0, 0];
        const out: Action[] = [{ kind: "drop", vx, vy }];
        if (!s.moved && (c.button <= 0 || c.device === "touch")) {
          const last = this.click;
          if (last && c.t - last.t < doubleMs && Math.abs(c.x - last.x) < doublePx && Math.abs(c.y - last.y) < doublePx) {
            out.push({ kind: "zoom", x: c.x, y: c.y, out: s.shift });
            this.click = null;
          } else {
            this.click = { t: c.t, x: c.x, y: c.y };
          }
        }
        return out;
      }
      case "fingers": {
        if (this.fingers.size > 0) {
          this.gather(s.t0, s.most, s.moved); // the rest go on moving the canvas, from where they are
          return [this.pinch(true)];
        }
        this.state = { in: "idle" };
        const [vx, vy] = s.moved ? this.speed(c.t) : [0, 0];
        const out: Action[] = [{ kind: "drop", vx, vy }];
        if (!s.moved && c.t - s.t0 <= tapMs) {
          if (s.most === 2) out.push({ kind: "undo" });
          if (s.most === 3) out.push({ kind: "redo" });
        }
        return out;
      }
    }
  }

  // lost is the browser's cancel: what the contact drew is dropped, what it moved stays moved.
  private lost(c: Contact): Action[] {
    const s = this.state;
    if (s.in === "stroke" && s.id === c.id) {
      this.fingers.delete(c.id);
      this.state = { in: "idle" };
      return [{ kind: "cancel" }];
    }
    if (s.in === "fingers") s.most = 0; // no tap
    if (s.in === "pan" && s.id === c.id) s.moved = true; // no click
    this.trace = [];
    return this.up(c);
  }

  // gather makes the fingers that are down one hand, measured from where they are.
  private gather(t0: number, most: number, moved: boolean): void {
    const [x, y] = this.middle();
    this.state = { in: "fingers", t0, most, moved, x, y, span: this.span() };
    this.trace = [];
  }

  private pinch(begin: boolean): Action {
    const s = this.state;
    const [x, y] = this.middle();
    const k = s.in === "fingers" && this.fingers.size > 1 ? this.span() / s.span : 1;
    return { kind: "pinch", begin, x, y, k: begin ? 1 : k };
  }

  private middle(): [number, number] {
    let [x, y] = [0, 0];
    for (const f of this.fingers.values()) {
      x += f.x;
      y += f.y;
    }
    const n = Math.max(1, this.fingers.size);
    return [x / n, y / n];
  }

  // span is twice the mean distance of the fingers from their middle: of two fingers, how far apart they are.
  private span(): number {
    const [x, y] = this.middle();
    let sum = 0;
    for (const f of this.fingers.values()) sum += Math.hypot(f.x - x, f.y - y);
    return Math.max(minSpanPx, (2 * sum) / Math.max(1, this.fingers.size));
  }

  private note(p: Trace): void {
    this.trace.push({ t: p.t, x: p.x, y: p.y });
    if (this.trace.length > 12) this.trace.shift();
  }

  // speed is the hand's over the last tenth of a second, px/ms.
  private speed(now: number): [number, number] {
    const last = this.trace.at(-1);
    if (!last || now - last.t > restMs) return [0, 0];
    const first = this.trace.find((p) => now - p.t < 100) ?? last;
    const dt = last.t - first.t;
    if (dt < 8) return [0, 0];
    return [(last.x - first.x) / dt, (last.y - first.y) / dt];
  }
}
