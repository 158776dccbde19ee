// extent asks the server where everything on a canvas is. Pages are not told with every stroke: few ever need to know.

import type { Extent } from "./protocol.ts";

const patienceMs = 4000;

/** extentOf is where everything is now; undefined while nothing is drawn, "unknown" when the server gives no answer. */
export async function extentOf(canvas: string): Promise<Extent | undefined | "unknown"> {
  try {
    const r = await fetch(`/c/${encodeURIComponent(canvas)}/extent`, { signal: AbortSignal.timeout(patienceMs) });
    if (!r.ok) return "unknown";
    const e = (await r.json()) as { level?: number; x?: string; y?: string; box?: [number, number, number, number] };
    if (e.level === undefined || e.box === undefined) return undefined;
    const [minX, minY, maxX, maxY] = e.box;
    return { home: { level: e.level, x: unhex(e.x!), y: unhex(e.y!) }, minX, minY, maxX, maxY };
  } catch {
    return "unknown";
  }
}

function unhex(s: string): bigint {
  return s.startsWith("-") ? -BigInt(`0x${s.slice(1)}`) : BigInt(`0x${s}`);
}
