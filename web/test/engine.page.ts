// The page of the engine's tests: a canvas, a worker, and verbs for the Go side. No chrome.

import { Engine } from "../src/engine.ts";
import type { FromWorker, Head, Place } from "../src/protocol.ts";

const canvas = document.querySelector("canvas")!;
const heard: FromWorker[] = [];

const engine = new Engine({
  canvas,
  worker: document.body.dataset["worker"]!,
  url: `ws://${location.host}/ws`,
  name: "test",
  person: { name: "Ana", color: 0x2040c0ff },
  on: (news) => {
    heard.push(news);
    if (news.kind === "failed") console.error(news.reason);
  },
});

let strokes = 0;

interface Verbs {
  look(level: number, x: string, y: string, fx: number, fy: number, s: number): void;
  draw(brush: number, color: number, width: number, here: boolean, points: number[]): number;
  begin(brush: number, color: number, width: number, here: boolean): number;
  points(stroke: number, points: number[]): void;
  end(stroke: number): void;
  hide(hidden: boolean): void;
  pan(frames: number, dx: number, dy: number): Promise<number[]>;
  heard(kind: string): FromWorker[];
  settled(seq?: number): Promise<number>;
  send: Engine["send"];
}

let place: Place;
let head: Head["home"];

function view(): void {
  engine.send({ kind: "view", place, width: innerWidth, height: innerHeight, dpr: devicePixelRatio });
}

const verbs: Verbs = {
  look(level, x, y, fx, fy, s) {
    place = { level, x: BigInt(x), y: BigInt(y), fx, fy, s };
    head = { level, x: place.x, y: place.y };
    view();
  },
  draw(brush, color, width, here, points) {
    const stroke = verbs.begin(brush, color, width, here);
    verbs.points(stroke, points);
    verbs.end(stroke);
    return stroke;
  },
  begin(brush, color, width, here) {
    engine.send({ kind: "wetBegin", stroke: ++strokes, head: { home: head, brush, color, width }, here });
    return strokes;
  },
  points: (stroke, points) => engine.send({ kind: "wetPoints", stroke, points: new Float64Array(points) }),
  end: (stroke) => engine.send({ kind: "wetEnd", stroke }),
  hide: (hidden) => engine.send({ kind: "hidden", hidden }),
  // pan moves the view in each of so many frames and gives how long each took.
  async pan(frames, dx, dy) {
    const took: number[] = [];
    let last = await new Promise(requestAnimationFrame);
    for (let i = 0; i < frames; i++) {
      let { x, y, fx, fy } = place;
      fx -= dx / place.s;
      fy -= dy / place.s;
      x += BigInt(Math.floor(fx));
      y += BigInt(Math.floor(fy));
      place = { ...place, x, y, fx: fx - Math.floor(fx), fy: fy - Math.floor(fy) };
      view();
      const now = await new Promise<number>(requestAnimationFrame);
      took.push(now - last);
      last = now;
    }
    return took;
  },
  heard: (kind) => heard.filter((h) => h.kind === kind),
  settled: (seq = 0) => engine.settled(seq),
  send: (m) => engine.send(m),
};

declare global {
  interface Window {
    fractal: Verbs;
  }
}
window.fractal = verbs;
