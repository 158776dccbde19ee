import { dark, fresh, Kit, load, palette, papers, widthLimits } from "../src/ui/kit.ts";
import { initials } from "../src/ui/corners.ts";
import { typed } from "../src/ui/dialogs.ts";
import { equal, ok, test } from "./harness.ts";

const key = "fractal.prefs";

test("what is remembered comes back", () => {
  localStorage.clear();
  const k = new Kit(load());
  k.change((p) => {
    p.tool = "eraser";
    p.pen.hue = 5;
    p.name = "Ana";
  });
  const p = load();
  equal([p.tool, p.pen.hue, p.name], ["eraser", 5, "Ana"]);
});

for (const [name, text] of [
  ["nothing", null], ["no JSON", "{"], ["a number", "7"], ["null", "null"], ["other types", `{"tool":7,"pen":"x","name":{},"eraser":{"width":"wide"}}`],
  ["numbers out of range", `{"tool":"chisel","wheel":"round","pen":{"hue":99,"width":-7,"customWidth":1e9},"name":"${"n".repeat(500)}"}`],
] as const) {
  test(`prefs of ${name} are as new where they make no sense`, () => {
    localStorage.clear();
    if (text !== null) localStorage.setItem(key, text);
    const p = load();
    ok(["pen", "highlighter", "eraser", "hand"].includes(p.tool), p.tool);
    ok(["auto", "mouse", "trackpad"].includes(p.wheel), p.wheel);
    ok(p.name.length > 0 && p.name.length <= 40, p.name);
    for (const t of ["pen", "highlighter", "eraser"] as const) {
      const k = new Kit(p);
      const w = k.widthOf(t);
      ok(w >= widthLimits[0] && w <= widthLimits[1], `${t}: ${w} px`);
      ok(Number.isInteger(k.colorOf(t)), `${t}: ${k.colorOf(t)}`);
    }
  });
}

test("the first ink is the contrast to the paper", () => {
  equal(papers.map((p) => dark(p.color)), [false, false, false, false, true, true]);
  equal(palette("pen", 0xffffffff)[0]!.name, "Black");
  equal(palette("pen", 0x16161aff)[0]!.name, "White");
});

test("thinner and thicker go through the widths and stop at the ends", () => {
  localStorage.clear();
  const k = new Kit(fresh(() => 0));
  const seen = [k.widthOf("pen")];
  for (let i = 0; i < 5; i++) {
    k.step(1);
    seen.push(k.widthOf("pen"));
  }
  equal(seen, [4, 8, 16, 16, 16, 16]);
  k.change((p) => {
    p.pen.width = -1;
    p.pen.customWidth = 5;
  });
  k.step(-1);
  equal(k.widthOf("pen"), 4);
});

test("initials are whole characters of any script", () => {
  equal(["Ana", "  Ben  de  Vries ", "", "李 小龙", "👩‍🚀 X", "é"].map(initials), ["A", "BV", "?", "李小", "👩X", "É"]);
});

test("a place may be typed as a link, as what stands in one, or as a level", () => {
  const here = { level: 3, x: 5n << 24n, y: -(7n << 24n), scale: 1.2 };
  const there = { level: 2, x: 1n << 24n, y: -(1n << 24n), scale: 1 };
  equal(typed("http://example.org/c/a#v=2,1,-1,1", here), there);
  equal(typed(" v=2,1,-1,1 ", here), there);
  equal(typed("2,1,-1,1", here), there);
  equal(typed("2^5", here), { level: 5, x: 20n << 24n, y: -(28n << 24n), scale: 1 });
  equal(typed("−1", here)?.level, -1);
  for (const wrong of ["", "somewhere", "2^99999", "#v=1,2", "1e9"]) equal(typed(wrong, here), undefined, wrong);
});
