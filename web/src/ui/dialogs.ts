// dialogs are the three sheets that stop everything else: help (made from the key table), settings, and going to a place.

import { type Command, commands, gestures, shown } from "../input/keys.ts";
import { termChords } from "../input/termkeys.ts";
import { type Middle, parse } from "../permalink.ts";
import { MAX_LEVEL } from "../tile.ts";
import { mac } from "./float.ts";
import { css, h, icon } from "./h.ts";
import { type Kit, papers, people } from "./kit.ts";

/** open shows a sheet that stops everything else. */
export function open(title: string, broad: boolean, ...body: HTMLElement[]): HTMLDialogElement {
  const close = h("button", { class: "press", type: "button", "aria-label": "Close", onclick: () => d.close() }, icon("close"));
  const d = h("dialog", { class: broad ? "broad" : "", "aria-labelledby": "dialog-title" },
    // The title has the focus first: a reader begins there, and no button looks chosen.
    h("header", {}, h("h2", { id: "dialog-title", tabindex: -1, autofocus: true }, title), close), h("div", { class: "body" }, ...body));
  d.addEventListener("close", () => d.remove());
  d.addEventListener("click", (e) => {
    if (e.target === d) d.close(); // the backdrop
  });
  document.body.append(d);
  d.showModal();
  return d;
}

/** openDialog is the dialog that is open, if any. */
export function openDialog(): HTMLDialogElement | null {
  return document.querySelector("dialog[open]");
}

export function help(): void {
  const caps = (chord: string): HTMLElement[] => shown(chord, mac).map((c) => h("kbd", {}, c));
  const section = (title: string, rows: [string, HTMLElement][]): HTMLElement =>
    h("section", {}, h("h3", {}, title), h("dl", {}, ...rows.map(([what, how]) => h("div", {}, h("dt", {}, what), how))));
  const groups = [...new Set(commands.map((c) => c.group))];
  const sections = groups.map((g) => section(g, lines(commands.filter((c) => c.group === g)).map(([label, cs]) => {
    const keys = h("dd", { "data-commands": cs.map((c) => c.id).join(" ") });
    const folded = cs.length > 1;
    const chords = folded ? cs.flatMap((c) => c.keys) : cs[0]!.keys;
    chords.forEach((k, i) => {
      if (i > 0 && !folded) keys.append(h("span", { class: "or" }, "or"));
      const all = caps(k);
      // What is held for all of them is written once.
      for (const cap of folded && i > 0 ? all.slice(-1) : all) keys.append(cap, " ");
    });
    return [label, keys] as [string, HTMLElement];
  })));
  if (document.body.classList.contains("shells")) sections.push(section("While you type in a terminal", termChords.map(({ label, keys }) => {
    const how = h("dd", {});
    keys.forEach((k, i) => {
      if (i > 0) how.append(h("span", { class: "or" }, "or"));
      for (const cap of caps(k)) how.append(cap, " ");
    });
    return [label, how];
  })));
  const hand = section("Mouse, fingers, pen", gestures.map((g) => [g.label, h("dd", {}, g.how)]));
  if (matchMedia("(pointer: coarse)").matches) sections.unshift(hand);
  else sections.push(hand);
  const d = open("Shortcuts", true, h("div", { class: "shortcuts" }, ...sections));
  d.querySelector<HTMLElement>(".body")!.tabIndex = 0;
}

// lines puts neighbours that fold into one together.
function lines(cs: readonly Command[]): [string, Command[]][] {
  const out: [string, Command[]][] = [];
  for (const c of cs) {
    const last = out.at(-1);
    if (c.fold !== undefined && last && last[1][0]!.fold === c.fold) last[1].push(c);
    else out.push([c.fold ?? c.label, [c]]);
  }
  return out;
}

export interface SettingsActions {
  person: (name: string, color: number) => void;
  paper: (color: number) => void;
  fingersDraw: (on: boolean) => void;
}

export function settings(kit: Kit, penMode: boolean, act: SettingsActions): void {
  const p = kit.prefs;
  const name = h("input", { type: "text", id: "set-name", maxlength: 40, value: p.name, autocomplete: "nickname", spellcheck: false });
  const rename = (): void => {
    const typed = name.value.trim().replace(/\s+/g, " ");
    if (typed === "") name.value = kit.prefs.name;
    else if (typed !== kit.prefs.name) {
      kit.change((q) => (q.name = typed));
      act.person(typed, kit.prefs.color);
    }
  };
  name.addEventListener("change", rename);
  const color = choice("Your colour", people.map((c) => ({ name: "", color: c })), p.color, (c) => {
    kit.change((q) => (q.color = c));
    act.person(kit.prefs.name, c);
  }, false);
  const paper = choice("Paper", papers, kit.paper, act.paper, true);
  const wheel = segments("wheel", [["auto", "Auto"], ["mouse", "Mouse"], ["trackpad", "Trackpad"]], p.wheel, (v) => kit.change((q) => (q.wheel = v as typeof q.wheel)));
  const fingers = segments("fingers", [["draw", "Draw"], ["move", "Move"]], penMode ? "move" : "draw", (v) => act.fingersDraw(v === "draw"));
  const d = open("Settings", false,
    h("div", { class: "row" }, h("label", { for: "set-name" }, "Your name", h("small", {}, "Others see it at your cursor.")), name),
    h("div", { class: "row" }, h("span", { class: "about" }, "Your colour"), color),
    h("div", { class: "row" }, h("span", { class: "about" }, "Wheel", h("small", {}, "A mouse's wheel zooms; two fingers on a trackpad move.")), wheel),
    h("div", { class: "row" }, h("span", { class: "about" }, "Fingers on the screen", h("small", {}, "A pen switches this to move.")), fingers),
    h("div", { class: "row" }, h("span", { class: "about" }, "Paper", h("small", {}, "Belongs to the canvas: everybody sees it.")), paper));
  d.addEventListener("close", rename);
}

function choice(label: string, hues: readonly { name: string; color: number }[], now: number, pick: (c: number) => void, free: boolean): HTMLElement {
  const group = h("div", { class: "swatches", role: "radiogroup", "aria-label": label });
  const mark = (c: number): void => {
    for (const b of group.querySelectorAll<HTMLElement>("[role=radio]")) {
      const on = Number(b.dataset["color"]) === c;
      b.setAttribute("aria-checked", String(on));
    }
  };
  hues.forEach((hue, i) => {
    const b = h("button", { class: "press swatch", type: "button", role: "radio", "aria-label": hue.name || `Colour ${i + 1}`, title: hue.name || undefined, "data-color": hue.color, onclick: () => { mark(hue.color); pick(hue.color); } });
    b.style.setProperty("--c", css(hue.color));
    group.append(b);
  });
  if (free) {
    const input = h("input", { type: "color", "aria-label": "Another colour", value: css(now).slice(0, 7), onchange: () => {
      const c = ((parseInt(input.value.slice(1), 16) << 8) >>> 0) + 0xff;
      mark(c);
      pick(c);
    } });
    group.append(h("span", { class: "press swatch custom", title: "Another colour" }, input));
  }
  mark(now);
  return group;
}

function segments(name: string, options: [string, string][], now: string, pick: (v: string) => void): HTMLElement {
  return h("div", { class: "segments", role: "radiogroup", "aria-label": name },
    ...options.map(([v, label]) => h("label", {}, h("input", { type: "radio", name, value: v, checked: v === now, onchange: () => pick(v) }), h("span", {}, label))));
}

/** go asks for a link, or for what stands behind #v= in one, or for a level: 2^40. */
export function go(here: Middle, to: (m: Middle) => void): void {
  const input = h("input", { type: "text", id: "go-to", placeholder: "A link, or a level such as 2^40", "aria-describedby": "go-wrong", spellcheck: false, autocomplete: "off" });
  const wrong = h("p", { id: "go-wrong", class: "wrong", role: "alert" });
  const form = h("form", { class: "go", method: "dialog", onsubmit: (e: SubmitEvent) => {
    const m = typed(input.value, here);
    if (m) return to(m);
    e.preventDefault();
    wrong.textContent = "That is no link to a place, and no level.";
    input.select();
  } }, h("label", { for: "go-to", class: "vh" }, "Place"), input, wrong,
    h("p", {}, "A level keeps the middle of the view and changes how deep it is."),
    h("div", { class: "ends" }, h("button", { class: "primary", type: "submit" }, "Go")));
  open("Go to a place", false, form);
  input.focus();
}

/** typed reads what a person may type for a place. */
export function typed(text: string, here: Middle): Middle | undefined {
  const t = text.trim();
  const at = t.indexOf("#v=");
  if (at >= 0) return parse(t.slice(at));
  const level = /^(?:2\s*\^\s*)?([-−]?\d{1,5})$/.exec(t);
  if (level) {
    const n = Number(level[1]!.replace("−", "-"));
    const by = n - here.level;
    const shift = (v: bigint): bigint => (by >= 0 ? v << BigInt(by) : v >> BigInt(-by));
    return Math.abs(n) > MAX_LEVEL ? undefined : { level: n, x: shift(here.x), y: shift(here.y), scale: 1 };
  }
  return parse(`#v=${t.replace(/^v=/, "")}`);
}
