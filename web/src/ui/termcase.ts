// termcase is what stands around one terminal: a bar above it that says what it is and who types, a frame while it has the
// keyboard, and a word when its program has ended. It follows the terminal's box and touches the page only where something
// has changed.

import type { Spot } from "../grid.ts";
import type { TermNews } from "../protocol.ts";
import { initials } from "./corners.ts";
import { type Item, menu } from "./float.ts";
import { css, h, icon, show } from "./h.ts";

export interface CaseActions {
  enter: () => void;
  restart: () => void;
  letters: (by: 1 | -1) => void;
  recorded: () => void; // ends a recording
  live: () => void; // back from the history to what is printed now
  menu: () => (Item | null)[];
}

const barPx = matchMedia("(pointer: coarse)").matches ? 42 : 30;

// The bar of a box wider than the window is as wide as what is seen of the box: its name and its buttons are at its ends. It keeps
// this much of its width when less than that is seen.
const leastBarPx = 120;
const edgePx = 4;

/** cut is how much of the bar is left away at either end of a box of this width at left, in a window this wide. */
export function cut(left: number, width: number, window: number): { left: number; right: number } {
  const most = Math.max(0, width - leastBarPx);
  const l = Math.max(0, Math.min(most, edgePx - left));
  return { left: l, right: Math.max(0, Math.min(most - l, left + width - (window - edgePx))) };
}

// The bar of the terminal in use stays below the corners of the page when its box begins above them.
const topPx = 74;

export class Case {
  readonly element: HTMLElement;
  private readonly bar: HTMLElement;
  private readonly dot = h("span", { class: "lamp" });
  private readonly title = h("span", { class: "what" });
  private readonly typist = h("span", { class: "by", hidden: true });
  private readonly ended = h("span");
  private readonly over: HTMLElement;
  private readonly back: HTMLElement;
  private readonly stop: HTMLElement;
  private panel: HTMLElement | undefined;
  private shape = "";
  private said = "";

  constructor(readonly name: string, act: CaseActions) {
    this.back = h("button", { class: "press small back", type: "button", tabindex: -1, title: "Back to what is printed now", onclick: act.live, hidden: true }, icon("down", true), h("span", {}, "Now"));
    this.stop = h("button", { class: "press small stop", type: "button", tabindex: -1, title: "End the recording and save it", onclick: act.recorded, hidden: true }, icon("stop", true), h("span", {}, "Save"));
    const more = h("button", { class: "press small", type: "button", "aria-label": `More about ${name}`, title: `More about ${name}` }, icon("dots", true));
    this.bar = h("div", { class: "term-bar", role: "group", "aria-label": `Terminal ${name}` },
      h("button", { class: "term-name", type: "button", title: `Type in ${name}`, onclick: act.enter }, this.dot, h("b", {}, name), this.title),
      this.typist, h("span", { class: "leave" }, h("kbd", {}, "Ctrl"), " ", h("kbd", {}, "Shift"), " ", h("kbd", {}, "Esc"), " leaves"), this.stop, this.back,
      h("button", { class: "press small letters", type: "button", tabindex: -1, "aria-label": "Smaller letters", title: "Smaller letters, more of them", onclick: () => act.letters(-1) }, "A−"),
      h("button", { class: "press small letters", type: "button", tabindex: -1, "aria-label": "Larger letters", title: "Larger letters, fewer of them", onclick: () => act.letters(1) }, "A+"),
      more);
    this.over = h("div", { class: "term-over", hidden: true }, this.ended, h("button", { class: "primary small", type: "button", tabindex: -1, onclick: act.restart }, "Start again"));
    this.element = h("div", { class: "term", "data-name": name }, this.bar, this.over);
    // A wall of terminals has as many menus: each is made when a hand or the focus comes near, or when it is asked for without either.
    const ready = (): void => {
      this.panel ??= menu(more, act.menu());
    };
    for (const e of ["pointerenter", "pointerdown", "focus", "click"]) more.addEventListener(e, ready);
  }

  remove(): void {
    this.element.remove();
    this.panel?.remove();
  }

  /** stand puts it around the terminal's box, in a window this wide. */
  stand(s: Spot, entered: boolean, window: number): void {
    const px = (v: number): number => Math.round(v * 2) / 2;
    const lift = entered ? Math.max(0, Math.min(topPx + barPx - s.top, s.height - barPx)) : 0;
    const ends = cut(s.left, s.width, window);
    const shape = `${px(s.left)} ${px(s.top)} ${px(s.width)} ${px(s.height)} ${px(lift)} ${px(ends.left)} ${px(ends.right)}`;
    if (shape === this.shape) return;
    this.shape = shape;
    const e = this.element.style;
    e.transform = `translate(${px(s.left)}px, ${px(s.top)}px)`;
    e.width = `${px(s.width)}px`;
    e.height = `${px(s.height)}px`;
    this.bar.style.left = ends.left > 0 ? `${px(ends.left)}px` : "";
    this.bar.style.right = ends.right > 0 ? `${px(ends.right)}px` : "";
    this.bar.style.transform = lift > 0 ? `translateY(${px(lift)}px)` : "";
  }

  /** say shows what the program has said of itself, and who types. */
  say(n: TermNews | undefined, who: { name: string; color: number } | undefined, behind: boolean, recording: boolean, mayType: boolean): void {
    const f = n?.facts;
    const state = n === undefined ? "connecting" : n.absent ? "absent" : f?.ended ? "ended" : "online";
    const over = state === "absent" ? "No program runs here since the server was started." : state === "ended" ? `The program has ended: ${f!.exit}.` : "";
    const said = `${state}\n${f?.title}\n${over}\n${who?.name}\n${who?.color}\n${behind}\n${recording}\n${mayType}\n${f?.progress}\n${f?.percent}`;
    if (said === this.said) return;
    this.said = said;
    this.dot.dataset["state"] = state;
    this.title.textContent = f?.title ?? "";
    this.bar.title = f?.title ?? "";
    show(this.over, over !== "");
    this.ended.textContent = over;
    show(this.over.querySelector("button")!, mayType);
    for (const b of this.bar.querySelectorAll<HTMLElement>(".letters")) show(b, mayType);
    show(this.back, behind);
    show(this.stop, recording);
    const progress = ["", "normal", "error", "unknown", "paused"][f?.progress ?? 0] ?? "";
    this.bar.dataset["progress"] = progress;
    this.bar.style.setProperty("--percent", String(progress === "unknown" ? 100 : (f?.percent ?? 0)));
    show(this.typist, who !== undefined);
    if (who) {
      this.typist.title = `${who.name} types`;
      this.typist.replaceChildren(h("i", {}, initials(who.name)), h("span", {}, `${who.name} types`));
      this.typist.style.setProperty("--c", css(who.color | 0xff));
    }
  }

  /** enter shows that it has the keyboard; awake: and gets what is typed at the moment. */
  enter(entered: boolean, awake: boolean): void {
    this.element.classList.toggle("entered", entered);
    this.element.classList.toggle("asleep", entered && !awake);
  }

  /** ring is the bell: the frame lights up, briefly. */
  ring(): void {
    this.element.animate([{ boxShadow: "0 0 0 3px var(--warn), 0 0 24px var(--warn)" }, { boxShadow: "0 0 0 3px transparent, 0 0 24px transparent" }], { duration: 350, easing: "ease-out" });
  }
}
