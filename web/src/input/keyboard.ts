// keyboard listens to the keys and hands out the commands of the key table, unless the keys belong to somebody else: a
// field, a dialog, a menu, a focused button.

import { type Command, commandOf, holdOf } from "./keys.ts";

export interface KeyboardOptions {
  command: (c: Command) => void;
  release: (c: Command) => void; // of a command that acts while its key is held
  releaseAll: () => void; // the window has lost the keys
  /** busy: the hand is at work, only what does not disturb it may happen. */
  busy: (c: Command) => boolean;
  /** elsewhere: something stops everything else, a dialog say. */
  elsewhere: () => boolean;
}

export function listen(o: KeyboardOptions): void {
  addEventListener("keydown", (e) => {
    // A browser that fills in forms sends keys without one.
    if (!e.key || e.isComposing || e.defaultPrevented || o.elsewhere() || typing(e.target) || theirs(e)) return;
    const c = commandOf(e);
    if (!c) return;
    if (c.id !== "escape") e.preventDefault(); // which also closes menus
    if ((e.repeat && !c.repeat) || o.busy(c)) return;
    o.command(c);
  });
  addEventListener("keyup", (e) => {
    const c = e.key ? holdOf(e) : undefined;
    if (c) o.release(c);
  });
  addEventListener("blur", o.releaseAll);
  addEventListener("click", (e) => {
    // After a pointer's click on a button space moves the canvas and does not press again. A key's click keeps its place.
    const b = e.target instanceof Element ? e.target.closest("button") : null;
    if (e.detail > 0 && b && !b.closest("dialog, [popover]") && !b.hasAttribute("popovertarget")) giveBack();
  });
}

/** giveBack takes the keys from whatever has the focus. */
export function giveBack(): boolean {
  const a = document.activeElement;
  if (!(a instanceof HTMLElement) || a === document.body) return false;
  a.blur();
  return true;
}

function typing(t: EventTarget | null): boolean {
  return t instanceof HTMLElement && (t.isContentEditable || t.matches("input:not([type=range]):not([type=color]), textarea, select"));
}

// theirs says that a key belongs to the button, slider or menu that has the focus.
function theirs(e: KeyboardEvent): boolean {
  const t = e.target;
  if (!(t instanceof HTMLElement) || e.ctrlKey || e.altKey || e.metaKey) return false;
  if (t.closest("[role=menu], [role=dialog]")) return e.code === "Space" || e.key.startsWith("Arrow") || e.key === "Home" || e.key === "End";
  return t.matches("button, a, input") && (e.code === "Space" || e.key === "Enter");
}
