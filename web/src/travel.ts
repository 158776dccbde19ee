// travel knows where the person is, where everything is, and how to get from one to the other: home, all there is, a link, a
// person, back and forward. Small moves of the hand are the flight's own affair; a journey is a step in the browser's history.

import { type Flight, flightMs } from "./input/flight.ts";
import { Nav } from "./nav.ts";
import { copy } from "./ui/copy.ts";
import { home, type Middle, middleOf, placeOf } from "./permalink.ts";
import type { Extent, PeerNews, Place } from "./protocol.ts";
import { fit, grown, homeAt, local, shownIn } from "./view.ts";

export interface TravelOptions {
  flight: Flight;
  size: () => { width: number; height: number };
  say: (text: string) => void;
  private: boolean; // the canvas opens only for who was let in
  /** astray: nothing that is drawn is in view. */
  astray: (is: boolean) => void;
  /** extent asks the server where everything is now: "unknown" when it does not answer. */
  extent: () => Promise<Extent | undefined | "unknown">;
}

// How soon after a move the address is rewritten: browsers refuse more than some writes a second.
const writeMs = 250;

// All that is drawn, seen this small, cannot be found.
const leastPx = 3;

// Who comes without a place in the address is shown everything if it is no more than this many times as wide as the view. More
// than that would be too small to recognise, and home is as good a place to begin.
const mostViews = 4;

export class Travel {
  /** strokes on the canvas, as far as the page knows. */
  strokes = 0;
  private drawn: Extent | undefined; // where they lie
  private known = -1; // how many there were when that was true; others may have drawn since
  private asking: Promise<void> | undefined;
  private wantsFit = false; // as soon as it is known where
  private arriving = false; // nothing is known yet, and the address says no place
  private timer = 0;
  private began = false;
  private readonly nav: Nav;

  constructor(private readonly o: TravelOptions) {
    this.nav = new Nav({
      go: (m) => this.go(m, false),
      fit: () => {
        if (this.began) return void this.fitAll(false);
        this.wantsFit = true;
      },
      lost: () => {
        o.say("That link does not lead to a place. Here is home.");
        this.go(home, false);
      },
    });
  }

  /** begin goes where the address of the page says. */
  begin(): void {
    this.arriving = !this.nav.read();
    this.began = true;
  }

  middle(p: Place = this.o.flight.place): Middle {
    const { width, height } = this.o.size();
    return middleOf(p, width, height);
  }

  /** go flies to a place; step: the browser's back button returns. */
  go(m: Middle, step = true): void {
    const { width, height } = this.o.size();
    if (step) this.nav.step(this.middle(), m);
    this.o.flight.fly(placeOf(m, width, height), this.began ? flightMs * 1.6 : 0);
  }

  goHome(): void {
    this.go(home);
  }

  async fitAll(step = true): Promise<void> {
    await this.ask();
    if (this.drawn) this.go(this.middle(this.all(this.drawn)), step);
    else if (step) this.o.say("Nothing is drawn here yet.");
  }

  visit(p: PeerNews): void {
    if (!p.cursor) return this.o.say(`${p.name} is here, with the pointer elsewhere.`);
    const { level, x, y, ux, uy } = p.cursor;
    const at = (tile: bigint, units: number): bigint => (tile << 24n) + BigInt(Math.round(units * 1024));
    this.go({ level, x: at(x, ux), y: at(y, uy), scale: 1 });
  }

  /** by is the place that many px from where the flight will rest. */
  by(x: number, y: number): Place {
    const m = this.middle(this.o.flight.goal);
    const px = (v: number): bigint => BigInt(Math.round((v / (m.scale * 256)) * 2 ** 24));
    const { width, height } = this.o.size();
    return placeOf({ ...m, x: m.x + px(x), y: m.y + px(y) }, width, height);
  }

  async share(): Promise<void> {
    this.nav.stay(this.middle());
    const done = await copy(this.nav.link(this.middle()));
    this.o.say(!done ? "The link is in the address bar: copy it from there."
      : this.o.private ? "Link to this view copied. It opens for those who have come in by a secret link before." : "Link to this view copied");
  }

  /** moved is called while the view moves, rested when it has come to rest. */
  moved(): void {
    if (this.timer === 0) this.timer = setTimeout(() => this.rested(), writeMs);
  }

  rested(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    this.nav.stay(this.middle());
    this.lookAround();
  }

  /** know takes the server's word on where everything is, when the page has come in. */
  know(drawn: Extent | undefined): void {
    this.drawn = drawn;
    if (this.wantsFit || (this.arriving && drawn && this.hidden(drawn))) {
      if (drawn) this.o.flight.jump(this.all(drawn));
    }
    this.wantsFit = this.arriving = false;
    this.lookAround();
  }

  /** reach keeps in mind that there is ink at (x, y) of the view now. */
  reach(x: number, y: number): void {
    const { place } = this.o.flight;
    const tile = homeAt(place, x, y);
    const u = local(place, tile, x, y);
    this.drawn = grown(this.drawn, tile, u.x, u.y, 24 * u.unit);
  }

  /** lookAround says whether there is anything to see, and asks before it says no: others may have drawn. */
  lookAround(): void {
    if (this.strokes === 0 || (this.drawn && !this.missed(this.drawn))) return this.o.astray(false);
    if (this.known === this.strokes) return this.o.astray(this.drawn !== undefined);
    void this.ask().then(() => this.lookAround());
  }

  // ask brings what is known of where everything is up to now.
  private ask(): Promise<void> {
    const strokes = this.strokes;
    return (this.asking ??= this.o.extent().then((e) => {
      this.asking = undefined;
      this.known = strokes;
      if (e !== "unknown") this.drawn = e;
    }));
  }

  private all(drawn: Extent): Place {
    const { width, height } = this.o.size();
    return fit(drawn, width, height);
  }

  // missed says that the view shows nothing of it.
  private missed(drawn: Extent): boolean {
    const { width, height } = this.o.size();
    const at = shownIn(drawn, this.o.flight.place);
    const outside = !(at.left < width && at.top < height && at.right > 0 && at.bottom > 0);
    return outside || Math.max(at.right - at.left, at.bottom - at.top) < leastPx;
  }

  // hidden says that who comes to this view should see more of it.
  private hidden(drawn: Extent): boolean {
    if (this.missed(drawn)) return true;
    const { width, height } = this.o.size();
    const { left, top, right, bottom } = shownIn(drawn, this.o.flight.place);
    const whole = left >= 0 && top >= 0 && right <= width && bottom <= height;
    return !whole && right - left <= mostViews * width && bottom - top <= mostViews * height;
  }
}
