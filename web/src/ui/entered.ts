// entered is the terminal that has the keyboard: what is typed, selected, scrolled and searched there.

import { readable } from "../grid.ts";
import { type By, TermHand, type Under } from "../input/termhand.ts";
import { isModifier, type TermChord } from "../input/termkeys.ts";
import { Typist } from "../input/typist.ts";
import type { TermSpot } from "../protocol.ts";
import { panned } from "../view.ts";
import type { TermAnswer, TermDo, TermHit, TermQuestion } from "../wire.ts";
import { copy } from "./copy.ts";
import { h, show } from "./h.ts";
import type { Tool } from "./kit.ts";
import { TYPE } from "./rights.ts";
import type { Around, Term } from "./term.ts";
import { TermKeyBar } from "./termkeybar.ts";
import { TermSearch } from "./termsearch.ts";

// A grid cell this high can be read.
const readablePx = 12;

// What is pasted travels in one message. The server takes a megabyte of what is not read yet.
const mostPaste = 900_000;

// The line of the cursor is told to who cannot see it when it has not changed for this long.
const calmMs = 400;

// idle says that no program runs in a terminal.
function idle(t: Term): boolean {
  return t.news !== undefined && (t.news.absent || t.news.facts?.ended === true);
}

export class Entered {
  /** elements of the layer that lies on the canvas; above: of the page. */
  readonly elements: HTMLElement[];
  readonly above: HTMLElement[];
  /** term is the terminal in use. */
  term: Term | undefined;
  awake = false; // and what is typed goes there at the moment

  private readonly typist: Typist;
  readonly hand: TermHand;
  readonly search: TermSearch;
  private readonly keys = new TermKeyBar((key) => this.type({ kind: "key", ...key }), () => this.leave());
  private readonly line = h("div", { class: "vh", role: "log", "aria-live": "polite" }); // of the cursor, for who cannot see it
  private reading: ReturnType<typeof setTimeout> | undefined;

  private before: Tool | undefined; // the tool in hand when it was entered
  private focused: number | undefined; // the terminal whose program was told that it has the keyboard
  private hinted = false;
  private looping = false;
  private ids = 0;
  private texts = new Map<number, (text: string) => void>();
  private answers = new Map<number, (a: TermAnswer) => void>();

  constructor(private readonly o: Around) {
    this.typist = new Typist({
      key: (key) => this.type({ kind: "key", ...key }, key.press !== 3),
      text: (text) => this.typeText(text),
      paste: (text) => this.paste(text),
      chord: (c) => this.chord(c),
      awake: (is) => this.rouse(is),
      kitty: () => this.term?.news?.facts?.kitty ?? 0,
    });
    this.hand = new TermHand({
      under: () => this.under(),
      send: (what) => this.do(what),
      select: (from, to, by, block) => this.select(from, to, by, block),
      scroll: (rows) => this.scroll(rows),
      link: (at) => this.follow(at),
    });
    this.search = new TermSearch({
      ask: (what) => this.term && this.ask(this.term, what, (a) => this.search.answer(a)),
      show: (hit) => this.showHit(hit),
      closed: () => this.typist.wake(),
    });
    this.elements = [this.typist.field, this.line];
    this.above = [this.search.element, this.keys.element];
    // Whatever took the keyboard gives it back to the terminal when it goes.
    const again = (): void => {
      setTimeout(() => { // after who listens to the same event has let go of the keys
        if (this.term && !this.search.open && (document.activeElement === document.body || document.activeElement === null)) this.typist.wake();
      });
    };
    for (const e of ["close", "toggle", "click"]) document.addEventListener(e, again, { capture: true });
    addEventListener("focus", again);
  }

  answer(a: TermAnswer): void {
    this.answers.get(a.id)?.(a);
    if (a.done) this.answers.delete(a.id);
  }

  text(id: number, text: string): void {
    this.texts.get(id)?.(text);
    this.texts.delete(id);
  }

  enter(t: Term): void {
    if (this.term === t) return this.typist.wake();
    const before = this.before ?? this.o.tool();
    if (this.term) this.leave();
    this.term = t;
    this.before = before;
    this.o.pick("hand");
    this.o.stand(t);
    this.o.dress(t);
    this.o.send({ kind: "term-focus", terminal: t.seq });
    this.typist.begin(`Terminal ${t.name}`);
    this.follows(t);
    const { width, height } = this.o.size();
    const away = t.spot.left > width - 40 || t.spot.top > height - 40 || t.spot.left + t.spot.width < 40 || t.spot.top + t.spot.height < 40;
    if (2 * t.spot.cell < readablePx || away) this.o.fly(readable(t.spot, this.o.place(), width, height, readablePx));
    this.hint(t);
    this.o.changed();
  }

  leave(): void {
    const t = this.term;
    if (!t) return;
    this.search.close();
    this.term = undefined;
    this.hand.cancel();
    this.typist.end();
    this.o.send({ kind: "term-focus", terminal: null });
    if (this.before !== undefined && this.o.tool() === "hand") this.o.pick(this.before);
    this.before = undefined;
    this.o.stand(t);
    this.o.dress(t);
    this.o.changed();
  }

  wake(): void {
    this.typist.wake();
  }

  /** renew tells a new connection who has the keyboard. */
  renew(): void {
    this.focused = undefined;
    this.tellFocus(this.awake);
  }

  /** reveal moves the view so that the cursor is seen: the keyboard of a phone may have come over it. */
  reveal(): void {
    const [t, c] = [this.term, this.term?.news?.cursor];
    if (!t || !c) return;
    const { width, height } = this.o.size();
    const [x, y] = [t.spot.x + c.x * t.spot.cell, t.spot.y + 2 * c.y * t.spot.cell];
    const into = (v: number, lo: number, hi: number): number => (v < lo ? lo - v : v > hi ? hi - v : 0);
    const [dx, dy] = [into(x, 24, width - 48), into(y, 110, height - 130)];
    if (dx !== 0 || dy !== 0) this.o.fly(panned(this.o.place(), dx, dy));
  }

  private rouse(is: boolean): void {
    this.awake = is;
    show(this.keys.element, is && matchMedia("(pointer: coarse)").matches);
    const t = this.term;
    if (t) this.o.dress(t);
    this.tellFocus(is && t !== undefined);
  }

  tellFocus(on: boolean): void {
    const t = this.term;
    if (t && idle(t)) { // nobody is there to be told
      if (this.focused === t.seq) this.focused = undefined;
      on = false;
    }
    if (this.focused !== undefined && (!on || this.focused !== t?.seq)) {
      if (this.o.role() >= TYPE) this.o.send({ kind: "term-in", terminal: this.focused, what: { kind: "focus", value: false } });
      this.focused = undefined;
    }
    if (!on || !t || this.focused !== undefined || this.o.role() < TYPE) return;
    this.focused = t.seq;
    this.o.send({ kind: "term-in", terminal: t.seq, what: { kind: "focus", value: true } });
  }

  private hint(t: Term): void {
    if (this.hinted) return;
    this.hinted = true;
    const ends = matchMedia("(pointer: coarse)").matches ? "A tap beside it, or the cross," : "Ctrl+Shift+Esc, or a click beside it,";
    this.o.say(this.o.role() >= TYPE ? `What you type goes to ${t.name}. ${ends} ends that.` : `You look on at ${t.name}: you can select, scroll and search.`);
  }

  private type(what: TermDo, back = true): void {
    const t = this.term;
    if (!t) return;
    if (!this.o.online()) return this.o.say("There is no connection: what you type does not reach the terminal.");
    if (back) this.lookAt(t, undefined);
    if (idle(t)) {
      if (what.kind === "key" && what.code === 13 && what.press === 1) this.do({ kind: "restart", value: true });
      return;
    }
    // What was selected, or found, has been looked at. Keys that only hold others (the Kitty protocol tells of them) keep it.
    if (back && t.selection && !(what.kind === "key" && isModifier(what.code))) this.select({ row: 0, x: 0 }, null, "cell", false);
    this.do(what);
  }

  // typeText is given what an input method or a keyboard on the screen has typed; the modifiers of the row of keys hold for one letter.
  private typeText(text: string): void {
    const mods = this.keys.take();
    const code = text.toLowerCase().codePointAt(0)!;
    if (mods !== 0 && [...text].length === 1) this.type({ kind: "key", code, shifted: 0, base: 0, text: "", mods, press: 1 });
    else this.type({ kind: "text", value: utf8.encode(text) });
  }

  do(what: TermDo): void {
    if (this.term) this.o.send({ kind: "term-in", terminal: this.term.seq, what });
  }

  private paste(text: string): void {
    const bytes = utf8.encode(text);
    if (bytes.length > mostPaste) return this.o.say("That is too long to be pasted into a terminal.");
    this.type({ kind: "paste", value: bytes });
  }

  private chord(c: TermChord): void {
    const t = this.term;
    if (!t) return;
    switch (c) {
      case "leave":
        return this.leave();
      case "copy":
        return void this.copySelection();
      case "paste":
        return; // the browser's
      case "search":
        return this.search.begin(t.name);
      case "prompt-above":
      case "prompt-below":
        return this.prompt(t, c === "prompt-above");
      default:
        c satisfies never;
    }
  }

  private select(from: TermSpot, to: TermSpot | null, by: By, block: boolean): void {
    const t = this.term;
    if (!t) return;
    t.selection = to === null ? undefined : { from, to, by, block };
    this.o.send({ kind: "term-select", terminal: t.seq, from, to, by, block });
  }

  async copySelection(): Promise<void> {
    const t = this.term;
    const s = t?.selection;
    if (!t || !s) return this.o.say("Nothing is selected. Drag over what you want to copy.");
    const text = await this.textOf(t, s.from, s.to, s.by, s.block);
    if (!(await copy(text))) this.o.say("This browser does not let the page copy.");
    this.typist.wake();
  }

  textOf(t: Term, from: TermSpot, to: TermSpot, by: By, block: boolean): Promise<string> {
    return new Promise((resolve) => {
      const id = ++this.ids;
      this.texts.set(id, resolve);
      this.o.send({ kind: "term-text", terminal: t.seq, from, to, by, block, id });
    });
  }

  private scroll(rows: number): void {
    const t = this.term;
    if (!t?.news) return;
    this.lookAt(t, (t.top ?? t.news.base) + rows);
  }

  /** lookAt shows the rows from `row` on; undefined, or past the history: what is printed now. */
  lookAt(t: Term, row: number | undefined): void {
    const n = t.news;
    if (!n) return;
    const to = row === undefined || row >= n.base ? undefined : Math.max(n.first, row);
    if (to === t.top || (to !== undefined && to >= n.base)) return;
    t.top = to;
    this.o.send({ kind: "term-scroll", terminal: t.seq, row: to ?? null });
    this.o.dress(t);
  }

  /** loop moves the history on while a selection reaches past an edge. */
  loop(): void {
    if (this.looping) return;
    this.looping = true;
    const step = (): void => {
      const n = this.hand.beyond();
      if (n === 0) {
        this.looping = false;
        return;
      }
      this.scroll(Math.max(-3, Math.min(3, n)));
      this.hand.again();
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  private ask(t: Term, what: TermQuestion, then: (a: TermAnswer) => void): void {
    const id = ++this.ids;
    if (what.kind === "search" || what.kind === "cancel") this.answers.clear(); // of an older search
    if (what.kind !== "cancel") this.answers.set(id, then);
    this.o.send({ kind: "term-ask", terminal: t.seq, id, what });
  }

  prompt(t: Term, above: boolean): void {
    if (!t.news) return;
    const row = t.top ?? t.news.base + (above ? t.news.cursor.y : 0);
    this.ask(t, { kind: "prompt", row, above }, (a) => {
      if (a.found) this.lookAt(t, a.row);
      else if (above) this.o.say("There is no prompt above. Shells have to say where theirs are (OSC 133).");
      else this.lookAt(t, undefined);
    });
  }

  private showHit(hit: TermHit | undefined): void {
    const t = this.term;
    if (!t?.news) return;
    if (!hit) return this.select({ row: 0, x: 0 }, null, "cell", false);
    const top = t.top ?? t.news.base;
    if (hit.row < top || hit.endRow >= top + t.news.rows) this.lookAt(t, hit.row - Math.floor(t.news.rows / 2));
    this.select({ row: hit.row, x: hit.x }, { row: hit.endRow, x: hit.endX }, "cell", false);
  }

  private follow(at: TermSpot): void {
    const t = this.term;
    if (!t) return;
    const id = ++this.ids;
    this.texts.set(id, (url) => {
      if (/^(https?|mailto):/i.test(url)) open(url, "_blank", "noopener,noreferrer");
      else if (url !== "") this.o.say("Only web and mail links are opened from here.");
    });
    this.o.send({ kind: "term-link", terminal: t.seq, row: at.row, x: at.x, id });
  }

  /** follows keeps the field of the input method at the cursor. */
  follows(t: Term): void {
    const c = t.news?.cursor;
    if (c) this.typist.at(t.spot.x + c.x * t.spot.cell, t.spot.y + 2 * c.y * t.spot.cell, 2 * t.spot.cell);
    this.read(t);
  }

  // read tells the line of the cursor to who cannot see it, when it has not changed for a moment.
  private read(t: Term): void {
    clearTimeout(this.reading);
    this.reading = setTimeout(() => {
      const n = t.news;
      if (t !== this.term || !n || n.absent) return;
      const row = n.base + n.cursor.y;
      void this.textOf(t, { row, x: 0 }, { row, x: n.cols }, "cell", false).then((text) => {
        if (this.line.textContent !== text) this.line.textContent = text;
      });
    }, calmMs);
  }

  private under(): Under | undefined {
    const t = this.term;
    const n = t?.news;
    if (!t || !n) return undefined;
    const f = n.facts;
    return {
      spot: t.spot, cols: n.cols, rows: n.rows, top: t.top ?? n.base, live: t.top === undefined, modes: f?.modes ?? 0, mouse: f?.mouse ?? 0,
      types: this.o.role() >= TYPE && !n.absent && !f?.ended,
    };
  }
}

const utf8 = new TextEncoder();
