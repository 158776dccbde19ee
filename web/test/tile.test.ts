// tile.ts and the Go package tile say the same of the same pairs of tiles.
import { equal, ok, test, throws } from "./harness.ts";
import goldens from "../../tile/testdata/tiles.json";
import type { Address } from "../src/protocol.ts";
import * as tile from "../src/tile.ts";

function parse(s: string): Address {
  const [level, x, y] = s.split("/") as [string, string, string];
  return { level: Number(level), x: unhex(x), y: unhex(y) };
}

function unhex(s: string): bigint {
  return s.startsWith("-") ? -BigInt("0x" + s.slice(1)) : BigInt("0x" + s);
}

function bytes(b: Uint8Array): string {
  return Array.from(b, (v) => v.toString(16).padStart(2, "0")).join("");
}

function key(a: Address): string {
  return tile.tileKey(a.level, a.x, a.y);
}

test("maps between tiles are Go's, to the bit", () => {
  for (const g of goldens) {
    equal(tile.between(parse(g.From), parse(g.To)), { scale: g.Scale, dx: g.DX, dy: g.DY }, `from ${g.From} to ${g.To}`);
  }
});

test("shifted tiles are Go's", () => {
  for (const g of goldens) equal(key(tile.shift(parse(g.From), g.DLevel, g.SX, g.SY)), g.Shifted, g.From);
});

test("addresses travel as Go writes them", () => {
  for (const g of goldens) {
    const a = parse(g.From);
    equal(key(a), g.From);
    const w = tile.wireTile(a);
    equal([w.level, bytes(w.x), bytes(w.y)], [a.level, g.X, g.Y], g.From);
    ok(tile.same(tile.fromWire(w), a), g.From);
  }
  for (const v of [0n, 1n, -1n, 127n, 128n, -128n, -129n, 255n, 256n, -256n, 2n ** 64n, -(2n ** 63n), -(2n ** 64n)]) {
    equal(tile.fromWire(tile.wireTile({ level: 1, x: v, y: -v })), { level: 1, x: v, y: -v });
  }
});

test("addresses Go refuses are refused", () => {
  const none = new Uint8Array(0);
  for (const b of [[0], [0, 1], [0xff, 0x80], [0xff, 0xff]]) {
    throws(() => tile.fromWire({ level: 0, x: Uint8Array.from(b), y: none }), `${b}`);
  }
  throws(() => tile.fromWire({ level: 0, x: new Uint8Array(10 << 20).fill(1), y: none }), "10 MB");
  throws(() => tile.fromWire({ level: tile.MAX_LEVEL + 1, x: none, y: none }), "level");
  throws(() => tile.fromWire({ level: NaN, x: none, y: none }), "no level");
});
