// first shows what is seen first, before there is a worker or a socket: it asks for the pictures of the cells in view as soon as the
// page's address is known, and paints them as they come. When the worker runs, it takes over what has come. A fetch needs neither
// thread nor main process of the browser, which are busy then.

import { cover, type Cover } from "./cover.ts";
import type { First, FirstCell, Place } from "./protocol.ts";
import { hex, MAX_LEVEL } from "./tile.ts";

// Longer addresses are not asked for: a server bounds what it reads of a request.
const MAX_ADDRESS = 1000;

/** MOST squares are asked for, as worker.ts does before a server has said more. */
const MOST = 128;

const HEAD = 18; // bytes before a picture: see server/first.go

export class FirstLook {
  private readonly off = new AbortController();
  private readonly cells: FirstCell[] = [];
  private readonly cover: Cover;
  private paper = 0;
  private closed = false; // one frame is shown, with what has come by then: each costs as much as a frame of the worker
  private ctx: CanvasRenderingContext2D | undefined;

  /** It shows itself above the canvas `dry`. */
  constructor(
    canvas: string,
    place: Place,
    private readonly width: number,
    private readonly height: number,
    private readonly dpr: number,
    private readonly dry: HTMLCanvasElement,
  ) {
    const c = (this.cover = cover(place, width, height, dpr, MOST));
    const at = `${c.level}/${hex(c.x)}/${hex(c.y)}`;
    if (Math.abs(c.level) > MAX_LEVEL || at.length > MAX_ADDRESS) return;
    void this.read(`/c/${encodeURIComponent(canvas)}/first?at=${at}&cols=${c.cols}&rows=${c.rows}`);
  }

  private async read(url: string): Promise<void> {
    try {
      const answer = await fetch(url, { signal: this.off.signal, priority: "high" });
      if (!answer.ok || answer.body === null) return;
      const from = answer.body.getReader();
      let b = new Uint8Array(0);
      for (;;) {
        const { done, value } = await from.read();
        if (done || this.off.signal.aborted) return;
        b = joined(b, value);
        b = b.subarray(this.take(b));
      }
    } catch {
      // The worker asks again for what has not come.
    }
  }

  // take takes what is complete, and says how many bytes that is.
  private take(b: Uint8Array): number {
    const v = new DataView(b.buffer, b.byteOffset, b.byteLength);
    let n = 0;
    if (this.paper === 0) {
      if (b.length < 4) return 0;
      this.paper = v.getUint32(0, true);
      n = 4;
    }
    while (b.length >= n + HEAD) {
      const size = v.getUint32(n + 14, true);
      if (b.length < n + HEAD + size) break;
      const data = b.slice(n + HEAD, n + HEAD + size);
      const cell: FirstCell = {
        col: v.getUint16(n, true), row: v.getUint16(n + 2, true), format: v.getUint8(n + 4), below: v.getUint8(n + 5) !== 0, version: v.getFloat64(n + 6, true), data,
      };
      this.cells.push(cell);
      if (cell.format === 1 && !this.closed) void this.show(cell);
      n += HEAD + size;
    }
    return n;
  }

  private async show(cell: FirstCell): Promise<void> {
    const image = await createImageBitmap(new Blob([cell.data as Uint8Array<ArrayBuffer>], { type: "image/png" }), { colorSpaceConversion: "none" });
    if (this.closed) return image.close();
    if (this.ctx === undefined) {
      const canvas = document.createElement("canvas");
      canvas.id = "first";
      canvas.width = Math.max(1, Math.round(this.width * this.dpr));
      canvas.height = Math.max(1, Math.round(this.height * this.dpr));
      this.ctx = canvas.getContext("2d")!;
      this.dry.after(canvas);
      requestAnimationFrame(() => (this.closed = true));
    }
    // As paint.ts does: edges on device pixels.
    const { left, top, size } = this.cover;
    const x = Math.round(left + cell.col * size);
    const y = Math.round(top + cell.row * size);
    const w = Math.round(left + (cell.col + 1) * size) - x;
    const h = Math.round(top + (cell.row + 1) * size) - y;
    this.ctx.fillStyle = `#${(this.paper >>> 8).toString(16).padStart(6, "0")}`;
    this.ctx.fillRect(x, y, w, h);
    this.ctx.drawImage(image, x, y, w, h);
    image.close();
  }

  /** over ends the look, and gives what has come. What is shown stays until the worker shows as much. */
  over(): First {
    this.off.abort();
    const { level, x, y } = this.cover;
    return { level, x, y, cells: this.cells };
  }
}

/** unshown takes the first look away: there is something better. */
export function unshown(): void {
  document.querySelector("#first")?.remove();
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const c = new Uint8Array(a.length + b.length);
  c.set(a);
  c.set(b, a.length);
  return c;
}
