// worker is the engine of a page: it joins socket, session, squares and painting.

import type { FromWorker, ToWorker } from "./protocol.ts";

declare const self: DedicatedWorkerGlobalScope;

self.onmessage = (e: MessageEvent<ToWorker>) => {
  if (e.data.kind === "settle") self.postMessage({ kind: "settled", id: e.data.id } satisfies FromWorker);
};
