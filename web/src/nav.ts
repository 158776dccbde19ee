// nav keeps the address of the page and the place in view the same: it is rewritten while the view moves, a jump is a step
// that the browser's back button takes back, and an address somebody typed or followed is gone to.

import { format, type Middle, parse } from "./permalink.ts";

export interface NavOptions {
  go: (m: Middle) => void; // back, forward, or an address
  fit: () => void; // #fit: show everything
  lost: () => void; // the address says no place
}

export class Nav {
  private written = "";

  constructor(private readonly o: NavOptions) {
    addEventListener("popstate", () => this.read());
  }

  /** read goes where the address says; false when it says nothing. */
  read(): boolean {
    const { hash } = location;
    if (hash === "" || hash === "#") return false;
    if (hash === "#fit") this.o.fit();
    else {
      const m = parse(hash);
      this.written = hash;
      if (m) this.o.go(m);
      else this.o.lost();
    }
    return true;
  }

  /** stay rewrites the address to the place in view. */
  stay(m: Middle): void {
    const hash = format(m);
    if (hash === this.written) return;
    this.written = hash;
    history.replaceState(null, "", hash);
  }

  /** step leaves the place in view behind and goes to another. */
  step(here: Middle, there: Middle): void {
    this.stay(here);
    const hash = format(there);
    if (hash === this.written) return;
    this.written = hash;
    history.pushState(null, "", hash);
  }

  /** link is the whole address of a place, to give to others. */
  link(m: Middle): string {
    const u = new URL(location.href);
    u.hash = format(m);
    u.searchParams.delete("key");
    return u.href;
  }
}
