import { boxAt } from "../src/grid.ts";
import type { PeerNews, Place, TermItemNews, TermNews, ToWorker } from "../src/protocol.ts";
import type { TermFacts } from "../src/wire.ts";
import { fromWire } from "../src/tile.ts";
import type { Tool } from "../src/ui/kit.ts";
import { cut } from "../src/ui/termcase.ts";
import { Terminals } from "../src/ui/terminals.ts";
import { equal, frame, ok, test } from "./harness.ts";

const view: Place = { level: 0, x: 0n, y: 0n, fx: 0, fy: 0, s: 256 };
const calm: TermFacts = {
  modes: 0, mouse: 0, mouseFormat: 0, kitty: 0, title: "", cwd: "", bells: 0, pointer: "", progress: 0, percent: 0, running: false, atPrompt: false, finished: 0,
  status: -1, foreground: 0, background: 0, cursorColor: 0, palette: new Uint8Array(0), notices: 0, noticeTitle: "", notice: "", clipboards: 0, selection: "",
  clipboard: new Uint8Array(0), typist: 0, run: 1, ended: false, exit: "",
};

function setup(): { t: Terminals; sent: ToWorker[]; said: string[]; tool: () => Tool; offered: (() => void)[]; undone: () => number; end: () => void } {
  const sent: ToWorker[] = [];
  const said: string[] = [];
  const offered: (() => void)[] = [];
  let tool: Tool = "pen";
  let undone = 0;
  const t = new Terminals({
    canvas: `test-${Math.random()}`, send: (m) => sent.push(m), place: () => view, size: () => ({ width: 1280, height: 800 }), fly: () => undefined,
    say: (text, action) => {
      said.push(text);
      if (action) offered.push(action.act);
    },
    tool: () => tool, pick: (p) => (tool = p), undo: () => undone++, online: () => online, changed: () => undefined, people: () => undefined,
  });
  document.body.append(t.element, ...t.used.above);
  t.rights(2);
  t.welcome(7);
  return { t, sent, said, offered, tool: () => tool, undone: () => undone, end: () => (t.used.leave(), t.element.remove(), t.used.above.forEach((e) => e.remove())) };
}

function item(seq: number, name: string, x: number, y: number): TermItemNews {
  const { home, box } = boxAt(view, x, y, 80, 24);
  return { seq, name, home: fromWire(home), box, cols: 80, rows: 24 };
}

function news(seq: number, facts: Partial<TermFacts> = {}, o: Partial<TermNews> = {}): TermNews {
  return { terminal: seq, facts: { ...calm, ...facts }, cols: 80, rows: 24, base: 500, first: 100, cursor: { x: 3, y: 5, visible: true, blink: false, shape: 0 }, absent: false, ...o };
}

let online = true;

test("without a connection nothing is typed in silence", () => {
  const s = setup();
  s.t.list([item(4, "fern", 100, 200)]);
  s.t.state(news(4));
  s.t.enterAt(300, 300);
  s.said.length = 0;
  online = false;
  press({ key: "x", code: "KeyX" });
  equal(s.said.length, 1, "words about that");
  online = true;
  s.t.welcome(8);
  press({ key: "y", code: "KeyY" });
  equal(what(s.sent, "term-in"), ["focus true", "focus true", "key y"]);
  s.end();
});

let clock = 0;
function pointer(type: string, x: number, y: number, after = 1000): PointerEvent {
  clock += after;
  const e = new PointerEvent(type, { clientX: x, clientY: y, button: 0, buttons: 1, pointerId: 1, pointerType: "mouse" });
  Object.defineProperty(e, "timeStamp", { value: clock });
  return e;
}
function click(t: Terminals, x: number, y: number, after = 1000): (boolean | PointerEvent)[] {
  return [t.claims.claim(pointer("pointerdown", x, y, after), "down"), t.claims.claim(pointer("pointerup", x, y, 50), "up")];
}
function press(init: KeyboardEventInit): KeyboardEvent {
  const e = new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init });
  document.activeElement!.dispatchEvent(e);
  return e;
}
// what shortens what was sent, of some kinds.
function what(sent: ToWorker[], ...kinds: string[]): string[] {
  return sent.filter((m) => kinds.includes(m.kind)).map((m) => {
    if (m.kind !== "term-in") return m.kind === "term-scroll" ? `scroll ${m.row}` : m.kind === "term-focus" ? `focus ${m.terminal}` : m.kind;
    const w = m.what;
    if (w.kind === "key") return `key ${w.text || w.code}`;
    if (w.kind === "text" || w.kind === "paste") return `${w.kind} ${new TextDecoder().decode(w.value)}`;
    if (w.kind === "size") return `size ${w.cols}x${w.rows}`;
    return w.kind === "focus" ? `focus ${w.value}` : w.kind;
  });
}

test("a rectangle dragged with the tool is an op, and the terminal is entered when it is there", () => {
  const s = setup();
  s.t.claims.place(true);
  ok(s.t.claims.claim(pointer("pointerdown", 100, 200), "down"));
  s.t.claims.claim(pointer("pointermove", 740, 584), "move");
  equal(s.t.element.querySelector(".term-new")!.textContent, "80 × 24");
  ok(s.t.claims.claim(pointer("pointerup", 740, 584), "up"));
  const op = s.sent.find((m) => m.kind === "terminal");
  ok(op?.kind === "terminal");
  equal([op.terminal.cols, op.terminal.rows], [80, 24]);
  equal(s.t.claims.placingNow, false);
  s.t.list([{ seq: 4, ...op.terminal, home: fromWire(op.terminal.home!), box: op.terminal.box! }]);
  equal(s.tool(), "hand", "the tool in hand");
  ok(document.activeElement?.classList.contains("typist"), "the keyboard");
  s.end();
  equal(s.tool(), "pen", "the tool after it");
});

test("a click with the tool makes one of the usual size, within the view", () => {
  const s = setup();
  s.t.claims.place(true);
  click(s.t, 1270, 790);
  const op = s.sent.find((m) => m.kind === "terminal");
  ok(op?.kind === "terminal" && op.terminal.cols === 80 && op.terminal.rows === 24);
  s.t.list([{ seq: 4, ...op.terminal, home: fromWire(op.terminal.home!), box: op.terminal.box! }]);
  const r = s.t.element.querySelector(".term")!.getBoundingClientRect();
  ok(r.left >= 0 && r.top >= 0 && r.right <= 1280 && r.bottom <= 800, "within the view");
  s.end();
});

test("a pen draws over a terminal; two clicks with it enter, and take the dot back", () => {
  const s = setup();
  s.t.list([item(4, "fern", 100, 200)]);
  equal(click(s.t, 300, 300), [false, false]);
  ok(!s.t.used.term);
  ok(s.t.claims.claim(pointer("pointerdown", 301, 300, 200), "down"), "the second is not the pen's");
  ok(s.t.used.term);
  equal(s.undone(), 1);
  s.end();
});

test("typed keys go to the terminal, and to nobody else", () => {
  const s = setup();
  let heard = 0;
  const listen = (): number => heard++;
  addEventListener("keydown", listen);
  s.t.list([item(4, "fern", 100, 200)]);
  s.t.state(news(4));
  s.t.enterAt(300, 300);
  ok(press({ key: "l", code: "KeyL" }).defaultPrevented);
  press({ key: "c", code: "KeyC", ctrlKey: true });
  press({ key: "ArrowUp", code: "ArrowUp" });
  press({ key: "Shift", code: "ShiftLeft", shiftKey: true });
  equal(what(s.sent, "term-in"), ["focus true", "key l", "key 99", `key ${0xf0004}`]);
  equal(heard, 0, "keys that others heard");
  press({ key: "Escape", code: "Escape", ctrlKey: true, shiftKey: true });
  ok(!s.t.used.term, "left");
  equal(what(s.sent, "term-focus"), ["focus 4", "focus null"]);
  equal(what(s.sent, "term-in").at(-1), "focus false");
  removeEventListener("keydown", listen);
  s.end();
});

test("what an input method composes is sent once, whole", () => {
  const s = setup();
  s.t.list([item(4, "fern", 100, 200)]);
  s.t.state(news(4));
  s.t.enterAt(300, 300);
  const f = document.activeElement as HTMLTextAreaElement;
  f.dispatchEvent(new CompositionEvent("compositionstart"));
  press({ key: "Process", code: "KeyN", isComposing: true });
  f.value = "に";
  f.dispatchEvent(new InputEvent("input", { isComposing: true }));
  f.value = "日本";
  f.dispatchEvent(new CompositionEvent("compositionend", { data: "日本" }));
  f.dispatchEvent(new InputEvent("input"));
  press({ key: "a", code: "KeyA" });
  equal(what(s.sent, "term-in"), ["focus true", "text 日本", "key a"]);
  s.end();
});

test("a paste is one message, and not a location for the page", () => {
  const s = setup();
  s.t.list([item(4, "fern", 100, 200)]);
  s.t.state(news(4));
  s.t.enterAt(300, 300);
  ok(!press({ key: "V", code: "KeyV", ctrlKey: true, shiftKey: true }).defaultPrevented, "the browser pastes");
  const d = new DataTransfer();
  d.setData("text/plain", "one\ntwo");
  const e = new ClipboardEvent("paste", { clipboardData: d, bubbles: true, cancelable: true });
  document.activeElement!.dispatchEvent(e);
  ok(e.defaultPrevented);
  equal(what(s.sent, "term-in"), ["focus true", "paste one\ntwo"]);
  s.end();
});

test("the wheel goes through the history within its ends, a key comes back", () => {
  const s = setup();
  s.t.list([item(4, "fern", 100, 200)]);
  s.t.state(news(4));
  s.t.enterAt(300, 300);
  const turn = (deltaY: number): boolean => s.t.claims.wheel(new WheelEvent("wheel", { deltaY, clientX: 300, clientY: 300 }), true);
  ok(turn(-100));
  for (let i = 0; i < 200; i++) turn(-300);
  const back = s.t.element.querySelector<HTMLElement>(".back")!;
  ok(!back.hidden, "it says that there is newer");
  turn(-100);
  const ups = what(s.sent, "term-scroll");
  equal([ups[0], ups.at(-1)], ["scroll 497", "scroll 100"]);
  press({ key: "x", code: "KeyX" });
  equal(what(s.sent, "term-scroll").at(-1), "scroll null");
  ok(back.hidden);
  ok(!s.t.claims.wheel(new WheelEvent("wheel", { deltaY: -100, clientX: 300, clientY: 300, ctrlKey: true }), true), "with control it zooms the canvas");
  ok(!s.t.claims.wheel(new WheelEvent("wheel", { deltaY: -100, clientX: 1200, clientY: 300 }), true), "beside it too");
  s.end();
});

test("what is selected stays until something is typed", () => {
  const s = setup();
  s.t.list([item(4, "fern", 100, 200)]);
  s.t.state(news(4, { kitty: 15 }));
  s.t.enterAt(300, 300);
  s.t.used.hand.down({ device: "mouse", x: 120, y: 220, t: 0, button: 0, shift: false, alt: false, ctrl: false });
  s.t.used.hand.move({ device: "mouse", x: 220, y: 220, t: 10, button: 0, shift: false, alt: false, ctrl: false });
  s.t.used.hand.up({ device: "mouse", x: 220, y: 220, t: 20, button: 0, shift: false, alt: false, ctrl: false });
  const last = (): boolean => {
    const m = s.sent.filter((m) => m.kind === "term-select").at(-1);
    return m?.kind === "term-select" && m.to !== null;
  };
  ok(last(), "selected");
  press({ key: "Control", code: "ControlLeft", ctrlKey: true });
  ok(last(), "selected while a key is held that copies with others");
  press({ key: "x", code: "KeyX" });
  ok(!last(), "nothing is selected after typing");
  s.end();
});

test("the bar of a terminal wider than the window is as wide as the window", () => {
  equal(cut(100, 800, 1280), { left: 0, right: 0 });
  equal(cut(-500, 3000, 1280), { left: 504, right: 1224 });
  equal(cut(-780, 800, 1280), { left: 680, right: 0 }, "a rest of the bar stays");
  equal(cut(1270, 800, 1280), { left: 0, right: 680 });
  equal(cut(-20, 60, 1280), { left: 0, right: 0 }, "none is cut from a short one");
});

test("an ended program is said to be, and enter starts it again", () => {
  const s = setup();
  s.t.list([item(4, "fern", 100, 200)]);
  s.t.state(news(4, { ended: true, exit: "exit status 3" }));
  const over = s.t.element.querySelector<HTMLElement>(".term-over")!;
  ok(!over.hidden && over.textContent!.includes("exit status 3"));
  s.t.enterAt(300, 300);
  press({ key: "x", code: "KeyX" });
  press({ key: "Enter", code: "Enter" });
  equal(what(s.sent, "term-in"), ["restart"], "nothing is said to a program that is not there");
  s.t.state(news(4, { run: 2 }));
  s.t.state(news(4, { run: 2, title: "x" }));
  equal(what(s.sent, "term-in"), ["restart", "focus true"]);
  s.end();
});

test("larger letters are fewer", () => {
  const s = setup();
  s.t.list([item(4, "fern", 100, 200)]);
  s.t.state(news(4));
  const [smaller, larger] = s.t.element.querySelectorAll<HTMLElement>(".letters");
  smaller!.click();
  equal(s.said.length, 0, "nobody has typed: whoever offers a size gives it");
  s.sent.length = 0;
  s.t.state(news(4, { typist: 9 }));
  larger!.click();
  equal(s.said.length, 1, "the size is not theirs yet: words about that");
  s.t.state(news(4, { typist: 7 }, { cols: 67, rows: 20 }));
  smaller!.click();
  equal(what(s.sent, "term-in"), ["size 67x20", "size 80x24"]);
  s.end();
});

test("a clipboard is written only by whom the person allows, for the one who types", async () => {
  const s = setup();
  s.t.list([item(4, "fern", 100, 200)]);
  s.t.state(news(4, { typist: 9 }));
  s.t.state(news(4, { typist: 9, clipboards: 1, clipboard: new TextEncoder().encode("other") }));
  equal(s.said, [], "somebody else types");
  s.t.state(news(4, { typist: 7, clipboards: 2, clipboard: new TextEncoder().encode("mine") }));
  equal(s.said.length, 1);
  const wrote: string[] = [];
  Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText: (t: string) => (wrote.push(t), Promise.resolve()) } });
  equal(wrote, []);
  s.offered[0]!();
  s.t.state(news(4, { typist: 7, clipboards: 3, clipboard: new TextEncoder().encode("again") }));
  await frame();
  equal(wrote, ["mine", "again"], "written");
  s.end();
});

test("a search asks, shows where the newest hit is, and goes on to older ones", async () => {
  const s = setup();
  s.t.list([item(4, "fern", 100, 200)]);
  s.t.state(news(4));
  s.t.enterAt(300, 300);
  press({ key: "F", code: "KeyF", ctrlKey: true, shiftKey: true });
  const input = document.activeElement as HTMLInputElement;
  ok(input.closest(".term-search"), "the bar has the keyboard");
  input.value = "err";
  press({ key: "Enter", code: "Enter" });
  input.dispatchEvent(new InputEvent("input"));
  for (let i = 0; i < 600 && !s.sent.some((m) => m.kind === "term-ask"); i++) await frame();
  const ask = s.sent.find((m) => m.kind === "term-ask");
  ok(ask?.kind === "term-ask" && ask.what.kind === "search");
  equal([ask.what.text, ask.what.fold, ask.what.regexp], ["err", true, false]);
  const hit = (row: number): object => ({ line: row, row, x: 2, endRow: row, endX: 5, text: "err", before: "  ", after: ` ${row}` });
  s.t.used.answer({ id: ask.id, terminal: 4, hits: [hit(510), hit(300)] as never, done: true, more: false, row: 0, found: false, error: "", rows: [], first: 0, end: 0 });
  const count = s.t.used.above[0]!.querySelector(".count")!;
  equal(count.textContent, "1/2");
  equal(what(s.sent, "term-scroll"), [], "the newest is on the screen");
  press({ key: "Enter", code: "Enter" });
  equal(count.textContent, "2/2");
  equal(what(s.sent, "term-scroll"), ["scroll 288"]);
  const last = s.sent.filter((m) => m.kind === "term-select").at(-1);
  equal(last?.kind === "term-select" && [last.from, last.to], [{ row: 300, x: 2 }, { row: 300, x: 5 }]);
  press({ key: "Escape", code: "Escape" });
  ok(document.activeElement?.classList.contains("typist"), "the terminal has the keyboard again");
  s.end();
});

test("two fingers move the canvas, also from within a terminal", () => {
  const s = setup();
  s.t.list([item(4, "fern", 100, 200)]);
  s.t.state(news(4));
  s.t.enterAt(300, 300);
  const finger = (type: string, id: number, x: number): PointerEvent => new PointerEvent(type, { clientX: x, clientY: 300, pointerId: id, pointerType: "touch", buttons: 1 });
  ok(s.t.claims.claim(finger("pointerdown", 1, 200), "down") === true, "one finger is the terminal's");
  const first = finger("pointermove", 1, 205);
  s.t.claims.claim(first, "move");
  ok(s.t.claims.claim(finger("pointerdown", 2, 400), "down") === first, "the second gives the first back, where it is");
  ok(s.t.claims.claim(finger("pointermove", 1, 210), "move") === false);
  s.end();
});

test("a keyboard on a screen has control for one letter, from the row of keys", () => {
  const s = setup();
  s.t.list([item(4, "fern", 100, 200)]);
  s.t.state(news(4));
  s.t.enterAt(300, 300);
  const buttons = [...s.t.used.above[1]!.querySelectorAll("button")];
  const [esc, , ctrl] = buttons;
  const letter = (c: string): void => {
    const f = document.activeElement as HTMLTextAreaElement;
    press({ key: "Unidentified", code: "" });
    f.value = c;
    f.dispatchEvent(new InputEvent("input"));
  };
  letter("a");
  ctrl!.click();
  letter("C");
  letter("d");
  esc!.click();
  equal(what(s.sent, "term-in"), ["focus true", "text a", "key 99", "text d", "key 27"]);
  buttons.at(-1)!.click();
  equal(s.t.used.term, undefined, "left by the last button of the row");
  s.end();
});

test("who types is named, in their colour", () => {
  const s = setup();
  s.t.list([item(4, "fern", 100, 200)]);
  const ana: PeerNews = { viewer: 9, name: "Ana Bee", color: 0xe03131ff, tool: 0, person: new Uint8Array(16), role: 1, cursor: undefined };
  s.t.peers([ana]);
  s.t.state(news(4, { typist: 9 }));
  const by = s.t.element.querySelector<HTMLElement>(".by")!;
  ok(!by.hidden && by.textContent!.includes("Ana Bee"));
  s.t.state(news(4, { typist: 7 }));
  ok(by.hidden, "oneself is not");
  s.end();
});

test("nothing is written to the page while nothing changes", async () => {
  const s = setup();
  s.t.list([item(4, "fern", 100, 200), item(5, "moss", 100, 620)]);
  s.t.state(news(4));
  let changes = 0;
  const m = new MutationObserver((l) => (changes += l.length));
  m.observe(s.t.element, { subtree: true, childList: true, attributes: true, characterData: true });
  for (let i = 0; i < 10; i++) {
    s.t.moved(view);
    s.t.state(news(4));
  }
  await frame();
  equal(changes, 0);
  m.disconnect();
  s.end();
});
