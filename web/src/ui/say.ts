// say is every word the page says on its own account: toasts, the banner, the chip of pen mode, the greeting of an empty
// canvas, and the card when nothing goes on.

import { h, icon, show } from "./h.ts";
import { dark } from "./kit.ts";

export class Toasts {
  readonly element = h("div", { class: "toasts", role: "status", "aria-live": "polite" });

  say(text: string, action?: { label: string; act: () => void }): void {
    const t = h("div", { class: "toast" }, text);
    const end = (): void => t.remove();
    if (action) t.append(h("button", { type: "button", onclick: () => { end(); action.act(); } }, action.label));
    while (this.element.children.length > 2) this.element.firstChild!.remove();
    for (const other of this.element.children) if (other.textContent === t.textContent) other.remove();
    this.element.append(t);
    setTimeout(end, action ? 7000 : 3200);
  }
}

/** Top is the middle of the upper edge: what must be seen while it holds. */
export class Top {
  readonly element = h("div", { class: "top" });
  private readonly banner = h("div", { class: "card banner", role: "alert", hidden: true });
  private readonly pen: HTMLElement;
  private readonly lost: HTMLElement;

  constructor(act: { fingersDraw: () => void; find: () => void }) {
    this.pen = h("div", { class: "card chip hint", hidden: true }, icon("stylus", true), "Fingers now move the canvas",
      h("button", { class: "press", type: "button", "aria-label": "Let fingers draw", title: "Let fingers draw", onclick: act.fingersDraw }, icon("close", true)));
    this.lost = h("button", { class: "primary hint", type: "button", hidden: true, onclick: act.find }, icon("compass", true), "Back to the drawing");
    this.element.append(this.banner, this.pen, this.lost);
  }

  readOnly(reason: string): void {
    show(this.banner, reason !== "");
    if (reason !== "") this.banner.replaceChildren(icon("lock"), h("span", {}, h("b", {}, "Read only. "), reason));
  }

  penMode(on: boolean): void {
    show(this.pen, on);
  }

  nothingHere(on: boolean): void {
    show(this.lost, on);
  }
}

/** Welcome greets on an empty canvas, teaches in three lines and goes with the first stroke. */
export class Welcome {
  readonly element: HTMLElement;

  constructor(touch: boolean) {
    const hint = (cap: string, text: string): HTMLElement => h("span", {}, h("kbd", {}, cap), ` ${text}`);
    this.element = h("div", { class: "welcome", hidden: true }, icon("mark"), h("h2", {}, "There is no edge"),
      h("p", {}, "Draw something. Zoom in on it and draw between its lines. Everybody with the link sees it as it happens."),
      touch
        ? h("div", { class: "hints" }, hint("2 fingers", "zoom and move"), hint("2-finger tap", "undo"))
        : h("div", { class: "hints" }, hint("Wheel", "or pinch to zoom"), hint("Space", "+ drag to move"), hint("?", "all shortcuts")));
  }

  shown(on: boolean): void {
    if (on) show(this.element, true);
    this.element.classList.toggle("gone", !on);
  }

  paper(color: number): void {
    this.element.classList.toggle("dark", dark(color));
  }
}

/** lone says the one thing that is left to say. */
export function lone(title: string, text: string): void {
  document.querySelector(".lone")?.remove();
  document.body.append(h("div", { class: "card lone", role: "alert" }, h("h2", {}, title), h("p", {}, text),
    h("button", { class: "primary", type: "button", onclick: () => location.reload() }, "Load again")));
}
