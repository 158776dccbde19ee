// cursor is the shape of the pointer over the canvas: a ring as wide as the stroke will be. The system draws it, so it never
// lags behind the hand.

import { css } from "./h.ts";
import { dark, type Tool } from "./kit.ts";

export interface Nib {
  tool: Exclude<Tool, "hand">;
  widthPx: number;
  color: number;
  paper: number;
}

// Systems refuse cursors above 128 px; a ring must also leave room for its edge.
const maxPx = 120;

export function set(on: HTMLElement, nib: Nib | undefined): void {
  on.style.cursor = nib ? `${ring(nib)}, crosshair` : "";
}

function ring(n: Nib): string {
  const d = Math.max(n.tool === "pen" ? 5 : 8, Math.min(maxPx, n.widthPx));
  const side = Math.ceil(d) + 6;
  const c = side / 2;
  const light = dark(n.paper);
  const edge = light ? "#fff" : "#000";
  const halo = light ? "#000" : "#fff";
  const fill = n.tool === "eraser" ? "none" : css(n.tool === "pen" ? n.color : (n.color & 0xffffff00) + 0x40);
  const dot = n.widthPx > maxPx ? `<circle cx="${c}" cy="${c}" r="1.5" fill="${edge}"/>` : "";
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}"><circle cx="${c}" cy="${c}" r="${d / 2}" fill="${fill}" stroke="${halo}" stroke-opacity=".7" stroke-width="3"/>` +
    `<circle cx="${c}" cy="${c}" r="${d / 2}" fill="${fill}" stroke="${edge}" stroke-opacity=".75"/>${dot}</svg>`;
  return `url("data:image/svg+xml,${encodeURIComponent(svg)}") ${Math.round(c)} ${Math.round(c)}`;
}
