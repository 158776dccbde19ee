// rights is the sheet about who may do what with the terminals of a canvas: the owner says, everybody else sees what holds for
// them. The server decides; this only asks.

import type { PeerNews } from "../protocol.ts";
import { initials } from "./corners.ts";
import { open } from "./dialogs.ts";
import { css, h } from "./h.ts";

/** Roles, as Grant.role. */
export const TYPE = 1, OWN = 2;

export const roleNames = ["looks on", "may type", "owner"] as const;

export interface Rights {
  me: { name: string; color: number; role: number };
  peers: readonly PeerNews[];
  grant: (person: Uint8Array, role: number) => void;
}

let shownNow: { d: HTMLDialogElement; draw: (r: Rights) => void } | undefined;

export function rights(r: Rights): void {
  const about = h("p", { class: "note" });
  const list = h("div", { class: "rights" });
  const d = open("People and terminals", false, about, list);
  const draw = (r: Rights): void => {
    about.textContent = r.me.role >= OWN
      ? "Whoever may type can do anything that you can on this server: a terminal is a shell there. An owner also places terminals and gives rights."
      : r.me.role === TYPE ? "You may type in the terminals here. Owners place them, and give rights." : "You look on. An owner can let you type.";
    const seen = new Set<string>();
    const rows = r.peers.filter((p) => p.person.length > 0 && !seen.has(String(p.person)) && seen.add(String(p.person))).map((p) => row(p, r));
    list.replaceChildren(face(r.me, `${r.me.name} (you)`, h("span", { class: "role" }, roleNames[r.me.role] ?? "")), ...rows);
    if (rows.length === 0) list.append(h("p", { class: "note" }, "Nobody else is here. Share the link, and whoever opens it is listed."));
  };
  draw(r);
  shownNow = { d, draw };
  d.addEventListener("close", () => (shownNow = undefined));
}

/** rightsChanged shows news in the sheet, if it is open and nobody is choosing in it. */
export function rightsChanged(r: Rights): void {
  if (shownNow && !shownNow.d.contains(document.activeElement?.closest("select") ?? null)) shownNow.draw(r);
}

function row(p: PeerNews, r: Rights): HTMLElement {
  if (r.me.role < OWN) return face(p, p.name, h("span", { class: "role" }, roleNames[p.role] ?? ""));
  const select = h("select", { "aria-label": `What ${p.name} may do`, onchange: () => {
    r.grant(p.person, Number(select.value));
    select.blur();
  } }, ...roleNames.map((name, i) => h("option", { value: i, selected: i === p.role }, name)));
  return face(p, p.name, select);
}

function face(p: { name: string; color: number }, name: string, what: HTMLElement): HTMLElement {
  const a = h("span", { class: "avatar", "aria-hidden": "true" }, initials(p.name));
  a.style.background = css(p.color | 0xff);
  return h("div", { class: "row" }, a, h("span", { class: "about" }, name), what);
}
