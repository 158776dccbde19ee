// Skia by way of @napi-rs/canvas. See main.go for the conversation and the file.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createCanvas, Path2D } from "@napi-rs/canvas";

const data = readFileSync(process.argv[2]);
let at = 0;
const u = () => data.readUInt32LE((at += 4) - 4);
const f = () => data.readFloatLE((at += 4) - 4);
const strokes = [];
for (let n = u(); n > 0; n--) {
  const color = u();
  const erase = u() === 1;
  const box = [f(), f(), f(), f()];
  const width = f();
  const line = new Path2D();
  const points = u();
  for (let i = 0; i < points; i++) i === 0 ? line.moveTo(f(), f()) : line.lineTo(f(), f());
  if (points === 1) line.closePath();
  const fill = new Path2D();
  for (let contours = u(); contours > 0; contours--) {
    for (let i = 0, n = u(); i < n; i++) i === 0 ? fill.moveTo(f(), f()) : fill.lineTo(f(), f());
    fill.closePath();
  }
  const style = `rgba(${color >>> 24},${(color >>> 16) & 255},${(color >>> 8) & 255},${(color & 255) / 255})`;
  strokes.push({ style, erase, box, width, line, fill });
}
const cols = 6, cells = 24, size = 256;
const inCell = Array.from({ length: cells }, (_, c) => {
  const x = (c % cols) * size, y = Math.floor(c / cols) * size;
  return strokes.filter((s) => s.box[2] > x && s.box[0] < x + size && s.box[3] > y && s.box[1] < y + size);
});
const canvas = createCanvas(size, size);
const g = canvas.getContext("2d");
g.lineCap = g.lineJoin = "round";

function round(fill) {
  const took = [];
  for (let c = 0; c < cells; c++) {
    const begin = process.hrtime.bigint();
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.globalCompositeOperation = "source-over";
    g.clearRect(0, 0, size, size);
    g.translate(-(c % cols) * size, -Math.floor(c / cols) * size);
    for (const s of inCell[c]) {
      g.globalCompositeOperation = s.erase ? "destination-out" : "source-over";
      if (fill) {
        g.fillStyle = s.style;
        g.fill(s.fill, "nonzero");
      } else {
        g.strokeStyle = s.style;
        g.lineWidth = s.width;
        g.stroke(s.line);
      }
    }
    g.getImageData(0, 0, 1, 1); // what was recorded is drawn
    took.push(Number(process.hrtime.bigint() - begin) / 1e6);
  }
  return took;
}

const peers = { "Skia fill": () => round(true), "Skia stroke": () => round(false) };
console.log(Object.keys(peers).join("\t"));
for await (const name of createInterface({ input: process.stdin })) console.log(JSON.stringify(peers[name]()));
