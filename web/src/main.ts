// main is the page of a canvas: it joins the hand (input), the person's wet ink, the worker that shows the canvas, and the
// chrome around it. Wiring only: whatever can be thought about alone lives elsewhere.

import { colours } from "./ui/colours.ts";
import { juliaSet, paletteOf, wholeSet } from "./complex.ts";
import { Engine } from "./engine.ts";
import { extentOf } from "./extent.ts";
import { unshown } from "./first.ts";
import { Draw } from "./input/draw.ts";
import { Flight } from "./input/flight.ts";
import type { Action, Device } from "./input/gesture.ts";
import { giveBack, listen } from "./input/keyboard.ts";
import type { CommandID } from "./input/keys.ts";
import { Pointers, predictions, report, reports } from "./input/pointer.ts";
import { Wheel } from "./input/wheel.ts";
import { format, home, middleOf, parse, placeOf } from "./permalink.ts";
import { remember } from "./person.ts";
import type { FromWorker, PeerNews, Place } from "./protocol.ts";
import { Travel } from "./travel.ts";
import { Corners } from "./ui/corners.ts";
import * as cursor from "./ui/cursor.ts";
import { go, help, openDialog, settings } from "./ui/dialogs.ts";
import { closeFloats } from "./ui/float.ts";
import { css, offer } from "./ui/h.ts";
import { brushOf, Kit, load, type Tool } from "./ui/kit.ts";
import { ask, isLocation, plane } from "./ui/plane.ts";
import { rights, rightsChanged, OWN } from "./ui/rights.ts";
import { lone, Toasts, Top, Welcome } from "./ui/say.ts";
import { Terminals } from "./ui/terminals.ts";
import { Toolbar } from "./ui/toolbar.ts";
import { depth } from "./view.ts";
import { Wet } from "./wet.ts";
import { decodeOp } from "./wire.ts";

const { body } = document;
const name = body.dataset["name"]!;
const stage = document.querySelector<HTMLElement>("#stage")!;
const kit = new Kit(load());
const size = (): { width: number; height: number } => ({ width: Math.max(1, innerWidth), height: Math.max(1, innerHeight) });

let penMode = false; // a pen has touched: fingers only move the canvas
let spaceHeld = false;
let online = false;
let shownAt!: (ms: number) => void;
const shown = new Promise<number>((resolve) => (shownAt = resolve));
const hovered = { x: size().width / 2, y: size().height / 2, gone: true, device: "mouse" as Device };

// ---- the worker and the ink ----

const engine = new Engine({
  canvas: document.querySelector<HTMLCanvasElement>("#dry")!,
  worker: body.dataset["worker"]!,
  url: `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/c/${encodeURIComponent(name)}/ws`,
  name,
  person: { name: kit.prefs.name, color: kit.prefs.color },
  on: hear,
});
// The worker asks for what will be seen first while the rest of the page is being made.
const beginning = placeOf(parse(location.hash) ?? home, size().width, size().height);
engine.send({ kind: "view", place: beginning, ...size(), dpr: devicePixelRatio });

const wet = new Wet(document.querySelector<HTMLCanvasElement>("#wet")!);
const draw = new Draw(wet, (m) => engine.send(m), () => flight.place);

const flight: Flight = new Flight(beginning, {
  moved: show,
  rested: () => travel.rested(),
  calm: () => matchMedia("(prefers-reduced-motion: reduce)").matches,
});

const travel: Travel = new Travel({
  flight, size, private: "private" in body.dataset, say: (text) => toasts.say(text), astray: (is) => top.nothingHere(is), extent: () => (online ? extentOf(name) : Promise.resolve("unknown")),
});

function show(place: Place, goal?: Place): void {
  const { width, height } = size();
  if (place !== beginning) unshown();
  engine.send({ kind: "view", place, ...(goal ? { goal } : {}), width, height, dpr: devicePixelRatio });
  wet.view(place, width, height, devicePixelRatio);
  corners.depth(Math.round(depth(place)));
  terminals.moved(place);
  point();
  travel.moved();
}

// ---- the hand ----

const pointers = new Pointers({
  surface: stage,
  mode: () => ({ hand: kit.tool === "hand" || spaceHeld, penMode }),
  touched: () => {
    closeFloats();
    if (!terminals.used.term) giveBack();
    if (flight.moving) flight.stop();
  },
  claim: (e, type) => terminals.claims.claim(e, type),
  act,
  hover: (x, y, gone, device) => {
    [hovered.gone, hovered.device] = [gone, device];
    if (!gone) [hovered.x, hovered.y] = [x, y];
    const shape = gone ? undefined : terminals.claims.hover(hovered);
    stage.classList.toggle("on-text", shape !== undefined);
    if (shape !== undefined) stage.style.setProperty("--term-pointer", shape);
    point();
  },
});

let grip: ((x: number, y: number, k: number) => void) | undefined;

function act(a: Action, e: PointerEvent): void {
  switch (a.kind) {
    case "begin": {
      const tool = a.eraser ? "eraser" : kit.drawing;
      welcome.shown(false);
      travel.reach(e.clientX, e.clientY);
      draw.begin(a.device, {
        brush: brushOf[tool], color: kit.colorOf(tool), widthPx: kit.widthOf(tool), pressed: tool === "pen", here: tool === "pen",
      }, report(e));
      return;
    }
    case "extend":
      return draw.extend(reports(e), predictions(e));
    case "sure":
      return draw.becomeSure();
    case "end":
      draw.end();
      travel.strokes++;
      return travel.reach(e.clientX, e.clientY);
    case "cancel":
      draw.cancel();
      return greet();
    case "grab":
      stage.classList.add("grabbing");
      return;
    case "pan":
      return flight.pan(a.dx, a.dy);
    case "drop":
      stage.classList.remove("grabbing");
      grip = undefined;
      return flight.toss(a.vx, a.vy);
    case "pinch":
      if (a.begin || !grip) grip = flight.grip(a.x, a.y);
      else grip(a.x, a.y, a.k);
      return;
    case "zoom":
      return flight.zoomTo(a.x, a.y, a.out ? 0.5 : 2);
    case "undo":
      return command("undo");
    case "redo":
      return command("redo");
    case "pen":
      penMode = true;
      top.penMode(true);
      return;
    default:
      a satisfies never;
  }
}

// point tells the others where the hand is. The worker paces it.
function point(): void {
  const tool = kit.tool === "hand" || spaceHeld ? 0 : brushOf[kit.tool];
  engine.send({ kind: "pointer", x: hovered.x, y: hovered.y, tool, gone: hovered.gone });
}

const wheel = new Wheel();
addEventListener("wheel", (e) => {
  const onStage = e.target instanceof Node && (stage.contains(e.target) || terminals.element.contains(e.target));
  if (onStage || e.ctrlKey) e.preventDefault(); // the page itself never zooms or scrolls
  if (!onStage) return;
  const { wheelDeltaY } = e as WheelEvent & { wheelDeltaY?: number };
  if (terminals.claims.wheel(e, Wheel.notched(e, wheelDeltaY))) return;
  const a = wheel.act({
    deltaX: e.deltaX, deltaY: e.deltaY, deltaMode: e.deltaMode, ctrl: e.ctrlKey || e.metaKey, shift: e.shiftKey, t: e.timeStamp,
    ...(wheelDeltaY === undefined ? {} : { notches: wheelDeltaY }),
  }, kit.prefs.wheel);
  if (a.kind === "none") return;
  closeFloats();
  if (a.kind === "pan") flight.pan(a.dx, a.dy);
  else if (a.notch) flight.glide(e.clientX, e.clientY, a.k);
  else flight.zoom(e.clientX, e.clientY, a.k);
}, { passive: false });

// ---- keys and commands ----

const centre = (): { x: number; y: number } => ({ x: size().width / 2, y: size().height / 2 });
const atPointer = (): { x: number; y: number } => (hovered.gone ? centre() : hovered);

function command(id: CommandID): void {
  const { width, height } = size();
  switch (id) {
    case "pen":
    case "highlighter":
    case "eraser":
    case "hand":
      return pick(id);
    case "pan-hold":
      spaceHeld = true;
      return dress();
    case "thinner":
      return kit.step(-1);
    case "thicker":
      return kit.step(1);
    case "color-1": case "color-2": case "color-3": case "color-4": case "color-5": case "color-6": case "color-7": case "color-8":
      if (kit.tool === "eraser" || kit.tool === "hand") pick("pen");
      return kit.change((p) => (p[kit.drawing].hue = Number(id.slice(-1)) - 1));
    case "undo":
      return engine.send({ kind: "undo" });
    case "redo":
      return engine.send({ kind: "redo" });
    case "zoom-in":
      return flight.zoomTo(centre().x, centre().y, 2);
    case "zoom-out":
      return flight.zoomTo(centre().x, centre().y, 0.5);
    case "zoom-in-here":
      return flight.zoomTo(atPointer().x, atPointer().y, 2);
    case "zoom-out-here":
      return flight.zoomTo(atPointer().x, atPointer().y, 0.5);
    case "dive":
      return flight.dive(1, atPointer);
    case "rise":
      return flight.dive(-1, atPointer);
    case "home":
      return travel.goHome();
    case "fit":
      return void travel.fitAll();
    case "left": case "right": case "up": case "down": {
      const [x, y] = { left: [-96, 0], right: [96, 0], up: [0, -96], down: [0, 96] }[id] as [number, number];
      return flight.fly(travel.by(x, y), 120);
    }
    case "far-left": case "far-right": case "far-up": case "far-down": {
      const [x, y] = { "far-left": [-0.8, 0], "far-right": [0.8, 0], "far-up": [0, -0.8], "far-down": [0, 0.8] }[id] as [number, number];
      return flight.fly(travel.by(x * width, y * height));
    }
    case "back":
      return history.back();
    case "forward":
      return history.forward();
    case "go":
      return go(travel.middle(), (m) => travel.go(m));
    case "mandelbrot": {
      const s = Math.min(width, height);
      return explore(0.43 * s, 0.86 * s);
    }
    case "terminal":
      return place();
    case "enter":
      if (!hovered.gone) terminals.enterAt(hovered.x, hovered.y);
      return;
    case "plane":
      return void (openDialog() ?? plane(name, planeActions));
    case "copy-link":
      return void travel.share();
    case "picture":
      return savePicture();
    case "help":
      return help();
    case "settings":
      return openSettings();
    case "zen":
      body.classList.toggle("zen");
      if (body.classList.contains("zen")) toasts.say("Tools are hidden. Alt+Z brings them back.");
      return;
    case "escape":
      return escape();
    default:
      id satisfies never;
  }
}

// explore makes a square of the canvas a piece of the complex plane, with the Mandelbrot set in its middle.
function explore(sidePx: number, boxPx: number): void {
  const { width, height } = size();
  engine.send({ kind: "place", place: wholeSet(flight.place, width, height, sidePx, boxPx, 0) });
  welcome.shown(false);
  travel.strokes++;
}

// Colours that move are still for who asked the system for less motion.
const reduced = matchMedia("(prefers-reduced-motion: reduce)");
const restOrMove = (): void => engine.send({ kind: "colours", trial: undefined, still: reduced.matches });
reduced.addEventListener("change", restOrMove);
if (reduced.matches) restOrMove();

const planeActions = {
  at: (): string => format(travel.middle()).slice(3),
  go: (at: string): void => {
    const m = parse(`#v=${at}`);
    if (m) travel.go(m);
  },
  recolour: (op: string): void => {
    const { body } = decodeOp(Uint8Array.from(atob(op), (c) => c.charCodeAt(0)));
    if (body.kind !== "place") return;
    colours(body.palette ?? paletteOf(7), {
      trial: (trial) => engine.send({ kind: "colours", trial, still: reduced.matches }),
      give: (palette) => engine.send({ kind: "place", place: { ...body, palette } }),
    });
  },
  julia: (op: string): void => {
    const { body } = decodeOp(Uint8Array.from(atob(op), (c) => c.charCodeAt(0)));
    if (body.kind !== "place") return;
    const { width, height } = size();
    engine.send({ kind: "place", place: juliaSet(flight.place, width, height, 0.4 * Math.min(width, height), body) });
  },
  say: (text: string): void => toasts.say(text),
};

// A location file that is dropped or pasted is flown to.
async function visit(text: string): Promise<void> {
  const to = await ask(name, "", planeActions.at(), text);
  if (to.at === undefined) toasts.say(to.error ?? "That is no location.");
  else planeActions.go(to.at);
}
addEventListener("paste", (e) => {
  const text = e.clipboardData?.getData("text/plain") ?? "";
  if (openDialog() || !isLocation(text)) return;
  e.preventDefault();
  void visit(text);
});
addEventListener("dragover", (e) => e.preventDefault());
addEventListener("drop", (e) => {
  e.preventDefault();
  const file = e.dataTransfer?.files[0];
  if (!file || file.size > 500_000) return;
  void file.text().then((text) => {
    if (isLocation(text)) void visit(text);
    else toasts.say("That file says no place to go to: a .kfr or .f3.toml file does.");
  });
});

// A canvas made on the start page to explore the set has nothing else on it, and is it as far as one sees.
function asked(strokes: number): void {
  const q = new URLSearchParams(location.search);
  if (!q.has("mandelbrot")) return;
  history.replaceState(history.state, "", location.pathname + location.hash);
  if (strokes > 0) return;
  const { width, height } = size();
  explore(0.6 * Math.min(width, height), 6 * Math.max(width, height));
}

// savePicture gives the person what is seen, without the tools.
function savePicture(): void {
  const layers = stage.querySelectorAll("canvas");
  const [{ width, height }, out] = [layers[0]!, document.createElement("canvas")];
  Object.assign(out, { width, height });
  const ctx = out.getContext("2d")!;
  ctx.fillStyle = css(kit.paper | 0xff);
  ctx.fillRect(0, 0, width, height);
  for (const l of layers) ctx.drawImage(l, 0, 0);
  out.toBlob((png) => (png ? offer(png, `${name}.png`) : toasts.say("This browser cannot make the picture.")));
}

// escape goes back one step: a stroke is dropped, else a menu closed, else a flight stopped, else the tools shown, else the
// pen taken.
function escape(): void {
  if (pointers.gesture.busy) {
    for (const a of pointers.gesture.abort()) {
      if (a.kind === "cancel") draw.cancel();
      if (a.kind === "drop") stage.classList.remove("grabbing");
    }
    grip = undefined;
    return;
  }
  if (closeFloats()) return;
  if (terminals.claims.placingNow) return terminals.claims.place(false);
  if (flight.moving) return flight.stop();
  if (body.classList.contains("zen")) return void body.classList.remove("zen");
  if (giveBack()) return;
  pick("pen");
}

function pick(tool: Tool): void {
  if (draw.drawing) return; // not under a stroke
  terminals.claims.place(false);
  kit.change((p) => (p.tool = tool));
  dress();
}

// dress gives the pointer the shape of what it does.
function dress(): void {
  const hand = kit.tool === "hand" || spaceHeld;
  stage.classList.toggle("grab", hand && !terminals.claims.placingNow);
  cursor.set(stage, hand || terminals.claims.placingNow ? undefined : { tool: kit.drawing, widthPx: kit.widthOf(kit.drawing), color: kit.colorOf(kit.drawing), paper: kit.paper });
}

listen({
  command: (c) => command(c.id),
  release: (c) => (c.id === "pan-hold" ? letGo() : flight.surface()),
  releaseAll: () => {
    letGo();
    flight.surface();
  },
  busy: (c) => pointers.gesture.drawing && c.id !== "escape" && !c.hold && c.id !== "thinner" && c.id !== "thicker",
  elsewhere: () => openDialog() !== null,
});

function letGo(): void {
  if (!spaceHeld) return;
  spaceHeld = false;
  dress();
}

// ---- the chrome ----

const toasts = new Toasts();
const top = new Top({
  fingersDraw: () => {
    penMode = false;
    top.penMode(false);
  },
  find: () => void travel.fitAll(),
});
const terminals: Terminals = new Terminals({
  canvas: name, send: (m) => engine.send(m), place: () => flight.place, size, fly: (to) => flight.fly(to), say: (text, action) => toasts.say(text, action),
  tool: () => kit.tool, pick, undo: () => command("undo"), online: () => online, people: openPeople,
  changed: () => {
    toolbar.place(terminals.claims.placingNow);
    stage.classList.toggle("placing", terminals.claims.placingNow);
    if (!terminals.used.term) stage.classList.remove("on-text");
    if (terminals.claims.placingNow) welcome.shown(false);
    dress();
  },
});
const welcome = new Welcome(matchMedia("(pointer: coarse)").matches);
const corners = new Corners(name, {
  command, share: () => void travel.share(), visit: (p) => travel.visit(p), settings: openSettings, people: openPeople,
});
const toolbar = new Toolbar(kit, { tool: pick, undo: () => command("undo"), redo: () => command("redo"), terminal: place });
body.append(welcome.element, terminals.element, ...corners.elements, top.element, toolbar.element, ...terminals.used.above, toasts.element);
corners.mine(kit.prefs.name, kit.prefs.color);
kit.onChange(dress);
dress();

function openSettings(): void {
  if (openDialog()) return;
  settings(kit, penMode, {
    person: (name, color) => {
      engine.send({ kind: "profile", name, color });
      corners.mine(name, color);
    },
    paper: (color) => engine.send({ kind: "paper", color }),
    fingersDraw: (on) => {
      penMode = !on;
      top.penMode(penMode);
    },
  });
}

// What the server lets people do with terminals.
const allowed = { role: 0, shells: false, peers: [] as PeerNews[] };

const whoMay = (): Parameters<typeof rights>[0] => ({
  me: { name: kit.prefs.name, color: kit.prefs.color, role: allowed.role }, peers: allowed.peers, grant: (person, role) => engine.send({ kind: "grant", person, role }),
});

function openPeople(): void {
  if (!openDialog()) rights(whoMay());
}

// place takes the terminal tool in hand.
function place(): void {
  if (draw.drawing) return;
  if (!allowed.shells) return toasts.say("This server runs no shells. Its owner starts it with --terminals for that.");
  if (allowed.role < OWN) return toasts.say("Terminals are placed by the owner of this server, and by whom the owner makes one.");
  terminals.claims.place(!terminals.claims.placingNow);
}

function greet(): void {
  welcome.shown(online && travel.strokes === 0 && !draw.drawing && wet.count === 0);
}

// teach says once, to who comes to a drawing for the first time, what is special about it.
function teach(): void {
  if (kit.prefs.greeted || travel.strokes === 0 || draw.drawing) return;
  kit.change((p) => (p.greeted = true));
  toasts.say(matchMedia("(pointer: coarse)").matches ? "Pinch to zoom in: there is no bottom." : "Turn the wheel to zoom in: there is no bottom.");
}

// ---- what the worker says ----

function hear(n: FromWorker): void {
  switch (n.kind) {
    case "welcome":
      terminals.welcome(n.viewer);
      return travel.know(n.drawn);
    case "connection":
      online = n.state === "online";
      corners.connected(n.state);
      if (n.state === "closed") lone(n.reload ? "Fractal has been renewed" : "The canvas is closed", n.reason || "Load the page again to go on.");
      return;
    case "saving":
      return corners.saving(n.ops, n.kept);
    case "rejected":
      if (n.stroke !== undefined && !n.retry) wet.remove(n.stroke);
      if (!n.retry) terminals.claims.expected = "";
      if (!n.retry) toasts.say(n.reason);
      return;
    case "painted":
      return wet.remove(n.stroke);
    case "state":
      if (n.title !== "") {
        corners.titled(n.title);
        document.title = `${n.title} · Fractal`;
      }
      paper(n.paper);
      top.readOnly(n.readOnly);
      toolbar.history(n.canUndo, n.canRedo);
      if (allowed.shells && n.role !== allowed.role) toasts.say(["You look on at the terminals now.", "You may type in the terminals now.", "You may type in terminals, place them and give rights now."][n.role] ?? "");
      [allowed.role, allowed.shells] = [n.role, n.shells];
      toolbar.terminals(n.shells, n.role >= OWN);
      corners.shells(n.shells);
      terminals.rights(n.role);
      rightsChanged(whoMay());
      travel.strokes = n.strokes;
      asked(n.strokes);
      greet();
      teach();
      return travel.lookAround();
    case "peers":
      allowed.peers = n.peers;
      terminals.peers(n.peers);
      rightsChanged(whoMay());
      return corners.others(n.peers);
    case "terminals":
      return terminals.list(n.items);
    case "term-state":
      return terminals.state(n);
    case "term-answer":
      return terminals.used.answer(n.answer);
    case "term-text":
      return terminals.used.text(n.id, n.text);
    case "refused":
      return toasts.say(n.reason);
    case "person":
      return remember(n.key);
    case "shown":
      shownAt(n.at - performance.timeOrigin);
      return unshown();
    case "settled":
    case "runs":
    case "up":
      return;
    case "failed":
      return lone("Something went wrong", `The drawing is safe. ${n.reason}`);
    default:
      n satisfies never;
  }
}

function paper(color: number): void {
  if (color === 0) return;
  stage.style.background = css(color | 0xff);
  welcome.paper(color);
  if (kit.paper === color) return;
  kit.paper = color;
  kit.tell();
}

// ---- beginning ----

function resized(): void {
  show(flight.place);
}

// The middle of the view stays when the window changes its size.
let was = size();
addEventListener("resize", () => {
  const m = middleOf(flight.place, was.width, was.height);
  was = size();
  flight.jump(placeOf(m, was.width, was.height));
  resized();
  terminals.used.reveal();
});
function watchDPR(): void {
  matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", () => {
    resized();
    watchDPR();
  }, { once: true });
}
watchDPR();
document.addEventListener("visibilitychange", () => engine.send({ kind: "hidden", hidden: document.hidden }));
addEventListener("online", () => engine.send({ kind: "reconnect" }));

travel.begin();
show(flight.place);

// For tests: what waits for it sees the picture that stays.
Object.assign(globalThis, {
  fractal: {
    // settled gives the seq the canvas is complete through; given to another page's settled, that waits for as much.
    seen: (): Promise<number> => engine.settled(0, true),
    shown, // when all that is in view was shown first, on the page's clock
    settled: async (seq = 0): Promise<number> => {
      const frame = (): Promise<unknown> => new Promise(requestAnimationFrame);
      for (;;) {
        await frame();
        const through = await engine.settled(seq);
        await frame();
        if (!flight.moving && !draw.drawing && wet.count === 0) return through;
      }
    },
    wet: () => wet.count,
    middle: () => travel.middle(),
    screen: (terminal = "", shown = false) => terminals.screen(terminal, shown),
  },
});
