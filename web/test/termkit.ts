// termkit makes rows and frames of terminals for tests.
import type { TermFrame } from "../src/wire.ts";

export function unhex(s: string): Uint8Array {
  return Uint8Array.from(s.match(/../g) ?? [], (b) => parseInt(b, 16));
}

/** ascii is a row of plain text as it travels. */
export function ascii(text: string, wrapped = false): Uint8Array {
  const t = new TextEncoder().encode(text);
  const n: number[] = [];
  const uvarint = (v: number): void => {
    for (; v > 127; v = v >> 7) n.push((v & 127) | 128);
    n.push(v);
  };
  n.push(wrapped ? 1 : 0);
  uvarint(t.length);
  if (t.length > 0) uvarint(t.length * 8);
  return Uint8Array.from([...n, ...t]);
}

export function frameOf(m: Partial<TermFrame>): TermFrame {
  return { terminal: 1, life: 1, seq: 1, full: false, cols: 10, rows: 3, base: 0, changed: [], cursor: undefined, facts: undefined, absent: false, ...m };
}
