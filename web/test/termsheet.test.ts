import { GlyphCache } from "../src/termglyphs.ts";
import { Sheet, type Attention } from "../src/termsheet.ts";
import { TermScreen } from "../src/termscreen.ts";
import { Theme } from "../src/termtheme.ts";
import { equal, ok, test } from "./harness.ts";
import { ascii, frameOf } from "./termkit.ts";

const AWAY: Attention = { focused: false, link: 0 };

/** text is a row of runes of one cell each, in the colours and attributes of one style. */
function styled(text: string, fg = 0, bg = 0, attr = 0): Uint8Array {
  const t = new TextEncoder().encode(text);
  const cells = [...text].length;
  const uvarint = (v: number): number[] => (v < 128 ? [v] : [(v & 127) | 128, ...uvarint(v >> 7)]);
  const color = (c: number): number[] => (c === 0 ? [] : [c >> 16, (c >> 8) & 255, c & 255]);
  const head = cells * 32 + 16 + (bg !== 0 ? 12 : 4) + (fg !== 0 ? 3 : 1);
  return Uint8Array.from([0, ...uvarint(cells), ...uvarint(t.length * 8 + 1), ...t, ...uvarint(head), ...color(fg), ...color(bg), ...uvarint(attr), 1, 0, 0]);
}

class Shown {
  screen = new TermScreen();
  sheet = new Sheet();
  theme = new Theme();
  cache = new GlyphCache();
  attention = { ...AWAY };

  constructor(rows: Uint8Array[], readonly cols: number, cw: number) {
    ok(this.screen.apply(frameOf({ full: true, cols, rows: rows.length, changed: rows.map((data, y) => ({ y, data })) })));
    this.sheet.size(cw, 2 * cw, { x0: 0, y0: 0, x1: cols, y1: rows.length }, cols, rows.length);
  }

  paint(): number {
    return this.sheet.paint(this.screen, this.theme, this.attention, this.cache);
  }

  pixels(): { at: (x: number, y: number) => number; w: number; h: number } {
    this.paint();
    const { width: w, height: h } = this.sheet.canvas;
    const d = new Uint32Array(this.sheet.canvas.getContext("2d")!.getImageData(0, 0, w, h).data.buffer);
    return { at: (x, y) => ((d[y * w + x]! & 255) << 16) | (d[y * w + x]! & 0xff00) | ((d[y * w + x]! >> 16) & 255), w, h };
  }
}

// Sizes that no grid of pixels fits.
const SIZES = [5.3, 7.77, 8, 9.41, 13.6, 21.19];

test("no seam shows between blocks", () => {
  for (const cw of SIZES) {
    const s = new Shown(Array.from({ length: 6 }, () => styled("█▄▀▌▐▙▟▛▜ ▁▂▃▄▅▆▇🬂🬭", 0xff0000, 0xff0000)), 19, cw);
    const p = s.pixels();
    for (let y = 0; y < p.h; y++) for (let x = 0; x < p.w; x++) if (p.at(x, y) !== 0xff0000) throw new Error(`${cw}: pixel ${x},${y} is ${p.at(x, y).toString(16)}`);
  }
});

test("the lines of frames join at every border", () => {
  const rows = ["┌─┬┐╔═╦╗╓─╥╖╒═╤╕┏━┳┓╭─╮", "├─┼┤╠═╬╣╟─╫╢╞═╪╡┣━╋┫│ │", "│ ││║ ║║║ ║║│ ││┃ ┃┃│ │", "└─┴┘╚═╩╝╙─╨╜╘═╧╛┗━┻┛╰─╯"];
  for (const cw of SIZES) {
    const p = new Shown(rows.map((r) => styled(r, 0xffffff)), 23, cw).pixels();
    const edge = (i: number, step: number): number => Math.round(i * step);
    const lit = (x: number, y: number): boolean => (p.at(x, y) & 255) > 0x90;
    // What reaches a border from one side goes on at the other, pixel by pixel.
    for (let i = 1; i < 23; i++) {
      const x = edge(i, cw);
      for (let y = 0; y < p.h; y++) if (lit(x - 1, y) !== lit(x, y)) throw new Error(`${cw}: a line ends between columns ${i - 1} and ${i} at row ${y / (2 * cw)}`);
    }
    for (let j = 1; j < 4; j++) {
      const y = edge(j, 2 * cw);
      for (let x = 0; x < p.w; x++) if (lit(x, y - 1) !== lit(x, y)) throw new Error(`${cw}: a line ends between rows ${j - 1} and ${j} at column ${x / cw}`);
    }
  }
});

test("only rows that have changed are painted again", () => {
  const s = new Shown(["one", "two", "three"].map((t) => ascii(t)), 10, 8);
  equal([s.paint(), s.paint()], [3, 0]);
  s.screen.apply(frameOf({ rows: 3, changed: [{ y: 1, data: ascii("TWO") }] }));
  equal(s.paint(), 1);
  s.screen.select({ row: 0, x: 1 }, { row: 1, x: 2 }, "cell", false);
  equal(s.paint(), 2, "what is selected");
  s.screen.cursor = { x: 3, y: 2, visible: true, blink: false, shape: 1 };
  equal(s.paint(), 1, "where the cursor is");
  s.attention.focused = true;
  equal(s.paint(), 1, "and how it looks");
  s.screen.apply(frameOf({ rows: 3, base: 1 }));
  equal(s.paint(), 3, "all, when they moved");
  s.cache.renew();
  equal(s.paint(), 3, "all, when a font has come");
});

test("what a program says of text shows", () => {
  const at = (attr: number, fg = 0x00ff00, bg = 0x000080): { ink: number; paper: number; rows: number[]; p: { at: (x: number, y: number) => number } } => {
    const p = new Shown([styled("H ", fg, bg, attr)], 2, 16).pixels();
    let ink = 0;
    let paper = 0;
    const rows: number[] = [];
    for (let y = 0; y < p.h; y++) {
      let n = 0;
      for (let x = 0; x < p.w; x++) {
        if (p.at(x, y) === fg) ink++;
        if (p.at(x, y) === bg) paper++;
        if (x >= 16 && p.at(x, y) !== bg) n++; // beside the glyph
      }
      rows.push(n);
    }
    return { ink, paper, rows, p };
  };
  const plain = at(0);
  ok(plain.ink > 30 && plain.paper > 700, `plain: ${plain.ink} of ink on ${plain.paper}`);
  ok(at(1).ink > plain.ink, "bold is bolder");
  equal(at(2).ink, 0, "faint is of another colour");
  ok(at(32).paper < at(32).ink, "inverse");
  equal(at(64).paper, 16 * 2 * 32, "hidden");
  const lines = (attr: number): number[] => at(attr).rows.flatMap((n, y) => (n > 0 ? [y] : []));
  equal(lines(128), [17, 18], "struck through");
  equal(lines(256), [0, 1], "a line over it");
  equal(lines(1 << 9), [27, 28], "underlined");
  ok(lines(2 << 9).length === 4 && lines(3 << 9).length > 4, "twice, and curly");
  for (const kind of [4, 5]) {
    const n = at(kind << 9).rows[27]!;
    ok(n > 4 && n < 13, `dots and dashes have gaps: ${n}`);
  }
});

test("a cursor is a block where the keyboard is, and hollow elsewhere", () => {
  const s = new Shown([ascii("a")], 4, 10);
  s.screen.cursor = { x: 2, y: 0, visible: true, blink: false, shape: 0 };
  const cover = (): number[] => {
    const p = s.pixels();
    return [p.at(25, 10), p.at(20, 10), p.at(25, 19), p.at(15, 10)].map((c) => (c === 0xd8d8d8 ? 1 : 0));
  };
  equal(cover(), [0, 1, 1, 0]);
  s.attention.focused = true;
  equal(cover(), [1, 1, 1, 0]);
  s.screen.cursor = { ...s.screen.cursor, shape: 2 };
  equal(cover(), [0, 0, 1, 0]);
  s.screen.cursor = { ...s.screen.cursor, shape: 3 };
  equal(cover(), [0, 1, 0, 0]);
  s.screen.cursor = { ...s.screen.cursor, visible: false };
  equal(cover(), [0, 0, 0, 0]);
});

test("a wide glyph fills two grid cells and no more", () => {
  const wide = Uint8Array.from([0, 4, 8, 0x5b, (3 << 3) | 2, ...new TextEncoder().encode("漢"), 8, 0x5d]);
  const p = new Shown([wide], 4, 16).pixels();
  const ink = (from: number, to: number): number => {
    let n = 0;
    for (let y = 0; y < p.h; y++) for (let x = from; x < to; x++) if (p.at(x, y) !== 0x101010) n++;
    return n;
  };
  ok(ink(16, 32) > 10 && ink(32, 48) > 10, "both are inked");
  const alone = new Shown([ascii("[  ]")], 4, 16).pixels();
  for (const x of [0, 48]) for (let y = 0; y < p.h; y++) for (let i = x; i < x + 16; i++) equal(p.at(i, y), alone.at(i, y));
});
