// termbox owns the characters that are geometry: lines, blocks, dots and the triangles of prompts, as source/boxes.go has them.
// Here they are fitted to the device pixels of one grid cell, so that lines stay sharp and meet at every border.

/** WEIGHTS of the lines from the middle of U+2500 + i to the left, right, top and bottom: 1 light, 2 heavy, 3 double. */
const ARMS = (
  "1100 2200 0011 0022 - - - - - - - - 0101 0201 0102 0202 " +
  "1001 2001 1002 2002 0110 0210 0120 0220 1010 2010 1020 2020 0111 0211 0121 0112 " +
  "0122 0221 0212 0222 1011 2011 1021 1012 1022 2021 2012 2022 1101 2101 1201 2201 " +
  "1102 2102 1202 2202 1110 2110 1210 2210 1120 2120 1220 2220 1111 2111 1211 2211 " +
  "1121 1112 1122 2121 1221 2112 1212 2221 2212 2122 1222 2222 - - - - " +
  "3300 0033 0301 0103 0303 3001 1003 3003 0310 0130 0330 3010 1030 3030 0311 0133 " +
  "0333 3011 1033 3033 3301 1103 3303 3310 1130 3330 3311 1133 3333 - - - " +
  "- - - - 1000 0010 0100 0001 2000 0020 0200 0002 1200 0012 2100 0021"
).split(" ");

/** Blocks cover rectangles in eighths of a grid cell's width and 24ths of its height, with `share` quarters of ink. */
export interface Blocks {
  readonly rects: Uint8Array; // x0, y0, x1, y1; …
  readonly share: number;
}

const QUADRANTS = [4, 8, 1, 13, 9, 7, 11, 2, 6, 14];

const blocks: Blocks[] = [];
for (let i = 0; i < 0x20; i++) {
  let rects: number[];
  let share = 4;
  if (i === 0) rects = [0, 0, 8, 12];
  else if (i <= 8) rects = [0, 24 - 3 * i, 8, 24];
  else if (i <= 15) rects = [0, 0, 16 - i, 24];
  else if (i === 16) rects = [4, 0, 8, 24];
  else if (i <= 19) [rects, share] = [[0, 0, 8, 24], i - 16];
  else if (i === 20) rects = [0, 0, 8, 3];
  else if (i === 21) rects = [7, 0, 8, 24];
  else {
    rects = [];
    for (let q = 0; q < 4; q++) {
      const [x, y] = [(q % 2) * 4, (q >> 1) * 12];
      if ((QUADRANTS[i - 22]! >> q) & 1) rects.push(x, y, x + 4, y + 12);
    }
  }
  blocks.push({ rects: Uint8Array.from(rects), share });
}
for (let set = 1; set < 63; set++) {
  if (set === 21 || set === 42) continue; // the left and the right half are above
  const rects: number[] = [];
  for (let q = 0; q < 6; q++) {
    const [x, y] = [(q % 2) * 4, (q >> 1) * 8];
    if ((set >> q) & 1) rects.push(x, y, x + 4, y + 8);
  }
  blocks.push({ rects: Uint8Array.from(rects), share: 4 });
}

/** blockOf is the block element that a rune is. */
export function blockOf(r: number): Blocks | undefined {
  if (r >= 0x2580 && r < 0x25a0) return blocks[r - 0x2580];
  if (r >= 0x1fb00 && r < 0x1fb3c) return blocks[0x20 + r - 0x1fb00];
  return undefined;
}

/** isShape says whether a rune is drawn by `shape`. */
export function isShape(r: number): boolean {
  return (r >= 0x2500 && r < 0x2580) || (r > 0x2800 && r < 0x2900) || (r >= 0xe0b0 && r <= 0xe0b3);
}

/** stroke is how thick a light line is, in device pixels; k: those of a unit of 8 × 16. */
export function stroke(k: number): number {
  return Math.max(1, Math.round(k));
}

// Axis says where lines lie across a grid cell of n pixels.
class Axis {
  private readonly light: number; // where the light line begins
  private readonly t: number;
  private readonly heavy: number;
  private readonly t2: number;
  private readonly pair: number; // where the gap of a double line begins
  private readonly gap: number;

  constructor(readonly n: number, k: number) {
    this.t = stroke(k);
    this.t2 = Math.max(this.t + 1, Math.round(2 * k));
    this.light = Math.floor((n - this.t) / 2);
    this.heavy = this.light - ((this.t2 - this.t) >> 1);
    this.gap = Math.max(1, Math.round(1.5 * k));
    this.pair = Math.floor((n - this.gap) / 2);
  }

  /** at is where a border of a line lies that is d units from the middle, as source/boxes.go counts. */
  at(d: number): number {
    switch (d) {
      case -0.5:
        return this.light;
      case 0.5:
        return this.light + this.t;
      case -1:
        return this.heavy;
      case 1:
        return this.heavy + this.t2;
      case -1.75:
        return this.pair - this.t;
      case -0.75:
        return this.pair;
      case 0.75:
        return this.pair + this.gap;
      case 1.75:
        return this.pair + this.gap + this.t;
      default:
        return this.light + (this.t >> 1);
    }
  }

  get middle(): number {
    return this.light + this.t / 2;
  }
}

type Ink = OffscreenCanvasRenderingContext2D;

const HALF = [0, 0.5, 1, 1.75];
const AWAY = 1.25;
const LIGHT = 0.5;

/** shape draws a rune in the colour set, in a grid cell of w × h device pixels at the origin; k: pixels of a unit of 8 × 16. */
export function shape(ctx: Ink, r: number, w: number, h: number, k: number): void {
  const x = new Axis(w, k);
  const y = new Axis(h, k);
  if (r >= 0x2500 && r < 0x2580) {
    const a = ARMS[r - 0x2500]!;
    if (a !== "-") box(ctx, a, x, y);
    else dashesAndArcs(ctx, r, x, y, k);
  } else if (r > 0x2800 && r < 0x2900) {
    braille(ctx, r, w, h);
  } else {
    prompt(ctx, r, w, h, 1.2 * k);
  }
}

function rect(ctx: Ink, x0: number, y0: number, x1: number, y1: number): void {
  if (x1 > x0 && y1 > y0) ctx.fillRect(x0, y0, x1 - x0, y1 - y0);
}

// box draws the four arms as source/boxes.go does: what lies first, then what stands. `in` is how far beyond the middle one reaches.
function box(ctx: Ink, a: string, x: Axis, y: Axis): void {
  const [l, r, u, d] = Array.from(a, Number) as [number, number, number, number];
  const thick = Math.max(HALF[u]!, HALF[d]!);
  for (const right of [false, true]) {
    const [own, other] = right ? [r, l] : [l, r];
    if (own === 0) continue;
    const add = (y0: number, y1: number, inner: number): void => {
      if (right) rect(ctx, x.at(-inner), y.at(y0), x.n, y.at(y1));
      else rect(ctx, 0, y.at(y0), x.at(inner), y.at(y1));
    };
    if (own !== 3) {
      let inner = thick;
      if (other !== 0) inner = 0;
      else if ((u === 3 || d === 3) && u !== 0 && d !== 0) inner = -AWAY + LIGHT;
      add(-HALF[own]!, HALF[own]!, inner);
      continue;
    }
    for (const upper of [true, false]) {
      const [mid, near, far] = upper ? [-AWAY, u, d] : [AWAY, d, u];
      let inner = 0;
      if (near === 3) inner = -AWAY + LIGHT;
      else if (other !== 0) inner = 0;
      else if (far === 3) inner = AWAY + LIGHT;
      else if (near !== 0 || far !== 0) inner = LIGHT;
      add(mid - LIGHT, mid + LIGHT, inner);
    }
  }
  const lying = Math.max(HALF[l]!, HALF[r]!);
  for (const down of [false, true]) {
    const [own, other] = down ? [d, u] : [u, d];
    if (own === 0) continue;
    const add = (x0: number, x1: number, inner: number): void => {
      if (down) rect(ctx, x.at(x0), y.at(-inner), x.at(x1), y.n);
      else rect(ctx, x.at(x0), 0, x.at(x1), y.at(inner));
    };
    if (own !== 3) {
      let inner = -lying;
      if (lying === 0) inner = 0;
      else if (l === 3 || r === 3) {
        if (other !== 0) inner = 0;
        else inner = l !== 0 && r !== 0 ? -AWAY - LIGHT : AWAY - LIGHT;
      }
      add(-HALF[own]!, HALF[own]!, inner);
      continue;
    }
    for (const left of [true, false]) {
      const [mid, near, far] = left ? [-AWAY, l, r] : [AWAY, r, l];
      let inner = 0;
      if (near === 3) inner = -AWAY - LIGHT;
      else if (near !== 0) inner = -HALF[near]!;
      else if (other !== 0) inner = 0;
      else if (far === 3) inner = AWAY - LIGHT;
      else if (far !== 0) inner = -HALF[far]!;
      add(mid - LIGHT, mid + LIGHT, inner);
    }
  }
}

function dashesAndArcs(ctx: Ink, r: number, x: Axis, y: Axis, k: number): void {
  const dashes = (n: number, heavy: boolean, upright: boolean): void => {
    const half = heavy ? 1 : 0.5;
    const length = upright ? y.n : x.n;
    for (let i = 0; i < n; i++) {
      const from = Math.round(((i + 0.2) * length) / n);
      const to = Math.max(from + 1, Math.round(((i + 0.8) * length) / n));
      if (upright) rect(ctx, x.at(-half), from, x.at(half), to);
      else rect(ctx, from, y.at(-half), to, y.at(half));
    }
  };
  if (r >= 0x2504 && r <= 0x250b) return dashes(3 + ((r - 0x2504) >> 2), (r & 1) !== 0, ((r - 0x2504) & 2) !== 0);
  if (r >= 0x254c && r <= 0x254f) return dashes(2, (r & 1) !== 0, (r & 2) !== 0);
  ctx.lineWidth = stroke(k);
  ctx.lineCap = "butt";
  ctx.beginPath();
  if (r >= 0x256d && r <= 0x2570) {
    // A quarter of a circle from the middle of a side to that of the top or bottom, with a straight line for the rest.
    const right = r === 0x256d || r === 0x2570;
    const down = r <= 0x256e;
    const [mx, my] = [x.middle, y.middle];
    const [ex, ey] = [right ? x.n : 0, down ? y.n : 0];
    const radius = Math.min(Math.abs(ex - mx), Math.abs(ey - my));
    ctx.moveTo(ex, my);
    ctx.arcTo(mx, my, mx, ey, radius);
    ctx.lineTo(mx, ey);
    ctx.stroke();
    return;
  }
  ctx.lineCap = "square"; // into the corners; what hangs over is cut
  if (r !== 0x2572) {
    ctx.moveTo(x.n, 0);
    ctx.lineTo(0, y.n);
  }
  if (r !== 0x2571) {
    ctx.moveTo(0, 0);
    ctx.lineTo(x.n, y.n);
  }
  ctx.stroke();
}

const DOTS = [0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2, 0, 3, 1, 3];

function braille(ctx: Ink, r: number, w: number, h: number): void {
  const radius = Math.min(w / 8, h / 16) * 1.3;
  ctx.beginPath();
  for (let i = 0; i < 8; i++) {
    if (((r >> i) & 1) === 0) continue;
    const cx = ((DOTS[2 * i]! * 4 + 2) * w) / 8;
    const cy = ((DOTS[2 * i + 1]! * 4 + 2) * h) / 16;
    ctx.moveTo(cx + radius, cy);
    ctx.arc(cx, cy, radius, 0, 2 * Math.PI);
  }
  ctx.fill();
}

function prompt(ctx: Ink, r: number, w: number, h: number, t: number): void {
  if (r >= 0xe0b2) {
    ctx.translate(w, 0);
    ctx.scale(-1, 1);
  }
  ctx.beginPath();
  ctx.moveTo(0, 0);
  if ((r & 1) === 0) {
    ctx.lineTo(w, h / 2);
    ctx.lineTo(0, h);
  } else {
    ctx.lineTo(w - t, h / 2);
    ctx.lineTo(0, h);
    ctx.lineTo(t, h);
    ctx.lineTo(w, h / 2);
    ctx.lineTo(t, 0);
  }
  ctx.fill();
  ctx.setTransform(1, 0, 0, 1, 0, 0);
}
