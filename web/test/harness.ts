// harness is what a *.test.ts uses: it registers tests, which `go test ./web` runs one by one in Chromium as subtests.
// A test fails by throwing. golden reads a file of a Go package's testdata folder.

type Body = () => void | Promise<void>;

const tests: { name: string; body: Body }[] = [];

export function test(name: string, body: Body): void {
  tests.push({ name, body });
}

// The Go side asks for the names, then runs each: "" is a pass, else what went wrong.
Object.assign(globalThis, {
  testNames: () => tests.map((t) => t.name),
  runTest: async (i: number): Promise<string> => {
    try {
      await tests[i]!.body();
      return "";
    } catch (e) {
      return e instanceof Error ? `${e.message}\n${e.stack ?? ""}` : String(e);
    }
  },
});

export class Failure extends Error {
  override name = "Failure";
}

export function fail(message: string): never {
  throw new Failure(message);
}

export function ok(condition: unknown, message = "expected to hold"): asserts condition {
  if (!condition) fail(message);
}

/** equal compares deeply: objects by their own properties, arrays and typed arrays by elements, big integers by value. */
export function equal<T>(got: T, want: T, what = ""): void {
  const path = differs(got, want, "");
  if (path !== undefined) fail(`${what}${what === "" ? "" : ": "}got ${show(got)}, want ${show(want)}${path === "" ? "" : ` (they differ at ${path})`}`);
}

export function near(got: number, want: number, tolerance: number, what = ""): void {
  if (!(Math.abs(got - want) <= tolerance)) fail(`${what}${what === "" ? "" : ": "}got ${got}, want ${want} ± ${tolerance}`);
}

export function throws(body: () => unknown, message = "expected an exception"): Error {
  try {
    body();
  } catch (e) {
    return e instanceof Error ? e : new Error(String(e));
  }
  return fail(message);
}

/** golden reads testdata/`file` of the Go package `pkg`. */
export async function golden(pkg: string, file: string): Promise<Uint8Array> {
  const r = await fetch(`/testdata/${pkg}/${file}`);
  if (!r.ok) fail(`${pkg}/testdata/${file}: ${r.status}`);
  return new Uint8Array(await r.arrayBuffer());
}

export async function goldenText(pkg: string, file: string): Promise<string> {
  return new TextDecoder().decode(await golden(pkg, file));
}

/** frame waits for the browser's next frame. */
export function frame(): Promise<number> {
  return new Promise(requestAnimationFrame);
}

/** random gives the same numbers in [0, 1) for the same seed on every machine. */
export function random(seed: number): () => number {
  let s = seed >>> 0;
  return () => {
    s = (s + 0x6d2b79f5) >>> 0;
    let t = Math.imul(s ^ (s >>> 15), s | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function differs(a: unknown, b: unknown, path: string): string | undefined {
  if (Object.is(a, b)) return undefined;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return path;
  if (a instanceof Map && b instanceof Map) return differs([...a], [...b], path);
  if (a instanceof Set && b instanceof Set) return differs([...a], [...b], path);
  if (Array.isArray(a) !== Array.isArray(b) || ArrayBuffer.isView(a) !== ArrayBuffer.isView(b)) return path;
  const left = Object.keys(a);
  if (left.length !== Object.keys(b).length) return path === "" ? "the number of parts" : path;
  for (const k of left) {
    if (!Object.hasOwn(b, k)) return `${path}.${k}`;
    const p = differs((a as Record<string, unknown>)[k], (b as Record<string, unknown>)[k], `${path}.${k}`);
    if (p !== undefined) return p;
  }
  return undefined;
}

function show(v: unknown): string {
  if (typeof v === "bigint") return `${v}n`;
  if (ArrayBuffer.isView(v)) return `[${[...(v as unknown as Iterable<number>)].slice(0, 64).join(" ")}]`;
  const s = JSON.stringify(v, (_, x: unknown) => (typeof x === "bigint" ? `${x}n` : x));
  return s === undefined ? String(v) : s.length > 400 ? `${s.slice(0, 400)}…` : s;
}
