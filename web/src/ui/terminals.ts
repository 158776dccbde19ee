// terminals is the page's end of the terminals on the canvas: which there are, which one has the keyboard, what the person does
// there, and what stands around them. What is on their screens the worker paints, and the programs run on the server.

import { boxAt, inside, nameFor, readable, sized, type Spot, spotOf, stepsOf } from "../grid.ts";
import { Placing } from "../input/placing.ts";
import { type By, type Contact, TermHand, type Under } from "../input/termhand.ts";
import type { TermChord } from "../input/termkeys.ts";
import { Typist } from "../input/typist.ts";
import type { PeerNews, Place, TermItemNews, TermNews, TermSpot, ToWorker } from "../protocol.ts";
import type { TermAnswer, TermDo, TermHit, TermQuestion } from "../wire.ts";
import { panned } from "../view.ts";
import { copy } from "./copy.ts";
import { mac, type Item } from "./float.ts";
import { h, offer, show } from "./h.ts";
import type { Tool } from "./kit.ts";
import { TYPE } from "./rights.ts";
import { Case } from "./termcase.ts";
import { TermKeyBar } from "./termkeybar.ts";
import { TermSearch } from "./termsearch.ts";

export interface TerminalsOptions {
  canvas: string;
  send: (m: ToWorker) => void;
  place: () => Place;
  size: () => { width: number; height: number };
  fly: (to: Place) => void;
  say: (text: string, action?: { label: string; act: () => void }) => void;
  tool: () => Tool;
  pick: (t: Tool) => void;
  undo: () => void;
  online: () => boolean;
  /** changed is told that the page looks otherwise: what is placed, or has the keyboard. */
  changed: () => void;
  people: () => void;
}

interface Term extends TermItemNews {
  news: TermNews | undefined;
  spot: Spot;
  top: number | undefined; // number of the first row shown, in the history
  selection: { from: TermSpot; to: TermSpot; by: By; block: boolean } | undefined;
  case: Case | undefined;
  recording: AbortController | undefined;
  size: { cols: number; rows: number } | undefined; // that this person wants
}

// A grid cell this high can be read.
const readablePx = 12;

// Below this width of a terminal there is no room for words around it.
const leastPx = 120;

// A press that moves less, and is let go this soon, is a click.
const clickPx = 4;
const clickMs = 400;
const doubleMs = 450;
const doublePx = 24;

// What is pasted travels in one message. The server takes a megabyte of what is not read yet.
const mostPaste = 900_000;

// A recording is kept in memory until it is saved; at this size it ends.
const mostRecorded = 256 << 20;

export class Terminals {
  readonly element = h("div", { class: "terms" });
  private readonly all = new Map<number, Term>();
  private readonly placing = new Placing();
  private readonly typist: Typist;
  private readonly hand: TermHand;
  private readonly search: TermSearch;
  private readonly keys = new TermKeyBar((key) => this.type({ kind: "key", ...key }));
  private readonly line = h("div", { class: "vh", role: "log", "aria-live": "polite" }); // of the cursor, for who cannot see it

  private role = 0;
  private me = 0; // viewer
  private others: PeerNews[] = [];
  private entered: Term | undefined;
  private awake = false;
  private before: Tool | undefined; // the tool in hand when it was entered
  private expected = ""; // name of a terminal just made: it is entered when it is there
  private ids = 0;
  private texts = new Map<number, (text: string) => void>();
  private answers = new Map<number, (a: TermAnswer) => void>();
  private claimed: number | undefined; // pointer
  private finger: PointerEvent | undefined; // where it is, if it is a finger on the terminal in use
  private press: { id: number; x: number; y: number; t: number; term: Term | undefined } | undefined;
  private lastClick = { x: 0, y: 0, t: -Infinity, drew: false };
  private looping = false;

  placingNow = false;

  constructor(private readonly o: TerminalsOptions) {
    this.typist = new Typist({
      key: (key) => this.type({ kind: "key", ...key }, key.press !== 3),
      text: (text) => this.typeText(text),
      paste: (text) => this.paste(text),
      chord: (c) => this.chord(c),
      awake: (is) => this.rouse(is),
      kitty: () => this.entered?.news?.facts?.kitty ?? 0,
    });
    this.hand = new TermHand({
      under: () => this.under(),
      send: (what) => this.do(what),
      select: (from, to, by, block) => this.select(from, to, by, block),
      scroll: (rows) => this.scroll(rows),
      link: (at) => this.follow(at),
    });
    this.search = new TermSearch({
      ask: (what) => this.entered && this.ask(this.entered, what, (a) => this.search.answer(a)),
      show: (hit) => this.showHit(hit),
      closed: () => this.typist.wake(),
    });
    this.element.append(this.placing.element, this.typist.field, this.line);
    // Whatever took the keyboard gives it back to the terminal when it goes.
    const again = (): void => {
      setTimeout(() => { // after who listens to the same event has let go of the keys
        if (this.entered && !this.search.open && (document.activeElement === document.body || document.activeElement === null)) this.typist.wake();
      });
    };
    for (const e of ["close", "toggle", "click"]) document.addEventListener(e, again, { capture: true });
    addEventListener("focus", again);
  }

  /** above are what floats above the rest of the page. */
  get above(): HTMLElement[] {
    return [this.search.element, this.keys.element];
  }

  get has(): boolean {
    return this.all.size > 0;
  }

  get typing(): boolean {
    return this.entered !== undefined;
  }

  // ---- what there is ----

  list(items: readonly TermItemNews[]): void {
    const gone = new Set(this.all.keys());
    for (const i of items) {
      gone.delete(i.seq);
      const t = this.all.get(i.seq);
      if (!t) this.all.set(i.seq, { ...i, news: undefined, spot: spotOf(i.home, i.box, i.cols, i.rows, this.o.place()), top: undefined, selection: undefined, case: undefined, recording: undefined, size: undefined });
    }
    for (const seq of gone) {
      const t = this.all.get(seq)!;
      if (t === this.entered) this.leave();
      t.case?.remove();
      this.all.delete(seq);
    }
    this.moved(this.o.place());
    const made = this.expected === "" ? undefined : [...this.all.values()].find((t) => t.name === this.expected);
    if (!made) return;
    this.expected = "";
    this.enter(made);
  }

  state(n: TermNews): void {
    const t = this.all.get(n.terminal);
    if (!t) return;
    const was = t.news;
    t.news = n;
    if (t.top !== undefined && t.top >= n.base) this.lookAt(t, undefined);
    this.stand(t, this.o.place());
    this.dress(t);
    const [f, g] = [was?.facts, n.facts];
    if (t === this.entered) this.follows(t);
    if (!f || !g) return;
    if (g.bells > f.bells) t.case?.ring();
    if (g.notices > f.notices) this.notice(t, g.noticeTitle, g.notice);
    if (g.clipboards > f.clipboards && g.typist === this.me) this.offerClipboard(t, utf8Text.decode(g.clipboard));
  }

  answer(a: TermAnswer): void {
    this.answers.get(a.id)?.(a);
    if (a.done) this.answers.delete(a.id);
  }

  text(id: number, text: string): void {
    this.texts.get(id)?.(text);
    this.texts.delete(id);
  }

  refused(reason: string): void {
    this.o.say(reason);
  }

  rights(role: number): void {
    if (role === this.role) return;
    this.role = role;
    for (const t of this.all.values()) this.dress(t);
    if (this.entered && this.awake) this.tellFocus(true);
  }

  /** welcome is told that there is a new connection, and which viewer this page is there: the server knows nothing of it yet. */
  welcome(viewer: number): void {
    this.me = viewer;
    this.focused = undefined;
    for (const t of this.all.values()) if (t.size) this.o.send({ kind: "term-in", terminal: t.seq, what: { kind: "size", ...t.size } });
    this.tellFocus(this.awake);
  }

  /** rejected is told that an op was not taken: none is waited for any more. */
  rejected(): void {
    this.expected = "";
  }

  peers(peers: PeerNews[]): void {
    this.others = peers;
    for (const t of this.all.values()) this.dress(t);
  }

  /** moved lets what stands around the terminals follow the view. */
  moved(place: Place): void {
    for (const t of this.all.values()) this.stand(t, place);
  }

  // ---- the hand ----

  /** claim takes a pointer's event and says whether it was for a terminal; else it is the canvas's. */
  claim(e: PointerEvent, type: "down" | "move" | "up" | "cancel"): boolean | PointerEvent {
    if (this.placingNow || this.placing.busy) return this.claimPlacing(e, type);
    if (type === "down") return this.claimDown(e);
    const p = this.press;
    if (p?.id === e.pointerId && type === "move" && Math.hypot(e.clientX - p.x, e.clientY - p.y) > clickPx) this.press = undefined;
    if (this.claimed === e.pointerId) {
      if (this.finger && type === "move") this.finger = e;
      if (type === "move") this.hand.move(contact(e));
      else {
        this.claimed = undefined;
        if (type === "up") this.hand.up(contact(e));
        else this.hand.cancel();
      }
      if (this.hand.beyond() !== 0) this.loop();
      if (type === "up" && e.pointerType === "touch") this.typist.wake(); // shows the keyboard of a phone
      return true;
    }
    if (type === "up" && p?.id === e.pointerId) this.click(e, p.term);
    if (type !== "move" && p?.id === e.pointerId) this.press = undefined;
    return false;
  }

  /** hover tells the program of the mouse without a button down. It gives the pointer's shape over the terminal in use. */
  hover(e: { x: number; y: number }): string | undefined {
    const t = this.entered;
    if (!t || this.o.tool() !== "hand" || !inside(t.spot, e.x, e.y)) return undefined;
    if (this.claimed === undefined) this.hand.move({ device: "mouse", ...e, t: 0, button: -1, shift: false, alt: false, ctrl: false });
    const f = t.news?.facts;
    return f && /^[a-z-]{1,20}$/.test(f.pointer) ? f.pointer : (f?.mouse ?? 0) > 0 ? "default" : "text";
  }

  /** wheel takes a turn of the wheel over the terminal in use. */
  wheel(e: WheelEvent, notches: boolean): boolean {
    const t = this.entered;
    if (!t || e.ctrlKey || e.metaKey || !inside(t.spot, e.clientX, e.clientY)) return false;
    const unit = e.deltaMode === 1 ? 33 : e.deltaMode === 2 ? 400 : 1;
    if (e.deltaY !== 0) this.hand.wheel(e.deltaY * unit, notches, { ...contactOf(e), device: "mouse", button: -1, t: e.timeStamp });
    return true;
  }

  private claimDown(e: PointerEvent): boolean | PointerEvent {
    if (this.claimed !== undefined) {
      const finger = this.finger;
      if (e.pointerType !== "touch" || !finger) return true; // one hand at a time
      this.claimed = this.finger = undefined;
      this.hand.cancel();
      return finger; // two fingers move the canvas
    }
    const t = this.at(e.clientX, e.clientY);
    const hand = this.o.tool() === "hand";
    if (t !== undefined && t === this.entered && hand) {
      this.claimed = e.pointerId;
      this.finger = e.pointerType === "touch" ? e : undefined;
      this.hand.down(contact(e));
      return true;
    }
    const again = e.button === 0 && e.timeStamp - this.lastClick.t < doubleMs && Math.hypot(e.clientX - this.lastClick.x, e.clientY - this.lastClick.y) < doublePx;
    if (t !== undefined && !hand && again && t !== this.entered) {
      // The first of two clicks has drawn a dot: that was not meant.
      if (this.lastClick.drew) this.o.undo();
      this.lastClick.t = -Infinity;
      this.enter(t);
      return true;
    }
    if (this.entered && t !== this.entered && !hand && e.button === 0) this.leave();
    this.press = { id: e.pointerId, x: e.clientX, y: e.clientY, t: e.timeStamp, term: t };
    return false;
  }

  private click(e: PointerEvent, t: Term | undefined): void {
    if (e.button !== 0 || e.timeStamp - this.press!.t > clickMs) return;
    const hand = this.o.tool() === "hand";
    this.lastClick = { x: e.clientX, y: e.clientY, t: e.timeStamp, drew: !hand };
    if (!hand) return;
    if (t) this.enter(t);
    else this.leave();
  }

  private claimPlacing(e: PointerEvent, type: "down" | "move" | "up" | "cancel"): boolean {
    const { width, height } = this.o.size();
    switch (type) {
      case "down":
        if (e.button !== 0 || this.placing.busy) return false;
        this.claimed = e.pointerId;
        this.placing.begin(e.clientX, e.clientY);
        return true;
      case "move":
        if (this.claimed === e.pointerId) this.placing.move(e.clientX, e.clientY);
        return this.claimed === e.pointerId;
      case "cancel":
        this.claimed = undefined;
        this.placing.cancel();
        return true;
      case "up": {
        if (this.claimed !== e.pointerId) return false;
        this.claimed = undefined;
        const w = this.placing.end(e.clientX, e.clientY, width, height);
        this.place(false);
        const name = nameFor(new Set([...this.all.values()].map((t) => t.name)));
        this.o.send({ kind: "terminal", terminal: { ...boxAt(this.o.place(), w.left, w.top, w.cols, w.rows), name, cols: w.cols, rows: w.rows } });
        this.expected = name;
        return true;
      }
      default:
        return type satisfies never;
    }
  }

  /** place takes the terminal tool in hand, or puts it away. */
  place(on: boolean): void {
    if (on && this.entered) this.leave();
    if (!on) this.placing.cancel();
    if (on === this.placingNow) return;
    this.placingNow = on;
    this.o.changed();
  }

  // ---- the keyboard ----

  /** enterAt gives the keyboard to the terminal under (x, y), if there is one. */
  enterAt(x: number, y: number): boolean {
    const t = this.at(x, y);
    if (t) this.enter(t);
    return t !== undefined;
  }

  enter(t: Term): void {
    if (this.entered === t) return this.typist.wake();
    const before = this.before ?? this.o.tool();
    if (this.entered) this.leave();
    this.place(false);
    this.entered = t;
    this.before = before;
    this.o.pick("hand");
    this.stand(t, this.o.place());
    this.dress(t);
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
    const t = this.entered;
    if (!t) return;
    this.search.close();
    this.entered = undefined;
    this.hand.cancel();
    this.typist.end();
    this.o.send({ kind: "term-focus", terminal: null });
    if (this.before !== undefined && this.o.tool() === "hand") this.o.pick(this.before);
    this.before = undefined;
    this.stand(t, this.o.place());
    this.dress(t);
    this.o.changed();
  }

  /** reveal moves the view so that the cursor is seen: the keyboard of a phone may have come over it. */
  reveal(): void {
    const [t, c] = [this.entered, this.entered?.news?.cursor];
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
    const t = this.entered;
    if (t) this.dress(t);
    this.tellFocus(is && t !== undefined);
  }

  private focused: number | undefined; // the terminal whose program was told so

  private tellFocus(on: boolean): void {
    const t = this.entered;
    if (this.focused !== undefined && (!on || this.focused !== t?.seq)) {
      if (this.role >= TYPE) this.o.send({ kind: "term-in", terminal: this.focused, what: { kind: "focus", value: false } });
      this.focused = undefined;
    }
    if (!on || !t || this.focused !== undefined || this.role < TYPE) return;
    this.focused = t.seq;
    this.o.send({ kind: "term-in", terminal: t.seq, what: { kind: "focus", value: true } });
  }

  private hinted = false;

  private hint(t: Term): void {
    if (this.hinted) return;
    this.hinted = true;
    this.o.say(this.role >= TYPE ? `What you type goes to ${t.name}. Ctrl+Shift+Esc, or a click beside it, ends that.` : `You look on at ${t.name}: you can select, scroll and search.`);
  }

  private type(what: TermDo, back = true): void {
    const t = this.entered;
    if (!t) return;
    if (!this.o.online()) return this.o.say("There is no connection: what you type does not reach the terminal.");
    if (back) this.lookAt(t, undefined);
    if (t.news && (t.news.absent || t.news.facts?.ended)) {
      if (what.kind === "key" && what.code === 13 && what.press === 1) this.do({ kind: "restart", value: true });
      return;
    }
    this.do(what);
  }

  // typeText is given what an input method or a keyboard on the screen has typed; the modifiers of the row of keys hold for one letter.
  private typeText(text: string): void {
    const mods = this.keys.take();
    const code = text.toLowerCase().codePointAt(0)!;
    if (mods !== 0 && [...text].length === 1) this.type({ kind: "key", code, shifted: 0, base: 0, text: "", mods, press: 1 });
    else this.type({ kind: "text", value: utf8.encode(text) });
  }

  private do(what: TermDo): void {
    if (this.entered) this.o.send({ kind: "term-in", terminal: this.entered.seq, what });
  }

  private paste(text: string): void {
    const bytes = utf8.encode(text);
    if (bytes.length > mostPaste) return this.o.say("That is too long to be pasted into a terminal.");
    this.type({ kind: "paste", value: bytes });
  }

  private chord(c: TermChord): void {
    const t = this.entered;
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

  // ---- selection, history, search ----

  private select(from: TermSpot, to: TermSpot | null, by: By, block: boolean): void {
    const t = this.entered;
    if (!t) return;
    t.selection = to === null ? undefined : { from, to, by, block };
    this.o.send({ kind: "term-select", terminal: t.seq, from, to, by, block });
  }

  private async copySelection(): Promise<void> {
    const t = this.entered;
    const s = t?.selection;
    if (!t || !s) return this.o.say("Nothing is selected. Drag over what you want to copy.");
    const text = await this.textOf(t, s.from, s.to, s.by, s.block);
    if (!(await copy(text))) this.o.say("This browser does not let the page copy.");
    this.typist.wake();
  }

  private textOf(t: Term, from: TermSpot, to: TermSpot, by: By, block: boolean): Promise<string> {
    return new Promise((resolve) => {
      const id = ++this.ids;
      this.texts.set(id, resolve);
      this.o.send({ kind: "term-text", terminal: t.seq, from, to, by, block, id });
    });
  }

  private scroll(rows: number): void {
    const t = this.entered;
    if (!t?.news) return;
    this.lookAt(t, (t.top ?? t.news.base) + rows);
  }

  // lookAt shows the rows from `row` on; undefined, or past the history: what is printed now.
  private lookAt(t: Term, row: number | undefined): void {
    const n = t.news;
    if (!n) return;
    const to = row === undefined || row >= n.base ? undefined : Math.max(n.first, row);
    if (to === t.top || (to !== undefined && to >= n.base)) return;
    t.top = to;
    this.o.send({ kind: "term-scroll", terminal: t.seq, row: to ?? null });
    this.dress(t);
  }

  // loop moves the history on while a selection reaches past an edge.
  private loop(): void {
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

  private prompt(t: Term, above: boolean): void {
    if (!t.news) return;
    const row = t.top ?? t.news.base + (above ? t.news.cursor.y : 0);
    this.ask(t, { kind: "prompt", row, above }, (a) => {
      if (a.found) this.lookAt(t, a.row);
      else if (above) this.o.say("There is no prompt above. Shells have to say where theirs are (OSC 133).");
      else this.lookAt(t, undefined);
    });
  }

  private showHit(hit: TermHit | undefined): void {
    const t = this.entered;
    if (!t?.news) return;
    if (!hit) return this.select({ row: 0, x: 0 }, null, "cell", false);
    const top = t.top ?? t.news.base;
    if (hit.row < top || hit.endRow >= top + t.news.rows) this.lookAt(t, hit.row - Math.floor(t.news.rows / 2));
    this.select({ row: hit.row, x: hit.x }, { row: hit.endRow, x: hit.endX }, "cell", false);
  }

  private follow(at: TermSpot): void {
    const t = this.entered;
    if (!t) return;
    const id = ++this.ids;
    this.texts.set(id, (url) => {
      if (/^(https?|mailto):/i.test(url)) open(url, "_blank", "noopener,noreferrer");
      else if (url !== "") this.o.say("Only web and mail links are opened from here.");
    });
    this.o.send({ kind: "term-link", terminal: t.seq, row: at.row, x: at.x, id });
  }

  // ---- what programs want to tell ----

  private notice(t: Term, title: string, text: string): void {
    const words = [title, text].filter((w) => w !== "").join(": ");
    if (words !== "") this.o.say(`${t.name}: ${words.slice(0, 200)}`, { label: "Show", act: () => this.enter(t) });
  }

  // A program may write to the clipboard of the one who typed last, once that person has allowed it on this canvas.
  private offerClipboard(t: Term, text: string): void {
    const key = `fractal.clipboard.${this.o.canvas}`;
    let allowed = false;
    try {
      allowed = localStorage.getItem(key) === "yes";
    } catch {
      // storage is off
    }
    const put = async (): Promise<void> => {
      if (!(await copy(text))) this.o.say("This browser does not let the page copy.");
      this.typist.wake();
    };
    if (allowed) return void put();
    this.o.say(`A program in ${t.name} wants to write to your clipboard.`, { label: "Allow", act: () => {
      try {
        localStorage.setItem(key, "yes");
      } catch {
        // it is asked again
      }
      void put();
    } });
  }

  // ---- what stands around ----

  private stand(t: Term, place: Place): void {
    t.spot = spotOf(t.home, t.box, t.news && !t.news.absent ? t.news.cols : t.cols, t.news && !t.news.absent ? t.news.rows : t.rows, place);
    const s = t.spot;
    const { width, height } = this.o.size();
    const entered = t === this.entered;
    const near = entered || (s.width >= leastPx && s.width < 40 * width && s.left < width && s.top < height + 40 && s.left + s.width > 0 && s.top + s.height > 0);
    if (!near) {
      t.case?.remove();
      t.case = undefined;
      return;
    }
    if (!t.case) {
      t.case = new Case(t.name, this.actions(t));
      this.element.append(t.case.element);
      this.dress(t);
    }
    t.case.stand(s, entered);
    if (entered) this.follows(t);
  }

  private dress(t: Term): void {
    if (!t.case) return;
    const typist = t.news?.facts?.typist ?? 0;
    const who = typist === this.me ? undefined : this.others.find((p) => p.viewer === typist);
    t.case.say(t.news, who, t.top !== undefined, t.recording !== undefined, this.role >= TYPE);
    t.case.enter(t === this.entered, this.awake);
  }

  // follows keeps the field of the input method at the cursor.
  private follows(t: Term): void {
    const c = t.news?.cursor;
    if (c) this.typist.at(t.spot.x + c.x * t.spot.cell, t.spot.y + 2 * c.y * t.spot.cell, 2 * t.spot.cell);
    this.read(t);
  }

  private reading: ReturnType<typeof setTimeout> | undefined;

  // read tells the line of the cursor to who cannot see it, when it has not changed for a moment.
  private read(t: Term): void {
    clearTimeout(this.reading);
    this.reading = setTimeout(() => {
      const n = t.news;
      if (t !== this.entered || !n || n.absent) return;
      const row = n.base + n.cursor.y;
      void this.textOf(t, { row, x: 0 }, { row, x: n.cols }, "cell", false).then((text) => {
        if (this.line.textContent !== text) this.line.textContent = text;
      });
    }, 400);
  }

  /** screen is what a terminal shows, as text. */
  async screen(name: string): Promise<string> {
    const t = [...this.all.values()].find((t) => t.name === name || name === "");
    const n = t?.news;
    if (!t || !n || n.absent) return "";
    return this.textOf(t, { row: n.base, x: 0 }, { row: n.base + n.rows - 1, x: n.cols }, "cell", false);
  }

  private actions(t: Term): ConstructorParameters<typeof Case>[1] {
    const within = (f: () => void) => (): void => {
      this.enter(t);
      f();
    };
    const signal = (n: number): void => this.o.send({ kind: "term-in", terminal: t.seq, what: { kind: "signal", value: n } });
    const say = async (text: string, what: string): Promise<void> => {
      this.o.say((await copy(text)) ? `${what} copied.` : "This browser does not let the page copy.");
      this.typist.wake();
    };
    const menu = (): (Item | null)[] => [
      { icon: "search", label: "Search…", keys: "Ctrl+Shift+F", act: within(() => this.search.begin(t.name)) },
      { icon: "copy", label: "Copy what is selected", keys: "Ctrl+Shift+C", act: within(() => void this.copySelection()) },
      { icon: "up", label: "To the prompt before", keys: "Ctrl+Shift+ArrowUp", act: within(() => this.prompt(t, true)) },
      { icon: "down", label: "To the prompt after", keys: "Ctrl+Shift+ArrowDown", act: within(() => this.prompt(t, false)) },
      null,
      { icon: "link", label: "Copy its name", act: () => void say(t.name, "The name is") },
      { icon: "terminal", label: "Copy the command to attach to it", act: () => void say(`fractal attach ${this.o.canvas}/${t.name}`, "The command is") },
      { icon: "record", label: "Record what happens now", act: () => void this.record(t) },
      { icon: "people", label: "People and rights…", act: this.o.people },
      { icon: "fit", label: "Full screen, with all keys", act: within(() => void fullScreen()) },
      null,
      { icon: "again", label: "Start the program again", act: () => this.o.send({ kind: "term-in", terminal: t.seq, what: { kind: "restart", value: true } }) },
      { icon: "stop", label: "End the program", act: () => signal(1) },
      { icon: "close", label: "End it by force", act: () => signal(9) },
    ];
    return {
      enter: () => this.enter(t),
      restart: within(() => this.do({ kind: "restart", value: true })),
      letters: (by) => this.letters(t, by),
      live: () => this.lookAt(t, undefined),
      recorded: () => t.recording?.abort(),
      menu,
    };
  }

  // record collects what the server records of a terminal until the person ends that, and gives it to them as a file.
  private async record(t: Term): Promise<void> {
    if (t.recording) return;
    const end = (t.recording = new AbortController());
    this.dress(t);
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    try {
      const r = await fetch(`/c/${encodeURIComponent(this.o.canvas)}/terminals/${encodeURIComponent(t.name)}.cast`, { signal: end.signal });
      if (!r.ok || !r.body) throw new Error(`The server says ${r.status}.`);
      const from = r.body.getReader();
      for (;;) {
        const { value, done } = await from.read();
        if (done) break;
        parts.push(value);
        bytes += value.length;
        if (bytes > mostRecorded) end.abort();
      }
    } catch (e) {
      if (!end.signal.aborted) this.o.say(`There is no recording. ${e instanceof Error ? e.message : ""}`);
    }
    t.recording = undefined;
    this.dress(t);
    if (parts.length > 0) offer(new Blob(parts, { type: "application/x-asciicast" }), `${t.name}.cast`);
  }

  private letters(t: Term, by: 1 | -1): void {
    const size = (t.size = sized(t.cols, t.rows, stepsOf(t.cols, t.news?.cols ?? t.cols) + by));
    this.o.send({ kind: "term-in", terminal: t.seq, what: { kind: "size", ...size } });
    if (t.news?.facts?.typist !== this.me) this.o.say(`${t.name} becomes ${size.cols} × ${size.rows} when you type: its size is that of whoever typed last.`);
  }

  // at is the terminal on top under (x, y).
  private at(x: number, y: number): Term | undefined {
    let found: Term | undefined;
    for (const t of this.all.values()) if (t.spot.width >= 8 && inside(t.spot, x, y)) found = t;
    return found;
  }

  private under(): Under | undefined {
    const t = this.entered;
    const n = t?.news;
    if (!t || !n) return undefined;
    const f = n.facts;
    return {
      spot: t.spot, cols: n.cols, rows: n.rows, top: t.top ?? n.base, live: t.top === undefined, modes: f?.modes ?? 0, mouse: f?.mouse ?? 0,
      types: this.role >= TYPE && !n.absent && !f?.ended,
    };
  }
}

// fullScreen gives the page also those keys that browsers keep for themselves otherwise, Ctrl+W say, where the browser can do that.
async function fullScreen(): Promise<void> {
  const n = navigator as Navigator & { keyboard?: { lock?: () => Promise<void> } };
  try {
    await document.documentElement.requestFullscreen();
    await n.keyboard?.lock?.();
  } catch {
    // refused: all stays as it was
  }
}

const utf8 = new TextEncoder();
const utf8Text = new TextDecoder();

function contactOf(e: MouseEvent): Omit<Contact, "device" | "button" | "t"> {
  return { x: e.clientX, y: e.clientY, shift: e.shiftKey, alt: e.altKey, ctrl: mac ? e.metaKey : e.ctrlKey };
}

function contact(e: PointerEvent): Contact {
  const device = e.pointerType === "pen" || e.pointerType === "touch" ? e.pointerType : "mouse";
  return { ...contactOf(e), device, button: e.button, t: e.timeStamp };
}
