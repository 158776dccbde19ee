// term is what the page knows of one terminal, and what those who deal with it know of the page.

import type { Spot } from "../grid.ts";
import type { By } from "../input/termhand.ts";
import type { PeerNews, Place, TermItemNews, TermNews, TermSpot, ToWorker } from "../protocol.ts";
import type { Tool } from "./kit.ts";
import type { Case } from "./termcase.ts";

export interface Term extends TermItemNews {
  news: TermNews | undefined;
  spot: Spot;
  top: number | undefined; // number of the first row shown, in the history
  selection: { from: TermSpot; to: TermSpot; by: By; block: boolean } | undefined;
  case: Case | undefined;
  recording: AbortController | undefined;
  size: { cols: number; rows: number } | undefined; // that this person wants
}

export interface TerminalsOptions {
  canvas: string;
  send: (m: ToWorker) => void;
  place: () => Place;
  size: () => { width: number; height: number };
  fly: (to: Place) => void;
  say: (text: string, action?: { label: string; act: () => void }) => void;
  tool: () => Tool;
  pick: (t: Tool) => void;
  undo: () => void;
  online: () => boolean;
  /** changed is told that the page looks otherwise: what is placed, or has the keyboard. */
  changed: () => void;
  people: () => void;
}

/** Around is the page around the terminals, for their parts. */
export interface Around extends TerminalsOptions {
  role: () => number;
  /** stand puts what stands around a terminal in its place; dress shows its news there. */
  stand: (t: Term) => void;
  dress: (t: Term) => void;
}

/** typistOf is who typed last in a terminal, if it is somebody else here. */
export function typistOf(t: Term, me: number, others: readonly PeerNews[]): PeerNews | undefined {
  const viewer = t.news?.facts?.typist ?? 0;
  return viewer === me ? undefined : others.find((p) => p.viewer === viewer);
}
