// termrow.ts and term/row.go read the same rows; termscreen.ts comes to the same screens as Go's shadow.
import { glyphText, Line, linkOf, SECOND, WIDE } from "../src/termrow.ts";
import { TermScreen } from "../src/termscreen.ts";
import { equal, goldenText, ok, test } from "./harness.ts";
import { ascii, frameOf, unhex } from "./termkit.ts";

interface Glyph {
  x: number;
  w: number;
  t: string;
  s?: number[];
  u?: string;
  i?: string;
}

function said(l: Line): Glyph[] {
  const all: Glyph[] = [];
  let run = 0;
  for (let x = 0; x < l.cells; x++) {
    const g = l.glyphs[x]!;
    if (g === SECOND) continue;
    while (l.to[run]! <= x) run++;
    const style = [l.fg[run]!, l.bg[run]!, l.line[run]!, l.attr[run]!];
    const { uri, id } = linkOf(l.link[run]!);
    const o: Glyph = { x, w: (g & WIDE) !== 0 ? 2 : 1, t: glyphText(g) };
    if (style.some((v) => v !== 0)) o.s = style;
    if (uri !== "") o.u = uri;
    if (id !== "") o.i = id;
    all.push(o);
  }
  return all;
}

test("rows say here what they say in Go, and what is no row there is none here", async () => {
  const line = new Line(4);
  for (const json of (await goldenText("term", "rows.jsonl")).trimEnd().split("\n")) {
    const want = JSON.parse(json) as { hex: string; flags: number; cells: number; glyphs: Glyph[] | null };
    const before = line.stamp;
    equal(line.read(unhex(want.hex)), want.glyphs !== null, want.hex);
    ok(line.stamp !== before, "another row has another stamp");
    if (want.glyphs === null) {
      equal(line.cells, 0, want.hex);
      continue;
    }
    equal([line.cells, (line.wrapped ? 1 : 0) | (line.mark << 1)], [want.cells, want.flags], want.hex);
    // An id without an address is no link here.
    for (const g of want.glyphs) if (g.u === undefined) delete g.i;
    equal(said(line), want.glyphs, want.hex);
  }
});

test("the screen equals the server's after every frame", async () => {
  const screen = new TermScreen();
  let seq = 0;
  for (const json of (await goldenText("term", "frames.jsonl")).trimEnd().split("\n")) {
    const f = JSON.parse(json) as { full: boolean; cols: number; rows: number; base: number; changed: Record<string, string>; screen: string[] };
    const changed = Object.entries(f.changed).map(([y, data]) => ({ y: Number(y), data: unhex(data) }));
    ok(screen.apply(frameOf({ ...f, changed, seq: ++seq })));
    equal(screen.lines.map((l) => l.text(0, l.cells).trimEnd()), f.screen, `frame ${seq}`);
  }
});

test("a frame that follows something else than is held is not taken, and nothing is held then", () => {
  const screen = new TermScreen();
  ok(!screen.apply(frameOf({})), "of nothing");
  ok(screen.apply(frameOf({ full: true, base: 5 })));
  ok(screen.held && screen.apply(frameOf({ base: 6 })));
  ok(!screen.apply(frameOf({ base: 5 })), "rows never move down");
  ok(!screen.held);
  ok(screen.apply(frameOf({ full: true, base: 5 })));
  ok(!screen.apply(frameOf({ base: 5, cols: 11 })), "of another size");
  ok(screen.apply(frameOf({ absent: true })) && screen.absent && !screen.held);
});

function scrolled(): TermScreen {
  const screen = new TermScreen();
  const changed = ["one two", "aaaaaaaaaa", "bbb  "].map((t, y) => ({ y, data: ascii(t, y === 1) }));
  screen.apply(frameOf({ full: true, base: 7, changed }));
  return screen;
}

test("selected text joins what a line goes on over, and leaves out blanks at its end", () => {
  const s = scrolled();
  equal(s.text(s.span({ row: 7, x: 4 }, { row: 9, x: 2 }, "cell", false)), "two\naaaaaaaaaabb");
  equal(s.text(s.span({ row: 9, x: 2 }, { row: 7, x: 4 }, "cell", false)), "two\naaaaaaaaaabb", "backwards");
  equal(s.text(s.span({ row: 7, x: 5 }, { row: 7, x: 5 }, "word", false)), "two");
  equal(s.span({ row: 8, x: 3 }, { row: 8, x: 3 }, "word", false), { from: { row: 8, x: 0 }, to: { row: 9, x: 3 }, block: false }, "a word goes on in the next row");
  equal(s.text(s.span({ row: 9, x: 1 }, { row: 9, x: 1 }, "word", false)), "aaaaaaaaaabbb", "and began in the one before");
  equal(s.text(s.span({ row: 9, x: 1 }, { row: 9, x: 1 }, "row", false)), "aaaaaaaaaabbb");
  equal(s.text(s.span({ row: 7, x: 5 }, { row: 9, x: 1 }, "cell", true)), "ne t\naaaa\nbb");
});

test("a wide glyph is selected whole", () => {
  const s = new TermScreen();
  const wide = Uint8Array.from([0, 4, (6 << 3) | 2, ...new TextEncoder().encode("漢字")]);
  s.apply(frameOf({ full: true, changed: [{ y: 0, data: wide }] }));
  s.selection = s.span({ row: 0, x: 1 }, { row: 0, x: 3 }, "cell", false);
  equal(s.selected(0, { from: 0, to: 0 }), { from: 0, to: 4 });
  equal(s.text(s.selection), "漢字");
});

test("rows that leave the screen are kept while somebody looks at the history", () => {
  const s = scrolled();
  s.top = 6;
  equal(s.lacks(6, 9), 6);
  s.recall({ id: 1, terminal: 1, rows: [{ y: 6, data: ascii("old") }], first: 6, end: 7, hits: [], done: true, more: false, row: 0, found: false, error: "" });
  s.apply(frameOf({ base: 9, changed: [{ y: 2, data: ascii("new") }] }));
  equal([6, 7, 8, 9, 10, 11].map((n) => s.row(n)?.text(0, 99).trimEnd()), ["old", "one two", "aaaaaaaaaa", "bbb", "", "new"]);
  equal([s.lacks(0, 12), s.shownFrom], [-1, 6]);
});

test("addresses are found over the rows they go on in", () => {
  const s = new TermScreen();
  const rows = ["see http:/", "/a.bc/d). ", "x"].map((t, y) => ({ y, data: ascii(t, y === 0) }));
  s.apply(frameOf({ full: true, changed: rows }));
  equal([s.link(0, 3), s.link(0, 4), s.link(1, 6), s.link(1, 7), s.link(2, 0)], ["", "http://a.bc/d", "http://a.bc/d", "", ""]);
});
