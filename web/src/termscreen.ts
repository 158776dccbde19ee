// termscreen owns what this page holds of one terminal: its screen as the frames say it, the rows of the history that were asked
// for, what is selected. It equals the server's screen after every frame, or it knows that it does not. It refuses to know pixels.

import type { TermSpot } from "./protocol.ts";
import { glyphText, Line, linkOf, SECOND, WIDE } from "./termrow.ts";
import type { TermAnswer, TermCursor, TermFacts, TermFrame } from "./wire.ts";

export type By = "cell" | "word" | "row";

/** Selection is from the earlier place to the later; of a block the corners. */
export interface Selection {
  from: TermSpot;
  to: TermSpot;
  block: boolean;
}

/** MAX_HISTORY rows are kept of a terminal somebody scrolls in: the furthest away go first. */
const MAX_HISTORY = 4096;

/** ASK_ROWS are asked for at a time, as many as a HistoryAsk may. */
export const ASK_ROWS = 256;

const HIDDEN_CURSOR: TermCursor = { x: 0, y: 0, visible: false, blink: false, shape: 0 };

export class TermScreen {
  life = 0; // 0: nothing is held
  seq = 0;
  cols = 0;
  rows = 0;
  base = 0;
  lines: Line[] = [];
  cursor: TermCursor = HIDDEN_CURSOR;
  facts: TermFacts | undefined;
  absent = false;
  /** first row there is, as far as is known. */
  first = 0;
  /** top is the first row shown; undefined: as the program prints. */
  top: number | undefined;
  selection: Selection | undefined;

  private readonly history = new Map<number, Line>();

  get held(): boolean {
    return this.life !== 0;
  }

  get bytes(): number {
    let n = 1000;
    for (const l of this.lines) n += l.bytes;
    return n + this.history.size * (this.cols * 4 + 400);
  }

  /** apply takes a frame, and says whether it fits what is held; if not, nothing is held any more. */
  apply(m: TermFrame): boolean {
    if (m.absent) {
      this.forget();
      this.absent = true;
      return true;
    }
    this.absent = false;
    if (m.full) {
      this.history.clear();
      this.top = this.selection = undefined;
      this.resize(m.cols, m.rows);
    } else if (!this.held || m.cols !== this.cols || m.rows !== this.rows || m.base < this.base) {
      this.forget();
      return false;
    } else {
      this.up(m.base - this.base);
    }
    this.life = m.life;
    this.seq = m.seq;
    this.base = m.base;
    for (const r of m.changed) {
      const line = this.lines[r.y];
      if (line === undefined || !line.read(r.data)) console.error(`row ${r.y} of a terminal's frame cannot be read`);
    }
    if (m.cursor !== undefined) this.cursor = m.cursor;
    // Views onto the frame would keep it alive, and take it along to the page.
    if (m.facts !== undefined) {
      const had = this.facts;
      const { clipboard } = had !== undefined && m.facts.clipboards === had.clipboards && m.facts.clipboard.length === 0 ? had : m.facts; // told once
      this.facts = { ...m.facts, palette: m.facts.palette.slice(), clipboard: clipboard.slice() };
    }
    return true;
  }

  /** forget lets go of all of it, but for what it is like. */
  forget(): void {
    this.life = this.seq = 0;
    this.lines = [];
    this.history.clear();
    this.top = this.selection = undefined;
    this.cursor = HIDDEN_CURSOR;
  }

  private resize(cols: number, rows: number): void {
    this.lines.length = Math.min(this.lines.length, rows);
    for (const l of this.lines) l.blank();
    while (this.lines.length < rows) this.lines.push(new Line(cols));
    this.cols = cols;
    this.rows = rows;
  }

  // up moves the rows up by n. What leaves the screen is history: it is kept while somebody looks at that.
  private up(n: number): void {
    if (n === 0) return;
    const lines = this.lines;
    const gone = Math.min(n, lines.length);
    for (let i = 0; i < gone; i++) {
      if (this.top === undefined) {
        lines[i]!.blank();
        continue;
      }
      this.history.set(this.base + i, lines[i]!);
      lines[i] = new Line(this.cols);
    }
    if (gone < lines.length) lines.push(...lines.splice(0, gone));
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Rows by their number

  /** shownFrom is the number of the first row shown. */
  get shownFrom(): number {
    return this.top === undefined ? this.base : Math.min(this.top, this.base);
  }

  /** row is the row of that number, if it is here. */
  row(n: number): Line | undefined {
    return n >= this.base ? this.lines[n - this.base] : this.history.get(n);
  }

  /** lacks is the first row from `from` up to `to` (excluded) that must be asked for; −1: there is none. */
  lacks(from: number, to: number): number {
    for (let n = Math.max(from, this.first); n < Math.min(to, this.base); n++) if (!this.history.has(n)) return n;
    return -1;
  }

  /** recall takes rows of the history. */
  recall(a: TermAnswer): void {
    this.first = a.first;
    for (const r of a.rows) {
      if (r.y >= this.base) continue;
      const line = this.history.get(r.y) ?? new Line(this.cols);
      line.read(r.data);
      this.history.set(r.y, line);
    }
    if (this.history.size <= MAX_HISTORY) return;
    const near = this.top ?? this.base;
    const far = [...this.history.keys()].sort((a, b) => Math.abs(b - near) - Math.abs(a - near));
    for (const n of far.slice(0, this.history.size - MAX_HISTORY / 2)) this.history.delete(n);
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Selection

  /** select marks what lies between two places; by word and by row it grows to whole ones. */
  select(from: TermSpot, to: TermSpot | null, by: By, block: boolean): void {
    this.selection = to === null ? undefined : this.span(from, to, by, block);
  }

  /** span is what lies between two places, the earlier first, grown to whole words or rows. */
  span(a: TermSpot, b: TermSpot, by: By, block: boolean): Selection {
    if (a.row > b.row || (a.row === b.row && a.x > b.x)) [a, b] = [b, a];
    let from = { ...a };
    let to = { ...b };
    if (by === "word" && !block) {
      from = this.wordEnd(from, -1);
      to = this.wordEnd(to, 1);
    } else if (by === "row" && !block) {
      for (let i = 0; i < MAX_JOINED && this.row(from.row - 1)?.wrapped; i++) from.row--;
      for (let i = 0; i < MAX_JOINED && this.row(to.row)?.wrapped; i++) to.row++;
      from.x = 0;
      to.x = this.cols;
    }
    if (block && from.x > to.x) [from, to] = [{ row: from.row, x: to.x }, { row: to.row, x: from.x }];
    return { from, to, block };
  }

  // wordEnd is where the word around a grid cell begins (−1) or ends (1, excluded), in whichever row of its line.
  private wordEnd(at: TermSpot, way: 1 | -1): TermSpot {
    const kind = (line: Line | undefined, x: number): number => {
      let g = line !== undefined && x < line.cells ? line.glyphs[x]! : 0;
      if (g === SECOND && x > 0) g = line!.glyphs[x - 1]!;
      const t = glyphText(g);
      return t === "" || t === " " ? 0 : IN_WORD.test(t) ? 1 : 2;
    };
    let { row, x } = at;
    let line = this.row(row);
    if (line === undefined) return { row, x };
    const k = kind(line, x);
    for (let joined = 0; k !== 2; ) {
      // The last column of a row that goes on is blank when a wide glyph did not fit there.
      const end: number = line?.wrapped === true && k === 1 ? line.cells : this.cols;
      if (x + way >= 0 && x + way < end) {
        if (kind(line, x + way) !== k) break;
        x += way;
        continue;
      }
      const upper: Line | undefined = way > 0 ? line : this.row(row - 1);
      const next: Line | undefined = way > 0 ? this.row(row + 1) : upper;
      if (k !== 1 || upper?.wrapped !== true || next === undefined || joined++ >= MAX_JOINED) break;
      const there: number = way > 0 ? 0 : next.cells - 1;
      if (there < 0 || kind(next, there) !== k) break;
      row += way;
      line = next;
      x = there;
    }
    return { row, x: way > 0 ? x + 1 : x };
  }

  /** selected gives what of a row is selected, as columns; from = to: nothing. Fills out, which it returns. */
  selected(n: number, out: { from: number; to: number }): { from: number; to: number } {
    const s = this.selection;
    out.from = out.to = 0;
    if (s === undefined || n < s.from.row || n > s.to.row) return out;
    out.from = s.block || n === s.from.row ? s.from.x : 0;
    out.to = s.block || n === s.to.row ? s.to.x : this.cols;
    // A wide glyph is selected whole.
    const line = this.row(n);
    if (line !== undefined && out.from < out.to) {
      if (out.from > 0 && out.from < line.cells && line.glyphs[out.from] === SECOND) out.from--;
      if (out.to < line.cells && line.glyphs[out.to] === SECOND) out.to++;
    }
    return out;
  }

  /** text is what a selection holds. Rows that a line goes on over are joined; blanks at the end of a line are left out. */
  text(s: Selection): string {
    const out = { from: 0, to: 0 };
    let all = "";
    const was = this.selection;
    this.selection = s;
    for (let n = s.from.row; n <= s.to.row; n++) {
      const line = this.row(n);
      this.selected(n, out);
      const part = line?.text(out.from, out.to) ?? "";
      const joined = !s.block && line?.wrapped === true && n < s.to.row;
      all += joined ? part : part.trimEnd();
      if (n < s.to.row && !joined) all += "\n";
    }
    this.selection = was;
    return all;
  }

  /** link is the address at a grid cell: the program's, or one that is written there; "": none. */
  link(n: number, x: number): string {
    const line = this.row(n);
    if (line === undefined) return "";
    const own = line.linkAt(x);
    if (own !== 0) return linkOf(own).uri;
    // The text of the whole line, over as many rows as it has.
    let first = n;
    while (n - first < MAX_JOINED && this.row(first - 1)?.wrapped) first--;
    let text = "";
    let at = -1; // of (n, x) in the text
    for (let r = first; r - n < MAX_JOINED; r++) {
      const l = this.row(r);
      if (l === undefined) break;
      if (r === n) at = text.length + l.text(0, x).length;
      text += l.text(0, l.cells);
      if (!l.wrapped) break;
    }
    for (const m of text.matchAll(ADDRESS)) {
      const uri = m[0].replace(/[.,;:!?'")\]]+$/, "");
      if (at >= m.index && at < m.index + uri.length) return uri;
    }
    return "";
  }

  /** cursorWide says whether the cursor stands on a glyph of two grid cells. */
  get cursorWide(): boolean {
    const l = this.lines[this.cursor.y];
    const g = l !== undefined && this.cursor.x < l.cells ? l.glyphs[this.cursor.x]! : 0;
    return g !== SECOND && (g & WIDE) !== 0;
  }
}

/** MAX_JOINED rows are taken for one line. */
const MAX_JOINED = 64;

const IN_WORD = /^[\p{L}\p{N}\p{M}_\-./~:@%+#?&=$]/u;
const ADDRESS = /\b(?:https?:\/\/|mailto:)[^\s"'<>`{}|\\^]+/g;
