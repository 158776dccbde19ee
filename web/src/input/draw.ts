// draw makes strokes of what the hand does: it gives every stroke its home, smooths it, shows it wet and tells the worker.

import type { Head, Place, ToWorker } from "../protocol.ts";
import { homeAt, local } from "../view.ts";
import type { Wet } from "../wet.ts";
import type { Device } from "./gesture.ts";
import { Inker, type Pressure } from "./inker.ts";

export interface Reported {
  x: number; // CSS px in the view
  y: number;
  pressure: number;
  t: number;
}

export interface Nib {
  brush: number;
  color: number;
  widthPx: number;
  pressed: boolean; // the width follows pressure or speed
  here: boolean; // the page paints it while it is wet
}

// Positions of a mouse and a finger are calmed more than a pen's, which reports finer. Wide brushes hide the noise themselves,
// and what the worker paints must not lag.
const calmPx: Record<Device, number> = { mouse: 3, touch: 3, pen: 2 };
const wideCalmPx = 2;

// Levels the view may move away from a stroke's home while it is drawn; then it goes on as another stroke, so that its
// samples stay fine enough to be seen and small enough to be kept.
const maxLevels = 3;

export class Draw {
  private id = 0;
  private inker: Inker | undefined;
  private head: Head | undefined;
  private nib: Nib | undefined;
  private device: Device = "mouse";
  private sure = true; // the worker may show it to others
  private held: ToWorker[] = []; // until it is
  private last: Reported | undefined;

  constructor(private readonly wet: Wet, private readonly send: (m: ToWorker) => void, private readonly place: () => Place) {}

  get drawing(): boolean {
    return this.inker !== undefined;
  }

  begin(device: Device, nib: Nib, at: Reported): void {
    this.device = device;
    this.nib = nib;
    this.sure = device !== "touch";
    this.held = [];
    this.start(at);
    this.show([]);
  }

  /** extend takes the reports of one event, and what the browser thinks will come next. */
  extend(reports: readonly Reported[], predicted: readonly { x: number; y: number }[]): void {
    if (!this.inker) return;
    for (const r of reports) {
      this.inker.add(...this.at(r));
      this.last = r;
    }
    if (this.inker.full || Math.abs(this.place().level - this.head!.home.level) > maxLevels) {
      const at = this.last!;
      this.finish();
      this.start(at);
    }
    this.show(predicted);
  }

  becomeSure(): void {
    this.sure = true;
    for (const m of this.held) this.send(m);
    this.held = [];
  }

  end(): void {
    if (!this.inker) return;
    this.becomeSure();
    this.finish();
  }

  cancel(): void {
    if (!this.inker) return;
    this.wet.remove(this.id);
    if (this.sure) this.send({ kind: "wetCancel", stroke: this.id });
    this.held = [];
    this.inker = undefined;
  }

  private start(at: Reported): void {
    const nib = this.nib!;
    const home = homeAt(this.place(), at.x, at.y);
    const pressure: Pressure = !nib.pressed ? "none" : this.device === "pen" ? "pen" : "speed";
    const { unit } = local(this.place(), home, at.x, at.y);
    this.inker = new Inker({ widthPx: nib.widthPx, pressure, calmPx: nib.pressed ? calmPx[this.device] : wideCalmPx }, unit);
    this.head = { home, brush: nib.brush, color: nib.color, width: this.inker.width };
    this.id++;
    this.last = at;
    this.wet.begin(this.id, this.head, nib.here);
    this.tell({ kind: "wetBegin", stroke: this.id, head: this.head, here: nib.here });
    this.inker.add(...this.at(at));
  }

  private finish(): void {
    const inker = this.inker!;
    inker.end();
    const points = inker.takeAll();
    this.inker = undefined;
    this.wet.add(this.id, points, []);
    this.wet.end(this.id);
    if (points.length > 0) this.tell({ kind: "wetPoints", stroke: this.id, points });
    this.tell({ kind: "wetEnd", stroke: this.id });
  }

  private show(predicted: readonly { x: number; y: number }[]): void {
    const inker = this.inker!;
    const points = inker.take();
    const ahead: number[] = [];
    for (const p of predicted) {
      const u = local(this.place(), this.head!.home, p.x, p.y);
      ahead.push(u.x, u.y);
    }
    this.wet.add(this.id, points, inker.tail(ahead));
    if (points.length > 0) this.tell({ kind: "wetPoints", stroke: this.id, points });
  }

  private tell(m: ToWorker): void {
    if (this.sure) this.send(m);
    else this.held.push(m);
  }

  private at(r: Reported): [number, number, number, number, number] {
    const u = local(this.place(), this.head!.home, r.x, r.y);
    return [u.x, u.y, u.unit, r.pressure, r.t];
  }
}
