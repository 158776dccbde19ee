// typist has the keyboard while a terminal does: a hidden field that is focused, so that input methods, dead keys, the paste
// of the browser and the keyboards of phones work. What they give goes to the terminal; what the page keeps for itself (a
// chord) to the page.

import { chordOf, type Keyboard, type Report, type TermChord, termKey } from "./termkeys.ts";
import { mac } from "../ui/float.ts";
import { h } from "../ui/h.ts";
import type { TermKey } from "../wire.ts";

export interface TypistOptions {
  key: (k: TermKey) => void;
  text: (text: string) => void;
  paste: (text: string) => void;
  chord: (c: TermChord) => void;
  /** awake is told that the keyboard is here, or has gone elsewhere. */
  awake: (is: boolean) => void;
  /** kitty gives the flags that the program has set. */
  kitty: () => number;
}

export class Typist {
  readonly field: HTMLTextAreaElement;
  private on = false;
  private composing = false;
  private ctrl = false; // is held
  private taken = false; // the last key went to the terminal
  private readonly keyboard: Keyboard = { mac, layout: undefined };

  constructor(private readonly o: TypistOptions) {
    const f = (this.field = h("textarea", {
      class: "typist", "aria-label": "Terminal", tabindex: -1, autocapitalize: "off", autocomplete: "off", autocorrect: "off", spellcheck: "false", rows: 1,
    }));
    f.addEventListener("keydown", (e) => this.down(e));
    f.addEventListener("keyup", (e) => this.up(e));
    // What a key types comes with its press. Whoever drives a browser from outside may send it a second time.
    f.addEventListener("keypress", (e) => {
      if (this.taken) e.preventDefault();
    });
    f.addEventListener("compositionstart", () => this.compose(true));
    f.addEventListener("compositionend", () => {
      this.compose(false);
      setTimeout(() => this.flush()); // Safari puts the text in after this
    });
    f.addEventListener("input", () => {
      if (!this.composing) this.flush();
    });
    f.addEventListener("beforeinput", (e) => this.soft(e));
    f.addEventListener("paste", (e) => {
      e.preventDefault();
      e.stopPropagation(); // else the page looks for a location in it
      const text = e.clipboardData?.getData("text/plain") ?? "";
      if (text !== "") o.paste(text);
    });
    f.addEventListener("focus", () => o.awake(true));
    f.addEventListener("blur", () => {
      this.compose(false);
      f.value = "";
      this.ctrl = false;
      o.awake(false);
    });
    // Ctrl+W deletes a word in a shell and closes the page in a browser, which gives that key to nobody: it shall ask first.
    addEventListener("beforeunload", (e) => {
      if (this.on && this.ctrl) e.preventDefault();
    });
    void this.learn();
  }

  /** begin takes the keyboard; wake takes it again after something else had it; end gives it back. */
  begin(label: string): void {
    this.on = true;
    this.field.setAttribute("aria-label", label);
    this.wake();
  }

  wake(): void {
    if (this.on && document.activeElement !== this.field) this.field.focus({ preventScroll: true });
  }

  end(): void {
    this.on = false;
    this.field.blur();
  }

  /** at puts the field where the cursor is, so that an input method shows its words there. */
  at(x: number, y: number, cellPx: number): void {
    const s = this.field.style;
    s.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
    s.fontSize = `${Math.max(8, Math.round(cellPx * 0.82))}px`;
    s.lineHeight = `${Math.round(cellPx)}px`;
  }

  private down(e: KeyboardEvent): void {
    this.ctrl = e.ctrlKey;
    this.taken = false;
    if (e.isComposing || e.keyCode === 229) return;
    if (!this.composing) this.flush();
    const r = reportOf(e, e.repeat ? 2 : 1);
    const chord = chordOf(r, mac);
    if (chord === "paste") return e.stopPropagation(); // the browser pastes
    if (chord !== undefined) {
      stop(e);
      if (!e.repeat || chord.startsWith("prompt")) this.o.chord(chord);
      return;
    }
    if (mac && e.metaKey) return; // the browser's and the system's
    const k = termKey(r, this.o.kitty(), this.keyboard);
    if (k === undefined) return e.stopPropagation();
    stop(e);
    this.taken = true;
    this.o.key(k);
  }

  private up(e: KeyboardEvent): void {
    this.ctrl = e.ctrlKey;
    e.stopPropagation();
    if (e.isComposing) return;
    const k = termKey(reportOf(e, 3), this.o.kitty(), this.keyboard);
    if (k !== undefined) this.o.key(k);
  }

  // soft is for keyboards on the screen: some say what they do in this event alone.
  private soft(e: InputEvent): void {
    if (this.composing || e.isComposing) return;
    const code = { deleteContentBackward: 127, insertLineBreak: 13, insertParagraph: 13 }[e.inputType];
    if (code === undefined) return;
    e.preventDefault();
    this.o.key({ code, shifted: 0, base: 0, text: "", mods: 0, press: 1 });
  }

  private compose(on: boolean): void {
    this.composing = on;
    this.field.classList.toggle("composing", on);
  }

  private flush(): void {
    const text = this.field.value;
    if (text === "" || this.composing) return;
    this.field.value = "";
    this.o.text(text.replace(/\n/g, "\r"));
  }

  // learn asks what is printed on the keys, where the browser tells: on secure pages of some.
  private async learn(): Promise<void> {
    const k = (navigator as Navigator & { keyboard?: { getLayoutMap?: () => Promise<ReadonlyMap<string, string>> } }).keyboard;
    try {
      this.keyboard.layout = await k?.getLayoutMap?.();
    } catch {
      // it does not
    }
  }
}

function reportOf(e: KeyboardEvent, press: 1 | 2 | 3): Report {
  return {
    key: e.key, code: e.code, shift: e.shiftKey, ctrl: e.ctrlKey, alt: e.altKey, meta: e.metaKey, altGr: e.getModifierState("AltGraph"),
    caps: e.getModifierState("CapsLock"), num: e.getModifierState("NumLock"), press,
  };
}

function stop(e: Event): void {
  e.preventDefault();
  e.stopPropagation();
}
