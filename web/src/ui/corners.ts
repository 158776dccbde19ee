// corners are what floats in the four corners: what canvas this is and how it fares, who is here, how deep we are, help.

import { ariaKeys, commands, type CommandID, shown } from "../input/keys.ts";
import type { PeerNews } from "../protocol.ts";
import { float, mac, menu } from "./float.ts";
import { css, h, icon, show } from "./h.ts";

export interface CornerActions {
  command: (id: CommandID) => void;
  share: () => void;
  visit: (p: PeerNews) => void;
  settings: () => void;
  people: () => void;
}

export type Connection = "connecting" | "online" | "waiting" | "closed";

// More faces than this are a number; a phone has room for fewer.
const maxFaces = (): number => (innerWidth < 560 ? 2 : 4);

export class Corners {
  readonly elements: HTMLElement[];
  private readonly dot = h("span", { class: "dot", "data-state": "connecting" });
  private readonly words = h("span", { class: "words" });
  private readonly name: HTMLElement;
  private readonly people = h("div", { class: "people", role: "group", "aria-label": "People here" });
  private readonly read: HTMLButtonElement;
  private connection: Connection = "connecting";
  private unsaved = 0;
  private kept = true;
  private me = { name: "", color: 0 };
  private peers: PeerNews[] = [];

  constructor(title: string, private readonly act: CornerActions) {
    const menuButton = press("menu", "Menu");
    this.name = h("span", { class: "name", title }, title);
    const state = h("span", { class: "state", role: "status", "aria-live": "polite" }, this.dot, this.words);
    const tl = h("div", { class: "corner tl" }, h("div", { class: "bar" }, menuButton, h("div", { class: "title" }, this.name, state)));

    const share = h("button", { class: "primary share", type: "button", title: `Copy a link to this view — ${caps("copy-link")}`, "aria-keyshortcuts": "L", onclick: act.share }, icon("link"), h("span", {}, "Share"));
    const tr = h("div", { class: "corner tr" }, h("div", { class: "bar" }, this.people, share));

    const out = press("minus", "Zoom out", "zoom-out", () => act.command("zoom-out"));
    this.read = h("button", { class: "press read", type: "button", "aria-label": "Zoom", title: "How deep we are" });
    const into = press("plus", "Zoom in", "zoom-in", () => act.command("zoom-in"));
    out.classList.add("step");
    into.classList.add("step");
    const bl = h("div", { class: "corner bl" }, h("div", { class: "bar zoom", role: "group", "aria-label": "Zoom" }, out, this.read, into));

    const help = press("help", "All shortcuts", "help", () => act.command("help"));
    const br = h("div", { class: "corner br" }, h("div", { class: "bar" }, help));
    this.elements = [tl, tr, bl, br];

    menu(menuButton, [
      { icon: "grid", label: "All canvases", href: "/" },
      null,
      { icon: "home", label: "Home", keys: "Shift+0", act: () => act.command("home") },
      { icon: "fit", label: "Show everything", keys: "Shift+1", act: () => act.command("fit") },
      { icon: "go", label: "Go to a place…", keys: "G", act: () => act.command("go") },
      { icon: "link", label: "Copy a link to this view", keys: "L", act: () => act.share() },
      { icon: "go", label: "The complex plane…", keys: "C", act: () => act.command("plane") },
      { icon: "compass", label: "Put the Mandelbrot set here", keys: "Shift+M", act: () => act.command("mandelbrot") },
      { icon: "picture", label: "Save a picture of this view", keys: "Ctrl+Shift+E", act: () => act.command("picture") },
      null,
      { icon: "people", label: "People and terminals…", shells: true, act: act.people },
      { icon: "settings", label: "Settings…", keys: "Ctrl+,", act: act.settings },
      { icon: "keyboard", label: "All shortcuts", keys: "?", act: () => act.command("help") },
    ]);
    menu(this.read, [
      { icon: "plus", label: "Zoom in", keys: "+", act: () => act.command("zoom-in") },
      { icon: "minus", label: "Zoom out", keys: "-", act: () => act.command("zoom-out") },
      null,
      { icon: "home", label: "Home", keys: "Shift+0", act: () => act.command("home") },
      { icon: "fit", label: "Show everything", keys: "Shift+1", act: () => act.command("fit") },
      { icon: "link", label: "Copy a link to this view", keys: "L", act: () => act.share() },
      { icon: "go", label: "Go to a place…", keys: "G", act: () => act.command("go") },
    ]);
    this.depth(0);
    this.tell();
  }

  /** shells says that there are terminals here: people have rights to them. */
  shells(are: boolean): void {
    document.body.classList.toggle("shells", are);
  }

  /** depth shows the level: 2^1304. */
  depth(level: number): void {
    const text = String(level).replace("-", "−");
    if (this.read.dataset["level"] === text) return;
    this.read.dataset["level"] = text;
    this.read.replaceChildren("2", h("span", { class: "caret" }, "^"), h("sup", {}, text));
    this.read.setAttribute("aria-label", `Zoom 2^${level}`);
  }

  titled(title: string): void {
    this.name.textContent = title;
    this.name.title = title;
  }

  connected(state: Connection): void {
    this.connection = state;
    this.tell();
  }

  saving(ops: number, kept: boolean): void {
    this.unsaved = ops;
    this.kept = kept;
    this.tell();
  }

  mine(name: string, color: number): void {
    this.me = { name, color };
    this.faces();
  }

  others(peers: PeerNews[]): void {
    const key = (ps: PeerNews[]): string => ps.map((p) => `${p.viewer} ${p.name} ${p.color}`).join("\n");
    const same = key(peers) === key(this.peers);
    this.peers = peers;
    if (!same) this.faces();
  }

  private tell(): void {
    const n = this.unsaved;
    const online = this.connection === "online";
    this.dot.dataset["state"] = this.connection;
    let words = "";
    if (this.connection === "connecting") words = "connecting…";
    if (this.connection === "closed") words = "not connected";
    if (this.connection === "waiting") words = "offline";
    if (n > 0) words = online ? "saving…" : `${words || "offline"} · ${n} kept ${this.kept ? "here" : "in this tab"}`;
    if (n > 1 && online) words = `saving… ${n}`;
    if (this.words.textContent !== words) this.words.textContent = words;
    const meaning = { online: n > 0 ? "Being saved" : "Everything is saved", connecting: "Connecting", waiting: "No connection; trying again", closed: "Not connected" }[this.connection];
    this.dot.parentElement!.title = meaning + (n > 0 && !online ? `. ${n === 1 ? "One change is" : `${n} changes are`} kept on this device and sent when the connection is back.` : "");
  }

  private faces(): void {
    const most = maxFaces();
    const faces = this.peers.slice(0, most).map((p) => {
      const b = h("button", { class: "avatar", type: "button", "data-viewer": p.viewer, title: `${p.name} — go there`, "aria-label": `Go to ${p.name}`,
        onclick: () => this.act.visit(this.peers.find((q) => q.viewer === p.viewer) ?? p) }, initials(p.name));
      b.style.background = css(p.color | 0xff);
      return b;
    });
    const me = h("button", { class: "avatar me", type: "button", title: `${this.me.name} (you)`, "aria-label": `${this.me.name}, you: settings`, onclick: this.act.settings }, initials(this.me.name));
    me.style.background = css(this.me.color | 0xff);
    this.people.replaceChildren(...faces);
    if (this.peers.length > most) {
      const more = h("button", { class: "avatar more", type: "button", "aria-label": `${this.peers.length - most} more people` }, `+${this.peers.length - most}`);
      document.querySelector("#more-people")?.remove();
      const list = h("div", { id: "more-people", role: "menu", "aria-label": "People here" }, ...this.peers.slice(most).map((p) => h("button", { class: "item", role: "menuitem", type: "button", onclick: () => this.act.visit(p) }, p.name)));
      float(more, list);
      this.people.append(more);
    }
    this.people.append(me);
    show(this.people, true);
  }
}

function press(name: string, label: string, id?: CommandID, act?: () => void): HTMLButtonElement {
  const keys = id === undefined ? undefined : commands.find((c) => c.id === id)!.keys;
  return h("button", {
    class: "press", type: "button", "aria-label": label, title: id === undefined ? label : `${label} — ${caps(id)}`,
    "aria-keyshortcuts": keys && ariaKeys(keys), onclick: act,
  }, icon(name));
}

function caps(id: CommandID): string {
  return shown(commands.find((c) => c.id === id)!.keys[0]!, mac).join(mac ? "" : "+");
}

// initials are up to two letters of a name, whole characters of any script.
export function initials(name: string): string {
  const words = name.trim().split(/\s+/).filter((w) => w !== "");
  const letter = (w: string | undefined): string => (w === undefined ? "" : [...w][0] ?? "");
  return (letter(words[0]) + (words.length > 1 ? letter(words.at(-1)) : "")).toUpperCase() || "?";
}
