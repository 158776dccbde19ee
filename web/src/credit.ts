// credit owns how many bytes a cycle may take: as much as this connection brings in a twentieth of a second, so that what is
// painted is never much older than that, however slow the line.

const FIRST = 256 << 10;
const LEAST = 8 << 10;
const MOST = 1 << 20;
const SPAN_MS = 50;

// Below this many ms a cycle came at once: the line is faster than we can measure.
const AT_ONCE_MS = 4;

export class Credit {
  bytes = FIRST;
  private first = 0; // when the first message of the cycle was here
  private after = 0; // bytes that came after it
  private messages = 0;

  /** asked begins a cycle. */
  asked(): void {
    this.messages = this.after = 0;
  }

  arrived(bytes: number, now: number): void {
    if (this.messages++ === 0) this.first = now;
    else this.after += bytes;
  }

  ended(now: number): void {
    if (this.messages < 2) return; // nothing to measure by
    const took = now - this.first;
    if (took < AT_ONCE_MS) this.bytes = Math.min(MOST, 2 * this.bytes);
    else this.bytes = Math.round(Math.max(LEAST, Math.min(MOST, (this.after / took) * SPAN_MS)));
  }
}
