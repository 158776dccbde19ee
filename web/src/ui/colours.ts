// colours is the panel that gives a place of the complex plane other colours. What is tried is seen at once, on this page alone, and
// costs the server nothing; given to the place it is an op like any other.

import { paletteOf, palettes } from "../complex.ts";
import type { Palette } from "../wire.ts";
import { h, icon } from "./h.ts";

export interface ColourActions {
  /** trial shows places in colours that are not theirs yet; undefined: in their own. */
  trial: (p: Palette | undefined) => void;
  /** give gives them to the place the panel was opened for. */
  give: (p: Palette) => void;
}

const MOST = 16; // colours to edit; a place may have more

/** colours opens the panel with what a place has. */
export function colours(now: Palette, act: ColourActions): void {
  document.querySelector<HTMLDialogElement>("dialog.colours")?.close();
  let p: Palette = { ...now, colors: now.colors.length >= 3 ? now.colors.slice() : Uint8Array.of(0, 0, 0, 255, 255, 255), cycle: now.cycle || 2048 };
  const ring = h("div", { class: "ring", role: "group", "aria-label": "Colours of the cycle" });
  const bar = h("div", { class: "bar", "aria-hidden": "true" });
  const tried = (): void => {
    const list = listed(p);
    bar.style.background = `linear-gradient(to right, ${[...list, list[0]!].join(",")})`;
    act.trial(p);
  };
  const change = (more: Partial<Palette>): void => {
    p = { ...p, ...more };
    tried();
  };
  const fill = (): void => {
    const list = listed(p);
    ring.replaceChildren(
      ...list.map((c, i) => h("span", { class: "stop" },
        h("input", { type: "color", value: c, "aria-label": `Colour ${i + 1} of ${list.length}`, oninput: (e: Event) => {
          const colors = p.colors.slice();
          colors.set(channels((e.target as HTMLInputElement).value), 3 * i);
          change({ colors });
        } }),
        list.length > 1 && h("button", { class: "press", type: "button", "aria-label": `Take colour ${i + 1} away`, onclick: () => {
          change({ colors: Uint8Array.from([...p.colors.slice(0, 3 * i), ...p.colors.slice(3 * i + 3)]) });
          fill();
        } }, icon("close", true)))),
    );
    if (list.length < MOST) {
      ring.append(h("button", { class: "plain", type: "button", "aria-label": "Add a colour", onclick: () => {
        change({ colors: Uint8Array.from([...p.colors, ...channels(list[list.length - 1]!)]) });
        fill();
      } }, "+"));
    }
    inside.value = hex(p.inside >>> 8);
    cycle.value = String(Math.log2(p.cycle / 256));
    speed.value = String(p.speed);
  };
  const inside = h("input", { type: "color", id: "inside", oninput: () => change({ inside: ((Number.parseInt(inside.value.slice(1), 16) << 8) | 0xff) >>> 0 }) });
  const cycle = h("input", { type: "range", id: "cycle", min: -1, max: 8, step: 0.25, oninput: () => change({ cycle: Math.round(256 * 2 ** Number(cycle.value)) }) });
  const speed = h("input", { type: "range", id: "speed", min: -16384, max: 16384, step: 256, oninput: () => change({ speed: Math.abs(Number(speed.value)) < 512 ? 0 : Number(speed.value) }) });
  const preset = h("select", { "aria-label": "Palette", onchange: () => {
    change({ ...paletteOf(Number(preset.value)), speed: p.speed });
    fill();
  } }, h("option", { value: "", disabled: true, selected: true }, "Palettes…"), ...palettes.map((q, i) => h("option", { value: i }, q.name)));
  const d = h("dialog", { class: "colours", "aria-label": "Colours" },
    h("header", {}, h("h2", {}, "Colours"), h("button", { class: "press", type: "button", "aria-label": "Close", onclick: () => d.close() }, icon("close"))),
    h("div", { class: "body" },
      preset, bar, ring,
      h("div", { class: "row" }, h("label", { for: "inside" }, "Inside the set"), inside),
      h("div", { class: "row" }, h("label", { for: "cycle" }, "Length of a cycle", h("small", {}, "seen once they are given to the place")), cycle),
      h("div", { class: "row" }, h("label", { for: "speed" }, "Movement", h("small", {}, "in the middle they rest")), speed),
      h("div", { class: "ends" }, h("button", { class: "primary", type: "button", onclick: () => {
        act.give(p);
        d.close();
      } }, "Give them to the place"))));
  d.addEventListener("close", () => {
    d.remove();
    act.trial(undefined);
  });
  d.addEventListener("keydown", (e) => {
    if (e.key === "Escape") d.close();
    e.stopPropagation(); // not for the canvas
  });
  document.body.append(d);
  fill();
  tried();
  d.show();
}

// listed is the colours of a palette as CSS has them.
function listed(p: Palette): string[] {
  const list: string[] = [];
  for (let i = 0; i + 2 < p.colors.length; i += 3) list.push(hex((p.colors[i]! << 16) | (p.colors[i + 1]! << 8) | p.colors[i + 2]!));
  return list;
}

function hex(rgb: number): string {
  return `#${(rgb & 0xffffff).toString(16).padStart(6, "0")}`;
}

function channels(css: string): [number, number, number] {
  const v = Number.parseInt(css.slice(1), 16);
  return [v >> 16, (v >> 8) & 0xff, v & 0xff];
}
