import { Wheel, type WheelAction, type WheelInput, type WheelMode } from "../src/input/wheel.ts";
import { equal, near, ok, test } from "./harness.ts";

const still: WheelInput = { deltaX: 0, deltaY: 0, deltaMode: 0, ctrl: false, shift: false, t: 0 };
const act = (e: Partial<WheelInput>, mode: WheelMode = "auto"): WheelAction => new Wheel().act({ ...still, ...e }, mode);

const step = Math.cbrt(2);

const table: [string, Partial<WheelInput>, WheelMode, string][] = [
  ["a notch of a mouse zooms out", { deltaY: 100 }, "auto", "zoom out"],
  ["a notch the other way zooms in", { deltaY: -120 }, "auto", "zoom in"],
  ["Firefox counts lines", { deltaY: 3, deltaMode: 1 }, "auto", "zoom out"],
  ["a notch of an accelerated wheel", { deltaY: 4.000244140625, notches: -120 }, "auto", "zoom out"],
  ["two fingers pan", { deltaX: 3, deltaY: 11 }, "auto", "pan -3 -11"],
  ["two fingers straight down pan", { deltaY: 7, notches: -21 }, "auto", "pan 0 -7"],
  ["a fast swipe straight down pans", { deltaY: 120, notches: -360 }, "auto", "pan 0 -120"],
  ["a pinch zooms", { deltaY: -2.5, ctrl: true }, "auto", "zoom in"],
  ["shift turns the wheel sideways", { deltaY: 100, shift: true }, "auto", "pan -100 0"],
  ["a mouse that was told so zooms by any delta", { deltaY: 5 }, "mouse", "zoom out"],
  ["a trackpad that was told so pans by any delta", { deltaY: 100 }, "trackpad", "pan 0 -100"],
  ["a trackpad still zooms with ctrl", { deltaY: 3, ctrl: true }, "trackpad", "zoom out"],
  ["nothing is nothing", {}, "auto", "none"],
  ["nothing with ctrl is nothing", { ctrl: true }, "mouse", "none"],
  ["no number is nothing", { deltaX: NaN, deltaY: NaN, deltaMode: 1 }, "auto", "none"],
];

function told(a: WheelAction): string {
  switch (a.kind) {
    case "none": return "none";
    case "pan": return `pan ${a.dx} ${a.dy}`;
    case "zoom": return a.k > 1 ? "zoom in" : "zoom out";
  }
}

for (const [name, e, mode, want] of table) test(name, () => equal(told(act(e, mode)), want));

test("three notches are a doubling, however they arrive", () => {
  const one = act({ deltaY: -100 });
  ok(one.kind === "zoom" && one.notch);
  near(one.k, step, 1e-12);
  const three = act({ deltaY: -300 });
  ok(three.kind === "zoom");
  near(three.k, 2, 1e-12);
});

test("huge deltas stay bounded", () => {
  for (const d of [1e9, -1e9, Number.MAX_VALUE, Infinity]) {
    for (const ctrl of [false, true]) {
      for (const mode of ["auto", "mouse", "trackpad"] as const) {
        const a = act({ deltaX: d, deltaY: d, ctrl }, mode);
        if (a.kind === "zoom") ok(a.k >= 0.4999 && a.k <= 2.0001, `zoom by ${a.k}`);
        if (a.kind === "pan") ok(Math.abs(a.dx) <= 2000 && Math.abs(a.dy) <= 2000, `pan by ${a.dx} ${a.dy}`);
      }
    }
  }
});

test("a swipe stays a swipe to its end, even where it looks like a notch", () => {
  const w = new Wheel();
  const at = (t: number, deltaX: number, deltaY: number): string => told(w.act({ ...still, deltaX, deltaY, t }, "auto"));
  equal(at(0, 1, 40), "pan -1 -40");
  equal(at(16, 0, 100), "pan 0 -100");
  equal(at(1000, 0, 100), "zoom out");
});
