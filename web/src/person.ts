// person keeps a copy of the person's secret where a page can read it at once. The truth is in the store (store.ts), which
// takes a new browser a tenth of a second to open; nothing is drawn before the server knows for whom.

const stored = "fractal.person";

/** known gives the secret in hex: the copy, or for who has never been here a new one. undefined: the store must be asked. */
export function known(): string | undefined {
  try {
    const copy = localStorage.getItem(stored);
    if (copy !== null && /^[0-9a-f]{64}$/.test(copy)) return copy;
    if (localStorage.length > 0) return undefined; // has been here before there were copies
    const fresh = Array.from(crypto.getRandomValues(new Uint8Array(32)), (b) => b.toString(16).padStart(2, "0")).join("");
    localStorage.setItem(stored, fresh);
    return fresh;
  } catch {
    return undefined; // storage is off
  }
}

/** remember makes the copy what the store says. */
export function remember(key: string): void {
  try {
    localStorage.setItem(stored, key);
  } catch {
    // The store is asked each time.
  }
}
