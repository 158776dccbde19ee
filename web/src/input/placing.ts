// placing is the terminal tool: a rectangle that is dragged says how many grid cells a new terminal has, a click makes one of
// 80 × 24. It shows what it will be and knows no canvas.

import { CELL_H, CELL_W, gridOf } from "../grid.ts";
import { h } from "../ui/h.ts";

export interface Wanted {
  left: number; // CSS px
  top: number;
  cols: number;
  rows: number;
}

const usual = { cols: 80, rows: 24 };

export class Placing {
  readonly element = h("div", { class: "term-new", hidden: true });
  private readonly words = h("span");
  private from: { x: number; y: number } | undefined;

  constructor() {
    this.element.append(this.words);
  }

  get busy(): boolean {
    return this.from !== undefined;
  }

  begin(x: number, y: number): void {
    this.from = { x, y };
  }

  move(x: number, y: number): void {
    if (!this.from) return;
    const w = this.box(x, y);
    const small = w.cols === 0;
    this.element.toggleAttribute("hidden", small);
    if (small) return;
    const s = this.element.style;
    s.transform = `translate(${w.left}px, ${w.top}px)`;
    s.width = `${w.cols * CELL_W}px`;
    s.height = `${w.rows * CELL_H}px`;
    this.words.textContent = `${w.cols} × ${w.rows}`;
  }

  /** end gives what is wanted; a click, or next to one, is the usual size, around it and within the view. */
  end(x: number, y: number, width: number, height: number): Wanted {
    const w = this.box(x, y);
    this.cancel();
    if (w.cols > 0) return w;
    const within = (v: number, size: number, room: number, before: number): number => Math.round(Math.max(before, Math.min(room - size - before, v - size / 2)));
    return {
      ...usual, left: within(x, usual.cols * CELL_W, width, 12), top: within(y, usual.rows * CELL_H, height, 100),
    };
  }

  cancel(): void {
    this.from = undefined;
    this.element.setAttribute("hidden", "");
  }

  private box(x: number, y: number): Wanted {
    const f = this.from!;
    const g = gridOf(Math.abs(x - f.x), Math.abs(y - f.y)) ?? { cols: 0, rows: 0 };
    // It grows from where it was begun.
    return { ...g, left: x < f.x ? f.x - g.cols * CELL_W : f.x, top: y < f.y ? f.y - g.rows * CELL_H : f.y };
  }
}
