import { chordOf, type Report, termKey } from "../src/input/termkeys.ts";
import type { TermKey } from "../src/wire.ts";
import { equal, goldenText, ok, test } from "./harness.ts";

interface Line {
  name: string;
  report: Report;
  kitty?: number;
  mac?: boolean;
  layout?: Record<string, string>;
  key: TermKey | null;
}

// vt's TestKeysOfBrowsers holds the same lines to what the program reads.
test("the keys of browsers are what the terminal core is told", async () => {
  const lines = (await goldenText("vt", "keys.jsonl")).trim().split("\n").map((l) => JSON.parse(l) as Line);
  ok(lines.length > 50, "the table is there");
  for (const l of lines) {
    const layout = l.layout && new Map(Object.entries(l.layout));
    equal(termKey(l.report, l.kitty ?? 0, { mac: l.mac ?? false, layout }) ?? null, l.key, l.name);
  }
});

const chords: [string, Report, boolean, string | undefined][] = [
  ["leave", { key: "Escape", code: "Escape", ctrl: true, shift: true }, false, "leave"],
  ["leave where the system keeps that", { key: "Enter", code: "Enter", ctrl: true, shift: true }, false, "leave"],
  ["escape alone is the program's", { key: "Escape", code: "Escape" }, false, undefined],
  ["copy", { key: "C", code: "KeyC", ctrl: true, shift: true }, false, "copy"],
  ["control and c is the program's", { key: "c", code: "KeyC", ctrl: true }, false, undefined],
  ["the command key on a Mac", { key: "c", code: "KeyC", meta: true }, true, "copy"],
  ["the super key elsewhere", { key: "c", code: "KeyC", meta: true }, false, undefined],
  ["paste, as terminals have it", { key: "Insert", code: "Insert", shift: true }, false, "paste"],
  ["prompts", { key: "ArrowUp", code: "ArrowUp", ctrl: true, shift: true }, false, "prompt-above"],
];
for (const [name, r, mac, want] of chords) test(`chord: ${name}`, () => equal(chordOf(r, mac), want as ReturnType<typeof chordOf>));
