import { Store } from "../src/store.ts";
import { equal, ok, test } from "./harness.ts";

let named = 0;

function fresh(): string {
  return `canvas ${++named}`;
}

function session(n: number): Uint8Array {
  return new Uint8Array(16).fill(n);
}

test("a person stays the same person", async () => {
  const a = await new Store(fresh(), session(1)).person();
  const b = await new Store(fresh(), session(2)).person();
  equal(a.length, 32);
  equal(a, b);
});

test("the ops of a tab that lives are nobody else's", async () => {
  const canvas = fresh();
  const a = new Store(canvas, session(11));
  a.put({ session: session(11), number: 1, op: new Uint8Array([1]) });
  const b = new Store(canvas, session(12));
  equal(await b.orphans(), []);
  equal(await a.orphans(), [], "its own");
});

test("the ops of a tab that is gone are taken over once, in order, and only on their canvas", async () => {
  const canvas = fresh();
  // Sessions 21 and 22 hold no lock: they are those of tabs that were closed.
  const past = new Store(canvas, session(20));
  for (const n of [10, 9, 2, 1]) past.put({ session: session(21), number: n, op: new Uint8Array([n]) });
  past.put({ session: session(22), number: 1, op: new Uint8Array([99]) });
  past.remove(session(21), 2);
  const other = new Store(fresh(), session(23));
  equal(await other.orphans(), []);
  const b = new Store(canvas, session(24));
  const c = new Store(canvas, session(25));
  const taken = await b.orphans();
  equal(taken.map((k) => [k.session[0], k.number, k.op[0]]), [[21, 1, 1], [21, 9, 9], [21, 10, 10], [22, 1, 99]]);
  equal(await c.orphans(), []);
  ok(b.durable);
});
