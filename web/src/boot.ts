// boot runs before anything else of a canvas's page is there: it starts the worker, and tells it in its name whom to connect to
// as whom, and what will be seen first. So cells are asked for, drawn and decoded while the page is being made; a message would
// wait until the main thread has made it. The main script, which is on its way meanwhile, runs when the worker does: a worker's
// thread is started by the main thread, and would otherwise wait for all of the page. engine.ts takes the worker over.

import type { Beginning } from "./protocol.ts";
import { known } from "./person.ts";
import { load } from "./ui/kit.ts";

declare global {
  interface Window {
    /** fractalWorker waits for its start. */
    fractalWorker?: Worker;
  }
}

const { worker, main, canvas } = (document.currentScript as HTMLScriptElement).dataset;
const key = known(); // before load, which keeps something
const { name, color } = load();
const beginning: Beginning = {
  name: canvas!,
  person: { name, color },
  ...(key === undefined ? {} : { key }),
  hash: location.hash,
  width: Math.max(1, innerWidth),
  height: Math.max(1, innerHeight),
  dpr: devicePixelRatio,
};
const begun = new Worker(worker!, { type: "module", name: JSON.stringify(beginning) });
window.fractalWorker = begun;

let going = false;
const go = (): void => {
  if (going) return;
  going = true;
  const script = document.createElement("script");
  script.type = "module";
  script.src = main!;
  document.head.append(script);
};
begun.addEventListener("message", go, { once: true }); // it says "up", and nothing more before it is started
begun.addEventListener("error", go, { once: true }); // the main script will say so
