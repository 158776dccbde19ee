// float opens menus and panels beside the button that asked for them: native popovers, so that Escape, a click elsewhere and
// the next menu close them.

import { h, icon } from "./h.ts";
import { shown } from "../input/keys.ts";

export const mac = /Mac|iPhone|iPad/.test(navigator.platform);

let next = 0;

/** float makes panel open beside button. */
export function float(button: HTMLElement, panel: HTMLElement, opened: () => void = () => undefined): void {
  panel.classList.add("menu");
  panel.setAttribute("popover", "auto");
  panel.id ||= `float-${++next}`;
  button.setAttribute("popovertarget", panel.id);
  button.setAttribute("aria-expanded", "false");
  button.setAttribute("aria-haspopup", panel.getAttribute("role") === "menu" ? "menu" : "dialog");
  button.setAttribute("aria-controls", panel.id);
  document.body.append(panel);
  panel.addEventListener("beforetoggle", (e) => {
    if ((e as ToggleEvent).newState === "open") opened();
  });
  panel.addEventListener("toggle", (e) => {
    const open = (e as ToggleEvent).newState === "open";
    button.setAttribute("aria-expanded", String(open));
    if (!open) return;
    place(button, panel);
    panel.querySelector<HTMLElement>(".item, input, button")?.focus();
  });
}

// place puts the panel above or below the button, wherever there is more room, within the window.
function place(button: HTMLElement, panel: HTMLElement): void {
  const b = button.getBoundingClientRect();
  const p = panel.getBoundingClientRect();
  const gap = 8;
  const left = Math.max(gap, Math.min(innerWidth - p.width - gap, b.left + b.width / 2 < innerWidth / 2 ? b.left : b.right - p.width));
  const above = b.top > innerHeight - b.bottom;
  const top = above ? b.top - p.height - gap : b.bottom + gap;
  panel.style.left = `${left}px`;
  panel.style.top = `${Math.max(gap, Math.min(innerHeight - p.height - gap, top))}px`;
}

export interface Item {
  icon: string;
  label: string;
  keys?: string; // a chord of the key table
  href?: string;
  shells?: true; // only where there are terminals
  act?: () => void;
}

/** menu makes a menu of items; null is a line between groups. It gives the panel, for whoever takes the button away. */
export function menu(button: HTMLElement, items: (Item | null)[]): HTMLElement {
  const panel = h("div", { role: "menu", "aria-label": button.getAttribute("aria-label") ?? "Menu" });
  for (const i of items) {
    if (i === null) {
      panel.append(h("hr"));
      continue;
    }
    const keys = i.keys === undefined ? null : h("span", { class: "keys" }, shown(i.keys, mac).join(mac ? "" : " "));
    const inner = [icon(i.icon, true), h("span", {}, i.label), keys];
    const item = i.href === undefined
      ? h("button", { class: "item", role: "menuitem", type: "button", tabindex: -1, onclick: () => { panel.hidePopover(); i.act?.(); } }, ...inner)
      : h("a", { class: "item", role: "menuitem", tabindex: -1, href: i.href }, ...inner);
    if (i.shells) item.dataset["shells"] = "";
    panel.append(item);
  }
  panel.addEventListener("keydown", (e) => {
    const all = [...panel.querySelectorAll<HTMLElement>(".item")];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    e.stopPropagation();
    all[(to + all.length) % all.length]?.focus();
  });
  float(button, panel);
  return panel;
}

/** closeFloats closes what is open and says whether anything was. */
export function closeFloats(): boolean {
  let any = false;
  for (const p of document.querySelectorAll<HTMLElement>("[popover]:popover-open")) {
    p.hidePopover();
    any = true;
  }
  return any;
}
