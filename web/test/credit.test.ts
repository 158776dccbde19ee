import { Credit } from "../src/credit.ts";
import { near, ok, test } from "./harness.ts";

// line plays cycles over a line of so many bytes a ms that brings messages of 8 KiB, and gives the credit in the end.
function line(rate: number, cycles = 20): number {
  const c = new Credit();
  let now = 0;
  for (let i = 0; i < cycles; i++) {
    c.asked();
    now += 5;
    for (let sent = 0; sent < c.bytes; sent += 8192) {
      now += 8192 / rate;
      c.arrived(8192, now);
    }
    c.ended(now);
  }
  return c.bytes;
}

test("on a slow line a cycle takes less than a tenth of a second", () => {
  near(line(200), 10_000, 400);
  near(line(1000), 50_000, 1000);
});

test("on a fast line a cycle takes as much as it may", () => {
  ok(line(1e6) === 1 << 20, `${line(1e6)}`);
});

test("a line that becomes fast is found out", () => {
  const c = new Credit();
  for (const [rate, cycles] of [[200, 5], [1e6, 10]] as const) {
    let now = 0;
    for (let i = 0; i < cycles; i++) {
      c.asked();
      for (let sent = 0; sent < c.bytes; sent += 8192) c.arrived(8192, (now += 8192 / rate));
      c.ended(now);
    }
  }
  ok(c.bytes === 1 << 20, `${c.bytes}`);
});
