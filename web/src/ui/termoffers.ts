// termoffers is what programs in terminals offer to the person, who may take it: notices, a text for the clipboard, a
// recording. Nothing of it happens unasked.

import { copy } from "./copy.ts";
import { offer } from "./h.ts";
import type { Term, TerminalsOptions } from "./term.ts";

// A recording is kept in memory until it is saved; at this size it ends.
const mostRecorded = 256 << 20;

const mostWords = 200;

/** notice says what a program wants to have said. */
export function notice(o: TerminalsOptions, t: Term, title: string, text: string, show: () => void): void {
  const words = [title, text].filter((w) => w !== "").join(": ");
  if (words !== "") o.say(`${t.name}: ${words.slice(0, mostWords)}`, { label: "Show", act: show });
}

/** offerClipboard writes a program's text to the clipboard, once the person has allowed that on this canvas. */
export function offerClipboard(o: TerminalsOptions, t: Term, text: string, then: () => void): void {
  const key = `fractal.clipboard.${o.canvas}`;
  let allowed = false;
  try {
    allowed = localStorage.getItem(key) === "yes";
  } catch {
    // storage is off
  }
  const put = async (): Promise<void> => {
    if (!(await copy(text))) o.say("This browser does not let the page copy.");
    then();
  };
  if (allowed) return void put();
  o.say(`A program in ${t.name} wants to write to your clipboard.`, { label: "Allow", act: () => {
    try {
      localStorage.setItem(key, "yes");
    } catch {
      // it is asked again
    }
    void put();
  } });
}

/** record collects what the server records of a terminal until the person ends that, and gives it to them as a file. */
export async function record(o: TerminalsOptions, t: Term, changed: () => void): Promise<void> {
  if (t.recording) return;
  const end = (t.recording = new AbortController());
  changed();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    const r = await fetch(`/c/${encodeURIComponent(o.canvas)}/terminals/${encodeURIComponent(t.name)}.cast`, { signal: end.signal });
    if (!r.ok || !r.body) throw new Error(`The server says ${r.status}.`);
    const from = r.body.getReader();
    for (;;) {
      const { value, done } = await from.read();
      if (done) break;
      parts.push(value);
      bytes += value.length;
      if (bytes > mostRecorded) end.abort();
    }
  } catch (e) {
    if (!end.signal.aborted) o.say(`There is no recording. ${e instanceof Error ? e.message : ""}`);
  }
  t.recording = undefined;
  changed();
  if (parts.length > 0) offer(new Blob(parts, { type: "application/x-asciicast" }), `${t.name}.cast`);
}

/** fullScreen gives the page also those keys that browsers keep for themselves otherwise, Ctrl+W say, where the browser can do that. */
export async function fullScreen(): Promise<void> {
  const n = navigator as Navigator & { keyboard?: { lock?: () => Promise<void> } };
  try {
    await document.documentElement.requestFullscreen();
    await n.keyboard?.lock?.();
  } catch {
    // refused: all stays as it was
  }
}
