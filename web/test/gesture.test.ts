import { type Action, type Contact, Gesture, type Mode } from "../src/input/gesture.ts";
import { equal, near, ok, test } from "./harness.ts";

const draw: Mode = { hand: false, penMode: false };
const hand: Mode = { hand: true, penMode: false };
const penMode: Mode = { hand: false, penMode: true };

// ev writes an event shortly: "touch 1 down 10 20 @30", or "mouse 1 move 5 5 @0 buttons 0".
function ev(s: string): Contact {
  const m = /^(mouse|pen|touch) (\d+) (down|move|up|cancel) (\S+) (\S+) @(\S+)(?: button (\d))?(?: buttons (\d+))?( shift)?$/.exec(s)!;
  const type = m[3] as Contact["type"];
  const button = m[7] === undefined ? (type === "move" ? -1 : 0) : Number(m[7]);
  return {
    device: m[1] as Contact["device"], id: Number(m[2]), type, x: Number(m[4]), y: Number(m[5]), t: Number(m[6]), button,
    buttons: m[8] === undefined ? (type === "up" ? 0 : 1) : Number(m[8]), shift: m[9] !== undefined,
  };
}

function run(mode: Mode, ...events: string[]): Action[] {
  const g = new Gesture();
  return events.flatMap((e) => g.handle(ev(e), mode));
}

const kinds = (actions: Action[]): string => actions.map((a) => a.kind).join(" ");

// name, mode, events, the kinds of action they give
const table: [string, Mode, string[], string][] = [
  ["a mouse draws", draw, ["mouse 1 down 0 0 @0", "mouse 1 move 5 5 @10", "mouse 1 up 9 9 @20"], "begin extend extend end"],
  ["a dot is a stroke", draw, ["mouse 1 down 3 3 @0", "mouse 1 up 3 3 @40"], "begin extend end"],
  ["a pen draws, and is noticed once it touches", draw, ["pen 2 down 0 0 @0", "pen 2 up 1 1 @9"], "pen begin extend end"],
  ["a pen in pen mode is no news", penMode, ["pen 2 down 0 0 @0", "pen 2 up 1 1 @9"], "begin extend end"],
  ["one finger draws", draw, ["touch 1 down 0 0 @0", "touch 1 move 4 0 @9", "touch 1 move 20 0 @18", "touch 1 up 30 0 @27"], "begin extend extend sure extend end"],
  ["a finger that rests is sure of itself", draw, ["touch 1 down 0 0 @0", "touch 1 move 1 0 @200"], "begin extend sure"],
  ["a second finger cancels the stroke", draw, ["touch 1 down 0 0 @0", "touch 1 move 3 0 @20", "touch 2 down 99 0 @60"], "begin extend cancel pinch"],
  ["a second finger cancels even a long stroke", draw, ["touch 1 down 0 0 @0", "touch 1 move 50 0 @500", "touch 2 down 99 0 @600"], "begin extend sure cancel pinch"],
  ["the finger that remains does not draw", draw, ["touch 1 down 0 0 @0", "touch 2 down 99 0 @9", "touch 1 move 50 0 @50", "touch 1 up 50 0 @60", "touch 2 move 150 0 @90", "touch 2 up 150 0 @400"],
    "begin cancel pinch pinch pinch pinch drop"],
  ["two fingers tap: undo", draw, ["touch 1 down 0 0 @0", "touch 2 down 99 0 @40", "touch 1 move 3 2 @60", "touch 1 up 3 2 @90", "touch 2 up 99 0 @120"], "begin cancel pinch pinch drop undo"],
  ["three fingers tap: redo", draw, ["touch 1 down 0 0 @0", "touch 2 down 50 0 @20", "touch 3 down 99 0 @40", "touch 2 up 50 0 @90", "touch 1 up 0 0 @99", "touch 3 up 99 0 @120"], "begin cancel pinch pinch pinch pinch drop redo"],
  ["a slow tap is none", draw, ["touch 1 down 0 0 @0", "touch 2 down 99 0 @40", "touch 1 up 0 0 @600", "touch 2 up 99 0 @620"], "begin cancel pinch pinch drop"],
  ["a pinch is no tap", draw, ["touch 1 down 0 0 @0", "touch 2 down 99 0 @10", "touch 2 move 140 0 @50", "touch 1 up 0 0 @90", "touch 2 up 140 0 @99"], "begin cancel pinch pinch pinch drop"],
  ["the middle button pans", draw, ["mouse 1 down 0 0 @0 button 1 buttons 4", "mouse 1 move 9 0 @9 buttons 4", "mouse 1 up 9 0 @300 button 1"], "grab pan drop"],
  ["the right button pans", draw, ["mouse 1 down 0 0 @0 button 2 buttons 2", "mouse 1 move 9 0 @9 buttons 2", "mouse 1 up 9 0 @300 button 2"], "grab pan drop"],
  ["a pen's barrel button pans", penMode, ["pen 1 down 0 0 @0 button 2 buttons 2", "pen 1 move 9 0 @9 buttons 2"], "grab pan"],
  ["the hand pans", hand, ["mouse 1 down 0 0 @0", "mouse 1 move 2 0 @5", "mouse 1 move 9 0 @9", "mouse 1 up 9 0 @300"], "grab pan drop"],
  ["the hand's double click zooms", hand, ["mouse 1 down 5 5 @0", "mouse 1 up 5 5 @50", "mouse 1 down 6 5 @200", "mouse 1 up 6 5 @250"], "grab drop grab drop zoom"],
  ["two clicks far apart are no double click", hand, ["mouse 1 down 5 5 @0", "mouse 1 up 5 5 @50", "mouse 1 down 95 5 @200", "mouse 1 up 95 5 @250"], "grab drop grab drop"],
  ["a third click needs a fourth", hand, ["mouse 1 down 5 5 @0", "mouse 1 up 5 5 @9", "mouse 1 down 5 5 @99", "mouse 1 up 5 5 @100", "mouse 1 down 5 5 @200", "mouse 1 up 5 5 @210"], "grab drop grab drop zoom grab drop"],
  ["in pen mode a finger pans", penMode, ["touch 1 down 0 0 @0", "touch 1 move 20 0 @20", "touch 1 up 20 0 @300"], "grab pan drop"],
  ["a palm beside the pen is ignored", penMode, ["pen 9 down 0 0 @0", "touch 1 down 50 50 @5", "touch 1 move 80 80 @9", "touch 1 up 80 80 @12", "pen 9 up 1 1 @20"], "begin extend end"],
  ["a palm before the pen stops panning", penMode, ["touch 1 down 50 50 @0", "touch 1 move 80 80 @9", "pen 9 down 0 0 @20", "touch 1 move 90 90 @25", "pen 9 up 5 5 @40"], "grab pan drop begin extend end"],
  ["a palm that drew before the first pen is taken back", draw, ["touch 1 down 50 50 @0", "touch 1 move 80 80 @9", "pen 9 down 0 0 @20", "touch 1 up 90 90 @25", "pen 9 up 5 5 @40"], "begin extend sure pen cancel begin extend end"],
  ["the browser's cancel drops the stroke", draw, ["touch 1 down 0 0 @0", "touch 1 move 50 0 @20", "touch 1 cancel 50 0 @30"], "begin extend sure cancel"],
  ["the browser's cancel of a pinch is no tap", draw, ["touch 1 down 0 0 @0", "touch 2 down 50 0 @20", "touch 1 cancel 0 0 @30", "touch 2 cancel 0 0 @31"], "begin cancel pinch pinch drop"],
  ["a lost up ends the stroke at the next move", draw, ["mouse 1 down 0 0 @0", "mouse 1 move 9 9 @9 buttons 0", "mouse 1 move 20 20 @20 buttons 0"], "begin extend end"],
  ["another button does not disturb a stroke", draw, ["mouse 1 down 0 0 @0", "mouse 1 move 9 9 @9 buttons 3", "mouse 1 up 9 9 @20"], "begin extend extend end"],
  ["back and forward buttons draw nothing", draw, ["mouse 1 down 0 0 @0 button 3 buttons 8", "mouse 1 up 0 0 @9 button 3"], ""],
  ["what is no place is ignored", draw, ["mouse 1 down NaN 0 @0", "mouse 1 down 0 Infinity @0", "touch 1 down 0 0 @NaN"], ""],
  ["moves without contact are nothing", draw, ["mouse 1 move 0 0 @0 buttons 0", "touch 4 move 0 0 @1", "touch 4 up 0 0 @2"], ""],
];

for (const [name, mode, events, want] of table) {
  test(name, () => equal(kinds(run(mode, ...events)), want));
}

test("the eraser end of a pen erases", () => {
  equal(run(penMode, "pen 2 down 0 0 @0 button 5 buttons 32")[0], { kind: "begin", device: "pen", eraser: true });
});

test("a pinch says how far since it began, and where the hand is", () => {
  const g = new Gesture();
  const all = ["touch 1 down 100 100 @0", "touch 2 down 200 100 @10", "touch 2 move 240 100 @20", "touch 2 move 340 100 @40", "touch 1 move 140 100 @50"]
    .flatMap((e) => g.handle(ev(e), draw));
  const pinches = all.filter((a) => a.kind === "pinch");
  equal(pinches.map((p) => p.begin), [true, true, false, false]);
  const [, begin, wider, narrower] = pinches as { x: number; k: number }[];
  near(begin!.x, 170, 1e-9);
  near(wider!.k, 240 / 140, 1e-9, "k");
  near(wider!.x, 220, 1e-9, "x");
  near(narrower!.k, 200 / 140, 1e-9, "k");
});

test("two fingers on one spot give finite zooms", () => {
  const g = new Gesture();
  const all = ["touch 1 down 50 50 @0", "touch 2 down 50 50 @1", "touch 2 move 80 50 @20", "touch 2 move 50 50 @40", "touch 2 move 5000 50 @60"]
    .flatMap((e) => g.handle(ev(e), draw));
  for (const a of all) if (a.kind === "pinch") ok(Number.isFinite(a.k) && a.k > 0, `k = ${a.k}`);
});

test("a throw has the speed of the hand, a rest has none", () => {
  const fling = run(hand, "touch 1 down 0 0 @0", "touch 1 move 20 0 @20", "touch 1 move 40 0 @40", "touch 1 move 60 0 @60", "touch 1 up 60 0 @65").at(-1)!;
  ok(fling.kind === "drop");
  near(fling.vx, 1, 1e-9, "px/ms");
  const rest = run(hand, "touch 1 down 0 0 @0", "touch 1 move 20 0 @20", "touch 1 move 60 0 @60", "touch 1 up 60 0 @400").at(-1)!;
  equal(rest, { kind: "drop", vx: 0, vy: 0 });
});

test("escape drops a stroke, and the finger stays dead until it is lifted", () => {
  const g = new Gesture();
  g.handle(ev("touch 1 down 0 0 @0"), draw);
  equal(kinds(g.abort()), "cancel");
  equal(g.handle(ev("touch 1 move 50 0 @10"), draw), []);
  equal(g.handle(ev("touch 1 up 50 0 @20"), draw), []);
  equal(kinds(g.handle(ev("touch 1 down 0 0 @30"), draw)), "begin");
});

test("every stroke that begins ends or is cancelled, whatever happens", () => {
  let seed = 7;
  const dice = (n: number): number => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  const g = new Gesture();
  let open = 0;
  for (let i = 0; i < 20000; i++) {
    const device = (["mouse", "pen", "touch", "touch"] as const)[dice(4)]!;
    const type = (["down", "move", "move", "up", "cancel"] as const)[dice(5)]!;
    const c: Contact = {
      device, type, id: device === "touch" ? 1 + dice(4) : device === "pen" ? 10 : 11, x: dice(300), y: dice(300), t: i * 7,
      button: [0, 0, 0, 1, 2, 5, 3][dice(7)]!, buttons: dice(3), shift: dice(2) === 0,
    };
    for (const a of g.handle(c, [draw, hand, penMode][dice(3)]!)) {
      if (a.kind === "begin") open++;
      if (a.kind === "end" || a.kind === "cancel") open--;
      if (a.kind === "extend" || a.kind === "sure") ok(open === 1, `event ${i}: ${a.kind} without a stroke`);
      ok(open === 0 || open === 1, `event ${i}: ${open} strokes at once`);
    }
    equal(g.drawing, open === 1, `event ${i}`);
  }
});
