import { Terms, type TermEvents } from "../src/terms.ts";
import type { FromWorker, Place } from "../src/protocol.ts";
import type { TermQuestion } from "../src/wire.ts";
import { equal, ok, test } from "./harness.ts";
import { ascii, frameOf } from "./termkit.ts";

const EMPTY = new Uint8Array(0);
const PX = 64; // units

/** Desk is terminals of 40 × 10 at level 0, whose grid cells are 8 × 16 px there. */
class Desk implements TermEvents {
  told: FromWorker[] = [];
  asked: { terminal: number; id: number; what: TermQuestion }[] = [];
  touched = 0;
  terms = new Terms(this);
  canvas = new OffscreenCanvas(800, 600).getContext("2d")!;
  covered = false;

  constructor(...at: [x: number, y: number][]) {
    this.list(at.map(([x, y], i) => [i + 1, x, y]));
  }

  list(at: [seq: number, x: number, y: number][]): void {
    const home = { level: 0, x: EMPTY, y: EMPTY };
    this.terms.list({
      items: at.map(([seq, x, y]) => ({ seq, terminal: { name: `t${seq}`, home, box: { minX: x * PX, minY: y * PX, maxX: (x + 320) * PX, maxY: (y + 160) * PX }, cols: 40, rows: 10 } })),
    });
  }

  tell(m: FromWorker): void {
    this.told.push(m);
  }
  ask(terminal: number, id: number, what: TermQuestion): boolean {
    this.asked.push({ terminal, id, what });
    return true;
  }
  touch(): void {
    this.touched++;
  }

  look(s: number, goal?: number): boolean {
    const at = (s: number): Place => ({ level: 0, x: 0n, y: 0n, fx: 0, fy: 0, s });
    return this.terms.look(at(s), goal === undefined ? undefined : at(goal), 1, 800, 600);
  }

  get near(): number[] {
    return this.terms.wants(99).map((w) => w.terminal);
  }

  /** shot is a frame; pixel is one of it. */
  shot(exact = true): (x: number, y: number) => number {
    while (this.terms.work(() => 0, exact, () => this.covered));
    this.canvas.clearRect(0, 0, 800, 600);
    this.terms.draw(this.canvas, 1);
    const d = this.canvas.getImageData(0, 0, 800, 600).data;
    return (x, y) => (d[4 * (y * 800 + x) + 3] === 0 ? -1 : (d[4 * (y * 800 + x)]! << 16) | (d[4 * (y * 800 + x) + 1]! << 8) | d[4 * (y * 800 + x) + 2]!);
  }

  full(terminal: number, text: string): void {
    const changed = Array.from({ length: 10 }, (_, y) => ({ y, data: ascii(y === 0 ? text : "") }));
    this.terms.frame(frameOf({ terminal, full: true, cols: 40, rows: 10, base: 100, changed, life: 9, seq: 4 }));
  }
}

test("terminals are wanted as text where their grid cells are 5 px high, the one in use first", () => {
  const d = new Desk([0, 0], [400, 0], [0, 5000]);
  ok(d.look(256));
  equal(d.near, [2, 1], "the nearest to the middle first; the third is not in view");
  d.terms.hear({ kind: "term-focus", terminal: 1 });
  equal(d.near, [1, 2]);
  ok(!d.look(256 * 0.3), "4.8 px: those that were stay");
  ok(d.look(256 * 0.27), "4.3 px");
  equal(d.near, []);
  ok(!d.look(256 * 0.3), "and come back no sooner than at 5");
  ok(d.look(256 * 0.1, 256), "what an animation leads to is fetched when it begins");
  equal(d.near.length, 2);
});

test("squares are wanted with pictures of terminals only where some are no text", () => {
  const d = new Desk([0, 0], [3000, 0]);
  d.look(256);
  const reach = (level: number, x: number, y: number): number => d.terms.reach(level, BigInt(x), BigInt(y));
  equal([reach(0, 0, 0), reach(0, 1, 0), reach(0, 2, 0), reach(0, 0, 1), reach(0, -1, 0)], [1, 1, 0, 0, 0]);
  equal([reach(0, 11, 0), reach(0, 12, 0), reach(0, 13, 0)], [2, 2, 0], "the second is not in view");
  equal([reach(2, 4, 2), reach(2, 5, 0), reach(-4, 0, 0), reach(-9, 0, 0), reach(-9, 1, 0)], [1, 0, 2, 2, 0]);
});

test("what is held is stated again, and what does not fit is asked for anew", () => {
  const d = new Desk([0, 0]);
  d.look(256);
  d.full(1, "hello");
  equal(d.terms.wants(9), [{ terminal: 1, life: 9, seq: 4 }]);
  d.terms.lost();
  equal(d.terms.wants(9), [{ terminal: 1, life: 9, seq: 4 }]);
  d.terms.frame(frameOf({ terminal: 1, life: 9, seq: 5, cols: 40, rows: 11, base: 100 }));
  ok(d.terms.missing);
  equal(d.terms.wants(9), [{ terminal: 1, life: 0, seq: 0 }]);
});

test("a terminal is drawn at whole pixels, and scaled while the view moves", () => {
  const d = new Desk([16, 32]);
  d.look(256);
  equal(d.shot()(100, 100), -1, "nothing has come: its picture stands for it");
  d.full(1, "HHHH");
  const p = d.shot();
  equal([p(15, 100), p(20, 100), p(335, 191) === -1, p(336, 100)], [-1, 0x101010, false, -1]);
  ok(p(16 + 1, 32 + 8) > 0xa0a0a0, "the left of an H");
  d.look(256 * 1.3);
  const q = d.shot(false);
  equal([q(19, 100), q(24, 100), q(430, 100), q(438, 100)], [-1, 0x101010, 0x101010, -1]);
  ok(d.terms.work(() => 0, true, () => false) === false && d.terms.painted(), "and painted anew when it rests");
});

test("text that was near stands in until pictures have come", () => {
  const d = new Desk([0, 0]);
  d.look(256);
  d.full(1, "HHHH");
  d.shot();
  d.look(40);
  ok(d.shot()(30, 15) === 0x101010, "in its place");
  d.covered = true;
  equal(d.shot()(30, 15), -1);
});

test("a link under the pointer is underlined", () => {
  const d = new Desk([0, 0]);
  d.look(256);
  d.full(1, "");
  const uri = new TextEncoder().encode("http://a");
  const row = Uint8Array.from([0, 3, 24, 0x61, 0x62, 0x63, 3 * 32 + 16, 0, 1, uri.length, ...uri, 0]);
  d.terms.frame(frameOf({ terminal: 1, life: 9, seq: 5, cols: 40, rows: 10, base: 100, changed: [{ y: 0, data: row }] }));
  equal(d.shot()(4, 14), 0x101010);
  d.terms.point(12, 8, false);
  ok(d.shot()(4, 14) > 0xa0a0a0);
  d.terms.hear({ kind: "term-link", terminal: 1, row: 100, x: 1, id: 5 });
  equal(d.told.at(-1), { kind: "term-text", id: 5, text: "http://a" });
  d.terms.point(12, 100, false);
  equal(d.shot()(4, 14), 0x101010);
});

test("questions of the page get their own answers back", () => {
  const d = new Desk([0, 0]);
  d.terms.ask(1, 70, { kind: "prompt", row: 5, above: true });
  d.terms.ask(1, 71, { kind: "cancel", value: true });
  const answer = { terminal: 1, rows: [], first: 0, end: 0, hits: [], done: true, more: false, row: 3, found: true, error: "" };
  d.terms.answer({ ...answer, id: d.asked[0]!.id });
  d.terms.answer({ ...answer, id: d.asked[0]!.id });
  equal(d.told.filter((m) => m.kind === "term-answer").map((m) => m.kind === "term-answer" && m.answer.id), [70], "once");
});

test("a font that a cut wire kept away is asked for again when it is needed, less and less often, without complaint", async () => {
  const faces: FontFace[] = [];
  const here = new Set<FontFace>();
  const fonts = { add: (f: FontFace) => (faces.push(f), here.add(f)), delete: (f: FontFace) => here.delete(f) };
  const was = Object.getOwnPropertyDescriptor(self, "fonts");
  Object.defineProperty(self, "fonts", { value: fonts, configurable: true });
  try {
    const d = new Desk([0, 0]);
    d.terms = new Terms(d, ["data:,no", "data:,font"]);
    d.list([[1, 0, 0]]);
    d.look(256);
    d.full(1, "x");
    d.look(256);
    const need = async (ms: number): Promise<number> => {
      d.terms.work(() => ms, true, () => false);
      await Promise.allSettled(faces.map((f) => f.loaded));
      await Promise.resolve();
      return faces.length;
    };
    equal(await need(0), 2);
    equal(here.size, 0, "what could not be loaded stands in nobody's way");
    equal(await need(999), 2, "too soon");
    equal(await need(1000), 4);
    equal(await need(2999), 4, "later each time");
    equal(await need(3000), 6);
    equal(faces.map((f) => f.weight).join(" "), "normal bold normal bold normal bold");
  } finally {
    if (was) Object.defineProperty(self, "fonts", was);
    else Reflect.deleteProperty(self, "fonts");
  }
});
