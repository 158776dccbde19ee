import { type Contact, TermHand, type Under } from "../src/input/termhand.ts";
import { equal, test } from "./harness.ts";

const plain: Under = { spot: { left: 0, top: 0, width: 640, height: 384, cell: 8, x: 0, y: 0 }, cols: 80, rows: 24, top: 1000, live: true, modes: 0, mouse: 0, types: true };

function setup(under: Partial<Under> = {}): { hand: TermHand; said: string[]; u: Under } {
  const said: string[] = [];
  const u = { ...plain, ...under };
  const hand = new TermHand({
    under: () => u,
    send: (w) => {
      if (w.kind === "mouse") said.push(`mouse ${w.button} ${w.motion ? "moves" : w.press === 3 ? "up" : "down"} ${w.x},${w.y} ${w.mods}`);
      if (w.kind === "key") said.push(`key ${w.code.toString(16)}`);
    },
    select: (from, to, by, block) => said.push(to ? `select ${by}${block ? " block" : ""} ${from.row}:${from.x}-${to.row}:${to.x}` : "nothing"),
    scroll: (n) => said.push(`scroll ${n}`),
    link: (at) => said.push(`link ${at.row}:${at.x}`),
  });
  return { hand, said, u };
}

let clock = 0;
const at = (x: number, y: number, o: Partial<Contact> = {}): Contact => ({ device: "mouse", x, y, t: (clock += 1000), button: 0, shift: false, alt: false, ctrl: false, ...o });

test("a drag selects from border to border", () => {
  const { hand, said } = setup();
  hand.down(at(9, 20));
  hand.move(at(50, 20));
  hand.move(at(83, 40));
  hand.up(at(83, 40));
  equal(said, ["select cell 1001:1-1001:6", "select cell 1001:1-1002:10"]);
});

test("a click takes the selection away", () => {
  const { hand, said } = setup();
  hand.down(at(9, 20));
  hand.up(at(10, 20));
  equal(said, ["nothing"]);
});

test("two clicks select a word, three a line, and dragging goes on by words", () => {
  const { hand, said } = setup();
  for (let i = 0; i < 3; i++) {
    hand.down(at(100, 20, { t: 5000 + 100 * i }));
    if (i === 1) hand.move(at(300, 20, { t: 5110 }));
    hand.up(at(100, 20, { t: 5150 + 100 * i }));
  }
  equal(said, ["nothing", "select word 1001:12-1001:12", "select word 1001:12-1001:37", "select row 1001:12-1001:12"]);
});

test("alt selects a block, shift extends", () => {
  const { hand, said } = setup();
  hand.down(at(8, 0, { alt: true }));
  hand.move(at(80, 100, { alt: true }));
  hand.up(at(80, 100));
  hand.down(at(160, 100, { shift: true }));
  hand.up(at(160, 100));
  equal(said, ["select cell block 1000:1-1006:10", "select cell 1000:1-1006:20"]);
});

test("what lies past the edges is selected whole, and the history moves on", () => {
  const { hand, said } = setup();
  hand.down(at(80, 100));
  hand.move(at(80, -33));
  equal(hand.beyond(), -3);
  hand.move(at(80, 500));
  equal(hand.beyond(), 8);
  equal(said, ["select cell 1006:10-1000:0", "select cell 1006:10-1023:80"]);
  hand.up(at(80, 500));
  equal(hand.beyond(), 0);
});

test("a program that wants the mouse gets it, shift keeps it", () => {
  const { hand, said, u } = setup({ mouse: 2 });
  hand.down(at(80, 100, { button: 2, ctrl: false, alt: true }));
  hand.move(at(90, 100));
  hand.up(at(90, 100, { button: 2 }));
  u.mouse = 3;
  hand.down(at(80, 100));
  hand.move(at(90, 100));
  hand.up(at(90, 100));
  hand.move(at(200, 100));
  u.mouse = 4;
  hand.move(at(208, 100));
  hand.move(at(209, 100));
  hand.down(at(80, 100, { shift: true }));
  hand.move(at(120, 100, { shift: true }));
  hand.up(at(120, 100));
  equal(said, [
    "mouse 3 down 10,6 2", "mouse 3 up 11,6 0", "mouse 1 down 10,6 0", "mouse 1 moves 11,6 0", "mouse 1 up 11,6 0", "mouse 0 moves 26,6 0",
    "select cell 1006:10-1006:15",
  ]);
});

test("who only looks on sends no mouse, and in the history nobody does", () => {
  for (const u of [{ mouse: 4, types: false }, { mouse: 4, live: false }]) {
    const { hand, said } = setup(u);
    hand.move(at(10, 10));
    hand.down(at(8, 100));
    hand.move(at(160, 100));
    hand.up(at(160, 100));
    hand.wheel(-100, true, at(10, 10));
    equal(said, ["select cell 1006:1-1006:20", "scroll -3"]);
  }
});

test("the wheel scrolls the history, or turns for the program, or is its cursor keys", () => {
  const scrolls = setup();
  scrolls.hand.wheel(-100, true, at(10, 10));
  for (let i = 0; i < 5; i++) scrolls.hand.wheel(7, false, at(10, 10)); // 35 px: two lines, and three px left
  equal(scrolls.said, ["scroll -3", "scroll 1", "scroll 1"]);
  const reports = setup({ mouse: 2, modes: 3 });
  reports.hand.wheel(100, true, at(10, 10));
  reports.hand.wheel(-100, true, at(10, 10));
  equal(reports.said, ["mouse 5 down 1,0 0", "mouse 4 down 1,0 0"]);
  const keys = setup({ modes: 3 });
  keys.hand.wheel(-100, true, at(10, 10));
  equal(keys.said, ["key f0004", "key f0004", "key f0004"]);
  const none = setup({ modes: 1 });
  none.hand.wheel(-100, true, at(10, 10));
  equal(none.said, []);
});

test("a finger scrolls, and taps for a program that wants the mouse", () => {
  const { hand, said } = setup({ mouse: 0 });
  hand.down(at(100, 100, { device: "touch" }));
  hand.move(at(100, 140, { device: "touch" }));
  hand.up(at(100, 140, { device: "touch" }));
  equal(said, ["scroll -2"]);
  const taps = setup({ mouse: 2 });
  taps.hand.down(at(100, 100, { device: "touch" }));
  taps.hand.up(at(100, 100, { device: "touch" }));
  equal(taps.said, ["mouse 1 down 12,6 0", "mouse 1 up 12,6 0"]);
});

test("control and a click follow a link", () => {
  const { hand, said } = setup({ mouse: 4 });
  hand.down(at(100, 20, { ctrl: true }));
  equal(said, ["link 1001:12"]);
});
