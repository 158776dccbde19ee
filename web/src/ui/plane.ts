// plane is the sheet about the complex plane: where one looks, to be copied; where one wants to go; which colours it has. The
// server does the sums, with as many digits as it takes.

import { copy as copyText } from "./copy.ts";
import { h, offer } from "./h.ts";
import { open } from "./dialogs.ts";

export interface PlaneActions {
  /** at is the view as a link writes it, without #v=. */
  at: () => string;
  /** go flies to a view, as a link writes it. */
  go: (at: string) => void;
  /** recolour opens the panel with the colours of a place. op: the place as the server has it, in base64. */
  recolour: (op: string) => void;
  /** julia puts the Julia set that the server has named in op, in base64, in the middle of the view. */
  julia: (op: string) => void;
  say: (text: string) => void;
}

interface Answer {
  error?: string;
  at?: string;
  re?: string;
  im?: string;
  zoom?: string;
  iterations?: number;
  kfr?: string;
  f3?: string;
  op?: string;
  juliaOp?: string;
  julia?: boolean;
  period?: number;
}

/** ask asks the server about the plane; what is wrong comes as an error for a person. */
export async function ask(canvas: string, path: string, at: string, body?: string): Promise<Answer> {
  try {
    const url = `/c/${encodeURIComponent(canvas)}/plane${path}?at=${encodeURIComponent(at)}`;
    const r = await fetch(url, body === undefined ? {} : { method: "POST", headers: { "Content-Type": "text/plain" }, body });
    const a = (await r.json()) as Answer;
    return r.ok ? a : { error: a.error ?? `The server says ${r.status}.` };
  } catch {
    return { error: "The server does not answer. Is it running?" };
  }
}

/** isLocation says whether a text that was dropped or pasted looks like a location file. */
export function isLocation(text: string): boolean {
  return text.length < 500_000 && (/^\s*Re\s*:/im.test(text) || /^\s*(location\.)?real\s*=/m.test(text));
}

export async function plane(canvas: string, act: PlaneActions): Promise<void> {
  const at = act.at();
  const wrong = h("p", { class: "wrong", role: "alert" });
  const facts = h("dl", { class: "facts" });
  const d = open("The complex plane", false, facts, wrong);
  const body = d.querySelector<HTMLElement>(".body")!;
  const a = await ask(canvas, "", at);
  if (a.error !== undefined) wrong.textContent = a.error;
  else {
    fact(facts, "Real part", a.re!, act.say);
    fact(facts, "Imaginary part", a.im!, act.say);
    fact(facts, "Magnification", a.zoom!, act.say, brief(a.zoom!));
    fact(facts, "Iterations", String(a.iterations), act.say);
  }
  const fly = async (path: string, text?: string): Promise<void> => {
    wrong.textContent = "";
    const to = await ask(canvas, path, at, text);
    if (to.at === undefined) {
      wrong.textContent = to.error ?? "";
      return;
    }
    d.close();
    if (to.period !== undefined) act.say(`A minibrot of period ${to.period.toLocaleString("en")}.`);
    act.go(to.at);
  };
  const text = h("textarea", { rows: 4, spellcheck: false, "aria-label": "Location", placeholder: "Paste a .kfr or .f3.toml file, or\nRe: -0.75\nIm: 0\nZoom: 1e10" });
  const go = h("button", { class: "primary", type: "button", onclick: () => void fly("", text.value) }, "Go");
  const mini = h("button", { class: "plain", type: "button", onclick: () => void fly("/nucleus") }, "Fly to the nearest minibrot");
  const tour = h("select", { "aria-label": "Tour", onchange: () => tour.value !== "" && void fly("", tour.value) }, h("option", { value: "" }, "Tour…"));
  const colours = h("button", { class: "plain", type: "button", onclick: () => {
    d.close();
    act.recolour(a.op!);
  } }, "Colours…");
  body.append(text, h("div", { class: "ends" }, go), h("div", { class: "row" }, a.julia !== true && mini, tour, a.op !== undefined && colours));
  if (a.juliaOp !== undefined && a.julia === false) {
    const op = a.juliaOp;
    body.append(h("div", { class: "row" }, h("button", { class: "plain", type: "button", onclick: () => (d.close(), act.julia(op)) }, "Put the Julia set of this point here")));
  }
  if (a.kfr !== undefined) {
    body.append(h("div", { class: "row" }, save("Save as .kfr", "location.kfr", a.kfr), save("Save as .f3.toml", "location.f3.toml", a.f3!)));
  }
  try {
    const r = (await (await fetch("/api/tour")).json()) as { tour: { name: string; log2zoom: number; kfr: string }[] };
    for (const s of r.tour) tour.append(h("option", { value: s.kfr }, `${s.name}, 2^${Math.round(s.log2zoom).toLocaleString("en")}`));
  } catch {
    tour.disabled = true;
  }
}

/** brief is a number as people read it, with at most four digits before the power of ten. */
export function brief(number: string): string {
  const m = /^(\d)(?:\.(\d+))?e([+-]?\d+)$/i.exec(number);
  if (!m) return number;
  const power = Number(m[3]);
  if (power >= -2 && power <= 6) return Number(Number(number).toPrecision(4)).toLocaleString("en", { maximumFractionDigits: 6 });
  const front = Number(Number(`${m[1]}.${m[2] ?? 0}`).toFixed(3));
  return front === 10 ? `1 × 10^${power + 1}` : `${front} × 10^${power}`;
}

function fact(list: HTMLElement, label: string, value: string, say: (text: string) => void, short = shortened(value)): void {
  const copy = async (): Promise<void> => {
    say(await copyText(value) ? `${label} copied.` : "This browser does not let the page copy.");
  };
  list.append(h("div", {}, h("dt", {}, label), h("dd", {}, h("button", { type: "button", title: "Copy all of it", "data-value": value, onclick: () => void copy() }, short))));
}

function shortened(value: string): string {
  return value.length > 44 ? `${value.slice(0, 24)}…${value.slice(-16)}` : value;
}

function save(label: string, name: string, text: string): HTMLElement {
  return h("button", { class: "plain", type: "button", onclick: () => offer(new Blob([text], { type: "text/plain" }), name) }, label);
}
