// phases owns pictures of places that come as phases: where in the cycle of a palette each pixel lies. The page gives them their
// colours, so that colours can move, or be tried, without a word to the server. Twin of package mandel's Shader.

import { decodePalette, type Palette } from "./wire.ts";

/** STEPS is how many phases a cycle has: mandel.Phases. */
export const STEPS = 2048;

const SIDE = 256;
const FIRST = 2; // what the pixel of phase 0 is; 0: nothing, 1: inside

/** Phases is such a picture. */
export interface Phases {
  readonly values: Uint16Array;
  readonly palette: Palette;
  /** live is the picture as it was last painted in colours that are not its own; undefined: it was not. */
  live: Live | undefined;
}

interface Live {
  readonly canvas: OffscreenCanvas;
  readonly ctx: OffscreenCanvasRenderingContext2D;
  readonly pixels: ImageData;
  readonly out: Uint32Array; // its pixels
  colors: Uint32Array | undefined;
  shift: number;
}

/** readPhases reads an image of format 2. */
export async function readPhases(data: Uint8Array): Promise<Phases> {
  let n = 0;
  let at = 0;
  for (let shift = 0; ; shift += 7) {
    const b = data[at++];
    if (b === undefined || shift > 21) throw new Error("a palette without a length");
    n |= (b & 0x7f) << shift;
    if (b < 0x80) break;
  }
  const palette = decodePalette(data.subarray(at, at + n));
  at += n;
  const values = new Uint16Array(SIDE * SIDE);
  if (data[at] === 0) {
    values.fill((data[at + 1]! << 8) | data[at + 2]!);
  } else {
    await readPNG(data.subarray(at + 1), values);
  }
  return { values, palette, live: undefined };
}

// readPNG reads R·256 + G of each pixel. No canvas is asked: some browsers falsify what is read back from one. It reads what the
// server writes: 8 bits, one IDAT after another, no filters.
async function readPNG(png: Uint8Array, values: Uint16Array): Promise<void> {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  let channels = 0;
  let colors: Uint8Array | undefined;
  const parts: BlobPart[] = [];
  for (let at = 8; at + 12 <= png.length; ) {
    const length = view.getUint32(at);
    const kind = view.getUint32(at + 4);
    const body = png.subarray(at + 8, at + 8 + length);
    if (kind === 0x49484452) channels = [0, 0, 3, 1, 0, 0, 4][body[9]!] ?? 0;
    else if (kind === 0x504c5445) colors = body;
    else if (kind === 0x49444154) parts.push(body as Uint8Array<ArrayBuffer>);
    at += 12 + length;
  }
  const inflated = new Blob(parts).stream().pipeThrough(new DecompressionStream("deflate"));
  const rows = new Uint8Array(await new Response(inflated).arrayBuffer());
  const stride = 1 + SIDE * channels;
  if (channels === 0 || rows.length !== stride * SIDE || (channels === 1 && colors === undefined)) throw new Error("not a picture of phases");
  for (let y = 0, k = 0; y < SIDE; y++) {
    let i = y * stride;
    if (rows[i++] !== 0) throw new Error("a picture of phases with a filter");
    if (channels === 1) {
      for (let x = 0; x < SIDE; x++, k++) {
        const c = 3 * rows[i++]!;
        values[k] = (colors![c]! << 8) | colors![c + 1]!;
      }
    } else {
      for (let x = 0; x < SIDE; x++, k++, i += channels) values[k] = (rows[i]! << 8) | rows[i + 1]!;
    }
  }
}

const tables = new WeakMap<Palette, Uint32Array>();

/** colorsOf is the colours of a palette's steps as pixels of ImageData, then that of what is inside. */
export function colorsOf(p: Palette): Uint32Array {
  let t = tables.get(p);
  if (t !== undefined) return t;
  t = new Uint32Array(STEPS + 1);
  const count = Math.floor(p.colors.length / 3);
  const colors = count > 0 ? p.colors : Uint8Array.of(0, 0, 0, 255, 255, 255);
  const n = count > 0 ? count : 2;
  for (let i = 0; i < STEPS; i++) {
    const at = (i * n) / STEPS;
    const k = Math.floor(at);
    const f = at - k;
    let pixel = 0xff000000;
    for (let c = 0; c < 3; c++) {
      const a = colors[3 * k + c]!;
      const b = colors[3 * ((k + 1) % n) + c]!;
      pixel |= Math.floor(a + (b - a) * f + 0.5) << (8 * c);
    }
    t[i] = pixel >>> 0;
  }
  t[STEPS] = (0xff000000 | ((p.inside >>> 8) & 0xff) << 16 | ((p.inside >>> 16) & 0xff) << 8 | (p.inside >>> 24)) >>> 0;
  tables.set(p, t);
  return t;
}

/** paintPhases colours a picture, moved by `shift` steps. */
export function paintPhases(values: Uint16Array, colors: Uint32Array, shift: number, out: Uint32Array): void {
  const inside = colors[STEPS]!;
  for (let i = 0; i < values.length; i++) {
    const v = values[i]!;
    out[i] = v >= FIRST ? colors[(v - FIRST + shift) & (STEPS - 1)]! : v === 0 ? 0 : inside;
  }
}

const scratch = { pixels: undefined as ImageData | undefined };

/** bitmapOf is the picture in its own colours. */
export function bitmapOf(p: Phases): Promise<ImageBitmap> {
  const pixels = (scratch.pixels ??= new ImageData(SIDE, SIDE));
  paintPhases(p.values, colorsOf(p.palette), 0, new Uint32Array(pixels.data.buffer));
  return createImageBitmap(pixels, { colorSpaceConversion: "none" });
}

/** Shade says in which colours places are shown: in their own, which may move, or in those that somebody tries. */
export class Shade {
  private trial: Palette | undefined;
  private still = false;
  private now = 0; // ms since 1970, so that colours move alike for everybody
  private readonly moving = new Map<number, number>(); // speeds of the frame, and where that had moved the colours

  /** set says which colours somebody tries (undefined: none), and whether colours must rest. */
  set(trial: Palette | undefined, still: boolean): void {
    this.trial = trial;
    this.still = still;
  }

  /** begin begins a frame. */
  begin(now: number): void {
    this.now = now;
    this.moving.clear();
  }

  /** moves says whether the last frame showed colours that move. */
  get moves(): boolean {
    return this.moving.size > 0;
  }

  /** due says whether they have moved since. */
  due(now: number): boolean {
    for (const [speed, shift] of this.moving) if (shiftAt(now, speed) !== shift) return true;
    return false;
  }

  /** picture is what to draw of a picture: undefined where the one in its own colours, at rest, will do. */
  picture(p: Phases): OffscreenCanvas | undefined {
    const palette = this.trial ?? p.palette;
    const speed = this.still ? 0 : palette.speed;
    const shift = shiftAt(this.now, speed);
    if (speed !== 0) this.moving.set(speed, shift);
    if (speed === 0 && this.trial === undefined) return (p.live = undefined);
    const colors = colorsOf(palette);
    const live = (p.live ??= newLive());
    if (live.colors !== colors || live.shift !== shift) {
      paintPhases(p.values, colors, shift, live.out);
      live.ctx.putImageData(live.pixels, 0, 0);
      live.colors = colors;
      live.shift = shift;
    }
    return live.canvas;
  }
}

// shiftAt is how many steps colours have moved by a time.
function shiftAt(now: number, speed: number): number {
  const cycles = (now / 1000) * (speed / 65536);
  return Math.floor((cycles - Math.floor(cycles)) * STEPS) & (STEPS - 1);
}

function newLive(): Live {
  const canvas = new OffscreenCanvas(SIDE, SIDE);
  const ctx = canvas.getContext("2d", { colorSpace: "srgb" });
  if (ctx === null) throw new Error("This browser has no canvas to paint on.");
  const pixels = new ImageData(SIDE, SIDE);
  return { canvas, ctx, pixels, out: new Uint32Array(pixels.data.buffer), colors: undefined, shift: 0 };
}
