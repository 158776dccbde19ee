// h makes elements. Together with Kit's listeners it is all the framework there is.

type Child = Node | string | null | undefined | false;
export type Props = Record<string, string | number | boolean | ((e: never) => void) | undefined>;

/** h makes an element: on… props are listeners, true is an attribute without value, false and undefined are none. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props)) {
    if (typeof v === "function") e.addEventListener(k.slice(2), v as EventListener);
    else if (v === true) e.setAttribute(k, "");
    else if (v !== false && v !== undefined) e.setAttribute(k, String(v));
  }
  for (const c of children) if (c) e.append(c);
  return e;
}

/** icon draws a symbol of sprite.html. It says nothing to who cannot see it. */
export function icon(name: string, small = false): SVGElement {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("class", small ? "icon small" : "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(ns, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

/** show hides or shows without leaving an empty place. */
export function show(e: HTMLElement, shown: boolean): void {
  e.toggleAttribute("hidden", !shown);
}

/** css writes 0xRRGGBBAA as CSS. */
export function css(color: number): string {
  return `#${(color >>> 0).toString(16).padStart(8, "0")}`;
}

/** offer saves a file where the browser keeps downloads. */
export function offer(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
