// home is the start page: the canvases there are, and a new one.

import { h, icon } from "./ui/h.ts";

interface Canvas {
  name: string;
  url?: string;
  here?: number; // people looking at it
}

const list = document.querySelector<HTMLElement>("#list")!;
const note = document.querySelector<HTMLElement>("#list-note")!;
const form = document.querySelector<HTMLFormElement>("#make")!;
const wrong = document.querySelector<HTMLElement>("#make-wrong")!;

async function load(): Promise<void> {
  try {
    const r = await fetch("/api/canvases", { headers: { Accept: "application/json" } });
    if (!r.ok) throw new Error(String(r.status));
    const body = (await r.json()) as Canvas[] | { canvases: Canvas[] };
    const canvases = Array.isArray(body) ? body : body.canvases;
    list.replaceChildren(...canvases.map(card));
    note.textContent = canvases.length === 0 ? "None yet. Make the first one." : "";
  } catch {
    note.textContent = "The list cannot be read at the moment. Is the server running?";
  }
  list.removeAttribute("aria-busy");
}

function card(c: Canvas): HTMLElement {
  const here = c.here ?? 0;
  const dot = h("span", { class: "dot", "data-state": "online" });
  return h("li", {}, h("a", { class: "card", title: c.name, href: c.url ?? `/c/${encodeURIComponent(c.name)}` }, face(c.name),
    h("span", { class: "about" }, h("b", {}, c.name), here > 0 ? h("small", {}, dot, `${here} here`) : h("small", {}, icon("arrow", true)))));
}

// face draws squares within squares, turned and coloured by the name: the same name always has the same face.
function face(name: string): SVGElement {
  let s = 2166136261;
  for (const c of name) s = Math.imul(s ^ c.codePointAt(0)!, 16777619);
  const dice = (): number => ((s = Math.imul(s ^ (s >>> 15), 2246822519) + 0x9e3779b9) >>> 0) / 2 ** 32;
  for (let i = 0; i < 4; i++) dice();
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("class", "face");
  svg.setAttribute("viewBox", "0 0 240 96");
  svg.setAttribute("preserveAspectRatio", "xMidYMid slice");
  svg.setAttribute("aria-hidden", "true");
  const hue = 360 * dice();
  const turn = 6 + 14 * dice();
  const shrink = 0.72 + 0.12 * dice();
  const [cx, cy] = [70 + 100 * dice(), 30 + 36 * dice()];
  for (let i = 0, r = 150; i < 16 && r > 0.6; i++, r *= shrink) {
    const e = document.createElementNS(ns, "rect");
    e.setAttribute("x", String(cx - r));
    e.setAttribute("y", String(cy - r));
    e.setAttribute("width", String(2 * r));
    e.setAttribute("height", String(2 * r));
    e.setAttribute("rx", String(r * 0.16));
    e.setAttribute("fill", i % 3 === 2 ? `hsl(${hue + i * 9} 70% 62% / .28)` : "none");
    e.setAttribute("stroke", `hsl(${hue + i * 9} 58% 56%)`);
    e.setAttribute("stroke-width", String(Math.max(0.5, r * 0.035)));
    e.setAttribute("transform", `rotate(${i * turn} ${cx} ${cy})`);
    svg.append(e);
  }
  return svg;
}

form.addEventListener("submit", (e) => {
  e.preventDefault();
  void make(new FormData(form).get("name") as string);
});

document.querySelector<HTMLButtonElement>("#explore")!.addEventListener("click", () => void make("", "?mandelbrot"));

// make makes a canvas and goes there; asking: what the page is to begin with.
async function make(name: string, asking = ""): Promise<void> {
  wrong.hidden = true;
  const button = form.querySelector("button")!;
  button.disabled = true;
  try {
    const r = await fetch("/api/canvases", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ name: plain(name) }) });
    const body = (await r.json()) as { url?: string; error?: string };
    if ((r.ok || r.status === 409) && body.url !== undefined) return location.assign(body.url + asking);
    wrong.textContent = body.error ?? `The server says ${r.status}.`;
  } catch {
    wrong.textContent = "The server does not answer. Is it running?";
  }
  wrong.hidden = false;
  button.disabled = false;
  form.querySelector("input")!.select();
}

// plain writes a name with the letters addresses have: "Grüße an Zoë" becomes "gruesse-an-zoe". What has none of them is left
// as it is: the server says what a name can be.
function plain(typed: string): string {
  const spelled: Record<string, string> = { ä: "ae", ö: "oe", ü: "ue", ß: "ss", æ: "ae", ø: "oe", å: "aa", œ: "oe", ł: "l", đ: "d", ð: "d", þ: "th" };
  const name = typed.normalize("NFC").toLowerCase().replace(/[^\0-\x7f]/g, (c) => spelled[c] ?? c)
    .normalize("NFD").replace(/\p{M}/gu, "").replace(/[^a-z0-9_]+/g, "-").slice(0, 64).replace(/^[-_]+|-+$/g, "");
  return name || typed.trim();
}

void load();
addEventListener("pageshow", (e) => {
  if (e.persisted) void load();
});
