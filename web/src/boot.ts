// boot runs before anything else of a canvas's page is there but the canvas itself. It asks for the pictures that are seen first
// (first.ts), and starts the worker, telling it in its name whom to connect to and where to look. When the worker runs it is given the
// canvas, the person and those pictures: so cells are drawn, decoded and shown before the page is made. The main script, which is on its
// way meanwhile, runs when the worker says so; engine.ts takes the worker over.
//
// The order counts. The worker's thread is started by the browser's own main thread, and what this browser has stored is read through
// it: that stops us for 10 to 30 ms, in which the server draws and the worker starts.

import { budget } from "./engine.ts";
import { FirstLook } from "./first.ts";
import { home, parse, placeOf } from "./permalink.ts";
import type { Beginning, FromWorker, ToWorker } from "./protocol.ts";
import { known } from "./person.ts";
import { load } from "./ui/kit.ts";

declare global {
  interface Window {
    /** fractalWorker waits for its start. */
    fractalWorker?: Worker;
  }
}

const { worker, main, canvas } = (document.currentScript as HTMLScriptElement).dataset;
const dry = document.querySelector<HTMLCanvasElement>("#dry")!;
const beginning: Beginning = { name: canvas!, hash: location.hash, width: Math.max(1, innerWidth), height: Math.max(1, innerHeight), dpr: devicePixelRatio };
const { hash, width, height, dpr } = beginning;
const look = new FirstLook(canvas!, placeOf(parse(hash) ?? home, width, height), width, height, dpr, dry);
const begun = new Worker(worker!, { type: "module", name: JSON.stringify(beginning) });
window.fractalWorker = begun;

const given = dry.transferControlToOffscreen();
const key = known(); // before load, which keeps something
const { name, color } = load();

const heard = (e: MessageEvent<FromWorker>): void => {
  if (e.data.kind === "runs") {
    const begin: ToWorker = { kind: "begin", canvas: given, person: { name, color }, key, budget: budget(), first: look.over() };
    begun.postMessage(begin, [given]);
  } else {
    go(); // it says "up", and nothing more before it is started
  }
};
const go = (): void => {
  begun.removeEventListener("message", heard);
  begun.removeEventListener("error", go);
  const script = document.createElement("script");
  script.type = "module";
  script.src = main!;
  document.head.append(script);
};
begun.addEventListener("message", heard);
begun.addEventListener("error", go); // the main script will say so
