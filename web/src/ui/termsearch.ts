// termsearch is the bar that searches all a terminal has printed. The server searches, newest first; here are the question, the
// hits and the way from one to the next.

import type { TermAnswer, TermHit, TermQuestion } from "../wire.ts";
import { h, icon, show } from "./h.ts";

export interface SearchActions {
  ask: (what: TermQuestion) => void;
  /** show leads to a hit; undefined takes the mark of the last one away. */
  show: (hit: TermHit | undefined) => void;
  closed: () => void;
}

// Hits asked for at a time.
const limit = 200;

// The question is sent when this long nothing was typed.
const pauseMs = 120;

export class TermSearch {
  readonly element: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly regexp: HTMLButtonElement;
  private readonly exact: HTMLButtonElement;
  private readonly count = h("output", { class: "count", "aria-live": "polite" });
  private readonly list = h("ol", { class: "hits", tabindex: -1 });
  private readonly label = h("b");
  private hits: TermHit[] = [];
  private at = -1;
  private more = false;
  private running = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly act: SearchActions) {
    this.input = h("input", { type: "text", "aria-label": "Search for", placeholder: "Search", spellcheck: false, autocomplete: "off", oninput: () => this.soon() });
    const toggle = (label: string, text: string): HTMLButtonElement => {
      const b = h("button", { class: "press small", type: "button", "aria-label": label, title: label, "aria-pressed": "false", onclick: () => {
        b.setAttribute("aria-pressed", String(b.getAttribute("aria-pressed") !== "true"));
        this.input.focus();
        this.ask();
      } }, text);
      return b;
    };
    const press = (name: string, label: string, onclick: () => void): HTMLButtonElement =>
      h("button", { class: "press small", type: "button", "aria-label": label, title: label, onclick }, icon(name, true));
    this.regexp = toggle("Regular expression", ".*");
    this.exact = toggle("Match case", "Aa");
    this.element = h("div", { class: "card term-search", role: "search", "aria-label": "Search the terminal", hidden: true },
      h("div", { class: "ask" }, icon("search", true), this.label, this.input, this.exact, this.regexp, this.count,
        press("up", "Further up — Enter", () => this.step(1)), press("down", "Further down — Shift+Enter", () => this.step(-1)), press("close", "Close — Esc", () => this.close())),
      this.list);
    this.element.addEventListener("keydown", (e) => {
      e.stopPropagation(); // the keys are not the canvas's
      const to = ({ Enter: e.shiftKey ? -1 : 1, ArrowUp: 1, ArrowDown: -1 } as Record<string, 1 | -1>)[e.key];
      if (e.key === "Escape" || (e.key.toLowerCase() === "f" && e.ctrlKey && e.shiftKey)) {
        e.preventDefault();
        this.close();
      } else if (to !== undefined && (e.target === this.input || e.key !== "Enter")) {
        e.preventDefault();
        this.step(to);
      }
    });
  }

  get open(): boolean {
    return !this.element.hasAttribute("hidden");
  }

  begin(name: string): void {
    this.label.textContent = name;
    show(this.element, true);
    this.input.focus();
    this.input.select();
    if (this.input.value !== "") this.ask();
  }

  close(): void {
    if (!this.open) return;
    clearTimeout(this.timer);
    show(this.element, false);
    if (this.running) this.act.ask({ kind: "cancel", value: true });
    this.running = false;
    this.forget();
    this.act.show(undefined);
    this.act.closed();
  }

  answer(a: TermAnswer): void {
    if (!this.open) return;
    const first = this.hits.length === 0;
    this.hits.push(...a.hits);
    for (const hit of a.hits) this.list.append(this.row(hit, this.list.children.length));
    this.more = a.more;
    this.running = !a.done;
    this.count.classList.toggle("wrong", a.error !== "");
    if (a.error !== "") this.count.textContent = a.error;
    else if (first && this.hits.length > 0) this.go(0);
    else this.tell();
  }

  private soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), pauseMs);
  }

  private ask(before = 0): void {
    clearTimeout(this.timer);
    if (before === 0) {
      this.forget();
      this.act.show(undefined);
    }
    if (this.input.value === "") {
      if (this.running) this.act.ask({ kind: "cancel", value: true });
      this.running = false;
      this.tell();
      return;
    }
    this.running = true;
    this.tell();
    const on = (b: HTMLElement): boolean => b.getAttribute("aria-pressed") === "true";
    this.act.ask({ kind: "search", text: this.input.value, regexp: on(this.regexp), fold: !on(this.exact), before, limit });
  }

  private step(by: 1 | -1): void {
    if (this.timer !== undefined && this.hits.length === 0 && !this.running) return this.ask();
    if (this.hits.length === 0) return;
    const to = this.at + by;
    if (to >= this.hits.length && this.more && !this.running) return this.ask(this.hits.at(-1)!.line);
    this.go(Math.max(0, Math.min(this.hits.length - 1, to)));
  }

  private go(i: number): void {
    this.list.children[this.at]?.removeAttribute("aria-current");
    this.at = i;
    const row = this.list.children[i]!;
    row.setAttribute("aria-current", "true");
    row.scrollIntoView({ block: "nearest" });
    this.act.show(this.hits[i]);
    this.tell();
  }

  private row(hit: TermHit, i: number): HTMLElement {
    return h("li", {}, h("button", { type: "button", tabindex: -1, onclick: () => this.go(i) }, hit.before.trimStart(), h("mark", {}, hit.text), hit.after));
  }

  private tell(): void {
    const n = this.hits.length;
    this.count.classList.remove("wrong");
    this.count.textContent = this.input.value === "" ? "" : n === 0 ? (this.running ? "…" : "nothing") : `${this.at + 1}/${n}${this.more || this.running ? "+" : ""}`;
  }

  private forget(): void {
    this.hits = [];
    this.at = -1;
    this.more = false;
    this.list.replaceChildren();
    this.count.textContent = "";
  }
}
