// protocol owns what the page and its worker say to each other. The page has the pointer, the person's own wet ink and
// everything around the canvas; the worker has the socket, the squares and the canvas itself. Messages are structured
// clones: big integers and typed arrays travel as they are.

import type { Box, Palette, Place as WirePlace, TermAnswer, TermCursor, TermDo, TermFacts, TermQuestion, Terminal } from "./wire.ts";

/** Address is the tile [x, x+1) × [y, y+1) in units of 2^-level root tiles. */
export interface Address {
  level: number;
  x: bigint;
  y: bigint;
}

/**
 * Place is where a view stands: its top left corner lies at (fx, fy) ∈ [0, 1) of the tile (level, x, y), and one side of
 * that tile is `s` CSS px long. Any s > 0 is understood; the camera keeps it within [256, 512).
 */
export interface Place extends Address {
  fx: number;
  fy: number;
  s: number;
}

/** Extent is the box of everything drawn, in units of a tile. */
export interface Extent {
  home: Address;
  minX: number;
  minY: number;
  maxX: number;
  maxY: number;
}

/** Head says what a stroke is, before it has points. Units are 2^-14 of the side of `home`. */
export interface Head {
  home: Address;
  brush: number;
  color: number; // 0xRRGGBBAA
  width: number; // diameter in units for all points; 0: every point carries its own
}

/** Beginning is what a worker is told in its name, as JSON, by boot.ts: enough to connect, and where to look. */
export interface Beginning {
  name: string; // of the canvas
  hash: string; // of the page's address: where to look
  width: number; // of the view, CSS px
  height: number;
  dpr: number;
}

/** First is what came of the cells in view before the worker ran: pictures without anything on top. */
export interface First extends Address {
  cells: FirstCell[];
}

/** FirstCell is a cell so many columns and rows from the first in view. */
export interface FirstCell {
  col: number;
  row: number;
  format: number; // as wire.Image
  below: boolean;
  version: number;
  data: Uint8Array;
}

export type ToWorker =
  // From boot.ts alone, once, when the worker runs: the canvas, who this is, and what there is to see.
  | { kind: "begin"; canvas: OffscreenCanvas; person: { name: string; color: number }; key: string | undefined; budget: number; first: First }
  | {
      kind: "start"; // from the page: it listens
      canvas: OffscreenCanvas | undefined; // boot.ts has given it
      url: string; // ws(s)://…, of this canvas
      name: string; // of the canvas: what keeps its unsaved strokes apart from others'
      person: { name: string; color: number };
      budget: number; // bytes of pictures kept
    }
  // The view now, in CSS px. `goal` is where an animation that has begun will end. `resize` comes with every change of
  // width, height or dpr, and with the first view.
  | { kind: "view"; place: Place; goal?: Place; width: number; height: number; dpr: number }
  | { kind: "hidden"; hidden: boolean }
  // The person's own stroke. `stroke` is any number of the page's, new for every stroke; one stroke at a time. Points
  // are final samples (x, y, diameter; integers; units), appended. `here`: the page paints it while it is wet; else the
  // worker does, which is a frame later but exact where ink is translucent or erases.
  | { kind: "wetBegin"; stroke: number; head: Head; here: boolean }
  | { kind: "wetPoints"; stroke: number; points: Float64Array }
  | { kind: "wetEnd"; stroke: number }
  | { kind: "wetCancel"; stroke: number }
  | { kind: "undo" }
  | { kind: "redo" }
  | { kind: "paper"; color: number }
  | { kind: "place"; place: WirePlace } // a piece of the complex plane
  | { kind: "colours"; trial: Palette | undefined; still: boolean } // those somebody tries on places; whether colours must not move
  | { kind: "terminal"; terminal: Terminal }
  | { kind: "remove"; terminal: number }
  | { kind: "grant"; person: Uint8Array; role: number }
  // Terminals are named by the seq of their op. A row is numbered from the first that was ever printed; x is a grid cell.
  | { kind: "term-in"; terminal: number; what: TermDo }
  | { kind: "term-ask"; terminal: number; id: number; what: TermQuestion }
  | { kind: "term-select"; terminal: number; from: TermSpot; to: TermSpot | null; by: "cell" | "word" | "row"; block: boolean }
  | { kind: "term-scroll"; terminal: number; row: number | null } // the first row shown; null: as the program prints
  | { kind: "term-text"; terminal: number; from: TermSpot; to: TermSpot; by: "cell" | "word" | "row"; block: boolean; id: number }
  | { kind: "term-link"; terminal: number; row: number; x: number; id: number } // answered by term-text: the address, or nothing
  | { kind: "term-focus"; terminal: number | null } // the one that has the keyboard
  // Where the pointer is in CSS px of the view last sent; tool: brush, 0 = hand.
  | { kind: "pointer"; x: number; y: number; tool: number; gone: boolean }
  | { kind: "profile"; name: string; color: number }
  | { kind: "reconnect" } // do not wait out the pause before the next attempt
  // Answered by settled, no earlier than the canvas shows everything up to seq; `view`: what is seen is enough, without
  // margins and stand-ins.
  | { kind: "settle"; id: number; seq: number; view: boolean };

export type FromWorker =
  | { kind: "person"; key: string } // the secret in hex that is in the store, where the page did not know it
  | { kind: "runs" } // to boot.ts alone: it waits for begin
  | { kind: "shown"; at: number } // the canvas shows all that is in view, truly, since then: ms since 1970
  | { kind: "up" } // to boot.ts alone: the page may be made; it is silent until it is started
  | { kind: "welcome"; viewer: number; drawn: Extent | undefined; maxMessage: number }
  | { kind: "connection"; state: "connecting" | "online" | "waiting" | "closed"; reason: string; reload: boolean; retryMs: number }
  // Ops that are not on the server's disk yet. `kept`: they are on this machine's, and survive this tab.
  | { kind: "saving"; ops: number; kept: boolean }
  // An op will never be applied (`stroke`: the page's number if it was a stroke of this tab), or, with `retry`, waits
  // here until the server can keep it.
  | { kind: "rejected"; stroke: number | undefined; reason: string; retry: boolean }
  // The worker's canvas shows this stroke from the frame now on screen: the page takes its wet ink away.
  | { kind: "painted"; stroke: number }
  | { kind: "state"; title: string; paper: number; readOnly: string; canUndo: boolean; canRedo: boolean; strokes: number; role: number; shells: boolean }
  | { kind: "peers"; peers: PeerNews[] } // everybody else
  | { kind: "settled"; id: number; seq: number } // seq: the canvas shows everything up to it
  | { kind: "terminals"; items: TermItemNews[] } // all of them, in paint order
  | ({ kind: "term-state" } & TermNews)
  | { kind: "term-answer"; answer: TermAnswer }
  | { kind: "term-text"; id: number; text: string }
  | { kind: "refused"; terminal: number; reason: string }
  | { kind: "failed"; reason: string }; // the worker cannot go on

export interface PeerNews {
  viewer: number;
  name: string;
  color: number;
  tool: number;
  person: Uint8Array;
  role: number;
  cursor: (Address & { ux: number; uy: number }) | undefined; // units of the tile
}

/** TermSpot is a place in what a terminal has printed: left of grid cell x of a row. */
export interface TermSpot {
  row: number;
  x: number;
}

export interface TermItemNews {
  seq: number;
  name: string;
  home: Address;
  box: Box;
  cols: number;
  rows: number;
}

/** TermNews is what a terminal is like, but for what is on its screen. */
export interface TermNews {
  terminal: number;
  facts: TermFacts | undefined;
  cols: number;
  rows: number;
  base: number; // number of the screen's first row
  first: number; // of the first row there is
  cursor: TermCursor;
  absent: boolean;
}
