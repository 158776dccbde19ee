// termkeybar is a row of the keys that keyboards on a screen lack. It shows where fingers type, while a terminal is in use.

import { ALT, CTRL } from "../input/termkeys.ts";
import type { TermKey } from "../wire.ts";
import { h, icon } from "./h.ts";

const keys: readonly [label: string, name: string, code: number][] = [
  ["Esc", "Escape", 27], ["Tab", "Tab", 9], ["↑", "Up", 0xf0004], ["↓", "Down", 0xf0005], ["←", "Left", 0xf0007], ["→", "Right", 0xf0006],
];

export class TermKeyBar {
  readonly element: HTMLElement;
  private mods = 0; // held for the next key
  private readonly holds: [number, HTMLButtonElement][];

  constructor(press: (k: TermKey) => void, leave: () => void) {
    // A button that is pressed must not take the keyboard away.
    const button = (label: string, name: string, act: () => void): HTMLButtonElement =>
      h("button", { class: "press", type: "button", tabindex: -1, "aria-label": name, onpointerdown: (e: Event) => e.preventDefault(), onmousedown: (e: Event) => e.preventDefault(), onclick: act }, label);
    const hold = (label: string, bit: number): HTMLButtonElement => button(label, `${label}, for the next key`, () => this.hold(this.mods ^ bit));
    this.holds = [[CTRL, hold("Ctrl", CTRL)], [ALT, hold("Alt", ALT)]];
    const all = keys.map(([label, name, code]) => button(label, name, () => press({ code, shifted: 0, base: 0, text: "", mods: this.take(), press: 1 })));
    this.element = h("div", { class: "bar term-keys", role: "toolbar", "aria-label": "Keys", hidden: true }, all[0]!, all[1]!, ...this.holds.map(([, b]) => b), ...all.slice(2),
      // A terminal may leave nothing beside it to tap on.
      h("button", { class: "press", type: "button", tabindex: -1, "aria-label": "Leave the terminal", onclick: leave }, icon("close", true)));
    this.hold(0);
  }

  /** take gives the modifiers that are held, and lets them go. */
  take(): number {
    const { mods } = this;
    if (mods !== 0) this.hold(0);
    return mods;
  }

  private hold(mods: number): void {
    this.mods = mods;
    for (const [bit, b] of this.holds) b.setAttribute("aria-pressed", String((mods & bit) !== 0));
  }
}
