// engine is the page's end of the worker: it starts it, speaks protocol.ts to it and refuses to know what is drawn.

import type { FromWorker, ToWorker } from "./protocol.ts";

export interface EngineOptions {
  canvas: HTMLCanvasElement; // given away: nobody else may paint it
  worker: string; // address of worker.js
  url: string;
  name: string;
  person: { name: string; color: number };
  on: (news: FromWorker) => void;
}

export class Engine {
  private readonly worker: Worker;
  private settles = 0;
  private readonly settling = new Map<number, (seq: number) => void>();

  constructor(o: EngineOptions) {
    this.worker = window.fractalWorker ?? new Worker(o.worker, { type: "module", name: "engine" });
    this.worker.onmessage = (e: MessageEvent<FromWorker>) => {
      const news = e.data;
      if (news.kind === "settled") {
        this.settling.get(news.id)?.(news.seq);
        this.settling.delete(news.id);
      } else {
        o.on(news);
      }
    };
    this.worker.onerror = (e) => o.on({ kind: "failed", reason: e.message });
    const canvas = window.fractalWorker === undefined ? o.canvas.transferControlToOffscreen() : undefined;
    const start: ToWorker = { kind: "start", canvas, url: o.url, name: o.name, person: o.person, budget: budget() };
    this.worker.postMessage(start, canvas === undefined ? [] : [canvas]);
  }

  send(m: ToWorker): void {
    this.worker.postMessage(m);
  }

  /**
   * settled resolves when nothing is owed, unsaved, wet or undecoded, the view stands still, and the canvas shows it: the
   * picture stays until somebody changes something. It gives the seq the canvas is complete through; given to another
   * page's settled, that waits until it shows as much. With `view` it waits for no square that is not seen.
   */
  settled(seq = 0, view = false): Promise<number> {
    return new Promise((resolve) => {
      const id = ++this.settles;
      this.settling.set(id, resolve);
      this.send({ kind: "settle", id, seq, view });
    });
  }
}

// budget is how many bytes of pictures the worker keeps: phones end tabs that take more.
export function budget(): number {
  return matchMedia("(pointer: coarse)").matches ? 96 << 20 : 192 << 20;
}
