// kit is what a person draws with: tools, their colours and widths, and what is remembered of them in this browser.

import type { WheelMode } from "../input/wheel.ts";

export type Tool = "pen" | "highlighter" | "eraser" | "hand";

/** Rows of the brushes table (ink.Brushes). */
export const brushOf: Record<Exclude<Tool, "hand">, number> = { pen: 1, highlighter: 2, eraser: 3 };

export interface Hue {
  name: string;
  color: number; // 0xRRGGBBAA
}

// Shade 8 of open-color: dark enough for thin lines, light enough to tell apart. The first is the contrast to the paper.
const inks: readonly Hue[] = [
  { name: "Black", color: 0x1e1e1eff },
  { name: "Grey", color: 0x868e96ff },
  { name: "Red", color: 0xe03131ff },
  { name: "Orange", color: 0xf08c00ff },
  { name: "Green", color: 0x2f9e44ff },
  { name: "Blue", color: 0x1971c2ff },
  { name: "Violet", color: 0x6741d9ff },
  { name: "Pink", color: 0xe64980ff },
];

// Shades 4 of the same hues: a highlighter lies over what it marks.
const markAlpha = 0x73;
const marks: readonly Hue[] = [
  { name: "Yellow", color: 0xffd43b00 + markAlpha },
  { name: "Orange", color: 0xffa94d00 + markAlpha },
  { name: "Red", color: 0xff878700 + markAlpha },
  { name: "Pink", color: 0xf783ac00 + markAlpha },
  { name: "Violet", color: 0xb197fc00 + markAlpha },
  { name: "Blue", color: 0x74c0fc00 + markAlpha },
  { name: "Teal", color: 0x63e6be00 + markAlpha },
  { name: "Green", color: 0x8ce99a00 + markAlpha },
];

/** Widths in px at the time of drawing. */
export const widths: Record<Exclude<Tool, "hand">, readonly [number, number, number, number]> = {
  pen: [2, 4, 8, 16],
  highlighter: [12, 20, 32, 56],
  eraser: [8, 20, 44, 96],
};
export const widthNames = ["Small", "Medium", "Large", "Huge"] as const;
export const widthLimits = [1, 256] as const;

/** palette is what the tool offers on paper of that colour; the eraser has none. */
export function palette(tool: Tool, paper: number): readonly Hue[] {
  if (tool === "highlighter") return marks;
  if (!dark(paper)) return inks;
  return [{ name: "White", color: 0xf8f9faff }, ...inks.slice(1)];
}

/** dark says whether light ink reads better on that colour (relative luminance, WCAG). */
export function dark(color: number): boolean {
  const lin = (v: number): number => (v <= 10 ? v / 3294 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * lin((color >>> 24) & 255) + 0.7152 * lin((color >>> 16) & 255) + 0.0722 * lin((color >>> 8) & 255) < 0.18;
}

/** people are the colours of names and cursors: readable under white letters. */
export const people: readonly number[] = [0xe03131ff, 0xc2255cff, 0x9c36b5ff, 0x6741d9ff, 0x3b5bdbff, 0x1971c2ff, 0x0c8599ff, 0x099268ff, 0x2f9e44ff, 0xd9480fff];

/** papers are offered; any other colour works. */
export const papers: readonly Hue[] = [
  { name: "White", color: 0xffffffff },
  { name: "Cream", color: 0xfdf6e3ff },
  { name: "Mint", color: 0xeefaf3ff },
  { name: "Sky", color: 0xedf5fdff },
  { name: "Night", color: 0x16161aff },
  { name: "Blackboard", color: 0x1f3b33ff },
];

interface Holding {
  hue: number; // index into the palette; −1: custom
  custom: number;
  width: number; // index into widths; −1: customWidth
  customWidth: number;
}

export interface Prefs {
  tool: Tool;
  pen: Holding;
  highlighter: Holding;
  eraser: Holding;
  wheel: WheelMode;
  name: string;
  color: number;
  greeted: boolean; // has drawn and zoomed before: no more hints
}

const stored = "fractal.prefs";

export function fresh(random: () => number = Math.random): Prefs {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const first = ["Amber", "Brisk", "Calm", "Coral", "Dapper", "Eager", "Gentle", "Happy", "Indigo", "Jolly", "Keen", "Lucky", "Mellow", "Nimble", "Quiet", "Sunny", "Swift", "Witty"];
  const last = ["Badger", "Crane", "Dolphin", "Falcon", "Fox", "Heron", "Ibis", "Lynx", "Marten", "Newt", "Otter", "Owl", "Panda", "Puffin", "Raven", "Robin", "Seal", "Wren"];
  return {
    tool: "pen",
    pen: { hue: 0, custom: 0x5b57d1ff, width: 1, customWidth: 6 },
    highlighter: { hue: 0, custom: 0xffd43b00 + markAlpha, width: 1, customWidth: 24 },
    eraser: { hue: 0, custom: 0xff, width: 1, customWidth: 30 },
    wheel: "auto",
    name: `${pick(first)} ${pick(last)}`,
    color: pick(people),
    greeted: false,
  };
}

/** load reads what this browser remembers; whatever makes no sense is as new. */
export function load(): Prefs {
  const p = fresh();
  try {
    const was = JSON.parse(localStorage.getItem(stored) ?? "{}") as Partial<Prefs>;
    merge(p as unknown as Record<string, unknown>, was as Record<string, unknown>);
  } catch {
    // storage is off, or held something else
  }
  if (!["pen", "highlighter", "eraser", "hand"].includes(p.tool)) p.tool = "pen";
  if (!["auto", "mouse", "trackpad"].includes(p.wheel)) p.wheel = "auto";
  for (const t of ["pen", "highlighter", "eraser"] as const) {
    const k = p[t];
    k.hue = Math.trunc(Math.max(-1, Math.min(7, k.hue)));
    k.width = Math.trunc(Math.max(-1, Math.min(3, k.width)));
    k.customWidth = Math.max(widthLimits[0], Math.min(widthLimits[1], k.customWidth));
  }
  p.name = p.name.slice(0, 40);
  save(p);
  return p;
}

export function save(p: Prefs): void {
  try {
    localStorage.setItem(stored, JSON.stringify(p));
  } catch {
    // remembered until the tab closes
  }
}

// merge takes from was only what has the type it should have.
function merge(into: Record<string, unknown>, was: Record<string, unknown>): void {
  for (const k of Object.keys(into)) {
    const [a, b] = [into[k], was[k]];
    if (typeof a === "object" && a !== null && typeof b === "object" && b !== null) merge(a as Record<string, unknown>, b as Record<string, unknown>);
    else if (typeof a === typeof b && (typeof b !== "number" || Number.isFinite(b))) into[k] = b;
  }
}

/** Kit is the tool in hand and all that hangs on it. */
export class Kit {
  paper = 0xffffffff;
  private readonly listeners: (() => void)[] = [];

  constructor(readonly prefs: Prefs) {}

  onChange(f: () => void): void {
    this.listeners.push(f);
  }

  /** change does what f does to the prefs, remembers it and tells everybody. */
  change(f: (p: Prefs) => void): void {
    f(this.prefs);
    save(this.prefs);
    this.tell();
  }

  tell(): void {
    for (const f of this.listeners) f();
  }

  get tool(): Tool {
    return this.prefs.tool;
  }

  /** drawing is the tool whose colour and width count: the hand keeps showing the pen's. */
  get drawing(): Exclude<Tool, "hand"> {
    return this.prefs.tool === "hand" ? "pen" : this.prefs.tool;
  }

  colorOf(tool: Exclude<Tool, "hand">): number {
    if (tool === "eraser") return 0xff;
    const h = this.prefs[tool];
    return h.hue < 0 ? h.custom : palette(tool, this.paper)[h.hue]!.color;
  }

  widthOf(tool: Exclude<Tool, "hand">): number {
    const h = this.prefs[tool];
    return h.width < 0 ? h.customWidth : widths[tool][h.width]!;
  }

  /** step goes to the next thinner or thicker of the tool's widths. */
  step(by: -1 | 1): void {
    const tool = this.drawing;
    const now = this.widthOf(tool);
    const all = widths[tool];
    const next = by > 0 ? all.findIndex((w) => w > now) : all.findLastIndex((w) => w < now);
    if (next >= 0) this.change((p) => (p[tool].width = next));
  }
}
