import { ariaKeys, chord, commandOf, commands, holdOf, type Key, shown } from "../src/input/keys.ts";
import { equal, ok, test } from "./harness.ts";

function key(s: string, code = ""): Key {
  const mods = s.split("+").slice(0, -1);
  return {
    key: s.endsWith("+") ? "+" : s.split("+").at(-1)!, code, ctrlKey: mods.includes("Ctrl"), metaKey: mods.includes("Meta"),
    altKey: mods.includes("Alt"), shiftKey: mods.includes("Shift"),
  };
}

test("no chord is in the table twice", () => {
  const seen = new Map<string, string>();
  for (const c of commands) {
    for (const k of c.keys) {
      ok(!seen.has(k), `${k} is ${seen.get(k)} and ${c.id}`);
      seen.set(k, c.id);
    }
  }
  equal(new Set(commands.map((c) => c.id)).size, commands.length, "commands");
});

test("what the table says is what a key does", () => {
  for (const c of commands) {
    for (const k of c.keys) {
      const last = k.endsWith("+") ? "+" : k.split("+").at(-1)!;
      const digit = /^[0-9]$/.test(last);
      const press: Key = {
        key: last === "Space" ? " " : digit && k.includes("Shift") ? "!" : last.length === 1 ? last.toLowerCase() : last,
        code: last === "Space" ? "Space" : digit ? `Digit${last}` : "",
        ctrlKey: k.includes("Ctrl+"), metaKey: false, altKey: k.includes("Alt+"), shiftKey: k.includes("Shift+"),
      };
      equal(commandOf(press)?.id, c.id, k);
    }
  }
});

const presses: [string, Key, string | undefined][] = [
  ["a letter", key("p"), "pen"],
  ["a letter with caps lock", key("P"), "pen"],
  ["command is control", key("Meta+z"), "undo"],
  ["control and shift", key("Ctrl+Shift+Z"), "redo"],
  ["plus on a US keyboard, unshifted", key("="), "zoom-in"],
  ["plus on a German keyboard", key("+", "BracketRight"), "zoom-in"],
  ["plus on the number block", key("+", "NumpadAdd"), "zoom-in"],
  ["control and plus, so that the page does not grow", key("Ctrl+="), "zoom-in"],
  ["shift and equals is plus at the pointer", key("Shift++"), "zoom-in-here"],
  ["shift and minus", key("Shift+_"), "zoom-out-here"],
  ["question mark needs shift on most keyboards", key("Shift+?"), "help"],
  ["shift and zero by place, whatever it prints", key("Shift+)", "Digit0"), "home"],
  ["bracket by place", key("ü", "BracketLeft"), "thinner"],
  ["digit by place on a French keyboard", key("&", "Digit1"), "color-1"],
  ["space", key(" ", "Space"), "pan-hold"],
  ["control and a tool's letter is the browser's", key("Ctrl+p"), undefined],
  ["an unknown key", key("F5"), undefined],
];
for (const [name, k, want] of presses) test(name, () => equal(commandOf(k)?.id, want, chord(k)));

test("a held key is let go whatever else is held by then", () => {
  equal(holdOf(key("Shift+I"))?.id, "dive");
  equal(holdOf({ ...key(" ", "Space"), ctrlKey: true })?.id, "pan-hold");
  equal(holdOf(key("p")), undefined);
});

test("chords are shown as caps", () => {
  equal(shown("Ctrl+Shift+Z", false), ["Ctrl", "Shift", "Z"]);
  equal(shown("Ctrl++", true), ["⌘", "+"]);
  equal(shown("Shift+ArrowLeft", false), ["Shift", "←"]);
  equal(ariaKeys(["Ctrl+Z", "+", "Shift++"]), "Control+Z Plus Shift+Plus");
});
