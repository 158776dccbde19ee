// termhand says what the mouse, a finger and the wheel mean over the terminal that has the keyboard: something for the program,
// a selection, or a way through the history. Pure: events in, calls out, no DOM.

import { type Cell, cellAt, type Spot } from "../grid.ts";
import type { TermSpot } from "../protocol.ts";
import type { TermDo } from "../wire.ts";

/** Under is the terminal under the hand. */
export interface Under {
  spot: Spot;
  cols: number;
  rows: number;
  top: number; // number of the first row shown
  live: boolean; // that is the screen's
  modes: number; // as TermFacts
  mouse: number;
  types: boolean; // the person may do something
}

export interface Contact {
  device: "mouse" | "pen" | "touch";
  x: number;
  y: number;
  t: number;
  button: number; // as PointerEvent.button
  shift: boolean;
  alt: boolean;
  ctrl: boolean; // or the command key
}

export type By = "cell" | "word" | "row";

export interface TermHandOptions {
  under: () => Under | undefined;
  send: (what: TermDo) => void;
  select: (from: TermSpot, to: TermSpot | null, by: By, block: boolean) => void;
  scroll: (rows: number) => void;
  link: (at: TermSpot) => void;
}

const ALTERNATE = 1, WHEEL_KEYS = 2;

const doubleMs = 450;
const doublePx = 8;

// Lines a notch of the wheel is, in a history and for a program that gets cursor keys.
const notchLines = 3;

// Pixels of a trackpad that are a turn of the wheel to a program.
const turnPx = 40;

const ARROW_UP = 0xf0004, ARROW_DOWN = 0xf0005;

type Doing =
  | { what: "report"; button: number; at: Cell }
  | { what: "select"; from: TermSpot; by: By; block: boolean; moved: boolean; x: number; y: number }
  | { what: "drag"; y: number; y0: number; moved: boolean; at: Contact };

export class TermHand {
  private doing: Doing | undefined;
  private clicks = { n: 0, x: 0, y: 0, t: -Infinity };
  private hovered: Cell | undefined;
  private rest = 0; // of the wheel: px that made no line yet
  private anchor: TermSpot | undefined; // of the last selection

  constructor(private readonly o: TermHandOptions) {}

  get busy(): boolean {
    return this.doing !== undefined;
  }

  down(c: Contact): void {
    const u = this.o.under();
    if (!u || this.doing) return;
    const cell = at(u, c);
    if (c.ctrl && c.button === 0) return this.o.link({ row: u.top + cell.y, x: cell.x });
    if (u.mouse > 0 && u.live && u.types && !c.shift && c.device !== "touch" && c.button <= 2) {
      this.doing = { what: "report", button: c.button + 1, at: cell };
      return this.report(c.button + 1, 1, false, c, cell);
    }
    if (c.device === "touch") {
      this.doing = { what: "drag", y: c.y, y0: c.y, moved: false, at: c };
      return;
    }
    if (c.button !== 0) return;
    const again = c.t - this.clicks.t < doubleMs && Math.abs(c.x - this.clicks.x) < doublePx && Math.abs(c.y - this.clicks.y) < doublePx;
    this.clicks = { n: again ? (this.clicks.n % 3) + 1 : 1, x: c.x, y: c.y, t: c.t };
    const by: By = (["cell", "word", "row"] as const)[this.clicks.n - 1]!;
    const spot = by === "cell" ? edge(u, c) : { row: u.top + cell.y, x: cell.x };
    const extend = c.shift && u.mouse === 0 && by === "cell" && this.anchor !== undefined;
    const from = extend ? this.anchor! : spot;
    this.anchor = from;
    this.doing = { what: "select", from, by, block: c.alt, moved: extend || by !== "cell", x: c.x, y: c.y };
    if (extend || by !== "cell") this.o.select(from, spot, by, c.alt);
  }

  move(c: Contact): void {
    const u = this.o.under();
    if (!u) return;
    const d = this.doing;
    switch (d?.what) {
      case undefined: {
        if (u.mouse < 4 || !u.live || !u.types || c.shift || c.device === "touch") return;
        const cell = at(u, c);
        if (this.hovered && cell.x === this.hovered.x && cell.y === this.hovered.y) return;
        this.hovered = cell;
        return this.report(0, 1, true, c, cell);
      }
      case "report": {
        const cell = at(u, c);
        if (u.mouse < 3 || (cell.xPixel === d.at.xPixel && cell.yPixel === d.at.yPixel)) return;
        d.at = cell;
        return this.report(d.button, 1, true, c, cell);
      }
      case "select": {
        if (!d.moved && Math.abs(c.x - d.x) < 3 && Math.abs(c.y - d.y) < 3) return;
        d.moved = true;
        [d.x, d.y] = [c.x, c.y];
        return this.extend(u, d, c);
      }
      case "drag": {
        if (!d.moved && Math.abs(c.y - d.y0) < 8) return;
        d.moved = true;
        this.turn(u, d.y - c.y, false, c);
        d.y = c.y;
        return;
      }
      default:
        d satisfies never;
    }
  }

  up(c: Contact): void {
    const [d, u] = [this.doing, this.o.under()];
    this.doing = undefined;
    if (!d || !u) return;
    const cell = at(u, c);
    switch (d.what) {
      case "report":
        return this.report(d.button, 3, false, c, cell);
      case "select":
        if (!d.moved) this.o.select(d.from, null, "cell", false);
        return;
      case "drag":
        if (!d.moved && u.mouse > 0 && u.live && u.types) {
          this.report(1, 1, false, c, cell);
          this.report(1, 3, false, c, cell);
        }
        return;
      default:
        d satisfies never;
    }
  }

  cancel(): void {
    this.doing = undefined;
  }

  /** beyond is how many rows the hand is past an edge while it selects: the history moves on while it stays there. */
  beyond(): number {
    const [d, u] = [this.doing, this.o.under()];
    if (d?.what !== "select" || !d.moved || !u) return 0;
    const v = (d.y - u.spot.y) / (2 * u.spot.cell);
    return v < 0 ? Math.floor(v) : v > u.rows ? Math.ceil(v - u.rows) : 0;
  }

  /** again selects up to where the hand is, after rows moved under it. */
  again(): void {
    const [d, u] = [this.doing, this.o.under()];
    if (d?.what === "select" && u) this.extend(u, d, d);
  }

  /** wheel takes a turn of dy px, or of notches. */
  wheel(dy: number, notches: boolean, c: Contact): void {
    const u = this.o.under();
    if (u) this.turn(u, dy, notches, c);
  }

  private turn(u: Under, dy: number, notches: boolean, c: Contact): void {
    const up = dy < 0;
    if (u.mouse > 1 && u.live && u.types && !c.shift) {
      const n = notches ? Math.min(3, Math.max(1, Math.round(Math.abs(dy) / 100))) : Math.abs(this.lines(dy, turnPx));
      for (let i = 0; i < n; i++) this.report(up ? 4 : 5, 1, false, c, at(u, c));
      return;
    }
    const step = 2 * u.spot.cell;
    const n = notches ? Math.sign(dy) * notchLines * Math.min(3, Math.max(1, Math.round(Math.abs(dy) / 100))) : this.lines(dy, step);
    if (n === 0) return;
    if ((u.modes & ALTERNATE) === 0) return this.o.scroll(n);
    if ((u.modes & WHEEL_KEYS) === 0 || !u.types) return;
    for (let i = 0; i < Math.abs(n); i++) {
      this.o.send({ kind: "key", code: up ? ARROW_UP : ARROW_DOWN, shifted: 0, base: 0, text: "", mods: 0, press: 1 });
    }
  }

  // lines takes whole steps out of what has been turned.
  private lines(dy: number, step: number): number {
    if (Math.sign(dy) !== Math.sign(this.rest)) this.rest = 0;
    this.rest += dy;
    const n = Math.trunc(this.rest / step);
    this.rest -= n * step;
    return n;
  }

  private extend(u: Under, d: Extract<Doing, { what: "select" }>, c: { x: number; y: number }): void {
    const cell = at(u, c);
    const to = d.by === "cell" ? edge(u, c) : { row: u.top + cell.y, x: cell.x };
    this.o.select(d.from, to, d.by, d.block);
  }

  private report(button: number, press: number, motion: boolean, c: Contact, cell: Cell): void {
    const mods = (c.shift ? 1 : 0) | (c.alt ? 2 : 0) | (c.ctrl ? 4 : 0);
    this.o.send({ kind: "mouse", button, press, motion, mods, ...cell });
  }
}

function at(u: Under, c: { x: number; y: number }): Cell {
  return cellAt(u.spot, u.cols, u.rows, c.x, c.y);
}

// edge is the border of two grid cells that is nearest, in the row under the hand; past the rows it is their first or last.
function edge(u: Under, c: { x: number; y: number }): TermSpot {
  const v = Math.floor((c.y - u.spot.y) / (2 * u.spot.cell));
  if (v < 0) return { row: u.top, x: 0 };
  if (v >= u.rows) return { row: u.top + u.rows - 1, x: u.cols };
  return { row: u.top + v, x: Math.max(0, Math.min(u.cols, Math.round((c.x - u.spot.x) / u.spot.cell))) };
}
