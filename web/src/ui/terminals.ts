// terminals is the page's end of the terminals on the canvas: which there are and what stands around them. What is on their
// screens the worker paints, and the programs run on the server.

import { inside, sized, spotOf, stepsOf } from "../grid.ts";
import type { PeerNews, Place, TermItemNews, TermNews } from "../protocol.ts";
import { copy } from "./copy.ts";
import { Entered } from "./entered.ts";
import type { Item } from "./float.ts";
import { h } from "./h.ts";
import { OWN, TYPE } from "./rights.ts";
import { type Around, type Term, type TerminalsOptions, typistOf } from "./term.ts";
import { Case } from "./termcase.ts";
import { TermClaim } from "./termclaim.ts";
import { fullScreen, notice, offerClipboard, record } from "./termoffers.ts";

// Below this width of a terminal there is no room for words around it.
const leastPx = 120;

export class Terminals {
  readonly element = h("div", { class: "terms" });
  readonly used: Entered;
  readonly claims: TermClaim;
  private readonly all = new Map<number, Term>();
  private role = 0;
  private me = 0; // viewer
  private others: PeerNews[] = [];

  constructor(private readonly o: TerminalsOptions) {
    const around: Around = { ...o, role: () => this.role, stand: (t) => this.stand(t, o.place()), dress: (t) => this.dress(t) };
    this.used = new Entered(around);
    this.claims = new TermClaim(this.used, { ...around, at: (x, y) => this.at(x, y), names: () => new Set([...this.all.values()].map((t) => t.name)) });
    this.element.append(this.claims.placing.element, ...this.used.elements);
  }

  /** enterAt gives the keyboard to the terminal under (x, y), if there is one. */
  enterAt(x: number, y: number): void {
    const t = this.at(x, y);
    if (t) this.enter(t);
  }

  list(items: readonly TermItemNews[]): void {
    const gone = new Set(this.all.keys());
    for (const i of items) {
      gone.delete(i.seq);
      const t = this.all.get(i.seq);
      if (!t) this.all.set(i.seq, { ...i, news: undefined, spot: spotOf(i.home, i.box, i.cols, i.rows, this.o.place()), top: undefined, selection: undefined, case: undefined, recording: undefined, size: undefined });
    }
    for (const seq of gone) {
      const t = this.all.get(seq)!;
      if (t === this.used.term) this.used.leave();
      t.case?.remove();
      this.all.delete(seq);
    }
    this.moved(this.o.place());
    const made = this.claims.expected === "" ? undefined : [...this.all.values()].find((t) => t.name === this.claims.expected);
    if (!made) return;
    this.claims.expected = "";
    this.enter(made);
  }

  state(n: TermNews): void {
    const t = this.all.get(n.terminal);
    if (!t) return;
    const was = t.news;
    t.news = n;
    if (t.top !== undefined && t.top >= n.base) this.used.lookAt(t, undefined);
    this.stand(t, this.o.place());
    this.dress(t);
    const [f, g] = [was?.facts, n.facts];
    if (t === this.used.term) {
      this.used.follows(t);
      if (this.used.awake) this.used.tellFocus(true); // a program may just have been started
    }
    if (!f || !g) return;
    if (g.bells > f.bells) t.case?.ring();
    if (g.notices > f.notices) notice(this.o, t, g.noticeTitle, g.notice, () => this.enter(t));
    if (g.clipboards > f.clipboards && g.typist === this.me) offerClipboard(this.o, t, utf8.decode(g.clipboard), () => this.used.wake());
  }

  rights(role: number): void {
    if (role === this.role) return;
    this.role = role;
    for (const t of this.all.values()) this.dress(t);
    if (this.used.term && this.used.awake) this.used.tellFocus(true);
  }

  /** welcome is told that there is a new connection, and which viewer this page is there: the server knows nothing of it yet. */
  welcome(viewer: number): void {
    this.me = viewer;
    for (const t of this.all.values()) if (t.size) this.o.send({ kind: "term-in", terminal: t.seq, what: { kind: "size", ...t.size } });
    this.used.renew();
  }

  peers(peers: PeerNews[]): void {
    this.others = peers;
    for (const t of this.all.values()) this.dress(t);
  }

  /** moved lets what stands around the terminals follow the view. */
  moved(place: Place): void {
    for (const t of this.all.values()) this.stand(t, place);
  }

  /** screen is the text of a terminal's screen, or of the part of its history that is shown. */
  async screen(name: string, shown: boolean): Promise<string> {
    const t = [...this.all.values()].find((t) => t.name === name || name === "");
    const n = t?.news;
    if (!t || !n || n.absent) return "";
    const top = (shown ? t.top : undefined) ?? n.base;
    return this.used.textOf(t, { row: top, x: 0 }, { row: top + n.rows - 1, x: n.cols }, "cell", false);
  }

  private stand(t: Term, place: Place): void {
    t.spot = spotOf(t.home, t.box, t.news && !t.news.absent ? t.news.cols : t.cols, t.news && !t.news.absent ? t.news.rows : t.rows, place);
    const s = t.spot;
    const { width, height } = this.o.size();
    const entered = t === this.used.term;
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
    t.case.stand(s, entered, width);
    if (entered) this.used.follows(t);
  }

  private dress(t: Term): void {
    if (!t.case) return;
    t.case.say(t.news, typistOf(t, this.me, this.others), t.top !== undefined, t.recording !== undefined, this.role >= TYPE);
    t.case.enter(t === this.used.term, this.used.awake);
  }

  private actions(t: Term): ConstructorParameters<typeof Case>[1] {
    const within = (f: () => void) => (): void => {
      this.used.enter(t);
      f();
    };
    const signal = (n: number): void => this.o.send({ kind: "term-in", terminal: t.seq, what: { kind: "signal", value: n } });
    const say = async (text: string, what: string): Promise<void> => {
      this.o.say((await copy(text)) ? `${what} copied.` : "This browser does not let the page copy.");
      this.used.wake();
    };
    const menu = (): (Item | null)[] => [
      { icon: "search", label: "Search…", keys: "Ctrl+Shift+F", act: within(() => this.used.search.begin(t.name)) },
      { icon: "copy", label: "Copy what is selected", keys: "Ctrl+Shift+C", act: within(() => void this.used.copySelection()) },
      { icon: "up", label: "To the prompt before", keys: "Ctrl+Shift+ArrowUp", act: within(() => this.used.prompt(t, true)) },
      { icon: "down", label: "To the prompt after", keys: "Ctrl+Shift+ArrowDown", act: within(() => this.used.prompt(t, false)) },
      null,
      { icon: "link", label: "Copy its name", act: () => void say(t.name, "The name is") },
      { icon: "terminal", label: "Copy the command to attach to it", act: () => void say(`fractal attach ${this.o.canvas}/${t.name}`, "The command is") },
      { icon: "record", label: "Record what happens now", act: () => void record(this.o, t, () => this.dress(t)) },
      { icon: "people", label: "People and rights…", act: this.o.people },
      { icon: "fit", label: "Full screen, with all keys", act: within(() => void fullScreen()) },
      null,
      { icon: "again", label: "Start the program again", act: () => this.o.send({ kind: "term-in", terminal: t.seq, what: { kind: "restart", value: true } }) },
      { icon: "stop", label: "End the program", act: () => signal(1) },
      { icon: "close", label: "End it by force", act: () => signal(9) },
      ...(this.role >= OWN ? [{ icon: "eraser", label: "Take it off the canvas", act: () => {
        this.o.send({ kind: "remove", terminal: t.seq });
        this.o.say(`${t.name} is off the canvas, and its program runs on. Undo brings it back.`);
      } }] : []),
    ];
    return {
      enter: () => this.used.enter(t),
      restart: within(() => this.used.do({ kind: "restart", value: true })),
      letters: (by) => this.letters(t, by),
      live: () => this.used.lookAt(t, undefined),
      recorded: () => t.recording?.abort(),
      menu,
    };
  }

  private letters(t: Term, by: 1 | -1): void {
    const size = (t.size = sized(t.cols, t.rows, stepsOf(t.cols, t.news?.cols ?? t.cols) + by));
    this.o.send({ kind: "term-in", terminal: t.seq, what: { kind: "size", ...size } });
    const typist = t.news?.facts?.typist ?? 0;
    if (typist !== 0 && typist !== this.me) this.o.say(`${t.name} becomes ${size.cols} × ${size.rows} when you type: its size is that of whoever typed last.`);
  }

  // at is the terminal on top under (x, y).
  private at(x: number, y: number): Term | undefined {
    let found: Term | undefined;
    for (const t of this.all.values()) if (t.spot.width >= 8 && inside(t.spot, x, y)) found = t;
    return found;
  }

  private enter(t: Term): void {
    this.claims.place(false);
    this.used.enter(t);
  }
}

const utf8 = new TextDecoder();
