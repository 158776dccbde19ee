import { equal, fail, near, ok, random, test, throws } from "./harness.ts";

test("equal sees differences at any depth", () => {
  equal({ a: [1, { b: 2n }] }, { a: [1, { b: 2n }] });
  equal(new Uint8Array([1, 2]), new Uint8Array([1, 2]));
  for (const [a, b] of [
    [{ a: [1, { b: 2n }] }, { a: [1, { b: 3n }] }],
    [{ a: 1 }, { a: 1, b: undefined }],
    [new Uint8Array([1]), new Uint8Array([1, 0])],
    [0, -0],
    [[], {}],
    [null, {}],
  ]) {
    throws(() => equal<unknown>(a, b), `${String(a)} passed for ${String(b)}`);
  }
});

test("near and ok refuse what is not", () => {
  throws(() => near(1, 2, 0.5));
  throws(() => near(NaN, 0, 1));
  throws(() => ok(0));
  throws(() => fail("so"));
});

test("random repeats itself for a seed", () => {
  const a = random(7);
  const b = random(7);
  for (let i = 0; i < 100; i++) equal(a(), b());
});

test("the page is where the client may run", () => {
  ok(isSecureContext, "not a secure context");
  ok(typeof OffscreenCanvas === "function" && typeof indexedDB === "object" && "locks" in navigator);
});
