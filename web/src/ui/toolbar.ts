// toolbar is the dock at the bottom: tools, colours, widths, undo and redo. It is one stop of the Tab key; arrows move
// within it.

import { ariaKeys, commands, shown, type CommandID } from "../input/keys.ts";
import { css, h, icon, show } from "./h.ts";
import { float, mac } from "./float.ts";
import { type Kit, palette, type Tool, widthLimits, widthNames, widths } from "./kit.ts";

export interface ToolbarActions {
  tool: (t: Tool) => void;
  undo: () => void;
  redo: () => void;
  terminal: () => void;
}

const tools: readonly [Tool, string][] = [["pen", "Pen"], ["highlighter", "Highlighter"], ["eraser", "Eraser"], ["hand", "Hand"]];

export class Toolbar {
  readonly element: HTMLElement;
  private readonly toolButtons = new Map<Tool, HTMLButtonElement>();
  private readonly undoButton: HTMLButtonElement;
  private readonly redoButton: HTMLButtonElement;
  private readonly terminalButton: HTMLButtonElement;
  private placing = false;
  private readonly style: StylePanel;
  private readonly sheet: StylePanel;
  private readonly chosen: HTMLButtonElement;
  private readonly bar: HTMLElement;

  constructor(private readonly kit: Kit, act: ToolbarActions) {
    const group = h("div", { class: "group", role: "radiogroup", "aria-label": "Tool" });
    for (const [tool, label] of tools) {
      const keys = keysOf(tool);
      const b = h("button", {
        class: "press tool", type: "button", role: "radio", "aria-label": label, title: titled(label, tool), "aria-keyshortcuts": ariaKeys(keys),
        "data-tool": tool, tabindex: -1, onclick: () => act.tool(tool),
      }, icon(tool), h("span", { class: "key", "aria-hidden": "true" }, keys.find((k) => k.length === 1) ?? keys[0]!));
      this.toolButtons.set(tool, b);
      group.append(b);
    }
    this.terminalButton = h("button", {
      class: "press tool", type: "button", role: "radio", "aria-label": "Terminal", "aria-keyshortcuts": ariaKeys(keysOf("terminal")), "data-tool": "terminal",
      tabindex: -1, hidden: true, onclick: () => { if (this.terminalButton.getAttribute("aria-disabled") !== "true") act.terminal(); },
    }, icon("terminal"), h("span", { class: "key", "aria-hidden": "true" }, keysOf("terminal")[0]!));
    group.append(this.terminalButton);
    this.style = new StylePanel(kit);
    this.sheet = new StylePanel(kit);
    this.chosen = h("button", { class: "press chosen", type: "button", tabindex: -1, "aria-label": "Colour and width", title: "Colour and width" });
    this.undoButton = this.button("undo", "Undo", act.undo);
    this.redoButton = this.button("redo", "Redo", act.redo);
    this.bar = h("div", { class: "bar", role: "toolbar", "aria-label": "Drawing" },
      group, this.chosen, h("span", { class: "rule" }), this.style.element, h("span", { class: "rule mid" }), this.undoButton, this.redoButton);
    this.element = h("div", { class: "dock" }, this.bar);

    const panel = h("div", { class: "sheet", role: "dialog", "aria-label": "Colour and width" }, this.sheet.element);
    float(this.chosen, panel);
    this.rove();
    kit.onChange(() => this.draw());
    this.draw();
  }

  history(canUndo: boolean, canRedo: boolean): void {
    this.undoButton.setAttribute("aria-disabled", String(!canUndo));
    this.redoButton.setAttribute("aria-disabled", String(!canRedo));
  }

  /** terminals says whether there are any, and whether this person may make one. */
  terminals(are: boolean, may: boolean): void {
    show(this.terminalButton, are);
    this.terminalButton.setAttribute("aria-disabled", String(!may));
    this.terminalButton.title = may ? titled("Terminal: drag a rectangle, or click", "terminal") : "Terminals are placed by the owner of this server, and by whom the owner makes one";
  }

  /** place shows the terminal tool in hand, in place of the other. */
  place(on: boolean): void {
    this.placing = on;
    this.draw();
  }

  private button(id: "undo" | "redo", label: string, act: () => void): HTMLButtonElement {
    return h("button", {
      class: "press", type: "button", tabindex: -1, "aria-label": label, title: titled(label, id), "aria-keyshortcuts": ariaKeys(keysOf(id)), "aria-disabled": "true",
      "data-act": id, onclick: (e: MouseEvent) => { if ((e.currentTarget as Element).getAttribute("aria-disabled") !== "true") act(); },
    }, icon(id));
  }

  private draw(): void {
    for (const [t, b] of this.toolButtons) b.setAttribute("aria-checked", String(t === this.kit.tool && !this.placing));
    this.terminalButton.setAttribute("aria-checked", String(this.placing));
    this.style.draw();
    this.sheet.draw();
    this.chosen.style.setProperty("--c", this.kit.tool === "eraser" ? "var(--hover)" : css(this.kit.colorOf(this.kit.drawing) | 0xff));
    this.settle();
  }

  // rove keeps one button of the bar in the order of Tab, and moves it with the arrows.
  private rove(): void {
    this.bar.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.altKey || e.metaKey || e.shiftKey) return;
      const all = this.stops();
      const at = all.indexOf((document.activeElement as HTMLElement).closest(".press") as HTMLElement);
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[e.key];
      if (at < 0 || to === undefined) return;
      e.preventDefault();
      e.stopPropagation();
      const next = all[(to + all.length) % all.length]!;
      this.settle(next);
      (next.querySelector<HTMLElement>("input") ?? next).focus();
    });
    this.bar.addEventListener("focusin", (e) => this.settle((e.target as HTMLElement).closest<HTMLElement>(".press") ?? undefined));
  }

  private stops(): HTMLElement[] {
    return [...this.bar.querySelectorAll<HTMLElement>(".press")].filter((b) => b.offsetParent !== null || !this.bar.isConnected);
  }

  private settle(on: HTMLElement = this.toolButtons.get(this.kit.tool)!): void {
    for (const b of this.bar.querySelectorAll<HTMLElement>(".press")) (b.querySelector<HTMLElement>("input") ?? b).tabIndex = b === on ? 0 : -1;
  }
}

// StylePanel is the colours and widths of the tool in hand: in the bar where there is room, in a sheet on a phone. What has no
// colours, the eraser and the hand, shows the pen's, and picking one takes the pen: so the bar keeps its size, and no button
// moves away from under the pointer.
class StylePanel {
  readonly element: HTMLElement;
  private readonly colours = h("div", { class: "swatches", role: "radiogroup", "aria-label": "Colour" });
  private readonly widths = h("div", { class: "swatches", role: "radiogroup", "aria-label": "Width" });
  private readonly more = h("button", { class: "press width more", type: "button", tabindex: -1, "aria-label": "Any width", title: "Any width", "data-width": -1 }, icon("dots", true));
  private coloursFor = "";
  private widthsFor = "";
  private readonly size = h("div", { class: "size", role: "dialog", "aria-label": "Width" });
  private readonly range: HTMLInputElement;
  private readonly output = h("output");

  constructor(private readonly kit: Kit) {
    const [lo, hi] = widthLimits;
    this.range = h("input", {
      type: "range", min: 0, max: 100, step: 1, "aria-label": "Width in pixels",
      oninput: () => {
        const w = Math.round(lo * (hi / lo) ** (Number(this.range.value) / 100));
        const tool = kit.drawing;
        kit.change((p) => { p[tool].width = -1; p[tool].customWidth = w; p.tool = tool; });
      },
    });
    this.size.append(h("label", {}, "Width", this.output), this.range);
    this.element = h("div", { class: "style" }, this.colours, h("span", { class: "rule" }), this.widths);
    float(this.more, this.size);
  }

  draw(): void {
    const { kit } = this;
    const tool = kit.drawing;
    const ink = tool === "eraser" ? "pen" : tool;
    const hues = palette(ink, kit.paper);
    // Neither is made anew while its own button is pressed: a picker that is open, and the focus, would go with it.
    const key = `${ink} ${hues[0]!.color}`;
    if (key !== this.coloursFor) this.offerColours(ink, hues);
    if (tool !== this.widthsFor) this.offerWidths(tool);
    [this.coloursFor, this.widthsFor] = [key, tool];
    const holding = kit.prefs[ink];
    const none = -2; // nothing is chosen of what the tool in hand does not have
    const hue = kit.tool === ink ? holding.hue : none;
    const width = kit.tool === tool ? kit.prefs[tool].width : none;
    for (const b of this.element.querySelectorAll<HTMLElement>("[data-hue]")) {
      b.setAttribute("aria-checked", String(Number(b.dataset["hue"]) === hue));
    }
    const custom = this.element.querySelector<HTMLElement>(".custom")!;
    custom.style.setProperty("--c", css(holding.custom | 0xff));
    custom.querySelector("input")!.value = css(holding.custom).slice(0, 7);
    for (const b of this.element.querySelectorAll<HTMLElement>("[data-width]")) {
      b.setAttribute("aria-checked", String(Number(b.dataset["width"]) === width));
    }
    const [lo, hi] = widthLimits;
    const w = kit.widthOf(tool);
    this.output.value = `${w} px`;
    if (document.activeElement !== this.range) this.range.value = String(Math.round((100 * Math.log(w / lo)) / Math.log(hi / lo)));
  }

  private offerColours(ink: Exclude<Tool, "hand" | "eraser">, hues: readonly { name: string; color: number }[]): void {
    const { kit } = this;
    this.colours.replaceChildren(...hues.map((hue, i) => {
      const b = h("button", {
        class: "press swatch", type: "button", role: "radio", tabindex: -1, "aria-label": hue.name, title: `${hue.name} — ${i + 1}`, "aria-keyshortcuts": i + 1, "data-hue": i,
        onclick: () => kit.change((p) => { p[ink].hue = i; p.tool = ink; }),
      });
      b.style.setProperty("--c", css(hue.color | 0xff));
      return b;
    }));
    const input = h("input", {
      type: "color", "aria-label": "Another colour", tabindex: -1,
      oninput: (e: Event) => {
        const rgb = parseInt((e.currentTarget as HTMLInputElement).value.slice(1), 16);
        const alpha = hues[0]!.color & 0xff;
        kit.change((p) => { p[ink].custom = ((rgb << 8) >>> 0) + alpha; p[ink].hue = -1; p.tool = ink; });
      },
      onclick: () => kit.change((p) => { p[ink].hue = -1; p.tool = ink; }),
    });
    this.colours.append(h("span", { class: "press swatch custom", role: "presentation", "data-hue": -1, title: "Another colour" }, input));
  }

  private offerWidths(tool: Exclude<Tool, "hand">): void {
    const { kit } = this;
    this.widths.replaceChildren(...widths[tool].map((w, i) => {
      const name = widthNames[i]!;
      return h("button", {
        class: "press width", type: "button", role: "radio", tabindex: -1, "aria-label": `${name}, ${w} px`, title: `${name}, ${w} px`, "data-width": i,
        onclick: () => kit.change((p) => { p[tool].width = i; p.tool = tool; }),
      }, h("i", { "data-w": i }));
    }), this.more);
  }
}

function keysOf(id: CommandID): readonly string[] {
  return commands.find((c) => c.id === id)!.keys;
}

function titled(label: string, id: CommandID): string {
  return `${label} — ${shown(keysOf(id)[0]!, mac).join(mac ? "" : "+")}`;
}
